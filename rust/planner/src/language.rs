//! The words that every preset shares: numbers, units, articles, generic nouns, shapes. English, as data.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use crate::phrase::Phrase;
use crate::refusal::{DataError, Suggestion};
use crate::tokens::stem;

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Dimension {
    /// Metres.
    Length,
    /// Blender units.
    Unit,
    /// Radians.
    Angle,
    /// A fraction of one.
    Percent,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnitWords {
    dimension: Dimension,
    factor: f64,
    words: Vec<String>,
}

/// What a noun can refer to if no object has that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Generic {
    /// The present mesh.
    Mesh,
    /// The present curve.
    Curve,
    /// The present object.
    Any,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GenericWords {
    kind: Generic,
    words: Vec<String>,
}

/// What a word without a number is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DegreeOf {
    /// How many.
    Amount,
    /// How large all of it is, or the thing that is placed.
    Size,
    /// One dimension: that of the parameter with one of the cues.
    Dimension,
    /// How strongly something acts.
    Strength,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Degrees {
    of: DegreeOf,
    factor: f64,
    #[serde(default)]
    cues: Vec<String>,
    words: Vec<String>,
}

/// Two ways in which something may be wrong: “too high”, “too low”.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    /// Words for much of it, and what then should be less.
    pub(crate) high: Vec<String>,
    /// Words for little of it.
    pub(crate) low: Vec<String>,
    /// The comparison that asks for more of it.
    pub(crate) more: String,
    /// The comparison that asks for less of it.
    pub(crate) less: String,
    /// The word for it behind “half as”.
    pub(crate) measure: String,
}

/// A word such as “tiny”: what it is about, and how it compares with the usual.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Degree {
    /// What it is about.
    pub(crate) of: DegreeOf,
    /// Times the usual.
    pub(crate) factor: f64,
    /// Stems of words of the parameter that it is about: “thick” for “thin”.
    pub(crate) cues: Vec<String>,
}

/// A shape that can replace a thing that is not in the scene.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shape {
    /// Key in the plan templates.
    #[serde(rename = "shape")]
    pub(crate) key: String,
    /// Word for messages.
    pub(crate) title: String,
    /// Extent along x, y and z in metres when no size is given.
    pub(crate) extent: [f64; 3],
    pub(crate) words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    definite: Vec<String>,
    indefinite: Vec<String>,
    stop: Vec<String>,
    chat: Vec<String>,
    materials: Vec<String>,
    adjectives: Vec<String>,
    prepositions: Vec<String>,
    conjunctions: Vec<String>,
    negations: Vec<String>,
    questions: Vec<String>,
    pointers: Vec<String>,
    restrictions: Vec<String>,
    state_questions: Vec<String>,
    changes: Vec<String>,
    change_of: Vec<String>,
    relative: Vec<String>,
    instead: Vec<String>,
    replaced: Vec<String>,
    openings: Vec<String>,
    asides: Vec<String>,
    along: Vec<String>,
    constraints: Vec<String>,
    rising: Vec<String>,
    falling: Vec<String>,
    whole: Vec<String>,
    joints: Vec<String>,
    of_copies: Vec<String>,
    of_them: Vec<String>,
    second: Vec<String>,
    elsewhere: Vec<String>,
    grounds: Vec<String>,
    then: Vec<String>,
    also: Vec<String>,
    at_random: AtRandom,
    joining: Vec<String>,
    removals: Vec<String>,
    switches: Vec<String>,
    unsupported: Vec<String>,
    places: Vec<String>,
    telling: Vec<String>,
    abbreviations: HashMap<String, String>,
    reseeds: Vec<String>,
    colours: Vec<String>,
    numbers: HashMap<String, f64>,
    multipliers: HashMap<String, f64>,
    couples: HashMap<String, f64>,
    vague: Vec<String>,
    degrees: Vec<Degrees>,
    comparatives: Vec<Degrees>,
    multiples: HashMap<String, f64>,
    pairs: Vec<Pair>,
    aliases: HashMap<String, Vec<String>>,
    singulars: HashMap<String, String>,
    fractions: HashMap<String, f64>,
    times: HashMap<String, f64>,
    units: Vec<UnitWords>,
    generic: Vec<GenericWords>,
    shapes: Vec<Shape>,
    other_languages: Vec<String>,
}

/// What of copies may be left to chance: a second request behind the one that places them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AtRandom {
    /// What parts the two: “array the cube 10 times *with random* rotation”.
    pub(crate) behind: String,
    /// Each kind with its words: “rotation” with “rotated”, “turned”.
    pub(crate) kinds: HashMap<String, HashSet<String>>,
    /// Words beside these that say no more: “each”, “a little”.
    pub(crate) beside: HashSet<String>,
}

/// The word lists, ready for look-up.
pub(crate) struct Language {
    /// “the”, “this”, “my”: what follows exists.
    pub(crate) definite: HashSet<String>,
    /// “a”, “some”: what follows need not exist.
    pub(crate) indefinite: HashSet<String>,
    /// Words without a meaning of their own: function words, and those of talk, of politeness, and of making and wanting in general.
    pub(crate) stop: HashSet<String>,
    /// Stems of what things are made of, which shapes have not: “wooden”.
    pub(crate) materials: HashSet<String>,
    /// Stems of adjectives and adverbs that may be ignored.
    pub(crate) adjectives: HashSet<String>,
    /// Words that open a phrase.
    pub(crate) prepositions: HashSet<String>,
    /// Words that open a clause.
    pub(crate) conjunctions: HashSet<String>,
    /// “no”, “without”, “don't”.
    pub(crate) negations: HashSet<String>,
    /// Words that make a sentence a question when they open it.
    pub(crate) questions: HashSet<String>,
    /// Words that make “one” a pronoun: “the middle one”.
    pub(crate) pointers: HashSet<String>,
    /// Phrases that restrict or vary a prompt in ways that no preset can: “only where”, “all objects”.
    pub(crate) restrictions: Vec<Phrase>,
    /// Verbs that ask for the state of the scene when they open the sentence: “is the plane subdivided”.
    pub(crate) state_questions: HashSet<String>,
    /// Words that change the last result when they open the prompt: “change it: …”, “make them …”.
    pub(crate) changes: Vec<Vec<String>>,
    /// Words between those that open a change and what is to be: “change it *to*”, “make them *with*”.
    pub(crate) change_of: Vec<String>,
    /// Words that compare with what is there: “as many”, “more”.
    pub(crate) relative: HashSet<String>,
    /// Words that change the last result when they open or end the prompt: “20 cones instead”.
    pub(crate) instead: HashSet<String>,
    /// Words that reject what follows them: “instead of a sphere”.
    pub(crate) replaced: Vec<String>,
    /// Words before a request that say nothing of it: “how do I”, “I want to”.
    pub(crate) openings: Vec<String>,
    /// Words anywhere in a request that say nothing of it: “with geometry nodes”.
    pub(crate) asides: Vec<String>,
    /// Words before a curve that say “along”: “that follows”, “to the end of”.
    pub(crate) along: Vec<Vec<String>>,
    /// Verbs that say what stays: they go on with the request before them.
    pub(crate) constraints: HashSet<String>,
    /// Verbs that ask for more: “increase the count by 20”.
    pub(crate) rising: HashSet<String>,
    /// Verbs that ask for less: “reduce it by 20%”.
    pub(crate) falling: HashSet<String>,
    /// What stands for all of the last result behind a verb of removal.
    pub(crate) whole: HashSet<String>,
    /// What separates the parts of a sentence that each change one thing.
    pub(crate) joints: Vec<String>,
    /// Words that stand for what was placed, not for what it stands on.
    pub(crate) of_copies: HashSet<String>,
    /// What stands for the copies of the last result behind a number.
    pub(crate) of_them: Vec<String>,
    /// What asks for a second result.
    pub(crate) second: Vec<String>,
    /// What asks for a result at another place.
    pub(crate) elsewhere: Vec<String>,
    /// Nouns for what things stand on, which any mesh may be and an object may be called.
    pub(crate) grounds: Vec<String>,
    /// What ends one request and begins the next, the clearest first.
    pub(crate) then: Vec<String>,
    /// What may join two requests, or parts of one.
    pub(crate) also: Vec<String>,
    /// What of copies may be left to chance.
    pub(crate) at_random: AtRandom,
    /// Words before the verb of a further request that say nothing of what is done.
    pub(crate) joining: HashSet<String>,
    /// Verbs that ask for a removal when they open the sentence: “remove the wireframe”.
    pub(crate) removals: HashSet<String>,
    /// Verbs that ask for one together with “off”: “turn off the random rotation”, “switch it off”.
    pub(crate) switches: HashSet<String>,
    /// Stems of words that ask for something that no preset does.
    pub(crate) unsupported: HashSet<String>,
    /// Words that say where, or that nothing else is meant: they count only as part of a phrase that the preset understands.
    pub(crate) places: HashSet<String>,
    /// Adjectives and adverbs that say something of the result, so that the message names them where no parameter follows them.
    pub(crate) telling: HashSet<String>,
    /// Short forms of words: “segs”, “dia”.
    pub(crate) abbreviations: HashMap<String, String>,
    /// Words that ask for another random result: “another seed”, “shuffle”.
    pub(crate) reseeds: HashSet<String>,
    /// Colour and surface adjectives, which no preset can fulfil.
    pub(crate) colours: HashSet<String>,
    /// Number words below a hundred.
    pub(crate) numbers: HashMap<String, f64>,
    /// “hundred”, “k”, “dozen”.
    pub(crate) multipliers: HashMap<String, f64>,
    /// “a couple”, “a pair”.
    pub(crate) couples: HashMap<String, f64>,
    /// “few”, “several”: about so many.
    pub(crate) vague: HashSet<String>,
    /// Words of size, amount and strength without a number: “tiny”, “densely”, “slightly”.
    pub(crate) degrees: HashMap<String, Degree>,
    /// “taller”, “fewer”: what they compare, and 1 for more or -1 for less.
    pub(crate) comparatives: HashMap<String, Degree>,
    /// “double”, “halve”.
    pub(crate) multiples: HashMap<String, f64>,
    /// What may be too much and too little.
    pub(crate) pairs: Vec<Pair>,
    /// Everyday names of Blender's own objects: “monkey” is an object called Suzanne, where there is one.
    pub(crate) aliases: HashMap<String, Vec<String>>,
    /// “leaf” of “leaves”: where more than an s is put to the noun.
    pub(crate) singulars: HashMap<String, String>,
    /// “half”, “quarter”.
    pub(crate) fractions: HashMap<String, f64>,
    /// “twice”.
    pub(crate) times: HashMap<String, f64>,
    /// Unit words with dimension and factor to the base unit.
    pub(crate) units: HashMap<String, (Dimension, f64)>,
    /// Stems of generic nouns.
    pub(crate) generic: HashMap<String, Generic>,
    /// Stand-in shapes.
    pub(crate) shapes: Vec<Shape>,
    shape_of: HashMap<String, usize>,
    /// Function words of other languages.
    pub(crate) other_languages: HashSet<String>,
    /// What presets are called.
    pub(crate) presets: Presets,
}

/// Words of presets that decide what other words mean.
#[derive(Default)]
pub(crate) struct Presets {
    /// Titles of several words of what presets make: “a brick wall” is a new one beside an object of that name.
    pub(crate) titles: HashSet<String>,
    /// What presets make, by the stems of their titles of one word: “table”.
    pub(crate) makers: HashMap<String, Suggestion>,
    /// Stems of the words by which presets are called: “tube”.
    pub(crate) callers: HashSet<String>,
}

fn stems(words: &[String]) -> HashSet<String> {
    words.iter().map(|word| stem(word)).collect()
}

fn degrees(list: Vec<Degrees>) -> HashMap<String, Degree> {
    let read = |one: Degrees| {
        let degree = Degree {
            of: one.of,
            factor: one.factor,
            cues: one.cues.iter().map(|word| stem(word)).collect(),
        };
        one.words.into_iter().map(move |word| (word, degree.clone()))
    };
    list.into_iter().flat_map(read).collect()
}

fn by_word(units: &[UnitWords]) -> HashMap<String, (Dimension, f64)> {
    let words = units.iter();
    words
        .flat_map(|u| u.words.iter().map(|w| (w.clone(), (u.dimension, u.factor))))
        .collect()
}

impl Language {
    /// Reads the language file.
    ///
    /// # Errors
    /// `preset_invalid` with the place when the file does not have the expected form.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, DataError> {
        let file: File = serde_json::from_str(text).map_err(|error| DataError::Unreadable {
            file: name.to_owned(),
            cause: error.to_string(),
        })?;
        let set = |words: Vec<String>| words.into_iter().collect::<HashSet<_>>();
        let restrictions = file
            .restrictions
            .iter()
            .map(|text| Phrase::parse(text))
            .collect::<Result<_, _>>();
        let restrictions = restrictions.map_err(|error| DataError::Inconsistent {
            file: name.to_owned(),
            path: "/restrictions".into(),
            cause: error.0,
        })?;
        let units = by_word(&file.units);
        let generic = file
            .generic
            .iter()
            .flat_map(|g| g.words.iter().map(|w| (stem(w), g.kind)))
            .collect();
        let shape_of = file
            .shapes
            .iter()
            .enumerate()
            .flat_map(|(i, s)| s.words.iter().map(move |w| (stem(w), i)))
            .collect();
        Ok(Self {
            adjectives: stems(&file.adjectives),
            unsupported: stems(&file.unsupported),
            colours: stems(&file.colours),
            places: set(file.places),
            telling: set(file.telling),
            abbreviations: file.abbreviations,
            reseeds: set(file.reseeds),
            definite: set(file.definite),
            indefinite: set(file.indefinite),
            stop: file.stop.into_iter().chain(file.chat).collect(),
            materials: stems(&file.materials),
            prepositions: set(file.prepositions),
            conjunctions: set(file.conjunctions),
            negations: set(file.negations),
            questions: set(file.questions),
            pointers: set(file.pointers),
            restrictions,
            state_questions: set(file.state_questions),
            changes: file
                .changes
                .iter()
                .map(|phrase| phrase.split(' ').map(str::to_owned).collect())
                .collect(),
            change_of: file.change_of,
            relative: set(file.relative),
            instead: set(file.instead),
            replaced: file.replaced,
            openings: file.openings,
            asides: file.asides,
            along: file
                .along
                .iter()
                .map(|phrase| phrase.split(' ').map(str::to_owned).collect())
                .collect(),
            constraints: set(file.constraints),
            rising: set(file.rising),
            falling: set(file.falling),
            whole: set(file.whole),
            joints: file.joints,
            of_copies: set(file.of_copies),
            of_them: file.of_them,
            second: file.second,
            elsewhere: file.elsewhere,
            grounds: file.grounds,
            then: file.then,
            also: file.also,
            at_random: file.at_random,
            joining: set(file.joining),
            removals: set(file.removals),
            switches: set(file.switches),
            numbers: file.numbers,
            multipliers: file.multipliers,
            couples: file.couples,
            vague: set(file.vague),
            degrees: degrees(file.degrees),
            comparatives: degrees(file.comparatives),
            multiples: file.multiples,
            pairs: file.pairs,
            aliases: file.aliases,
            singulars: file.singulars,
            fractions: file.fractions,
            times: file.times,
            units,
            generic,
            shapes: file.shapes,
            shape_of,
            other_languages: set(file.other_languages),
            presets: Presets::default(),
        })
    }

    /// The shape that a noun (by stem) suggests.
    pub(crate) fn shape(&self, stem: &str) -> Option<&Shape> {
        self.shape_of.get(stem).and_then(|i| self.shapes.get(*i))
    }

    /// The shape with this key.
    pub(crate) fn shape_named(&self, key: &str) -> Option<&Shape> {
        self.shapes.iter().find(|shape| shape.key == key)
    }

    /// One of what the noun names several of: “copy” of “copies”; as it is if it names none.
    pub(crate) fn singular(&self, noun: &str) -> String {
        match self.singulars.get(noun) {
            Some(one) => one.clone(),
            None => noun.strip_suffix('s').unwrap_or(noun).to_owned(),
        }
    }

    /// The words for the stand-in shapes.
    pub(crate) fn shape_words(&self) -> impl Iterator<Item = &str> {
        self.shapes.iter().flat_map(|shape| &shape.words).map(String::as_str)
    }

    /// Whether the word is in one of the lists.
    pub(crate) fn knows(&self, word: &str) -> bool {
        let stem = stem(word);
        self.stop.contains(word)
            || self.prepositions.contains(word)
            || self.conjunctions.contains(word)
            || self.negations.contains(word)
            || self.places.contains(word)
            || self.adjectives.contains(&stem)
            || self.unsupported.contains(&stem)
            || self.colours.contains(&stem)
            || self.generic.contains_key(&stem)
            || self.shape(&stem).is_some()
            || self.units.contains_key(word)
            || self.numbers.contains_key(word)
            || self.multipliers.contains_key(word)
            || self.fractions.contains_key(word)
            || self.degrees.contains_key(word)
            || self.comparatives.contains_key(word)
    }

    /// Whether the word is an article or a possessive.
    pub(crate) fn is_determiner(&self, word: &str) -> bool {
        self.definite.contains(word) || self.indefinite.contains(word)
    }
}
