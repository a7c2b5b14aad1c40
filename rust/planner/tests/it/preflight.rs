//! Every example of every preset, and the copying presets with every kind of thing, against the catalogue of every supported
//! Blender: the plan is strict protocol and compiles without an error or a doubt.

use std::path::Path;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::compile::compile;
use geonode_graph::documents::{Context, Document};
use geonode_planner::offline::{self, Options};
use geonode_protocol::{Limits, Severity, parse_plan_value};
use serde_json::{Value, json};

use crate::starter;

fn prompts() -> Vec<String> {
    let presets = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets");
    let mut prompts = Vec::new();
    for entry in std::fs::read_dir(presets).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json")
            && path.file_stem().is_some_and(|stem| stem != "shared")
        {
            let preset: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            prompts.extend(
                preset["examples"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|e| e.as_str().unwrap().to_owned()),
            );
        }
    }
    for thing in [
        "rocks",
        "Collection collection",
        "pebbles",
        "boxes",
        "balls",
        "trees",
        "posts",
        "widgets",
    ] {
        prompts.push(format!("scatter 20 {thing} on the plane at least 1 m apart"));
        prompts.push(format!("place 20 {thing} along the curve"));
        prompts.push(format!("make a ring of 20 {thing} around the sphere"));
        prompts.push(format!("make a grid of 23 {thing} on the plane"));
        prompts.push(format!("line up 20 {thing} on the plane"));
    }
    prompts.push("scatter 3 rocks per square metre on the plane".into());
    prompts
}

fn document(context: &Context) -> Document {
    let objects: serde_json::Map<String, Value> = context
        .objects
        .iter()
        .map(|o| {
            (
                o.name.clone(),
                json!({"type": o.kind, "library": false, "modifiers": []}),
            )
        })
        .collect();
    let names: Vec<&String> = context.objects.iter().map(|o| &o.name).collect();
    let names = json!({"object": names, "collection": ["Collection"], "material": [], "image": [], "node_group": []});
    serde_json::from_value(json!({"objects": objects, "trees": {}, "tree_info": {}, "names": names})).unwrap()
}

#[test]
fn plans_compile_for_every_blender() {
    let context = starter();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../addon/geonode_assistant/data/catalogue");
    let plans: Vec<(String, Value)> = prompts()
        .into_iter()
        .map(|prompt| {
            let plan =
                offline::plan(&prompt, &context, &Options::default()).unwrap_or_else(|r| panic!("{prompt}: {r}"));
            (prompt, plan)
        })
        .collect();
    assert!(plans.len() >= 80, "{}", plans.len());
    for version in ["4.2", "4.5", "5.0", "5.2"] {
        let catalogue =
            Catalogue::from_json(&std::fs::read_to_string(folder.join(format!("{version}.json"))).unwrap()).unwrap();
        for (prompt, plan) in &plans {
            let parsed = parse_plan_value(plan, &Limits::default());
            assert!(parsed.findings.is_empty(), "{prompt}: {:?}", parsed.findings);
            let compiled = compile(&parsed.plan.unwrap(), &document(&context), &catalogue);
            let doubts: Vec<String> = compiled
                .findings
                .iter()
                .filter(|f| {
                    f.severity == Severity::Error || (f.severity == Severity::Warning && f.code.as_str() != "repaired")
                })
                .map(|f| format!("{} {} {}", f.code.as_str(), f.path, f.message))
                .collect();
            assert!(doubts.is_empty(), "{prompt} on {version}: {doubts:#?}");
        }
    }
}
