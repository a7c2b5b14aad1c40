//! Takes every link of every tree away and makes it again: `relink CATALOGUE BUNDLE`.
//!
//! What real trees hold must be legal in the eyes of the checks; each finding printed here is a false refusal.

use std::error::Error;

use geonode_graph::document::{Document, Modifier, Object};
use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, compile};
use geonode_protocol::parse_plan_value;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let catalogue = Catalogue::from_json(&std::fs::read_to_string(arguments.next().ok_or("catalogue?")?)?)?;
    let bundle: Bundle = serde_json::from_str(&std::fs::read_to_string(arguments.next().ok_or("bundle?")?)?)?;
    let (mut links, mut refused) = (0, 0);
    for (name, tree) in &bundle.trees {
        let mut document = Document {
            trees: bundle.trees.clone(),
            ..Document::default()
        };
        let modifier = Modifier {
            name: "GN".to_owned(),
            kind: "NODES".to_owned(),
            node_group: Some(name.clone()),
            ..Modifier::default()
        };
        document.objects.insert(
            "Cube".to_owned(),
            Object {
                kind: "MESH".to_owned(),
                modifiers: vec![modifier],
                library: false,
            },
        );
        let ends = |op: &str| -> Vec<Value> {
            tree.links
                .iter()
                .map(|link| {
                    json!({"op": op, "from_node": link.from.0, "from_socket": link.from.1, "to_node": link.to.0, "to_socket": link.to.1})
                })
                .collect()
        };
        let mut ops = ends("unlink");
        ops.extend(ends("link"));
        links += tree.links.len();
        let plan = json!({"version": "1.1", "done": true, "final_message": "", "steps": [{"id": "s", "type": "GN_OPS",
            "description": "", "payload": {"v": 1, "target": {"object_name": "Cube", "modifier_name": "GN"}, "ops": ops}}]});
        let parsed = parse_plan_value(&plan, &geonode_protocol::Limits::default());
        let plan = parsed.plan.ok_or_else(|| format!("{:?}", parsed.findings))?;
        let compiled = compile(&plan, &document, &catalogue);
        for finding in compiled.findings.iter().filter(|finding| finding.is_error()) {
            refused += 1;
            println!("{name}: {finding}");
        }
        if compiled.ok()
            && compiled.steps.iter().any(|step| {
                step.trees
                    .iter()
                    .any(|tree| !tree.links.is_empty() || !tree.unlink.is_empty())
            })
        {
            println!("{name}: links that are made again must be no edit");
            refused += 1;
        }
    }
    println!("{links} links in {} trees, {refused} refused", bundle.trees.len());
    Ok(())
}
