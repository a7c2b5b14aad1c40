//! A whole mesh in a record.

use std::collections::BTreeSet;

use geonode_protocol::SCRIPT_ITEMS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The elements of a mesh, as Blender stores them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshData {
    /// Three coordinates for each vertex.
    pub vertices: Vec<f64>,
    /// Two vertices for each edge.
    pub edges: Vec<usize>,
    /// The vertex of each corner of a face.
    pub corners: Vec<usize>,
    /// The edge from each corner to the next.
    pub corner_edges: Vec<usize>,
    /// The first corner of each face.
    pub faces: Vec<usize>,
    /// Attributes in their order; those that the lists above hold have no values.
    pub attributes: Vec<MeshAttribute>,
    /// The active UV map.
    pub uv: Option<String>,
    /// The UV map for rendering.
    pub uv_render: Option<String>,
    /// The active color attribute.
    pub color: Option<String>,
    /// The color attribute for rendering.
    pub color_render: Option<String>,
}

/// An attribute of a mesh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshAttribute {
    /// Its name.
    pub name: String,
    /// Its type, as Blender names it.
    #[serde(rename = "type")]
    pub kind: String,
    /// `POINT`, `EDGE`, `FACE` or `CORNER`.
    pub domain: String,
    /// The values of all elements, one after the other.
    pub values: Vec<MeshValue>,
}

/// A value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MeshValue {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(f64),
}

/// Attributes that the other lists hold.
const TOPOLOGY: [&str; 4] = ["position", ".edge_verts", ".corner_vert", ".corner_edge"];
/// Numbers in each value, by type.
const WIDTHS: [(&str, usize); 10] = [
    ("FLOAT", 1),
    ("INT", 1),
    ("INT8", 1),
    ("BOOLEAN", 1),
    ("FLOAT_VECTOR", 3),
    ("FLOAT2", 2),
    ("FLOAT_COLOR", 4),
    ("BYTE_COLOR", 4),
    ("INT32_2D", 2),
    ("QUATERNION", 4),
];

/// What keeps the lists from being a mesh: Blender reads memory that is not there when they do not fit each other.
pub(super) fn misfit(mesh: &MeshData) -> Option<String> {
    #[expect(clippy::cast_precision_loss, reason = "sizes of meshes are far smaller")]
    if mesh.size() as f64 > SCRIPT_ITEMS * 5.0 {
        return Some("it is too large".into());
    }
    let (points, edges) = (mesh.vertices.len() / 3, mesh.edges.len() / 2);
    if !mesh.vertices.len().is_multiple_of(3) || !mesh.edges.len().is_multiple_of(2) {
        return Some("a list of vertices or edges ends within one".into());
    }
    if mesh.corners.len() != mesh.corner_edges.len() {
        return Some("there is not one edge for each corner".into());
    }
    let ends = |edge: usize| {
        let at = edge.checked_mul(2)?;
        Some((*mesh.edges.get(at)?, *mesh.edges.get(at.checked_add(1)?)?))
    };
    if (0..edges).any(|edge| ends(edge).is_none_or(|(a, b)| a == b || a >= points || b >= points)) {
        return Some("an edge joins vertices that are not there".into());
    }
    if mesh.faces.is_empty() != mesh.corners.is_empty() || mesh.faces.first().is_some_and(|first| *first != 0) {
        return Some("faces and corners do not fit".into());
    }
    for (face, start) in mesh.faces.iter().enumerate() {
        let next = face.saturating_add(1);
        let end = mesh.faces.get(next).copied().unwrap_or(mesh.corners.len());
        let (Some(corners), Some(along)) = (mesh.corners.get(*start..end), mesh.corner_edges.get(*start..end)) else {
            return Some(format!("face {face} has corners that are not there"));
        };
        if corners.len() < 3 {
            return Some(format!("face {face} has fewer than three corners"));
        }
        if !different(corners) {
            return Some(format!("face {face} has a vertex twice"));
        }
        let following = corners.iter().cycle().skip(1);
        let joined = |((from, to), edge): ((&usize, &usize), &usize)| {
            ends(*edge).is_some_and(|(a, b)| (a == *from && b == *to) || (a == *to && b == *from))
        };
        if !corners.iter().zip(following).zip(along).all(joined) {
            return Some(format!("an edge of face {face} does not join its corners"));
        }
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = mesh.attributes.iter().find(|one| !names.insert(&one.name)) {
        return Some(format!("there are two attributes {:?}", twice.name));
    }
    let count = |domain: &str| match domain {
        "POINT" => Some(points),
        "EDGE" => Some(edges),
        "FACE" => Some(mesh.faces.len()),
        "CORNER" => Some(mesh.corners.len()),
        _ => None,
    };
    for one in &mesh.attributes {
        let width = WIDTHS
            .iter()
            .find(|(kind, _)| *kind == one.kind)
            .map(|(_, width)| *width);
        let expected = if TOPOLOGY.contains(&one.name.as_str()) {
            Some(0)
        } else {
            count(&one.domain).and_then(|count| count.checked_mul(width?))
        };
        if expected != Some(one.values.len()) {
            return Some(format!("attribute {:?} has another size than the mesh", one.name));
        }
    }
    None
}

fn different(corners: &[usize]) -> bool {
    match corners {
        [a, b, c] => a != b && b != c && c != a,
        [a, b, c, d] => a != b && a != c && a != d && b != c && b != d && c != d,
        _ => corners.iter().collect::<BTreeSet<_>>().len() == corners.len(),
    }
}

/// Why the text of a mesh in a record may not be written into a mesh of Blender; `None` if it may.
#[must_use]
pub fn unfit_mesh(text: &str) -> Option<String> {
    match serde_json::from_str::<MeshData>(text) {
        Ok(mesh) => misfit(&mesh),
        Err(error) => Some(format!("it cannot be read: {error}")),
    }
}

impl MeshData {
    /// How many numbers it holds.
    fn size(&self) -> usize {
        let attributes = self.attributes.iter().map(|one| one.values.len());
        let own = [
            self.vertices.len(),
            self.edges.len(),
            self.corners.len(),
            self.corner_edges.len(),
            self.faces.len(),
        ];
        own.into_iter().chain(attributes).sum()
    }
}
