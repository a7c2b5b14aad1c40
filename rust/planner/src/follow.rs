//! Changes of the last result in its own words: “make it 300”, “8 of them”, “only on the left half”, “4 m apart and 8 of them”.

use geonode_graph::documents::context::Context;
use geonode_protocol::Code;

use crate::build::{Planned, build};
use crate::complaint;
use crate::degree::counting;
use crate::last::Last;
use crate::library::{Entry, Library, Slot};
use crate::naming::About;
use crate::page::title;
use crate::preset::{Parameter, ParameterKind, Rule};
use crate::reading::{Item, Reading};
use crate::refusal::Refusal;
use crate::relative;
use crate::request::{Options, read, read_as};
use crate::roles::Thing;
use crate::template::Read;
use crate::tokens::stem;
use crate::values::PromptValue;

/// A prompt about the last result.
pub(crate) struct Follow<'r, 'a> {
    pub(crate) library: &'a Library,
    pub(crate) last: &'r Last<'a>,
    pub(crate) context: &'r Context,
    pub(crate) options: &'r Options,
    /// The options with the object of the last result.
    pub(crate) on_last: &'r Options,
    /// The words of the artist.
    pub(crate) prompt: &'r str,
}

impl<'a> Follow<'_, 'a> {
    /// The change that a prompt asks for, as a whole or in parts; none if it seems to be about something else.
    pub(crate) fn read(&self, rest: &str, changes: bool) -> Option<Result<Read<'a>, Refusal>> {
        self.whole(rest, changes).map(Ok).or_else(|| self.parts(rest))
    }

    /// Changes that compare with what is there, or several of one sentence.
    pub(crate) fn changes(&self, rest: &str) -> Option<Result<Read<'a>, Refusal>> {
        let Some((_, second)) = self.joined(rest).next() else {
            return relative::read(self.library, self.last, rest, self.context);
        };
        // “thicker, 25 cm” is one change; of two, none may be lost.
        let value = second.trim().starts_with(|c: char| c.is_ascii_digit()) && second.split_whitespace().count() <= 2;
        let whole =
            || relative::read(self.library, self.last, rest, self.context).filter(|read| value || read.is_err());
        self.parts(rest).or_else(whole)
    }

    /// “make it 300”, “use spheres instead”, “radius 8 m”, “undo the random rotation”: the last result says what of.
    fn whole(&self, rest: &str, changes: bool) -> Option<Read<'a>> {
        let switched_off = without_removal(self.library, rest);
        // “remove the scatter” takes the result away, and switches nothing in it off.
        if switched_off
            .as_deref()
            .is_some_and(|off| self.whole_result(off).is_some())
        {
            return None;
        }
        let rest = switched_off.as_deref().unwrap_or(rest);
        let named = in_full(self.library, rest, self.last.entry);
        // What the preset's own words leave open is read without them too.
        let bare = (!named.is_empty()).then(|| self.as_last(rest));
        let written_out = named.iter().map(|full| {
            read(self.library, full, self.context, self.options).and_then(|here| {
                if here.cast.named {
                    Ok(here)
                } else {
                    read(self.library, full, self.context, self.on_last)
                }
            })
        });
        for read in written_out.chain(bare) {
            let Ok(mut read) = read else { continue };
            for source in read.sources.values_mut() {
                *source = spoken(source, self.prompt);
            }
            // “make it 12” does not say what is 12 m long.
            let measured = |name: &String| {
                let length = |parameter: &Parameter| parameter.kind == ParameterKind::Length;
                self.last.entry.preset.parameter(name).is_some_and(length)
            };
            let speaks = |word: &str| word.contains(char::is_alphabetic) && !self.library.language.stop.contains(word);
            let bare = |(name, words): (&String, &String)| measured(name) && !words.split(' ').any(speaks);
            if read.sources.iter().any(bare) || !read.unused.is_empty() {
                continue;
            }
            // “no leaves” switches caps off, or bareness on; “no rails” makes their number 0.
            let off = |value: &PromptValue| match value {
                PromptValue::Bool(_) => true,
                PromptValue::Number(number) => *number == 0.0,
                PromptValue::Choice(..) => false,
            };
            if switched_off.is_some() && !read.values.values().any(off) {
                continue;
            }
            if read.entry.preset.id == self.last.entry.preset.id && read.cast.target == self.last.object.name {
                self.last.keep_thing(&mut read);
                // Without a word of change, only what sets a value is one.
                let same_thing = read.cast.thing.is_some() && read.cast.thing == self.last.thing();
                let stays = read.cast.kept || same_thing || read.cast.thing.is_none() && !read.cast.named;
                if changes || !(read.values.is_empty() && read.shifts.is_empty()) && stays {
                    return Some(read);
                }
            }
        }
        None
    }

    /// What words that only complete a sentence give the last result, if it has parameters for all of them.
    pub(crate) fn completed(&self, rest: &str) -> Option<Read<'a>> {
        let read = goes_on(rest).then(|| self.whole(rest, true)).flatten()?;
        let gives = !(read.values.is_empty() && read.shifts.is_empty());
        (gives && !read.cast.named && (read.cast.thing.is_none() || read.cast.kept)).then_some(read)
    }

    /// The words as those of the last result's preset.
    fn as_last(&self, rest: &str) -> Result<Read<'a>, Refusal> {
        read_as(self.library, self.last.entry, rest, self.context, self.on_last)
    }

    /// The change that a prompt asks for which could be something new, but names nothing: “only 3 rows” after a grid, “each step 20 cm high”.
    pub(crate) fn instead_of(&self, here: &Read, rest: &str, changes: bool) -> Option<Result<Planned, Refusal>> {
        let nothing = matches!(&here.cast.thing, None | Some(Thing::Itself | Thing::Shape(_, None)));
        let other = here.entry.preset.id != self.last.entry.preset.id;
        // “cones instead”: a thing alone is what is to be copied.
        if !nothing && other && changes && !here.cast.named && here.values.is_empty() {
            return self
                .whole(rest, true)
                .map(|read| build(&read, self.context, About::Last));
        }
        if !nothing || here.cast.named {
            return None;
        }
        let orders = self.orders(here.entry, rest);
        if !other {
            let goes_on = opens_with_a_value(self.library, rest) || !orders;
            return goes_on.then(|| changed(self.library, rest, self.context, self.on_last, Some(self.last)));
        }
        let read = self.whole(rest, false).filter(|_| !(orders || changes))?;
        Some(build(&read, self.context, About::Last))
    }

    /// Whether the prompt has a verb of making, or a word that calls for this preset by itself: “scatter”, “a wall 3 m long”, but not “give each a
    /// random size”.
    fn orders(&self, entry: &Entry, prompt: &str) -> bool {
        let reading = Reading::new(prompt, self.context, &self.library.language, |word, names| {
            self.library.correct(word, names)
        });
        let makes = |item: &Item| {
            let manner = item.text.ends_with("ly");
            self.library.deeds.contains(&item.text) && !manner && !self.library.language.stop.contains(&item.text)
        };
        let alone = entry.preset.calls.iter().filter_map(Rule::alone);
        let mut calling = alone.filter_map(|name| entry.concepts.get(name)).flatten();
        let title = entry.preset.title.to_lowercase();
        let said = |word: &str| reading.items.iter().any(|item| item.stem == stem(word));
        reading.items.iter().any(makes)
            || calling.any(|phrase| phrase.find(&reading).is_some())
            || title.split(' ').all(said)
    }

    /// What a prompt that finds something wrong with the last result asks for: “too many”, “not high enough”.
    pub(crate) fn complaint(&self, rest: &str) -> Option<Result<Read<'a>, Refusal>> {
        let wishes = complaint::wishes(&self.library.language, rest);
        let understood = |wish: &String| {
            let read = self.changes(wish).or_else(|| self.whole(wish, true).map(Ok));
            read.filter(Result::is_ok)
        };
        let found = wishes.iter().find_map(understood);
        found.or_else(|| wishes.first().map(|_| Err(self.changeable())))
    }

    /// What of the last result can be changed, for words that say nothing of it.
    fn changeable(&self) -> Refusal {
        let last = self.last;
        let values = last.modifier.values.as_ref();
        let has = |name: &str| values.is_some_and(|values| values.contains_key(&title(name)));
        let parameters = last.entry.preset.parameters.iter();
        let inputs = parameters.filter(|one| has(&one.name) && one.kind != ParameterKind::Derived);
        let mut names: Vec<String> = Vec::new();
        for one in inputs {
            let name = match one.kind {
                ParameterKind::Object | ParameterKind::Collection => continue,
                ParameterKind::Bool => format!("{} (on or off)", one.title.to_lowercase()),
                _ => one.title.to_lowercase(),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if last.entry.preset.thing.is_some() {
            names.push("what is copied (“use cubes instead”)".to_owned());
        }
        let message = format!(
            "“{}” is no change of the last result, “{}” of “{}”, that the built-in planner understands, and no preset fits it as something new. Nothing was changed. \
             What can be changed there: {}. Name one of them and its value, or ask for something new.",
            self.prompt,
            last.modifier.name,
            last.object.name,
            names.join(", ")
        );
        Refusal::new(Code::NoPresetMatch, message)
    }

    /// The parts of a sentence at each of its joints; “between 0.5 and 2” has none.
    fn joined<'t>(&self, rest: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        let joints = self.library.language.joints.iter();
        joints
            .filter_map(|joint| rest.split_once(joint.as_str()))
            .filter(|(first, _)| {
                let mut last = first.split_whitespace().rev().take(3);
                !last.any(|word| word.eq_ignore_ascii_case("between"))
            })
    }

    /// Several changes of one sentence, each of which is read alone; none where two of them say something of the same.
    pub(crate) fn parts(&self, rest: &str) -> Option<Result<Read<'a>, Refusal>> {
        let one = |part: &str| match relative::read(self.library, self.last, part, self.context) {
            Some(read) => Some(read),
            None => self.whole(part, false).map(Ok),
        };
        self.joined(rest).find_map(|(first, second)| {
            let (first, second) = (one(first)?, one(second).or_else(|| self.parts(second))?);
            let both = first.and_then(|first| Ok((first, second?)));
            both.map(|(first, second)| merged(first, second)).transpose()
        })
    }

    /// The modifier, and its object, that “without …” is about as a whole: the last result, or another one of the scene.
    fn whole_result(&self, off: &str) -> Option<(&str, &str)> {
        let language = &self.library.language;
        let lower = off.trim_start_matches("without ").trim().to_lowercase();
        let plain = |text: &str| {
            let words = text.split_whitespace();
            let words = words.filter(|word| {
                ![
                    "the",
                    "a",
                    "my",
                    "this",
                    "modifier",
                    "again",
                    "please",
                    "now",
                    "completely",
                ]
                .contains(word)
            });
            words.collect::<Vec<_>>().join(" ")
        };
        // “from the cube” says whose it is.
        let (what, of) = ["from", "of", "on"]
            .iter()
            .find_map(|word| lower.rsplit_once(&format!(" {word} ")))
            .map_or((plain(&lower), None), |(what, of)| (plain(what), Some(plain(of))));
        let objects = self.context.objects.iter();
        let mut of_named = objects.filter(|object| of.as_ref().is_none_or(|name| object.name.to_lowercase() == *name));
        let last = &self.last;
        let is_last = language.whole.contains(&what)
            || what.is_empty()
            || what == last.entry.preset.title.to_lowercase()
            || what == last.modifier.name.to_lowercase();
        if is_last && (of.is_none() || of_named.clone().any(|object| object.name == last.object.name)) {
            return Some((&last.modifier.name, &last.object.name));
        }
        of_named.find_map(|object| {
            let named = object
                .modifiers
                .iter()
                .find(|modifier| modifier.name.to_lowercase() == what)?;
            Some((named.name.as_str(), object.name.as_str()))
        })
    }

    /// Why the last result does not become what the prompt says.
    pub(crate) fn refusal(&self, rest: &str, refused: Refusal) -> Refusal {
        let counts = of_them(self.library, self.last, self.prompt).is_some();
        if counts && refused.code == Code::NoPresetMatch {
            return relative::unclear(self.last, self.prompt);
        }
        let words = rest.to_lowercase();
        let language = &self.library.language;
        let says = |list: &[String]| list.iter().any(|word| words.contains(word));
        if says(&language.second) && says(&language.elsewhere) && refused.code == Code::NoPresetMatch {
            let message = format!(
                "“{}” stands on “{}”, and a second one beside it needs an object of its own. Duplicate “{}” (Shift D) and move the copy, or name another object. Nothing was changed.",
                self.last.modifier.name, self.last.object.name, self.last.object.name
            );
            return Refusal::new(Code::NoPresetMatch, message);
        }
        let named = self
            .context
            .objects
            .iter()
            .any(|object| words.contains(&object.name.to_lowercase()));
        let off = without_removal(self.library, rest);
        if let Some((modifier, object)) = off.as_deref().and_then(|off| self.whole_result(off)) {
            return Refusal::new(
                Code::NoPresetMatch,
                format!(
                    "The built-in planner takes nothing away. Ctrl Z takes back the last prompt, and the cross of “{modifier}” in the Modifiers tab of “{object}” removes it. Nothing was changed."
                ),
            );
        }
        match off {
            Some(off) if !named && !words.contains(&self.last.entry.preset.title.to_lowercase()) => {
                let what = off.strip_prefix("without ").unwrap_or(&off);
                let switches: Vec<String> = self
                    .last
                    .entry
                    .preset
                    .parameters
                    .iter()
                    .filter(|parameter| parameter.kind == ParameterKind::Bool)
                    .map(|parameter| parameter.title.to_lowercase())
                    .collect();
                let switches = if switches.is_empty() {
                    "nothing".to_owned()
                } else {
                    switches.join(", ")
                };
                let message = format!(
                    "“{}” of “{}” has no “{what}” to switch off. What it can switch: {switches}. Nothing was changed.",
                    self.last.modifier.name, self.last.object.name
                );
                Refusal::new(Code::NoPresetMatch, message)
            }
            _ if refused.unmatched => self.changeable(),
            _ => refused,
        }
    }
}

/// Whether the prompt only completes a sentence: “with 20 teeth”, “but with a thinner wire”.
fn goes_on(prompt: &str) -> bool {
    let words = prompt.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let mut words =
        words.filter(|word| !(word.is_empty() || ["and", "but", "now", "only", "just"].contains(&word.as_str())));
    words
        .next()
        .is_some_and(|word| ["with", "having"].contains(&word.as_str()))
}

/// Two changes as one; none where both say something of the same.
fn merged<'a>(mut read: Read<'a>, other: Read<'a>) -> Option<Read<'a>> {
    let said = |name: &String| read.values.contains_key(name) || read.shifts.contains_key(name);
    if other.values.keys().chain(other.shifts.keys()).any(said) {
        return None;
    }
    read.values.extend(other.values);
    read.shifts.extend(other.shifts);
    read.sources.extend(other.sources);
    read.remarks.extend(other.remarks);
    read.unused.extend(other.unused);
    if read.cast.kept {
        read.cast = other.cast;
    }
    Some(read)
}

/// “8 of them” as “8 copies”, or as so many of what the last result has.
pub(crate) fn of_them(library: &Library, last: &Last, prompt: &str) -> Option<String> {
    let lower = prompt.to_lowercase();
    let of_them = &library.language.of_them;
    let (at, words) = of_them.iter().find_map(|words| Some((lower.find(words)?, words)))?;
    let (before, after) = (prompt.get(..at)?, prompt.get(at + words.len()..)?);
    let number = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let counts = number.parse::<f64>().is_ok() || library.language.numbers.contains_key(&number.to_lowercase());
    if !counts || after.starts_with(char::is_alphanumeric) {
        return None;
    }
    let words = |slot: &Slot| slot.parameter.words.first().or(slot.parameter.after.first()).cloned();
    let noun = if last.entry.preset.thing.is_some() {
        Some("copies".to_owned())
    } else {
        counting(last.entry).and_then(words)
    };
    let noun = noun.as_deref().map_or("", |noun| noun.trim_start_matches('='));
    Some(format!("{before} {noun}{after}"))
}

/// What a prompt says of a further one of what the last result is: “and another one with 24” is “with 24”.
pub(crate) fn another(library: &Library, last: &Last, prompt: &str) -> Option<String> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |at: usize| {
        let word = words.get(at).copied().unwrap_or_default();
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let language = &library.language;
    let further = |at: usize| plain(at) == "another" || plain(at) == "one" && plain(at + 1) == "more";
    let opens = (0..words.len()).find(|at| !language.stop.contains(&plain(*at)) || further(*at))?;
    let (second, noun) = match plain(opens).as_str() {
        "another" | "second" => (true, opens + 1),
        "one" => (plain(opens + 1) == "more", opens + 2),
        _ => (false, opens),
    };
    let title = last.entry.preset.title.to_lowercase();
    let titled = title.split(' ').enumerate().all(|(i, word)| plain(noun + i) == word);
    let end = if titled {
        noun + title.split(' ').count()
    } else {
        noun + 1
    };
    let one = titled || plain(noun) == "one" || plain(opens) == "one" && noun == words.len();
    let rest = words.get(end..).unwrap_or_default().join(" ");
    // “another one beside it” says where, which is another matter.
    let place = language
        .elsewhere
        .iter()
        .any(|words| rest.to_lowercase().contains(words));
    (second && one && !place).then_some(rest)
}

/// Whether the prompt begins with a number: “12”, “only 3 rows”.
fn opens_with_a_value(library: &Library, prompt: &str) -> bool {
    let language = &library.language;
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let first =
        words.find(|word| !(word.is_empty() || ["only", "just", "with", "and", "now", "but"].contains(&word.as_str())));
    first.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()) || language.numbers.contains_key(&word))
}

/// Whether a number follows the words that open a change: “make it 12 and …”.
pub(crate) fn changes_a_value(library: &Library, prompt: &str) -> bool {
    let language = &library.language;
    let mut words = prompt.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let opens = |word: &String| {
        word.is_empty() || language.stop.contains(word) || language.changes.iter().flatten().any(|one| one == word)
    };
    let first = words.find(|word| !opens(word));
    first.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()) || language.numbers.contains_key(&word))
}

/// The plan of a prompt that gives the last result another value.
fn changed(
    library: &Library,
    prompt: &str,
    context: &Context,
    on_last: &Options,
    last: Option<&Last>,
) -> Result<Planned, Refusal> {
    let mut read = read(library, prompt, context, on_last)?;
    if let Some(last) = last {
        last.keep_thing(&mut read);
    }
    build(&read, context, About::Last)
}

/// “undo the random rotation” and “turn random rotation off” as “without random rotation”.
fn without_removal(library: &Library, prompt: &str) -> Option<String> {
    let prompt = prompt.trim().trim_end_matches(['.', '!']);
    let (verb, rest) = prompt.split_once(' ')?;
    let verb = verb.to_lowercase();
    let rest = if library.language.switches.contains(&verb) {
        let lower = rest.to_lowercase();
        let off = lower.strip_prefix("off ").or_else(|| lower.strip_suffix(" off"))?;
        off.to_owned()
    } else {
        (library.language.removals.contains(&verb) || verb == "no").then(|| rest.to_owned())?
    };
    let rest = rest.trim();
    Some(format!("without {}", rest.strip_prefix("the ").unwrap_or(rest)))
}

/// A change in the words of the preset that it is about: “make it 300” of a scatter is “scatter 300 copies”. None for a change that is
/// relative to what is there: “twice as many”.
fn in_full(library: &Library, prompt: &str, last: &Entry) -> Vec<String> {
    let language = &library.language;
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let relative = |word: &str| {
        let word = plain(word);
        language.relative.contains(&word)
            || language.times.contains_key(&word)
            || language.fractions.contains_key(&word)
    };
    // “the left half” is a place.
    let place = |at: usize| {
        at > 0
            && words
                .get(at - 1)
                .is_some_and(|word| language.places.contains(&plain(word)))
    };
    if words.iter().enumerate().any(|(at, word)| relative(word) && !place(at)) {
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

/// The words of a source that the artist wrote: those of the preset are only there to read the rest.
fn spoken(source: &str, prompt: &str) -> String {
    let words: Vec<String> = prompt.split_whitespace().map(str::to_lowercase).collect();
    let said = |word: &&str| words.iter().any(|one| one.contains(&word.to_lowercase()));
    source.split_whitespace().filter(said).collect::<Vec<_>>().join(" ")
}
