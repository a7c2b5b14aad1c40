//! Whether modifiers hand on the curve that they get. Results of presets that show something else in its place have an input for it.

use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::SceneObject;
use serde_json::Value;

use crate::library::{Library, preset_of};
use crate::page::title;
use crate::preset::Role;

/// The parameter that lets a result show the curve that it was made from.
pub(crate) const KEEP: &str = "keep_curve";

/// Whether a role is that of a curve.
pub(crate) fn is_curve(kinds: &[String]) -> bool {
    !kinds.is_empty() && kinds.iter().all(|kind| kind.starts_with("CURVE"))
}

/// What a modifier does with the curve.
pub(crate) enum Way {
    /// It hands it on.
    Passes,
    /// It does not, but does so if it is told to.
    CanPass,
    /// It does not.
    Stops,
    /// Nobody knows.
    Unknown,
}

/// What a modifier does with the curve, as far as the scene tells.
pub(crate) fn way(modifier: &Modifier, library: &Library) -> Way {
    let Some(group) = modifier.node_group.as_deref() else {
        return if modifier.kind == "NODES" {
            Way::Passes
        } else {
            Way::Stops
        };
    };
    let Some(entry) = preset_of(&library.entries, group).filter(|_| !modifier.lapsed) else {
        return Way::Unknown;
    };
    let Role { kinds, own, copies, .. } = &entry.preset.target;
    if !(*own && is_curve(kinds)) {
        return if *own || *copies { Way::Passes } else { Way::Unknown };
    }
    if entry.preset.parameter(KEEP).is_none() {
        return Way::Passes;
    }
    // Of an object that is not active its values are not known.
    match modifier.values.as_ref().map(|values| values.get(&title(KEEP))) {
        Some(Some(Value::Bool(true))) => Way::Passes,
        // A result of before there was the input.
        Some(None) => Way::Stops,
        _ => Way::CanPass,
    }
}

/// Whether the object shows something else where its curve was.
pub(crate) fn is_taken(object: &SceneObject, library: &Library) -> bool {
    let mut ways = object.modifiers.iter().map(|modifier| way(modifier, library));
    ways.any(|way| matches!(way, Way::CanPass | Way::Stops))
}
