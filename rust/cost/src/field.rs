//! Fields: what it takes to evaluate one for an element.
//!
//! A node that works on fields does nothing itself. Each node that uses the field evaluates all that leads to it, every node of it once.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// Maximum depth of nested fields; deeper ones are summed up as one.
const DEEPEST: u32 = 200;

/// A field with everything that leads to it.
pub(crate) struct Field {
    /// Seconds for one element, without what leads to it.
    own: f64,
    from: Vec<Arc<Field>>,
    depth: u32,
    /// Whether it tells elements apart by their number, or by chance, alone.
    by_number: bool,
    total: OnceLock<f64>,
}

impl Field {
    /// A field that takes `own` seconds for each element and is made from others.
    pub(crate) fn new(own: f64, from: Vec<Arc<Self>>) -> Self {
        let depth = 1 + from.iter().map(|field| field.depth).max().unwrap_or(0);
        let field = Self {
            own,
            from,
            depth,
            by_number: false,
            total: OnceLock::new(),
        };
        if depth > DEEPEST {
            Self::new(field.seconds(), Vec::new())
        } else {
            field
        }
    }

    /// The same, telling elements apart by their number or by chance alone.
    #[must_use]
    pub(crate) fn by_number(self) -> Self {
        Self {
            by_number: true,
            ..self
        }
    }

    /// Whether it tells elements apart by their number, or by chance, alone: nothing in it knows where they are or what they are part of.
    pub(crate) fn is_by_number(&self) -> bool {
        self.by_number
    }

    /// Seconds for one element; what is used twice counts once.
    pub(crate) fn seconds(&self) -> f64 {
        *self.total.get_or_init(|| {
            let mut seen: HashSet<*const Self> = HashSet::new();
            let mut todo: Vec<&Arc<Self>> = self.from.iter().collect();
            let mut sum = self.own;
            while let Some(field) = todo.pop() {
                if seen.insert(Arc::as_ptr(field)) {
                    sum += field.own;
                    todo.extend(&field.from);
                }
            }
            sum
        })
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.seconds().total_cmp(&other.seconds()).is_eq()
    }
}

impl std::fmt::Debug for Field {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:e}", self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_that_is_used_twice_is_evaluated_once() {
        let mut field = Arc::new(Field::new(1.0, Vec::new()));
        for _ in 0..50 {
            field = Arc::new(Field::new(1.0, vec![Arc::clone(&field), Arc::clone(&field)]));
        }
        assert!((field.seconds() - 51.0).abs() < 1e-9);
        for _ in 0..100_000 {
            field = Arc::new(Field::new(1.0, vec![field]));
        }
        assert!((field.seconds() - 100_051.0).abs() < 1e-3);
    }
}
