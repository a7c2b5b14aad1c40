//! What exists is taught, and what is taught is true: the words of the form, step types and slices, compared with the instructions,
//! whose pages are read and compiled.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking, in its helpers too"
)]

use std::collections::BTreeSet;

use geonode_graph::documents::{Object, TreeInfo};
use geonode_graph::{Catalogue, Document, compile_exactly};
use geonode_prompting::prompt;
use geonode_protocol::{Finding, schema};
use geonode_text::names::{FORM_CALLS, FORM_VALUES, write_type};
use geonode_text::{expand, page_plan};
use serde_json::Value;

/// What exists and is not taught yet. Nothing is added here.
const GAPS: &[&str] = &[];

/// Words of the form that no plan needs: places and looks, as people keep them.
const OF_FULL_PAGES: [&str; 1] = ["node"];

/// Types of sockets that no input of a modifier has.
const OF_NODES: [&str; 2] = ["Shader", "Virtual"];

/// The instructions with everything that a run can add to them.
fn instructions() -> String {
    [
        "system", "page", "pages", "rules", "python", "requests", "tools", "trees",
    ]
    .map(|name| prompt(name).unwrap())
    .concat()
}

/// The section below a heading, to the next one.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("\n# {heading}\n"))?;
    Some(rest.split_once("\n# ").map_or(rest, |(section, _)| section))
}

/// Every name in backticks.
fn names(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .flat_map(|code| code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter(|name| !name.is_empty())
        .collect()
}

/// The constants of one field over the choices of a definition, such as the names of operations.
fn choices(definition: &str, field: &str) -> Vec<String> {
    let plan = schema("plan").unwrap();
    let choices = plan["$defs"][definition]["oneOf"].as_array().unwrap();
    let name = |choice: &Value| match field {
        "" => choice["const"].as_str().map(str::to_owned),
        field => choice["properties"][field]["const"].as_str().map(str::to_owned),
    };
    let found: Vec<String> = choices.iter().map(|choice| name(choice).unwrap()).collect();
    assert!(found.len() > 2, "{definition}: {found:?}");
    found
}

fn catalogue(version: &str) -> Catalogue {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../addon/geonode_assistant/data/catalogue"
    );
    Catalogue::from_json(&std::fs::read_to_string(format!("{folder}/{version}.json")).unwrap()).unwrap()
}

#[test]
fn everything_that_exists_is_in_the_instructions() {
    let text = instructions();
    let mut missing = Vec::new();
    let mut examined = 0;
    let mut compare = |what: &str, exist: Vec<String>, taught: &BTreeSet<&str>| {
        examined += exist.len();
        missing.extend(
            exist
                .iter()
                .filter(|name| !taught.contains(name.as_str()))
                .map(|name| format!("{what} {name}")),
        );
    };
    let taught = names(section(&text, "NODE_TREE").unwrap());
    let words = FORM_CALLS.iter().chain(FORM_VALUES);
    let words = words.filter(|word| !OF_FULL_PAGES.contains(word));
    compare("word", words.map(|word| (*word).to_owned()).collect(), &taught);
    let catalogue = catalogue("5.2");
    let types = catalogue.sockets.keys().filter_map(|kind| write_type(kind, None));
    let types = types.filter(|name| !OF_NODES.contains(&name.as_str()));
    compare("type", types.collect(), &taught);
    compare("component", choices("Component", ""), &taught);
    compare("extent", choices("Extent", ""), &taught);
    compare(
        "slice",
        choices("ContextSlice", ""),
        &names(section(&text, "More context").unwrap()),
    );
    let steps: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    // A page says what these do; a step that is only read for ever is not taught.
    let types = choices("Step", "type").into_iter().filter(|kind| kind != "GN_OPS");
    compare("step type", types.collect(), &steps);
    assert!(examined > 60, "only {examined} names were examined");

    let (missing, gaps): (BTreeSet<&str>, BTreeSet<&str>) = (
        missing.iter().map(String::as_str).collect(),
        GAPS.iter().copied().collect(),
    );
    let untaught: Vec<&&str> = missing.difference(&gaps).collect();
    assert!(
        untaught.is_empty(),
        "exists and is not taught in prompts/: {untaught:?}"
    );
    let taught: Vec<&&str> = gaps.difference(&missing).collect();
    assert!(
        taught.is_empty(),
        "taught by now or gone; take it off the list of gaps: {taught:?}"
    );
}

/// A file with the objects and data-blocks that the instructions name.
fn file() -> Document {
    let mut document = Document::default();
    let mesh = || Object {
        kind: "MESH".to_owned(),
        ..Object::default()
    };
    for (kind, name) in [
        ("object", "Plane"),
        ("object", "Rock"),
        ("collection", "Trees"),
        ("image", "Bark"),
        ("material", "Snow"),
    ] {
        if kind == "object" {
            document.objects.insert(name.to_owned(), mesh());
        }
        let all = document.names.entry(kind.to_owned()).or_default();
        all.insert(name.to_owned());
    }
    document
}

/// What is wrong with pages, each for the file that the one before leaves.
fn faults(pages: &[&str], catalogue: &Catalogue) -> Vec<Finding> {
    let mut document = file();
    let mut faults = Vec::new();
    for page in pages {
        let expanded = expand(&page_plan(page), &document, catalogue, Some("Plane"), 10_000).unwrap();
        let made = compile_exactly(&expanded.plan, &document, catalogue, &expanded.exact);
        let traced = made.findings.into_iter().map(|finding| expanded.places.trace(finding));
        let all = expanded.findings.into_iter().chain(traced);
        faults.extend(all.filter(Finding::is_error));
        document = made.after;
        for name in document.trees.keys() {
            let info = TreeInfo {
                users: 1,
                kind: "GeometryNodeTree".to_owned(),
                ..TreeInfo::default()
            };
            document.tree_info.insert(name.clone(), info);
        }
    }
    faults
}

/// The pages between fences.
fn pages(text: &str) -> Vec<&str> {
    text.split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.strip_prefix("python\n"))
        .collect()
}

#[test]
fn every_page_in_the_instructions_is_read_and_compiled() {
    let mut examined = 0;
    for version in ["5.2", "5.0", "4.5", "4.2"] {
        let catalogue = catalogue(version);
        for name in ["pages", "small"] {
            let found = pages(prompt(name).unwrap());
            let [whole, edit] = found.as_slice() else {
                panic!("{name} has {} pages", found.len());
            };
            let faults = faults(&[whole, edit], &catalogue);
            assert!(faults.is_empty(), "{version}, {name}: {faults:#?}\n{whole}\n{edit}");
            examined += 2;
        }
    }
    assert_eq!(examined, 16, "both of two texts for four Blenders");
}

/// A group in which the pieces of code of the instructions stand, with the names that they use.
const GROUP: &str = r#"
def whole(geometry: Geometry, kind: Menu = "A", height: Float = 1.0, size: Distance = 1.0, shape: Bool = True) RETURNS:
    mesh = cube().mesh
    points = distribute_points_on_faces(mesh)
    leaves = leaf()
    olds = group("Old", size=2.0)
    v = position().position
    z = separate_xyz(v).z
    i = index().index
    growth = frame("Start", mesh)
    s = z > 0.5
    def blob(size: Float) -> {"Mesh": Geometry}:
        return cube(size=size)
    with repeat(iterations=3, items={"Geometry": Geometry(mesh)}) as (grow_in, grow_out):
        grow_out.geometry = grow_in.geometry
    a = value(value=0.5)
    b = value(value=0.25)
    STATEMENT
    GIVES

def leaf(size: Float = 0.1) -> Geometry:
    return cube(size=size).mesh

apply("Whole", APPLY)
"#;

/// A group that is there, and its edit.
const OLD: &str = r#"
def old(geometry: Geometry, tall: Float = 1.0, size: Distance = 1.0, count: Int = 3, shine: Float = 0.0) -> Geometry:
    panel("Look", shine)
    panel("Shape", tall)
    a = cube()
    x = transform_geometry(geometry)
    g = group("Part")
    b = set_position(x)
    growth = frame("Growth", b)
    return b

def part() -> Geometry:
    return cube()

apply("Old", object="Plane")
"#;
const EDIT: &str = "with edit(\"Old\"):\n    EDIT\n";

/// The page with a piece of code in one place of it.
fn around(place: &str, code: &str) -> String {
    if place == "EDIT" {
        return EDIT.replace("EDIT", code);
    }
    let (returns, gives) = match place {
        "RETURNS" => (code, "return {\"Curves\": mesh, \"Tip\": b.value}"),
        "GIVES" => ("-> {\"Curves\": Geometry, \"Tip\": Float}", code),
        _ => ("-> Geometry", "return mesh"),
    };
    GROUP
        .replace("RETURNS", returns)
        .replace("STATEMENT", if place == "STATEMENT" { code } else { "pass" })
        .replace("GIVES", gives)
        .replace("APPLY", if place == "APPLY" { code } else { "object=\"Plane\"" })
}

#[test]
fn every_piece_of_code_in_the_instructions_is_read_and_compiled() {
    let catalogue = catalogue("5.2");
    let faults = |place: &str, code: &str| faults(&[OLD, &around(place, code)], &catalogue);
    assert!(faults("", "").is_empty(), "{:#?}", faults("", ""));
    let (mut examined, mut unread) = (0, Vec::new());
    let text = [prompt("pages").unwrap(), prompt("small").unwrap()].concat();
    let prose: String = text.split("```").step_by(2).collect();
    for code in prose.split('`').skip(1).step_by(2) {
        // What is no code: names, operators, the plan around a page, and what stands for more.
        let is_code =
            code.contains(['(', '=']) && !code.contains("payload") && !code.starts_with('{') && code.len() > 6;
        if !is_code || code.ends_with('=') || code.starts_with('<') {
            continue;
        }
        // Several calls may stand in one piece.
        let pieces: Vec<&str> = if code.starts_with("abs") {
            code.split_inclusive(')').collect()
        } else {
            vec![code]
        };
        for code in pieces.into_iter().map(str::trim) {
            let bodies = [
                code.to_owned(),
                format!("made = {code}"),
                format!("made = set_position(mesh, {code})"),
                format!("made = set_position(mesh, offset={code})"),
                format!("made = menu_switch(menu=kind, {code})"),
                format!("{code}\n        pass"),
                format!("made = map_range(z, {code})"),
                format!("made = capture_attribute(mesh, items={{\"A\": {code}}})"),
                format!("made = menu_switch(menu=kind, data_type=\"FLOAT\", items={{\"A\": {code}}})"),
                format!("made = insert(link={code}, node=set_shade_smooth())"),
            ];
            let places = bodies
                .iter()
                .flat_map(|body| ["STATEMENT", "EDIT", "GIVES", "RETURNS", "APPLY"].map(|place| (place, body)));
            let read = places.into_iter().any(|(place, body)| faults(place, body).is_empty());
            if !read {
                let found =
                    ["STATEMENT", "EDIT"].map(|place| faults(place, code).first().map(|one| one.message.clone()));
                unread.push((code.to_owned(), found));
            }
            examined += 1;
        }
    }
    assert!(unread.is_empty(), "no page reads these: {unread:#?}");
    assert!(examined > 25, "{examined}");
}
