//! “Make the head look like a tree”: a new thing beside the object, or inside it, is not what that asks for.

use geonode_protocol::Code;

use crate::library::Entry;
use crate::preset::Makes;
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;

/// Words that say what something is to be like, with those that must follow them.
const LIKE: [(&str, &[&str]); 5] = [
    ("look", &["like", "as"]),
    ("looks", &["like", "as"]),
    ("looking", &["like"]),
    ("resemble", &[]),
    ("resembles", &[]),
];

/// The refusal of a preset that builds something new where the prompt wants an object to look like it.
pub(crate) fn refusal(entry: &Entry, reading: &Reading) -> Option<Refusal> {
    let builds = entry.preset.target.makes != Makes::Never && entry.preset.thing.is_none();
    let likens = |at: &usize| {
        LIKE.iter()
            .any(|(word, rest)| reading.is(*at, &[*word]) && (rest.is_empty() || reading.is(at + 1, rest)))
    };
    let at = (0..reading.items.len()).filter(|_| builds).find(likens)?;
    // “make a table that looks like the one in my kitchen” builds a table.
    let stands = |item: &crate::reading::Item| match &item.kind {
        ItemKind::Mention(mention) => mention.definite,
        ItemKind::Word => ["it", "this", "them", "these"].contains(&item.text.as_str()),
        _ => false,
    };
    let subject = reading.items.get(..at)?.iter().rev().find(|item| {
        !matches!(item.kind, ItemKind::Break(_)) && !["to", "that", "which", "should"].contains(&item.text.as_str())
    })?;
    let wish = reading.typed(at, reading.items.len().min(at + 6));
    stands(subject).then(|| {
        Refusal::new(
            Code::NoPresetMatch,
            format!(
                "“{wish}”: no preset gives an object the form of something else, and {} would only build a new one beside it. Nothing was changed. Ask for what should change, such as noise, a bend or a material, or choose a language model.",
                entry.preset.title
            ),
        )
    })
}
