//! What evaluating a node takes: time and memory, by the measured costs of its type.

use std::ops::{Add, AddAssign};
use std::sync::Arc;

use serde::Serialize;

use crate::costs::{Cost, costs};
use crate::field::Field;
use crate::flow::Content;
use crate::geometry::{Geometry, Parts, times};
use crate::inputs::{Inputs, Outcome};
use crate::subdivision;
use geonode_graph::sockets::GEOMETRY;

/// Time and memory of an evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Work {
    /// Processor time on one core.
    pub seconds: f64,
    /// Bytes that are held until the whole evaluation ends.
    pub kept: f64,
    /// The most bytes that geometry takes at once.
    pub peak: f64,
}

impl Work {
    /// All memory.
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.kept + self.peak
    }

    /// A common measure for time and memory: 10 seconds count as much as 2 GB.
    pub(crate) fn weight(&self) -> f64 {
        let scale = Budget::default();
        (self.seconds / scale.seconds).max(self.bytes() / scale.bytes)
    }

    /// The same as often.
    #[must_use]
    pub(crate) fn often(self, count: f64) -> Self {
        Self {
            seconds: times(self.seconds, count),
            kept: times(self.kept, count),
            peak: self.peak,
        }
    }
}

/// What a plan may make and take without asking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Elements that any node makes.
    pub elements: f64,
    /// Time of one evaluation.
    pub seconds: f64,
    /// Memory of one evaluation.
    pub bytes: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            elements: 5e6,
            seconds: 10.0,
            bytes: 2e9,
        }
    }
}

impl Budget {
    /// One that nothing exceeds.
    pub const NONE: Self = Self {
        elements: f64::INFINITY,
        seconds: f64::INFINITY,
        bytes: f64::INFINITY,
    };
}

/// One after the other.
impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            seconds: self.seconds + other.seconds,
            kept: self.kept + other.kept,
            peak: self.peak.max(other.peak),
        }
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// How much a node was given and made; the ground on which the costs of its type are measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Load {
    /// How often it was evaluated while the estimate followed the tree.
    pub runs: f64,
    /// Elements that flowed in and came out, or characters of texts, over all runs.
    pub items: f64,
}

/// Elements that flow in and come out.
pub(crate) fn items(inputs: &Inputs<'_>, outcome: &Outcome) -> f64 {
    // These take instances as they are, whatever they refer to.
    let shallow = matches!(
        inputs.kind(),
        "GeometryNodeJoinGeometry" | "GeometryNodeGeometryToInstance"
    );
    let elements = |geometry: &Geometry| {
        if shallow {
            geometry.own.elements() + geometry.instances
        } else {
            geometry.elements()
        }
    };
    let given: f64 = inputs
        .flows
        .iter()
        .flatten()
        .map(|flow| match &flow.content {
            Content::Geometry(geometry) => elements(geometry),
            Content::Text { chars, .. } => *chars,
            _ => 0.0,
        })
        .sum();
    let made = outcome.outputs.iter().map(|(_, content)| match content {
        Content::Geometry(geometry) => elements(geometry),
        Content::Text { chars, .. } => *chars,
        _ => 0.0,
    });
    given + made.fold(outcome.work, f64::max)
}

/// Cost of evaluating a node, including the fields that it evaluates.
pub(crate) fn work(inputs: &Inputs<'_>, outcome: &Outcome) -> Work {
    let cost = cost(inputs);
    let items = items(inputs, outcome);
    let mut seconds = cost.fixed() + cost.items(items);
    let mut scratch = 0.0;
    if inputs.kind() == "GeometryNodeSubdivisionSurface" && inputs.most("Level") >= 1.0 {
        let own = subdivision::of_node(inputs.main().own.mesh, inputs.blender);
        let referred = subdivision::of_node(inputs.main().referred.mesh, inputs.blender);
        seconds += own.seconds + referred.seconds;
        scratch += own.bytes + referred.bytes;
    }
    if field(inputs).is_none() {
        let elements = evaluated_on(inputs, outcome);
        for flow in inputs.flows.iter().flatten() {
            if let Some(field) = &flow.field {
                seconds += times(field.seconds(), elements);
                scratch += times(FIELD_BYTES, elements);
            }
        }
    }
    let given = inputs.flows.iter().flatten().map(|flow| bytes(&flow.geometry()));
    let made = outcome.outputs.iter().map(|(_, content)| match content {
        Content::Geometry(geometry) => bytes(geometry),
        Content::Text { chars, .. } => *chars,
        _ => 0.0,
    });
    Work {
        seconds,
        kept: costs().node_bytes,
        peak: given.sum::<f64>() + made.sum::<f64>() + scratch + times(cost.scratch_b, items),
    }
}

/// Cost of a node that passes its input through.
pub(crate) fn passing(inputs: &Inputs<'_>) -> Work {
    Work {
        seconds: cost(inputs).fixed(),
        kept: costs().node_bytes,
        peak: 0.0,
    }
}

/// Bytes per value of a field, including the selection mask.
const FIELD_BYTES: f64 = 16.0;

fn cost(inputs: &Inputs<'_>) -> &'static Cost {
    costs().of(inputs.kind(), inputs.blender, &|property, menu| {
        inputs.mode(property, menu)
    })
}

/// The field that a node gives, where it gives one.
pub(crate) fn field(inputs: &Inputs<'_>) -> Option<Arc<Field>> {
    if inputs.ready.outputs.iter().any(|exit| exit.kind == GEOMETRY) {
        return None;
    }
    let from: Vec<Arc<Field>> = inputs
        .flows
        .iter()
        .flatten()
        .filter_map(|flow| flow.field.clone())
        .collect();
    let geometry = inputs.first_geometry();
    let looks_up = geometry.is_some() && LOOK_UPS.contains(&inputs.kind());
    if geometry.is_some() && !looks_up {
        // Evaluates fields on its geometry and outputs a single value.
        return None;
    }
    if from.is_empty() && !looks_up && !is_source(inputs.kind()) {
        return None;
    }
    let mut own = cost(inputs).element() * factor(inputs);
    if looks_up {
        // Searches trees whose depth is the logarithm of their size.
        let target = inputs.main().elements();
        own *= ((target + 2.0).log2() / costs().target_elements.log2()).max(0.2);
    }
    let numbers = is_number(inputs) && from.iter().all(|field| field.is_by_number());
    let field = Field::new(own, from);
    Some(Arc::new(if numbers { field.by_number() } else { field }))
}

/// Whether a field gives numbers of elements, chance, or what follows from what flows in alone. What an index is compared with picks
/// elements on purpose, such as the third face.
fn is_number(inputs: &Inputs<'_>) -> bool {
    let kind = inputs.kind();
    match kind {
        "GeometryNodeInputIndex" | "GeometryNodeInputID" | "FunctionNodeRandomValue" => true,
        "FunctionNodeCompare" => !inputs.flows.iter().flatten().any(|flow| flow.content == Content::Index),
        _ => !is_source(kind) && !LOOK_UPS.contains(&kind),
    }
}

/// Nodes that look something up in a geometry, for each element of the field that asks.
const LOOK_UPS: &[&str] = &[
    "GeometryNodeRaycast",
    "GeometryNodeProximity",
    "GeometryNodeSampleNearest",
    "GeometryNodeSampleNearestSurface",
    "GeometryNodeSampleUVSurface",
    "GeometryNodeSampleCurve",
    "GeometryNodeSampleIndex",
    "GeometryNodeSampleGrid",
];

/// Nodes that are fields by themselves, even if nothing that flows in is one.
fn is_source(kind: &str) -> bool {
    const SINGLE: &[&str] = &[
        "GeometryNodeInputObject",
        "GeometryNodeInputCollection",
        "GeometryNodeInputMaterial",
        "GeometryNodeInputImage",
        "GeometryNodeInputSceneTime",
        "GeometryNodeInputActiveCamera",
    ];
    if SINGLE.contains(&kind) {
        return false;
    }
    kind.starts_with("GeometryNodeInput")
        || kind.starts_with("ShaderNodeTex")
        || kind.starts_with("GeometryNodeFieldA")
        || matches!(
            kind.strip_prefix("GeometryNode").unwrap_or(kind),
            "FunctionNodeRandomValue"
                | "ImageTexture"
                | "AccumulateField"
                | "BlurAttribute"
                | "FieldMinAndMax"
                | "FieldAverage"
                | "FieldVariance"
                | "EvaluateOnDomain"
                | "FieldOnDomain"
                | "EvaluateAtIndex"
                | "IndexOfNearest"
                | "SplineLength"
                | "SplineParameter"
                | "CurveOfPoint"
                | "PointsOfCurve"
                | "OffsetPointInCurve"
                | "CornersOfEdge"
                | "CornersOfFace"
                | "CornersOfVertex"
                | "EdgesOfCorner"
                | "EdgesOfVertex"
                | "FaceOfCorner"
                | "VertexOfCorner"
                | "OffsetCornerInFace"
                | "MeshFaceSetBoundaries"
                | "UVUnwrap"
                | "UVPackIslands"
                | "CurveEndpointSelection"
                | "CurveHandleTypeSelection"
                | "ToolSelection"
        )
}

/// How much dearer than a fresh node its values make it.
fn factor(inputs: &Inputs<'_>) -> f64 {
    match inputs.kind() {
        // One more octave each.
        "ShaderNodeTexNoise" | "ShaderNodeTexVoronoi" => {
            let detail = inputs.most("Detail").min(15.0);
            let fresh = if inputs.kind() == "ShaderNodeTexNoise" {
                3.0
            } else {
                1.0
            };
            (1.0 + detail) / fresh
        }
        // Finding the neighbours takes as long as nine rounds.
        "GeometryNodeBlurAttribute" => inputs.most("Iterations").max(1.0) + 9.0,
        _ => 1.0,
    }
}

/// On how many elements a node evaluates its fields.
fn evaluated_on(inputs: &Inputs<'_>, outcome: &Outcome) -> f64 {
    if inputs.first_geometry().is_none() {
        return outcome.elements();
    }
    let main = inputs.main();
    let parts: Parts = main.own + main.referred;
    let most = parts.all_points().max(main.instances);
    match inputs.mode("domain", "Domain").as_str() {
        "edge" => parts.mesh.edges,
        "face" => parts.mesh.faces,
        "corner" => parts.mesh.corners,
        "curve" | "spline" => parts.curves.count,
        "instance" => main.instances,
        _ => most,
    }
}

/// Bytes of a geometry in Blender's memory layout.
pub(crate) fn bytes(geometry: &Geometry) -> f64 {
    let parts = geometry.own + geometry.referred;
    let mesh = parts.mesh;
    let own = 12.0 * mesh.vertices + 9.0 * mesh.edges + 8.0 * mesh.corners + 9.0 * mesh.faces;
    let curves = 20.0 * parts.curves.points + 24.0 * parts.curves.evaluated + 8.0 * parts.curves.count;
    let volume = parts.volume.voxels * 5.0;
    own + curves + volume + 20.0 * parts.points + 72.0 * (geometry.instances + geometry.nested)
}
