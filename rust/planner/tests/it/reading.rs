//! Hostile and odd input: always an answer, soon, and never a panic.

use geonode_graph::documents::Context;
use geonode_planner::PromptValue;
use geonode_planner::offline::{self, Options};
use geonode_protocol::Code;
use proptest::prelude::*;

use crate::starter;

fn spacing(length: &str) -> Option<f64> {
    let prompt = format!("array the cube 5 times with a spacing of {length}");
    let understood = offline::understand(&prompt, &starter(), &Options::default()).ok()?;
    match understood.values.get("spacing") {
        Some(PromptValue::Number(n)) => Some(*n),
        _ => None,
    }
}

#[test]
fn lengths_with_unit_words_are_read() {
    for (length, metres) in [
        ("2 m", 2.0),
        ("2m", 2.0),
        ("2", 2.0),
        ("250 cm", 2.5),
        ("1,500 mm", 1.5),
        ("1.5 metres", 1.5),
        ("half a metre", 0.5),
        ("one and a half metres", 1.5),
        ("three quarters of a metre", 0.75),
        ("two metres", 2.0),
        ("5 feet", 1.524),
        ("6 feet 6 inches", 1.9812),
        ("12 inches", 0.3048),
        ("12in", 0.3048),
        ("2 yards", 1.8288),
        ("a metre", 1.0),
        ("1/2 m", 0.5),
        ("0,5 m", 0.5),
        ("½ m", 0.5),
        ("1e0 m", 1.0),
        ("twenty-five centimetres", 0.25),
        ("1 m 20 cm", 1.2),
        ("0.002 km", 2.0),
        ("1.5-metre", 1.5),
        ("two point five metres", 2.5),
        ("a hundred centimetres", 1.0),
        ("a metre and a half", 1.5),
        ("3 meters", 3.0),
    ] {
        let found = spacing(length);
        assert!(found.is_some_and(|f| (f - metres).abs() < 1e-9), "{length}: {found:?}");
    }
}

/// The default that a plan's page gives to an input.
fn default(plan: &serde_json::Value, input: &str) -> String {
    let page = plan.pointer("/steps/0/payload/text").unwrap().as_str().unwrap();
    let (_, rest) = page.split_once(&format!("{input}: ")).unwrap();
    let (_, value) = rest.split_once(" = ").unwrap();
    value.split([',', ')']).next().unwrap().to_owned()
}

#[test]
fn scene_units_and_scale_are_taken_into_account() {
    let mut context = starter();
    context.units.length = "CENTIMETERS".into();
    let plan = offline::plan(
        "array the cube 5 times with a spacing of 50",
        &context,
        &Options::default(),
    )
    .unwrap();
    assert!(
        plan["final_message"].as_str().unwrap().contains("0.5 m from centre"),
        "{plan}"
    );
    let mut context = starter();
    context.objects.iter_mut().find(|o| o.name == "Cube").unwrap().scale = [2.0; 3];
    let plan = offline::plan(
        "array the cube 5 times with a spacing of 3 m",
        &context,
        &Options::default(),
    )
    .unwrap();
    assert_eq!(default(&plan, "spacing"), "1.5", "local units are twice as large");
    assert!(plan["final_message"].as_str().unwrap().contains("scale 2"));
    context.units.scale_length = 0.01;
    let plan = offline::plan("extrude the faces of the cube by 3 m", &context, &Options::default()).unwrap();
    assert_eq!(
        default(&plan, "height"),
        "150.0",
        "a Blender unit is a centimetre, and the object doubles it"
    );
}

#[test]
fn existing_names_are_not_reused() {
    let mut context = starter();
    context.node_groups =
        serde_json::from_value(serde_json::json!([{"name": "Scatter", "users": 1, "nodes": 9}])).unwrap();
    let target = |context: &Context, prompt: &str, words: &str| {
        let options = Options {
            words: words.to_owned(),
            ..Options::default()
        };
        let plan = offline::plan(prompt, context, &options).unwrap();
        let steps = plan["steps"].as_array().unwrap().len();
        if let Some(page) = plan.pointer("/steps/0/payload/text") {
            let page = page.as_str().unwrap();
            if let Some(apply) = page.lines().find(|line| line.starts_with("apply(")) {
                let names: Vec<&str> = apply.split('"').collect();
                return (names[5].to_owned(), names[1].to_owned(), steps);
            }
            assert!(page.starts_with("with edit(\"Scatter\"):"), "{page}");
        }
        let target = plan.pointer("/steps/1/payload/target").unwrap().clone();
        let name = |field: &str| target[field].as_str().unwrap().to_owned();
        (name("modifier_name"), name("node_group_name"), steps)
    };
    let pair = |one: &str, other: &str, steps| (one.to_owned(), other.to_owned(), steps);
    let prompt = "scatter 20 rocks on the plane";
    assert_eq!(target(&context, prompt, "w"), pair("Scatter", "Scatter.001", 1));
    // A modifier that no run made is the artist's, whatever it is called.
    let modifiers = |context: &mut Context, made: serde_json::Value| {
        let plane = context.objects.iter_mut().find(|o| o.name == "Plane").unwrap();
        let modifier = serde_json::json!({"name": "Scatter", "type": "NODES", "node_group": "Scatter", "made": made});
        plane.modifiers = serde_json::from_value(serde_json::json!([modifier])).unwrap();
    };
    modifiers(&mut context, serde_json::Value::Null);
    assert_eq!(target(&context, prompt, "w"), pair("Scatter.001", "Scatter.001", 1));
    assert_eq!(
        target(&context, "change it: scatter 20 rocks on the plane", "w"),
        pair("Scatter.001", "Scatter.001", 1)
    );
    // The same words again, or words that change the last result, are about what a run made; others ask for more.
    modifiers(&mut context, serde_json::json!({"as_left": true, "by": "w"}));
    assert_eq!(target(&context, prompt, "w"), pair("Scatter", "Scatter", 3));
    assert_eq!(
        target(&context, prompt, "other words"),
        pair("Scatter.001", "Scatter.001", 1)
    );
    let changes = [
        "change it: scatter 20 rocks on the plane",
        "please make it: scatter 20 rocks on the plane",
        "scatter 20 rocks on the plane instead",
        "Instead, scatter 20 rocks on the plane.",
    ];
    for prompt in changes {
        assert_eq!(
            target(&context, prompt, "other words"),
            pair("Scatter", "Scatter", 3),
            "{prompt}"
        );
    }
    // Such words later on describe what is asked for: nothing is replaced.
    let adds = [
        "scatter 20 rocks on the plane and make it random",
        "scatter 20 rocks on the plane and turn them",
    ];
    for prompt in adds {
        assert_eq!(
            target(&context, prompt, "other words"),
            pair("Scatter.001", "Scatter.001", 1),
            "{prompt}"
        );
    }
    context.node_groups[0].users = 2;
    assert_eq!(target(&context, prompt, "w"), pair("Scatter.001", "Scatter.001", 1));
}

#[test]
fn a_change_repeats_only_the_operations_of_its_words() {
    let mut context = starter();
    context.target_object = Some("Plane".into());
    context.node_groups =
        serde_json::from_value(serde_json::json!([{"name": "Scatter", "users": 1, "nodes": 9}])).unwrap();
    let plane = context.objects.iter_mut().find(|o| o.name == "Plane").unwrap();
    plane.modifiers = serde_json::from_value(serde_json::json!([
        {"name": "Mine", "type": "NODES", "node_group": "Scatter", "made": {"as_left": false, "by": "w"}}
    ]))
    .unwrap();
    let options = Options::default();
    let said = |prompt: &str| {
        let plan = offline::plan(prompt, &context, &options).unwrap();
        let steps = plan["steps"].as_array().unwrap().clone();
        let name = |op: &serde_json::Value, key: &str| op[key].as_str().unwrap_or_default().to_owned();
        let mut said = Vec::new();
        for payload in steps.iter().map(|step| &step["payload"]) {
            if let Some(page) = payload["text"].as_str() {
                said.extend(page.lines().skip(1).map(|line| line.trim().to_owned()));
                continue;
            }
            let all = payload["operations"].as_array().or(payload["ops"].as_array()).unwrap();
            said.extend(all.iter().map(|op| format!("{} {}", name(op, "op"), name(op, "name"))));
        }
        said
    };
    for prompt in [
        "make it 300",
        "change it to 300",
        "change the count to 300",
        "300 instead",
    ] {
        assert_eq!(
            said(prompt),
            ["set_group_io Count", "set_modifier_input Count"],
            "{prompt}"
        );
    }
    assert_eq!(
        said("change the seed to 5"),
        ["set_group_io Seed", "set_modifier_input Seed"]
    );
    let cones = said("use cones instead");
    assert!(
        cones.iter().any(|line| line.starts_with("shape_cone = cone(")),
        "{cones:?}"
    );
    let others = ["Count", "Seed", "scale =", "points =", "instances ="];
    assert!(
        !cones.iter().any(|line| others
            .iter()
            .any(|other| line.contains(other) && !line.starts_with("thing"))),
        "{cones:?}"
    );
    for prompt in [
        "make it twice as many",
        "make it half",
        "change it to more",
        "make it invisible",
    ] {
        assert!(offline::plan(prompt, &context, &options).is_err(), "{prompt}");
    }
}

#[test]
fn rates_count_per_square_metre_or_are_refused() {
    let understood = |prompt: &str| offline::understand(prompt, &starter(), &Options::default());
    for prompt in [
        "scatter 5 rocks per m2 on the plane",
        "scatter 5 rocks per m² on the plane",
        "scatter 5 rocks/m^2 on the plane",
        "scatter 5 rocks per sqm",
        "scatter 5 rocks per square meter on the plane",
        "grow 5 blades of grass per square meter on the plane",
    ] {
        let values = understood(prompt).unwrap().values;
        assert_eq!(values.get("density"), Some(&PromptValue::Number(5.0)), "{prompt}");
        assert!(!values.contains_key("count"), "{prompt}");
    }
    for prompt in [
        "scatter 3 rocks per square foot",
        "scatter 3 rocks per metre on the plane",
        "3 rocks per hectare",
    ] {
        assert!(understood(prompt).is_err(), "{prompt}");
    }
}

#[test]
fn a_change_of_a_part_alone_is_refused() {
    let mut context = starter();
    context.target_object = Some("Plane".into());
    let plane = context.objects.iter_mut().find(|o| o.name == "Plane").unwrap();
    plane.modifiers = serde_json::from_value(serde_json::json!([
        {"name": "Scatter", "type": "NODES", "node_group": "Scatter", "made": {"as_left": true, "by": "w"},
         "values": {"Count": 100, "Scale Min": 1.0, "Scale Max": 1.0}}
    ]))
    .unwrap();
    context.node_groups =
        serde_json::from_value(serde_json::json!([{"name": "Scatter", "users": 1, "nodes": 9}])).unwrap();
    let options = Options::default();
    assert!(offline::plan("twice as many", &context, &options).is_ok());
    for prompt in [
        "bigger in the middle",
        "twice as many on the left",
        "smaller at the edge",
        "more at the top",
    ] {
        assert!(offline::plan(prompt, &context, &options).is_err(), "{prompt}");
    }
}

#[test]
fn what_a_prompt_needs_and_does_not_say_is_asked_for() {
    let code = |prompt: &str, context: &Context| {
        offline::plan(prompt, context, &Options::default())
            .map_err(|refusal| (refusal.code, refusal.message))
            .expect_err(prompt)
    };
    // Several meshes, none of them chosen.
    let mut context = starter();
    (context.active_object, context.selection) = (None, Vec::new());
    for prompt in ["scatter 200 rocks", "subdivide twice", "bevel by 5 cm"] {
        let (code, message) = code(prompt, &context);
        assert_eq!(code, Code::MissingParameter, "{prompt}: {message}");
        assert!(message.contains("“Sphere”"), "{message}");
    }
    // A result whose values are not known: “twice as many” as what?
    let mut context = starter();
    context.target_object = Some("Plane".into());
    let plane = context.objects.iter_mut().find(|o| o.name == "Plane").unwrap();
    plane.modifiers = serde_json::from_value(serde_json::json!([
        {"name": "Mine", "type": "NODES", "node_group": "Scatter", "made": {"as_left": true, "by": "w"}}
    ]))
    .unwrap();
    for prompt in ["twice as many", "a bit bigger", "half the spacing"] {
        let (code, message) = code(prompt, &context);
        assert_eq!(code, Code::MissingParameter, "{prompt}: {message}");
    }
}

#[test]
fn a_forced_object_is_the_target() {
    let options = Options {
        object: Some("Sphere".into()),
        ..Options::default()
    };
    let understood = offline::understand("scatter 200 rocks", &starter(), &options).unwrap();
    assert_eq!(understood.cast.target, "Sphere");
    let missing = Options {
        object: Some("Nothing".into()),
        ..Options::default()
    };
    assert_eq!(
        offline::plan("scatter 200 rocks", &starter(), &missing)
            .unwrap_err()
            .code
            .as_str(),
        "unknown_object"
    );
}

#[test]
fn long_and_empty_prompts_are_refused() {
    let code = |prompt: &str| {
        offline::plan(prompt, &starter(), &Options::default())
            .unwrap_err()
            .code
            .as_str()
    };
    assert_eq!(code(""), "prompt_empty");
    assert_eq!(code(" \n\t"), "prompt_empty");
    assert_eq!(code(&"scatter ".repeat(100_000)), "prompt_too_long");
    assert_eq!(
        code(&"scatter 200 rocks on the plane ".repeat(600)),
        "partly_understood"
    );
    assert_eq!(code(&"\u{1F600}".repeat(20_000)), "partly_understood");
    assert!(!code(&"\"".repeat(19_999)).is_empty());
    assert!(!code(&"1".repeat(19_999)).is_empty());
    assert!(!code(&"a-".repeat(9_999)).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gives_a_plan_or_a_refusal(prompt in "\\PC{0,80}") {
        let _ = offline::plan(&prompt, &starter(), &Options::default());
    }

    #[test]
    fn any_words_give_a_plan_or_a_refusal(words in prop::collection::vec(prop::sample::select(vec![
        "scatter", "array", "the", "cube", "plane", "curve", "along", "5", "2.5", "m", "cm", "by", "x", "-", "and", "between", "to", "of", "half", "a", "twice", "without", "caps",
        "ring", "grid", "rows", "\"", "(", ",", ".", "radius", "%", "degrees", "hundred", "one", "times", "1/0", "on", "it", "noise", "tube", "extrude", "face", "wireframe", "0"]), 0..25)) {
        let _ = offline::plan(&words.join(" "), &starter(), &Options::default());
    }

    #[test]
    fn any_decimal_is_read_in_every_unit(thousandths in 1u32..900_000, unit in 0usize..5) {
        let (word, factor) = [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("metres", 1.0), ("feet", 0.3048)][unit];
        let number = f64::from(thousandths) / 1000.0;
        let found = spacing(&format!("{number} {word}"));
        prop_assert!(found.is_some_and(|f| (f - number * factor).abs() < 1e-9 * number.max(1.0)), "{number} {word}: {found:?}");
    }

    #[test]
    fn any_count_is_read(count in 1u32..100_000) {
        let understood = offline::understand(&format!("scatter {count} rocks on the plane"), &starter(), &Options::default()).unwrap();
        prop_assert_eq!(understood.values.get("count"), Some(&PromptValue::Number(f64::from(count))));
    }
}

/// A prompt that names parts of a tree that stands wants it changed; anything new beside it would be a guess.
#[test]
fn a_prompt_about_a_tree_that_stands_makes_nothing_new() {
    let mut context = starter();
    context.active_object = Some("Plane".to_owned());
    let plane = context.objects.iter_mut().find(|o| o.name == "Plane").unwrap();
    plane.modifiers = serde_json::from_value(serde_json::json!([
        {"name": "GeometryNodes", "type": "NODES", "node_group": "Fence", "values": {"Spacing": 1.0, "Post Height": 1.2}}
    ]))
    .unwrap();
    let node = |name: &str, kind: &str| serde_json::json!({"id": name, "name": name, "type": kind});
    context.tree = serde_json::from_value(serde_json::json!({"ir": 1, "blender": [5, 2, 0], "trees": {"Fence": {
        "interface": [], "links": [],
        "nodes": [node("Rail", "GeometryNodeMeshCube"), node("Mesh Line", "GeometryNodeMeshLine"), node("Cube.001", "GeometryNodeMeshCube")]
    }}}))
    .unwrap();
    let plan = |prompt: &str| offline::plan(prompt, &context, &Options::default());
    for prompt in [
        "Put the posts half a metre apart, that is what Spacing is for.",
        "put 20 spheres on the posts, the Rail stays",
        "scatter 20 spheres with the Post Height of 2",
        "line of 5 cubes on top of the fence",
    ] {
        let refusal = plan(prompt).unwrap_err();
        assert!(
            refusal.message.contains("GeometryNodes") && refusal.message.contains("language model"),
            "{prompt}: {refusal:?}"
        );
    }
    for prompt in [
        "scatter 20 rocks on the plane",
        "Spacing of 2 m: line of 5 cubes",
        "scatter 20 cubes on the surface of the mesh",
        "ring of 12 spheres, radius 3 m",
        "line of 5 posts",
    ] {
        if let Err(refusal) = plan(prompt) {
            assert!(!refusal.message.contains("did not make"), "{prompt}: {refusal:?}");
        }
    }
    assert!(plan("scatter 20 rocks on the plane").is_ok());
}

#[test]
fn fractions_of_a_size_are_a_range_and_parts_of_a_surface_are_places() {
    let plan = |prompt: &str| offline::plan(prompt, &starter(), &Options::default());
    for prompt in [
        "scatter 200 rocks on the plane at random sizes between half and full size",
        "scatter 200 rocks on the plane, scale from half to original size",
    ] {
        let plan = plan(prompt).unwrap();
        let page = plan.pointer("/steps/0/payload/text").unwrap().as_str().unwrap();
        assert!(
            page.contains("scale_min: Float = 0.5, scale_max: Float = 1.0"),
            "{prompt}: {page}"
        );
    }
    for prompt in [
        "scatter 50 rocks on the left half",
        "scatter 50 rocks around the edge of the plane",
        "scatter 80 rocks along the border of the plane",
        "grow grass in the middle of the plane",
    ] {
        let plan = plan(prompt).unwrap();
        let page = plan.pointer("/steps/0/payload/text").unwrap().as_str().unwrap();
        assert!(
            page.contains("elsewhere") && page.contains("object=\"Plane\""),
            "{prompt}: {page}"
        );
    }
}

#[test]
fn what_a_preset_generates_gets_an_object_of_its_own() {
    let empty = Context::default();
    let applied = |prompt: &str, context: &Context, options: &Options| {
        let plan = offline::plan(prompt, context, options).unwrap_or_else(|refusal| panic!("{prompt}: {refusal}"));
        let page = plan.pointer("/steps/0/payload/text").unwrap().as_str().unwrap();
        let apply = page.lines().find(|line| line.starts_with("apply(")).unwrap();
        apply.to_owned()
    };
    let fresh = Options::default();
    for (prompt, object) in [
        ("a staircase with 12 steps", "Stairs"),
        ("a brick wall 4 m long and 2 m high", "Brick Wall"),
        ("spring with 8 turns", "Spring"),
        ("a gear with 24 teeth", "Gear"),
        ("ring of 12 spheres, radius 4 m", "Ring"),
        ("a city with 6 by 6 blocks", "City Blocks"),
    ] {
        for context in [&empty, &starter()] {
            if context
                .objects
                .iter()
                .any(|one| prompt.contains(&one.name.to_lowercase()))
            {
                continue; // the scene has a sphere
            }
            let line = applied(prompt, context, &fresh);
            // A city fills the plane that is chosen.
            let plane = object == "City Blocks" && !context.objects.is_empty();
            let wanted = if plane {
                "object=\"Plane\"".to_owned()
            } else {
                format!("object=new(\"{object}\")")
            };
            assert!(line.contains(&wanted), "{prompt}: {line}");
        }
    }
    // Named, pointed at or chosen, an object is used.
    let starter = starter();
    let on_plane = applied("a staircase with 12 steps on the plane", &starter, &fresh);
    assert!(on_plane.contains("object=\"Plane\""), "{on_plane}");
    let chosen = Options {
        object: Some("Cube".to_owned()),
        ..Options::default()
    };
    assert!(applied("a staircase with 12 steps", &starter, &chosen).contains("object=\"Cube\""));
    // A taken name gives the next one, and the same words again are about what they made.
    let mut context = Context::default();
    let stairs = serde_json::json!([{"name": "Stairs", "type": "MESH", "visible": true}]);
    context.objects = serde_json::from_value(stairs).unwrap();
    assert!(applied("a staircase with 12 steps", &context, &fresh).contains("new(\"Stairs.001\")"));
    let modifier = serde_json::json!({"name": "Stairs", "type": "NODES", "node_group": "Stairs", "made": {"as_left": true, "by": "w"}});
    context.objects[0].modifiers = serde_json::from_value(serde_json::json!([modifier])).unwrap();
    let again = Options {
        words: "w".to_owned(),
        ..Options::default()
    };
    let plan = offline::plan("a staircase with 12 steps", &context, &again)
        .unwrap()
        .to_string();
    assert!(plan.contains("Stairs") && !plan.contains("new("), "{plan}");
    // What it is called, or consists of, is no object of the scene, unless something says so.
    let mut named = starter.clone();
    for name in ["Gear", "Tree", "Brick Wall", "Building", "Table"] {
        let mut one = named.object("Cube").unwrap().clone();
        name.clone_into(&mut one.name);
        named.objects.push(one);
    }
    for context in [&empty, &named] {
        for prompt in [
            "a gear with 24 teeth",
            "a simple tree",
            "a building with 5 floors and windows",
            "an office tower with 20 floors",
        ] {
            let line = applied(prompt, context, &fresh);
            assert!(line.contains("object=new("), "{prompt}: {line}");
        }
    }
    for (prompt, object) in [("a gear on the Tree", "Tree"), ("a building on the table", "Table")] {
        // What is flat has its origin where it is stood upon.
        let mut flat = named.clone();
        for one in &mut flat.objects {
            one.dimensions[2] = 0.0;
        }
        let line = applied(prompt, &flat, &fresh);
        assert!(line.contains(&format!("object=\"{object}\"")), "{prompt}: {line}");
    }
    // What follows works on what was made.
    let two = "a staircase with 12 steps and then subdivide it twice";
    let plan = offline::plan(two, &empty, &fresh).unwrap();
    let pages = plan["steps"].as_array().unwrap();
    assert!(pages[1].to_string().contains("object=\\\"Stairs\\\""), "{plan}");
    // What works on a surface needs one.
    assert!(offline::plan("scatter 200 rocks", &empty, &fresh).is_err());
}

#[test]
fn what_shows_copies_only_is_no_mesh_and_has_no_size() {
    let shown = |dimensions: [f64; 3]| -> Context {
        let modifiers = serde_json::json!([{"name": "Row", "type": "NODES", "node_group": "Row"}]);
        let object = serde_json::json!({"name": "Row", "type": "MESH", "visible": true, "dimensions": dimensions,
            "counts": {"vertices": 0, "edges": 0, "faces": 0}, "modifiers": modifiers});
        serde_json::from_value(serde_json::json!({"active_object": "Row", "objects": [object]})).unwrap()
    };
    let options = Options::default();
    let refused = |prompt: &str| {
        offline::plan(prompt, &shown([0.0; 3]), &options)
            .unwrap_err()
            .to_string()
    };
    assert!(refused("bevel it by 1 cm").contains("shows copies only"));
    assert!(refused("array it 5 times along x").contains("has no size of its own"));
    // What a modifier makes is a surface.
    assert!(offline::plan("bevel it by 1 cm", &shown([2.0; 3]), &options).is_ok());
}
