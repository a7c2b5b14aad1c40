//! Terms: which node an operator or a comparison stands for follows from the types of its operands.

use geonode_protocol::Code;
use rustpython_parser::ast::{BoolOp, CmpOp, Expr, ExprCompare, ExprIfExp, Operator, UnaryOp};
use serde_json::{Value, json};

use super::kinds::{BOOL, BOOLEAN, COMPARE, FLOAT, GEOMETRY, INT, MATH, STRING, SWITCH, VECTOR, VECTOR_MATH};
use super::reader::{Place, Reader, is_usable};
use super::value::{Val, at, constant};

/// An operand: part of the page, or what a step before it made.
pub(super) enum Operand<'p> {
    Text(&'p Expr),
    Made(Val),
}

impl<'p> Reader<'_, '_, 'p> {
    /// The node that a term is.
    pub(crate) fn term(&mut self, expr: &'p Expr, place: Place<'_>) -> Val {
        let start = at(expr);
        match expr {
            Expr::BinOp(term) => self.arithmetic(term.op, &term.left, &term.right, start, place),
            Expr::UnaryOp(term) => match term.op {
                UnaryOp::Not => self.boolean("NOT", &[&term.operand], start, place),
                UnaryOp::USub => self.negative(&term.operand, start, place),
                UnaryOp::UAdd => self.value(&term.operand, place),
                UnaryOp::Invert => self.no_operator("~", start),
            },
            Expr::BoolOp(term) => {
                let operation = if term.op == BoolOp::And { "AND" } else { "OR" };
                let all: Vec<&'p Expr> = term.values.iter().collect();
                self.boolean(operation, &all, start, place)
            }
            Expr::Compare(term) => self.comparison(term, start, place),
            Expr::IfExp(term) => self.switch(term, start, place),
            _ => Val::Bad,
        }
    }

    fn no_operator(&mut self, operator: &str, start: usize) -> Val {
        let message = format!("Tree text has no operator {operator}.");
        self.error(
            Code::TextForm,
            start,
            message,
            "Use + - * / % ** // and comparisons, or call a node.",
        );
        Val::Bad
    }

    fn arithmetic(&mut self, op: Operator, left: &'p Expr, right: &'p Expr, start: usize, place: Place<'_>) -> Val {
        let (a, b) = (self.operand_kind(left), self.operand_kind(right));
        let unfit = [(&a, left), (&b, right)].into_iter().find(|(kind, _)| {
            kind.as_deref()
                .is_some_and(|kind| !matches!(kind, FLOAT | INT | BOOL | VECTOR))
        });
        if let Some((kind, side)) = unfit {
            let kind = kind.as_deref().unwrap_or_default().trim_start_matches("NodeSocket");
            let message = format!("Terms are of numbers and vectors; this is {kind}.");
            self.error(
                Code::WrongType,
                at(side),
                message,
                "Name another output, or call the node that is meant.",
            );
            return Val::Bad;
        }
        let vectors = [&a, &b].map(|kind| kind.as_deref() == Some(VECTOR));
        let operation = match op {
            Operator::Add => "ADD",
            Operator::Sub => "SUBTRACT",
            Operator::Mult => "MULTIPLY",
            Operator::Div => "DIVIDE",
            Operator::Pow => "POWER",
            Operator::Mod => "FLOORED_MODULO",
            Operator::FloorDiv => "FLOOR",
            Operator::MatMult => return self.no_operator("@", start),
            Operator::BitAnd => return self.no_operator("&", start),
            Operator::BitOr => return self.no_operator("|", start),
            Operator::BitXor => return self.no_operator("^", start),
            Operator::LShift => return self.no_operator("<<", start),
            Operator::RShift => return self.no_operator(">>", start),
        };
        if op == Operator::FloorDiv {
            // The larger integer that is not above the quotient.
            let kind = if vectors == [false, false] { MATH } else { VECTOR_MATH };
            let Some(id) = self.node_of(kind, operation, start, place) else {
                return Val::Bad;
            };
            let word = if kind == MATH { "value" } else { "vector" };
            let inner = Place::Feeds {
                owner: &id,
                word,
                identifier: "",
                place: 0,
            };
            let quotient = self.arithmetic(Operator::Div, left, right, start, inner);
            self.operands(&id, vec![Operand::Made(quotient)], start);
            return Val::Node(id);
        }
        let (left, right) = (Operand::Text(left), Operand::Text(right));
        match vectors {
            [false, false] => self.made_of(MATH, operation, vec![left, right], start, place),
            [true, false] if op == Operator::Mult => {
                self.made_of(VECTOR_MATH, "SCALE", vec![left, right], start, place)
            }
            [false, true] if op == Operator::Mult => {
                self.made_of(VECTOR_MATH, "SCALE", vec![right, left], start, place)
            }
            _ => {
                let operation = if operation == "FLOORED_MODULO" {
                    "MODULO"
                } else {
                    operation
                };
                self.made_of(VECTOR_MATH, operation, vec![left, right], start, place)
            }
        }
    }

    /// A node of an operation with its operands.
    pub(super) fn made_of(
        &mut self,
        kind: &str,
        operation: &str,
        operands: Vec<Operand<'p>>,
        start: usize,
        place: Place<'_>,
    ) -> Val {
        let Some(id) = self.node_of(kind, operation, start, place) else {
            return Val::Bad;
        };
        self.operands(&id, operands, start);
        Val::Node(id)
    }

    /// A node of an operation.
    pub(super) fn node_of(&mut self, kind: &str, operation: &str, start: usize, place: Place<'_>) -> Option<String> {
        let described = self.names.catalogue().nodes.get(kind)?;
        let known = described
            .properties
            .get("operation")
            .is_some_and(|property| property.items.iter().any(|(item, _)| item == operation));
        if !known {
            let blender = &self.names.catalogue().blender;
            let message = format!(
                "In Blender {blender}, {} has no operation {operation}.",
                described.label
            );
            self.error(
                Code::InvalidEnum,
                start,
                message,
                "Compute it part by part: v.x, v.y and v.z.",
            );
            return None;
        }
        let id = self.helper(kind, start, place)?;
        self.draft.set_property(&id, "operation", Value::from(operation), start);
        Some(id)
    }

    /// Gives the available inputs their operands, in order.
    pub(super) fn operands(&mut self, id: &str, operands: Vec<Operand<'p>>, start: usize) {
        let inputs = self.draft.sockets(id, geonode_graph::ir::Side::Input);
        let words = self.words_of(&inputs);
        let usable: Vec<_> = inputs
            .iter()
            .zip(words.words())
            .filter(|(socket, _)| is_usable(socket))
            .map(|(socket, word)| (socket.clone(), word.to_owned()))
            .collect();
        for ((socket, word), operand) in usable.iter().zip(operands) {
            match operand {
                Operand::Text(expr) => match constant(expr, self.faults) {
                    // A number for a vector counts for each of its parts.
                    Some(value) if socket.kind == VECTOR && value.is_number() => {
                        let all = Value::Array(vec![value; 3]);
                        self.give(id, socket, Val::Const(all), at(expr));
                    }
                    _ => self.assign_to(id, socket, word, expr),
                },
                Operand::Made(Val::Const(value)) if socket.kind == VECTOR && value.is_number() => {
                    self.give(id, socket, Val::Const(Value::Array(vec![value; 3])), start);
                }
                Operand::Made(value) => self.give(id, socket, value, start),
            }
        }
    }

    fn negative(&mut self, operand: &'p Expr, start: usize, place: Place<'_>) -> Val {
        let minus = Operand::Made(Val::Const(json!(-1.0)));
        if self.kind_of(operand).as_deref() == Some(VECTOR) {
            return self.made_of(VECTOR_MATH, "SCALE", vec![Operand::Text(operand), minus], start, place);
        }
        self.made_of(MATH, "MULTIPLY", vec![Operand::Text(operand), minus], start, place)
    }

    fn boolean(&mut self, operation: &str, values: &[&'p Expr], start: usize, place: Place<'_>) -> Val {
        match values {
            [] => Val::Bad,
            [one] if operation != "NOT" => self.value(one, place),
            [first, rest @ ..] => {
                let Some(id) = self.node_of(BOOLEAN, operation, start, place) else {
                    return Val::Bad;
                };
                let mut operands = vec![Operand::Text(first)];
                match rest {
                    [] => {}
                    [second] => operands.push(Operand::Text(second)),
                    more => {
                        let inner = Place::Feeds {
                            owner: &id,
                            word: "boolean_001",
                            identifier: "Boolean_001",
                            place: 0,
                        };
                        operands.push(Operand::Made(self.boolean(operation, more, start, inner)));
                    }
                }
                self.operands(&id, operands, start);
                Val::Node(id)
            }
        }
    }

    fn comparison(&mut self, term: &'p ExprCompare, start: usize, place: Place<'_>) -> Val {
        let mut sides = vec![&*term.left];
        sides.extend(&term.comparators);
        let pairs: Vec<(CmpOp, &'p Expr, &'p Expr)> = term
            .ops
            .iter()
            .zip(sides.windows(2))
            .filter_map(|(op, pair)| match pair {
                [a, b] => Some((*op, *a, *b)),
                _ => None,
            })
            .collect();
        self.all_of(&pairs, start, place)
    }

    /// `a < b < c`: each pair, joined by AND.
    fn all_of(&mut self, pairs: &[(CmpOp, &'p Expr, &'p Expr)], start: usize, place: Place<'_>) -> Val {
        match pairs {
            [] => Val::Bad,
            [(op, a, b)] => self.compared(*op, a, b, start, place),
            [first, rest @ ..] => {
                let Some(id) = self.node_of(BOOLEAN, "AND", start, place) else {
                    return Val::Bad;
                };
                let inner = |word: &'static str, identifier: &'static str| Place::Feeds {
                    owner: &id,
                    word,
                    identifier,
                    place: 0,
                };
                let one = self.all_of(std::slice::from_ref(first), start, inner("boolean", "Boolean"));
                let others = self.all_of(rest, start, inner("boolean_001", "Boolean_001"));
                self.operands(&id, vec![Operand::Made(one), Operand::Made(others)], start);
                Val::Node(id)
            }
        }
    }

    fn compared(&mut self, op: CmpOp, left: &'p Expr, right: &'p Expr, start: usize, place: Place<'_>) -> Val {
        let operation = match op {
            CmpOp::Eq | CmpOp::Is => "EQUAL",
            CmpOp::NotEq | CmpOp::IsNot => "NOT_EQUAL",
            CmpOp::Lt => "LESS_THAN",
            CmpOp::LtE => "LESS_EQUAL",
            CmpOp::Gt => "GREATER_THAN",
            CmpOp::GtE => "GREATER_EQUAL",
            CmpOp::In | CmpOp::NotIn => return self.no_operator("in", start),
        };
        let (a, b) = (self.kind_of(left), self.kind_of(right));
        let both = |wanted: &str| a.as_deref() == Some(wanted) && b.as_deref() == Some(wanted);
        let either = |wanted: &str| a.as_deref() == Some(wanted) || b.as_deref() == Some(wanted);
        let equality = matches!(operation, "EQUAL" | "NOT_EQUAL");
        if both(BOOL) && equality {
            let operation = if operation == "EQUAL" { "XNOR" } else { "XOR" };
            return self.made_of(
                BOOLEAN,
                operation,
                vec![Operand::Text(left), Operand::Text(right)],
                start,
                place,
            );
        }
        let is_data = |kind: &Option<String>| {
            kind.as_deref()
                .is_some_and(|kind| !matches!(kind, FLOAT | INT | BOOL | VECTOR | STRING | GEOMETRY))
        };
        let data_type = if both(INT) {
            "INT".to_owned()
        } else if either(VECTOR) {
            "VECTOR".to_owned()
        } else if either(STRING) {
            "STRING".to_owned()
        } else if equality && is_data(&a) {
            self.short(a.as_deref().unwrap_or_default())
        } else {
            "FLOAT".to_owned()
        };
        let Some(id) = self.node_of(COMPARE, operation, start, place) else {
            return Val::Bad;
        };
        self.draft.set_property(&id, "data_type", Value::from(data_type), start);
        self.operands(&id, vec![Operand::Text(left), Operand::Text(right)], start);
        Val::Node(id)
    }

    /// `a if c else b`.
    fn switch(&mut self, term: &'p ExprIfExp, start: usize, place: Place<'_>) -> Val {
        if let Some(Value::Bool(flag)) = constant(&term.test, self.faults) {
            return self.value(if flag { &term.body } else { &term.orelse }, place);
        }
        let kind = self.kind_of_switch(term);
        let Some(id) = self.helper(SWITCH, start, place) else {
            return Val::Bad;
        };
        if let Some(kind) = kind {
            let short = self.short(&kind);
            self.draft.set_property(&id, "input_type", Value::from(short), start);
        }
        let sides = [&*term.test, &*term.orelse, &*term.body];
        self.operands(&id, sides.into_iter().map(Operand::Text).collect(), start);
        Val::Node(id)
    }
}
