//! Places and other objects in prompts: worked out, refused with what to do, never dropped, and never taken for what is copied.

use geonode_graph::documents::Context;
use geonode_planner::offline::{self, Options};
use serde_json::{Value, json};

use crate::starter;

/// The message of a prompt's plan, or its refusal.
pub(crate) fn said(prompt: &str, context: &Context) -> Result<String, String> {
    let planned = offline::answer(prompt, context, &Options::default());
    planned
        .map(|planned| planned.plan["final_message"].as_str().unwrap().to_owned())
        .map_err(|refusal| refusal.message)
}

/// The starter scene with a result of a preset on an object, whose inputs have these values.
pub(crate) fn after(object: &str, title: &str, values: &Value) -> Context {
    let mut context = serde_json::to_value(starter()).unwrap();
    let list = context["objects"].as_array_mut().unwrap();
    let one = list.iter_mut().find(|one| one["name"] == object).unwrap();
    one["modifiers"] = json!([{
        "name": title, "type": "NODES", "node_group": title, "values": values,
        "made": {"as_left": true, "by": "earlier"}
    }]);
    context["node_groups"] = json!([{"name": title, "users": 1, "nodes": 9}]);
    context["active_object"] = json!(object);
    serde_json::from_value(context).unwrap()
}

fn rocks_along_the_curve() -> Context {
    let values = json!({"Object": {"object": "Rock"}, "Count": 12, "Start": 0.0, "End": 1.0, "Align": true, "Scale": 1.0, "Keep": true});
    after("Curve", "Along a Curve", &values)
}

#[test]
fn another_thing_is_named_in_any_form() {
    let context = rocks_along_the_curve();
    for prompt in [
        "use Cube instead",
        "use cubes instead",
        "cubes instead",
        "no, use cubes",
        "use the cubes",
        "swap the rocks for cubes",
        "turn them into cubes instead",
    ] {
        let text = said(prompt, &context).unwrap();
        assert!(
            text.contains("“Along a Curve” of “Curve” now has: “Cube”"),
            "{prompt}: {text}"
        );
    }
    let denied = said("no caps", &context);
    assert!(denied.is_err(), "{denied:?}");
}

#[test]
fn what_can_be_none_is_taken_away_afterwards() {
    let values = json!({"Spacing": 1.0, "Height": 1.0, "Rails": 2, "Thickness": 0.08});
    let context = after("Curve", "Fence", &values);
    let text = said("no rails", &context).unwrap();
    assert!(text.contains("now has: rails 0"), "{text}");
    // There are no fences without posts.
    let refused = said("no posts", &context);
    assert!(refused.is_err(), "{refused:?}");
}

#[test]
fn start_and_end_are_two_values() {
    let context = rocks_along_the_curve();
    for (prompt, now) in [
        ("start 0.5", "now has: start 0.5."),
        ("end 0.5", "now has: end 0.5."),
        ("set the end to 50%", "now has: end 0.5."),
        ("end 1", "has that already: end 1."),
    ] {
        let text = said(prompt, &context).unwrap();
        assert!(text.contains(now), "{prompt}: {text}");
    }
    let mut half = serde_json::to_value(&context).unwrap();
    for object in half["objects"].as_array_mut().unwrap() {
        if object["name"] == "Curve" {
            object["modifiers"][0]["values"]["Start"] = json!(0.5);
        }
    }
    let half: Context = serde_json::from_value(half).unwrap();
    let refusal = said("end 0.5", &half).unwrap_err();
    assert!(refusal.contains("From 50% to 50% nothing is left"), "{refusal}");
    // The advice of the refusal is understood.
    let advice = refusal.split('“').nth(1).unwrap().split('”').next().unwrap();
    let text = said(advice, &half).unwrap();
    assert!(text.contains("start 0, end 0.5"), "{text}");
}

#[test]
fn a_result_does_not_become_copies_of_the_place_it_should_go_to() {
    let values = json!({"Object": {"object": "Rock"}, "Count": 50, "Seed": 0, "Distance": 0.2});
    let context = after("Plane", "Scatter", &values);
    for prompt in [
        "now on the sphere",
        "on the sphere",
        "put them on the sphere instead",
        "now put them on top of the sphere",
        "move them to the sphere",
        "50 of them on the sphere",
    ] {
        let refusal = said(prompt, &context).unwrap_err();
        assert!(
            refusal.contains("moves no result to another object"),
            "{prompt}: {refusal}"
        );
        let advice = refusal.split("Ask for it there: “").nth(1).unwrap();
        let advice = advice.split("”.").next().unwrap();
        let text = said(advice, &starter()).unwrap();
        assert!(text.contains("50 copies of “Rock” over “Sphere”"), "{advice}: {text}");
    }
    let text = said("scatter 20 cubes on the sphere", &context).unwrap();
    assert!(text.contains("over “Sphere”"), "{text}");
}

#[test]
fn more_than_fit_is_said() {
    let values = json!({"Object": {"object": "Rock"}, "Count": 30, "Seed": 0, "Distance": 1.0});
    let text = said("20 more", &after("Plane", "Scatter", &values)).unwrap();
    assert!(
        text.contains("count 50") && text.contains("closer together than 1 m, there are fewer"),
        "{text}"
    );
}

#[test]
fn a_new_thing_is_not_built_through_another() {
    for prompt in [
        "a tree 4 m tall without leaves next to the cube",
        "put a tree (4 m tall) on the cube",
        "put a table next to the cube",
        "a chair in front of the cube",
        "a shelf on the sphere",
        "a table beside it",
        "a building behind Suzanne",
    ] {
        let refusal = said(prompt, &starter()).unwrap_err();
        assert!(
            refusal.contains("an object of its own at the 3D cursor"),
            "{prompt}: {refusal}"
        );
        // Without the place it is made.
        let place = refusal.split('“').nth(1).unwrap().split('”').next().unwrap();
        let rest = prompt.replace(place, "");
        let text = said(&rest, &starter()).unwrap();
        assert!(text.contains("It is a new object"), "{rest}: {text}");
    }
    let text = said("a table on the plane", &starter()).unwrap();
    assert!(text.contains("It stands at the origin of “Plane”"), "{text}");
}

#[test]
fn a_place_that_a_phrase_passes_over_is_not_read() {
    let refusal = said("put 5 cubes along the edge of the circle", &starter()).unwrap_err();
    assert!(refusal.contains("“edge”"), "{refusal}");
    let text = said(
        "hang a cable from the top of the cube to the top of the sphere",
        &starter(),
    )
    .unwrap();
    assert!(text.contains("It is tied at their tops."), "{text}");
}

#[test]
fn a_noun_that_calls_for_another_preset_is_not_dropped() {
    let refusal = said("a tube of 10 cm diameter but only on half of the circle", &starter()).unwrap_err();
    assert!(refusal.contains("“tube”"), "{refusal}");
}

#[test]
fn what_looks_turns_its_front() {
    for prompt in [
        "make Suzanne look at the sphere",
        "make Suzanne face towards the sphere",
    ] {
        let text = said(prompt, &starter()).unwrap();
        assert!(text.contains("The front (−Y) of every copy"), "{prompt}: {text}");
    }
    for prompt in [
        "aim the instances at the cube",
        "make Suzanne look at the sphere with the z axis",
    ] {
        let text = said(prompt, &starter()).unwrap();
        assert!(text.contains("The z axis of every copy"), "{prompt}: {text}");
    }
}

#[test]
fn sizes_of_bricks_are_not_those_of_the_wall() {
    for prompt in [
        "a brick wall 3 m long, bricks 24 cm long and 7 cm high",
        "a brick wall 3 m long and 2 m high, bricks 24 x 12 x 7 cm",
    ] {
        let text = said(prompt, &starter()).unwrap();
        assert!(
            text.contains("3 m long and 2 m high") && text.contains("0.24 m long"),
            "{prompt}: {text}"
        );
        assert!(text.contains("about 0.07 m high"), "{prompt}: {text}");
    }
}
