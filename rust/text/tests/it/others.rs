//! What an edit says about other groups and about panels: whose inputs, in which order, under which names.

use geonode_graph::Document;
use geonode_graph::ir::Side;
use geonode_protocol::{Code, Severity};
use geonode_text::Variables;

use crate::catalogue;
use crate::edits::{ROCKS, ids, inputs, node};
use crate::pages::{after, compiled, empty_file};

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
