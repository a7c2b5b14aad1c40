//! Places that are named beside an object: what a preset builds there, and where a result would have to go that already stands elsewhere.

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;

use crate::last::Last;
use crate::library::{Entry, Library};
use crate::preset::Makes;
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::request::{self, Options};
use crate::roles::{Cast, Thing};
use crate::scene::Referent;
use crate::template::is_solid;

/// Words that put what is built beside an object, with those that must follow them.
const BESIDE: [(&str, &[&str]); 12] = [
    ("next", &["to"]),
    ("front", &["of"]),
    ("back", &["of"]),
    ("beside", &[]),
    ("behind", &[]),
    ("near", &[]),
    ("above", &[]),
    ("below", &[]),
    ("under", &[]),
    ("beneath", &[]),
    ("inside", &[]),
    ("between", &[]),
];
/// Words that put something onto an object.
const ON: [&str; 5] = ["on", "onto", "at", "upon", "atop"];
/// Words that lead to where copies go.
const TO: [&str; 9] = ["on", "onto", "upon", "over", "along", "across", "inside", "in", "to"];
/// Verbs that put something somewhere; they open a request of their own only with something to place.
const PLACING: [&str; 14] = [
    "put",
    "place",
    "move",
    "scatter",
    "distribute",
    "spread",
    "set",
    "lay",
    "shift",
    "transfer",
    "stand",
    "drop",
    "arrange",
    "sprinkle",
];

/// Whether a preset builds one new thing, instead of copying or working on what is there.
fn builds(entry: &Entry) -> bool {
    entry.preset.target.makes != Makes::Never && entry.preset.thing.is_none()
}

/// The refusal of a place at which a new thing cannot be built: beside an object, or on one whose origin lies inside it.
pub(crate) fn refusal(entry: &Entry, reading: &Reading, cast: &Cast, context: &Context) -> Option<Refusal> {
    if !builds(entry) {
        return None;
    }
    let title = &entry.preset.title;
    let free = "becomes an object of its own at the 3D cursor, which you can set there first (Shift and the right mouse button)";
    let named = |at: usize| {
        let noun = (at..at + 4).find(|at| {
            !reading
                .item(*at)
                .is_some_and(|item| reading.language.is_determiner(&item.text) || reading.is(*at, &["to", "of", "two"]))
        })?;
        reading.item(noun).filter(|item| match &item.kind {
            ItemKind::Mention(_) => true,
            _ => ["it", "them", "this", "that"].contains(&item.text.as_str()),
        })?;
        Some(noun)
    };
    let beside = (0..reading.items.len()).find_map(|at| {
        let (word, rest) = BESIDE.iter().find(|(word, _)| reading.is(at, &[*word]))?;
        let known = entry.introduces(word) || entry.vocabulary.contains(&crate::tokens::stem(word));
        let follows = rest.is_empty() || reading.is(at + 1, rest);
        let start = if reading.is(at.wrapping_sub(1), &["in"]) {
            at - 1
        } else {
            at
        };
        let noun = named(at + 1).filter(|_| follows && !known)?;
        Some(reading.typed(start, noun + 1))
    });
    if let Some(place) = beside {
        let message = format!(
            "The built-in planner cannot place a new {title} “{place}”. Nothing was changed. Leave that out: the {title} {free}."
        );
        return Some(Refusal::new(Code::PartlyUnderstood, message));
    }
    let object = context
        .object(&cast.target)
        .filter(|object| cast.named && is_solid(object))?;
    let on = (0..reading.items.len()).find(|at| reading.is(*at, &ON) && named(at + 1).is_some())?;
    let place = reading.typed(on, named(on + 1)? + 1);
    let around = (0..reading.items.len()).any(|at| reading.is(at, &["around", "round"]));
    let message = format!(
        "A {title} “{place}” would be built at the origin of “{}”, inside it. Nothing was changed. Leave that out: the {title} {free}.",
        object.name
    );
    (!around).then(|| Refusal::new(Code::PartlyUnderstood, message))
}

/// Where a new thing stands that is built on an object of the scene.
pub(crate) fn remark(entry: &Entry, cast: &Cast) -> Option<String> {
    (builds(entry) && !cast.makes).then(|| {
        format!(
            "It stands at the origin of “{}” and is a modifier of that object.",
            cast.target
        )
    })
}

/// The refusal of words that would move the last result to another object: “now on the crate”, “put them on the crate instead”.
pub(crate) fn moved(
    library: &Library,
    last: &Last,
    prompt: &str,
    context: &Context,
    options: &Options,
) -> Option<Refusal> {
    let reading = Reading::new(prompt, context, &library.language, |word, names| {
        library.correct(word, names)
    });
    let language = reading.language;
    last.entry.preset.thing.as_ref()?;
    let mentioned = |at: usize| match reading.item(at).map(|item| &item.kind) {
        Some(ItemKind::Mention(mention)) => match &mention.referent {
            Referent::Object { name, .. } => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    let mut found = (0..reading.items.len()).filter_map(|at| Some((at, mentioned(at)?)));
    let (at, other) = found.next()?;
    if found.next().is_some() || other == last.object.name {
        return None;
    }
    let joins = |at: usize| {
        reading
            .item(at)
            .is_some_and(|item| language.is_determiner(&item.text) || reading.is(at, &["top", "of", "surface"]))
    };
    let before = (0..at).rev().find(|at| !joins(*at)).filter(|at| reading.is(*at, &TO))?;
    // Everything else speaks of what stands there, or says nothing.
    let idle = |item: usize| {
        (before..=at).contains(&item)
            || reading.means_nothing(item)
            || reading.is(item, &PLACING)
            || reading.item(item).is_some_and(|one| {
                one.kind == ItemKind::Word
                    && (language.of_copies.contains(&one.text)
                        || language.instead.contains(&one.text)
                        || ["all", "ones", "copies", "instances", "same", "but", "only"].contains(&one.text.as_str()))
                    || matches!(one.kind, ItemKind::Quantity(_))
            })
    };
    if !(0..reading.items.len()).all(idle) {
        return None;
    }
    let title = &last.modifier.name;
    let object = &last.object.name;
    let mut said = vec![format!(
        "“{title}” stands on “{object}”, and the built-in planner moves no result to another object. Nothing was changed."
    )];
    let wish = again(library, last, &other, context, options);
    said.extend(wish.map(|wish| format!("Ask for it there: “{wish}”.")));
    said.push(format!(
        "The cross of “{title}” in the Modifiers tab of “{object}” removes the one that stands."
    ));
    Some(Refusal::new(Code::PartlyUnderstood, said.join(" ")))
}

/// A prompt that asks for the last result on another object, if the planner understands it so.
fn again(library: &Library, last: &Last, other: &str, context: &Context, options: &Options) -> Option<String> {
    let thing = match last.thing()? {
        Thing::Object(name) | Thing::Collection(name) => format!("“{name}”"),
        Thing::Shape(key, _) => format!("{key}s"),
        Thing::Itself => return None,
    };
    let count = last.value("Count").and_then(serde_json::Value::as_u64);
    let count = count.map_or_else(String::new, |count| format!("{count} "));
    let verb = last.entry.preset.examples.first()?.split(' ').next()?;
    let wishes = ["on", "along", "over"].map(|place| format!("{verb} {count}{thing} {place} “{other}”"));
    wishes.into_iter().find(|wish| {
        request::read(library, wish, context, options)
            .is_ok_and(|read| read.entry.preset.id == last.entry.preset.id && read.cast.target == other)
    })
}
