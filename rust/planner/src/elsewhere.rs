//! Words that would move a result to another object, which the planner does not do.

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;

use crate::last::Last;
use crate::library::Library;
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::request::{self, Options};
use crate::roles::Thing;
use crate::scene::Referent;

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
