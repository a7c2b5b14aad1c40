//! Values of a page: constants, outputs of nodes, and what is made of them.

use geonode_protocol::{Code, MakeMaterial};
use rustpython_parser::ast::{Constant, Expr, ExprCall, Operator, Ranged, UnaryOp};
use serde_json::{Map, Number, Value, json};

use super::arguments::only;
use super::fault::Faults;

/// What an expression stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Val {
    /// A number, a bool, a text, a list of them, a data-block; `null` for `None`.
    Const(Value),
    /// The value of a new node.
    Default,
    /// One output of a node.
    Out(Output),
    /// A node; which of its outputs is meant depends on what takes it.
    Node(String),
    /// Several values for one input, each with its offset.
    List(Vec<(Val, usize)>),
    /// A muted link, and the value of the input behind it.
    Muted(Box<Val>, Option<Value>),
    /// Something that was reported.
    Bad,
}

/// An output of a node, and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) id: String,
    pub(crate) socket: String,
    pub(crate) kind: String,
}

/// A node that an earlier run of the page moved into a group.
#[derive(Debug, Clone)]
pub(crate) struct Gathered {
    /// Its ID there.
    pub(crate) id: String,
    /// The output of the group's node that it feeds; where it feeds several, the first.
    pub(crate) output: Option<Output>,
}

/// The offset at which an expression begins.
pub(crate) fn at(node: &impl Ranged) -> usize {
    usize::from(node.start())
}

/// A number as JSON: whole ones without a fraction stay whole. None where it is not finite.
pub(crate) fn number(value: f64) -> Option<Value> {
    Number::from_f64(value).map(Value::Number)
}

/// The constant that an expression is; `None` where it is not one. What cannot be a constant, such as a number without end, is reported.
pub(crate) fn constant(expr: &Expr, faults: &mut Faults) -> Option<Value> {
    match expr {
        Expr::Constant(constant) => match &constant.value {
            Constant::None => Some(Value::Null),
            Constant::Bool(flag) => Some(Value::from(*flag)),
            Constant::Str(text) if !text.contains('\0') => Some(Value::from(text.as_str())),
            Constant::Int(whole) => match i64::try_from(whole) {
                Ok(whole) if whole.abs() <= 1 << 53 => Some(Value::from(whole)),
                _ => Some(too_large(at(expr), faults)),
            },
            Constant::Float(real) => match number(*real).filter(|_| real.abs() <= f64::from(f32::MAX)) {
                Some(real) => Some(real),
                None => Some(too_large(at(expr), faults)),
            },
            Constant::Str(_) => Some(cut_off(at(expr), faults)),
            Constant::Tuple(_) | Constant::Bytes(_) | Constant::Complex { .. } | Constant::Ellipsis => None,
        },
        Expr::Tuple(tuple) => constants(&tuple.elts, faults),
        Expr::List(list) => constants(&list.elts, faults),
        Expr::UnaryOp(term) => {
            let inner = constant(&term.operand, faults)?;
            unary(term.op, &inner)
        }
        Expr::BinOp(term) => {
            let (left, right) = (constant(&term.left, faults)?, constant(&term.right, faults)?);
            let result = binary(term.op, &left, &right)?;
            if result.is_null() {
                let message = "The term has no finite value.";
                faults.error(
                    Code::NonFiniteNumber,
                    at(expr),
                    message,
                    "Write the number that is meant.",
                );
                return Some(json!(0));
            }
            Some(result)
        }
        Expr::Attribute(attribute) => {
            let Expr::Name(module) = &*attribute.value else {
                return None;
            };
            if module.id.as_str() != "math" {
                return None;
            }
            match attribute.attr.as_str() {
                "pi" => number(std::f64::consts::PI),
                "tau" => number(std::f64::consts::TAU),
                "e" => number(std::f64::consts::E),
                _ => None,
            }
        }
        Expr::Call(call) => data_block(expr, call, faults),
        Expr::Dict(dict) => {
            let mut map = Map::new();
            for (key, value) in dict.keys.iter().zip(&dict.values) {
                let key = constant(key.as_ref()?, faults)?;
                map.insert(key.as_str()?.to_owned(), constant(value, faults)?);
            }
            Some(Value::Object(map))
        }
        _ => None,
    }
}

fn too_large(at: usize, faults: &mut Faults) -> Value {
    let message = "The number is larger than any that Blender stores.";
    faults.error(Code::NonFiniteNumber, at, message, "Send a number of ordinary size.");
    json!(0)
}

fn cut_off(at: usize, faults: &mut Faults) -> Value {
    let message = "The text contains the character NUL, at which Blender would cut it off.";
    faults.error(Code::InvalidValue, at, message, "Leave the character out.");
    json!("")
}

fn constants(parts: &[Expr], faults: &mut Faults) -> Option<Value> {
    let all: Option<Vec<Value>> = parts.iter().map(|part| constant(part, faults)).collect();
    all.map(Value::Array)
}

/// How a material is made.
const MATERIAL: &str = "data.material(\"Gold\", color=(1.0, 0.7, 0.2), roughness=0.3, metallic=1.0), or of one that the file has data.material(\"Gold\")";

/// The material that `data.material("Gold", color=…)` makes.
fn material(name: &str, call: &ExprCall, faults: &mut Faults) {
    let mut made = MakeMaterial {
        name: name.to_owned(),
        base_color: None,
        roughness: None,
        metallic: None,
        transmission: None,
        alpha: None,
        emission_color: None,
        emission_strength: None,
    };
    for keyword in &call.keywords {
        let value = constant(&keyword.value, faults);
        let numbers = value.as_ref().and_then(Value::as_array);
        let color = numbers.filter(|parts| matches!(parts.len(), 3 | 4)).and_then(|parts| {
            let parts = parts.iter().map(Value::as_f64);
            parts
                .collect::<Option<Vec<f64>>>()
                .filter(|parts| parts.iter().all(|part| *part >= 0.0))
        });
        let number = value.as_ref().and_then(Value::as_f64).filter(|number| *number >= 0.0);
        let (is_known, wanted) = match keyword.arg.as_ref().map_or("", |name| name.as_str()) {
            "color" => {
                made.base_color = color.filter(|parts| parts.iter().all(|part| *part <= 1.0));
                (
                    made.base_color.is_some(),
                    "a colour: three numbers from 0 to 1, or four with alpha",
                )
            }
            "emission" => {
                made.emission_color.clone_from(&color);
                (color.is_some(), "a colour: three numbers, or four with alpha")
            }
            "roughness" => {
                made.roughness = number;
                (number.is_some(), "a number from 0 to 1")
            }
            "metallic" => {
                made.metallic = number;
                (number.is_some(), "a number from 0 to 1")
            }
            "transmission" => {
                made.transmission = number;
                (number.is_some(), "a number from 0 to 1")
            }
            "alpha" => {
                made.alpha = number;
                (number.is_some(), "a number from 0 to 1")
            }
            "emission_strength" => {
                made.emission_strength = number;
                (number.is_some(), "a number that is not negative")
            }
            // Reported as one that nothing takes.
            _ => (true, ""),
        };
        if !is_known {
            let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
            let message = format!("“{name}” of a material is {wanted}.");
            let fix = if value.is_some() {
                format!("Write {MATERIAL}.")
            } else {
                format!(
                    "Write {MATERIAL}; one that an input decides is a Material input, `paint: Material = None`, set with apply."
                )
            };
            faults.error(Code::WrongType, at(keyword), message, fix);
        }
    }
    // The alpha of a colour shows nothing in Blender.
    let clear = made.base_color.as_ref().and_then(|parts| parts.get(3)).copied();
    made.alpha = made.alpha.or(clear.filter(|alpha| *alpha < 1.0));
    if made.emission_color.is_some() {
        made.emission_strength = made.emission_strength.or(Some(1.0));
    }
    match faults.materials.iter().find(|(known, _)| known.name == made.name) {
        Some((known, _)) if *known != made => {
            let message = format!("The material “{name}” is described twice, with other values.");
            let fix =
                format!("Describe it once, and write data.material(\"{name}\") elsewhere, or choose another name.");
            faults.error(Code::DuplicateId, at(call), message, fix);
        }
        Some(_) => {}
        None => faults.materials.push((made, at(call))),
    }
}

/// `data.object("Rock")` as `{"object": "Rock"}`.
fn data_block(expr: &Expr, call: &ExprCall, faults: &mut Faults) -> Option<Value> {
    let Expr::Attribute(function) = &*call.func else {
        return None;
    };
    let Expr::Name(base) = &*function.value else {
        return None;
    };
    if base.id.as_str() != "data" {
        return None;
    }
    let kind = function.attr.as_str();
    let makes = kind == "material" && !call.keywords.is_empty();
    let (form, fields): (_, &[&str]) = if kind == "material" {
        (
            MATERIAL.to_owned(),
            &[
                "color",
                "roughness",
                "metallic",
                "transmission",
                "alpha",
                "emission",
                "emission_strength",
            ],
        )
    } else {
        (format!("data.{kind}(\"Name\")"), &[])
    };
    only(call, &format!("data.{kind}"), 1, fields, &form, faults);
    let name = call.args.first().and_then(|name| constant(name, faults));
    let Some(Value::String(name)) = name.filter(|name| name.as_str().is_some_and(|name| !name.is_empty())) else {
        let message = "A data-block is named by a text.";
        faults.error(
            Code::TextForm,
            at(expr),
            message,
            "Write, for example, data.object(\"Rock\").",
        );
        return Some(Value::Null);
    };
    if makes {
        material(&name, call, faults);
    }
    Some(json!({ kind: name }))
}

/// A term of one constant; `None` where it has no meaning.
pub(crate) fn unary(op: UnaryOp, inner: &Value) -> Option<Value> {
    match (op, inner) {
        (UnaryOp::Not, Value::Bool(flag)) => Some(Value::from(!flag)),
        (UnaryOp::UAdd, Value::Number(_)) => Some(inner.clone()),
        (UnaryOp::USub, Value::Number(value)) => match value.as_i64() {
            Some(whole) => whole.checked_neg().map(Value::from),
            None => number(-value.as_f64()?),
        },
        (UnaryOp::USub, Value::Array(parts)) => {
            let all: Option<Vec<Value>> = parts.iter().map(|part| unary(op, part)).collect();
            all.map(Value::Array)
        }
        _ => None,
    }
}

/// A term of two constants as Python computes it, element by element for vectors; `null` where the result is not finite, `None` where the
/// term has no meaning.
pub(crate) fn binary(op: Operator, left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let all: Option<Vec<Value>> = a.iter().zip(b).map(|(a, b)| binary(op, a, b)).collect();
            all.map(whole_or_null)
        }
        (Value::Array(a), Value::Number(_)) => {
            let all: Option<Vec<Value>> = a.iter().map(|a| binary(op, a, right)).collect();
            all.map(whole_or_null)
        }
        (Value::Number(_), Value::Array(b)) => {
            let all: Option<Vec<Value>> = b.iter().map(|b| binary(op, left, b)).collect();
            all.map(whole_or_null)
        }
        (Value::Number(a), Value::Number(b)) => {
            if let (Some(a), Some(b)) = (a.as_i64(), b.as_i64())
                && let Some(exact) = integers(op, a, b)
            {
                return Some(Value::from(exact));
            }
            let (a, b) = (a.as_f64()?, b.as_f64()?);
            let result = match op {
                Operator::Add => a + b,
                Operator::Sub => a - b,
                Operator::Mult => a * b,
                Operator::Div => a / b,
                Operator::FloorDiv => (a / b).floor(),
                Operator::Mod => a - b * (a / b).floor(),
                Operator::Pow => a.powf(b),
                _ => return None,
            };
            Some(number(result).unwrap_or(Value::Null))
        }
        (Value::String(a), Value::String(b)) if op == Operator::Add => Some(Value::from(format!("{a}{b}"))),
        _ => None,
    }
}

fn whole_or_null(parts: Vec<Value>) -> Value {
    if parts.iter().any(Value::is_null) {
        Value::Null
    } else {
        Value::Array(parts)
    }
}

fn integers(op: Operator, a: i64, b: i64) -> Option<i64> {
    match op {
        Operator::Add => a.checked_add(b),
        Operator::Sub => a.checked_sub(b),
        Operator::Mult => a.checked_mul(b),
        Operator::FloorDiv if b > 0 => Some(a.div_euclid(b)),
        Operator::Mod if b > 0 => Some(a.rem_euclid(b)),
        Operator::Pow => a.checked_pow(u32::try_from(b).ok()?),
        _ => None,
    }
}

/// Whether a constant is a tuple of three numbers.
pub(crate) fn is_vector(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|parts| parts.len() == 3 && parts.iter().all(Value::is_number))
}

/// The socket type of a kind of data-block: `object` → `NodeSocketObject`.
pub(crate) fn data_socket(kind: &str) -> String {
    let mut chars = kind.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    format!("NodeSocket{}", first.chain(chars).collect::<String>())
}
