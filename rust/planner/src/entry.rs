//! A preset with its phrases, lines and vocabulary compiled; what several presets share.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::infix;
use crate::page::{Body, Line};
use crate::phrase::Phrase;
use crate::preset::{Choice, Options, Parameter, Preset, phrases};
use crate::refusal::{DataError, Suggestion};

/// Parts of pages that several presets use, with their parameters.
pub(crate) const PARTS: &str = "parts.toml";

/// Concepts and choices that several presets use: `shared.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shared {
    #[serde(default)]
    concepts: IndexMap<String, Vec<String>>,
    #[serde(default)]
    options: IndexMap<String, IndexMap<String, Choice>>,
}

impl Shared {
    /// The phrases of a concept.
    pub(crate) fn words(&self, concept: &str) -> impl Iterator<Item = &str> {
        self.concepts.get(concept).into_iter().flatten().map(String::as_str)
    }
}

/// Lines of a page that several presets share.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    page: String,
    /// Parameters that presets with this part have first, unless they have their own of the same name.
    #[serde(default)]
    parameters: Vec<Parameter>,
}

/// The shared parts: `parts.toml`.
#[derive(Default)]
pub(crate) struct Parts {
    bodies: BTreeMap<String, Body>,
    parameters: BTreeMap<String, Vec<Parameter>>,
}

impl Parts {
    /// Reads the file of the parts.
    ///
    /// # Errors
    /// `preset_invalid` with the place and the cause.
    pub(crate) fn read(text: &str) -> Result<Self, DataError> {
        let unreadable = |cause: String| DataError::Unreadable {
            file: PARTS.to_owned(),
            cause,
        };
        let files: IndexMap<String, Part> = toml::from_str(text).map_err(|error| unreadable(error.to_string()))?;
        let mut parts = Self::default();
        for (name, mut part) in files {
            let body = Body::read(&part.page, &parts.bodies)
                .map_err(|(line, cause)| unreadable(format!("{name}, line {line} of its page: {cause}")))?;
            for parameter in &mut part.parameters {
                if let Value::String(text) = &parameter.default {
                    parameter.default = infix::read(text).map_err(unreadable)?;
                }
            }
            parts.bodies.insert(name.clone(), body);
            parts.parameters.insert(name, part.parameters);
        }
        Ok(parts)
    }

    /// Puts the parameters of the parts that a preset uses before its own.
    fn complete(&self, preset: &mut Preset) {
        for (name, parameters) in &self.parameters {
            if preset.plan.page.contains(&format!("part(\"{name}\")")) {
                let mut all: Vec<Parameter> = Vec::new();
                for shared in parameters {
                    let own = preset.parameters.iter().position(|one| one.name == shared.name);
                    all.push(own.map_or_else(|| shared.clone(), |place| preset.parameters.remove(place)));
                }
                all.append(&mut preset.parameters);
                preset.parameters = all;
            }
        }
    }
}

/// A parameter with its phrases compiled.
pub(crate) struct Slot {
    /// The parsed file.
    pub(crate) parameter: Parameter,
    /// Phrases before the number.
    pub(crate) before: Vec<Phrase>,
    /// Phrases after the number.
    pub(crate) after: Vec<Phrase>,
    /// Values of a choice.
    pub(crate) options: Vec<(String, Value, Vec<Phrase>)>,
    /// Phrases that switch on.
    pub(crate) on: Vec<Phrase>,
    /// Phrases that switch off.
    pub(crate) off: Vec<Phrase>,
}

impl Slot {
    /// Whether it is about one of these words, by their stems.
    pub(crate) fn speaks_of(&self, cues: &[String]) -> bool {
        let one = |phrase: &Phrase| phrase.weight() == 1 && phrase.stems().any(|stem| cues.contains(&stem));
        self.before.iter().chain(&self.after).any(one)
    }
}

/// Introducing phrases of one role.
#[derive(Default)]
pub(crate) struct Introducers {
    /// Phrases that introduce it for certain.
    pub(crate) after: Vec<Phrase>,
    /// Phrases that introduce it otherwise.
    pub(crate) object_of: Vec<Phrase>,
}

/// A preset, compiled.
pub(crate) struct Entry {
    /// The parsed file.
    pub(crate) preset: Preset,
    /// Phrases by concept, includes resolved.
    pub(crate) concepts: IndexMap<String, Vec<Phrase>>,
    /// Parameters in order.
    pub(crate) slots: Vec<Slot>,
    /// Phrases that introduce the target.
    pub(crate) target: Introducers,
    /// Phrases that introduce the thing.
    pub(crate) thing: Introducers,
    /// The page of the plan with the shared parts.
    pub(crate) body: Body,
    /// Phrases that add nothing to what the preset does.
    pub(crate) words: Vec<Phrase>,
    /// Names of the concepts that are its own, instead of excluding it.
    own: HashSet<String>,
    /// Phrases that call for it where the prompt opens with one, and nothing else does: its title where that is clear, and short words for it.
    pub(crate) terse: Vec<Phrase>,
    /// Stems that this preset understands.
    pub(crate) vocabulary: HashSet<String>,
    /// Stems of the nouns that its counts refer to: “columns”, “levels”.
    pub(crate) parts: HashSet<String>,
}

fn resolve(
    own: &IndexMap<String, Vec<String>>,
    shared: &IndexMap<String, Vec<String>>,
    name: &str,
    depth: usize,
) -> Option<Vec<String>> {
    let list = own.get(name).or_else(|| shared.get(name))?;
    let mut all = Vec::new();
    for text in list {
        match text.strip_prefix('&') {
            // A concept may extend the shared one of its own name.
            Some(other) if other == name => all.extend(shared.get(name)?.iter().cloned()),
            Some(_) if depth > 6 => return None,
            Some(other) => all.extend(resolve(own, shared, other, depth + 1)?),
            None => all.push(text.clone()),
        }
    }
    Some(all)
}

fn slot(file: &str, i: usize, parameter: &Parameter, shared: &Shared) -> Result<Slot, DataError> {
    let at = |field: &str| format!("/parameters/{i}/{field}");
    let both = phrases(file, &at("words"), &parameter.words)?;
    let mut before = phrases(file, &at("before"), &parameter.before)?;
    let mut after = phrases(file, &at("after"), &parameter.after)?;
    before.extend(both.iter().cloned());
    after.extend(both);
    let set = match &parameter.options {
        Options::Own(set) => set,
        Options::Shared(name) => shared.options.get(name).ok_or_else(|| DataError::Inconsistent {
            file: file.to_owned(),
            path: at("options"),
            cause: format!("no shared options “{name}”"),
        })?,
    };
    let options = set
        .iter()
        .map(|(key, choice)| {
            Ok((
                key.clone(),
                choice.value.clone(),
                phrases(file, &format!("{}/{key}/words", at("options")), &choice.words)?,
            ))
        })
        .collect::<Result<Vec<_>, DataError>>()?;
    let on = phrases(file, &at("on"), &parameter.on)?;
    let off = phrases(file, &at("off"), &parameter.off)?;
    Ok(Slot {
        parameter: parameter.clone(),
        before,
        after,
        options,
        on,
        off,
    })
}

/// The lines of a preset's page; none where it holds whole groups.
fn body_of(file: &str, preset: &Preset, parts: &Parts) -> Result<Body, DataError> {
    let wrong = |cause: String| DataError::Inconsistent {
        file: file.to_owned(),
        path: "/plan/page".to_owned(),
        cause,
    };
    if preset.is_whole() {
        return Ok(Body::default());
    }
    let body =
        Body::read(&preset.plan.page, &parts.bodies).map_err(|(line, cause)| wrong(format!("line {line}: {cause}")))?;
    let mut variables = body.lines.iter().filter_map(Line::variable);
    match variables.find(|name| preset.parameter(name).is_some()) {
        Some(name) => Err(wrong(format!("the node “{name}” has the name of a parameter"))),
        None => Ok(body),
    }
}

/// Compiles a preset.
///
/// # Errors
/// `preset_invalid` with file, place and cause.
pub(crate) fn compile(file: &str, mut preset: Preset, shared: &Shared, parts: &Parts) -> Result<Entry, DataError> {
    parts.complete(&mut preset);
    let wrong = |path: String, cause: String| DataError::Inconsistent {
        file: file.to_owned(),
        path,
        cause,
    };
    let mut names: BTreeSet<&str> = preset.concepts.keys().map(String::as_str).collect();
    for concept in preset
        .calls
        .iter()
        .flat_map(|rule| rule.all.iter().chain(&rule.none))
        .chain(preset.against.iter().flatten())
    {
        names.insert(concept);
    }
    let mut concepts = IndexMap::new();
    for name in names {
        let path = format!("/concepts/{name}");
        let list = resolve(&preset.concepts, &shared.concepts, name, 0)
            .ok_or_else(|| wrong(path.clone(), "no such concept here or in shared.toml".into()))?;
        concepts.insert(name.to_owned(), phrases(file, &path, &list)?);
    }
    let slots = preset
        .parameters
        .iter()
        .enumerate()
        .map(|(i, p)| slot(file, i, p, shared))
        .collect::<Result<Vec<_>, _>>()?;
    let introducers = |path: &str, after: &[String], object_of: &[String]| {
        Ok::<_, DataError>(Introducers {
            after: phrases(file, &format!("{path}/after"), after)?,
            object_of: phrases(file, &format!("{path}/object_of"), object_of)?,
        })
    };
    let target = introducers("/target", &preset.target.after, &preset.target.object_of)?;
    let thing = match &preset.thing {
        Some(thing) => introducers("/thing", &thing.after, &thing.object_of)?,
        None => Introducers::default(),
    };
    let words = phrases(file, "/words", &preset.words)?;
    let body = body_of(file, &preset, parts)?;
    // Concepts that only exclude the preset are not part of its vocabulary.
    let own: HashSet<String> = preset
        .calls
        .iter()
        .flat_map(|rule| &rule.all)
        .chain(preset.concepts.keys())
        .cloned()
        .collect();
    let title = preset.title.to_lowercase().replace('-', " ");
    let mut terse = preset.terse.clone();
    if preset.title_calls {
        terse.push(title);
    }
    let terse = phrases(file, "/terse", &terse)?;
    let mut vocabulary: HashSet<String> = HashSet::new();
    let introducing = concepts
        .iter()
        .filter(|(name, _)| own.contains(*name))
        .flat_map(|(_, list)| list);
    let listed = slots.iter().flat_map(|slot| {
        let options = slot.options.iter().flat_map(|(_, _, list)| list);
        slot.before
            .iter()
            .chain(&slot.after)
            .chain(&slot.on)
            .chain(&slot.off)
            .chain(options)
    });
    let roles = [&target, &thing]
        .into_iter()
        .flat_map(|r| r.after.iter().chain(&r.object_of));
    for phrase in introducing.chain(listed).chain(roles).chain(&words).chain(&terse) {
        vocabulary.extend(phrase.stems());
    }
    let counted = slots
        .iter()
        .filter(|slot| slot.parameter.kind == crate::preset::ParameterKind::Count);
    let parts = counted
        .flat_map(|slot| &slot.after)
        .filter(|phrase| phrase.weight() == 1)
        .flat_map(Phrase::stems)
        .collect();
    Ok(Entry {
        preset,
        concepts,
        slots,
        target,
        thing,
        body,
        words,
        own,
        terse,
        vocabulary,
        parts,
    })
}

impl Entry {
    /// The phrases that it understands as a whole: what calls for it, switches and choices, and what introduces objects; of the words that
    /// add nothing only those of several words.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = &Phrase> {
        let against: HashSet<&String> = self.preset.against.iter().flatten().collect();
        let called: HashSet<&String> = self.preset.calls.iter().flat_map(|rule| &rule.all).collect();
        let concepts = self
            .concepts
            .iter()
            .filter(move |(name, _)| self.own.contains(*name) && (called.contains(name) || !against.contains(name)))
            .flat_map(|(_, list)| list);
        let slots = self.slots.iter().flat_map(|slot| {
            let options = slot.options.iter().flat_map(|(_, _, list)| list);
            slot.on.iter().chain(&slot.off).chain(options)
        });
        let roles = [&self.target, &self.thing]
            .into_iter()
            .flat_map(|role| role.after.iter().chain(&role.object_of));
        let words = self.words.iter().filter(|phrase| phrase.weight() > 1);
        concepts.chain(slots).chain(roles).chain(words).chain(&self.terse)
    }

    /// The phrases that call for it.
    pub(crate) fn calling(&self) -> impl Iterator<Item = &Phrase> {
        let called: HashSet<&String> = self.preset.calls.iter().flat_map(|rule| &rule.all).collect();
        let concepts = self.concepts.iter().filter(move |(name, _)| called.contains(name));
        concepts.flat_map(|(_, list)| list)
    }

    /// Whether the word introduces an object in one of its roles: “scatter”, “along”.
    pub(crate) fn introduces(&self, stem: &str) -> bool {
        let roles = [&self.target, &self.thing].into_iter();
        let mut phrases = roles.flat_map(|role| role.after.iter().chain(&role.object_of));
        phrases.any(|phrase| phrase.stems().any(|one| one == stem))
    }

    /// Whether its title or its description has the word: “brick” of a brick wall.
    pub(crate) fn speaks_of(&self, stem: &str) -> bool {
        let said = format!("{} {}", self.preset.title, self.preset.description).to_lowercase();
        said.split(|c: char| !c.is_alphanumeric())
            .any(|word| crate::tokens::stem(word) == stem)
    }

    /// Title and an example prompt.
    pub(crate) fn suggestion(&self) -> Suggestion {
        Suggestion {
            title: self.preset.title.clone(),
            example: self.preset.examples.first().cloned().unwrap_or_default(),
        }
    }
}
