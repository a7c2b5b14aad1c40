//! Numbers, units and ranges in words: “200”, “half a metre”, “50–60 cm”, “between 0.5 and 1.5”, “5 by 4”, “twice”.

use crate::language::{Dimension, Language};
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

struct Reader<'a> {
    tokens: &'a [Token],
    language: &'a Language,
}

/// A number that was read: value, one past its last token, and whether it was a fraction such as “half”.
#[derive(Clone, Copy)]
struct Read {
    value: f64,
    end: usize,
    fraction: bool,
}

impl Reader<'_> {
    fn word(&self, at: usize) -> Option<&str> {
        self.tokens
            .get(at)
            .filter(|t| t.kind == Kind::Word)
            .map(|t| t.text.as_str())
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        self.word(at).is_some_and(|word| words.contains(&word))
    }

    fn is_break(&self, at: usize, mark: char) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Break(c), .. }) if *c == mark)
    }

    fn multiplier(&self, at: usize) -> Option<f64> {
        self.language.multipliers.get(self.word(at)?).copied()
    }

    /// “of”, “a” and “an” between a fraction and its unit.
    fn skip_article(&self, at: usize) -> usize {
        let at = if self.is(at, &["of"]) { at + 1 } else { at };
        if self.is(at, &["a", "an"]) { at + 1 } else { at }
    }

    /// Number words: “two hundred and fifty”, “twenty-five”, “three thousand”.
    fn spelled(&self, start: usize) -> Option<Read> {
        let mut at = start;
        let (mut total, mut group, mut seen) = (0.0, 0.0, false);
        let mut last = f64::INFINITY;
        while at < start + 12 {
            let Some(word) = self.word(at) else { break };
            if let Some(value) = self.language.numbers.get(word) {
                let fits = !seen || *value < last && (last >= 20.0);
                if !fits {
                    break;
                }
                group += value;
                last = if *value >= 20.0 { *value } else { 1.0 };
                seen = true;
                at += 1;
            } else if let Some(factor) = self.language.multipliers.get(word).filter(|_| seen) {
                group *= factor;
                if *factor >= 1000.0 {
                    total += group;
                    group = 0.0;
                }
                last = *factor;
                at += 1;
            } else if word == "and" && seen && last >= 100.0 && self.small_number(at + 1) {
                at += 1;
            } else {
                break;
            }
        }
        seen.then_some(Read {
            value: total + group,
            end: at,
            fraction: false,
        })
    }

    fn small_number(&self, at: usize) -> bool {
        self.word(at)
            .is_some_and(|word| self.language.numbers.contains_key(word))
            && !self
                .word(at + 1)
                .is_some_and(|word| self.language.units.contains_key(word))
    }

    /// One number without its unit.
    fn number(&self, start: usize) -> Option<Read> {
        let token = self.tokens.get(start)?;
        if let Kind::Number(mut value) = token.kind {
            let mut end = start + 1;
            // “1/2” and “1 1/2”.
            if let (true, Some(Kind::Number(below))) = (
                self.is_break(end, '/'),
                self.tokens.get(end + 1).map(|t| t.kind.clone()),
            ) && below > 0.0
            {
                return Some(Read {
                    value: value / below,
                    end: end + 2,
                    fraction: true,
                });
            }
            while let Some(factor) = self.multiplier(end) {
                value *= factor;
                end += 1;
            }
            return Some(Read {
                value,
                end,
                fraction: false,
            });
        }
        let word = self.word(start)?;
        if self.is(start, &["a", "an"]) {
            let factor = self.multiplier(start + 1);
            if let Some(factor) = factor {
                let rest = self.is(start + 2, &["and"]).then(|| self.spelled(start + 3)).flatten();
                let (more, end) = rest.map_or((0.0, start + 2), |r| (r.value, r.end));
                return Some(Read {
                    value: factor + more,
                    end,
                    fraction: false,
                });
            }
            if let Some(count) = self.word(start + 1).and_then(|w| self.language.couples.get(w)) {
                let end = if self.is(start + 2, &["of"]) {
                    start + 3
                } else {
                    start + 2
                };
                let (factor, end) = self.multiplier(end).map_or((1.0, end), |factor| (factor, end + 1));
                return Some(Read {
                    value: *count * factor,
                    end,
                    fraction: false,
                });
            }
            return self
                .fraction(start + 1, 1.0)
                .filter(|_| !self.is(start + 2, &["circle", "ring"]));
        }
        if self.language.vague.contains(word)
            && let Some(count) = self.language.couples.get(word)
        {
            let end = if self.is(start + 1, &["of"]) {
                start + 2
            } else {
                start + 1
            };
            let (factor, end) = self.multiplier(end).map_or((1.0, end), |factor| (factor, end + 1));
            return Some(Read {
                value: count * factor,
                end,
                fraction: false,
            });
        }
        if let Some(read) = self
            .fraction(start, 1.0)
            .filter(|_| !self.is(start + 1, &["circle", "ring"]))
        {
            return Some(read);
        }
        let mut read = self.spelled(start)?;
        if read.end == start + 1 {
            if let Some(parts) = self
                .fraction(read.end, read.value)
                .filter(|r| r.fraction && !self.is(start + 1, &["half"]))
            {
                return Some(parts);
            }
            // “one point five”, “two and a half”.
            if self.is(read.end, &["point"])
                && let Some(digits) = self.spelled(read.end + 1).filter(|d| d.value < 10.0)
            {
                return Some(Read {
                    value: read.value + digits.value / 10.0,
                    end: digits.end,
                    fraction: false,
                });
            }
        }
        if self.is(read.end, &["and"])
            && self.is(read.end + 1, &["a", "an", "one"])
            && let Some(part) = self.fraction(read.end + 2, 1.0)
        {
            read.value += part.value;
            read.end = part.end;
        }
        Some(read)
    }

    fn fraction(&self, at: usize, count: f64) -> Option<Read> {
        // “between half and full size”: all of it.
        if self.is(at, &["full", "original", "normal"])
            && self.is(at + 1, &["size", "sizes", "scale", "height", "length", "width"])
        {
            return Some(Read {
                value: count,
                end: at + 1,
                fraction: true,
            });
        }
        let value = self.language.fractions.get(self.word(at)?)?;
        // “the left half of the plane” is a place.
        let sides = [
            "left", "right", "upper", "lower", "top", "bottom", "front", "back", "rear", "hand", "other",
        ];
        if at > 0 && self.is(at - 1, &sides) {
            return None;
        }
        let next = self.skip_article(at + 1);
        // “half a dozen”, “half a metre”, “half a turn”.
        if let Some(factor) = self.multiplier(next) {
            return Some(Read {
                value: value * factor,
                end: next + 1,
                fraction: false,
            });
        }
        let end = if self.unit(next).is_some() { next } else { at + 1 };
        Some(Read {
            value: count * value,
            end,
            fraction: true,
        })
    }

    /// The unit at this token. “in” counts as inches only where it cannot be the preposition.
    fn unit(&self, at: usize) -> Option<(Unit, f64)> {
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
        let between = start > 0 && self.is(start - 1, &["between"]);
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
