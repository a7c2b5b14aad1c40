//! Every example of every preset, and the copying presets with every kind of thing, against the catalogue of every supported
//! Blender: the plan is strict protocol and compiles without an error or a doubt. Every option of every choice makes a tree in which
//! nothing is left over.

use std::path::Path;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::{Context, Document};
use geonode_graph::{compile, compile_exactly};
use geonode_lint::{Question, lint};
use geonode_planner::offline::{self, Options};
use geonode_planner::saved::{self, Wanted};
use geonode_protocol::{Limits, Severity, parse_plan_value};
use geonode_text::expand;
use serde_json::{Value, json};

use crate::starter;

fn prompts() -> Vec<String> {
    let presets = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets");
    let mut prompts = Vec::new();
    for entry in std::fs::read_dir(presets).unwrap() {
        let path = entry.unwrap().path();
        let shared = path.file_stem().is_some_and(|stem| stem == "shared" || stem == "parts");
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if !shared && ending == "toml" {
            let text = std::fs::read_to_string(&path).unwrap();
            let preset: Value = toml::from_str(&text).unwrap();
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
    let mut context = starter();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../addon/geonode_assistant/data/catalogue");
    let mut failures = Vec::new();
    let mut total = 0;
    for (version, blender) in [
        ("4.2", [4, 2, 0]),
        ("4.5", [4, 5, 0]),
        ("5.0", [5, 0, 0]),
        ("5.2", [5, 2, 0]),
    ] {
        context.blender = blender;
        let catalogue =
            Catalogue::from_json(&std::fs::read_to_string(folder.join(format!("{version}.json"))).unwrap()).unwrap();
        for prompt in prompts() {
            let plan = match offline::plan(&prompt, &context, &Options::default()) {
                Ok(plan) => plan,
                // A preset says from which Blender on it works.
                Err(refusal) if version != "5.2" && refusal.to_string().contains("that Blender has since") => continue,
                Err(refusal) => {
                    failures.push(format!("{prompt}: {refusal}"));
                    continue;
                }
            };
            total += 1;
            let parsed = parse_plan_value(&plan, &Limits::default());
            assert!(parsed.findings.is_empty(), "{prompt}: {:?}", parsed.findings);
            let (plan, document) = (parsed.plan.unwrap(), document(&context));
            let read = expand(&plan, &document, &catalogue, None, Limits::default().max_operations);
            let pages = read.iter().flat_map(|read| &read.findings).map(ToString::to_string);
            failures.extend(pages.map(|found| format!("{prompt} on {version}: {found}")));
            let compiled = match read {
                Some(read) => compile_exactly(&read.plan, &document, &catalogue, &read.exact),
                None => compile(&plan, &document, &catalogue),
            };
            let doubts = compiled.findings.iter().filter(|f| {
                f.severity == Severity::Error || (f.severity == Severity::Warning && f.code.as_str() != "repaired")
            });
            failures.extend(doubts.map(|f| format!("{prompt} on {version}: {f}")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(total >= 4 * 80, "{total}");
}

/// What is left over in the tree that an option of a preset makes; none for a preset that is not applied to this scene.
fn left_over(
    id: &str,
    values: &serde_json::Map<String, Value>,
    context: &Context,
    catalogue: &Catalogue,
) -> Option<Vec<String>> {
    let wanted = Wanted {
        id,
        values: values.clone(),
        ..Wanted::default()
    };
    let plan = saved::plan(&wanted, context).ok()?;
    let plan = parse_plan_value(&plan, &Limits::default()).plan.unwrap();
    let document = document(context);
    let read = expand(&plan, &document, catalogue, None, Limits::default().max_operations).unwrap();
    let after = compile_exactly(&read.plan, &document, catalogue, &read.exact).after;
    let trees: Vec<&str> = after.trees.keys().map(String::as_str).collect();
    let question = Question {
        objects: &[],
        trees: &trees,
        attributes: None,
        materials: None,
    };
    let found = lint(&after, catalogue, &question);
    Some(
        found
            .iter()
            .map(|lint| format!("{id} {values:?}: {}", lint.cause))
            .collect(),
    )
}

#[test]
fn no_option_leaves_a_node_over() {
    let mut context = starter();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../addon/geonode_assistant/data/catalogue");
    let catalogue = Catalogue::from_json(&std::fs::read_to_string(folder.join("5.2.json")).unwrap()).unwrap();
    context.blender = [5, 2, 0];
    let mut made = 0;
    let mut found = Vec::new();
    for preset in saved::list(&[]).unwrap().0 {
        let choices = preset.parameters.iter().flat_map(|parameter| {
            let options: Vec<Value> = match parameter.kind.as_str() {
                "bool" => vec![json!(true), json!(false)],
                _ => parameter.options.iter().map(|option| json!(option)).collect(),
            };
            options.into_iter().map(|option| (parameter.name.clone(), option))
        });
        for (name, option) in choices {
            let values = std::iter::once((name, option)).collect();
            let more = left_over(&preset.id, &values, &context, &catalogue);
            made += usize::from(more.is_some());
            found.extend(more.into_iter().flatten());
        }
    }
    assert_eq!(found, Vec::<String>::new());
    assert!(made > 150, "{made}");
}
