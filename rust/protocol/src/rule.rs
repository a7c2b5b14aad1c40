//! What holds for the fields of an operation and cannot be said in a schema.

/// A rule of an operation; `check` carries it out on the operation as JSON, whatever else is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The field gives a new node its ID: a reserved one only to the node that it is reserved for.
    NewId(&'static str),
    /// `min` is not above `max`.
    MinBelowMax,
}
