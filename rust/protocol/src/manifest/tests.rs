use serde_json::{Value, json};

use super::{Manifest, parse_manifest};
use crate::{Code, Limits};

fn good() -> Value {
    json!({
        "manifest": 1,
        "name": "scatter",
        "prompt": "scatter 200 rocks on the plane",
        "start": {"objects": [{"name": "Plane", "primitive": "plane", "size": 10, "location": [0, 0, 1]}], "active": "Plane"},
        "timeout_s": 60,
        "expect": {
            "status": "done",
            "modifiers": [{"object": "Plane", "name": "Scatter", "type": "NODES"}],
            "node_types": [{"object": "Plane", "modifier": "Scatter", "contains": {"GeometryNodeDistributePointsOnFaces": 1}}],
            "geometry": [{
                "object": "Plane",
                "vertices": 4,
                "instances": [200, 210],
                "bounds": {"min": [-5, -5, 0], "max": [5, 5, 0.5], "tolerance": 0.1},
                "size": {"x": [9.9, 10.1], "z": 0.5},
            }],
            "undo_restores": true,
        },
    })
}

/// What is wrong with a manifest: pointers and codes.
fn found(text: &str) -> Vec<(String, Code)> {
    let findings = parse_manifest(text, &Limits::default()).err().unwrap_or_default();
    assert!(findings.iter().all(|finding| !finding.message.is_empty()));
    findings
        .into_iter()
        .map(|finding| (finding.path, finding.code))
        .collect()
}

#[test]
fn a_good_manifest_is_read() {
    let manifest: Manifest = parse_manifest(&good().to_string(), &Limits::default()).unwrap();
    assert_eq!(manifest.expect.geometry.len(), 1);
    assert_eq!(manifest.timeout_s.to_bits(), 60.0_f64.to_bits());
}

#[test]
fn mistakes_are_named_by_pointer_and_code() {
    let cases = [
        ("/manifest", json!(2), Code::InvalidValue),
        ("/name", json!(""), Code::EmptyString),
        ("/timeout_s", json!(0), Code::OutOfRange),
        ("/timeout_s", json!(1e12), Code::OutOfRange),
        ("/start/objects/0/primitive", json!("plan"), Code::InvalidEnum),
        ("/start/objects/0/location", json!([1, 2]), Code::OutOfRange),
        ("/start/blend", json!("a.blend"), Code::UnknownField),
        ("/expect/status", json!("fine"), Code::InvalidEnum),
        ("/expect/node_types/0/contains", json!({}), Code::OutOfRange),
        ("/expect/geometry/0/vertices", json!(-1), Code::OutOfRange),
        ("/expect/geometry/0/vertices", json!(1.5), Code::WrongType),
        ("/expect/geometry/0/instances", json!([3, 1]), Code::OutOfRange),
        ("/expect/geometry/0/instances", json!([1, 2, 3]), Code::OutOfRange),
        ("/expect/geometry/0/size/x", json!([3, 1.5]), Code::OutOfRange),
        ("/expect/geometry/0/bounds/tolerance", json!(0), Code::OutOfRange),
        ("/expect/undo_restores", json!(1), Code::WrongType),
    ];
    for (pointer, value, code) in cases {
        let mut manifest = good();
        if pointer == "/start/blend" {
            manifest["start"]["blend"] = value;
            let codes = [
                ("/start/active".to_owned(), Code::ConflictingFields),
                ("/start/objects".to_owned(), Code::ConflictingFields),
            ];
            assert_eq!(found(&manifest.to_string()), codes);
            continue;
        }
        *manifest.pointer_mut(pointer).unwrap() = value;
        assert_eq!(found(&manifest.to_string()), [(pointer.to_owned(), code)], "{pointer}");
    }
}

#[test]
fn files_are_named_below_the_folder() {
    let picture = |path: &str| {
        let mut manifest = good();
        manifest["expect"]["pictures"] = json!([{"object": "Plane", "like": path, "view": "top", "similarity": 0.8}]);
        found(&manifest.to_string())
    };
    let scene = |path: &str| {
        let mut manifest = good();
        manifest["start"] = json!({"blend": path});
        found(&manifest.to_string())
    };
    for inside in ["a.png", "./a.png", "pictures/a.png", "…/ä b.png"] {
        assert_eq!((picture(inside), scene(inside)), (vec![], vec![]), "{inside}");
    }
    for outside in [
        "/a.png",
        "../a.png",
        "a/../../b.png",
        "a/../b.png",
        "C:\\a.png",
        "C:/a.png",
        "c:a.png",
        "a\\b.png",
        "//server/a.png",
        "a.png/",
        ".",
    ] {
        let refused = |at: &str| vec![(at.to_owned(), Code::InvalidValue)];
        assert_eq!(picture(outside), refused("/expect/pictures/0/like"), "{outside}");
        assert_eq!(scene(outside), refused("/start/blend"), "{outside}");
    }
}

#[test]
fn nul_is_refused_where_it_names_something() {
    let mut manifest = good();
    manifest["start"] = json!({"blend": "a.blend\0.png"});
    manifest["expect"]["objects"] = json!(["Plane", "Ro\0ck"]);
    manifest["expect"]["pictures"] = json!([{"object": "Plane", "like": "a\0.png"}]);
    let mut refused = found(&manifest.to_string());
    refused.sort_by(|one, other| one.0.cmp(&other.0));
    let places = ["/expect/objects/1", "/expect/pictures/0/like", "/start/blend"];
    assert_eq!(refused, places.map(|place| (place.to_owned(), Code::InvalidValue)));
    let mut manifest = good();
    manifest["prompt"] = json!("scatter\0 rocks");
    manifest["follow_ups"] = json!(["\0"]);
    assert_eq!(found(&manifest.to_string()), [], "an artist may say it");
}

#[test]
fn bad_numbers_are_named_by_their_place_and_by_what_is_allowed() {
    let whole = "Only a whole number is allowed here, written without decimal point and exponent, not ";
    let above = "The number is above 9007199254740991.";
    let small = "The number is above 10000.";
    for (place, text, at, message) in [
        ("\"manifest\":1", "1.0", "/manifest", whole),
        ("\"vertices\":4", "8.0", "/expect/geometry/0/vertices", whole),
        ("\"vertices\":4", "8e2", "/expect/geometry/0/vertices", whole),
        ("\"vertices\":4", "[8,9.0]", "/expect/geometry/0/vertices/1", whole),
        ("\"vertices\":4", "1e308", "/expect/geometry/0/vertices", above),
        ("\"vertices\":4", "[8,1e308]", "/expect/geometry/0/vertices/1", above),
        (
            "\"vertices\":4",
            "18446744073709551616",
            "/expect/geometry/0/vertices",
            above,
        ),
        ("\"vertices\":4", "4,\"frame\":7.0", "/expect/geometry/0/frame", whole),
        (
            "\"vertices\":4",
            "4,\"frame\":4294967296",
            "/expect/geometry/0/frame",
            small,
        ),
        (
            "\"status\":\"done\"",
            "\"done\",\"budget\":{\"tokens\":1e3}",
            "/expect/budget/tokens",
            whole,
        ),
        (
            "\"status\":\"done\"",
            "\"done\",\"budget\":{\"tokens\":1e30}",
            "/expect/budget/tokens",
            above,
        ),
        ("\"status\":\"done\"", "\"done\",\"steps\":2.0", "/expect/steps", whole),
        (
            "\"GeometryNodeDistributePointsOnFaces\":1",
            "3.0",
            "/expect/node_types/0/contains/GeometryNodeDistributePointsOnFaces",
            whole,
        ),
    ] {
        let field = place.split(':').next().unwrap();
        let manifest = good().to_string();
        assert!(manifest.contains(place), "{place}");
        let manifest = manifest.replace(place, &format!("{field}:{text}"));
        let findings = parse_manifest(&manifest, &Limits::default()).unwrap_err();
        let all: Vec<_> = findings
            .iter()
            .map(|one| (one.path.as_str(), one.message.as_str()))
            .collect();
        assert!(
            matches!(all[..], [(path, said)] if path == at && said.starts_with(message)),
            "{text}: {all:?}"
        );
    }
}

#[test]
fn every_mistake_is_reported_with_its_hint_if_any() {
    let mut manifest = good();
    manifest["start"]["objects"][0]["primitive"] = json!("planet");
    manifest["promt"] = json!("x");
    manifest.as_object_mut().unwrap().remove("prompt");
    let findings = parse_manifest(&manifest.to_string(), &Limits::default()).unwrap_err();
    let hint = |path: &str| {
        findings
            .iter()
            .find(|one| one.path == path)
            .and_then(|one| one.hint.as_ref().map(crate::Advice::as_str))
    };
    assert_eq!(hint("/promt"), Some("Did you mean \"prompt\"?"));
    assert_eq!(hint("/start/objects/0/primitive"), Some("Did you mean \"plane\"?"));
    assert_eq!(hint("/prompt"), Some("What the artist asks for, in words."));
}

#[test]
fn manifests_are_never_repaired() {
    for (text, code) in [
        ("", Code::CutOff),
        ("{", Code::CutOff),
        ("nul", Code::CutOff),
        ("\u{feff}{}", Code::InvalidJson),
        ("{\"manifest\": 1,}", Code::InvalidJson),
        ("{\"manifest\": 1} {}", Code::InvalidJson),
        ("[]", Code::WrongType),
        (&"[".repeat(100_000), Code::TooDeep),
    ] {
        assert_eq!(found(text).first().map(|(_, code)| *code), Some(code), "{text:.40}");
    }
    let doubled = found("{\"manifest\": 1, \"manifest\": 1}");
    // A duplicate key is reported at its object.
    assert_eq!(doubled, [(String::new(), Code::DuplicateKey)]);
}
