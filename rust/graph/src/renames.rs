//! Nodes, sockets, modes and their items that changed their names between the supported versions.

use crate::catalogue::fold;

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

/// Properties that became inputs of another name, by node type.
///
/// Source: the catalogues of Blender 4.2 and 5.2, as for the items below; properties that became inputs of the same name need no entry.
const PROPERTIES: &[(&str, &str, &str)] = &[
    ("GeometryNodeRaycast", "mapping", "Interpolation"),
    ("GeometryNodeSampleGrid", "interpolation_mode", "Interpolation"),
    ("GeometryNodeStringToCurves", "pivot_mode", "Pivot Point"),
];

/// The input of a node that replaced a property which had another name.
pub(crate) fn input_of(kind: &str, property: &str) -> Option<&'static str> {
    let mut all = PROPERTIES.iter();
    all.find(|(node, old, _)| *node == kind && *old == property)
        .map(|(_, _, input)| *input)
}

/// The other way round: the property that an input of another name replaced.
pub(crate) fn property_of(kind: &str, input: &str) -> Option<&'static str> {
    let mut all = PROPERTIES.iter();
    all.find(|(node, _, new)| *node == kind && *new == input)
        .map(|(_, old, _)| *old)
}

/// Items of modes whose menus call them otherwise.
const ITEMS: &[[&str; 2]] = &[
    ["DENSITY_GRID", "Grid"],
    ["DENSITY_RANDOM", "Random"],
    ["NEAREST", "Nearest Neighbor"],
    ["SMOOTH_ALL", "All"],
    ["VOXEL_AMOUNT", "Amount"],
    ["VOXEL_SIZE", "Size"],
];

/// The other names of an item known as `name` elsewhere.
pub(crate) fn items(name: &str) -> impl Iterator<Item = &'static str> {
    let wanted = fold(name);
    ITEMS.iter().filter_map(move |[old, new]| match () {
        () if fold(old) == wanted => Some(*new),
        () if fold(new) == wanted => Some(*old),
        () => None,
    })
}
