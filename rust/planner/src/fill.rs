//! Assigns the numbers of a prompt to parameters.

use std::collections::HashMap;

use geonode_protocol::Code;

use crate::library::{Entry, Slot};
use crate::phrase::Phrase;
use crate::preset::{Parameter, ParameterKind};
use crate::quantity::{Amount, Quantity, Unit};
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::scene::Referent;
use geonode_graph::documents::context::Units;

/// A value that the prompt gives: metres, radians, plain numbers, or the value of a choice.
#[derive(Debug, Clone, PartialEq)]
pub enum PromptValue {
    /// A number in base units.
    Number(f64),
    /// The key and the value of a choice.
    Choice(String, serde_json::Value),
    /// Yes or no.
    Bool(bool),
}

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

/// What meshes and curves consist of: a number before it counts.
const ELEMENTS: [&str; 9] = [
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

/// Greatest distance at which a word relates to a number.
const REACH: f64 = 4.5;

/// Distance between a phrase and a number; marks and conjunctions cost more, another number separates them.
fn steps(reading: &Reading, from: usize, to: usize) -> Option<f64> {
    let mut cost = 0.0;
    for at in from..to {
        let item = reading.item(at)?;
        cost += match &item.kind {
            ItemKind::Quantity(_) => return None,
            ItemKind::Break(_) => 3.0,
            ItemKind::Word if reading.is(at, &["and", "or", "then", "but"]) => 2.5,
            ItemKind::Word if reading.is(at, &["with"]) => 1.5,
            ItemKind::Word if reading.is_empty_word(item) => 0.25,
            ItemKind::Word | ItemKind::Mention(_) => 1.0,
        };
    }
    (cost <= REACH).then_some(cost)
}

/// The cheapest phrase of a slot for the number at item `at`: (cost, items of the phrase).
fn cue(slot: &Slot, reading: &Reading, at: usize) -> Option<(f64, std::ops::Range<usize>)> {
    let mut best: Option<(f64, std::ops::Range<usize>)> = None;
    let mut offer = |cost: f64, phrase: &Phrase, span: std::ops::Range<usize>| {
        // Longer phrases are more certain: “per square metre” outweighs the noun between.
        let cost = cost - 0.3 * f64::from(u32::try_from(phrase.weight()).unwrap_or(1)) + 0.2;
        if best.as_ref().is_none_or(|(top, _)| cost < *top) {
            best = Some((cost, span));
        }
    };
    for start in at.saturating_sub(9)..at {
        for phrase in &slot.before {
            if let Some(end) = phrase.ends(reading, start).filter(|end| *end <= at)
                && let Some(cost) = steps(reading, end, at)
            {
                offer(cost, phrase, start..end);
            }
        }
    }
    for start in at + 1..at + 9 {
        for phrase in &slot.after {
            if let Some(end) = phrase.ends(reading, start)
                && let Some(cost) = steps(reading, at + 1, start)
            {
                // “80 cm high”: a word directly after a measure says what it measures.
                let measured = cost == 0.0
                    && slot.before.contains(phrase)
                    && matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(q)) if q.unit != Unit::Bare);
                offer(cost + if measured { -0.15 } else { 0.05 }, phrase, start..end);
            }
        }
    }
    best
}

/// How well a unit fits a parameter: the extra cost, or `None` if it does not fit.
fn unit_cost(kind: ParameterKind, unit: Unit) -> Option<f64> {
    match (kind, unit) {
        (ParameterKind::Count, Unit::Bare | Unit::Times)
        | (ParameterKind::Seed, Unit::Bare)
        | (ParameterKind::Length, Unit::Metres | Unit::Blender)
        | (ParameterKind::Angle | ParameterKind::Turns, Unit::Radians)
        | (ParameterKind::Factor, Unit::Percent | Unit::Times | Unit::Bare) => Some(0.0),
        (ParameterKind::Length | ParameterKind::Angle | ParameterKind::Turns, Unit::Bare) => Some(0.8),
        _ => None,
    }
}

fn fits(parameter: &Parameter, quantity: &Quantity) -> Option<f64> {
    let kind = parameter.of.unwrap_or(parameter.kind);
    let cost = unit_cost(kind, quantity.unit)?;
    match (parameter.kind, &quantity.amount) {
        (ParameterKind::Range, Amount::Range(..)) => Some(cost),
        (ParameterKind::Range, Amount::One(_)) => Some(cost + 0.5),
        (ParameterKind::Sides, Amount::Sides(sides)) if sides.len() <= parameter.into.len() => Some(cost),
        // “20-30 rocks” is a number between them.
        (ParameterKind::Count, Amount::Range(low, _)) if parameter.counts_things && *low >= 2.0 => Some(cost),
        (ParameterKind::Sides | ParameterKind::Range, _) | (_, Amount::Range(..) | Amount::Sides(_)) => None,
        (ParameterKind::Count | ParameterKind::Seed, Amount::One(n)) if n.fract() != 0.0 => Some(cost + 1.0),
        _ => Some(cost),
    }
}

/// Whether the number is directly before a countable noun.
fn before_thing(reading: &Reading, at: usize, things: &[usize]) -> bool {
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
fn counts_other(entry: &Entry, reading: &Reading, at: usize, things: &[usize]) -> bool {
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
            ItemKind::Mention(mention) => matches!(mention.referent, Referent::Object { .. } | Referent::Unknown(_)),
            ItemKind::Word => reading.language.shape(&item.stem).is_some() && !entry.vocabulary.contains(&item.stem),
            _ => false,
        })
}

/// Whether the number is one that only says about how many: “a few”, “several”.
fn is_vague(reading: &Reading, at: usize) -> bool {
    reading
        .item(at)
        .is_some_and(|item| item.text.split(' ').any(|word| reading.language.vague.contains(word)))
}

/// Whether the number is the first of two counts of the same things: “100 and 200 rocks”.
fn one_of_two_counts(reading: &Reading, at: usize, things: &[usize]) -> bool {
    reading.is(at + 1, &["and", "or"])
        && matches!(reading.item(at + 2).map(|item| &item.kind), Some(ItemKind::Quantity(other)) if other.unit == Unit::Bare)
        && before_thing(reading, at + 2, things)
}

#[derive(Clone)]
struct Offer {
    cost: f64,
    slot: usize,
    item: usize,
    span: std::ops::Range<usize>,
}

/// Numbers that belong to a phrase and are not values of their own (“into four”, “the first half”).
fn idle(entry: &Entry, reading: &Reading) -> Vec<usize> {
    let spans = (0..reading.items.len()).filter_map(|at| {
        let worded = entry.slots.iter().flat_map(|slot| slot.on.iter().chain(&slot.off));
        let ends = entry
            .words
            .iter()
            .chain(worded)
            .filter(|phrase| phrase.weight() > 1)
            .filter_map(|phrase| phrase.ends(reading, at));
        ends.max().map(|end| at..end)
    });
    spans
        .flatten()
        .filter(|at| {
            reading
                .item(*at)
                .is_some_and(|item| matches!(item.kind, ItemKind::Quantity(_)))
        })
        .collect()
}

fn offers(entry: &Entry, reading: &Reading, things: &[usize], idle: &[usize]) -> Vec<Offer> {
    let mut offers = Vec::new();
    for (at, item) in reading.items.iter().enumerate().filter(|(at, _)| !idle.contains(at)) {
        let ItemKind::Quantity(quantity) = &item.kind else {
            continue;
        };
        if quantity.unit == Unit::Bare && counts_other(entry, reading, at, things) {
            continue;
        }
        for (index, slot) in entry.slots.iter().enumerate() {
            let parameter = &slot.parameter;
            // “100 to 200 rocks” leaves the count open; it is not a range of anything else.
            let open_count = quantity.unit == Unit::Bare
                && matches!(quantity.amount, Amount::Range(low, _) if low >= 2.0)
                && before_thing(reading, at, things);
            if open_count && !parameter.counts_things {
                continue;
            }
            // “a few” and “100 and 200 rocks” count.
            let counts_only =
                is_vague(reading, at) || quantity.unit == Unit::Bare && one_of_two_counts(reading, at, things);
            if counts_only && parameter.kind != ParameterKind::Count {
                continue;
            }
            let Some(mut base) = fits(parameter, quantity) else {
                continue;
            };
            // “a ring of 8 cubes, 5”: a bare number before the things counts them rather than measuring anything.
            let counted = entry.preset.thing.is_some() && before_thing(reading, at, things);
            if quantity.unit == Unit::Bare && parameter.kind == ParameterKind::Length && counted {
                base += 3.0;
            }
            if let Some((cost, span)) = cue(slot, reading, at) {
                offers.push(Offer {
                    cost: base + cost,
                    slot: index,
                    item: at,
                    span,
                });
            }
            if parameter.counts_things && quantity.unit == Unit::Bare && before_thing(reading, at, things) {
                offers.push(Offer {
                    cost: base + 0.6,
                    slot: index,
                    item: at,
                    span: at..at,
                });
            }
            if parameter.kind == ParameterKind::Count && parameter.rank.is_some() && quantity.unit == Unit::Times {
                offers.push(Offer {
                    cost: base + 0.3,
                    slot: index,
                    item: at,
                    span: at..at,
                });
            }
            let measured = matches!(quantity.unit, Unit::Metres | Unit::Blender);
            if parameter.sizes_things && measured && before_thing(reading, at, things) {
                offers.push(Offer {
                    cost: base + 0.9,
                    slot: index,
                    item: at,
                    span: at..at,
                });
            }
            let bare_angle = quantity.unit == Unit::Bare && parameter.kind == ParameterKind::Angle;
            // “200 faces” counts; it is no length and no factor.
            let counts = quantity.unit == Unit::Bare
                && matches!(parameter.kind, ParameterKind::Length | ParameterKind::Factor)
                && reading.is(at + 1, &ELEMENTS);
            let counts =
                counts || matches!(quantity.amount, Amount::Range(..)) && parameter.kind == ParameterKind::Count;
            if let Some(rank) = parameter.rank.filter(|_| !bare_angle && !counts) {
                let vague = if quantity.unit == Unit::Bare && parameter.kind == ParameterKind::Length {
                    8.0
                } else {
                    6.0
                };
                offers.push(Offer {
                    cost: base + vague + f64::from(rank) * 0.1,
                    slot: index,
                    item: at,
                    span: at..at,
                });
            }
        }
    }
    offers.sort_by(|a, b| {
        a.cost
            .total_cmp(&b.cost)
            .then(a.item.cmp(&b.item))
            .then(a.slot.cmp(&b.slot))
    });
    offers
}

/// Leaving a number unassigned costs more than the vaguest match, so that every number is assigned if possible.
const UNREAD: f64 = 12.0;
/// In sentences with more numbers than this, each number is assigned by itself.
const TOGETHER: usize = 7;

/// The cheapest assignment of every number to its own parameter: “3 rows 5 columns” is not “rows 5”.
fn settle(entry: &Entry, mut offers: Vec<Offer>) -> Vec<Offer> {
    let mut items: Vec<usize> = offers.iter().map(|offer| offer.item).collect();
    items.sort_unstable();
    items.dedup();
    if items.len() > TOGETHER || entry.slots.len() > 64 {
        return offers;
    }
    let mut seen = Vec::new();
    // Sorted by cost, so the first of a pair is its cheapest.
    offers.retain(|offer| {
        let pair = (offer.item, offer.slot);
        let new = !seen.contains(&pair);
        seen.push(pair);
        new
    });
    let choices: Vec<Vec<&Offer>> = items
        .iter()
        .map(|item| offers.iter().filter(|offer| offer.item == *item).collect())
        .collect();
    let mut search = Search {
        choices: &choices,
        path: Vec::new(),
        best: Vec::new(),
        cost: f64::INFINITY,
        left: 200_000,
    };
    search.step(0, 0, 0.0);
    let mut chosen: Vec<Offer> = search.best.into_iter().cloned().collect();
    chosen.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    // Unassigned numbers may still fit where parameters exclude each other.
    chosen.extend(offers);
    chosen
}

struct Search<'a> {
    choices: &'a [Vec<&'a Offer>],
    path: Vec<&'a Offer>,
    best: Vec<&'a Offer>,
    cost: f64,
    left: u32,
}

impl Search<'_> {
    fn step(&mut self, item: usize, slots: u64, cost: f64) {
        if cost >= self.cost || self.left == 0 {
            return;
        }
        self.left -= 1;
        let Some(offers) = self.choices.get(item) else {
            self.cost = cost;
            self.best.clone_from(&self.path);
            return;
        };
        for offer in offers {
            let bit = 1_u64 << offer.slot;
            if slots & bit == 0 {
                self.path.push(offer);
                self.step(item + 1, slots | bit, cost + offer.cost);
                self.path.pop();
            }
        }
        self.step(item + 1, slots, cost + UNREAD);
    }
}

fn base_value(kind: ParameterKind, value: f64, unit: Unit, units: &Units) -> f64 {
    match (kind, unit) {
        (ParameterKind::Length, Unit::Bare) => value * units.bare_metres(),
        (ParameterKind::Length, Unit::Blender) => value * units.metres_per_unit(),
        (ParameterKind::Angle, Unit::Bare) => value.to_radians(),
        (ParameterKind::Turns, Unit::Radians) => value / std::f64::consts::TAU,
        _ => value,
    }
}

/// Checks a value against the ranges of its parameter.
pub(crate) fn in_range(parameter: &Parameter, value: f64, warnings: &mut Vec<String>) -> Result<(), Refusal> {
    let shown = if parameter.kind == ParameterKind::Angle {
        value.to_degrees()
    } else {
        value
    };
    let unit = match parameter.kind {
        ParameterKind::Length => " m",
        ParameterKind::Angle => "°",
        _ => "",
    };
    let title = &parameter.title;
    let whole = matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed);
    if whole && shown.fract() != 0.0 {
        return Err(Refusal::new(
            Code::OutOfRange,
            format!("{title} must be a whole number, not {}.", plain(shown)),
        ));
    }
    if let Some([low, high]) = parameter.hard
        && !(low - 1e-9..=high + 1e-9).contains(&shown)
    {
        return Err(Refusal::new(
            Code::OutOfRange,
            format!(
                "{title} of {}{unit} is out of range: it must be from {}{unit} to {}{unit}. Nothing was changed.",
                plain(shown),
                plain(low),
                plain(high)
            ),
        ));
    }
    if let Some([low, high]) = parameter.advised
        && !(low - 1e-9..=high + 1e-9).contains(&shown)
    {
        warnings.push(format!(
            "{title} of {}{unit} is unusual (advised: {} to {}{unit}); it is used as asked.",
            plain(shown),
            plain(low),
            plain(high)
        ));
    }
    Ok(())
}

/// A number as a person writes it: at most four decimals, no trailing zeros.
pub(crate) fn plain(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 0.001 {
        format!("{value:.6}")
    } else {
        format!("{value:.4}")
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" {
        "0".into()
    } else {
        text.to_owned()
    }
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

/// Reads the parameters of a preset from the prompt. `things` are the items that name what is copied.
///
/// # Errors
/// `out_of_range` with the range; `partly_understood` when two values are given for one parameter.
pub(crate) fn fill(entry: &Entry, reading: &Reading, things: &[usize], units: &Units) -> Result<Filled, Refusal> {
    let mut filled = Filled::default();
    let mut taken_items: Vec<usize> = Vec::new();
    let mut taken_slots: Vec<usize> = Vec::new();
    let idle = idle(entry, reading);
    filled.used.extend(&idle);
    for offer in settle(entry, offers(entry, reading, things, &idle)) {
        let Some(slot) = entry.slots.get(offer.slot) else {
            continue;
        };
        if taken_items.contains(&offer.item) || taken_slots.contains(&offer.slot) {
            continue;
        }
        let parameter = &slot.parameter;
        if filled.values.contains_key(&parameter.name)
            || parameter.into.iter().any(|name| filled.values.contains_key(name))
        {
            continue;
        }
        let Some(ItemKind::Quantity(quantity)) = reading.item(offer.item).map(|item| &item.kind) else {
            continue;
        };
        let kind = parameter.of.unwrap_or(parameter.kind);
        let read = |value: f64| base_value(kind, value, quantity.unit, units);
        let values: Vec<(&Parameter, f64)> = match &quantity.amount {
            Amount::One(value) if parameter.into.is_empty() => vec![(parameter, read(*value))],
            Amount::Range(low, high) if parameter.into.is_empty() => {
                vec![(parameter, f64::midpoint(*low, *high).round())]
            }
            Amount::One(value) => parameter
                .into
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
        filled.used.extend(offer.span);
    }
    for slot in &entry.slots {
        fill_from_words(slot, reading, &mut filled)?;
    }
    Ok(filled)
}
