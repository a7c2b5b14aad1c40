//! One request in English: which preset it asks for, on which object, and with which values.

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;

use crate::choose;
use crate::cover;
use crate::degree;
use crate::fill::{self, Filled};
use crate::library::{Entry, Library};
use crate::likeness;
use crate::place;
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::roles::{self, Cast, Thing};
use crate::scene::Referent;
use crate::second;
use crate::stated::{self, Stated};
use crate::template::Read;
use crate::unread::not_understood;
use crate::whole::PresetFile;

/// Longest prompt that is read.
pub const MAX_CHARACTERS: usize = 20_000;
/// Most words of a prompt: a longer sentence does not ask for a single thing.
const MAX_ITEMS: usize = 300;

/// Decisions of the caller that overrule the prompt.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the object that gets the tree, whatever the prompt says.
    pub object: Option<String>,
    /// Digest of the prompt as a run stores it on its results; if empty, the prompt always counts as new.
    pub words: String,
    /// Presets of the user, beside those that ship.
    pub presets: Vec<PresetFile>,
}

pub(crate) fn check_length(prompt: &str) -> Result<(), Refusal> {
    if prompt.trim().is_empty() {
        return Err(Refusal::new(
            Code::PromptEmpty,
            "The prompt is empty. Describe what should be made, e.g. “scatter 200 rocks on the plane”.",
        ));
    }
    if prompt.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(Refusal::new(
            Code::PromptTooLong,
            format!("The prompt is longer than {MAX_CHARACTERS} characters. One sentence is enough."),
        ));
    }
    Ok(())
}

/// Whether the prompt is in another language.
fn foreign(reading: &Reading) -> bool {
    let words: Vec<_> = reading
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Word)
        .collect();
    let letters = words.iter().flat_map(|w| w.text.chars()).filter(|c| c.is_alphabetic());
    let (all, other) = letters.fold((0_usize, 0_usize), |(all, other), c| {
        (all + 1, other + usize::from(!c.is_ascii()))
    });
    if all > 0 && other * 3 > all {
        return true;
    }
    let language = reading.language;
    let theirs = words
        .iter()
        .filter(|w| language.other_languages.contains(&w.text))
        .count();
    let ours = words.iter().filter(|w| {
        !language.other_languages.contains(&w.text)
            && (language.stop.contains(&w.text)
                || language.prepositions.contains(&w.text)
                || language.is_determiner(&w.text))
    });
    theirs >= 2 && theirs >= ours.count()
}

/// Whether the sentence is a question instead of a request: “how do I …”, “is the plane subdivided?”.
fn asks(reading: &Reading) -> bool {
    let Some(first) = reading.item(0) else { return false };
    let possible = (1..reading.items.len().min(6)).any(|at| reading.is(at, &["possible", "able"]));
    // “when I use hair my computer stops, so put grass on the plane”.
    let marked = |mark: char| reading.items.iter().any(|item| item.kind == ItemKind::Break(mark));
    let aside = reading.is(0, &["when", "where"]) && marked(',') && !marked('?');
    reading.language.questions.contains(&first.text) && !aside
        || (reading.language.state_questions.contains(&first.text) && !possible)
}

/// The verb that asks for a removal, where the sentence opens with one after any polite words: its stem.
fn removes<'r>(reading: &'r Reading) -> Option<&'r String> {
    let language = reading.language;
    let words = || reading.items.iter().filter(|item| item.kind == ItemKind::Word);
    // “turn off the wireframe”: “turn” alone is a word of presets.
    let off = words().find(|item| item.text == "off");
    let first = words().find(|item| {
        let switches = off.is_some() && language.switches.contains(&item.text);
        switches || language.removals.contains(&item.text) || !language.stop.contains(&item.text)
    })?;
    if language.removals.contains(&first.text) {
        return Some(&first.stem);
    }
    off.filter(|_| language.switches.contains(&first.text))
        .map(|off| &off.stem)
}

/// What may be the thing to place, where the prompt names none that is known: “mushrooms growing on my plane” are no cubes.
fn unknown_thing(cast: &Cast, unused: &[String], reading: &Reading) -> Option<Refusal> {
    let shape = matches!(cast.thing, Some(Thing::Shape(_, None))) && !cast.kept;
    let noun = |word: &&String| {
        let item = reading.items.iter().find(|item| item.typed == **word);
        let manner = ["ly", "ed", "ing"].iter().any(|end| word.ends_with(end));
        !manner
            && item.is_some_and(|item| {
                item.kind == ItemKind::Word
                    && !reading.is_empty_word(item)
                    && !reading.language.materials.contains(&item.stem)
                    && !reading.language.telling.contains(&item.text)
            })
    };
    let word = unused.iter().filter(|_| shape).find(noun)?;
    Some(Refusal::new(
        Code::UnknownObject,
        format!(
            "There is no object called “{word}” in the scene, and no preset makes it. Nothing was changed. Add one, or name another thing to place, such as cubes, spheres or an object of the scene."
        ),
    ))
}

pub(crate) fn read<'a>(
    library: &'a Library,
    prompt: &str,
    context: &Context,
    options: &Options,
) -> Result<Read<'a>, Refusal> {
    check_length(prompt)?;
    let mut reading = Reading::new(prompt, context, &library.language, |word, names| {
        library.correct(word, names)
    });
    let stated = stated::take(&mut reading, context);
    if reading.items.len() > MAX_ITEMS {
        return Err(Refusal::new(
            Code::PartlyUnderstood,
            format!("The offline planner reads prompts of up to {MAX_ITEMS} words; this one is longer. Say it in one sentence, or choose a language model."),
        )
        .near(library.nearest(prompt.get(..prompt.len().min(2000)).unwrap_or_default())));
    }
    if foreign(&reading) {
        return Err(Refusal::new(
            Code::NotEnglish,
            "The offline planner reads English, and common prompts in German, French and Spanish. Write the prompt in English, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    if asks(&reading) {
        return Err(Refusal::new(
            Code::NoPresetMatch,
            "This is a question that the offline planner has no answer to: it says how many, how large, which materials, objects or modifiers there are, and what a tree does. Ask that, say what should be made, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    let removal = removes(&reading);
    let entry = match (choose::choose(library, &reading, prompt), removal) {
        // “Delete every other face” is what a preset does; “delete the cube” is nothing that one could.
        (Ok(entry), Some(verb)) if entry.vocabulary.contains(verb) => entry,
        (_, Some(_)) => {
            return Err(Refusal::new(
                Code::NoPresetMatch,
                "The offline planner only creates things; it removes nothing. Remove the modifier or the object in Blender, or choose a language model.",
            )
            .near(library.nearest(prompt)));
        }
        (chosen, None) => chosen?,
    };
    filled(library, entry, (&reading, &stated), prompt, context, options)
}

/// The request as one of this preset, whatever it would be by itself: words that change a result need not name it.
pub(crate) fn read_as<'a>(
    library: &'a Library,
    entry: &'a Entry,
    prompt: &str,
    context: &Context,
    options: &Options,
) -> Result<Read<'a>, Refusal> {
    let mut reading = Reading::new(prompt, context, &library.language, |word, names| {
        library.correct(word, names)
    });
    let stated = stated::take(&mut reading, context);
    if asks(&reading) || removes(&reading).is_some() {
        return Err(Refusal::new(Code::NoPresetMatch, "This changes no value."));
    }
    filled(library, entry, (&reading, &stated), prompt, context, options)
}

/// Words by which something else than the target would be hidden: “scatter rocks on the plane without the cube”.
fn hides_another(entry: &Entry, reading: &Reading, cast: &Cast, filled: &Filled) -> Option<String> {
    let keeps = entry
        .slots
        .iter()
        .filter(|slot| slot.parameter.name.starts_with("keep"));
    let mut words = keeps.filter_map(|slot| filled.sources.get(&slot.parameter.name));
    let other = |words: &&String| {
        let mut items = filled.used.iter().filter_map(|at| reading.item(*at));
        items.any(|item| match &item.kind {
            ItemKind::Mention(mention) => {
                matches!(&mention.referent, Referent::Object { name, .. } if *name != cast.target)
                    && words.contains(&item.typed)
            }
            _ => false,
        })
    };
    words.find(other).cloned()
}

/// Objects and values of a request of this preset.
fn filled<'a>(
    library: &'a Library,
    entry: &'a Entry,
    (reading, stated): (&Reading, &[Stated]),
    prompt: &str,
    context: &Context,
    options: &Options,
) -> Result<Read<'a>, Refusal> {
    let cast = roles::cast(entry, reading, context, (options.object.as_deref(), &options.words))?;
    if let Some(refusal) = stated.iter().find_map(|one| one.contradicts(&cast.target, context)) {
        return Err(refusal);
    }
    let active = context.focus().is_some_and(|object| object.name == cast.target);
    if let Some(refusal) = choose::only_described(entry, reading, &cast.target).filter(|_| !active) {
        return Err(refusal);
    }
    if let Some(refusal) = place::refusal(entry, reading, &cast, context).or_else(|| likeness::refusal(entry, reading))
    {
        return Err(refusal);
    }
    let mut filled = fill::fill(entry, reading, &cast.used, &context.units)?;
    degree::shift(entry, reading, &cast.used, &mut filled);
    if let Some(words) = hides_another(entry, reading, &cast, &filled) {
        return Err(not_understood(entry, vec![words]));
    }
    let mut used = cast.used.clone();
    used.extend(&filled.used);
    let unused = cover::leftovers(entry, reading, &used, &filled)?;
    if let Some(refusal) = unknown_thing(&cast, &unused, reading) {
        return Err(refusal);
    }
    let counted = second::counted(reading, prompt, &cast.used);
    let differences = second::differences((reading, stated), prompt, &filled);
    let mut remarks = cast.remarks.clone();
    remarks.extend(place::remark(entry, &cast).filter(|_| cast.named));
    remarks.extend(filled.warnings);
    remarks.extend(differences);
    if !unused.is_empty() {
        remarks.push(format!(
            "Not used: {}.",
            unused
                .iter()
                .map(|word| format!("“{word}”"))
                .collect::<Vec<_>>()
                .join(", ")
        ));
    }
    for (typed, known) in &reading.corrected {
        remarks.push(format!("“{typed}” was read as “{known}”."));
    }
    Ok(Read {
        entry,
        library,
        cast,
        values: filled.values,
        shifts: filled.shifts,
        sources: filled.sources,
        remarks,
        unused,
        counted,
        compared: false,
    })
}
