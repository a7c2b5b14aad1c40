//! What a page does besides describing trees: nodes gathered and released, what is unused removed, groups with and without other users.

use geonode_graph::documents::Modifier;
use geonode_graph::ir::Tree;
use geonode_graph::{Catalogue, Document};
use geonode_protocol::{Code, Finding};

use crate::catalogue;
use crate::pages::{after, compiled, empty_file};

const BOXES: &str = r#"
def boxes(geometry: Geometry, size: Float = 1.0) -> Geometry:
    box = cube(size=size)
    moved = set_position(box.mesh, offset=(0.0, 0.0, 1.0))
    spare = ico_sphere()
    return join_geometry(geometry, moved)

apply("Boxes", object="Plane")
"#;

fn file(catalogue: &Catalogue) -> Document {
    after(BOXES, &empty_file(), catalogue)
}

pub(crate) fn ids(tree: &Tree) -> Vec<&str> {
    let mut ids: Vec<&str> = tree.nodes.iter().map(|node| node.id.as_str()).collect();
    ids.sort_unstable();
    ids
}

#[track_caller]
fn errors(page: &str, file: &Document, catalogue: &Catalogue) -> Vec<(Code, String)> {
    let (_, findings, _) = compiled(page, file, catalogue);
    let errors = findings.into_iter().filter(Finding::is_error);
    errors.map(|finding| (finding.code, finding.message)).collect()
}

#[test]
fn nodes_are_gathered_into_a_group_and_released_again() {
    let catalogue = catalogue("5.2");
    let file = file(&catalogue);
    let gathered = after(
        "with edit(\"Boxes\"):\n    part = gather(\"Part\", box, moved)\n",
        &file,
        &catalogue,
    );
    let boxes = &gathered.trees["Boxes"];
    assert!(
        !ids(boxes).contains(&"box") && !ids(boxes).contains(&"moved"),
        "{:?}",
        ids(boxes)
    );
    let part = boxes.nodes.iter().find(|node| node.id == "part").unwrap();
    assert_eq!(part.group(), Some("Part"));
    assert!(ids(&gathered.trees["Part"]).contains(&"box"));

    let released = after("with edit(\"Boxes\"):\n    ungroup(part)\n", &gathered, &catalogue);
    let kinds = |tree: &Tree| {
        let mut kinds: Vec<String> = tree.nodes.iter().map(|node| node.kind.clone()).collect();
        kinds.sort_unstable();
        kinds
    };
    assert_eq!(kinds(&released.trees["Boxes"]), kinds(&file.trees["Boxes"]));
}

#[test]
fn what_feeds_no_output_is_removed() {
    let catalogue = catalogue("5.2");
    let file = file(&catalogue);
    let clean = after("with edit(\"Boxes\"):\n    cleanup()\n", &file, &catalogue);
    assert!(ids(&file.trees["Boxes"]).contains(&"spare"));
    assert!(!ids(&clean.trees["Boxes"]).contains(&"spare"));
    let gizmo = "with edit(\"Boxes\"):\n    arrow = linear_gizmo(size)\n    cleanup()\n";
    assert!(ids(&after(gizmo, &file, &catalogue).trees["Boxes"]).contains(&"arrow"));
    let [(code, message)] = errors(
        "def boxes(geometry: Geometry) -> Geometry:\n    cleanup()\n    return geometry\n\napply(\"Boxes\", object=\"Plane\")\n",
        &file,
        &catalogue,
    )
    .try_into()
    .unwrap();
    assert_eq!(code, Code::TextForm);
    assert!(message.starts_with("line 2, column 5: "), "{message}");
}

#[test]
fn a_page_may_describe_groups_that_run_on_their_own() {
    let catalogue = catalogue("5.2");
    let page = r#"
def a(geometry: Geometry) -> Geometry:
    return join_geometry(geometry, shared().mesh)

def b() -> Geometry:
    return shared().mesh

def shared() -> {"Mesh": Geometry}:
    return cube().mesh

apply("A", object="Plane")
apply("B", object="Plane", modifier="Second")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let modifiers: Vec<(&str, Option<&str>)> = file.objects["Plane"]
        .modifiers
        .iter()
        .map(|one| (one.name.as_str(), one.node_group.as_deref()))
        .collect();
    assert_eq!(modifiers, [("A", Some("A")), ("Second", Some("B"))]);
    assert_eq!(file.trees.len(), 3);
}

#[test]
fn a_modifier_may_get_its_own_copy() {
    let catalogue = catalogue("5.2");
    let mut file = file(&catalogue);
    let other = Modifier {
        name: "Boxes".to_owned(),
        kind: "NODES".to_owned(),
        node_group: Some("Boxes".to_owned()),
        ..Modifier::default()
    };
    let mut rock = file.objects["Plane"].clone();
    rock.modifiers = vec![other];
    file.objects.insert("Rock".to_owned(), rock);
    file.tree_info.get_mut("Boxes").unwrap().users = 2;
    let page = "with edit(\"Boxes\"):\n    box.size = 2.0\n\napply(\"Boxes\", object=\"Rock\", single_user=True)\n";
    let changed = after(page, &file, &catalogue);
    assert_eq!(changed.trees["Boxes"], file.trees["Boxes"], "that of the plane stays");
    let own = changed.objects["Rock"].modifiers[0].node_group.as_deref().unwrap();
    assert_ne!(own, "Boxes");
    assert_ne!(changed.trees[own], file.trees["Boxes"]);
}

#[test]
fn rings_are_findings_with_their_place() {
    let catalogue = catalogue("5.2");
    let empty = empty_file();
    let apply = "\napply(\"A\", object=\"Plane\")\n";
    let own = format!("def a(x: Float) -> Float:\n    y = z * 2.0\n    z = y * 3.0\n    return y\n{apply}");
    let found = errors(&own, &empty, &catalogue);
    assert!(
        found
            .iter()
            .any(|(code, message)| *code == Code::Cycle && message.starts_with("line ")),
        "{found:?}"
    );
    let groups = format!(
        "def a() -> {{\"X\": Float}}:\n    return b().x\n\ndef b() -> {{\"X\": Float}}:\n    return a().x\n{apply}"
    );
    let found = errors(&groups, &empty, &catalogue);
    assert!(
        found
            .iter()
            .any(|(code, message)| *code == Code::Cycle && message.starts_with("line ")),
        "{found:?}"
    );
}

#[test]
fn what_a_function_takes_replaces_the_default_socket() {
    let catalogue = catalogue("5.2");
    for page in [
        "def a(curve: Geometry) -> Geometry:\n    return transform_geometry(curve)\napply(\"A\", object=\"Plane\")\n",
        "def a(curve: Geometry) -> Geometry:\n    return join_geometry(transform_geometry(curve), post())\ndef post(h: Distance = 1.0) -> Geometry:\n    return cube(size=(1, 1, h)).mesh\napply(\"A\", object=\"Plane\")\n",
    ] {
        let made = after(page, &empty_file(), &catalogue);
        for (name, tree) in &made.trees {
            let sockets: Vec<&str> = tree.interface.iter().map(|item| item.name.as_str()).collect();
            let wanted: &[&str] = if name == "A" {
                &["Geometry", "Curve"]
            } else {
                &["Geometry", "H"]
            };
            assert_eq!(sockets, wanted, "{name}");
        }
    }
}

#[test]
fn a_term_around_what_feeds_an_input_leaves_it_as_it_is() {
    let catalogue = catalogue("5.2");
    let page = r#"
def boxes(geometry: Geometry, size: Float = 1.0) -> Geometry:
    grown = math(size, 3.0, operation="ADD")
    box = ico_sphere(radius=grown)
    return join_geometry(geometry, box.mesh)

apply("Boxes", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let edit = "with edit(\"Boxes\"):\n    box.radius = grown * (1.0 - size)\n\napply(\"Boxes\", object=\"Plane\")\n";
    let edited = after(edit, &file, &catalogue);
    let boxes = &edited.trees["Boxes"];
    let operation = |id: &str| {
        let node = boxes.nodes.iter().find(|node| node.id == id).unwrap();
        node.props
            .get("operation")
            .and_then(|value| value.as_str())
            .unwrap_or("ADD")
            .to_owned()
    };
    assert_eq!(operation("grown"), "ADD");
    assert_eq!(operation("box/radius"), "MULTIPLY");
    let fed = boxes.links.iter().find(|link| link.to.0 == "box").unwrap();
    assert_eq!(fed.from.0, "box/radius");
    let again = after(edit, &edited, &catalogue);
    assert_eq!(ids(&again.trees["Boxes"]), ids(boxes));
}

#[test]
fn a_panel_with_an_output_stands_where_its_inputs_do() {
    let page = r#"
def guided(geometry: Geometry, size: Float = 1.0, index: Int = 0) -> {"Geometry": Geometry, "Index": Int}:
    panel("Shape", size)
    panel("Guide", group_output.index, index)
    return {"Geometry": set_position(geometry, offset=size), "Index": index}

apply("Guided", object="Plane")
"#;
    let catalogue = catalogue("5.2");
    let file = after(page, &empty_file(), &catalogue);
    let items = file.trees["Guided"].interface.iter();
    let names: Vec<&str> = items.map(|item| item.name.as_str()).collect();
    assert_eq!(
        names,
        ["Geometry", "Geometry", "Shape", "Size", "Guide", "Index", "Index"]
    );
}

/// A value that is written is in the plan, wherever the link could go.
#[test]
fn what_is_inserted_keeps_its_values() {
    let catalogue = catalogue("5.2");
    let page = r#"
def boxes(geometry: Geometry, size: Float = 1.0) -> Geometry:
    grown = math(size, 3.0, operation="ADD")
    box = ico_sphere(radius=grown)
    return join_geometry(geometry, box.mesh)

apply("Boxes", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let insert =
        |node: &str| format!("with edit(\"Boxes\"):\n    between = insert(link=(grown, box.radius), node={node})\n");
    for (node, socket, value) in [
        ("math(2.0, operation=\"SUBTRACT\")", "Value_001", Some(("Value", 2.0))),
        ("math(0.5, operation=\"SUBTRACT\")", "Value_001", None),
        (
            "math(value_001=4.0, operation=\"SUBTRACT\")",
            "Value",
            Some(("Value_001", 4.0)),
        ),
        ("clamp(min=0.25)", "Value", Some(("Min", 0.25))),
    ] {
        let boxes = &after(&insert(node), &file, &catalogue).trees["Boxes"];
        let between = boxes.nodes.iter().find(|one| one.id == "between").unwrap();
        let into: Vec<&str> = boxes
            .links
            .iter()
            .filter(|link| link.to.0 == "between")
            .map(|link| link.to.1.as_str())
            .collect();
        assert_eq!(into, [socket], "{node}");
        if let Some((name, value)) = value {
            assert_eq!(between.inputs[name]["value"], value, "{node}");
        }
    }
    let found = errors(
        &insert("math(2.0, 3.0, 4.0, operation=\"MULTIPLY_ADD\")"),
        &file,
        &catalogue,
    );
    assert!(
        found
            .iter()
            .any(|(code, message)| *code == Code::IllegalLink && message.contains("has a value in insert")),
        "{found:?}"
    );
}

/// A switch gives one of its inputs: the page says which, or is asked.
#[test]
fn a_link_goes_to_the_input_of_a_switch_that_the_page_names() {
    let catalogue = catalogue("5.2");
    let file = file(&catalogue);
    let page = |node: &str| {
        format!(
            "with edit(\"Boxes\"):\n    show: Bool = True\n    shown = insert(link=(moved.geometry, join_geometry.geometry), node={node})\n"
        )
    };
    let geometry = "switch(input_type=\"GEOMETRY\", switch=show";
    let join = |file: &Document| {
        let boxes = &file.trees["Boxes"];
        let join = boxes.nodes.iter().find(|one| one.kind == "GeometryNodeJoinGeometry");
        join.unwrap().id.clone()
    };
    let insert = |node: &str| page(node).replace("join_geometry", &join(&file).replace('/', "_"));
    for (further, wanted) in [
        (", true=moved", "True"),
        (", true=moved.geometry", "True"),
        (", false=moved", "False"),
        (", false=spare.mesh", "True"),
    ] {
        let page = insert(&format!("{geometry}{further})"));
        let edited = after(&page, &file, &catalogue);
        let boxes = &edited.trees["Boxes"];
        let into: Vec<&str> = boxes
            .links
            .iter()
            .filter(|link| link.from.0 == "moved")
            .map(|link| link.to.1.as_str())
            .collect();
        assert_eq!(into, [wanted], "{further}");
        let fed: Vec<&str> = boxes
            .links
            .iter()
            .filter(|link| link.from.0 == "shown")
            .map(|link| link.to.0.as_str())
            .collect();
        assert_eq!(fed, [join(&file)], "{further}");
        let again = after(&page, &edited, &catalogue);
        assert_eq!(again.trees["Boxes"].links, boxes.links, "{further}");
    }
    let found = errors(&insert(&format!("{geometry})")), &file, &catalogue);
    assert!(
        found
            .iter()
            .any(|(code, message)| *code == Code::IllegalLink && message.contains("“false” or “true”")),
        "{found:?}"
    );
}

/// Which of equal inputs a link is led into is never guessed: the other side of a Switch would be empty.
#[test]
fn a_link_is_led_into_the_input_that_is_meant() {
    let catalogue = catalogue("5.2");
    let file = file(&catalogue);
    let page = |node: &str| {
        format!(
            "with edit(\"Boxes\"):\n    shown: Bool = True\n    between = insert(link=(box.mesh, moved.geometry), node={node})\n"
        )
    };
    let into = |page: &str| {
        let boxes = &after(page, &file, &catalogue).trees["Boxes"];
        let links = boxes
            .links
            .iter()
            .filter(|link| link.to.0 == "between" && link.from.0 == "box");
        let into: Vec<String> = links.map(|link| link.to.1.clone()).collect();
        let moved = boxes.links.iter().find(|link| link.to.0 == "moved").unwrap();
        assert_eq!(moved.from.0, "between");
        into
    };
    for side in ["false", "true"] {
        let mut socket = side.to_owned();
        socket[..1].make_ascii_uppercase();
        let once = page(&format!("switch(input_type=\"GEOMETRY\", switch=shown, {side}=box)"));
        assert_eq!(into(&once), [socket]);
    }
    let once = page("switch(input_type=\"GEOMETRY\", switch=shown, false=moved, true=box)");
    assert!(!errors(&once, &file, &catalogue).is_empty(), "a ring");
    assert_eq!(
        into(&page("switch(input_type=\"GEOMETRY\", false=ico_sphere())")),
        ["True"]
    );
    assert_eq!(into(&page("mesh_boolean(mesh_2=[ico_sphere()])")), ["Mesh 1"]);
    let found = errors(
        &page("switch(input_type=\"GEOMETRY\", switch=shown)"),
        &file,
        &catalogue,
    );
    let [(Code::IllegalLink, message)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert!(message.contains("“false” or “true”"), "{message}");
    // Numbers are led through a mix likewise, not into its factor.
    let grown = "with edit(\"Boxes\"):\n    grown = insert(link=(group_input.size, box.size), node=mix(data_type=\"VECTOR\"))\n";
    assert!(!errors(grown, &file, &catalogue).is_empty());
}

/// Blender shows no entry of a menu that two Menu Switches give it, although they have the same.
#[test]
fn a_menu_input_leads_to_one_menu_switch() {
    let catalogue = catalogue("5.2");
    let head = "def boxes(quality: Menu = \"Low\") -> Geometry:\n";
    let switch = |name: &str, low: i32| {
        format!("    {name} = menu_switch(menu=quality, data_type=\"INT\", items={{\"Low\": {low}, \"High\": 5}})\n")
    };
    let tail = "\napply(\"Boxes\", object=\"Plane\")\n";
    let one = format!(
        "{head}{}    ball = ico_sphere(subdivisions=level)\n    return ball\n{tail}",
        switch("level", 2)
    );
    let file = after(&one, &empty_file(), &catalogue);
    let two = format!(
        "{head}{}{}    return ico_sphere(subdivisions=level, radius=size)\n{tail}",
        switch("level", 2),
        switch("size", 1)
    );
    let edit = format!("with edit(\"Boxes\"):\n{}    ball.radius = size\n", switch("size", 1));
    for (page, before) in [(&two, &empty_file()), (&edit, &file)] {
        let found = errors(page, before, &catalogue);
        let [(Code::IllegalLink, message)] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert!(
            message.contains("“Quality”") && message.contains("“level”, “size”"),
            "{message}"
        );
    }
    // What the finding proposes.
    let index = format!(
        "{head}{}    size = index_switch(index=level, data_type=\"FLOAT\", items=[1.0, 2.0])\n    return ico_sphere(subdivisions=level, radius=size)\n{tail}",
        switch("level", 0)
    );
    after(&index, &empty_file(), &catalogue);
}

/// What an edit says of outputs, colours, ends of zones and entries that it writes anew.
#[test]
fn an_edit_means_what_it_says() {
    let catalogue = catalogue("5.2");
    let page = r#"
def boxes(geometry: Geometry, kind: Menu = "Box") -> Geometry:
    box = cube()
    ball = ico_sphere()
    shape = menu_switch(menu=kind, data_type="GEOMETRY", items={"Box": box.mesh, "Ball": ball.mesh})
    with repeat(iterations=3, items={"Geometry": Geometry(shape)}) as (grow_in, grow_out):
        grow_out.geometry = grow_in.geometry
    titled = frame("Shapes", box, ball)
    return grow_out.geometry

apply("Boxes", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let edit = |lines: &str| format!("with edit(\"Boxes\"):\n{lines}");
    let told = |page: &str| -> Vec<Code> {
        let (_, findings, _) = compiled(page, &file, &catalogue);
        findings.into_iter().map(|finding| finding.code).collect()
    };

    // An output is declared with its link on one line.
    let once = edit("    group_output.bare: Geometry = ball.mesh\n");
    let boxes = &after(&once, &file, &catalogue).trees["Boxes"];
    let bare = boxes.interface.iter().find(|item| item.name == "Bare").unwrap();
    assert!(
        boxes
            .links
            .iter()
            .any(|link| link.from.0 == "ball" && link.to.1 == bare.identifier)
    );

    // A colour is shown.
    let colour = edit("    titled.color = (0.3, 0.2, 0.1)\n");
    let boxes = &after(&colour, &file, &catalogue).trees["Boxes"];
    let titled = boxes.nodes.iter().find(|node| node.id == "titled").unwrap();
    assert_eq!(titled.props["use_custom_color"], true);

    // Both ends of a zone may be named.
    let zone = edit("    del grow_in, grow_out\n    return shape\n");
    assert!(!told(&zone).contains(&Code::NothingToRemove), "{:?}", told(&zone));
    let boxes = &after(&zone, &file, &catalogue).trees["Boxes"];
    assert!(!ids(boxes).contains(&"grow_out"), "{:?}", ids(boxes));
    let twice = edit("    del spare\n");
    assert!(told(&twice).contains(&Code::NothingToRemove));

    // An entry that is renamed keeps its link; one that is left out loses it, which is said.
    let menu = |items: &str| {
        edit(&format!(
            "    shape = menu_switch(menu=kind, data_type=\"GEOMETRY\", items={{{items}}})\n"
        ))
    };
    let renamed = menu("\"Box\": box.mesh, \"Round\": ball.mesh");
    assert!(!told(&renamed).contains(&Code::LinkDropped), "{:?}", told(&renamed));
    let shorter = menu("\"Box\": box.mesh");
    assert!(told(&shorter).contains(&Code::LinkDropped), "{:?}", told(&shorter));
}

/// Who only sets the inputs of a modifier changes nobody else's tree.
#[test]
fn values_of_a_modifier_are_its_own() {
    let catalogue = catalogue("5.2");
    let mut file = file(&catalogue);
    file.tree_info.get_mut("Boxes").unwrap().users = 2;
    let told = |page: &str| {
        let (_, findings, _) = compiled(page, &file, &catalogue);
        findings.iter().any(|finding| finding.code == Code::SharedNodeGroup)
    };
    assert!(!told("apply(\"Boxes\", object=\"Plane\", inputs={\"size\": 2.0})\n"));
    assert!(told(
        "with edit(\"Boxes\"):\n    box.size = 2.0\n\napply(\"Boxes\", object=\"Plane\")\n"
    ));
}

/// Inputs are ordered by an edit, beside each other, below the geometry.
#[test]
fn an_edit_orders_inputs() {
    let catalogue = catalogue("5.2");
    let page = r#"
def boxes(geometry: Geometry, size: Float = 1.0, count: Int = 3, seed: Int = 0, wide: Float = 1.0, tall: Float = 1.0) -> Geometry:
    panel("Shape", wide, tall)
    box = cube(size=(wide, size, tall))
    line = mesh_line(count=count)
    rocks = instance_on_points(line, instance=box)
    mixed = set_position(rocks, offset=random_value(data_type="FLOAT_VECTOR", seed=seed))
    return join_geometry(geometry, mixed)

apply("Boxes", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let names = |file: &Document| -> Vec<String> {
        let inputs = file.trees["Boxes"].interface.iter();
        let inputs = inputs.filter(|item| item.is_socket(geonode_graph::ir::Side::Input));
        inputs.map(|item| item.name.clone()).collect()
    };
    assert_eq!(names(&file), ["Geometry", "Size", "Count", "Seed", "Wide", "Tall"]);
    let edit = |lines: &str| format!("with edit(\"Boxes\"):\n    {lines}\n");
    for (line, wanted) in [
        (
            "order(seed, size)",
            ["Geometry", "Seed", "Size", "Count", "Wide", "Tall"],
        ),
        ("order(seed)", ["Geometry", "Seed", "Size", "Count", "Wide", "Tall"]),
        ("order(tall)", ["Geometry", "Size", "Count", "Seed", "Tall", "Wide"]),
        (
            "order(geometry, size, count)",
            ["Geometry", "Size", "Count", "Seed", "Wide", "Tall"],
        ),
    ] {
        let ordered = after(&edit(line), &file, &catalogue);
        assert_eq!(names(&ordered), wanted, "{line}");
        assert_eq!(ordered.trees["Boxes"].links.len(), file.trees["Boxes"].links.len());
        assert_eq!(names(&after(&edit(line), &ordered, &catalogue)), wanted, "{line}");
    }
    for line in [
        "order(seed, tall)",
        "order(seed, seed)",
        "order()",
        "order(group_output.geometry)",
    ] {
        let found = errors(&edit(line), &file, &catalogue);
        assert!(matches!(found.as_slice(), [(Code::TextForm, _)]), "{line}: {found:?}");
    }
    let told = |line: &str| {
        let (_, findings, _) = compiled(&edit(line), &file, &catalogue);
        findings.iter().any(|finding| finding.code == Code::NothingToRemove)
    };
    assert!(told("panel(None, seed)") && !told("panel(None, tall)"));
    let def = page.replace("    panel(", "    order(seed)\n    panel(");
    assert!(!errors(&def, &empty_file(), &catalogue).is_empty());
}

/// A panel goes away with the last of what is taken out of it, and so does one that held only such panels; one that is named stays.
#[test]
fn a_panel_that_an_edit_empties_goes_away() {
    let catalogue = catalogue("5.2");
    let page = r#"
def boxes(geometry: Geometry, size: Float = 1.0, smoke: Bool = False, speed: Float = 1.0, bare: Float = 1.0) -> Geometry:
    panel("Shape", size)
    panel("Smoke", smoke, panel("Inner", speed))
    panel("Empty")
    box = cube(size=(size, speed, bare))
    moved = set_position(geometry, selection=smoke)
    return join_geometry(moved, box)

apply("Boxes", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let panels = |file: &Document| -> Vec<String> {
        let items = file.trees["Boxes"].interface.iter();
        let panels = items.filter(|item| item.kind == geonode_graph::ir::ItemKind::Panel);
        panels.map(|item| item.name.clone()).collect()
    };
    assert_eq!(panels(&file), ["Shape", "Smoke", "Inner", "Empty"]);
    let edit = |lines: &str| format!("with edit(\"Boxes\"):\n    {lines}\n");
    for (lines, wanted) in [
        ("del smoke", &["Shape", "Smoke", "Inner", "Empty"][..]),
        ("del speed", &["Shape", "Smoke", "Empty"]),
        ("del smoke, speed", &["Shape", "Empty"]),
        ("del smoke, speed\n    panel(\"Smoke\")", &["Shape", "Smoke", "Empty"]),
        ("panel(None, size)", &["Smoke", "Inner", "Empty"]),
        ("panel(\"Form\", size)", &["Smoke", "Inner", "Empty", "Form"]),
    ] {
        let changed = after(&edit(lines), &file, &catalogue);
        let mut found = panels(&changed);
        found.sort();
        let mut wanted: Vec<&str> = wanted.to_vec();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{lines}");
        let (_, findings, _) = compiled(&edit(lines), &file, &catalogue);
        let told = findings
            .iter()
            .filter(|finding| finding.message.contains("goes away"))
            .count();
        assert_eq!(
            told,
            4 + usize::from(lines.contains("Form")) - wanted.len(),
            "{lines}: {findings:?}"
        );
    }
}

/// What is refused says what there is.
#[test]
fn refused_words_name_what_there_is() {
    let catalogue = catalogue("5.2");
    let file = file(&catalogue);
    for (lines, message, fix) in [
        (
            "ramp = color_ramp(items=[1, 2])",
            "has no input or property “items”",
            "props={\"color_ramp.elements\": [{\"position\": 0.0, \"color\": (0.0, 0.0, 0.0, 1.0)}, …]}",
        ),
        (
            "joined = join_strings(strings=[\"Frame\", \"2\"])",
            "names links only",
            "string(string=",
        ),
        (
            "shape = panel(\"Shape\", size)",
            "panel(…) makes no node",
            "without a name",
        ),
        (
            "with for_each(box, items={\"A\": 1.0}) as (each_in, each_out):\n        pass",
            "are of several kinds",
            "input_items",
        ),
    ] {
        let (_, findings, _) = compiled(&format!("with edit(\"Boxes\"):\n    {lines}\n"), &file, &catalogue);
        let errors: Vec<_> = findings
            .iter()
            .filter(|finding| finding.severity == geonode_protocol::Severity::Error)
            .collect();
        let [only] = errors.as_slice() else {
            panic!("{lines}: {errors:?}")
        };
        assert!(only.message.contains(message), "{lines}: {only:?}");
        let hint = only.hint.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(hint.contains(fix), "{lines}: {hint}");
    }
}

/// Groups that use the next one twice lead to one menu on very many ways.
#[test]
fn a_menu_behind_many_groups_is_found_once() {
    let catalogue = catalogue("5.2");
    let first = "def deep0(kind: Menu = \"A\") -> Geometry:\n    return menu_switch(menu=kind, data_type=\"GEOMETRY\", items={\"A\": cube().mesh, \"B\": grid().mesh})\n";
    let others = (1..16).map(|level| {
        let inner = level - 1;
        format!(
            "\ndef deep{level}(kind: Menu = \"B\") -> Geometry:\n    a = deep{inner}(kind=kind)\n    b = deep{inner}(kind=kind)\n    return join_geometry(a, b)\n"
        )
    });
    let mut page: String = std::iter::once(first.to_owned()).chain(others).collect();
    page += "\napply(\"Deep15\", object=\"Plane\")\n";
    let file = after(&page, &empty_file(), &catalogue);
    let kind = &file.trees["Deep15"].interface;
    assert!(
        kind.iter()
            .any(|item| item.props.get("default_value").is_some_and(|value| value == "B"))
    );
}

pub(crate) const ROCKS: &str = r#"
def landscape(geometry: Geometry, hill_height: Distance = 0.3, hill_scale: Float = 2.0, count: Int = 9) -> Geometry:
    limits(hill_height, min=0.0, max=4.0, description="How high")
    noise = noise_texture(scale=hill_scale)
    hills = set_position(geometry, offset=combine_xyz(z=noise * hill_height))
    rock = ico_sphere(radius=0.25)
    rough = set_position(rock.mesh, offset=random_value(data_type="FLOAT_VECTOR", min=(-0.1, -0.1, -0.1), max=(0.1, 0.1, 0.1)))
    points = distribute_points_on_faces(hills, density=count)
    jitter = size_jitter(factor=0.5)
    rocks = instance_on_points(points, instance=rough, scale=jitter)
    return join_geometry(hills, rocks)

def size_jitter(factor: Float = 0.5, seed: Int = 0) -> {"Scale": Float}:
    amount = random_value(data_type="FLOAT", max=factor, seed=seed)
    return {"Scale": amount}

apply("Landscape", object="Plane")
"#;

pub(crate) fn node<'t>(file: &'t Document, tree: &str, id: &str) -> &'t geonode_graph::ir::Node {
    let found = file.trees[tree].nodes.iter().find(|node| node.id == id);
    found.unwrap_or_else(|| panic!("{tree}: no {id} in {:?}", ids(&file.trees[tree])))
}

pub(crate) fn inputs(file: &Document, tree: &str) -> Vec<String> {
    let items = file.trees[tree].interface.iter();
    let inputs = items.filter(|item| item.is_socket(geonode_graph::ir::Side::Input));
    inputs.map(|item| item.name.clone()).collect()
}

/// An edit of a group inside and of what is around it stand on one page, in any order.
#[test]
fn a_new_input_of_a_group_inside_is_used_on_the_same_page() {
    let catalogue = catalogue("5.2");
    let file = after(ROCKS, &empty_file(), &catalogue);
    let inside = "with edit(\"Size Jitter\"):\n    max_size: Float = 1.3\n    amount.max = max_size\n";
    let around = "with edit(\"Landscape\"):\n    biggest_rock: Float = 1.5\n    jitter.max_size = biggest_rock\n";
    for page in [format!("{inside}\n{around}"), format!("{around}\n{inside}")] {
        let edited = after(&page, &file, &catalogue);
        assert_eq!(inputs(&edited, "Size Jitter"), ["Factor", "Seed", "Max Size"]);
        let max = edited.trees["Size Jitter"]
            .interface
            .iter()
            .find(|item| item.name == "Max Size")
            .unwrap();
        let links = &edited.trees["Landscape"].links;
        assert!(
            links
                .iter()
                .any(|link| link.to == ("jitter".to_owned(), max.identifier.clone())),
            "{links:?}"
        );
        let again = after(&page, &edited, &catalogue);
        assert_eq!(again.trees, edited.trees);
    }
    // Also through a group between them, which the page does not name.
    let deep = ROCKS.replace("size_jitter(factor=0.5)", "between(factor=0.5)")
        + "\ndef between(factor: Float = 0.5) -> {\"Scale\": Float}:\n    return {\"Scale\": size_jitter(factor=factor).scale}\n";
    let deep = after(&deep, &empty_file(), &catalogue);
    let page = format!(
        "with edit(\"Landscape\"):\n    other = size_jitter(max_size=2.0)\n    rocks.scale = other\n\n{inside}"
    );
    let edited = after(&page, &deep, &catalogue);
    assert_eq!(inputs(&edited, "Size Jitter").len(), 3);
}

/// What a page gathers into a group it may use and change, on the same page.
#[test]
fn a_gathered_group_is_used_on_the_same_page() {
    let catalogue = catalogue("5.2");
    let file = after(ROCKS, &empty_file(), &catalogue);
    let pages = [
        "with edit(\"Landscape\"):\n    rough_rock = gather(\"Rough Rock\", rock, rough)\n\nwith edit(\"Rough Rock\"):\n    size: Distance = 0.25\n    rock.radius = size\n",
        "with edit(\"Rough Rock\"):\n    size: Distance = 0.25\n    rock.radius = size\n\nwith edit(\"Landscape\"):\n    rough_rock = gather(\"Rough Rock\", rock, rough)\n",
        "with edit(\"Landscape\"):\n    rock_size: Distance = 0.4\n    rough_rock = gather(\"Rough Rock\", rock, rough)\n    rough_rock.size = rock_size\n    label(rough_rock, \"Rocks\")\n    cleanup()\n\nwith edit(\"Rough Rock\"):\n    size: Distance = 0.25\n    rock.radius = size\n",
    ];
    for page in pages {
        let edited = after(page, &file, &catalogue);
        assert!(inputs(&edited, "Rough Rock").contains(&"Size".to_owned()), "{page}");
        assert_eq!(node(&edited, "Landscape", "rough_rock").group(), Some("Rough Rock"));
        let into: Vec<&str> = edited.trees["Rough Rock"]
            .links
            .iter()
            .filter(|link| link.to.0 == "rock")
            .map(|link| link.to.1.as_str())
            .collect();
        assert_eq!(into, ["Radius"], "{page}");
        if page.contains("rock_size") {
            let links = &edited.trees["Landscape"].links;
            assert!(links.iter().any(|link| link.to.0 == "rough_rock"), "{links:?}");
            assert_eq!(node(&edited, "Landscape", "rough_rock").label.as_deref(), Some("Rocks"));
        }
        let again = after(page, &edited, &catalogue);
        assert_eq!(again.trees, edited.trees, "{page}");
    }
    // A node that the page makes and gathers is made once.
    let made = "with edit(\"Landscape\"):\n    ball = uv_sphere()\n    points.seed = 4\n    rocks.instance = ball\n    part = gather(\"Part\", ball, rocks)\n    part.seed = 3\n";
    let found = errors(made, &file, &catalogue);
    let [(Code::UnknownSocket, message)] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert!(
        message.starts_with("line 6, column 17: “part” (Group) has no input or property “seed”"),
        "{message}"
    );
    let made = made.replace("    part.seed = 3\n", "    label(part, \"Part\")\n");
    let edited = after(&made, &file, &catalogue);
    assert!(
        !ids(&edited.trees["Landscape"]).contains(&"ball"),
        "{:?}",
        ids(&edited.trees["Landscape"])
    );
    // What cannot be gathered is told alone.
    let found = errors(
        "with edit(\"Landscape\"):\n    part = gather(\"Part\", noise, rocks)\n    part.scale = 3.0\n\nwith edit(\"Part\"):\n    rocks.scale = 2.0\n",
        &file,
        &catalogue,
    );
    assert!(matches!(found.as_slice(), [(Code::Cycle, _)]), "{found:?}");
    // What ungroup(…) sets free is named on the same page, too.
    let free = "with edit(\"Landscape\"):\n    ungroup(jitter)\n    amount.seed = 5\n";
    let edited = after(free, &file, &catalogue);
    assert_eq!(node(&edited, "Landscape", "amount").inputs["Seed"]["value"], 5);
}

/// Inputs of a gathered group are those of the group that feed them.
#[test]
fn inputs_of_a_gathered_group_keep_names_and_values() {
    let catalogue = catalogue("5.2");
    let file = after(ROCKS, &empty_file(), &catalogue);
    let edited = after(
        "with edit(\"Landscape\"):\n    hills_only = gather(\"Hills\", noise, hills, combine_xyz, math)\n"
            .replace("combine_xyz, math", "hills_offset, hills_offset_z")
            .as_str(),
        &file,
        &catalogue,
    );
    let hills = &edited.trees["Hills"];
    assert_eq!(inputs(&edited, "Hills"), ["Geometry", "Hill Scale", "Hill Height"]);
    let height = hills.interface.iter().find(|item| item.name == "Hill Height").unwrap();
    assert_eq!(height.props["default_value"], 0.3);
    assert_eq!(height.props["max_value"], 4.0);
    assert_eq!(height.props["subtype"], "DISTANCE");
    assert_eq!(height.props["description"], "How high");
    // Others have the value that the socket has behind the link.
    let page = "with edit(\"Landscape\"):\n    part = gather(\"Part\", rocks)\n\nwith edit(\"Part\"):\n    limits(scale, name=\"Rock Size\")\n";
    let edited = after(page, &file, &catalogue);
    let part = &edited.trees["Part"];
    assert_eq!(inputs(&edited, "Part"), ["Points", "Instance", "Rock Size"]);
    let size = part.interface.iter().find(|item| item.name == "Rock Size").unwrap();
    assert_eq!(size.props["default_value"], serde_json::json!([1.0, 1.0, 1.0]));
}

/// A panel has a switch in its header: the first input in it.
#[test]
fn a_panel_has_a_toggle() {
    let catalogue = catalogue("5.2");
    let page = ROCKS
        .replace("count: Int = 9)", "count: Int = 9, show: Bool = True)")
        .replace(
            "    noise =",
            "    panel(\"Rocks\", count, hill_scale, toggle=show)\n    noise =",
        )
        .replace(
            "geometry: Geometry, hill",
            "geometry: Geometry, other: Bool = False, hill",
        );
    let file = after(&page, &empty_file(), &catalogue);
    let shown = |file: &Document| -> Vec<(String, bool)> {
        let tree = &file.trees["Landscape"];
        let panel = tree.interface.iter().find(|item| item.name == "Rocks").unwrap();
        let inside = tree
            .interface
            .iter()
            .filter(|item| item.parent.as_ref() == Some(&panel.identifier));
        inside
            .map(|item| {
                (
                    item.name.clone(),
                    item.props.get("is_panel_toggle") == Some(&true.into()),
                )
            })
            .collect()
    };
    let with = |first: &str| {
        vec![
            (first.to_owned(), true),
            ("Hill Scale".to_owned(), false),
            ("Count".to_owned(), false),
        ]
    };
    assert_eq!(shown(&file), with("Rocks"));
    let text = crate::round_trip::written(&file, "Landscape", &catalogue);
    assert!(
        text.contains("panel(\"Rocks\", hill_scale, count, toggle=rocks)"),
        "{text}"
    );
    assert!(!text.contains("is_panel_toggle"), "{text}");
    // Blender calls a toggle as its panel: the page, told again, means it by the word that it has there.
    let again = after(&page, &file, &catalogue);
    assert_eq!(again.trees, file.trees);
    let edit = |line: &str| format!("with edit(\"Landscape\"):\n    {line}\n");
    // Another one, none, and a new panel around what is there.
    let other = after(&edit("panel(\"Rocks\", toggle=other)"), &file, &catalogue);
    assert_eq!(shown(&other)[0], ("Rocks".to_owned(), true));
    assert_eq!(
        shown(&other).iter().filter(|(_, toggles)| *toggles).count(),
        1,
        "{:?}",
        shown(&other)
    );
    let none = after(&edit("panel(\"Rocks\", toggle=None)"), &file, &catalogue);
    assert!(shown(&none).iter().all(|(_, toggles)| !toggles), "{:?}", shown(&none));
    let plain = after(ROCKS, &empty_file(), &catalogue);
    let new = after(
        &edit("show: Bool = True\n    panel(\"Rocks\", hill_scale, count, toggle=show)"),
        &plain,
        &catalogue,
    );
    assert_eq!(shown(&new), with("Rocks"));
    let again = after(
        &edit("show: Bool = True\n    panel(\"Rocks\", hill_scale, count, toggle=show)"),
        &new,
        &catalogue,
    );
    assert_eq!(again.trees, new.trees);
    for (line, code) in [
        ("panel(\"Rocks\", toggle=count)", Code::SocketTypeMismatch),
        ("panel(\"Rocks\", toggle=True)", Code::TextForm),
        ("panel(\"Rocks\", toggle=shown)", Code::UnknownInput),
    ] {
        let found = errors(&edit(line), &file, &catalogue);
        assert!(
            matches!(found.as_slice(), [(known, _)] if *known == code),
            "{line}: {found:?}"
        );
    }
}

/// A line that changes nothing is said: what was meant is perhaps not there.
#[test]
fn lines_that_change_nothing_are_said() {
    let catalogue = catalogue("5.2");
    let file = after(ROCKS, &empty_file(), &catalogue);
    let told = |lines: &[&str]| -> Vec<(bool, String)> {
        let page = format!("with edit(\"Landscape\"):\n    {}\n", lines.join("\n    "));
        let (_, findings, _) = compiled(&page, &file, &catalogue);
        let idle = findings
            .into_iter()
            .filter(|finding| finding.code == Code::NothingToChange);
        idle.map(|finding| (finding.severity == geonode_protocol::Severity::Warning, finding.message))
            .collect()
    };
    let idle = [
        "count: Int = 9",
        "hill_height: Distance",
        "rock.radius = 0.25",
        "rocks.instance = rough",
        "rock = ico_sphere(radius=0.25)",
        "limits(hill_height, max=4.0)",
        "order(hill_height)",
        "hills.offset = [hills_offset]",
    ];
    for line in idle {
        let found = told(&[line]);
        assert!(
            matches!(found.as_slice(), [(true, message)] if message.contains("“Landscape” is as")),
            "{line}: {found:?}"
        );
        let found = told(&["points.seed = 3", line, "points.density = 4.0"]);
        assert!(
            matches!(found.as_slice(), [(false, message)] if message.contains("line 3, ")),
            "{line}: {found:?}"
        );
    }
    let several = told(&["points.seed = 3", idle[0], idle[2], "points.density = 4.0", idle[3]]);
    assert!(several[0].1.ends_with("lines 4, 6."), "{several:?}");
    for line in [
        "count: Int = 8",
        "rock.radius = 0.3",
        "rocks.instance = rock",
        "rock = ico_sphere(radius=0.3)",
        "limits(hill_height, max=5.0)",
        "order(count)",
        "part = gather(\"Part\", rock)",
        "cleanup()",
        "frame(\"Hills\", hills, noise)",
        "label(rock, \"Rock\")",
        "del jitter",
        "tinted = set_material(hills, material=data.material(\"Gold\", color=(1, 1, 0)))",
        "moved = insert(link=(rock.mesh, rough.geometry), node=set_position())",
    ] {
        assert_eq!(told(&[line]), [], "{line}");
    }
    assert_eq!(
        told(&[
            "late = ico_sphere(radius=rock_size)",
            "rock_size = hill_height * 2.0",
            "rocks.instance = late"
        ]),
        []
    );
}

#[test]
fn a_panel_in_a_panel_may_take_over_inputs_of_the_outer_one() {
    let catalogue = catalogue("5.2");
    let page = r#"
def shelf(depth: Float = 1.0, show: Bool = True, style: Int = 0, fill: Float = 1.0, seed: Int = 0) -> Geometry:
    panel("Books", show, style, fill, seed)
    box = cube(size=(depth, fill, style))
    return set_position(box, selection=show, offset=random_value(data_type="FLOAT_VECTOR", seed=seed))

apply("Shelf", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    for line in [
        "panel(\"Books\", panel(\"Advanced\", fill, seed, default_closed=True))",
        "panel(\"Books\", panel(\"Advanced\", style, seed))",
        "panel(\"Books\", show, style, panel(\"Advanced\", fill, seed, default_closed=True))",
        "panel(\"Books\", panel(\"Advanced\", show))",
        "panel(\"Advanced\", show)",
    ] {
        let changed = after(&format!("with edit(\"Shelf\"):\n    {line}\n"), &file, &catalogue);
        let items = &changed.trees["Shelf"].interface;
        assert_eq!(items.len(), file.trees["Shelf"].interface.len() + 1, "{line}");
        let inner = items.iter().find(|item| item.name == "Advanced").unwrap();
        assert!(
            items.iter().any(|item| item.parent.as_ref() == Some(&inner.identifier)),
            "{line}"
        );
    }
}

/// What an input fed that an edit removes falls back to its own value: that is said, unless the page gives it another.
#[test]
fn what_a_removed_input_fed_is_said() {
    let catalogue = catalogue("5.2");
    let page = r#"
def shelf(depth: Float = 1.0, wide: Float = 2.0) -> Geometry:
    box = cube(size=(wide, depth, 1.0))
    return set_position(box, offset=(0.0, 0.0, depth))

apply("Shelf", object="Plane")
"#;
    let file = after(page, &empty_file(), &catalogue);
    let said = |lines: &str| -> Vec<String> {
        let (_, findings, _) = compiled(&format!("with edit(\"Shelf\"):\n    {lines}\n"), &file, &catalogue);
        let dropped = findings.into_iter().filter(|finding| finding.code == Code::LinkDropped);
        dropped.map(|finding| finding.message).collect()
    };
    let both = said("del depth");
    assert!(
        matches!(both.as_slice(), [one] if one.contains("“Depth” fed") && one.matches("Combine XYZ").count() == 2),
        "{both:?}"
    );
    assert!(
        said("del depth, set_position")
            .iter()
            .all(|one| one.matches("Combine XYZ").count() <= 2)
    );
    let (changed, ..) = compiled("with edit(\"Shelf\"):\n    wide: Float = 3.0\n", &file, &catalogue);
    assert_eq!(changed.trees["Shelf"].links.len(), file.trees["Shelf"].links.len());
}
