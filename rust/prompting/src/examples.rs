//! Presets as examples: in the instructions, and as the answer to a search.

use geonode_planner::DataError;
use geonode_planner::example::{self, Example};
use serde_json::{Value, json};

/// How many presets the instructions show.
pub(crate) const SHOWN: usize = 2;

/// How many presets a search finds.
const FOUND: usize = 5;

/// Adds the presets nearest to the prompt to the instructions, as far as `limit` bytes allow.
pub(crate) fn append(system: &mut String, prompt: &str, limit: usize) -> Result<(), DataError> {
    let mut shown = 0;
    for example in example::nearest_first(prompt)? {
        if shown == SHOWN {
            break;
        }
        let Some(text) = text(&example) else { continue };
        if system.len() + text.len() <= limit {
            system.push_str(&text);
            shown += 1;
        }
    }
    Ok(())
}

fn text(example: &Example) -> Option<String> {
    Some(format!("\nPrompt: {}\nPlan: {}\n", example.prompt()?, example.plan()?))
}

/// The presets nearest to the words, best first: `{"title", "description", "example"}`, and of the first its `plan`.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn search_presets(query: &str) -> Result<Vec<Value>, DataError> {
    let found = example::near(query)?.into_iter().take(FOUND).enumerate();
    let presets = found.map(|(place, example)| {
        let mut out =
            json!({"title": example.title(), "description": example.description(), "example": example.prompt()});
        if place == 0
            && let Some(plan) = example.plan()
            && let Some(fields) = out.as_object_mut()
        {
            fields.insert("plan".into(), plan);
        }
        out
    });
    Ok(presets.collect())
}
