//! Inputs and outputs that a plan calls `@…`: when it is carried out again, they are those that it made.

use std::collections::BTreeMap;

use geonode_protocol::{Action, GnOp, GroupIo, NodeTreeOp, Step};
use serde_json::Value;

use crate::documents::Document;
use crate::ops::side_of;

/// The step with the identifiers of the inputs and outputs that runs made for it in this tree; none where they made none.
pub(crate) fn with_known_sockets(step: &Step, tree: &str, before: &Document) -> Option<Step> {
    let made = before.tree_info.get(tree)?.made.as_ref()?;
    if made.sockets.is_empty() {
        return None;
    }
    let interface = &before.trees.get(tree)?.interface;
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for io in sockets_of(&step.action).into_iter().filter(|io| !io.remove) {
        let Some((key, identifier)) = io.identifier.as_ref().and_then(|key| made.sockets.get_key_value(key)) else {
            continue;
        };
        let mut items = interface.iter().filter(|item| item.is_socket(side_of(io)));
        if items.any(|item| item.identifier == *identifier && item.name == io.name) {
            known.insert(key, identifier);
        }
    }
    if known.is_empty() {
        return None;
    }
    let mut json = serde_json::to_value(step).ok()?;
    replace(json.get_mut("payload")?, &known);
    serde_json::from_value(json).ok()
}

/// What a step says of the interface.
fn sockets_of<'p>(action: &'p Action) -> Vec<&'p GroupIo> {
    let of_tree = |op: &'p NodeTreeOp| match op {
        NodeTreeOp::SetGroupIo(io) => Some(&**io),
        _ => None,
    };
    let small = |op: &'p GnOp| match op {
        GnOp::SetGroupIo(io) => Some(&**io),
        _ => None,
    };
    match action {
        Action::NodeTree(payload) => payload.operations.iter().filter_map(of_tree).collect(),
        Action::GnOps(payload) => payload.ops.iter().filter_map(small).collect(),
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => Vec::new(),
    }
}

fn replace(part: &mut Value, known: &BTreeMap<&str, &str>) {
    match part {
        Value::String(text) => {
            if let Some(identifier) = known.get(text.as_str()) {
                (*identifier).clone_into(text);
            }
        }
        Value::Array(parts) => parts.iter_mut().for_each(|part| replace(part, known)),
        Value::Object(fields) => fields.values_mut().for_each(|part| replace(part, known)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
