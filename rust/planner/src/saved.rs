//! Presets of the user: trees of a file, written in the form of the presets that ship and read by the same strict reader.
//!
//! Their page holds whole groups as tree text, so nothing in such a file is ever executed. A preset is one file; which files there are, and
//! where, is the host's affair.

use std::collections::HashMap;

use geonode_graph::documents::Context;
use geonode_protocol::Code;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::build::build;
pub use crate::draft::{Draft, DraftInput, ROOT, id};
use crate::library::{Entry, Library};
use crate::naming::About;
use crate::preset::{Makes, Parameter, ParameterKind, Unnamed};
use crate::refusal::{DataError, Refusal};
use crate::roles::{self, Cast, Number, Thing};
use crate::template::Read;
use crate::values::PromptValue;
pub use crate::whole::PresetFile;

/// A parameter as interfaces show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownParameter {
    /// Its name in values and files.
    pub name: String,
    /// Its name for the artist.
    pub title: String,
    /// `count`, `length`, `angle`, `turns`, `factor`, `seed`, `choice`, `bool`, `object`, `collection` or `value`.
    pub kind: String,
    /// `m`, `°` or nothing: the unit of `default`, `hard` and `advised`, and of the values that scripts give.
    pub unit: &'static str,
    /// What its input does.
    pub description: Option<String>,
    /// The value that is used if none is given; null if it follows from the target.
    pub default: Value,
    /// Values outside are refused.
    pub hard: Option<[f64; 2]>,
    /// Values outside are used with a warning.
    pub advised: Option<[f64; 2]>,
    /// The names of the values of a choice.
    pub options: Vec<String>,
}

/// A preset as interfaces show it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// Its ID: the name of its file without the ending.
    pub id: String,
    /// Its name for the artist.
    pub title: String,
    /// What it does, in one sentence.
    pub description: String,
    /// A prompt that it fits.
    pub example: String,
    /// The first version of Blender that has its nodes.
    pub since: Option<[u32; 2]>,
    /// Types of objects that it can be applied to; empty means any with geometry.
    pub targets: Vec<String>,
    /// The parameters that can be set.
    pub parameters: Vec<ShownParameter>,
    /// Whether it needs a second object that only the artist can choose.
    pub asks: bool,
    /// Whether it makes an object of its own where there is none.
    pub makes: bool,
    /// Whether the user saved or imported it.
    pub own: bool,
}

/// A file of the user's that is not a preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unfit {
    /// The file's name.
    pub file: String,
    /// `preset_invalid`.
    pub code: Code,
    /// The place and the cause.
    pub message: String,
}

/// All presets, those that ship first, and the user's files that are none.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn list(own: &[PresetFile]) -> Result<(Vec<Shown>, Vec<Unfit>), DataError> {
    let shipped = Library::get()?;
    let library = Library::with(own)?;
    let mut all: Vec<Shown> = Vec::new();
    for (at, entry) in library.entries.iter().enumerate() {
        all.push(shown(entry, at >= shipped.entries.len()));
    }
    let is_there = |file: &PresetFile| all.iter().any(|one| one.own && format!("{}.toml", one.id) == file.name);
    let unfit = own.iter().filter(|file| !is_there(file));
    let unfit = unfit
        .map(|file| {
            let cause = shipped.check(file).err().map(|error| error.to_string());
            Unfit {
                file: file.name.clone(),
                code: Code::PresetInvalid,
                message: cause.unwrap_or_else(|| format!("{}: another preset has this title or file name", file.name)),
            }
        })
        .collect();
    Ok((all, unfit))
}

/// What a file holds.
///
/// # Errors
/// `preset_invalid` with the field and the cause.
pub fn check(file: &PresetFile) -> Result<Shown, DataError> {
    Ok(shown(&Library::get()?.check(file)?, true))
}

fn shown(entry: &Entry, own: bool) -> Shown {
    let preset = &entry.preset;
    Shown {
        id: preset.id.clone(),
        title: preset.title.clone(),
        description: preset.description.clone(),
        example: preset.examples.first().cloned().unwrap_or_default(),
        since: preset.since,
        targets: preset.target.kinds.clone(),
        parameters: entry
            .slots
            .iter()
            .filter_map(|slot| parameter(&slot.parameter, &slot.options))
            .collect(),
        asks: matches!(preset.thing.as_ref().map(|thing| thing.unnamed), Some(Unnamed::Ask)),
        makes: preset.target.makes != Makes::Never && preset.thing.is_none(),
        own,
    }
}

/// A parameter that can be set; `None` for what is only computed, or stands for several others.
fn parameter(parameter: &Parameter, options: &[(String, Value, Vec<crate::phrase::Phrase>)]) -> Option<ShownParameter> {
    let (kind, unit) = match parameter.kind {
        ParameterKind::Count => ("count", ""),
        ParameterKind::Length => ("length", "m"),
        ParameterKind::Angle => ("angle", "°"),
        ParameterKind::Turns => ("turns", ""),
        ParameterKind::Factor => ("factor", ""),
        ParameterKind::Seed => ("seed", ""),
        ParameterKind::Text => ("text", ""),
        ParameterKind::Choice => ("choice", ""),
        ParameterKind::Bool => ("bool", ""),
        ParameterKind::Object => ("object", ""),
        ParameterKind::Collection => ("collection", ""),
        ParameterKind::Value => ("value", ""),
        ParameterKind::Range | ParameterKind::Sides | ParameterKind::Values | ParameterKind::Derived => return None,
    };
    let constant = match &parameter.default {
        value if parameter.kind == ParameterKind::Value => value.clone(),
        value @ (Value::Number(_) | Value::Bool(_)) => value.clone(),
        Value::Array(parts) if parts.len() == 2 && parts.first() == Some(&json!("'")) => {
            parts.get(1).cloned().unwrap_or(Value::Null)
        }
        _ => Value::Null,
    };
    Some(ShownParameter {
        name: parameter.name.clone(),
        title: parameter.title.clone(),
        kind: kind.to_owned(),
        unit,
        description: parameter.description.clone(),
        default: constant,
        hard: parameter.hard,
        advised: parameter.advised,
        options: options.iter().map(|(key, _, _)| key.clone()).collect(),
    })
}

/// What is to be applied.
#[derive(Debug, Clone, Default)]
pub struct Wanted<'w> {
    /// The preset's ID.
    pub id: &'w str,
    /// Values by parameter, in the units of [`ShownParameter`].
    pub values: Map<String, Value>,
    /// Presets of the user.
    pub own: &'w [PresetFile],
}

/// The plan that applies a preset to the object that the context is about. It always makes a new result.
///
/// # Errors
/// A [`Refusal`]: `unknown_preset`, `invalid_argument` or `out_of_range` for a value, or as [`crate::offline::plan`].
pub fn plan(wanted: &Wanted<'_>, context: &Context) -> Result<Value, Refusal> {
    let library = Library::with(wanted.own)?;
    let entry = library
        .entries
        .iter()
        .find(|entry| entry.preset.id == wanted.id)
        .ok_or_else(|| Refusal::new(Code::UnknownPreset, format!("There is no preset “{}”.", wanted.id)))?;
    let mut remarks = Vec::new();
    let mut thing = None;
    let mut values: HashMap<String, PromptValue> = HashMap::new();
    for (name, value) in &wanted.values {
        let known = entry.slots.iter().find(|slot| slot.parameter.name == *name);
        let Some(slot) = known.filter(|slot| parameter(&slot.parameter, &slot.options).is_some()) else {
            return Err(no_parameter(entry, name));
        };
        match (slot.parameter.kind, value) {
            (ParameterKind::Object, Value::String(name)) => thing = Some(Thing::Object(name.clone())),
            (ParameterKind::Collection, Value::String(name)) => thing = Some(Thing::Collection(name.clone())),
            _ => {
                values.insert(name.clone(), given(&slot.parameter, &slot.options, value)?);
            }
        }
    }
    if let Some(role) = &entry.preset.thing
        && thing.is_none()
    {
        thing = Some(match role.unnamed {
            Unnamed::Itself => Thing::Itself,
            Unnamed::Ask => {
                let message = format!(
                    "{} needs a second object. Choose it, then apply the preset again.",
                    entry.preset.title
                );
                return Err(Refusal::new(Code::InvalidArgument, message));
            }
            Unnamed::Shape => {
                remarks.push("Nothing to place is chosen, so built-in cubes are used.".to_owned());
                Thing::Shape("cube".to_owned(), None)
            }
        });
    }
    let target = roles::fitting(context, &entry.preset.target.kinds)?;
    let read = Read {
        entry,
        library: &library,
        cast: Cast {
            target,
            makes: false,
            named: true,
            thing,
            number: Number::One,
            kept: false,
            used: Vec::new(),
            remarks: Vec::new(),
        },
        values,
        shifts: HashMap::new(),
        sources: HashMap::new(),
        remarks,
        unused: Vec::new(),
        counted: None,
        compared: false,
    };
    build(&read, context, About::New("")).map(|planned| planned.plan)
}

fn no_parameter(entry: &Entry, name: &str) -> Refusal {
    let all = entry
        .slots
        .iter()
        .filter_map(|slot| parameter(&slot.parameter, &slot.options));
    let names: Vec<String> = all.map(|one| one.name).collect();
    Refusal::new(
        Code::InvalidArgument,
        format!(
            "The preset {} has no parameter “{name}”. It has: {}.",
            entry.preset.title,
            names.join(", ")
        ),
    )
}

/// A given value in the units of prompts.
fn given(
    parameter: &Parameter,
    options: &[(String, Value, Vec<crate::phrase::Phrase>)],
    value: &Value,
) -> Result<PromptValue, Refusal> {
    let wrong = |what: &str| {
        Refusal::new(
            Code::InvalidArgument,
            format!("{} cannot be {value}: it needs {what}.", parameter.title),
        )
    };
    match parameter.kind {
        ParameterKind::Bool => value
            .as_bool()
            .map(PromptValue::Bool)
            .ok_or_else(|| wrong("true or false")),
        ParameterKind::Value => Ok(PromptValue::Choice(String::new(), value.clone())),
        ParameterKind::Choice => {
            let named = options.iter().find(|(key, _, _)| value.as_str() == Some(key));
            let keys: Vec<&str> = options.iter().map(|(key, _, _)| key.as_str()).collect();
            named
                .map(|(key, option, _)| PromptValue::Choice(key.clone(), option.clone()))
                .ok_or_else(|| wrong(&format!("one of {}", keys.join(", "))))
        }
        kind => {
            let number = value
                .as_f64()
                .filter(|n| n.is_finite())
                .ok_or_else(|| wrong("a number"))?;
            if matches!(kind, ParameterKind::Count | ParameterKind::Seed) && number.fract() != 0.0 {
                return Err(wrong("a whole number"));
            }
            if let Some([low, high]) = parameter.hard
                && !(low..=high).contains(&number)
            {
                let message = format!("{} is {number}, but must be from {low} to {high}.", parameter.title);
                return Err(Refusal::new(Code::OutOfRange, message));
            }
            Ok(PromptValue::Number(if kind == ParameterKind::Angle {
                number.to_radians()
            } else {
                number
            }))
        }
    }
}

/// The plan of a file in a small scene of this Blender, for example `5.2.3`, for a check of its page.
///
/// # Errors
/// As [`plan`].
pub fn trial(file: &PresetFile, blender: &str) -> Result<Value, Refusal> {
    let shown = check(file)?;
    let id = id(&shown.title);
    let own = [PresetFile {
        name: format!("{id}.toml"),
        text: file.text.clone(),
    }];
    let mut context = crate::example::scene().unwrap_or_default();
    for (place, number) in context.blender.iter_mut().zip(blender.split('.')) {
        *place = number.parse().unwrap_or(0);
    }
    let fits = |kind: &String| shown.targets.is_empty() || shown.targets.contains(kind);
    context.target_object = context
        .objects
        .iter()
        .find(|object| fits(&object.kind))
        .map(|object| object.name.clone());
    let wanted = Wanted {
        id: &id,
        values: Map::new(),
        own: &own,
    };
    plan(&wanted, &context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plane as context;

    fn draft() -> Draft {
        Draft {
            title: "Mossy Stones".into(),
            blender: [4, 2],
            words: vec!["pebble carpet".into()],
            inputs: vec![
                DraftInput {
                    word: "height".into(),
                    name: "Height".into(),
                    socket: "Float".into(),
                    subtype: Some("DISTANCE".into()),
                    description: "How \"high\"".into(),
                    value: json!(0.5),
                    range: [Some(0.0), None],
                },
                DraftInput {
                    word: "tint".into(),
                    name: "Tint".into(),
                    socket: "Color".into(),
                    value: json!([1.0, 0.5, 0.0, 1.0]),
                    ..DraftInput::default()
                },
            ],
            page: "def group(geometry: Geometry, height: Distance = 0.5, tint: Color = (1.0, 0.5, 0.0, 1.0)) -> Geometry:\n    settings(name=\"{group}\")\n    moved = transform_geometry(geometry, translation=combine_xyz(z=height))\n    painted = set_material(moved, material=data.material(\"Moss\"))\n    return painted\n".into(),
            ..Draft::default()
        }
    }

    fn file(draft: &Draft) -> PresetFile {
        PresetFile {
            name: format!("{}.toml", id(&draft.title)),
            text: draft.text(0.01),
        }
    }

    #[test]
    fn a_saved_tree_is_read_back_listed_and_found_by_its_words() {
        let file = file(&draft());
        let shown = check(&file).unwrap();
        assert_eq!(
            (shown.id.as_str(), shown.title.as_str()),
            ("mossy_stones", "Mossy Stones")
        );
        let [height, tint] = shown.parameters.as_slice() else {
            panic!("{shown:?}")
        };
        assert_eq!(
            (&height.default, height.hard, height.unit),
            (&json!(0.005), Some([0.0, 1e9]), "m")
        );
        assert_eq!(
            (tint.kind.as_str(), &tint.default),
            ("value", &json!([1.0, 0.5, 0.0, 1.0]))
        );
        let own = [file];
        let (all, unfit) = list(&own).unwrap();
        assert!(all.last().is_some_and(|one| one.own && one.id == "mossy_stones") && unfit.is_empty());
        for prompt in ["mossy stones on the plane", "pebble carpet on the plane, height 3 cm"] {
            let options = crate::offline::Options {
                presets: own.to_vec(),
                ..Default::default()
            };
            let plan = crate::offline::plan(prompt, &context(), &options).unwrap();
            let page = plan.pointer("/steps/0/payload/text").and_then(Value::as_str).unwrap();
            assert!(
                page.contains("settings(name=\"Mossy Stones\")") && page.contains("material=None"),
                "{page}"
            );
            let told = plan.get("final_message").and_then(Value::as_str).unwrap();
            assert!(told.contains("left empty: material “Moss”"), "{told}");
            assert_eq!(page.contains("\"height\": 3.0"), prompt.contains("3 cm"), "{page}");
            assert!(crate::offline::plan(prompt, &context(), &crate::offline::Options::default()).is_err());
        }
    }

    #[test]
    fn values_are_checked_before_anything_is_planned() {
        let own = [file(&draft())];
        let refused = |id: &str, values: Value| {
            let values = values.as_object().cloned().unwrap_or_default();
            plan(&Wanted { id, values, own: &own }, &context()).unwrap_err().code
        };
        assert_eq!(refused("nothing", json!({})), Code::UnknownPreset);
        assert_eq!(refused("mossy_stones", json!({"width": 1})), Code::InvalidArgument);
        assert_eq!(
            refused("mossy_stones", json!({"height": "high"})),
            Code::InvalidArgument
        );
        assert_eq!(refused("mossy_stones", json!({"height": -1})), Code::OutOfRange);
        assert_eq!(refused("grid", json!({"rows": 2.5})), Code::InvalidArgument);
        assert_eq!(refused("boolean", json!({})), Code::InvalidArgument);
        assert!(list(&own).unwrap().0.iter().any(|one| one.asks && one.id == "boolean"));
        let made = plan(
            &Wanted {
                id: "mossy_stones",
                values: json!({"height": 2}).as_object().cloned().unwrap(),
                own: &own,
            },
            &context(),
        );
        assert!(made.unwrap().to_string().contains("\\\"height\\\": 200.0"));
    }

    #[test]
    fn a_wrong_file_is_refused_with_its_field() {
        let text = draft().text(1.0);
        let cases = [
            ("preset = 1", "preset = 2", "/preset"),
            ("title = \"Mossy Stones\"", "title = \"Scatter\"", "/title"),
            ("title = \"Mossy Stones\"", "title = \"Mossy {target}\"", "/title"),
            ("[concepts]", "script = \"import os\"\n[concepts]", "script"),
            ("kind = \"length\"", "kind = \"wide\"", "wide"),
            ("{group}", "Scatter", "/plan/page"),
            ("all = [\"title\"]", "all = [\"name\"]", "/concepts/name"),
        ];
        for (old, new, place) in cases {
            let changed = text.replacen(old, new, 1);
            assert_ne!(changed, text, "{old}");
            let own = PresetFile {
                name: "mossy_stones.toml".into(),
                text: changed,
            };
            let error = check(&own).unwrap_err().to_string();
            assert!(
                error.contains("mossy_stones.toml") && error.contains(place),
                "{new}: {error}"
            );
            let (all, unfit) = list(&[own]).unwrap();
            assert!(
                all.iter().all(|one| !one.own) && unfit.len() == 1,
                "the others are there all the same"
            );
        }
    }
}
