//! Shares and multiples of what is usual: “half size”, “a third of the height”, “twice as big”.

use crate::language::{Degree, DegreeOf};
use crate::nouns::is_share;
use crate::quantity::{Amount, Unit};
use crate::reading::{ItemKind, Reading};

/// What a share may be of where the prompt gives no value: “half the density”.
const OF_USUAL: [&str; 14] = [
    "size",
    "sized",
    "height",
    "length",
    "width",
    "thickness",
    "radius",
    "diameter",
    "density",
    "amount",
    "strength",
    "speed",
    "spacing",
    "depth",
];

/// Whether a number says how many times the usual something is: “twice as big”, “three times the size”.
pub(crate) fn compares_with_usual(reading: &Reading, at: usize) -> bool {
    let times = matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(quantity)) if quantity.unit == Unit::Times);
    as_large(reading, at).is_some() || times && share(reading, at).is_some()
}

/// “twice as big”: how many times the usual, with the word that says of what.
pub(crate) fn as_large<'r>(reading: &'r Reading, at: usize) -> Option<(f64, usize, &'r Degree)> {
    let ItemKind::Quantity(quantity) = &reading.item(at)?.kind else {
        return None;
    };
    let Amount::One(value) = quantity.amount else {
        return None;
    };
    let degree = reading.language.degrees.get(&reading.item(at + 2)?.text)?;
    let times = matches!(quantity.unit, Unit::Times | Unit::Percent) || quantity.unit == Unit::Bare && value < 1.0;
    // “half as many” compares with something that is not said.
    (times && value > 0.0 && reading.is(at + 1, &["as"]) && degree.of != DegreeOf::Amount)
        .then(|| (if degree.factor < 1.0 { 1.0 / value } else { value }, at + 2, degree))
}

/// “half size”, “a third of the height”, “twice the density”: a share of what is usual, with the noun that says of what.
pub(crate) fn share(reading: &Reading, at: usize) -> Option<(f64, usize)> {
    let item = reading.item(at)?;
    let ItemKind::Quantity(quantity) = &item.kind else {
        return None;
    };
    let Amount::One(value) = quantity.amount else {
        return None;
    };
    let one = is_share(reading, at, quantity) || quantity.unit == Unit::Times && value > 0.0;
    let between = |at: usize| {
        reading.is(at, &["of", "usual", "normal", "original", "default", "full"])
            || reading
                .item(at)
                .is_some_and(|item| reading.language.is_determiner(&item.text))
    };
    let of = (at + 1..at + 5)
        .take_while(|next| *next == at + 1 || between(next - 1))
        .find(|next| reading.is(*next, &OF_USUAL))?;
    one.then_some((value, of))
}
