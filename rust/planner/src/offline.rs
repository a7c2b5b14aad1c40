//! Plans without a model: the prompt is matched to a preset, and the preset's parameters are read from its words.

use std::collections::HashMap;

use geonode_protocol::Code;
use serde_json::Value;

use crate::build::build;
use crate::change::preset_of;
use crate::choose;
use crate::cover;
use crate::fill::{self, PromptValue};
use crate::library::{Entry, Library};
use crate::naming::{About, last_result, names};
use crate::reading::{ItemKind, Reading};
use crate::refusal::Refusal;
use crate::roles::{self, Cast};
use crate::template::Read;
use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::{Context, SceneObject};

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
}

/// What was read from a prompt, before it becomes a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// Preset by file name.
    pub preset: String,
    /// Target and thing.
    pub cast: Cast,
    /// Parameters that the prompt gave, in metres, radians or plain numbers.
    pub values: HashMap<String, PromptValue>,
}

/// Plans a prompt.
///
/// # Errors
/// A [`Refusal`] with a stable code, the cause and the fix.
pub fn plan(prompt: &str, context: &Context, options: &Options) -> Result<Value, Refusal> {
    let library = Library::get()?;
    let (rest, instead) = without_instead(library, prompt);
    if !instead && !opens_with_a_change(library, rest) {
        let read = read(library, rest, context, options)?;
        return build(&read, context, About::New(&options.words));
    }
    let said = read(library, rest, context, options);
    let refused = match said {
        Ok(read) => return build(&read, context, About::Last),
        Err(refusal) => refusal,
    };
    // “make it 300”, “use spheres instead”: the last result says what of.
    let Some((object, last)) = last_of(context, options) else {
        return Err(refused);
    };
    let preset = last
        .node_group
        .as_deref()
        .and_then(|group| preset_of(&library.entries, group));
    let title = preset.map_or("", |preset| preset.preset.title.as_str());
    if let Some(why) = names(title, object, context, About::Last).remark
        && (preset.is_some() || last.lapsed)
    {
        return Err(Refusal::new(
            refused.code,
            format!("{} {}", why.replace("; this is a new one", ""), refused.message),
        ));
    }
    let Some(preset) = preset.filter(|_| last.made.is_some()) else {
        return Err(refused);
    };
    for full in in_full(library, rest, preset) {
        if let Ok(read) = read(library, &full, context, options)
            && read.entry.preset.id == preset.preset.id
        {
            return build(&read, context, About::Last);
        }
    }
    Err(refused)
}

/// The object that the prompt is about, and the last result on it.
fn last_of<'c>(context: &'c Context, options: &Options) -> Option<(&'c SceneObject, &'c Modifier)> {
    let object = match &options.object {
        Some(name) => context.object(name),
        None => context.focus(),
    }?;
    Some((object, last_result(object)?))
}

/// The prompt without a word such as “instead” at its beginning or end, and whether it has one; elsewhere the word is read with the rest.
fn without_instead<'p>(library: &Library, prompt: &'p str) -> (&'p str, bool) {
    let edge = |c: char| !c.is_alphanumeric();
    let trimmed = prompt.trim_matches(edge);
    let is_one = |word: &str| library.language.instead.contains(&word.to_lowercase());
    if let Some((rest, _)) = trimmed.rsplit_once(edge).filter(|(_, last)| is_one(last)) {
        return (rest, true);
    }
    match trimmed.split_once(edge) {
        Some((_, rest)) if trimmed.split(edge).next().is_some_and(is_one) => (rest, true),
        _ => (prompt, false),
    }
}

/// Whether the prompt begins by changing the present result: “change it to 50”. Later such words only add to what is asked for.
fn opens_with_a_change(library: &Library, prompt: &str) -> bool {
    let words = prompt
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect::<Vec<_>>();
    let language = &library.language;
    // “please change it”: words without a meaning of their own may come before.
    let before = words.iter().take_while(|word| language.stop.contains(*word)).count();
    (0..=before).any(|at| {
        let rest = words.get(at..).unwrap_or_default();
        language.changes.iter().any(|phrase| rest.starts_with(phrase))
    })
}

/// A change in the words of the preset that it is about: “make it 300” of a scatter is “scatter 300 copies”. None for a change that is
/// relative to what is there: “twice as many”.
fn in_full(library: &Library, prompt: &str, last: &Entry) -> Vec<String> {
    let language = &library.language;
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let relative = |word: &&str| {
        let word = plain(word);
        language.relative.contains(&word)
            || language.times.contains_key(&word)
            || language.fractions.contains_key(&word)
    };
    if words.iter().any(relative) {
        return Vec::new();
    }
    let opens = |word: &&&str| {
        let word = plain(word);
        let changes = language.changes.iter().flatten().chain(&language.change_of);
        changes.into_iter().any(|one| *one == word) || language.stop.contains(&word)
    };
    let opening = words.iter().take_while(opens).count();
    let rest = words.get(opening..).unwrap_or_default();
    let bare = rest.len() == 1 && rest.iter().all(|word| word.parse::<f64>().is_ok());
    let noun = if bare && last.preset.thing.is_some() {
        " copies"
    } else {
        ""
    };
    let rest = rest.join(" ");
    let title = last.preset.title.to_lowercase();
    let example = last
        .preset
        .examples
        .first()
        .and_then(|example| example.split(' ').next());
    let verb = example.unwrap_or_default();
    vec![
        format!("{verb} {rest}{noun}"),
        format!("{title} {rest}{noun}"),
        format!("{title} of {rest}{noun}"),
    ]
}

/// Reads a prompt without building the plan.
///
/// # Errors
/// As [`plan`].
pub fn understand(prompt: &str, context: &Context, options: &Options) -> Result<Understood, Refusal> {
    let library = Library::get()?;
    let read = read(library, without_instead(library, prompt).0, context, options)?;
    Ok(Understood {
        preset: read.entry.preset.id.clone(),
        cast: read.cast,
        values: read.values,
    })
}

fn check_length(prompt: &str) -> Result<(), Refusal> {
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
    reading.language.questions.contains(&first.text)
        || (reading.language.state_questions.contains(&first.text) && !possible)
}

/// Whether the sentence opens with a verb that asks for a removal, after any polite words.
fn removes(reading: &Reading) -> bool {
    let language = reading.language;
    reading
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Word)
        .find(|item| language.removals.contains(&item.text) || !language.stop.contains(&item.text))
        .is_some_and(|item| language.removals.contains(&item.text))
}

fn read<'a>(library: &'a Library, prompt: &str, context: &Context, options: &Options) -> Result<Read<'a>, Refusal> {
    check_length(prompt)?;
    let reading = Reading::new(prompt, context, &library.language, |word| library.correct(word));
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
            "The offline planner reads English only. Write the prompt in English, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    let question = asks(&reading);
    if question {
        return Err(Refusal::new(
            Code::NoPresetMatch,
            "This is a question; the offline planner only carries out instructions. Say what should be made, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    if removes(&reading) {
        return Err(Refusal::new(
            Code::NoPresetMatch,
            "The offline planner only creates things; it removes nothing. Remove the modifier or the object in Blender, or choose a language model.",
        )
        .near(library.nearest(prompt)));
    }
    let entry = choose::choose(library, &reading, prompt)?;
    let cast = roles::cast(entry, &reading, context, options.object.as_deref())?;
    let filled = fill::fill(entry, &reading, &cast.used, &context.units)?;
    let mut used = cast.used.clone();
    used.extend(&filled.used);
    let unused = cover::leftovers(entry, &reading, &used)?;
    let mut remarks = cast.remarks.clone();
    remarks.extend(filled.warnings);
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
        remarks,
    })
}
