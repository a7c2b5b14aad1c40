//! Calls of nodes as typed terms: what gives geometry, in a few levels, and fields.

use geonode_graph::catalogue::{NodeType, Socket};
use geonode_graph::ir::Map;
use indexmap::IndexMap;

use super::part::Part;
use super::scope::Scope;
use super::values;
use crate::names::{Names, SocketNames};

/// How deep calls that take geometry nest.
const LEVELS: usize = 4;

/// The rule of the outermost geometry.
pub(super) const TOP: &str = "geometry-3";

const GEOMETRY: &str = "NodeSocketGeometry";

/// Types of fields that have a rule, and the name of it.
const FIELDS: [(&str, &str); 3] = [
    ("NodeSocketFloat", "float-field"),
    ("NodeSocketVector", "vector-field"),
    ("NodeSocketBool", "bool-field"),
];

/// Adds the rules of geometry and of fields.
pub(super) fn rules(scope: &Scope<'_>, names: &Names<'_>, rules: &mut IndexMap<String, Part>) {
    let types: Vec<(&str, &NodeType)> = scope
        .nodes
        .iter()
        .filter_map(|kind| Some((*kind, names.catalogue().nodes.get(*kind)?)))
        // Ends of zones and of groups, frames and the like are no calls that stand alone.
        .filter(|(_, node)| node.category.is_none())
        .collect();
    // Sources stand at every level, what takes geometry takes it from the level below.
    let sources: Vec<Part> = types
        .iter()
        .filter(|(_, node)| !takes_geometry(node))
        .filter_map(|(kind, node)| {
            let call = source(kind, node, GEOMETRY, scope, names)?;
            Some(added(rules, &rule_name(&names.call(kind), None), call))
        })
        .collect();
    for level in 0..LEVELS {
        let mut any = vec![Part::text("geometry")];
        any.extend(sources.iter().cloned());
        if let Some(below) = level.checked_sub(1) {
            let nodes = types.iter().filter(|(_, node)| takes_geometry(node));
            for (kind, node) in nodes {
                if let Some(call) = call(kind, node, &geometry(below), scope, names) {
                    any.push(added(rules, &rule_name(&names.call(kind), Some(level)), call));
                }
            }
        }
        rules.insert(geometry(level), Part::Any(any));
    }
    for (kind, rule) in FIELDS {
        let fields = types.iter().filter(|(_, node)| !takes_geometry(node));
        let fields: Vec<Part> = fields
            .filter_map(|(name, node)| source(name, node, kind, scope, names))
            .collect();
        if !fields.is_empty() {
            rules.insert(rule.to_owned(), Part::Any(fields));
        }
    }
    // A rule that no input uses is no mistake, but a rule that is used has to be there.
    let known: Vec<String> = rules.keys().cloned().collect();
    for part in rules.values_mut() {
        only_known(part, &known);
    }
}

fn geometry(level: usize) -> String {
    format!("geometry-{level}")
}

fn added(rules: &mut IndexMap<String, Part>, name: &str, part: Part) -> Part {
    rules.insert(name.to_owned(), part);
    Part::rule(name)
}

/// A name of a rule for a call: letters, digits and hyphens.
fn rule_name(call: &str, level: Option<usize>) -> String {
    let name: String = call
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    match level {
        Some(level) => format!("call-{name}-{level}"),
        None => format!("call-{name}"),
    }
}

/// The sockets that can be said, with their words.
fn usable(sockets: &[Socket]) -> Vec<(&Socket, String)> {
    let words = SocketNames::of(sockets);
    let each = sockets.iter().enumerate();
    each.filter(|(_, socket)| socket.available && !socket.name.is_empty())
        .filter_map(|(place, socket)| Some((socket, words.word_at(place)?.to_owned())))
        .collect()
}

fn takes_geometry(node: &NodeType) -> bool {
    let state = node.state(&Map::default());
    usable(&state.inputs).iter().any(|(socket, _)| socket.kind == GEOMETRY)
}

/// A call without geometry whose output is of this type.
fn source(kind: &str, node: &NodeType, wanted: &str, scope: &Scope<'_>, names: &Names<'_>) -> Option<Part> {
    let state = node.state(&Map::default());
    let outputs = usable(&state.outputs);
    let place = outputs.iter().position(|(socket, _)| socket.kind == wanted)?;
    // What gives geometry is no field of what else it gives.
    if wanted != GEOMETRY && (place > 0 || outputs.iter().any(|(socket, _)| socket.kind == GEOMETRY)) {
        return None;
    }
    let mut parts = vec![arguments(kind, node, None, wanted == GEOMETRY, scope, names)?];
    if let Some((_, word)) = outputs.get(place).filter(|_| place > 0) {
        parts.push(Part::text(format!(".{word}")));
    }
    Some(Part::All(parts))
}

/// A call that takes geometry and whose first output is geometry.
fn call(kind: &str, node: &NodeType, below: &str, scope: &Scope<'_>, names: &Names<'_>) -> Option<Part> {
    let outputs = usable(&node.state(&Map::default()).outputs);
    outputs.first().filter(|(socket, _)| socket.kind == GEOMETRY)?;
    arguments(kind, node, Some(below), true, scope, names)
}

/// The call with its arguments: geometry is always given, other inputs in their order where the model wants them.
fn arguments(
    kind: &str,
    node: &NodeType,
    below: Option<&str>,
    fields: bool,
    scope: &Scope<'_>,
    names: &Names<'_>,
) -> Option<Part> {
    let state = node.state(&Map::default());
    let mut needed = Vec::new();
    let mut free = Vec::new();
    for (place, (socket, word)) in usable(&state.inputs).into_iter().enumerate() {
        if socket.kind == GEOMETRY {
            let below = Part::rule(below?);
            needed.push(match (place, socket.multi) {
                (0, true) => Part::All(vec![below.clone(), Part::text(", "), below]),
                (0, false) => below,
                (_, true) => Part::All(vec![Part::text(format!("{word}=[")), below, Part::text("]")]),
                (_, false) => Part::All(vec![Part::text(format!("{word}=")), below]),
            });
        } else if let Some(value) = argument(socket, fields, scope) {
            free.push(Part::All(vec![Part::text(format!("{word}=")), value]));
        }
    }
    let mut parts = vec![Part::text(format!("{}(", names.call(kind)))];
    if needed.is_empty() {
        parts.push(some_of(&free));
    } else {
        for (number, part) in needed.into_iter().enumerate() {
            parts.extend((number > 0).then(|| Part::text(", ")));
            parts.push(part);
        }
        parts.extend(free.iter().map(|part| after_comma(part).or_nothing()));
    }
    parts.push(Part::text(")"));
    Some(Part::All(parts))
}

/// The value of an input: one that is written, or a field where the input takes one.
fn argument(socket: &Socket, fields: bool, scope: &Scope<'_>) -> Option<Part> {
    let value = values::of(socket, &|kind| scope.data(kind));
    let single = socket.structure.as_deref() == Some("single");
    let field = FIELDS
        .iter()
        .find(|(kind, _)| fields && !single && *kind == socket.kind)
        .map(|(_, rule)| Part::rule(*rule));
    match (value, field) {
        (Some(value), Some(field)) => Some(Part::Any(vec![value, field])),
        (value, field) => value.or(field),
    }
}

/// Some of the arguments, in their order, with commas between them.
fn some_of(parts: &[Part]) -> Part {
    let begin = (0..parts.len()).filter_map(|first| {
        let (part, rest) = parts.get(first..)?.split_first()?;
        let rest = rest.iter().map(|part| after_comma(part).or_nothing());
        Some(Part::All(std::iter::once(part.clone()).chain(rest).collect()))
    });
    let begin: Vec<Part> = begin.collect();
    if begin.is_empty() {
        return Part::text("");
    }
    Part::Any(begin).or_nothing()
}

fn after_comma(part: &Part) -> Part {
    Part::All(vec![Part::text(", "), part.clone()])
}

/// Leaves out choices of rules that are not there.
fn only_known(part: &mut Part, known: &[String]) {
    let parts: &mut [Part] = match part {
        Part::All(parts) => parts,
        Part::Any(parts) => {
            parts.retain(|part| !matches!(part, Part::Rule(name) if !known.contains(name)));
            parts
        }
        Part::Times(part, ..) => std::slice::from_mut(part.as_mut()),
        Part::Text(_) | Part::Digit(..) | Part::Rule(_) => return,
    };
    for part in parts {
        only_known(part, known);
    }
}
