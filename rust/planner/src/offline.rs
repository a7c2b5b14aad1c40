//! Plans without a model: the prompt is matched to a preset, and the preset's parameters are read from its words.

use std::collections::{HashMap, HashSet};

use geonode_protocol::Code;
use serde_json::{Value, json};

use crate::choose;
use crate::cover;
use crate::expr::{self, ExprError, Scope};
use crate::fill::{self, Said, plain};
use crate::library::{Entry, Library};
use crate::naming::{self, About, Names};
use crate::preset::ParameterKind;
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::roles::{self, Cast, Thing};
use geonode_graph::documents::context::{Context, SceneObject};

/// Longest prompt that is read.
pub const MAX_CHARACTERS: usize = 20_000;
/// Most words of a prompt: a longer sentence does not ask for a single thing.
const MAX_ITEMS: usize = 300;

/// Decisions of the caller that overrule the prompt.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the object that gets the tree, whatever the prompt says.
    pub object: Option<String>,
    /// Digest of the prompt as a run stores it on its results; if empty, the prompt always counts as new.
    pub words: String,
}

/// What was read from a prompt, before it becomes a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// Preset by file name.
    pub preset: String,
    /// Target and thing.
    pub cast: Cast,
    /// Parameters that the prompt gave, in metres, radians or plain numbers.
    pub said: HashMap<String, Said>,
}

/// Plans a prompt.
///
/// # Errors
/// A [`Refusal`] with a stable code, the cause and the fix.
pub fn plan(prompt: &str, context: &Context, options: &Options) -> Result<Value, Refusal> {
    let library = Library::get()?;
    let read = read(library, prompt, context, options)?;
    let about = if changes_the_last(prompt) {
        About::Last
    } else {
        About::New(&options.words)
    };
    build(&read, context, about)
}

/// Whether the prompt changes the present result instead of asking for another one: “change it to 50”, “cubes instead”.
fn changes_the_last(prompt: &str) -> bool {
    let words: Vec<String> = prompt
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let single = ["instead", "change", "adjust", "update", "modify", "replace"];
    let pairs = [["make", "it"], ["make", "them"], ["set", "it"], ["turn", "it"]];
    words.iter().any(|word| single.contains(&word.as_str()))
        || words.windows(2).any(|pair| pairs.iter().any(|known| pair == known))
}

/// Reads a prompt without building the plan.
///
/// # Errors
/// As [`plan`].
pub fn understand(prompt: &str, context: &Context, options: &Options) -> Result<Understood, Refusal> {
    let read = read(Library::get()?, prompt, context, options)?;
    Ok(Understood {
        preset: read.entry.preset.id.clone(),
        cast: read.cast,
        said: read.said,
    })
}

struct Read<'a> {
    entry: &'a Entry,
    library: &'a Library,
    cast: Cast,
    said: HashMap<String, Said>,
    remarks: Vec<String>,
}

fn check_length(prompt: &str) -> Result<(), Refusal> {
    if prompt.trim().is_empty() {
        return Err(Refusal::new(
            Code::PromptEmpty,
            "The prompt is empty. Describe what should be made, e.g. “scatter 200 rocks on the plane”.",
        ));
    }
    if prompt.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(Refusal::new(
            Code::PromptTooLong,
            format!("The prompt is longer than {MAX_CHARACTERS} characters. One sentence is enough."),
        ));
    }
    Ok(())
}

/// Whether the prompt is in another language.
fn foreign(reading: &Reading) -> bool {
    let words: Vec<_> = reading
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Word)
        .collect();
    let letters = words.iter().flat_map(|w| w.text.chars()).filter(|c| c.is_alphabetic());
    let (all, other) = letters.fold((0_usize, 0_usize), |(all, other), c| {
        (all + 1, other + usize::from(!c.is_ascii()))
    });
    if all > 0 && other * 3 > all {
        return true;
    }
    let language = reading.language;
    let theirs = words
        .iter()
        .filter(|w| language.other_languages.contains(&w.text))
        .count();
    let ours = words.iter().filter(|w| {
        !language.other_languages.contains(&w.text)
            && (language.stop.contains(&w.text)
                || language.prepositions.contains(&w.text)
                || language.is_determiner(&w.text))
    });
    theirs >= 2 && theirs >= ours.count()
}

/// Whether the sentence is a question instead of a request: “how do I …”, “is the plane subdivided?”.
fn asks(reading: &Reading) -> bool {
    let Some(first) = reading.item(0) else { return false };
    let possible = (1..reading.items.len().min(6)).any(|at| reading.is(at, &["possible", "able"]));
    reading.language.questions.contains(&first.text)
        || (reading.language.state_questions.contains(&first.text) && !possible)
}

/// Whether the sentence opens with a verb that asks for a removal, after any polite words.
fn removes(reading: &Reading) -> bool {
    let language = reading.language;
    reading
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Word)
        .find(|item| language.removals.contains(&item.text) || !language.stop.contains(&item.text))
        .is_some_and(|item| language.removals.contains(&item.text))
}

fn read<'a>(library: &'a Library, prompt: &str, context: &Context, options: &Options) -> Result<Read<'a>, Refusal> {
    check_length(prompt)?;
    let reading = Reading::new(prompt, context, &library.language, |word| library.correct(word));
    if reading.items.len() > MAX_ITEMS {
        return Err(Refusal::new(
            Code::PartlyUnderstood,
            format!("The offline planner reads prompts of up to {MAX_ITEMS} words; this one is longer. Say it in one sentence, or choose a language model."),
        )
        .near(library.nearest(prompt.get(..prompt.len().min(2000)).unwrap_or_default())));
    }
    if foreign(&reading) {
        return Err(Refusal::new(
            Code::NotEnglish,
            "The offline planner reads English only. Write the prompt in English, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    let question = asks(&reading);
    if question {
        return Err(Refusal::new(
            Code::NoPresetMatch,
            "This is a question; the offline planner only carries out instructions. Say what should be made, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    if removes(&reading) {
        return Err(Refusal::new(
            Code::NoPresetMatch,
            "The offline planner only creates things; it removes nothing. Remove the modifier or the object in Blender, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    let entry = choose::choose(library, &reading, prompt)?;
    let cast = roles::cast(entry, &reading, context, options.object.as_deref())?;
    let filled = fill::fill(entry, &reading, &cast.used, &context.units)?;
    let mut used = cast.used.clone();
    used.extend(&filled.used);
    let unused = cover::leftovers(entry, &reading, &used)?;
    let mut remarks = cast.remarks.clone();
    remarks.extend(filled.warnings);
    if !unused.is_empty() {
        remarks.push(format!(
            "Not used: {}.",
            unused
                .iter()
                .map(|word| format!("“{word}”"))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    for (typed, known) in &reading.corrected {
        remarks.push(format!("“{typed}” was read as “{known}”."));
    }
    Ok(Read {
        entry,
        library,
        cast,
        said: filled.said,
        remarks,
    })
}

/// The uniform scale that the target applies to the tree's result.
fn scale_of(object: &SceneObject, remarks: &mut Vec<String>) -> f64 {
    let [x, y, z] = object.scale.map(f64::abs);
    let uniform = (x - y).abs() < 1e-4 * x.max(1e-9) && (x - z).abs() < 1e-4 * x.max(1e-9);
    if !uniform {
        remarks.push(format!(
            "“{}” has a non-uniform scale, so lengths are stretched; apply its scale for exact sizes.",
            object.name
        ));
        return 1.0;
    }
    if (x - 1.0).abs() < 1e-6 || x < 1e-6 {
        return 1.0;
    }
    remarks.push(format!(
        "“{}” has the scale {}; lengths were divided by it so that they are correct in the scene.",
        object.name,
        plain(x)
    ));
    x
}

/// Names, sizes and counts that a template may use. `unit` is metres per local unit of the target.
fn facts(read: &Read, context: &Context, object: &SceneObject, scale: f64) -> Scope {
    let counts = object.counts.clone().unwrap_or_default();
    let local = |v: [f64; 3]| v.map(|c| c / scale);
    let unit = context.units.metres_per_unit() * scale;
    let mut scope = Scope::new();
    let mut put = |name: &str, value: Value| scope.insert(name.to_owned(), value);
    put("target.name", json!(object.name));
    put("target.dims", json!(local(object.dimensions)));
    put("target.named", json!(read.cast.named));
    put("target.faces", json!(counts.faces.unwrap_or(0)));
    put("target.vertices", json!(counts.vertices.unwrap_or(0)));
    put(
        "target.curve",
        json!(matches!(object.kind.as_str(), "CURVE" | "CURVES")),
    );
    put("unit", json!(unit));
    put("unscale", json!(1.0 / scale));
    put("pi", json!(std::f64::consts::PI));
    let (mut kind, mut name, mut shape, mut dims) = ("none", Value::Null, Value::Null, [1.0; 3]);
    match &read.cast.thing {
        Some(Thing::Itself) => {
            (kind, name, dims) = ("itself", json!(object.name), local(object.dimensions));
        }
        Some(Thing::Object(other)) => {
            kind = "object";
            name = json!(other);
            dims = local(context.object(other).map_or([1.0; 3], |o| o.dimensions));
        }
        Some(Thing::Collection(other)) => {
            kind = "collection";
            name = json!(other);
        }
        Some(Thing::Shape(key, _)) => {
            kind = "shape";
            name = json!(key);
            shape = json!(key);
            dims = read
                .library
                .language
                .shape_named(key)
                .map_or([1.0; 3], |s| s.extent)
                .map(|c| c / unit);
        }
        None => {}
    }
    put("thing.kind", json!(kind));
    put("thing.itself", json!(kind == "itself"));
    put("thing.object", json!(kind == "object"));
    put("thing.collection", json!(kind == "collection"));
    put("thing.is_shape", json!(kind == "shape"));
    put(
        "thing.node",
        json!(if kind == "itself" { "group_input" } else { "thing" }),
    );
    put("thing.name", name);
    put("thing.shape", shape);
    put("thing.dims", json!(dims));
    scope
}

fn broken(error: &ExprError, entry: &Entry) -> Refusal {
    Refusal::new(
        Code::PresetInvalid,
        format!("The preset {} cannot be filled in: {error}.", entry.preset.title),
    )
}

/// Puts all parameters into the scope; returns the names of those that were assumed.
fn parameters(read: &Read, scope: &mut Scope, unit: f64) -> Result<Vec<String>, Refusal> {
    let entry = read.entry;
    for parameter in &entry.preset.parameters {
        let value = match read.said.get(&parameter.name) {
            Some(Said::Number(n)) if parameter.kind == ParameterKind::Length => expr::finite("/", n / unit),
            Some(Said::Number(n)) if matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed) => {
                expr::eval(&json!(["round", n]), scope)
            }
            Some(Said::Number(n)) => expr::finite("said", *n),
            Some(Said::Choice(_, value)) => Ok(value.clone()),
            Some(Said::Bool(b)) => Ok(json!(b)),
            None => Ok(Value::Null),
        };
        scope.insert(
            format!("said.{}", parameter.name),
            json!(read.said.contains_key(&parameter.name)),
        );
        scope.insert(parameter.name.clone(), value.map_err(|e| broken(&e, entry))?);
    }
    let mut assumed = Vec::new();
    for parameter in &entry.preset.parameters {
        if scope.get(&parameter.name).is_some_and(|value| !value.is_null()) || parameter.default.is_null() {
            if parameter.required && scope.get(&parameter.name).is_none_or(Value::is_null) {
                let message = format!(
                    "The prompt does not give the {}. Add it, e.g. “{}”.",
                    parameter.title,
                    entry.suggestion().example
                );
                return Err(Refusal::new(Code::MissingParameter, message));
            }
            continue;
        }
        let value = match (parameter.kind, &parameter.default) {
            (ParameterKind::Length, Value::Number(n)) => expr::finite("/", n.as_f64().unwrap_or(0.0) / unit),
            (ParameterKind::Angle, Value::Number(n)) => expr::finite("°", n.as_f64().unwrap_or(0.0).to_radians()),
            (ParameterKind::Count | ParameterKind::Seed, default) => expr::eval(&json!(["round", default]), scope),
            (_, default) => expr::eval(default, scope),
        };
        let value = value.map_err(|e| broken(&e, entry))?;
        // A default of null stays open.
        let follows = parameter.told_by.iter().any(|name| read.said.contains_key(name));
        if !value.is_null() && parameter.tell && !follows {
            assumed.push(parameter.name.clone());
        }
        scope.insert(parameter.name.clone(), value);
    }
    // A computed value must be as valid as one from the prompt.
    for parameter in &entry.preset.parameters {
        let Some(value) = scope.get(&parameter.name).and_then(Value::as_f64) else {
            continue;
        };
        let shown = match parameter.kind {
            ParameterKind::Length => value * unit,
            ParameterKind::Angle => value.to_degrees(),
            _ => value,
        };
        if let Some([low, high]) = parameter.hard
            && !(low - 1e-6 * low.abs() - 1e-9..=high + 1e-6 * high.abs()).contains(&shown)
        {
            return Err(Refusal::new(
                Code::OutOfRange,
                format!(
                    "{} would be {}, but must be from {} to {}. Nothing was changed.",
                    parameter.title,
                    plain(shown),
                    plain(low),
                    plain(high)
                ),
            ));
        }
    }
    Ok(assumed)
}

/// A parameter in words.
fn describe(read: &Read, name: &str, scope: &Scope, unit: f64) -> String {
    let value = scope.get(name).cloned().unwrap_or(Value::Null);
    let Some(parameter) = read.entry.preset.parameter(name) else {
        return value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    };
    if let Some(Said::Choice(key, _)) = read.said.get(name) {
        return key.clone();
    }
    match (parameter.kind, &value) {
        (ParameterKind::Length, v) => format!("{} m", plain(v.as_f64().unwrap_or(0.0) * unit)),
        (ParameterKind::Angle, v) => format!("{}°", plain(v.as_f64().unwrap_or(0.0).to_degrees())),
        (ParameterKind::Choice, v) => read
            .entry
            .slots
            .iter()
            .find(|slot| slot.parameter.name == name)
            .and_then(|slot| slot.options.iter().find(|(_, option, _)| option == v))
            .map_or_else(|| v.to_string(), |(key, _, _)| key.clone()),
        (_, Value::Bool(b)) => if *b { "on" } else { "off" }.to_owned(),
        (_, Value::Number(n)) => plain(n.as_f64().unwrap_or(0.0)),
        (_, Value::String(s)) => s.clone(),
        (_, v) => v.to_string(),
    }
}

fn sentence(text: &str, read: &Read, scope: &Scope, unit: f64) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            break;
        };
        match name {
            "target" => out.push_str(&read.cast.target),
            "thing" => {
                let (before, name, after) = match &read.cast.thing {
                    Some(Thing::Object(name) | Thing::Collection(name)) => ("“", name, "”"),
                    Some(Thing::Shape(key, _)) => ("built-in ", key, ""),
                    Some(Thing::Itself) | None => ("“", &read.cast.target, "”"),
                };
                out.extend([before, name, after]);
            }
            name => out.push_str(&describe(read, name, scope, unit)),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

fn message(
    read: &Read,
    scope: &Scope,
    unit: f64,
    assumed: &[String],
    remarks: &[String],
    names: &Names,
) -> Result<String, Refusal> {
    let mut parts = Vec::new();
    for line in &read.entry.preset.plan.done {
        let holds =
            line.when.is_null() || expr::truthy(&expr::eval(&line.when, scope).map_err(|e| broken(&e, read.entry))?);
        if holds {
            parts.push(sentence(&line.text, read, scope, unit));
        }
    }
    if !assumed.is_empty() {
        let list: Vec<String> = assumed
            .iter()
            .filter_map(|name| {
                let title = &read.entry.preset.parameter(name)?.title;
                Some(format!(
                    "{} {}",
                    title.to_lowercase(),
                    describe(read, name, scope, unit)
                ))
            })
            .collect();
        parts.push(format!("Assumed (default): {}.", list.join(", ")));
    }
    parts.extend(remarks.iter().cloned());
    parts.push(format!(
        "All of it can be changed in the modifier “{}”.",
        names.modifier
    ));
    Ok(parts.join(" "))
}

fn build(read: &Read, context: &Context, about: About<'_>) -> Result<Value, Refusal> {
    let entry = read.entry;
    let missing = || {
        Refusal::new(
            Code::UnknownObject,
            format!("There is no object called “{}”.", read.cast.target),
        )
    };
    let object = context.object(&read.cast.target).ok_or_else(missing)?;
    let mut remarks = read.remarks.clone();
    let scale = scale_of(object, &mut remarks);
    let unit = context.units.metres_per_unit() * scale;
    if entry.preset.target.kinds.iter().any(|k| k == "MESH")
        && object.counts.as_ref().is_some_and(|c| c.faces == Some(0))
    {
        let message = format!(
            "“{}” is a mesh without faces, so there is nothing to work on. Choose another object.",
            object.name
        );
        return Err(Refusal::new(Code::WrongObjectKind, message));
    }
    let mut scope = facts(read, context, object, scale);
    let assumed = parameters(read, &mut scope, unit)?;
    let operations = expr::substitute(&entry.operations, &scope).map_err(|e| broken(&e, entry))?;
    let names = naming::names(&entry.preset.title, object, context, about);
    let mut operations = operations.as_array().cloned().unwrap_or_default();
    let mut steps = Vec::new();
    let target = json!({"object_name": object.name, "modifier_name": names.modifier, "node_group_name": names.group});
    let values = input_values(&operations, read);
    if names.reused {
        operations = restated(operations);
        operations.splice(0..0, outdated(entry, &operations, context, &names.group));
    }
    steps.push(json!({
        "id": entry.preset.id,
        "type": "NODE_TREE",
        "description": sentence(&entry.preset.plan.description, read, &scope, unit),
        "payload": {"target": target, "operations": operations},
    }));
    if names.reused && !values.is_empty() {
        steps.push(json!({
            "id": format!("{}_values", entry.preset.id),
            "type": "GN_OPS",
            "description": "Set the inputs of the modifier",
            "payload": {"v": 1, "target": {"object_name": object.name, "modifier_name": names.modifier}, "ops": values},
        }));
    }
    let final_message = message(read, &scope, unit, &assumed, &remarks, &names)?;
    let mut plan = json!({"version": "1.1", "steps": steps, "done": true, "final_message": final_message});
    let expects = expected(read, &scope, &object.name)?;
    // An existing modifier may be followed by others that change its result.
    if !names.reused
        && !expects.is_empty()
        && let Some(plan) = plan.as_object_mut()
    {
        plan.insert("meta".to_owned(), json!({"expects": expects}));
    }
    Ok(plan)
}

/// The certain properties of the result; existing geometry comes on top, so only lower bounds hold.
fn expected(read: &Read, scope: &Scope, object: &str) -> Result<Vec<Value>, Refusal> {
    let template = Value::Array(read.entry.preset.plan.expects.clone());
    let filled = expr::substitute(&template, scope).map_err(|e| broken(&e, read.entry))?;
    let named = filled.as_array().into_iter().flatten().filter_map(|one| {
        let mut one = one.as_object()?.clone();
        one.insert("object_name".to_owned(), json!(object));
        Some(Value::Object(one))
    });
    Ok(named.collect())
}

/// Sets the values from the prompt on the modifier too, since it keeps its own values when a tree is used again. Values that the prompt does not
/// mention stay as they are, set by hand or not.
fn input_values(operations: &[Value], read: &Read) -> Vec<Value> {
    let said = |op: &&Value| {
        let template = read.entry.operations.as_array().into_iter().flatten();
        let asked = template.filter(|one| one.get("op") == op.get("op") && one.get("name") == op.get("name"));
        asked
            .filter_map(|one| one.get("default"))
            .any(|default| mentions(default, read))
    };
    operations
        .iter()
        .filter(|op| op.get("op") == Some(&json!("set_group_io")) && op.get("direction") == Some(&json!("input")))
        .filter(said)
        .filter_map(|op| {
            Some(json!({"op": "set_modifier_input", "name": op.get("name")?, "value": op.get("default")?}))
        })
        .collect()
}

/// Whether a value of the template depends on a parameter that the prompt gives, or on the thing that it names.
fn mentions(template: &Value, read: &Read) -> bool {
    match template {
        Value::String(name) => read.said.contains_key(name) || name.starts_with("thing.") && read.cast.thing.is_some(),
        Value::Array(parts) => parts.iter().any(|part| mentions(part, read)),
        Value::Object(fields) => fields.values().any(|part| mentions(part, read)),
        _ => false,
    }
}

/// Sets the properties of existing nodes again, since creating a node that exists leaves it unchanged.
fn restated(operations: Vec<Value>) -> Vec<Value> {
    let mut out = Vec::with_capacity(operations.len());
    for operation in operations {
        let properties = operation
            .get("properties")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let id = operation.get("node_id").cloned();
        out.push(operation);
        for (name, value) in properties {
            out.push(json!({"op": "set_property", "node_id": id, "property": name, "value": value}));
        }
    }
    out
}

/// Nodes of another variant of the same preset that an earlier run left in this tree.
fn outdated(entry: &Entry, operations: &[Value], context: &Context, group: &str) -> Vec<Value> {
    let created = |list: &[Value]| -> HashSet<String> {
        list.iter()
            .filter_map(|op| {
                op.get("node_id")?
                    .as_str()
                    .filter(|_| op.get("op") == Some(&json!("create_node")))
                    .map(str::to_owned)
            })
            .collect()
    };
    let possible = created(entry.operations.as_array().map_or(&[], Vec::as_slice));
    let wanted = created(operations);
    let Some(tree) = context.tree.as_ref().and_then(|bundle| bundle.trees.get(group)) else {
        return Vec::new();
    };
    tree.nodes
        .iter()
        .map(|node| node.id.as_str())
        .filter(|id| possible.contains(*id) && !wanted.contains(*id))
        .map(|id| json!({"op": "delete_node", "node_id": id}))
        .collect()
}
