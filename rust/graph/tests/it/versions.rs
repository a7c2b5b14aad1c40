//! Plans written for one Blender and carried out in another: what only changed its form is translated, never refused.

use geonode_graph::catalogue::{Catalogue, NodeType, Socket, fold};
use geonode_graph::documents::{Document, Object};
use geonode_graph::{Compiled, compile};
use geonode_protocol::{Limits, parse_plan_value};
use serde_json::{Value, json};

use crate::catalogue;

const VERSIONS: [&str; 4] = ["4.2", "4.5", "5.0", "5.2"];

fn compiled(operations: &Value, catalogue: &Catalogue) -> Compiled {
    let mut document = Document::default();
    document.objects.insert(
        "Cube".to_owned(),
        Object {
            kind: "MESH".to_owned(),
            ..Object::default()
        },
    );
    let plan = json!({"version": "1.1", "done": true, "final_message": "", "steps": [{"id": "s", "type": "NODE_TREE",
        "description": "", "payload": {"operations": operations,
        "target": {"object_name": "Cube", "modifier_name": "GN", "node_group_name": "GN"}}}]});
    let parsed = parse_plan_value(&plan, &Limits::default());
    compile(
        &parsed.plan.unwrap_or_else(|| panic!("{:?}", parsed.findings)),
        &document,
        catalogue,
    )
}

fn menu<'c>(kind: &'c NodeType, name: &str, label: &str) -> Option<&'c Socket> {
    let mut inputs = kind.states[0]
        .inputs
        .iter()
        .filter(|socket| socket.kind == "NodeSocketMenu");
    inputs.find(|socket| [fold(name), fold(label)].contains(&fold(&socket.name)))
}

/// Every item of every property that became a menu of the same name and length, both ways.
#[test]
fn modes_are_translated_between_properties_and_menus() {
    let mut examined = 0;
    for (old, new) in [("4.2", "5.2"), ("4.5", "5.0"), ("4.5", "5.2"), ("4.2", "4.5")] {
        let (old, new) = (catalogue(old), catalogue(new));
        for (bl_idname, before) in &old.nodes {
            let Some(after) = new.nodes.get(bl_idname) else {
                continue;
            };
            for (name, property) in &before.properties {
                if after.properties.contains_key(name) || property.kind != "enum" {
                    continue;
                }
                let Some(socket) = menu(after, name, &property.label) else {
                    continue;
                };
                if socket.items.len() != property.items.len() {
                    continue;
                }
                for ((item, _), label) in property.items.iter().zip(&socket.items) {
                    let label = label.as_str().unwrap();
                    let forward = compiled(
                        &json!([{"op": "create_node", "node_id": "n", "bl_idname": bl_idname, "properties": {name: item}}]),
                        &new,
                    );
                    assert!(forward.ok(), "{bl_idname}.{name}={item}: {:?}", forward.findings);
                    let late = &forward.steps[0].trees[0].late_values;
                    let set = late.iter().find(|(_, input, _)| input == &socket.identifier);
                    let shown = set.map_or(socket.default.as_ref(), |(_, _, value)| Some(value));
                    assert_eq!(
                        shown,
                        Some(&Value::from(label)),
                        "{bl_idname}.{name}={item} in {}",
                        new.blender
                    );

                    let back = compiled(
                        &json!([{"op": "create_node", "node_id": "n", "bl_idname": bl_idname},
                        {"op": "set_input_default", "node_id": "n", "socket": socket.name, "value": label}]),
                        &old,
                    );
                    assert!(back.ok(), "{bl_idname} {}={label}: {:?}", socket.name, back.findings);
                    let set = back.steps[0].trees[0]
                        .props
                        .iter()
                        .find(|(_, property, _)| property == name);
                    let shown = set.map_or(&property.default, |(_, _, value)| value);
                    assert_eq!(
                        shown,
                        &Value::from(item.as_str()),
                        "{bl_idname} {}={label} in {}",
                        socket.name,
                        old.blender
                    );
                    examined += 1;
                }
            }
        }
    }
    assert!(examined > 150, "only {examined} items were examined");
}

/// A socket that both versions have is found under the name and the identifier of either, where one node has it.
#[test]
fn sockets_are_found_under_the_names_of_other_versions() {
    let mut examined = 0;
    let mut missed: Vec<String> = Vec::new();
    for (from, to) in VERSIONS
        .iter()
        .flat_map(|a| VERSIONS.iter().map(move |b| (*a, *b)))
        .filter(|(a, b)| a != b)
    {
        let (from, to) = (catalogue(from), catalogue(to));
        for (bl_idname, there) in &from.nodes {
            let Some(here) = to.nodes.get(bl_idname).filter(|kind| !kind.is("zone")) else {
                continue;
            };
            if bl_idname.starts_with("NodeGroup") || there.states.len() != 1 || here.states.len() != 1 {
                continue;
            }
            let (theirs, ours) = (&there.states[0].outputs, &here.states[0].outputs);
            if theirs.len() != ours.len() {
                continue;
            }
            for (socket, same) in theirs.iter().zip(ours) {
                if !socket.available
                    || !same.available
                    || socket.kind != same.kind
                    || socket.kind == "NodeSocketVirtual"
                {
                    continue;
                }
                let twins = theirs.iter().filter(|other| other.name == socket.name).count();
                for name in [&socket.identifier, &socket.name].into_iter().filter(|_| twins == 1) {
                    let target = if socket.kind == "NodeSocketGeometry" {
                        "GeometryNodeSetPosition"
                    } else {
                        "NodeReroute"
                    };
                    let input = if socket.kind == "NodeSocketGeometry" {
                        "Geometry"
                    } else {
                        "Input"
                    };
                    let plan = json!([{"op": "create_node", "node_id": "a", "bl_idname": bl_idname},
                        {"op": "create_node", "node_id": "b", "bl_idname": target},
                        {"op": "link", "from": {"node_id": "a", "socket": name}, "to": {"node_id": "b", "socket": input}}]);
                    let found = compiled(&plan, &to);
                    examined += 1;
                    let linked = found.ok()
                        && found.steps[0].trees[0]
                            .links
                            .iter()
                            .map(geonode_graph::documents::delta::NewLink::ends)
                            .any(|(a, out, ..)| a == "a" && out == &same.identifier);
                    if !linked {
                        missed.push(format!(
                            "{bl_idname}.{name} of {} in {}: {:?}",
                            from.blender, to.blender, found.findings
                        ));
                    }
                }
            }
        }
    }
    assert!(examined > 1000, "only {examined} sockets were examined");
    assert!(
        missed.is_empty(),
        "{} of {examined} were missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
