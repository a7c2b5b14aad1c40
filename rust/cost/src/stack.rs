//! Estimates the modifiers of an object, one after the other.

use geonode_graph::sockets::GEOMETRY;
use std::sync::Arc;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::{Document, Modifier, Object};
use geonode_graph::ir::{Item, Side};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::components::{Components, Kinds};
use crate::costs::costs;
use crate::field::Field;
use crate::flow::{Content, Culprit, Driver, Flow, Format, Peak};
use crate::frame::{Evaluator, Sum};
use crate::geometry::Geometry;
use crate::machine::{Machine, Trial, TrialAt};
use crate::observations::Observations;
use crate::work::{self, Budget, Load, Work};
use crate::{foreign, inputs, range, scene, subdivision};

/// Cap: represents all larger times and sizes.
const ENDLESS: f64 = 1e18;

/// The expected result of an object's modifiers.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Highest peak of any node so far.
    pub elements: f64,
    /// Processor time of one evaluation, in seconds.
    pub seconds: f64,
    /// The most memory that one evaluation takes, in bytes.
    pub bytes: f64,
    /// Whether the estimate was abandoned, so that nothing is known.
    pub incomplete: bool,
    /// The node that goes beyond the budget.
    #[serde(skip)]
    pub culprit: Option<Arc<Culprit>>,
    /// The node that takes most time and memory.
    #[serde(skip)]
    pub dearest: Option<Arc<Culprit>>,
    /// How much nodes of each type were given, each node counted as often as the estimate looked at it.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub loads: IndexMap<String, Load>,
    /// The result at the end of the stack.
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

impl Estimate {
    /// Nothing is beyond the budget.
    #[must_use]
    pub fn fits(&self, budget: Budget) -> bool {
        !self.incomplete
            && self.elements <= budget.elements
            && self.seconds <= budget.seconds
            && self.bytes <= budget.bytes
    }
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

/// Estimates the modifier stack of an object of the document; `None` if it does not exist.
pub fn estimate(document: &Document, catalogue: &Catalogue, object: &str, budget: Budget) -> Estimate {
    tried(document, catalogue, object, budget, None)
}

/// The same with another value at one place.
pub(crate) fn tried(
    document: &Document,
    catalogue: &Catalogue,
    object: &str,
    budget: Budget,
    trial: Option<Trial>,
) -> Estimate {
    let mut machine = Machine::new(&document.trees, catalogue, &document.scene, budget);
    machine.trial = trial;
    let Some((flow, sum)) = follow(&mut machine, document, object) else {
        return Estimate::default();
    };
    Estimate {
        elements: flow.peak.elements,
        seconds: sum.work.seconds.min(ENDLESS),
        bytes: sum.work.bytes().min(ENDLESS),
        dearest: sum.dearest,
        loads: std::mem::take(&mut machine.loads),
        incomplete: machine.exhausted(),
        result: Counts::from(&flow.geometry()),
        culprit: flow.peak.culprit,
    }
}

/// The node that decides most how much the modifiers of an object create; `None` if no single input does.
pub fn driver(document: &Document, catalogue: &Catalogue, object: &str) -> Option<Arc<Driver>> {
    let mut machine = Machine::new(&document.trees, catalogue, &document.scene, Budget::NONE);
    follow(&mut machine, document, object)?.0.peak.driver
}

/// What every node of the trees on these objects receives; `None` when that would take too long to find out.
pub fn observe<'n>(
    document: &Document,
    catalogue: &Catalogue,
    objects: impl IntoIterator<Item = &'n str>,
) -> Option<Observations> {
    let mut machine = Machine::new(&document.trees, catalogue, &document.scene, Budget::NONE);
    for object in objects {
        follow(&mut machine, document, object)?;
    }
    (!machine.exhausted()).then_some(machine.seen)
}

/// Propagates through the modifier stack of an object; `None` if it does not exist.
fn follow(machine: &mut Machine<'_>, document: &Document, object: &str) -> Option<(Flow, Sum)> {
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
    let mut sum = Sum::default();
    let evaluated = document
        .scene
        .objects
        .get(object)
        .and_then(|figures| figures.evaluated.as_ref());
    let mut nodes = false;
    for (at, modifier) in stack.modifiers.iter().enumerate() {
        // Blender's figures are those of what stands there, as long as no tree before them can change.
        nodes |= modifier.kind == "NODES";
        let measured = evaluated.filter(|figures| !nodes && figures.modifiers == at + 1);
        flow = match modifier.kind.as_str() {
            "NODES" => run(machine, document, modifier, flow, &mut sum),
            "SUBSURF" | "MULTIRES" => subdivided(modifier, flow, nodes, &mut sum),
            _ => {
                let given = flow.geometry();
                let geometry = foreign::after(modifier, measured, &given);
                // What stands before every tree is evaluated anyway.
                if nodes {
                    sum.work += foreign::work(modifier, &given, &geometry);
                }
                let mut peak = flow.peak;
                peak.elements = peak.elements.max(geometry.elements());
                Flow {
                    content: Content::from(geometry),
                    peak,
                    source: None,
                    kinds: Kinds::ANY,
                    field: None,
                }
            }
        };
    }
    Some((flow, sum))
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
fn run(machine: &mut Machine<'_>, document: &Document, modifier: &Modifier, given: Flow, sum: &mut Sum) -> Flow {
    let tree = modifier
        .node_group
        .as_deref()
        .and_then(|name| Some((name, document.trees.get(name)?)));
    let Some((name, tree)) = tree else { return given };
    let is_geometry = |item: &Item| item.socket_type == GEOMETRY;
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
            let content = match &machine.trial {
                Some(Trial {
                    at: TrialAt::Modifier(name),
                    value,
                }) if **name == *item.name => Content::Number(range::Range::exactly(*value)),
                _ => content,
            };
            let attribute = matches!(value, Some(Value::Object(block)) if block.contains_key("attribute"));
            Flow {
                source: Some(item.name.as_str().into()),
                field: attribute.then(|| Arc::new(Field::new(ATTRIBUTE, Vec::new()))),
                ..Flow::from(content)
            }
        };
        inputs.insert(item.identifier.clone(), flow);
    }
    let done = machine.tree(name, &inputs);
    sum.add(&done.spent);
    let output = tree
        .interface
        .iter()
        .find(|item| item.is_socket(Side::Output) && is_geometry(item));
    let made = output.and_then(|item| done.outputs.get(&item.identifier)).cloned();
    let made = made.unwrap_or_else(Flow::unknown);
    let shown = made.geometry();
    sum.work += Work {
        seconds: shown.elements() * costs().result_ns * 1e-9,
        kept: 0.0,
        peak: 2.0 * work::bytes(&shown),
    };
    let peak: Peak = made.peak.or(&given.peak);
    // A modifier that is switched off passes its input on.
    let kinds = made.kinds.or(given.kinds);
    Flow { peak, kinds, ..made }
}

/// Seconds to read an attribute, for each element.
const ATTRIBUTE: f64 = 1e-9;

/// The value of an interface input whose default is omitted because it equals that of a new socket.
fn unset(kind: &str) -> Content {
    match kind {
        "NodeSocketFloat" | "NodeSocketInt" | "NodeSocketBool" => Content::Number(range::Range::exactly(0.0)),
        "NodeSocketVector" => Content::Vector([range::Range::exactly(0.0); 3]),
        "NodeSocketString" => Content::Text {
            chars: 0.0,
            visible: 0.0,
            format: Format::default(),
        },
        _ => Content::Unknown,
    }
}

/// Subdivision Surface and Multiresolution as modifiers; `nodes`: whether a tree stands before them, so that they may get another mesh.
fn subdivided(modifier: &Modifier, flow: Flow, nodes: bool, sum: &mut Sum) -> Flow {
    let levels = modifier
        .inputs
        .get("levels")
        .and_then(Value::as_u64)
        .unwrap_or(0)
        .min(20);
    let given = flow.geometry();
    if levels > 0 && nodes {
        let patches = subdivision::of_modifier(given.own.mesh);
        sum.work += Work {
            seconds: patches.seconds,
            kept: 0.0,
            peak: patches.bytes,
        };
    }
    let geometry = given.map(|parts| {
        let mut parts = *parts;
        for _ in 0..levels {
            parts.mesh = parts.mesh.subdivided();
        }
        parts
    });
    // The node of the same name does the same.
    let elements = geometry.elements();
    let cost = costs().of("GeometryNodeSubdivisionSurface", "", &|_, _| String::new());
    let held = work::bytes(&geometry);
    sum.work += Work {
        seconds: cost.fixed() + cost.items(elements),
        kept: 0.0,
        peak: held + held,
    };
    let mut peak = flow.peak;
    peak.elements = peak.elements.max(geometry.elements());
    Flow {
        content: Content::from(geometry),
        peak,
        source: None,
        kinds: Kinds::ANY,
        field: None,
    }
}
