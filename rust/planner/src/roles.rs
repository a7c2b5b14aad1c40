//! Which object gets the tree and which thing is copied.

use geonode_protocol::Code;

use crate::language::Generic;
use crate::library::Entry;
use crate::named::not_a_name;
use crate::naming::{again, free};
use crate::nouns::{Noun, assign, nouns};
use crate::preset::{Makes, Unnamed};
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::scene::{self, GEOMETRY, Referent};
use crate::unread::not_understood;
use geonode_graph::documents::context::{Context, SceneObject};

/// The thing that is copied.
#[derive(Debug, Clone, PartialEq)]
pub enum Thing {
    /// The target's own geometry.
    Itself,
    /// Another object.
    Object(String),
    /// The objects of a collection.
    Collection(String),
    /// A built-in shape: its key and the noun that asked for it.
    Shape(String, Option<String>),
}

/// How what is copied is spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// “the cube”, or nothing is named.
    One,
    /// “12 cubes”, “a ring of cubes”.
    Several,
}

/// Which object has which role in a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    /// Name of the object that gets the tree.
    pub target: String,
    /// Whether the plan makes the target, under this name.
    pub makes: bool,
    /// Whether the prompt names the target itself (otherwise it was selected or active).
    pub named: bool,
    /// What is copied; `None` for presets that copy nothing.
    pub thing: Option<Thing>,
    /// Whether one thing is repeated, or several are asked for.
    pub number: Number,
    /// Whether the thing is that of the last result, which the prompt does not name.
    pub kept: bool,
    /// Items that were read as target or thing.
    pub used: Vec<usize>,
    /// Remarks for the final message.
    pub remarks: Vec<String>,
}

/// Names of the scene that are similar to the missing one; where there are none the menu that adds one.
fn near_names(word: &str, context: &Context, kinds: &[String]) -> Result<String, &'static str> {
    let lower = word.to_lowercase();
    let mut names: Vec<(&str, f64)> = context
        .objects
        .iter()
        .filter(|object| fits(object, kinds))
        .map(|object| {
            (
                object.name.as_str(),
                strsim::jaro_winkler(&lower, &object.name.to_lowercase()),
            )
        })
        .collect();
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    let list: Vec<String> = names.iter().take(4).map(|(name, _)| format!("“{name}”")).collect();
    if list.is_empty() {
        Err(match kinds.first().map(String::as_str) {
            Some("CURVE" | "CURVES") => "Curve",
            Some("FONT") => "Text",
            _ => "Mesh",
        })
    } else {
        Ok(list.join(", "))
    }
}

fn fits(object: &SceneObject, kinds: &[String]) -> bool {
    if kinds.is_empty() {
        GEOMETRY.contains(&object.kind.as_str())
    } else {
        kinds.contains(&object.kind)
    }
}

fn unknown(word: &str, context: &Context, kinds: &[String]) -> Refusal {
    let message = match near_names(word, context, kinds) {
        Ok(near) => format!(
            "There is no object called “{word}” in the scene. Suitable objects: {near}. Use one of these names, or select the object and say “it”."
        ),
        Err(menu) => format!(
            "There is no object called “{word}” in the scene. No object in the scene is suitable: add one first (Add > {menu})."
        ),
    };
    Refusal::new(Code::UnknownObject, message)
}

/// The refusal of a thing to be copied that the scene does not have: with names that are nearly so, or small objects that may be meant.
fn no_such_thing(word: &str, stem: &str, reading: &Reading, context: &Context) -> Refusal {
    if let Some(maker) = reading.language.presets.makers.get(stem) {
        let message = format!(
            "There is no object called “{word}” in the scene. {} makes one: ask for that first (“{}”), and then for copies of it. Nothing was changed.",
            maker.title, maker.example
        );
        return Refusal::new(Code::UnknownObject, message);
    }
    let lower = word.to_lowercase();
    let alike = |object: &&SceneObject| strsim::jaro_winkler(&lower, &object.name.to_lowercase()) > 0.85;
    let size = |object: &SceneObject| object.dimensions.into_iter().fold(0.0, f64::max);
    let ground = context.focus().map(|object| object.name.as_str());
    let mut all: Vec<&SceneObject> = context.objects.iter().filter(|object| object.kind == "MESH").collect();
    all.retain(|object| Some(object.name.as_str()) != ground && object.visible);
    all.sort_by(|a, b| alike(b).cmp(&alike(a)).then(size(a).total_cmp(&size(b))));
    let names: Vec<String> = all.iter().take(3).map(|object| format!("“{}”", object.name)).collect();
    let names = names.join(", ");
    let message = if names.is_empty() {
        format!(
            "There is no object called “{word}” in the scene. Nothing was changed. Name a built-in shape: cubes, spheres, cones, cylinders or rocks."
        )
    } else {
        format!(
            "There is no object called “{word}” in the scene. Nothing was changed. Name an object of the scene, such as {names}, or a built-in shape: cubes, spheres, cones, cylinders or rocks."
        )
    };
    Refusal::new(Code::UnknownObject, message)
}

/// An object that can have the tree if the prompt names none: the active or selected one, but not the thing to copy.
fn unnamed_target<'a>(context: &'a Context, kinds: &[String], except: Option<&str>) -> Option<&'a SceneObject> {
    let fine = |object: &&SceneObject| fits(object, kinds) && Some(object.name.as_str()) != except;
    if let Some(focus) = context.focus().filter(fine) {
        return Some(focus);
    }
    let mut all = context.objects.iter().filter(fine);
    let only = all.next()?;
    all.next().is_none().then_some(only)
}

fn kind_word(kind: &str) -> String {
    match kind {
        "MESH" => "a mesh".into(),
        "CURVE" | "CURVES" => "a curve".into(),
        "FONT" => "a text".into(),
        other => format!("of type {}", other.to_lowercase()),
    }
}

fn object_of(
    referent: &Referent,
    context: &Context,
    kinds: &[String],
    before: Option<&str>,
) -> Result<String, Refusal> {
    match referent {
        Referent::Object { name, .. } => Ok(name.clone()),
        Referent::Collection(name) => Err(Refusal::new(
            Code::WrongObjectKind,
            format!("“{name}” is a collection; the tree needs one object. Name an object instead."),
        )),
        Referent::Generic(generic) => {
            if let (Generic::Any, Some(before)) = (generic, before) {
                return Ok(before.to_owned());
            }
            let only_curves = !kinds.is_empty() && kinds.iter().all(|kind| kind.starts_with("CURVE"));
            let generic = if *generic == Generic::Any && only_curves {
                Generic::Curve
            } else {
                *generic
            };
            scene::at_hand(generic, context)
                .or_else(|| context.focus())
                .map(|object| object.name.clone())
                .ok_or_else(|| {
                    let message = match near_names("", context, kinds) {
                        Ok(list) => format!(
                            "It is not clear which object is meant. Suitable objects: {list}. Name one, or select it."
                        ),
                        Err(menu) => format!(
                            "It is not clear which object is meant. No object in the scene is suitable: add one first (Add > {menu})."
                        ),
                    };
                    Refusal::new(Code::UnknownObject, message)
                })
        }
        Referent::Unknown(word) => Err(unknown(word, context, kinds)),
    }
}

/// A remark where an object is taken for the ground and is not called so.
fn other_ground(noun: Option<&Noun>, name: Option<&str>, reading: &Reading) -> Option<String> {
    let (noun, name) = (noun?, name?);
    let item = reading
        .item(noun.at)
        .filter(|_| matches!(noun.referent, Referent::Generic(_)))?;
    let mut grounds = reading.language.grounds.iter();
    let is_ground = grounds.any(|word| *word == item.stem || *word == item.text);
    let remark = format!("The scene has no object “{}”, so “{name}” is used.", item.typed);
    (is_ground && !name.to_lowercase().contains(&item.stem)).then_some(remark)
}

fn thing_of(
    noun: &Noun,
    reading: &Reading,
    context: &Context,
    kinds: &[String],
    remarks: &mut Vec<String>,
) -> Result<Thing, Refusal> {
    match &noun.referent {
        Referent::Collection(name) => Ok(Thing::Collection(name.clone())),
        Referent::Unknown(word) => {
            let stem = reading.item(noun.at).map_or("", |item| item.stem.as_str());
            let shape = reading.language.shape(stem);
            let quoted = matches!(reading.item(noun.at).map(|i| &i.kind), Some(ItemKind::Mention(_)));
            // What neither the scene nor the language knows is never replaced by something else.
            let Some(shape) = shape.filter(|_| !quoted) else {
                return Err(no_such_thing(word, stem, reading, context));
            };
            if crate::tokens::stem(&shape.title) == stem {
                remarks.push(format!(
                    "The scene has no object “{word}”, so the built-in shape is used."
                ));
            } else {
                remarks.push(format!(
                    "The scene has no “{word}”, so a built-in {} is used instead.",
                    shape.title
                ));
            }
            Ok(Thing::Shape(shape.key.clone(), Some(word.clone())))
        }
        other => {
            let name = object_of(other, context, &[], None)?;
            match context.object(&name) {
                Some(object) if !fits(object, kinds) => Err(wrong_kind(object, context, kinds)),
                _ => Ok(Thing::Object(name)),
            }
        }
    }
}

/// An object for a prompt that names none.
fn fallback(context: &Context, kinds: &[String], copied: Option<&Thing>) -> Result<String, Refusal> {
    let except = match copied {
        Some(Thing::Object(name)) => Some(name.as_str()),
        _ => None,
    };
    let object = unnamed_target(context, kinds, except).ok_or_else(|| {
        if let Some(object) = context.focus().filter(|object| !fits(object, kinds)) {
            return wrong_kind(object, context, kinds);
        }
        let message = match near_names("", context, kinds) {
            Ok(list) => format!(
                "The prompt does not say which object it is about. Suitable objects: {list}. Name one, or select it."
            ),
            Err(menu) => format!(
                "The prompt does not say which object it is about. No object in the scene is suitable: add one first (Add > {menu})."
            ),
        };
        Refusal::new(Code::MissingParameter, message)
    })?;
    Ok(object.name.clone())
}

/// The object that the run is about, if it has one of these types and can be seen.
///
/// # Errors
/// `missing_parameter`, `wrong_object_kind` or `object_hidden`.
pub(crate) fn fitting(context: &Context, kinds: &[String]) -> Result<String, Refusal> {
    let object = context
        .focus()
        .ok_or_else(|| Refusal::new(Code::MissingParameter, "No object is chosen. Select one, or name it."))?;
    if !fits(object, kinds) {
        return Err(wrong_kind(object, context, kinds));
    }
    if !object.visible {
        return Err(hidden(&object.name));
    }
    Ok(object.name.clone())
}

fn hidden(target: &str) -> Refusal {
    Refusal::new(
        Code::ObjectHidden,
        format!(
            "“{target}” is hidden in this view layer, so its result could not be checked. Show it first, or name another object."
        ),
    )
}

/// What is copied where the prompt names the object itself, or nothing.
fn without_a_name(
    entry: &Entry,
    thing: Option<&Noun>,
    target: &str,
    copied: &mut Option<Thing>,
    remarks: &mut Vec<String>,
) -> Result<(), Refusal> {
    let Some(role) = &entry.preset.thing else {
        return Ok(());
    };
    let itself = matches!(&*copied, Some(Thing::Object(name)) if name == target);
    let pointed = thing.is_some_and(|noun| matches!(noun.referent, Referent::Generic(_)));
    match (&*copied, role.unnamed) {
        // “drop them on it”: what is scattered is another thing than what it lies on.
        _ if itself && pointed && role.unnamed == Unnamed::Shape => {
            let message = format!(
                "The prompt does not say what to place on “{target}”. Name it, e.g. “{}”.",
                entry.suggestion().example
            );
            return Err(Refusal::new(Code::MissingParameter, message));
        }
        _ if itself => *copied = Some(Thing::Itself),
        (None, Unnamed::Itself) => *copied = Some(Thing::Itself),
        (None, Unnamed::Ask) => {
            let message = format!(
                "The prompt does not say which object to use with “{target}”. Name it, e.g. “{}”.",
                entry.suggestion().example
            );
            return Err(Refusal::new(Code::MissingParameter, message));
        }
        (None, Unnamed::Shape) => {
            remarks.push("The prompt names nothing to place, so built-in cubes are used.".into());
            *copied = Some(Thing::Shape("cube".into(), None));
        }
        _ => {}
    }
    Ok(())
}

/// Whether a preset makes an object of its own: the prompt names none for it, and nothing of the scene is copied.
fn makes_its_own(entry: &Entry, context: &Context, copied: Option<&Thing>) -> bool {
    let own = entry.preset.thing.is_none() || matches!(copied, Some(Thing::Shape(_, Some(_))));
    own && match entry.preset.target.makes {
        Makes::Never => false,
        Makes::Otherwise => unnamed_target(context, &entry.preset.target.kinds, None).is_none(),
        Makes::Always => true,
    }
}

/// The object that gets the tree, `carrier` if the prompt says which, and whether the plan makes it.
fn carried_by(
    entry: &Entry,
    context: &Context,
    words: &str,
    copied: Option<&Thing>,
    carrier: Option<String>,
) -> Result<(String, bool), Refusal> {
    let title = &entry.preset.title;
    Ok(match carrier {
        Some(name) => (name, false),
        None if makes_its_own(entry, context, copied) => match again(title, context, words) {
            // Asked for again, it stands there already.
            Some(object) => (object.name.clone(), false),
            None => (free(title, |name| context.object(name).is_some()), true),
        },
        None => (fallback(context, &entry.preset.target.kinds, copied)?, false),
    })
}

/// Whether the noun says several without naming ones that stand: “a ring of cubes”, not “the cubes”.
fn number(noun: &Noun, reading: &Reading) -> Number {
    let Some(item) = reading.item(noun.at) else {
        return Number::One;
    };
    let named = matches!(&item.kind, ItemKind::Mention(mention) if mention.definite);
    let plural = !named && item.text.ends_with('s') && item.stem != item.text;
    if noun.counted || plural || reading.language.of_copies.contains(&item.text) {
        Number::Several
    } else {
        Number::One
    }
}

/// Whether an object can have the tree.
fn check(target: &str, context: &Context, kinds: &[String]) -> Result<(), Refusal> {
    let object = context.object(target).ok_or_else(|| unknown(target, context, kinds))?;
    if !fits(object, kinds) {
        return Err(wrong_kind(object, context, kinds));
    }
    if !object.visible {
        return Err(hidden(target));
    }
    Ok(())
}

/// The noun, or where the object that it names can have no such tree, the only one that can: “a fence along the curve made from Post”.
fn fitting_noun<'n>(noun: &'n Noun, thing: Option<&Noun>, all: &'n [Noun], kinds: &[String]) -> &'n Noun {
    let fits = |one: &Noun| match &one.referent {
        Referent::Object { kind, .. } => kinds.is_empty() || kinds.contains(kind),
        // “turn my curve into a road … (the Lamp object)”.
        Referent::Generic(Generic::Curve) => kinds.iter().any(|kind| kind == "CURVE"),
        _ => false,
    };
    if fits(noun) || !matches!(noun.referent, Referent::Object { .. }) {
        return noun;
    }
    let mut others = all
        .iter()
        .filter(|one| fits(one) && thing.is_none_or(|thing| thing.at != one.at));
    match (others.next(), others.next()) {
        (Some(only), None) => only,
        _ => noun,
    }
}

/// The items that name what is copied once more: “posts every 80 cm, *posts* 1.1 m tall”.
fn said_again(noun: &Noun, reading: &Reading) -> Vec<usize> {
    let stem = reading.item(noun.at).map(|item| &item.stem);
    let items = reading.items.iter().enumerate();
    items
        .filter(|(_, one)| one.kind == ItemKind::Word && Some(&one.stem) == stem)
        .map(|(at, _)| at)
        .collect()
}

/// Assigns the roles of a preset. `words` is the digest of the prompt.
///
/// # Errors
/// `unknown_object` with near names; `wrong_object_kind` with the fix; `missing_parameter` when no object can be meant.
pub(crate) fn cast(
    entry: &Entry,
    reading: &Reading,
    context: &Context,
    (forced, words): (Option<&str>, &str),
) -> Result<Cast, Refusal> {
    let kinds = &entry.preset.target.kinds;
    let all = nouns(reading, entry);
    let (target, thing) = assign(entry, &all);
    let target = target.map(|noun| fitting_noun(noun, thing, &all, kinds));
    let place = target.map(|noun| (noun, true));
    for (noun, carries) in place.into_iter().chain(thing.map(|noun| (noun, false))) {
        if let Some(word) = not_a_name(entry, reading, noun, carries) {
            return Err(not_understood(entry, vec![word]));
        }
    }
    if target.is_some_and(|noun| noun.counted) && thing.is_some_and(|noun| noun.counted) {
        return Err(Refusal::new(
            Code::PartlyUnderstood,
            "The prompt counts two things. What is made stands on one object: name it without a number. Nothing was changed.",
        ));
    }
    let mut used: Vec<usize> = [target, thing].into_iter().flatten().map(|noun| noun.at).collect();
    let mut remarks = Vec::new();
    let named = |noun: &Noun| match &noun.referent {
        Referent::Object { name, .. } => Some(name.clone()),
        _ => None,
    };
    // “it” refers to the last name before it.
    let copied_at = thing.map(|noun| noun.at);
    let antecedent = |noun: &Noun| {
        // The thing that is copied is not the target.
        let other = |other: &&Noun| other.at < noun.at && named(other).is_some() && Some(other.at) != copied_at;
        all.iter().rfind(other).and_then(named)
    };

    let target_named = target.is_some();
    let accepted = entry
        .preset
        .thing
        .as_ref()
        .map_or(&[][..], |role| role.kinds.as_slice());
    // “50 things” names none: what is copied then is said, or asked for.
    let anything = |noun: &Noun| {
        let vague = reading.is(noun.at, &["things", "objects", "items", "elements"]);
        vague && noun.referent == Referent::Generic(Generic::Any) && antecedent(noun).is_none()
    };
    let thing = thing.filter(|noun| !anything(noun));
    let number = thing.map_or(Number::One, |noun| number(noun, reading));
    let mut copied = match thing {
        Some(noun) => match (&noun.referent, antecedent(noun)) {
            (Referent::Generic(Generic::Any), Some(name)) => Some(Thing::Object(name)),
            _ => Some(thing_of(noun, reading, context, accepted, &mut remarks)?),
        },
        None => None,
    };
    let mut carrier = match (forced, target) {
        // “on the Moon” is not the object that was chosen.
        (
            Some(_),
            Some(Noun {
                referent: Referent::Unknown(word),
                ..
            }),
        ) => return Err(unknown(word, context, kinds)),
        (Some(name), _) => {
            context.object(name).ok_or_else(|| unknown(name, context, kinds))?;
            Some(name.to_owned())
        }
        (None, Some(noun)) => Some(object_of(&noun.referent, context, kinds, antecedent(noun).as_deref())?),
        (None, None) => None,
    };
    remarks.extend(other_ground(target, carrier.as_deref(), reading));
    if let (Some(forced), Some(noun)) = (forced, target)
        && named(noun).is_some_and(|name| name != forced)
    {
        remarks.push(format!(
            "The object “{forced}” was chosen for the run, so it is used as the target."
        ));
    }
    if let (Some(role), None, Some(Thing::Object(name))) = (&entry.preset.thing, &carrier, &copied)
        && role.carries
    {
        carrier = Some(name.clone());
    }
    let (target, makes) = carried_by(entry, context, words, copied.as_ref(), carrier)?;
    if !makes {
        check(&target, context, kinds)?;
    }
    without_a_name(entry, thing, &target, &mut copied, &mut remarks)?;
    // Naming the same object twice does not ask for a second thing.
    for noun in &all {
        let same = named(noun).is_some_and(|name| name == target || copied == Some(Thing::Object(name)));
        let pronoun = matches!(noun.referent, Referent::Generic(_));
        // “50 rocks from the collection Rocks” names the thing twice.
        let collected = noun.counted && matches!(copied, Some(Thing::Collection(_)));
        if same || pronoun || collected {
            used.push(noun.at);
        }
    }
    used.extend(thing.into_iter().flat_map(|noun| said_again(noun, reading)));
    Ok(Cast {
        target,
        makes,
        named: target_named,
        thing: copied,
        number,
        kept: false,
        used,
        remarks,
    })
}

fn wrong_kind(object: &SceneObject, context: &Context, kinds: &[String]) -> Refusal {
    let wanted = kinds
        .first()
        .map_or_else(|| "something with geometry".to_owned(), |kind| kind_word(kind));
    let (name, kind) = (&object.name, kind_word(&object.kind));
    let message = match near_names(name, context, kinds) {
        Ok(list) => format!("“{name}” is {kind}, but this needs {wanted}. Suitable objects: {list}."),
        Err(menu) => format!(
            "“{name}” is {kind}, but this needs {wanted}. No object in the scene is suitable: add one first (Add > {menu})."
        ),
    };
    Refusal::new(Code::WrongObjectKind, message)
}
