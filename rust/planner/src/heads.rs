//! Which words of a prompt may ask for something by themselves: behind “with”, “between” or “because” they only describe what is asked for, up
//! to the next order or sentence.

use crate::aside::orders;
use crate::reading::{ItemKind, Reading};

/// Words that open a part that describes.
const OPENING: [&str; 17] = [
    "with", "without", "between", "using", "like", "when", "whenever", "because", "since", "if", "where", "while",
    "than", "instead", "except", "unless", "though",
];
/// Marks behind which another sentence begins.
const ENDS: [char; 6] = ['.', '!', '?', ';', '\n', ':'];

/// For each item, whether it may ask for something.
pub(crate) fn asking(reading: &Reading) -> Vec<bool> {
    let mut describes = false;
    (0..reading.items.len())
        .map(|at| {
            let ends =
                matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Break(mark)) if ENDS.contains(mark));
            let joined = at > 0
                && (reading.is(at - 1, &["and", "then", "also"])
                    || matches!(reading.item(at - 1).map(|item| &item.kind), Some(ItemKind::Break(_))));
            if reading.is(at, &OPENING) {
                describes = true;
            } else if ends || joined && orders(reading, at) || is_further(reading, at) {
                describes = false;
            }
            !describes
        })
        .collect()
}

/// Whether a further thing is asked for: “… and *a* fence”, “… and then”.
fn is_further(reading: &Reading, at: usize) -> bool {
    let joined = at > 0 && reading.is(at - 1, &["and", "plus", "also", "then"]);
    joined && reading.is(at, &["a", "an", "then"])
}
