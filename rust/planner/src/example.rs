//! Presets as examples of a prompt and its plan.

use serde_json::{Value, json};

use crate::library::{Entry, Library};
use crate::offline::{self, Options};
use crate::refusal::DataError;
use geonode_graph::documents::Context;

/// Bytes of a prompt that are compared with the presets.
const MOST_COMPARED: usize = 2000;

/// A preset as an example.
pub struct Example {
    entry: &'static Entry,
}

impl Example {
    /// Name of the preset.
    pub fn title(&self) -> &'static str {
        &self.entry.preset.title
    }

    /// What it does, in one sentence.
    pub fn description(&self) -> &'static str {
        &self.entry.preset.description
    }

    /// A prompt that it fits.
    pub fn prompt(&self) -> Option<&'static str> {
        self.entry.preset.examples.first().map(String::as_str)
    }

    /// The plan for this prompt in a small scene.
    pub fn plan(&self) -> Option<Value> {
        offline::plan(self.prompt()?, &scene()?, &Options::default()).ok()
    }
}

/// Presets that share words with the prompt, the nearest first.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn near(prompt: &str) -> Result<Vec<Example>, DataError> {
    let library = Library::get()?;
    let found = ranked(library, prompt).into_iter();
    Ok(found
        .filter_map(|i| library.entries.get(i))
        .map(|entry| Example { entry })
        .collect())
}

/// Every preset, the nearest to the prompt first.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn nearest_first(prompt: &str) -> Result<Vec<Example>, DataError> {
    let library = Library::get()?;
    let mut order = ranked(library, prompt);
    let others: Vec<usize> = (0..library.entries.len()).filter(|i| !order.contains(i)).collect();
    order.extend(others);
    Ok(order
        .into_iter()
        .filter_map(|i| library.entries.get(i))
        .map(|entry| Example { entry })
        .collect())
}

fn ranked(library: &Library, prompt: &str) -> Vec<usize> {
    let compared = prompt.get(..prompt.len().min(MOST_COMPARED)).unwrap_or(prompt);
    library.rank(compared).into_iter().map(|(i, _)| i).collect()
}

/// A scene in which every example can be planned.
fn scene() -> Option<Context> {
    serde_json::from_value(json!({
        "active_object": "Plane",
        "objects": [
            {"name": "Plane", "type": "MESH", "dimensions": [10, 10, 0], "counts": {"vertices": 4, "edges": 4, "faces": 1}},
            {"name": "Cube", "type": "MESH", "dimensions": [2, 2, 2], "counts": {"vertices": 8, "edges": 12, "faces": 6}},
            {"name": "Sphere", "type": "MESH", "dimensions": [2, 2, 2], "counts": {"vertices": 482, "edges": 992, "faces": 512}},
            {"name": "Rock", "type": "MESH", "dimensions": [0.4, 0.4, 0.3], "counts": {"vertices": 42, "edges": 120, "faces": 80}},
            {"name": "Curve", "type": "CURVE", "dimensions": [8, 2, 1], "counts": {"splines": 1, "points": 4}}
        ]
    }))
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_an_example_with_a_plan() {
        let all = nearest_first("zzzz").unwrap();
        assert!(all.len() >= 10, "{}", all.len());
        for example in &all {
            assert!(
                example.prompt().is_some() && example.plan().is_some(),
                "{}",
                example.title()
            );
        }
        let prompt = "scatter 200 rocks on the plane";
        let (some, first) = (near(prompt).unwrap(), nearest_first(prompt).unwrap());
        assert_eq!(first.len(), all.len());
        assert!(some.iter().take(2).any(|example| example.prompt() == Some(prompt)));
        assert!(some.iter().zip(&first).all(|(a, b)| a.title() == b.title()));
        assert!(near("zzzz").unwrap().is_empty(), "nothing in common");
    }
}
