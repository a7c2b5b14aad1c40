//! Words that say where, how many or of what: understood, refused or named, never dropped.

use geonode_planner::offline::{self, Options};

use crate::starter;

/// What a prompt's plan says that it did not use, or its refusal.
fn answer(prompt: &str) -> Result<(Vec<String>, String), String> {
    offline::answer(prompt, &starter(), &Options::default())
        .map(|planned| {
            let message = planned.plan["final_message"].as_str().unwrap().to_owned();
            (planned.understanding.unused, message)
        })
        .map_err(|refusal| refusal.message)
}

#[test]
fn relations_that_no_preset_knows_are_refused() {
    for prompt in [
        "scatter 150 rocks under the plane",
        "a row of 6 cubes behind the sphere, 3 m apart",
        "ring of 10 spheres above the cube",
        "scatter 50 rocks 2 m above the plane",
        "scatter 50 rocks within 2 m of the centre of the plane",
        "place 10 cubes along the curve, 2 m above it",
        "place 10 cubes along both curves",
        "array the cube 5 times towards the sphere",
        "scatter 3 rocks per face of the plane",
        "scatter rocks every 2 m on the plane",
        "staircase with 12 steps going down",
        "cut a piece out of the cube",
        "a line of 5 cubes from the sphere to the cube",
        "ring of 12 spheres starting at 90 degrees",
        "helix of 20 cubes going down",
        "a ring of 12 cubes in a straight line",
        "scale the instances on the plane by their distance to the sphere",
        "project a grid of cubes onto the sphere",
    ] {
        let refused = answer(prompt);
        assert!(refused.is_err(), "{prompt}: {refused:?}");
    }
}

#[test]
fn numbers_that_count_or_measure_another_thing_are_refused() {
    for prompt in [
        "brick wall with 10 rows",
        "make waves on the plane 30 cm high, 5 waves",
        "spiral stairs with 18 steps, 3 m high, 1 m wide",
        "scatter 50 rocks over 2 planes",
        "a building with 8 floors, 5x4 windows",
        "scatter 50 rocks on plane number 2",
        "scatter 50 rocks on the plane with a seed of 7 and 3 variations",
        "extrude the faces of the cube by 20 cm in 3 steps",
    ] {
        let refused = answer(prompt);
        assert!(refused.is_err(), "{prompt}: {refused:?}");
    }
}

#[test]
fn numbers_that_no_word_explains_are_refused_and_named() {
    for (prompt, number) in [
        ("scatter 20 rocks but exactly 30 of them on the plane", "30"),
        ("scatter 20 rocks on the plane, 5", "5"),
        ("scatter 20 rocks on the plane, seed 12 12", "12"),
        ("scatter 80 rocks on the plane twice", "twice"),
        ("scatter 200 rocks on the plane, 5 large ones", "5"),
        ("scatter 50 rocks on the plane, a third buried", "a third"),
        ("scatter 50 rocks on the plane at half density", "half"),
        ("scatter 50 rocks on the plane, half of them scaled by 2", "half"),
        ("scatter 50 rocks on the plane, 10% of them large", "10 percent"),
        ("scatter rocks on 30% of the plane", "30 percent"),
        ("scatter rocks on two thirds of the sphere", "two thirds"),
        ("scatter rocks over most of the plane", "most"),
        ("scatter rocks on one side of the cube", "side"),
        ("a row of 5+3 cubes", "5"),
    ] {
        let refusal = answer(prompt).unwrap_err();
        assert!(refusal.contains(&format!("“{number}”")), "{prompt}: {refusal}");
    }
    let both = answer("a row of 5 cubes with a gap of 1 m and centres 1 m apart").unwrap_err();
    assert!(both.contains("cannot both hold"), "{both}");
}

#[test]
fn what_is_built_straight_follows_no_curve() {
    for prompt in ["a table along the curve", "a table which follows the curve"] {
        let refusal = answer(prompt).unwrap_err();
        assert!(
            refusal.contains("“along”") || refusal.contains("“which follows”"),
            "{refusal}"
        );
    }
    let (unused, _) = answer("a curved brick wall 4 m long").unwrap();
    assert_eq!(unused, ["curved"]);
}

#[test]
fn a_stated_size_wins_over_a_word_of_size() {
    for prompt in [
        "scatter 40 tiny cubes, each 10 cm, on the plane",
        "scatter 120 little cubes between 5 and 15 cm on the plane",
    ] {
        let (unused, text) = answer(prompt).unwrap();
        assert!(
            unused.iter().any(|word| word == "tiny" || word == "little"),
            "{unused:?} {text}"
        );
    }
}

#[test]
fn a_word_says_one_number() {
    let refused = answer("scatter trees 50 cm to 1 m tall on the plane, 40");
    let taken = refused.as_ref().is_ok_and(|(_, text)| text.contains("40 copies"));
    assert!(taken || refused.is_err_and(|why| why.contains("“40”")));
}

#[test]
fn a_wall_of_bricks_has_the_size_and_not_its_bricks() {
    for prompt in ["a brick wall, 12 m", "a 12 m brick wall"] {
        let (_, text) = answer(prompt).unwrap();
        assert!(text.contains("12 m long"), "{text}");
    }
    let (_, text) = answer("a brick wall 6 m long with bricks of 30 cm").unwrap();
    assert!(text.contains("6 m long") && text.contains("0.3 m"), "{text}");
}

#[test]
fn what_is_turned_off_is_not_turned_on() {
    for prompt in ["turn off random rotation", "switch the random rotation off"] {
        let refusal = answer(prompt).unwrap_err();
        assert!(refusal.contains("removes nothing"), "{refusal}");
    }
}

#[test]
fn words_that_change_nothing_are_named() {
    for (prompt, word) in [
        ("scatter 50 wooden cubes on the plane", "wooden"),
        ("scatter 50 flat cubes on the plane", "flat"),
        ("place 10 cubes along the curve at random distances", "random"),
    ] {
        let (unused, message) = answer(prompt).unwrap();
        assert!(unused.iter().any(|one| one == word), "{prompt}: {unused:?}");
        assert!(message.contains(&format!("“{word}”")), "{message}");
    }
    let (_, message) = answer("place 10 cubes along the curve every 2 m").unwrap();
    assert!(message.contains("(count 10) was not used"), "{message}");
}

#[test]
fn nothing_of_the_scene_stands_for_things_without_a_name() {
    let (_, message) = answer("scatter 50 things on the plane").unwrap();
    assert!(message.contains("names nothing to place"), "{message}");
    for prompt in ["drop them on it", "make the cubes look at something"] {
        let refused = answer(prompt);
        assert!(refused.is_err(), "{prompt}: {refused:?}");
    }
}

#[test]
fn a_missing_target_is_not_the_object_that_was_chosen() {
    let options = Options {
        object: Some("Plane".into()),
        ..Options::default()
    };
    for prompt in [
        "scatter 50 rocks on the Moon",
        "displace the Moon with noise, strength 0.5",
    ] {
        let refusal = offline::plan(prompt, &starter(), &options).unwrap_err();
        assert_eq!(refusal.code, geonode_protocol::Code::UnknownObject, "{prompt}");
    }
}

#[test]
fn copies_of_earlier_results_pass_by_what_works_on_the_surface() {
    let mut context = starter();
    let page = |context: &geonode_graph::documents::Context| {
        let plan = offline::plan("scatter 20 cubes on the plane", context, &Options::default()).unwrap();
        plan.pointer("/steps/0/payload/text")
            .unwrap()
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(!page(&context).contains("separate_components"));
    let plane = context.objects.iter_mut().find(|one| one.name == "Plane").unwrap();
    plane.modifiers =
        serde_json::from_value(serde_json::json!([{"name": "Mine", "type": "NODES", "node_group": "Mine"}])).unwrap();
    let page = page(&context);
    assert!(page.contains("distribute_points_on_faces(before.mesh"), "{page}");
    assert!(page.contains("before.instances)"), "{page}");
}

#[test]
fn talk_around_a_request_is_read_past() {
    for prompt in [
        "Hi everyone, I'm new to this. How on earth would one make a spring with 9 turns? Thx in advance!",
        "I can't figure out how to make a spring with 9 turns, any idea?",
        "ELI5: a spring w/ 9 turns pls",
        "My boss wants it tomorrow, so kindly knock up a spring with 9 turns for us. Cheers",
        "I've been struggling all day to produce a spring having 9 turns :(",
    ] {
        let (_, text) = answer(prompt).unwrap_or_else(|why| panic!("{prompt}: {why}"));
        assert!(text.contains("spring with 9 turns"), "{prompt}: {text}");
    }
    let (unused, _) = answer("A spring with 9 turns. My landlord adores opera.").unwrap();
    assert_eq!(unused, ["My landlord adores opera"]);
    let (unused, _) = answer("hoist a flag").unwrap();
    assert_eq!(unused, ["hoist"]);
}

#[test]
fn things_orders_and_properties_that_are_not_known_are_refused() {
    for (prompt, word) in [
        ("scatter 100 rocks and mushrooms on the plane", "mushrooms"),
        ("we would like mushrooms all over the plane, 35 maybe", "mushrooms"),
        ("scatter rocks on the Highway", "Highway"),
        ("wireframe of the cube with random thickness", "thickness"),
    ] {
        let refusal = answer(prompt).unwrap_err();
        assert!(refusal.contains(&format!("“{word}”")), "{prompt}: {refusal}");
    }
}

#[test]
fn materials_that_a_preset_has_not_are_named() {
    for (prompt, words) in [
        ("a stone wall 4 m long", &["stone"][..]),
        ("a wooden table", &["wooden"]),
        ("a brick wall 4 m long", &[]),
    ] {
        assert_eq!(answer(prompt).unwrap().0, words, "{prompt}");
    }
}

#[test]
fn the_top_is_a_place() {
    for prompt in [
        "scatter 40 cubes on top of Suzanne",
        "put 8 rocks on top of the sphere",
        "scatter 30 rocks on the faces of the cube that point up",
        "grass on top of the cube",
    ] {
        let (_, text) = answer(prompt).unwrap();
        assert!(text.contains("looks up"), "{prompt}: {text}");
    }
}

#[test]
fn a_described_new_thing_is_no_object_of_that_name() {
    let mut context = starter();
    let mut table = context.objects.iter().find(|one| one.name == "Cube").unwrap().clone();
    table.name = "Table".into();
    context.objects.push(table);
    let planned = offline::answer("a smooth round table 1.2 m wide", &context, &Options::default()).unwrap();
    assert_eq!(planned.understanding.preset, "Table");
    for prompt in ["a bent cube", "make a twisted sphere", "a smooth rock"] {
        let refusal = answer(prompt).unwrap_err();
        assert!(refusal.contains("asks for a new thing"), "{prompt}: {refusal}");
    }
    assert!(answer("bend a cube by 30 degrees").is_ok());
}

#[test]
fn uneven_scale_is_taken_out_before_and_put_back_after() {
    let mut context = starter();
    let plane = context.objects.iter_mut().find(|one| one.name == "Plane").unwrap();
    plane.scale = [3.0, 3.0, 1.0];
    let plan = offline::plan("scatter 20 rocks on the plane", &context, &Options::default()).unwrap();
    let page = plan.pointer("/steps/0/payload/text").unwrap().as_str().unwrap();
    assert!(
        page.contains("unstretched = transform_geometry(geometry, scale=(3.0, 3.0, 1.0))"),
        "{page}"
    );
    assert!(page.contains("distribute_points_on_faces(unstretched"), "{page}");
    assert!(page.contains("return transform_geometry(join_geometry("), "{page}");
    assert!(!plan["final_message"].as_str().unwrap().contains("stretched"), "{plan}");
}

/// The scene after a scatter of cubes on the plane.
fn scattered() -> geonode_graph::documents::Context {
    let mut context = starter();
    context.node_groups =
        serde_json::from_value(serde_json::json!([{"name": "Scatter", "users": 1, "nodes": 9}])).unwrap();
    let plane = context.objects.iter_mut().find(|one| one.name == "Plane").unwrap();
    plane.modifiers = serde_json::from_value(serde_json::json!([{
        "name": "Scatter", "type": "NODES", "node_group": "Scatter", "made": {"as_left": true, "by": "w"},
        "values": {"Count": 50, "Rotation": std::f64::consts::TAU, "Object": {"object": "Rock"}, "Seed": 0}
    }]))
    .unwrap();
    context
}

#[test]
fn them_are_the_copies_and_not_the_ground() {
    let context = scattered();
    let answer = |prompt: &str| offline::answer(prompt, &context, &Options::default());
    for prompt in ["smooth them", "bend them a little", "subdivide those", "explode them"] {
        let refusal = answer(prompt).unwrap_err();
        assert!(refusal.message.contains("are the copies"), "{prompt}: {refusal}");
        assert!(refusal.message.contains("“Rock”"), "{prompt}: {refusal}");
    }
    assert_eq!(
        answer("randomise the rotation of them").unwrap().understanding.preset,
        "Random Transform"
    );
    for prompt in ["turn them into spheres", "make those spheres", "use spheres instead"] {
        let planned = answer(prompt).unwrap();
        assert_eq!(planned.understanding.object, "Plane", "{prompt}");
        assert_eq!(planned.understanding.thing.as_deref(), Some("“Sphere”"), "{prompt}");
    }
}

#[test]
fn what_is_so_already_is_said() {
    let context = scattered();
    let planned = offline::answer("make it 50", &context, &Options::default()).unwrap();
    assert_eq!(planned.plan["steps"].as_array().unwrap().len(), 0);
    let text = planned.plan["final_message"].as_str().unwrap();
    assert!(text.contains("has that already: count 50"), "{text}");
}

#[test]
fn two_things_are_named_only_where_both_are_asked_for() {
    let refused = answer("extrude the faces like a wave").unwrap_err();
    assert!(
        !refused.contains("two things at once") && refused.contains("Not understood: "),
        "{refused}"
    );
    let both = answer("scatter 40 rocks on the plane and bevel them by 1 cm").unwrap_err();
    assert!(both.contains("two things at once"), "{both}");
    let grass = answer("scatter grass on the plane").unwrap().1;
    assert!(grass.contains("blades of grass"), "{grass}");
}

#[test]
fn words_with_another_meaning_are_no_names() {
    for (prompt, word) in [
        ("taper the cube to the left", "left"),
        ("scatter 50 rocks where it is sunny", "sunny"),
    ] {
        let refused = answer(prompt).unwrap_err();
        assert!(
            refused.contains(&format!("“{word}”")) && !refused.contains("no object called"),
            "{prompt}: {refused}"
        );
    }
    for prompt in ["scatter 50 mushrooms on the plane", "scatter 50 rocks on the terrace"] {
        let refused = answer(prompt).unwrap_err();
        assert!(refused.contains("no object called"), "{prompt}: {refused}");
    }
}

#[test]
fn what_lies_on_a_solid_lies_on_its_top() {
    for (prompt, top) in [
        ("scatter 20 rocks on the cube", true),
        ("scatter 20 rocks all over the cube", false),
        ("cover the cube with 200 rocks", false),
        ("scatter 20 cones on the cube aligned to the normal", false),
        ("scatter 20 rocks on the plane", false),
    ] {
        let (_, text) = answer(prompt).unwrap();
        assert_eq!(text.contains("looks up"), top, "{prompt}: {text}");
    }
}

#[test]
fn sizes_that_are_told_of_what_stands_are_checked() {
    for prompt in [
        "scatter 30 rocks on this 10 m plane",
        "displace the 10 x 10 m plane with noise by 0.5 m",
    ] {
        let (_, text) = answer(prompt).unwrap_or_else(|why| panic!("{prompt}: {why}"));
        assert!(!text.contains("10 in the prompt"), "{prompt}: {text}");
    }
    for prompt in [
        "scatter 30 rocks on this 4 m plane",
        "scatter 20 cones on the 4 m wide plane",
        "scatter 20 rocks at least 0.5 m apart on a 4 m plane",
        "place 12 cubes along the 5 m curve",
    ] {
        let refusal = answer(prompt).unwrap_err();
        assert!(refusal.contains("which measures"), "{prompt}: {refusal}");
    }
}

#[test]
fn a_number_of_the_artist_is_not_left_to_chance() {
    let (_, text) = answer("explode the cube by half a meter").unwrap();
    assert!(!text.contains("at random"), "{text}");
    let (_, text) = answer("explode the cube").unwrap();
    assert!(text.contains("differs at random"), "{text}");
    let (_, text) = answer("relax the mesh of Suzanne, 10 iterations").unwrap();
    assert!(text.contains("smaller"), "{text}");
}

#[test]
fn each_smaller_than_the_last_is_made_or_named() {
    let (_, text) = answer("a tower of 9 cubes, each one slightly smaller and turned a bit").unwrap();
    assert!(
        text.contains("0.95 times the size") && text.contains("turned 5°"),
        "{text}"
    );
}

#[test]
fn chance_changes_how_copies_lie_and_makes_nothing_else() {
    let (_, text) = answer("30 boxes with random heights between 0.5 and 2 m on the plane").unwrap();
    assert_eq!(text.matches("Scattered").count(), 1, "{text}");
    assert!(text.contains("from 0.5 m to 2 m"), "{text}");
}

#[test]
fn what_the_writer_works_on_is_no_order() {
    let prompt = "I'm working on a forest. First displace the plane with noise by 0.5 m, then scatter 300 cones 0.2 m tall on it. Not sure how.";
    let (unused, text) = answer(prompt).unwrap();
    assert_eq!(text.matches("Scattered").count(), 1, "{text}");
    assert!(text.contains("Scattered 300"), "{text}");
    assert!(unused.contains(&"I'm working on a forest".to_owned()), "{unused:?}");
    let (_, text) = answer("50 cubes standing on the plane, like a city").unwrap();
    assert!(text.contains("Scattered 50"), "{text}");
    assert!(
        answer("I would like a city").unwrap().1.contains("blocks"),
        "a wish is no simile"
    );
}

#[test]
fn changes_of_the_copies_are_understood_or_refused() {
    let mut context = scattered();
    let plane = context.objects.iter_mut().find(|one| one.name == "Plane").unwrap();
    let size = serde_json::json!(0.4);
    plane.modifiers[0].values.as_mut().unwrap().insert("Size".into(), size);
    let told = |prompt: &str| {
        let planned = offline::answer(prompt, &context, &Options::default());
        planned.map(|one| one.plan["final_message"].as_str().unwrap().to_owned())
    };
    for (prompt, said) in [
        ("make it red", "what is copied on “Plane”"),
        ("cubes", "Cube"),
        ("remove the ones in the left half", "count 25"),
        ("scale them to 150 %", "size"),
    ] {
        let text = told(prompt).unwrap_or_else(|why| panic!("{prompt}: {why}"));
        assert!(text.contains(said), "{prompt}: {text}");
    }
}

#[test]
fn little_room_is_said_of_a_change_too() {
    let mut context = scattered();
    let plane = context.objects.iter_mut().find(|one| one.name == "Plane").unwrap();
    plane.dimensions = [3.0, 3.0, 0.0];
    let size = serde_json::json!(0.4);
    plane.modifiers[0].values.as_mut().unwrap().insert("Size".into(), size);
    let planned = offline::answer("make them twice as big", &context, &Options::default()).unwrap();
    let text = planned.plan["final_message"].as_str().unwrap();
    assert!(text.contains("little room"), "{text}");
}

#[test]
fn german_of_layouts_and_collections_is_read() {
    for (prompt, said) in [
        (
            "Erstelle 6 Kopien des Würfels entlang der Y-Achse mit 4 m Abstand",
            "line of 6 copies",
        ),
        ("Verteile 40 Kegel auf der Ebene, zufällig gedreht", "Scattered 40"),
        ("Setze alle 2 m einen Kegel auf die Kurve", "every 2 m"),
        ("Baue eine Wand aus Ziegeln, 3 m lang", "brick wall 3 m long"),
    ] {
        let (_, text) = answer(prompt).unwrap_or_else(|why| panic!("{prompt}: {why}"));
        assert!(text.contains(said), "{prompt}: {text}");
    }
}

#[test]
fn what_is_taken_for_the_ground_is_said() {
    let context = starter();
    for prompt in ["scatter cones on the Hill", "scatter 20 spheres over my terrain"] {
        let planned = offline::answer(prompt, &context, &Options::default()).unwrap();
        let said = planned.understanding.assumed.join(" ");
        assert!(
            said.contains("so “") && said.contains("The scene has no object “"),
            "{prompt}: {said}"
        );
    }
    let planned = offline::answer("scatter 20 spheres over the surface", &context, &Options::default()).unwrap();
    assert!(
        !planned.understanding.assumed.join(" ").contains("is used."),
        "{:?}",
        planned.understanding
    );
}
