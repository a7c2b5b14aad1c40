//! Sizes that a prompt only tells of what stands there: “on this 4 m plane”. They are no parameter of what is made, and are checked against the scene.

use geonode_graph::documents::Context;
use geonode_protocol::Code;

use crate::quantity::{Amount, Unit};
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::scene::Referent;
use crate::values::plain;

/// Where things are put: “on a 4 m plane” is a plane that is there, “a 4 m ring” one that is not.
const PLACED_ON: [&str; 6] = ["on", "onto", "over", "across", "along", "around"];
/// Words behind a measure that say which side it is.
const DIMENSIONS: [&str; 9] = [
    "wide", "long", "high", "tall", "deep", "thick", "large", "big", "square",
];
/// Share by which a size may differ from the one that is told.
const ROUNDED: f64 = 0.05;

/// A size that the prompt tells of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    /// The number with its unit, as typed.
    pub(crate) typed: String,
    /// The sides that it gives, in metres.
    sides: Vec<f64>,
    /// The object; none where the noun is one for any, “this 4 m surface”.
    object: Option<String>,
}

impl Stated {
    /// Whether these letters of the prompt are part of the size.
    pub(crate) fn says(&self, number: &str) -> bool {
        let words = self.typed.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        words
            .into_iter()
            .any(|word| word.trim_end_matches(char::is_alphabetic) == number)
    }

    /// The refusal where the object, `target` if the size names none, has another size.
    pub(crate) fn contradicts(&self, target: &str, context: &Context) -> Option<Refusal> {
        let object = context.object(self.object.as_deref().unwrap_or(target))?;
        let unit = context.units.metres_per_unit();
        let stretch = object.scale.iter().fold(0.0, |most: f64, one| most.max(one.abs()));
        let extents = object
            .shown_size()
            .into_iter()
            .chain(object.length.map(|length| length * stretch));
        let sizes: Vec<f64> = extents.map(|side| side * unit).filter(|side| *side > 1e-9).collect();
        let has = |side: &f64| sizes.iter().any(|size| (size - side).abs() <= size * ROUNDED);
        if sizes.is_empty() || self.sides.iter().all(has) {
            return None;
        }
        let [x, y, z] = object.shown_size().map(|side| plain(side * unit));
        let message = format!(
            "“{}” is said of “{}”, which measures {x} × {y} × {z} m (X × Y × Z). Leave that out, change the object first, or say what of the result has that size. Nothing was changed.",
            self.typed, object.name
        );
        Some(Refusal::new(Code::PartlyUnderstood, message))
    }
}

/// The size at this place, and the item of the noun that has it.
fn stated(reading: &Reading, at: usize, context: &Context) -> Option<(Stated, usize)> {
    let item = reading.item(at)?;
    let ItemKind::Quantity(quantity) = &item.kind else {
        return None;
    };
    let factor = match quantity.unit {
        Unit::Metres => 1.0,
        Unit::Blender => context.units.metres_per_unit(),
        _ => return None,
    };
    let sides = match &quantity.amount {
        Amount::One(side) => vec![*side],
        Amount::Sides(sides) => sides.clone(),
        Amount::Range(..) => return None,
    };
    let before = at.checked_sub(1)?;
    let definite =
        reading.item(before)?.kind == ItemKind::Word && reading.language.definite.contains(&reading.item(before)?.text);
    let placed = reading.is(before, &["a", "an"]) && before > 0 && reading.is(before - 1, &PLACED_ON);
    if !(definite || placed) {
        return None;
    }
    let describes = |at: &usize| {
        reading.is(*at, &DIMENSIONS)
            || reading
                .item(*at)
                .is_some_and(|item| item.kind == ItemKind::Word && reading.language.adjectives.contains(&item.stem))
    };
    let noun = (at + 1..at + 4).find(|at| !describes(at))?;
    let noun_item = reading.item(noun)?;
    let object = match &noun_item.kind {
        ItemKind::Mention(mention) => match &mention.referent {
            // “the 20 cm rocks” are copies of that size.
            Referent::Object { name, .. }
                if name.to_lowercase() == noun_item.text || !noun_item.text.ends_with('s') =>
            {
                Some(name.clone())
            }
            Referent::Generic(_) => None,
            _ => return None,
        },
        ItemKind::Word if reading.language.generic.contains_key(&noun_item.stem) && !noun_item.text.ends_with('s') => {
            None
        }
        _ => return None,
    };
    let stated = Stated {
        typed: item.typed.clone(),
        sides: sides.into_iter().map(|side| side * factor).collect(),
        object,
    };
    Some((stated, noun))
}

/// Takes the sizes that are only told out of the reading: “on this 4 m wide plane” is read as “on this plane”.
pub(crate) fn take(reading: &mut Reading, context: &Context) -> Vec<Stated> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < reading.items.len() {
        if let Some((found, noun)) = stated(reading, at, context) {
            if let Some(item) = reading.items.get_mut(noun)
                && let ItemKind::Mention(mention) = &mut item.kind
            {
                mention.definite = true;
            }
            reading.items.drain(at..noun);
            all.push(found);
        }
        at += 1;
    }
    all
}
