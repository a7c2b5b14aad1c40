//! What pages say of a tree comes back when it is written again, and a page that says what is there changes nothing.

use geonode_graph::Catalogue;
use geonode_graph::Document;
use geonode_graph::ir::{Bundle, IR_VERSION, Item, ItemKind, Side, Tree};
use geonode_protocol::{Code, Finding};
use geonode_text::{Extent, Names, write};
use serde_json::Value;

use crate::catalogue;
use crate::pages::{after, compiled, empty_file};

/// The page of a group and of those that it uses, applied to the plane.
pub(crate) fn written(file: &Document, root: &str, catalogue: &Catalogue) -> String {
    let bundle = Bundle {
        ir: IR_VERSION,
        blender: [0; 3],
        root: Some(root.to_owned()),
        trees: file.trees.clone(),
    };
    let page = write(&bundle, &Names::new(catalogue), Extent::Structure);
    assert_eq!(page.losses, [""; 0]);
    format!("{}\n\napply({}, object=\"Plane\")\n", page.text, Value::from(root))
}

/// The tree that a page makes, whose own page makes it again; and the page, told again, changes nothing.
#[track_caller]
fn checked(page: &str, root: &str) -> Tree {
    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    let first = written(&file, root, &catalogue);
    let again = after(&first, &empty_file(), &catalogue);
    let second = written(&again, root, &catalogue);
    assert_eq!(first, second);
    for page in [page, &first] {
        let (_, findings, plan) = compiled(page, &file, &catalogue);
        assert!(!findings.iter().any(Finding::is_error), "{findings:#?}\n{page}");
        let steps = serde_json::to_value(&plan.steps).unwrap();
        for step in steps.as_array().unwrap() {
            for list in ["operations", "ops"] {
                let said = step["payload"].get(list).and_then(Value::as_array);
                assert_eq!(said.map_or(0, Vec::len), 0, "{steps:#}\n{page}");
            }
        }
    }
    file.trees[root].clone()
}

fn names(tree: &Tree, side: Side) -> Vec<&str> {
    let items = tree.interface.iter().filter(|item| item.is_socket(side));
    items.map(|item| item.name.as_str()).collect()
}

#[test]
fn inputs_may_share_a_name_in_groups_and_where_they_are_used() {
    let page = r#"
def fur(geometry: Geometry, surface: Object = None, surface_001: Geometry = None, length: Float = 1.0) -> {"Geometry": Geometry, "Tip": Float, "Tip": Float}:
    limits(surface_001, name="Surface")
    object = object_info(object=surface)
    grown = join_geometry(geometry, object.geometry, surface_001)
    half = length * 0.5
    return {"Geometry": grown, "Tip": length, "tip_001": half}

def coat(geometry: Geometry, surface: Geometry = None) -> Geometry:
    box = cube()
    fur = group("Fur", geometry=geometry, surface=data.object("Rock"), surface_001=surface)
    more = group("Fur", geometry=fur.geometry, surface_001=box.mesh, length=fur.tip_001)
    return more.geometry

apply("Coat", object="Plane")
"#;
    checked(page, "Coat");
    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    let fur = &file.trees["Fur"];
    assert_eq!(names(fur, Side::Input), ["Geometry", "Surface", "Surface", "Length"]);
    let surfaces: Vec<&str> = fur
        .interface
        .iter()
        .filter(|item| item.name == "Surface")
        .map(|item| item.identifier.as_str())
        .collect();
    assert_ne!(surfaces[0], surfaces[1]);
    let fed = |tree: &Tree, node: &str, from: &str| -> Vec<String> {
        let links = tree.links.iter();
        let links = links.filter(|link| link.to.0 == node && link.from.0 == from);
        links.map(|link| link.to.1.clone()).collect()
    };
    let from_surface = fur.links.iter().find(|link| link.from.1 == surfaces[1]).unwrap();
    assert_eq!(from_surface.to.0, "grown");
    assert_eq!(fed(&file.trees["Coat"], "more", "box"), [surfaces[1]]);
    assert_eq!(fed(&file.trees["Coat"], "fur", "group_input").len(), 2);
}

#[test]
fn properties_of_inputs_are_told() {
    let page = r#"
def a(geometry: Geometry, count: Int = 5, flat: Vector = (0.0, 1.0)) -> Geometry:
    limits(count, min=0, max=10, description="How many: \"a\", {b}\n", hide_value=True, structure_type="SINGLE")
    limits(flat, dimensions=2, default_attribute_name="UVMap")
    limits(group_output.geometry, attribute_domain="FACE")
    line = mesh_line(count=count)
    moved = set_position(line.mesh, offset=flat)
    return join_geometry(geometry, moved)

apply("A", object="Plane")
"#;
    let tree = checked(page, "A");
    let props = |name: &str| &tree.interface.iter().find(|item| item.name == name).unwrap().props;
    assert_eq!(props("Count")["description"], "How many: \"a\", {b}\n");
    assert_eq!(props("Count")["hide_value"], true);
    assert_eq!(props("Flat")["default_value"], serde_json::json!([0.0, 1.0]));
}

#[test]
fn a_closure_may_call_its_inputs_as_what_is_outside() {
    let page = r#"
def a(geometry: Geometry, size: Float = 1.0) -> Geometry:
    def shape(size_001: Float, geometry_001: Geometry) -> {"Mesh": Geometry}:
        limits(size_001, name="Size")
        limits(geometry_001, name="Geometry")
        box = cube(size=size_001)
        return {"Mesh": join_geometry(geometry_001, box.mesh)}
    made = evaluate_closure(closure=shape, input_items={"Size": Float(size), "Geometry": Geometry(geometry)}, output_items={"Mesh": Geometry()})
    return made.mesh

apply("A", object="Plane")
"#;
    let tree = checked(page, "A");
    let ends = tree.nodes.iter().find(|node| node.id == "shape.out").unwrap();
    let items: Vec<&Value> = ends.items["input_items"].iter().map(|item| &item["name"]).collect();
    assert_eq!(items, ["Size", "Geometry"]);
    assert!(
        tree.links
            .iter()
            .any(|link| link.from.0 == "shape.in" && link.to.0 == "box")
    );
}

#[test]
fn a_group_named_as_a_node_is_none() {
    let page = r#"
def cube(geometry: Geometry) -> Geometry:
    box = cube()
    return join_geometry(geometry, box.mesh)

apply("Cube", object="Plane")
"#;
    let tree = checked(page, "Cube");
    assert!(tree.nodes.iter().any(|node| node.kind == "GeometryNodeMeshCube"));
}

#[test]
fn other_group_inputs_stay_beside_the_one_of_parameters() {
    let page = r#"
def a(geometry: Geometry, x: Float = 1.0, y: Float = 2.0) -> Geometry:
    inputs = group_input()
    size = inputs.x * 3.0
    box = cube(size=size)
    moved = set_position(box.mesh, offset=y)
    unused = group_input()
    label(moved, "Moved")
    label(box, "Box")
    mute(moved, box)
    outer = frame("Outer", moved)
    inner = frame("Inner", box, size)
    return join_geometry(geometry, moved)

apply("A", object="Plane")
"#;
    let tree = checked(page, "A");
    let inputs: Vec<&str> = tree
        .nodes
        .iter()
        .filter(|node| node.kind == "NodeGroupInput")
        .map(|node| node.id.as_str())
        .collect();
    assert_eq!(inputs.len(), 3, "{inputs:?}");
    assert!(
        tree.links
            .iter()
            .any(|link| link.from.0 == "inputs" && link.to.0 == "size")
    );
    assert!(
        !tree
            .links
            .iter()
            .any(|link| link.from.0 == "inputs" && link.to.0 == "moved")
    );
}

#[test]
fn a_page_may_have_any_number_of_blocks() {
    use std::fmt::Write as _;
    let mut page = "def a(geometry: Geometry) -> Geometry:\n".to_owned();
    for number in 0..200 {
        writeln!(
            page,
            "    def f{number}(x: Float) -> {{\"Y\": Float}}:\n        return {{\"Y\": x}}"
        )
        .unwrap();
    }
    page.push_str("    return geometry\n\napply(\"A\", object=\"Plane\")\n");
    let file = after(&page, &empty_file(), &catalogue("5.2"));
    assert_eq!(file.trees["A"].nodes.len(), 402);
}

/// What a page told again leaves as it is.
fn unsaid(page: &str, file: &Document) -> Vec<String> {
    let (_, findings, _) = compiled(page, file, &catalogue("5.2"));
    assert!(!findings.iter().any(Finding::is_error), "{findings:#?}");
    let left = findings
        .into_iter()
        .filter(|finding| finding.code == Code::LeftUnchanged);
    left.map(|finding| finding.message).collect()
}

#[test]
fn the_order_of_the_interface_and_its_panels_are_told() {
    let page = r#"
def a(size: Float = 1.0, geometry: Geometry = None, count: Int = 2, rough: Float = 0.5) -> {"Tip": Float, "Geometry": Geometry}:
    "Anything"
    settings(is_modifier=True, is_tool=True)
    panel("Shape", size, panel("Look", rough, description="How it looks"), default_closed=True)
    panel("Look", count)
    return {"Tip": size, "Geometry": geometry}

apply("A", object="Plane")
"#;
    let tree = checked(page, "A");
    let order: Vec<(&str, Option<&str>)> = tree
        .interface
        .iter()
        .map(|item| {
            let panel = tree
                .interface
                .iter()
                .find(|panel| Some(&panel.identifier) == item.parent.as_ref());
            (item.name.as_str(), panel.map(|panel| panel.name.as_str()))
        })
        .collect();
    let wanted = [
        ("Tip", None),
        ("Geometry", None),
        ("Geometry", None),
        ("Shape", None),
        ("Size", Some("Shape")),
        ("Look", Some("Shape")),
        ("Rough", Some("Look")),
        ("Look", None),
        ("Count", Some("Look")),
    ];
    assert_eq!(order, wanted);
    let panels: Vec<&Item> = tree
        .interface
        .iter()
        .filter(|item| item.kind == ItemKind::Panel)
        .collect();
    assert_eq!(panels[0].props["default_closed"], true);
    assert_eq!(panels[1].props["description"], "How it looks");
    assert_eq!(tree.settings["description"], "Anything");
    assert_eq!(tree.settings["is_tool"], true);
}

#[test]
fn an_edit_moves_inputs_out_of_panels_and_nodes_out_of_frames() {
    let catalogue = catalogue("5.2");
    let page = r#"
def a(geometry: Geometry, size: Float = 1.0, count: Int = 2) -> Geometry:
    panel("Shape", size, count)
    line = mesh_line(count=count)
    box = cube(size=size)
    inner = frame("Inner", box)
    outer = frame("Outer", inner, line)
    return join_geometry(geometry, line, box)

apply("A", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let edit = r#"
with edit("A"):
    panel(None, size)
    unframe(line)
    frame("Inner", line)
    label(outer, "All")
    frame("New", outer)
"#;
    let changed = after(edit, &file, &catalogue);
    let tree = &changed.trees["A"];
    let item = |name: &str| tree.interface.iter().find(|item| item.name == name).unwrap();
    assert_eq!(item("Size").parent, None);
    assert_eq!(item("Count").parent.as_ref(), Some(&item("Shape").identifier));
    let node = |id: &str| tree.nodes.iter().find(|node| node.id == id).unwrap();
    assert_eq!(node("line").parent.as_deref(), Some("inner"), "the frame of that title");
    assert_eq!(node("inner").parent.as_deref(), Some("outer"));
    assert_eq!(node("outer").label.as_deref(), Some("All"));
    let new = tree
        .nodes
        .iter()
        .find(|node| node.label.as_deref() == Some("New"))
        .unwrap();
    assert_eq!(node("outer").parent.as_ref(), Some(&new.id));
    assert_eq!(unsaid(edit, &file), [""; 0]);
    // A page without a frame leaves its nodes; a function without one takes them out.
    let out = after(
        "with edit(\"A\"):\n    del outer\n    unframe(box)\n",
        &file,
        &catalogue,
    );
    let tree = &out.trees["A"];
    assert!(
        tree.nodes
            .iter()
            .all(|node| node.id != "outer" && node.parent.is_none()),
        "{:#?}",
        tree.nodes
    );
    let again = page.replace("frame(\"Outer\", inner, line)", "frame(\"Outer\", inner)");
    let whole = after(&again, &file, &catalogue);
    let node = |id: &str| whole.trees["A"].nodes.iter().find(|node| node.id == id).unwrap();
    assert_eq!(
        (node("line").parent.as_deref(), node("inner").parent.as_deref()),
        (None, Some("outer"))
    );
}

#[test]
fn muted_links_are_told_and_end_again() {
    let catalogue = catalogue("5.2");
    let page = r#"
def a(geometry: Geometry, size: Float = 1.0) -> Geometry:
    box = cube(size=muted(size, (2.0, 2.0, 2.0)))
    ball = ico_sphere()
    return join_geometry(geometry, muted(box), ball)

apply("A", object="Plane")
"#;
    let tree = checked(page, "A");
    let muted = |tree: &Tree| -> Vec<String> {
        let links = tree.links.iter().filter(|link| link.muted);
        links.map(|link| format!("{} → {}", link.from.0, link.to.0)).collect()
    };
    assert_eq!(muted(&tree).len(), 2, "{:?}", muted(&tree));
    let file = after(page, &empty_file(), &catalogue);
    let plain = after("with edit(\"A\"):\n    box.size = size\n", &file, &catalogue);
    assert_eq!(muted(&plain.trees["A"]).len(), 1);
    let sorts: Vec<Option<i64>> = plain.trees["A"].links.iter().map(|link| link.sort).collect();
    let before: Vec<Option<i64>> = file.trees["A"].links.iter().map(|link| link.sort).collect();
    assert_eq!(sorts.iter().flatten().count(), before.iter().flatten().count());
}

#[test]
fn stops_and_points_are_said_and_changed() {
    let page = r#"
def a(geometry: Geometry) -> Geometry:
    ramp = color_ramp(position().x, props={"color_ramp.interpolation": "CONSTANT", "color_ramp.elements": [{"position": 0.0, "color": (1.0, 0.0, 0.0, 1.0)}, {"position": 0.75, "color": (0.0, 0.0, 1.0, 1.0)}]})
    curve = float_curve(value=ramp.alpha, props={"mapping.curves.0.points": [{"location": (0, 1)}, {"location": (0.5, 0.25), "handle_type": "VECTOR"}, {"location": (1, 0)}]})
    return set_position(geometry, offset=ramp.color, selection=curve > 0.5)

apply("A", object="Plane")
"#;
    let tree = checked(page, "A");
    let node = |id: &str| tree.nodes.iter().find(|node| node.id == id).unwrap();
    let stops = serde_json::to_value(&node("ramp").items["color_ramp.elements"]).unwrap();
    let stop = |position: f64, color: [f64; 4]| serde_json::json!({"position": position, "color": color});
    assert_eq!(
        stops,
        serde_json::json!([stop(0.0, [1.0, 0.0, 0.0, 1.0]), stop(0.75, [0.0, 0.0, 1.0, 1.0])])
    );
    assert_eq!(node("ramp").props["color_ramp.interpolation"], "CONSTANT");
    assert_eq!(node("curve").items["mapping.curves.0.points"].len(), 3);

    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    let edit = |stops: &str| {
        let text = format!(
            "with edit(\"A\"):\n    ramp.props = {{\"color_ramp.elements\": {stops}}}\n\napply(\"A\", object=\"Plane\")\n"
        );
        compiled(&text, &file, &catalogue).1
    };
    let left_out = page.replace(r#", "color_ramp.elements": [{"position": 0.0, "color": (1.0, 0.0, 0.0, 1.0)}, {"position": 0.75, "color": (0.0, 0.0, 1.0, 1.0)}]"#, "");
    let again = compiled(&left_out, &file, &catalogue).0;
    let ramp = again.trees["A"].nodes.iter().find(|node| node.id == "ramp").unwrap();
    assert_eq!(
        ramp.items["color_ramp.elements"],
        catalogue.nodes["ShaderNodeValToRGB"].collections["color_ramp.elements"].fresh
    );
    let codes = |findings: &[Finding]| -> Vec<Code> { findings.iter().map(|finding| finding.code).collect() };
    let many: Vec<String> = (0..33)
        .map(|at| format!("{{\"position\": {at} / 40, \"color\": (0, 0, 0, 1)}}"))
        .collect();
    for (stops, code) in [
        ("[]", Code::OutOfRange),
        (format!("[{}]", many.join(", ")).as_str(), Code::OutOfRange),
        ("[{\"position\": 0.5}]", Code::MissingField),
        ("[{\"position\": 2, \"color\": (0, 0, 0, 1)}]", Code::OutOfRange),
        (
            "[{\"place\": 0, \"position\": 0, \"color\": (0, 0, 0, 1)}]",
            Code::UnknownProperty,
        ),
        ("[ramp.alpha]", Code::TextForm),
        ("3", Code::TextForm),
    ] {
        let found = codes(&edit(stops));
        assert!(found.contains(&code), "{stops}: {found:?}");
    }
}
