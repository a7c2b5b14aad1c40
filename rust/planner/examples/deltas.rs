//! Plans one prompt and compiles it: `{"prompt", "context", "document"}` on standard input, the catalogue's path as argument.

use std::io::Read;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::compile::compile;
use geonode_graph::documents::Context;
use geonode_graph::documents::Document;
use geonode_planner::offline::{self, Options};
use geonode_protocol::{Limits, parse_plan_value};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Input {
    prompt: String,
    context: Context,
    document: Document,
    #[serde(default)]
    object: Option<String>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the path of a catalogue is missing")?;
    let catalogue = Catalogue::from_json(&std::fs::read_to_string(path)?)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let Input {
        prompt,
        context,
        document,
        object,
    } = serde_json::from_str(&text)?;
    let answer = match offline::plan(
        &prompt,
        &context,
        &Options {
            object,
            ..Options::default()
        },
    ) {
        Err(refusal) => json!({"code": refusal.code, "message": refusal.message}),
        Ok(plan) => {
            let parsed = parse_plan_value(&plan, &Limits::default());
            match &parsed.plan {
                Some(checked) => {
                    let compiled = compile(checked, &document, &catalogue);
                    json!({"plan": plan, "findings": compiled.findings, "ok": compiled.ok(), "steps": compiled.steps})
                }
                None => json!({"plan": plan, "findings": parsed.findings, "ok": false}),
            }
        }
    };
    println!("{answer}");
    Ok(())
}
