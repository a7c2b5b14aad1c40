//! Which number could be which parameter: the words beside it, its unit, its place; and the cheapest assignment of all.

use crate::beside::{
    ELEMENTS, before_thing, counted_noun, counts_other, is_pronoun, is_vague, one_of_two_counts, part_of_things,
    stands_alone, stands_free,
};
use crate::library::{Entry, Slot};
use crate::nouns::is_share;
use crate::phrase::Phrase;
use crate::preset::{Parameter, ParameterKind};
use crate::quantity::{Amount, Quantity, Unit};
use crate::reading::{ItemKind, Reading};
use crate::share::compares_with_usual;

/// Leaving a number unassigned costs more than the vaguest match, so that every number is assigned if possible.
pub(crate) const UNREAD: f64 = 12.0;
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
            match phrase.ends(reading, start) {
                Some(end) if end <= at => {
                    if let Some(cost) = steps(reading, end, at) {
                        offer(cost, phrase, start..end);
                    }
                }
                // “each @length high” has the number within.
                Some(end) => offer(0.0, phrase, start..end),
                None => {}
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
        | (ParameterKind::Turns, Unit::Times)
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
        (ParameterKind::Sides | ParameterKind::Range | ParameterKind::Values | ParameterKind::Text, _)
        | (_, Amount::Range(..) | Amount::Sides(_)) => None,
        (ParameterKind::Count | ParameterKind::Seed, Amount::One(n)) if n.fract() != 0.0 => Some(cost + 1.0),
        // “12” is no share of a circle, if it can be anything else.
        (ParameterKind::Factor, Amount::One(n))
            if matches!(quantity.unit, Unit::Bare | Unit::Times)
                && *n > 1.0
                && n.fract() == 0.0
                && parameter.hard.is_some_and(|[_, most]| most <= 1.0) =>
        {
            Some(cost + 3.0)
        }
        _ => Some(cost),
    }
}

/// Whether a number without a word that says what it is may be what the preset needs most: no “twice”, no “half” of something else.
fn may_be_first(reading: &Reading, at: usize, quantity: &Quantity) -> bool {
    let of_elements = (at + 2..at + 4).any(|next| reading.is(next, &ELEMENTS)) && reading.is(at + 1, &["of"]);
    let alone = quantity.unit != Unit::Bare && stands_alone(reading, at);
    quantity.unit != Unit::Times && (!is_share(reading, at, quantity) || alone || of_elements)
}

/// A number that could be a parameter.
#[derive(Clone)]
pub(crate) struct Offer {
    /// How far-fetched that is.
    pub(crate) cost: f64,
    /// Index of the parameter.
    pub(crate) slot: usize,
    /// Item of the number.
    pub(crate) item: usize,
    /// Items of the phrase that says so.
    pub(crate) span: std::ops::Range<usize>,
}

/// Whether the words of this offer also speak of a length that is not the size of the things.
fn says_of_another(entry: &Entry, index: usize, span: &std::ops::Range<usize>, reading: &Reading) -> bool {
    entry.slots.iter().enumerate().any(|(other, slot)| {
        let phrases = slot.before.iter().chain(&slot.after);
        other != index
            && slot.parameter.kind == ParameterKind::Length
            && !slot.parameter.sizes_things
            && phrases
                .into_iter()
                .any(|phrase| phrase.ends(reading, span.start) == Some(span.end))
    })
}

/// Whether the noun that a number counts is a word of the preset, if it is none of the things: “3 variations” is no scale, but “2 and 3 windings” may
/// be what the preset counts.
fn counts_another(entry: &Entry, reading: &Reading, at: usize, quantity: &Quantity, things: &[usize]) -> Option<bool> {
    let one = quantity.unit == Unit::Bare && matches!(quantity.amount, Amount::One(_));
    let noun = counted_noun(reading, at).filter(|noun| one && !things.contains(noun))?;
    let known = |item: &crate::reading::Item| item.kind == ItemKind::Word && entry.vocabulary.contains(&item.stem);
    Some(reading.item(noun).is_some_and(known))
}

/// Whether words say what a number is although a noun behind it is counted: “radius 3, spheres”, “radius of 3 cubes”.
fn says_it(reading: &Reading, span: &std::ops::Range<usize>, at: usize) -> bool {
    span.end == at || span.end < at && (span.end..at).all(|between| reading.is(between, &["of", "is", "to", "by"]))
}

/// Numbers that belong to a phrase and are not values of their own (“into four”, “the first half”).
pub(crate) fn idle(entry: &Entry, reading: &Reading) -> Vec<usize> {
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

/// Whether the way in which a number is said rules a parameter out, whatever words stand beside it. `copies` tells whether the preset copies things.
fn cannot_be(
    parameter: &Parameter,
    (quantity, copies): (&Quantity, bool),
    reading: &Reading,
    at: usize,
    things: &[usize],
) -> bool {
    let bare = quantity.unit == Unit::Bare;
    let counts = parameter.kind == ParameterKind::Count;
    if is_pronoun(reading, at) && !counts {
        return true;
    }
    // “2 layers of 3 by 3 cubes” counts them.
    let of = parameter.of.unwrap_or(parameter.kind);
    if bare
        && parameter.kind == ParameterKind::Sides
        && of == ParameterKind::Length
        && matches!(quantity.amount, Amount::Sides(_))
        && before_thing(reading, at, things)
    {
        return true;
    }
    // “half size” is half of what is usual, not half a metre, and “a third of a circle” not a third of a degree.
    let share = bare
        && reading
            .item(at)
            .is_some_and(|item| reading.language.fractions.contains_key(&item.text));
    if share && matches!(of, ParameterKind::Length | ParameterKind::Angle) {
        return true;
    }
    // “100 to 200 rocks” leaves the count open; it is not a range of anything else.
    let open_count =
        bare && matches!(quantity.amount, Amount::Range(low, _) if low >= 2.0) && before_thing(reading, at, things);
    let whole = matches!(parameter.kind, ParameterKind::Count | ParameterKind::Seed);
    if whole && is_share(reading, at, quantity) && quantity.unit == Unit::Bare {
        return true;
    }
    // “30 of them” counts, “half of them” says of which.
    let of_elements = !copies
        && of == ParameterKind::Factor
        && reading.items.iter().any(|item| ELEMENTS.contains(&item.text.as_str()));
    if part_of_things(reading, at, things)
        && (is_share(reading, at, quantity) && !of_elements
            || !is_share(reading, at, quantity) && !parameter.counts_things)
    {
        return true;
    }
    // “a few” and “100 and 200 rocks” count.
    let counts_only = is_vague(reading, at) || bare && one_of_two_counts(reading, at, things);
    open_count && !parameter.counts_things || counts_only && !counts
}

/// Whether two bare numbers count what follows them, which this parameter does not speak of: “5x4 windows” is no floor plan.
fn sides_of_others(slot: &Slot, quantity: &Quantity, reading: &Reading, at: usize) -> bool {
    let counted = quantity.unit == Unit::Bare && matches!(quantity.amount, Amount::Sides(_));
    let noun = counted_noun(reading, at).and_then(|noun| reading.item(noun));
    counted
        && slot.parameter.kind == ParameterKind::Sides
        && slot.parameter.of == Some(ParameterKind::Length)
        && noun.is_some_and(|noun| !slot.speaks_of(std::slice::from_ref(&noun.stem)))
}

/// The stem of the item behind a number: “large” of “5 large ones”.
fn beside_stem(reading: &Reading, at: usize) -> String {
    reading.item(at + 1).map(|item| item.stem.clone()).unwrap_or_default()
}

/// Whether the number stands right behind several things: “rocks 60”.
fn after_things(reading: &Reading, at: usize, things: &[usize]) -> bool {
    let Some(before) = at.checked_sub(1).filter(|before| things.contains(before)) else {
        return false;
    };
    reading
        .item(before)
        .is_some_and(|item| item.text.ends_with('s') && item.stem != item.text)
}

/// Whether a length has its word only behind the next one: of “3 m and 5 m apart” neither says another thing than the distance.
fn shares_word(reading: &Reading, at: usize) -> bool {
    let measure = |at: usize| {
        matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(quantity))
            if matches!(quantity.unit, Unit::Metres | Unit::Blender) && matches!(quantity.amount, Amount::One(_)))
    };
    let worded = reading.item(at + 3).is_some_and(|item| item.kind == ItemKind::Word);
    measure(at) && reading.is(at + 1, &["and", "or"]) && measure(at + 2) && worded
}

/// Every number with the parameters that it could be, the most certain first.
pub(crate) fn offers(entry: &Entry, reading: &Reading, things: &[usize], idle: &[usize]) -> Vec<Offer> {
    let numbers = (0..reading.items.len()).filter(|at| !idle.contains(at));
    let mut offers: Vec<Offer> = numbers.flat_map(|at| offers_of(entry, reading, things, at)).collect();
    offers.retain(|offer| offer.cost < UNREAD);
    offers.sort_by(|a, b| {
        a.cost
            .total_cmp(&b.cost)
            .then(a.item.cmp(&b.item))
            .then(a.slot.cmp(&b.slot))
    });
    offers
}

/// What the number at this place could be.
fn offers_of(entry: &Entry, reading: &Reading, things: &[usize], at: usize) -> Vec<Offer> {
    let mut offers = Vec::new();
    let Some(ItemKind::Quantity(quantity)) = reading.item(at).map(|item| &item.kind) else {
        return offers;
    };
    if quantity.unit == Unit::Bare && counts_other(entry, reading, at, things) || compares_with_usual(reading, at) {
        return offers;
    }
    let may_be_first = may_be_first(reading, at, quantity);
    let shares_word = shares_word(reading, at);
    let mut unsaid: Vec<(u32, Offer)> = Vec::new();
    let whole = quantity.unit == Unit::Bare && matches!(quantity.amount, Amount::One(n) if n.fract() == 0.0);
    let counts_noun = whole && counted_noun(reading, at).is_some();
    let free = stands_free(reading, at);
    let other = counts_another(entry, reading, at, quantity, things);
    for (index, slot) in entry.slots.iter().enumerate() {
        let parameter = &slot.parameter;
        if cannot_be(parameter, (quantity, entry.preset.thing.is_some()), reading, at, things)
            || sides_of_others(slot, quantity, reading, at)
        {
            continue;
        }
        // “start 0.5”: one share of a curve is no part of it.
        if matches!(quantity.amount, Amount::One(_)) && entry.preset.spans(parameter).is_some() {
            continue;
        }
        let Some(mut base) = fits(parameter, quantity) else {
            continue;
        };
        // “a ring of 8 cubes, 5”: a bare number before the things counts them rather than measuring anything.
        let counted = entry.preset.thing.is_some() && before_thing(reading, at, things);
        if quantity.unit == Unit::Bare && parameter.kind == ParameterKind::Length && counted {
            base += UNREAD;
        }
        let plain = |cost: f64| Offer {
            cost: base + cost,
            slot: index,
            item: at,
            span: at..at,
        };
        let of = parameter.of.unwrap_or(parameter.kind);
        let measured_noun = counts_noun
            && (matches!(of, ParameterKind::Length | ParameterKind::Angle)
                || of == ParameterKind::Factor && reading.language.adjectives.contains(&beside_stem(reading, at)));
        if let Some((mut cost, span)) =
            cue(slot, reading, at).filter(|(_, span)| !measured_noun || says_it(reading, span, at))
        {
            // “a helix of 100 cubes, 8 m high”: what is built has a height of its own.
            if parameter.sizes_things
                && !before_thing(reading, at, things)
                && says_of_another(entry, index, &span, reading)
            {
                cost += 0.4;
            }
            offers.push(Offer { span, ..plain(cost) });
        }
        let beside = before_thing(reading, at, things) || whole && after_things(reading, at, things);
        if parameter.counts_things && quantity.unit == Unit::Bare && beside {
            offers.push(plain(0.6));
        }
        if parameter.kind == ParameterKind::Count && parameter.rank.is_some() && quantity.unit == Unit::Times {
            offers.push(plain(0.7));
        }
        let measured = matches!(quantity.unit, Unit::Metres | Unit::Blender);
        if parameter.sizes_things && measured && before_thing(reading, at, things) {
            offers.push(plain(0.9));
        }
        let bare_angle = quantity.unit == Unit::Bare && parameter.kind == ParameterKind::Angle;
        // “200 faces” counts; it is no length and no factor.
        let counts = measured_noun
            || quantity.unit == Unit::Bare
                && matches!(parameter.kind, ParameterKind::Length | ParameterKind::Factor)
                && reading.is(at + 1, &ELEMENTS);
        let counts = counts || matches!(quantity.amount, Amount::Range(..)) && parameter.kind == ParameterKind::Count;
        let meant = other.is_none_or(|known| known && parameter.kind == ParameterKind::Count);
        if let Some(rank) = parameter
            .rank
            .filter(|_| free && meant && may_be_first && !bare_angle && !counts)
        {
            let vague = if quantity.unit == Unit::Bare && parameter.kind == ParameterKind::Length {
                8.0
            } else {
                6.0
            };
            unsaid.push((rank, plain(vague + f64::from(rank) * 0.1)));
        }
    }
    if shares_word {
        offers.retain(|offer| !offer.span.is_empty() && offer.span.end <= at);
        return offers;
    }
    // A number that nothing explains is what the preset needs most; if that has a value already, it is none of the rest.
    let first = unsaid.iter().map(|(rank, _)| *rank).min();
    offers.extend(
        unsaid
            .into_iter()
            .filter(|(rank, _)| Some(*rank) == first)
            .map(|(_, offer)| offer),
    );
    offers
}
