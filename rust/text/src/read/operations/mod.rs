//! From a draft to operations: what has to be done so that the present tree, or the blank one, becomes what the page describes.

mod arrangement;
mod frames;
mod interface;
mod links;
mod nodes;
mod sockets;
mod values;

use foldhash::{HashMap, HashSet};
use geonode_graph::ir::{Item, ItemKind, Map, Node, Side, Tree};
use geonode_graph::sockets::{GEOMETRY, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
use geonode_protocol::{DeleteNode, GnOp, NodeTreeOp, Properties, RemoveZone, SetTree};

use super::draft::same;
use super::interface::{NEW_INPUT, NEW_OUTPUT};
use super::reader::Reader;

pub(super) use self::interface::is_usual;

/// What a group's part of a page asks for, each operation with its offset in the text.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Operations of a `NODE_TREE` step.
    pub(crate) tree: Vec<(NodeTreeOp, usize)>,
    /// Those that only a `GN_OPS` step has, to be carried out after them.
    pub(crate) later: Vec<(GnOp, usize)>,
}

/// The tree as Blender's “New” makes it, under the keys that a page uses.
pub(crate) fn blank() -> Tree {
    let socket = |side, identifier: &str| Item {
        kind: ItemKind::Socket,
        identifier: identifier.to_owned(),
        name: "Geometry".to_owned(),
        in_out: Some(side),
        socket_type: GEOMETRY.to_owned(),
        parent: None,
        props: Map::new(),
    };
    let node = |id: &str, kind: &str| Node {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: kind.to_owned(),
        ..Node::default()
    };
    Tree {
        interface: vec![socket(Side::Output, NEW_OUTPUT), socket(Side::Input, NEW_INPUT)],
        nodes: vec![
            node("group_input", GROUP_INPUT_TYPE),
            node("group_output", GROUP_OUTPUT_TYPE),
        ],
        ..Tree::default()
    }
}

impl Reader<'_, '_, '_> {
    /// The operations that make the draft of a tree.
    pub(crate) fn operations(&mut self, before: &Tree) -> Written {
        let mut written = Writing {
            out: Written::default(),
            begins: self.zones(),
            before: before.nodes.iter().map(|node| (node.id.as_str(), node)).collect(),
        };
        self.unlink(before, &mut written);
        self.delete_nodes(before, &mut written);
        self.interface_operations(before, &mut written);
        self.make_nodes(&mut written);
        self.values(&mut written);
        self.links(before, &mut written);
        self.frames(&mut written);
        self.settings_of_tree(before, &mut written);
        let extras = self.extras.drain(..).map(|extra| (extra.op, extra.at));
        written.out.later.extend(extras);
        written.out
    }

    /// The properties of the tree that the page states.
    fn settings_of_tree(&self, before: &Tree, written: &mut Writing<'_>) {
        let known = |name: &String| before.settings.get(name);
        let changed = self.draft.settings.iter();
        let changed = changed.filter(|(name, value)| !known(name).is_some_and(|known| same(known, value)));
        let properties: Properties = changed.map(|(name, value)| (name.clone(), value.clone())).collect();
        if !properties.is_empty() {
            written
                .out
                .later
                .push((GnOp::SetTree(SetTree { properties }), self.draft.at));
        }
    }

    fn zones(&self) -> HashMap<String, String> {
        let all = self.draft.nodes.values();
        all.filter_map(|made| Some((made.node.pair.clone()?, made.node.id.clone())))
            .collect()
    }

    /// Whether a node was there and stays.
    pub(super) fn stays(&self, id: &str, written: &Writing<'_>) -> bool {
        let before = written.before.get(id).map(|node| &node.kind);
        before.is_some() && self.draft.node(id).map(|node| &node.kind) == before
    }

    /// Where the page speaks of a part of a node, else of the node, else of the group.
    pub(super) fn place_of(&self, id: &str, part: &str) -> usize {
        let made = self.draft.nodes.get(id);
        made.map_or(self.draft.at, |made| made.places.get(part).copied().unwrap_or(made.at))
    }

    fn delete_nodes(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let ends: HashSet<&str> = before.nodes.iter().filter_map(|node| node.pair.as_deref()).collect();
        for node in &before.nodes {
            if self.draft.node(&node.id).is_some() || node.kind == GROUP_OUTPUT_TYPE {
                continue;
            }
            let at = self.draft.at;
            if let Some(pair) = &node.pair {
                written
                    .out
                    .tree
                    .push((NodeTreeOp::RemoveZone(RemoveZone { id: pair.clone() }), at));
            } else if !ends.contains(node.id.as_str()) {
                let node_id = node.id.clone();
                written
                    .out
                    .tree
                    .push((NodeTreeOp::DeleteNode(DeleteNode { node_id }), at));
            }
        }
    }
}

pub(super) struct Writing<'t> {
    out: Written,
    /// The node that begins a zone, by the one that ends it.
    begins: HashMap<String, String>,
    before: HashMap<&'t str, &'t Node>,
}
