//! Trees far larger than any that a person draws: right, and in time that grows with them.

use geonode_graph::documents::{Document, Object};
use geonode_graph::{Compiled, compile};
use geonode_protocol::{Limits, Plan, parse_plan};
use serde_json::{Value, json};

use crate::catalogue;

fn plan(operations: &[Value]) -> Plan {
    let text = json!({"version": "1.1", "done": true, "final_message": "", "steps": [{"id": "s", "type": "NODE_TREE", "description": "",
        "payload": {"target": {"object_name": "Cube", "modifier_name": "GN", "node_group_name": "GN"}, "operations": operations}}]});
    let limits = Limits {
        max_operations: operations.len(),
        ..Limits::default()
    };
    let parsed = parse_plan(&text.to_string(), &limits);
    parsed.plan.unwrap_or_else(|| unreachable!("{:?}", parsed.findings))
}

fn compiled(operations: &[Value]) -> Compiled {
    let mut document = Document::default();
    let cube = Object {
        kind: "MESH".to_owned(),
        ..Object::default()
    };
    document.objects.insert("Cube".to_owned(), cube);
    compile(&plan(operations), &document, &catalogue("5.2"))
}

fn node(at: usize) -> Value {
    json!({"op": "create_node", "node_id": format!("n{at}"), "bl_idname": "ShaderNodeMath"})
}

fn link(from: usize, to: usize, input: &str) -> Value {
    json!({"op": "link", "from": {"node_id": format!("n{from}"), "socket": "Value"}, "to": {"node_id": format!("n{to}"), "socket": input}})
}

/// 33,333 nodes in a row, all of them fed by the first one, too: about 100,000 operations. This test would not end if a link cost as
/// much as its node has others, or if a walk along the row recursed.
#[test]
fn a_long_chain_after_a_node_with_many_links_compiles_quickly() {
    const NODES: usize = 33_334;
    let mut operations = vec![node(0)];
    for at in 1..NODES {
        operations.extend([node(at), link(at - 1, at, "Value"), link(0, at, "Value_001")]);
    }
    let compiled = compiled(&operations);
    assert!(compiled.ok(), "{:?}", compiled.findings);
    let delta = &compiled.steps[0].trees[0];
    let tree = &compiled.after.trees["GN"];
    // Group Input and Output come with a new tree.
    assert_eq!((tree.nodes.len(), delta.locations.len()), (NODES + 2, NODES + 2));
    let links = tree.links.iter().filter(|link| link.to.0.starts_with('n'));
    assert_eq!(links.clone().count(), 2 * (NODES - 1));
    let (at, last) = (format!("n{}", NODES - 2), format!("n{}", NODES - 1));
    let ends: Vec<&str> = links
        .filter(|link| link.to.0 == last)
        .map(|link| link.from.0.as_str())
        .collect();
    assert_eq!(
        ends,
        [at.as_str(), "n0"],
        "links stay in the order in which they are made"
    );
}

/// A link that is made again stays one, whichever of its nodes has more links.
#[test]
fn a_repeated_link_is_added_once() {
    let operations = [
        node(0),
        node(1),
        node(2),
        link(0, 1, "Value"),
        link(0, 2, "Value"),
        link(0, 1, "Value"),
        link(0, 2, "Value"),
    ];
    let tree = &compiled(&operations).after.trees["GN"];
    let links = tree.links.iter().filter(|link| link.to.0.starts_with('n')).count();
    assert_eq!(links, 2);
}
