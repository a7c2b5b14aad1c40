//! The library as a gallery: for each preset a prompt that works on any object that it can be used on.

use geonode_graph::documents::Context;
use serde_json::json;

use crate::example::scene;
use crate::library::{Entry, Library};
use crate::offline::{self, Options};
use crate::preset::Unnamed;
use crate::refusal::DataError;

/// Stands for the object in a prompt.
pub const OBJECT: &str = "{object}";

/// A prompt that the shipped preset of this name fits, with [`OBJECT`] in place of the object's name; without it the prompt is about the
/// active object. `None` if there is none: for the user's presets, and where nothing says which second object is meant.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn prompt(id: &str) -> Result<Option<String>, DataError> {
    let entry = Library::get()?.entries.iter().find(|entry| entry.preset.id == id);
    let asks = |entry: &&Entry| {
        matches!(
            entry.preset.thing.as_ref().map(|thing| thing.unnamed),
            Some(Unnamed::Ask)
        )
    };
    let alone = entry.filter(|entry| !asks(entry));
    Ok(alone.and_then(|entry| entry.preset.examples.iter().find_map(|example| general(entry, example))))
}

/// The IDs of the shipped presets that are nearest to a prompt, the nearest first: those that a refusal of it names.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn nearest(prompt: &str) -> Result<Vec<String>, DataError> {
    let library = Library::get()?;
    let cut = prompt
        .char_indices()
        .nth(LONGEST)
        .map_or(prompt, |(at, _)| prompt.get(..at).unwrap_or_default());
    let titles = library.best(cut).into_iter().map(|near| near.title);
    let known = |title: String| library.entries.iter().find(|entry| entry.preset.title == title);
    Ok(titles.filter_map(known).map(|entry| entry.preset.id.clone()).collect())
}

/// Characters of a prompt that are compared.
const LONGEST: usize = 2000;

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
        .is_some_and(|read| {
            // What copies things copies the object, where that is offered.
            let made = read.cast.makes && entry.preset.thing.is_none();
            read.preset == entry.preset.id && (made || read.cast.target == NAME)
        })
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
    fn the_nearest_presets_are_those_that_a_refusal_names() {
        let found = nearest("scatter something like pebbles over it").unwrap();
        assert_eq!(found.len(), 3);
        assert!(found.iter().any(|id| id.contains("scatter")), "{found:?}");
        assert_eq!(nearest(&"ä".repeat(5000)).unwrap().len(), 3);
    }

    #[test]
    fn almost_every_preset_has_a_prompt_for_an_object_of_any_name() {
        let entries = &Library::get().unwrap().entries;
        let (mut named, mut without) = (0, Vec::new());
        for entry in entries {
            let id = &entry.preset.id;
            let Some(prompt) = prompt(id).unwrap() else {
                without.push(id.as_str());
                continue;
            };
            named += usize::from(prompt.contains(OBJECT));
            let kind = entry.preset.target.kinds.first().map_or("MESH", String::as_str);
            let name = "My old Object.001";
            let prompt = prompt.replace(OBJECT, name);
            let read = offline::understand(&prompt, &lone(name, kind).unwrap(), &Options::default());
            let read = read.unwrap_or_else(|refusal| panic!("{prompt}: {}", refusal.message));
            assert_eq!(&read.preset, id, "{prompt}");
            let made = read.cast.makes && entry.preset.thing.is_none();
            assert!(made || read.cast.target == name, "{prompt}: {}", read.cast.target);
        }
        assert!(without.len() * 5 <= entries.len(), "no prompt: {}", without.join(", "));
        assert!(named > 5);
        assert_eq!(prompt("nothing").unwrap(), None);
        assert_eq!(prompt("boolean").unwrap(), None, "what to cut with is not said");
    }
}
