//! Records of trials: their Python definitions, and what is refused.

#![allow(clippy::needless_pass_by_value, reason = "literals are handed over")]

use std::collections::{BTreeMap, BTreeSet};

use geonode_script::record::{self, MAX_ENTRIES};
use serde_json::{Value, json};

use geonode_testing::{compare, typed_dicts};

const FILE: &str = "addon/geonode_assistant/scripting/record.py";
const HEAD: &str = r#"# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a script's trial. Made by `cargo xtask schemas` from the types in `rust/script/src/record`: changes
belong there.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict
"#;

#[test]
fn the_python_definitions_are_current() {
    let text = format!("{HEAD}{}", typed_dicts::module(&record::definitions()));
    assert!(text.matches("(TypedDict):").count() > 10, "hardly anything was made");
    compare(FILE, &text);
}

fn with(entries: Value) -> Value {
    json!({"version": 1, "output": "", "entries": entries,
        "situation": {"scene": "Scene", "view_layer": "ViewLayer", "active": null, "mode": "OBJECT", "selected": []}})
}

fn cube() -> Value {
    json!({"root": {"block": {"kind": "objects", "name": "Cube", "library": null}}, "path": []})
}

fn at(path: Value) -> Value {
    json!({"root": {"block": {"kind": "objects", "name": "Cube", "library": null}}, "path": path})
}

fn data(kind: &str) -> Value {
    json!({"root": "data", "path": [kind]})
}

fn quad() -> Value {
    json!({
        "vertices": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0], "edges": [0, 1, 1, 2, 2, 0],
        "corners": [0, 1, 2], "corner_edges": [0, 1, 2], "faces": [0],
        "attributes": [{"name": "position", "type": "FLOAT_VECTOR", "domain": "POINT", "values": []},
            {"name": "sharp_face", "type": "BOOLEAN", "domain": "FACE", "values": [true]}],
        "uv": null, "uv_render": null, "color": null, "color_render": null,
    })
}

fn judged(record: &Value) -> Result<(), String> {
    let removed = BTreeMap::from([("objects".to_owned(), BTreeSet::from(["Old".to_owned()]))]);
    record::check(&record.to_string(), "5.2", &removed)
        .map(|_| ())
        .map_err(|refused| {
            assert_eq!(refused.code().as_str(), "record_invalid");
            refused.text
        })
}

#[test]
fn records_of_ordinary_scripts_pass_and_round_trip() {
    let mesh = json!({"root": {"block": {"kind": "meshes", "name": "M", "library": null}}, "path": []});
    let entries = json!([
        {"do": "call", "of": data("objects"), "name": "new", "args": ["New", null], "named": {},
            "makes": {"kind": "objects", "name": "New", "library": null}},
        {"do": "set", "of": cube(), "name": "location", "value": {"tuple": [1, 2.5, {"number": "inf"}]}},
        {"do": "set", "of": at(json!(["modifiers", {"item": "A"}])), "name": "count", "value": 7},
        {"do": "set", "of": at(json!(["location"])), "name": "x", "value": 7},
        {"do": "set", "of": at(json!(["modifiers", {"item": 0}, "properties", "inputs", "Socket_2"])), "name": "value",
            "value": {"of": {"root": {"result": 0}, "path": []}}},
        {"do": "set_item", "of": cube(), "key": "w", "value": {"dict": [["y", [1, 2]]]}},
        {"do": "delete_item", "of": cube(), "key": "w"},
        {"do": "operator", "name": "mesh.primitive_cube_add", "context": "EXEC_DEFAULT", "named": {"size": 2}},
        {"do": "mesh", "of": mesh, "mesh": quad()},
        {"do": "set", "of": cube(), "name": "matrix_world", "value": {"matrix": [[1.0, 0.0], [0.0, 1.0]]}},
        {"do": "set", "of": cube(), "name": "rotation_euler", "value": {"euler": [0.0, 0.0, 1.0, "XYZ"]}},
        {"do": "call", "of": data("objects"), "name": "remove", "named": {"do_unlink": true},
            "args": [{"of": {"root": {"block": {"kind": "objects", "name": "Old", "library": null}}, "path": []}}]},
        {"do": "call", "of": data("objects"), "name": "remove", "named": {},
            "args": [{"of": {"root": {"block": {"kind": "objects", "name": "New", "library": null}}, "path": []}}]},
        {"do": "call", "of": {"root": "context", "path": []}, "name": "temp_override", "args": [],
            "named": {"active_object": {"of": cube()}}},
        {"do": "enter", "of": {"root": {"result": 13}, "path": []}},
        {"do": "exit", "of": {"root": {"result": 13}, "path": []}},
    ]);
    let whole = with(entries);
    judged(&whole).unwrap();
    let read: record::Record = serde_json::from_value(whole.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), whole);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one list of cases")]
fn records_of_forbidden_actions_are_refused() {
    let many = vec![json!({"do": "set", "of": cube(), "name": "location", "value": 0}); MAX_ENTRIES + 1];
    let deep = (0..40).fold(json!(1), |inner, _| json!([inner]));
    let far = vec![json!("data"); 60];
    let set = |of: Value, name: &str, value: Value| json!({"do": "set", "of": of, "name": name, "value": value});
    let call =
        |of: Value, name: &str, args: Value| json!({"do": "call", "of": of, "name": name, "args": args, "named": {}});
    let operator = |name: &str| json!({"do": "operator", "name": name, "context": null, "named": {}});
    let block = |kind: &str, name: &str| json!({"of": {"root": {"block": {"kind": kind, "name": name, "library": null}}, "path": []}});
    let mesh = |change: fn(&mut Value)| {
        let mut mesh = quad();
        change(&mut mesh);
        json!({"do": "mesh", "of": cube(), "mesh": mesh})
    };
    let cases = [
        ("is not allowed", set(cube(), "__class__", json!(1))),
        ("is not allowed", set(at(json!(["__dict__"])), "location", json!(1))),
        ("is not allowed", set(cube(), "filepath", json!("x"))),
        (
            "is not allowed",
            set(json!({"root": "context", "path": ["preferences"]}), "name", json!(1)),
        ),
        ("is not allowed", call(data("libraries"), "load", json!([]))),
        ("is not allowed", call(data("objects"), "__init__", json!([]))),
        ("is not allowed", operator("wm.save_as_mainfile")),
        ("is not allowed", operator("nothing.at_all")),
        (
            "wait",
            json!({"do": "operator", "name": "mesh.primitive_cube_add", "context": "INVOKE_DEFAULT", "named": {}}),
        ),
        (
            "has no result",
            set(json!({"root": {"result": 0}, "path": []}), "name", json!("x")),
        ),
        (
            "has no result",
            set(cube(), "parent", json!({"of": {"root": {"result": 5}, "path": []}})),
        ),
        ("too many steps", set(at(json!(far)), "name", json!("x"))),
        ("too deeply", set(cube(), "name", deep)),
        ("above", set(cube(), "levels", json!(40))),
        (
            "above",
            json!({"do": "operator", "name": "mesh.subdivide", "context": null, "named": {"number_cuts": 100_000}}),
        ),
        ("not a number", set(cube(), "location", json!({"number": "__import__"}))),
        ("cannot be read", set(cube(), "location", json!({"code": "1"}))),
        ("cannot be read", json!({"do": "eval", "of": cube()})),
        (
            "cannot be read",
            json!({"do": "set", "of": cube(), "name": "x", "value": 1, "more": 1}),
        ),
        (
            "cannot be read",
            set(json!({"root": "session", "path": []}), "name", json!("x")),
        ),
        ("cannot be read", set(at(json!([{"item": 1.5}])), "name", json!("x"))),
        ("cannot be read", set(at(json!([3])), "name", json!("x"))),
        (
            "did not remove",
            call(data("objects"), "remove", json!([block("objects", "Precious")])),
        ),
        (
            "is not allowed",
            call(
                json!({"root": "data", "path": []}),
                "batch_remove",
                json!([[block("objects", "Precious")]]),
            ),
        ),
        (
            "did not remove",
            json!({"do": "call", "of": data("objects"), "name": "remove", "args": [],
            "named": {"object": block("objects", "Precious")}}),
        ),
        ("not entered", json!({"do": "exit", "of": cube()})),
        // What a call returned is new only if the call makes something.
        (
            "did not remove",
            json!({"do": "call", "of": {"root": "context", "path": ["blend_data", "objects"]}, "name": "remove",
                "args": [block("objects", "Precious")], "named": {}}),
        ),
        (
            "did not remove",
            json!({"do": "call", "of": data("objects"), "name": "remove", "named": {}, "args": [
                {"of": {"root": {"block": {"kind": "objects", "name": "Old", "library": "//other.blend"}}, "path": []}}]}),
        ),
        (
            "use up all memory",
            call(at(json!(["data", "vertices"])), "add", json!([2_000_000_000])),
        ),
        (
            "counted by Blender",
            call(
                at(json!(["data", "curve_offset_data"])),
                "foreach_set",
                json!(["value", [0, 1_000_000_000]]),
            ),
        ),
        (
            "counted by Blender",
            set(
                at(json!(["data", "curve_offset_data", {"item": 1}])),
                "value",
                json!(1_000_000_000),
            ),
        ),
        ("within one", mesh(|mesh| mesh["vertices"] = json!([0.0]))),
        ("not there", mesh(|mesh| mesh["edges"] = json!([0, 1, 1, 2, 2, 9]))),
        ("not there", mesh(|mesh| mesh["edges"] = json!([0, 0, 1, 2, 2, 0]))),
        ("does not join", mesh(|mesh| mesh["corner_edges"] = json!([0, 1, 7]))),
        ("does not join", mesh(|mesh| mesh["corners"] = json!([0, 2, 1]))),
        (
            "a vertex twice",
            mesh(|mesh| {
                mesh["corners"] = json!([0, 1, 0, 1]);
                mesh["corner_edges"] = json!([0, 0, 0, 0]);
            }),
        ),
        (
            "two attributes",
            mesh(|mesh| {
                let again = mesh["attributes"][1].clone();
                mesh["attributes"].as_array_mut().unwrap().push(again);
            }),
        ),
        ("fewer than three", mesh(|mesh| mesh["faces"] = json!([0, 2]))),
        ("not there", mesh(|mesh| mesh["faces"] = json!([0, 90]))),
        ("not fit", mesh(|mesh| mesh["faces"] = json!([]))),
        ("one edge for each", mesh(|mesh| mesh["corner_edges"] = json!([]))),
        (
            "another size",
            mesh(|mesh| mesh["attributes"][1]["values"] = json!([true, true])),
        ),
        (
            "another size",
            mesh(|mesh| mesh["attributes"][1]["type"] = json!("POINTER")),
        ),
        (
            "another size",
            mesh(|mesh| mesh["attributes"][1]["domain"] = json!("LAYER")),
        ),
    ];
    for (why, entry) in cases {
        let told = judged(&with(json!([entry.clone()]))).expect_err(&entry.to_string());
        assert!(told.contains(why), "{entry}: {told}");
    }
    for makes in [
        json!(null),
        json!({"kind": "objects", "name": "Precious", "library": null}),
    ] {
        let got = json!({"do": "call", "of": data("objects"), "name": "get", "args": ["Precious"], "named": {},
            "makes": makes});
        for gone in [
            json!({"of": {"root": {"result": 0}, "path": []}}),
            block("objects", "Precious"),
        ] {
            let entries = json!([got.clone(), call(data("objects"), "remove", json!([gone]))]);
            assert!(judged(&with(entries)).unwrap_err().contains("did not remove"));
        }
    }
    assert!(judged(&with(json!(many))).unwrap_err().contains("entries"));
    let mut other = with(json!([]));
    other["version"] = json!(2);
    assert!(judged(&other).unwrap_err().contains("version"));
    assert_eq!(record::unfit_mesh(&quad().to_string()), None);
    assert!(record::unfit_mesh("{}").unwrap().contains("cannot be read"));
    for text in ["", "[]", "{", &"[".repeat(100_000), &" ".repeat(record::MAX_BYTES + 1)] {
        assert!(record::check(text, "5.2", &BTreeMap::new()).is_err());
    }
}

#[test]
fn a_record_tells_what_it_writes_to() {
    let of =
        |kind: &str, name: &str| json!({"root": {"block": {"kind": kind, "name": name, "library": null}}, "path": []});
    let entries = json!([
        {"do": "call", "of": data("objects"), "name": "new", "args": ["New", null], "named": {},
            "makes": {"kind": "objects", "name": "New", "library": null}},
        {"do": "call", "of": data("objects"), "name": "get", "args": ["Precious"], "named": {},
            "makes": {"kind": "objects", "name": "Precious", "library": null}},
        {"do": "set", "of": of("objects", "New"), "name": "location", "value": [1, 2, 3]},
        {"do": "set", "of": of("objects", "Precious"), "name": "location", "value": [1, 2, 3]},
        {"do": "mesh", "of": of("meshes", "M"), "mesh": quad()},
    ]);
    let record: record::Record = serde_json::from_value(with(entries)).unwrap();
    let told = record.written();
    assert_eq!(told["objects"].iter().copied().collect::<Vec<_>>(), ["Precious"]);
    assert_eq!(told["meshes"].iter().copied().collect::<Vec<_>>(), ["M"]);
    assert_eq!(told.len(), 2);
}
