//! The part of the scene that the planner and the model see (`FORMATS.md`, "Context").

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::modifier::Modifier;
use crate::ir::Bundle;

/// Units of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Units {
    /// `METRIC`, `IMPERIAL` or `NONE`.
    pub system: String,
    /// Metres per Blender unit.
    pub scale_length: f64,
    /// Unit that lengths are shown in (`METERS`, `CENTIMETERS`, … or `ADAPTIVE`).
    pub length: String,
}

impl Default for Units {
    fn default() -> Self {
        Self {
            system: "METRIC".into(),
            scale_length: 1.0,
            length: "METERS".into(),
        }
    }
}

impl Units {
    /// Metres per Blender unit, never zero or negative.
    pub fn metres_per_unit(&self) -> f64 {
        if self.system != "NONE" && self.scale_length.is_finite() && self.scale_length > 0.0 {
            self.scale_length
        } else {
            1.0
        }
    }

    /// What a number without a unit means, in metres.
    pub fn bare_metres(&self) -> f64 {
        if self.system == "NONE" {
            return 1.0;
        }
        match self.length.as_str() {
            "KILOMETERS" => 1000.0,
            "CENTIMETERS" => 0.01,
            "MILLIMETERS" => 0.001,
            "MICROMETERS" => 0.000_001,
            "MILES" => 1609.344,
            "FEET" => 0.3048,
            "INCHES" => 0.0254,
            "THOU" => 0.000_025_4,
            "ADAPTIVE" if self.system == "IMPERIAL" => 0.3048,
            _ => 1.0,
        }
    }
}

/// Frames of the scene.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Frames {
    /// First frame.
    pub start: i64,
    /// Last frame.
    pub end: i64,
    /// The frame that is shown.
    pub current: i64,
}

/// Element counts, as far as the object's type has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ElementCounts {
    /// Vertices of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<u64>,
    /// Edges of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edges: Option<u64>,
    /// Faces of a mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faces: Option<u64>,
    /// Splines of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub splines: Option<u64>,
    /// Control points of a curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
}

/// An object of the scene, with the data that planning needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SceneObject {
    /// Its name, unique in the file.
    pub name: String,
    /// `MESH`, `CURVE`, ….
    #[serde(rename = "type")]
    pub kind: String,
    /// World location, Blender units.
    pub location: [f64; 3],
    /// Own scale.
    pub scale: [f64; 3],
    /// Size of the evaluated bounds with the scale, Blender units.
    pub dimensions: [f64; 3],
    /// Local bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[[f64; 3]; 2]>,
    /// Whether the artist sees it.
    pub visible: bool,
    /// Whether it is selected.
    pub selected: bool,
    /// Element counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<ElementCounts>,
    /// Length of a curve's splines together, without modifiers, in its own space, Blender units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// What its modifiers make, of the objects that the prompt is probably about; not in Blender 4.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ShownResult>,
    /// The modifier stack, first to last.
    pub modifiers: Vec<Modifier>,
}

impl Default for SceneObject {
    fn default() -> Self {
        Self {
            name: String::new(),
            kind: "MESH".into(),
            location: [0.0; 3],
            scale: [1.0; 3],
            dimensions: [0.0; 3],
            bounds: None,
            visible: true,
            selected: false,
            counts: None,
            length: None,
            result: None,
            modifiers: Vec::new(),
        }
    }
}

impl SceneObject {
    /// Size of what it shows with the scale, Blender units: `dimensions`, or with its instances where it has nothing else.
    #[must_use]
    pub fn shown_size(&self) -> [f64; 3] {
        let bounds = self.result.as_ref().and_then(|result| result.bounds);
        match bounds.filter(|_| self.shows_only_copies()) {
            Some([[x0, y0, z0], [x1, y1, z1]]) => {
                let [sx, sy, sz] = self.scale;
                [(x1 - x0) * sx.abs(), (y1 - y0) * sy.abs(), (z1 - z0) * sz.abs()]
            }
            None => self.dimensions,
        }
    }

    /// Whether modifiers make all that it shows, and what they make is copies: neither has a size in its own space.
    #[must_use]
    pub fn shows_only_copies(&self) -> bool {
        let made = self.modifiers.iter().any(|modifier| modifier.node_group.is_some());
        made && self.dimensions.iter().all(|side| *side < 1e-9)
    }
}

/// What the modifiers of an object make, as Blender evaluated it last.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShownResult {
    /// Vertices of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertices: Option<u64>,
    /// Faces of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faces: Option<u64>,
    /// Curves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<u64>,
    /// Points of the point cloud.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u64>,
    /// Instances, those within instances counted one by one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<u64>,
    /// Local bounds with the instances.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[[f64; 3]; 2]>,
}

/// A collection of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// Names of its objects.
    pub objects: Vec<String>,
}

/// A node group of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NodeGroup {
    /// Its name.
    pub name: String,
    /// How many data-blocks use it.
    pub users: u64,
    /// Number of nodes.
    pub nodes: u64,
}

/// The most relevant nodes of the target's tree, by ID.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TreeFocus {
    /// Selected in the editor.
    pub selected: Vec<String>,
    /// Created or named by a run.
    pub touched: Vec<String>,
}

/// The snapshot of the scene that a prompt is read against.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Context {
    /// Version of Blender.
    pub blender: [u32; 3],
    /// Units of the scene.
    pub units: Units,
    /// Frames of the scene.
    pub frame: Frames,
    /// The active object.
    pub active_object: Option<String>,
    /// The selected objects.
    pub selection: Vec<String>,
    /// The run's target object.
    pub target_object: Option<String>,
    /// The run's target modifier.
    pub target_modifier: Option<String>,
    /// The run's target tree.
    pub target_node_group: Option<String>,
    /// Objects by name.
    pub objects: Vec<SceneObject>,
    /// How many objects the snapshot left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<u64>,
    /// How many of those are of each type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_kinds: Option<BTreeMap<String, u64>>,
    /// Collections.
    pub collections: Vec<Collection>,
    /// Names of the materials.
    pub materials: Vec<String>,
    /// Names of the images.
    pub images: Vec<String>,
    /// Node groups.
    pub node_groups: Vec<NodeGroup>,
    /// The target's tree with its nested groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Bundle>,
    /// The relevant nodes of that tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree_focus: Option<TreeFocus>,
}

impl Context {
    /// The object with exactly this name.
    pub fn object(&self, name: &str) -> Option<&SceneObject> {
        self.objects.iter().find(|object| object.name == name)
    }

    /// The object that “it” refers to without further context: the run's target, else the active object.
    pub fn focus(&self) -> Option<&SceneObject> {
        let name = self.target_object.as_deref().or(self.active_object.as_deref())?;
        self.object(name)
    }
}
