//! The library as a gallery: each preset with a prompt that works on any object that it can be used on.

use geonode_graph::documents::Context;
use serde::Serialize;
use serde_json::json;

use crate::example::scene;
use crate::library::{Entry, Library};
use crate::offline::{self, Options};
use crate::preset::Unnamed;
use crate::refusal::DataError;

/// Stands for the object in the prompt of a card.
pub const OBJECT: &str = "{object}";

/// A preset as it is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    /// Name of the preset's file.
    pub id: String,
    /// Its name.
    pub title: String,
    /// What it does, in one sentence.
    pub description: String,
    /// Types of the objects that it can be used on; empty for all that carry geometry.
    pub kinds: Vec<String>,
    /// The first version of Blender that has its nodes.
    pub since: Option<[u32; 2]>,
    /// A prompt that it fits, with [`OBJECT`] in place of the object's name; without it the prompt is about the active object.
    pub prompt: String,
}

/// Every preset that can be used on an object as it is, by title.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn cards() -> Result<Vec<Card>, DataError> {
    let library = Library::get()?;
    let mut cards: Vec<Card> = library.entries.iter().filter_map(card).collect();
    cards.sort_by(|one, other| one.title.cmp(&other.title));
    Ok(cards)
}

/// The card of a preset, unless it needs a second object: nothing says which one is meant.
fn card(entry: &Entry) -> Option<Card> {
    let preset = &entry.preset;
    if matches!(preset.thing.as_ref().map(|thing| thing.unnamed), Some(Unnamed::Ask)) {
        return None;
    }
    Some(Card {
        id: preset.id.clone(),
        title: preset.title.clone(),
        description: preset.description.clone(),
        kinds: preset.target.kinds.clone(),
        since: preset.since,
        prompt: preset.examples.iter().find_map(|example| general(entry, example))?,
    })
}

/// The example in a form that works on an object of any name: with its object replaced, or as it is.
fn general(entry: &Entry, example: &str) -> Option<String> {
    let understood = offline::understand(example, &scene()?, &Options::default()).ok()?;
    let replaced = understood
        .cast
        .named
        .then(|| replaced(example, &understood.cast.target));
    let mut forms = replaced.flatten().into_iter().chain([example.to_owned()]);
    forms.find(|form| works(entry, form))
}

/// The example with [`OBJECT`] in place of “the cube”.
fn replaced(example: &str, target: &str) -> Option<String> {
    let named = format!("the {}", target.to_lowercase());
    let at = example.to_lowercase().find(&named)?;
    let (before, rest) = (example.get(..at)?, example.get(at + named.len()..)?);
    let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '’');
    ends.then(|| format!("{before}{OBJECT}{rest}"))
}

/// Whether the prompt asks for this preset on the only object of a scene.
fn works(entry: &Entry, prompt: &str) -> bool {
    let kind = entry.preset.target.kinds.first().map_or("MESH", String::as_str);
    let prompt = prompt.replace(OBJECT, NAME);
    lone(NAME, kind)
        .and_then(|scene| offline::understand(&prompt, &scene, &Options::default()).ok())
        .is_some_and(|read| read.preset == entry.preset.id && read.cast.target == NAME)
}

/// A name that says nothing.
const NAME: &str = "Thing";

/// A scene with nothing but one object of this type.
fn lone(name: &str, kind: &str) -> Option<Context> {
    serde_json::from_value(json!({
        "active_object": name,
        "objects": [{
            "name": name, "type": kind, "dimensions": [2, 2, 2],
            "counts": {"vertices": 482, "edges": 992, "faces": 512, "splines": 1, "points": 4},
        }],
    }))
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn almost_every_preset_has_a_card_for_an_object_of_any_name() {
        let cards = cards().unwrap();
        let entries = &Library::get().unwrap().entries;
        let without = entries
            .iter()
            .map(|entry| entry.preset.title.as_str())
            .filter(|title| !cards.iter().any(|card| card.title == *title))
            .collect::<Vec<_>>();
        assert!(cards.len() * 5 >= entries.len() * 4, "no card: {}", without.join(", "));
        assert!(cards.iter().filter(|card| card.prompt.contains(OBJECT)).count() > 5);
        for card in &cards {
            let kind = card.kinds.first().map_or("MESH", String::as_str);
            let name = "My old Object.001";
            let prompt = card.prompt.replace(OBJECT, name);
            let read = offline::understand(&prompt, &lone(name, kind).unwrap(), &Options::default());
            let read = read.unwrap_or_else(|refusal| panic!("{prompt}: {}", refusal.message));
            assert_eq!((&read.preset, read.cast.target.as_str()), (&card.id, name), "{prompt}");
        }
    }
}
