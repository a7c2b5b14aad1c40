//! The tools of other programs: those that models have, and what only a program needs that plans by itself.

use std::sync::Arc;

use geonode_graph::Catalogue;
use geonode_tools::{Access, Registry, Runner, RunsIn, Spec, SpecError, Tool};
use serde_json::{Value, json};

use super::builtin::{self, World};
use super::registered;

/// Every tool that other programs may call, with those that scripts have added so far. Their results are not cut into pages: a program has its own memory.
///
/// # Errors
/// Never; a test makes them.
pub fn agent_tools(catalogue: &Arc<Catalogue>) -> Result<Registry, SpecError> {
    let world = World::new(Value::Null, catalogue);
    let mut registry = Registry::default();
    // Its picture shows an object; theirs is wider.
    for spec in builtin::specs()?.iter().filter(|spec| spec.id != builtin::PICTURE) {
        registry.add(Tool {
            runner: builtin::runner(spec, &world)?,
            spec: Arc::clone(spec),
        })?;
    }
    registry.add(Tool {
        spec: Arc::new(guide()?),
        runner: Runner::Core(Arc::new(|_, _| Ok(json!({"guide": how_to_plan()})))),
    })?;
    for spec in contracts()? {
        registry.add(Tool {
            spec: Arc::new(spec),
            runner: Runner::Host(Arc::new(|_, raw| Ok(raw))),
        })?;
    }
    // As in runs, tools that write are not called: only the changes of a plan can be taken back.
    for spec in registered::added().values().filter(|spec| spec.access == Access::Reads) {
        if registry.get(&spec.id).is_none() {
            registry.add(Tool {
                spec: Arc::clone(spec),
                runner: Runner::Host(Arc::new(|_, raw| Ok(raw))),
            })?;
        }
    }
    Ok(registry)
}

/// How a plan and its trees are written: the page that models are told.
fn how_to_plan() -> String {
    let plan = json!({
        "version": "1.2",
        "steps": [{"id": "s1", "type": "NODE_TREE", "description": "…", "payload": {"text": "PAGE"}}],
        "done": true,
        "final_message": "…",
    });
    let pages = geonode_prompting::prompt("pages").unwrap_or_default();
    format!("A plan is one JSON object, with a page of tree text in each step: {plan}\n\n{pages}")
}

fn guide() -> Result<Spec, SpecError> {
    let words = "How a plan is written, in one page with an example. Read it once before the first plan.";
    let none = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let gives = json!({"type": "object", "properties": {"guide": {"type": "string"}}, "required": ["guide"]});
    Ok(Spec::new("how_to_plan", "How to plan", words, none, gives)?.pure())
}

fn on_host(id: &str, words: &str, fields: &Value, required: &[&str], gives: &Value) -> Result<Spec, SpecError> {
    let input = json!({"type": "object", "properties": fields, "required": required, "additionalProperties": false});
    let output = json!({"type": "object", "properties": gives});
    let spec = Spec::new(id, &id.replace('_', " "), words, input, output)?.within(60.0)?;
    Ok(Spec {
        place: RunsIn::Host,
        ..spec
    })
}

/// A tool that changes the file: its plan is shown in Blender, and the artist answers.
fn asking(spec: Spec) -> Result<Spec, SpecError> {
    Ok(Spec {
        access: Access::Writes,
        requires_approval: true,
        ..spec.within(600.0)?
    })
}

fn contracts() -> Result<Vec<Spec>, SpecError> {
    let mut specs = reading()?;
    specs.extend(changing()?);
    specs.extend(files()?);
    Ok(specs)
}

fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn tree() -> Value {
    json!({"type": "string"})
}

fn target() -> Value {
    text("Default: the active object.")
}

fn plan() -> Value {
    json!({"type": "object", "description": "As `how_to_plan` says."})
}

/// What a run came to.
fn report() -> Value {
    json!({"status": {"type": "string"}, "message": {"type": "string"}, "changes": {"type": "array"}})
}

fn reading() -> Result<Vec<Spec>, SpecError> {
    Ok(vec![
        on_host(
            builtin::PICTURE,
            "A small picture of an object as evaluated, of the artist's `viewport`, or a `render` through the camera: Cycles, few samples, no compositing.",
            &json!({
                "object_name": target(),
                "view": {"enum": ["perspective", "front", "side", "top", "viewport", "render"], "description": "Default: perspective."},
            }),
            &[],
            &json!({
                "object": {"type": "string"}, "image": {"type": "object"},
                "width": {"type": "integer"}, "height": {"type": "integer"},
            }),
        )?,
        on_host(
            "check_plan",
            "Checks what `apply_plan` would apply, without applying it: findings with code, path and fix.",
            &json!({"plan": plan(), "object": target()}),
            &["plan"],
            &json!({"ok": {"type": "boolean"}, "messages": {"type": "array"}}),
        )?,
        on_host(
            "explain_tree",
            "A Geometry Nodes tree in plain words.",
            &json!({"node_group_name": tree()}),
            &["node_group_name"],
            &json!({"lines": {"type": "array"}}),
        )?,
        on_host(
            "tree_export",
            "The complete document of a tree with its nested groups, for `tree_import`.",
            &json!({"node_group_name": tree()}),
            &["node_group_name"],
            &json!({"document": {"type": "object"}}),
        )?,
        on_host(
            "tree_diff",
            "What differs between two trees, in plain words. Each is the name of a tree, or a file of `tree_save`.",
            &json!({"before": tree(), "after": tree()}),
            &["before", "after"],
            &json!({"lines": {"type": "array"}}),
        )?,
        on_host(
            "list_presets",
            "All presets, or `preset` with its parameters.",
            &json!({"preset": tree()}),
            &[],
            &json!({"presets": {"type": "array"}}),
        )?,
        on_host(
            "history",
            "The last 20 runs, or those with the words, newest first.",
            &json!({"search": tree()}),
            &[],
            &json!({"runs": {"type": "array"}}),
        )?,
    ])
}

/// Each is a run: checked, shown, approved, judged, one undo step.
fn changing() -> Result<Vec<Spec>, SpecError> {
    let change = |id: &str, words: &str, fields: &Value, required: &str| {
        asking(on_host(id, words, fields, &[required], &report())?)
    };
    Ok(vec![
        change(
            "apply_plan",
            "Applies a plan as one undo step, once the artist approves it in Blender. Every change is checked, and taken back if a check fails.",
            &json!({"plan": plan(), "object": target()}),
            "plan",
        )?,
        change(
            "apply_preset",
            "As `apply_plan`, with a preset. `values` by parameter: metres, degrees.",
            &json!({"preset": tree(), "object": target(), "values": {"type": "object"}}),
            "preset",
        )?,
        change(
            "tree_generate",
            "As `apply_plan`, from a sentence, by the built-in planner: “scatter 50 rocks”.",
            &json!({"description": tree(), "object": target()}),
            "description",
        )?,
        change(
            "tree_import",
            "As `apply_plan`, with a tree of `tree_export`.",
            &json!({"document": {"type": "object"}, "object": target()}),
            "document",
        )?,
        change(
            "tree_load",
            "As `apply_plan`, with a tree from a file of `tree_save`.",
            &json!({"path": text("In the folder of the .blend file."), "object": target()}),
            "path",
        )?,
    ])
}

/// Files in the folder of the .blend file, and no others.
fn files() -> Result<Vec<Spec>, SpecError> {
    let file = |id: &str, words: &str, more: &str, gives: &str| {
        let mut fields = json!({"path": tree(), "overwrite": {"type": "boolean"}});
        let mut required = vec!["path"];
        if let (Some(fields), false) = (fields.as_object_mut(), more.is_empty()) {
            fields.insert(more.to_owned(), tree());
            required.push(more);
        }
        asking(on_host(
            id,
            words,
            &fields,
            &required,
            &json!({gives: {"type": "string"}}),
        )?)
    };
    Ok(vec![
        file(
            "tree_save",
            "Writes a tree to a .json file in the folder of the .blend file, once the artist approves.",
            "node_group_name",
            "path",
        )?,
        file(
            "preset_export",
            "As `tree_save`, a preset of the artist's, .toml.",
            "preset",
            "path",
        )?,
        file(
            "preset_import",
            "Adds a preset from such a file, once the artist approves.",
            "",
            "preset",
        )?,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_the_file_asks_and_nothing_else_does() {
        let registry = agent_tools(&Arc::new(Catalogue::default())).unwrap();
        let asks = |tool: &&Tool| tool.spec.requires_approval;
        let asking: Vec<&str> = registry.iter().filter(asks).map(|tool| tool.spec.id.as_str()).collect();
        let all = [
            "apply_plan",
            "apply_preset",
            "tree_generate",
            "tree_import",
            "tree_load",
            "tree_save",
            "preset_export",
            "preset_import",
        ];
        assert_eq!(asking, all);
        for tool in registry.iter() {
            assert_eq!(tool.spec.access == Access::Writes, tool.spec.requires_approval);
        }
    }
}
