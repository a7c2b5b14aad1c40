//! Checks of the whole tree after a step: cycles and zone boundaries.

use foldhash::{HashMap, HashMapExt, HashSet};
use geonode_protocol::{Code, Hint};
use petgraph::Direction;
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::stable_graph::NodeIndex;
use petgraph::visit::EdgeRef;

use crate::ir::Side;
use crate::menus::MENU;
use crate::ops::Work;
use crate::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

impl Work<'_> {
    /// Reports mistakes that only show in the whole tree.
    pub(crate) fn check_tree(&mut self) {
        let cyclic = self.check_cycles() || self.check_zones_within_themselves();
        if !cyclic {
            self.check_zones();
            self.check_fields();
        }
        self.check_hidden();
        self.check_menus();
        self.warn_of_forgotten_items();
    }

    /// Reports each menu input that would lead to several Menu Switches, at the last operation that added one of its links: in Blender
    /// it has no entries then, whether or not the switches have the same ones.
    fn check_menus(&mut self) {
        let mut found: Vec<(usize, String)> = Vec::new();
        let menus = self.menus();
        for model in std::iter::once(&self.model).chain(&self.nested) {
            for item in model.interface_sockets(Side::Input) {
                if item.socket_type != MENU {
                    continue;
                }
                let mut reached: Vec<_> = menus.reached(&model.name, &item.identifier);
                reached.sort_by(|a, b| (&a.tree, &a.node).cmp(&(&b.tree, &b.node)));
                reached.dedup_by(|a, b| (&a.tree, &a.node) == (&b.tree, &b.node));
                let inputs = model.nodes().filter(|node| node.kind == GROUP_INPUT_TYPE);
                let links = inputs.flat_map(|node| model.edges(&node.id, Direction::Outgoing));
                let last = links
                    .filter(|(_, wire, _)| wire.from_socket == item.identifier)
                    .filter_map(|(_, wire, _)| wire.origin)
                    .max();
                if let (Some(last), 2..) = (last, reached.len()) {
                    let names: Vec<String> = reached.iter().map(|menu| format!("“{}”", menu.node)).collect();
                    let message = format!(
                        "the menu input “{}” leads to several Menu Switches ({}), so Blender would show no entry of it",
                        item.name,
                        names.join(", ")
                    );
                    found.push((last, message));
                }
            }
        }
        for (last, message) in found {
            self.sink.enter_op(last);
            let path = self.sink.at("");
            let hint = "lead it to one Menu Switch, whose data type is INT, and from there to Index Switches, or make one input for each";
            self.sink
                .error(Code::IllegalLink, path, message, Some(Hint::explain(hint)));
        }
    }

    /// Reports each cycle once, at the last operation that added one of its links.
    fn check_cycles(&mut self) -> bool {
        let mut found: Vec<(Option<usize>, String)> = Vec::new();
        let graph = self.model.graph();
        // Both are iterative: a chain of a hundred thousand nodes must not overflow the stack.
        if toposort(graph, None).is_ok() {
            return false;
        }
        for component in kosaraju_scc(graph) {
            let inside: HashSet<NodeIndex> = component.iter().copied().collect();
            let looped = component.len() > 1 || component.iter().any(|at| graph.find_edge(*at, *at).is_some());
            if !looped {
                continue;
            }
            let mut last: Option<usize> = None;
            for at in &component {
                for edge in graph.edges(*at).filter(|edge| inside.contains(&edge.target())) {
                    last = last.max(edge.weight().origin);
                }
            }
            let mut names: Vec<&str> = component
                .iter()
                .filter_map(|at| graph.node_weight(*at))
                .map(|node| node.id.as_str())
                .collect();
            names.sort_unstable();
            let more = names.len().saturating_sub(6);
            names.truncate(6);
            let tail = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            found.push((last, format!("{}{tail}", names.join(", "))));
        }
        // A cycle that existed before is the artist's: Blender shows it, and this plan does not have to remove it.
        found.retain(|(last, _)| last.is_some());
        for (last, names) in &found {
            self.sink.enter_op(last.unwrap_or(0));
            let path = self.sink.at("");
            let message = format!("this link closes a cycle through {names}");
            let feedback = "feedback needs a Repeat or Simulation zone";
            let hint = if last.is_some_and(|last| self.links.made.contains(&last)) {
                self.sink.without(format!("leave this link out; {feedback}"), "")
            } else {
                Hint::explain(feedback)
            };
            self.sink.error(Code::Cycle, path, message, Some(hint));
        }
        !found.is_empty()
    }

    /// Reports each zone whose output leads back to its own input, at the last operation that added a link of the way: the output of a zone
    /// depends on its input without any link, so that is a cycle too.
    fn check_zones_within_themselves(&mut self) -> bool {
        let model = &self.model;
        let pairs = model.nodes().filter_map(|node| {
            let output = node.pair.as_deref().and_then(|output| model.node_index(output))?;
            Some((model.node_index(&node.id)?, output))
        });
        let pairs: HashMap<NodeIndex, NodeIndex> = pairs.collect();
        if pairs.is_empty() {
            return false;
        }
        let graph = model.graph();
        let mut whole = graph.map(|_, _| (), |_, wire| wire.origin);
        for (input, output) in &pairs {
            whole.add_edge(*input, *output, None);
        }
        if toposort(&whole, None).is_ok() {
            return false;
        }
        let mut found: Vec<(usize, String)> = Vec::new();
        for component in kosaraju_scc(&whole) {
            let inside: HashSet<NodeIndex> = component.iter().copied().collect();
            let edges = component.iter().flat_map(|at| whole.edges(*at));
            let last = edges
                .filter(|edge| inside.contains(&edge.target()))
                .filter_map(|edge| *edge.weight())
                .max();
            let zone = component
                .iter()
                .find(|at| pairs.get(*at).is_some_and(|end| inside.contains(end)));
            let zone = zone.and_then(|at| Some((*at, *pairs.get(at)?)));
            let id = |at: NodeIndex| graph.node_weight(at).map(|node| node.id.as_str()).unwrap_or_default();
            // One that was there before is the artist's.
            if let (Some(last), Some((input, output))) = (last, zone) {
                let (input, output) = (id(input), id(output));
                found.push((
                    last,
                    format!("“{output}” would lead into “{input}”, the beginning of its own zone"),
                ));
            }
        }
        for (last, message) in &found {
            self.sink.enter_op(*last);
            let path = self.sink.at("");
            let feedback = "what goes into the next iteration is linked into the end of the zone";
            let hint = if self.links.made.contains(last) {
                self.sink.without(format!("leave this link out; {feedback}"), "")
            } else {
                Hint::explain(feedback)
            };
            self.sink.error(Code::Cycle, path, message.clone(), Some(hint));
        }
        !found.is_empty()
    }

    /// Nodes that depend on the input of a zone belong to the zone; their values may leave it only through the zone's output.
    ///
    /// A nested zone may use values of the outer one at any node, so only a path to the Group Output is certainly wrong.
    fn check_zones(&mut self) {
        let mut zones: Vec<(String, String)> = Vec::new();
        let mut paired: HashSet<&str> = HashSet::default();
        let mut halves: Vec<(String, String)> = Vec::new();
        for node in self.model.nodes() {
            if let Some(output) = &node.pair {
                paired.insert(output);
                if self.model.node(output).is_some() {
                    zones.push((node.id.clone(), output.clone()));
                }
            }
        }
        for node in self.model.nodes() {
            let Some(kind) = self.scope.node_type(node) else {
                continue;
            };
            let half = kind.is("zone")
                && node
                    .pair
                    .as_ref()
                    .is_none_or(|output| self.model.node(output).is_none())
                && !paired.contains(node.id.as_str());
            if half && self.model.is_new(&node.id) {
                halves.push((node.id.clone(), kind.label.clone()));
            }
        }
        for (id, label) in halves {
            let path = self.sink.at("");
            let message = format!("“{id}” ({label}) is one end of a zone without the other");
            self.sink.error(
                Code::ZoneIncomplete,
                path,
                message,
                Some(Hint::explain("add_zone makes both ends of a zone")),
            );
        }
        let mut violations: Vec<(Option<usize>, String, String)> = Vec::new();
        for (input, output) in &zones {
            self.zone_violations(output, input, &mut violations);
        }
        for (origin, message, hint) in violations {
            self.sink.enter_op(origin.unwrap_or(0));
            let path = self.sink.at("");
            self.sink
                .error(Code::ZoneViolation, path, message, Some(Hint::explain(hint)));
        }
    }

    fn zone_violations(&self, output: &str, input: &str, violations: &mut Vec<(Option<usize>, String, String)>) {
        // Node inside the zone → the node before it, and the operation of the link between them.
        let mut before: HashMap<&str, (&str, Option<usize>)> = HashMap::new();
        let mut open: Vec<&str> = vec![input];
        while let Some(id) = open.pop() {
            for (_, wire, to) in self.model.edges(id, Direction::Outgoing) {
                if to != output && to != input && !before.contains_key(to) {
                    before.insert(to, (id, wire.origin));
                    open.push(to);
                }
            }
        }
        let mut leading: HashSet<&str> = HashSet::default();
        let mut open: Vec<&str> = vec![output];
        while let Some(id) = open.pop() {
            for (_, _, from) in self.model.edges(id, Direction::Incoming) {
                if leading.insert(from) {
                    open.push(from);
                }
            }
        }
        let is_end = |id: &str| self.model.node(id).is_some_and(|node| node.kind == GROUP_OUTPUT_TYPE);
        for end in before.keys().filter(|id| is_end(id)) {
            // Back to where the way leaves what leads to the zone's output.
            let (mut at, mut newest, mut leaves) = (*end, None, None);
            while let Some((from, origin)) = before.get(at) {
                newest = newest.max(*origin);
                if leaves.is_none() && (*from == input || leading.contains(from)) {
                    leaves = Some((*from, at, *origin));
                }
                at = from;
            }
            // Only links that this plan added are its mistake.
            let (Some((from, to, origin)), Some(newest)) = (leaves, newest) else {
                continue;
            };
            violations.push((
                origin.or(Some(newest)),
                format!("“{to}” uses “{from}” from inside the zone of “{output}” without going through its output"),
                format!("what leaves a zone is an item: linked into “{output}” and read from there"),
            ));
        }
    }
}
