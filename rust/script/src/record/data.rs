//! Values in a record.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::address::{Address, Key};

/// Plain data as JSON has it, or one of the special forms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Data {
    /// `None`.
    Null(()),
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Data>),
    /// What JSON does not have.
    Special(Box<Special>),
}

/// What JSON does not have, as an object with one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Special {
    /// Something in the file.
    Of(Address),
    /// A tuple.
    Tuple(Vec<Data>),
    /// A set of texts or numbers.
    Set(Vec<Key>),
    /// Pairs of key and value.
    Dict(Vec<(Key, Data)>),
    /// `mathutils.Vector`.
    Vector(Vec<Data>),
    /// `mathutils.Color`.
    Color(Vec<Data>),
    /// `mathutils.Quaternion`.
    Quaternion(Vec<Data>),
    /// `mathutils.Euler`: three angles, then the order.
    Euler(Data, Data, Data, String),
    /// `mathutils.Matrix`, by rows.
    Matrix(Vec<Vec<Data>>),
    /// `slice(start, stop, step)`.
    Slice(Option<i64>, Option<i64>, Option<i64>),
    /// `inf`, `-inf` or `nan`.
    Number(String),
}
