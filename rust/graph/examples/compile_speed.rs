//! Time to read, check and compile plans of growing size: `cargo run --release -p geonode-graph --example compile_speed`.
//!
//! Prints one JSON line per size: operations, milliseconds to validate, to preflight and reconcile, and for layout included.

use std::error::Error;
use std::time::Instant;

use geonode_graph::document::{Document, Object};
use geonode_graph::{Catalogue, compile};
use geonode_protocol::{Limits, parse_plan};
use serde_json::{Value, json};

/// A chain of Math nodes: for each node one creation, one property, one value and one link.
fn plan(operations: usize) -> String {
    let mut list: Vec<Value> = Vec::with_capacity(operations);
    for at in 0..operations / 3 {
        let id = format!("n{at}");
        list.push(json!({"op": "create_node", "node_id": id, "bl_idname": "ShaderNodeMath", "properties": {"operation": "MULTIPLY"}}));
        list.push(json!({"op": "set_input_default", "node_id": id, "socket": "Value_001", "value": 0.5}));
        if at > 0 {
            list.push(json!({"op": "link", "from": {"node_id": format!("n{}", at - 1), "socket": "Value"}, "to": {"node_id": id, "socket": "Value"}}));
        }
    }
    json!({"version": "1.1", "done": true, "final_message": "", "steps": [{"id": "s", "type": "NODE_TREE", "description": "", "payload": {
        "target": {"object_name": "Cube", "modifier_name": "GN", "node_group_name": "GN"}, "operations": list}}]})
    .to_string()
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "addon/geonode_assistant/data/catalogue/5.2.json".to_owned());
    let text = std::fs::read_to_string(path)?;
    let start = Instant::now();
    let catalogue = Catalogue::from_json(&text)?;
    println!("{}", json!({"catalogue_ms": start.elapsed().as_secs_f64() * 1e3}));
    let mut document = Document::default();
    document.objects.insert(
        "Cube".to_owned(),
        Object {
            kind: "MESH".to_owned(),
            ..Object::default()
        },
    );
    let limits = Limits {
        max_operations: 1_000_000,
        max_bytes: 1 << 30,
        ..Limits::default()
    };
    for operations in [500, 5_000, 50_000] {
        let text = plan(operations);
        let start = Instant::now();
        let parsed = parse_plan(&text, &limits);
        let validate = start.elapsed();
        let plan = parsed.plan.ok_or_else(|| format!("{:?}", parsed.findings))?;
        let start = Instant::now();
        let compiled = compile(&plan, &document, &catalogue);
        let reconcile = start.elapsed();
        if !compiled.ok() {
            return Err(format!("{:?}", compiled.findings).into());
        }
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1e3;
        println!(
            "{}",
            json!({"operations": operations, "bytes": text.len(), "validate_ms": ms(validate), "compile_ms": ms(reconcile)})
        );
    }
    Ok(())
}
