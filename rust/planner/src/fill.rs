//! Assigns the words and numbers of a prompt to parameters.

use std::collections::HashMap;

use geonode_graph::documents::context::Units;
use geonode_protocol::Code;

use crate::beside::is_vague;
use crate::language::Dimension;
use crate::library::{Entry, Slot};
use crate::offers::{idle, offers};
use crate::phrase::Phrase;
use crate::preset::{Parameter, ParameterKind};
use crate::quantity::{Amount, Unit};
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::settle::settle;
use crate::values::{PromptValue, base_value, in_range, plain};

/// The parameters that were read from the prompt.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// Values by parameter.
    pub(crate) values: HashMap<String, PromptValue>,
    /// Items that were read.
    pub(crate) used: Vec<usize>,
    /// Values outside the advised range, and amounts that were not exact.
    pub(crate) warnings: Vec<String>,
    /// Values that are so many times the usual.
    pub(crate) shifts: HashMap<String, f64>,
    /// Words of size or amount that a number says more exactly, or that change nothing.
    pub(crate) loose: Vec<usize>,
    /// Words of size or amount that no parameter of the preset can follow.
    pub(crate) unmeant: Vec<usize>,
    /// The words that each value came from.
    pub(crate) sources: HashMap<String, String>,
}

fn negated(reading: &Reading, at: usize) -> Option<usize> {
    (at.saturating_sub(3)..at).rev().find(|i| {
        reading
            .item(*i)
            .is_some_and(|item| item.kind == ItemKind::Word && reading.language.negations.contains(&item.text))
            && (*i + 1..at).all(|between| reading.item(between).is_some_and(|item| reading.is_empty_word(item)))
    })
}

fn fill_from_words(slot: &Slot, reading: &Reading, filled: &mut Filled) -> Result<(), Refusal> {
    let parameter = &slot.parameter;
    match parameter.kind {
        ParameterKind::Bool => {
            let hit = |list: &[Phrase]| {
                list.iter()
                    .filter_map(|p| p.find(reading))
                    .max_by_key(|(start, end)| end - start)
            };
            let (on, off) = (hit(&slot.on), hit(&slot.off));
            // The longer phrase wins: “random rotation” over “rotation”, “no caps” over “caps”.
            let off_wins = match (&on, &off) {
                (Some(on), Some(off)) => off.1 - off.0 > on.1 - on.0,
                (None, Some(_)) => true,
                _ => false,
            };
            if let Some((start, end)) = if off_wins { off } else { on } {
                let not = negated(reading, start);
                filled
                    .values
                    .insert(parameter.name.clone(), PromptValue::Bool(off_wins == not.is_some()));
                filled
                    .sources
                    .insert(parameter.name.clone(), reading.typed(not.unwrap_or(start), end));
                filled.used.extend(start..end);
                filled.used.extend(not);
            }
        }
        ParameterKind::Text => fill_text(slot, reading, filled),
        ParameterKind::Count | ParameterKind::Length => fill_none(slot, reading, filled),
        ParameterKind::Choice => {
            let mut best: Option<(usize, usize, usize)> = None;
            let mut rival: Option<usize> = None;
            let mut letters: Vec<(usize, usize)> = Vec::new();
            let mut winners: Vec<(usize, usize, usize, usize)> = Vec::new();
            for (index, (_, _, phrases)) in slot.options.iter().enumerate() {
                for phrase in phrases {
                    let Some((start, end)) = phrase.find(reading) else {
                        continue;
                    };
                    if negated(reading, start).is_some() {
                        continue;
                    }
                    let weight = phrase.weight();
                    match best {
                        Some((_, w, other)) if w > weight || (w == weight && other == index) => {}
                        Some((_, w, _)) if w == weight => rival = Some(index),
                        _ => {
                            best = Some((index, weight, index));
                            rival = None;
                        }
                    }
                    // A single letter names its axis as certainly as a phrase: “along x, then y”.
                    if weight == 1 && phrase.stems().any(|stem| stem.len() == 1) {
                        letters.push((index, start));
                    }
                    winners.push((index, weight, start, end));
                    filled.used.extend(start..end);
                }
            }
            if let Some((index, weight, _)) = best {
                let inside = |at: usize| {
                    winners
                        .iter()
                        .any(|(i, w, start, end)| *i == index && *w == weight && (*start..*end).contains(&at))
                };
                rival = rival.or_else(|| {
                    letters
                        .iter()
                        .find(|(i, at)| *i != index && !inside(*at))
                        .map(|(i, _)| *i)
                });
                if let Some((a, b)) = rival.and_then(|other| Some((slot.options.get(index)?, slot.options.get(other)?)))
                    && a.1 != b.1
                {
                    let message = format!(
                        "The prompt gives two values for {}: {} and {}. Give only one.",
                        parameter.title, a.0, b.0
                    );
                    return Err(Refusal::new(Code::PartlyUnderstood, message));
                }
                let said = winners.iter().find(|(i, w, ..)| *i == index && *w == weight);
                if let (Some((key, value, _)), Some((_, _, start, end))) = (slot.options.get(index), said) {
                    filled
                        .sources
                        .insert(parameter.name.clone(), reading.typed(*start, *end));
                    filled
                        .values
                        .insert(parameter.name.clone(), PromptValue::Choice(key.clone(), value.clone()));
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// What is denied and can be none is 0: “no rails”, “without a gap”.
fn fill_none(slot: &Slot, reading: &Reading, filled: &mut Filled) {
    let name = &slot.parameter.name;
    let can_be_none = slot.parameter.hard.is_some_and(|[low, _]| low <= 0.0);
    if !can_be_none || filled.values.contains_key(name) {
        return;
    }
    let nouns = slot.after.iter().filter(|phrase| phrase.weight() == 1);
    let denied = nouns.filter_map(|noun| noun.find(reading)).find_map(|(start, end)| {
        let goes_on = reading
            .item(end)
            .is_some_and(|item| item.kind == ItemKind::Word && item.text == "than");
        negated(reading, start).filter(|_| !goes_on).map(|not| (not, end))
    });
    if let Some((not, end)) = denied.filter(|(not, end)| (*not..*end).all(|at| !filled.used.contains(&at))) {
        filled.values.insert(name.clone(), PromptValue::Number(0.0));
        filled.sources.insert(name.clone(), reading.typed(not, end));
        filled.used.extend(not..end);
    }
}

/// The one unit in which the prompt gives other lengths, if it is not the metre: its word, and its factor where a number without a unit
/// is of the size of one of these.
fn spoken_unit<'r>(reading: &'r Reading, bare: &Amount) -> Option<(&'r str, Option<f64>)> {
    let Amount::One(bare) = bare else { return None };
    let mut found: Option<(&str, f64)> = None;
    let mut alike = false;
    for item in &reading.items {
        let ItemKind::Quantity(quantity) = &item.kind else {
            continue;
        };
        if quantity.unit != Unit::Metres {
            continue;
        }
        let word = item.text.rsplit(' ').next()?;
        let (dimension, factor) = reading.language.units.get(word)?;
        if *dimension != Dimension::Length || found.is_some_and(|(_, other)| (other - factor).abs() > 1e-9) {
            return None;
        }
        found = Some((word, *factor));
        if let Amount::One(metres) = quantity.amount {
            let number = metres / factor;
            alike |= (number / 3.0..=number * 3.0).contains(bare);
        }
    }
    let (word, factor) = found.filter(|(_, factor)| (factor - 1.0).abs() > 1e-9)?;
    Some((word, alike.then_some(factor)))
}

/// The ends of a range that one number sets: “up to 3” only the upper one, “at least 3” only the lower one.
fn bounds<'n>(reading: &Reading, at: usize, into: &'n [String]) -> &'n [String] {
    let before = |words: &[&str]| {
        at >= words.len()
            && words
                .iter()
                .enumerate()
                .all(|(i, word)| reading.is(at - words.len() + i, &[word]))
    };
    let (lower, upper) = into.split_at_checked(1).unwrap_or((into, &[]));
    let most = [
        &["up", "to"][..],
        &["at", "most"],
        &["most"],
        &["maximum"],
        &["max"],
        &["maximally"],
        &["most", "of"],
    ];
    let least = [&["at", "least"][..], &["least"], &["minimum"], &["min"], &["from"]];
    if upper.len() == 1 && most.iter().any(|words| before(words)) {
        upper
    } else if upper.len() == 1 && least.iter().any(|words| before(words)) {
        lower
    } else {
        into
    }
}

/// The words that a text parameter takes: a quoted name, or what follows one of its phrases up to a preposition, a number or a mark.
fn fill_text(slot: &Slot, reading: &Reading, filled: &mut Filled) {
    let quoted = |at: &usize| {
        reading
            .item(*at)
            .is_some_and(|item| matches!(&item.kind, ItemKind::Mention(mention) if mention.quoted))
    };
    let language = reading.language;
    let after = |phrase: &Phrase| {
        let (_, end) = phrase.find(reading)?;
        let skipped = |at: &usize| {
            reading.item(*at).is_some_and(|item| {
                language.is_determiner(&item.text) || reading.is(*at, &["word", "words", "text", "name"])
            })
        };
        let start = (end..reading.items.len()).find(|at| !skipped(at))?;
        let taken = |at: &usize| {
            reading.item(*at).is_some_and(|item| match &item.kind {
                ItemKind::Word => {
                    !(language.prepositions.contains(&item.text) || language.conjunctions.contains(&item.text))
                }
                ItemKind::Mention(_) => true,
                _ => false,
            })
        };
        let end = (start..reading.items.len())
            .find(|at| !taken(at))
            .unwrap_or(reading.items.len());
        (end > start).then_some((start, end))
    };
    let at = (0..reading.items.len()).find(quoted).map(|at| (at, at + 1));
    if let Some((start, end)) = at.or_else(|| slot.before.iter().find_map(after)) {
        let text = reading.typed(start, end);
        let name = slot.parameter.name.clone();
        filled.sources.insert(name.clone(), text.clone());
        filled
            .values
            .insert(name, PromptValue::Choice(text.clone(), text.into()));
        filled.used.extend(start..end);
    }
}

/// The first row of several numbers without units, and its items.
fn row(reading: &Reading) -> Vec<(usize, f64)> {
    let number = |at: usize| match reading.item(at).map(|item| &item.kind) {
        Some(ItemKind::Quantity(quantity)) if quantity.unit == Unit::Bare => match quantity.amount {
            Amount::One(value) => Some((at, value)),
            _ => None,
        },
        _ => None,
    };
    let between = |at: usize| {
        reading.is(at, &["and"])
            || matches!(
                reading.item(at).map(|item| &item.kind),
                Some(ItemKind::Break(',' | ';' | '/' | '-'))
            )
    };
    for start in 0..reading.items.len() {
        let mut found: Vec<(usize, f64)> = number(start).into_iter().collect();
        let mut at = start + 1;
        while !found.is_empty() {
            while between(at) {
                at += 1;
            }
            let Some(next) = number(at) else { break };
            found.push(next);
            at += 1;
        }
        if found.len() > 1 {
            return found;
        }
    }
    Vec::new()
}

/// Gives rows of numbers to the parameters that take them; their items.
fn fill_rows(entry: &Entry, reading: &Reading, filled: &mut Filled) -> Result<Vec<usize>, Refusal> {
    let mut taken = Vec::new();
    for slot in entry
        .slots
        .iter()
        .filter(|slot| slot.parameter.kind == ParameterKind::Values)
    {
        let row = row(reading);
        if row.len() > slot.parameter.into.len() {
            let most = slot.parameter.into.len();
            let message = format!(
                "These are {} numbers, and there can be at most {most}. Nothing was changed.",
                row.len()
            );
            return Err(Refusal::new(Code::OutOfRange, message));
        }
        for ((at, value), name) in row.into_iter().zip(&slot.parameter.into) {
            if let Some(part) = entry.preset.parameter(name) {
                in_range(part, value, &mut filled.warnings)?;
            }
            filled.values.insert(name.clone(), PromptValue::Number(value));
            filled.sources.insert(name.clone(), reading.typed(at, at + 1));
            filled.used.push(at);
            taken.push(at);
        }
    }
    Ok(taken)
}

/// Reads the parameters of a preset from the prompt. `things` are the items that name what is copied.
///
/// # Errors
/// `out_of_range` with the range; `partly_understood` when two values are given for one parameter.
pub(crate) fn fill(entry: &Entry, reading: &Reading, things: &[usize], units: &Units) -> Result<Filled, Refusal> {
    let mut filled = Filled::default();
    let mut taken_items: Vec<usize> = Vec::new();
    let mut taken_slots: Vec<usize> = Vec::new();
    let mut taken_words: Vec<usize> = Vec::new();
    let idle = idle(entry, reading);
    filled.used.extend(&idle);
    taken_items.extend(fill_rows(entry, reading, &mut filled)?);
    for offer in settle(entry, offers(entry, reading, things, &idle)) {
        let Some(slot) = entry.slots.get(offer.slot) else {
            continue;
        };
        // “50 cm to 1 m tall on the plane, 40”: what says one number says none further on, but “3 floors of 3 m”.
        let apart = offer.span.end < offer.item;
        let spent = apart && offer.span.clone().any(|at| taken_words.contains(&at));
        if spent || taken_items.contains(&offer.item) || taken_slots.contains(&offer.slot) {
            continue;
        }
        let parameter = &slot.parameter;
        let Some(ItemKind::Quantity(quantity)) = reading.item(offer.item).map(|item| &item.kind) else {
            continue;
        };
        // “2 layers of 3 by 3” sets columns and rows.
        let sides = match &quantity.amount {
            Amount::Sides(sides) => sides.len(),
            _ => parameter.into.len(),
        };
        if filled.values.contains_key(&parameter.name)
            || parameter
                .into
                .iter()
                .take(sides)
                .any(|name| filled.values.contains_key(name))
        {
            continue;
        }
        let kind = parameter.of.unwrap_or(parameter.kind);
        let typed = reading.item(offer.item).map_or("", |item| item.typed.as_str());
        // “17 cm high and 28 deep”: a number beside measured ones of its size has their unit; either is said.
        let spoken = (kind == ParameterKind::Length && quantity.unit == Unit::Bare)
            .then(|| spoken_unit(reading, &quantity.amount))
            .flatten();
        if let Some((word, factor)) = spoken {
            let word = if factor.is_some() { word } else { "m" };
            let text = format!("“{typed}” has no unit and was read as {typed} {word}.");
            filled.warnings.push(text);
        }
        let read = |value: f64| match spoken.and_then(|(_, factor)| factor) {
            Some(factor) => value * factor,
            None => base_value(kind, value, quantity.unit, units),
        };
        let values: Vec<(&Parameter, f64)> = match &quantity.amount {
            Amount::One(value) if parameter.into.is_empty() => vec![(parameter, read(*value))],
            Amount::Range(low, high) if parameter.into.is_empty() => {
                vec![(parameter, f64::midpoint(*low, *high).round())]
            }
            Amount::One(value) => bounds(reading, offer.item, &parameter.into)
                .iter()
                .filter_map(|n| Some((entry.preset.parameter(n)?, read(*value))))
                .collect(),
            Amount::Range(low, high) => {
                let parts = parameter.into.iter().zip([*low, *high]);
                parts
                    .filter_map(|(n, v)| Some((entry.preset.parameter(n)?, read(v))))
                    .collect()
            }
            Amount::Sides(sides) => {
                let parts = parameter.into.iter().zip(sides);
                parts
                    .filter_map(|(n, v)| Some((entry.preset.parameter(n)?, read(*v))))
                    .collect()
            }
        };
        let number = reading.item(offer.item).map_or("", |item| item.typed.as_str());
        let open = matches!(quantity.amount, Amount::Range(..)) && parameter.into.is_empty();
        if let Some((_, value)) = values.first().filter(|_| open || is_vague(reading, offer.item)) {
            filled
                .warnings
                .push(format!("“{number}” was read as {}.", plain(*value)));
        }
        let (start, end) = if offer.span.is_empty() {
            (offer.item, offer.item + 1)
        } else {
            (offer.span.start.min(offer.item), offer.span.end.max(offer.item + 1))
        };
        let words = reading.typed(start, end);
        for (part, value) in values {
            in_range(part, value, &mut filled.warnings)?;
            filled.values.insert(part.name.clone(), PromptValue::Number(value));
            filled.sources.insert(part.name.clone(), words.clone());
        }
        taken_items.push(offer.item);
        taken_slots.push(offer.slot);
        filled.used.push(offer.item);
        taken_words.extend(offer.span.clone());
        filled.used.extend(offer.span);
    }
    for slot in &entry.slots {
        fill_from_words(slot, reading, &mut filled)?;
    }
    Ok(filled)
}
