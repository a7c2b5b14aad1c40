//! Functions of Python: which node one stands for.

use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprCall};

use super::kinds::{BOOL, FLOAT, FUNCTIONS, INT, MATH, OF_VECTORS, VECTOR, VECTOR_MATH};
use super::reader::{Place, Reader};
use super::terms::Operand;
use super::value::{Val, at, number};

impl<'p> Reader<'_, '_, 'p> {
    /// What a function of Python stands for; none where the name is not one of those that are known.
    pub(crate) fn function(&mut self, call: &'p ExprCall, name: &str, place: Place<'_>) -> Option<Val> {
        let by_name = matches!(&*call.func, Expr::Name(_));
        if by_name && self.is_node(name) {
            return None;
        }
        let start = at(call);
        if let Some((_, operation, count, _)) = OF_VECTORS.iter().find(|(known, ..)| *known == name) {
            return Some(self.of_vectors(call, (name, operation, *count), place));
        }
        if let ("float", [one], true) = (name, call.args.as_slice(), call.keywords.is_empty()) {
            return Some(self.value(one, place));
        }
        let (_, operation) = FUNCTIONS.iter().find(|(known, _)| *known == name)?;
        let count = match *operation {
            "MAXIMUM" | "MINIMUM" => 2..=usize::MAX,
            "ARCTAN2" | "MODULO" | "POWER" => 2..=2,
            "LOGARITHM" => 1..=2,
            _ => 1..=1,
        };
        let fits = count.contains(&call.args.len()) && call.keywords.is_empty();
        if !fits {
            let message = format!(
                "{name}(…) takes {} here.",
                if *count.start() == 1 { "one value" } else { "two values" }
            );
            self.error(
                Code::TextForm,
                start,
                message,
                "Use a Math node for anything else: `math(a, b, operation=\"…\")`.",
            );
            return Some(Val::Bad);
        }
        let vector = call
            .args
            .iter()
            .any(|value| self.kind_of(value).as_deref() == Some(VECTOR));
        let all: Vec<&'p Expr> = call.args.iter().collect();
        Some(self.folded(if vector { VECTOR_MATH } else { MATH }, operation, &all, start, place))
    }

    /// `length(v)`, `dot(a, b)`.
    fn of_vectors(
        &mut self,
        call: &'p ExprCall,
        (name, operation, count): (&str, &str, usize),
        place: Place<'_>,
    ) -> Val {
        let start = at(call);
        let is_number = |kind: Option<String>| kind.is_some_and(|kind| matches!(kind.as_str(), FLOAT | INT | BOOL));
        let misfit = call.args.iter().find(|value| is_number(self.kind_of(value)));
        if call.args.len() != count || !call.keywords.is_empty() || misfit.is_some() {
            let message = format!(
                "{name}(…) takes {}.",
                if count == 1 { "one vector" } else { "two vectors" }
            );
            let fix = "Give it vectors, such as `(x, y, z)`, or call a node.";
            self.error(Code::TextForm, misfit.map_or(start, at), message, fix);
            return Val::Bad;
        }
        let operands = call.args.iter().map(Operand::Text).collect();
        self.made_of(VECTOR_MATH, operation, operands, start, place)
    }

    /// A function of several values: pair by pair from the left.
    fn folded(&mut self, kind: &str, operation: &str, values: &[&'p Expr], start: usize, place: Place<'_>) -> Val {
        let mut operands: Vec<Operand<'p>> = Vec::new();
        let Some(id) = self.node_of(kind, operation, start, place) else {
            return Val::Bad;
        };
        match values {
            [one] => {
                operands.push(Operand::Text(one));
                if operation == "LOGARITHM" {
                    // Python's is the natural one.
                    operands.extend(number(std::f64::consts::E).map(|base| Operand::Made(Val::Const(base))));
                }
            }
            [a, b] => operands.extend([Operand::Text(a), Operand::Text(b)]),
            [first @ .., last] => {
                let word = if kind == MATH { "value" } else { "vector" };
                let inner = Place::Feeds {
                    owner: &id,
                    word,
                    identifier: "",
                    place: 0,
                };
                operands.push(Operand::Made(self.folded(kind, operation, first, start, inner)));
                operands.push(Operand::Text(last));
            }
            [] => {}
        }
        self.operands(&id, operands, start);
        Val::Node(id)
    }
}
