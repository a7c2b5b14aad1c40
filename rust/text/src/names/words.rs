//! Words: names in snake case that Python's grammar takes as names.

use unic_ucd_ident::{is_xid_continue, is_xid_start};

/// Python's keywords.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Words that names of sockets write small, and those that they write in capitals.
const SMALL: &[&str] = &[
    "along", "and", "at", "by", "for", "from", "in", "of", "on", "per", "to", "with",
];
const CAPITAL: &[&str] = &["id", "uv", "xyz", "rgb", "rgba", "hsv", "hsl", "2d", "3d"];

/// A name in snake case: `Set Position.001` → `set_position_001`. Python's keywords get a trailing underscore, and what begins with a
/// digit a leading one. `None` where nothing of the name can be in a word, as of an emoji.
pub fn word(name: &str) -> Option<String> {
    let mut out = String::with_capacity(name.len() + 1);
    let mut gap = false;
    for c in name.chars().flat_map(char::to_lowercase) {
        if c == '_' || !is_xid_continue(c) {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push('_');
            gap = false;
        } else if out.is_empty() && !is_xid_start(c) {
            out.push('_');
        }
        out.push(c);
    }
    if KEYWORDS.contains(&out.as_str()) {
        out.push('_');
    }
    (!out.is_empty()).then_some(out)
}

/// Whether Python's grammar takes the text as a name.
pub fn is_word(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c == '_' || is_xid_start(c)) && chars.all(is_xid_continue) && !KEYWORDS.contains(&text)
}

/// The name in the UI that a word stands for where nothing else is said: `surface_uv_map` → `Surface UV Map`. As in titles, small words
/// are small between others, and capital where they begin or end: `points_per_row` → `Points per Row`, `row_of` → `Row Of`.
pub fn title(word: &str) -> String {
    let parts: Vec<&str> = word.split('_').filter(|part| !part.is_empty()).collect();
    let last = parts.len().saturating_sub(1);
    let shown: Vec<String> = parts
        .into_iter()
        .enumerate()
        .map(|(at, part)| {
            let mut chars = part.chars();
            match chars.next() {
                _ if CAPITAL.contains(&part) => part.to_uppercase(),
                Some(first) if at == 0 || at == last || !SMALL.contains(&part) => {
                    first.to_uppercase().chain(chars).collect()
                }
                _ => part.to_owned(),
            }
        })
        .collect();
    shown.join(" ")
}

/// The first of `name_001`, `name_002` … that is free.
pub fn numbered(name: &str, is_free: impl Fn(&str) -> bool) -> String {
    let name = name.trim_end_matches('_');
    let mut number = 1_u64;
    loop {
        let text = format!("{name}_{number:03}");
        if is_free(&text) {
            return text;
        }
        number += 1;
    }
}
