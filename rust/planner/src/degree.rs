//! Words of size, amount and strength without a number: “tiny rocks”, “densely”, “a bit bumpy”.

use crate::fill::Filled;
use crate::language::{Degree, DegreeOf};
use crate::library::{Entry, Slot};
use crate::preset::{Makes, ParameterKind};
use crate::reading::{ItemKind, Reading};
use crate::scene::Referent;
use crate::share::{as_large, share};

/// The degree that the word at this place says: “a little” is one of strength, “a little cube” one of size.
pub(crate) fn degree(reading: &Reading, at: usize) -> Option<Degree> {
    let item = reading.item(at).filter(|item| item.kind == ItemKind::Word)?;
    let mut degree = reading.language.degrees.get(&item.text)?.clone();
    if reading.is(at + 1, &["poly", "as", "of"]) && !reading.is(at, &["lots", "loads", "tons", "plenty"]) {
        return None;
    }
    let pointless = |at: usize| {
        reading.item(at).is_none_or(|item| {
            matches!(item.kind, ItemKind::Break(_))
                || reading.language.prepositions.contains(&item.text)
                || reading.language.conjunctions.contains(&item.text)
        })
    };
    if item.text == "little" && at > 0 && reading.is(at - 1, &["a"]) && pointless(at + 1) {
        degree.of = DegreeOf::Strength;
        degree.factor = 0.4;
    }
    Some(degree)
}

/// The slot that is about the first of these words that any is about: “thick” is the thickness before it is a radius.
pub(crate) fn nearest<'s>(slots: &(impl Iterator<Item = &'s Slot> + Clone), cues: &[String]) -> Option<&'s Slot> {
    cues.iter()
        .find_map(|cue| slots.clone().find(|slot| slot.speaks_of(std::slice::from_ref(cue))))
}

/// The parameter that counts what a preset makes or places.
pub(crate) fn counting(entry: &Entry) -> Option<&Slot> {
    let counts = |slot: &&Slot| slot.parameter.kind == ParameterKind::Count;
    let things = entry.slots.iter().find(|slot| slot.parameter.counts_things);
    things.or_else(|| {
        entry
            .slots
            .iter()
            .filter(counts)
            .find(|slot| slot.parameter.rank == Some(0))
    })
}

/// The parameter that says how strongly something acts.
pub(crate) fn acting(entry: &Entry) -> Option<&Slot> {
    let measures = |slot: &&Slot| {
        matches!(
            slot.parameter.kind,
            ParameterKind::Length | ParameterKind::Factor | ParameterKind::Angle
        )
    };
    let strength = ["strength".to_owned()];
    let named = entry
        .slots
        .iter()
        .filter(measures)
        .find(|slot| slot.parameter.name == "strength" || slot.speaks_of(&strength));
    let first = entry
        .slots
        .iter()
        .filter(measures)
        .min_by_key(|slot| slot.parameter.rank.unwrap_or(u32::MAX));
    named.or(first.filter(|_| entry.preset.thing.is_none()))
}

/// The parameter that scales what is placed, or else what the preset makes.
fn sizing(entry: &Entry, of_thing: bool) -> Option<&Slot> {
    let sizes = entry.slots.iter().find(|slot| slot.parameter.sizes_things);
    if of_thing || sizes.is_some() {
        return sizes;
    }
    let cues = ["size", "big", "larg", "radius", "diamet"].map(str::to_owned);
    entry
        .slots
        .iter()
        .find(|slot| slot.parameter.kind == ParameterKind::Length && slot.speaks_of(&cues))
}

/// What the word at this place describes: a noun after it, with its item.
enum Described {
    /// An object that exists: its size is what it is.
    Existing,
    /// What is placed.
    Thing,
    /// Something else, or nothing.
    Other,
}

fn described(reading: &Reading, entry: &Entry, cast: &[usize], at: usize) -> Described {
    for next in at + 1..at + 5 {
        let Some(item) = reading.item(next) else { break };
        match &item.kind {
            ItemKind::Mention(mention) => {
                let exists = matches!(mention.referent, Referent::Object { .. } | Referent::Generic(_));
                return if exists && mention.definite {
                    Described::Existing
                } else if entry.preset.thing.is_some() {
                    Described::Thing
                } else {
                    Described::Other
                };
            }
            ItemKind::Word if cast.contains(&next) => {
                return if entry.preset.thing.is_some() && !reading.language.generic.contains_key(&item.stem) {
                    Described::Thing
                } else {
                    Described::Existing
                };
            }
            ItemKind::Word
                if reading.language.adjectives.contains(&item.stem)
                    || reading.language.degrees.contains_key(&item.text)
                    || reading.language.colours.contains(&item.stem) => {}
            _ => break,
        }
    }
    Described::Other
}

/// Nouns that say what is large or small.
pub(crate) const MEASURES: [&str; 22] = [
    "height",
    "width",
    "length",
    "depth",
    "radius",
    "diameter",
    "thickness",
    "gap",
    "gaps",
    "spacing",
    "distance",
    "density",
    "amount",
    "number",
    "strength",
    "scale",
    "speed",
    "angle",
    "margin",
    "frequency",
    "resolution",
    "detail",
];

/// Gives each share of what is usual to the parameter that it is of.
fn shift_shares(entry: &Entry, reading: &Reading, filled: &mut Filled) {
    for at in 0..reading.items.len() {
        if filled.used.contains(&at) {
            continue;
        }
        let (factor, of, cues, degree) = if let Some((factor, of, degree)) = as_large(reading, at) {
            (factor, of, degree.cues.clone(), Some(degree.of))
        } else if let Some((factor, of)) = share(reading, at) {
            let stem = reading.items.get(of).map_or_else(String::new, |item| item.stem.clone());
            let degree = match reading.item(of).map_or("", |item| item.text.as_str()) {
                "size" | "sized" => Some(DegreeOf::Size),
                "density" | "amount" => Some(DegreeOf::Amount),
                "strength" => Some(DegreeOf::Strength),
                _ => None,
            };
            (factor, of, vec![stem], degree)
        } else {
            continue;
        };
        let measures = |slot: &&Slot| {
            let kind = slot.parameter.kind;
            matches!(kind, ParameterKind::Length | ParameterKind::Factor) && slot.speaks_of(&cues)
        };
        let slot = match degree {
            Some(DegreeOf::Size) => sizing(entry, false),
            Some(DegreeOf::Amount) => counting(entry),
            Some(DegreeOf::Strength) => acting(entry),
            _ => None,
        };
        let usual = |slot: &&Slot| !slot.parameter.default.is_null();
        let lengths = entry.slots.iter().filter(measures).filter(usual);
        let Some(slot) = slot.or_else(|| nearest(&lengths, &cues)) else {
            continue;
        };
        let name = &slot.parameter.name;
        if slot.parameter.default.is_null() || filled.values.contains_key(name) || filled.shifts.contains_key(name) {
            continue;
        }
        filled.shifts.insert(name.clone(), factor);
        filled.sources.insert(name.clone(), reading.typed(at, of + 1));
        filled.used.extend(at..=of);
    }
}

/// The parameter that a noun right behind the word names: “large gap”.
fn measure_behind<'e>(entry: &'e Entry, reading: &Reading, at: usize) -> Option<&'e Slot> {
    let item = reading.item(at + 1).filter(|item| item.kind == ItemKind::Word)?;
    if !reading.is(at + 1, &MEASURES) {
        return None;
    }
    let cues = [item.stem.clone()];
    let numeric = |slot: &&Slot| {
        let kind = slot.parameter.kind;
        matches!(
            kind,
            ParameterKind::Length | ParameterKind::Factor | ParameterKind::Angle | ParameterKind::Count
        )
    };
    let usual = |slot: &&Slot| !slot.parameter.default.is_null();
    let named = || entry.slots.iter().filter(numeric).filter(|slot| slot.speaks_of(&cues));
    let amount = reading
        .is(at + 1, &["density", "amount", "number"])
        .then(|| counting(entry))
        .flatten();
    amount.or_else(|| named().find(usual)).or_else(|| named().next())
}

/// The lengths of what a preset makes that follow from no other of its lengths and were not given.
fn own_lengths(entry: &Entry, filled: &Filled) -> Vec<String> {
    fn names<'v>(value: &'v serde_json::Value, found: &mut Vec<&'v str>) {
        match value {
            serde_json::Value::String(name) => found.push(name),
            serde_json::Value::Array(parts) => parts.iter().for_each(|part| names(part, found)),
            _ => {}
        }
    }
    if entry.preset.target.makes == Makes::Never || entry.preset.thing.is_some() {
        return Vec::new();
    }
    let length = |name: &str| {
        let parameter = entry.preset.parameter(name);
        parameter.is_some_and(|one| one.kind == ParameterKind::Length)
    };
    let independent = |slot: &&Slot| {
        let mut all = Vec::new();
        names(&slot.parameter.default, &mut all);
        slot.parameter.kind == ParameterKind::Length
            && !slot.parameter.default.is_null()
            && !all.into_iter().any(length)
    };
    let free = |slot: &&Slot| {
        let name = &slot.parameter.name;
        !filled.values.contains_key(name) && !filled.shifts.contains_key(name)
    };
    let slots = entry.slots.iter().filter(independent).filter(free);
    slots.map(|slot| slot.parameter.name.clone()).collect()
}

/// Gives each such word to the parameter that it is about, as a factor of what is usual there. `cast` are the items of the objects.
pub(crate) fn shift(entry: &Entry, reading: &Reading, cast: &[usize], filled: &mut Filled) {
    shift_shares(entry, reading, filled);
    for at in 0..reading.items.len() {
        if filled.used.contains(&at) || cast.contains(&at) {
            continue;
        }
        let Some(degree) = degree(reading, at) else { continue };
        let what = described(reading, entry, cast, at);
        if matches!(what, Described::Existing) && degree.of != DegreeOf::Amount {
            continue;
        }
        let of_thing = matches!(what, Described::Thing);
        let sized = || {
            entry
                .slots
                .iter()
                .filter(move |slot| !of_thing || slot.parameter.sizes_things)
        };
        let slot = match degree.of {
            // “a large gap”, “low density”: the noun says of what.
            DegreeOf::Size | DegreeOf::Dimension if measure_behind(entry, reading, at).is_some() => {
                measure_behind(entry, reading, at)
            }
            DegreeOf::Amount => counting(entry),
            DegreeOf::Size => sizing(entry, of_thing),
            // “thin poles” are not small ones.
            DegreeOf::Dimension if of_thing && degree.cues.iter().any(|cue| cue == "thick") => None,
            DegreeOf::Dimension => {
                let lengths = sized().filter(|slot| slot.parameter.kind == ParameterKind::Length);
                let usual = lengths.clone().filter(|slot| !slot.parameter.default.is_null());
                nearest(&usual, &degree.cues).or_else(|| nearest(&lengths, &degree.cues))
            }
            DegreeOf::Strength => acting(entry),
        };
        // “a thick tube, 30 cm in diameter”, “little rocks of 5 to 15 cm”: the number says how thick or large.
        let name = slot.map(|slot| &slot.parameter.name);
        let measured = matches!(degree.of, DegreeOf::Dimension | DegreeOf::Size)
            && entry.slots.iter().any(|other| {
                let given = filled.values.contains_key(&other.parameter.name);
                let measures = matches!(other.parameter.kind, ParameterKind::Length | ParameterKind::Range);
                let of_size = name.is_some_and(|name| other.parameter.name.starts_with(name.as_str()));
                given && (other.speaks_of(&degree.cues) || degree.of == DegreeOf::Size && measures && of_size)
            });
        let lengths = own_lengths(entry, filled);
        match (slot, name) {
            _ if measured => filled.loose.push(at),
            // “a small table” has all its lengths smaller.
            (None, _) if degree.of == DegreeOf::Size && !of_thing && !lengths.is_empty() => {
                for name in lengths {
                    filled.shifts.insert(name.clone(), degree.factor);
                    filled.sources.insert(name, reading.typed(at, at + 1));
                }
                filled.used.push(at);
            }
            (Some(_), Some(name)) if filled.values.contains_key(name) => filled.loose.push(at),
            (Some(slot), Some(name)) if !slot.parameter.default.is_null() && !filled.shifts.contains_key(name) => {
                filled.shifts.insert(name.clone(), degree.factor);
                filled.sources.insert(name.clone(), reading.typed(at, at + 1));
                filled.used.push(at);
            }
            _ if degree.of == DegreeOf::Strength
                || entry
                    .vocabulary
                    .contains(&reading.items.get(at).map_or_else(String::new, |item| item.stem.clone())) =>
            {
                filled.loose.push(at);
            }
            _ => filled.unmeant.push(at),
        }
    }
}
