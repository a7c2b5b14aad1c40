//! Finds node types by what they do: plain words (`words.txt`), names in the menus, types, sockets and items of modes, ranked together.
//!
//! A word that few types match counts more than one that many do. Nothing that matches is hidden by a better match.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use geonode_graph::Catalogue;
use geonode_graph::catalogue::NodeType;
use geonode_text::Names;
use rust_stemmers::{Algorithm, Stemmer};

/// Plain words and the node types that do what they say.
const WORDS: &str = include_str!("../words.txt");

/// Most words of a query that are looked up.
const MAX_WORDS: usize = 60;

/// How much a match counts, by where the word stands.
const IN_LABEL: f64 = 4.0;
const BY_MEANING: f64 = 4.0;
const IN_TYPE: f64 = 3.0;
const PART_OF_NAME: f64 = 2.0;
const IN_MODES: f64 = 1.5;
const IN_SOCKETS: f64 = 1.0;
/// How much less each further type behind a word of the table counts.
const LATER: f64 = 0.4;
/// Most words that have a meaning together.
const TOGETHER: usize = 4;
/// How much a type is needed that the prompt names, and how many may share a word of their labels before it says less.
const NAMED: f64 = 1.5;
const FEW: f64 = 3.0;
/// A name or type that is the query itself comes first.
const EXACT: f64 = 100.0;

/// Words that say nothing about a node.
const EMPTY: [&str; 32] = [
    "3d", "are", "as", "be", "is", "that", "a", "all", "an", "and", "at", "by", "for", "from", "geometry", "in",
    "into", "it", "its", "make", "node", "nodes", "of", "on", "onto", "or", "some", "the", "this", "to", "use", "with",
];

/// The types behind each word of the table, the most wanted first. Words that follow each other are one key, with `_` between their stems.
fn table() -> &'static HashMap<String, Vec<&'static str>> {
    static TABLE: OnceLock<HashMap<String, Vec<&'static str>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: HashMap<String, Vec<&str>> = HashMap::new();
        let stemmer = Stemmer::create(Algorithm::English);
        for (words, labels) in entries() {
            for word in words {
                let stems: Vec<_> = word.split('_').map(|part| stemmer.stem(part)).collect();
                let known = table.entry(stems.join("_")).or_default();
                let new: Vec<&str> = labels.iter().copied().filter(|label| !known.contains(label)).collect();
                known.extend(new);
            }
        }
        table
    })
}

/// The lines of the table: words, labels.
fn entries() -> impl Iterator<Item = (Vec<&'static str>, Vec<&'static str>)> {
    WORDS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (words, labels) = line.split_once(':')?;
        Some((
            words.split_whitespace().collect(),
            labels.split(',').map(str::trim).collect(),
        ))
    })
}

/// The parts of a name in lower case: those of `GeometryNodeMeshToPoints` are `geometry`, `node`, `mesh`, `to`, `points`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut begin = true;
    let mut upper = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            begin = true;
            continue;
        }
        let new = begin || (c.is_uppercase() && !upper);
        match parts.last_mut().filter(|_| !new) {
            Some(part) => part.extend(c.to_lowercase()),
            None => parts.push(c.to_lowercase().collect()),
        }
        (begin, upper) = (false, c.is_uppercase());
    }
    parts
}

/// Stems of words, each made once.
struct Stems {
    stemmer: Stemmer,
    made: HashMap<String, String>,
}

impl Stems {
    fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            made: HashMap::new(),
        }
    }

    fn of(&mut self, text: &str) -> Vec<String> {
        let words = parts(text);
        words.into_iter().map(|word| self.one(word)).collect()
    }

    fn one(&mut self, word: String) -> String {
        if let Some(stem) = self.made.get(&word) {
            return stem.clone();
        }
        let stem = self.stemmer.stem(&word).into_owned();
        self.made.insert(word, stem.clone());
        stem
    }
}

/// What searches need of a catalogue, made once: a search then only compares words.
#[derive(Debug)]
pub struct Index {
    kinds: Vec<Kind>,
    /// The pages of presets that were searched for; None where this Blender lacks a part.
    pages: Mutex<HashMap<&'static str, Option<Arc<str>>>>,
}

/// One type and where its words stand.
#[derive(Debug)]
pub(crate) struct Kind {
    /// Its `bl_idname`.
    pub(crate) name: String,
    /// Its name in the menus.
    pub(crate) label: String,
    /// What it is called with on a page.
    pub(crate) call: String,
    lower_name: String,
    lower_label: String,
    in_label: Vec<String>,
    in_name: Vec<String>,
    modes: HashSet<String>,
    sockets: HashSet<String>,
}

impl Kind {
    fn new(name: &str, node: &NodeType, call: String, stems: &mut Stems) -> Self {
        let items = node.properties.values().flat_map(|property| &property.items);
        let modes = items.flat_map(|(_, item)| stems.of(item)).collect();
        let first = node.states.first();
        let sockets = first
            .into_iter()
            .flat_map(|state| state.inputs.iter().chain(&state.outputs));
        let sockets = sockets.flat_map(|socket| stems.of(&socket.name)).collect();
        Self {
            name: name.to_owned(),
            label: node.label.clone(),
            call,
            lower_name: name.to_lowercase(),
            lower_label: node.label.to_lowercase(),
            in_label: stems.of(&node.label),
            in_name: stems.of(name),
            modes,
            sockets,
        }
    }

    /// How well one word of a query fits.
    fn fits(&self, word: &str, stem: &str, meant: &[&str]) -> f64 {
        let has = |words: &[String]| words.iter().any(|known| known == stem);
        let within = || word.len() > 2 && (self.lower_label.contains(word) || self.lower_name.contains(word));
        if has(&self.in_label) {
            return IN_LABEL;
        }
        if let Some(place) = meant.iter().position(|label| *label == self.label) {
            #[expect(clippy::cast_precision_loss, reason = "a handful of labels")]
            return (BY_MEANING - LATER * place as f64).max(PART_OF_NAME);
        }
        if has(&self.in_name) {
            IN_TYPE
        } else if within() {
            PART_OF_NAME
        } else if self.modes.contains(stem) {
            IN_MODES
        } else if self.sockets.contains(stem) {
            IN_SOCKETS
        } else {
            0.0
        }
    }
}

impl Index {
    /// That of a catalogue.
    pub fn new(catalogue: &Catalogue) -> Self {
        let names = Names::new(catalogue);
        let mut stems = Stems::new();
        let kinds = catalogue.nodes.iter();
        let kinds = kinds.map(|(name, node)| Kind::new(name, node, names.call(name), &mut stems));
        Self {
            kinds: kinds.collect(),
            pages: Mutex::default(),
        }
    }

    /// Every node type that a query fits, the best first.
    pub(crate) fn ranked(&self, query: &str) -> Vec<&Kind> {
        let whole = query.trim().to_lowercase();
        let words = query_words(query, &mut Stems::new());
        let mut scores = vec![0.0_f64; self.kinds.len()];
        for (word, stem) in &words {
            let meant = table().get(stem).map_or(&[][..], Vec::as_slice);
            let fits: Vec<f64> = self.kinds.iter().map(|kind| kind.fits(word, stem, meant)).collect();
            let matches = fits.iter().filter(|fit| **fit > 0.0).count();
            #[expect(clippy::cast_precision_loss, reason = "a few hundred types")]
            let rarity = (1.0 + self.kinds.len() as f64 / matches.max(1) as f64).ln();
            for (score, fit) in scores.iter_mut().zip(fits) {
                *score += fit * rarity;
            }
        }
        let found = scores.into_iter().zip(&self.kinds).filter(|(score, _)| *score > 0.0);
        let mut found: Vec<(f64, &Kind)> = found.collect();
        for (score, kind) in &mut found {
            if kind.lower_label == whole || kind.lower_name == whole {
                *score += EXACT;
            }
            let said = kind.in_label.iter();
            let said = said.filter(|part| words.iter().any(|(_, stem)| stem == *part)).count();
            #[expect(clippy::cast_precision_loss, reason = "a handful of words")]
            let share = said as f64 / kind.in_label.len().max(1) as f64;
            *score += 2.0 * share;
        }
        found.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.name.cmp(&other.name)));
        found.into_iter().map(|(_, kind)| kind).collect()
    }

    /// The page of a preset, made when it is first asked for.
    pub(crate) fn page(&self, preset: &'static str, make: impl FnOnce() -> Option<String>) -> Option<Arc<str>> {
        let pages = || self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = pages().get(preset) {
            return page.clone();
        }
        let page: Option<Arc<str>> = make().map(Arc::from);
        pages().insert(preset, page.clone());
        page
    }
}

/// Words of a query that say something, and what of the table several of them say together, with their stems, each once.
fn query_words(query: &str, stems: &mut Stems) -> Vec<(String, String)> {
    let mut words: Vec<(String, String)> = Vec::new();
    let spoken = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            // A type is a name of several words, an ordinary word stays one.
            if word.contains("Node") {
                parts(word)
            } else {
                vec![word.to_lowercase()]
            }
        });
    let all: Vec<(String, String)> = spoken.map(|word| (word.clone(), stems.one(word))).collect();
    let together = (2..=TOGETHER).flat_map(|count| all.windows(count)).filter_map(|said| {
        let join = |part: fn(&(String, String)) -> &str| said.iter().map(part).collect::<Vec<_>>().join("_");
        let key = join(|(_, stem)| stem);
        table().contains_key(&key).then(|| (join(|(word, _)| word), key))
    });
    let meaningful = all
        .iter()
        .filter(|(word, _)| !EMPTY.contains(&word.as_str()))
        .take(MAX_WORDS);
    for (word, stem) in together.chain(meaningful.cloned()) {
        if !words.iter().any(|(_, known)| *known == stem) {
            words.push((word, stem));
        }
    }
    words
}

/// How well each text shares the words of a prompt: a word counts the more, the fewer of the texts have it.
pub(crate) fn shared(prompt: &str, texts: &[&str]) -> Vec<f64> {
    let mut stems = Stems::new();
    let words = query_words(prompt, &mut stems);
    let texts: Vec<Vec<String>> = texts.iter().map(|text| stems.of(text)).collect();
    let mut scores = vec![0.0_f64; texts.len()];
    for (_, stem) in &words {
        let has: Vec<bool> = texts.iter().map(|text| text.contains(stem)).collect();
        let matches = has.iter().filter(|has| **has).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful of texts")]
        let rarity = (1.0 + texts.len() as f64 / matches.max(1) as f64).ln();
        for (score, has) in scores.iter_mut().zip(has) {
            *score += if has { rarity } else { 0.0 };
        }
    }
    scores
}

/// How much the types that a prompt names are needed, the most needed first. What an ordinary word means says the table; any other word
/// names the types in whose labels it stands, the more surely the fewer these are.
pub(crate) fn needed<'c>(prompt: &str, catalogue: &'c Catalogue) -> Vec<(f64, &'c str)> {
    let mut stems = Stems::new();
    let words: Vec<String> = query_words(prompt, &mut stems)
        .into_iter()
        .map(|(_, stem)| stem)
        .collect();
    let labels: Vec<(&str, &str, Vec<String>)> = catalogue
        .nodes
        .iter()
        .map(|(name, node)| (name.as_str(), node.label.as_str(), stems.of(&node.label)))
        .collect();
    let mut scores = vec![0.0_f64; labels.len()];
    for word in &words {
        let meant = table().get(word);
        let has: Vec<Option<f64>> = labels
            .iter()
            .map(|(_, label, parts)| match meant {
                Some(meant) => meant.iter().position(|one| one == label).map(place_counts),
                None => parts.contains(word).then_some(NAMED),
            })
            .collect();
        let count = has.iter().flatten().count();
        #[expect(clippy::cast_precision_loss, reason = "a few hundred types")]
        let share = if meant.is_some() {
            1.0
        } else {
            (FEW / count.max(1) as f64).min(1.0)
        };
        for (score, fit) in scores.iter_mut().zip(has) {
            *score += fit.unwrap_or_default() * share;
        }
    }
    for (score, (_, _, parts)) in scores.iter_mut().zip(&labels) {
        // A label of several words that all stand in the prompt names the node; of one word it may be an ordinary one.
        let is_said = |part: &String| words.contains(part) || EMPTY.contains(&part.as_str());
        if parts.len() > 1 && parts.iter().all(is_said) {
            *score += NAMED;
        }
    }
    let mut found: Vec<(f64, &str)> = scores
        .into_iter()
        .zip(&labels)
        .filter(|(score, _)| *score > 0.0)
        .map(|(score, (name, ..))| (score, *name))
        .collect();
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found
}

/// What a place in a list counts.
#[expect(clippy::cast_precision_loss, reason = "a handful of places")]
pub(crate) fn place_counts(place: usize) -> f64 {
    3.0 / (2.0 + place as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::tests::catalogue;

    fn labels(query: &str, most: usize) -> Vec<String> {
        static INDEX: OnceLock<Index> = OnceLock::new();
        let index = INDEX.get_or_init(|| Index::new(&catalogue("5.2")));
        let found = index.ranked(query).into_iter().take(most);
        found.map(|kind| kind.label.clone()).collect()
    }

    #[test]
    fn every_label_of_the_table_names_a_node_type() {
        let versions = ["4.2", "5.2"].map(catalogue);
        let mut examined = 0;
        for (words, labels) in entries() {
            assert!(!words.is_empty());
            for label in labels {
                let known = |catalogue: &Catalogue| catalogue.nodes.values().any(|node| node.label == label);
                assert!(versions.iter().any(known), "{words:?}: {label}");
                examined += 1;
            }
        }
        assert!(examined > 150, "{examined}");
    }

    #[test]
    fn plain_words_find_what_does_it() {
        for (query, wanted) in [
            ("scatter", "Distribute Points on Faces"),
            ("scattering rocks on a plane", "Instance on Points"),
            ("loop", "Repeat Input"),
            ("bend", "Set Position"),
            ("thicken a curve", "Curve to Mesh"),
            ("colour", "Set Material"),
            ("coloring", "Set Material"),
            ("for every face", "For Each Geometry Element Output"),
            ("distribute points", "Distribute Points on Faces"),
            ("GeometryNodeMeshToPoint", "Mesh to Points"),
            ("poisson", "Distribute Points on Faces"),
            ("sine", "Math"),
        ] {
            let found = labels(query, 6);
            assert!(found.iter().any(|label| label == wanted), "{query}: {found:?}");
        }
        assert!(labels("zzzzqq", 3).is_empty() && labels("", 3).is_empty());
    }

    #[test]
    fn an_exact_name_hides_nothing() {
        for (query, others) in [
            ("points", ["Instance on Points", "Mesh to Points"]),
            ("math", ["Vector Math", "Integer Math"]),
            ("position", ["Set Position", "Project Point"]),
        ] {
            let found = labels(query, 30);
            assert_eq!(found[0].to_lowercase(), query);
            let seen = others
                .iter()
                .filter(|label| found.iter().any(|one| one == *label))
                .count();
            assert!(seen > 0 && found.len() > 3, "{query}: {found:?}");
        }
    }

    #[test]
    fn the_needed_types_are_those_of_the_prompt() {
        let catalogue = catalogue("5.2");
        let needed = |prompt: &str| -> Vec<String> {
            super::needed(prompt, &catalogue)
                .iter()
                .take(5)
                .map(|(_, name)| catalogue.nodes[*name].label.clone())
                .collect()
        };
        let scatter = needed("scatter 200 rocks");
        assert_eq!(
            scatter[..2],
            ["Distribute Points on Faces", "Instance on Points"],
            "{scatter:?}"
        );
        assert!(needed("set the voronoi texture's scale").contains(&"Voronoi Texture".to_owned()));
        assert_eq!(needed("qwertz"), Vec::<String>::new());
    }
}
