//! Pages become plans: what they make, what they change, and what is wrong with them.

use std::collections::HashMap;
use std::fmt::Write as _;

use geonode_graph::documents::{Made, Object, TreeInfo};
use geonode_graph::ir::{Item, ItemKind, Node, Side, Tree};
use geonode_graph::{Catalogue, Document, compile_exactly};
use geonode_protocol::{Action, Code, Finding, Limits, Plan, parse_plan};
use geonode_text::{expand, page_plan, read_page};
use proptest::prelude::*;
use serde_json::json;

use crate::catalogue;

/// An object without modifiers.
pub(crate) fn empty_file() -> Document {
    let mut document = Document::default();
    let plane = Object {
        kind: "MESH".to_owned(),
        ..Object::default()
    };
    document.objects.insert("Plane".to_owned(), plane);
    for (kind, name) in [("object", "Plane"), ("object", "Rock"), ("material", "Snow")] {
        document
            .names
            .entry(kind.to_owned())
            .or_default()
            .insert(name.to_owned());
    }
    document
}

/// What compiling a page gives: the file afterwards, and the findings.
pub(crate) fn compiled(page: &str, document: &Document, catalogue: &Catalogue) -> (Document, Vec<Finding>, Plan) {
    let plan = page_plan(page);
    let expanded = expand(&plan, document, catalogue, None, 10_000).unwrap();
    let made = compile_exactly(&expanded.plan, document, catalogue, &expanded.exact);
    let traced = made.findings.into_iter().map(|finding| expanded.places.trace(finding));
    let findings: Vec<Finding> = expanded.findings.into_iter().chain(traced).collect();
    (made.after, findings, expanded.plan)
}

/// The file after a page without errors.
#[track_caller]
pub(crate) fn after(page: &str, document: &Document, catalogue: &Catalogue) -> Document {
    let (after, findings, plan) = compiled(page, document, catalogue);
    let errors: Vec<&Finding> = findings.iter().filter(|finding| finding.is_error()).collect();
    assert!(
        errors.is_empty(),
        "{errors:#?}\n{}",
        serde_json::to_string_pretty(&plan.steps).unwrap()
    );
    let mut after = settled(after);
    for (name, info) in &mut after.tree_info {
        if !document.trees.contains_key(name) {
            // As a run marks what it made.
            info.made = Some(Made {
                as_left: true,
                nodes: after.trees[name].nodes.iter().map(|node| node.id.clone()).collect(),
                ..Made::default()
            });
        }
    }
    after
}

/// The file as Blender has it then: its trees are known, and their sockets have identifiers.
pub(crate) fn settled(mut document: Document) -> Document {
    let mut now: HashMap<String, HashMap<String, String>> = HashMap::new();
    for (name, tree) in &mut document.trees {
        let panels: HashMap<String, String> = tree
            .interface
            .iter()
            .filter(|item| item.kind == ItemKind::Panel && !item.identifier.starts_with("panel:"))
            .enumerate()
            .map(|(number, item)| (item.identifier.clone(), format!("panel:9{number}")))
            .collect();
        for item in &mut tree.interface {
            if let Some(panel) = item.parent.as_ref().and_then(|panel| panels.get(panel)) {
                item.parent = Some(panel.clone());
            }
            if let Some(panel) = panels.get(&item.identifier).filter(|_| item.kind == ItemKind::Panel) {
                item.identifier.clone_from(panel);
            }
        }
        let known = now.entry(name.clone()).or_default();
        for (number, item) in tree.interface.iter_mut().enumerate() {
            if item.kind == ItemKind::Socket && !item.identifier.starts_with("Socket_") {
                let side = if item.is_socket(Side::Input) { "in" } else { "out" };
                let given = format!("Socket_{}{number}", known.len());
                known.insert(format!("{side} {}", item.identifier), given.clone());
                item.identifier = given;
            }
        }
        let info = TreeInfo {
            users: 1,
            library: false,
            kind: "GeometryNodeTree".to_owned(),
            ..TreeInfo::default()
        };
        document.tree_info.insert(name.clone(), info);
    }
    let settle = |tree: &str, side: &str, socket: &mut String| {
        if let Some(given) = now.get(tree).and_then(|known| known.get(&format!("{side} {socket}"))) {
            socket.clone_from(given);
        }
    };
    for (name, tree) in &mut document.trees {
        let of: HashMap<String, Node> = tree.nodes.iter().map(|node| (node.id.clone(), node.clone())).collect();
        for link in &mut tree.links {
            let (from, to) = (&of[&link.from.0], &of[&link.to.0]);
            match (from.kind.as_str(), from.group()) {
                ("NodeGroupInput", _) => settle(name, "in", &mut link.from.1),
                (_, Some(group)) => settle(group, "out", &mut link.from.1),
                _ => {}
            }
            match (to.kind.as_str(), to.group()) {
                ("NodeGroupOutput", _) => settle(name, "out", &mut link.to.1),
                (_, Some(group)) => settle(group, "in", &mut link.to.1),
                _ => {}
            }
        }
        for node in &mut tree.nodes {
            let Some(group) = node.group().map(str::to_owned) else {
                continue;
            };
            let inputs = std::mem::take(&mut node.inputs);
            node.inputs.extend(inputs.into_iter().map(|(mut socket, state)| {
                settle(&group, "in", &mut socket);
                (socket, state)
            }));
        }
    }
    for modifier in document.objects.values_mut().flat_map(|object| &mut object.modifiers) {
        let Some(group) = modifier.node_group.clone() else {
            continue;
        };
        let inputs = std::mem::take(&mut modifier.inputs);
        modifier.inputs.extend(inputs.into_iter().map(|(mut socket, value)| {
            settle(&group, "in", &mut socket);
            (socket, value)
        }));
    }
    document
}

fn kinds(tree: &Tree) -> Vec<(&str, &str)> {
    tree.nodes
        .iter()
        .map(|node| (node.id.as_str(), node.kind.as_str()))
        .collect()
}

fn links(tree: &Tree) -> Vec<String> {
    let mut all: Vec<String> = tree
        .links
        .iter()
        .map(|link| format!("{}.{} > {}.{}", link.from.0, link.from.1, link.to.0, link.to.1))
        .collect();
    all.sort();
    all
}

fn inputs(tree: &Tree) -> Vec<&Item> {
    tree.interface
        .iter()
        .filter(|item| item.is_socket(Side::Input))
        .collect()
}

const SCATTER: &str = r#""Rocks are scattered on the plane."

def scatter(geometry: Geometry, count: Int = 100, size: Distance = 1.0, kind: Menu = "Cube") -> Geometry:
    "Rocks on a surface"
    limits(count, min=0, max=1000000)
    area = attribute_statistic(geometry, domain="FACE", attribute=face_area().area)
    points = distribute_points_on_faces(geometry, density=count / area.sum)
    shape = menu_switch(menu=kind, data_type="GEOMETRY", items={"Cube": cube(size=size).mesh, "Sphere": ico_sphere(radius=size * 0.5).mesh})
    rocks = instance_on_points(points, instance=shape, rotation=points.rotation)
    with repeat(iterations=3, items={"Geometry": Geometry(rocks)}) as (grow_in, grow_out):
        grow_out.geometry = translate_instances(grow_in.geometry, translation=(0.0, 0.0, 1.0))
    label(rocks, "All rocks")
    frame_1 = frame("Growth", points, shape)
    return join_geometry(geometry, grow_out.geometry)

apply("Scatter", object="Plane", modifier="Scatter", inputs={"count": 250})
expect("Plane", instances=(240, 260))
"#;

#[test]
fn the_page_of_the_form_is_a_plan() {
    let catalogue = catalogue("5.2");
    let (_, _, plan) = compiled(SCATTER, &empty_file(), &catalogue);
    assert_eq!(plan.final_message, "Rocks are scattered on the plane.");
    assert_eq!(plan.meta.expects.len(), 1);
    let file = after(SCATTER, &empty_file(), &catalogue);
    let tree = &file.trees["Scatter"];
    let names: Vec<&str> = inputs(tree).iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["Geometry", "Count", "Size", "Kind"]);
    assert_eq!(tree.nodes.len(), 16, "{:?}", kinds(tree));
    assert_eq!(tree.links.len(), 21, "{:#?}", links(tree));
    let count = &inputs(tree)[1].identifier;
    assert_eq!(file.objects["Plane"].modifiers[0].inputs[count], 250);
    let rocks = tree.nodes.iter().find(|node| node.id == "rocks").unwrap();
    assert_eq!(rocks.label.as_deref(), Some("All rocks"));
    let points = tree.nodes.iter().find(|node| node.id == "points").unwrap();
    assert_eq!(points.parent.as_deref(), Some("frame_1"));
    // The same page again changes nothing.
    let (_, findings, plan) = compiled(SCATTER, &file, &catalogue);
    assert!(!findings.iter().any(Finding::is_error), "{findings:#?}");
    let again = serde_json::to_value(&plan.steps).unwrap();
    for step in again.as_array().unwrap() {
        let ops = step["payload"]
            .get("operations")
            .or(step["payload"].get("ops"))
            .unwrap();
        let ops: Vec<_> = ops
            .as_array()
            .unwrap()
            .iter()
            .filter(|op| op["op"] != "set_modifier_input")
            .collect();
        assert!(ops.is_empty(), "{ops:#?}");
    }
}

#[test]
fn pages_are_read_for_every_blender() {
    for version in ["4.2", "4.5", "5.0", "5.2"] {
        let catalogue = catalogue(version);
        let file = after(SCATTER, &empty_file(), &catalogue);
        assert_eq!(file.trees["Scatter"].nodes.len(), 16, "{version}");
    }
}

#[test]
fn terms_are_nodes_by_the_types_of_their_operands() {
    let page = r#"
def terms(geometry: Geometry, a: Float = 1.0, n: Int = 2, v: Vector = (0, 0, 1), flag: Bool = True) -> Geometry:
    height = math.sin(a * 2.0 + n) - 1
    moved = v + (0, 0, 1)
    scaled = v * height
    big = a > 0.5 and flag
    out = set_position(geometry, offset=(height, scaled.x, moved.z), selection=big)
    return out if flag else geometry

apply("Terms", object="Plane")
"#;
    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    let tree = &file.trees["Terms"];
    let count = |kind: &str| tree.nodes.iter().filter(|node| node.kind == kind).count();
    assert_eq!(count("ShaderNodeMath"), 4, "{:?}", kinds(tree));
    assert_eq!(count("ShaderNodeVectorMath"), 2);
    assert_eq!(count("FunctionNodeCompare"), 1);
    assert_eq!(count("FunctionNodeBooleanMath"), 1);
    assert_eq!(count("GeometryNodeSwitch"), 1);
    assert_eq!(count("ShaderNodeCombineXYZ"), 1);
    assert_eq!(count("ShaderNodeSeparateXYZ"), 2);
}

#[test]
fn groups_of_a_page_are_made_and_filled() {
    let page = r#"
def leaf(size: Distance = 0.1) -> Geometry:
    return grid(size_x=size, size_y=size * 2).mesh

def twig(length: Distance = 1.0) -> Geometry:
    line = curve_line(end=(0, 0, length))
    points = curve_to_points(line, count=5)
    return instance_on_points(points, instance=leaf(size=0.2))

def plant(geometry: Geometry) -> Geometry:
    one = twig(length=2.0)
    return join_geometry(geometry, one, leaf())

apply("Plant", object="Plane")
"#;
    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    assert_eq!(file.trees.len(), 3);
    let plant = &file.trees["Plant"];
    assert_eq!(
        plant.nodes.iter().filter(|node| node.group().is_some()).count(),
        2,
        "{:?}",
        kinds(plant)
    );
    assert_eq!(file.trees["Leaf"].links.len(), 4, "{:?}", links(&file.trees["Leaf"]));
    assert_eq!(file.trees["Twig"].links.len(), 6, "{:?}", links(&file.trees["Twig"]));
}

#[test]
fn zones_and_closures_are_blocks() {
    let page = r#"
def zones(geometry: Geometry) -> Geometry:
    with simulation(items={"Geometry": Geometry(geometry), "Speed": Vector()}) as (sim_in, sim_out):
        moved = set_position(sim_in.geometry, offset=sim_in.speed * sim_in.delta_time)
        sim_out.geometry = moved
        sim_out.speed = sim_in.speed + (0, 0, -0.1)
    with for_each(sim_out.geometry, domain="FACE", input_items={"Value": Float(random_value())}, generation_items={"Geometry": Geometry()}) as (each_in, each_out):
        each_out.geometry = transform_geometry(each_in.element, scale=(1, 1, each_in.value))
    with repeat(iterations=4, geometry=each_out.geometry_001, size=1.0) as (grow_in, grow_out):
        grow_out.geometry = scale_elements(grow_in.geometry, scale=grow_in.size)
        grow_out.size = grow_in.size * 0.9
    return grow_out.geometry

apply("Zones", object="Plane")
"#;
    let catalogue = catalogue("5.2");
    let (_, findings, _) = compiled(page, &empty_file(), &catalogue);
    let errors: Vec<_> = findings.iter().filter(|finding| finding.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let file = after(page, &empty_file(), &catalogue);
    let tree = &file.trees["Zones"];
    assert_eq!(tree.nodes.iter().filter(|node| node.pair.is_some()).count(), 3);
}

fn with_tree(catalogue: &Catalogue) -> Document {
    let page = r#"
def rocks(geometry: Geometry, count: Float = 10.0) -> Geometry:
    points = distribute_points_on_faces(geometry, density=count)
    cube = cube(size=(1, 1, 1))
    placed = instance_on_points(points, instance=cube, scale=0.5)
    return join_geometry(geometry, placed)

apply("Rocks", object="Plane", modifier="Rocks")
"#;
    after(page, &empty_file(), catalogue)
}

#[test]
fn an_edit_changes_what_it_names_and_keeps_the_rest() {
    let catalogue = catalogue("5.2");
    let file = with_tree(&catalogue);
    let page = r#"
with edit("Rocks"):
    size: Float = 2.0
    placed.scale = size
    points.seed = 7
    del cube
    ball = ico_sphere(radius=0.3)
    placed.instance = ball
    high = insert(link=(placed.instances, join.geometry), node=translate_instances(translation=(0, 0, 1)))
    limits(count, max=50)
"#;
    let before: Vec<String> = links(&file.trees["Rocks"]);
    let page = page.replace("join.geometry", "return_geometry.geometry");
    let changed = after(&page, &file, &catalogue);
    let tree = &changed.trees["Rocks"];
    assert!(!tree.nodes.iter().any(|node| node.id == "cube"));
    let now = links(tree);
    assert!(
        now.iter().any(|link| link.starts_with("ball.Mesh > placed.")),
        "{now:#?}\n{before:#?}"
    );
    assert!(
        now.iter().any(|link| link.starts_with("placed.Instances > high.")),
        "{now:#?}"
    );
    assert!(
        now.iter()
            .any(|link| link.starts_with("high.Instances > return/geometry.")),
        "{now:#?}"
    );
    let points = tree.nodes.iter().find(|node| node.id == "points").unwrap();
    assert_eq!(points.inputs["Seed"]["value"], 7);
    let count = inputs(tree).into_iter().find(|item| item.name == "Count").unwrap();
    assert_eq!(count.props["max_value"], 50.0);
    assert_eq!(changed.objects["Plane"].modifiers.len(), 1);
}

#[test]
fn links_into_one_input_are_in_the_order_of_the_page() {
    let catalogue = catalogue("5.2");
    let file = with_tree(&catalogue);
    // As they are made in Blender: the one made last is evaluated first.
    let made = |document: &Document| -> Vec<(String, Option<i64>)> {
        let links = document.trees["Rocks"].links.iter();
        let joined = links.filter(|link| link.to.0 == "return/geometry");
        joined.map(|link| (link.from.0.clone(), link.sort)).collect()
    };
    let (first, last) = match made(&file).as_slice() {
        [(last, Some(0)), (first, Some(1))] => (first.clone(), last.clone()),
        other => panic!("{other:?}"),
    };
    let named = |id: &str| if id == "placed" { "placed" } else { "geometry" };
    let same = format!(
        "with edit(\"Rocks\"):\n    return_geometry.geometry = [{}, {}]\n",
        named(&first),
        named(&last)
    );
    assert_eq!(made(&after(&same, &file, &catalogue)), made(&file));
    let page = format!(
        "with edit(\"Rocks\"):\n    return_geometry.geometry = [{}, {}]\n",
        named(&last),
        named(&first)
    );
    let swapped = vec![(first, Some(0)), (last, Some(1))];
    assert_eq!(made(&after(&page, &file, &catalogue)), swapped);
}

#[test]
fn operations_of_pages_count_and_the_one_that_exceeds_the_limit_is_named() {
    let catalogue = catalogue("5.2");
    let page = "def a() -> Geometry:\n    box = cube()\n    ball = ico_sphere()\n    return join_geometry(box, ball)\n\napply(\"A\", object=\"Plane\")\n";
    let plan = json!({"version": "1.2", "done": true, "final_message": "m", "steps": [
        {"id": "s1", "description": "d", "type": "NODE_TREE", "payload": {
            "target": {"object_name": "Plane", "modifier_name": "C", "node_group_name": "C"},
            "operations": [{"op": "create_node", "node_id": "c", "bl_idname": "GeometryNodeMeshCube"}],
        }},
        {"id": "s2", "description": "d", "type": "NODE_TREE", "payload": {"text": page}},
    ]});
    let plan = parse_plan(&plan.to_string(), &Limits::default()).plan.unwrap();
    let document = empty_file();
    let expand = |most: usize| expand(&plan, &document, &catalogue, None, most).unwrap();
    let all: usize = expand(usize::MAX)
        .plan
        .steps
        .iter()
        .map(|step| match &step.action {
            Action::NodeTree(payload) => payload.operations.len(),
            other => panic!("{other:?}"),
        })
        .sum();
    assert_eq!(expand(all).findings, []);
    for most in 1..all {
        let [found] = expand(most).findings.try_into().unwrap();
        assert_eq!(
            (found.code, found.path.as_str()),
            (Code::TooManyOperations, "/steps/1/payload/text")
        );
        assert!(found.message.starts_with("line "), "{}", found.message);
        assert!(
            found.message.contains(&format!("the limit of {most}.")),
            "{}",
            found.message
        );
    }
}

#[test]
fn proposals_are_for_the_plan_as_it_was_given() {
    let catalogue = catalogue("5.2");
    let page = "def a() -> Geometry:\n    return grid(vertices_x=-5).mesh\n\ndef b() -> Geometry:\n    return a()\n\napply(\"B\", object=\"Plane\")\n";
    let plan = json!({"version": "1.2", "done": true, "final_message": "m", "steps": [
        {"id": "s1", "description": "d", "type": "NODE_TREE", "payload": {"text": page}},
        {"id": "s2", "description": "d", "type": "NODE_TREE", "payload": {
            "target": {"object_name": "Plane", "modifier_name": "C", "node_group_name": "C"},
            "operations": [{"op": "create_node", "node_id": "c", "bl_idname": "GeometryNodeMeshCub"}],
        }},
    ]});
    let plan = parse_plan(&plan.to_string(), &Limits::default()).plan.unwrap();
    let document = empty_file();
    let expanded = expand(&plan, &document, &catalogue, None, 10_000).unwrap();
    assert!(expanded.plan.steps.len() > 2, "the page is several steps");
    let made = compile_exactly(&expanded.plan, &document, &catalogue, &expanded.exact);
    let find = |code: Code| made.findings.iter().find(|finding| finding.code == code).unwrap();
    let (range, kind) = (find(Code::OutOfRange), find(Code::UnknownNodeType));
    assert!(!range.changes.is_empty() && !kind.changes.is_empty());
    assert_eq!(expanded.places.trace(range.clone()).changes, []);
    let mut traced = expanded.places.trace(kind.clone());
    assert_eq!(traced.path, "/steps/1/payload/operations/0/bl_idname");
    assert_eq!(traced.changes[0].path_mut(), "/steps/1/payload/operations/0/bl_idname");
}

#[test]
fn a_function_again_deletes_what_it_lacks() {
    let catalogue = catalogue("5.2");
    let file = with_tree(&catalogue);
    let page = r"
def rocks(geometry: Geometry, count: Float = 20.0) -> Geometry:
    points = distribute_points_on_faces(geometry, density=count)
    placed = instance_on_points(points, instance=ico_sphere(), scale=0.5)
    return placed
";
    let changed = after(page, &file, &catalogue);
    let tree = &changed.trees["Rocks"];
    let ids: Vec<&str> = tree.nodes.iter().map(|node| node.id.as_str()).collect();
    assert!(
        !ids.contains(&"cube") && !ids.contains(&"return/geometry") && ids.contains(&"placed/instance"),
        "{ids:?}"
    );
    assert_eq!(changed.objects["Plane"].modifiers.len(), 1);
}

#[test]
fn only_inputs_of_the_modifier_may_be_set() {
    let catalogue = catalogue("5.2");
    let file = with_tree(&catalogue);
    let changed = after(
        "apply(\"Rocks\", object=\"Plane\", modifier=\"Rocks\", inputs={\"count\": 33})",
        &file,
        &catalogue,
    );
    assert!(
        changed.objects["Plane"].modifiers[0]
            .inputs
            .values()
            .any(|value| value == 33 || *value == 33.0)
    );
}

/// Code, place and words of the first finding.
pub(crate) fn first(page: &str, document: &Document, catalogue: &Catalogue) -> (Code, String) {
    let (_, findings, _) = compiled(page, document, catalogue);
    let found = findings
        .iter()
        .find(|finding| finding.is_error())
        .unwrap_or_else(|| panic!("no error in {page}"));
    assert_eq!(found.path, "/steps/0/payload/text");
    (found.code, found.message.clone())
}

#[test]
fn a_value_node_gets_its_number() {
    let catalogue = catalogue("5.2");
    let page = "def a() -> Geometry:\n    x = value(value=2.0)\n    return cube(size=x).mesh\n\napply(\"A\", object=\"Plane\")\n";
    let file = after(page, &empty_file(), &catalogue);
    let tree = file
        .trees
        .values()
        .find(|tree| tree.nodes.iter().any(|node| node.id == "x"));
    let node = tree.unwrap().nodes.iter().find(|node| node.id == "x").unwrap();
    assert_eq!(node.outputs["Value"]["value"], 2.0);
    let (_, findings, plan) = compiled(page, &file, &catalogue);
    assert!(!findings.iter().any(Finding::is_error), "{findings:#?}");
    let again = serde_json::to_string(&plan.steps).unwrap();
    assert!(!again.contains("set_input_default"), "{again}");
}

#[test]
fn findings_name_line_and_column() {
    let catalogue = catalogue("5.2");
    let file = with_tree(&catalogue);
    let mut wrong = Vec::new();
    let apply = "\napply(\"A\", object=\"Plane\")\n";
    let group = |line: &str| {
        format!("def a(geometry: Geometry, f: Float = 1.0) -> Geometry:\n    {line}\n    return geometry\n{apply}")
    };
    for (line, code, place) in [
        ("x = cubes()", Code::UnknownNodeType, "line 2, column 9"),
        ("x = cube(sise=1)", Code::UnknownSocket, "line 2, column 19"),
        ("x = y", Code::UnknownName, "line 2, column 9"),
        (
            "x = set_position(geometry, offset=geometry)",
            Code::IllegalLink,
            "line 2, column 39",
        ),
        (
            "x = math(f, operation=\"ADDD\")",
            Code::InvalidEnum,
            "line 2, column 27",
        ),
        ("x = geometry + 1", Code::WrongType, "line 2, column 9"),
        ("x = [i for i in y]", Code::TextForm, "line 2, column 9"),
        ("if f: pass", Code::TextForm, "line 2, column 5"),
        ("for i in x: pass", Code::TextForm, "line 2, column 5"),
        ("x = cube(", Code::TextSyntax, "line 2, column 13"),
        ("x = (1, 2", Code::TextSyntax, "line 2, column 9"),
        ("x = a b", Code::TextSyntax, "line 2, column 11"),
        ("x = cube(size=\"big\")", Code::WrongType, "line 2, column 19"),
        (
            "x = object_info(object=data.object(\"Rocc\"))",
            Code::UnknownDataBlock,
            "line 2, column 28",
        ),
        ("x = cube().mesh.normal", Code::UnknownSocket, "line 2, column 9"),
        ("x = set_position(x)", Code::Cycle, "line 2, column"),
        ("x = math(math(x))", Code::Cycle, "line 2, column"),
        (
            "with repeat(iterations=2):\n        pass",
            Code::TextForm,
            "line 2, column 5",
        ),
        ("x = repeat_input()", Code::ZoneIncomplete, "line 2, column 9"),
        ("x = group(\"Nothing\")", Code::UnknownNodeGroup, "line 2, column 9"),
        ("x = cube(size=1e999)", Code::NonFiniteNumber, "line 2, column 19"),
        ("x = lambda: 1", Code::TextForm, "line 2, column 9"),
        ("x = f\"{f}\"", Code::TextForm, "line 2, column 9"),
        ("x = __import__(\"os\")", Code::UnknownNodeType, "line 2, column 9"),
        ("return cube().mesh, cube().mesh", Code::TextForm, "line 2, column"),
    ] {
        let (found, message) = first(&group(line), &empty_file(), &catalogue);
        if found != code || !message.contains(place) {
            wrong.push(format!("{line}: {found:?} {message}"));
        }
    }
    for (page, code) in [
        ("", Code::TextForm),
        ("def a() -> Geometry:\n    return cube().mesh\n", Code::MissingField),
        ("with edit(\"Rock\"):\n    del cube\n", Code::UnknownNodeGroup),
        ("with edit(\"Rocks\"):\n    cubb.size = (1, 1, 1)\n", Code::UnknownName),
        (
            "with edit(\"Rocks\"):\n    cube.sise = (1, 1, 1)\n",
            Code::UnknownSocket,
        ),
        (
            "def a(x: Geometri) -> Geometry:\n    return x\n",
            Code::UnknownSocketType,
        ),
        (
            "apply(\"Rocks\", object=\"Plane\", inputs={\"cont\": 3})",
            Code::UnknownInput,
        ),
        (
            "def a(x: Geometry) -> Geometry:\n    return b(x)\ndef b(x: Geometry) -> Geometry:\n    return a(x)\n",
            Code::Cycle,
        ),
        ("print(1)", Code::TextForm),
    ] {
        let (found, message) = first(page, &file, &catalogue);
        if found != code || !message.contains("line ") {
            wrong.push(format!("{page}: {found:?} {message}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sizes_and_depths_are_bounded() {
    let catalogue = catalogue("5.2");
    let large = format!(
        "def a() -> Geometry:\n    return cube().mesh\n# {}\n",
        "x".repeat(10 * 1024 * 1024)
    );
    let deep = format!(
        "def a() -> Geometry:\n    x = {}1{}\n",
        "(".repeat(50_000),
        ")".repeat(50_000)
    );
    let chain = format!(
        "def a(f: Float = 1.0) -> Float:\n    return {}f\n",
        "f + ".repeat(20_000)
    );
    let unary = format!("def a(f: Float = 1.0) -> Float:\n    return {}f\n", "-".repeat(100_000));
    let blocks: Vec<String> = (0..2_000)
        .map(|depth| format!("{}def a():", " ".repeat(depth)))
        .collect();
    let blocks = blocks.join("\n");
    let long = format!("def a() -> Float:\n    return {}\n", "9".repeat(100_000));
    let backwards: Vec<String> = (0..300)
        .map(|number| format!("    x{number} = x{} + 1\n", number + 1))
        .collect();
    let backwards = backwards.concat();
    let backwards = format!("def a(f: Float = 1.0) -> Float:\n{backwards}    x300 = f\n    return x0\n");
    for page in [large, deep, chain, unary, blocks, long, backwards] {
        let started = std::time::Instant::now();
        let read = read_page(&page, &empty_file(), &catalogue, None);
        assert!(
            read.findings.iter().any(Finding::is_error) && read.steps.is_empty(),
            "{}",
            &page[..60]
        );
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}

#[test]
fn a_page_that_is_cut_off_anywhere_is_never_half_applied_by_mistake() {
    let catalogue = catalogue("5.2");
    let file = empty_file();
    let mut refused = 0;
    for (end, _) in SCATTER.char_indices() {
        let read = read_page(&SCATTER[..end], &file, &catalogue, None);
        let failed = read.findings.iter().any(Finding::is_error);
        assert_eq!(failed, read.steps.is_empty(), "{end}");
        refused += usize::from(failed);
    }
    assert!(refused > SCATTER.len() * 8 / 10, "{refused} of {}", SCATTER.len());
}

#[test]
fn a_thousand_nodes_are_read_at_once() {
    let catalogue = catalogue("5.2");
    let mut page = String::from("def many(geometry: Geometry) -> Geometry:\n    x0 = set_position(geometry)\n");
    for number in 1..1_000 {
        let before = number - 1;
        writeln!(
            page,
            "    x{number} = set_position(x{before}, offset=(0.0, 0.0, {number}))"
        )
        .unwrap();
    }
    page.push_str("    return x999\n\napply(\"Many\", object=\"Plane\")\n");
    let started = std::time::Instant::now();
    let read = read_page(&page, &empty_file(), &catalogue, None);
    let taken = started.elapsed();
    assert!(read.findings.is_empty(), "{:?}", read.findings);
    println!("1,000 nodes: {taken:?}, {} characters", page.len());
    assert!(taken.as_secs() < 5, "{taken:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_read_without_a_crash(text in "\\PC{0,200}") {
        let catalogue = small();
        let read = read_page(&text, &Document::default(), catalogue, None);
        prop_assert!(read.steps.is_empty() || !read.findings.iter().any(Finding::is_error));
    }

    #[test]
    fn a_page_with_anything_in_it_is_read_without_a_crash(at in 0..SCATTER.len(), gone in 0_usize..30, text in "[ -~\\n]{0,12}") {
        let catalogue = small();
        prop_assume!(SCATTER.is_char_boundary(at));
        let end = (at + gone).min(SCATTER.len());
        prop_assume!(SCATTER.is_char_boundary(end));
        let page = format!("{}{text}{}", &SCATTER[..at], &SCATTER[end..]);
        let (_, findings, plan) = compiled(&page, &empty_file(), catalogue);
        let failed = findings.iter().any(Finding::is_error);
        prop_assert!(failed || !plan.steps.is_empty());
    }

    #[test]
    fn names_with_any_character_are_texts(name in "\\PC{1,40}") {
        let catalogue = small();
        let text = serde_json::to_string(&name).unwrap();
        let page = format!("def a() -> Geometry:\n    x = object_info(object=data.object({text}))\n    label(x, {text})\n    return x.geometry\n\napply(\"A\", object={text})\n");
        let mut file = empty_file();
        let plane = file.objects["Plane"].clone();
        file.objects.insert(name.clone(), plane);
        file.names.get_mut("object").unwrap().insert(name.clone());
        let (after, findings, _) = compiled(&page, &file, catalogue);
        prop_assert!(!findings.iter().any(Finding::is_error), "{findings:?}");
        let node = after.trees["A"].nodes.iter().find(|node| node.id == "x").unwrap();
        prop_assert_eq!(node.label.as_deref(), Some(name.as_str()));
    }
}

/// The catalogue, read once.
fn small() -> &'static Catalogue {
    static READ: std::sync::OnceLock<Catalogue> = std::sync::OnceLock::new();
    READ.get_or_init(|| catalogue("5.2"))
}

#[test]
fn colours_are_vectors_in_terms_and_a_part_may_be_all_of_an_assignment() {
    let catalogue = catalogue("5.2");
    let page = r#"def bumps(geometry: Geometry) -> Geometry:
    high = position().z
    wind = (noise_texture().color - (0.5, 0.5, 0.5)) * high
    return set_position(geometry, offset=wind)

apply("Bumps", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let found = kinds(&file.trees["Bumps"]);
    let count = |kind: &str| found.iter().filter(|(_, one)| *one == kind).count();
    assert_eq!(
        (
            count("ShaderNodeSeparateXYZ"),
            count("ShaderNodeVectorMath"),
            count("GeometryNodeInputPosition")
        ),
        (1, 2, 1),
        "{found:?}"
    );
    let links = links(&file.trees["Bumps"]);
    assert!(links.iter().any(|link| link.ends_with("> wind.Scale")), "{links:?}");
}

#[test]
fn a_function_that_only_returns_a_term_is_known_again() {
    let page = r#"
def lifted(geometry: Geometry) -> Geometry:
    return set_position(geometry, offset=(0.0, 0.0, wave(height=2.0)))

def wave(height: Float = 1.0) -> Float:
    return height * 0.5

apply("Lifted", object="Plane")
"#;
    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    let again = after(page, &file, &catalogue);
    let ids = |file: &Document| {
        let trees = file.trees.iter();
        let nodes = trees.map(|(name, tree)| (name.clone(), tree.nodes.iter().map(|node| node.id.clone()).collect()));
        nodes.collect::<Vec<(String, Vec<String>)>>()
    };
    assert_eq!(ids(&file), ids(&again));
    assert_eq!(
        file.objects["Plane"].modifiers.len(),
        again.objects["Plane"].modifiers.len()
    );
    // Another term of this name is another group.
    let other = page.replace(
        "set_position(geometry, offset=(0.0, 0.0, wave(height=2.0)))",
        "cube(size=(1.0, 1.0, wave()))",
    );
    let beside = after(&other, &file, &catalogue);
    assert_eq!(beside.objects["Plane"].modifiers.len(), 2, "{:?}", ids(&beside));
    assert_eq!(beside.trees["Lifted"], file.trees["Lifted"]);
}
