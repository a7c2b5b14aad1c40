//! Changes the last result: only operations that depend on the words of the prompt are repeated, so that everything else stays unchanged.

use std::collections::HashSet;

use geonode_graph::documents::context::Context;
use geonode_graph::ir::{Side, Tree};
use serde_json::Value;

use crate::expr::{self, Scope};
use crate::library::Entry;
use crate::roles::Thing;
use crate::template::Read;

/// The operations of a preset that depend on what the prompt says, as a template.
pub(crate) fn said_operations(read: &Read, scope: &Scope, context: &Context, group: &str) -> Vec<Value> {
    let operations = read.entry.operations.as_array().map_or(&[][..], Vec::as_slice);
    let tree = context.tree.as_ref().and_then(|bundle| bundle.trees.get(group));
    let mut also: HashSet<&str> = HashSet::new();
    loop {
        let is_said = |name: &str| is_said(read, name) || also.contains(name);
        let said: Vec<&Value> = operations.iter().filter(|one| depends(one, scope, &is_said)).collect();
        // An input that the tree lacks belongs to another variant of the preset, which other parameters choose.
        let more: Vec<&str> = said
            .iter()
            .filter(|one| tree.is_some_and(|tree| makes_input(one, tree)))
            .flat_map(|one| names(one.get("when"), scope))
            .filter(|name| read.entry.preset.parameter(name).is_some() && !is_said(name))
            .collect();
        if more.is_empty() {
            return said.into_iter().cloned().collect();
        }
        also.extend(more);
    }
}

/// Whether an operation makes an input that the tree does not have.
fn makes_input(operation: &Value, tree: &Tree) -> bool {
    let text = |key: &str| operation.get(key).and_then(Value::as_str);
    let known = |name: &str| {
        tree.interface
            .iter()
            .any(|item| item.is_socket(Side::Input) && item.name == name)
    };
    text("op") == Some("set_group_io")
        && text("direction") == Some("input")
        && text("name").is_some_and(|name| !known(name))
}

/// Whether the prompt gives the parameter, or the thing that a name of the template is about.
pub(crate) fn is_said(read: &Read, name: &str) -> bool {
    let thing = matches!(
        read.cast.thing,
        Some(Thing::Object(_) | Thing::Collection(_) | Thing::Shape(_, Some(_)))
    );
    // Its size follows from it, but may have been turned since.
    let of_thing = name.starts_with("thing.") && name != "thing.dims";
    read.values.contains_key(name.strip_prefix("said.").unwrap_or(name)) || thing && of_thing
}

/// Whether an expression of a template uses such a name.
pub(crate) fn depends(template: &Value, scope: &Scope, is_said: &dyn Fn(&str) -> bool) -> bool {
    match template {
        Value::Object(fields) => fields.iter().any(|(key, part)| match key.as_str() {
            "$" | "when" => names(Some(part), scope).into_iter().any(is_said),
            _ => depends(part, scope, is_said),
        }),
        Value::Array(parts) => parts.iter().any(|part| depends(part, scope, is_said)),
        _ => false,
    }
}

/// The names that the value of an expression follows from; of a condition, those of the branch that holds.
fn names<'v>(expression: Option<&'v Value>, scope: &Scope) -> Vec<&'v str> {
    let all = |parts: &'v [Value]| parts.iter().flat_map(|part| names(Some(part), scope)).collect();
    match expression {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(parts)) => match parts.as_slice() {
            [Value::String(operator), ..] if operator == "'" => Vec::new(),
            [Value::String(operator), test, yes, no] if operator == "if" => {
                let holds = expr::eval(test, scope).is_ok_and(|value| expr::truthy(&value));
                let branch = if holds { yes } else { no };
                [test, branch]
                    .into_iter()
                    .flat_map(|part| names(Some(part), scope))
                    .collect()
            }
            [Value::String(_), operands @ ..] => all(operands),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The preset that made a node group of this name: runs leave the name of the preset, or that name with a number.
pub(crate) fn preset_of<'a>(entries: &'a [Entry], group: &str) -> Option<&'a Entry> {
    entries
        .iter()
        .find(|entry| crate::naming::is_numbered(group, &entry.preset.title))
}
