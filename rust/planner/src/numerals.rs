//! Numbers in digits and words: “200”, “two hundred and fifty”, “half a”, “1/2”, “two and a half”.

use crate::language::Language;
use crate::tokens::{Kind, Token};

/// Reads numbers from tokens.
pub(crate) struct Reader<'a> {
    pub(crate) tokens: &'a [Token],
    pub(crate) language: &'a Language,
}

/// A number that was read: value, one past its last token, and whether it was a fraction such as “half”.
#[derive(Clone, Copy)]
pub(crate) struct Read {
    pub(crate) value: f64,
    pub(crate) end: usize,
    pub(crate) fraction: bool,
}

impl Reader<'_> {
    pub(crate) fn word(&self, at: usize) -> Option<&str> {
        self.tokens
            .get(at)
            .filter(|t| t.kind == Kind::Word)
            .map(|t| t.text.as_str())
    }

    pub(crate) fn is(&self, at: usize, words: &[&str]) -> bool {
        self.word(at).is_some_and(|word| words.contains(&word))
    }

    pub(crate) fn is_break(&self, at: usize, mark: char) -> bool {
        matches!(self.tokens.get(at), Some(Token { kind: Kind::Break(c), .. }) if *c == mark)
    }

    pub(crate) fn multiplier(&self, at: usize) -> Option<f64> {
        self.language.multipliers.get(self.word(at)?).copied()
    }

    /// “of”, “a” and “an” between a fraction and its unit.
    fn skip_article(&self, at: usize) -> usize {
        let at = if self.is(at, &["of"]) { at + 1 } else { at };
        if self.is(at, &["a", "an"]) { at + 1 } else { at }
    }

    /// Number words: “two hundred and fifty”, “twenty-five”, “three thousand”.
    pub(crate) fn spelled(&self, start: usize) -> Option<Read> {
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
    pub(crate) fn number(&self, start: usize) -> Option<Read> {
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
}
