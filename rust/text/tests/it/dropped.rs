//! Nothing that a page says is dropped without a word, and what can mean only one thing is taken.

use geonode_graph::Catalogue;
use geonode_graph::ir::Tree;
use geonode_protocol::{Action, Code, Finding, NodeTreeOp};
use serde_json::json;

use crate::catalogue;
use crate::pages::{after, compiled, empty_file};

/// Two nodes with one statement between them.
const AROUND: &str = "def t(geometry: Geometry, size: Float = 1.0, kind: Menu = \"A\") -> Geometry:\n    \
                      a = cube()\n    b = set_position(geometry)\n    LINE\n    return join_geometry(a, b)\n\n\
                      apply(\"T\", object=\"Plane\")\n";

/// Errors about a page, and warnings that something is left as it is.
fn told(page: &str, version: &str) -> Vec<Finding> {
    let (_, findings, _) = compiled(page, &empty_file(), &catalogue(version));
    let is_told = |finding: &Finding| finding.is_error() || finding.code == Code::LeftUnchanged;
    findings.into_iter().filter(is_told).collect()
}

#[test]
fn what_no_word_takes_is_a_finding() {
    let lines = [
        "c = set_material(a, material=data.material(\"Red\", colour=(1, 0, 0, 1)))",
        "c = set_material(a, material=data.material(\"Red\", color=\"red\"))",
        "c = set_material(a, material=data.material(\"Red\", roughness=size))",
        "c = set_material(a, material=data.material(\"Red\", metallic=-1))",
        "c = set_material(a, material=data.material(\"Red\"))",
        "c = set_object(a, object=data.object(\"Rock\", color=(1, 0, 0)))",
        "c = set_material(a, material=data.material(\"Snow\", \"Ice\"))",
        "label(a, \"Box\", color=3)",
        "label(a, \"Box\", \"Cube\")",
        "mute(a, really=True)",
        "frame(\"Both\", a, b, title=\"X\")",
        "frame(\"Both\", a, \"Other\")",
        "frame(\"Both\", a, label=3)",
        "panel(\"Shape\", size, colour=\"red\")",
        "panel(\"Shape\", size, description=a)",
        "limits(size, minimum=0)",
        "limits(size, min=a)",
        "settings(\"Other\")",
        "settings(name=a)",
        "settings(is_toll=True)",
        "cleanup(a)",
        "group_input(a)",
        "c = capture_attribute(a, items={\"H\": Float(size, colour=1)})",
        "c = capture_attribute(a, items={\"H\": Float(size, 2.0)})",
        "c = capture_attribute(a, items={\"H\": Float(size, description=b)})",
        "c = set_position(a, label=3)",
        "c = set_position(a, strength=3)",
        "c = set_position(a, props={\"strength\": 3})",
        "c = cube(size=length(a=size))",
        "with repeat(iterations=3, items={\"Geometry\": Geometry(a)}, **b) as (g_in, g_out):\n        g_out.geometry = g_in.geometry",
        "def shape(radius: Float = 2.0) -> {\"Mesh\": Geometry}:\n        return cube(size=radius)",
        "return a",
        "c = length(2.0)",
        "c = dot(size, size)",
    ];
    for line in lines {
        for version in ["4.2", "5.2"] {
            if version == "4.2" && line.contains("def shape") {
                continue;
            }
            let found = told(&AROUND.replace("LINE", line), version);
            assert!(!found.is_empty(), "{version}: nothing is said about {line}");
            assert!(found.iter().all(|finding| finding.hint.is_some()), "{line}: {found:#?}");
            assert!(
                found.iter().all(|finding| finding.message.starts_with("line ")),
                "{line}: {found:#?}"
            );
        }
    }
    let pages = [
        "@marked\ndef t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\")\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\", single_user=1)\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\", place=1)\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=new())\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=new(3))\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=new(\"Box\", location=(0, 1)))\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=new(\"Box\", scale=2))\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\")\nexpect(\"Plane\", 8)\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\")\nexpect(\"Plane\", corners=8)\n",
        "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\")\nwith edit(\"T\", 2):\n    pass\n",
    ];
    for page in pages {
        let found = told(page, "5.2");
        assert!(found.iter().any(Finding::is_error), "nothing is said about {page}");
    }
}

fn tree(line: &str, version: &str) -> Tree {
    let file = after(&AROUND.replace("LINE", line), &empty_file(), &catalogue(version));
    file.trees["T"].clone()
}

/// Node types of a tree with their operations, without those around the line.
fn made(tree: &Tree, catalogue: &Catalogue) -> Vec<String> {
    let nodes = tree.nodes.iter().filter(|node| {
        let around = [
            "NodeGroupInput",
            "NodeGroupOutput",
            "GeometryNodeJoinGeometry",
            "GeometryNodeMeshCube",
        ];
        !around.contains(&node.kind.as_str()) && node.id != "b"
    });
    let mut all: Vec<String> = nodes
        .map(|node| {
            let usual = catalogue.nodes[&node.kind]
                .properties
                .get("operation")
                .map(|property| &property.default);
            let operation = node
                .props
                .get("operation")
                .or(usual)
                .and_then(serde_json::Value::as_str);
            format!(
                "{} {}",
                node.kind.trim_start_matches("ShaderNode"),
                operation.unwrap_or_default()
            )
            .trim()
            .to_owned()
        })
        .collect();
    all.sort();
    all
}

#[test]
fn terms_that_mean_one_thing_are_taken() {
    let cases: [(&str, &[&str]); 17] = [
        ("c = -size", &["Math MULTIPLY"]),
        (
            "c = position().position.z",
            &["GeometryNodeInputPosition", "SeparateXYZ"],
        ),
        (
            "c = (position() + (0, 0, 1)).x",
            &["GeometryNodeInputPosition", "SeparateXYZ", "VectorMath ADD"],
        ),
        (
            "c = length(position())",
            &["GeometryNodeInputPosition", "VectorMath LENGTH"],
        ),
        (
            "c = distance(position(), (0, 0, 1)) * 2.0",
            &["GeometryNodeInputPosition", "Math MULTIPLY", "VectorMath DISTANCE"],
        ),
        (
            "c = dot(normal(), (0, 0, 1)) > 0.5",
            &[
                "FunctionNodeCompare GREATER_THAN",
                "GeometryNodeInputNormal",
                "VectorMath DOT_PRODUCT",
            ],
        ),
        (
            "c = normalize(position()) * size",
            &["GeometryNodeInputPosition", "VectorMath NORMALIZE", "VectorMath SCALE"],
        ),
        (
            "c = cross(position(), normal())",
            &[
                "GeometryNodeInputNormal",
                "GeometryNodeInputPosition",
                "VectorMath CROSS_PRODUCT",
            ],
        ),
        (
            "c = size * position()",
            &["GeometryNodeInputPosition", "VectorMath SCALE"],
        ),
        (
            "c = position() + size",
            &["GeometryNodeInputPosition", "VectorMath ADD"],
        ),
        (
            "c = 1.0 / position()",
            &["GeometryNodeInputPosition", "VectorMath DIVIDE"],
        ),
        ("c = int(size)", &["Math TRUNC"]),
        (
            "c = float(index().index) / 2",
            &["GeometryNodeInputIndex", "Math DIVIDE"],
        ),
        (
            "c = 0 < size <= 2",
            &[
                "FunctionNodeBooleanMath AND",
                "FunctionNodeCompare GREATER_THAN",
                "FunctionNodeCompare LESS_EQUAL",
            ],
        ),
        (
            "c = size > 1 and not size > 2 or size < 0",
            &[
                "FunctionNodeBooleanMath AND",
                "FunctionNodeBooleanMath NOT",
                "FunctionNodeBooleanMath OR",
                "FunctionNodeCompare GREATER_THAN",
                "FunctionNodeCompare GREATER_THAN",
                "FunctionNodeCompare LESS_THAN",
            ],
        ),
        ("c = size * (2 * pi)", &["Math MULTIPLY"]),
        ("c = math.sin(size * tau)", &["Math MULTIPLY", "Math SINE"]),
    ];
    for version in ["4.2", "5.2"] {
        for (line, wanted) in cases {
            let found = made(&tree(line, version), &catalogue(version));
            if line.starts_with("c = 0 <") {
                assert_eq!(found.len(), wanted.len(), "{version}: {line}");
            } else {
                assert_eq!(found, *wanted, "{version}: {line}");
            }
        }
    }
}

#[test]
fn a_number_with_a_name_is_one_unless_the_page_or_the_file_gives_the_name_away() {
    let catalogue = catalogue("5.2");
    let page = "def t(turn: Angle = pi / 2, whole: Float = -tau) -> Geometry:\n    return cube(size=turn)\n\napply(\"T\", object=\"Plane\")\n";
    let file = after(page, &empty_file(), &catalogue);
    let defaults: Vec<f64> = file.trees["T"]
        .interface
        .iter()
        .filter_map(|item| item.props.get("default_value")?.as_f64())
        .collect();
    assert_eq!(defaults, [std::f64::consts::FRAC_PI_2, -std::f64::consts::TAU]);
    // Its own parameter, and in an edit the file's input.
    let own = "def t(pi: Float = 2.0) -> Geometry:\n    return cube(size=pi)\n\napply(\"T\", object=\"Plane\")\n";
    let file = after(own, &empty_file(), &catalogue);
    assert_eq!(file.trees["T"].links.len(), 2, "{:#?}", file.trees["T"].links);
    let edit = "with edit(\"T\"):\n    ball = ico_sphere(radius=pi)\n    return ball\n";
    let file = after(edit, &file, &catalogue);
    let fed = file.trees["T"]
        .links
        .iter()
        .filter(|link| link.to.0 == "ball" || link.from.0 == "ball");
    assert_eq!(fed.count(), 2, "{:#?}", file.trees["T"].links);
    // The end of a zone.
    let zone = "def t(geometry: Geometry) -> Geometry:\n    with repeat(iterations=2, items={\"Geometry\": Geometry(geometry)}) as (x, pi):\n        pi.geometry = x.geometry\n    return pi.geometry\n\napply(\"T\", object=\"Plane\")\n";
    after(zone, &empty_file(), &catalogue);
}

#[test]
fn a_group_without_geometry_is_no_forgotten_link() {
    let page = "def t() -> Geometry:\n    return cube(size=twice(x=2.0))\n\ndef twice(x: Float = 1.0) -> Float:\n    return x * 2.0\n\napply(\"T\", object=\"Plane\")\n";
    for version in ["4.2", "5.2"] {
        let (_, findings, _) = compiled(page, &empty_file(), &catalogue(version));
        let warned: Vec<&Finding> = findings
            .iter()
            .filter(|one| one.code == Code::UnlinkedGeometry)
            .collect();
        assert!(warned.is_empty(), "{version}: {warned:#?}");
    }
}

#[test]
fn a_page_makes_the_material_that_it_uses() {
    let page = "def t(metal: Material = None) -> Geometry:\n    gold = data.material(\"Gold\", color=(1.0, 0.7, 0.2), roughness=0.3, metallic=1)\n    \
                ball = set_material(ico_sphere().mesh, material=gold)\n    box = set_material(cube().mesh, material=data.material(\"Gold\"))\n    \
                return join_geometry(ball, box, set_material(cone(), material=metal))\n\n\
                apply(\"T\", object=\"Plane\", inputs={\"metal\": data.material(\"Lamp\", emission=(1, 0, 0), color=(0, 0, 0, 0.5))})\n";
    for version in ["4.2", "5.2"] {
        let catalogue = catalogue(version);
        let (file, findings, plan) = compiled(page, &empty_file(), &catalogue);
        let errors: Vec<&Finding> = findings.iter().filter(|finding| finding.is_error()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        assert!(file.names["material"].contains("Gold") && file.names["material"].contains("Lamp"));
        let Action::NodeTree(payload) = &plan.steps[0].action else {
            panic!("{plan:#?}");
        };
        let made: Vec<serde_json::Value> = payload.operations[..2]
            .iter()
            .map(|op| serde_json::to_value(op).unwrap())
            .collect();
        let lamp = json!({"op": "make_material", "name": "Lamp", "base_color": [0.0, 0.0, 0.0, 0.5], "alpha": 0.5,
            "emission_color": [1.0, 0.0, 0.0], "emission_strength": 1.0});
        let gold = json!({"op": "make_material", "name": "Gold", "base_color": [1.0, 0.7, 0.2], "roughness": 0.3, "metallic": 1.0});
        assert!(made.contains(&lamp) && made.contains(&gold), "{made:#?}");
        assert!(
            !payload.operations[2..]
                .iter()
                .any(|op| matches!(op, NodeTreeOp::MakeMaterial(_)))
        );
    }
    // Described twice, once otherwise.
    let twice = page.replace("data.material(\"Gold\"))", "data.material(\"Gold\", metallic=0))");
    let found = told(&twice, "5.2");
    assert_eq!(
        found.iter().map(|one| one.code).collect::<Vec<_>>(),
        [Code::DuplicateId],
        "{found:#?}"
    );
}

#[test]
fn sizes_and_places_are_expected_on_a_page() {
    let page = "def t() -> Geometry:\n    return cube()\n\napply(\"T\", object=\"Plane\")\nexpect(\"Plane\", size_z=(1.9, 2.1), vertices=8, low_z=0, high_x=(None, 2), size_y=-1.0)\n";
    let (_, findings, plan) = compiled(page, &empty_file(), &catalogue("5.2"));
    assert!(!findings.iter().any(Finding::is_error), "{findings:#?}");
    let wanted = json!([
        {"object_name": "Plane", "extent": "size_z", "min": 1.9, "max": 2.1},
        {"object_name": "Plane", "extent": "low_z", "min": -0.001, "max": 0.001},
        {"object_name": "Plane", "extent": "high_x", "min": -1e12, "max": 2.0},
        {"object_name": "Plane", "extent": "size_y", "min": -1.01, "max": -0.99},
    ]);
    assert_eq!(serde_json::to_value(&plan.meta.measures).unwrap(), wanted);
    assert_eq!(plan.meta.expects.len(), 1);
    for wrong in [
        "size_z=(2, 1)",
        "size_z=\"big\"",
        "size_z=(None, None)",
        "size_z=1e13",
        "vertices=(9, 8)",
        "vertices=1.5",
        "depth=1",
    ] {
        let found = told(&page.replace("vertices=8", wrong), "5.2");
        assert!(found.iter().any(Finding::is_error), "{wrong}");
    }
}

#[test]
fn a_page_makes_objects_for_its_trees() {
    let page = "def box() -> Geometry:\n    return cube()\n\ndef ball() -> Geometry:\n    return ico_sphere()\n\n\
                apply(\"Box\", object=new(\"Box\", location=(1, 2, 3)))\napply(\"Ball\", object=new(\"Plane\"))\n\
                expect(\"Box\", faces=6)\n";
    for version in ["4.2", "5.2"] {
        let (file, findings, plan) = compiled(page, &empty_file(), &catalogue(version));
        // The artist's Plane stays.
        let codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [Code::NameTaken], "{findings:#?}");
        assert!(file.objects["Plane"].modifiers.is_empty());
        let tree = |object: &str| file.objects[object].modifiers[0].node_group.clone();
        assert_eq!(tree("Box").as_deref(), Some("Box"));
        assert_eq!(tree("Plane.001").as_deref(), Some("Ball"));
        let Action::NodeTree(payload) = &plan.steps[0].action else {
            panic!("{plan:#?}");
        };
        let first = serde_json::to_value(&payload.operations[0]).unwrap();
        assert_eq!(first, json!({"op": "make_object", "location": [1.0, 2.0, 3.0]}));
    }
}
