//! Presets without a run: listed, checked, made from a tree, and applied.

use geonode_graph::Catalogue;
use geonode_graph::ir::{Bundle, Item, Side};
use geonode_planner::gallery;
use geonode_planner::saved::{self, Draft, DraftInput, PresetFile, ROOT, Wanted};
use geonode_planner::{DataError, Refusal};
use geonode_protocol::{Code, Severity};
use geonode_text::{Extent, Names, Variables, write as write_text};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::catalogues;
use crate::error::EngineError;
use crate::queries::plans::validate_plan;
use crate::request::PlanInput;

impl From<DataError> for EngineError {
    fn from(error: DataError) -> Self {
        Self::Preset {
            code: error.code(),
            message: format!("{error}."),
        }
    }
}

impl From<Refusal> for EngineError {
    fn from(refusal: Refusal) -> Self {
        Self::Preset {
            code: refusal.code,
            message: refusal.message,
        }
    }
}

fn read<'t, T: Deserialize<'t>>(what: &'static str, text: &'t str) -> Result<T, EngineError> {
    serde_json::from_str(text).map_err(|error| EngineError::document(what, &error))
}

/// All presets, and the files of the user's that are none: `{"presets", "unfit"}`. `own`: JSON of a list of files.
///
/// # Errors
/// [`EngineError::Document`] for the list.
pub fn presets(own: &str) -> Result<Value, EngineError> {
    let own: Vec<PresetFile> = read("list of presets", own)?;
    let (presets, unfit) = saved::list(&own)?;
    Ok(json!({"presets": presets, "unfit": unfit}))
}

/// What a file holds, after a strict check of its fields and of its page; its ID is that which its title gives it.
///
/// # Errors
/// [`EngineError::Preset`] with the field and the cause, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn check_preset(name: &str, text: &str, catalogue: &str) -> Result<Value, EngineError> {
    let file = PresetFile {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let mut shown = saved::check(&file)?;
    shown.id = saved::id(&shown.title);
    let blender = catalogues::catalogue(catalogue)?.blender.clone();
    let plan = saved::trial(&file, &blender)?;
    let verdict = validate_plan(&PlanInput::Json(plan), Some(catalogue), None)?;
    match verdict.messages.iter().find(|one| one.severity == Severity::Error) {
        Some(finding) => Err(EngineError::Preset {
            code: Code::PresetInvalid,
            message: format!("{name} at /plan/page: {} ({})", finding.message, finding.code.as_str()),
        }),
        None => Ok(json!(shown)),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    example: String,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default = "one")]
    metres: f64,
}

const fn one() -> f64 {
    1.0
}

/// A tree as the file of a preset: `{"id", "text", "losses"}`. Inputs that its modifiers hide are no parameters.
///
/// # Errors
/// [`EngineError::Tree`] for the document, [`EngineError::Document`] for the head, [`EngineError::Preset`] if the result would not be read back.
pub fn preset_draft(tree: &str, catalogue: &str, head: &str) -> Result<Value, EngineError> {
    let head: Head = read("head", head)?;
    let catalogue = catalogues::catalogue(catalogue)?;
    let mut bundle = Bundle::read(tree)?;
    let none = || EngineError::Preset {
        code: Code::PresetInvalid,
        message: "The document has no root.".to_owned(),
    };
    let name = bundle.root.replace(ROOT.to_owned()).ok_or_else(none)?;
    let place = bundle.trees.get_index_of(&name).ok_or_else(none)?;
    let (_, root) = bundle.trees.shift_remove_index(place).ok_or_else(none)?;
    let inputs = inputs(&root, &catalogue);
    bundle.trees.shift_insert(0, ROOT.to_owned(), root);
    let page = write_text(&bundle, &Names::new(catalogue.as_ref()), Extent::Structure);
    let version = |place: usize| bundle.blender.get(place).copied().unwrap_or_default();
    let draft = Draft {
        title: head.title,
        description: head.description,
        example: head.example,
        words: head.words,
        blender: [version(0), version(1)],
        inputs,
        page: page.text,
    };
    let file = PresetFile {
        name: format!("{}.toml", saved::id(&draft.title)),
        text: draft.text(head.metres),
    };
    let shown = saved::check(&file)?;
    Ok(json!({"id": shown.id, "text": file.text, "losses": page.losses}))
}

fn inputs(root: &geonode_graph::ir::Tree, catalogue: &Catalogue) -> Vec<DraftInput> {
    let variables = Variables::new(root, catalogue);
    let text = |item: &Item, key: &str| item.props.get(key).and_then(Value::as_str).map(str::to_owned);
    let sockets = root.interface.iter().filter(|item| item.is_socket(Side::Input));
    let held = sockets.filter(|item| {
        !matches!(
            item.socket_type.as_str(),
            "NodeSocketGeometry" | "NodeSocketBundle" | "NodeSocketClosure"
        ) && item.props.get("hide_in_modifier") != Some(&Value::Bool(true))
    });
    held.filter_map(|item| {
        let socket = item.socket_type.trim_start_matches("NodeSocket").to_owned();
        let end = |key: &str| {
            item.props
                .get(key)
                .and_then(Value::as_f64)
                .filter(|end| end.abs() < 1e9)
        };
        let usual = match socket.as_str() {
            "Float" => json!(0.0),
            "Int" => json!(0),
            "Bool" => json!(false),
            _ => Value::Null,
        };
        Some(DraftInput {
            word: variables.parameters().word(&item.identifier)?.to_owned(),
            name: item.name.clone(),
            subtype: text(item, "subtype"),
            description: text(item, "description").unwrap_or_default(),
            value: item.props.get("default_value").cloned().unwrap_or(usual),
            range: [end("min_value"), end("max_value")],
            socket,
        })
    })
    .collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    id: String,
    #[serde(default)]
    values: Map<String, Value>,
    #[serde(default)]
    presets: Vec<PresetFile>,
}

/// The plan that applies a preset to the object that the context is about.
///
/// # Errors
/// [`EngineError::Preset`] with the planner's code and message.
pub fn preset_plan(wanted: &str, context: &str) -> Result<Value, EngineError> {
    let Request { id, values, presets } = read("wanted preset", wanted)?;
    let wanted = Wanted {
        id: &id,
        values,
        own: &presets,
    };
    Ok(saved::plan(&wanted, &read("context", context)?)?)
}

/// A prompt that calls for a shipped preset, with `{object}` in place of the object's name; `None` where words alone cannot.
///
/// # Errors
/// [`EngineError::Preset`] when the embedded library is damaged.
pub fn preset_prompt(id: &str) -> Result<Option<String>, EngineError> {
    Ok(gallery::prompt(id)?)
}

/// The IDs of the shipped presets nearest to a prompt, the nearest first.
///
/// # Errors
/// [`EngineError::Preset`] when the embedded library is damaged.
pub fn nearest_presets(prompt: &str) -> Result<Vec<String>, EngineError> {
    Ok(gallery::nearest(prompt)?)
}
