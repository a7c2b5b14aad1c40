//! Whether a tree is as “New” leaves it: without anything of the artist's.

use crate::ir::{ItemKind, Link, Node, Side, Tree};
use crate::sockets::{GEOMETRY, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

/// Whether the tree has no content: at most a Group Input and a Group Output, a geometry on each side, and the link between them, all of
/// them unchanged. The same rule as `_is_blank` in the add-on's `host/ownership.py`.
pub(crate) fn is_blank(tree: &Tree) -> bool {
    let only = |kind: &str| tree.nodes.iter().filter(|node| node.kind == kind).count() <= 1;
    let sides = [Side::Input, Side::Output];
    let sockets = |side: Side| tree.interface.iter().filter(|item| item.is_socket(side)).count() <= 1;
    let passes = |link: &Link| {
        let kind = |id: &str| {
            tree.nodes
                .iter()
                .find(|node| node.id == id)
                .map(|node| node.kind.as_str())
        };
        !link.muted && kind(&link.from.0) == Some(GROUP_INPUT_TYPE) && kind(&link.to.0) == Some(GROUP_OUTPUT_TYPE)
    };
    tree.nodes.iter().all(is_fresh_end)
        && only(GROUP_INPUT_TYPE)
        && only(GROUP_OUTPUT_TYPE)
        && sides.into_iter().all(sockets)
        && tree.interface.iter().all(|item| {
            item.kind == ItemKind::Socket
                && item.socket_type == GEOMETRY
                && item.name == "Geometry"
                && item.props.is_empty()
        })
        && tree.links.iter().all(passes)
}

/// A Group Input or Output as it is added.
fn is_fresh_end(node: &Node) -> bool {
    matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE)
        && node.label.is_none()
        && node.parent.is_none()
        && node.props.is_empty()
        && node.inputs.is_empty()
        && node.outputs.is_empty()
}
