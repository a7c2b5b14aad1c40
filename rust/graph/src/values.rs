//! Values that a socket or property accepts, and the certain repairs of values in a plan.

use serde_json::{Map as Object, Value};

use crate::catalogue::{Property, Socket, fold};
use crate::documents::Document;
use crate::near::nearest;
use crate::renames;

/// What a socket or property accepts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Want<'a> {
    /// Kind of value.
    pub(crate) kind: Kind<'a>,
    /// Minimum.
    pub(crate) min: Option<f64>,
    /// Greatest number.
    pub(crate) max: Option<f64>,
}

/// Kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind<'a> {
    /// A real number.
    Float,
    /// A whole number.
    Int,
    /// True or false.
    Bool,
    /// Text.
    String,
    /// An array of this many numbers.
    Vector(usize),
    /// Red, green, blue, alpha.
    Color,
    /// One of these (identifier, label); empty when unknown here.
    Enum(Vec<(&'a str, &'a str)>),
    /// Several of these at once.
    Flags(Vec<(&'a str, &'a str)>),
    /// A data-block of this kind, or nothing.
    Data(String),
    /// No value can be set.
    Nothing,
}

/// Why a value does not fit. The texts are written for artists and models alike.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ValueError {
    /// Another kind of value is needed.
    #[error("{expected} is expected here, not {got}")]
    WrongType {
        /// The kind that is accepted.
        expected: String,
        /// The value from the plan.
        got: String,
    },
    /// Outside the limits.
    #[error("{value} is outside the range {range}")]
    OutOfRange {
        /// The value from the plan.
        value: String,
        /// The limits in words.
        range: String,
        /// The value within them that is nearest; none for one of several numbers.
        nearest: Option<Value>,
    },
    /// No such item.
    #[error("“{got}” is not one of the items: {items}")]
    UnknownItem {
        /// The value from the plan.
        got: String,
        /// The valid ones.
        items: String,
        /// The nearest valid one.
        near: Option<String>,
    },
    /// There is no data-block with that name.
    #[error("there is no {kind} named “{name}” in the file")]
    UnknownDataBlock {
        /// Kind of data-block.
        kind: String,
        /// The value from the plan.
        name: String,
        /// The nearest name.
        near: Option<String>,
    },
    /// The socket carries data that cannot be typed in.
    #[error("this socket has no value of its own; it can only be linked")]
    NoValue,
}

/// A valid value, and the repair in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    /// The value to set.
    pub(crate) value: Value,
    /// The repair.
    pub(crate) repair: Option<String>,
}

impl<'a> Want<'a> {
    /// What a socket accepts.
    pub(crate) fn socket(socket: &'a Socket) -> Self {
        let kind = match socket.kind.as_str() {
            "NodeSocketMenu" => Kind::Enum(menu_items(&socket.items)),
            other => socket_kind(other, socket.default.as_ref()),
        };
        // A socket's range is that of its slider: Blender stores what is beyond it.
        let min = counts(socket).then_some(0.0);
        Self { kind, min, max: None }
    }

    /// What an interface socket of this type accepts as its default.
    pub(crate) fn socket_type(name: &str) -> Want<'static> {
        let kind = if name == "NodeSocketMenu" {
            Kind::Enum(Vec::new())
        } else {
            socket_kind(name, None)
        };
        Want {
            kind,
            min: None,
            max: None,
        }
    }

    /// What an interface socket accepts as its default; `dimensions` is how many numbers a vector has, where that is said.
    pub(crate) fn interface(socket_type: &str, dimensions: Option<&Value>) -> Want<'static> {
        let mut want = Self::socket_type(socket_type);
        let size = dimensions
            .and_then(Value::as_u64)
            .and_then(|size| usize::try_from(size).ok());
        if let (Kind::Vector(_), "NodeSocketVector", Some(size)) = (&want.kind, socket_type, size) {
            want.kind = Kind::Vector(size);
        }
        want
    }

    /// What a node property accepts.
    pub(crate) fn property(property: &'a Property) -> Self {
        let items = || {
            property
                .items
                .iter()
                .map(|(id, label)| (id.as_str(), label.as_str()))
                .collect()
        };
        let kind = match property.kind.as_str() {
            "enum" if property.flags => Kind::Flags(items()),
            "enum" => Kind::Enum(items()),
            "bool" => Kind::Bool,
            "int" => Kind::Int,
            "float" => Kind::Float,
            "string" => Kind::String,
            "vector" => Kind::Vector(property.size.unwrap_or(3)),
            "color" => Kind::Color,
            "pointer" => property.to.clone().map_or(Kind::Nothing, Kind::Data),
            _ => Kind::Nothing,
        };
        Self {
            kind,
            min: property.min,
            max: property.max,
        }
    }

    /// Fits `value`, with certain repairs.
    ///
    /// # Errors
    /// When the value does not fit and no repair is certain.
    pub(crate) fn fit(&self, value: &Value, document: &Document) -> Result<Fitted, ValueError> {
        let plain = |value: Value| Ok(Fitted { value, repair: None });
        let repaired = |value: Value, how: &str| {
            Ok(Fitted {
                value,
                repair: Some(how.to_owned()),
            })
        };
        match &self.kind {
            Kind::Nothing => Err(ValueError::NoValue),
            Kind::Float => match value {
                Value::Number(_) => {
                    self.in_range(value)?;
                    plain(value.clone())
                }
                Value::Bool(flag) => repaired(Value::from(f64::from(u8::from(*flag))), "true/false became 1/0"),
                other => Err(wrong("a number", other)),
            },
            Kind::Int => match value {
                Value::Number(number) => {
                    let whole = whole(number).ok_or_else(|| wrong("a whole number", value))?;
                    self.in_range(value)?;
                    plain(Value::from(whole))
                }
                Value::Bool(flag) => repaired(Value::from(u8::from(*flag)), "true/false became 1/0"),
                other => Err(wrong("a whole number", other)),
            },
            Kind::Bool => match value {
                Value::Bool(_) => plain(value.clone()),
                Value::Number(number) if number.as_f64() == Some(0.0) => repaired(Value::Bool(false), "0 became false"),
                Value::Number(number) if number.as_f64() == Some(1.0) => repaired(Value::Bool(true), "1 became true"),
                other => Err(wrong("true or false", other)),
            },
            Kind::String => match value {
                Value::String(_) => plain(value.clone()),
                other => Err(wrong("a text", other)),
            },
            Kind::Vector(size) => self.fit_vector(value, *size),
            Kind::Color => self.fit_color(value),
            Kind::Enum(items) => {
                let Value::String(text) = value else {
                    return Err(wrong("an item's name", value));
                };
                let (item, repair) = pick(text, items)?;
                Ok(Fitted {
                    value: Value::from(item),
                    repair,
                })
            }
            Kind::Flags(items) => {
                let Value::Array(list) = value else {
                    return Err(wrong("a list of items", value));
                };
                let mut picked = Vec::with_capacity(list.len());
                let mut repair = None;
                for entry in list {
                    let Value::String(text) = entry else {
                        return Err(wrong("an item's name", entry));
                    };
                    let (item, how) = pick(text, items).map_err(one_of_several)?;
                    picked.push(Value::from(item));
                    repair = repair.or(how);
                }
                Ok(Fitted {
                    value: Value::Array(picked),
                    repair,
                })
            }
            Kind::Data(kind) => fit_data(kind, value, document),
        }
    }

    fn fit_vector(&self, value: &Value, size: usize) -> Result<Fitted, ValueError> {
        match value {
            Value::Array(list) if list.len() == size && list.iter().all(Value::is_number) => {
                for entry in list {
                    self.in_range(entry)?;
                }
                Ok(Fitted {
                    value: value.clone(),
                    repair: None,
                })
            }
            Value::Number(_) => {
                self.in_range(value)?;
                let repair = Some(format!("one number became {size} equal ones"));
                Ok(Fitted {
                    value: Value::Array(vec![value.clone(); size]),
                    repair,
                })
            }
            other => Err(wrong(&format!("an array of {size} numbers"), other)),
        }
    }

    fn fit_color(&self, value: &Value) -> Result<Fitted, ValueError> {
        match value {
            Value::Array(list) if list.len() == 3 && list.iter().all(Value::is_number) => {
                let mut with_alpha = list.clone();
                with_alpha.push(Value::from(1.0));
                Ok(Fitted {
                    value: Value::Array(with_alpha),
                    repair: Some("alpha 1 was added".to_owned()),
                })
            }
            other => self.fit_vector(other, 4),
        }
    }

    /// The number within the limits that is nearest.
    fn within(&self, number: f64) -> Option<Value> {
        let limit = match (self.min, self.max) {
            (Some(min), _) if number < min => min,
            (_, Some(max)) if number > max => max,
            _ => return None,
        };
        match self.kind {
            Kind::Float => Some(Value::from(limit)),
            Kind::Int => serde_json::Number::from_f64(limit)
                .as_ref()
                .and_then(whole)
                .map(Value::from),
            _ => None,
        }
    }

    fn in_range(&self, value: &Value) -> Result<(), ValueError> {
        let number = value.as_f64().unwrap_or(0.0);
        let below = self.min.is_some_and(|min| number < min);
        let above = self.max.is_some_and(|max| number > max);
        if below || above {
            return Err(ValueError::OutOfRange {
                value: value.to_string(),
                range: range_words(self.min, self.max),
                nearest: self.within(number),
            });
        }
        Ok(())
    }
}

/// Whether the socket takes whole numbers that count something, which end at 0. A Sort Index counts from the end where it is negative,
/// although Blender's slider begins at 0 before 5.2.
#[must_use]
pub fn counts(socket: &Socket) -> bool {
    socket.kind == "NodeSocketInt" && socket.min.is_some_and(|min| min >= 0.0) && socket.name != "Sort Index"
}

/// The limits in words, for example `0 … 6`.
pub(crate) fn range_words(min: Option<f64>, max: Option<f64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("{min} … {max}"),
        (Some(min), None) => format!("from {min}"),
        (None, Some(max)) => format!("up to {max}"),
        (None, None) => "of all numbers".to_owned(),
    }
}

/// The same mistake in one of several items: no single one would do in its place.
fn one_of_several(mut error: ValueError) -> ValueError {
    if let ValueError::UnknownItem { near, .. } = &mut error {
        *near = None;
    }
    error
}

/// The entries of a menu as (identifier, label).
pub(crate) fn menu_items(items: &[Value]) -> Vec<(&str, &str)> {
    items
        .iter()
        .filter_map(|item| match item {
            Value::String(name) => Some((name.as_str(), name.as_str())),
            Value::Array(pair) => {
                let id = pair.first()?.as_str()?;
                Some((id, pair.get(1).and_then(Value::as_str).unwrap_or(id)))
            }
            _ => None,
        })
        .collect()
}

/// Kind of value behind a socket type; one that is not listed takes links only.
fn socket_kind(name: &str, default: Option<&Value>) -> Kind<'static> {
    let length = |fallback| default.and_then(Value::as_array).map_or(fallback, Vec::len);
    match name {
        "NodeSocketFloat" => Kind::Float,
        "NodeSocketInt" => Kind::Int,
        "NodeSocketBool" => Kind::Bool,
        "NodeSocketString" => Kind::String,
        "NodeSocketVector" => Kind::Vector(length(3)),
        "NodeSocketRotation" => Kind::Vector(3),
        "NodeSocketColor" => Kind::Color,
        "NodeSocketObject"
        | "NodeSocketCollection"
        | "NodeSocketMaterial"
        | "NodeSocketImage"
        | "NodeSocketTexture"
        | "NodeSocketFont"
        | "NodeSocketScene"
        | "NodeSocketSound"
        | "NodeSocketMask"
        | "NodeSocketText" => Kind::Data(name.trim_start_matches("NodeSocket").to_lowercase()),
        _ => Kind::Nothing,
    }
}

/// The integer value of a JSON number, if it is whole and fits into Blender's 32 bits.
fn whole(number: &serde_json::Number) -> Option<i32> {
    if let Some(integer) = number.as_i64() {
        return i32::try_from(integer).ok();
    }
    let real = number.as_f64()?;
    if real.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&real) {
        #[allow(clippy::cast_possible_truncation, reason = "whole and in range by the test above")]
        return Some(real as i32);
    }
    None
}

/// The item that a text refers to: exact, else the only one that matches its label or name without case and spaces.
fn pick(text: &str, items: &[(&str, &str)]) -> Result<(String, Option<String>), ValueError> {
    if items.is_empty() || items.iter().any(|(id, _)| *id == text) {
        return Ok((text.to_owned(), None));
    }
    let wanted = fold(text);
    let mut hits: Vec<&str> = Vec::new();
    for (id, label) in items {
        if (fold(id) == wanted || fold(label) == wanted) && !hits.contains(id) {
            hits.push(id);
        }
    }
    match hits.as_slice() {
        [only] => Ok(((*only).to_owned(), Some(format!("“{text}” became “{only}”")))),
        _ => {
            let names: Vec<&str> = items.iter().map(|(id, _)| *id).collect();
            let near = nearest(text, names.iter().copied());
            Err(ValueError::UnknownItem {
                got: text.to_owned(),
                items: names.join(", "),
                near,
            })
        }
    }
}

/// The item that corresponds to a word of another Blender version: modes became menus with shorter or longer names.
///
/// Equal except for case and accents, else the one that is known to be meant; a part of a name means nothing.
pub(crate) fn translate<'i>(text: &str, items: &[(&'i str, &str)]) -> Option<&'i str> {
    let only = |wanted: &str| {
        let wanted = plain_words(wanted);
        let is_it = |item: &&(&'i str, &str)| plain_words(item.0) == wanted || plain_words(item.1) == wanted;
        let mut hits = items.iter().filter(is_it);
        match (hits.next(), hits.next()) {
            (Some(hit), None) if !wanted.is_empty() => Some(hit.0),
            _ => None,
        }
    };
    only(text).or_else(|| renames::items(text).find_map(only))
}

/// Folded, with the words that Blender 5 exchanged in its menus (`PRESERVE_CORNERS_AND_…` → `Keep Corners, …`).
fn plain_words(text: &str) -> String {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .map(fold)
        .filter(|word| word != "and");
    words
        .map(|word| if word == "preserve" { "keep".to_owned() } else { word })
        .collect()
}

fn fit_data(kind: &str, value: &Value, document: &Document) -> Result<Fitted, ValueError> {
    let (name, repair) = match value {
        Value::Null => {
            return Ok(Fitted {
                value: Value::Null,
                repair: None,
            });
        }
        Value::String(name) => (
            name.as_str(),
            Some(format!("the text became a reference to the {kind} “{name}”")),
        ),
        Value::Object(object) => match (object.len(), object.get(kind)) {
            (1, Some(Value::String(name))) => (name.as_str(), None),
            _ => return Err(wrong(&format!("{{\"{kind}\": name}}"), value)),
        },
        other => return Err(wrong(&format!("{{\"{kind}\": name}}"), other)),
    };
    // Kinds that the document does not list are checked by Blender.
    if let Some(known) = document.names.get(kind)
        && !known.contains(name)
    {
        let near = nearest(name, known.iter().map(String::as_str));
        return Err(ValueError::UnknownDataBlock {
            kind: kind.to_owned(),
            name: name.to_owned(),
            near,
        });
    }
    let mut object = Object::new();
    object.insert(kind.to_owned(), Value::from(name));
    Ok(Fitted {
        value: Value::Object(object),
        repair,
    })
}

fn wrong(expected: &str, got: &Value) -> ValueError {
    let got = match got {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("the text “{}”", clip(text)),
        Value::Array(list) => format!("an array of {}", list.len()),
        Value::Object(_) => "an object".to_owned(),
    };
    ValueError::WrongType {
        expected: expected.to_owned(),
        got,
    }
}

fn clip(text: &str) -> String {
    if text.chars().count() <= 40 {
        text.to_owned()
    } else {
        text.chars().take(39).chain(['…']).collect()
    }
}

/// Equality as Blender stores values: numbers as 32-bit floats, arrays element by element.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i64(), b.as_i64()) {
            (Some(a), Some(b)) => a == b,
            #[allow(clippy::cast_possible_truncation, reason = "Blender stores 32-bit floats")]
            _ => a.as_f64().map(|a| (a as f32).to_bits()) == b.as_f64().map(|b| (b as f32).to_bits()),
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => left == right,
    }
}
