//! Plans wishes on the command line, one a line from standard input: `cargo run -p geonode-planner --example wish -- context.json`.

use std::io::BufRead;

use geonode_planner::context::Context;
use geonode_planner::offline::{self, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the path of a context is missing")?;
    let context: Context = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    for prompt in std::io::stdin().lock().lines() {
        let prompt = prompt?;
        let options = Options { object: std::env::args().nth(2) };
        let answer = match offline::plan(&prompt, &context, &options) {
            Ok(plan) => serde_json::json!({"prompt": prompt, "plan": plan}),
            Err(refusal) => serde_json::json!({"prompt": prompt, "code": refusal.code.as_str(), "message": refusal.message}),
        };
        println!("{answer}");
    }
    Ok(())
}
