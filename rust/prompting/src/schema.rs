//! The schema that a model's reply is held to: that of a plan, without what the instructions do not teach.
//!
//! The protocol accepts more than models are taught: earlier versions, the operations of `GN_OPS`, fields with good defaults. What is
//! left out here only makes the schema shorter; the reply is validated against the whole one.

use geonode_protocol::{Extensions, Version};
use serde_json::{Map, Value, json};

/// Keywords that bound values or explain them: the instructions explain, and the validation checks. That a text is not empty stays: where a
/// provider wants every field, an empty one means that it is absent.
const SILENT: [&str; 13] = [
    "$schema",
    "title",
    "description",
    "x-since",
    "default",
    "maxLength",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minProperties",
    "maxProperties",
    "format",
];

/// Fields that are not taught, by definition; the plan itself has no name.
const UNTAUGHT: [(&str, &[&str]); 6] = [
    ("Step", &["requires_approval"]),
    ("Meta", &["requires_gate_verification"]),
    ("PythonScript", &["mode"]),
    ("GnOps", &["single_user"]),
    ("ModifierTarget", &["node_group_name"]),
    // Trees are planned as pages, which name their target themselves.
    ("NodeTree", &["target", "single_user", "operations"]),
];

/// The schema of a reply. `scripts`: whether PYTHON steps may run; `requests`: whether the model asks for context with its plan.
pub fn reply_schema(extensions: &Extensions, scripts: bool, requests: bool) -> Option<Value> {
    let mut schema = extensions.schema("plan")?;
    let added: Vec<&str> = extensions.described().into_iter().map(|(name, _)| name).collect();
    if let Some(operations) = choices(&mut schema, "GnOp") {
        operations.retain(|operation| is(operation, "op", &added));
        // A page says what the built-in ones do.
        let none = operations.is_empty();
        if let Some(steps) = choices(&mut schema, "Step") {
            steps
                .retain(|step| (scripts || !is(step, "type", &["PYTHON"])) && !(none && is(step, "type", &["GN_OPS"])));
        }
    }
    for (definition, fields) in UNTAUGHT {
        if let Some(part) = schema.pointer_mut(&format!("/$defs/{definition}")) {
            forget(part, fields);
        }
    }
    if let Some(tree) = schema.pointer_mut("/$defs/NodeTree").and_then(Value::as_object_mut) {
        tree.shift_remove("if");
        tree.shift_remove("else");
        tree.insert("required".to_owned(), json!(["text"]));
    }
    if !requests {
        forget(&mut schema, &["context_requests"]);
    }
    if !scripts {
        // A page states counts and sizes; only what a script makes has no page.
        forget(&mut schema, &["meta"]);
    }
    if let Some(version) = schema.pointer_mut("/properties/version") {
        *version = json!({"const": Version::CURRENT.text()});
    }
    let mut schema = silent(&schema);
    keep_used(&mut schema);
    Some(schema)
}

/// The branches of a definition.
fn choices<'s>(schema: &'s mut Value, definition: &str) -> Option<&'s mut Vec<Value>> {
    schema
        .pointer_mut(&format!("/$defs/{definition}/oneOf"))?
        .as_array_mut()
}

/// Whether a branch is one of these, by its tag.
fn is(branch: &Value, tag: &str, names: &[&str]) -> bool {
    let name = branch
        .pointer(&format!("/properties/{tag}/const"))
        .and_then(Value::as_str);
    name.is_some_and(|name| names.contains(&name))
}

/// Removes optional fields of an object, or of all branches of a union.
fn forget(part: &mut Value, fields: &[&str]) {
    if let Some(branches) = part.get_mut("oneOf").and_then(Value::as_array_mut) {
        for branch in branches {
            forget(branch, fields);
        }
    }
    if let Some(properties) = part.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !fields.contains(&name.as_str()));
    }
}

/// The schema without bounds and explanations, its choices between names as short lists.
fn silent(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            if let Some(names) = map.get("oneOf").and_then(names) {
                return json!({"type": "string", "enum": names});
            }
            let part = |(key, value): (&String, &Value)| {
                let named = matches!(key.as_str(), "properties" | "$defs");
                let value = match value {
                    Value::Object(parts) if named => parts
                        .iter()
                        .map(|(name, part)| (name.clone(), silent(part)))
                        .collect::<Map<_, _>>()
                        .into(),
                    other => silent(other),
                };
                (key.clone(), value)
            };
            let kept = map.iter().filter(|(key, _)| !SILENT.contains(&key.as_str()));
            kept.map(part).collect::<Map<_, _>>().into()
        }
        Value::Array(parts) => parts.iter().map(silent).collect(),
        other => other.clone(),
    }
}

/// The names between which branches choose, if they do nothing else.
fn names(branches: &Value) -> Option<Vec<&str>> {
    let branches = branches.as_array()?.iter();
    branches.map(|branch| branch.get("const")?.as_str()).collect()
}

/// Removes definitions that nothing refers to any more.
fn keep_used(schema: &mut Value) {
    let Some(mut all) = schema.as_object_mut().and_then(|map| map.shift_remove("$defs")) else {
        return;
    };
    let mut open: Vec<Value> = vec![schema.clone()];
    let mut used = Map::new();
    while let Some(part) = open.pop() {
        for name in references(&part) {
            if let Some(definition) = all.as_object_mut().and_then(|all| all.shift_remove(&name)) {
                open.push(definition.clone());
                used.insert(name, definition);
            }
        }
    }
    if let (Some(map), false) = (schema.as_object_mut(), used.is_empty()) {
        map.insert("$defs".into(), used.into());
    }
}

fn references(part: &Value) -> Vec<String> {
    match part {
        Value::Object(map) => {
            let own = map
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|target| target.strip_prefix("#/$defs/"));
            let below = map.values().flat_map(references);
            own.map(str::to_owned).into_iter().chain(below).collect()
        }
        Value::Array(parts) => parts.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use geonode_protocol::CompiledSchema;
    use geonode_provider::Provider;
    use geonode_provider::schema::{Shape, adapt};

    use super::*;

    fn schema(scripts: bool, requests: bool) -> Value {
        reply_schema(&Extensions::default(), scripts, requests).unwrap()
    }

    #[test]
    fn nothing_that_is_off_or_old_is_in_it() {
        let text = schema(false, false).to_string();
        for absent in [
            "PYTHON",
            "1.0",
            "description\":\"",
            "context_requests",
            "requires_approval",
            "operations",
            "GN_OPS",
            "meta",
            "x-since",
        ] {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert!(text.contains("\"text\""));
        let all = schema(true, true).to_string();
        assert!(all.contains("PYTHON") && all.contains("context_requests") && all.contains("expects"));
        assert!(
            all.contains("[\"size_x\",\"size_y\"") && all.matches("\"const\"").count() < 5,
            "{all}"
        );
        assert!(text.len() < 800, "{} bytes", text.len());
    }

    #[test]
    fn a_page_satisfies_it_and_operations_do_not() {
        let schema = CompiledSchema::new(schema(false, false)).unwrap();
        let plan = |payload: Value| {
            json!({"version": "1.2", "steps": [{"id": "s1", "type": "NODE_TREE", "description": "", "payload": payload}],
                "done": true, "final_message": "x"})
        };
        let page = schema.errors(&plan(json!({"text": "def a() -> Geometry:\n    return cube()\n"})));
        assert!(page.is_empty(), "{page:?}");
        let target = json!({"object_name": "Cube", "modifier_name": "A", "node_group_name": "A"});
        assert!(
            !schema
                .errors(&plan(json!({"target": target, "operations": []})))
                .is_empty()
        );
    }

    #[test]
    fn added_operations_have_a_step_of_their_own() {
        let mut extensions = Extensions::default();
        let fields = json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]});
        extensions
            .add_op("scatter_more", &fields, std::sync::Arc::new(|_, _| Ok(Vec::new())))
            .unwrap();
        let text = reply_schema(&extensions, false, false).unwrap().to_string();
        assert!(text.contains("GN_OPS") && text.contains("scatter_more") && !text.contains("create_node"));
    }

    #[test]
    fn vendors_take_it() {
        let schema = schema(true, true);
        let mut examined = 0;
        for provider in Provider::ALL.iter().copied() {
            if let Some(subset) = provider.subset() {
                adapt(&schema, subset, Shape::Free).unwrap_or_else(|issues| panic!("{}: {issues:?}", subset.name));
                examined += 1;
            }
        }
        assert!(examined > 2);
    }
}
