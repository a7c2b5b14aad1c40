//! Operations on curves, and between curves and meshes.

use crate::geometry::{Curves, Mesh, Parts, times};
use crate::inputs::{Inputs, Outcome};

/// Control points of a curve beyond which an estimate is meaningless because of Blender's own limits.
const MAX_COUNT: f64 = 1e12;

/// Evaluated points for each span of a smooth curve, where nothing sets it.
const FRESH_RESOLUTION: f64 = 12.0;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let curves = |operation: &dyn Fn(Curves) -> Curves| {
        Outcome::geometry(inputs.main().map(|parts| Parts {
            curves: operation(parts.curves),
            ..*parts
        }))
    };
    Some(match kind.strip_prefix("GeometryNode")? {
        "ResampleCurve" if inputs.selected() => {
            let mode = inputs.mode("mode", "Mode");
            curves(&|curves| resampled(curves, &mode, inputs))
        }
        "CurveToPoints" => {
            let mode = inputs.mode("mode", "Mode");
            Outcome::geometry(inputs.main().map(|parts| Parts {
                points: resampled(parts.curves, &mode, inputs).points,
                ..Parts::default()
            }))
        }
        "SubdivideCurve" => {
            let cuts = inputs.count("Cuts", 0.0);
            curves(&|curves| {
                let more = times(curves.segments, cuts);
                Curves {
                    points: curves.points + more,
                    segments: curves.segments + more,
                    evaluated: curves.evaluated + more,
                    spans: curves.spans + more,
                    ..curves
                }
            })
        }
        "FilletCurve" => {
            let poly = inputs.mode("mode", "Mode") == "poly";
            let count = if poly { inputs.count("Count", 1.0) + 1.0 } else { 2.0 };
            curves(&|curves| filleted(curves, count, poly))
        }
        "SetSplineResolution" if inputs.selected() => {
            let resolution = inputs.count("Resolution", 1.0);
            curves(&|curves| {
                // Polylines have none.
                let smooth = curves.evaluated > curves.points;
                Curves {
                    evaluated: if smooth {
                        times(curves.segments, resolution) + curves.count
                    } else {
                        curves.evaluated
                    },
                    spans: if smooth {
                        times(curves.segments, resolution)
                    } else {
                        curves.spans
                    },
                    ..curves
                }
            })
        }
        "CurveSplineType" if inputs.selected() => curves(&|curves| typed(curves, inputs)),
        "CurveToMesh" => curve_to_mesh(inputs),
        "FillCurve" => Outcome::geometry(inputs.main().map(|parts| {
            let points = parts.curves.evaluated;
            Parts {
                mesh: Mesh {
                    vertices: points,
                    edges: 2.0 * points,
                    faces: points,
                    corners: 3.0 * points,
                    area: (parts.curves.length / 4.0).powi(2),
                },
                ..Parts::default()
            }
        })),
        "MeshToCurve" => Outcome::geometry(inputs.main().map(|parts| {
            let mesh = parts.mesh;
            // Simple lines stay one curve each; where edges branch, each edge is its own.
            let (lines, points) = if mesh.edges <= mesh.vertices {
                ((mesh.vertices - mesh.edges).max(1.0), mesh.vertices)
            } else {
                (mesh.edges, 2.0 * mesh.edges)
            };
            Parts {
                curves: Curves::poly(lines, points, false, mesh.area.sqrt()),
                ..Parts::default()
            }
        })),
        "EdgePathsToCurves" => Outcome::geometry(inputs.main().map(|parts| Parts {
            curves: Curves::poly(parts.mesh.vertices, parts.mesh.vertices, false, 0.0),
            ..Parts::default()
        })),
        "PointsToCurves" => Outcome::geometry(inputs.main().map(|parts| {
            let points = parts.points;
            // One curve where the group is one number for all.
            let one = inputs.exact("Curve Group ID").constant().is_some();
            let curves = if one { points.min(1.0) } else { points };
            Parts {
                curves: Curves::poly(curves, points, false, 0.0),
                ..Parts::default()
            }
        })),
        "InterpolateCurves" => interpolated(inputs),
        _ => return None,
    })
}

/// Splines of another type.
fn typed(curves: Curves, inputs: &Inputs<'_>) -> Curves {
    if inputs.mode("spline_type", "Spline Type") == "poly" {
        return Curves {
            evaluated: curves.points,
            spans: curves.segments,
            ..curves
        };
    }
    let spans = times(curves.segments, FRESH_RESOLUTION);
    let ends = if curves.closed() { 0.0 } else { curves.count };
    Curves {
        evaluated: spans + ends,
        spans,
        ..curves
    }
}

fn resampled(curves: Curves, mode: &str, inputs: &Inputs<'_>) -> Curves {
    let closed = curves.closed();
    let points = match mode {
        "evaluated" => curves.evaluated,
        "length" => (curves.length / inputs.finest("Length")).min(MAX_COUNT * curves.count) + curves.count,
        _ => times(curves.count, inputs.count("Count", 1.0)),
    };
    Curves::poly(curves.count, points, closed, curves.length)
}

fn filleted(curves: Curves, count: f64, poly: bool) -> Curves {
    // The ends of open curves have no corner.
    let corners = if curves.closed() {
        curves.points
    } else {
        (curves.points - 2.0 * curves.count).max(0.0)
    };
    let points = times(corners, count) + curves.points - corners;
    let mut rounded = Curves::poly(curves.count, points, curves.closed(), curves.length);
    if !poly {
        rounded.evaluated = points * FRESH_RESOLUTION;
        rounded.spans = rounded.evaluated;
    }
    rounded
}

/// Each curve along each profile.
fn curve_to_mesh(inputs: &Inputs<'_>) -> Outcome {
    let linked = inputs.linked("Profile Curve");
    let profile = inputs.geometry("Profile Curve").realised().own.curves;
    Outcome::geometry(inputs.main().map(|parts| {
        let curve = parts.curves;
        let wire = Mesh {
            vertices: curve.evaluated,
            edges: curve.spans,
            ..Mesh::default()
        };
        let tube = Mesh {
            vertices: times(curve.evaluated, profile.evaluated),
            edges: times(curve.spans, profile.evaluated) + times(curve.evaluated, profile.spans),
            faces: times(curve.spans, profile.spans),
            corners: 4.0 * times(curve.spans, profile.spans),
            area: times(curve.length, profile.length),
        };
        Parts {
            mesh: if linked { tube } else { wire },
            curves: Curves::default(),
            ..*parts
        }
    }))
}

/// As many curves as points, each as long as a guide.
fn interpolated(inputs: &Inputs<'_>) -> Outcome {
    let guides = inputs.geometry("Guide Curves").own.curves;
    let points = inputs.geometry("Points");
    let each = guides.points / guides.count.max(1.0);
    let length = guides.length / guides.count.max(1.0);
    Outcome::geometry(points.map(|parts| {
        let count = parts.all_points();
        Parts {
            curves: Curves::poly(count, times(count, each), false, times(count, length)),
            ..Parts::default()
        }
    }))
}
