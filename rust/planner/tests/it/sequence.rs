//! Prompts that ask for several things: carried out in their order where each is understood alone, else refused as a whole.

use geonode_graph::documents::Context;
use geonode_planner::Planned;
use geonode_planner::offline::{self, Options};

use crate::starter;

fn steps(planned: &Planned) -> Vec<(String, String)> {
    let steps = planned.plan["steps"].as_array().unwrap();
    let said = |step: &serde_json::Value| {
        let page = step["payload"]["text"].as_str().unwrap_or_default();
        let apply = page
            .lines()
            .rev()
            .find(|line| line.starts_with("apply("))
            .unwrap_or_default();
        let object = apply.split("object=\"").nth(1).and_then(|rest| rest.split('"').next());
        (
            step["id"].as_str().unwrap().to_owned(),
            object.unwrap_or_default().to_owned(),
        )
    };
    steps.iter().map(said).collect()
}

fn planned(prompt: &str, context: &Context) -> Planned {
    let answer = offline::answer(prompt, context, &Options::default());
    answer.map_err(|refusal| format!("{prompt}: {refusal}")).unwrap()
}

#[test]
fn what_is_understood_alone_is_made_in_order() {
    let context = starter();
    for (prompt, expected) in [
        (
            "scatter 50 rocks on the plane and then add a wireframe to the cube",
            "scatter Plane, wireframe Cube",
        ),
        ("solidify it 5 cm and subdivide", "solidify Plane, subdivide Plane"),
        (
            "make waves on the plane and put 20 rocks on it",
            "wave Plane, scatter Plane",
        ),
        ("subdivide the cube twice and mirror it", "subdivide Cube, mirror Cube"),
        (
            "scatter 50 rocks on the plane, then scatter 20 cubes on it",
            "scatter Plane, scatter_2 Plane",
        ),
        (
            "bevel Suzanne by 2 cm; triangulate it; make it a wireframe",
            "bevel Suzanne, triangulate Suzanne, wireframe Suzanne",
        ),
        (
            "array the cube 10 times with random rotation",
            "array_line Cube, random_transform Cube",
        ),
        (
            "a ring of 12 cubes, each rotated randomly",
            "ring Cube, random_transform Cube",
        ),
        (
            "10x10 array of cubes where each cube is scaled randomly",
            "grid Cube, random_transform Cube",
        ),
    ] {
        let planned = planned(prompt, &context);
        let made: Vec<String> = steps(&planned)
            .iter()
            .map(|(id, object)| format!("{id} {object}"))
            .collect();
        assert_eq!(made.join(", "), expected, "{prompt}");
        assert!(!planned.understanding.done.is_empty(), "{prompt}");
    }
}

#[test]
fn parts_of_one_wish_are_no_wishes_of_their_own() {
    let context = starter();
    for prompt in [
        "scatter 50 rocks on the plane and turn them at random",
        "a fence along the curve, posts every 2 m, and 3 rails",
        "stairs with 10 steps and a width of 2 m",
    ] {
        assert_eq!(steps(&planned(prompt, &context)).len(), 1, "{prompt}");
    }
}

#[test]
fn the_second_wish_sees_the_first() {
    let mut context = starter();
    let page = |prompt: &str, context: &Context| {
        let planned = planned(prompt, context);
        planned.plan["steps"][1]["payload"]["text"].as_str().unwrap().to_owned()
    };
    // What only shows copies of itself is worked on as a whole; copies of another thing pass by.
    assert!(!page("array the cube 5 times, then subdivide it", &context).contains("separate_components"));
    assert!(page("scatter 20 rocks on the plane, then solidify it", &context).contains("separate_components"));
    // The second result has a name of its own.
    assert!(page("scatter 50 rocks on the plane, then scatter 20 cubes on it", &context).contains("\"Scatter.001\""));
    // Only a lower bound of the last result on an object is certain.
    let both = planned("scatter 50 rocks on the plane, then scatter 20 cubes on it", &context);
    let expects = both.plan["meta"]["expects"].to_string();
    assert!(expects.contains("20") && !expects.contains("50"), "{expects}");
    // An object that is chosen for the run is that of all parts.
    context.target_object = Some("Cube".into());
    let chosen = Options {
        object: Some("Cube".into()),
        ..Options::default()
    };
    let answer = |prompt: &str| offline::answer(prompt, &context, &chosen);
    assert_eq!(steps(&answer("bevel it and add a wireframe").unwrap()).len(), 2);
    assert!(answer("bevel it and scatter 50 rocks on the plane").is_err());
}
