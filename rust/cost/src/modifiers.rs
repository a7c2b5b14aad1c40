//! Estimates modifiers that multiply an object's own data, by their numbers alone: used while a script builds a stack, before Blender
//! evaluates it, since evaluation cannot be stopped.

use geonode_protocol::SCRIPT_ITEMS;
use serde::{Deserialize, Serialize};

use crate::foreign::HARD;

/// Most elements that a stack may create: half of what a script may ask for, since evaluating holds the state before and after a modifier.
const BEARABLE: f64 = SCRIPT_ITEMS / 2.0;
/// Result for modifiers that take too long although they create little.
const TOO_LONG: f64 = SCRIPT_ITEMS * 3.0;
/// Vertices under a skin modifier, which takes a second for some thousands of them.
const LARGEST_SKIN: f64 = 5_000.0;
/// Elements that a bevel may add, which takes five seconds for these.
const LARGEST_BEVEL: f64 = 1e6;
/// Faces of both sides of a boolean, whose time grows faster than they do.
const LARGEST_BOOLEAN: f64 = 400_000.0;
/// Elements times iterations of a smoothing modifier.
const LARGEST_SMOOTHING: f64 = SCRIPT_ITEMS * 10.0;
/// Resolution of an ocean.
const FINEST_OCEAN: f64 = 64.0;

/// An object and its modifiers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stack {
    /// Faces of the object's own mesh, or half of its vertices if that is more.
    pub elements: f64,
    /// Longest side of the object's own data, which only a remesh needs.
    #[serde(default)]
    pub extent: f64,
    /// In the order of evaluation.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
}

/// The properties of a modifier that multiplies geometry, by their names in Blender.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(missing_docs, reason = "the names are Blender's")]
pub enum Modifier {
    #[serde(alias = "MULTIRES")]
    Subsurf {
        levels: f64,
    },
    Array {
        fit_type: String,
        count: f64,
    },
    Screw {
        steps: f64,
        iterations: f64,
    },
    Mirror {
        use_axis: Vec<bool>,
    },
    Solidify,
    Wireframe,
    Bevel {
        limit_method: String,
        segments: f64,
    },
    /// `elements`: of the object that it is combined with.
    Boolean {
        elements: f64,
    },
    #[serde(alias = "LAPLACIANSMOOTH", alias = "CORRECTIVE_SMOOTH")]
    Smooth {
        iterations: f64,
    },
    Skin,
    Ocean {
        resolution: f64,
        viewport_resolution: f64,
        #[serde(default)]
        geometry_mode: String,
        #[serde(default)]
        repeat_x: f64,
        #[serde(default)]
        repeat_y: f64,
    },
    Remesh {
        mode: String,
        voxel_size: f64,
    },
    /// Any modifier that multiplies nothing.
    #[serde(other)]
    Other,
}

/// The result of a stack.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Multiplied {
    /// At its end, or at the modifier that is too much.
    pub elements: f64,
    /// Whether it is more than Blender can handle.
    pub excessive: bool,
}

/// Follows a stack to its end, or to the first modifier that creates more than Blender can handle.
pub fn multiplied(stack: &Stack) -> Multiplied {
    let (mut elements, mut wider) = (stack.elements, 1.0);
    for modifier in &stack.modifiers {
        let Some(made) = result(modifier, stack, elements, &mut wider) else {
            continue;
        };
        elements = made;
        if elements > BEARABLE {
            let excessive = true;
            return Multiplied { elements, excessive };
        }
    }
    Multiplied {
        elements,
        excessive: false,
    }
}

/// Number of elements after one modifier; `None` if it does not multiply. `wider`: ratio of the object's extent to that of its own data.
fn result(modifier: &Modifier, stack: &Stack, given: f64, wider: &mut f64) -> Option<f64> {
    let unless = |too_long: bool| if too_long { TOO_LONG } else { given };
    Some(match modifier {
        Modifier::Subsurf { levels } => given * 4_f64.powf(levels.max(0.0)),
        Modifier::Array { fit_type, count } => {
            let copies = if fit_type == "FIXED_COUNT" { count.max(1.0) } else { 1.0 };
            *wider *= copies;
            given * copies
        }
        Modifier::Screw { steps, iterations } => given * steps.max(1.0) * iterations.max(1.0),
        Modifier::Mirror { use_axis } => use_axis
            .iter()
            .filter(|on| **on)
            .fold(given, |elements, _| elements * 2.0),
        Modifier::Solidify => given * 2.0,
        Modifier::Wireframe => given * 8.0,
        Modifier::Bevel { limit_method, segments } => {
            // A grid for each edge and corner; a mesh of many faces is smooth, and few of its edges are hard.
            let is_partial = matches!(limit_method.as_str(), "ANGLE" | "WEIGHT" | "VGROUP");
            let rounded = if is_partial { given.min(HARD) } else { given };
            let added = rounded * ((segments.max(1.0) + 1.0).powi(2) - 1.0);
            if added > LARGEST_BEVEL { TOO_LONG } else { given + added }
        }
        Modifier::Boolean { elements } => unless(stack.elements + elements > LARGEST_BOOLEAN),
        Modifier::Smooth { iterations } => unless(given * iterations > LARGEST_SMOOTHING),
        Modifier::Skin if given > LARGEST_SKIN => TOO_LONG,
        Modifier::Ocean {
            resolution,
            viewport_resolution,
            ..
        } if resolution.max(*viewport_resolution) > FINEST_OCEAN => TOO_LONG,
        Modifier::Ocean {
            resolution,
            viewport_resolution,
            geometry_mode,
            repeat_x,
            repeat_y,
        } if geometry_mode == "GENERATE" => {
            // Each side has the square of the resolution.
            resolution.max(*viewport_resolution).powi(4) * repeat_x.max(1.0) * repeat_y.max(1.0)
        }
        Modifier::Remesh { mode, voxel_size } if mode == "VOXEL" => {
            // Number of voxel faces on the six sides of a cube of this extent.
            6.0 * (stack.extent * *wider / voxel_size.max(1e-9)).powi(2)
        }
        Modifier::Skin | Modifier::Ocean { .. } | Modifier::Remesh { .. } | Modifier::Other => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(elements: f64, modifiers: &serde_json::Value) -> Multiplied {
        let stack = json!({"elements": elements, "extent": 2.0, "modifiers": modifiers});
        multiplied(&serde_json::from_value(stack).unwrap())
    }

    #[test]
    fn each_type_multiplies_by_its_numbers() {
        let cases = [
            (json!([{"type": "SUBSURF", "levels": 3}]), 64.0),
            (json!([{"type": "MULTIRES", "levels": 2}]), 16.0),
            (json!([{"type": "ARRAY", "fit_type": "FIXED_COUNT", "count": 10}]), 10.0),
            (json!([{"type": "ARRAY", "fit_type": "FIT_CURVE", "count": 10}]), 1.0),
            (json!([{"type": "SCREW", "steps": 16, "iterations": 2}]), 32.0),
            (json!([{"type": "MIRROR", "use_axis": [true, false, true]}]), 4.0),
            (json!([{"type": "SOLIDIFY"}, {"type": "WIREFRAME"}]), 16.0),
            (json!([{"type": "BEVEL", "limit_method": "NONE", "segments": 4}]), 25.0),
            (json!([{"type": "BEVEL", "limit_method": "ANGLE", "segments": 4}]), 25.0),
            (json!([{"type": "REMESH", "mode": "VOXEL", "voxel_size": 1.0}]), 24.0),
            (
                json!([{"type": "ARRAY", "fit_type": "FIXED_COUNT", "count": 2}, {"type": "REMESH", "mode": "VOXEL", "voxel_size": 1.0}]),
                96.0,
            ),
            (json!([{"type": "WAVE", "speed": 3}, {"type": "SKIN"}]), 1.0),
        ];
        for (modifiers, elements) in cases {
            let excessive = false;
            assert_eq!(of(1.0, &modifiers), Multiplied { elements, excessive }, "{modifiers}");
        }
    }

    #[test]
    fn an_excessive_modifier_ends_the_stack() {
        let cases = [
            (
                6.0,
                json!([{"type": "SUBSURF", "levels": 10}, {"type": "REMESH", "mode": "VOXEL", "voxel_size": 1.0}]),
            ),
            (5_001.0, json!([{"type": "SKIN"}])),
            (
                6.0,
                json!([{"type": "BEVEL", "limit_method": "ANGLE", "segments": 500}]),
            ),
            (
                6_000.0,
                json!([{"type": "BEVEL", "limit_method": "NONE", "segments": 20}]),
            ),
            (200_000.0, json!([{"type": "BOOLEAN", "elements": 200_001}])),
            (100_001.0, json!([{"type": "SMOOTH", "iterations": 1000}])),
            (
                1.0,
                json!([{"type": "OCEAN", "resolution": 8, "viewport_resolution": 65}]),
            ),
            (
                1.0,
                json!([{"type": "OCEAN", "resolution": 7, "viewport_resolution": 7, "geometry_mode": "GENERATE", "repeat_x": 100, "repeat_y": 100}]),
            ),
        ];
        for (elements, modifiers) in cases {
            assert!(of(elements, &modifiers).excessive, "{modifiers}");
        }
        // An object that is large by itself is the artist's own.
        assert!(!of(1e9, &json!([{"type": "WAVE"}])).excessive);
    }
}
