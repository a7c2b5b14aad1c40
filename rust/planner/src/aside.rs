//! What stands beside the request: sentences of talk (“My boss wants it tomorrow”), orders that are none of the preset's, and words that only describe.

use std::collections::HashSet;

use crate::library::Entry;
use crate::reading::{ItemKind, Reading};

/// Marks that end a sentence.
const ENDS: [char; 8] = ['.', '!', '?', ';', ':', '\n', '(', ')'];
/// Prepositions and conjunctions before a thing that belongs to what is asked for: “with a chimney”, “and mushrooms”.
const BELONGING: [&str; 12] = [
    "with",
    "and",
    "of",
    "plus",
    "from",
    "in",
    "on",
    "inside",
    "under",
    "or",
    "without",
    "including",
];

/// The sentences in which nothing is asked for: those without anything that `asks`, as ranges of items.
pub(crate) fn sentences_of_talk(reading: &Reading, asks: impl Fn(usize) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..=reading.items.len() {
        let ends = reading
            .item(at)
            .is_none_or(|item| matches!(item.kind, ItemKind::Break(mark) if ENDS.contains(&mark)));
        if ends {
            if start < at && !(start..at).any(&asks) && !(start..at).any(|first| orders(reading, first)) {
                found.push(start..at);
            }
            start = at + 1;
        }
    }
    found
}

/// Whether the word opens its clause as the verb of an order: “frobnicate them”, “and then polish the cube”.
pub(crate) fn orders(reading: &Reading, at: usize) -> bool {
    let language = reading.language;
    let word = |at: usize| reading.item(at).filter(|item| item.kind == ItemKind::Word);
    let Some(verb) = word(at) else { return false };
    let opens = (0..at)
        .rev()
        .find(|before| !reading.means_nothing(*before) || word(*before).is_none())
        .is_none_or(|before| matches!(reading.item(before).map(|item| &item.kind), Some(ItemKind::Break(_))));
    let joined = at > 0 && reading.is(at - 1, &["and", "then", "also", "to", "please", "or"]);
    let has_object = reading.item(at + 1).is_some_and(|next| match next.kind {
        ItemKind::Mention(_) | ItemKind::Quantity(_) => true,
        ItemKind::Word => {
            language.is_determiner(&next.text)
                || ["it", "them", "everything", "all", "each", "every"].contains(&next.text.as_str())
        }
        ItemKind::Break(_) => false,
    });
    let means = !language.stop.contains(&verb.text)
        && !language.prepositions.contains(&verb.text)
        && !language.conjunctions.contains(&verb.text)
        && !language.is_determiner(&verb.text)
        && !language.adjectives.contains(&verb.stem);
    means && has_object && (opens || joined)
}

/// Whether the word is a thing that belongs to what is asked for: “a house *with* a chimney”; not “with a rustic look”, where a noun follows that is
/// known, nor manners and states such as “lying”.
pub(crate) fn belongs(reading: &Reading, at: usize, used: &HashSet<usize>) -> bool {
    let language = reading.language;
    let Some(item) = reading.item(at) else { return false };
    let manner = ["ly", "ed", "ing"].iter().any(|end| item.text.ends_with(end)) && item.text.len() > 4;
    let qualifies = |before: &usize| {
        reading.item(*before).is_some_and(|item| match item.kind {
            ItemKind::Word => {
                language.is_determiner(&item.text)
                    || language.adjectives.contains(&item.stem)
                    || language.colours.contains(&item.stem)
                    || language.materials.contains(&item.stem)
            }
            ItemKind::Quantity(_) => true,
            _ => false,
        })
    };
    let before = (0..at).rev().find(|before| !qualifies(before));
    let introduced = before.is_some_and(|before| reading.is(before, &BELONGING));
    let last = reading.item(at + 1).is_none_or(|next| match next.kind {
        ItemKind::Word => {
            language.prepositions.contains(&next.text)
                || language.conjunctions.contains(&next.text)
                || language.stop.contains(&next.text)
        }
        // “a curb 15 cm high” has a measure of its own.
        ItemKind::Break(_) | ItemKind::Quantity(_) => true,
        ItemKind::Mention(_) => false,
    });
    introduced && last && !manner && !used.contains(&at)
}

/// Whether the word that the prompt opens with is a verb of making: “hoist a flag”, “overgrow the cube with ivy”, where flag and ivy are what the
/// preset makes; not “snap a ring of cubes to the sphere”.
pub(crate) fn makes(reading: &Reading, entry: &Entry, at: usize) -> bool {
    let language = reading.language;
    let title = entry.preset.title.to_lowercase();
    let titled = |at: usize| {
        reading.item(at).is_some_and(|item| {
            title
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word.len() > 2 && crate::tokens::stem(word) == item.stem)
        })
    };
    let indefinite = |at: usize| {
        reading
            .item(at)
            .is_some_and(|item| language.indefinite.contains(&item.text))
    };
    let existing = reading
        .items
        .iter()
        .any(|item| matches!(&item.kind, ItemKind::Mention(mention) if mention.definite));
    let anew = (at + 1..at + 3).any(indefinite) && (at + 2..at + 6).any(titled);
    let covers = (at + 2..at + 7).any(|with| reading.is(with, &["with", "in"]) && (with + 1..with + 3).any(titled));
    anew && (entry.preset.thing.is_none() || !existing) || covers
}
