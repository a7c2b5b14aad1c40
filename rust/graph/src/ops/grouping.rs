//! Moving nodes into a group with their links.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use geonode_protocol::{Action, Change, Code, GnOp, GroupNodes, Hint, NodeTreeOp};
use petgraph::Direction;
use serde_json::json;

use super::cables::{Bridge, Cable, centre, free_name, inner_ends, names_of, new_node};
use super::operation::{Before, Mention, Operation};
use super::work::Work;
use crate::ir::{Item, ItemKind, MAX_NAME, Map, Node, Side, Tree};
use crate::layout::frame_place;
use crate::menus::MENU;
use crate::model::TreeModel;
use crate::sockets::{GEOMETRY, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, group_tree};
use crate::target::numbered;

const COLOR: &str = "NodeSocketColor";
/// What an input of a group has of the input of the tree that feeds it.
const KEPT: [&str; 6] = [
    "default_value",
    "min_value",
    "max_value",
    "subtype",
    "description",
    "hide_value",
];

impl<'p> Operation<'p> for &'p GroupNodes {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.group_nodes(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let group = &self.node_group_name;
        match self.node_ids.as_slice() {
            [] => format!("Make the group “{group}” as “{}”", self.id),
            [one] => format!("Move “{one}” into the group “{group}”"),
            all => format!("Move {} nodes into the group “{group}”", all.len()),
        }
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        let ids = self.node_ids.iter().map(|id| Mention::Node(id));
        // Without nodes the group node is only made.
        let own = if self.node_ids.is_empty() {
            Mention::NewNode(&self.id)
        } else {
            Mention::Node(&self.id)
        };
        ids.chain([own, Mention::NodeGroup(&self.node_group_name)]).collect()
    }
}

/// The group that an operation of a step makes or fills.
pub(crate) fn grouping(action: &Action, at: usize) -> Option<&GroupNodes> {
    match action {
        Action::NodeTree(payload) => match payload.operations.get(at)? {
            NodeTreeOp::GroupNodes(op) => Some(op),
            _ => None,
        },
        Action::GnOps(payload) => match payload.ops.get(at)? {
            GnOp::GroupNodes(op) => Some(op),
            _ => None,
        },
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
    }
}

impl Work<'_> {
    fn group_nodes(&mut self, op: &GroupNodes) {
        let Some(node) = self.model.node(&op.id) else {
            if self.dissolved.contains(op.id.as_str()) && self.is_group(&op.node_group_name) {
                return; // an earlier run of the plan did both
            }
            if self.may_make_group(op)
                && let Some(members) = self.members(op, None)
            {
                self.make_group(op, &members);
            }
            return;
        };
        if group_tree(node) != Some(&op.node_group_name) {
            let message = format!("“{}” is not a node of the group “{}”", op.id, op.node_group_name);
            let path = self.sink.at("id");
            let hint = Hint::explain("a new group node needs an ID of its own");
            self.sink.error(Code::DuplicateId, path, message, Some(hint));
            return;
        }
        let Some(inner) = self.inner_model(&op.node_group_name, "node_group_name") else {
            return;
        };
        let inside: HashSet<String> = inner.nodes().map(|node| node.id.clone()).collect();
        let Some(members) = self.members(op, Some(&inside)) else {
            return;
        };
        if !members.is_empty() {
            self.model.named.insert(op.id.clone());
            self.move_in(&op.id, inner, &members);
        }
    }

    /// Whether there is a node group of this name, in the file or made by the plan so far.
    fn is_group(&self, name: &str) -> bool {
        let names = self.document.names.get("node_group");
        name == self.model.name
            || self.scope.trees.contains_key(name)
            || self.nested.iter().any(|group| group.name == name)
            || names.is_some_and(|names| names.contains(name))
    }

    fn may_make_group(&mut self, op: &GroupNodes) -> bool {
        let name = &op.node_group_name;
        if self.is_group(name) {
            let message = format!("there is already a node group “{name}”");
            let free = numbered(name, |name| self.is_group(name));
            let hint = self.sink.near("node_group_name", free.as_str()).worded(|_| {
                format!("“{free}” is free; nodes go into a group that is there where a node of it stands in the tree")
            });
            let path = self.sink.at("node_group_name");
            self.sink.error(Code::DuplicateId, path, message, Some(hint));
            return false;
        }
        for (field, text) in [("id", &op.id), ("node_group_name", name)] {
            if text.len() > MAX_NAME {
                let path = self.sink.at(field);
                let message = format!("a name may have {MAX_NAME} bytes, this one has {}", text.len());
                let hint = Hint::explain("any shorter name will do");
                self.sink.error(Code::BadName, path, message, Some(hint));
                return false;
            }
        }
        true
    }

    /// The nodes that move, in tree order; those that are `inside` already are left out.
    fn members(&mut self, op: &GroupNodes, inside: Option<&HashSet<String>>) -> Option<Vec<String>> {
        let mut wanted: HashSet<String> = HashSet::new();
        for (index, id) in op.node_ids.iter().enumerate() {
            let field = format!("node_ids/{index}");
            let reserved = matches!(id.as_str(), "group_input" | "group_output");
            let found = if reserved { self.find_node(id) } else { Some(id.clone()) };
            let Some(node) = found.and_then(|found| self.model.node(&found)) else {
                if inside.is_some_and(|inside| inside.contains(id)) {
                    continue;
                }
                self.no_node(id, &field);
                return None;
            };
            let kind = node.kind.as_str();
            if matches!(kind, GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE) || *id == op.id {
                let message = format!("“{id}” cannot be moved into a group");
                let path = self.sink.at(&field);
                let hint = self
                    .sink
                    .without("leave it out: a group has its own Group Input and Output", &field);
                self.sink.error(Code::InvalidValue, path, message, Some(hint));
                return None;
            }
            if inside.is_some_and(|inside| inside.contains(id)) {
                let message = format!("the group “{}” already has a node “{id}”", op.node_group_name);
                let path = self.sink.at(&field);
                self.sink.error(Code::DuplicateId, path, message, None);
                return None;
            }
            wanted.insert(id.clone());
        }
        let half = self.model.nodes().find(|node| {
            let pair = node.pair.as_ref();
            pair.is_some_and(|output| wanted.contains(&node.id) != wanted.contains(output))
        });
        if let Some(half) = half.map(|node| node.id.clone()) {
            let message = format!("“{half}” is one end of a zone, and the other end would stay behind");
            let path = self.sink.at("node_ids");
            let hint = self.with_these(
                "both ends move together, with the nodes between them",
                &self.missing(&wanted),
            );
            self.sink.error(Code::ZoneIncomplete, path, message, Some(hint));
            return None;
        }
        let between = self.missing(&wanted);
        if !between.is_empty() {
            let names: Vec<&str> = between.iter().map(String::as_str).collect();
            let message = format!(
                "a group of these nodes would feed itself: between them lies what stays behind ({})",
                names.join(", ")
            );
            let path = self.sink.at("node_ids");
            let hint = self.with_these("move what lies between them too", &between);
            self.sink.error(Code::Cycle, path, message, Some(hint));
            return None;
        }
        let order = self.model.nodes().filter(|node| wanted.contains(&node.id));
        Some(order.map(|node| node.id.clone()).collect())
    }

    /// Proposes to move these nodes too.
    fn with_these(&self, text: &str, more: &BTreeSet<String>) -> Hint {
        let place = self.sink.at("node_ids/-");
        let add = |id: &String| Change::add(&*place, id.as_str().into());
        Hint::changes(text, more.iter().map(add))
    }

    /// The nodes that have to move with the wanted ones: what lies on a way from one to another, and the other ends of zones.
    fn missing(&self, wanted: &HashSet<String>) -> BTreeSet<String> {
        let mut all = wanted.clone();
        loop {
            let before = self.reached(&all, Direction::Incoming);
            let after = self.reached(&all, Direction::Outgoing);
            let between = before.intersection(&after).cloned();
            let ends = self
                .model
                .nodes()
                .filter_map(|node| Some((&node.id, node.pair.as_ref()?)));
            let ends = ends.filter(|(input, output)| all.contains(*input) != all.contains(*output));
            let more: Vec<String> = ends
                .flat_map(|(input, output)| [input.clone(), output.clone()])
                .chain(between)
                .filter(|id| !all.contains(id))
                .collect();
            if more.is_empty() {
                return all.difference(wanted).cloned().collect();
            }
            all.extend(more);
        }
    }

    /// What the nodes depend on, or what depends on them.
    fn reached(&self, from: &HashSet<String>, direction: Direction) -> HashSet<String> {
        let mut found: HashSet<String> = HashSet::new();
        let mut open: Vec<&str> = from.iter().map(String::as_str).collect();
        while let Some(id) = open.pop() {
            for (_, _, other) in self.model.edges(id, direction) {
                if found.insert(other.to_owned()) {
                    open.push(other);
                }
            }
        }
        found
    }

    /// The group as a model that edits go to.
    fn inner_model(&mut self, name: &str, field: &'static str) -> Option<TreeModel> {
        if let Some(at) = self.nested.iter().position(|group| group.name == name) {
            return Some(self.nested.remove(at));
        }
        let info = self.document.tree_info.get(name);
        if info.is_some_and(|info| info.library) {
            let message = format!("the node group “{name}” is linked from another file and cannot be edited");
            let path = self.sink.at(field);
            let hint = Hint::explain("a linked group stays as it is; a group of this file can be edited");
            self.sink.error(Code::LibraryData, path, message, Some(hint));
            return None;
        }
        let own = self.model.nodes().filter(|node| node.group() == Some(name)).count();
        if info.is_some_and(|info| usize::try_from(info.users).unwrap_or(usize::MAX) > own.max(1)) {
            let message = format!("the node group “{name}” has other users too; they change with it");
            let path = self.sink.at(field);
            self.sink.warn(Code::SharedNodeGroup, path, message);
        }
        let tree = self.scope.trees.get(name)?.clone();
        Some(TreeModel::new(name, tree, false))
    }

    fn make_group(&mut self, op: &GroupNodes, members: &[String]) {
        let mut inner = TreeModel::new(&op.node_group_name, Tree::default(), true);
        for (id, kind) in [("group_input", GROUP_INPUT_TYPE), ("group_output", GROUP_OUTPUT_TYPE)] {
            inner.insert(new_node(id, kind));
        }
        let place = centre(&self.model, members);
        let mut node = new_node(&op.id, GROUP);
        node.props
            .insert("node_tree".to_owned(), json!({"node_group": op.node_group_name}));
        if let Some((x, y)) = place {
            node.location = [x, y];
            self.model.placed.insert(op.id.clone());
        }
        self.model.insert(node);
        if members.is_empty() {
            let sockets =
                [Side::Output, Side::Input].map(|side| self.new_socket(&mut inner, side, "Geometry", GEOMETRY));
            let [output, input] = sockets;
            let origin = self.sink.op();
            inner.connect(("group_input", &input), ("group_output", &output), Some(origin));
            self.nested.push(inner);
        } else {
            self.move_in(&op.id, inner, members);
            if let Some(made) = self.nested.last_mut() {
                // The sort is stable: a modifier wants its geometry first, and a call names what stands first without a keyword.
                made.interface.sort_by_key(|item| item.socket_type != GEOMETRY);
            }
        }
    }

    /// Moves nodes with their links into the group of a group node; links that cross its border lead through sockets of the group.
    fn move_in(&mut self, group: &str, mut inner: TreeModel, members: &[String]) {
        let inside: HashSet<&str> = members.iter().map(String::as_str).collect();
        let origin = self.sink.op();
        let cables: Vec<Cable> = self.model.wires().iter().map(Cable::of).collect();
        let nodes: Vec<(Node, (f64, f64))> = members
            .iter()
            .filter_map(|id| self.model.node(id))
            .map(|node| (node.clone(), frame_place(&self.model, node)))
            .collect();
        let ends = inner_ends(&mut inner);
        let mut bridge = Bridge {
            group,
            ends,
            inputs: BTreeMap::new(),
            outputs: BTreeMap::new(),
        };
        let mut laid: Vec<(bool, Cable)> = Vec::new();
        for cable in cables {
            let (from_in, to_in) = (inside.contains(&*cable.from.0), inside.contains(&*cable.to.0));
            match (from_in, to_in) {
                (false, false) => {}
                (true, true) => laid.push((true, cable)),
                (false, true) if cable.from.0 == group => bridge.inwards(&inner, cable, &mut laid),
                (true, false) if cable.to.0 == group => bridge.outwards(&inner, &cable, &mut laid),
                (false, true) => self.enter(&mut inner, &mut bridge, cable, &mut laid),
                (true, false) => self.leave(&mut inner, &mut bridge, cable, &mut laid),
            }
        }
        let mut names = names_of(&inner);
        for (mut node, (x, y)) in nodes {
            let stays = node.parent.as_deref().is_some_and(|frame| inside.contains(frame));
            if !stays {
                node.parent = None;
            }
            node.location = [node.location[0] + x, node.location[1] + y];
            inner.placed.insert(node.id.clone());
            if let Some(name) = self.take_new_name(&node.id) {
                node.name = name;
            }
            node.name = free_name(&mut names, &node.name);
            let carry = self.carry_from(&self.tree_of_target(), &node.id, &node.id);
            self.unsaid.carried.extend(carry.iter().map(|carry| carry.from.clone()));
            inner.carried.extend(carry);
            let origin = self.model.origin(&node.id);
            self.model.remove(&node.id);
            self.unsaid.moved.insert(node.id.clone(), group.to_owned());
            inner.note_origin(origin, &node.id);
            inner.insert(node);
        }
        for (within, cable) in laid {
            cable.lay(if within { &mut inner } else { &mut self.model }, origin);
        }
        self.nested.push(inner);
    }

    /// A link into the group becomes one to the group node and one from the Group Input; links from one output share them.
    fn enter(&mut self, inner: &mut TreeModel, bridge: &mut Bridge<'_>, cable: Cable, laid: &mut Vec<(bool, Cable)>) {
        let key = match bridge.inputs.get(&cable.from) {
            Some(key) => key.clone(),
            None => {
                let (name, kind, props) = self.input_words(&cable);
                let key = self.new_socket(inner, Side::Input, &name, &kind);
                if let Some(item) = inner.interface.last_mut() {
                    item.props = props;
                }
                laid.push((
                    false,
                    Cable {
                        from: cable.from.clone(),
                        to: (bridge.group.to_owned(), key.clone()),
                        muted: false,
                        sort: None,
                    },
                ));
                bridge.inputs.insert(cable.from.clone(), key.clone());
                key
            }
        };
        let from = (bridge.ends.0.clone(), key);
        laid.push((true, Cable { from, ..cable }));
    }

    /// A link out of the group becomes one to the Group Output and one from the group node.
    fn leave(&mut self, inner: &mut TreeModel, bridge: &mut Bridge<'_>, cable: Cable, laid: &mut Vec<(bool, Cable)>) {
        let key = match bridge.outputs.get(&cable.from) {
            Some(key) => key.clone(),
            None => {
                let (name, kind) = self.socket_words(&cable.from, Side::Output, &cable.from);
                let key = self.new_socket(inner, Side::Output, &name, &kind);
                laid.push((
                    true,
                    Cable {
                        from: cable.from.clone(),
                        to: (bridge.ends.1.clone(), key.clone()),
                        muted: false,
                        sort: None,
                    },
                ));
                bridge.outputs.insert(cable.from.clone(), key.clone());
                key
            }
        };
        let from = (bridge.group.to_owned(), key);
        laid.push((false, Cable { from, ..cable }));
    }

    /// What an input of the group is called, carries and has for a value: as the input of this tree that feeds it, else as the socket
    /// that it stands for.
    fn input_words(&self, cable: &Cable) -> (String, String, Map) {
        let mut source = cable.from.clone();
        let is_reroute = |id: &str| self.model.node(id).is_some_and(|node| node.kind == REROUTE);
        if is_reroute(&source.0) {
            let wires = self.model.wires();
            // Reroutes in a ring lead nowhere.
            for _ in 0..wires.len() {
                match wires
                    .iter()
                    .find(|(_, _, to)| *to == source.0)
                    .filter(|_| is_reroute(&source.0))
                {
                    Some((from, wire, _)) => source = ((*from).to_owned(), wire.from_socket.clone()),
                    None => break,
                }
            }
        }
        let node = self.model.node(&source.0);
        let is_input = node.is_some_and(|node| node.kind == GROUP_INPUT_TYPE);
        let mut items = self.model.interface_sockets(Side::Input);
        if let Some(item) = items.find(|item| is_input && item.identifier == source.1) {
            let props = item.props.iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
            let props = props.map(|(name, value)| (name.clone(), value.clone())).collect();
            return (item.name.clone(), item.socket_type.clone(), props);
        }
        let (name, kind) = self.socket_words(&cable.to, Side::Input, &cable.from);
        let mut props = Map::new();
        if let Some(node) = self.model.node(&cable.to.0) {
            let stored = node.inputs.get(&cable.to.1).and_then(|state| state.get("value"));
            let sockets = self.scope.sockets(&self.model, node, Side::Input);
            let socket = sockets.iter().find(|socket| socket.identifier == cable.to.1);
            let value = stored.or_else(|| socket?.default.as_ref());
            let is_same = socket.is_some_and(|socket| socket.kind == kind);
            // Data-blocks stay with their nodes, and vectors of other sizes with their sockets.
            let is_plain = |value: &serde_json::Value| match value.as_array() {
                Some(parts) => parts.len() == if kind == COLOR { 4 } else { 3 },
                None => !value.is_object() && !value.is_null(),
            };
            let value = value.filter(|value| is_same && kind != MENU && is_plain(value));
            props.extend(value.map(|value| ("default_value".to_owned(), value.clone())));
        }
        (name, kind, props)
    }

    /// What a socket of the group is called and carries, from the socket that it stands for and the one that feeds it.
    fn socket_words(&self, of: &(String, String), side: Side, source: &(String, String)) -> (String, String) {
        let socket = |(id, identifier): &(String, String), side| {
            let node = self.model.node(id)?;
            let all = self.scope.sockets(&self.model, node, side);
            all.iter().find(|socket| socket.identifier == *identifier).cloned()
        };
        let kind_of = |end: &(String, String), side| {
            let reroute = self.model.node(&end.0).is_some_and(|node| node.kind == REROUTE);
            if reroute {
                return self.behind_reroute(&end.0);
            }
            let known = socket(end, side).map(|socket| socket.kind);
            known.filter(|kind| !kind.is_empty() && kind != "NodeSocketVirtual")
        };
        let name = socket(of, side)
            .map(|socket| socket.name)
            .filter(|name| !name.is_empty());
        let kind = kind_of(of, side).or_else(|| kind_of(source, Side::Output));
        let kind = kind.unwrap_or_else(|| "NodeSocketFloat".to_owned());
        (name.unwrap_or_else(|| "Value".to_owned()), kind)
    }

    /// Adds a socket with a free name to a group's interface.
    fn new_socket(&mut self, inner: &mut TreeModel, side: Side, name: &str, kind: &str) -> String {
        let taken: BTreeSet<String> = inner.interface_sockets(side).map(|item| item.name.clone()).collect();
        let name = std::iter::once(name.to_owned())
            .chain((1..=taken.len()).map(|n| format!("{name}.{n:03}")))
            .find(|name| !taken.contains(name))
            .unwrap_or_else(|| name.to_owned());
        let identifier = self.next_key();
        inner.interface.push(Item {
            kind: ItemKind::Socket,
            identifier: identifier.clone(),
            name,
            in_out: Some(side),
            socket_type: kind.to_owned(),
            parent: None,
            props: Map::new(),
        });
        identifier
    }
}
