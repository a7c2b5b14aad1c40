//! What the modifiers of an object make, one after the other.

use std::sync::Arc;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::{Document, Modifier, Object};
use geonode_graph::ir::{Item, Side};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::components::{Components, Kinds};
use crate::flow::{Content, Culprit, Driver, Flow, Peak};
use crate::frame::Evaluator;
use crate::geometry::Geometry;
use crate::machine::Machine;
use crate::observations::Observations;
use crate::{inputs, range, scene};

/// Default budget: elements that a plan may make without asking.
pub const DEFAULT_BUDGET: f64 = 5e6;

/// What an object's modifiers are expected to make.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// The largest that any node makes on the way.
    pub elements: f64,
    /// The estimate was given up: nothing can be said.
    pub incomplete: bool,
    /// The node that goes beyond the budget.
    #[serde(skip)]
    pub culprit: Option<Arc<Culprit>>,
    /// What comes out at the end of the stack.
    pub result: Counts,
}

/// Figures of evaluated geometry, as Blender reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Counts {
    /// Vertices of the mesh.
    pub vertices: f64,
    /// Edges of the mesh.
    pub edges: f64,
    /// Faces of the mesh.
    pub faces: f64,
    /// Splines.
    pub curves: f64,
    /// Control points of curves.
    pub curve_points: f64,
    /// Points of the point cloud.
    pub points: f64,
    /// Instances at the top.
    pub instances: f64,
}

impl From<&Geometry> for Counts {
    fn from(geometry: &Geometry) -> Self {
        let own = geometry.own;
        Self {
            vertices: own.mesh.vertices,
            edges: own.mesh.edges,
            faces: own.mesh.faces,
            curves: own.curves.count,
            curve_points: own.curves.points,
            points: own.points,
            instances: geometry.instances,
        }
    }
}

/// Estimates the modifier stack of an object of the document; nothing for one that is not there.
pub fn estimate(document: &Document, catalogue: &Catalogue, object: &str, budget: f64) -> Estimate {
    let mut machine = Machine::new(&document.trees, catalogue, &document.scene, budget);
    let Some(flow) = follow(&mut machine, document, object) else {
        return Estimate::default();
    };
    Estimate {
        elements: flow.peak.elements,
        incomplete: machine.exhausted(),
        result: Counts::from(&flow.geometry()),
        culprit: flow.peak.culprit,
    }
}

/// The node that decides most how much the modifiers of an object make; none where no single input does.
pub fn driver(document: &Document, catalogue: &Catalogue, object: &str) -> Option<Arc<Driver>> {
    let mut machine = Machine::new(&document.trees, catalogue, &document.scene, f64::INFINITY);
    follow(&mut machine, document, object)?.peak.driver
}

/// What every node of the trees on these objects is given; none when that would take too long to find out.
pub fn observe<'n>(
    document: &Document,
    catalogue: &Catalogue,
    objects: impl IntoIterator<Item = &'n str>,
) -> Option<Observations> {
    let mut machine = Machine::new(&document.trees, catalogue, &document.scene, f64::INFINITY);
    for object in objects {
        follow(&mut machine, document, object)?;
    }
    (!machine.exhausted()).then_some(machine.seen)
}

/// Propagates through the modifier stack of an object; nothing for one that is not there.
fn follow(machine: &mut Machine<'_>, document: &Document, object: &str) -> Option<Flow> {
    let stack = document.objects.get(object)?;
    let start = if is_geometry(stack) && document.scene.objects.contains_key(object) {
        scene::object(&document.scene, object)
    } else {
        Geometry::default()
    };
    let mut flow = Flow {
        kinds: kinds_of(stack, &start),
        ..Content::from(start).into()
    };
    flow.peak.elements = start.elements();
    for modifier in &stack.modifiers {
        flow = match modifier.kind.as_str() {
            "NODES" => run(machine, document, modifier, flow),
            "SUBSURF" | "MULTIRES" => subdivided(modifier, flow),
            _ => Flow {
                kinds: Kinds::ANY,
                ..flow
            },
        };
    }
    Some(flow)
}

/// Components of an object's own data; only those of plain types are certain.
fn kinds_of(object: &Object, start: &Geometry) -> Kinds {
    let mesh = start.own.mesh;
    let own = match object.kind.as_str() {
        "MESH" if mesh.vertices <= 0.0 || mesh.faces > 0.0 => Components::MESH,
        "MESH" => Components::WIRE,
        "CURVE" | "CURVES" => Components::CURVES,
        "POINTCLOUD" => Components::POINTS,
        "VOLUME" => Components::VOLUME,
        "GREASEPENCIL" => Components::STROKES,
        _ => return Kinds::ANY,
    };
    Kinds::only(own)
}

fn is_geometry(object: &Object) -> bool {
    !matches!(
        object.kind.as_str(),
        "EMPTY" | "CAMERA" | "LIGHT" | "SPEAKER" | "ARMATURE"
    )
}

/// A Geometry Nodes modifier: its tree with its values.
fn run(machine: &mut Machine<'_>, document: &Document, modifier: &Modifier, given: Flow) -> Flow {
    let tree = modifier
        .node_group
        .as_deref()
        .and_then(|name| Some((name, document.trees.get(name)?)));
    let Some((name, tree)) = tree else { return given };
    let is_geometry = |item: &Item| item.socket_type == "NodeSocketGeometry";
    let mut geometry = Some(given.clone());
    let mut inputs = IndexMap::new();
    for item in tree.interface.iter().filter(|item| item.is_socket(Side::Input)) {
        let flow = if is_geometry(item) {
            geometry.take().unwrap_or_else(|| Flow {
                kinds: Kinds::NONE,
                ..Content::from(Geometry::default()).into()
            })
        } else {
            let value = modifier
                .inputs
                .get(&item.identifier)
                .or_else(|| item.props.get("default_value"));
            let content = match value {
                Some(Value::Object(block)) if block.contains_key("attribute") => Content::Unknown,
                Some(value) => inputs::content(&item.socket_type, value),
                None => unset(&item.socket_type),
            };
            Flow {
                source: Some(item.name.as_str().into()),
                ..Flow::from(content)
            }
        };
        inputs.insert(item.identifier.clone(), flow);
    }
    let done = machine.tree(name, &inputs);
    let output = tree
        .interface
        .iter()
        .find(|item| item.is_socket(Side::Output) && is_geometry(item));
    let made = output.and_then(|item| done.outputs.get(&item.identifier)).cloned();
    let made = made.unwrap_or_else(Flow::unknown);
    let peak: Peak = made.peak.or(&given.peak);
    // A modifier that is switched off hands on what it is given.
    let kinds = made.kinds.or(given.kinds);
    Flow { peak, kinds, ..made }
}

/// The value of an interface input whose default is not written down, as it is a fresh one's.
fn unset(kind: &str) -> Content {
    match kind {
        "NodeSocketFloat" | "NodeSocketInt" | "NodeSocketBool" => Content::Number(range::Range::exactly(0.0)),
        "NodeSocketVector" => Content::Vector([range::Range::exactly(0.0); 3]),
        "NodeSocketString" => Content::Text {
            chars: 0.0,
            visible: 0.0,
        },
        _ => Content::Unknown,
    }
}

/// Subdivision Surface and Multiresolution as modifiers.
fn subdivided(modifier: &Modifier, flow: Flow) -> Flow {
    let levels = modifier
        .inputs
        .get("levels")
        .and_then(Value::as_u64)
        .unwrap_or(0)
        .min(20);
    let geometry = flow.geometry().map(|parts| {
        let mut parts = *parts;
        for _ in 0..levels {
            parts.mesh = parts.mesh.subdivided();
        }
        parts
    });
    let mut peak = flow.peak;
    peak.elements = peak.elements.max(geometry.elements());
    Flow {
        content: Content::from(geometry),
        peak,
        source: None,
        kinds: Kinds::ANY,
    }
}
