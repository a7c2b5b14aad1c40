//! The verdict on plans: explosive ones are caught with the node, the input and a value that would do; ordinary heavy ones pass.

use std::time::{Duration, Instant};

use geonode_cost::{Budget, Risk, estimate, risk};
use geonode_graph::{Document, compile};
use geonode_protocol::{Limits, parse_plan_value};
use serde_json::{Value, json};

use crate::catalogue;

fn scene() -> Value {
    json!({
        "objects": {"Cube": {"type": "MESH", "library": false, "modifiers": []}},
        "trees": {}, "tree_info": {},
        "names": {"object": ["Cube", "Rock"], "collection": ["Rocks"], "material": [], "image": [], "node_group": []},
        "scene": {
            "objects": {
                "Cube": {"vertices": 8, "edges": 12, "faces": 6, "corners": 24, "area": 24.0, "size": [2.0, 2.0, 2.0]},
                "Rock": {"vertices": 2000, "edges": 4000, "faces": 2000, "size": [1.0, 1.0, 1.0]},
            },
            "collections": {"Rocks": ["Rock"]},
        },
    })
}

/// A step with operations on the cube's tree, which already has `group_input` and `group_output`.
fn plan(ops: Value) -> Value {
    json!({
        "version": "1.1", "done": true, "final_message": "",
        "steps": [{
            "id": "s", "type": "NODE_TREE", "description": "",
            "payload": {
                "target": {"object_name": "Cube", "modifier_name": "M", "node_group_name": "T"},
                "operations": ops,
            },
        }],
    })
}

fn node(id: &str, kind: &str) -> Value {
    json!({"op": "create_node", "node_id": id, "bl_idname": kind})
}

fn value(id: &str, socket: &str, value: impl Into<Value>) -> Value {
    json!({"op": "set_input_default", "node_id": id, "socket": socket, "value": value.into()})
}

fn property(id: &str, name: &str, value: impl Into<Value>) -> Value {
    json!({"op": "set_property", "node_id": id, "property": name, "value": value.into()})
}

fn link(from: (&str, &str), to: (&str, &str)) -> Value {
    json!({
        "op": "link",
        "from": {"node_id": from.0, "socket": from.1},
        "to": {"node_id": to.0, "socket": to.1},
    })
}

fn input(name: &str, kind: &str, default: impl Into<Value>) -> Value {
    json!({"op": "set_group_io", "direction": "input", "name": name, "socket_type": kind, "default": default.into()})
}

fn zone(id: &str, kind: &str, items: Value) -> Value {
    json!({"op": "add_zone", "id": id, "kind": kind, "items": items})
}

/// The verdict in the oldest and the newest Blender; both must agree.
fn verdict(ops: Value, budget: Budget) -> Option<Risk> {
    let plan = parse_plan_value(&plan(ops), &Limits::default());
    let plan = plan.plan.unwrap_or_else(|| panic!("{:?}", plan.findings));
    let document: Document = serde_json::from_value(scene()).unwrap();
    let [old, new] = ["4.2", "5.2"].map(|version| {
        let catalogue = catalogue(version);
        let compiled = compile(&plan, &document, &catalogue);
        assert!(compiled.ok(), "{version}: {:?}", compiled.findings);
        let begun = Instant::now();
        let found = risk(&document, &compiled, &catalogue, budget);
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        found
    });
    assert_eq!(old.as_ref().map(|r| &r.cause), new.as_ref().map(|r| &r.cause));
    new
}

#[track_caller]
fn caught(ops: Value, node: &str, input: &str, cause: &str, fix: &str) {
    let found = verdict(ops, Budget::default()).unwrap_or_else(|| panic!("not caught: {cause}"));
    assert_eq!(
        (found.node.as_deref(), found.input.as_deref()),
        (Some(node), Some(input)),
        "{found:?}"
    );
    let advice = fix.trim_end_matches('.');
    assert_eq!(made(&found), cause);
    assert!(found.fix.starts_with(advice), "{found:?}");
}

/// What would be made, without how long that takes.
fn made(risk: &Risk) -> &str {
    let (made, rest) = risk
        .cause
        .split_once(" That will take about ")
        .unwrap_or((&risk.cause, "."));
    assert!(rest.ends_with('.'), "{risk:?}");
    made
}

#[track_caller]
fn fine(ops: Value) {
    assert_eq!(verdict(ops, Budget::default()), None);
}

const OUT: (&str, &str) = ("group_output", "Geometry");
const IN: (&str, &str) = ("group_input", "Geometry");

fn subdivided(level: u32) -> Value {
    json!([
        input("Detail", "NodeSocketInt", level),
        node("sub", "GeometryNodeSubdivisionSurface"),
        link(IN, ("sub", "Mesh")),
        link(("group_input", "Detail"), ("sub", "Level")),
        link(("sub", "Mesh"), OUT),
    ])
}

#[test]
fn subdivision_beyond_the_budget_is_reported_with_its_level() {
    caught(
        subdivided(12),
        "sub",
        "Level",
        "Subdivision Surface at Level 12 (from the input “Detail”) makes about 101 million vertices.",
        "Level 9 stays under 5 million.",
    );
    fine(subdivided(6));
    fine(subdivided(9));
}

#[test]
fn a_billion_points_exceed_the_budget() {
    let points = |count: u64| {
        json!([
            node("p", "GeometryNodePoints"),
            value("p", "Count", count),
            link(("p", "Geometry"), OUT),
        ])
    };
    caught(
        points(1_000_000_000),
        "p",
        "Count",
        "Points at Count 1,000,000,000 makes about 1 billion points.",
        "Count 5,000,000 stays under 5 million.",
    );
    fine(points(4_000_000));
}

#[test]
fn points_that_are_deleted_later_still_count() {
    let ops = json!([
        node("p", "GeometryNodePoints"),
        value("p", "Count", 1_000_000_000),
        node("d", "GeometryNodeDeleteGeometry"),
        link(("p", "Geometry"), ("d", "Geometry")),
        link(("d", "Geometry"), OUT),
    ]);
    assert_eq!(verdict(ops, Budget::default()).unwrap().node.as_deref(), Some("p"));
}

/// A zone that joins its state with itself, within one that does the same.
fn nested(iterations: u32) -> Value {
    let items = json!([{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]);
    json!([
        zone("outer", "repeat", items.clone()),
        zone("inner", "repeat", items),
        value("outer.in", "Iterations", iterations),
        value("inner.in", "Iterations", iterations),
        node("cube", "GeometryNodeMeshCube"),
        node("join", "GeometryNodeJoinGeometry"),
        link(IN, ("outer.in", "Geometry")),
        link(("outer.in", "Geometry"), ("inner.in", "Geometry")),
        link(("inner.in", "Geometry"), ("join", "Geometry")),
        link(("cube", "Mesh"), ("join", "Geometry")),
        link(("join", "Geometry"), ("inner.out", "Geometry")),
        link(("inner.out", "Geometry"), ("outer.out", "Geometry")),
        link(("outer.out", "Geometry"), OUT),
    ])
}

#[test]
fn nested_repeat_zones_are_evaluated_completely() {
    let found = verdict(nested(1000), Budget::default()).unwrap();
    assert!((7e6..=9e6).contains(&found.elements), "{found:?}");
    assert_eq!(
        (found.node.as_deref(), found.input.as_deref()),
        (Some("outer.in"), Some("Iterations"))
    );
    assert_eq!(
        made(&found),
        "The repeat zone at Iterations 1,000 makes about 8 million vertices."
    );
    // Each iteration copies the geometry, so time is the tighter limit.
    assert!(found.fix.contains(" stays under 5 million, 10 seconds"), "{found:?}");
    assert!(advised(&found) < 624);
    fine(nested(advised(&found)));
    fine(nested(40));
}

#[test]
fn a_zone_that_creates_nothing_is_reported_for_its_time() {
    let items = json!([{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]);
    let ops = |iterations: u32| {
        json!([
            zone("z", "repeat", items.clone()),
            value("z.in", "Iterations", iterations),
            node("move", "GeometryNodeTransform"),
            link(IN, ("z.in", "Geometry")),
            link(("z.in", "Geometry"), ("move", "Geometry")),
            link(("move", "Geometry"), ("z.out", "Geometry")),
            link(("z.out", "Geometry"), OUT),
        ])
    };
    for iterations in [4_900_000, 50_000_000, 1_000_000_000] {
        let found = verdict(ops(iterations), Budget::default()).unwrap();
        assert!(found.cause.starts_with("The repeat zone at Iterations "), "{found:?}");
        assert!(found.cause.contains(" will take about "), "{found:?}");
        assert_eq!(
            (found.node.as_deref(), found.input.as_deref()),
            (Some("z.in"), Some("Iterations"))
        );
        assert!(found.seconds > 10.0 && found.bytes > 2e9, "{found:?}");
        // Whoever follows the advice is not asked again.
        fine(ops(advised(&found)));
    }
    fine(ops(10_000));
}

/// The number in "Iterations 78,000 stays under …".
fn advised(risk: &Risk) -> u32 {
    let (advice, _) = risk
        .fix
        .split_once(" stays under ")
        .unwrap_or_else(|| panic!("{risk:?}"));
    let number: String = advice.chars().filter(char::is_ascii_digit).collect();
    number.parse().unwrap()
}

/// What multiplies within what multiplies: time is the product although nothing is made.
#[test]
fn time_multiplies_through_zones_and_fields() {
    let items = json!([{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]);
    let zones = |iterations: u32| {
        json!([
            zone("outer", "repeat", items.clone()),
            zone("inner", "repeat", items.clone()),
            value("outer.in", "Iterations", iterations),
            value("inner.in", "Iterations", 20_000),
            node("move", "GeometryNodeTransform"),
            link(IN, ("outer.in", "Geometry")),
            link(("outer.in", "Geometry"), ("inner.in", "Geometry")),
            link(("inner.in", "Geometry"), ("move", "Geometry")),
            link(("move", "Geometry"), ("inner.out", "Geometry")),
            link(("inner.out", "Geometry"), ("outer.out", "Geometry")),
            link(("outer.out", "Geometry"), OUT),
        ])
    };
    let found = verdict(zones(20_000), Budget::default()).unwrap();
    assert_eq!(found.node.as_deref(), Some("outer.in"), "{found:?}");
    fine(zones(advised(&found)));
    let noise = |iterations: u32| {
        json!([
            zone("z", "repeat", items.clone()),
            value("z.in", "Iterations", iterations),
            node("grid", "GeometryNodeMeshGrid"),
            value("grid", "Vertices X", 1000),
            value("grid", "Vertices Y", 1000),
            node("noise", "ShaderNodeTexNoise"),
            node("move", "GeometryNodeSetPosition"),
            link(("grid", "Mesh"), ("z.in", "Geometry")),
            link(("z.in", "Geometry"), ("move", "Geometry")),
            link(("noise", "Color"), ("move", "Offset")),
            link(("move", "Geometry"), ("z.out", "Geometry")),
            link(("z.out", "Geometry"), OUT),
        ])
    };
    let found = verdict(noise(2000), Budget::default()).unwrap();
    assert!(found.seconds > 60.0, "{found:?}");
    fine(noise(advised(&found)));
    fine(noise(1));
}

/// A branch that is not taken is not evaluated, a muted node does nothing.
#[test]
fn inputs_that_are_not_evaluated_take_no_time() {
    let items = json!([{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]);
    let ops = |fine: bool| {
        json!([
            zone("z", "repeat", items.clone()),
            value("z.in", "Iterations", 4_900_000),
            node("move", "GeometryNodeTransform"),
            node("switch", "GeometryNodeSwitch"),
            property("switch", "input_type", "GEOMETRY"),
            value("switch", "Switch", fine),
            link(IN, ("z.in", "Geometry")),
            link(("z.in", "Geometry"), ("move", "Geometry")),
            link(("move", "Geometry"), ("z.out", "Geometry")),
            link(IN, ("switch", "False")),
            link(("z.out", "Geometry"), ("switch", "True")),
            link(("switch", "Output"), OUT),
        ])
    };
    fine(ops(false));
    assert!(verdict(ops(true), Budget::default()).is_some());
}

/// The state of every frame is kept.
#[test]
fn a_simulation_is_estimated_over_its_frames() {
    let items = json!([{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]);
    let ops = |side: u32| {
        json!([
            zone("z", "simulation", items.clone()),
            node("grid", "GeometryNodeMeshGrid"),
            value("grid", "Vertices X", side),
            value("grid", "Vertices Y", side),
            node("move", "GeometryNodeTransform"),
            link(("grid", "Mesh"), ("z.in", "Geometry")),
            link(("z.in", "Geometry"), ("move", "Geometry")),
            link(("move", "Geometry"), ("z.out", "Geometry")),
            link(("z.out", "Geometry"), OUT),
        ])
    };
    let found = verdict(ops(1000), Budget::default()).unwrap();
    assert!(found.cause.starts_with("The simulation zone"), "{found:?}");
    fine(ops(100));
}

#[test]
fn a_very_long_text_exceeds_the_budget() {
    // A text in a plan is bounded, but a zone can join it to itself.
    let items = json!([{"name": "Text", "socket_type": "NodeSocketString"}]);
    let ops = |iterations: u32| {
        json!([
            zone("z", "repeat", items.clone()),
            value("z.in", "Iterations", iterations),
            value("z.in", "Text", "many words "),
            node("join", "GeometryNodeStringJoin"),
            node("text", "GeometryNodeStringToCurves"),
            link(("z.in", "Text"), ("join", "Strings")),
            link(("z.in", "Text"), ("join", "Strings")),
            link(("join", "String"), ("z.out", "Text")),
            link(("z.out", "Text"), ("text", "String")),
            link(("text", "Curve Instances"), OUT),
        ])
    };
    let double = |iterations: u32| {
        // Two reroutes, for one output cannot be linked twice to one input.
        let mut ops = ops(iterations);
        let list = ops.as_array_mut().unwrap();
        list[6] = link(("r", "Output"), ("join", "Strings"));
        list.insert(5, node("r", "NodeReroute"));
        list.insert(7, link(("z.in", "Text"), ("r", "Input")));
        ops
    };
    let found = verdict(double(25), Budget::default()).unwrap();
    assert_eq!(found.node.as_deref(), Some("text"));
    assert!(
        found
            .cause
            .starts_with("String to Curves makes about 369 million instances"),
        "{found:?}"
    );
    fine(double(10));
}

#[test]
fn fine_voxels_exceed_the_budget() {
    let ops = |size: f64| {
        json!([
            input("Voxel", "NodeSocketFloat", size),
            node("v", "GeometryNodeMeshToVolume"),
            property("v", "resolution_mode", "VOXEL_SIZE"),
            link(("group_input", "Voxel"), ("v", "Voxel Size")),
            link(IN, ("v", "Mesh")),
            link(("v", "Volume"), OUT),
        ])
    };
    let found = verdict(ops(0.0001), Budget::default()).unwrap();
    assert_eq!(
        made(&found),
        "Mesh to Volume at Voxel Size 0.0001 (from the input “Voxel”) makes about 8 trillion voxels."
    );
    let (advice, limits) = found.fix.split_once(" stays under ").unwrap();
    assert!(limits.starts_with("50 million, 10 seconds and 2 GB"), "{found:?}");
    fine(ops(advice.rsplit(' ').next().unwrap().parse().unwrap()));
    fine(ops(0.01));
}

#[test]
fn density_counts_by_area() {
    let ops = |density: f64| {
        json!([
            node("d", "GeometryNodeDistributePointsOnFaces"),
            value("d", "Density", density),
            link(IN, ("d", "Mesh")),
            link(("d", "Points"), OUT),
        ])
    };
    caught(
        ops(1e9),
        "d",
        "Density",
        "Distribute Points on Faces at Density 1,000,000,000 makes about 24 billion points.",
        "Density 200,000 stays under 5 million.",
    );
    fine(ops(100_000.0));
}

/// The count is given, the density computed from the sum of the face areas.
#[test]
fn a_count_computed_from_the_area_is_known() {
    let ops = |count: u64| {
        json!([
            input("Count", "NodeSocketInt", count),
            node("area", "GeometryNodeInputMeshFaceArea"),
            node("sum", "GeometryNodeAttributeStatistic"),
            property("sum", "domain", "FACE"),
            node("density", "ShaderNodeMath"),
            property("density", "operation", "DIVIDE"),
            node("d", "GeometryNodeDistributePointsOnFaces"),
            link(IN, ("sum", "Geometry")),
            link(("area", "Area"), ("sum", "Attribute")),
            link(("group_input", "Count"), ("density", "Value")),
            link(("sum", "Sum"), ("density", "Value_001")),
            link(IN, ("d", "Mesh")),
            link(("density", "Value"), ("d", "Density")),
            link(("d", "Points"), OUT),
        ])
    };
    let found = verdict(ops(100_000_000), Budget::default()).unwrap();
    assert_eq!(
        made(&found),
        "Distribute Points on Faces at Density 4,166,667 makes about 100 million points."
    );
    fine(ops(4_000_000));
}

#[test]
fn instances_count_once_until_they_are_realized() {
    let ops = |real: bool| {
        let mut ops = vec![
            node("grid", "GeometryNodeMeshGrid"),
            value("grid", "Vertices X", 1000),
            value("grid", "Vertices Y", 1000),
            node("cube", "GeometryNodeMeshCube"),
            node("i", "GeometryNodeInstanceOnPoints"),
            link(("grid", "Mesh"), ("i", "Points")),
            link(("cube", "Mesh"), ("i", "Instance")),
        ];
        if real {
            ops.push(node("real", "GeometryNodeRealizeInstances"));
            ops.push(link(("i", "Instances"), ("real", "Geometry")));
            ops.push(link(("real", "Geometry"), OUT));
        } else {
            ops.push(link(("i", "Instances"), OUT));
        }
        Value::from(ops)
    };
    fine(ops(false));
    let found = verdict(ops(true), Budget::default()).unwrap();
    assert_eq!(found.node.as_deref(), Some("real"));
    assert_eq!(
        (made(&found), found.fix.as_str()),
        (
            "Realize Instances (Grid has Vertices X 1,000) makes about 8 million vertices.",
            "Vertices X 625 of Grid stays under 5 million."
        )
    );
}

#[test]
fn a_branch_that_is_not_taken_costs_nothing() {
    let ops = |truth: Value| {
        json!([
            input("Fine", "NodeSocketBool", truth),
            node("many", "GeometryNodePoints"),
            value("many", "Count", 1_000_000_000),
            node("switch", "GeometryNodeSwitch"),
            property("switch", "input_type", "GEOMETRY"),
            link(("group_input", "Fine"), ("switch", "Switch")),
            link(IN, ("switch", "False")),
            link(("many", "Geometry"), ("switch", "True")),
            link(("switch", "Output"), OUT),
        ])
    };
    fine(ops(json!(false)));
    assert!(verdict(ops(json!(true)), Budget::default()).is_some());
}

#[test]
fn for_each_multiplies_by_its_elements() {
    let ops = |vertices: u32| {
        json!([
            node("grid", "GeometryNodeMeshGrid"),
            value("grid", "Vertices X", vertices),
            value("grid", "Vertices Y", vertices),
            zone(
                "z",
                "for_each",
                json!([{"name": "Made", "socket_type": "NodeSocketGeometry"}])
            ),
            node("ball", "GeometryNodeMeshUVSphere"),
            node("move", "GeometryNodeSetPosition"),
            link(("grid", "Mesh"), ("z.in", "Geometry")),
            link(("ball", "Mesh"), ("move", "Geometry")),
            link(("move", "Geometry"), ("z.out", "Made")),
            link(("z.out", "Made"), OUT),
        ])
    };
    let plan = parse_plan_value(&plan(ops(200)), &Limits::default()).plan.unwrap();
    let document: Document = serde_json::from_value(scene()).unwrap();
    let catalogue = catalogue("5.2");
    let compiled = compile(&plan, &document, &catalogue);
    assert!(compiled.ok(), "{:?}", compiled.findings);
    let found = risk(&document, &compiled, &catalogue, Budget::default()).unwrap();
    assert_eq!(
        made(&found),
        "The For Each zone (Grid has Vertices X 200) makes about 19 million vertices."
    );
}

#[test]
fn a_tree_that_was_as_heavy_before_is_not_asked_about() {
    let catalogue = catalogue("5.2");
    let document: Document = serde_json::from_value(scene()).unwrap();
    let heavy = parse_plan_value(&plan(subdivided(12)), &Limits::default())
        .plan
        .unwrap();
    let mut after = compile(&heavy, &document, &catalogue).after;
    let tree = after.trees["T"].clone();
    assert!(estimate(&after, &catalogue, "Cube", Budget::default()).elements > 1e8);
    let more = |ops: Value| {
        let plan = parse_plan_value(&plan(ops), &Limits::default()).plan.unwrap();
        let compiled = compile(&plan, &after, &catalogue);
        assert!(compiled.ok(), "{:?}", compiled.findings);
        risk(&after, &compiled, &catalogue, Budget::default())
    };
    let detail = tree.interface.iter().find(|item| item.name == "Detail").unwrap();
    assert!(!detail.identifier.is_empty());
    assert_eq!(more(json!([value("sub", "Edge Crease", 0.5)])), None);
    assert!(more(json!([input("Detail", "NodeSocketInt", 13)])).is_some());
    after.trees.insert("T".into(), tree);
}

#[test]
fn the_modifiers_value_counts_not_the_default() {
    let catalogue = catalogue("5.2");
    let mut scene = scene();
    scene["trees"]["T"] = json!({
        "interface": [
            {"kind": "socket", "identifier": "Socket_0", "name": "Geometry", "in_out": "OUTPUT", "socket_type": "NodeSocketGeometry"},
            {"kind": "socket", "identifier": "Socket_1", "name": "Geometry", "in_out": "INPUT", "socket_type": "NodeSocketGeometry"},
            {"kind": "socket", "identifier": "Socket_2", "name": "Detail", "in_out": "INPUT", "socket_type": "NodeSocketInt",
             "props": {"default_value": 1}},
        ],
        "nodes": [
            {"id": "in", "type": "NodeGroupInput"},
            {"id": "out", "type": "NodeGroupOutput"},
            {"id": "sub", "type": "GeometryNodeSubdivisionSurface"},
        ],
        "links": [
            {"from": ["in", "Socket_1"], "to": ["sub", "Mesh"]},
            {"from": ["in", "Socket_2"], "to": ["sub", "Level"]},
            {"from": ["sub", "Mesh"], "to": ["out", "Socket_0"]},
        ],
    });
    let modifier = |value: Value| json!([{"name": "M", "type": "NODES", "node_group": "T", "inputs": value}]);
    let result = |scene: &Value| {
        let document: Document = serde_json::from_value(scene.clone()).unwrap();
        estimate(&document, &catalogue, "Cube", Budget::default())
    };
    for (inputs, vertices) in [(json!({}), 26.0), (json!({"Socket_2": 3}), 386.0)] {
        scene["objects"]["Cube"]["modifiers"] = modifier(inputs);
        assert!((result(&scene).result.vertices - vertices).abs() < 0.1);
    }
    scene["objects"]["Cube"]["modifiers"] = modifier(json!({"Socket_2": 14}));
    let culprit = result(&scene).culprit.unwrap();
    assert_eq!(culprit.lever.as_ref().unwrap().source.as_deref(), Some("Detail"));
    // Another modifier before it counts as well.
    scene["objects"]["Cube"]["modifiers"] = json!([
        {"name": "S", "type": "SUBSURF", "inputs": {"levels": 2}},
        {"name": "M", "type": "NODES", "node_group": "T", "inputs": {"Socket_2": 1}},
    ]);
    assert!((result(&scene).result.vertices - 386.0).abs() < 0.1);
}

/// Groups that use each other twice, 30 deep, and a tree that holds itself.
#[test]
fn the_work_of_an_estimate_is_bounded() {
    let catalogue = catalogue("5.2");
    let mut scene = scene();
    let interface = json!([
        {"kind": "socket", "identifier": "Socket_0", "name": "Geometry", "in_out": "OUTPUT", "socket_type": "NodeSocketGeometry"},
        {"kind": "socket", "identifier": "Socket_1", "name": "Geometry", "in_out": "INPUT", "socket_type": "NodeSocketGeometry"},
    ]);
    let group = |id: &str, name: &str| json!({"id": id, "type": "GeometryNodeGroup", "props": {"node_tree": {"node_group": name}}});
    for depth in 0..30 {
        let below = format!("G{}", depth + 1);
        scene["trees"][format!("G{depth}")] = json!({
            "interface": interface,
            "nodes": [
                {"id": "in", "type": "NodeGroupInput"}, {"id": "out", "type": "NodeGroupOutput"},
                {"id": "join", "type": "GeometryNodeJoinGeometry"},
                group("a", &below), group("b", &below),
            ],
            "links": [
                {"from": ["in", "Socket_1"], "to": ["a", "Socket_1"]},
                {"from": ["in", "Socket_1"], "to": ["b", "Socket_1"]},
                {"from": ["a", "Socket_0"], "to": ["join", "Geometry"]},
                {"from": ["b", "Socket_0"], "to": ["join", "Geometry"]},
                {"from": ["join", "Geometry"], "to": ["out", "Socket_0"]},
            ],
        });
    }
    scene["trees"]["G30"] = json!({
        "interface": interface,
        "nodes": [{"id": "in", "type": "NodeGroupInput"}, {"id": "out", "type": "NodeGroupOutput"}],
        "links": [{"from": ["in", "Socket_1"], "to": ["out", "Socket_0"]}],
    });
    scene["trees"]["Self"] = json!({
        "interface": interface,
        "nodes": [{"id": "in", "type": "NodeGroupInput"}, {"id": "out", "type": "NodeGroupOutput"}, group("self", "Self")],
        "links": [
            {"from": ["in", "Socket_1"], "to": ["self", "Socket_1"]},
            {"from": ["self", "Socket_0"], "to": ["out", "Socket_0"]},
        ],
    });
    let mut result = |name: &str| {
        scene["objects"]["Cube"]["modifiers"] = json!([{"name": "M", "type": "NODES", "node_group": name}]);
        let document: Document = serde_json::from_value(scene.clone()).unwrap();
        let begun = Instant::now();
        let found = estimate(&document, &catalogue, "Cube", Budget::default());
        assert!(
            begun.elapsed() < Duration::from_secs(2),
            "{name}: {:?}",
            begun.elapsed()
        );
        found
    };
    let doubled = result("G0");
    assert!((doubled.result.vertices - 8.0 * 2.0_f64.powi(30)).abs() < 1.0);
    assert_eq!(doubled.culprit.unwrap().label, "Join Geometry");
    assert!(result("Self").incomplete);
}
