//! What Blender measured (`FORMATS.md`, "Evidence").

use std::collections::BTreeSet;

use geonode_graph::ir::{Map, Tree};
use indexmap::IndexMap;
use serde::Deserialize;

/// Two corners of a box, in the object's own space, metres.
pub type Bounds = [[f64; 3]; 2];

/// (from node, from socket, to node, to socket, reason).
pub type InvalidLink = (String, String, String, String, String);

/// Evaluated geometry, trees and lists of names after a run's writes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Evidence {
    /// The objects that the run wrote.
    #[serde(default)]
    pub objects: Vec<EvidenceObject>,
    /// The trees that the run wrote, as they are now.
    #[serde(default)]
    pub trees: IndexMap<String, Tree>,
    /// Links that Blender marks invalid, by tree.
    #[serde(default)]
    pub invalid_links: IndexMap<String, Vec<InvalidLink>>,
    /// Names when the transaction opened.
    pub before: Names,
    /// Names now.
    pub after: Names,
    /// Names of the attributes that any data in the file has, or that the objects' evaluated geometry has; none when there are too many.
    #[serde(default)]
    pub attributes: Option<BTreeSet<String>>,
}

/// Names of modifiers and node groups in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Names {
    /// Modifier names by object, in stack order.
    #[serde(default)]
    pub modifiers: IndexMap<String, Vec<String>>,
    /// Node groups.
    #[serde(default)]
    pub node_groups: Vec<String>,
}

/// One object.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct EvidenceObject {
    /// Its name.
    pub name: String,
    /// RNA type, for example `MESH`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// Its stack.
    #[serde(default)]
    pub modifiers: Vec<EvidenceModifier>,
    /// Its evaluated geometry.
    pub evaluated: Evaluated,
    /// Its only modifier gives back the very mesh; false where that is not known.
    #[serde(default)]
    pub unchanged: bool,
}

/// One modifier.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct EvidenceModifier {
    /// Its name.
    pub name: String,
    /// RNA type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The tree it runs.
    #[serde(default)]
    pub node_group: Option<String>,
    /// Values of its inputs by identifier.
    #[serde(default)]
    pub inputs: Map,
    /// What its nodes say; none where Blender has no such list (4.2).
    #[serde(default)]
    pub warnings: Option<Vec<Warning>>,
}

/// What a node says during evaluation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Warning {
    /// `ERROR`, `WARNING` or `INFO`.
    #[serde(rename = "type")]
    pub kind: String,
    /// In words.
    pub message: String,
}

/// Evaluated geometry: a component that is absent is none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Evaluated {
    /// Mesh.
    #[serde(default)]
    pub mesh: Option<Mesh>,
    /// Curves.
    #[serde(default)]
    pub curves: Option<Curves>,
    /// Point cloud.
    #[serde(default)]
    pub pointcloud: Option<Points>,
    /// Volume.
    #[serde(default)]
    pub volume: Option<Volume>,
    /// Grease pencil.
    #[serde(default)]
    pub greasepencil: Option<Layers>,
    /// Instances.
    #[serde(default)]
    pub instances: Option<Instances>,
    /// Box around everything, instances included.
    #[serde(default)]
    pub bounds: Option<Bounds>,
    /// All coordinates are finite.
    pub finite: bool,
    /// Evaluation time in milliseconds.
    #[serde(default)]
    pub ms: f64,
}

macro_rules! counts {
    ($($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $field_doc:literal])+ $field:ident),+ $(,)? })+) => {$(
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
        pub struct $name {
            $($(#[doc = $field_doc])+ #[serde(default)] pub $field: u64,)+
        }
    )+};
}

counts! {
    /// Size of a mesh.
    Mesh {
        /// Vertices.
        vertices,
        /// Edges.
        edges,
        /// Faces.
        faces,
    }
    /// Size of curves.
    Curves {
        /// Splines.
        curves,
        /// Control points.
        points,
    }
    /// Size of a point cloud.
    Points {
        /// Points.
        points,
    }
    /// Size of a volume.
    Volume {
        /// Grids.
        grids,
    }
    /// Size of a grease pencil drawing.
    Layers {
        /// Layers.
        layers,
    }
    /// Number of instances.
    Instances {
        /// Top-level instances.
        count,
        /// Those of them that show nothing.
        empty,
        /// Instances when those within instances count instead of what holds them; 0 where that is not known.
        nested,
    }
}

impl Evaluated {
    /// The same without instances.
    #[must_use]
    pub fn without_instances(&self) -> Self {
        Self {
            instances: None,
            ..self.clone()
        }
    }

    /// Nothing to see: no component has anything in it.
    pub fn is_empty(&self) -> bool {
        let counts = [
            self.mesh.map_or(0, |m| m.vertices),
            self.curves.map_or(0, |c| c.points.max(c.curves)),
            self.pointcloud.map_or(0, |p| p.points),
            self.volume.map_or(0, |v| v.grids),
            self.greasepencil.map_or(0, |g| g.layers),
            self.instances.map_or(0, |i| i.count),
        ];
        counts.iter().all(|count| *count == 0)
    }
}
