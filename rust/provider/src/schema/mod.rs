//! JSON Schemas in the subset that a provider's constrained output supports.
//!
//! Each provider publishes its own subset ([`Subset`]); a schema outside of it is refused, or worse, silently ignored.
//! [`lint`] says what of a schema lies outside, [`adapt`] brings it inside, [`restore`] brings a reply back into the form of the
//! original schema. What is lost by adapting (bounds, mostly) only widens what the model may say: the caller validates
//! every reply against the original in any case.
//!
//! The subset of a provider stands in its dialect.

mod adapt;
mod lint;
mod restore;

pub use adapt::{Shape, adapt};
pub use lint::{Issue, conforms, lint};
pub use restore::restore;

/// The subset of a provider's constrained output. For all of them, the root of a schema must be an object, not a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subset {
    /// Name of the provider's mode.
    pub name: &'static str,
    /// Allowed keywords.
    pub keywords: &'static [&'static str],
    /// Every object says `additionalProperties: false`.
    pub closed: bool,
    /// Every property is required.
    pub all_required: bool,
    /// Whether references may be recursive.
    pub recursion: bool,
    /// Most properties that are not required, over the whole schema, those of a definition wherever it is used.
    pub max_optional: usize,
    /// Most unions, `anyOf` and lists of types, over the whole schema, those of a definition wherever it is used.
    pub max_unions: usize,
    /// Most properties.
    pub max_properties: usize,
    /// Deepest nesting of objects.
    pub max_depth: usize,
    /// Most values of all `enum`s together.
    pub max_values: usize,
    /// Most characters of all names and values together.
    pub max_chars: usize,
}

/// Keywords whose value is one schema.
const ONE: [&str; 2] = ["items", "additionalProperties"];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 3] = ["anyOf", "oneOf", "prefixItems"];
/// Keywords whose value names schemas.
const NAMED: [&str; 2] = ["properties", "$defs"];
