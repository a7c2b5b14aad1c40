//! JSON Schemas in the subset that a provider's constrained output supports.
//!
//! Each provider publishes its own subset ([`Subset`]); a schema outside of it is refused, or worse, silently ignored.
//! [`lint`] says what of a schema lies outside, [`lower`] brings it inside, [`lift`] brings a reply back into the form of the
//! original schema. What is lost on the way down (bounds, mostly) only widens what the model may say: the caller validates
//! every reply against the original in any case.
//!
//! The published limits are those that the vendors' documents and client libraries state (2026-11).

mod lift;
mod lint;
mod lower;

pub use lift::lift;
pub use lint::{Issue, conforms, lint};
pub use lower::{Shape, lower};

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

/// Strict mode of OpenAI's Responses and Chat Completions.
pub const OPENAI: Subset = Subset {
    name: "OpenAI's strict mode",
    keywords: &[
        "type",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "pattern",
    ],
    closed: true,
    all_required: true,
    recursion: true,
    max_optional: 0,
    max_unions: usize::MAX,
    max_properties: 5_000,
    max_depth: 10,
    max_values: 1_000,
    max_chars: 120_000,
};

/// Anthropic's `output_config.format`.
pub const ANTHROPIC: Subset = Subset {
    name: "Anthropic's structured output",
    keywords: &[
        "type",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
    ],
    closed: true,
    all_required: false,
    recursion: false,
    max_optional: 24,
    max_unions: 16,
    max_properties: usize::MAX,
    max_depth: usize::MAX,
    max_values: usize::MAX,
    max_chars: usize::MAX,
};

/// Gemini's `responseJsonSchema`.
pub const GEMINI: Subset = Subset {
    name: "Gemini's structured output",
    keywords: &[
        "type",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "prefixItems",
        "enum",
        "anyOf",
        "oneOf",
        "$ref",
        "$defs",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
    ],
    closed: false,
    all_required: false,
    recursion: false,
    max_optional: usize::MAX,
    max_unions: usize::MAX,
    max_properties: usize::MAX,
    max_depth: usize::MAX,
    max_values: usize::MAX,
    max_chars: usize::MAX,
};

/// Keywords whose value is one schema.
const ONE: [&str; 2] = ["items", "additionalProperties"];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 3] = ["anyOf", "oneOf", "prefixItems"];
/// Keywords whose value names schemas.
const NAMED: [&str; 2] = ["properties", "$defs"];
