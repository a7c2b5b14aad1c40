//! All that is wrong with a plan's pages is told at once, and nothing of lines that are right.

use geonode_graph::{Catalogue, Document};
use geonode_protocol::{Action, Code, Finding, Plan, Step, TreeText};
use geonode_text::{expand, page_plan};

use crate::catalogue;
use crate::pages::{after, compiled, empty_file};

const ROCKS: &str = r#"def rocks(geometry: Geometry, count: Int = 10, size: Float = 0.2, kind: Menu = "Rock") -> Geometry:
    limits(count, min=0, max=1000)
    panel("Shape", size, kind)
    area = attribute_statistic(geometry, domain="FACE", attribute=face_area().area)
    points = distribute_points_on_faces(geometry, density=count / area.sum)
    shape = menu_switch(menu=kind, data_type="GEOMETRY", items={"Rock": ico_sphere(radius=size), "Cube": cube(size=size)})
    placed = instance_on_points(points, instance=shape, rotation=points.rotation)
    kept = capture_attribute(placed, domain="INSTANCE", items={"Height": Float(position().z)})
    lift = kept.height * 0.5
    with repeat(iterations=3, items={"Geometry": Geometry(kept), "Lift": Float(lift)}) as (grow_in, grow_out):
        grow_out.geometry = translate_instances(grow_in.geometry, translation=(0, 0, grow_in.lift))
        grow_out.lift = grow_in.lift * 0.5
    inner = leaf(size=size)
    tinted = set_material(grow_out.geometry, material=data.material("Snow"))
    frame("Growth", grow_in, grow_out)
    all = join_geometry(geometry, tinted, inner)
    return all

def leaf(size: Float = 1.0) -> {"Mesh": Geometry, "Area": Float}:
    flat = grid(size_x=size, size_y=size)
    return {"Mesh": flat.mesh, "Area": size * size}

apply("Rocks", object="Plane", inputs={"count": 25})
"#;

/// What is told about the pages of a plan, one after the other.
fn told(pages: &[&str], document: &Document, catalogue: &Catalogue) -> Vec<(Code, String)> {
    let mut plan: Plan = page_plan("");
    plan.steps = pages
        .iter()
        .enumerate()
        .map(|(number, page)| Step {
            id: format!("s{number}"),
            description: String::new(),
            requires_approval: false,
            action: Action::TreeText(TreeText {
                text: (*page).to_owned(),
            }),
        })
        .collect();
    let expanded = expand(&plan, document, catalogue, None, 10_000).unwrap();
    let all = expanded.findings.into_iter().chain(expanded.further);
    let errors = all.filter(Finding::is_error);
    errors.map(|finding| (finding.code, finding.message)).collect()
}

fn line_of(message: &str) -> Option<usize> {
    message.strip_prefix("line ")?.split(',').next()?.parse().ok()
}

#[test]
fn a_refused_line_is_the_only_one_that_is_told_of() {
    let catalogue = catalogue("5.2");
    assert!(told(&[ROCKS], &empty_file(), &catalogue).is_empty());
    let file = after(ROCKS, &empty_file(), &catalogue);
    // Groups of the file are called by their words.
    let body: Vec<&str> = ROCKS.lines().skip(1).take(15).collect();
    let edit = format!("with edit(\"Rocks\"):\n{}\n", body.join("\n"));
    assert_eq!(told(&[&edit], &file, &catalogue), []);
    let mut broken = 0;
    let mut wrong = Vec::new();
    for (page, file) in [(ROCKS, &empty_file()), (edit.as_str(), &file)] {
        for (number, line) in page.lines().enumerate() {
            let ways: [(&str, Option<String>); 6] = [
                (
                    "a word",
                    line.find("= ")
                        .map(|at| format!("{}= no_such_{}", &line[..at], &line[at + 2..])),
                ),
                ("a type", Some(line.replace("Float", "Flaot")).filter(|new| new != line)),
                (
                    "a mode",
                    Some(line.replace("domain=\"", "domain=\"X")).filter(|new| new != line),
                ),
                (
                    "a mark",
                    line.find(" = ")
                        .map(|at| format!("{} = = {}", &line[..at], &line[at + 3..])),
                ),
                (
                    "quotes",
                    Some(line.replacen('"', "“", 1)).filter(|new| new != line && line.starts_with(' ')),
                ),
                ("open", line.strip_suffix(')').map(str::to_owned)),
            ];
            for (way, new) in ways {
                let Some(new) = new.filter(|_| !line.trim_end().ends_with(':') || way == "a type") else {
                    continue;
                };
                let text: Vec<&str> = page
                    .lines()
                    .enumerate()
                    .map(|(at, line)| if at == number { new.as_str() } else { line })
                    .collect();
                let found = told(&[&(text.join("\n") + "\n")], file, &catalogue);
                broken += 1;
                let elsewhere = found.iter().any(|(_, message)| line_of(message) != Some(number + 1));
                if found.is_empty() || elsewhere {
                    wrong.push(format!("{way} in line {}: {new}\n{found:#?}", number + 1));
                }
            }
        }
    }
    assert!(broken > 60, "{broken}");
    assert!(wrong.is_empty(), "{} of {broken}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn faults_of_every_stage_are_told_at_once() {
    let catalogue = catalogue("5.2");
    let file = empty_file();
    let page = ROCKS
        .replace("    lift = kept.height * 0.5", "    lift = kept.height * = 0.5")
        .replace("size_x=size", "sise_x=size")
        .replace("\"Snow\"", "\"Moss\"")
        .replace("instance_on_points", "instances_on_points")
        .replace("object=\"Plane\"", "object=\"Plain\"");
    let found = told(&[&page], &file, &catalogue);
    let has = |code: Code, line: usize| {
        let mut all = found.iter();
        all.any(|(known, message)| *known == code && line_of(message) == Some(line))
    };
    assert!(has(Code::TextSyntax, 9), "{found:#?}");
    assert!(has(Code::UnknownNodeType, 7), "{found:#?}");
    assert!(has(Code::UnknownSocket, 20), "{found:#?}");
    assert!(has(Code::UnknownDataBlock, 14), "{found:#?}");
    assert!(has(Code::UnknownObject, 23), "{found:#?}");
    assert_eq!(found.len(), 5, "{found:#?}");
}

/// What a refused page makes is open for the pages after it; what is wrong with these otherwise is told.
#[test]
fn pages_after_a_refused_one_are_judged_by_what_is_known() {
    let catalogue = catalogue("5.2");
    let first = ROCKS.replace("    inner = leaf", "    inner = leafs");
    let second = "with edit(\"Rocks\"):\n    inner.size = 3.0\n    points.seed = 4\n    points.radius = hill\n";
    let third =
        "def box() -> Geometry:\n    return cube(sise=2.0)\n\napply(\"Box\", object=\"Plane\", modifier=\"Other\")\n";
    let found = told(&[&first, second, third], &empty_file(), &catalogue);
    let codes: Vec<Code> = found.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Code::UnknownNodeType, Code::UnknownSocket], "{found:#?}");
    // Steps that are right are judged with a page that is not.
    let right = ROCKS.replace("\"Snow\"", "\"Moss\"");
    let found = told(
        &[&right, "with edit(\"Leaf\"):\n    flat.sise_y = 2.0\n"],
        &empty_file(),
        &catalogue,
    );
    let codes: Vec<Code> = found.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Code::UnknownSocket, Code::UnknownDataBlock], "{found:#?}");
}

/// A hint names every input that may be meant: the first of several leads astray.
/// An input whose range or value is refused is there for what uses it.
#[test]
fn a_refused_value_of_an_input_is_told_of_alone() {
    let catalogue = catalogue("5.2");
    for (from, to, code) in [
        ("count: Int = 10", "count: Int = 9999", Code::OutOfRange),
        ("min=0, max=1000", "min=0.5, max=1000", Code::WrongType),
        (
            "limits(count, min=0",
            "limits(size, subtype=\"ROUND\")\n    limits(count, min=0",
            Code::InvalidEnum,
        ),
    ] {
        let (_, findings, _) = compiled(&ROCKS.replace(from, to), &empty_file(), &catalogue);
        let found: Vec<Finding> = findings.into_iter().filter(Finding::is_error).collect();
        assert!(
            matches!(found.as_slice(), [only] if only.code == code),
            "{to}: {found:?}"
        );
    }
}

#[test]
fn hints_name_all_that_is_equally_near() {
    let catalogue = catalogue("5.2");
    let page = "def a() -> Geometry:\n    return cone(radius=2.0).mesh\n\napply(\"A\", object=\"Plane\")\n";
    let expanded = expand(&page_plan(page), &empty_file(), &catalogue, None, 10_000).unwrap();
    let [finding] = expanded.findings.as_slice() else {
        panic!("{:?}", expanded.findings)
    };
    let hint = serde_json::to_string(&finding.hint).unwrap();
    assert!(hint.contains("“radius_top” or “radius_bottom”?"), "{hint}");
}

/// A call under another name gets the one that is meant, whatever stands between its words.
#[test]
fn calls_under_other_names_are_found() {
    let catalogue = catalogue("5.2");
    let names = geonode_text::Names::new(&catalogue);
    for (call, meant) in [
        ("realize_geometry", "realize_instances"),
        ("scatter_points_on_faces", "distribute_points_on_faces"),
        ("text_to_curves", "string_to_curves"),
        ("boolean_mesh", "mesh_boolean"),
        ("combine_rgb", "combine_color"),
        ("mesh_plane", "grid"),
        ("combine_vector", "combine_xyz"),
        ("sphere", "uv_sphere"),
        ("set_positon", "set_position"),
        ("instance_on_point", "instance_on_points"),
        ("join_meshes", "join_geometry"),
    ] {
        let near = names.near_calls(call);
        assert!(
            near.first() == Some(&meant) || call == "join_meshes" && near.contains(&meant),
            "{call}: {near:?}"
        );
    }
}
