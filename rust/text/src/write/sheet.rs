//! One tree as it is about to be written: its nodes with their sockets, links and names.

use std::cmp::Reverse;
use std::rc::Rc;

use foldhash::HashMap;
use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Link, Node, Side, Tree};
use geonode_graph::sockets::{FRAME, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE, Scope};

use super::sockets::{SocketCache, Sockets};
use crate::names::{FORM_VALUES, Names, SocketNames, Variables, path};

/// Calls that may lie in each other: beyond it a node has a line of its own.
const MAX_DEPTH: usize = 12;

/// A tree with what the writer looks up in it. Nodes are known by their place in the tree.
pub(super) struct Sheet<'a> {
    pub names: &'a Names<'a>,
    pub scope: Scope<'a>,
    pub name: &'a str,
    pub tree: &'a Tree,
    pub full: bool,
    pub variables: Variables,
    cache: &'a SocketCache<'a>,
    inputs: Vec<Rc<Sockets<'a>>>,
    outputs: Vec<Rc<Sockets<'a>>>,
    /// Links into each node, those into one input in their order.
    into: Vec<Vec<&'a Link>>,
    /// Links from each node.
    from: Vec<Vec<&'a Link>>,
    at: HashMap<&'a str, usize>,
    /// The other end of a zone.
    partners: Vec<Option<usize>>,
    /// The node in whose arguments a node is written.
    hosts: Vec<Option<usize>>,
    /// Parameters of closures by the place of their input node.
    parameters: HashMap<usize, SocketNames>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(
        names: &'a Names<'a>,
        trees: Scope<'a>,
        (name, tree): (&'a str, &'a Tree),
        cache: &'a SocketCache<'a>,
        full: bool,
    ) -> Self {
        let at: HashMap<&str, usize> = (0_usize..)
            .zip(&tree.nodes)
            .map(|(at, node)| (node.id.as_str(), at))
            .collect();
        let mut into: Vec<Vec<&Link>> = vec![Vec::new(); tree.nodes.len()];
        let mut from = into.clone();
        for link in &tree.links {
            let ends = (at.get(link.from.0.as_str()), at.get(link.to.0.as_str()));
            if let (Some(source), Some(target)) = ends {
                from.get_mut(*source).into_iter().for_each(|links| links.push(link));
                into.get_mut(*target).into_iter().for_each(|links| links.push(link));
            }
        }
        let mut partners = vec![None; tree.nodes.len()];
        for (input, node) in tree.nodes.iter().enumerate() {
            let output = node.pair.as_deref().and_then(|id| at.get(id)).copied();
            if let Some(output) = output.filter(|output| *output != input && partners.get(*output) == Some(&None)) {
                partners
                    .get_mut(input)
                    .into_iter()
                    .for_each(|slot| *slot = Some(output));
                partners
                    .get_mut(output)
                    .into_iter()
                    .for_each(|slot| *slot = Some(input));
            }
        }
        let mut sheet = Self {
            names,
            scope: trees,
            name,
            tree,
            full,
            variables: Variables::new(tree, names.catalogue()),
            cache,
            inputs: Vec::with_capacity(tree.nodes.len()),
            outputs: Vec::with_capacity(tree.nodes.len()),
            into,
            from,
            at,
            partners,
            hosts: vec![None; tree.nodes.len()],
            parameters: HashMap::default(),
        };
        for (place, node) in tree.nodes.iter().enumerate() {
            let output = sheet
                .partner(place)
                .filter(|_| node.pair.is_some())
                .and_then(|at| tree.nodes.get(at));
            let targets = sheet.links_into(place).iter().map(|link| link.to.1.as_str());
            let used = targets.chain(node.inputs.keys().map(String::as_str));
            let inputs = cache.of(trees, node, output, (name, tree), Side::Input, used);
            let used = sheet.links_from(place).iter().map(|link| link.from.1.as_str());
            let outputs = cache.of(trees, node, output, (name, tree), Side::Output, used);
            if let Some(links) = sheet.into.get_mut(place) {
                links.sort_by_cached_key(|link| (inputs.place(&link.to.1), Reverse(link.sort)));
            }
            sheet.inputs.push(inputs);
            sheet.outputs.push(outputs);
        }
        if !full {
            sheet.nest();
        }
        sheet.name_parameters();
        sheet
    }

    /// Gives the inputs of closures words that nothing else on the page has.
    fn name_parameters(&mut self) {
        let mut taken: Vec<String> = FORM_VALUES.iter().map(|word| (*word).to_owned()).collect();
        taken.extend(self.variables.parameters().words().map(str::to_owned));
        for node in &self.tree.nodes {
            taken.extend(self.variables.variable(&node.id).map(str::to_owned));
            taken.extend(self.variables.closure(&node.id).map(str::to_owned));
        }
        for input in 0..self.tree.nodes.len() {
            let (Some(_), Some(_), Some(outputs)) = (self.begins_zone(input), self.closure(input), self.outputs(input))
            else {
                continue;
            };
            let shown = outputs
                .shown()
                .map(|socket| (socket.name.as_str(), socket.identifier.as_str(), true));
            let refs: Vec<&str> = taken.iter().map(String::as_str).collect();
            let names = SocketNames::avoiding(shown, &refs);
            taken.extend(names.words().map(str::to_owned));
            self.parameters.insert(input, names);
        }
    }

    pub(super) fn node(&self, at: usize) -> Option<&'a Node> {
        self.tree.nodes.get(at)
    }

    pub(super) fn place(&self, id: &str) -> Option<usize> {
        self.at.get(id).copied()
    }

    pub(super) fn links_into(&self, at: usize) -> &[&'a Link] {
        self.into.get(at).map_or(&[], Vec::as_slice)
    }

    pub(super) fn links_from(&self, at: usize) -> &[&'a Link] {
        self.from.get(at).map_or(&[], Vec::as_slice)
    }

    pub(super) fn inputs(&self, at: usize) -> Option<&Sockets<'a>> {
        self.inputs.get(at).map(Rc::as_ref)
    }

    pub(super) fn outputs(&self, at: usize) -> Option<&Sockets<'a>> {
        self.outputs.get(at).map(Rc::as_ref)
    }

    /// Whether a property is written in `props={…}`.
    pub(super) fn is_shadowed(&self, kind: &str, property: &str) -> bool {
        self.cache.is_shadowed(self.names, kind, property)
    }

    /// The other end of the zone that the node is an end of.
    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(at).copied().flatten()
    }

    /// Whether the node begins a zone.
    pub(super) fn begins_zone(&self, at: usize) -> Option<usize> {
        self.partner(at)
            .filter(|_| self.node(at).is_some_and(|node| node.pair.is_some()))
    }

    /// The node in whose arguments this one is written.
    pub(super) fn host(&self, at: usize) -> Option<usize> {
        self.hosts.get(at).copied().flatten()
    }

    /// The variable of a node.
    pub(super) fn variable(&self, at: usize) -> &str {
        self.node(at)
            .and_then(|node| self.variables.variable(&node.id))
            .unwrap_or("group_output")
    }

    /// Whether the page does not spell the node out: it is the Group Input or the Group Output.
    pub(super) fn is_implied(&self, at: usize) -> bool {
        matches!(self.variable(at), "group_input" | "group_output")
    }

    /// The function of the closure that the node ends, or begins.
    pub(super) fn closure(&self, at: usize) -> Option<&str> {
        let output = if self.begins_zone(at).is_some() {
            self.partner(at)?
        } else {
            at
        };
        self.variables.closure(&self.node(output)?.id)
    }

    /// The parameters of the closure that this node begins.
    pub(super) fn closure_parameters(&self, at: usize) -> Option<&SocketNames> {
        self.parameters.get(&at)
    }

    /// The node in whose line this one is written: itself, or the outermost in whose arguments it is.
    pub(super) fn root(&self, at: usize) -> usize {
        let mut at = at;
        for _ in 0..=MAX_DEPTH {
            match self.host(at) {
                Some(host) => at = host,
                None => break,
            }
        }
        at
    }

    /// The socket type of a link's source; reroutes have that of what feeds them.
    pub(super) fn source_type(&self, link: &Link) -> &str {
        let mut link = link;
        for _ in 0..self.tree.nodes.len() {
            let Some(at) = self.place(&link.from.0) else { return "" };
            let reroute = self.node(at).is_some_and(|node| node.kind == REROUTE);
            match self.links_into(at).first() {
                Some(before) if reroute => link = before,
                _ if reroute => return "",
                _ => {
                    let socket = self.outputs(at).and_then(|sockets| sockets.find(&link.from.1));
                    return socket.map_or("", |socket: &Socket| socket.kind.as_str());
                }
            }
        }
        ""
    }

    /// Finds the nodes that are written where their only use is: their ID is the path of the socket that they feed, and nothing else is said
    /// about them.
    fn nest(&mut self) {
        let count = self.tree.nodes.len();
        let mut depths: Vec<Option<usize>> = vec![None; count];
        let mut seen: Vec<usize> = vec![usize::MAX; count];
        for start in 0..count {
            // Up to the first node that is known, or cannot be nested; then back.
            let mut chain: Vec<(usize, usize)> = Vec::new();
            let mut at = start;
            let mut ring = false;
            while depths.get(at) == Some(&None) {
                if let Some(mark) = seen.get_mut(at) {
                    ring = std::mem::replace(mark, start) == start;
                }
                let Some(target) = self.target(at).filter(|_| !ring) else {
                    break;
                };
                chain.push((at, target));
                at = target;
            }
            for (at, target) in chain.into_iter().rev() {
                let depth = depths.get(target).copied().flatten().unwrap_or(0) + 1;
                let nested = !ring && depth <= MAX_DEPTH && self.lies_in(at, target);
                if let (Some(slot), Some(host)) = (depths.get_mut(at), self.hosts.get_mut(at)) {
                    *slot = Some(if nested { depth } else { 0 });
                    *host = nested.then_some(target);
                }
            }
        }
    }

    /// The node that alone uses this one, if this one may be written there.
    fn target(&self, at: usize) -> Option<usize> {
        let node = self.node(at).filter(|node| node.id.contains('/'))?;
        let [link] = self.links_from(at) else { return None };
        let silent = node.label.is_none()
            && node.parent.is_none()
            && !is_muted(node)
            && self.partner(at).is_none()
            && node.kind != FRAME
            && !matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
        self.place(&link.to.0).filter(|target| silent && *target != at)
    }

    /// Whether the node's ID is the path of the socket that it feeds.
    fn lies_in(&self, at: usize, target: usize) -> bool {
        let (Some(node), [link]) = (self.node(at), self.links_from(at)) else {
            return false;
        };
        let word = self
            .inputs(target)
            .map(|sockets| sockets.word(&link.to.1))
            .unwrap_or_default();
        let mut same = self.links_into(target).iter().filter(|other| other.to.1 == link.to.1);
        let place = same.position(|other| std::ptr::eq(*other, *link)).unwrap_or(0);
        let id = self.node(target).map_or("", |target| target.id.as_str());
        let named = match self.variable(target) {
            "group_output" => "return",
            variable => variable,
        };
        // A page that changes a tree derives from the ID, one that makes it from the variable.
        let bases = [Some(id), self.host(target).is_none().then_some(named)];
        bases
            .into_iter()
            .flatten()
            .any(|base| node.id == path(base, &word, place))
    }
}

/// Whether the node is muted.
pub(super) fn is_muted(node: &Node) -> bool {
    node.props.get("mute").is_some_and(|mute| *mute == true)
}
