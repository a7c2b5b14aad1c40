//! Sizes that cannot go together are refused with both of them.

use geonode_planner::offline::{self, Options};

use crate::starter;

fn answer(prompt: &str) -> Result<String, String> {
    let mut scene = starter();
    for object in scene.objects.iter_mut().filter(|object| object.kind == "CURVE") {
        object.length = Some(12.0);
    }
    offline::answer(prompt, &scene, &Options::default())
        .map(|planned| planned.plan["final_message"].as_str().unwrap().to_owned())
        .map_err(|refusal| refusal.message)
}

#[test]
fn impossible_sizes_are_refused_with_both_values_and_what_is_possible() {
    for (prompt, parts) in [
        (
            "a brick wall 3 m long and 2 m high, made of bricks that are 5 m long",
            &["5 m", "3 m", "at most 3 m"][..],
        ),
        (
            "a gear of radius 10 cm with teeth 20 cm high",
            &["0.2 m", "0.1 m", "at most 0.09 m"],
        ),
        (
            "spiral stairs 2 m high with an inner radius of 3 m and an outer radius of 1 m",
            &["3 m", "1 m", "at most 0.9 m"],
        ),
        (
            "a necklace along the curve with beads of 20 m",
            &["20 m", "the size of “Curve”"],
        ),
        (
            "a chain along the curve with links 30 m long",
            &["30 m", "the size of “Curve”"],
        ),
        (
            "a fence along the curve with posts 20 m apart",
            &["20 m", "the size of “Curve”", "at most 12 m"],
        ),
        (
            "dominoes along the curve, 10 cm high and 50 cm apart",
            &["0.1 m", "0.5 m", "fall"],
        ),
        (
            "a fence along the curve 1 m high with 15 rails of 10 cm thickness",
            &["0.1 m", "1 m", "15"],
        ),
        (
            "a spring 10 cm high with 10 turns of 5 cm wire",
            &["0.1 m", "10", "0.05 m", "at least 0.5 m"],
        ),
        ("cut 6 holes of 2 m diameter into the cube", &["2 m", "6"]),
    ] {
        let refused = answer(prompt).unwrap_err();
        for part in parts {
            assert!(refused.contains(part), "{prompt}: {refused}");
        }
    }
}

#[test]
fn defaults_keep_to_what_is_said() {
    for (prompt, part) in [
        ("a brick wall 10 cm long", "of bricks about 0.1 m"),
        (
            "build a wall of bricks 6 m long, 1.5 m high with 1 cm mortar",
            "6 m long and 1.5 m high",
        ),
        ("a wall of bricks 5 m long", "5 m long"),
        ("a brick wall 5 m long with bricks 40 cm long", "about 0.4 m"),
    ] {
        let said = answer(prompt).unwrap();
        assert!(said.contains(part), "{prompt}: {said}");
    }
}

#[test]
fn what_is_denied_and_can_be_none_is_none() {
    for (prompt, part) in [
        (
            "a fence along the curve with 24 posts, 90 cm high, but no rails",
            "24 posts, 0 rails",
        ),
        (
            "a fence along the curve with 24 posts, without rails",
            "24 posts, 0 rails",
        ),
        ("a row of 5 cubes along x with no gap", "free gap between two is 0 m"),
        ("hexagon tiles, 6 by 4, without a gap", "0 m apart"),
    ] {
        let said = answer(prompt).unwrap_or_else(|refused| format!("REFUSED {refused}"));
        assert!(said.contains(part), "{prompt}: {said}");
    }
}
