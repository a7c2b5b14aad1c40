//! What the words beside a number say of it: whether it counts the things, others, or a part, and whether it stands free.

use crate::library::Entry;
use crate::quantity::Unit;
use crate::reading::{ItemKind, Reading};
use crate::scene::Referent;

/// What meshes and curves consist of: a number before it counts.
pub(crate) const ELEMENTS: [&str; 9] = [
    "faces",
    "vertices",
    "verts",
    "edges",
    "polygons",
    "triangles",
    "quads",
    "tris",
    "points",
];

/// Whether the number is directly before a countable noun.
pub(crate) fn before_thing(reading: &Reading, at: usize, things: &[usize]) -> bool {
    let mut next = at + 1;
    while next < at + 6 {
        let Some(item) = reading.item(next) else { return false };
        // “5 facing the centre” does not count faces.
        if item.text.ends_with("ing") && !matches!(item.kind, ItemKind::Quantity(_)) && item.stem == "face" {
            return false;
        }
        if things.contains(&next) {
            return true;
        }
        match &item.kind {
            ItemKind::Word
                if reading.language.prepositions.contains(&item.text)
                    || reading.language.conjunctions.contains(&item.text) =>
            {
                return false;
            }
            ItemKind::Word => next += 1,
            ItemKind::Mention(m) => return !matches!(m.referent, Referent::Generic(_)),
            _ => return false,
        }
    }
    false
}

/// Whether the number counts something without a role: “4 spheres” next to the cubes of a ring.
pub(crate) fn counts_other(entry: &Entry, reading: &Reading, at: usize, things: &[usize]) -> bool {
    let noun = |at: usize| {
        reading
            .item(at)
            .is_some_and(|item| reading.language.shape(&item.stem).is_some())
    };
    let mut next = at + 1;
    // Adjectives and the first half of a compound (“200 grass tufts”) are not the counted noun.
    while reading.item(next).is_some_and(|item| {
        item.kind == ItemKind::Word
            && !things.contains(&next)
            && (reading.language.adjectives.contains(&item.stem) || (noun(next) && things.contains(&(next + 1))))
    }) {
        next += 1;
    }
    !things.contains(&next)
        && reading.item(next).is_some_and(|item| match &item.kind {
            ItemKind::Mention(mention) => {
                // “12 posts” of a fence beside an object Post.
                let own = entry.preset.thing.is_none() && !mention.definite && entry.vocabulary.contains(&item.stem);
                !own && matches!(mention.referent, Referent::Object { .. } | Referent::Unknown(_))
            }
            ItemKind::Word => reading.language.shape(&item.stem).is_some() && !entry.vocabulary.contains(&item.stem),
            _ => false,
        })
}

/// Whether the number is one that only says about how many: “a few”, “several”.
pub(crate) fn is_vague(reading: &Reading, at: usize) -> bool {
    reading
        .item(at)
        .is_some_and(|item| item.text.split(' ').any(|word| reading.language.vague.contains(word)))
}

/// The noun behind a number that counts it, in whatever role: “four legs”, “two long poles” are no lengths.
pub(crate) fn counted_noun(reading: &Reading, at: usize) -> Option<usize> {
    let mut next = at + 1;
    while reading
        .item(next)
        .is_some_and(|item| item.kind == ItemKind::Word && reading.language.adjectives.contains(&item.stem))
    {
        next += 1;
    }
    reading
        .item(next)
        .is_some_and(|item| {
            matches!(item.kind, ItemKind::Word | ItemKind::Mention(_))
                && item.text.len() > 2
                && item.text.ends_with('s')
                && !item.text.ends_with("ss")
                && item.stem != item.text
        })
        .then_some(next)
}

/// Words before a number that say what it is, if the preset knows them: “every 2 m”, “within 2 m”, “number 2”.
const TELL_BEFORE: [&str; 18] = [
    "every", "within", "above", "below", "over", "under", "beyond", "after", "before", "number", "nr", "per", "behind",
    "beside", "near", "inside", "outside", "frame",
];
/// Words after a number that say what it measures or from where: “2 m above”, “2 m deep”.
const TELL_AFTER: [&str; 33] = [
    "above",
    "below",
    "under",
    "beneath",
    "underneath",
    "behind",
    "beside",
    "away",
    "from",
    "off",
    "inside",
    "outside",
    "within",
    "up",
    "down",
    "upward",
    "downward",
    "left",
    "right",
    "apart",
    "between",
    "deep",
    "wide",
    "high",
    "tall",
    "long",
    "thick",
    "broad",
    "big",
    "large",
    "across",
    "per",
    "each",
];

/// Whether nothing beside a number says what it is, so that it may be what the preset needs most.
pub(crate) fn stands_free(reading: &Reading, at: usize) -> bool {
    let beside = at > 0 && reading.is(at - 1, &TELL_BEFORE) || reading.is(at + 1, &TELL_AFTER);
    let beside = beside
        || at > 1
            && reading.is(at - 1, &["at", "from"])
            && reading.is(
                at - 2,
                &["starting", "start", "starts", "beginning", "ending", "end", "ends"],
            );
    let place = |at: usize| {
        reading
            .item(at)
            .is_some_and(|item| reading.language.places.contains(&item.text))
    };
    // “3 sides” counts sides.
    let aside = place(at + 1) || reading.is(at + 1, &["to"]) && (at + 2..at + 4).any(place);
    !(beside || aside)
}

/// Whether “one” stands for a thing: “one inside another”, “one by one”.
pub(crate) fn is_pronoun(reading: &Reading, at: usize) -> bool {
    let language = reading.language;
    reading.item(at).is_some_and(|item| item.text == "one")
        && reading.item(at + 1).is_none_or(|next| match next.kind {
            ItemKind::Word => {
                language.prepositions.contains(&next.text)
                    || language.conjunctions.contains(&next.text)
                    || language.places.contains(&next.text)
            }
            ItemKind::Break(_) => true,
            _ => false,
        })
}

/// Whether the number is the first of two counts of the same things: “100 and 200 rocks”.
pub(crate) fn one_of_two_counts(reading: &Reading, at: usize, things: &[usize]) -> bool {
    reading.is(at + 1, &["and", "or"])
        && matches!(reading.item(at + 2).map(|item| &item.kind), Some(ItemKind::Quantity(other)) if other.unit == Unit::Bare)
        && before_thing(reading, at + 2, things)
}

/// Whether the number is a part of the things: “half of them”, “10% of the rocks”, “30 of those”.
pub(crate) fn part_of_things(reading: &Reading, at: usize, things: &[usize]) -> bool {
    let language = reading.language;
    let article = |at: &usize| {
        reading
            .item(*at)
            .is_some_and(|item| item.kind == ItemKind::Word && language.definite.contains(&item.text))
    };
    if !reading.is(at + 1, &["of"]) {
        return false;
    }
    let noun = (at + 2..at + 4).find(|at| !article(at)).unwrap_or(at + 2);
    let pronoun = (at + 2..at + 3).any(|at| reading.is(at, &["them", "those", "these", "it", "this", "that"]));
    let named = reading
        .item(noun)
        .is_some_and(|item| matches!(item.kind, ItemKind::Mention(_)) || language.generic.contains_key(&item.stem));
    pronoun || !reading.is(noun, &ELEMENTS) && (named || things.contains(&noun))
}

/// Whether a number that no word explains stands so far from the rest that it may be what the preset needs most: “30%”, but not “10% large”.
pub(crate) fn stands_alone(reading: &Reading, at: usize) -> bool {
    let language = reading.language;
    reading.item(at + 1).is_none_or(|next| match next.kind {
        ItemKind::Break(_) | ItemKind::Mention(_) | ItemKind::Quantity(_) => true,
        ItemKind::Word => language.prepositions.contains(&next.text) || language.conjunctions.contains(&next.text),
    })
}
