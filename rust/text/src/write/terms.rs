//! Terms: which nodes are written as operators. Only where the reader's rule for the operands leads back to the same node.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Link, Node};
use geonode_graph::sockets::REROUTE;
use serde_json::Value;

use super::expression::{AND, Binding, COMPARE, Expr, NOT, OR, POWER, PRODUCT, SUM, UNARY};
use super::literals::literal;
use super::writer::Writer;
use crate::names::LOOK;

const FLOAT: &str = "NodeSocketFloat";
const INT: &str = "NodeSocketInt";
const BOOL: &str = "NodeSocketBool";
const VECTOR: &str = "NodeSocketVector";

/// An operand before it is text.
enum Operand<'a> {
    Link(&'a Link),
    Value(&'a Value),
}

impl<'a> Writer<'_, 'a> {
    /// The node as a term, where it is one.
    pub(super) fn term(&self, at: usize, zone: Option<usize>) -> Option<Expr> {
        let node = self
            .sheet
            .node(at)
            .filter(|node| node.items.is_empty() && !self.order.ring)?;
        let plain = |allowed: &[&str]| {
            let mut said = node
                .props
                .keys()
                .map(String::as_str)
                .filter(|name| !LOOK.contains(name) && *name != "mute");
            said.all(|name| allowed.contains(&name))
        };
        match node.kind.as_str() {
            "ShaderNodeMath" if plain(&["operation"]) => {
                let (operator, binding) = match self.property(node, "operation")? {
                    "ADD" => ("+", SUM),
                    "SUBTRACT" => ("-", SUM),
                    "MULTIPLY" => ("*", PRODUCT),
                    "DIVIDE" => ("/", PRODUCT),
                    "FLOORED_MODULO" => ("%", PRODUCT),
                    "POWER" => ("**", POWER),
                    _ => return None,
                };
                self.binary(at, zone, operator, binding, [is_number, is_number])
            }
            "ShaderNodeVectorMath" if plain(&["operation"]) => {
                let (operator, binding, right): (_, _, fn(&str) -> bool) = match self.property(node, "operation")? {
                    "ADD" => ("+", SUM, is_vector),
                    "SUBTRACT" => ("-", SUM, is_vector),
                    "MULTIPLY" => ("*", PRODUCT, is_vector),
                    "DIVIDE" => ("/", PRODUCT, is_vector),
                    "SCALE" => ("*", PRODUCT, is_number),
                    _ => return None,
                };
                self.binary(at, zone, operator, binding, [is_vector, right])
            }
            "FunctionNodeCompare" if plain(&["operation", "data_type"]) => {
                let operator = match self.property(node, "operation")? {
                    "LESS_THAN" => "<",
                    "LESS_EQUAL" => "<=",
                    "GREATER_THAN" => ">",
                    "GREATER_EQUAL" => ">=",
                    _ => return None,
                };
                let [a, b] = self.operands(at)?;
                let whole = self.kind_of(&a)? == INT && self.kind_of(&b)? == INT;
                let meant = if whole { "INT" } else { "FLOAT" };
                if self.property(node, "data_type")? != meant {
                    return None;
                }
                self.binary(at, zone, operator, COMPARE, [is_number, is_number])
            }
            "FunctionNodeBooleanMath" if plain(&["operation"]) => {
                let is_bool = |kind: &str| kind == BOOL;
                match self.property(node, "operation")? {
                    "AND" => self.linked(at, zone, "and", AND, is_bool),
                    "OR" => self.linked(at, zone, "or", OR, is_bool),
                    "NOT" => {
                        let [operand] = self.operands(at)?;
                        if !matches!(operand, Operand::Link(_)) || self.kind_of(&operand)? != BOOL {
                            return None;
                        }
                        let text = self.operand(at, zone, &operand).within(NOT);
                        Some(Expr::new(format!("not {text}"), NOT))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A property of a node that is an enum, also where it has the value of a new node.
    fn property(&self, node: &'a Node, name: &str) -> Option<&'a str> {
        let default = || {
            self.sheet
                .scope
                .node_type(node)?
                .properties
                .get(name)
                .map(|property| &property.default)
        };
        node.props.get(name).or_else(default)?.as_str()
    }

    fn binary(
        &self,
        at: usize,
        zone: Option<usize>,
        operator: &str,
        binding: Binding,
        fits: [fn(&str) -> bool; 2],
    ) -> Option<Expr> {
        let [a, b] = self.operands(at)?;
        let linked = matches!(a, Operand::Link(_)) || matches!(b, Operand::Link(_));
        let [left, right] = fits;
        if !linked || !left(self.kind_of(&a)?) || !right(self.kind_of(&b)?) {
            return None;
        }
        // Operators group from the left, `**` from the right; comparisons do not stand beside each other.
        let (left, right) = match binding {
            POWER => (POWER + 1, UNARY),
            COMPARE => (COMPARE + 1, COMPARE + 1),
            other => (other, other + 1),
        };
        let (a, b) = (
            self.operand(at, zone, &a).within(left),
            self.operand(at, zone, &b).within(right),
        );
        Some(Expr::new(format!("{a} {operator} {b}"), binding))
    }

    /// `a and b`: both are linked. The reader joins what stands in one row, so that inner ones have brackets.
    fn linked(
        &self,
        at: usize,
        zone: Option<usize>,
        word: &str,
        binding: Binding,
        fits: fn(&str) -> bool,
    ) -> Option<Expr> {
        let [a, b] = self.operands(at)?;
        if ![&a, &b]
            .into_iter()
            .all(|one| matches!(one, Operand::Link(_)) && self.kind_of(one).is_some_and(fits))
        {
            return None;
        }
        let (a, b) = (self.operand(at, zone, &a), self.operand(at, zone, &b));
        Some(Expr::new(
            format!("{} {word} {}", a.within(binding + 1), b.within(binding + 1)),
            binding,
        ))
    }

    /// The operands of a node with `N` available inputs, in their order.
    fn operands<const N: usize>(&self, at: usize) -> Option<[Operand<'a>; N]> {
        let node = self.sheet.node(at)?;
        let inputs = self.sheet.inputs(at)?;
        let links = self.sheet.links_into(at);
        let each = inputs.shown().map(|socket: &Socket| {
            let mut own = links.iter().filter(|link| link.to.1 == socket.identifier);
            match (own.next(), own.next()) {
                (None, _) => {
                    let said = node.inputs.get(&socket.identifier).and_then(|state| state.get("value"));
                    said.map(Operand::Value)
                        .or_else(|| self.fresh_value(node, &socket.identifier).map(Operand::Value))
                }
                (Some(link), None) if !link.muted => Some(Operand::Link(link)),
                _ => None,
            }
        });
        let all: Option<Vec<Operand<'a>>> = each.collect();
        // A link into an input that the mode hides would be lost.
        let count = links.len();
        let all = all.filter(|all| all.iter().filter(|one| matches!(one, Operand::Link(_))).count() == count)?;
        all.try_into().ok()
    }

    /// The value of an input on a new node.
    fn fresh_value(&self, node: &'a Node, identifier: &str) -> Option<&'a Value> {
        let state = self.sheet.scope.node_type(node)?.state(&node.props);
        state
            .inputs
            .iter()
            .find(|socket| socket.identifier == identifier)?
            .default
            .as_ref()
    }

    /// The socket type that the reader takes an operand for; none where it cannot be an operand.
    fn kind_of(&self, operand: &Operand<'a>) -> Option<&str> {
        match operand {
            Operand::Value(value) => match value {
                Value::Number(number) if number.is_i64() => Some(INT),
                Value::Number(_) => Some(FLOAT),
                Value::Array(parts) if parts.len() == 3 && parts.iter().all(Value::is_number) => Some(VECTOR),
                _ => None,
            },
            Operand::Link(link) => {
                let source = self.sheet.place(&link.from.0)?;
                let nested = self.sheet.host(source).is_some();
                let through = self.sheet.node(source).is_some_and(|node| node.kind == REROUTE);
                let hidden = self
                    .sheet
                    .outputs(source)?
                    .find(&link.from.1)
                    .is_none_or(|socket| !socket.available);
                (!(hidden || nested && through)).then(|| self.sheet.source_type(link))
            }
        }
    }

    fn operand(&self, at: usize, zone: Option<usize>, operand: &Operand<'_>) -> Expr {
        match operand {
            Operand::Value(value) => literal(value),
            Operand::Link(link) => self.link(at, link, "", zone),
        }
    }
}

fn is_number(kind: &str) -> bool {
    matches!(kind, FLOAT | INT | BOOL)
}

fn is_vector(kind: &str) -> bool {
    kind == VECTOR
}
