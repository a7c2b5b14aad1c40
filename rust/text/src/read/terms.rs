//! Terms: which node an operator, a comparison or a function of Python stands for follows from the types of its operands.

use geonode_protocol::Code;
use rustpython_parser::ast::{BoolOp, CmpOp, Expr, ExprCall, ExprCompare, ExprIfExp, Operator, UnaryOp};
use serde_json::{Value, json};

use super::fault::Faults;
use super::reader::{Place, Reader, is_usable};
use super::value::{Val, at, constant, data_socket, is_vector, number};

const MATH: &str = "ShaderNodeMath";
const VECTOR_MATH: &str = "ShaderNodeVectorMath";
const BOOLEAN: &str = "FunctionNodeBooleanMath";
const COMPARE: &str = "FunctionNodeCompare";
const SWITCH: &str = "GeometryNodeSwitch";

const FLOAT: &str = "NodeSocketFloat";
const INT: &str = "NodeSocketInt";
const BOOL: &str = "NodeSocketBool";
const VECTOR: &str = "NodeSocketVector";
const COLOR: &str = "NodeSocketColor";
const STRING: &str = "NodeSocketString";
const GEOMETRY: &str = "NodeSocketGeometry";

/// Functions of vectors, the operations that they are, how many vectors they take, and whether they give one.
const OF_VECTORS: &[(&str, &str, usize, bool)] = &[
    ("cross", "CROSS_PRODUCT", 2, true),
    ("distance", "DISTANCE", 2, false),
    ("dot", "DOT_PRODUCT", 2, false),
    ("length", "LENGTH", 1, false),
    ("normalize", "NORMALIZE", 1, true),
];

/// Functions of one number or vector, and the operations that they are.
const FUNCTIONS: &[(&str, &str)] = &[
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

/// An operand: part of the page, or what a step before it made.
enum Operand<'p> {
    Text(&'p Expr),
    Made(Val),
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
    fn kind_of_switch(&mut self, term: &'p ExprIfExp) -> Option<String> {
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

    /// What an operand is in a term: Blender takes a colour for a vector.
    fn operand_kind(&mut self, expr: &'p Expr) -> Option<String> {
        let kind = self.kind_of(expr)?;
        Some(if kind == COLOR { VECTOR.to_owned() } else { kind })
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
    fn made_of(
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
    fn node_of(&mut self, kind: &str, operation: &str, start: usize, place: Place<'_>) -> Option<String> {
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
    fn operands(&mut self, id: &str, operands: Vec<Operand<'p>>, start: usize) {
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
