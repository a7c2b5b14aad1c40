//! Blender reports the warnings of nodes without the node: it is found if only one in the tree can have the warning.

use geonode_graph::ir::Node;

use crate::facts::Facts;
use geonode_graph::documents::Modifier;

/// A message of Blender, the node types that can report it, and what to do.
struct Known {
    /// Part of the message.
    text: &'static str,
    /// Types, `bl_idname` without `GeometryNode`.
    kinds: &'static [&'static str],
    /// Input that the message is about.
    socket: Option<&'static str>,
    /// What to do.
    fix: &'static str,
}

const fn known(
    text: &'static str,
    kinds: &'static [&'static str],
    socket: Option<&'static str>,
    fix: &'static str,
) -> Known {
    Known {
        text,
        kinds,
        socket,
        fix,
    }
}

const KNOWN: &[Known] = &[
    known(
        "Vertices must be at least 3",
        &["MeshCircle", "MeshCylinder", "MeshCone"],
        Some("Vertices"),
        "Set “Vertices” to 3 or more.",
    ),
    known(
        "Vertices must be at least 1",
        &["MeshCube"],
        None,
        "Set “Vertices X”, “Vertices Y” and “Vertices Z” to 2 or more.",
    ),
    known(
        "Side Segments must be at least 1",
        &["MeshCylinder", "MeshCone"],
        Some("Side Segments"),
        "Set “Side Segments” to 1 or more.",
    ),
    known(
        "Fill Segments must be at least 1",
        &["MeshCylinder", "MeshCone"],
        Some("Fill Segments"),
        "Set “Fill Segments” to 1 or more.",
    ),
    known(
        "Segments must be at least 3",
        &["MeshUVSphere"],
        Some("Segments"),
        "Set “Segments” to 3 or more.",
    ),
    known(
        "Rings must be at least 3",
        &["MeshUVSphere"],
        Some("Rings"),
        "Set “Rings” to 3 or more.",
    ),
    known(
        "Mesh has no faces for material assignment",
        &["SetMaterial"],
        Some("Geometry"),
        "Give it a mesh with faces; edges and loose vertices cannot have a material.",
    ),
    known(
        "The target mesh must have faces",
        &["Raycast"],
        Some("Target Geometry"),
        "Link a mesh with faces to “Target Geometry”.",
    ),
    known(
        "The source mesh must have faces",
        &["SampleNearestSurface", "SampleUVSurface"],
        Some("Mesh"),
        "Link a mesh with faces to it.",
    ),
    known(
        "Font not specified",
        &["StringToCurves"],
        Some("Font"),
        "Choose a font.",
    ),
    known(
        "Input curves do not have Bézier type",
        &["CurveSetHandles", "SetCurveHandlePositions"],
        Some("Curve"),
        "Add Set Spline Type with “Bézier” before it.",
    ),
    known(
        "Resolution must be greater than 1",
        &["VolumeCube"],
        Some("Resolution X"),
        "Set the three resolutions to 2 or more.",
    ),
    known(
        "Bounding box volume must be greater than 0",
        &["VolumeCube"],
        Some("Max"),
        "Set “Max” above “Min” on every axis.",
    ),
    known(
        "Geometry cannot be retrieved from the modifier object",
        &["ObjectInfo"],
        Some("Object"),
        "Choose an object other than the one that carries the modifier.",
    ),
    known(
        "Collection contains current object",
        &["CollectionInfo"],
        Some("Collection"),
        "Choose a collection without the object that carries the modifier.",
    ),
    known(
        "Failed to write to attribute",
        &["StoreNamedAttribute"],
        Some("Name"),
        "Choose another name, or a type and a domain that the built-in attribute of this name has.",
    ),
];

/// The source of a message.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Source {
    /// ID of the node, if only one can report it.
    pub(crate) node: Option<String>,
    /// Input that it is about.
    pub(crate) socket: Option<String>,
    /// What to do.
    pub(crate) fix: Option<&'static str>,
}

/// Finds the node that reports `message` in the tree of a modifier, nested groups included; only a node of the tree itself is named.
pub(crate) fn source(facts: &Facts<'_>, modifier: &Modifier, message: &str) -> Source {
    // A longer text that contains a shorter one is another message.
    let fits = KNOWN.iter().filter(|known| message.contains(known.text));
    let Some(known) = fits.max_by_key(|known| known.text.len()) else {
        return Source::default();
    };
    let says = |node: &&Node| {
        let short = node.kind.strip_prefix("GeometryNode");
        short.is_some_and(|short| known.kinds.contains(&short))
    };
    let trees = &facts.evidence.trees;
    let mut todo: Vec<&str> = modifier.node_group.as_deref().into_iter().collect();
    let mut seen: Vec<&str> = Vec::new();
    let mut found: Vec<(&str, &Node)> = Vec::new();
    while let Some(name) = todo.pop() {
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        let nodes = trees.get(name).map(|tree| tree.nodes.as_slice()).unwrap_or_default();
        found.extend(nodes.iter().filter(says).map(|node| (name, node)));
        todo.extend(nodes.iter().filter_map(Node::group));
    }
    let only = match found.as_slice() {
        [(tree, node)] if Some(*tree) == modifier.node_group.as_deref() => Some(node.id.clone()),
        _ => None,
    };
    Source {
        socket: known.socket.filter(|_| only.is_some()).map(str::to_owned),
        node: only,
        fix: Some(known.fix),
    }
}
