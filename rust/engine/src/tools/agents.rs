//! The tools of other programs: those that models have, and what only a program needs that plans by itself.

use std::sync::Arc;

use geonode_graph::Catalogue;
use geonode_tools::{Access, Registry, Runner, RunsIn, Spec, SpecError, Tool};
use serde_json::{Value, json};

use super::builtin::{self, World};

/// Every tool that other programs may call. Their results are not cut into pages: a program has its own memory.
///
/// # Errors
/// Never; a test makes them.
pub fn agent_tools(catalogue: &Arc<Catalogue>) -> Result<Registry, SpecError> {
    let world = Arc::new(World {
        context: Value::Null,
        catalogue: Arc::clone(catalogue),
    });
    let mut registry = Registry::default();
    for spec in builtin::specs()? {
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
    let plan =
        json!({"type": "object", "description": "A plan of this add-on's protocol; `check_plan` names its mistakes."});
    let object = json!({"type": "string", "description": "Default: the active object."});
    let report = json!({"status": {"type": "string"}, "message": {"type": "string"}, "changes": {"type": "array"}});
    Ok(vec![
        on_host(
            "check_plan",
            "Checks a plan against this Blender and this file without applying it: findings with code, path and fix.",
            &json!({"plan": plan}),
            &["plan"],
            &json!({"ok": {"type": "boolean"}, "messages": {"type": "array"}}),
        )?,
        on_host(
            "explain_tree",
            "A Geometry Nodes tree in plain words.",
            &json!({"node_group_name": {"type": "string"}}),
            &["node_group_name"],
            &json!({"lines": {"type": "array"}}),
        )?,
        on_host(
            "list_presets",
            "All presets with their parameters.",
            &json!({}),
            &[],
            &json!({"presets": {"type": "array"}}),
        )?,
        on_host(
            "history",
            "Earlier runs, newest first.",
            &json!({"search": {"type": "string"}}),
            &[],
            &json!({"runs": {"type": "array"}}),
        )?,
        asking(on_host(
            "apply_plan",
            "Applies a plan as one undo step, once the artist approves it in Blender. Every change is checked, and taken back if a check fails.",
            &json!({"plan": plan, "object": object}),
            &["plan"],
            &report,
        )?)?,
        asking(on_host(
            "apply_preset",
            "Applies a preset as one undo step, once the artist approves it in Blender. `values` by parameter: metres, degrees.",
            &json!({"preset": {"type": "string"}, "object": object, "values": {"type": "object"}}),
            &["preset"],
            &report,
        )?)?,
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
        assert_eq!(asking, ["apply_plan", "apply_preset"]);
        for tool in registry.iter() {
            assert_eq!(tool.spec.access == Access::Writes, tool.spec.requires_approval);
        }
    }

    #[test]
    fn the_list_is_short() {
        let registry = agent_tools(&Arc::new(Catalogue::default())).unwrap();
        let listed = |tool: &Tool| {
            let spec = &tool.spec;
            let head = spec.id.len() + spec.description.len();
            head + spec.input.schema().to_string().len() + 150
        };
        let bytes: usize = registry.iter().map(listed).sum();
        // A token has at least three bytes in such texts.
        assert!(bytes < 9_000, "{bytes}");
    }
}
