//! The curve of an object that shows more than its curve by now: what earlier results made of it.
//!
//! A preset that works on a curve gets what the modifiers above it leave. Results of presets hand the curve on where their input says so; of anything else
//! only the evaluated result tells whether a curve is left.

use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::{Context, SceneObject};
use geonode_protocol::Code;
use serde_json::{Value, json};

use crate::handing_on::{KEEP, Way, is_curve, way};
use crate::library::{Entry, Library};
use crate::page::title;
use crate::refusal::Refusal;
use crate::roles::Thing;
use crate::template::Read;

/// What a new result on the curve of an object needs first.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Steps that let earlier results hand the curve on.
    pub(crate) steps: Vec<Value>,
    /// What is not known.
    pub(crate) remarks: Vec<String>,
}

/// How a result gets the curves that it works on; `reused` where it changes one that has them.
pub(crate) fn left(read: &Read, object: &SceneObject, context: &Context, reused: bool) -> Result<Left, Refusal> {
    let (entry, library) = (read.entry, read.library);
    let mut left = Left::default();
    if !(reused || read.cast.makes || entry.preset.is_whole()) {
        of_target(entry, object, library, &mut left)?;
    }
    if let Some(Thing::Object(name)) = &read.cast.thing
        && let Some(other) = context.object(name)
    {
        of_thing(entry, other, library, &mut left)?;
    }
    Ok(left)
}

fn stopped(entry: &Entry, object: &SceneObject, modifier: &Modifier) -> Refusal {
    let (name, by, preset) = (&object.name, &modifier.name, &entry.preset.title);
    Refusal::new(
        Code::WrongObjectKind,
        format!(
            "{preset} works on a curve, and of “{name}” its modifier “{by}” leaves none. Nothing was changed. Duplicate “{name}”, remove “{by}” from the duplicate, and ask for it there."
        ),
    )
}

/// How a new result of the preset gets the curve of an object that shows earlier results.
fn of_target(entry: &Entry, object: &SceneObject, library: &Library, left: &mut Left) -> Result<(), Refusal> {
    if !is_curve(&entry.preset.target.kinds) {
        return Ok(());
    }
    let hands_on = entry.preset.parameter(KEEP).is_none();
    let shown = object.result.as_ref().map(|result| result.curves.unwrap_or(0) > 0);
    let mut taken = false;
    for modifier in &object.modifiers {
        match (way(modifier, library), shown) {
            (Way::Passes, _) => {}
            // What is made from the whole curve would stay as it is, and show another curve inside.
            (Way::CanPass, _) if hands_on => return Err(made_from_it(entry, object, modifier)),
            (Way::CanPass, _) => {
                taken = true;
                left.steps.push(json!({
                    "id": format!("{}_curve", entry.preset.id),
                    "type": "GN_OPS",
                    "description": format!("Let “{}” hand its curve on", modifier.name),
                    "payload": {
                        "v": 1,
                        "target": {"object_name": object.name, "modifier_name": modifier.name},
                        "ops": [{"op": "set_modifier_input", "name": title(KEEP), "value": true}],
                    },
                }));
            }
            (Way::Unknown, Some(true)) if !taken => {}
            (Way::Unknown, None) if !taken => left.remarks.push(unknown(object, modifier)),
            (Way::Stops | Way::Unknown, _) => return Err(stopped(entry, object, modifier)),
        }
    }
    Ok(())
}

/// Whether the object that the target follows shows a curve.
fn of_thing(entry: &Entry, object: &SceneObject, library: &Library, left: &mut Left) -> Result<(), Refusal> {
    let kinds = entry
        .preset
        .thing
        .as_ref()
        .map_or(&[][..], |role| role.kinds.as_slice());
    if !is_curve(kinds) {
        return Ok(());
    }
    let shown = object.result.as_ref().map(|result| result.curves.unwrap_or(0) > 0);
    for modifier in &object.modifiers {
        match (way(modifier, library), shown) {
            (Way::Passes, _) | (Way::Unknown, Some(true)) => {}
            (Way::Unknown, None) => left.remarks.push(unknown(object, modifier)),
            _ => return Err(stopped(entry, object, modifier)),
        }
    }
    Ok(())
}

fn unknown(object: &SceneObject, modifier: &Modifier) -> String {
    format!(
        "Whether “{}” leaves a curve of “{}” is not known; where it leaves none, nothing is made.",
        modifier.name, object.name
    )
}

fn made_from_it(entry: &Entry, object: &SceneObject, modifier: &Modifier) -> Refusal {
    let (name, by, preset) = (&object.name, &modifier.name, &entry.preset.title);
    Refusal::new(
        Code::WrongObjectKind,
        format!(
            "“{by}” was made from the whole curve of “{name}”, and {preset} behind it would not change that. Nothing was changed. Undo “{by}”, ask for {preset}, and then for “{by}” again."
        ),
    )
}
