//! Finds the input of a node that decides how much it creates, and a value of it that stays under the budget.

use crate::families;
use crate::flow::Lever;
use crate::inputs::Inputs;

/// The direction in which an input must change to create less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Small values create less.
    Down,
    /// Large values create less: a distance between points, the edge of a voxel.
    Up,
}

/// Inputs that multiply, with the direction that creates less; of equal ones the first is named.
fn inputs_of(kind: &str) -> &'static [(&'static str, Way)] {
    use Way::{Down, Up};
    match kind.strip_prefix("GeometryNode").unwrap_or(kind) {
        "SubdivisionSurface" | "SubdivideMesh" => &[("Level", Down)],
        "MeshIcoSphere" => &[("Subdivisions", Down)],
        "MeshGrid" => &[("Vertices X", Down), ("Vertices Y", Down)],
        "MeshCube" => &[("Vertices X", Down), ("Vertices Y", Down), ("Vertices Z", Down)],
        "MeshUVSphere" => &[("Segments", Down), ("Rings", Down)],
        "MeshCylinder" | "MeshCone" => &[("Vertices", Down), ("Side Segments", Down), ("Fill Segments", Down)],
        "MeshCircle" => &[("Vertices", Down)],
        "MeshLine" => &[("Count", Down), ("Resolution", Up)],
        "MeshBevel" => &[("Segments", Down)],
        "Points" | "FilletCurve" => &[("Count", Down)],
        "DuplicateElements" => &[("Amount", Down)],
        "DistributePointsOnFaces" => &[("Density", Down), ("Density Max", Down), ("Distance Min", Up)],
        "DistributePointsInVolume" | "DistributePointsInGrid" => &[("Density", Down)],
        "ResampleCurve" | "CurveToPoints" => &[("Count", Down), ("Length", Up)],
        "SubdivideCurve" => &[("Cuts", Down)],
        "SetSplineResolution"
        | "CurvePrimitiveCircle"
        | "CurveArc"
        | "CurveQuadraticBezier"
        | "CurvePrimitiveBezierSegment" => &[("Resolution", Down)],
        "CurveSpiral" => &[("Resolution", Down), ("Rotations", Down)],
        "CurveStar" => &[("Points", Down)],
        "VolumeCube" => &[("Resolution X", Down), ("Resolution Y", Down), ("Resolution Z", Down)],
        "MeshToVolume" | "PointsToVolume" | "VolumeToMesh" => &[("Voxel Amount", Down), ("Voxel Size", Up)],
        "MeshToDensityGrid" | "MeshToSDFGrid" | "PointsToSDFGrid" => &[("Voxel Size", Up)],
        _ => &[],
    }
}

/// Steps of the search; each halves what is left of the logarithm of the range.
const STEPS: u32 = 60;

/// The value of the input that costs most.
fn value(inputs: &Inputs<'_>, name: &str, way: Way) -> f64 {
    match way {
        Way::Down => inputs.range(name).high,
        Way::Up => inputs.range(name).low,
    }
}

/// The value at which it multiplies nothing.
fn harmless(inputs: &Inputs<'_>, name: &str, way: Way) -> f64 {
    match way {
        Way::Down => 1.0_f64.min(value(inputs, name, way)),
        Way::Up => 1e6_f64.max(value(inputs, name, way)),
    }
}

/// The relevant inputs in the node's current mode, each with what the node would create at the harmless end.
fn effective<'i>(inputs: &'i Inputs<'_>) -> impl Iterator<Item = (&'static str, Way, usize, f64)> + use<'i> {
    let now = families::outcome(inputs).elements();
    inputs_of(inputs.kind()).iter().filter_map(move |(name, way)| {
        let at = inputs.position(name)?;
        let least = families::outcome(&inputs.with_number(at, harmless(inputs, name, *way))).elements();
        (least < now).then_some((*name, *way, at, least))
    })
}

fn lever(inputs: &Inputs<'_>, name: &str, way: Way, remedy: Option<f64>) -> Lever {
    let position = inputs.position(name);
    let slot = position.and_then(|at| inputs.ready.inputs.get(at));
    Lever {
        input: slot.map_or(name, |slot| slot.name.as_str()).to_owned(),
        value: value(inputs, name, way),
        harmless: harmless(inputs, name, way),
        whole: slot.is_some_and(|slot| slot.kind == "NodeSocketInt"),
        source: inputs.flow(name).and_then(|flow| flow.source.clone()),
        remedy,
    }
}

/// The input that decides most.
pub(crate) fn steepest(inputs: &Inputs<'_>) -> Option<Lever> {
    let most = effective(inputs).min_by(|a, b| a.3.total_cmp(&b.3))?;
    Some(lever(inputs, most.0, most.1, None))
}

/// The input that decides most, with the value that stays under the budget if there is one.
pub(crate) fn best(inputs: &Inputs<'_>, budget: f64) -> Option<Lever> {
    let (name, way, at, least) = effective(inputs).min_by(|a, b| a.3.total_cmp(&b.3))?;
    if least > budget {
        return Some(lever(inputs, name, way, None));
    }
    let whole = inputs
        .ready
        .inputs
        .get(at)
        .is_some_and(|slot| slot.kind == "NodeSocketInt");
    let fits = |number: f64| families::outcome(&inputs.with_number(at, number)).elements() <= budget;
    let (mut good, mut bad) = (harmless(inputs, name, way), value(inputs, name, way));
    for _ in 0..STEPS {
        let middle = between(good, bad);
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    let tidy = match way {
        Way::Down if whole => good.floor(),
        Way::Down => rounded(good, f64::floor),
        Way::Up => rounded(good, f64::ceil),
    };
    Some(lever(inputs, name, way, fits(tidy).then_some(tidy)))
}

/// The geometric mean where it exists.
pub(crate) fn between(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 && b.is_finite() {
        (a.ln().midpoint(b.ln())).exp()
    } else {
        a.midpoint(b)
    }
}

/// To two digits.
pub(crate) fn rounded(number: f64, to: impl Fn(f64) -> f64) -> f64 {
    if number <= 0.0 {
        return number;
    }
    let unit = 10.0_f64.powf(number.log10().floor() - 1.0);
    let digits = to(number / unit);
    // Dividing by a power of ten gives 0.05 where multiplying gives 0.05000000000000001.
    if unit < 1.0 {
        digits / (1.0 / unit).round()
    } else {
        digits * unit
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "whole numbers and round decimals are exact")]
mod tests {
    use super::*;

    #[test]
    fn suggested_values_are_round_numbers() {
        assert_eq!(rounded(0.051_23, f64::ceil), 0.052);
        assert_eq!(rounded(1234.0, f64::floor), 1200.0);
        assert_eq!(rounded(0.0, f64::floor), 0.0);
        assert!((between(1.0, 100.0) - 10.0).abs() < 1e-9);
    }
}
