//! Reads prompts, one per line of standard input: `cargo run -p geonode-planner --example understand -- context.json [plan]`.
//! Prints what was understood in the form of `tests/fixtures/prompts.txt`, or with `plan` the plan as JSON.

use std::io::BufRead;

use geonode_graph::documents::Context;
use geonode_planner::offline::{self, Options};
use geonode_planner::{PromptValue, Thing};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the path of a context is missing")?;
    let context: Context = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let as_plan = std::env::args().nth(2).is_some_and(|word| word == "plan");
    let options = Options::default();
    for prompt in std::io::stdin().lock().lines() {
        let prompt = prompt?;
        if as_plan {
            let answer = match offline::plan(&prompt, &context, &options) {
                Ok(plan) => serde_json::json!({"prompt": prompt, "plan": plan}),
                Err(refusal) => {
                    serde_json::json!({"prompt": prompt, "code": refusal.code.as_str(), "message": refusal.message})
                }
            };
            println!("{answer}");
            continue;
        }
        match offline::understand(&prompt, &context, &options) {
            Err(refusal) => println!("{prompt} | {}", refusal.code.as_str()),
            Ok(understood) => {
                let mut parts: Vec<String> = understood
                    .values
                    .iter()
                    .map(|(name, value)| match value {
                        PromptValue::Number(n) => format!("{name}={}", (n * 1e6).round() / 1e6),
                        PromptValue::Choice(key, _) => format!("{name}={key}"),
                        PromptValue::Bool(b) => format!("{name}={b}"),
                    })
                    .collect();
                parts.sort();
                let thing = match &understood.cast.thing {
                    Some(Thing::Itself) => "itself".to_owned(),
                    Some(Thing::Object(name) | Thing::Collection(name)) => name.clone(),
                    Some(Thing::Shape(key, _)) => format!("shape:{key}"),
                    None => "none".to_owned(),
                };
                println!(
                    "{prompt} | {} | target={} thing={thing} {}",
                    understood.preset,
                    understood.cast.target,
                    parts.join(" ")
                );
            }
        }
    }
    Ok(())
}
