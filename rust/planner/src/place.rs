//! Places that are named beside an object: what a preset builds there.

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;

use crate::library::Entry;
use crate::preset::Makes;
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::roles::Cast;
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
