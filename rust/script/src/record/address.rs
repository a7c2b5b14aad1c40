//! Where something lies in the file, as a record names it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where something lies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Address {
    /// `"data"`, `"context"`, `{"block": Block}`, or `{"result": n}`: what entry n, from 0, returned.
    #[schemars(with = "Value")]
    pub root: Root,
    /// From there: the name of an attribute, or `{"item": key}`.
    #[schemars(with = "Vec<Value>")]
    pub path: Vec<Step>,
}

/// Where an address begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Root {
    /// `bpy.data`.
    Data,
    /// `bpy.context`.
    Context,
    /// A data-block.
    Block(Block),
    /// What an earlier entry returned.
    Result(usize),
}

/// A data-block by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The collection of `bpy.data`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The file of its library.
    pub library: Option<String>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// An attribute.
    Attribute(String),
    /// An item.
    Item {
        /// Its number or name.
        item: Key,
    },
}

/// The key of an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// A place.
    Number(i64),
    /// A name.
    Text(String),
}
