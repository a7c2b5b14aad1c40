//! Which side of a thing a size is said of: “1 m high” is no largest side of a crate that is wider than high.

use serde_json::Value;

use crate::expr::Scope;
use crate::preset::{Parameter, ParameterKind};

/// Parameters of things that are scaled by their largest side, beside those that say that they size things.
const SIZES: [&str; 2] = ["size_min", "size_max"];
const HEIGHT: [&str; 8] = [
    "high", "tall", "height", "heights", "higher", "taller", "lower", "shorter",
];
const WIDTH: [&str; 5] = ["wide", "width", "across", "diameter", "broad"];

/// How many times the side that is meant goes into the largest one; 1 for what is no size of things.
pub(crate) fn factor(parameter: &Parameter, words: &str, scope: &Scope) -> f64 {
    let is_size = parameter.sizes_things || SIZES.contains(&parameter.name.as_str());
    if !is_size || parameter.kind != ParameterKind::Length {
        return 1.0;
    }
    let words = words.to_lowercase();
    let says = |list: &[&str]| words.split_whitespace().any(|word| list.contains(&word));
    let sides = scope.get("thing.dims").and_then(Value::as_array);
    let sides: Vec<f64> = sides.into_iter().flatten().filter_map(Value::as_f64).collect();
    let [x, y, z] = *sides.as_slice() else { return 1.0 };
    let meant = match (says(&HEIGHT), says(&WIDTH)) {
        (true, false) => z,
        (false, true) => x.max(y),
        _ => return 1.0,
    };
    let largest = x.max(y).max(z);
    if meant > 1e-9 { largest / meant } else { 1.0 }
}
