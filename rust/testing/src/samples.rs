//! Plans made from the schema, so that an operation is read and written from the day it exists.

use geonode_protocol::schema;
use serde_json::{Map, Value, json};

/// A plan with every operation of every step type, each with all the fields that it can have at once.
#[must_use]
pub fn every_operation() -> Value {
    let plan = schema("plan").unwrap();
    let ops = |list: &str| -> Vec<Value> {
        let choices = plan["$defs"][list]["oneOf"].as_array().unwrap();
        let ops: Vec<Value> = choices.iter().flat_map(|op| operation(&plan, op)).collect();
        assert!(ops.len() > 10, "{list}: only {} operations", ops.len());
        ops
    };
    let target = json!({"object_name": "Cube", "modifier_name": "GN"});
    let mut tree = target.clone();
    tree["node_group_name"] = json!("Tree");
    json!({
        "version": "1.2",
        "steps": [
            {"id": "tree", "type": "NODE_TREE", "description": "", "payload": {"target": tree, "operations": ops("NodeTreeOp")}},
            {"id": "ops", "type": "GN_OPS", "description": "", "payload": {"v": 1, "target": target, "ops": ops("GnOp")}},
        ],
        "done": true,
        "final_message": "",
    })
}

/// An operation with all its fields; once for each of those that exclude each other.
fn operation(plan: &Value, schema: &Value) -> Vec<Value> {
    let whole = object(plan, schema, &[]).unwrap_or_else(|| example(plan, schema));
    let Some(either) = schema["oneOf"].as_array() else {
        return vec![whole];
    };
    let fields: Vec<&str> = either.iter().map(|one| one["required"][0].as_str().unwrap()).collect();
    let with_only = |kept: &str| {
        let mut op = whole.clone();
        let all = op.as_object_mut().unwrap();
        all.retain(|name, _| name == kept || !fields.contains(&name.as_str()));
        op
    };
    fields.iter().map(|field| with_only(field)).collect()
}

/// An object with every field but those of `without`; none where the schema has no fields.
fn object(plan: &Value, schema: &Value, without: &[&Value]) -> Option<Value> {
    let fields = schema["properties"].as_object()?.iter();
    let fields = fields.filter(|(name, _)| !without.iter().any(|other| *other == name.as_str()));
    let fields = fields.map(|(name, field)| (name.clone(), example(plan, field)));
    Some(Value::Object(fields.collect()))
}

/// A value that fits the schema, with every field of every object.
fn example(plan: &Value, schema: &Value) -> Value {
    if let Some(definition) = schema["$ref"].as_str() {
        return example(plan, plan.pointer(definition.trim_start_matches('#')).unwrap());
    }
    if let Some(value) = schema.get("const") {
        return value.clone();
    }
    // Of fields that exclude each other the first.
    let either = schema["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let others: Vec<&Value> = either.iter().skip(1).map(|choice| &choice["required"][0]).collect();
    if let Some(whole) = object(plan, schema, &others) {
        return whole;
    }
    if let Some(choices) = ["enum", "anyOf", "oneOf"]
        .into_iter()
        .find_map(|key| schema[key].as_array())
    {
        let first = &choices[0];
        return if schema.get("enum").is_some() {
            first.clone()
        } else {
            example(plan, first)
        };
    }
    match schema["type"].as_str().or(schema["type"][0].as_str()) {
        Some("string") => json!("text"),
        Some("number") => json!(1.5),
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => {
            let length = schema["minItems"].as_u64().unwrap_or(1);
            (0..length).map(|_| example(plan, &schema["items"])).collect()
        }
        Some("object") => Value::Object(Map::from_iter([(
            "name".to_owned(),
            example(plan, &schema["additionalProperties"]),
        )])),
        _ => panic!("no example of {schema:#}"),
    }
}
