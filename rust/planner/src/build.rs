//! The plan of a preset whose parameters are known.

use std::collections::HashSet;

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;
use serde_json::{Value, json};

use crate::change::{depends, is_said, said_operations};
use crate::expr::{self, Scope};
use crate::naming::{self, About};
use crate::refusal::Refusal;
use crate::template::{Read, broken, facts, parameters, scale_of};
use crate::wording::{changed, message, sentence};

/// The plan of what was read.
pub(crate) fn build(read: &Read, context: &Context, about: About<'_>) -> Result<Value, Refusal> {
    let entry = read.entry;
    let missing = || {
        Refusal::new(
            Code::UnknownObject,
            format!("There is no object called “{}”.", read.cast.target),
        )
    };
    let object = context.object(&read.cast.target).ok_or_else(missing)?;
    let mut remarks = read.remarks.clone();
    let scale = scale_of(object, &mut remarks);
    let unit = context.units.metres_per_unit() * scale;
    if entry.preset.target.kinds.iter().any(|k| k == "MESH")
        && object.counts.as_ref().is_some_and(|c| c.faces == Some(0))
    {
        let message = format!(
            "“{}” is a mesh without faces, so there is nothing to work on. Choose another object.",
            object.name
        );
        return Err(Refusal::new(Code::WrongObjectKind, message));
    }
    let mut scope = facts(read, context, object, scale);
    let names = naming::names(&entry.preset.title, object, context, about);
    let assumed = parameters(read, &mut scope, unit, names.reused)?;
    remarks.extend(names.remark.clone());
    let template = if names.reused {
        said_operations(read, &scope, context, &names.group)
    } else {
        entry.operations.as_array().cloned().unwrap_or_default()
    };
    let filled = expr::substitute(&Value::Array(template.clone()), &scope).map_err(|e| broken(&e, entry))?;
    let mut operations = filled.as_array().cloned().unwrap_or_default();
    let mut steps = Vec::new();
    let target = json!({"object_name": object.name, "modifier_name": names.modifier, "node_group_name": names.group});
    if names.reused {
        let values = input_values(&operations, read, &scope);
        operations = restated(operations);
        let outdated = outdated(&template, &operations, context, &names.group);
        operations = without_present(operations, context, &names.group);
        operations.splice(0..0, outdated);
        if !operations.is_empty() {
            steps.push(json!({
                "id": entry.preset.id,
                "type": "NODE_TREE",
                "description": format!("Change “{}” of “{}”", names.group, object.name),
                "payload": {"target": target, "operations": operations},
            }));
        }
        if !values.is_empty() {
            steps.push(json!({
                "id": format!("{}_values", entry.preset.id),
                "type": "GN_OPS",
                "description": "Set the inputs of the modifier",
                "payload": {"v": 1, "target": {"object_name": object.name, "modifier_name": names.modifier}, "ops": values},
            }));
        }
        if read.cast.thing.is_some() && !is_said(read, "thing.name") {
            // What is placed is not assumed but stays.
            remarks.retain(|remark| !read.cast.remarks.contains(remark));
        }
        let final_message = changed(read, &scope, unit, &remarks, &names);
        return Ok(json!({"version": "1.1", "steps": steps, "done": true, "final_message": final_message}));
    }
    steps.push(json!({
        "id": entry.preset.id,
        "type": "NODE_TREE",
        "description": sentence(&entry.preset.plan.description, read, &scope, unit),
        "payload": {"target": target, "operations": operations},
    }));
    let final_message = message(read, &scope, unit, &assumed, &remarks, &names)?;
    let mut plan = json!({"version": "1.1", "steps": steps, "done": true, "final_message": final_message});
    let expects = expected(read, &scope, &object.name)?;
    if !expects.is_empty()
        && let Some(plan) = plan.as_object_mut()
    {
        plan.insert("meta".to_owned(), json!({"expects": expects}));
    }
    Ok(plan)
}

/// The certain properties of the result; existing geometry comes on top, so only lower bounds hold.
fn expected(read: &Read, scope: &Scope, object: &str) -> Result<Vec<Value>, Refusal> {
    let template = Value::Array(read.entry.preset.plan.expects.clone());
    let filled = expr::substitute(&template, scope).map_err(|e| broken(&e, read.entry))?;
    let named = filled.as_array().into_iter().flatten().filter_map(|one| {
        let mut one = one.as_object()?.clone();
        one.insert("object_name".to_owned(), json!(object));
        Some(Value::Object(one))
    });
    Ok(named.collect())
}

/// Sets the values from the prompt on the modifier too, since it keeps its own values when a tree is used again. Values that the prompt does not
/// mention stay as they are, set by hand or not.
fn input_values(operations: &[Value], read: &Read, scope: &Scope) -> Vec<Value> {
    let said = |op: &&Value| {
        let template = read.entry.operations.as_array().into_iter().flatten();
        let asked = template.filter(|one| one.get("op") == op.get("op") && one.get("name") == op.get("name"));
        asked
            .filter_map(|one| one.get("default"))
            .any(|default| depends(default, scope, &|name| is_said(read, name)))
    };
    operations
        .iter()
        .filter(|op| op.get("op") == Some(&json!("set_group_io")) && op.get("direction") == Some(&json!("input")))
        .filter(said)
        .filter_map(|op| {
            Some(json!({"op": "set_modifier_input", "name": op.get("name")?, "value": op.get("default")?}))
        })
        .collect()
}

/// Sets the properties of existing nodes again, since creating a node that exists leaves it unchanged.
fn restated(operations: Vec<Value>) -> Vec<Value> {
    let mut out = Vec::with_capacity(operations.len());
    for operation in operations {
        let properties = operation
            .get("properties")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default();
        let id = operation.get("node_id").cloned();
        out.push(operation);
        for (name, value) in properties {
            out.push(json!({"op": "set_property", "node_id": id, "property": name, "value": value}));
        }
    }
    out
}

/// The operations without those that create nodes which the tree has: the plan edits these nodes.
fn without_present(mut operations: Vec<Value>, context: &Context, group: &str) -> Vec<Value> {
    let Some(tree) = context.tree.as_ref().and_then(|bundle| bundle.trees.get(group)) else {
        return operations;
    };
    let present: HashSet<(&str, &str)> = tree
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node.kind.as_str()))
        .collect();
    operations.retain(|op| {
        let text = |key: &str| op.get(key).and_then(Value::as_str);
        let made = text("node_id").zip(text("bl_idname"));
        text("op") != Some("create_node") || !made.is_some_and(|made| present.contains(&made))
    });
    operations
}

/// Nodes left by an earlier run that belong to another variant of the repeated operations.
fn outdated(template: &[Value], operations: &[Value], context: &Context, group: &str) -> Vec<Value> {
    let created = |list: &[Value]| -> HashSet<String> {
        list.iter()
            .filter_map(|op| {
                op.get("node_id")?
                    .as_str()
                    .filter(|_| op.get("op") == Some(&json!("create_node")))
                    .map(str::to_owned)
            })
            .collect()
    };
    let possible = created(template);
    let wanted = created(operations);
    let Some(tree) = context.tree.as_ref().and_then(|bundle| bundle.trees.get(group)) else {
        return Vec::new();
    };
    tree.nodes
        .iter()
        .map(|node| node.id.as_str())
        .filter(|id| possible.contains(*id) && !wanted.contains(*id))
        .map(|id| json!({"op": "delete_node", "node_id": id}))
        .collect()
}
