//! What a preset's template may use: names, sizes and counts of the scene, and the parameters that were said or assumed.

use std::collections::{BTreeMap, HashMap};

use geonode_graph::documents::context::{Context, SceneObject};
use geonode_protocol::Code;
use serde_json::{Value, json};

use crate::expr::{self, ExprError, Scope};
use crate::held;
use crate::library::{Entry, Library};
use crate::preset::{Parameter, ParameterKind};
use crate::refusal::Refusal;
use crate::roles::{Cast, Thing};
use crate::side;
use crate::values::{PromptValue, plain};

/// What was read from a prompt, with the preset that it fits.
#[derive(Clone)]
pub(crate) struct Read<'a> {
    pub(crate) entry: &'a Entry,
    pub(crate) library: &'a Library,
    pub(crate) cast: Cast,
    pub(crate) values: HashMap<String, PromptValue>,
    /// Parameters that are so many times their default.
    pub(crate) shifts: HashMap<String, f64>,
    /// The words that each value came from.
    pub(crate) sources: HashMap<String, String>,
    pub(crate) remarks: Vec<String>,
    /// Words that nothing used.
    pub(crate) unused: Vec<String>,
    /// How many things the letters of the prompt ask for.
    pub(crate) counted: Option<f64>,
    /// Whether the values come from those that stand: “twice as high”.
    pub(crate) compared: bool,
}

/// The values of inputs that a change leaves as they are, by parameter.
pub(crate) type Standing = BTreeMap<String, Value>;

/// Whether a scale is the same along all axes.
pub(crate) fn is_even([x, y, z]: [f64; 3]) -> bool {
    (x - y).abs() < 1e-4 * x.max(1e-9) && (x - z).abs() < 1e-4 * x.max(1e-9)
}

/// The uniform scale that the target applies to the tree's result.
pub(crate) fn scale_of(object: &SceneObject, remarks: &mut Vec<String>) -> f64 {
    let [x, y, z] = object.scale.map(f64::abs);
    if !is_even([x, y, z]) {
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
pub(crate) fn facts(read: &Read, context: &Context, object: &SceneObject, scale: f64) -> Scope {
    let counts = object.counts.clone().unwrap_or_default();
    let local = |v: [f64; 3]| v.map(|c| c / scale);
    let unit = context.units.metres_per_unit() * scale;
    let mut scope = Scope::new();
    let mut put = |name: &str, value: Value| scope.insert(name.to_owned(), value);
    put("target.name", json!(object.name));
    put("target.dims", json!(local(object.shown_size())));
    put("target.area", json!(area(local(object.shown_size()))));
    put("target.length", json!(object.length.unwrap_or(0.0)));
    put("target.solid", json!(is_solid(object)));
    put("target.named", json!(read.cast.named));
    put("target.faces", json!(counts.faces.unwrap_or(0)));
    put("target.vertices", json!(counts.vertices.unwrap_or(0)));
    put(
        "target.curve",
        json!(matches!(object.kind.as_str(), "CURVE" | "CURVES")),
    );
    put("target.taken", json!(crate::handing_on::is_taken(object, read.library)));
    put("unit", json!(unit));
    put("unscale", json!(1.0 / scale));
    put("pi", json!(std::f64::consts::PI));
    // Modes that are menus since 5.0 have the names that menus show.
    let menus = context.blender[0] >= 5;
    for (name, property, menu) in [
        ("menu.length", "LENGTH", "Length"),
        ("menu.ngons", "NGONS", "N-gons"),
        ("menu.size", "VOXEL_SIZE", "Size"),
        ("menu.z_up", "Z_UP", "Z Up"),
        ("menu.evaluated", "EVALUATED", "Evaluated"),
    ] {
        put(name, json!(if menus { menu } else { property }));
    }
    let (mut kind, mut name, mut shape, mut dims) = ("none", Value::Null, Value::Null, [1.0; 3]);
    match &read.cast.thing {
        Some(Thing::Itself) => {
            (kind, name, dims) = ("itself", json!(object.name), local(object.shown_size()));
        }
        Some(Thing::Object(other)) => {
            kind = "object";
            name = json!(other);
            dims = local(context.object(other).map_or([1.0; 3], SceneObject::shown_size));
        }
        Some(Thing::Collection(other)) => {
            kind = "collection";
            name = json!(other);
            dims = local(largest_of(other, context));
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
    // A box turned about its middle needs its diagonal; what has more corners hardly more than its width.
    let boxy = matches!(&read.cast.thing, Some(Thing::Object(other))
        if context.object(other).and_then(|one| one.counts.as_ref()?.vertices).is_none_or(|vertices| vertices <= 8));
    put("thing.boxy", json!(boxy));
    put("thing.round", json!(shape == "sphere" || shape == "rock"));
    // Rocks are several, so that they differ.
    put("thing.several", json!(kind == "collection" || shape == "rock"));
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

/// Whether an object has an inside, as far as its bounds and counts say: of a sheet without holes, flat or hilly, the vertices and faces are one more
/// than the edges.
pub(crate) fn is_solid(object: &SceneObject) -> bool {
    let counts = object.counts.clone().unwrap_or_default();
    let [vertices, edges, faces] = [counts.vertices, counts.edges, counts.faces].map(Option::unwrap_or_default);
    let [x, y, z] = object.dimensions;
    faces > 3 && z > 0.001 * x.max(y) && vertices + faces != edges + 1
}

/// About the area of a surface with these bounds: right for what is flat, half of a box.
fn area([x, y, z]: [f64; 3]) -> f64 {
    x * y + y * z + z * x
}

/// The greatest extents of the objects of a collection, in Blender units; 1 where none is known.
fn largest_of(collection: &str, context: &Context) -> [f64; 3] {
    let members = context.collections.iter().filter(|one| one.name == collection);
    let objects = members
        .flat_map(|one| &one.objects)
        .filter_map(|name| context.object(name));
    let largest = objects.fold([0.0_f64; 3], |mut most, object| {
        for (side, other) in most.iter_mut().zip(object.shown_size()) {
            *side = side.max(other);
        }
        most
    });
    if largest.iter().any(|side| *side > 0.0) {
        largest
    } else {
        [1.0; 3]
    }
}

/// A preset that cannot be filled; a test of the presets holds that there is none.
pub(crate) fn broken(error: &ExprError, entry: &Entry) -> Refusal {
    Refusal::new(
        Code::PresetInvalid,
        format!("The preset {} cannot be filled in: {error}.", entry.preset.title),
    )
}

/// Puts all parameters into the scope; returns the names of those that were assumed. A prompt that changes a result needs to give none: what it
/// leaves as it is has the value that is `standing` there.
pub(crate) fn parameters(
    read: &Read,
    scope: &mut Scope,
    unit: f64,
    standing: Option<&Standing>,
) -> Result<Vec<String>, Refusal> {
    let entry = read.entry;
    let stands = |name: &str| standing.and_then(|values| values.get(name));
    for parameter in &entry.preset.parameters {
        let value = match read.values.get(&parameter.name) {
            Some(PromptValue::Number(n)) if parameter.kind == ParameterKind::Length => {
                expr::finite("/", n / unit * of_side(read, parameter, scope))
            }
            Some(PromptValue::Number(n)) if matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed) => {
                expr::eval(&json!(["round", n]), scope)
            }
            Some(PromptValue::Number(n)) => expr::finite("said", *n),
            Some(PromptValue::Choice(_, value)) => Ok(value.clone()),
            Some(PromptValue::Bool(b)) => Ok(json!(b)),
            None => Ok(Value::Null),
        };
        scope.insert(
            format!("said.{}", parameter.name),
            json!(read.values.contains_key(&parameter.name)),
        );
        scope.insert(parameter.name.clone(), value.map_err(|e| broken(&e, entry))?);
    }
    let mut assumed = Vec::new();
    for parameter in &entry.preset.parameters {
        if let Some(value) = stands(&parameter.name) {
            scope.insert(parameter.name.clone(), value.clone());
            continue;
        }
        if scope.get(&parameter.name).is_some_and(|value| !value.is_null())
            || parameter.default.is_null()
            || parameter.kind == ParameterKind::Value
        {
            if standing.is_none() && parameter.required && scope.get(&parameter.name).is_none_or(Value::is_null) {
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
        let mut value = option_value(entry, &parameter.name, value.map_err(|e| broken(&e, entry))?);
        if let Some(factor) = read.shifts.get(&parameter.name) {
            value = shifted(read, parameter, &value, *factor)?;
        }
        // A default of null stays open.
        value = held::within(&entry.preset.bounds, parameter, value, scope, |name| {
            read.values.contains_key(name)
        });
        let follows = parameter.told_by.iter().any(|name| read.values.contains_key(name));
        if !value.is_null() && parameter.tell && !follows && !read.shifts.contains_key(&parameter.name) {
            assumed.push(parameter.name.clone());
        }
        scope.insert(parameter.name.clone(), value);
    }
    Ok(assumed)
}

/// Checks the values of all parameters but those that stand: a computed value must be as valid as one from the prompt.
///
/// # Errors
/// `out_of_range` with the range.
pub(crate) fn valid(read: &Read, scope: &Scope, unit: f64, standing: Option<&Standing>) -> Result<(), Refusal> {
    let entry = read.entry;
    let stands = |name: &str| standing.and_then(|values| values.get(name));
    let judged = |parameter: &&Parameter| stands(&parameter.name).is_none();
    for parameter in entry.preset.parameters.iter().filter(judged) {
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
            let follows = !read.values.contains_key(&parameter.name);
            if follows && shown.abs() <= 0.0 && !has_size(scope) {
                return Err(sizeless(&read.cast.target));
            }
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
    Ok(())
}

/// How many times the side that a size is said of goes into the largest one.
fn of_side(read: &Read, parameter: &Parameter, scope: &Scope) -> f64 {
    let words = read.sources.get(&parameter.name).map_or("", String::as_str);
    if read.compared {
        1.0
    } else {
        side::factor(parameter, words, scope)
    }
}

/// What is said of sizes that are not those of the largest side. `unit` is metres per local unit.
pub(crate) fn sides_said(read: &Read, scope: &Scope, unit: f64) -> Vec<String> {
    let said = read.entry.preset.parameters.iter().filter_map(|parameter| {
        let Some(PromptValue::Number(_)) = read.values.get(&parameter.name) else {
            return None;
        };
        let words = read.sources.get(&parameter.name)?;
        let size = scope.get(&parameter.name)?.as_f64()? * unit;
        let other = (of_side(read, parameter, scope) - 1.0).abs() > 0.01;
        other.then(|| format!("For “{words}” the largest side is {} m.", plain(size)))
    });
    said.collect()
}

/// Whether the target has an extent.
fn has_size(scope: &Scope) -> bool {
    let sides = scope.get("target.dims").and_then(Value::as_array);
    sides.is_none_or(|sides| sides.iter().any(|side| side.as_f64().is_some_and(|side| side > 0.0)))
}

fn sizeless(target: &str) -> Refusal {
    let message = format!(
        "“{target}” has no size of its own to go by: it is empty, or shows copies only. Choose another object. Nothing was changed."
    );
    Refusal::new(Code::MissingParameter, message)
}

/// So many times what a parameter usually is.
fn shifted(read: &Read, parameter: &Parameter, usual: &Value, factor: f64) -> Result<Value, Refusal> {
    let whole = matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed);
    let Some(usual) = usual.as_f64() else {
        let word = read.sources.get(&parameter.name).map_or("", String::as_str);
        let message = format!(
            "“{word}” says no exact {}, and there is none to compare with. Give it as a number. Nothing was changed.",
            parameter.title.to_lowercase()
        );
        return Err(Refusal::new(Code::PartlyUnderstood, message));
    };
    let value = if whole {
        (usual * factor).round().max(1.0)
    } else {
        usual * factor
    };
    let number = if whole {
        expr::eval(&json!(["round", value]), &Scope::new())
    } else {
        expr::finite("*", value)
    };
    number.map_err(|e| broken(&e, read.entry))
}

/// The value of a choice whose default is the name of an option.
fn option_value(entry: &Entry, parameter: &str, value: Value) -> Value {
    let slot = entry.slots.iter().find(|slot| slot.parameter.name == parameter);
    let named = slot
        .into_iter()
        .flat_map(|slot| &slot.options)
        .find(|(key, _, _)| value.as_str() == Some(key));
    named.map_or(value, |(_, option, _)| option.clone())
}
