//! The Python definitions of what crosses the border are those that the Rust types say, and a field that the types
//! do not know is refused wherever it stands.

use geonode_graph::documents::{self, Context, Document, Evidence, StepDelta};
use serde_json::{Value, json};

use geonode_testing::{compare, typed_dicts};

const FILE: &str = "addon/geonode_assistant/host/documents.py";
const HEAD: &str = r#"# SPDX-License-Identifier: GPL-3.0-or-later
"""What crosses the border between Blender and the core (FORMATS.md). Made by `cargo xtask schemas` from the types in
`rust/graph/src/documents`: changes belong there.

Arrays with entries of different kinds are `list[Any]`, since Python knows no lists with a kind for each place.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
"#;

#[test]
fn the_python_definitions_are_current() {
    let definitions = documents::definitions();
    let text = format!("{HEAD}{}", typed_dicts::module(&definitions));
    assert!(text.matches("(TypedDict):").count() > 20, "hardly anything was made");
    compare(FILE, &text);
}

/// A document in which every kind of part occurs.
fn samples() -> Vec<(&'static str, Value)> {
    let tree = json!({
        "settings": {}, "interface": [{"kind": "socket", "identifier": "Socket_1", "name": "Geometry", "in_out": "OUTPUT",
            "socket_type": "NodeSocketGeometry", "props": {}}],
        "nodes": [{"id": "a", "name": "a", "type": "NodeFrame", "location": [0.0, 0.0], "props": {}}],
        "links": [{"from": ["a", "x"], "to": ["b", "y"]}],
    });
    let modifier = json!({"name": "GeometryNodes", "type": "NODES", "node_group": "T", "inputs": {"Socket_2": 1.0},
        "warnings": [{"type": "ERROR", "message": "no geometry"}]});
    let names = json!({"modifiers": {"Plane": ["GeometryNodes"]}, "node_groups": ["T"]});
    let context = json!({
        "blender": [5, 2, 3], "units": {"system": "METRIC", "scale_length": 1.0, "length": "METERS"},
        "frame": {"start": 1, "end": 250, "current": 1}, "active_object": "Plane", "selection": ["Plane"],
        "target_object": "Plane", "target_modifier": null, "target_node_group": null,
        "objects": [{"name": "Plane", "type": "MESH", "location": [0.0, 0.0, 0.0], "scale": [1.0, 1.0, 1.0],
            "dimensions": [2.0, 2.0, 0.0], "bounds": [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], "visible": true, "selected": true,
            "counts": {"vertices": 4, "edges": 4, "faces": 1}, "modifiers": [modifier]}],
        "cut": 1, "cut_kinds": {"LIGHT": 1}, "collections": [{"name": "Rocks", "objects": ["Rock"]}], "materials": ["Stone"], "images": ["Moss"],
        "node_groups": [{"name": "T", "users": 1, "nodes": 1}],
        "tree": {"ir": 1, "blender": [5, 2, 3], "root": "T", "trees": {"T": tree}},
        "tree_focus": {"selected": ["a"], "touched": []},
    });
    let document = json!({
        "objects": {"Plane": {"type": "MESH", "library": false, "modifiers": [modifier]}}, "trees": {"T": tree},
        "tree_info": {"T": {"users": 1, "library": false, "type": "GeometryNodeTree"}}, "names": {"object": ["Plane"]},
        "fingerprint": "0", "scene": {"objects": {"Plane": {"vertices": 4.0, "edges": 4.0, "faces": 1.0, "corners": 4.0, "area": 4.0,
            "size": [2.0, 2.0, 0.0]}}, "collections": {"Rocks": ["Rock"]}},
    });
    let evidence = json!({
        "objects": [{"name": "Plane", "type": "MESH", "modifiers": [modifier], "evaluated": {
            "mesh": {"vertices": 4, "edges": 4, "faces": 1}, "curves": {"curves": 1, "points": 2}, "pointcloud": {"points": 1},
            "volume": {"grids": 1}, "greasepencil": {"layers": 1}, "instances": {"count": 1, "empty": 1, "nested": 2},
            "bounds": [[-1.0, -1.0, 0.0], [1.0, 1.0, 0.0]], "finite": true, "ms": 1.5}, "unchanged": false}],
        "trees": {"T": tree}, "invalid_links": {"T": [["a", "x", "b", "y", "a cycle"]]},
        "inactive": {"T": [["a", "x"]]}, "before": names, "after": names,
        "results_before": {"Plane": {"empty": false, "parts": ["mesh"], "finite": true, "errors": {"GeometryNodes": ["no geometry"]}}},
        "invalid_before": {"T": [["a", "x", "b", "y", "a cycle"]]},
        "attributes": ["density"],
    });
    let delta = json!({
        "step_id": "s", "trees": [{"tree": "T", "create": false, "copy_of": "U", "interface": [
            {"op": "add", "key": "@k", "kind": "socket", "name": "Seed", "in_out": "INPUT", "socket_type": "NodeSocketInt", "props": {}},
            {"op": "change", "identifier": "Socket_1", "name": "Mesh", "props": {}}, {"op": "remove", "identifier": "Socket_2"}],
            "add": [{"id": "a", "type": "NodeFrame", "label": "A", "width": 100.0}], "links": [["a", "x", "b", "y"]],
            "props": [["a", "shrink", false]], "locations": [["a", 0.0, 0.0]]}],
        "modifiers": [{"object": "Plane", "name": "GeometryNodes", "create": true, "node_group": "T"}],
        "modifier_inputs": [{"object": "Plane", "modifier": "GeometryNodes", "identifier": "@k", "value": 1}],
    });
    vec![
        ("context", context),
        ("document", document),
        ("evidence", evidence),
        ("delta", delta),
    ]
}

/// Reads a document and gives it as it is written again.
fn reread(name: &str, value: &Value) -> Result<Value, serde_json::Error> {
    let value = value.clone();
    match name {
        "context" => serde_json::to_value(serde_json::from_value::<Context>(value)?),
        "document" => serde_json::to_value(serde_json::from_value::<Document>(value)?),
        "evidence" => serde_json::to_value(serde_json::from_value::<Evidence>(value)?),
        _ => serde_json::to_value(serde_json::from_value::<StepDelta>(value)?),
    }
}

#[test]
fn whole_documents_are_read_and_written_alike() {
    for (name, sample) in samples() {
        assert_eq!(reread(name, &sample).unwrap(), sample, "{name}");
    }
}

/// Objects whose keys are names of the artist's or of Blender's: anything may stand there.
const OPEN: [&str; 15] = [
    "collections",
    "cut_kinds",
    "errors",
    "inactive",
    "inputs",
    "invalid_before",
    "invalid_links",
    "modifiers",
    "names",
    "objects",
    "props",
    "results_before",
    "settings",
    "tree_info",
    "trees",
];

#[test]
fn unknown_fields_are_refused_at_every_level() {
    for (name, sample) in samples() {
        let mut places = vec![String::new()];
        closed(&sample, "", &mut places);
        assert!(places.len() > 4, "{name}: {places:?}");
        for place in places {
            let mut wrong = sample.clone();
            let target = wrong.pointer_mut(&place).and_then(Value::as_object_mut).unwrap();
            target.insert("surprise".to_owned(), Value::Null);
            let error = reread(name, &wrong).err().map(|error| error.to_string());
            let error = error.unwrap_or_else(|| panic!("{name}{place}: an unknown field is taken"));
            assert!(error.contains("surprise"), "{name}{place}: {error}");
        }
    }
}

/// JSON Pointers of the objects below that have a fixed set of fields.
fn closed(value: &Value, place: &str, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                if item.is_object() {
                    places.push(format!("{place}/{at}"));
                }
                closed(item, &format!("{place}/{at}"), places);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                let below = format!("{place}/{key}");
                match value {
                    Value::Object(named) if OPEN.contains(&key.as_str()) => {
                        for (name, value) in named.iter().filter(|(_, value)| value.is_object()) {
                            places.push(format!("{below}/{name}"));
                            closed(value, &format!("{below}/{name}"), places);
                        }
                    }
                    Value::Object(_) => {
                        places.push(below.clone());
                        closed(value, &below, places);
                    }
                    _ => closed(value, &below, places),
                }
            }
        }
        _ => {}
    }
}
