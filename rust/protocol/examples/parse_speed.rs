//! How long reading a large plan takes: `cargo run --release -p geonode-protocol --example parse_speed`.

use std::time::{Duration, Instant};

use geonode_protocol::{Limits, parse_plan, parse_plan_value};
use serde_json::{Value, json};

/// A plan of `count` operations in the proportions of a real one: nodes, values, properties, links.
fn plan(count: usize) -> Value {
    let operations: Vec<Value> = (0..count)
        .map(|i| match i % 4 {
            0 => json!({"op": "create_node", "node_id": format!("node_{i}"), "bl_idname": "ShaderNodeMath", "location": [i, 0]}),
            1 => json!({"op": "set_input_default", "node_id": format!("node_{}", i - 1), "socket": "Value", "value": [0.5, 1, 2]}),
            2 => json!({"op": "set_property", "node_id": format!("node_{}", i - 2), "property": "operation", "value": "ADD"}),
            _ => json!({"op": "link", "from": {"node_id": format!("node_{}", i - 3), "socket": "Value"},
                "to": {"node_id": "group_output", "socket": "Value"}}),
        })
        .collect();
    let target = json!({"object_name": "Plane", "modifier_name": "Tree", "node_group_name": "Tree"});
    let step = json!({"id": "tree", "type": "NODE_TREE", "description": "", "payload": {"target": target, "operations": operations}});
    json!({"version": "1.1", "steps": [step], "done": true, "final_message": ""})
}

/// The shortest of many runs: what the work takes when nothing else disturbs it.
fn shortest(mut run: impl FnMut()) -> Duration {
    let times = (0..61).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn main() {
    let limits = Limits {
        max_operations: usize::MAX,
        max_bytes: usize::MAX,
        ..Limits::default()
    };
    let start = Instant::now();
    parse_plan("{}", &limits);
    println!("first call, schemas compiled: {:?}", start.elapsed());
    for count in [100, 5_000, 50_000] {
        let value = plan(count);
        let text = value.to_string();
        let whole = shortest(|| drop(std::hint::black_box(parse_plan(&text, &limits))));
        let checked = shortest(|| drop(std::hint::black_box(parse_plan_value(&value, &limits))));
        let serde = shortest(|| drop(std::hint::black_box(serde_json::from_str::<Value>(&text))));
        println!(
            "{count} operations, {} kB: text {whole:?}, value {checked:?}; serde_json alone {serde:?}",
            text.len() / 1024
        );
    }
}
