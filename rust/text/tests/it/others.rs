//! What an edit says about other groups and about panels: whose inputs, in which order, under which names.

use geonode_graph::Document;
use geonode_graph::ir::{ItemKind, Side};
use geonode_protocol::{Code, Severity};
use geonode_text::{Called, Variables};

use crate::catalogue;
use crate::edits::{ROCKS, ids, inputs, node};
use crate::pages::{after, compiled, empty_file, first};

fn edit(lines: &str) -> String {
    format!("with edit(\"Landscape\"):\n    {lines}\n")
}

/// The order in a panel is that in which an edit names its inputs, whether they are new, come from elsewhere or are there.
#[test]
fn a_panel_has_the_order_that_an_edit_gives_it() {
    let catalogue = catalogue("5.2");
    let file = after(ROCKS, &empty_file(), &catalogue);
    let inside = |file: &Document| -> Vec<String> {
        let items = &file.trees["Landscape"].interface;
        let panel = items.iter().find(|item| item.name == "Rocks").unwrap();
        let inside = items
            .iter()
            .filter(|item| item.is_socket(Side::Input) && item.parent.as_ref() == Some(&panel.identifier));
        inside.map(|item| item.name.clone()).collect()
    };
    let first = "show: Bool = True\n    panel(\"Rocks\", show, count, hill_scale)";
    let file = after(&edit(first), &file, &catalogue);
    assert_eq!(inside(&file), ["Show", "Count", "Hill Scale"]);
    for (line, wanted) in [
        ("panel(\"Rocks\", hill_scale, count, show)", "Hill Scale, Count, Show"),
        // What is not named keeps its place.
        ("panel(\"Rocks\", hill_scale, show)", "Hill Scale, Count, Show"),
        ("panel(\"Rocks\", hill_height)", "Show, Count, Hill Scale, Hill Height"),
        (
            "panel(\"Rocks\", show, hill_height)",
            "Show, Hill Height, Count, Hill Scale",
        ),
        (
            "tilt: Angle = 0.0\n    panel(\"Rocks\", tilt, hill_height, show)",
            "Tilt, Hill Height, Show, Count, Hill Scale",
        ),
    ] {
        let ordered = after(&edit(line), &file, &catalogue);
        assert_eq!(inside(&ordered).join(", "), wanted, "{line}");
        assert_eq!(
            ordered.trees["Landscape"].links.len(),
            file.trees["Landscape"].links.len()
        );
        let again = after(&edit(line), &ordered, &catalogue);
        assert_eq!(again.trees, ordered.trees, "{line}");
    }
}

/// Panels beside each other are ordered by name.
#[test]
fn panels_are_ordered_by_name() {
    let catalogue = catalogue("5.2");
    let panels = |file: &Document| -> Vec<String> {
        let items = &file.trees["Landscape"].interface;
        let panels = items.iter().filter(|item| item.kind == ItemKind::Panel);
        panels.map(|item| item.name.clone()).collect()
    };
    let three = "panel(\"A\", hill_scale)\n    panel(\"B\", count, panel(\"Inner\", hill_height))\n    tilt: Angle = 0.0\n    panel(\"C\", tilt)";
    let file = after(&edit(three), &after(ROCKS, &empty_file(), &catalogue), &catalogue);
    let begin = panels(&file);
    let own: Vec<&str> = begin
        .iter()
        .map(String::as_str)
        .filter(|name| "ABC Inner".contains(name))
        .collect();
    assert_eq!(own, ["A", "B", "Inner", "C"]);
    for (line, wanted) in [
        ("order(\"C\", \"A\")", ["C", "A", "B", "Inner"].as_slice()),
        ("order(\"B\")", &["B", "Inner", "A", "C"]),
    ] {
        let changed = after(&edit(line), &file, &catalogue);
        let found = panels(&changed);
        let own: Vec<&str> = found
            .iter()
            .map(String::as_str)
            .filter(|name| "ABC Inner".contains(name))
            .collect();
        assert_eq!(own, wanted, "{line}");
        assert_eq!(
            changed.trees["Landscape"].links.len(),
            file.trees["Landscape"].links.len()
        );
        let again = after(&edit(line), &changed, &catalogue);
        assert_eq!(again.trees, changed.trees, "{line}");
    }
    for wrong in [
        "order(\"Nowhere\")",
        "order(\"A\", \"Inner\")",
        "order(\"A\", \"A\")",
        "order(\"A\", count)",
    ] {
        let (code, place) = first(&edit(wrong), &file, &catalogue);
        assert_eq!(code, Code::TextForm, "{wrong}");
        assert!(place.contains("line 2"), "{place}");
    }
}

/// A node of one group does not become one of another by standing where it stood; where a name says so, inputs of equal names stay linked.
#[test]
fn a_node_of_another_group_is_another_node() {
    let catalogue = catalogue("5.2");
    let other = "\ndef even(other: Int = 1, seed: Int = 4, factor: Float = 0.25) -> {\"Big\": Float, \"Scale\": Float}:\n    return {\"Big\": factor * other, \"Scale\": factor + seed}\n\napply(";
    let page = ROCKS
        .replace("\napply(", other)
        .replace("    rocks = inst", "    spare = even()\n    rocks = inst")
        .replace("size_jitter(factor=0.5)", "size_jitter(factor=hill_scale, seed=7)");
    let file = after(&page, &empty_file(), &catalogue);
    // In a term: a node of its own, which has nothing of the other one.
    let nested = after(&edit("rocks.scale = even(other=2)"), &file, &catalogue);
    let of = |file: &Document, group: &str| -> Vec<String> {
        let nodes = file.trees["Landscape"].nodes.iter();
        let of = nodes.filter(|node| node.group() == Some(group) && node.id != "spare");
        of.map(|node| node.id.clone()).collect()
    };
    assert_eq!(of(&nested, "Size Jitter"), ["jitter"]);
    let [id] = of(&nested, "Even").try_into().unwrap();
    let into = |file: &Document, id: &str| -> Vec<String> {
        let tree = &file.trees["Landscape"];
        let group = node(file, "Landscape", id).group().unwrap();
        let name = |key: &str| {
            let mut items = file.trees[group].interface.iter();
            items.find(|item| item.identifier == key).map(|item| item.name.clone())
        };
        let links = tree.links.iter().filter(|link| link.to.0 == id);
        links.filter_map(|link| name(&link.to.1)).collect()
    };
    assert!(into(&nested, &id).is_empty(), "{:?}", into(&nested, &id));
    assert_eq!(node(&nested, "Landscape", &id).inputs.len(), 1);
    // By its name: the node that was there, of the other group.
    let named = after(&edit("jitter = even()"), &file, &catalogue);
    assert_eq!(of(&named, "Even"), ["jitter"]);
    assert_eq!(into(&named, "jitter"), ["Factor"]);
    let scale = named.trees["Landscape"]
        .links
        .iter()
        .find(|link| link.from.0 == "jitter")
        .unwrap();
    let outputs = named.trees["Even"].interface.iter();
    let scales = outputs.filter(|item| item.is_socket(Side::Output) && item.identifier == scale.from.1);
    assert_eq!(scales.map(|item| item.name.as_str()).collect::<Vec<_>>(), ["Scale"]);
    assert!(inputs(&named, "Even").contains(&"Other".to_owned()));
}

/// What comes out of a group may get other names: they are said, since the next step knows only these.
#[test]
fn names_of_released_nodes_are_said() {
    let catalogue = catalogue("5.2");
    let page = ROCKS.replace("rocks = instance", "amount = math(1.0)\n    rocks = instance");
    let file = after(&page, &empty_file(), &catalogue);
    let (_, findings, _) = compiled(&edit("ungroup(jitter)"), &file, &catalogue);
    let told = findings
        .iter()
        .find(|finding| finding.code == Code::NodesReleased)
        .unwrap();
    assert_eq!(told.severity, Severity::Info);
    assert!(told.message.ends_with("is now called amount_001."), "{}", told.message);
    let freed = after(&edit("ungroup(jitter)"), &file, &catalogue);
    let seed = after(&edit("amount_001.seed = 5"), &freed, &catalogue);
    assert!(ids(&seed.trees["Landscape"]).contains(&"amount.001"));
}

/// Of several groups on one page, names are said as they are when all are dissolved; a number is counted on, not numbered again.
#[test]
fn names_of_several_released_groups_are_those_that_the_nodes_get() {
    let catalogue = catalogue("5.2");
    let page = r#"
def row() -> Geometry:
    a = math(0.5, 0.25)
    b = math(a, 2.0)
    return cube(b).mesh

def rows(geometry: Geometry) -> Geometry:
    first = row()
    second = row()
    third = row()
    return join_geometry(geometry, first, second, third)

apply("Rows", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let dissolve = "with edit(\"Rows\"):\n    ungroup(first)\n    ungroup(second, third)\n";
    let (_, findings, _) = compiled(dissolve, &file, &catalogue);
    let said: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.code == Code::NodesReleased)
        .filter_map(|finding| finding.message.split_once(" is now called "))
        .flat_map(|(_, names)| names.trim_end_matches('.').split(", "))
        .collect();
    let freed = after(dissolve, &file, &catalogue);
    let variables = Variables::new(&freed.trees["Rows"], &catalogue);
    let real: Vec<&str> = ids(&freed.trees["Rows"])
        .into_iter()
        .filter_map(|id| variables.variable(id))
        .filter(|word| !said.contains(word))
        .collect();
    assert_eq!(said.len(), 9, "{said:?}");
    assert!(
        !real.iter().any(|word| word.starts_with(['a', 'b'])),
        "{real:?}, {said:?}"
    );
    assert!(
        said.contains(&"a_002") && !said.iter().any(|word| word.contains("_001_")),
        "{said:?}"
    );
    // The names mean the nodes that the message says.
    let second = findings
        .iter()
        .find(|found| found.message.contains("“second”"))
        .unwrap();
    let changed = after("with edit(\"Rows\"):\n    a_001.value = 3.0\n", &freed, &catalogue);
    assert!(second.message.contains("a_001"), "{}", second.message);
    assert_eq!(node(&changed, "Rows", "a.001").inputs["Value"]["value"], 3.0);
}

fn only_error(page: &str, file: &Document) -> (Code, String) {
    let (_, findings, _) = compiled(page, file, &catalogue("5.2"));
    let [found] = findings
        .iter()
        .filter(|found| found.is_error())
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let hint = found
        .hint
        .as_ref()
        .map(|hint| hint.as_str().to_owned())
        .unwrap_or_default();
    (found.code, format!("{} {hint}", found.message))
}

/// What goes wrong at the ends of a zone is said where it stands, with the end that is meant.
#[test]
fn the_ends_of_a_zone_are_told_apart() {
    let zone = |inside: &str, last: &str| {
        format!(
            "def wave(geometry: Geometry) -> Geometry:\n    with simulation(items={{\"Geometry\": Geometry(geometry), \"Height\": Float(0.0)}}) as (sim_in, sim_out):\n        \
             sim_out.geometry = sim_in.geometry\n        {inside}\n    raised = transform_geometry({last}.geometry, translation=(0, 0, 1))\n    \
             return join_geometry(geometry, raised)\n\napply(\"Wave\", object=\"Plane\")\n"
        )
    };
    let (code, text) = only_error(&zone("sim_in.height = sim_in.height + 1.0", "sim_out"), &empty_file());
    assert!(
        code == Code::Cycle && text.starts_with("line 4, ") && text.contains("Write sim_out.height ="),
        "{text}"
    );
    let (code, text) = only_error(&zone("sim_out.height = sim_in.height + 1.0", "sim_in"), &empty_file());
    assert!(
        code == Code::ZoneViolation && text.starts_with("line 5, ") && text.contains("“raised”"),
        "{text}"
    );
    let right = zone("sim_out.height = sim_in.height + 1.0", "sim_out");
    assert!(ids(&after(&right, &empty_file(), &catalogue("5.2")).trees["Wave"]).contains(&"raised"));
}

/// Nodes are found under other usual names; of those that do not exist the nearest are of the same sort.
#[test]
fn calls_are_found_by_what_else_they_are_called() {
    let page = |call: &str| format!("def a() -> Geometry:\n    return {call}\n\napply(\"A\", object=\"Plane\")\n");
    let catalogue = catalogue("5.2");
    let kinds = |call: &str| -> Vec<String> {
        let file = after(&page(call), &empty_file(), &catalogue);
        file.trees["A"].nodes.iter().map(|node| node.kind.clone()).collect()
    };
    assert!(kinds("mesh_cone().mesh").contains(&"GeometryNodeMeshCone".to_owned()));
    assert!(kinds("bezier_segment()").contains(&"GeometryNodeCurvePrimitiveBezierSegment".to_owned()));
    for (call, near) in [
        ("combine_vector()", "combine_xyz(…)"),
        ("mesh_sphere()", "uv_sphere(…)"),
        ("cone_mesh()", "cone(…)"),
    ] {
        let (code, text) = only_error(&page(call), &empty_file());
        assert!(code == Code::UnknownNodeType && text.contains(near), "{text}");
    }
    let expects = page("cube().mesh") + "expect(\"Plane\", instance=200)\n";
    let (_, text) = only_error(&expects, &empty_file());
    assert!(text.contains("Did you mean “instances”?"), "{text}");
}

/// A group that only the tree in hand uses has no other users.
#[test]
fn users_within_the_tree_are_no_others() {
    let catalogue = catalogue("5.2");
    let page = "def part() -> Geometry:\n    box = cube()\n    return box.mesh\n\ndef both(geometry: Geometry) -> Geometry:\n    \
                return join_geometry(geometry, part(), part())\n\napply(\"Both\", object=\"Plane\")\n";
    let mut file = after(page, &empty_file(), &catalogue);
    let edit = "with edit(\"Part\"):\n    box.size = (2.0, 2.0, 2.0)\n";
    for (users, warned) in [(2, false), (3, true)] {
        file.tree_info.get_mut("Part").unwrap().users = users;
        let (_, findings, _) = compiled(edit, &file, &catalogue);
        assert_eq!(
            findings.iter().any(|found| found.code == Code::SharedNodeGroup),
            warned,
            "{findings:?}"
        );
    }
}

/// Findings about a page speak of its variables.
#[test]
fn ids_become_the_words_of_a_page() {
    let catalogue = catalogue("5.2");
    let file = after(ROCKS, &empty_file(), &catalogue);
    let mut tree = file.trees["Landscape"].clone();
    let rocks = tree.nodes.iter_mut().find(|node| node.id == "rocks").unwrap();
    rocks.id = "Instance on Points.001".to_owned();
    let called = Called::of(std::iter::once(&tree), &catalogue);
    assert_eq!(
        called.in_words("“Instance on Points.001” and “hills” {\"node_id\":\"Instance on Points.001\"}"),
        "“instance_on_points_001” and “hills” {\"node_id\":\"instance_on_points_001\"}"
    );
}

/// A toggle is called as its panel, which is said of an input that had another name.
#[test]
fn the_new_name_of_a_toggle_is_said() {
    let catalogue = catalogue("5.2");
    let page = ROCKS.replace("count: Int = 9)", "count: Int = 9, show_rocks: Bool = True)");
    let file = after(&page, &empty_file(), &catalogue);
    let (_, findings, _) = compiled(&edit("panel(\"All Rocks\", toggle=show_rocks)"), &file, &catalogue);
    let told = findings
        .iter()
        .find(|finding| finding.message.contains("“Show Rocks” is called “All Rocks” now"));
    assert_eq!(
        told.map(|finding| finding.severity),
        Some(Severity::Info),
        "{findings:?}"
    );
}
