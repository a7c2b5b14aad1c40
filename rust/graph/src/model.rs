//! The tree that a step works on: a graph whose nodes are nodes and whose edges are links.

use foldhash::{HashMap, HashMapExt, HashSet};
use indexmap::IndexSet;
use petgraph::Direction;
use petgraph::stable_graph::{EdgeIndex, EdgeReference, NodeIndex, StableDiGraph};
use petgraph::visit::{EdgeRef, IntoEdgeReferences};

use crate::documents::delta::{Carry, MovedNode, SocketRef};
use crate::ir::{Item, Link, Map, Node, Side, Tree};

/// A link inside the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wire {
    pub from_socket: SocketRef,
    pub to_socket: SocketRef,
    pub muted: bool,
    pub sort: Option<i64>,
    /// Position among all links ever added to this model: new links come after old ones.
    pub order: u64,
    /// Index of the operation that added it; `None` for a link that existed before.
    pub origin: Option<usize>,
}

/// One tree while operations are carried out on it.
#[derive(Debug, Clone)]
pub(crate) struct TreeModel {
    pub name: String,
    pub created: bool,
    pub before: Tree,
    pub interface: Vec<Item>,
    /// Whether an operation has ordered the interface.
    pub arranged: bool,
    /// Properties of the tree itself.
    pub settings: Map,
    /// Existing nodes that the plan names: their IDs become permanent.
    pub named: IndexSet<String>,
    /// Existing nodes that another node of the same ID replaces.
    pub replaced: HashSet<String>,
    /// Sockets that vanish with their items, as (node, side, identifier); Blender removes their links.
    pub lost: HashSet<(String, Side, String)>,
    /// New nodes that the plan places itself.
    pub placed: HashSet<String>,
    /// Animation that nodes take over from others.
    pub carried: Vec<Carry>,
    /// Nodes that come from other trees as they were there before the step.
    pub moved: Vec<MovedNode>,
    graph: StableDiGraph<Node, Wire>,
    index: HashMap<String, NodeIndex>,
    old: HashSet<String>,
    next_order: u64,
}

impl TreeModel {
    pub(crate) fn new(name: &str, tree: Tree, created: bool) -> Self {
        let mut model = Self {
            name: name.to_owned(),
            created,
            interface: tree.interface.clone(),
            arranged: false,
            settings: tree.settings.clone(),
            named: IndexSet::new(),
            replaced: HashSet::default(),
            lost: HashSet::default(),
            placed: HashSet::default(),
            carried: Vec::new(),
            moved: Vec::new(),
            graph: StableDiGraph::with_capacity(tree.nodes.len(), tree.links.len()),
            index: HashMap::with_capacity(tree.nodes.len()),
            old: tree.nodes.iter().map(|node| node.id.clone()).collect(),
            next_order: 0,
            before: Tree::default(),
        };
        for node in &tree.nodes {
            model.insert(node.clone());
        }
        for link in &tree.links {
            let edge = model.connect((&link.from.0, &link.from.1), (&link.to.0, &link.to.1), None);
            if let Some(wire) = edge.and_then(|edge| model.graph.edge_weight_mut(edge)) {
                wire.muted = link.muted;
                wire.sort = link.sort;
            }
        }
        model.before = tree;
        model
    }

    /// Adds a node whose ID is free.
    pub(crate) fn insert(&mut self, node: Node) {
        let id = node.id.clone();
        let at = self.graph.add_node(node);
        self.index.insert(id, at);
    }

    /// Removes a node with its links; the content of a frame stays.
    pub(crate) fn remove(&mut self, id: &str) {
        let Some(at) = self.index.remove(id) else { return };
        let gone = self.graph.remove_node(at);
        if gone.is_some_and(|node| node.kind == "NodeFrame") {
            for node in self.graph.node_weights_mut() {
                if node.parent.as_deref() == Some(id) {
                    node.parent = None;
                }
            }
        }
        self.named.swap_remove(id);
        self.moved.retain(|moved| moved.to != id);
    }

    pub(crate) fn node(&self, id: &str) -> Option<&Node> {
        self.graph.node_weight(*self.index.get(id)?)
    }

    pub(crate) fn node_mut(&mut self, id: &str) -> Option<&mut Node> {
        self.graph.node_weight_mut(*self.index.get(id)?)
    }

    /// Nodes in tree order.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.graph.node_weights()
    }

    /// True when the node was not in the tree before the step.
    pub(crate) fn is_new(&self, id: &str) -> bool {
        !self.old.contains(id)
    }

    /// Adds a link without any check; `None` when a node is missing.
    pub(crate) fn connect(&mut self, from: (&str, &str), to: (&str, &str), origin: Option<usize>) -> Option<EdgeIndex> {
        let (a, b) = (*self.index.get(from.0)?, *self.index.get(to.0)?);
        let wire = Wire {
            from_socket: from.1.to_owned(),
            to_socket: to.1.to_owned(),
            muted: false,
            sort: None,
            order: self.next_order,
            origin,
        };
        self.next_order += 1;
        Some(self.graph.add_edge(a, b, wire))
    }

    /// The link between exactly these sockets.
    pub(crate) fn find(&self, from: (&str, &str), to: (&str, &str)) -> Option<EdgeIndex> {
        let (a, b) = (*self.index.get(from.0)?, *self.index.get(to.0)?);
        let is_it = |edge: &EdgeReference<'_, Wire>| {
            edge.source() == a
                && edge.target() == b
                && edge.weight().from_socket == from.1
                && edge.weight().to_socket == to.1
        };
        // Both nodes list it, so the shorter list is searched: a hub may have as many links as the tree.
        let outgoing = self.graph.edges_directed(a, Direction::Outgoing);
        let incoming = self.graph.edges_directed(b, Direction::Incoming);
        outgoing
            .zip(incoming)
            .find_map(|(left, right)| [left, right].into_iter().find(is_it))
            .map(|edge| edge.id())
    }

    /// ID of the node that a link comes from.
    pub(crate) fn source(&self, edge: EdgeIndex) -> Option<String> {
        let (from, _) = self.graph.edge_endpoints(edge)?;
        Some(self.graph.node_weight(from)?.id.clone())
    }

    /// Links that end in this input.
    pub(crate) fn links_to(&self, to: &str, input: &str) -> Vec<EdgeIndex> {
        self.edges(to, Direction::Incoming)
            .filter(|(_, wire, _)| wire.to_socket == input)
            .map(|(id, ..)| id)
            .collect()
    }

    /// Removes a socket that an item gave, with its links and its value.
    pub(crate) fn lose_socket(&mut self, id: &str, side: Side, socket: &str) {
        let (direction, is_at): (_, fn(&Wire) -> &str) = match side {
            Side::Input => (Direction::Incoming, |wire| &wire.to_socket),
            Side::Output => (Direction::Outgoing, |wire| &wire.from_socket),
        };
        let links = self.edges(id, direction);
        let links: Vec<EdgeIndex> = links
            .filter(|(_, wire, _)| is_at(wire) == socket)
            .map(|(edge, ..)| edge)
            .collect();
        for link in links {
            self.disconnect(link);
        }
        if let Some(node) = self.node_mut(id) {
            let states = match side {
                Side::Input => &mut node.inputs,
                Side::Output => &mut node.outputs,
            };
            states.shift_remove(socket);
        }
        self.lost.insert((id.to_owned(), side, socket.to_owned()));
    }

    /// The links of a multi-input as they were made; the last one is evaluated first.
    pub(crate) fn in_order(&self, to: &str, input: &str) -> Vec<EdgeIndex> {
        let links = self.edges(to, Direction::Incoming);
        let mut found: Vec<(i64, u64, EdgeIndex)> = links
            .filter(|(_, wire, _)| wire.to_socket == input)
            .map(|(edge, wire, _)| (wire.sort.unwrap_or(i64::MAX), wire.order, edge))
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, _, edge)| edge).collect()
    }

    /// The greatest order among the links of a multi-input; -1 when there are none.
    pub(crate) fn last_sort(&self, to: &str, input: &str) -> i64 {
        let links = self.edges(to, Direction::Incoming);
        let sorts = links.filter_map(|(_, wire, _)| wire.sort.filter(|_| wire.to_socket == input));
        sorts.max().unwrap_or(-1)
    }

    pub(crate) fn wire_mut(&mut self, edge: EdgeIndex) -> Option<&mut Wire> {
        self.graph.edge_weight_mut(edge)
    }

    pub(crate) fn disconnect(&mut self, edge: EdgeIndex) {
        self.graph.remove_edge(edge);
    }

    /// Links at a node: (edge, wire, the node at the other end).
    pub(crate) fn edges(&self, id: &str, direction: Direction) -> impl Iterator<Item = (EdgeIndex, &Wire, &str)> {
        self.index.get(id).into_iter().flat_map(move |at| {
            self.graph.edges_directed(*at, direction).filter_map(move |edge| {
                let other = if direction == Direction::Incoming {
                    edge.source()
                } else {
                    edge.target()
                };
                Some((edge.id(), edge.weight(), self.graph.node_weight(other)?.id.as_str()))
            })
        })
    }

    /// All links in the order in which they were added: (from, wire, to).
    pub(crate) fn wires(&self) -> Vec<(&str, &Wire, &str)> {
        let mut wires: Vec<(&str, &Wire, &str)> = self
            .graph
            .edge_references()
            .filter_map(|edge| {
                let from = self.graph.node_weight(edge.source())?;
                let to = self.graph.node_weight(edge.target())?;
                Some((from.id.as_str(), edge.weight(), to.id.as_str()))
            })
            .collect();
        wires.sort_unstable_by_key(|(_, wire, _)| wire.order);
        wires
    }

    /// Tree and ID of a node before the step.
    pub(crate) fn origin(&self, id: &str) -> (String, String) {
        let moved = self.moved.iter().find(|moved| moved.to == id);
        moved.map_or_else(
            || (self.name.clone(), id.to_owned()),
            |moved| (moved.tree.clone(), moved.from.clone()),
        )
    }

    /// Records that a new node is the one that was `origin` before the step; not if it has come back.
    pub(crate) fn note_origin(&mut self, (tree, from): (String, String), to: &str) {
        self.moved.retain(|moved| moved.to != to);
        if (tree.as_str(), from.as_str()) != (self.name.as_str(), to) {
            let to = to.to_owned();
            self.moved.push(MovedNode { from, tree, to });
        }
    }

    /// The graph itself, for whole-tree checks.
    pub(crate) fn graph(&self) -> &StableDiGraph<Node, Wire> {
        &self.graph
    }

    pub(crate) fn node_index(&self, id: &str) -> Option<NodeIndex> {
        self.index.get(id).copied()
    }

    /// Interface sockets of one side.
    pub(crate) fn interface_sockets(&self, side: Side) -> impl Iterator<Item = &Item> {
        self.interface.iter().filter(move |item| item.is_socket(side))
    }

    /// The tree converted back to an IR; nodes and links are moved, not copied.
    pub(crate) fn into_tree(self) -> Tree {
        let Self {
            settings,
            interface,
            mut graph,
            index,
            ..
        } = self;
        drop(index);
        let mut wires: Vec<(u64, EdgeIndex)> = graph
            .edge_references()
            .map(|edge| (edge.weight().order, edge.id()))
            .collect();
        wires.sort_unstable();
        let mut links: Vec<Link> = wires
            .into_iter()
            .filter_map(|(_, edge)| take_link(&mut graph, edge))
            .collect();
        put_in_order(&mut links);
        Tree {
            settings,
            interface,
            nodes: graph.node_weights_mut().map(std::mem::take).collect(),
            links,
            stored: Map::new(),
        }
    }
}

/// Links into one multi-input follow their `sort`, at the places that these links have among all.
fn put_in_order(links: &mut [Link]) {
    let mut places: HashMap<(&str, &str), Vec<usize>> = HashMap::default();
    for (at, link) in links.iter().enumerate().filter(|(_, link)| link.sort.is_some()) {
        places.entry((&link.to.0, &link.to.1)).or_default().push(at);
    }
    let sorts = |place: &&Vec<usize>| {
        let sorts = place.iter().filter_map(|at| links.get(*at)?.sort);
        !sorts.is_sorted()
    };
    let unsorted: Vec<Vec<usize>> = places.values().filter(sorts).cloned().collect();
    drop(places);
    for place in unsorted {
        let mut there: Vec<Link> = place.iter().filter_map(|at| links.get(*at).cloned()).collect();
        there.sort_by_key(|link| link.sort);
        for (at, link) in place.into_iter().zip(there) {
            if let Some(slot) = links.get_mut(at) {
                *slot = link;
            }
        }
    }
}

/// The link of an edge; takes the sockets out of the edge's weight.
fn take_link(graph: &mut StableDiGraph<Node, Wire>, edge: EdgeIndex) -> Option<Link> {
    let (from, to) = graph.edge_endpoints(edge)?;
    let (from, to) = (graph.node_weight(from)?.id.clone(), graph.node_weight(to)?.id.clone());
    let wire = graph.edge_weight_mut(edge)?;
    Some(Link {
        from: (from, std::mem::take(&mut wire.from_socket)),
        to: (to, std::mem::take(&mut wire.to_socket)),
        muted: wire.muted,
        sort: wire.sort,
    })
}
