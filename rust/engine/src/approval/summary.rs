//! What a compiled plan does to the file, in a few sentences: first what is new, then what of the artist's is changed.

use std::collections::BTreeSet;

use geonode_graph::documents::delta::{InterfaceEdit, ModifierInput};
use geonode_graph::ir::{Item, Side, Tree};
use geonode_graph::{Compiled, Document, StepDelta};
use geonode_protocol::{Action, Plan};
use serde_json::Value;

/// Nodes that lead or frame others and do nothing by themselves.
const SILENT: [&str; 4] = ["NodeGroupInput", "NodeGroupOutput", "NodeFrame", "NodeReroute"];

/// Most inputs of a modifier that are told with their values; more are counted.
const TOLD: usize = 4;

/// The sentences, the most important first.
pub(super) fn summary(plan: &Plan, before: &Document, compiled: &Compiled) -> Vec<String> {
    let steps = &compiled.steps;
    let mut lines: Vec<String> = Vec::new();
    let mut told = BTreeSet::new();
    let mut made: BTreeSet<&String> = compiled.new_objects.iter().collect();
    for (object, modifier) in &compiled.new_modifiers {
        let tree = steps
            .iter()
            .flat_map(|step| &step.modifiers)
            .find(|edit| edit.object == *object && edit.name == *modifier)
            .map(|edit| edit.node_group.as_str());
        let size = tree.and_then(|name| {
            let is_new = !before.trees.contains_key(name);
            (is_new && told.insert(name)).then(|| size(compiled.after.trees.get(name)))
        });
        let size = size.flatten();
        if made.remove(object) {
            let size = size.map_or_else(String::new, |size| format!(": {size}"));
            lines.push(format!(
                "Makes the object “{object}” with the modifier “{modifier}”{size}."
            ));
            continue;
        }
        lines.push(match (size, tree) {
            (Some(size), _) => format!("Adds the modifier “{modifier}” to “{object}”: {size}."),
            (None, Some(tree)) => format!("Adds the modifier “{modifier}” to “{object}”, with the tree “{tree}”."),
            (None, None) => format!("Adds the modifier “{modifier}” to “{object}”."),
        });
    }
    for name in compiled.new_trees.iter().filter(|name| !told.contains(name.as_str())) {
        let size = size(compiled.after.trees.get(name)).map_or_else(String::new, |size| format!(": {size}"));
        lines.push(format!("Makes the tree “{name}”{size}."));
    }
    let edited = compiled
        .touched_trees
        .iter()
        .filter(|name| before.trees.contains_key(*name));
    let changed: Vec<String> = edited
        .filter(|name| !only_follows(name, steps))
        .filter_map(|name| edit(name, steps))
        .collect();
    let set = values(steps, before, compiled);
    let scripts = plan
        .steps
        .iter()
        .filter(|step| matches!(step.action, Action::Python(_)))
        .count();
    let others = plan
        .steps
        .iter()
        .filter(|step| matches!(step.action, Action::Added(_)))
        .count();
    let harmless = changed.is_empty() && set.is_empty() && scripts == 0 && others == 0 && !replaces(steps);
    // What becomes of values is what somebody who changes a result has asked for.
    lines.extend(set);
    lines.extend(changed);
    if scripts > 0 {
        lines.push(format!("Runs {}.", counted(scripts, "script")));
    }
    if harmless && !lines.is_empty() {
        lines.push("Nothing of yours changes.".to_owned());
    }
    lines
}

/// `24 nodes, 9 inputs`, without the geometry that goes through; `None` for an unknown tree.
fn size(tree: Option<&Tree>) -> Option<String> {
    let tree = tree?;
    let nodes = tree
        .nodes
        .iter()
        .filter(|node| !SILENT.contains(&node.kind.as_str()))
        .count();
    let values =
        |item: &&geonode_graph::ir::Item| item.is_socket(Side::Input) && item.socket_type != "NodeSocketGeometry";
    let inputs = tree.interface.iter().filter(values).count();
    let inputs = (inputs > 0).then(|| format!(", {}", counted(inputs, "input")));
    Some(format!("{}{}", counted(nodes, "node"), inputs.unwrap_or_default()))
}

/// What is done to a tree that exists.
fn edit(name: &str, steps: &[StepDelta]) -> Option<String> {
    let deltas: Vec<_> = steps
        .iter()
        .flat_map(|step| &step.trees)
        .filter(|tree| tree.tree == name)
        .collect();
    let added: BTreeSet<&String> = deltas
        .iter()
        .flat_map(|tree| tree.add.iter().map(|node| &node.id))
        .collect();
    let removed: BTreeSet<&String> = deltas
        .iter()
        .flat_map(|tree| &tree.remove)
        .filter(|id| !added.contains(id))
        .collect();
    let mut changed: BTreeSet<&String> = BTreeSet::new();
    let mut links: usize = 0;
    let mut interface: usize = 0;
    for tree in &deltas {
        changed.extend(tree.labels.iter().chain(&tree.names).map(|(id, _)| id));
        changed.extend(tree.props.iter().map(|(id, _, _)| id));
        changed.extend(tree.items.iter().map(|(id, _, _)| id));
        changed.extend(tree.values.iter().chain(&tree.late_values).map(|(id, _, _)| id));
        let new = tree.links.iter().filter(|link| {
            let (from, _, to, _) = link.ends();
            !added.contains(from) && !added.contains(to)
        });
        links += tree.unlink.len() + new.count();
        interface += tree.interface.len();
    }
    let changed = changed
        .iter()
        .filter(|id| !added.contains(*id) && !removed.contains(*id))
        .count();
    let parts: Vec<String> = [
        (added.len(), "node", "added"),
        (removed.len(), "node", "removed"),
        (changed, "node", "changed"),
        (links, "link", "changed"),
        (interface, "input or output", "changed"),
    ]
    .into_iter()
    .filter(|(count, _, _)| *count > 0)
    .map(|(count, what, done)| format!("{} {done}", counted(count, what)))
    .collect();
    (!parts.is_empty()).then(|| format!("Changes the tree “{name}”: {}.", parts.join(", ")))
}

/// Whether all that is done to a tree is that inputs get the values as defaults that modifiers of it get too.
fn only_follows(name: &str, steps: &[StepDelta]) -> bool {
    let set: BTreeSet<&str> = inputs(steps).map(|input| input.identifier.as_str()).collect();
    let follows = |edit: &InterfaceEdit| match edit {
        InterfaceEdit::Change {
            identifier,
            name: None,
            parent: None,
            props,
            ..
        } => set.contains(identifier.as_str()) && props.keys().all(|name| name == "default_value"),
        _ => false,
    };
    let mut deltas = steps
        .iter()
        .flat_map(|step| &step.trees)
        .filter(|tree| tree.tree == name);
    deltas.all(|tree| {
        let mut rest = tree.clone();
        rest.interface.retain(|edit| !follows(edit));
        rest.is_empty()
    })
}

fn inputs(steps: &[StepDelta]) -> impl Iterator<Item = &ModifierInput> {
    steps.iter().flat_map(|step| &step.modifier_inputs)
}

/// The values that are set on modifiers that exist: a few with what they are now, many by their number.
fn values(steps: &[StepDelta], before: &Document, compiled: &Compiled) -> Vec<String> {
    let mut found: Vec<(&String, &String, Vec<&ModifierInput>)> = Vec::new();
    for input in inputs(steps) {
        if compiled
            .new_modifiers
            .contains(&(input.object.clone(), input.modifier.clone()))
        {
            continue;
        }
        match found
            .iter_mut()
            .find(|(object, modifier, _)| **object == input.object && **modifier == input.modifier)
        {
            Some((_, _, set)) => {
                // The last one counts.
                set.retain(|other| other.identifier != input.identifier);
                set.push(input);
            }
            None => found.push((&input.object, &input.modifier, vec![input])),
        }
    }
    let mut lines = Vec::new();
    for (object, modifier, set) in found {
        let told: Option<Vec<String>> = set.iter().map(|input| turned(input, before)).collect();
        match told {
            Some(told) if set.len() <= TOLD => lines.extend(told),
            _ => lines.push(format!(
                "Sets {} of the modifier “{modifier}” of “{object}”.",
                counted(set.len(), "input")
            )),
        }
    }
    lines
}

/// `“Strength” of the modifier “Noise” of “Cube”: 0.5 m → 0.3333 m.` `None` where the value is no number and no switch.
fn turned(input: &ModifierInput, before: &Document) -> Option<String> {
    let modifiers = &before.objects.get(&input.object)?.modifiers;
    let modifier = modifiers.iter().find(|one| one.name == input.modifier)?;
    let tree = before.trees.get(modifier.node_group.as_ref()?)?;
    let is_meant = |item: &&Item| item.is_socket(Side::Input) && item.identifier == input.identifier;
    let item = tree.interface.iter().find(is_meant)?;
    let unit = item.props.get("subtype").and_then(Value::as_str).unwrap_or_default();
    let now = modifier.inputs.get(&input.identifier)?;
    Some(format!(
        "“{}” of the modifier “{}” of “{}”: {} → {}.",
        item.name,
        input.modifier,
        input.object,
        told(now, unit)?,
        told(&input.value, unit)?
    ))
}

/// A number or a switch as its slider shows it, with four digits behind the point at most.
fn told(value: &Value, subtype: &str) -> Option<String> {
    let number = match value {
        Value::Bool(on) => return Some(if *on { "on" } else { "off" }.to_owned()),
        Value::Number(number) => number.as_f64()?,
        _ => return None,
    };
    let (number, unit) = match subtype {
        "DISTANCE" => (number, " m"),
        "ANGLE" => (number.to_degrees(), "°"),
        "TIME_ABSOLUTE" => (number, " s"),
        "PERCENTAGE" => (number, " %"),
        _ => (number, ""),
    };
    // A tiny one would become nothing.
    if number != 0.0 && number.abs() < 0.001 {
        return Some(format!("{number:e}{unit}"));
    }
    let text = format!("{number:.4}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    Some(format!("{text}{unit}"))
}

/// Whether a modifier that exists gets another tree.
fn replaces(steps: &[StepDelta]) -> bool {
    steps.iter().flat_map(|step| &step.modifiers).any(|edit| !edit.create)
}

fn counted(count: usize, what: &str) -> String {
    match (count, what) {
        (1, "input or output") => "an input or output".to_owned(),
        (_, "input or output") => format!("{count} inputs and outputs"),
        (1, _) => format!("{count} {what}"),
        _ => format!("{count} {what}s"),
    }
}
