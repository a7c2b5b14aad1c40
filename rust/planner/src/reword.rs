//! Changes of the last result in words that other rooms know: “scale it to 50 %” is “0.5 times as big”, “remove the ones on the left” is “only on the
//! right half”.

use geonode_graph::documents::Context;

use crate::language::{Generic, Language};
use crate::library::Entry;
use crate::tokens::stem;

/// Verbs that give another size.
const SCALES: [&str; 4] = ["scale", "resize", "shrink", "enlarge"];
/// Words beside a factor that say no more than what it is of.
const BESIDE: [&str; 16] = [
    "it",
    "them",
    "those",
    "these",
    "this",
    "that",
    "all",
    "of",
    "the",
    "copies",
    "instances",
    "everything",
    "each",
    "please",
    "now",
    "down",
];
/// Places with their opposites.
const OPPOSITES: [(&str, &str); 5] = [
    ("left", "right"),
    ("right", "left"),
    ("front", "back"),
    ("back", "front"),
    ("rear", "front"),
];
/// Words between a verb of removal and the place.
const ONES: [&str; 24] = [
    "the",
    "ones",
    "those",
    "them",
    "these",
    "all",
    "of",
    "copies",
    "instances",
    "objects",
    "things",
    "that",
    "which",
    "are",
    "is",
    "lie",
    "stand",
    "in",
    "on",
    "at",
    "half",
    "side",
    "part",
    "please",
];

/// Verbs of a change that names what it changes.
const RESHAPES: [&str; 3] = ["make", "set", "change"];
/// Words that point to what is there.
const THIS: [&str; 5] = ["the", "this", "that", "these", "those"];

fn words(prompt: &str) -> Vec<String> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '%');
    let words = prompt
        .split(|c: char| !inside(c))
        .map(|word| word.trim_end_matches('.').to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

/// The change in other words; `placed` are the words for what the last result shows and where.
pub(crate) fn change(prompt: &str, language: &Language, placed: &[String]) -> Option<String> {
    let words = words(prompt);
    scaled(&words, language).or_else(|| without_a_side(&words, language, placed))
}

/// “make the circle 8 m wide” of a ring as “make it 8 m wide”: the last result by a name of its preset that nothing in the scene has.
pub(crate) fn named(prompt: &str, entry: &Entry, language: &Language, context: &Context) -> Option<String> {
    let mut rest = prompt.trim_start();
    let mut next = || {
        let end = rest.find(char::is_whitespace)?;
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        Some(word.to_lowercase())
    };
    let mut verb = next()?;
    while language.stop.contains(&verb) && !RESHAPES.contains(&verb.as_str()) {
        verb = next()?;
    }
    let determiner = next()?;
    let noun = stem(&next()?);
    if !RESHAPES.contains(&verb.as_str()) || !THIS.contains(&determiner.as_str()) || rest.is_empty() {
        return None;
    }
    let calls = entry.preset.calls.iter().flat_map(|rule| &rule.all);
    let own = calls.filter_map(|name| entry.concepts.get(name)).flatten();
    // “in a circle” is a name of it as “ring” is.
    let idle = |word: &String| {
        *word == noun
            || language.stop.contains(word)
            || language.is_determiner(word)
            || language.prepositions.contains(word)
    };
    let is_name = own.chain(&entry.terse).any(|phrase| {
        let stems: Vec<String> = phrase.stems().collect();
        stems.len() == phrase.weight() && stems.contains(&noun) && stems.iter().all(idle)
    });
    let objects = context.objects.iter().map(|object| &object.name);
    let collections = context.collections.iter().map(|collection| &collection.name);
    let is_there = objects
        .chain(collections)
        .flat_map(|name| words(name))
        .any(|word| stem(&word) == noun);
    (is_name && !is_there).then(|| format!("make it {rest}"))
}

/// “only on the first half” of a result along a curve as its start and end.
pub(crate) fn half(prompt: &str, entry: &Entry, language: &Language) -> Option<String> {
    let (from, to) = entry.preset.parameters.iter().find_map(|one| entry.preset.spans(one))?;
    let words = words(prompt);
    let [from, to] = [from, to].map(|one| one.title.to_lowercase());
    // “end 1” is no count.
    let value: Vec<&String> = words
        .iter()
        .filter(|word| !["set", "the", "to", "at", "now"].contains(&word.as_str()))
        .collect();
    if let [name, number] = value.as_slice()
        && (**name == from || **name == to)
        && ["0", "1"].contains(&number.as_str())
    {
        return Some(format!("{name} {}%", if *number == "1" { 100 } else { 0 }));
    }
    let at = words.iter().position(|word| word == "half")?;
    let first = match words.get(at.checked_sub(1)?)?.as_str() {
        "first" => true,
        "second" | "last" | "other" => false,
        _ => return None,
    };
    let idle = |(nth, word): (usize, &String)| {
        nth == at
            || nth + 1 == at
            || word == "only"
            || language.stop.contains(word)
            || language.is_determiner(word)
            || language.prepositions.contains(word)
            || language.of_copies.contains(word)
            || language.generic.get(&stem(word)) == Some(&Generic::Curve)
    };
    let negated = words.iter().any(|word| language.negations.contains(word));
    let (start, end) = if first { ("0%", "50%") } else { ("50%", "100%") };
    (!negated && words.iter().enumerate().all(idle)).then(|| format!("{from} {start} and {to} {end}"))
}

/// “scale it to 50 %”, “scale them by 2”: by 50 % may be more or less, and is left as it is.
fn scaled(words: &[String], language: &Language) -> Option<String> {
    let verb = words.iter().position(|word| SCALES.contains(&word.as_str()))?;
    let mut factor = None;
    let (mut to, mut by) = (false, false);
    for (at, word) in words.iter().enumerate() {
        let percent = word.strip_suffix('%').or_else(|| {
            let next = words.get(at + 1).map(String::as_str);
            matches!(next, Some("%" | "percent")).then_some(word.as_str())
        });
        let number = |text: &str| text.parse::<f64>().ok().filter(|value| *value > 0.0 && *value < 1e4);
        match word.as_str() {
            "to" => to = true,
            "by" => by = true,
            "%" | "percent" | "a" | "factor" | "its" | "size" | "original" | "up" => {}
            word if BESIDE.contains(&word) || at == verb => {}
            word => {
                let share = percent.and_then(number).map(|value| value / 100.0);
                if share.is_some() && !to || factor.is_some() {
                    return None;
                }
                factor = Some(
                    share
                        .or_else(|| number(word))
                        .or_else(|| language.fractions.get(word).copied())?,
                );
            }
        }
    }
    let factor = factor.filter(|_| to || by)?;
    // “shrink it by 2” would enlarge it.
    let shrinks = ["shrink"].contains(&words.get(verb)?.as_str());
    (!(shrinks && factor >= 1.0)).then(|| format!("{factor} times as big"))
}

/// “remove the ones in the left half” as “only on the right half and half as many”: the others do not become denser.
fn without_a_side(words: &[String], language: &Language, placed: &[String]) -> Option<String> {
    let (verb, rest) = words.split_first()?;
    if !language.removals.contains(verb) {
        return None;
    }
    let mut opposite = None;
    for word in rest {
        let place = OPPOSITES.iter().find(|(place, _)| place == word);
        match place {
            Some((_, other)) if opposite.is_none() => opposite = Some(*other),
            None if ONES.contains(&word.as_str()) || placed.contains(word) => {}
            _ => return None,
        }
    }
    let them = rest.iter().any(|word| {
        ["ones", "those", "them", "these", "all", "copies", "instances"].contains(&word.as_str())
            || placed.contains(word)
    });
    opposite
        .filter(|_| them)
        .map(|other| format!("only on the {other} half and half as many"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    #[test]
    fn changes_are_said_in_known_words() {
        let library = Library::get().unwrap_or_else(|error| panic!("{error}"));
        let placed = ["rocks".to_owned(), "plane".to_owned()];
        for (prompt, wish) in [
            ("scale it to 50 %", Some("0.5 times as big")),
            ("scale them to 150%", Some("1.5 times as big")),
            ("scale them by a factor of 2", Some("2 times as big")),
            ("shrink them to half", Some("0.5 times as big")),
            (
                "remove the ones in the left half",
                Some("only on the right half and half as many"),
            ),
            (
                "delete all rocks on the right side of the plane",
                Some("only on the left half and half as many"),
            ),
            (
                "delete those at the back",
                Some("only on the front half and half as many"),
            ),
            ("scale it by 50%", None),
            ("shrink it by 2", None),
            ("scale the cube along z by 2", None),
            ("remove the left cube", None),
            ("delete 10 of them", None),
        ] {
            assert_eq!(change(prompt, &library.language, &placed).as_deref(), wish, "{prompt}");
        }
    }
}
