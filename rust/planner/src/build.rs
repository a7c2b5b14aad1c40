//! The plan of a preset whose parameters are known.

use std::collections::BTreeSet;

use geonode_graph::documents::context::{Context, SceneObject};
use geonode_protocol::{Code, Understanding, UnderstoodParameter};
use serde_json::{Value, json};

use crate::bounds;
use crate::change::{self, is_said};
use crate::curve;
use crate::expr::{self, Scope};
use crate::handing_on;
use crate::library::Entry;
use crate::naming::{self, About};
use crate::page::title;
use crate::paging;
use crate::preset::{Parameter, ParameterKind};
use crate::refusal::Refusal;
use crate::roles::Thing;
use crate::stays;
use crate::template::{Read, Standing, broken, facts, parameters, scale_of, sides_said, valid};
use crate::values::PromptValue;
use crate::whole;
use crate::wording::{
    changed, describe, done_to, message, said, said_of_change, sentence, thing, unchanged, with_them,
};

/// A plan, and how the prompt was read.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The plan as JSON.
    pub plan: Value,
    /// How the prompt was read.
    pub understanding: Understanding,
    /// Where the result stands; none for the answer to a question.
    pub(crate) made: Option<Made>,
}

/// Where a result stands.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) object: String,
    pub(crate) modifier: String,
    pub(crate) group: String,
    pub(crate) thing: Option<Thing>,
    /// Whether it was there before.
    pub(crate) reused: bool,
    /// How many faces it has, where the preset knows that as `result_faces`.
    pub(crate) faces: Option<u64>,
}

/// The plan of what was read.
pub(crate) fn build(read: &Read, context: &Context, about: About<'_>) -> Result<Planned, Refusal> {
    let entry = read.entry;
    let missing = || {
        Refusal::new(
            Code::UnknownObject,
            format!("There is no object called “{}”.", read.cast.target),
        )
    };
    let with_new = read.cast.makes.then(|| with_object(context, &read.cast.target));
    let context = with_new.as_ref().unwrap_or(context);
    let object = context.object(&read.cast.target).ok_or_else(missing)?;
    if let Some(message) = too_new(entry, context) {
        return Err(Refusal::new(Code::NoPresetMatch, message));
    }
    let mut remarks = read.remarks.clone();
    if read.cast.makes {
        remarks.push(format!("It is a new object, “{}”, at the 3D cursor.", object.name));
    }
    let mut of_scale = Vec::new();
    let scale = scale_of(object, &mut of_scale);
    let unit = context.units.metres_per_unit() * scale;
    if let Some(why) = without_a_surface(entry, object) {
        return Err(Refusal::new(Code::WrongObjectKind, why));
    }
    let mut scope = facts(read, context, object, scale);
    let mut names = naming::names(&entry.preset.title, object, context, about);
    if !names.reused {
        on_what_stands(object, &mut scope);
    }
    let before = curve::left(read, object, context, names.reused)?;
    remarks.extend(before.remarks);
    if let Some(refusal) = resized_itself(read, &names, object).or_else(|| sized_collection(read)) {
        return Err(refusal);
    }
    let measures = |one: &Parameter| matches!(one.of.unwrap_or(one.kind), ParameterKind::Length);
    if paging::stretch(read, context).is_none() && entry.preset.parameters.iter().any(measures) {
        remarks.extend(of_scale);
    }
    let fresh = scope.clone();
    let assumed = parameters(read, &mut scope, unit, names.reused.then(Standing::new).as_ref())?;
    judged(read, &scope, unit, names.reused)?;
    let shown = object
        .modifiers
        .iter()
        .find(|one| names.reused && one.name == names.modifier);
    let shown = shown.and_then(|modifier| modifier.values.as_ref());
    let together = shown.map(|shown| stays::keep(read, &mut scope, fresh, unit, shown));
    let together = together.transpose()?.flatten();
    let read = together.as_ref().unwrap_or(read);
    nothing_left(read, &scope).map_or(Ok(()), Err)?;
    bounds::of_change(read, &scope, unit, names.reused)?.map_or(Ok(()), Err)?;
    let also = shown.map(|shown| paging::also_changed(read, &scope, unit, shown));
    names.also = with_them(read, &scope, unit, &also.transpose()?.unwrap_or_default());
    remarks.extend(names.remark.clone());
    remarks.extend(crowded(read, &scope, names.reused)?);
    if !(names.reused || entry.preset.is_whole()) {
        if paging::passes(read, context) {
            let name = &object.name;
            remarks.push(if handing_on::is_curve(&entry.preset.target.kinds) {
                format!("What earlier modifiers of “{name}” make stays as it is.")
            } else {
                format!("What earlier modifiers of “{name}” copy stays as it is.")
            });
        }
        remarks.extend(idle_values(read, &scope, unit)?);
    }
    if !names.reused {
        remarks.extend(said(read, &scope, unit, true)?);
    } else if !(read.values.is_empty() && read.shifts.is_empty()) {
        remarks.extend(said_of_change(read, &scope, unit)?);
    }
    remarks.extend(degrees(read, &scope, unit));
    remarks.extend(sides_said(read, &scope, unit));
    if entry.preset.is_whole() && !names.reused {
        let (_, missing) = whole::without_missing(&entry.preset.plan.page, context);
        if !missing.is_empty() {
            remarks.push(format!(
                "This file does not have what the preset refers to; left empty: {}.",
                missing.join(", ")
            ));
        }
    }
    let understanding = understanding(read, &scope, unit, &names, &remarks)?;
    let mut plan = paged(read, context, &scope, unit, &assumed, remarks, &names)?;
    if let Some(steps) = plan.get_mut("steps").and_then(Value::as_array_mut) {
        steps.splice(0..0, before.steps);
    }
    let made = Made {
        object: read.cast.target.clone(),
        modifier: names.modifier,
        group: names.group,
        thing: read.cast.thing.clone(),
        reused: names.reused,
        faces: scope.get("result_faces").and_then(Value::as_u64),
    };
    Ok(Planned {
        plan,
        understanding,
        made: Some(made),
    })
}

/// Checks the values of a result. What was said and cannot be says more than what follows from it; a change is judged with what stands there.
fn judged(read: &Read, scope: &Scope, unit: f64, reused: bool) -> Result<(), Refusal> {
    if !reused {
        bounds::refusal(read, scope, unit, false)?.map_or(Ok(()), Err)?;
    }
    valid(read, scope, unit, None)
}

/// Why copies of the object itself get no other size by a change: the bounds of an object that shows its result say nothing of what is copied.
fn resized_itself(read: &Read, names: &naming::Names, object: &SceneObject) -> Option<Refusal> {
    let sized = read.entry.preset.parameters.iter().find(|one| one.sizes_things)?;
    let said = read.values.contains_key(&sized.name) || read.shifts.contains_key(&sized.name);
    if !(names.reused && said && read.cast.thing == Some(Thing::Itself)) {
        return None;
    }
    let message = format!(
        "“{}” copies “{}” itself, so the size is that of the object. Scale it in Edit Mode, or undo the result and ask for it with the size. \
         Nothing was changed.",
        names.modifier, object.name
    );
    Some(Refusal::new(Code::MissingParameter, message))
}

/// Why the objects of a collection get no size in metres: each has its own, and all are scaled alike.
fn sized_collection(read: &Read) -> Option<Refusal> {
    let Some(Thing::Collection(name)) = &read.cast.thing else {
        return None;
    };
    let is_size = |one: &&Parameter| {
        let range = one.kind == ParameterKind::Range && one.of == Some(ParameterKind::Length);
        one.sizes_things || range && one.words.iter().any(|word| word == "tall")
    };
    let mut measures = read.entry.preset.parameters.iter().filter(is_size);
    // A range stands in the parameters that it is stored in.
    let said = |name: &String| read.values.contains_key(name) || read.shifts.contains_key(name);
    let sized = measures.find(|one| said(&one.name) || one.into.iter().any(said))?;
    let mut names = [&sized.name].into_iter().chain(&sized.into);
    let words = names.find_map(|name| read.sources.get(name)).map_or("", String::as_str);
    let message = format!(
        "The objects of “{name}” have sizes of their own, and “{words}” would give all of them the same. Nothing was changed. Name one of them, or give a scale (“scale 1.5”), which keeps their differences."
    );
    Some(Refusal::new(Code::PartlyUnderstood, message))
}

/// The refusal of a part that ends where it starts: nothing would be seen.
fn nothing_left(read: &Read, scope: &Scope) -> Option<Refusal> {
    let preset = &read.entry.preset;
    let (from, to) = preset.parameters.iter().find_map(|one| {
        let (from, to) = preset.spans(one)?;
        let said = is_said(read, &from.name) || is_said(read, &to.name) || is_said(read, &one.name);
        let value = |one: &Parameter| scope.get(&one.name).and_then(Value::as_f64);
        (said && value(from)? >= value(to)?).then_some((from, to))
    })?;
    let share = |one: &Parameter| scope.get(&one.name).and_then(Value::as_f64).unwrap_or_default() * 100.0;
    let message = format!(
        "From {}% to {}% nothing is left. {} must be less than {}: give both, such as “{} 0 and {} 0.5”. Nothing was changed.",
        share(from).round(),
        share(to).round(),
        from.title,
        to.title.to_lowercase(),
        from.title.to_lowercase(),
        to.title.to_lowercase()
    );
    Some(Refusal::new(Code::OutOfRange, message))
}

/// Why a preset does not work in this Blender.
fn too_new(entry: &Entry, context: &Context) -> Option<String> {
    let [major, minor] = entry.preset.since?;
    let older = (context.blender[0], context.blender[1]) < (major, minor) && context.blender != [0; 3];
    let title = &entry.preset.title;
    older.then(|| format!("{title} needs nodes that Blender has since {major}.{minor}. Nothing was changed."))
}

/// The counts of a mesh with what its modifiers make of it: a new result works on that.
fn on_what_stands(object: &SceneObject, scope: &mut Scope) {
    let counts = object
        .result
        .as_ref()
        .map(|made| [("target.faces", made.faces), ("target.vertices", made.vertices)]);
    for (fact, count) in counts.into_iter().flatten() {
        if let Some(count) = count.filter(|count| *count > 0) {
            scope.insert(fact.to_owned(), json!(count));
        }
    }
}

/// How words such as “tall” were read.
fn degrees(read: &Read, scope: &Scope, unit: f64) -> Vec<String> {
    let parameters = read.entry.preset.parameters.iter();
    let shifted = parameters.filter(|parameter| read.shifts.contains_key(&parameter.name));
    let remarks = shifted.filter_map(|parameter| {
        let word = read.sources.get(&parameter.name)?;
        let (title, value) = (
            parameter.title.to_lowercase(),
            describe(read, &parameter.name, scope, unit),
        );
        Some(format!("“{word}” was read as {title} {value}."))
    });
    remarks.collect()
}

/// Why a preset that works on a mesh finds none.
fn without_a_surface(entry: &Entry, object: &SceneObject) -> Option<String> {
    let empty = object.counts.as_ref().is_some_and(|counts| counts.faces == Some(0));
    let name = &object.name;
    // What works on copies needs no surface.
    let of_copies = entry.preset.target.copies && object.shows_only_copies();
    if of_copies || !(empty && entry.preset.target.kinds.iter().any(|kind| kind == "MESH")) {
        return None;
    }
    if object.shows_only_copies() {
        let title = &entry.preset.title;
        return Some(format!(
            "“{name}” shows copies only, and {title} works on a mesh. Apply its modifier and make the copies real (Object, Apply), or choose another object. Nothing was changed."
        ));
    }
    // What its modifiers make is a surface.
    let made = object.modifiers.iter().any(|modifier| modifier.node_group.is_some());
    (!made).then(|| format!("“{name}” is a mesh without faces, so there is nothing to work on. Choose another object."))
}

/// The scene with an object that the plan makes, as it is before its modifier.
fn with_object(context: &Context, name: &str) -> Context {
    let mut with = context.clone();
    with.objects.push(SceneObject {
        name: name.to_owned(),
        ..SceneObject::default()
    });
    with
}

/// What is said of values that were given and change nothing beside the others: the count where the spacing decides it.
fn idle_values(read: &Read, scope: &Scope, unit: f64) -> Result<Vec<String>, Refusal> {
    let entry = read.entry;
    let lines = entry.body.kept(scope).map_err(|error| broken(&error, entry))?;
    let tests = entry.body.lines.iter().flat_map(|line| &line.tests);
    let mut open: Vec<&str> = tests.flat_map(|one| change::names(Some(one), scope)).collect();
    for line in lines {
        open.extend(line.words());
        open.extend(line.values());
    }
    let mut known: BTreeSet<&str> = BTreeSet::new();
    while let Some(name) = open.pop() {
        let name = name.strip_prefix("said.").unwrap_or(name);
        if known.insert(name)
            && !read.values.contains_key(name)
            && let Some(parameter) = entry.preset.parameter(name)
        {
            open.extend(change::names(Some(&parameter.default), scope));
        }
    }
    let idle = entry
        .preset
        .parameters
        .iter()
        .filter(|parameter| parameter.kind != ParameterKind::Bool)
        .filter(|parameter| read.values.contains_key(&parameter.name) && !known.contains(parameter.name.as_str()));
    let idle: Vec<&Parameter> = idle.collect();
    // “a gap of 1 m and centres 1 m apart”: two lengths for the same.
    let measures = |parameter: &&Parameter| parameter.kind == ParameterKind::Length;
    let decides = |parameter: &&Parameter| {
        measures(parameter) && read.values.contains_key(&parameter.name) && known.contains(parameter.name.as_str())
    };
    if let Some(one) = idle.iter().copied().find(measures)
        && let Some(other) = entry.preset.parameters.iter().find(decides)
    {
        let words = |parameter: &Parameter| read.sources.get(&parameter.name).map_or("", String::as_str);
        let message = format!(
            "“{}” and “{}” cannot both hold: {} and {} decide the same. Give only one of them. Nothing was changed.",
            words(one),
            words(other),
            one.title.to_lowercase(),
            other.title.to_lowercase()
        );
        return Err(Refusal::new(Code::PartlyUnderstood, message));
    }
    let said = idle.into_iter().map(|parameter| {
        let words = read.sources.get(&parameter.name).map_or("", String::as_str);
        let value = describe(read, &parameter.name, scope, unit);
        format!(
            "“{words}” ({} {value}) was not used: the rest of the prompt decides it.",
            parameter.title.to_lowercase()
        )
    });
    Ok(said.collect())
}

/// Less room than this share of what each copy needs counts as overlapping.
const ENOUGH: f64 = 0.995;

/// What becomes of copies that have no room beside each other: they overlap, or are smaller.
fn crowded(read: &Read, scope: &Scope, reused: bool) -> Result<Option<String>, Refusal> {
    let plan = &read.entry.preset.plan;
    // What was turned by hand in the last result decides there, unless the words change how many or how large they are.
    if plan.room.is_null() || reused && read.values.is_empty() {
        return Ok(None);
    }
    let value = |expression: &Value| expr::eval(expression, scope).map_err(|error| broken(&error, read.entry));
    let Some(room) = value(&plan.room)?.as_f64() else {
        return Ok(None);
    };
    // The share of their size at which they are made, where the tree does not decide that itself.
    let fit = scope.get("fit").and_then(Value::as_f64).filter(|fit| *fit > 0.0);
    let fits = expr::truthy(&value(&plan.fits)?);
    let size = match fit {
        Some(fit) => fit,
        // An earlier prompt may have decided it otherwise.
        None if fits && reused => return Ok(None),
        None if fits => room.min(1.0),
        None => 1.0,
    };
    let percent = |share: f64| (share * 100.0).round().max(1.0);
    Ok(if room / size < ENOUGH {
        let share = percent(room / size);
        Some(format!(
            "They overlap: each has about {share}% of the room that it needs. Ask for fewer or smaller ones, or for more space."
        ))
    } else if size < ENOUGH && (room < ENOUGH || !reused) {
        let share = percent(size);
        Some(format!(
            "There is too little room for all of them at full size, so each has about {share}% of it."
        ))
    } else {
        None
    })
}

/// How the prompt was read, as data.
fn understanding(
    read: &Read,
    scope: &Scope,
    unit: f64,
    names: &naming::Names,
    remarks: &[String],
) -> Result<Understanding, Refusal> {
    let inputs = paging::input_names(read, scope, unit)?;
    let shown = |parameter: &&Parameter| {
        let said = is_said(read, &parameter.name);
        let measured = !matches!(
            parameter.kind,
            ParameterKind::Object
                | ParameterKind::Collection
                | ParameterKind::Range
                | ParameterKind::Sides
                | ParameterKind::Values
        );
        let value = scope.get(&parameter.name).is_some_and(|value| !value.is_null());
        let own = inputs.contains(parameter.name.as_str()) && !names.reused;
        measured && value && (said || own)
    };
    let parameters = read.entry.preset.parameters.iter().filter(shown);
    let parameters = parameters.map(|parameter| {
        let name = &parameter.name;
        UnderstoodParameter {
            input: inputs.contains(name.as_str()).then(|| title(name)),
            title: parameter.title.clone(),
            value: describe(read, name, scope, unit),
            said: is_said(read, name).then(|| read.sources.get(name).cloned().unwrap_or_default()),
        }
    });
    Ok(Understanding {
        preset: read.entry.preset.title.clone(),
        object: read.cast.target.clone(),
        modifier: names.modifier.clone(),
        thing: thing(read),
        done: if names.reused {
            vec![done_to(read, scope, unit, names)]
        } else {
            said(read, scope, unit, false)?
        },
        parameters: parameters.collect(),
        assumed: remarks
            .iter()
            .filter(|remark| !remark.starts_with("Not used:"))
            .cloned()
            .collect(),
        unused: read.unused.clone(),
    })
}

/// The plan: a page that makes the tree, or the steps that change the last result.
fn paged(
    read: &Read,
    context: &Context,
    scope: &Scope,
    unit: f64,
    assumed: &[String],
    mut remarks: Vec<String>,
    names: &naming::Names,
) -> Result<Value, Refusal> {
    let entry = read.entry;
    if names.reused {
        let steps = paging::changes(read, scope, unit, context, names)?;
        if read.cast.thing.is_some() && !is_said(read, "thing.name") {
            // What is placed is not assumed but stays.
            remarks.retain(|remark| !read.cast.remarks.contains(remark));
        }
        let final_message = if steps.is_empty() {
            unchanged(read, scope, unit, names)
        } else {
            changed(read, scope, unit, &remarks, names)
        };
        return Ok(json!({"version": "1.2", "steps": steps, "done": true, "final_message": final_message}));
    }
    let step = json!({
        "id": entry.preset.id,
        "type": "NODE_TREE",
        "description": sentence(&entry.preset.plan.description, read, scope, unit),
        "payload": {"text": paging::page(read, scope, unit, names, context)?},
    });
    let final_message = message(read, scope, unit, assumed, &remarks, names)?;
    let mut plan = json!({"version": "1.2", "steps": [step], "done": true, "final_message": final_message});
    let expects = expected(read, context, scope, &read.cast.target)?;
    if !expects.is_empty()
        && let Some(plan) = plan.as_object_mut()
    {
        plan.insert("meta".to_owned(), json!({"expects": expects}));
    }
    Ok(plan)
}

/// The certain properties of the result; existing geometry comes on top, so only lower bounds hold.
fn expected(read: &Read, context: &Context, scope: &Scope, object: &str) -> Result<Vec<Value>, Refusal> {
    let template = Value::Array(read.entry.preset.plan.expects.clone());
    let filled = expr::substitute(&template, scope).map_err(|e| broken(&e, read.entry))?;
    let mut bounded = Vec::new();
    // Only this tree makes instances, and it makes as many as were asked for.
    let alone = context
        .object(object)
        .is_some_and(|one| one.modifiers.iter().all(|modifier| modifier.kind != "NODES"));
    let same = |count: &f64| {
        let mut values = read
            .entry
            .preset
            .parameters
            .iter()
            .filter(|parameter| parameter.counts_things);
        values.any(
            |one| matches!(read.values.get(&one.name), Some(PromptValue::Number(value)) if (value - count).abs() < 0.5),
        )
    };
    if let Some(count) = read.counted.filter(|count| alone && same(count)) {
        let most = expr::eval(&json!(["round", count]), scope).map_err(|e| broken(&e, read.entry))?;
        bounded.push(json!({"component": "instances", "max": most, "object_name": object}));
    }
    let named = filled.as_array().into_iter().flatten().filter_map(|one| {
        let mut one = one.as_object()?.clone();
        one.insert("object_name".to_owned(), json!(object));
        Some(Value::Object(one))
    });
    Ok(named.chain(bounded).collect())
}
