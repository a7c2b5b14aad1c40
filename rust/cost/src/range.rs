//! Interval arithmetic over numbers that may be fields: every value lies between `low` and `high`.

/// A closed interval; `low <= high`, never NaN, unbounded if unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    pub(crate) const UNKNOWN: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };

    /// One certain number.
    pub(crate) fn exactly(value: f64) -> Self {
        Self::of([value])
    }

    /// The least interval that holds these; unknown when one of them is not a number.
    pub(crate) fn of<const N: usize>(values: [f64; N]) -> Self {
        if values.iter().any(|value| value.is_nan()) {
            return Self::UNKNOWN;
        }
        values.iter().fold(
            Self {
                low: f64::INFINITY,
                high: f64::NEG_INFINITY,
            },
            |range, value| Self {
                low: range.low.min(*value),
                high: range.high.max(*value),
            },
        )
    }

    /// The number, if it is certain.
    pub(crate) fn constant(self) -> Option<f64> {
        (self.low.is_finite() && self.low.total_cmp(&self.high).is_eq()).then_some(self.low)
    }

    /// The truth value, if it is certain.
    pub(crate) fn truth(self) -> Option<bool> {
        if self.low > 0.0 || self.high < 0.0 {
            Some(true)
        } else {
            self.constant().map(|number| number > 0.0)
        }
    }

    /// The least interval that holds both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self::of([self.low, self.high, other.low, other.high])
    }

    /// The result of a function that rises or falls throughout.
    pub(crate) fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self::of([function(self.low), function(self.high)])
    }

    /// The result of a function of two numbers that rises or falls throughout in each of them.
    pub(crate) fn with(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Self::of([
            function(self.low, other.low),
            function(self.low, other.high),
            function(self.high, other.low),
            function(self.high, other.high),
        ])
    }

    /// Product; zero times what is unbounded is zero.
    pub(crate) fn times(self, other: Self) -> Self {
        self.with(other, |a, b| if a == 0.0 || b == 0.0 { 0.0 } else { a * b })
    }

    /// Quotient; unknown when the divisor may be zero, 0 when it certainly is (as Blender has it).
    pub(crate) fn over(self, other: Self) -> Self {
        if other.constant() == Some(0.0) {
            Self::exactly(0.0)
        } else if other.low <= 0.0 && other.high >= 0.0 {
            Self::UNKNOWN
        } else {
            self.with(other, |a, b| a / b)
        }
    }

    /// Distance from zero.
    pub(crate) fn abs(self) -> Self {
        if self.low <= 0.0 && self.high >= 0.0 {
            Self::of([0.0, self.high.max(-self.low)])
        } else {
            self.map(f64::abs)
        }
    }

    /// Clamped to another interval.
    pub(crate) fn within(self, limits: Self) -> Self {
        self.map(|number| number.max(limits.low).min(limits.high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: f64, high: f64) -> Range {
        Range { low, high }
    }

    #[test]
    fn arithmetic_on_ranges_contains_every_result() {
        assert_eq!(range(-2.0, 3.0).times(range(-5.0, 1.0)), range(-15.0, 10.0));
        assert_eq!(range(0.0, 0.0).times(Range::UNKNOWN), range(0.0, 0.0));
        assert_eq!(range(4.0, 8.0).over(range(2.0, 4.0)), range(1.0, 4.0));
        assert_eq!(range(4.0, 8.0).over(range(-1.0, 4.0)), Range::UNKNOWN);
        assert_eq!(range(1.0, 1.0).over(range(0.0, 0.0)), range(0.0, 0.0));
        assert_eq!(range(-3.0, 2.0).abs(), range(0.0, 3.0));
        assert_eq!(range(-9.0, 9.0).within(range(0.0, 1.0)), range(0.0, 1.0));
    }

    #[test]
    fn a_range_that_is_not_a_number_is_unknown() {
        assert_eq!(Range::exactly(f64::NAN), Range::UNKNOWN);
        assert_eq!(Range::UNKNOWN.with(Range::UNKNOWN, |a, b| a - b), Range::UNKNOWN);
        assert_eq!(Range::UNKNOWN.constant(), None);
        assert_eq!(Range::exactly(f64::INFINITY).constant(), None);
    }

    #[test]
    fn comparisons_are_known_only_if_they_are_certain() {
        assert_eq!(range(0.0, 0.0).truth(), Some(false));
        assert_eq!(range(1.0, 2.0).truth(), Some(true));
        assert_eq!(range(0.0, 1.0).truth(), None);
    }
}
