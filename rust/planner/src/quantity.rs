//! Numbers, units and ranges in words: “200”, “half a metre”, “50–60 cm”, “between 0.5 and 1.5”, “5 by 4”, “twice”.

use crate::language::{Dimension, Language};
use crate::numerals::Reader;
use crate::tokens::{Kind, Token};

/// The unit of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// No unit.
    Bare,
    /// Metres.
    Metres,
    /// Blender units, whatever the scene's scale.
    Blender,
    /// Radians.
    Radians,
    /// A fraction of one, given in percent.
    Percent,
    /// “twice”, “3 times”.
    Times,
}

impl From<Dimension> for Unit {
    fn from(dimension: Dimension) -> Self {
        match dimension {
            Dimension::Length => Self::Metres,
            Dimension::Unit => Self::Blender,
            Dimension::Angle => Self::Radians,
            Dimension::Percent => Self::Percent,
        }
    }
}

/// The value or values of a quantity, in the base unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Amount {
    /// One value.
    One(f64),
    /// From a lower to a higher value.
    Range(f64, f64),
    /// “5 by 4” or “3x3x3”.
    Sides(Vec<f64>),
}

/// A quantity and its tokens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantity {
    /// First token.
    pub(crate) start: usize,
    /// One past the last token.
    pub(crate) end: usize,
    /// Value or values.
    pub(crate) amount: Amount,
    /// Unit.
    pub(crate) unit: Unit,
}

/// Words that say of a length that it is the size of something.
const SIZES: [&str; 8] = ["high", "tall", "wide", "long", "deep", "thick", "broad", "across"];
/// Words that say of the length behind them that it lies between things, so that it is no part of their size: “every 2 m 90 cm high” are two lengths.
const SPACING: [&str; 12] = [
    "every",
    "each",
    "per",
    "spaced",
    "spacing",
    "gap",
    "gaps",
    "distance",
    "interval",
    "intervals",
    "radius",
    "apart",
];

impl Reader<'_> {
    /// The unit at this token. “in” counts as inches only where it cannot be the preposition.
    pub(crate) fn unit(&self, at: usize) -> Option<(Unit, f64)> {
        let word = self.word(at)?;
        if word == "in" {
            let glued = self.tokens.get(at).is_some_and(|t| t.glued);
            let inch = glued
                || self.tokens.get(at + 1).is_none_or(|t| matches!(t.kind, Kind::Break(_)))
                || self.is(
                    at + 1,
                    &[
                        "apart",
                        "thick",
                        "wide",
                        "long",
                        "tall",
                        "high",
                        "deep",
                        "spacing",
                        "gaps",
                        "intervals",
                    ],
                );
            return inch.then_some((Unit::Metres, 0.0254));
        }
        let (dimension, factor) = self.language.units.get(word)?;
        Some(((*dimension).into(), *factor))
    }

    fn sign(&self, at: usize) -> (f64, usize) {
        let next_glued = self
            .tokens
            .get(at + 1)
            .is_some_and(|t| t.glued && matches!(t.kind, Kind::Number(_)));
        let free = at == 0 || !self.tokens.get(at).is_some_and(|t| t.glued);
        if self.is_break(at, '-') && next_glued && free || self.is(at, &["minus", "negative"]) {
            (-1.0, at + 1)
        } else if self.is_break(at, '+') && next_glued {
            (1.0, at + 1)
        } else {
            (1.0, at)
        }
    }

    /// Whether words before the number say that it is a distance: “every 2 m”, “with a spacing of 2 m”.
    fn spaces(&self, at: usize) -> bool {
        let of = |at: usize| {
            at.checked_sub(1)
                .filter(|before| self.is(*before, &["of", "about", "is"]))
        };
        let before = of(at).unwrap_or(at).checked_sub(1);
        before.is_some_and(|before| self.is(before, &SPACING))
    }

    /// A number with its unit: (value in the base unit, unit, end).
    fn measured(&self, start: usize) -> Option<(f64, Unit, usize)> {
        let (sign, at) = self.sign(start);
        // “a metre”, “one turn”, “a full turn”.
        if self.is(at, &["a", "an", "one", "every", "each", "per"]) || self.is(at, &["full"]) {
            let skip = usize::from(self.is(at + 1, &["full", "whole"])) + 1;
            if let Some((unit, factor)) = self.unit(at + skip).filter(|(unit, _)| !matches!(unit, Unit::Percent))
                && !self.is(at, &["per"])
                && !self.is(at + skip, &["in"])
            {
                let start_over = !self.is(at, &["every", "each"]);
                let end = at + skip + 1;
                let half = self.is(end, &["and"]) && self.is(end + 1, &["a"]) && self.is(end + 2, &["half"]);
                let (times, end) = if half && self.unit(end + 3).is_none() {
                    (1.5, end + 3)
                } else {
                    (1.0, end)
                };
                return start_over.then_some((sign * times * factor, unit, end));
            }
        }
        let mut read = self.number(at)?;
        // “5-metre gaps”: the hyphen only joins.
        let joined = |at: usize| self.tokens.get(at).is_some_and(|token| token.glued);
        if self.is_break(read.end, '-') && joined(read.end) && joined(read.end + 1) && self.unit(read.end + 1).is_some()
        {
            read.end += 1;
        }
        // “two full turns”.
        if self.is(read.end, &["full", "whole", "complete"])
            && matches!(self.unit(read.end + 1), Some((Unit::Radians, _)))
        {
            read.end += 1;
        }
        // “5 m 20 cm”, “5 feet 6 inches” add up.
        let Some((unit, factor)) = self.unit(read.end) else {
            return Some((sign * read.value, Unit::Bare, read.end));
        };
        let mut value = read.value * factor;
        let mut end = read.end + 1;
        if unit == Unit::Metres {
            // “a metre and a half”.
            if self.is(end, &["and"])
                && self.is(end + 1, &["a"])
                && self.is(end + 2, &["half"])
                && self.unit(end + 3).is_none()
            {
                return Some((sign * (value + 0.5 * factor), unit, end + 3));
            }
            if let Some(Kind::Number(more)) = self.tokens.get(end).map(|t| t.kind.clone())
                && let Some((Unit::Metres, smaller)) = self.unit(end + 1).filter(|(_, f)| *f < factor)
                && !self.is(end + 1, &["in"])
                && !(self.is(end + 2, &SIZES) && self.spaces(at))
            {
                value += more * smaller;
                end += 2;
            }
        }
        Some((sign * value, unit, end))
    }

    /// Gives the left value the unit that is only given on the right.
    fn alike(left: (f64, Unit, usize), right: (f64, Unit, usize), factor: f64) -> Option<(f64, f64, Unit)> {
        match (left.1, right.1) {
            (a, b) if a == b => Some((left.0, right.0, a)),
            (Unit::Bare, unit) => Some((left.0 * factor, right.0, unit)),
            _ => None,
        }
    }

    fn factor_before(&self, end: usize) -> f64 {
        end.checked_sub(1)
            .and_then(|at| self.unit(at))
            .map_or(1.0, |(_, factor)| factor)
    }

    fn range(&self, start: usize, left: (f64, Unit, usize)) -> Option<Quantity> {
        // “between frame 1 and 40”
        let noun = usize::from(start > 1 && self.is(start - 1, &["frame", "frames"]));
        let between = start > noun && self.is(start - 1 - noun, &["between"]);
        let at = left.2;
        let joined = self.is(at, &["to", "through", "till", "until"])
            || self.is_break(at, '-')
            || (self.is_break(at, '.') && self.is_break(at + 1, '.'))
            || (between && self.is(at, &["and"]));
        if !joined {
            return None;
        }
        let mut next = at + 1;
        while self.is_break(next, '.') || self.is_break(next, '-') && self.tokens.get(next).is_none_or(|t| t.glued) {
            next += 1;
        }
        let right = self.measured(next)?;
        let (low, high, unit) = Self::alike(left, right, self.factor_before(right.2))?;
        Some(Quantity {
            start,
            end: right.2,
            amount: Amount::Range(low.min(high), low.max(high)),
            unit,
        })
    }

    fn sides(&self, start: usize, left: (f64, Unit, usize)) -> Option<Quantity> {
        let mut sides = vec![left.0];
        let (mut unit, mut end) = (left.1, left.2);
        let joined = |at: usize| self.is_break(at, '-') && self.tokens.get(at).is_some_and(|token| token.glued);
        while sides.len() < 3 {
            // “6-by-6”.
            let by = end + usize::from(joined(end));
            if !(self.is(by, &["x", "by", "times"]) || self.is_break(by, '*')) {
                break;
            }
            let next = by + 1 + usize::from(joined(by + 1));
            let Some(right) = self.measured(next) else { break };
            // “5 times 3 m apart” is a count and a length, “10 by 8 m” an area; “5 times 3 times” are two counts.
            if self.is(end, &["times"]) && (right.1 != unit || self.is(right.2, &["times"])) {
                break;
            }
            let factor = self.factor_before(right.2);
            let (_, value, both) = Self::alike((left.0, unit, end), right, factor)?;
            if both != unit {
                for side in &mut sides {
                    *side *= factor;
                }
            }
            sides.push(value);
            unit = both;
            end = right.2;
        }
        (sides.len() > 1).then_some(Quantity {
            start,
            end,
            amount: Amount::Sides(sides),
            unit,
        })
    }

    /// “one in five”, “1 out of 10”: a share.
    fn one_of(&self, start: usize, (value, unit, end): (f64, Unit, usize)) -> Option<Quantity> {
        let of = end + usize::from(self.is(end, &["out"]));
        let joined = self.is(of, &["in"]) || of > end && self.is(of, &["of"]);
        let all = self
            .number(of + 1)
            .filter(|all| joined && unit == Unit::Bare && (value - 1.0).abs() < 1e-9 && all.value > 1.0)?;
        let measures = self.unit(all.end).is_some()
            || self.is(all.end, &["rows", "columns", "lines", "layers", "circles", "rings"]);
        (!measures).then_some(Quantity {
            start,
            end: all.end,
            amount: Amount::One(1.0 / all.value),
            unit: Unit::Percent,
        })
    }

    /// Number words that are not counts: “each one”, “the middle one”, “one on top of another”, “two-dimensional”.
    fn names_nothing(&self, at: usize) -> bool {
        if self.is(at + 1, &["dimensional", "dimension", "dimensions"]) {
            return true;
        }
        if !self.is(at, &["one"]) || self.unit(at + 1).is_some() {
            return false;
        }
        let before = at.checked_sub(1).and_then(|i| self.word(i));
        let pointed = before.is_some_and(|word| self.language.pointers.contains(word));
        let follows = self.is(
            at + 1,
            &[
                "every", "each", "per", "above", "behind", "after", "beside", "below", "atop", "next",
            ],
        ) || self.is(at + 1, &["on"]) && self.is(at + 2, &["top"]);
        // “one post every 2 m” is a rate.
        let rate = (at + 2..at + 4).any(|i| self.is(i, &["every", "per"]));
        pointed || follows || rate
    }

    fn quantity(&self, start: usize) -> Option<Quantity> {
        if let Some(count) = self.word(start).and_then(|w| self.language.times.get(w)) {
            return Some(Quantity {
                start,
                end: start + 1,
                amount: Amount::One(*count),
                unit: Unit::Times,
            });
        }
        if self.names_nothing(start) {
            return None;
        }
        // “x10”, “cube x 8” count; “5x4” was read from its first number.
        let apart = start
            .checked_sub(1)
            .and_then(|i| self.word(i))
            .is_some_and(|word| !self.language.prepositions.contains(word) && !self.language.is_determiner(word));
        if self.is(start, &["x"])
            && (apart || self.tokens.get(start + 1).is_some_and(|t| t.glued))
            && let Some(read) = self.number(start + 1)
            && self.unit(read.end).is_none()
            && !self.is(read.end, &["times"])
        {
            return Some(Quantity {
                start,
                end: read.end,
                amount: Amount::One(read.value),
                unit: Unit::Times,
            });
        }
        // “every metre”.
        if start > 0
            && self.is(start - 1, &["every", "each"])
            && let Some((Unit::Metres, factor)) = self.unit(start).filter(|_| !self.is(start, &["in"]))
        {
            return Some(Quantity {
                start,
                end: start + 1,
                amount: Amount::One(factor),
                unit: Unit::Metres,
            });
        }
        let left = self.measured(start)?;
        if let Some(found) = self.range(start, left).or_else(|| self.sides(start, left)) {
            return Some(found);
        }
        let (value, unit, end) = left;
        if let Some(share) = self.one_of(start, left) {
            return Some(share);
        }
        // “3x”, “10 x along y”: times, where no second side follows.
        let glued_x = self.is(end, &["x"])
            && (self.tokens.get(end).is_some_and(|t| t.glued)
                || self
                    .word(end + 1)
                    .is_none_or(|next| self.language.prepositions.contains(next)));
        if unit == Unit::Bare && (self.is(end, &["times"]) || glued_x) {
            return Some(Quantity {
                start,
                end: end + 1,
                amount: Amount::One(value),
                unit: Unit::Times,
            });
        }
        Some(Quantity {
            start,
            end,
            amount: Amount::One(value),
            unit,
        })
    }
}

/// Every quantity of the prompt, in order; tokens in `taken` (names) are skipped.
pub(crate) fn quantities(tokens: &[Token], language: &Language, taken: &[bool]) -> Vec<Quantity> {
    let reader = Reader { tokens, language };
    let free = |range: std::ops::Range<usize>| taken.get(range).is_none_or(|t| !t.iter().any(|taken| *taken));
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match reader.quantity(at).filter(|q| free(q.start..q.end)) {
            Some(quantity) => {
                at = quantity.end.max(at + 1);
                found.push(quantity);
            }
            None => at += 1,
        }
    }
    found
}
