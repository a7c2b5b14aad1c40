//! A tree that the artist changed between the look and the plan: what is elsewhere stays, what is at the same place is refused.

use geonode_graph::{Document, compile, stale};
use geonode_protocol::{Code, Finding, Limits, Severity, parse_plan};
use serde_json::{Value, json};

use crate::catalogue;

fn tree() -> Value {
    let geometry = |side: &str, id: &str| {
        json!({"kind": "socket", "identifier": id, "name": "Geometry", "in_out": side,
               "socket_type": "NodeSocketGeometry", "props": {}})
    };
    json!({
        "settings": {},
        "interface": [geometry("OUTPUT", "Socket_0"), geometry("INPUT", "Socket_1")],
        "nodes": [
            {"id": "group_input", "name": "Group Input", "type": "NodeGroupInput"},
            {"id": "group_output", "name": "Group Output", "type": "NodeGroupOutput", "props": {"is_active_output": true}},
            {"id": "move", "name": "Transform", "type": "GeometryNodeTransform"},
            {"id": "other", "name": "Other", "type": "GeometryNodeTransform"},
            {"id": "math", "name": "Math", "type": "ShaderNodeMath", "props": {"operation": "ADD"}},
        ],
        "links": [
            {"from": ["group_input", "Socket_1"], "to": ["move", "Geometry"]},
            {"from": ["move", "Geometry"], "to": ["group_output", "Socket_0"]},
        ],
    })
}

/// The findings when the artist changes the tree by `by_hand` and the plan carries out `ops`.
fn found(by_hand: impl Fn(&mut Value), ops: &Value) -> Vec<Finding> {
    let document = |tree: Value| -> Document {
        serde_json::from_value(json!({
            "objects": {"Cube": {"type": "MESH", "modifiers": [
                {"name": "Nodes", "type": "NODES", "node_group": "Made", "inputs": {}}]}},
            "trees": {"Made": tree},
            "tree_info": {"Made": {"users": 1, "library": false, "type": "GeometryNodeTree"}},
            "names": {"object": ["Cube"], "node_group": ["Made"]},
        }))
        .unwrap()
    };
    let mut changed = tree();
    by_hand(&mut changed);
    let (seen, now) = (document(tree()), document(changed));
    let plan = json!({"version": "1.1", "done": true, "final_message": "", "steps": [{
        "id": "s", "type": "GN_OPS", "description": "",
        "payload": {"v": 1, "target": {"object_name": "Cube", "modifier_name": "Nodes"}, "ops": ops}}]});
    let parsed = parse_plan(&plan.to_string(), &Limits::default());
    let plan = parsed.plan.unwrap_or_else(|| panic!("{:?}", parsed.findings));
    let catalogue = catalogue("5.2");
    let compiled = compile(&plan, &now, &catalogue);
    assert!(compiled.ok(), "{:?}", compiled.findings);
    stale(&seen.trees, &now, &compiled, &catalogue)
}

fn node<'t>(tree: &'t mut Value, id: &str) -> &'t mut Value {
    let nodes = tree["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().find(|node| node["id"] == id).unwrap()
}

fn lift(z: f64) -> Value {
    json!([{"op": "set_input", "node_id": "move", "socket_name": "Translation", "value": [0, 0, z]}])
}

#[test]
fn an_unchanged_tree_gives_no_findings() {
    assert!(found(|_| (), &lift(5.0)).is_empty());
}

#[test]
fn changes_in_other_places_are_only_reported() {
    let findings = found(
        |tree| node(tree, "other")["inputs"] = json!({"Translation": {"value": [1, 0, 0]}}),
        &lift(5.0),
    );
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].severity, Severity::Info);
    assert!(findings[0].message.contains("Other"), "{}", findings[0].message);
}

#[test]
fn the_same_change_on_both_sides_is_not_a_conflict() {
    let by_hand = |tree: &mut Value| node(tree, "move")["inputs"] = json!({"Translation": {"value": [0, 0, 5.0]}});
    // The plan wants what is there already and something of its own.
    let mut ops = lift(5.0);
    ops.as_array_mut()
        .unwrap()
        .push(json!({"op": "set_input", "node_id": "other", "socket_name": "Translation", "value": [0, 0, 1]}));
    assert!(found(by_hand, &ops).iter().all(|finding| !finding.is_error()));
}

#[test]
fn conflicting_changes_are_an_error_that_names_all_three_values() {
    let by_hand = |tree: &mut Value| {
        node(tree, "move")["inputs"] = json!({"Translation": {"value": [0, 0, 3.0]}});
        node(tree, "move")["label"] = json!("Lift");
        node(tree, "math")["props"]["operation"] = json!("MULTIPLY");
        node(tree, "other")["inputs"] = json!({"Scale": {"value": [2, 2, 2]}});
        tree["interface"][1]["name"] = json!("Shape");
        tree["links"][1]["from"] = json!(["other", "Geometry"]);
    };
    let set = json!([{"op": "set_property", "node_id": "math", "property": "operation", "value": "POWER"}]);
    let remove = json!([{"op": "remove_node", "id": "other"}]);
    let rename = json!([{"op": "set_group_io", "direction": "input", "name": "Shape", "socket_type": "NodeSocketGeometry",
                         "remove": true}]);
    let relink = json!([{"op": "link", "from_node": "move", "from_socket": "Geometry",
                         "to_node": "group_output", "to_socket": "Geometry"}]);
    let sides: [(Value, &[&str]); 5] = [
        (lift(5.0), &["“Lift”", "its default", "[0,0,3.0]", "[0,0,5.0]"]),
        (set, &["“Math”", "\"ADD\"", "\"MULTIPLY\"", "\"POWER\""]),
        (remove, &["“Other”", "edited by hand, removed by the plan"]),
        (rename, &["“Shape”"]),
        (relink, &["“move”", "“other”"]),
    ];
    for (ops, wanted) in sides {
        let findings = found(by_hand, &ops);
        let error = findings.iter().find(|finding| finding.is_error());
        let error = error.unwrap_or_else(|| panic!("{ops}: {findings:?}"));
        assert_eq!((error.code, error.path.as_str()), (Code::StaleBase, "/steps/0"));
        for part in wanted {
            assert!(error.message.contains(part), "{part} is not in: {}", error.message);
        }
        assert!(
            error
                .hint
                .as_ref()
                .is_some_and(|hint| hint.as_str().contains("changed by hand"))
        );
    }
}
