//! Refusals name what was not understood, and the advice in them works when it is followed.

use geonode_graph::documents::Context;
use geonode_planner::offline::{self, Options};
use serde_json::json;

use crate::places::{after, said};
use crate::starter;

/// The texts in quotation marks behind these words of a message.
fn quoted_behind<'m>(message: &'m str, words: &str) -> Vec<&'m str> {
    let Some((_, behind)) = message.split_once(words) else {
        return Vec::new();
    };
    let clause = behind.split(". ").next().unwrap_or_default();
    clause
        .split('“')
        .skip(1)
        .filter_map(|part| part.split('”').next())
        .collect()
}

#[test]
fn objects_that_are_offered_can_be_placed() {
    for (prompt, word) in [
        ("scatter 50 dragons on the plane", "dragons"),
        ("place 20 unicorns along the curve", "unicorns"),
        ("a ring of 12 phones, radius 3 m", "phones"),
    ] {
        let refusal = said(prompt, &starter()).unwrap_err();
        let offered = quoted_behind(&refusal, "such as ");
        assert!(
            !offered.is_empty() && !offered.contains(&"Plane") && !offered.contains(&"Curve"),
            "{prompt}: {refusal}"
        );
        for name in offered.into_iter().chain(["cubes", "rocks"]) {
            let followed = prompt.replace(word, name);
            let text = said(&followed, &starter());
            assert!(text.is_ok(), "{followed}: {text:?}");
        }
    }
}

#[test]
fn what_a_preset_makes_is_offered_for_its_name() {
    let refusal = said("three tables in a row", &starter()).unwrap_err();
    let [advice] = quoted_behind(&refusal, "ask for that first")[..] else {
        panic!("{refusal}");
    };
    let text = said(advice, &starter()).unwrap();
    assert!(text.contains("It is a new object, “Table”"), "{advice}: {text}");
    let mut with = serde_json::to_value(starter()).unwrap();
    with["objects"]
        .as_array_mut()
        .unwrap()
        .push(json!({"name": "Table", "type": "MESH", "dimensions": [1.2, 0.8, 0.75]}));
    let with: Context = serde_json::from_value(with).unwrap();
    let text = said("three tables in a row", &with).unwrap();
    assert!(text.contains("3 copies of “Table”"), "{text}");
}

#[test]
fn changes_that_are_offered_are_understood() {
    let values = json!({"Object": {"object": "Rock"}, "Count": 12, "Start": 0.0, "End": 1.0, "Align": true, "Scale": 1.0, "Keep": true});
    let context = after("Curve", "Along a Curve", &values);
    let refusal = said("mach es dramatischer", &context).unwrap_err();
    assert!(refusal.contains("What can be changed there"), "{refusal}");
    let refusal = said("dance", &context).unwrap_err();
    for advice in quoted_behind(&refusal, "What can be changed there") {
        let text = said(advice, &context);
        assert!(text.is_ok(), "{advice}: {text:?}");
    }
    for (prompt, now) in [
        ("only on the first half", "start 0, end 0.5"),
        ("put them only on the second half of the curve", "start 0.5, end 1"),
    ] {
        let text = said(prompt, &context).unwrap();
        assert!(text.contains(now), "{prompt}: {text}");
    }
}

#[test]
fn colours_of_every_part_follow_in_the_same_sentence_or_the_next() {
    for prompt in [
        "a brick wall 4 m x 2 m where every brick gets a random colour",
        "hexagonal tiles, 6 by 8, each tile a random color",
        "a brick wall 4 m long and 2 m high with each brick in a random colour",
    ] {
        let planned = offline::answer(prompt, &starter(), &Options::default());
        let planned = planned.unwrap_or_else(|refusal| panic!("{prompt}: {refusal}"));
        assert!(planned.understanding.preset.ends_with("+ Random Colours"), "{prompt}");
        assert_eq!(planned.plan["steps"].as_array().unwrap().len(), 2, "{prompt}");
    }
    let context = after("Plane", "Hexagon Tiles", &json!({"Columns": 6}));
    for advice in [
        "give every tile a random colour",
        "give each brick a random colour",
        "random colours",
    ] {
        let text = said(advice, &context).unwrap();
        assert!(text.contains("one of 5 colours"), "{advice}: {text}");
    }
    // What else the sentence says is named.
    let text = said(
        "a brick wall 4 m x 2 m where every brick gets a random colour and some bricks stick out a bit",
        &starter(),
    );
    let text = text.unwrap();
    assert!(
        text.contains("without “and some bricks stick out a bit”") && text.contains("one of 5 colours"),
        "{text}"
    );
}

#[test]
fn the_reason_is_the_word_that_was_not_understood() {
    let prompt = "turn my curve into a road 5 m wide with street lights (the Cube object) at both kerbs";
    let text = said(prompt, &starter()).unwrap();
    assert!(
        text.contains("“with street lights (the Cube object) at both kerbs”") && text.contains("5 m wide"),
        "{text}"
    );
    let text = said("a railway track along the curve with sleepers every 60 cm", &starter()).unwrap();
    assert!(text.contains("0.6 m"), "{text}");
    let text = said(
        "ripples on the plane, 20 cm from trough to crest, wavelength 1.5 m, not animated",
        &starter(),
    )
    .unwrap();
    assert!(
        text.contains("0.2 m high from trough to crest") && !text.contains("They move"),
        "{text}"
    );
}

#[test]
fn what_is_denied_and_not_made_is_named() {
    for (prompt, named) in [
        ("make the sphere shiny gold, no bumps", "“no bumps”"),
        ("scatter 50 rocks on the plane, without moss", "“without moss”"),
    ] {
        let text = said(prompt, &starter()).unwrap();
        assert!(text.contains(&format!("Not used: {named}")), "{prompt}: {text}");
    }
    for prompt in [
        "scatter 50 rocks on the plane, no rocks on the left",
        "scatter 50 rocks on the plane but no cubes",
    ] {
        let refused = said(prompt, &starter());
        assert!(refused.is_err(), "{prompt}: {refused:?}");
    }
}

#[test]
fn sizes_and_insets_are_read() {
    for (prompt, part) in [
        ("turn the sphere into 3000 dots, 1 cm each", "radius of 0.005 m"),
        (
            "grass 8 to 15 cm high on the plane but only on the left half",
            "up to 0.15 m high",
        ),
        ("grass 8 to 15 cm high on the plane", "None is lower than 0.08 m"),
        (
            "a cube in every corner of the plane, 20 cm in from the edges",
            "0.2 m from its edges",
        ),
    ] {
        let text = said(prompt, &starter()).unwrap();
        assert!(text.contains(part), "{prompt}: {text}");
    }
}

#[test]
fn other_languages_name_what_they_lack() {
    let text = said(
        "disperse 35 Rock sur le sol avec une taille aléatoire entre 0,5 et 2",
        &starter(),
    )
    .unwrap();
    assert!(text.contains("from 0.5 to 2"), "{text}");
    let text = said("esparce 45 Rock sobre el suelo, solo en la mitad derecha", &starter()).unwrap();
    assert!(text.contains("45 copies") && text.contains("right"), "{text}");
    let text = said(
        "Schneide die Sphere aus der Kiste aus und runde dann die Kanten um 1 cm ab",
        &starter(),
    );
    assert!(
        text.is_ok() || text.is_err_and(|why| why.contains("crate")),
        "the sentence is read as English"
    );
    for (prompt, language, word) in [
        ("Verteile 200 Elefanten auf der Ebene", "German", "Elefanten"),
        ("disperse 35 licornes sur le sol", "French", "licornes"),
        ("esparce 45 unicornios sobre el suelo", "Spanish", "unicornios"),
    ] {
        let refusal = said(prompt, &starter()).unwrap_err();
        assert!(
            refusal.contains(&format!("Read as {language}. Not understood: “{word}”.")),
            "{prompt}: {refusal}"
        );
    }
}
