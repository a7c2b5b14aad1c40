//! The scene within its budget: a context cut to the most relevant parts.

use std::io::{self, Write};

use geonode_graph::documents::context::TreeFocus;
use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, Focus};
use geonode_protocol::inert;
use geonode_text::{Names, write_brief};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cut::cut;

/// Bytes that are reserved in a tree, because making data inert lengthens it.
const TREE_MARGIN: usize = 200;

/// The context within its limit: JSON, and below it the page of the target's tree; and whether something was left out.
pub(crate) fn quoted(context: &Value, catalogue: &Catalogue, limit: usize) -> (String, bool) {
    let view = view(plain(context), catalogue, limit.saturating_sub(TREE_MARGIN));
    let rest = inert(&view.context.to_string());
    let whole = match view.tree {
        Some(tree) => format!("{rest}\n{}", inert(&tree)),
        None => rest,
    };
    (cut(&whole, limit), view.cut || whole.len() > limit)
}

/// Whether a field of an object says nothing.
fn is_usual(key: &str, value: &Value) -> bool {
    match key {
        "scale" => *value == json!([1, 1, 1]),
        "visible" => *value == true,
        "selected" => *value == false,
        _ => false,
    }
}

/// Images that every file has.
const OWN_IMAGES: [&str; 2] = ["Render Result", "Viewer Node"];

/// Digits of a number that a model is shown, besides the first.
const DIGITS: usize = 4;

/// The context without what is as usual: empty lists, fields without a value, and digits that nobody needs. The tree stays as it is.
fn plain(context: &Value) -> Value {
    let Some(map) = context.as_object() else {
        return context.clone();
    };
    let parts = map.iter().filter_map(|(key, value)| {
        let value = match key.as_str() {
            "tree" | "tree_focus" => return Some((key.clone(), value.clone())),
            "units"
                if value.get("system").is_some_and(|system| system == "METRIC")
                    && value.get("scale_length") == Some(&json!(1.0)) =>
            {
                return None;
            }
            "images" => {
                let own = |image: &&Value| !OWN_IMAGES.iter().any(|own| *image == own);
                value.as_array().into_iter().flatten().filter(own).cloned().collect()
            }
            "objects" => value.as_array().into_iter().flatten().map(unusual).collect(),
            _ => shortened(value),
        };
        (!is_nothing(&value)).then(|| (key.clone(), value))
    });
    parts.collect::<serde_json::Map<_, _>>().into()
}

/// An object without what is as usual.
fn unusual(object: &Value) -> Value {
    let Value::Object(map) = shortened(object) else {
        return object.clone();
    };
    let kept = map
        .into_iter()
        .filter(|(key, value)| !is_nothing(value) && !is_usual(key, value));
    let mut object: serde_json::Map<_, _> = kept.collect();
    let modifiers = object.get_mut("modifiers").and_then(Value::as_array_mut);
    for modifier in modifiers.into_iter().flatten().filter_map(Value::as_object_mut) {
        // Whose a tree is decides the planner without a model, not a model.
        modifier.shift_remove("made");
    }
    object.into()
}

fn is_nothing(value: &Value) -> bool {
    value.is_null()
        || value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// The value with numbers of at most [`DIGITS`] digits, and whole ones without a point.
fn shortened(value: &Value) -> Value {
    match value {
        Value::Array(parts) => parts.iter().map(shortened).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, part)| (key.clone(), shortened(part)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(Value::Null, rounded),
        other => other.clone(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a whole number far below the limit of its type"
)]
fn rounded(number: f64) -> Value {
    let rounded = format!("{number:.DIGITS$e}").parse().unwrap_or(number);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        return json!(rounded as i64);
    }
    json!(rounded)
}

/// A context cut to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The context without its tree; `…_left_out` says how many entries of a list are missing.
    pub context: Value,
    /// The page of the target's tree; of a large one, the most relevant nodes.
    pub tree: Option<String>,
    /// Whether something was left out.
    pub cut: bool,
}

/// The part of the context that fits into `limit` bytes of JSON and tree. The tree gets the remaining bytes, and at least half.
pub fn view(mut context: Value, catalogue: &Catalogue, limit: usize) -> View {
    let (tree, focus) = match context.as_object_mut() {
        Some(map) => (map.remove("tree"), map.remove("tree_focus")),
        None => (None, None),
    };
    let Some(bundle) = tree.and_then(|tree| Bundle::deserialize(tree).ok()) else {
        let context = fitted(context, limit);
        let cut = left_out(&context);
        return View {
            context,
            tree: None,
            cut,
        };
    };
    let focus: TreeFocus = focus
        .and_then(|focus| serde_json::from_value(focus).ok())
        .unwrap_or_default();
    let focus = Focus {
        selected: &focus.selected,
        touched: &focus.touched,
    };
    let names = Names::new(catalogue);
    let tree = write_brief(&bundle, &names, focus, limit / 2);
    let context = fitted(context, limit.saturating_sub(tree.text.len()));
    let room = limit.saturating_sub(bytes(&context)).max(limit / 2);
    let tree = write_brief(&bundle, &names, focus, room);
    View {
        cut: left_out(&context) || tree.left_out > 0,
        context,
        tree: Some(tree.text),
    }
}

/// Whether a list says that it was shortened.
fn left_out(context: &Value) -> bool {
    context
        .as_object()
        .is_some_and(|map| map.keys().any(|key| key.ends_with("_left_out")))
}

/// Lists that are shortened first (to 20 entries), and again when objects were not enough.
const LISTS: [&str; 5] = ["images", "materials", "node_groups", "collections", "selection"];
const LENGTHS: [usize; 2] = [5, 0];

/// The context cut to `limit`: long lists first, then objects that are neither active, selected nor the target.
fn fitted(mut context: Value, limit: usize) -> Value {
    let to = |length: usize| LISTS.map(|list| (list, length));
    // A large scene takes long to write, so its size is looked at anew only where something has changed.
    let mut size = bytes(&context);
    let shortened = |context: &mut Value, lists: &[(&str, usize)], size: &mut usize| {
        for (list, length) in lists {
            if *size > limit && shorten(context, list, *length) {
                *size = bytes(context);
            }
        }
    };
    shortened(&mut context, &to(20), &mut size);
    if size > limit {
        cut_objects(&mut context, limit / 2);
        size = bytes(&context);
    }
    for length in LENGTHS {
        shortened(&mut context, &to(length), &mut size);
    }
    if size > limit {
        cut_objects(&mut context, 0);
    }
    context
}

/// The length of a value's text, which is not made.
fn bytes(value: &Value) -> usize {
    struct Counted(usize);
    impl Write for Counted {
        fn write(&mut self, part: &[u8]) -> io::Result<usize> {
            self.0 += part.len();
            Ok(part.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    // Neither a value nor counting fails.
    serde_json::to_writer(&mut counted, value).unwrap_or_default();
    counted.0
}

/// Keeps the first entries of a list and records how many were left out; returns whether some were.
fn shorten(context: &mut Value, list: &str, length: usize) -> bool {
    let Some(map) = context.as_object_mut() else {
        return false;
    };
    let Some(items) = map.get_mut(list).and_then(Value::as_array_mut) else {
        return false;
    };
    let gone = items.len().saturating_sub(length);
    items.truncate(length);
    if gone > 0 {
        let key = format!("{list}_left_out");
        let before = map.get(&key).and_then(Value::as_u64).unwrap_or_default();
        map.insert(key, json!(before + gone as u64));
    }
    gone > 0
}

/// Keeps the objects that fit: the active one, the target and selected ones first.
fn cut_objects(context: &mut Value, limit: usize) {
    let keep: Vec<Value> = ["active_object", "target_object"]
        .iter()
        .filter_map(|key| context.get(*key).cloned())
        .collect();
    let Some(objects) = context.get_mut("objects").and_then(Value::as_array_mut) else {
        return;
    };
    let all = objects.len();
    objects.sort_by_cached_key(|object| {
        let is_selected = object.get("selected").and_then(Value::as_bool) == Some(true);
        !(is_selected || object.get("name").is_some_and(|name| keep.contains(name)))
    });
    let mut left = limit;
    objects.retain(|object| {
        if left == 0 {
            return false;
        }
        let cost = bytes(object);
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    let gone = all - objects.len();
    if gone > 0
        && let Some(map) = context.as_object_mut()
    {
        let before = map.get("objects_left_out").and_then(Value::as_u64).unwrap_or_default();
        map.insert("objects_left_out".into(), json!(before + gone as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_usual_is_not_shown() {
        let context = json!({
            "units": {"system": "METRIC", "scale_length": 1.0, "length": "METERS"}, "target_modifier": null, "images": ["Render Result", "Rust"],
            "objects": [
                {"name": "Cube", "type": "MESH", "location": [0.0, 1.234_567_8, -1e-30], "scale": [1.0, 1.0, 1.0], "visible": true,
                 "selected": false, "modifiers": [], "dimensions": [2.0, 2.0, 1_234_567.8]},
                {"name": "Tall", "type": "MESH", "scale": [1.0, 1.0, 2.5], "visible": false, "selected": true,
                 "modifiers": [{"name": "Rocks", "made": {"as_left": true, "by": "5802563c"}}]},
            ],
            "tree": {"ir": 1.0},
        });
        let wanted = json!({
            "images": ["Rust"],
            "objects": [
                {"name": "Cube", "type": "MESH", "location": [0, 1.2346, -1e-30], "dimensions": [2, 2, 1_234_600]},
                {"name": "Tall", "type": "MESH", "scale": [1, 1, 2.5], "visible": false, "selected": true, "modifiers": [{"name": "Rocks"}]},
            ],
            "tree": {"ir": 1.0},
        });
        assert_eq!(plain(&context), wanted);
        let feet = json!({"units": {"system": "IMPERIAL", "scale_length": 1.0}});
        assert_eq!(plain(&feet)["units"]["system"], "IMPERIAL");
    }
}
