//! What each node acts on: the one table of accepted components.
//!
//! `tests/host/test_effects.py` verifies every row in Blender: with only the components that a row leaves out, the node outputs its unchanged input
//! or nothing, in every mode and with every kind of value. A node that is missing here is assumed to act on everything.

use crate::components::{Components, Kinds};
use crate::inputs::Inputs;

/// The result of a node for the geometry that it acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    /// The same components.
    Same,
    /// The same components, and these.
    More(Components),
    /// These instead of the components that it acts on; the rest stays.
    Instead(Components),
    /// Only these components.
    Only(Components),
    /// No geometry, or unknown.
    Unknown,
}

/// One row: a geometry input of a node type in one mode.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `bl_idname` without `GeometryNode`.
    pub node: &'static str,
    /// Name of the input if it is not the node's first geometry.
    pub secondary: Option<&'static str>,
    /// The row applies only with this value of a property or menu, both folded.
    pub mode: Option<(&'static str, &'static str)>,
    /// Components that the node acts on.
    pub acts_on: Components,
    /// Whether the input may stay unlinked.
    pub optional: bool,
    /// Whether it acts on geometry inside instances.
    pub deep: bool,
    /// The result.
    pub makes: Makes,
}

const V: Components = Components::VERTICES;
const E: Components = Components::EDGES;
const F: Components = Components::FACES;
const C: Components = Components::CURVES;
const P: Components = Components::POINTS;
const I: Components = Components::INSTANCES;
const O: Components = Components::VOLUME;
const S: Components = Components::STROKES;
/// Grease pencil drawings are curves too.
const CS: Components = C.or(S);
const MESH: Components = Components::MESH;

const fn row(node: &'static str, acts_on: Components, deep: bool, makes: Makes) -> Rule {
    Rule {
        node,
        secondary: None,
        mode: None,
        optional: false,
        acts_on,
        deep,
        makes,
    }
}

const fn when(mode: (&'static str, &'static str), rule: Rule) -> Rule {
    Rule {
        mode: Some(mode),
        ..rule
    }
}

const fn second(input: &'static str, rule: Rule) -> Rule {
    Rule {
        secondary: Some(input),
        ..rule
    }
}

const fn optional(rule: Rule) -> Rule {
    Rule { optional: true, ..rule }
}

/// The first matching row.
pub const RULES: &[Rule] = &[
    row("BoundBox", Components::ALL, true, Makes::Only(MESH)),
    row("ConvexHull", V.or(C).or(P).or(S), true, Makes::Only(MESH)),
    row("CurveLength", CS, false, Makes::Unknown),
    row("CurveSetHandles", CS, true, Makes::Same),
    row("CurveSplineType", CS, true, Makes::Same),
    row("CurveToMesh", CS, true, Makes::Instead(MESH)),
    optional(second("Profile Curve", row("CurveToMesh", CS, false, Makes::Same))),
    row("CurveToPoints", CS, true, Makes::Instead(P)),
    row("CurvesToGreasePencil", C.or(I), false, Makes::Only(S)),
    row("DeleteGeometry", V.or(C).or(P).or(I).or(S), false, Makes::Same),
    row("DistributePointsInVolume", O, true, Makes::Only(P)),
    row("DistributePointsOnFaces", F, true, Makes::Instead(P)),
    row("DualMesh", F, true, Makes::Same),
    row("DuplicateElements", V.or(C).or(P).or(I).or(S), false, Makes::Same),
    row("EdgePathsToCurves", V, true, Makes::Only(C)),
    when(("mode", "vertices"), row("ExtrudeMesh", V, true, Makes::More(E))),
    when(("mode", "edges"), row("ExtrudeMesh", E, true, Makes::More(F))),
    when(("mode", "faces"), row("ExtrudeMesh", F, true, Makes::Same)),
    row("FillCurve", CS, true, Makes::Instead(MESH)),
    row("FilletCurve", CS, true, Makes::Same),
    row("FlipFaces", F, true, Makes::Same),
    row("GreasePencilToCurves", S, false, Makes::Unknown),
    row("InstanceOnPoints", V.or(C).or(P).or(S), true, Makes::Unknown),
    second("Instance", row("InstanceOnPoints", Components::ALL, false, Makes::Same)),
    row("InstancesToPoints", I, false, Makes::Only(P)),
    row("InterpolateCurves", C, false, Makes::Only(C)),
    second("Points", row("InterpolateCurves", V.or(P), false, Makes::Same)),
    row("MergeByDistance", V.or(P), true, Makes::Same),
    row("MergeLayers", S, true, Makes::Same),
    row("MeshBevel", E, true, Makes::Same),
    row("MeshToCurve", E, true, Makes::Only(C)),
    row("MeshToPoints", V, true, Makes::Only(P)),
    row("MeshToVolume", F, true, Makes::Instead(O)),
    row("PointsToCurves", P, true, Makes::Only(C)),
    row("PointsToVertices", P, true, Makes::Only(V)),
    row("PointsToVolume", V.or(C).or(P), true, Makes::Instead(O)),
    row("Proximity", V.or(P), false, Makes::Unknown),
    row("Raycast", F, false, Makes::Unknown),
    row("ResampleCurve", CS, true, Makes::Same),
    row("ReverseCurve", CS, true, Makes::Same),
    row("RotateInstances", I, false, Makes::Same),
    row("SampleCurve", C, false, Makes::Unknown),
    row("SampleNearestSurface", F, false, Makes::Unknown),
    row("SampleUVSurface", F, false, Makes::Unknown),
    when(("domain", "edge"), row("ScaleElements", E, true, Makes::Same)),
    when(("domain", "face"), row("ScaleElements", F, true, Makes::Same)),
    row("ScaleInstances", I, false, Makes::Same),
    row("SetCurveHandlePositions", CS, true, Makes::Same),
    row("SetCurveNormal", CS, true, Makes::Same),
    row("SetCurveRadius", CS, true, Makes::Same),
    row("SetCurveTilt", CS, true, Makes::Same),
    row("SetGreasePencilColor", S, true, Makes::Same),
    row("SetGreasePencilDepth", S, true, Makes::Same),
    row("SetGreasePencilSoftness", S, true, Makes::Same),
    row("SetInstanceTransform", I, false, Makes::Same),
    row("SetMaterial", F.or(C).or(P).or(O).or(S), true, Makes::Same),
    row("SetMaterialIndex", V.or(S), true, Makes::Same),
    row("SetMeshNormal", V, true, Makes::Same),
    row("SetPointRadius", P, true, Makes::Same),
    row("SetPosition", V.or(C).or(P).or(I).or(S), false, Makes::Same),
    row("SetShadeSmooth", E, true, Makes::Same),
    row("SetSplineCyclic", CS, true, Makes::Same),
    row("SetSplineResolution", CS, true, Makes::Same),
    row("SplitEdges", E, true, Makes::Same),
    row("SplitToInstances", V.or(C).or(P).or(I), false, Makes::Unknown),
    when(
        ("domain", "instance"),
        row("StoreNamedAttribute", I, false, Makes::Same),
    ),
    when(("domain", "face"), row("StoreNamedAttribute", F, true, Makes::Same)),
    when(("domain", "corner"), row("StoreNamedAttribute", F, true, Makes::Same)),
    when(("domain", "edge"), row("StoreNamedAttribute", E, true, Makes::Same)),
    when(("domain", "curve"), row("StoreNamedAttribute", CS, true, Makes::Same)),
    when(("domain", "layer"), row("StoreNamedAttribute", S, true, Makes::Same)),
    row("StoreNamedAttribute", V.or(C).or(P).or(S), true, Makes::Same),
    row("SubdivideCurve", CS, true, Makes::Same),
    row("SubdivideMesh", V, true, Makes::Same),
    row("SubdivisionSurface", V, true, Makes::Same),
    row("TranslateInstances", I, false, Makes::Same),
    row("Triangulate", F, true, Makes::Same),
    row("TrimCurve", CS, true, Makes::Same),
    row("VolumeToMesh", O, true, Makes::Only(MESH)),
];

impl Rule {
    /// Whether the node acts on such a geometry.
    pub fn acts(&self, given: Kinds) -> bool {
        given.own.meets(self.acts_on) || self.deep && given.inside.meets(self.acts_on)
    }

    /// Whether the row applies to the node in its current mode.
    fn fits(&self, inputs: &Inputs<'_>) -> bool {
        let mode = |(name, value): (&str, &str)| inputs.mode(name, &title(name)) == value;
        inputs.kind().strip_prefix("GeometryNode") == Some(self.node) && self.mode.is_none_or(mode)
    }
}

/// The row about the node's first geometry.
pub(crate) fn rule(inputs: &Inputs<'_>) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.secondary.is_none() && rule.fits(inputs))
}

/// All rows about the node: one for each geometry input at most.
pub(crate) fn rules(inputs: &Inputs<'_>) -> impl Iterator<Item = &'static Rule> {
    let second = RULES
        .iter()
        .filter(|rule| rule.secondary.is_some() && rule.fits(inputs));
    rule(inputs).into_iter().chain(second)
}

/// `mode` as a menu's name: `Mode`.
fn title(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}
