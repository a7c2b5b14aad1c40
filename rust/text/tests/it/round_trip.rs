//! What pages say of a tree comes back when it is written again, and a page that says what is there changes nothing.

use geonode_graph::Catalogue;
use geonode_graph::Document;
use geonode_graph::ir::{Bundle, IR_VERSION, Side, Tree};
use geonode_protocol::Finding;
use geonode_text::{Extent, Names, write};
use serde_json::Value;

use crate::catalogue;
use crate::pages::{after, compiled, empty_file};

/// The page of a group and of those that it uses, applied to the plane.
fn written(file: &Document, root: &str, catalogue: &Catalogue) -> String {
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
