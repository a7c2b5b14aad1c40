//! Nodes and sockets that changed their names between the supported versions.

/// Names of one node in different versions; the catalogue says which of them this Blender has.
///
/// Source: the node type registries of Blender 4.2, 4.5, 5.0 and 5.2, compared by label and sockets.
const NODES: &[&[&str]] = &[
    &["GeometryNodeClosureInput", "NodeClosureInput"],
    &["GeometryNodeClosureOutput", "NodeClosureOutput"],
    &["GeometryNodeEvaluateClosure", "NodeEvaluateClosure"],
    &["GeometryNodeCombineBundle", "NodeCombineBundle"],
    &["GeometryNodeSeparateBundle", "NodeSeparateBundle"],
];

/// The name that `exists` here for a node known as `name` elsewhere.
pub(crate) fn node(name: &str, exists: impl Fn(&str) -> bool) -> Option<&'static str> {
    NODES
        .iter()
        .find(|names| names.contains(&name))?
        .iter()
        .copied()
        .find(|other| exists(other))
}

/// Names of one socket in different versions.
const SOCKETS: &[[&str; 2]] = &[["Fac", "Factor"]];

/// The other name of a socket known as `name` elsewhere.
pub(crate) fn socket(name: &str) -> Option<&'static str> {
    SOCKETS.iter().find_map(|[old, new]| match name {
        _ if name == *old => Some(*new),
        _ if name == *new => Some(*old),
        _ => None,
    })
}
