//! Operations and step types that others add: read like the built-in ones, bounded like them, and named where they stand in the text.

use std::sync::Arc;

use geonode_protocol::{Action, Code, Extensions, Limits, Parsed, parse_plan_value_with, parse_plan_with};
use serde_json::{Value, json};

/// `row {count}` stands for that many nodes, `nothing` for no operation at all; `BAKE {path}` is a step type.
fn extensions() -> Extensions {
    let mut all = Extensions::default();
    let schema = json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]});
    let row = |_: &str, fields: &serde_json::Map<String, Value>| {
        let count = fields["count"].as_u64().ok_or("the count is negative")?;
        Ok((0..count)
            .map(|n| json!({"op": "create_node", "node_id": format!("n{n}"), "bl_idname": "ShaderNodeMath"}))
            .collect())
    };
    all.add_op("row", &schema, Arc::new(row)).unwrap();
    all.add_op("nothing", &json!({"type": "object"}), Arc::new(|_, _| Ok(Vec::new())))
        .unwrap();
    let bake = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    all.add_action("BAKE", &bake, true).unwrap();
    all
}

fn plan(version: &str, operations: &Value) -> Value {
    json!({"version": version, "done": true, "final_message": "", "steps": [{
        "id": "s", "type": "NODE_TREE", "description": "",
        "payload": {
            "target": {"object_name": "Cube", "modifier_name": "M", "node_group_name": "T"},
            "operations": operations,
        },
    }]})
}

fn operations(parsed: &Parsed) -> usize {
    match &parsed.plan.as_ref().unwrap().steps[0].action {
        Action::NodeTree(payload) => payload.operations.len(),
        other => panic!("{other:?}"),
    }
}

fn found(parsed: &Parsed) -> Vec<(Code, &str)> {
    parsed.findings.iter().map(|f| (f.code, f.path.as_str())).collect()
}

#[test]
fn an_added_operation_is_replaced_by_its_expansion() {
    let sent = plan(
        "1.1",
        &json!([{"op": "row", "count": 3}, {"op": "nothing"}, {"op": "delete_node", "node_id": "n1"}]),
    );
    let parsed = parse_plan_with(&sent.to_string(), &Limits::default(), &extensions());
    assert_eq!(operations(&parsed), 4);
    assert_eq!(parse_plan_value_with(&sent, &Limits::default(), &extensions()), parsed);
}

#[test]
fn findings_point_to_the_original_text() {
    let sent = plan(
        "1.1",
        &json!([
            {"op": "row", "count": 2},
            {"op": "row", "count": -1},
            {"op": "row"},
            {"op": "delete_node"},
        ]),
    );
    let parsed = parse_plan_with(&sent.to_string(), &Limits::default(), &extensions());
    assert!(parsed.plan.is_none());
    assert_eq!(
        found(&parsed),
        [
            (Code::OperationFailed, "/steps/0/payload/operations/1"),
            (Code::MissingField, "/steps/0/payload/operations/2/count"),
            (Code::MissingField, "/steps/0/payload/operations/3/node_id"),
        ]
    );
}

#[test]
fn expanded_operations_count_against_the_limit() {
    let limits = Limits {
        max_operations: 5,
        ..Limits::default()
    };
    let count = |n: u64| {
        parse_plan_with(
            &plan("1.1", &json!([{"op": "row", "count": n}])).to_string(),
            &limits,
            &extensions(),
        )
    };
    assert_eq!(operations(&count(5)), 5);
    assert_eq!(found(&count(6))[0].0, Code::TooManyOperations);
}

#[test]
fn a_plan_of_version_1_0_cannot_use_extensions() {
    let sent = plan("1.0", &json!([{"op": "row", "count": 1}]));
    let parsed = parse_plan_with(&sent.to_string(), &Limits::default(), &extensions());
    assert_eq!(found(&parsed), [(Code::UnknownOp, "/steps/0/payload/operations/0/op")]);
}

#[test]
fn an_added_step_type_is_checked_by_its_schema_and_survives_a_round_trip() {
    let baking = |payload: Value| {
        let step = json!({"id": "b", "type": "BAKE", "description": "", "payload": payload});
        json!({"version": "1.1", "done": true, "final_message": "", "steps": [step]})
    };
    let sent = baking(json!({"path": "x"}));
    let plan = parse_plan_with(&sent.to_string(), &Limits::default(), &extensions())
        .plan
        .unwrap();
    assert_eq!(plan.steps[0].action.type_name(), "BAKE");
    let again: geonode_protocol::Plan = serde_json::from_value(serde_json::to_value(&plan).unwrap()).unwrap();
    assert_eq!(again, plan);
    assert!(extensions().requires_approval("BAKE"));
    let misfit = parse_plan_with(
        &baking(json!({"path": 1})).to_string(),
        &Limits::default(),
        &extensions(),
    );
    assert_eq!(found(&misfit), [(Code::WrongType, "/steps/0/payload/path")]);
    let unknown = parse_plan_with(&sent.to_string(), &Limits::default(), &Extensions::default());
    assert_eq!(found(&unknown), [(Code::UnknownStepType, "/steps/0/type")]);
}
