//! Common prompts in German, French and Spanish, in English. A prompt with a word that is not known is not translated at all.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use geonode_graph::documents::Context;

/// Words and phrases with their English ones, by language.
static OTHERS: &str = include_str!("../language/others.json");
/// Most words of a phrase.
const LONGEST: usize = 5;
/// So many words must be of the language, unless there is but one: “höher”.
const FEWEST: usize = 2;

type Words = HashMap<String, String>;

fn languages() -> &'static BTreeMap<String, Words> {
    static LANGUAGES: OnceLock<BTreeMap<String, Words>> = OnceLock::new();
    // The tests read the file strictly.
    LANGUAGES.get_or_init(|| serde_json::from_str(OTHERS).unwrap_or_default())
}

/// The words of a prompt with the marks between them.
fn pieces(prompt: &str) -> Vec<(String, String)> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '°' | '%' | '-');
    let mut pieces: Vec<(String, String)> = Vec::new();
    let mut word = String::new();
    let mut characters = prompt.chars().peekable();
    while let Some(c) = characters.next() {
        // “0,5 m” is a number, “d'herbe” one word.
        let joins = matches!(c, ',' | '\'' | '’')
            && !word.is_empty()
            && characters.peek().is_some_and(|next| next.is_alphanumeric());
        if inside(c) || joins {
            word.push(if c == '’' { '\'' } else { c });
        } else {
            if !word.is_empty() {
                pieces.push((std::mem::take(&mut word), String::new()));
            }
            if let (Some((_, mark)), false) = (pieces.last_mut(), c.is_whitespace()) {
                mark.push(c);
            }
        }
    }
    if !word.is_empty() {
        pieces.push((word, String::new()));
    }
    pieces
}

/// The prompt in English, if it is wholly in one of the languages.
pub(crate) fn english(prompt: &str, context: &Context) -> Option<String> {
    let pieces = pieces(prompt.trim_end_matches(['.', '!', ' ']));
    let read = |words: &Words| translated(&pieces, words, context);
    languages()
        .values()
        .filter_map(read)
        .max_by_key(|(known, _)| *known)
        .map(|(_, english)| english)
}

/// The language of a prompt that is mostly in one of them, and its words that are not known; none where all are, or most are not.
pub(crate) fn unknown_words(prompt: &str, context: &Context) -> Option<(&'static str, Vec<String>)> {
    const NAMES: [(&str, &str); 3] = [("de", "German"), ("es", "Spanish"), ("fr", "French")];
    let pieces = pieces(prompt.trim_end_matches(['.', '!', '?', ' ']));
    let read = |(language, words): (&String, &Words)| {
        let (known, unknown) = split(&pieces, words, context);
        let name = NAMES.iter().find(|(key, _)| key == language)?.1;
        (known >= FEWEST && known >= unknown.len() && !unknown.is_empty()).then_some((name, known, unknown))
    };
    let found = languages().iter().filter_map(read).max_by_key(|(_, known, _)| *known);
    found.map(|(name, _, unknown)| (name, unknown))
}

/// How many words a language knows, and those that it does not.
fn split(pieces: &[(String, String)], words: &Words, context: &Context) -> (usize, Vec<String>) {
    let (mut at, mut known, mut unknown) = (0, 0, Vec::new());
    while let Some((word, _)) = pieces.get(at) {
        let run = (1..=LONGEST).rev().find_map(|count| {
            let run = pieces.get(at..at + count)?;
            let text: Vec<String> = run.iter().map(|(word, _)| word.to_lowercase()).collect();
            words.contains_key(&text.join(" ")).then_some(count)
        });
        let named = context.objects.iter().any(|object| object.name == *word)
            || context.collections.iter().any(|one| one.name == *word);
        match run {
            Some(count) if !named => {
                known += count;
                at += count;
                continue;
            }
            _ if named || is_measure(word) => {}
            _ => unknown.push(word.clone()),
        }
        at += 1;
    }
    (known, unknown)
}

/// Whether the word is a number or a unit, the same in every language.
fn is_measure(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        || matches!(
            word.to_lowercase().as_str(),
            "x" | "y" | "z" | "m" | "cm" | "mm" | "km" | "°" | "%" | "-"
        )
}

fn translated(pieces: &[(String, String)], words: &Words, context: &Context) -> Option<(usize, String)> {
    let named = |word: &str| {
        context.objects.iter().any(|object| object.name == word)
            || context.collections.iter().any(|one| one.name == word)
    };
    let (mut at, mut known, mut out) = (0, 0, String::new());
    while let Some((word, mark)) = pieces.get(at) {
        let phrase = (1..=LONGEST).rev().find_map(|count| {
            let run = pieces.get(at..at + count)?;
            if run.iter().take(count - 1).any(|(_, mark)| !mark.is_empty()) {
                return None;
            }
            let text: Vec<String> = run.iter().map(|(word, _)| word.to_lowercase()).collect();
            Some((count, words.get(&text.join(" "))?))
        });
        let plain = is_measure(word);
        let (count, english) = match phrase {
            _ if named(word) => (1, word.as_str()),
            Some((count, english)) => {
                known += count;
                (count, english.as_str())
            }
            None if plain => (1, word.as_str()),
            None => return None,
        };
        let mark = pieces.get(at + count - 1).map_or(mark, |(_, mark)| mark);
        if !english.is_empty() {
            out.push_str(english);
        }
        out.push_str(mark);
        if !english.is_empty() {
            out.push(' ');
        }
        at += count;
    }
    let alone = pieces.len() == 1 && known == 1;
    (known >= FEWEST || alone).then(|| (known, in_order(out.trim())))
}

/// “place every 2 m a post on the curve” as “place a post every 2 m on the curve”: English has the thing first.
fn in_order(english: &str) -> String {
    let words: Vec<&str> = english.split(' ').collect();
    let measured = |at: usize| match words.get(at..at + 5) {
        Some([every, number, unit, article, _]) => {
            *every == "every"
                && number.starts_with(|c: char| c.is_ascii_digit())
                && ["m", "cm", "mm"].contains(unit)
                && ["a", "an", "the"].contains(article)
        }
        _ => false,
    };
    let Some(at) = (0..words.len()).find(|at| measured(*at)) else {
        return english.to_owned();
    };
    let part = |from: usize, to: usize| words.get(from..to).unwrap_or_default().join(" ");
    // The mark after the thing ends the measure now: “2 m 90 cm” without it is one length.
    let thing = part(at + 3, at + 5);
    let bare = thing.trim_end_matches([',', ';', '.', ':']);
    let mark = thing.strip_prefix(bare).unwrap_or_default();
    let (before, measure, rest) = (part(0, at), part(at, at + 3), part(at + 5, words.len()));
    format!("{before} {bare} {measure}{mark} {rest}").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_can_be_read() {
        let read: BTreeMap<String, Words> = serde_json::from_str(OTHERS).unwrap_or_default();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["de", "es", "fr"]);
        assert!(read.values().all(|words| words.len() > 150));
        for phrase in read.values().flat_map(HashMap::keys) {
            assert!(phrase.split(' ').count() <= LONGEST, "{phrase}");
            assert_eq!(*phrase, phrase.to_lowercase());
        }
    }

    #[test]
    fn a_prompt_is_translated_wholly_or_not_at_all() {
        let english = |prompt: &str| english(prompt, &Context::default());
        assert_eq!(
            english("Verteile 200 Steine auf der Ebene.").as_deref(),
            Some("scatter 200 stones on the plane")
        );
        assert_eq!(
            english("place 12 cubes en cercle, rayon 2,5 m").as_deref(),
            Some("place 12 cubes in a circle, radius 2,5 m")
        );
        assert_eq!(
            english("Zaun entlang der Kurve, alle 1,5 m ein Pfosten, 90 cm hoch").as_deref(),
            Some("fence along the curve, a posts every 1,5 m, 90 cm high")
        );
        assert_eq!(english("Verteile 200 Elefanten auf der Ebene"), None);
        assert_eq!(english("scatter 200 rocks"), None);
    }
}
