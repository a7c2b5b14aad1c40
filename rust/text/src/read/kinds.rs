//! The type of socket that an expression stands for.

use rustpython_parser::ast::{Expr, ExprCall, ExprIfExp, UnaryOp};
use serde_json::Value;

use super::fault::Faults;
use super::reader::{Reader, is_usable};
use super::value::{Val, at, constant, data_socket, is_vector};

pub(super) const MATH: &str = "ShaderNodeMath";

pub(super) const VECTOR_MATH: &str = "ShaderNodeVectorMath";

pub(super) const BOOLEAN: &str = "FunctionNodeBooleanMath";

pub(super) const COMPARE: &str = "FunctionNodeCompare";

pub(super) const SWITCH: &str = "GeometryNodeSwitch";

pub(super) const FLOAT: &str = "NodeSocketFloat";

pub(super) const INT: &str = "NodeSocketInt";

pub(super) const BOOL: &str = "NodeSocketBool";

pub(super) const VECTOR: &str = "NodeSocketVector";

pub(super) const COLOR: &str = "NodeSocketColor";

pub(super) const STRING: &str = "NodeSocketString";

pub(super) const GEOMETRY: &str = "NodeSocketGeometry";

/// Functions of vectors, the operations that they are, how many vectors they take, and whether they give one.
pub(super) const OF_VECTORS: &[(&str, &str, usize, bool)] = &[
    ("cross", "CROSS_PRODUCT", 2, true),
    ("distance", "DISTANCE", 2, false),
    ("dot", "DOT_PRODUCT", 2, false),
    ("length", "LENGTH", 1, false),
    ("normalize", "NORMALIZE", 1, true),
];

/// Functions of one number or vector, and the operations that they are.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    ("abs", "ABSOLUTE"),
    ("acos", "ARCCOSINE"),
    ("asin", "ARCSINE"),
    ("atan", "ARCTANGENT"),
    ("atan2", "ARCTAN2"),
    ("ceil", "CEIL"),
    ("cos", "COSINE"),
    ("cosh", "COSH"),
    ("degrees", "DEGREES"),
    ("exp", "EXPONENT"),
    ("fabs", "ABSOLUTE"),
    ("floor", "FLOOR"),
    ("fmod", "MODULO"),
    ("int", "TRUNC"),
    ("log", "LOGARITHM"),
    ("max", "MAXIMUM"),
    ("min", "MINIMUM"),
    ("pow", "POWER"),
    ("radians", "RADIANS"),
    ("round", "ROUND"),
    ("sign", "SIGN"),
    ("sin", "SINE"),
    ("sinh", "SINH"),
    ("sqrt", "SQRT"),
    ("tan", "TANGENT"),
    ("tanh", "TANH"),
    ("trunc", "TRUNC"),
];

/// Whether a call of this name is a function of Python or of vectors.
pub(super) fn is_function(name: &str) -> bool {
    name == "float"
        || FUNCTIONS.iter().any(|(known, _)| *known == name)
        || OF_VECTORS.iter().any(|(known, ..)| *known == name)
}

impl<'p> Reader<'_, '_, 'p> {
    /// The type of socket that an expression stands for; none where that is open.
    pub(crate) fn kind_of(&mut self, expr: &'p Expr) -> Option<String> {
        if let Some(known) = constant(expr, &mut Faults::default()) {
            return match known {
                Value::Bool(_) => Some(BOOL),
                Value::Number(number) if number.is_i64() => Some(INT),
                Value::Number(_) => Some(FLOAT),
                Value::String(_) => Some(STRING),
                Value::Array(_) if is_vector(&known) => Some(VECTOR),
                Value::Object(map) => return map.keys().next().map(|kind| data_socket(kind)),
                _ => None,
            }
            .map(str::to_owned);
        }
        match expr {
            Expr::Name(name) => {
                let known = self.name(name.id.as_str(), at(expr));
                self.one_output(known, None).map(|output| output.kind)
            }
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(name) => {
                    let known = self.name(name.id.as_str(), at(expr));
                    let id = match known {
                        Val::Node(id) => id,
                        Val::Out(output) if output.kind == VECTOR => return Some(FLOAT.to_owned()),
                        Val::Out(output) => output.id,
                        _ => return None,
                    };
                    if self.open.contains(&id) {
                        return None;
                    }
                    let outputs = self.draft.sockets(&id, geonode_graph::ir::Side::Output);
                    let words = self.words_of(&outputs);
                    let socket = words
                        .place(attribute.attr.as_str())
                        .and_then(|place| outputs.get(place));
                    // Otherwise it is a part of a vector, or reported when it is read.
                    Some(socket.map_or_else(|| FLOAT.to_owned(), |socket| self.flowing(&id, &socket.kind)))
                }
                Expr::Call(call) => {
                    let node = self.probe(call)?;
                    let outputs = self.outputs_of(&node);
                    let words = self.words_of(&outputs);
                    let socket = words
                        .place(attribute.attr.as_str())
                        .and_then(|place| outputs.get(place));
                    Some(socket.map_or_else(|| FLOAT.to_owned(), |socket| socket.kind.clone()))
                }
                _ => Some(FLOAT.to_owned()),
            },
            Expr::Call(call) => self.kind_of_call(call),
            Expr::BinOp(term) => {
                let vector = [&term.left, &term.right]
                    .into_iter()
                    .any(|side| self.operand_kind(side).as_deref() == Some(VECTOR));
                Some(if vector { VECTOR } else { FLOAT }.to_owned())
            }
            Expr::UnaryOp(term) if term.op == UnaryOp::Not => Some(BOOL.to_owned()),
            Expr::UnaryOp(term) => self
                .kind_of(&term.operand)
                .map(|kind| if kind == VECTOR { kind } else { FLOAT.to_owned() }),
            Expr::BoolOp(_) | Expr::Compare(_) => Some(BOOL.to_owned()),
            Expr::IfExp(term) => self.kind_of_switch(term),
            Expr::Tuple(_) => Some(VECTOR.to_owned()),
            Expr::Subscript(_) => Some(FLOAT.to_owned()),
            _ => None,
        }
    }

    fn kind_of_call(&mut self, call: &'p ExprCall) -> Option<String> {
        let function = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(function) if matches!(&*function.value, Expr::Name(base) if base.id.as_str() == "math") => {
                function.attr.as_str()
            }
            _ => return None,
        };
        if function == "muted" {
            return self.kind_of(call.args.first()?);
        }
        let by_name = matches!(&*call.func, Expr::Name(_));
        if by_name && self.is_node(function) {
            let node = self.probe(call)?;
            let outputs = self.outputs_of(&node);
            return outputs
                .iter()
                .find(|socket| is_usable(socket))
                .map(|socket| socket.kind.clone());
        }
        if let Some((.., vector)) = OF_VECTORS.iter().find(|(name, ..)| *name == function) {
            return Some(if *vector { VECTOR } else { FLOAT }.to_owned());
        }
        if function == "float" {
            return Some(FLOAT.to_owned());
        }
        FUNCTIONS.iter().find(|(name, _)| *name == function)?;
        let vector = call
            .args
            .iter()
            .any(|value| self.kind_of(value).as_deref() == Some(VECTOR));
        Some(if vector { VECTOR } else { FLOAT }.to_owned())
    }

    /// The type of a switch: that of both branches, or the one that takes both.
    pub(super) fn kind_of_switch(&mut self, term: &'p ExprIfExp) -> Option<String> {
        let (a, b) = (self.kind_of(&term.body), self.kind_of(&term.orelse));
        let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
            return a.or(b);
        };
        if a == b {
            return Some(a);
        }
        for wanted in [GEOMETRY, VECTOR, FLOAT] {
            if a == wanted || b == wanted {
                return Some(wanted.to_owned());
            }
        }
        Some(a)
    }

    /// What an operand is in a term: Blender takes a colour for a vector.
    pub(super) fn operand_kind(&mut self, expr: &'p Expr) -> Option<String> {
        let kind = self.kind_of(expr)?;
        Some(if kind == COLOR { VECTOR.to_owned() } else { kind })
    }
}
