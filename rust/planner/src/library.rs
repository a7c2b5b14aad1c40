//! The presets that ship with the product, compiled once, and the ranked index over their words.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bm25::{Document, SearchEngine, SearchEngineBuilder, Tokenizer};
use include_dir::{Dir, include_dir};

pub(crate) use crate::entry::{Entry, Introducers, Slot};
use crate::entry::{PARTS, Parts, Shared, compile};
use crate::language::Language;
use crate::phrase::Pattern;
use crate::preset::{Makes, Preset, Rule};
use crate::refusal::{DataError, Suggestion};
use crate::spelling;
use crate::tokens;
use crate::whole::PresetFile;

static PRESETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/presets");
static LANGUAGE: &str = include_str!("../language/en.json");
const SHARED: &str = "shared.toml";

/// Shortest word that is corrected when mistyped.
const SHORTEST_CORRECTED: usize = 6;
/// In shorter words a wrong letter is not corrected.
const SHORT: usize = 7;
/// A phrase that calls for so many presets tells them not apart.
const COMMON: usize = 4;

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

/// Stems of the words by which presets are called.
fn callers(entries: &[Entry], language: &Language) -> HashSet<String> {
    let says = |word: &String| {
        !(language.stop.contains(word)
            || language.prepositions.contains(word)
            || language.adjectives.contains(&tokens::stem(word))
            || language.generic.contains_key(&tokens::stem(word))
            || language.shape(&tokens::stem(word)).is_some())
    };
    let of_entry = |entry: &Entry| {
        let called = entry.calling().filter(|phrase| phrase.weight() == 1 && !phrase.common);
        let spelt = called.flat_map(|phrase| phrase.patterns.clone());
        let words = spelt.filter_map(|pattern| match pattern {
            Pattern::Stem(word) => Some(word),
            Pattern::Exact(word) if says(&word) => Some(tokens::stem(&word)),
            _ => None,
        });
        words.filter(says).collect::<Vec<_>>()
    };
    entries.iter().flat_map(of_entry).collect()
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
    /// Words that open a request: “scatter”, “place”, “subdivide”.
    pub(crate) deeds: HashSet<String>,
}

/// The files of the presets that ship.
fn embedded() -> impl Iterator<Item = (&'static str, &'static str)> {
    PRESETS
        .files()
        .filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
}

/// The preset that made a node group of this name: runs leave the name of the preset, or that name with a number.
pub(crate) fn preset_of<'a>(entries: &'a [Entry], group: &str) -> Option<&'a Entry> {
    entries
        .iter()
        .find(|entry| crate::naming::is_numbered(group, &entry.preset.title))
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
            deeds: HashSet::new(),
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
        self.mark_common();
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
        let examples = entries.iter().flat_map(|entry| &entry.preset.examples);
        let first = |text: &String| text.split(' ').next().map(str::to_lowercase);
        let places = self.shared.words("place").map(str::to_owned);
        let short = entries.iter().flat_map(|entry| &entry.preset.terse).cloned();
        let language = &self.language;
        // “paint them red”: what is done to copies.
        let done_to_copies = entries.iter().filter(|entry| entry.preset.target.copies);
        let done_to_copies = done_to_copies.flat_map(|entry| entry.preset.target.object_of.clone());
        let acts = |word: &String| {
            let stem = tokens::stem(word);
            let thing = language.shape(&stem).is_some() || language.generic.contains_key(&stem);
            word.chars().all(char::is_alphabetic)
                && !(thing
                    || language.prepositions.contains(word)
                    || language.is_determiner(word)
                    || language.numbers.contains_key(word))
        };
        let deeds = examples
            .filter_map(first)
            .chain(places)
            .chain(short)
            .chain(done_to_copies)
            .filter(acts)
            .collect();
        let known = entries.iter().flat_map(|e| e.vocabulary.iter().cloned()).collect();
        (self.index, self.known, self.correctable) = (index, known, correctable.into_iter().collect());
        self.deeds = deeds;
        let made = entries.iter().filter(|entry| entry.preset.target.makes != Makes::Never);
        let titles = made.map(|entry| entry.preset.title.to_lowercase());
        let single = entries.iter().filter(|entry| {
            let preset = &entry.preset;
            preset.target.makes != Makes::Never && preset.thing.is_none() && !preset.title.contains(' ')
        });
        let makers = single.map(|entry| (tokens::stem(&entry.preset.title.to_lowercase()), entry.suggestion()));
        self.language.presets.makers = makers.collect();
        self.language.presets.callers = callers(entries, &self.language);
        self.language.presets.titles = titles.filter(|title| title.contains(' ')).collect();
    }

    /// Marks the phrases that call for many presets, unless they call for theirs alone.
    fn mark_common(&mut self) {
        let mut users: HashMap<Vec<Pattern>, usize> = HashMap::new();
        for entry in &self.entries {
            let called: HashSet<&Vec<Pattern>> = entry.calling().map(|phrase| &phrase.patterns).collect();
            for patterns in called {
                *users.entry(patterns.clone()).or_default() += 1;
            }
        }
        for entry in &mut self.entries {
            let alone: Vec<String> = entry.preset.calls.iter().filter_map(Rule::alone).cloned().collect();
            let phrases = entry.concepts.iter_mut().filter(|(name, _)| !alone.contains(*name));
            for phrase in phrases.flat_map(|(_, list)| list) {
                phrase.common = users.get(&phrase.patterns).is_some_and(|count| *count >= COMMON);
            }
        }
    }

    /// Whether a word with this stem is one of any preset.
    pub(crate) fn knows(&self, stem: &str) -> bool {
        self.known.contains(stem)
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

    /// The three presets whose words fit a prompt best; the first ones of the library if none has a word in common.
    pub(crate) fn best(&self, prompt: &str) -> Vec<Suggestion> {
        let mut order: Vec<usize> = self.rank(prompt).into_iter().map(|(i, _)| i).collect();
        order.extend(
            (0..self.entries.len())
                .filter(|i| !order.contains(i))
                .collect::<Vec<_>>(),
        );
        let entries = order.into_iter().take(3).filter_map(|i| self.entries.get(i));
        entries.map(Entry::suggestion).collect()
    }

    /// The nearest presets to a prompt, at most three of those that one of its words calls for.
    pub(crate) fn nearest(&self, prompt: &str) -> Vec<Suggestion> {
        let says = |token: &tokens::Token| {
            let language = &self.language;
            token.kind == tokens::Kind::Word
                && !(language.stop.contains(&token.text)
                    || language.prepositions.contains(&token.text)
                    || language.adjectives.contains(&token.stem)
                    || language.other_languages.contains(&token.text))
        };
        let said: Vec<tokens::Token> = tokens::split(prompt).into_iter().filter(says).collect();
        let words: Vec<&str> = said.iter().map(|token| token.text.as_str()).collect();
        let called = |entry: &&Entry| {
            let title = entry.preset.title.to_lowercase();
            said.iter().any(|token| {
                title.split(' ').any(|word| tokens::stem(word) == token.stem)
                    || entry
                        .calling()
                        .any(|phrase| phrase.stems().any(|stem| stem == token.stem))
            })
        };
        let ranked = self.rank(&words.join(" ")).into_iter();
        let entries = ranked.filter_map(|(i, _)| self.entries.get(i)).filter(called).take(3);
        entries.map(Entry::suggestion).collect()
    }

    /// The known word, or the name of the scene, that a misspelt one was meant to be, if exactly one is close.
    pub(crate) fn correct(&self, word: &str, names: &BTreeSet<String>) -> Option<String> {
        if self.is_known(word) {
            return None;
        }
        self.meant(word).or_else(|| spelling::meant(word, names))
    }

    fn meant(&self, word: &str) -> Option<String> {
        let length = word.chars().count();
        if !(SHORTEST_CORRECTED..=24).contains(&length) {
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
            // “plates” are no places: in a short word no letter is another.
            let other = length < SHORT && candidate.len() == word.len() && !spelling::same_letters(word, candidate);
            match best {
                _ if distance > allowed || other => {}
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
        self.known.contains(&tokens::stem(word)) || self.language.knows(word)
    }
}
