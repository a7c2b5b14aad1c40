//! What a prompt finds wrong with the last result, as the change that it asks for: “too many” is “fewer”, “too many, half that” is “half as many”,
//! “not high enough” is “higher”; “too small, make it 2 m” says itself what to do.

use crate::language::{Language, Pair};

/// Marks and words between what is wrong and what is wanted.
const ENDS: [&str; 9] = [", ", "; ", ". ", "! ", " - ", ": ", " so ", " and ", " but "];
/// Words that make a change small or great.
/// Words behind “close” and “far” that say no more.
const BEHIND: [&str; 5] = ["together", "apart", "each", "other", "another"];
const LITTLE: [&str; 5] = ["bit", "little", "slightly", "tad", "somewhat"];
const MUCH: [&str; 5] = ["far", "way", "much", "lot", "lots"];
/// Words around a factor that say no more than to apply it: “make it *half* that”.
const APPLYING: [&str; 29] = [
    "make", "it", "them", "that", "this", "of", "a", "the", "in", "by", "to", "cut", "use", "take", "just", "only",
    "please", "number", "is", "are", "be", "will", "would", "should", "do", "enough", "plenty", "ok", "fine",
];

/// The prompts that a complaint may stand for, the likeliest first; none if it is none.
pub(crate) fn wishes(language: &Language, prompt: &str) -> Vec<String> {
    let trimmed = prompt.trim().trim_end_matches(['.', '!', '?']);
    if let Some(fewer) = removal(language, trimmed) {
        return vec![fewer];
    }
    let (first, rest) = ENDS
        .iter()
        .filter_map(|mark| trimmed.split_once(mark))
        .min_by_key(|(first, _)| first.len())
        .unwrap_or((trimmed, ""));
    let dislikes = ["i don't like", "i do not like", "i dislike", "i hate"];
    let lower = first.trim_start().to_lowercase();
    if dislikes.iter().any(|words| lower.starts_with(words)) && !rest.trim().is_empty() {
        return vec![rest.trim().to_owned()];
    }
    let Some(Complaint { pair, more, step, part }) = complaint(language, first) else {
        // “half of that is enough”
        let enough = plain(trimmed)
            .iter()
            .any(|word| ["that", "enough", "plenty"].contains(&word.as_str()));
        let factor = factor(language, trimmed).filter(|_| enough);
        return factor.map(|factor| format!("{factor} as many")).into_iter().collect();
    };
    let rest = rest.trim();
    let of_part = if part.is_empty() {
        String::new()
    } else {
        format!(" {part}")
    };
    if let Some(factor) = factor(language, rest) {
        return vec![format!("{factor} as {}{of_part}", pair.measure)];
    }
    let says = |word: &str| word.chars().any(char::is_alphanumeric);
    if says(rest) {
        return vec![rest.to_owned()];
    }
    let (compared, sign) = if more {
        (&pair.more, "more")
    } else {
        (&pair.less, "less")
    };
    vec![
        format!("{step}{compared}{of_part}"),
        format!("{step}{sign} {}{of_part}", pair.measure),
    ]
}

fn plain(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// What the words find wrong.
struct Complaint<'l> {
    pair: &'l Pair,
    /// Whether there should be more of it.
    more: bool,
    /// How much of a change that is.
    step: &'static str,
    /// The part that is meant, if not all of it: “the *legs* are too thin”.
    part: String,
}

fn complaint<'l>(language: &'l Language, text: &str) -> Option<Complaint<'l>> {
    let words = plain(text);
    let at = |at: usize| words.get(at).map_or("", String::as_str);
    let about = |word: &str| {
        language.pairs.iter().find_map(|pair| {
            let high = pair.high.iter().any(|one| one == word);
            let low = pair.low.iter().any(|one| one == word);
            (high || low).then_some((pair, high))
        })
    };
    let any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let step = if any(&LITTLE) {
        "a bit "
    } else if any(&MUCH) {
        "much "
    } else {
        ""
    };
    let part = |until: usize, behind: usize| {
        let says = |word: &&String| {
            let plain =
                !(language.stop.contains(*word) || language.is_determiner(word) || language.negations.contains(*word));
            plain
                && !word.contains('\'')
                && !BEHIND.contains(&word.as_str())
                && !LITTLE.contains(&word.as_str())
                && !MUCH.contains(&word.as_str())
        };
        let beside = words.iter().take(until).chain(words.iter().skip(behind));
        beside.filter(says).cloned().collect::<Vec<_>>().join(" ")
    };
    for (place, word) in words.iter().enumerate() {
        if word == "too"
            && let Some((pair, high)) = about(at(place + 1))
        {
            return Some(Complaint {
                pair,
                more: !high,
                step,
                part: part(place, place + 2),
            });
        }
        if word == "enough" {
            let denied = words.iter().take(place).any(|word| {
                language.negations.contains(word) || word.ends_with("n't") || word == "hardly" || word == "barely"
            });
            let known = place.checked_sub(1).and_then(|before| about(at(before)));
            let found = known.or_else(|| about("many"));
            if let Some((pair, more)) = found.filter(|_| denied) {
                let from = place - usize::from(known.is_some());
                return Some(Complaint {
                    pair,
                    more,
                    step,
                    part: part(from, place + 1),
                });
            }
        }
    }
    None
}

/// “remove half of them” as “half as many”, “delete 10 of them” as “10 fewer”.
fn removal(language: &Language, text: &str) -> Option<String> {
    let words = plain(text);
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| *word != "please")
        .collect();
    let [verb, amount @ .., "of", "them" | "those" | "these"] = words.as_slice() else {
        return None;
    };
    let amount = amount.strip_prefix(&["a"]).unwrap_or(amount);
    let [amount] = amount else { return None };
    if !language.removals.contains(*verb) {
        return None;
    }
    match language.fractions.get(*amount) {
        Some(share) => Some(format!("{:.0}% fewer", share * 100.0)),
        None => amount.parse::<u32>().ok().map(|number| format!("{number} fewer")),
    }
}

/// The factor that is all that the words say: “half that”, “make it a third”, “double it”.
fn factor(language: &Language, text: &str) -> Option<String> {
    let words = plain(text);
    let mut found = None;
    for word in &words {
        let times = language.times.contains_key(word) || language.fractions.contains_key(word);
        let multiple = language.multiples.get(word);
        match (times || multiple.is_some(), &found) {
            (true, None) => {
                found = Some(match multiple {
                    Some(factor) if *factor < 1.0 => "half".to_owned(),
                    Some(factor) => format!("{factor} times"),
                    None if language.fractions.contains_key(word) && word != "half" => format!("a {word}"),
                    None => word.clone(),
                });
            }
            (false, _) if APPLYING.contains(&word.as_str()) => {}
            _ => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;

    #[test]
    fn what_is_wrong_says_what_is_wanted() {
        let library = Library::get().unwrap_or_else(|error| panic!("{error}"));
        for (prompt, wish) in [
            ("too many", "fewer"),
            ("that's way too many, half that", "half as many"),
            ("too small, make it 2 m", "make it 2 m"),
            ("not high enough", "higher"),
            ("that's not enough, I want 250", "I want 250"),
            ("a bit too close together", "a bit further apart"),
            ("the legs are too thin", "thicker legs"),
            ("I don't like the arrangement, shuffle it", "shuffle it"),
            ("delete half of them", "50% fewer"),
            ("remove 10 of them", "10 fewer"),
            ("half of that is enough", "half as many"),
            ("too many, a third of that will do", "a third as many"),
        ] {
            assert_eq!(
                wishes(&library.language, prompt).first().map(String::as_str),
                Some(wish),
                "{prompt}"
            );
        }
        for prompt in [
            "make it 300",
            "enough room for all",
            "me too",
            "delete the cube",
            "remove it",
        ] {
            assert_eq!(wishes(&library.language, prompt), Vec::<String>::new(), "{prompt}");
        }
    }
}
