//! Whether a noun that the scene does not have is a name at all: “taper it to half the width” speaks of no object called “width”.

use crate::degree::MEASURES;
use crate::library::{Entry, Slot};
use crate::nouns::Noun;
use crate::reading::{Item, ItemKind, Reading};
use crate::scene::Referent;

/// The word of a noun that names nothing of the scene and has another reading than that of a name: a measure, a place, what a number of the
/// preset is called, or a word that nothing introduces as a thing. `carries` for what the preset would work on.
pub(crate) fn not_a_name(entry: &Entry, reading: &Reading, noun: &Noun, carries: bool) -> Option<String> {
    let Referent::Unknown(word) = &noun.referent else {
        return None;
    };
    let item = reading.item(noun.at).filter(|item| item.kind == ItemKind::Word)?;
    let language = reading.language;
    let before = |at: usize| noun.at.checked_sub(at).and_then(|at| reading.item(at));
    let called = |item: &Item| ["object", "called", "named", "collection"].contains(&item.text.as_str());
    let capital = noun.at > 0 && item.typed.starts_with(char::is_uppercase);
    if capital || language.shape(&item.stem).is_some() || before(1).is_some_and(called) {
        return None;
    }
    let cues = [item.stem.clone()];
    let measures = |slot: &Slot| slot.speaks_of(&cues);
    let known = MEASURES.contains(&item.text.as_str())
        || language.places.contains(&item.text)
        || language.adjectives.contains(&item.stem)
        || language.colours.contains(&item.stem)
        || language.degrees.contains_key(&item.text)
        || language.comparatives.contains_key(&item.text)
        || entry.slots.iter().any(measures);
    // “on two lines”: what stands there is one thing.
    let several = carries && noun.counted && item.stem != item.text && item.text.ends_with('s');
    let describes = |item: &&Item| {
        item.kind == ItemKind::Word
            && (language.adjectives.contains(&item.stem) || language.colours.contains(&item.stem))
    };
    let introduced = (1..=noun.at)
        .filter_map(before)
        .find(|item| !describes(item))
        .is_some_and(|item| match item.kind {
            ItemKind::Quantity(_) => true,
            ItemKind::Word => {
                language.is_determiner(&item.text)
                    || language.prepositions.contains(&item.text)
                    || entry.introduces(&item.stem)
            }
            _ => false,
        });
    (known || several || !introduced).then(|| word.clone())
}
