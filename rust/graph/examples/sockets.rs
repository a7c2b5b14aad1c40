//! Prints the sockets that the core derives for every node of a bundle: `sockets CATALOGUE BUNDLE`.
//!
//! The host tests compare the output with the sockets that Blender shows.

use std::error::Error;

use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, node_sockets};
use serde_json::{Map, Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let catalogue = Catalogue::from_json(&std::fs::read_to_string(arguments.next().ok_or("catalogue?")?)?)?;
    let bundle: Bundle = serde_json::from_str(&std::fs::read_to_string(arguments.next().ok_or("bundle?")?)?)?;
    let mut all = Map::new();
    for (name, tree) in &bundle.trees {
        let mut nodes = Map::new();
        for (id, inputs, outputs) in node_sockets(name, tree, &bundle.trees, &catalogue) {
            let list = |sockets: &[geonode_graph::catalogue::Socket]| -> Value {
                sockets
                    .iter()
                    .filter(|s| s.available)
                    .map(|s| json!([s.identifier, s.name, s.kind]))
                    .collect()
            };
            nodes.insert(id, json!({"inputs": list(&inputs), "outputs": list(&outputs)}));
        }
        all.insert(name.clone(), Value::Object(nodes));
    }
    println!("{}", Value::Object(all));
    Ok(())
}
