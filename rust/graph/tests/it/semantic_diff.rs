//! Two documents and the words for what differs: each case edits the base tree and says every line that must come out.

use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, ReadError, semantic_diff};
use geonode_protocol::Code;
use serde_json::{Value, json};

use crate::catalogue;

/// Group Input → Transform → Join ← Cube → Group Output, a Math node behind the scale, and a nested group.
fn base() -> Value {
    let node = |id: &str, kind: &str, x: f64| json!({"id": id, "name": id, "type": kind, "location": [x, 0.0], "props": {}, "inputs": {}, "outputs": {}});
    let socket = |identifier: &str, name: &str, side: &str, kind: &str, props: Value| json!({"kind": "socket", "identifier": identifier, "name": name, "in_out": side, "socket_type": kind, "props": props});
    let mut group = node("Group", "GeometryNodeGroup", 100.0);
    group["props"] = json!({"node_tree": {"node_group": "Inner"}});
    group["inputs"] = json!({"Socket_0": {"value": 1.5}});
    let mut math = node("Math", "ShaderNodeMath", -50.0);
    math["inputs"] = json!({"Value_001": {"value": 2.0}});
    let mut repeat = node("Repeat Output", "GeometryNodeRepeatOutput", 400.0);
    repeat["items"] = json!({"repeat_items": [{"identifier": 0, "name": "Geometry", "socket_type": "GEOMETRY"}]});
    json!({"ir": 1, "blender": [5, 2, 3], "root": "Tree", "trees": {
        "Tree": {"settings": {}, "interface": [
            socket("Socket_0", "Geometry", "OUTPUT", "NodeSocketGeometry", json!({})),
            socket("Socket_1", "Geometry", "INPUT", "NodeSocketGeometry", json!({})),
            socket("Socket_2", "Height", "INPUT", "NodeSocketFloat", json!({"subtype": "DISTANCE", "default_value": 1.0}))],
         "nodes": [node("in", "NodeGroupInput", -200.0), node("out", "NodeGroupOutput", 600.0), node("Transform", "GeometryNodeTransform", 0.0),
            node("Cube", "GeometryNodeMeshCube", 0.0), node("Join", "GeometryNodeJoinGeometry", 200.0), math, group, repeat,
            node("Frame", "NodeFrame", 0.0)],
         "links": [
            {"from": ["in", "Socket_1"], "to": ["Transform", "Geometry"]},
            {"from": ["Math", "Value"], "to": ["Transform", "Scale"]},
            {"from": ["Transform", "Geometry"], "to": ["Join", "Geometry"], "sort": 0},
            {"from": ["Cube", "Mesh"], "to": ["Join", "Geometry"], "sort": 1},
            {"from": ["Join", "Geometry"], "to": ["out", "Socket_0"]}]},
        "Inner": {"settings": {}, "interface": [socket("Socket_0", "Amount", "INPUT", "NodeSocketFloat", json!({}))],
         "nodes": [node("Value", "ShaderNodeValue", 0.0)], "links": []}}})
}

/// Renames a node everywhere, as Blender's rename does for nodes without a stamp.
fn rename(bundle: &mut Value, old: &str, new: &str) {
    let tree = &mut bundle["trees"]["Tree"];
    for node in tree["nodes"].as_array_mut().unwrap() {
        if node["id"] == old {
            (node["id"], node["name"]) = (json!(new), json!(new));
        }
    }
    for link in tree["links"].as_array_mut().unwrap() {
        for end in ["from", "to"] {
            if link[end][0] == old {
                link[end][0] = json!(new);
            }
        }
    }
}

fn node<'v>(bundle: &'v mut Value, id: &str) -> &'v mut Value {
    let nodes = bundle["trees"]["Tree"]["nodes"].as_array_mut().unwrap();
    nodes.iter_mut().find(|node| node["id"] == id).unwrap()
}

fn list<'v>(bundle: &'v mut Value, name: &str) -> &'v mut Vec<Value> {
    bundle["trees"]["Tree"][name].as_array_mut().unwrap()
}

fn bundle(value: &Value) -> Bundle {
    Bundle::read(&value.to_string()).unwrap()
}

type Case = (&'static str, fn(&mut Value), &'static [&'static str]);

const CASES: &[Case] = &[
    ("nothing", |_| {}, &[]),
    (
        "value with unit",
        |b| node(b, "Transform")["inputs"] = json!({"Translation": {"value": [0.0, 0.0, 2.5]}}),
        &["“Transform”: Translation from (0, 0, 0) m to (0, 0, 2.5) m"],
    ),
    (
        "angle",
        |b| node(b, "Transform")["inputs"] = json!({"Rotation": {"value": [0.0, 0.0, 0.349_065_85]}}),
        &["“Transform”: Rotation from (0, 0, 0)° to (0, 0, 20)°"],
    ),
    (
        "back to the default; sockets of one name are numbered",
        |b| node(b, "Math")["inputs"] = json!({}),
        &["“Math”: Value (2) from 2 to 0.5"],
    ),
    (
        "a default that is written out is not a change",
        |b| node(b, "Transform")["inputs"] = json!({"Scale": {"value": [1, 1.0, 1.0]}}),
        &["Only order, identifiers or spelled-out defaults differ"],
    ),
    (
        "enum by label, switch, mute",
        |b| node(b, "Math")["props"] = json!({"operation": "MULTIPLY_ADD", "use_clamp": true, "mute": true}),
        &[
            "“Math”: Operation from Add to Multiply Add",
            "“Math”: Clamp from off to on",
            "Muted “Math”",
        ],
    ),
    (
        "renamed",
        |b| rename(b, "Math", "Twice"),
        &["Renamed “Math” to “Twice”"],
    ),
    (
        "renamed and edited",
        |b| {
            rename(b, "Math", "Twice");
            node(b, "Twice")["inputs"] = json!({"Value_001": {"value": 3.0}});
        },
        &["Renamed “Math” to “Twice”", "“Twice”: Value (2) from 2 to 3"],
    ),
    (
        "neighbours renamed together",
        |b| {
            rename(b, "Cube", "Box");
            rename(b, "Join", "All");
            node(b, "All")["location"] = json!([9.0, 9.0]);
        },
        &[
            "Renamed “Cube” to “Box”",
            "Renamed “Join” to “All”",
            "Layout only: 1 node moved",
        ],
    ),
    (
        "stamped: a new ID alone",
        |b| {
            rename(b, "Math", "uid-1");
            node(b, "uid-1")["name"] = json!("Math");
        },
        &["Only order, identifiers or spelled-out defaults differ"],
    ),
    (
        "labelled",
        |b| node(b, "Math")["label"] = json!("Twice"),
        &["Labelled “Math” as “Twice”"],
    ),
    (
        "layout in one line",
        |b| {
            node(b, "Math")["location"] = json!([7.0, 7.0]);
            node(b, "Cube")["width"] = json!(300.0);
            node(b, "Cube")["props"] = json!({"hide": true, "color": [1.0, 0.0, 0.0], "use_custom_color": true});
        },
        &["Layout only: 1 node moved, 1 node resized, 1 node folded or unfolded, 1 node coloured"],
    ),
    (
        "framed",
        |b| {
            node(b, "Math")["parent"] = json!("Frame");
            node(b, "Math")["location"] = json!([1.0, 1.0]);
            node(b, "Cube")["parent"] = json!("Frame");
        },
        &["Put “Cube”, “Math” into the frame “Frame”"],
    ),
    (
        "removed with its links",
        |b| {
            list(b, "nodes").retain(|n| n["id"] != "Cube");
            list(b, "links").retain(|l| l["from"][0] != "Cube");
        },
        &["Removed Cube “Cube”"],
    ),
    (
        "added and wired",
        |b| {
            let mut ball = node(b, "Cube").clone();
            ball["id"] = json!("Ball");
            ball["name"] = json!("Ball");
            ball["type"] = json!("GeometryNodeMeshUVSphere");
            list(b, "nodes").push(ball);
            list(b, "links").push(json!({"from": ["Ball", "Mesh"], "to": ["Join", "Geometry"], "sort": 2}));
        },
        &["Added UV Sphere “Ball”", "Linked “Ball” Mesh to “Join” Geometry"],
    ),
    (
        "rewired",
        |b| list(b, "links")[4]["from"] = json!(["Transform", "Geometry"]),
        &["Rewired “out” Geometry: from “Transform” Geometry instead of “Join” Geometry"],
    ),
    (
        "unlinked, muted",
        |b| {
            list(b, "links").remove(1);
            list(b, "links")[0]["muted"] = json!(true);
        },
        &[
            "Unlinked “Math” Value from “Transform” Scale",
            "Muted the link “in” Geometry to “Transform” Geometry",
        ],
    ),
    (
        "order of a multi-input",
        |b| {
            list(b, "links").swap(2, 3);
            list(b, "links")[2]["sort"] = json!(0);
            list(b, "links")[3]["sort"] = json!(1);
        },
        &["Reordered the links into “Join” Geometry"],
    ),
    (
        "hidden socket",
        |b| node(b, "Cube")["inputs"] = json!({"Size": {"hide": true}}),
        &["“Cube”: Size hidden"],
    ),
    (
        "interface",
        |b| {
            let items = list(b, "interface");
            items[2]["name"] = json!("Tall");
            items[2]["props"] = json!({"subtype": "DISTANCE", "default_value": 2.5, "min_value": 0.0});
            items.push(json!({"kind": "panel", "identifier": "panel:3", "name": "More", "props": {}}));
            items.push(json!({"kind": "socket", "identifier": "Socket_4", "name": "Turn", "in_out": "INPUT", "socket_type": "NodeSocketFloat", "parent": "panel:3", "props": {"subtype": "ANGLE", "default_value": 0.349_065_85}}));
        },
        &[
            "Added the panel “More”",
            "Added the input “Turn” (Float, default 20°)",
            "Renamed the input “Height” to “Tall”",
            "The input “Tall”: default from 1 m to 2.5 m",
            "The input “Tall”: minimum set to 0 m",
        ],
    ),
    (
        "interface made anew under another identifier",
        |b| {
            list(b, "interface")[1]["identifier"] = json!("Socket_9");
            list(b, "links")[0]["from"][1] = json!("Socket_9");
        },
        &["Only order, identifiers or spelled-out defaults differ"],
    ),
    (
        "interface input removed with its links",
        |b| {
            list(b, "interface").remove(1);
            list(b, "links").remove(0);
        },
        &["Removed the input “Geometry”"],
    ),
    (
        "interface order",
        |b| list(b, "interface").swap(1, 2),
        &["Reordered the interface"],
    ),
    (
        "zone items",
        |b| node(b, "Repeat Output")["items"] = json!({"repeat_items": [{"identifier": 0, "name": "Mesh", "socket_type": "GEOMETRY"}, {"identifier": 1, "name": "Height", "socket_type": "FLOAT"}]}),
        &[
            "Renamed the repeat item “Geometry” of “Repeat Output” to “Mesh”",
            "Added the repeat item “Height” to “Repeat Output”",
        ],
    ),
    (
        "value of a group's input",
        |b| node(b, "Group")["inputs"] = json!({"Socket_0": {"value": 4.0}}),
        &["“Group”: Amount from 1.5 to 4"],
    ),
    (
        "inside a group",
        |b| b["trees"]["Inner"]["nodes"][0]["outputs"] = json!({"Value": {"value": 8.0}}),
        &["In the group “Inner”: “Value”: Value set to 8"],
    ),
    (
        "group renamed",
        |b| {
            let inner = b["trees"].as_object_mut().unwrap().remove("Inner").unwrap();
            b["trees"]["Within"] = inner;
            node(b, "Group")["props"] = json!({"node_tree": {"node_group": "Within"}});
        },
        &["Renamed the node group “Inner” to “Within”"],
    ),
    (
        "root renamed",
        |b| {
            let tree = b["trees"].as_object_mut().unwrap().remove("Tree").unwrap();
            b["trees"]["Wood"] = tree;
            b["root"] = json!("Wood");
        },
        &["Renamed the node group “Tree” to “Wood”"],
    ),
    (
        "other group",
        |b| {
            let mut other = b["trees"]["Inner"].clone();
            other["nodes"] = json!([]);
            b["trees"]["Other"] = other;
            node(b, "Group")["props"] = json!({"node_tree": {"node_group": "Other"}});
        },
        &[
            "“Group” uses the group “Other” instead of the group “Inner”",
            "Added the node group “Other” (0 nodes)",
        ],
    ),
];

#[test]
fn every_change_in_words() {
    let catalogue = catalogue("5.2");
    let before = base();
    for (name, edit, expected) in CASES {
        let mut after = base();
        edit(&mut after);
        let lines = semantic_diff(&bundle(&before), &bundle(&after), &catalogue);
        assert_eq!(&lines, expected, "{name}");
        // The way back says as much, and a tree never differs from itself.
        let back = semantic_diff(&bundle(&after), &bundle(&before), &catalogue);
        assert_eq!(back.is_empty(), lines.is_empty(), "{name}, backwards");
        assert_eq!(
            semantic_diff(&bundle(&after), &bundle(&after), &catalogue),
            [""; 0],
            "{name}, itself"
        );
    }
}

#[test]
fn an_empty_catalogue_is_enough() {
    let mut after = base();
    node(&mut after, "Transform")["inputs"] = json!({"Translation": {"value": [0.0, 0.0, 2.5]}});
    let lines = semantic_diff(&bundle(&base()), &bundle(&after), &Catalogue::default());
    assert_eq!(lines, ["“Transform”: Translation set to (0, 0, 2.5)"]);
}

#[test]
fn invalid_documents_are_refused_with_their_cause() {
    let edited = |edit: fn(&mut Value)| {
        let mut value = base();
        edit(&mut value);
        value.to_string()
    };
    let cases: Vec<(String, Code, &str)> = vec![
        (String::new(), Code::InvalidJson, "line 1"),
        ("<html>".into(), Code::InvalidJson, "line 1"),
        ("[".repeat(10_000), Code::TooDeep, "64 levels"),
        ("{\"a\":".repeat(10_000), Code::TooDeep, "64 levels"),
        (r#"{"ir": 1, "ir": 1}"#.into(), Code::DuplicateKey, "\"ir\""),
        (
            base().to_string().replacen("1.5", "NaN", 1),
            Code::InvalidJson,
            "line 1",
        ),
        (
            base().to_string().replacen("1.5", "1e999", 1),
            Code::InvalidJson,
            "out of range",
        ),
        (base().to_string() + "{}", Code::InvalidJson, "trailing"),
        ("{}".into(), Code::UnsupportedVersion, "null"),
        (edited(|b| b["ir"] = json!(2)), Code::UnsupportedVersion, "version 2"),
        (
            edited(|b| b["more"] = json!(2)),
            Code::InvalidDocument,
            "unknown field `more`",
        ),
        (
            edited(|b| list(b, "nodes")[0]["colour"] = json!(2)),
            Code::InvalidDocument,
            "unknown field `colour`",
        ),
        (
            edited(|b| list(b, "links")[0]["from"] = json!(["in"])),
            Code::InvalidDocument,
            "invalid length",
        ),
        (
            edited(|b| b["root"] = json!("Nobody")),
            Code::InvalidDocument,
            "\"Nobody\"",
        ),
        (
            edited(|b| list(b, "interface")[1]["parent"] = json!("panel:9")),
            Code::InvalidDocument,
            "panel:9",
        ),
        (
            edited(|b| list(b, "interface")[1]["identifier"] = json!("Socket_0")),
            Code::DuplicateId,
            "Socket_0",
        ),
        (
            edited(|b| list(b, "nodes")[1]["id"] = json!("in")),
            Code::DuplicateId,
            "\"in\"",
        ),
        (
            edited(|b| list(b, "links")[0]["to"][0] = json!("Nobody")),
            Code::UnknownNode,
            "\"Nobody\"",
        ),
        (
            edited(|b| node(b, "Math")["parent"] = json!("Nobody")),
            Code::UnknownNode,
            "\"Nobody\"",
        ),
        (
            edited(|b| node(b, "Frame")["parent"] = json!("Frame")),
            Code::Cycle,
            "\"Frame\"",
        ),
    ];
    for (text, code, cause) in cases {
        let start: String = text.chars().take(60).collect();
        let error: ReadError = Bundle::read(&text).unwrap_err();
        assert_eq!(error.code(), code, "{start}: {error}");
        assert!(error.to_string().contains(cause), "{start}: {error}");
    }
    assert!(Bundle::read(&base().to_string()).is_ok());
}
