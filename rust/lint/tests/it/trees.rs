//! Trees with a node that does nothing, which Blender evaluates without any warning.

use std::collections::BTreeSet;

use geonode_graph::{Document, compile};
use geonode_lint::{Lint, Question, lint};
use geonode_protocol::{Code, Limits, parse_plan_value};
use serde_json::{Value, json};

use crate::catalogue;

const VERSIONS: [&str; 4] = ["4.2", "4.5", "5.0", "5.2"];

fn document(kind: &str) -> Document {
    let figures = match kind {
        "CURVE" => json!({"splines": 1, "points": 4, "size": [2.0, 2.0, 0.0]}),
        "WIRE" => json!({"vertices": 4, "edges": 4, "faces": 0, "size": [2.0, 2.0, 0.0]}),
        _ => json!({"vertices": 8, "edges": 12, "faces": 6, "size": [2.0, 2.0, 2.0]}),
    };
    let object = if kind == "WIRE" { "MESH" } else { kind };
    serde_json::from_value(json!({
        "objects": {"Thing": {"type": object, "library": false, "modifiers": []}},
        "trees": {}, "tree_info": {},
        "names": {"object": ["Thing", "Rock"], "collection": [], "material": ["Red", "Blue"], "image": [], "node_group": []},
        "scene": {"objects": {"Thing": figures}, "collections": {}},
    }))
    .unwrap()
}

/// What is found in the tree of these operations on an object of this kind.
fn found(version: &str, kind: &str, ops: Value, attributes: &[&str]) -> Vec<Lint> {
    found_wearing(version, kind, ops, attributes, None)
}

/// The same where the materials of the result are known.
fn found_wearing(
    version: &str,
    kind: &str,
    ops: Value,
    attributes: &[&str],
    materials: Option<&BTreeSet<String>>,
) -> Vec<Lint> {
    let plan = json!({
        "version": "1.1", "done": true, "final_message": "",
        "steps": [{
            "id": "s", "type": "NODE_TREE", "description": "",
            "payload": {
                "target": {"object_name": "Thing", "modifier_name": "M", "node_group_name": "T"},
                "operations": ops,
            },
        }],
    });
    let catalogue = catalogue(version);
    let parsed = parse_plan_value(&plan, &Limits::default());
    let plan = parsed.plan.unwrap_or_else(|| panic!("{:?}", parsed.findings));
    let compiled = compile(&plan, &document(kind), &catalogue);
    assert!(compiled.ok(), "{version}: {:?}", compiled.findings);
    let attributes: BTreeSet<String> = attributes.iter().map(|&name| name.to_owned()).collect();
    let question = Question {
        objects: &["Thing"],
        trees: &["T"],
        attributes: Some(&attributes),
        materials,
    };
    lint(&compiled.after, &catalogue, &question)
}

fn node(id: &str, kind: &str) -> Value {
    json!({"op": "create_node", "node_id": id, "bl_idname": format!("GeometryNode{kind}")})
}

fn value(id: &str, socket: &str, value: impl Into<Value>) -> Value {
    json!({"op": "set_input_default", "node_id": id, "socket": socket, "value": value.into()})
}

fn link(from: &str, output: &str, to: &str, input: &str) -> Value {
    json!({
        "op": "link",
        "from": {"node_id": from, "socket": output},
        "to": {"node_id": to, "socket": input},
    })
}

/// A node of a chain: ID, type, input, output.
type Step<'a> = (&'a str, &'a str, &'a str, &'a str);

/// The given geometry through these nodes to the output.
fn chain(nodes: &[Step<'_>]) -> Vec<Value> {
    let mut ops: Vec<Value> = nodes.iter().map(|(id, kind, ..)| node(id, kind)).collect();
    let mut last = ("group_input", "Geometry");
    for (id, _, input, output) in nodes {
        ops.push(link(last.0, last.1, id, input));
        last = (id, output);
    }
    ops.push(link(last.0, last.1, "group_output", "Geometry"));
    ops
}

/// Finds exactly these (node, socket, code) in every version, and every word somewhere in the texts.
fn check(kind: &str, ops: Vec<Value>, expected: &[(&str, Option<&str>, Code)], words: &[&str]) {
    for version in VERSIONS {
        let found = found(version, kind, Value::Array(ops.clone()), &["UVMap", "density"]);
        let brief: Vec<_> = found
            .iter()
            .map(|lint| (lint.node.as_str(), lint.socket.as_deref(), lint.code))
            .collect();
        assert_eq!(brief, expected, "{version}: {found:#?}");
        for word in words {
            let text = found
                .iter()
                .any(|lint| format!("{} {}", lint.cause, lint.fix).contains(word));
            assert!(text, "{version}: {word:?} in {found:#?}");
        }
    }
}

const BOX: Step<'static> = ("box", "MeshCube", "", "");

#[test]
fn ordinary_trees_have_no_findings() {
    check("MESH", chain(&[("sub", "SubdivideMesh", "Mesh", "Mesh")]), &[], &[]);
    check(
        "CURVE",
        chain(&[
            ("even", "ResampleCurve", "Curve", "Curve"),
            ("tube", "CurveToMesh", "Curve", "Mesh"),
            ("smooth", "SetShadeSmooth", "Geometry", "Geometry"),
        ]),
        &[],
        &[],
    );
    let mut scatter = chain(&[
        ("points", "DistributePointsOnFaces", "Mesh", "Points"),
        ("put", "InstanceOnPoints", "Points", "Instances"),
        ("turn", "RotateInstances", "Instances", "Instances"),
        ("real", "RealizeInstances", "Geometry", "Geometry"),
        ("fine", "SubdivideMesh", "Mesh", "Mesh"),
    ]);
    scatter.extend([node(BOX.0, BOX.1), link("box", "Mesh", "put", "Instance")]);
    check("MESH", scatter, &[], &[]);
}

#[test]
fn components_that_a_node_does_not_act_on_are_reported() {
    let cases: &[(&str, &[Step<'_>], &str, &str, &str)] = &[
        (
            "MESH",
            &[("tube", "CurveToMesh", "Curve", "Mesh")],
            "tube",
            "Curve",
            "Mesh to Curve",
        ),
        (
            "CURVE",
            &[("sub", "SubdivideMesh", "Mesh", "Mesh")],
            "sub",
            "Mesh",
            "Curve to Mesh",
        ),
        (
            "CURVE",
            &[("points", "DistributePointsOnFaces", "Mesh", "Points")],
            "points",
            "Mesh",
            "Fill Curve",
        ),
        (
            "WIRE",
            &[("points", "DistributePointsOnFaces", "Mesh", "Points")],
            "points",
            "Mesh",
            "has faces",
        ),
        (
            "MESH",
            &[("even", "ResampleCurve", "Curve", "Curve")],
            "even",
            "Curve",
            "Mesh to Curve",
        ),
        (
            "MESH",
            &[("turn", "RotateInstances", "Instances", "Instances")],
            "turn",
            "Instances",
            "Instance on Points",
        ),
        (
            "MESH",
            &[("round", "SetPointRadius", "Points", "Points")],
            "round",
            "Points",
            "Mesh to Points",
        ),
        (
            "CURVE",
            &[("points", "MeshToPoints", "Mesh", "Points")],
            "points",
            "Mesh",
            "Curve to Mesh",
        ),
        (
            "MESH",
            &[("skin", "VolumeToMesh", "Volume", "Mesh")],
            "skin",
            "Volume",
            "Mesh to Volume",
        ),
        (
            "MESH",
            &[
                ("dots", "MeshToPoints", "Mesh", "Points"),
                ("up", "ExtrudeMesh", "Mesh", "Mesh"),
            ],
            "up",
            "Mesh",
            "it receives points",
        ),
    ];
    for (kind, nodes, id, socket, word) in cases {
        check(kind, chain(nodes), &[(id, Some(socket), Code::NoEffect)], &[word]);
    }
}

#[test]
fn a_branch_for_other_geometry_is_no_mistake() {
    let branch = |selector: Vec<Value>| {
        let mut ops = vec![
            node("turn", "RotateInstances"),
            node("alone", "Transform"),
            node("either", "Switch"),
            json!({"op": "set_property", "node_id": "either", "property": "input_type", "value": "GEOMETRY"}),
            link("group_input", "Geometry", "turn", "Instances"),
            link("group_input", "Geometry", "alone", "Geometry"),
            link("turn", "Instances", "either", "True"),
            link("alone", "Geometry", "either", "False"),
            link("either", "Output", "group_output", "Geometry"),
        ];
        ops.extend(selector);
        ops
    };
    let counted = vec![
        node("counted", "AttributeDomainSize"),
        json!({"op": "set_property", "node_id": "counted", "property": "component", "value": "INSTANCES"}),
        link("group_input", "Geometry", "counted", "Geometry"),
        link("counted", "Instance Count", "either", "Switch"),
    ];
    check("MESH", branch(counted), &[], &[]);
    let chosen = vec![value("either", "Switch", true)];
    check(
        "MESH",
        branch(chosen),
        &[("turn", Some("Instances"), Code::NoEffect)],
        &["it acts on instances"],
    );
}

#[test]
fn geometry_inside_instances_is_hidden_from_some_nodes_only() {
    let mut ops = chain(&[
        ("put", "InstanceOnPoints", "Points", "Instances"),
        ("fine", "SubdivideMesh", "Mesh", "Mesh"),
        ("radius", "SetCurveRadius", "Curve", "Curve"),
    ]);
    ops.extend([node("box", "MeshCube"), link("box", "Mesh", "put", "Instance")]);
    check(
        "MESH",
        ops,
        &[("radius", Some("Curve"), Code::NoEffect)],
        &["instances of a mesh"],
    );
    let mut ops = chain(&[
        ("put", "InstanceOnPoints", "Points", "Instances"),
        ("guide", "InterpolateCurves", "Guide Curves", "Curves"),
    ]);
    ops.extend([
        node("line", "CurvePrimitiveLine"),
        link("line", "Curve", "put", "Instance"),
        link("group_input", "Geometry", "guide", "Points"),
    ]);
    check(
        "MESH",
        ops,
        &[("guide", Some("Guide Curves"), Code::NoEffect)],
        &["Realize Instances"],
    );
}

#[test]
fn an_input_without_geometry_is_reported() {
    let ops = chain(&[("put", "InstanceOnPoints", "Points", "Instances")]);
    check(
        "MESH",
        ops,
        &[("put", Some("Instance"), Code::NothingReceived)],
        &["nothing is linked"],
    );
}

/// Only the cause is reported, not its consequences.
#[test]
fn missing_data_blocks_are_reported() {
    let mut ops = chain(&[("put", "InstanceOnPoints", "Points", "Instances")]);
    ops.extend([node("rock", "ObjectInfo"), link("rock", "Geometry", "put", "Instance")]);
    check(
        "MESH",
        ops.clone(),
        &[("rock", Some("Object"), Code::MissingData)],
        &["Object Info “rock” has no object"],
    );
    ops.push(value("rock", "Object", json!({"object": "Rock"})));
    check("MESH", ops, &[], &[]);
    let ops = chain(&[("paint", "SetMaterial", "Geometry", "Geometry")]);
    check("MESH", ops, &[("paint", Some("Material"), Code::MissingData)], &[]);
}

#[test]
fn attributes_that_no_node_stores_are_reported() {
    let read = |name: &str| {
        let mut ops = chain(&[("lift", "SetPosition", "Geometry", "Geometry")]);
        ops.extend([
            node("read", "InputNamedAttribute"),
            value("read", "Name", name),
            link("read", "Attribute", "lift", "Offset"),
        ]);
        ops
    };
    check(
        "MESH",
        read("densty"),
        &[("read", Some("Name"), Code::MissingAttribute)],
        &["Did you mean “density”?"],
    );
    check(
        "MESH",
        read("nobody"),
        &[("read", Some("Name"), Code::MissingAttribute)],
        &["Store Named Attribute"],
    );
    check("MESH", read("density"), &[], &[]);
    check("MESH", read("position"), &[], &[]);
    let mut ops = read("height");
    ops.extend([
        node("store", "StoreNamedAttribute"),
        value("store", "Name", "height"),
        link("group_input", "Geometry", "store", "Geometry"),
        link("store", "Geometry", "lift", "Geometry"),
    ]);
    check("MESH", ops, &[], &[]);
}

#[test]
fn unused_results_are_reported() {
    let mut ops = chain(&[("up", "SetPosition", "Geometry", "Geometry")]);
    ops.extend([
        node("box", "MeshCube"),
        node("fine", "SubdivideMesh"),
        link("box", "Mesh", "fine", "Mesh"),
    ]);
    check("MESH", ops.clone(), &[("fine", None, Code::DeadEnd)], &["is not used"]);
    // What a gizmo moves is seen in the viewport, without a link from it.
    ops.push(node("arrow", "GizmoLinear"));
    let told = found("5.2", "MESH", ops.into(), &[]);
    assert_eq!(told.iter().map(|lint| lint.node.as_str()).collect::<Vec<_>>(), ["fine"]);
}

/// A zone of this kind around these nodes; the modifier's geometry goes in, what comes out is the result.
fn zone(kind: &str, body: &[Step<'_>]) -> Vec<Value> {
    let mut ops = vec![
        json!({"op": "add_zone", "id": "again", "kind": kind, "items": [{"name": "Geometry", "socket_type": "NodeSocketGeometry"}]}),
        link("group_input", "Geometry", "again.in", "Geometry"),
        link("again.out", "Geometry", "group_output", "Geometry"),
    ];
    let mut last = ("again.in", "Geometry");
    for (id, kind, input, output) in body {
        ops.extend([node(id, kind), link(last.0, last.1, id, input)]);
        last = (id, output);
    }
    ops.push(link(last.0, last.1, "again.out", "Geometry"));
    ops
}

const TUBE: Step<'static> = ("tube", "CurveToMesh", "Curve", "Mesh");

#[test]
fn components_in_a_repeat_zone_are_followed() {
    for count in [0, 1, 3, 1000] {
        let times = |mut ops: Vec<Value>| {
            ops.push(value("again.in", "Iterations", count));
            ops
        };
        check(
            "MESH",
            times(zone("repeat", &[TUBE])),
            &[("tube", Some("Curve"), Code::NoEffect)],
            &["curves"],
        );
        // From the second iteration on it receives instances.
        let turns = [
            ("real", "RealizeInstances", "Geometry", "Geometry"),
            ("one", "GeometryToInstance", "Geometry", "Instances"),
        ];
        check("MESH", times(zone("repeat", &turns)), &[], &[]);
        // Behind the zone there may be what went in and what the body makes of it.
        let mut after = times(zone("repeat", &[("curve", "MeshToCurve", "Mesh", "Curve")]));
        after.retain(|op| op["to"]["node_id"] != "group_output");
        after.extend([
            node("even", "ResampleCurve"),
            link("again.out", "Geometry", "even", "Curve"),
            link("even", "Curve", "group_output", "Geometry"),
        ]);
        check("MESH", after, &[], &[]);
    }
}

#[test]
fn frames_of_a_simulation_are_not_reported() {
    check("MESH", zone("simulation", &[TUBE]), &[], &[]);
}

#[test]
fn a_group_without_an_output_is_reported() {
    let mut document = document("MESH");
    let output = json!({
        "kind": "socket", "identifier": "Socket_1", "name": "Geometry", "in_out": "OUTPUT",
        "socket_type": "NodeSocketGeometry", "props": {},
    });
    let trees = json!({
        "T": {
            "interface": [output],
            "nodes": [
                {"id": "g", "type": "GeometryNodeGroup", "props": {"node_tree": {"node_group": "Hollow"}}},
                {"id": "out", "type": "NodeGroupOutput"},
            ],
            "links": [{"from": ["g", "Socket_1"], "to": ["out", "Socket_1"]}],
        },
        "Hollow": {"nodes": [], "links": []},
    });
    document.trees = serde_json::from_value(trees).unwrap();
    let question = Question {
        objects: &["Thing"],
        trees: &["T"],
        attributes: None,
        materials: None,
    };
    let found = lint(&document, &catalogue("5.2"), &question);
    assert!(
        found
            .iter()
            .any(|lint| lint.code == Code::EmptyGroup && lint.node == "g"),
        "{found:?}"
    );
}

/// The result of `last` goes on through these nodes.
fn onwards(mut ops: Vec<Value>, from: (&str, &str), nodes: &[Step<'_>]) -> Vec<Value> {
    ops.extend(nodes.iter().map(|(id, kind, ..)| node(id, kind)));
    let mut last = from;
    for (id, _, input, output) in nodes {
        ops.push(link(last.0, last.1, id, input));
        last = (id, output);
    }
    ops.push(link(last.0, last.1, "group_output", "Geometry"));
    ops
}

/// Cubes on the points of a grid, through these nodes.
fn cubes(nodes: &[Step<'_>]) -> Vec<Value> {
    let ops = vec![
        node("grid", "MeshGrid"),
        node("box", "MeshCube"),
        node("place", "InstanceOnPoints"),
        link("grid", "Mesh", "place", "Points"),
        link("box", "Mesh", "place", "Instance"),
    ];
    onwards(ops, ("place", "Instances"), nodes)
}

fn typed(id: &str, kind: &str) -> Value {
    json!({"op": "create_node", "node_id": id, "bl_idname": kind})
}

fn painted(id: &str) -> Value {
    value(id, "Material", json!({"material": "Red"}))
}

#[test]
fn a_choice_by_number_inside_of_instances_is_doubted() {
    let chance = |ops: &mut Vec<Value>, to: &str| {
        ops.push(json!({"op": "create_node", "node_id": "dice", "bl_idname": "FunctionNodeRandomValue", "properties": {"data_type": "BOOLEAN"}}));
        ops.push(link("dice", "Value", to, "Selection"));
    };
    let paint: Step<'_> = ("paint", "SetMaterial", "Geometry", "Geometry");
    let inside = |node: &'static str| [(node, Some("Selection"), Code::InsideInstances)];
    let mut ops = cubes(&[paint]);
    ops.push(painted("paint"));
    check("MESH", ops.clone(), &[], &[]);
    chance(&mut ops, "paint");
    check("MESH", ops, &inside("paint"), &["Realize Instances"]);
    // Once they are real, each has faces of its own.
    let mut real = cubes(&[("real", "RealizeInstances", "Geometry", "Geometry"), paint]);
    real.push(painted("paint"));
    chance(&mut real, "paint");
    check("MESH", real, &[], &[]);
    let mut gaps = cubes(&[("gaps", "DeleteGeometry", "Geometry", "Geometry")]);
    chance(&mut gaps, "gaps");
    check("MESH", gaps.clone(), &inside("gaps"), &["INSTANCE"]);
    gaps.push(json!({"op": "set_property", "node_id": "gaps", "property": "domain", "value": "INSTANCE"}));
    check("MESH", gaps, &[], &[]);
    // Where a face is, and which one it is, is meant for each of them.
    let index = |compare: &[Value]| {
        let mut ops = cubes(&[paint]);
        ops.extend([painted("paint"), typed("which", "GeometryNodeInputIndex")]);
        ops.extend_from_slice(compare);
        ops
    };
    let third = [
        json!({"op": "create_node", "node_id": "same", "bl_idname": "FunctionNodeCompare", "properties": {"data_type": "INT", "operation": "EQUAL"}}),
        link("which", "Index", "same", "A_INT"),
        value("same", "B_INT", 3),
        link("same", "Result", "paint", "Selection"),
    ];
    check("MESH", index(&third), &[], &[]);
    let odd = [
        json!({"op": "create_node", "node_id": "half", "bl_idname": "ShaderNodeMath", "properties": {"operation": "MODULO"}}),
        link("which", "Index", "half", "Value"),
        value("half", "Value_001", 2.0),
        link("half", "Value", "paint", "Selection"),
    ];
    check("MESH", index(&odd), &inside("paint"), &[]);
    let mut top = cubes(&[paint]);
    top.extend([
        painted("paint"),
        typed("up", "GeometryNodeInputNormal"),
        typed("parts", "ShaderNodeSeparateXYZ"),
        link("up", "Normal", "parts", "Vector"),
        link("parts", "Z", "paint", "Selection"),
    ]);
    check("MESH", top, &[], &[]);
    // One instance is no pattern of equal ones.
    let mut one = vec![node("box", "MeshCube")];
    one = onwards(
        one,
        ("box", "Mesh"),
        &[("once", "GeometryToInstance", "Geometry", "Instances"), paint],
    );
    one.push(painted("paint"));
    chance(&mut one, "paint");
    check("MESH", one, &[], &[]);
}

#[test]
fn choices_of_instances_have_to_be_instances() {
    let pick = |nodes: &[Value]| {
        let mut ops = cubes(&[]);
        ops.retain(|op| op != &link("box", "Mesh", "place", "Instance"));
        ops.push(value("place", "Pick Instance", true));
        ops.extend_from_slice(nodes);
        ops
    };
    let joined = [
        node("ball", "MeshUVSphere"),
        node("both", "JoinGeometry"),
        link("box", "Mesh", "both", "Geometry"),
        link("ball", "Mesh", "both", "Geometry"),
        link("both", "Geometry", "place", "Instance"),
    ];
    check(
        "MESH",
        pick(&joined),
        &[("place", Some("Instance"), Code::NoEffect)],
        &["geometry_to_instance(a, b, c)"],
    );
    let mut choices = joined.to_vec();
    choices[1] = node("both", "GeometryToInstance");
    choices[4] = link("both", "Instances", "place", "Instance");
    check("MESH", pick(&choices), &[], &[]);
}

#[test]
fn a_material_that_is_painted_over_is_reported() {
    let paint: Step<'_> = ("paint", "SetMaterial", "Geometry", "Geometry");
    let again: Step<'_> = ("again", "SetMaterial", "Geometry", "Geometry");
    let lift: Step<'_> = ("lift", "SetPosition", "Geometry", "Geometry");
    let over = |last: Value| {
        let mut ops = cubes(&[paint, lift, again]);
        ops.extend([painted("paint"), last]);
        ops
    };
    let other = || value("again", "Material", json!({"material": "Blue"}));
    let lost = [("paint", Some("Material"), Code::LostMaterial)];
    check("MESH", over(other()), &lost, &["again", "Red"]);
    // The same again takes nothing away, and a selection leaves some.
    check("MESH", over(painted("again")), &[], &[]);
    let mut part = over(other());
    part.extend([
        typed("where", "GeometryNodeInputPosition"),
        link("where", "Position", "again", "Selection"),
    ]);
    check("MESH", part, &[], &[]);
    // What is shown besides keeps it, and so does what asks for it.
    let mut besides = over(other());
    besides.extend([
        node("join", "JoinGeometry"),
        link("again", "Geometry", "join", "Geometry"),
        link("lift", "Geometry", "join", "Geometry"),
        link("join", "Geometry", "group_output", "Geometry"),
    ]);
    check("MESH", besides, &[], &[]);
    let mut asked = over(other());
    asked.extend([
        node("red", "MaterialSelection"),
        value("red", "Material", json!({"material": "Red"})),
        link("red", "Selection", "lift", "Selection"),
    ]);
    check("MESH", asked, &[], &[]);
}

#[test]
fn a_material_that_nothing_has_is_doubted() {
    let worn = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<BTreeSet<String>>()
    };
    let codes = |ops: Vec<Value>, materials: &[&str]| -> Vec<Code> {
        let materials = worn(materials);
        let found = found_wearing("5.2", "MESH", Value::Array(ops), &[], Some(&materials));
        found.iter().map(|lint| lint.code).collect()
    };
    let mut ops = chain(&[("paint", "SetMaterial", "Geometry", "Geometry")]);
    ops.push(painted("paint"));
    assert_eq!(codes(ops.clone(), &["Red"]), []);
    assert_eq!(codes(ops.clone(), &["Blue"]), [Code::LostMaterial]);
    // Switched off, it need not be seen.
    let mut off = ops.clone();
    off.push(value("paint", "Selection", false));
    assert_eq!(codes(off, &["Blue"]), []);
    let mut branch = ops;
    branch.extend([
        json!({"op": "create_node", "node_id": "choice", "bl_idname": "GeometryNodeSwitch", "properties": {"input_type": "GEOMETRY"}}),
        link("paint", "Geometry", "choice", "True"),
        link("group_input", "Geometry", "choice", "False"),
        link("choice", "Output", "group_output", "Geometry"),
    ]);
    assert_eq!(codes(branch, &["Blue"]), []);
}
