//! The one contract between a model and Blender: plans, operations, findings, limits and error codes.
//!
//! The types here are the source of the wire format: the JSON Schemas in `schemas/` are generated from them and the same
//! schemas judge every plan that [`parse_plan`] reads. This crate knows nothing about Blender, providers or trees.

mod arriving;
mod check;
mod codes;
mod collect;
mod envelope;
mod explain;
mod extension;
mod finding;
mod foreign;
mod gn_ops;
mod json;
mod json_schema;
mod limits;
pub mod manifest;
mod node_tree;
mod object_schemas;
mod parse;
mod plan;
mod pointer;
mod published;
mod recover;
mod rule;
mod schema;
mod shapes;
mod streamed_ops;
mod tokens;
mod understanding;
mod value;

pub use arriving::{Arriving, ArrivingStep};
pub use check::too_many_operations;
pub use codes::{ALIASES, Code, UnknownCode};
pub use envelope::{Envelope, GateFinding};
pub use extension::{Expand, ExtensionError, Extensions, Origins};
pub use finding::{Advice, Change, Finding, Hint, Severity};
pub use foreign::{block, inert};
pub use gn_ops::*;
pub use json_schema::CompiledSchema;
pub use limits::{LISTED_FINDINGS, Limits, SCRIPT_ITEMS, SCRIPT_MS};
pub use manifest::{Manifest, parse_manifest};
pub use node_tree::*;
pub use parse::{Parsed, parse_plan, parse_plan_value, parse_plan_value_with, parse_plan_with};
pub use plan::{
    Action, ActionKind, AddedStep, Component, ContextRequest, ContextSlice, Expectation, Extent, Measure, Meta, Plan,
    PythonMode, PythonScript, Step, Version,
};
pub use published::{schema, schemas};
pub use shapes::*;
pub use tokens::{bytes_of, fewest_tokens_of, tokens_of};
pub use understanding::{Understanding, UnderstoodParameter};
pub use value::{DATA_BLOCK_KEYS, DataBlock, data_block};
