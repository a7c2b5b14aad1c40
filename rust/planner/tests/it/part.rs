//! What is understood of a prompt is made, and clauses that bring in something else are named first; clauses that decide what is made refuse it all.

use geonode_planner::offline::{self, Options};

use crate::starter;

fn answer(prompt: &str) -> Result<(Vec<String>, String), String> {
    offline::answer(prompt, &starter(), &Options::default())
        .map(|planned| {
            let message = planned.plan["final_message"].as_str().unwrap().to_owned();
            let first = planned.understanding.done.first().cloned().unwrap_or_default();
            let clauses = first.strip_prefix("Only a part was done, without “");
            let clauses = clauses.and_then(|rest| rest.strip_suffix("”: no preset can do that here."));
            assert_eq!(
                clauses.is_some(),
                message.starts_with("Only a part was done"),
                "{message}"
            );
            let clauses = clauses.into_iter().flat_map(|list| list.split("”, “"));
            (clauses.map(str::to_owned).collect(), message)
        })
        .map_err(|refusal| refusal.message)
}

#[test]
fn what_brings_in_something_else_is_left_out_and_said_first() {
    for (prompt, not_done, made) in [
        ("a house with a chimney", &["with a chimney"][..], "building"),
        (
            "cover Suzanne with snow 5 cm thick and icicles hanging from the bottom",
            &["and icicles hanging from the bottom"],
            "0.05 m",
        ),
        (
            "a wooden fence that follows the curve, but leave out a 2 m gap for the gate in the middle",
            &["but leave out a 2 m gap for the gate in the middle"],
            "fence",
        ),
        (
            "a railway track along the curve with sleepers every 60 cm and gravel under it",
            &["and gravel under it"],
            "0.6 m",
        ),
        (
            "a road along the curve, 3 m wide, with a curb 15 cm high",
            &["with a curb 15 cm high"],
            "3 m wide",
        ),
        (
            "a spiral staircase with 20 steps that looks like old marble",
            &["that looks like old marble"],
            "20 steps",
        ),
        (
            "place 20 cubes along the curve, coloured red",
            &["coloured red"],
            "20 copies",
        ),
        ("tube along the curve with a spring", &["with a spring"], "a tube"),
        (
            "road along the curve with lamps on both sides",
            &["with lamps on both sides"],
            "Made a road",
        ),
        (
            "a table 1.6 m long with a swing hanging from it",
            &["with a swing hanging from it"],
            "Built a table",
        ),
        (
            "make a ring of 8 spheres and connect them with pipes",
            &["and connect them with pipes"],
            "8 copies",
        ),
        (
            "a building with 6 floors, rusty fire escapes and neon signs",
            &["rusty fire escapes", "and neon signs"],
            "6 floors",
        ),
        ("a spring with 9 turns. Frobnicate it.", &["Frobnicate it"], "9 turns"),
        // What another preset makes, in words that have no number.
        (
            "a spiral stair with 20 steps and a railing",
            &["and a railing"],
            "20 steps",
        ),
        (
            "turn the cube into a low poly planet with rings",
            &["with rings"],
            "“Cube”",
        ),
        (
            "how do I make a brick wall 3 m long with windows in it?",
            &["with windows in it"],
            "3 m long",
        ),
        (
            "scatter 50 rocks on the plane and delete the sphere",
            &["and delete the sphere"],
            "Scattered 50",
        ),
        (
            "a brick wall 4 m x 2 m where some bricks are missing and with moss, 2 m high",
            &["where some bricks are missing and with moss, 2 m high"],
            "4 m long",
        ),
    ] {
        let (left_out, text) = answer(prompt).unwrap_or_else(|why| panic!("{prompt}: {why}"));
        assert_eq!(left_out, not_done, "{prompt}: {text}");
        let first = format!("Only a part was done, without “{}”", not_done.join("”, “"));
        assert!(text.starts_with(&first) && text.contains(made), "{prompt}: {text}");
    }
}

#[test]
fn what_decides_is_refused_as_a_whole_with_what_would_run() {
    for (prompt, clause) in [
        (
            "scatter 50 rocks on the plane, but not within 2 m of the cube",
            "but not within 2 m of the cube",
        ),
        (
            "a fence along the curve 1 m high, except where the path turns",
            "except where the path turns",
        ),
        (
            "scatter 50 rocks on the plane so that they never touch the cube",
            "so that they never touch the cube",
        ),
        (
            "grass on the plane, but only where it is wet",
            "but only where it is wet",
        ),
        ("a brick wall 4 m long and with 10 rows", "and with 10 rows"),
        (
            "grid of 3x3 cubes but leave out the middle one",
            "but leave out the middle one",
        ),
        (
            "scatter 50 rocks on the plane, half of them upside down",
            "half of them upside down",
        ),
        ("a ring of 8 cubes with 3 variations", "with 3 variations"),
    ] {
        let refusal = answer(prompt).unwrap_err();
        assert!(
            refusal.starts_with(&format!("“{clause}” is not understood")),
            "{prompt}: {refusal}"
        );
        let (_, behind) = refusal
            .split_once("this would run: “")
            .unwrap_or_else(|| panic!("{prompt}: {refusal}"));
        let advice = behind.split('”').next().unwrap_or_default();
        let followed = answer(advice);
        assert!(
            followed.as_ref().is_ok_and(|(left_out, _)| left_out.is_empty()),
            "{advice}: {followed:?}"
        );
    }
}

#[test]
fn without_its_main_part_nothing_is_made() {
    for prompt in [
        "a castle with a moat",
        "make me a sandwich with cheese",
        "scatter 20 unicorns on the plane, with saddles",
        "delete the cube, and put 50 rocks on the plane",
        "scatter 100 rocks and mushrooms on the plane",
        "a ring of 8 cubes and 4 spheres",
        "don't scatter rocks on the plane, with moss",
        "displace the plane with a sine wave",
        "line up the cube with the sphere",
        "subdivide Suzanne with fewer faces",
        "scatter 100 and 200 rocks on the plane",
        "make a rocky ground with 250 rocks",
    ] {
        let refused = answer(prompt);
        assert!(refused.is_err(), "{prompt}: {refused:?}");
    }
}

#[test]
fn what_tells_more_of_what_is_left_out_is_left_out_too() {
    let (left_out, text) = answer("a fence along the curve with gnomes beside it, each 2 m high, 3 rails").unwrap();
    assert_eq!(left_out, ["with gnomes beside it, each 2 m high"], "{text}");
    assert!(text.contains("3 rails") && !text.contains("2 m high,"), "{text}");
}

#[test]
fn colours_of_the_pieces_are_a_second_step() {
    for prompt in [
        "a ring of 16 spheres with radius 3 m in different colours",
        "6 by 8 grid of cubes, each one a random colour",
        "a bookshelf 2 m high and 1 m wide with 6 boards, filled with books in random colours",
        "scatter 60 rocks on the plane, coloured randomly",
        "50 dominoes along the curve, all of them in random colours",
        "a brick wall 4 m long, every brick its own colour, with a drain in the middle",
    ] {
        let planned = offline::answer(prompt, &starter(), &Options::default());
        let planned = planned.unwrap_or_else(|refusal| panic!("{prompt}: {refusal}"));
        assert!(
            planned.understanding.preset.ends_with("+ Random Colours"),
            "{prompt}: {}",
            planned.understanding.preset
        );
    }
}
