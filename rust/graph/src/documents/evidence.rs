//! Blender's measurements after a step (`FORMATS.md`, "Evidence").

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::modifier::Modifier;
use crate::ir::Tree;

/// Two corners of a box, in the object's own space, metres.
pub type Bounds = [[f64; 3]; 2];

/// (from node, from socket, to node, to socket, reason).
pub type InvalidLink = (String, String, String, String, String);

/// Evaluated geometry, trees and lists of names after a run's writes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The objects that the run wrote.
    #[serde(default)]
    pub objects: Vec<EvaluatedObject>,
    /// The trees that the run wrote, as they are now.
    #[serde(default)]
    pub trees: IndexMap<String, Tree>,
    /// Links that Blender marks invalid, by tree.
    #[serde(default)]
    pub invalid_links: IndexMap<String, Vec<InvalidLink>>,
    /// Inputs, by tree, that Blender itself calls inactive as the nodes are set: (node, socket). Nothing before Blender 4.5.
    #[serde(default)]
    pub inactive: IndexMap<String, Vec<(String, String)>>,
    /// Names at the start of the transaction.
    pub before: Names,
    /// What the objects showed before the run, as far as Blender had evaluated them.
    #[serde(default)]
    pub results_before: IndexMap<String, ResultBefore>,
    /// Links that Blender marked invalid before the run, by tree.
    #[serde(default)]
    pub invalid_before: IndexMap<String, Vec<InvalidLink>>,
    /// Names now.
    pub after: Names,
    /// Names of the attributes of any data in the file, or of the objects' evaluated geometry; `None` when there are too many.
    #[serde(default)]
    pub attributes: Option<BTreeSet<String>>,
}

/// Names of modifiers and node groups in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// Modifier names by object, in stack order.
    #[serde(default)]
    pub modifiers: IndexMap<String, Vec<String>>,
    /// Node groups.
    #[serde(default)]
    pub node_groups: Vec<String>,
}

/// What was wrong with an object's result before the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultBefore {
    /// Whether it showed nothing.
    pub empty: bool,
    /// What it showed something of: `mesh`, `curves`, `pointcloud`, `volume`, `greasepencil`, `instances`.
    #[serde(default)]
    pub parts: BTreeSet<String>,
    /// Whether all coordinates were finite, as far as it was small enough to be looked through.
    pub finite: bool,
    /// Errors that nodes of its modifiers reported, by modifier; not in Blender 4.2.
    pub errors: BTreeMap<String, Vec<String>>,
}

/// An object that the run wrote, with its evaluated geometry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluatedObject {
    /// Its name.
    pub name: String,
    /// RNA type, for example `MESH`.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// Its stack.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
    /// Its evaluated geometry.
    pub evaluated: Evaluated,
    /// Names of the materials that anything in its result has; only where a written tree sets materials, and `None` where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub materials: Option<BTreeSet<String>>,
    /// Whether it shows what it showed before the run; false where that is not known.
    #[serde(default)]
    pub unchanged: bool,
}

/// Evaluated geometry; an absent component is empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluated {
    /// Mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshCounts>,
    /// Curves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curves: Option<CurveCounts>,
    /// Point cloud.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointcloud: Option<PointCounts>,
    /// Volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<VolumeCounts>,
    /// Grease pencil.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub greasepencil: Option<LayerCounts>,
    /// Instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<InstanceCounts>,
    /// Box around everything, instances included.
    #[serde(default)]
    pub bounds: Option<Bounds>,
    /// All coordinates are finite.
    pub finite: bool,
    /// Evaluation time in milliseconds.
    #[serde(default)]
    pub ms: f64,
}

impl Evaluated {
    /// What there is something of, under the names of the fields.
    pub fn parts(&self) -> Vec<&'static str> {
        let instances = self.instances.as_ref();
        let parts = [
            ("mesh", self.mesh.is_some()),
            ("curves", self.curves.is_some()),
            ("pointcloud", self.pointcloud.is_some()),
            ("volume", self.volume.is_some()),
            ("greasepencil", self.greasepencil.is_some()),
            (
                "instances",
                instances.is_some_and(|instances| instances.count > instances.empty),
            ),
        ];
        parts
            .into_iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| name)
            .collect()
    }
}

/// Size of a mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshCounts {
    /// Vertices.
    #[serde(default)]
    pub vertices: u64,
    /// Edges.
    #[serde(default)]
    pub edges: u64,
    /// Faces.
    #[serde(default)]
    pub faces: u64,
}

/// Size of curves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveCounts {
    /// Splines.
    #[serde(default)]
    pub curves: u64,
    /// Control points.
    #[serde(default)]
    pub points: u64,
}

/// Size of a point cloud.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointCounts {
    /// Points.
    #[serde(default)]
    pub points: u64,
}

/// Size of a volume.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeCounts {
    /// Grids.
    #[serde(default)]
    pub grids: u64,
}

/// Size of a grease pencil drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayerCounts {
    /// Layers.
    #[serde(default)]
    pub layers: u64,
}

/// Number of instances.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceCounts {
    /// Instances at the top.
    #[serde(default)]
    pub count: u64,
    /// Those of them that are empty.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub empty: u64,
    /// Number of instances when nested instances are counted instead of the instances that contain them; 0 if unknown or the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nested: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
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

    /// Whether every component is empty.
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
