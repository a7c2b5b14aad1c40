//! Items of repeat and simulation zones that are read inside and get no next value: after the first round they are zero, or empty.

use geonode_graph::ir::{Node, Tree};
use geonode_protocol::{Code, Severity};
use serde_json::Value;

use super::doubt::Doubt;
use crate::facts::Facts;

/// Roles of the outer ends of zones whose items go round.
const OUTER: [&str; 2] = ["zone:repeat:out", "zone:simulation:out"];
/// What the identifiers of items' sockets begin with, on both ends.
const ITEM: &str = "Item_";

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let mut found = Vec::new();
    for (name, tree) in facts.written_trees() {
        for outer in &tree.nodes {
            let is_zone = facts.category(&outer.kind).is_some_and(|role| OUTER.contains(&role));
            if !is_zone || facts.origin(name, &outer.id).is_some() {
                continue;
            }
            let inner = tree.nodes.iter().find(|node| node.pair.as_ref() == Some(&outer.id));
            for item in inner.into_iter().flat_map(|inner| unset(tree, inner, outer)) {
                found.push(Doubt {
                    severity: Severity::Warning,
                    code: Code::ItemNotSet,
                    node: Some(outer.id.clone()),
                    socket: Some(item.clone()),
                    cause: format!(
                        "The item “{item}” of the zone “{}” is read inside and gets no next value, so that it is zero or empty after the first round.",
                        outer.id
                    ),
                    fix: "Give it its next value inside, if only the one that it has: zone_out.item = zone_in.item.".to_owned(),
                });
            }
        }
    }
    found
}

/// The names of the items that the inner end gives and the outer end does not get.
fn unset(tree: &Tree, inner: &Node, outer: &Node) -> Vec<String> {
    let mut items: Vec<&str> = tree
        .links
        .iter()
        .filter(|link| link.from.0 == inner.id && link.from.1.starts_with(ITEM))
        .map(|link| link.from.1.as_str())
        .collect();
    items.sort_unstable();
    items.dedup();
    let is_set = |item: &&str| {
        let linked = tree
            .links
            .iter()
            .any(|link| link.to.0 == outer.id && link.to.1 == **item);
        let value = outer.inputs.get(*item).and_then(|state| state.get("value"));
        linked || value.is_some_and(|value| !is_zero(value))
    };
    let number = |item: &str| item.strip_prefix(ITEM).and_then(|number| number.parse::<u64>().ok());
    let name = |item: &str| {
        let mut all = outer.items.values().flatten();
        let entry = all.find(|entry| entry.get("identifier").and_then(Value::as_u64) == number(item));
        let name = entry.and_then(|entry| entry.get("name")).and_then(Value::as_str);
        name.unwrap_or(item).to_owned()
    };
    items.into_iter().filter(|item| !is_set(item)).map(name).collect()
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.iter().all(is_zero),
        Value::Object(_) => false,
    }
}
