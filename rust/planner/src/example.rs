//! Presets as examples of a prompt and its plan.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::choose;
use crate::library::{Entry, Library};
use crate::offline::{self, Options};
use crate::reading::Reading;
use crate::refusal::DataError;
use geonode_graph::documents::Context;

/// Bytes of a prompt that are compared with the presets.
const MOST_COMPARED: usize = 2000;

/// The scene in which prompts are compared.
static SCENE: LazyLock<Context> = LazyLock::new(|| scene().unwrap_or_default());

/// A preset as an example.
pub struct Example {
    entry: &'static Entry,
    fit: f64,
    fits: bool,
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

    /// Whether the words ask for what the preset does; otherwise they only share some with it.
    pub fn fits(&self) -> bool {
        self.fits
    }

    /// The plan for this prompt in a small scene of this Blender, for example `5.2.3`; `None` if it lacks the nodes.
    pub fn plan(&self, blender: &str) -> Option<Value> {
        let mut context = scene()?;
        for (place, number) in context.blender.iter_mut().zip(blender.split('.')) {
            *place = number.parse().unwrap_or(0);
        }
        offline::plan(self.prompt()?, &context, &Options::default()).ok()
    }
}

/// Presets that share words with the prompt, the nearest first.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn near(prompt: &str) -> Result<Vec<Example>, DataError> {
    let library = Library::get()?;
    Ok(ranked(library, prompt))
}

/// Every preset, the nearest to the prompt first.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn nearest_first(prompt: &str) -> Result<Vec<Example>, DataError> {
    let library = Library::get()?;
    let mut order = ranked(library, prompt);
    for entry in &library.entries {
        if !order.iter().any(|example| example.entry.preset.id == entry.preset.id) {
            order.push(Example {
                entry,
                fit: 0.0,
                fits: false,
            });
        }
    }
    Ok(order)
}

/// The presets that the prompt asks for, the surest first, then those that share words with it.
fn ranked(library: &'static Library, prompt: &str) -> Vec<Example> {
    let end = (0..=prompt.len().min(MOST_COMPARED))
        .rev()
        .find(|end| prompt.is_char_boundary(*end));
    let compared = prompt.get(..end.unwrap_or_default()).unwrap_or_default();
    let reading = Reading::new(compared, &SCENE, &library.language, |word, names| {
        library.correct(word, names)
    });
    let shared: Vec<usize> = library.rank(compared).into_iter().map(|(at, _)| at).collect();
    let others = (0..library.entries.len()).filter(|at| !shared.contains(at));
    let mut order: Vec<Example> = Vec::new();
    for (place, at) in shared.iter().copied().chain(others).enumerate() {
        let Some(entry) = library.entries.get(at) else { continue };
        let fit = choose::fit(entry, &reading);
        if place < shared.len() || fit > 0.0 {
            let fits = choose::fits(fit, entry, &reading);
            order.push(Example { entry, fit, fits });
        }
    }
    order.sort_by(|one, other| other.fit.total_cmp(&one.fit));
    order
}

/// A scene in which every example can be planned.
pub(crate) fn scene() -> Option<Context> {
    serde_json::from_value(json!({
        "active_object": "Plane",
        "objects": [
            {"name": "Plane", "type": "MESH", "dimensions": [10, 10, 0], "counts": {"vertices": 4, "edges": 4, "faces": 1}},
            {"name": "Cube", "type": "MESH", "dimensions": [2, 2, 2], "counts": {"vertices": 8, "edges": 12, "faces": 6}},
            {"name": "Sphere", "type": "MESH", "dimensions": [2, 2, 2], "counts": {"vertices": 482, "edges": 992, "faces": 512}},
            {"name": "Suzanne", "type": "MESH", "dimensions": [2.7, 1.7, 2], "counts": {"vertices": 507, "edges": 1005, "faces": 500}},
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
                example.prompt().is_some() && example.plan("5.2.0").is_some(),
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
        assert!(nearest_first(&"ä".repeat(2000)).is_ok(), "cut between two characters");
    }

    #[test]
    fn what_is_asked_for_comes_before_what_shares_words() {
        for (prompt, title) in [
            ("scatter 200 rocks", "Scatter"),
            ("scatter 200 small spheres on the cube", "Scatter"),
            ("make the plane bumpy with noise", "Noise Displacement"),
            ("a row of 8 spheres", "Array in a Line"),
            ("a pipe along the curve, 10 cm thick", "Curve to Tube"),
        ] {
            let first = near(prompt).unwrap().into_iter().next().unwrap();
            assert_eq!((first.title(), first.fits()), (title, true), "{prompt}");
        }
        assert!(!near("repeat zone tree branches").unwrap().iter().any(Example::fits));
    }
}
