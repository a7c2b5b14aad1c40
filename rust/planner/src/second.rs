//! The numbers of a prompt, read a second way: straight from its letters, without the reading that the plan rests on.
//!
//! A number that this finds and no value of the plan has is named; a count before a noun bounds what the result may have.

use crate::fill::Filled;
use crate::language::{Dimension, Language};
use crate::reading::Reading;
use crate::stated::Stated;
use crate::tokens::stem;
use crate::values::{PromptValue, plain};

/// A number and what follows it.
#[derive(Debug, PartialEq)]
struct Number {
    value: f64,
    unit: Option<(Dimension, f64)>,
    /// The noun after it, past adjectives.
    noun: Option<String>,
    typed: String,
}

/// Letters and digits as words; digits that belong to a name (“Rock.001”, “Boulder0”) are part of it.
fn words(prompt: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut quoted = false;
    let mut before = ' ';
    let characters: Vec<char> = prompt.to_lowercase().chars().collect();
    for (at, c) in characters.iter().copied().enumerate() {
        if c == '"' && !before.is_ascii_digit() || matches!(c, '“' | '”') {
            quoted = !quoted;
        }
        let next = characters.get(at + 1).copied().unwrap_or(' ');
        let Some(word) = words.last_mut() else { break };
        let digits = word.starts_with(|c: char| c.is_ascii_digit());
        let decimal = c == '.' && (next.is_ascii_digit() || word.is_empty() && next.is_ascii_digit());
        let grouped = c == ',' && digits && next.is_ascii_digit();
        let starts_unit = digits && c.is_alphabetic();
        if quoted || !(c.is_alphanumeric() || decimal || grouped) {
            words.push(String::new());
            if matches!(c, '%' | '°' | '/' | '-') {
                words.push(c.to_string());
                words.push(String::new());
            }
        } else if starts_unit || !digits && c.is_ascii_digit() && word == "x" {
            words.push(c.to_string());
        } else {
            word.push(c);
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn value(word: &str) -> Option<f64> {
    if !word.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let grouped = word.split(',').skip(1).all(|part| part.len() == 3) && word.contains(',') && !word.starts_with("0,");
    let plain = if grouped {
        word.replace(',', "")
    } else {
        word.replace(',', ".")
    };
    plain.parse().ok()
}

fn numbers(prompt: &str, language: &Language) -> Vec<Number> {
    let words = words(prompt);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = at;
        let Some(mut number) = value(word(at)) else {
            at += 1;
            continue;
        };
        at += 1;
        // “3D” is no number.
        if word(at) == "d" && word(start).len() == 1 {
            continue;
        }
        // Fractions and exponents are left to the first reading.
        if word(at) == "/"
            || word(start.wrapping_sub(1)) == "/"
            || word(at).starts_with('e') && value(word(at).trim_start_matches('e')).is_some()
        {
            at += 1;
            continue;
        }
        while let Some(factor) = language.multipliers.get(word(at)) {
            number *= factor;
            at += 1;
        }
        let unit = match word(at) {
            "%" => Some((Dimension::Percent, 0.01)),
            "°" => Some((Dimension::Angle, std::f64::consts::PI / 180.0)),
            other => language.units.get(other).copied(),
        };
        let noun = (at..at + 3)
            .map(word)
            .find(|word| !language.adjectives.contains(&stem(word)) && !language.degrees.contains_key(*word));
        found.push(Number {
            value: number,
            unit,
            noun: noun.filter(|noun| unit.is_none() && !noun.is_empty()).map(stem),
            typed: words.get(start..at).unwrap_or_default().join(" "),
        });
    }
    found
}

/// What the letters say that the values do not: a sentence for each number that none of them has.
pub(crate) fn differences((reading, stated): (&Reading, &[Stated]), prompt: &str, filled: &Filled) -> Vec<String> {
    let values: Vec<f64> = filled
        .values
        .values()
        .filter_map(|value| match value {
            PromptValue::Number(number) => Some(*number),
            _ => None,
        })
        .collect();
    let numbers = numbers(prompt, reading.language);
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1e-6);
    let has = |wanted: f64| {
        values
            .iter()
            .any(|value| close(*value, wanted) || close(-*value, wanted))
    };
    let scaled = |number: &Number| match number.unit {
        Some((Dimension::Angle, factor)) => {
            let angle = number.value * factor;
            has(angle) || has(angle / std::f64::consts::TAU) || has(number.value)
        }
        Some((_, factor)) => has(number.value * factor) || has(number.value),
        None => {
            has(number.value)
                || has(number.value.to_radians())
                || [0.01, 0.001, 0.3048, 0.0254, 1000.0]
                    .iter()
                    .any(|unit| has(number.value * unit))
        }
    };
    let lengths: Vec<f64> = numbers
        .iter()
        .map(|number| match number.unit {
            Some((Dimension::Length, factor)) => number.value * factor,
            _ => f64::NAN,
        })
        .collect();
    let mut missing = Vec::new();
    for (at, number) in numbers.iter().enumerate() {
        // “5 m 20 cm” is one length; “20-30” and “10 to 20 cm” lie around or share their unit.
        let neighbours = [at.wrapping_sub(1), at + 1];
        let sums = neighbours.iter().filter_map(|other| lengths.get(*other)).any(|other| {
            let own = lengths.get(at).copied().unwrap_or(f64::NAN);
            has(own + other)
        });
        let shared = numbers
            .get(at + 1)
            .and_then(|next| next.unit)
            .is_some_and(|(_, factor)| has(number.value * factor));
        let between = neighbours
            .iter()
            .filter_map(|other| numbers.get(*other))
            .any(|other| has(f64::midpoint(number.value, other.value).round()));
        let phrase = filled.sources.values().any(|words| {
            words
                .split(|c: char| !c.is_alphanumeric() && c != '.')
                .any(|word| word == number.typed)
        });
        let told = stated.iter().any(|one| one.says(&number.typed));
        if !(scaled(number) || sums || shared || between || phrase || told) {
            missing.push(format!(
                "{} in the prompt became no value of the result.",
                plain(number.value)
            ));
        }
    }
    missing
}

/// How many things the letters ask for: the whole number before the noun of one of the items in `things`, if there is just one.
pub(crate) fn counted(reading: &Reading, prompt: &str, things: &[usize]) -> Option<f64> {
    let stems: Vec<&str> = things
        .iter()
        .filter_map(|at| reading.item(*at))
        .map(|item| item.stem.as_str())
        .collect();
    // “4 cubes per square metre” counts no things.
    let rate = |at: usize| reading.is(at, &["per", "every", "each", "square"]);
    if (0..reading.items.len()).any(rate) {
        return None;
    }
    let numbers = numbers(prompt, reading.language);
    let mut counts = numbers.iter().filter(|number| {
        number.unit.is_none()
            && number.value.fract() == 0.0
            && number.noun.as_deref().is_some_and(|noun| stems.contains(&noun))
    });
    let only = counts.next()?;
    (counts.next().is_none() && numbers.iter().filter(|number| number.unit.is_none()).count() == 1)
        .then_some(only.value)
}
