//! Presets as examples: in the instructions, and as the answer to a search.

use geonode_planner::DataError;
use geonode_planner::example::{self, Example};
use geonode_protocol::Version;
use serde_json::{Value, json};

/// Most presets that the instructions show.
pub(crate) const SHOWN: usize = 2;

/// How many presets a search finds.
const FOUND: usize = 5;

/// Most bytes of the one example that a prompt fits best; it is worth more than several that fit less.
pub(crate) const MAX_FIRST: usize = 16_000;

/// Adds the presets nearest to the prompt to the instructions: the first, and further ones in about `limit` bytes together.
pub(crate) fn append(system: &mut String, prompt: &str, limit: usize) -> Result<(), DataError> {
    let mut room = limit;
    let mut count = 0;
    for example in example::nearest_first(prompt)? {
        if count == SHOWN {
            break;
        }
        let Some((words, plan)) = shown(&example) else { continue };
        let text = format!("\nPrompt: {words}\nPlan: {plan}\n");
        let best = count == 0 && limit >= text.len().min(MAX_FIRST) / 3;
        if text.len() <= room || (best && text.len() <= MAX_FIRST) {
            system.push_str(&text);
            room = room.saturating_sub(text.len());
            count += 1;
        }
    }
    Ok(())
}

/// An example's prompt and plan, in the present version.
pub(crate) fn shown(example: &Example) -> Option<(&'static str, Value)> {
    let mut plan = example.plan()?;
    if let Some(version) = plan.get_mut("version") {
        *version = Version::CURRENT.text().into();
    }
    Some((example.prompt()?, plan))
}

/// The presets nearest to the words, best first: `{"title", "description", "example"}`, and of the first its `plan`
/// if the words ask for it.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn search_presets(query: &str) -> Result<Vec<Value>, DataError> {
    let found = example::near(query)?.into_iter().take(FOUND).enumerate();
    let presets = found.map(|(place, example)| {
        let mut out =
            json!({"title": example.title(), "description": example.description(), "example": example.prompt()});
        if place == 0
            && example.fits()
            && let Some(plan) = example.plan()
            && let Some(fields) = out.as_object_mut()
        {
            fields.insert("plan".into(), plan);
        }
        out
    });
    Ok(presets.collect())
}
