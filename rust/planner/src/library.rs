//! The presets that ship with the product, compiled once, and the ranked index over their words.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bm25::{Document, SearchEngine, SearchEngineBuilder, Tokenizer};
use include_dir::{Dir, include_dir};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::infix;
use crate::language::Language;
use crate::page::{Body, Line};
use crate::phrase::Phrase;
use crate::preset::{Choice, Options, Parameter, Preset, phrases};
use crate::refusal::{DataError, Suggestion};
use crate::tokens;
use crate::whole::PresetFile;

static PRESETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/presets");
static LANGUAGE: &str = include_str!("../language/en.json");
const SHARED: &str = "shared.toml";
/// Parts of pages that several presets use, with their parameters.
const PARTS: &str = "parts.toml";

/// Shortest word that is corrected when mistyped.
const SHORTEST_CORRECTED: usize = 6;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shared {
    #[serde(default)]
    concepts: IndexMap<String, Vec<String>>,
    #[serde(default)]
    options: IndexMap<String, IndexMap<String, Choice>>,
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
struct Parts {
    bodies: BTreeMap<String, Body>,
    parameters: BTreeMap<String, Vec<Parameter>>,
}

impl Parts {
    fn read(text: &str) -> Result<Self, DataError> {
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
    /// Stems that this preset understands.
    pub(crate) vocabulary: HashSet<String>,
    /// Stems of the nouns that its counts refer to: “columns”, “levels”.
    pub(crate) parts: HashSet<String>,
}

/// Cuts as the planner does, so that index and prompt agree.
struct Cutter;

impl Tokenizer for Cutter {
    fn tokenize(&self, text: &str) -> Vec<String> {
        tokens::split(text)
            .into_iter()
            .filter(|t| t.kind == tokens::Kind::Word)
            .map(|t| t.stem)
            .collect()
    }
}

/// All presets.
pub(crate) struct Library {
    /// Shared words.
    pub(crate) language: Language,
    /// Presets by file name.
    pub(crate) entries: Vec<Entry>,
    shared: Shared,
    parts: Parts,
    index: SearchEngine<usize, u32, Cutter>,
    known: HashSet<String>,
    correctable: Vec<String>,
}

/// The files of the presets that ship.
fn embedded() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRESETS
        .files()
        .filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
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

fn compile(file: &str, mut preset: Preset, shared: &Shared, parts: &Parts) -> Result<Entry, DataError> {
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
    let own: HashSet<&String> = preset
        .calls
        .iter()
        .flat_map(|rule| &rule.all)
        .chain(preset.concepts.keys())
        .collect();
    let mut vocabulary: HashSet<String> = HashSet::new();
    let introducing = concepts
        .iter()
        .filter(|(name, _)| own.contains(name))
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
    for phrase in introducing.chain(listed).chain(roles).chain(&words) {
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
        vocabulary,
        parts,
    })
}

impl Library {
    /// The embedded library; read once.
    ///
    /// # Errors
    /// `preset_invalid` when an embedded file is damaged (the tests rule that out).
    pub(crate) fn get() -> Result<&'static Self, DataError> {
        Self::shipped().map(AsRef::as_ref)
    }

    fn shipped() -> Result<&'static Arc<Self>, DataError> {
        static LIBRARY: OnceLock<Result<Arc<Library>, DataError>> = OnceLock::new();
        let embedded = || Library::load(embedded(), LANGUAGE, &[]).map(Arc::new);
        LIBRARY.get_or_init(embedded).as_ref().map_err(Clone::clone)
    }

    /// The embedded library with the presets of the user; files that are not valid are left out. The last one is remembered.
    ///
    /// # Errors
    /// As [`Library::get`].
    pub(crate) fn with(own: &[PresetFile]) -> Result<Arc<Self>, DataError> {
        type Last = Option<(Vec<PresetFile>, Arc<Library>)>;
        static LAST: Mutex<Last> = Mutex::new(None);
        if own.is_empty() {
            return Self::shipped().cloned();
        }
        let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, library)) = last.filter(|(files, _)| files == own) {
            return Ok(library);
        }
        let library = Arc::new(Self::load(embedded(), LANGUAGE, own)?);
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((own.to_vec(), Arc::clone(&library)));
        Ok(library)
    }

    /// A preset of the user's beside these.
    ///
    /// # Errors
    /// `preset_invalid` with file, place and cause, also for a title that another preset has.
    pub(crate) fn check(&self, file: &PresetFile) -> Result<Entry, DataError> {
        let entry = compile(
            &file.name,
            Preset::parse(&file.name, &file.text)?,
            &self.shared,
            &self.parts,
        )?;
        let title = entry.preset.title.to_lowercase();
        let mut others = self.entries.iter();
        let taken = others.find(|other| crate::naming::is_numbered(&title, &other.preset.title.to_lowercase()));
        match taken {
            Some(other) => Err(DataError::Inconsistent {
                file: file.name.clone(),
                path: "/title".to_owned(),
                cause: format!(
                    "there is a preset “{}” already; choose another title",
                    other.preset.title
                ),
            }),
            None => Ok(entry),
        }
    }

    /// Compiles a library from the files of its folder.
    ///
    /// # Errors
    /// `preset_invalid` with file, place and cause.
    pub(crate) fn load<'a>(
        files: impl Iterator<Item = (&'a str, &'a str)>,
        language: &str,
        own: &[PresetFile],
    ) -> Result<Self, DataError> {
        let mut files: Vec<_> = files
            .filter(|(name, _)| Path::new(name).extension().is_some_and(|ending| ending == "toml"))
            .collect();
        files.sort_unstable();
        let language = Language::parse("language/en.json", language)?;
        let shared = files
            .iter()
            .find(|(name, _)| *name == SHARED)
            .map_or("", |(_, text)| *text);
        let shared: Shared = toml::from_str(shared).map_err(|error| DataError::Unreadable {
            file: SHARED.to_owned(),
            cause: error.to_string(),
        })?;
        let parts = files
            .iter()
            .find(|(name, _)| *name == PARTS)
            .map_or("", |(_, text)| *text);
        let parts = Parts::read(parts)?;
        let mut entries = Vec::new();
        let rest = files.iter().filter(|(name, _)| *name != SHARED && *name != PARTS);
        for (name, text) in rest {
            entries.push(compile(name, Preset::parse(name, text)?, &shared, &parts)?);
        }
        let mut library = Self {
            language,
            entries,
            shared,
            parts,
            index: SearchEngineBuilder::with_tokenizer_and_documents(Cutter, Vec::<Document<usize>>::new()).build(),
            known: HashSet::new(),
            correctable: Vec::new(),
        };
        for file in own {
            if let Ok(entry) = library.check(file)
                && !library.entries.iter().any(|other| other.preset.id == entry.preset.id)
            {
                library.entries.push(entry);
            }
        }
        library.learn();
        Ok(library)
    }

    /// Makes the index and the lists of words from the entries.
    fn learn(&mut self) {
        let entries = &self.entries;
        let documents = entries.iter().enumerate().map(|(i, entry)| {
            let preset = &entry.preset;
            let concepts: Vec<&str> = preset.concepts.values().flatten().map(String::as_str).collect();
            let text = format!(
                "{} {} {} {}",
                preset.title,
                preset.description,
                preset.examples.join(" "),
                concepts.join(" ")
            );
            Document::new(i, text)
        });
        let index = SearchEngineBuilder::with_tokenizer_and_documents(Cutter, documents.collect::<Vec<_>>()).build();
        let mut correctable = BTreeSet::new();
        for list in entries.iter().flat_map(|e| {
            e.preset
                .concepts
                .values()
                .chain(e.preset.parameters.iter().map(|p| &p.words))
        }) {
            let words = list
                .iter()
                .flat_map(|text| text.split_whitespace())
                .map(|word| word.trim_start_matches('='));
            correctable.extend(
                words
                    .filter(|w| w.len() >= SHORTEST_CORRECTED && w.is_ascii())
                    .map(str::to_owned),
            );
        }
        let known = entries.iter().flat_map(|e| e.vocabulary.iter().cloned()).collect();
        (self.index, self.known, self.correctable) = (index, known, correctable.into_iter().collect());
    }

    /// Presets ordered by how well their words fit the prompt, best first, with scores; deterministic.
    pub(crate) fn rank(&self, prompt: &str) -> Vec<(usize, f32)> {
        let mut found: Vec<(usize, f32)> = self
            .index
            .search(prompt, None)
            .into_iter()
            .map(|r| (r.document.id, r.score))
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    }

    /// The nearest presets to a prompt, at most three; the first ones of the library if none has a word in common.
    pub(crate) fn nearest(&self, prompt: &str) -> Vec<Suggestion> {
        let mut order: Vec<usize> = self.rank(prompt).into_iter().map(|(i, _)| i).collect();
        order.extend(
            (0..self.entries.len())
                .filter(|i| !order.contains(i))
                .collect::<Vec<_>>(),
        );
        let entries = order.into_iter().take(3).filter_map(|i| self.entries.get(i));
        entries.map(Entry::suggestion).collect()
    }

    /// The known word that a misspelt one was meant to be, if exactly one is close.
    pub(crate) fn correct(&self, word: &str) -> Option<String> {
        let length = word.chars().count();
        if !(SHORTEST_CORRECTED..=24).contains(&length) || self.is_known(word) {
            return None;
        }
        let allowed = if length >= 9 { 2 } else { 1 };
        let mut best: Option<(usize, &String)> = None;
        let mut ties = false;
        for candidate in self
            .correctable
            .iter()
            .filter(|c| c.as_bytes().first() == word.as_bytes().first())
        {
            if candidate.len().abs_diff(word.len()) > allowed {
                continue;
            }
            let distance = strsim::osa_distance(word, candidate);
            match best {
                _ if distance > allowed => {}
                Some((d, other)) if d == distance && tokens::stem(other) != tokens::stem(candidate) => ties = true,
                Some((d, _)) if d <= distance => {}
                _ => {
                    best = Some((distance, candidate));
                    ties = false;
                }
            }
        }
        best.filter(|_| !ties).map(|(_, word)| word.clone())
    }

    fn is_known(&self, word: &str) -> bool {
        let language = &self.language;
        let stem = tokens::stem(word);
        self.known.contains(&stem)
            || language.stop.contains(word)
            || language.prepositions.contains(word)
            || language.conjunctions.contains(word)
            || language.adjectives.contains(&stem)
            || language.unsupported.contains(&stem)
            || language.colours.contains(&stem)
            || language.generic.contains_key(&stem)
            || language.shape(&stem).is_some()
            || language.units.contains_key(word)
            || language.numbers.contains_key(word)
            || language.multipliers.contains_key(word)
            || language.fractions.contains_key(word)
    }
}

impl Entry {
    /// Title and an example prompt.
    pub(crate) fn suggestion(&self) -> Suggestion {
        Suggestion {
            title: self.preset.title.clone(),
            example: self.preset.examples.first().cloned().unwrap_or_default(),
        }
    }
}
