//! What a compiled plan does to the file, in a few sentences: first what is new, then what of the artist's is changed.

use std::collections::BTreeSet;

use geonode_graph::ir::{Side, Tree};
use geonode_graph::{Compiled, Document, StepDelta};
use geonode_protocol::{Action, Plan};

/// Nodes that lead or frame others and do nothing by themselves.
const SILENT: [&str; 4] = ["NodeGroupInput", "NodeGroupOutput", "NodeFrame", "NodeReroute"];

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
    let changed: Vec<String> = edited.filter_map(|name| edit(name, steps)).collect();
    let set = values(steps, compiled);
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
    lines.extend(changed);
    lines.extend(set);
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
        changed.extend(tree.labels.iter().map(|(id, _)| id));
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

/// The values that are set on modifiers that exist.
fn values(steps: &[StepDelta], compiled: &Compiled) -> Vec<String> {
    let mut found: Vec<(&String, &String, usize)> = Vec::new();
    for input in steps.iter().flat_map(|step| &step.modifier_inputs) {
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
            Some((_, _, count)) => *count += 1,
            None => found.push((&input.object, &input.modifier, 1)),
        }
    }
    let sentence = |(object, modifier, count): (&String, &String, usize)| {
        format!(
            "Sets {} of the modifier “{modifier}” of “{object}”.",
            counted(count, "input")
        )
    };
    found.into_iter().map(sentence).collect()
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
