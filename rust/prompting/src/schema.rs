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

/// Operations of `GN_OPS` that `NODE_TREE` does not have.
const ONLY_GN: [&str; 2] = ["set_modifier_input", "add_frame"];

/// Fields that are not taught, by definition; the plan itself has no name.
const UNTAUGHT: [(&str, &[&str]); 7] = [
    ("Step", &["requires_approval"]),
    ("Meta", &["requires_gate_verification"]),
    ("PythonScript", &["mode"]),
    ("GnOps", &["single_user"]),
    ("ModifierTarget", &["node_group_name"]),
    ("NodeTree", &["text"]),
    ("NodeTreeOp", &["location"]),
];

/// The schema of a reply. `scripts`: whether PYTHON steps may run; `requests`: whether the model asks for context with its plan.
pub fn reply_schema(extensions: &Extensions, scripts: bool, requests: bool) -> Option<Value> {
    let mut schema = extensions.schema("plan")?;
    let added: Vec<&str> = extensions.described().into_iter().map(|(name, _)| name).collect();
    if let Some(choices) = choices(&mut schema, "Step") {
        choices.retain(|step| scripts || !is(step, "type", &["PYTHON"]));
    }
    if let Some(choices) = choices(&mut schema, "GnOp") {
        choices.retain(|operation| is(operation, "op", &ONLY_GN) || is(operation, "op", &added));
    }
    for (definition, fields) in UNTAUGHT {
        if let Some(part) = schema.pointer_mut(&format!("/$defs/{definition}")) {
            forget(part, fields);
        }
    }
    if let Some(tree) = schema.pointer_mut("/$defs/NodeTree").and_then(Value::as_object_mut) {
        // Tree text is not taught yet: what stands beside it is not optional then.
        let choice = tree.shift_remove("else");
        tree.shift_remove("if");
        tree.extend(
            choice.and_then(|mut choice| {
                Some(("required".to_owned(), choice.as_object_mut()?.shift_remove("required")?))
            }),
        );
    }
    if !requests {
        forget(&mut schema, &["context_requests"]);
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

/// The schema without bounds and explanations.
fn silent(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
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
            "ensure_target",
            "x-since",
        ] {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert!(text.contains("set_modifier_input") && text.contains("add_zone"));
        let all = schema(true, true).to_string();
        assert!(all.contains("PYTHON") && all.contains("context_requests"));
        assert!(text.len() < 9_000, "{} bytes", text.len());
    }

    #[test]
    fn every_example_satisfies_it() {
        let schema = CompiledSchema::new(schema(false, false)).unwrap();
        let examples = geonode_planner::example::nearest_first("x").unwrap();
        assert!(examples.len() > 5);
        for example in examples {
            let errors = schema.errors(&crate::examples::shown(&example).unwrap().1);
            assert!(errors.is_empty(), "{}: {errors:?}", example.title());
        }
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
