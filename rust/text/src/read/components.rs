//! Parts of vectors and colours: `v.x`, `v[0]`, `c.r`, `(x, y, z)`, and `x.offset.z = 2.0`.

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::Side;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprAttribute};
use serde_json::Value;

use super::expressions::loose;
use super::fault::Faults;
use super::kinds::{COLOR, VECTOR};
use super::reader::{Place, Reader};
use super::value::{Output, Val, at, constant};

const VECTOR_PARTS: [&str; 3] = ["x", "y", "z"];
const COLOR_PARTS: [&str; 4] = ["r", "g", "b", "a"];

const COMBINE: &str = "ShaderNodeCombineXYZ";
const SEPARATE: &str = "ShaderNodeSeparateXYZ";
const SEPARATE_COLOR: &str = "FunctionNodeSeparateColor";

const WHOLE: &str = "Give the whole value: `x.offset = (0.0, 0.0, z)`.";

/// The letters of the parts of a value of this type.
fn parts_of(kind: &str) -> &'static [&'static str] {
    match kind {
        VECTOR => &VECTOR_PARTS,
        COLOR => &COLOR_PARTS,
        _ => &[],
    }
}

/// Whether a word is a part of anything.
pub(super) fn is_part(word: &str) -> bool {
    VECTOR_PARTS.contains(&word) || COLOR_PARTS.contains(&word)
}

impl<'p> Reader<'_, '_, 'p> {
    /// The output of a node, or a part of a vector.
    pub(super) fn attribute(&mut self, base: &'p Expr, word: &str, at: usize, place: Place<'_>) -> Val {
        let id = match self.base(base, place) {
            Some(Val::Node(id)) => id,
            Some(Val::Out(output)) if parts_of(&output.kind).contains(&word) => {
                return self.separated(output, word, at, place);
            }
            Some(Val::Out(output)) if is_part(word) && !self.has_output(&output.id, word) => {
                return self.no_part(word, Some(&output.kind), at);
            }
            Some(Val::Out(output)) if self.draft.socket(&output.id, Side::Output, &output.socket).is_some() => {
                // The output was named already, as in `x.mesh.mesh`, or the name stands for one output of a node.
                output.id
            }
            Some(Val::Const(Value::Array(parts))) => {
                let number = VECTOR_PARTS.iter().position(|part| *part == word);
                let number = number.or_else(|| COLOR_PARTS.iter().position(|part| *part == word));
                return match number.and_then(|number| parts.get(number)) {
                    Some(part) => Val::Const(part.clone()),
                    None => self.no_part(word, None, at),
                };
            }
            Some(Val::Bad) => return Val::Bad,
            _ => {
                let message = format!("“.{word}” follows something that has no outputs.");
                self.error(Code::TextForm, at, message, "Name an output of a node: `x.normal`.");
                return Val::Bad;
            }
        };
        if let Some(output) = self.output_for(&id, None).filter(|_| is_part(word))
            && !self.has_output(&id, word)
        {
            return if parts_of(&output.kind).contains(&word) {
                self.separated(output, word, at, place)
            } else {
                self.no_part(word, Some(&output.kind), at)
            };
        }
        self.output_named(&id, word, at).map_or(Val::Bad, Val::Out)
    }

    fn has_output(&mut self, id: &str, word: &str) -> bool {
        let outputs = self.draft.sockets(id, Side::Output);
        let words = self.words_of(&outputs);
        words
            .place(word)
            .and_then(|place| outputs.get(place))
            .is_some_and(|socket| socket.available)
    }

    /// `v[0]`: a part of a vector.
    pub(super) fn part(&mut self, base: &'p Expr, index: &'p Expr, at: usize, place: Place<'_>) -> Val {
        let word = match constant(index, self.faults) {
            Some(Value::Number(number)) => number
                .as_u64()
                .and_then(|number| VECTOR_PARTS.get(usize::try_from(number).ok()?)),
            Some(Value::String(word)) => return self.attribute(base, &word, at, place),
            _ => None,
        };
        match word {
            Some(word) => self.attribute(base, word, at, place),
            None => {
                self.error(
                    Code::TextForm,
                    at,
                    "Only parts of a vector have a number: 0, 1 or 2.",
                    "Write `v.x`.",
                );
                Val::Bad
            }
        }
    }

    /// A part of a vector or colour: a Separate XYZ or Separate Color node.
    fn separated(&mut self, whole: Output, word: &str, at: usize, place: Place<'_>) -> Val {
        let (kind, input) = match whole.kind.as_str() {
            COLOR => (SEPARATE_COLOR, "color"),
            _ => (SEPARATE, "vector"),
        };
        let output = match word {
            "r" => "red",
            "g" => "green",
            "b" => "blue",
            "a" => "alpha",
            word => word,
        };
        // In `high = position().z` the name is that of the node before the dots.
        let place = if whole.id == self.id_at(place, kind, None) {
            loose(place)
        } else {
            place
        };
        let Some(id) = self.helper(kind, at, place) else {
            return Val::Bad;
        };
        if let Some((socket, _)) = self.input_named(&id, input, at) {
            self.give(&id, &socket, Val::Out(whole), at);
        }
        self.output_named(&id, output, at).map_or(Val::Bad, Val::Out)
    }

    /// Reports a part that a value does not have.
    fn no_part(&mut self, word: &str, kind: Option<&str>, at: usize) -> Val {
        let (message, fix) = match kind {
            Some(VECTOR) | None => (
                format!("A vector has the parts x, y and z, not “{word}”."),
                "Write `v.x`; a colour has r, g, b and a.",
            ),
            Some(COLOR) => (
                format!("A colour has the parts r, g, b and a, not “{word}”."),
                "Write `c.r`; of a vector `v.x`.",
            ),
            Some("NodeSocketRotation") => (
                format!("A rotation has no part “{word}”."),
                "Make angles of it: `rotation_to_euler(r).euler.x`.",
            ),
            Some(kind) => {
                let kind = kind.trim_start_matches("NodeSocket");
                (
                    format!("A value of the type {kind} has no part “{word}”."),
                    "Name an output that is a vector or a colour, such as `position().z`.",
                )
            }
        };
        self.error(Code::UnknownSocket, at, message, fix);
        Val::Bad
    }

    /// `x.offset.z = 2.0`: one part of the value of an input; the others stay.
    pub(super) fn assign_component(&mut self, target: &'p ExprAttribute, word: &str, value: &'p Expr, start: usize) {
        let Expr::Name(name) = &*target.value else {
            return self.error(Code::TextForm, start, "Only inputs of named nodes are set so.", WHOLE);
        };
        let id = match self.name(name.id.as_str(), start) {
            Val::Node(id) => id,
            Val::Out(output) => output.id,
            Val::Bad => return,
            _ => {
                return self.error(
                    Code::TextForm,
                    start,
                    "What stands before the dot is not a node.",
                    WHOLE,
                );
            }
        };
        let Some((socket, input)) = self.input_named(&id, target.attr.as_str(), start) else {
            return;
        };
        let letters = parts_of(&socket.kind);
        let Some(number) = letters.iter().position(|part| *part == word) else {
            self.no_part(word, Some(&socket.kind), start);
            return;
        };
        if !self
            .draft
            .links_into(&(id.clone(), socket.identifier.clone()))
            .is_empty()
        {
            let message = format!(
                "The input “{}” is linked, so no part of it has a value of its own.",
                socket.name
            );
            return self.error(Code::InvalidValue, start, message, WHOLE);
        }
        let node = self.draft.node(&id);
        let state = node.and_then(|node| node.inputs.get(&socket.identifier)?.get("value").cloned());
        let Some(Value::Array(mut all)) = state.or_else(|| socket.default.clone()) else {
            let message = format!(
                "The value of “{}” is not known, so that a part of it could be set.",
                socket.name
            );
            return self.error(Code::InvalidValue, start, message, WHOLE);
        };
        match (constant(value, &mut Faults::default()), all.get_mut(number)) {
            (Some(part), Some(slot)) if part.is_number() => {
                *slot = part;
                self.give(&id, &socket, Val::Const(Value::Array(all)), start);
            }
            (None, Some(_)) if socket.kind == VECTOR => self.combined(&id, (&socket, &input), (number, all), value),
            _ => self.error(
                Code::InvalidValue,
                at(value),
                "A part is a number.",
                "Write `x.offset.z = 2.0`, or give the whole value.",
            ),
        }
    }

    /// A vector of which one part is computed.
    fn combined(
        &mut self,
        id: &str,
        (socket, word): (&Socket, &str),
        (number, all): (usize, Vec<Value>),
        value: &'p Expr,
    ) {
        let start = at(value);
        let place = Place::Feeds {
            owner: id,
            word,
            identifier: &socket.identifier,
            place: 0,
        };
        let Some(made) = self.helper(COMBINE, start, place) else {
            return;
        };
        for (place, (word, part)) in VECTOR_PARTS.into_iter().zip(all).enumerate() {
            if place == number {
                self.assign(&made, word, value);
            } else if let Some((input, _)) = self.input_named(&made, word, start) {
                self.give(&made, &input, Val::Const(part), start);
            }
        }
        self.give(id, socket, Val::Node(made), start);
    }

    /// A tuple with parts that are links: a Combine XYZ node.
    pub(super) fn parts(&mut self, parts: &'p [Expr], at: usize, place: Place<'_>) -> Val {
        if parts.len() != 3 {
            let message = "A tuple with links is a vector: it has three parts.";
            self.error(
                Code::TextForm,
                at,
                message,
                "Write (x, y, z); several links into one input are a list: [a, b].",
            );
            return Val::Bad;
        }
        let Some(id) = self.helper(COMBINE, at, place) else {
            return Val::Bad;
        };
        for (word, part) in VECTOR_PARTS.into_iter().zip(parts) {
            self.assign(&id, word, part);
        }
        Val::Node(id)
    }
}
