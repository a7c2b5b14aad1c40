//! The refusal that names the words of a prompt that were not understood.

use std::collections::HashSet;

use geonode_protocol::Code;

use crate::library::Entry;
use crate::refusal::Refusal;

/// The refusal that names what was understood and what was not.
pub(crate) fn not_understood(entry: &Entry, mut words: Vec<String>) -> Refusal {
    let mut named = HashSet::new();
    words.retain(|word| named.insert(word.clone()));
    words.truncate(8);
    let numbers = !words.is_empty() && words.iter().all(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let why = if numbers {
        " A number needs a word that says what it is (“5 cm apart”), and each value is given once."
    } else {
        ""
    };
    let words = words.iter().map(|word| format!("“{}”", shorten(word)));
    let mut list = words.collect::<Vec<_>>().join(", ");
    if list.is_empty() {
        "how the rest of the words belongs to it".clone_into(&mut list);
    }
    let message = format!(
        "Understood: {} ({}) Not understood: {list}. Nothing was changed. Leave that out, or word it differently.{why}",
        entry.preset.title, entry.preset.description
    );
    Refusal::new(Code::PartlyUnderstood, message).near(vec![entry.suggestion()])
}

/// A word for a message, shortened if it is long.
fn shorten(word: &str) -> String {
    if word.chars().count() <= 40 {
        word.to_owned()
    } else {
        word.chars().take(39).chain(['…']).collect()
    }
}
