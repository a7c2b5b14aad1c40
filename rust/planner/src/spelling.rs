//! Typing mistakes in the names of what is in the scene and of the shapes that need not be: “rokcs”, “spheers”, “suzzane”.

use std::collections::BTreeSet;

use geonode_graph::documents::Context;

use crate::language::Language;
use crate::tokens::{self, Kind};

/// Shortest word that is corrected; shorter ones are near to too many others.
const SHORTEST: usize = 4;
/// From this length on, two letters may be wrong.
const LONG: usize = 7;

/// The words that name something, in one and in several.
pub(crate) fn names(context: &Context, language: &Language) -> BTreeSet<String> {
    let objects = context.objects.iter().map(|one| &one.name);
    let collections = context.collections.iter().map(|one| &one.name);
    let named = objects.chain(collections).flat_map(|name| tokens::split(name));
    let words = named.filter(|token| token.kind == Kind::Word).map(|token| token.text);
    let words = words.chain(language.shape_words().map(str::to_owned));
    words
        .filter(|word| word.len() >= SHORTEST && word.is_ascii())
        .flat_map(|word| [format!("{word}s"), word])
        .collect()
}

/// From this length on, a word may lack two letters: “pebls”.
const LACKING: usize = 5;

/// The name that a misspelt word was meant to be, if exactly one is that close: letters in another order, one too many or one too few, but none
/// that is another, for “plates” are no planes; in a long word two of any sort.
pub(crate) fn meant(word: &str, names: &BTreeSet<String>) -> Option<String> {
    if word.len() < SHORTEST || !word.is_ascii() || names.contains(word) {
        return None;
    }
    let close = |name: &&String| {
        let distance = strsim::osa_distance(word, name);
        let slip = distance == 1 && (same_letters(word, name) || word.len() != name.len());
        let lacks = word.len() >= LACKING && name.len() == word.len() + 2 && is_part(word, name);
        (slip || lacks || distance <= 2 && word.len() >= LONG) && word.as_bytes().first() == name.as_bytes().first()
    };
    let mut found = names.iter().filter(close);
    let first = found.next()?;
    // “rock” and “rocks” are one name.
    let stem = tokens::stem(first);
    let all: Vec<&String> = found.filter(|other| tokens::stem(other) == stem).collect();
    let others = names.iter().filter(close).count() - 1;
    if others != all.len() {
        return None;
    }
    let plural = word.ends_with('s');
    all.into_iter()
        .chain([first])
        .find(|name| name.ends_with('s') == plural)
        .or(Some(first))
        .cloned()
}

/// Whether the letters of a word stand in another in their order.
fn is_part(word: &str, whole: &str) -> bool {
    let mut letters = whole.bytes();
    word.bytes().all(|letter| letters.any(|other| other == letter))
}

/// Whether two words have the same letters in another order.
pub(crate) fn same_letters(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}
