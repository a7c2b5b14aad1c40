//! Plans without a model: the prompt is matched to a preset, and the preset's parameters are read from its words.

use std::borrow::Cow;
use std::collections::HashMap;

use geonode_protocol::{Code, Understanding};
use serde_json::{Value, json};

use crate::answer;
use crate::build::{Planned, build};
use crate::copies;
use crate::elsewhere;
use crate::follow::{self, Follow, changes_a_value};
use crate::idiom;
use crate::last::{self, Last};
use crate::library::{Library, preset_of};
use crate::naming::{About, last_result, names};
use crate::part;
use crate::refusal::Refusal;
use crate::relative;
use crate::request::{check_length, read};
use crate::reword;
use crate::roles::{Cast, Thing};
use crate::sequence;
use crate::standing;
use crate::translate;
use crate::values::PromptValue;
use crate::vary;
use crate::wish;
use geonode_graph::documents::context::Context;

pub use crate::request::{MAX_CHARACTERS, Options};

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

/// Plans a prompt, and says how it was read.
///
/// # Errors
/// A [`Refusal`] with a stable code, the cause and the fix.
pub fn answer(prompt: &str, context: &Context, options: &Options) -> Result<Planned, Refusal> {
    check_length(prompt)?;
    let library = &*Library::with(&options.presets)?;
    let prompt = &*wish::written_out(prompt);
    let prompt = &*idiom::written_out(wish::without_no(prompt));
    let prompt = &*vary::written_out(prompt);
    if let Some(said) = answer::answer(prompt, context, library) {
        return Ok(told(&said));
    }
    match in_english(library, prompt, context, options) {
        Err(refusal) => {
            let part = |prompt: &str, refusal| in_part(library, prompt, context, options, refusal);
            let Some(english) = translate::english(prompt, context) else {
                return part(prompt, refusal).map_err(|refusal| in_other_language(prompt, context, refusal));
            };
            let planned = in_english(library, &english, context, options).or_else(|refusal| part(&english, refusal));
            let read = format!("Read as “{english}”.");
            match planned {
                Ok(mut planned) => {
                    planned.understanding.assumed.insert(0, read.clone());
                    if let Some(message) = planned.plan.get_mut("final_message")
                        && let Some(text) = message.as_str()
                    {
                        *message = json!(format!("{text} {read}"));
                    }
                    Ok(planned)
                }
                Err(other) => Err(Refusal {
                    message: format!("{read} {}", other.message),
                    ..other
                }),
            }
        }
        Ok(planned) => {
            let whole = |prompt: &str| plainly_asked(library, prompt, context, options);
            Ok(part::named(library, prompt, context, &whole, planned))
        }
    }
}

/// The refusal of a prompt that is mostly in another language, with the words of it that are not known.
fn in_other_language(prompt: &str, context: &Context, refusal: Refusal) -> Refusal {
    // What can be changed of a result says more than its unknown words.
    if refusal.code != Code::NotEnglish && !refusal.unmatched {
        return refusal;
    }
    let Some((language, mut words)) = translate::unknown_words(prompt, context) else {
        return refusal;
    };
    words.truncate(8);
    let names = format!("“{}”", words.join("”, “"));
    let message = format!(
        "Read as {language}. Not understood: {names}. Nothing was changed. Leave that out, word it differently or in English, or choose a language model."
    );
    Refusal::new(Code::NotEnglish, message)
}

/// The plan of [`answer`].
///
/// # Errors
/// As [`answer`].
pub fn plan(prompt: &str, context: &Context, options: &Options) -> Result<Value, Refusal> {
    answer(prompt, context, options).map(|planned| planned.plan)
}

/// The answer to a question, which changes nothing.
fn told(said: &str) -> Planned {
    let plan = json!({"version": "1.2", "steps": [], "done": true, "final_message": said});
    Planned {
        plan,
        understanding: Understanding::default(),
        made: None,
    }
}

/// The request of a sentence: without what it rejects, and if need be without the words around it.
fn in_english(library: &Library, prompt: &str, context: &Context, options: &Options) -> Result<Planned, Refusal> {
    let kept = wish::without_rejected(prompt, context, &library.language).map(|kept| {
        let last = Last::of(&library.entries, context, options.object.as_deref());
        last.map_or(kept.clone(), |_| format!("{kept} instead"))
    });
    let prompt = kept.as_deref().unwrap_or(prompt);
    if let Some(planned) = beside_talk(library, prompt, context, options) {
        return Ok(planned);
    }
    plainly_asked(library, prompt, context, options)
}

/// As much of a refused sentence as is understood.
fn in_part(
    library: &Library,
    prompt: &str,
    context: &Context,
    options: &Options,
    refusal: Refusal,
) -> Result<Planned, Refusal> {
    // What is about a tree that stands is not in part about something new.
    let stands = standing::refusal(prompt, context, options.object.as_deref(), &library.language).is_some();
    if stands || opens_with_a_change(library, prompt) {
        return Err(refusal);
    }
    let whole = |prompt: &str| plainly_asked(library, prompt, context, options);
    part::carried_out(library, prompt, context, &whole, refusal)
}

/// The request of a sentence, if need be without the words around it.
fn plainly_asked(library: &Library, prompt: &str, context: &Context, options: &Options) -> Result<Planned, Refusal> {
    asked(library, prompt, context, options).or_else(|refusal| {
        // Without the words around it, “the Array that I have” would be a wish for one.
        let chosen = options.object.as_deref();
        let stands = standing::refusal(prompt, context, chosen, &library.language).is_some();
        if stands && Last::of(&library.entries, context, chosen).is_none() {
            return Err(refusal);
        }
        let plain = wish::plainly(prompt, &library.language).ok_or_else(|| refusal.clone())?;
        // The plain words are refused for what they say, not for being a question.
        asked(library, &plain, context, options).map_err(|other| match (refusal.code, other.code) {
            (Code::NoPresetMatch, _) => other,
            (_, Code::NoPresetMatch) => refusal,
            _ => other,
        })
    })
}

/// The request of a prompt with sentences that only tell of the writer's work or trouble, where all of it is no request of its own.
fn beside_talk(library: &Library, prompt: &str, context: &Context, options: &Options) -> Option<Planned> {
    let (rest, told) = wish::without_talk(prompt)?;
    if single(library, prompt, context, options, false).is_ok() {
        return None;
    }
    let planned = asked(library, &rest, context, options);
    let plainly = || asked(library, &wish::plainly(&rest, &library.language)?, context, options).ok();
    let mut planned = planned.ok().or_else(plainly)?;
    let said = format!("Read as no part of the wish: “{}”.", told.join("”, “"));
    if let Some(message) = planned.plan.get_mut("final_message")
        && let Some(text) = message.as_str()
    {
        *message = json!(format!("{text} {said}"));
    }
    planned.understanding.unused.extend(told);
    Some(planned)
}

/// One thing, or several of which each is understood alone.
fn asked(library: &Library, prompt: &str, context: &Context, options: &Options) -> Result<Planned, Refusal> {
    let whole = single(library, prompt, context, options, false);
    let chosen = options.object.as_deref();
    let mut context = context.clone();
    if let Some(chosen) = chosen {
        context.target_object = Some(chosen.to_owned());
    }
    let free = Options {
        object: None,
        ..options.clone()
    };
    // Each part may name its own object, unless one is chosen for all of them.
    let part = |prompt: &str, context: &Context, follows: bool| {
        let planned = single(library, prompt, context, &free, follows).ok()?;
        let other = |name| planned.made.as_ref().is_some_and(|made| made.object != name);
        (!chosen.is_some_and(other)).then_some(planned)
    };
    let refusal = match whole {
        Ok(planned) if !sequence::loses_colours(&planned) => return Ok(planned),
        Ok(planned) => {
            let both = sequence::without_colours(prompt)
                .into_iter()
                .flatten()
                .find_map(|rest| {
                    let made = single(library, &rest, &context, &free, false).ok()?;
                    sequence::with_colours(made, &context, &part)
                });
            return Ok(both.unwrap_or(planned));
        }
        Err(refusal) => refusal,
    };
    if let Some(planned) = sequence::planned(library, prompt, &context, &part) {
        return Ok(planned);
    }
    if let Some(rests) = sequence::without_colours(prompt) {
        let mut refused = None;
        for rest in rests {
            match single(library, &rest, &context, &free, false) {
                Ok(made) => {
                    if let Some(both) = sequence::with_colours(made, &context, &part) {
                        return Ok(both);
                    }
                }
                Err(other) => refused = Some(other),
            }
        }
        // Refused, it is for what else the prompt says.
        return Err(refused.unwrap_or(refusal));
    }
    Err(of_one_half(library, prompt, &context, &free, refusal))
}

/// The refusal of two wishes where one of them is understood: it is about the other.
fn of_one_half(library: &Library, prompt: &str, context: &Context, options: &Options, refusal: Refusal) -> Refusal {
    if refusal.code != Code::SeveralWishes {
        return refusal;
    }
    let mut halves = sequence::halves(library, prompt).filter(|(first, rest)| !first.is_empty() && !rest.is_empty());
    let other = halves.find_map(|(first, rest)| {
        single(library, first, context, options, false).ok()?;
        let other = single(library, rest, context, options, true).err()?;
        let message = format!("“{first}” is understood. The rest, “{rest}”, is not. {}", other.message);
        Some(Refusal {
            message,
            instead: Some(first.to_owned()),
            ..other
        })
    });
    other.unwrap_or(refusal)
}

/// The plan of one request; one that `follows` another in the same prompt is about no earlier result.
fn single(
    library: &Library,
    prompt: &str,
    context: &Context,
    options: &Options,
    follows: bool,
) -> Result<Planned, Refusal> {
    let last = Last::of(&library.entries, context, options.object.as_deref()).filter(|_| !follows);
    let other = in_other_words(library, last.as_ref(), prompt, context);
    let prompt = other.as_deref().unwrap_or(prompt);
    let (rest, instead) = without_instead(library, prompt);
    let rest = rest.as_ref();
    if let Some(answer) = beside_change(library, last.as_ref(), rest, context, options) {
        return answer;
    }
    let counted = last.as_ref().and_then(|last| follow::of_them(library, last, rest));
    let rest = counted.as_deref().unwrap_or(rest);
    if let Some(last) = &last {
        let follow = Follow {
            library,
            last,
            context,
            options,
            on_last: options,
            prompt,
        };
        // “larger, and half as many”: several changes, each read alone; “with a hole of 20 cm” goes on about what has one.
        let read = follow.complaint(rest).or_else(|| follow.changes(rest));
        if let Some(read) = read.or_else(|| follow.completed(rest).map(Ok)) {
            return build(&read?, context, About::Last);
        }
    }
    if last.is_none()
        && !follows
        && let Some(refusal) = standing::refusal(rest, context, options.object.as_deref(), &library.language)
    {
        return Err(refusal);
    }
    let changes = !follows && (instead || opens_with_a_change(library, rest));
    let on_last = last.as_ref().map(|last| Options {
        object: Some(last.object.name.clone()),
        ..options.clone()
    });
    let on_last = on_last.as_ref().unwrap_or(options);
    let first = match read(library, rest, context, options) {
        // “make that 6x6” is about the result, wherever it is.
        Ok(read_here) if changes && !read_here.cast.named && last.is_some() => read(library, rest, context, on_last),
        other => other,
    };
    if let (Ok(here), Some(last)) = (&first, &last) {
        let follow = Follow {
            library,
            last,
            context,
            options,
            on_last,
            prompt,
        };
        if let Some(planned) = follow.instead_of(here, rest, changes) {
            return planned;
        }
    }
    let first = copies::not_of_ground(last.as_ref(), first, rest);
    // “8 of them” and “make it 12” are said of the last result, whatever else has so many copies.
    let about_last = counted.is_some() || changes && changes_a_value(library, rest);
    let first = match (first, &last) {
        (Ok(read), Some(last)) if about_last && !read.cast.named && read.entry.preset.id != last.entry.preset.id => {
            Err(relative::unclear(last, prompt))
        }
        (other, _) => other,
    };
    let refused = match first {
        Ok(mut read) if changes => {
            if let Some(last) = &last {
                last.keep_thing(&mut read);
            }
            if let Some(refusal) = last::multiplied(library, &read, context, options).filter(|_| !read.cast.kept) {
                return Err(refusal);
            }
            return build(&read, context, About::Last);
        }
        Ok(read) => {
            return match last::multiplied(library, &read, context, options) {
                Some(refusal) => Err(refusal),
                None => build(&read, context, About::New(&options.words)),
            };
        }
        Err(refusal) => refusal,
    };
    let Some(last) = last else {
        return Err(about_no_preset(library, refused, context, options, changes));
    };
    let follow = Follow {
        library,
        last: &last,
        context,
        options,
        on_last,
        prompt,
    };
    match follow.read(rest, changes) {
        Some(read) => build(&read?, context, About::Last),
        None => Err(follow.refusal(rest, refused)),
    }
}

/// What a prompt about the last result says that changes nothing of it: a further one, or another place.
fn beside_change(
    library: &Library,
    last: Option<&Last>,
    rest: &str,
    context: &Context,
    options: &Options,
) -> Option<Result<Planned, Refusal>> {
    let last = last?;
    match follow::another(library, last, rest) {
        Some(more) => Some(one_more(library, last, &more, context, options)),
        None => elsewhere::moved(library, last, rest, context, options).map(Err),
    }
}

/// A change of the last result in words that changes know.
fn in_other_words(library: &Library, last: Option<&Last>, prompt: &str, context: &Context) -> Option<String> {
    let language = &library.language;
    copies::other_thing(library, last, prompt, context)
        .or_else(|| copies::coloured(last, prompt, language))
        .or_else(|| reword::half(prompt, last?.entry, language))
        .or_else(|| reword::named(prompt, last?.entry, language, context))
        .or_else(|| reword::change(prompt, language, &words_of(last?)))
}

/// The words for what the last result shows, and for what shows it.
fn words_of(last: &Last) -> Vec<String> {
    let thing = match last.thing() {
        Some(Thing::Object(name) | Thing::Collection(name) | Thing::Shape(name, _)) => Some(name),
        _ => None,
    };
    let names = thing.into_iter().chain([last.object.name.clone()]);
    let forms = names
        .map(|name| name.to_lowercase())
        .flat_map(|name| [format!("{name}s"), name]);
    forms.collect()
}

/// A further one of what the last result is, on an object of its own.
fn one_more(
    library: &Library,
    last: &Last,
    more: &str,
    context: &Context,
    options: &Options,
) -> Result<Planned, Refusal> {
    if last.thing() == Some(Thing::Itself) {
        return Err(last::shows_copies(last));
    }
    let prompt = format!("a {} {more}", last.entry.preset.title.to_lowercase());
    let read = read(library, &prompt, context, options)?;
    build(&read, context, About::New(&options.words))
}

/// The refusal of a change where the last result is not a preset's, with the reason.
fn about_no_preset(
    library: &Library,
    refused: Refusal,
    context: &Context,
    options: &Options,
    changes: bool,
) -> Refusal {
    let object = match &options.object {
        Some(name) => context.object(name),
        None => context.focus(),
    };
    let Some((object, last)) = object
        .and_then(|object| Some((object, last_result(object)?)))
        .filter(|_| changes)
    else {
        return refused;
    };
    let preset = last
        .node_group
        .as_deref()
        .and_then(|group| preset_of(&library.entries, group));
    let title = preset.map_or("", |preset| preset.preset.title.as_str());
    match names(title, object, context, About::Last).remark {
        Some(why) if preset.is_some() || last.lapsed => Refusal::new(
            refused.code,
            format!("{} {}", why.replace("; this is a new one", ""), refused.message),
        ),
        _ => refused,
    }
}

/// The prompt without a word such as “instead” at its beginning or end, and whether it has one; elsewhere the word is read with the rest.
fn without_instead<'p>(library: &Library, prompt: &'p str) -> (Cow<'p, str>, bool) {
    let edge = |c: char| !c.is_alphanumeric();
    let trimmed = prompt.trim_matches(edge);
    let is_one = |word: &str| library.language.instead.contains(&word.to_lowercase());
    if let Some((rest, _)) = trimmed.rsplit_once(edge).filter(|(_, last)| is_one(last)) {
        return (rest.into(), true);
    }
    match trimmed.split_once(edge) {
        Some((_, rest)) if trimmed.split(edge).next().is_some_and(is_one) => (rest.into(), true),
        _ => match within(library, trimmed) {
            Some(rest) => (rest.into(), true),
            None => (prompt.into(), false),
        },
    }
}

/// “4 metres apart instead, and 8 of them” without the word, where a clause ends after it.
fn within(library: &Library, prompt: &str) -> Option<String> {
    library.language.instead.iter().find_map(|word| {
        let (before, after) = prompt.split_once(&format!(" {word}"))?;
        let ends = after.starts_with([',', ';', '.']) || after.starts_with(" and ");
        ends.then(|| format!("{before}{after}"))
    })
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

/// Reads a prompt without building the plan.
///
/// # Errors
/// As [`plan`].
pub fn understand(prompt: &str, context: &Context, options: &Options) -> Result<Understood, Refusal> {
    let library = &*Library::with(&options.presets)?;
    let prompt = &*wish::written_out(prompt);
    let prompt = &*idiom::written_out(prompt);
    let prompt = &*vary::written_out(prompt);
    let kept = wish::without_rejected(prompt, context, &library.language);
    let prompt = kept.as_deref().unwrap_or(prompt);
    let read_plainly = |prompt: &str| read(library, &without_instead(library, prompt).0, context, options);
    let read = read_plainly(prompt).or_else(|refusal| match wish::plainly(prompt, &library.language) {
        Some(plain) => read_plainly(&plain),
        None => Err(refusal),
    })?;
    Ok(Understood {
        preset: read.entry.preset.id.clone(),
        cast: read.cast,
        values: read.values,
    })
}
