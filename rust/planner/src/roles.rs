//! Which object gets the tree and which thing is copied.

use geonode_protocol::Code;

use crate::language::Generic;
use crate::library::{Entry, Introducers};
use crate::preset::Unnamed;
use crate::quantity::{Amount, Unit};
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::scene::{self, GEOMETRY, Referent};
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

/// Which object has which role in a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Cast {
    /// Name of the object that gets the tree.
    pub target: String,
    /// Whether the prompt names the target itself (otherwise it was selected or active).
    pub named: bool,
    /// What is copied; `None` for presets that copy nothing.
    pub thing: Option<Thing>,
    /// Whether the thing is that of the last result, which the prompt does not name.
    pub kept: bool,
    /// Items that were read as target or thing.
    pub used: Vec<usize>,
    /// Remarks for the final message.
    pub remarks: Vec<String>,
}

/// A noun of the prompt.
struct Noun {
    at: usize,
    referent: Referent,
    definite: bool,
    counted: bool,
    target: f64,
    thing: f64,
}

/// Nouns of place without a meaning of their own: “the surface of the sphere” is the sphere.
const PARTS: [&str; 14] = [
    "surface", "top", "face", "faces", "edge", "edges", "length", "outside", "copies", "copy", "middle", "points",
    "vertices", "polygons",
];

/// Words that may be between a phrase and the noun that it introduces.
fn skipped(reading: &Reading, entry: &Entry, at: usize) -> bool {
    reading.item(at).is_some_and(|item| match &item.kind {
        ItemKind::Quantity(q) => matches!(q.unit, Unit::Bare | Unit::Times) && !matches!(q.amount, Amount::Range(..)),
        ItemKind::Word => {
            reading.language.is_determiner(&item.text)
                || reading.language.adjectives.contains(&item.stem)
                || reading.language.colours.contains(&item.stem)
                || reading.is(
                    at,
                    &[
                        "all",
                        "each",
                        "every",
                        "copies",
                        "instances",
                        "duplicates",
                        "clones",
                        "many",
                        "own",
                    ],
                )
                || (item.text.ends_with("ly") && item.text.len() > 4)
                || (entry.vocabulary.contains(&item.stem)
                    && !reading.language.prepositions.contains(&item.text)
                    && !reading.language.generic.contains_key(&item.stem)
                    && reading.language.shape(&item.stem).is_none())
        }
        _ => false,
    })
}

/// The noun that a phrase ending before `start` introduces: its item, whether a count and whether an article preceded it.
fn head(reading: &Reading, entry: &Entry, start: usize) -> Option<(usize, bool, bool)> {
    let language = reading.language;
    let mut at = start;
    let (mut counted, mut definite) = (false, false);
    let mut guess: Option<usize> = None;
    while at < start + 9 {
        let Some(item) = reading.item(at) else { break };
        match &item.kind {
            ItemKind::Mention(mention) => return Some((at, counted, mention.definite || definite)),
            ItemKind::Break(_) => break,
            // “the first half of the curve” is the curve.
            ItemKind::Quantity(_) if reading.is(at + 1, &["of"]) && item.text.starts_with("half") => at += 1,
            // “fifty 8 cm spheres”.
            ItemKind::Quantity(q) if counted && guess.is_none() && q.unit == Unit::Metres => {}
            ItemKind::Quantity(_) if guess.is_some() || !skipped(reading, entry, at) => break,
            ItemKind::Quantity(_) => counted = true,
            ItemKind::Word if PARTS.contains(&item.text.as_str()) && reading.is(at + 1, &["of"]) => at += 1,
            ItemKind::Word if language.definite.contains(&item.text) && guess.is_none() => definite = true,
            ItemKind::Word if ["it", "them", "selection"].contains(&item.text.as_str()) && guess.is_none() => {
                return Some((at, false, true));
            }
            ItemKind::Word
                if language.prepositions.contains(&item.text) && !reading.is(at, &["all", "each", "every"]) =>
            {
                break;
            }
            ItemKind::Word if language.conjunctions.contains(&item.text) || language.negations.contains(&item.text) => {
                break;
            }
            ItemKind::Word => {
                let named = language.generic.contains_key(&item.stem) || language.shape(&item.stem).is_some();
                let filler = !named && (skipped(reading, entry, at) || language.stop.contains(&item.text));
                let participle = item.text.ends_with("ed") || item.text.ends_with("ing");
                // A known noun is preferred to an unknown word after it (“pebbles everywhere”).
                let settled = guess
                    .and_then(|g| reading.item(g))
                    .is_some_and(|g| language.shape(&g.stem).is_some())
                    && !named;
                if !(filler || settled || participle && guess.is_some()) {
                    guess = Some(at);
                }
            }
        }
        at += 1;
    }
    guess.map(|at| (at, counted, definite))
}

fn longest(introducers: &Introducers, reading: &Reading, at: usize) -> Option<(usize, f64)> {
    let of = |list: &[crate::phrase::Phrase], base: f64| {
        let ends = list
            .iter()
            .filter_map(|phrase| Some((phrase.ends(reading, at)?, phrase.weight())));
        ends.max()
            .map(|(end, weight)| (end, base + f64::from(u32::try_from(weight).unwrap_or(1)) * 0.1))
    };
    of(&introducers.after, 2.0).or_else(|| of(&introducers.object_of, 1.0))
}

fn referent(reading: &Reading, at: usize) -> Option<Referent> {
    let item = reading.item(at)?;
    Some(match &item.kind {
        ItemKind::Mention(mention) => mention.referent.clone(),
        _ => match reading.language.generic.get(&item.stem) {
            Some(generic) => Referent::Generic(*generic),
            None => Referent::Unknown(item.typed.clone()),
        },
    })
}

fn nouns(reading: &Reading, entry: &Entry) -> Vec<Noun> {
    let mut nouns: Vec<Noun> = Vec::new();
    let mut note = |at: usize, counted: bool, definite: bool, target: f64, thing: f64| {
        if let Some(noun) = nouns.iter_mut().find(|noun| noun.at == at) {
            noun.counted |= counted;
            noun.definite |= definite;
            noun.target = noun.target.max(target);
            noun.thing = noun.thing.max(thing);
        } else if let Some(referent) = referent(reading, at) {
            // “to be a pipe”: what a preset makes is not an object of the scene.
            let made = reading
                .item(at)
                .is_some_and(|item| entry.vocabulary.contains(&item.stem));
            // “6 columns” of a grid are not pillars.
            let part = counted
                && matches!(referent, Referent::Unknown(_))
                && reading.item(at).is_some_and(|item| entry.parts.contains(&item.stem));
            if part || entry.preset.thing.is_none() && made && matches!(referent, Referent::Unknown(_)) && !counted {
                return;
            }
            nouns.push(Noun {
                at,
                referent,
                definite,
                counted,
                target,
                thing,
            });
        }
    };
    // A prompt may open with the thing itself: “fence posts along the curve”.
    if let Some((head, counted, definite)) = head(reading, entry, 0)
        && reading
            .item(head)
            .is_some_and(|item| reading.language.shape(&item.stem).is_some())
    {
        note(head, counted, definite, 0.0, 0.5);
    }
    for (at, item) in reading.items.iter().enumerate() {
        let part_of = at > 0
            && reading.is(at, &["of"])
            && reading
                .item(at - 1)
                .is_some_and(|i| PARTS.contains(&i.text.as_str()) && !i.text.starts_with("cop"));
        if !part_of {
            if let Some((end, strength)) = longest(&entry.target, reading, at)
                && let Some((head, counted, definite)) = head(reading, entry, end)
            {
                note(head, counted, definite, strength, 0.0);
            }
            if let Some((end, strength)) = longest(&entry.thing, reading, at)
                && let Some((head, counted, definite)) = head(reading, entry, end)
            {
                let named = !matches!(referent(reading, head), Some(Referent::Unknown(_)))
                    || reading
                        .item(head)
                        .is_some_and(|item| reading.language.shape(&item.stem).is_some());
                // “with random rotation” names nothing to copy.
                if named || counted || definite || !reading.is(at, &["with", "using"]) {
                    note(head, counted, definite, 0.0, strength);
                }
            }
        }
        match &item.kind {
            ItemKind::Quantity(q) if matches!((&q.amount, q.unit), (Amount::One(_) | Amount::Sides(_), Unit::Bare)) => {
                if let Some((head, _, definite)) = head(reading, entry, at + 1) {
                    note(head, true, definite, 0.0, 0.0);
                }
            }
            ItemKind::Mention(mention) => note(at, false, mention.definite, 0.0, 0.0),
            _ => {}
        }
    }
    nouns.sort_by_key(|noun| noun.at);
    nouns
}

fn best(nouns: &[Noun], score: impl Fn(&Noun) -> f64, except: Option<usize>) -> Option<&Noun> {
    let mut best: Option<(&Noun, f64)> = None;
    for noun in nouns.iter().filter(|noun| Some(noun.at) != except) {
        let value = score(noun);
        if value > 0.0 && best.is_none_or(|(_, top)| value > top) {
            best = Some((noun, value));
        }
    }
    best.map(|(noun, _)| noun)
}

/// Names of the scene that are similar to the missing one.
fn near_names(word: &str, context: &Context, kinds: &[String]) -> String {
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
        "none that fits".to_owned()
    } else {
        list.join(", ")
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
    let near = near_names(word, context, kinds);
    Refusal::new(
        Code::UnknownObject,
        format!(
            "There is no object called “{word}” in the scene. Suitable objects: {near}. Use one of these names, or select the object and say “it”."
        ),
    )
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
            let generic = if *generic == Generic::Any && kinds.iter().any(|k| k == "CURVE") {
                Generic::Curve
            } else {
                *generic
            };
            scene::at_hand(generic, context)
                .or_else(|| context.focus())
                .map(|object| object.name.clone())
                .ok_or_else(|| {
                    let list = near_names("", context, kinds);
                    Refusal::new(
                        Code::UnknownObject,
                        format!("It is not clear which object is meant. Name one of {list}, or select it."),
                    )
                })
        }
        Referent::Unknown(word) => Err(unknown(word, context, kinds)),
    }
}

fn thing_of(noun: &Noun, reading: &Reading, context: &Context, remarks: &mut Vec<String>) -> Result<Thing, Refusal> {
    match &noun.referent {
        Referent::Collection(name) => Ok(Thing::Collection(name.clone())),
        Referent::Unknown(word) => {
            let stem = reading.item(noun.at).map_or("", |item| item.stem.as_str());
            let shape = reading.language.shape(stem);
            let quoted = matches!(reading.item(noun.at).map(|i| &i.kind), Some(ItemKind::Mention(_)));
            // What neither the scene nor the language knows is never replaced by something else.
            let Some(shape) = shape.filter(|_| !quoted) else {
                return Err(unknown(word, context, &[]));
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
                Some(object) if !fits(object, &[]) => Err(wrong_kind(object, context, &[])),
                _ => Ok(Thing::Object(name)),
            }
        }
    }
}

/// The nouns for target and thing.
fn assign<'a>(entry: &Entry, all: &'a [Noun]) -> (Option<&'a Noun>, Option<&'a Noun>) {
    let has_thing = entry.preset.thing.is_some();
    // A count before a noun makes it the thing, unless something introduces it as the target for certain.
    let thing_score = |noun: &Noun| {
        if !has_thing || noun.target >= 2.0 && noun.target >= noun.thing {
            return 0.0;
        }
        let counted = if noun.counted { 1.9 } else { 0.0 };
        // “25 of them” refers to something named before.
        let share = if noun.referent == Referent::Generic(Generic::Any) {
            0.2
        } else {
            1.0
        };
        let collected = if matches!(noun.referent, Referent::Collection(_)) {
            2.0
        } else {
            0.0
        };
        noun.thing.max(counted) * share + collected
    };
    let target_score = |noun: &Noun| {
        // A name is more specific than “the surface”.
        let vague = if matches!(noun.referent, Referent::Generic(_)) {
            0.5
        } else {
            0.0
        };
        if thing_score(noun) > noun.target {
            0.0
        } else {
            noun.target - vague
        }
    };
    let mut target = best(all, target_score, None);
    let mut thing = best(all, thing_score, target.map(|noun| noun.at));
    // Objects that nothing introduces fill what is still open.
    for noun in all
        .iter()
        .filter(|noun| !matches!(noun.referent, Referent::Unknown(_) | Referent::Generic(Generic::Any)))
    {
        let taken = [target, thing].into_iter().flatten().any(|other| other.at == noun.at);
        if taken {
            continue;
        }
        if has_thing && thing.is_none() && entry.preset.thing.as_ref().is_some_and(|t| t.carries) {
            thing = Some(noun);
        } else if target.is_none() && !(has_thing && noun.counted)
            || (!has_thing && target.is_some_and(|noun| matches!(noun.referent, Referent::Generic(_))))
        {
            // “spiky sphere: extrude each face”: a name is more specific than “each face”.
            target = Some(noun);
        } else if has_thing && thing.is_none() {
            thing = Some(noun);
        }
    }
    (target, thing)
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
        let list = near_names("", context, kinds);
        Refusal::new(
            Code::MissingParameter,
            format!("The prompt does not say which object it is about. Name one of {list}, or select it."),
        )
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

/// Assigns the roles of a preset.
///
/// # Errors
/// `unknown_object` with near names; `wrong_object_kind` with the fix; `missing_parameter` when no object can be meant.
pub(crate) fn cast(entry: &Entry, reading: &Reading, context: &Context, forced: Option<&str>) -> Result<Cast, Refusal> {
    let kinds = &entry.preset.target.kinds;
    let all = nouns(reading, entry);
    let (target, thing) = assign(entry, &all);
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
    let mut copied = match thing {
        Some(noun) => match (&noun.referent, antecedent(noun)) {
            (Referent::Generic(Generic::Any), Some(name)) => Some(Thing::Object(name)),
            _ => Some(thing_of(noun, reading, context, &mut remarks)?),
        },
        None => None,
    };
    let mut carrier = match (forced, target) {
        (Some(name), _) => {
            context.object(name).ok_or_else(|| unknown(name, context, kinds))?;
            Some(name.to_owned())
        }
        (None, Some(noun)) => Some(object_of(&noun.referent, context, kinds, antecedent(noun).as_deref())?),
        (None, None) => None,
    };
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
    let target = match carrier {
        Some(name) => name,
        None => fallback(context, kinds, copied.as_ref())?,
    };
    let object = context
        .object(&target)
        .ok_or_else(|| unknown(&target, context, kinds))?;
    if !fits(object, kinds) {
        return Err(wrong_kind(object, context, kinds));
    }
    if !object.visible {
        return Err(hidden(&target));
    }
    if let Some(role) = &entry.preset.thing {
        let itself = matches!(&copied, Some(Thing::Object(name)) if *name == target);
        match (&copied, role.unnamed) {
            _ if itself => copied = Some(Thing::Itself),
            (None, Unnamed::Itself) => copied = Some(Thing::Itself),
            (None, Unnamed::Ask) => {
                let message = format!(
                    "The prompt does not say which object to use with “{target}”. Name it, e.g. “{}”.",
                    entry.suggestion().example
                );
                return Err(Refusal::new(Code::MissingParameter, message));
            }
            (None, Unnamed::Shape) => {
                remarks.push("The prompt names nothing to place, so built-in cubes are used.".into());
                copied = Some(Thing::Shape("cube".into(), None));
            }
            _ => {}
        }
    }
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
    Ok(Cast {
        target,
        named: target_named,
        thing: copied,
        kept: false,
        used,
        remarks,
    })
}

fn wrong_kind(object: &SceneObject, context: &Context, kinds: &[String]) -> Refusal {
    let wanted = kinds
        .first()
        .map_or_else(|| "something with geometry".to_owned(), |kind| kind_word(kind));
    let list = near_names(&object.name, context, kinds);
    Refusal::new(
        Code::WrongObjectKind,
        format!(
            "“{}” is {}, but this needs {wanted}. Suitable objects: {list}.",
            object.name,
            kind_word(&object.kind)
        ),
    )
}
