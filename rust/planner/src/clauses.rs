//! The clauses of a prompt, and whether the main one keeps its meaning without one of them: “with icicles hanging from it” brings in something new,
//! “but not near the edge” decides where and how much of what is asked for.

use crate::degree::MEASURES;
use crate::language::Language;
use crate::library::{Entry, Library};
use crate::preset::Makes;
use crate::quantity::Unit;
use crate::reading::{Item, ItemKind, Reading};
use crate::scene::Referent;
use geonode_graph::documents::Context;

/// How a clause is joined to what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// The first, or one behind a mark alone.
    Bare,
    /// “with”, “plus”, “that has”.
    With,
    /// “and”, “then”, “but”, a further sentence.
    And,
    /// “where every brick …”.
    Where,
    /// “so that …”.
    So,
}

/// A clause as it was typed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clause<'t> {
    /// With its joint and the mark behind it.
    pub(crate) raw: &'t str,
    /// Without them.
    pub(crate) body: &'t str,
    pub(crate) lead: Lead,
    /// Whether a mark stands before it.
    pub(crate) marked: bool,
}

const WITH: [&str; 7] = ["with", "having", "featuring", "including", "plus", "has", "have"];
const AND: [&str; 6] = ["and", "but", "then", "also", "while", "afterwards"];
/// Words that open a clause and are a part of what it says.
const EXCEPTING: [&str; 5] = ["without", "except", "unless", "until", "excluding"];
/// Words with which a clause opens that another joint goes on with: “only where …”.
const GOING_ON: [&str; 8] = ["only", "just", "not", "except", "even", "mostly", "never", "always"];
const LIKENESS: [&str; 6] = ["look", "looks", "looking", "like", "styled", "resembling"];

fn lead(word: &str, next: &str) -> Option<Lead> {
    match word {
        "that" | "which" if WITH.contains(&next) => Some(Lead::With),
        "that" | "which" if LIKENESS.contains(&next) => Some(Lead::Bare),
        "has" | "have" => None,
        _ if WITH.contains(&word) => Some(Lead::With),
        _ if AND.contains(&word) => Some(Lead::And),
        "where" => Some(Lead::Where),
        "so" => Some(Lead::So),
        _ => None,
    }
}

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// The clauses of a prompt in order; what stands in quotation marks or brackets is never cut.
pub(crate) fn clauses(prompt: &str) -> Vec<Clause<'_>> {
    let start_of = |word: &str| word.as_ptr() as usize - prompt.as_ptr() as usize;
    let words: Vec<(usize, &str)> = prompt.split_whitespace().map(|word| (start_of(word), word)).collect();
    let word = |at: usize| words.get(at).map_or("", |(_, word)| *word);
    let mut found: Vec<(usize, usize, Lead)> = vec![(0, 0, Lead::Bare)];
    let mut open = false;
    for at in 0..words.len() {
        let enclosed = open;
        for c in word(at).chars() {
            match c {
                '(' | '“' | '„' => open = true,
                ')' | '”' => open = false,
                '"' => open = !open,
                _ => {}
            }
        }
        if at == 0 || enclosed {
            continue;
        }
        let before = word(at - 1);
        let marked = before.ends_with([',', ';', ':', '.', '!', '?']) || ["-", "–", "—", "+", "&"].contains(&before);
        let joint = lead(&plain(word(at)), &plain(word(at + 1)));
        // “between 0.5 and 1.5”, “5 m long and 2 m high” is one measure or two of the same thing.
        let between = (at.saturating_sub(3)..at).any(|at| plain(word(at)) == "between");
        let joint = joint.filter(|_| !between);
        let goes_on = |last: &(usize, usize, Lead)| (last.1..at).all(|at| GOING_ON.contains(&plain(word(at)).as_str()));
        // “but only where it is wet” is one clause.
        if found.last().is_some_and(|last| last.1 < at && at > 1 && goes_on(last)) {
            continue;
        }
        let marked = marked || EXCEPTING.contains(&plain(word(at)).as_str());
        let Some(kind) = joint.or_else(|| marked.then_some(Lead::Bare)) else {
            continue;
        };
        // “and with”, “, and then” are one joint.
        match found.last_mut() {
            Some(last) if last.1 == at && at > last.0 => {
                if kind != Lead::Bare {
                    last.2 = kind;
                }
                last.1 = at + usize::from(joint.is_some());
            }
            _ => found.push((at, at + usize::from(joint.is_some()), kind)),
        }
    }
    let offset = |at: usize| words.get(at).map_or(prompt.len(), |(start, _)| *start);
    let ends = found.iter().skip(1).map(|(at, ..)| *at).chain([words.len()]);
    let made = found.iter().zip(ends).map(|((from, body, lead), to)| {
        let text = |from: usize| prompt.get(offset(from)..offset(to)).unwrap_or_default().trim();
        let has = ["has", "have", "having"].contains(&plain(word(*body)).as_str());
        let body = text(body + usize::from(*lead == Lead::With && has));
        Clause {
            raw: text(*from),
            body: body
                .trim_end_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '"' | '”' | ')' | '%' | '°' | '²'))),
            lead: *lead,
            marked: *from > 0 && word(from - 1).ends_with([',', ';', '.', '!', '?', ':']),
        }
    });
    made.filter(|clause| !clause.body.is_empty()).collect()
}

/// Words that restrict, compare or bound: without them more, less or something else is made.
const BOUNDING: [&str; 22] = [
    "only",
    "within",
    "until",
    "till",
    "unless",
    "except",
    "excluding",
    "apart",
    "away",
    "instead",
    "rather",
    "than",
    "least",
    "most",
    "minimum",
    "maximum",
    "exactly",
    "min",
    "max",
    "clockwise",
    "anticlockwise",
    "counterclockwise",
];
/// Stems of what things do with each other or with a border.
const MEETING: [&str; 8] = [
    "overlap",
    "touch",
    "intersect",
    "collid",
    "clip",
    "penetr",
    "align",
    "snap",
];
/// Subjects that take some or all of the parts.
const QUANTIFIERS: [&str; 8] = ["each", "every", "some", "all", "the", "few", "most", "many"];
/// Verbs that say no more than that something is to be there.
const BRINGING: [&str; 10] = [
    "add", "put", "place", "make", "give", "let", "build", "create", "want", "need",
];
/// Verbs by which something stays away.
const SPARING: [&str; 6] = ["leave", "leaving", "skip", "omit", "spare", "keep"];
/// Words for the things that a prompt speaks of already.
const POINTING: [&str; 12] = [
    "it",
    "them",
    "they",
    "those",
    "these",
    "this",
    "that",
    "one",
    "ones",
    "its",
    "their",
    "everything",
];

/// A clause that was read, beside the presets that carry out the rest.
pub(crate) struct Beside<'b> {
    pub(crate) library: &'b Library,
    pub(crate) own: &'b [&'b Entry],
    pub(crate) context: &'b Context,
    /// Whether the rest turns one thing into another, which may have more to it: “into a planet with rings”.
    pub(crate) becomes: bool,
}

impl Beside<'_> {
    fn language(&self) -> &Language {
        &self.library.language
    }

    fn reading(&self, text: &str) -> Reading<'_> {
        Reading::new(text, self.context, self.language(), |word, names| {
            self.library.correct(word, names)
        })
    }

    /// Whether the rest means the same without this clause; `listed` where it goes on with what “with” brought in.
    pub(crate) fn is_separable(&self, clause: &Clause, listed: bool) -> bool {
        let reading = self.reading(clause.body);
        let count = reading.items.len();
        if count == 0 || spares(&reading) {
            return count > 0;
        }
        if self.bounds(&reading) {
            return false;
        }
        let lead = if listed && clause.lead == Lead::And {
            Lead::With
        } else {
            clause.lead
        };
        let likens = reading.is(0, &LIKENESS);
        if likens {
            return !(0..count).any(|at| is_number(&reading, at));
        }
        let says = (0..count).any(|at| self.is_foreign(&reading, at));
        let subject = reading.is(0, &QUANTIFIERS) && !is_number(&reading, 1) && !self.is_new(&reading, 1);
        match lead {
            Lead::With => (listed || self.builds()) && self.brings_in(&reading, 0, false),
            Lead::Where => subject && says && !reading.is(1, &POINTING),
            Lead::So => says && !(0..count).any(|at| is_number(&reading, at)),
            Lead::And | Lead::Bare => {
                subject && says && !reading.is(0, &["the"])
                    || self.orders(&reading)
                    || !is_shared(&reading)
                        && self.brings_in(
                            &reading,
                            behind_verb(&reading),
                            lead == Lead::And && behind_verb(&reading) == 0,
                        )
                    || lead == Lead::Bare && says && self.describes(&reading)
            }
        }
    }

    /// Whether the clause tells more of the one before it: “facing the road”, “each 2 m high”; not “3 rails”, which has a noun of the preset.
    pub(crate) fn goes_on(&self, clause: &Clause) -> bool {
        let reading = self.reading(clause.body);
        let own = |at: usize| {
            reading.item(at).is_some_and(|item| {
                let noun = item.kind == ItemKind::Word
                    && !MEASURES.contains(&item.text.as_str())
                    && !self.language().adjectives.contains(&item.stem);
                noun && self.own.iter().any(|entry| {
                    entry
                        .slots
                        .iter()
                        .any(|slot| slot.speaks_of(std::slice::from_ref(&item.stem)))
                })
            })
        };
        clause.lead == Lead::Bare && !self.orders(&reading) && !(0..reading.items.len()).any(own)
    }

    /// “street lamps on both sides” as “lamps on both sides”, with the words that are left out, where the thing is an object or a collection.
    pub(crate) fn thing_alone(&self, clause: &Clause) -> Option<(String, Vec<String>)> {
        let reading = self.reading(clause.body);
        let named = |at: &usize| {
            matches!(reading.item(*at).map(|item| &item.kind), Some(ItemKind::Mention(mention))
                if matches!(mention.referent, Referent::Object { .. } | Referent::Collection(_)))
        };
        let at = (0..reading.items.len()).find(named)?;
        let (dropped, kept): (Vec<usize>, Vec<usize>) = (0..at).partition(|before| self.is_foreign(&reading, *before));
        let words = kept.into_iter().chain(at..reading.items.len());
        let text: Vec<&str> = words.filter_map(|at| Some(reading.item(at)?.typed.as_str())).collect();
        let dropped = dropped
            .into_iter()
            .filter_map(|at| Some(reading.item(at)?.typed.clone()));
        Some((text.join(" "), dropped.collect()))
    }

    /// The words of the clause that no preset of the rest knows.
    pub(crate) fn foreign(&self, clause: &Clause) -> Vec<String> {
        let reading = self.reading(clause.body);
        let items = reading.items.iter().enumerate();
        items
            .filter(|(at, _)| self.is_foreign(&reading, *at))
            .map(|(_, item)| item.typed.clone())
            .collect()
    }

    fn bounds(&self, reading: &Reading) -> bool {
        let language = self.language();
        let word = |at: usize| {
            reading.item(at).is_some_and(|item| {
                let text = item.text.as_str();
                item.kind == ItemKind::Word
                    && (language.negations.contains(text)
                        || text.ends_with("n't")
                        || text.ends_with("wise")
                        || text.ends_with("wards")
                        || BOUNDING.contains(&text)
                        || MEETING.iter().any(|stem| item.stem.starts_with(stem)))
            })
        };
        // What restricts something new restricts nothing of the rest.
        let restricts = || {
            language
                .restrictions
                .iter()
                .any(|phrase| phrase.find(reading).is_some())
        };
        (0..reading.items.len()).any(word) || !self.brings_in(reading, 0, false) && restricts()
    }

    /// Whether the word has no meaning for the presets that carry out the rest, nor for measures, places and amounts of any.
    fn is_foreign(&self, reading: &Reading, at: usize) -> bool {
        let language = self.language();
        reading.item(at).is_some_and(|item| match &item.kind {
            ItemKind::Mention(mention) => matches!(mention.referent, Referent::Unknown(_)),
            ItemKind::Word => {
                let (text, stem) = (&item.text, &item.stem);
                !(language.stop.contains(text)
                    || language.prepositions.contains(text)
                    || language.conjunctions.contains(text)
                    || language.is_determiner(text)
                    // A “railing” is no rail.
                    || language.generic.contains_key(stem) && !text.ends_with("ing")
                    || language.adjectives.contains(stem)
                    || language.places.contains(text)
                    || language.degrees.contains_key(text)
                    || language.comparatives.contains_key(text)
                    || language.at_random.kinds.values().any(|words| words.contains(text))
                    || MEASURES.contains(&text.as_str())
                    || POINTING.contains(&text.as_str())
                    || self.own.iter().any(|entry| entry.vocabulary.contains(stem)))
            }
            _ => false,
        })
    }

    /// Whether the word names a thing that is none of the rest: no word of it, and no measure of any preset.
    fn is_new(&self, reading: &Reading, at: usize) -> bool {
        let known = |stem: &String| {
            let cues = [stem.clone()];
            self.library
                .entries
                .iter()
                .any(|entry| entry.slots.iter().any(|slot| slot.speaks_of(&cues)))
        };
        reading.item(at).is_some_and(|item| match &item.kind {
            // “with the sphere” is about what stands there.
            ItemKind::Mention(mention) => !mention.definite && !matches!(mention.referent, Referent::Generic(_)),
            ItemKind::Word => self.is_foreign(reading, at) && !item.text.ends_with("ly") && !known(&item.stem),
            _ => false,
        })
    }

    /// Whether the word names what only another preset makes: “a railing”, “rings”. What has a number may be a measure of the rest.
    fn is_of_another(&self, reading: &Reading, from: usize, at: usize) -> bool {
        let several = |item: &Item| item.text.ends_with('s') && item.text != item.stem;
        reading.item(at).is_some_and(|item| {
            item.kind == ItemKind::Word && (is_article(reading, from) || several(item)) && self.is_foreign(reading, at)
        }) && !(0..reading.items.len()).any(|at| is_number(reading, at))
    }

    /// Whether the noun phrase that starts here is of something new; `own_article` where it must have an article or a number of its own.
    fn brings_in(&self, reading: &Reading, from: usize, own_article: bool) -> bool {
        let language = self.language();
        let counted = |at: usize| matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(quantity)) if quantity.unit == Unit::Bare);
        let ends = |at: usize| {
            reading.item(at).is_none_or(|item| match item.kind {
                ItemKind::Break(_) => true,
                ItemKind::Word => {
                    let moves = item.text.ends_with("ing") && at > from && self.is_new(reading, at - 1);
                    language.prepositions.contains(&item.text) && !language.is_determiner(&item.text)
                        || language.conjunctions.contains(&item.text)
                        || moves
                }
                // “a curb 15 cm high”: the measure stands behind its noun.
                ItemKind::Quantity(_) => at > from && self.is_new(reading, at - 1),
                ItemKind::Mention(_) => false,
            })
        };
        let end = (from..=reading.items.len()).find(|at| ends(*at)).unwrap_or(from);
        let Some(head) = (from..end)
            .next_back()
            .filter(|at| self.is_new(reading, *at) || self.is_of_another(reading, from, *at))
        else {
            return false;
        };
        let number = (from..head).any(counted);
        // “4 spheres” beside cubes are more of the same, “3 variations” a number of the preset's.
        let strange = reading.item(head).is_some_and(|item| {
            let named =
                matches!(&item.kind, ItemKind::Mention(mention) if !matches!(mention.referent, Referent::Unknown(_)));
            !named && language.shape(&item.stem).is_none() && !self.library.knows(&item.stem)
        });
        (!number || strange) && (!own_article || number || is_article(reading, from))
    }

    /// Whether the rest makes or places something, which may have more to it; what is done to an object is done by means of what “with” names.
    fn builds(&self) -> bool {
        self.becomes
            || self.own.iter().any(|entry| {
                let preset = &entry.preset;
                let along = preset.target.kinds.iter().any(|kind| kind == "CURVE");
                preset.target.makes != Makes::Never || preset.thing.is_some() || along
            })
    }

    /// Whether the clause orders something else: “delete the sphere”, “make them glow”.
    fn orders(&self, reading: &Reading) -> bool {
        let count = reading.items.len();
        let verb = reading.item(0).filter(|item| item.kind == ItemKind::Word);
        let Some(verb) = verb else { return false };
        let object = reading.item(1).is_some_and(|item| match &item.kind {
            ItemKind::Mention(_) => true,
            ItemKind::Word => self.language().is_determiner(&item.text) || POINTING.contains(&item.text.as_str()),
            _ => false,
        });
        let own = self.own.iter().any(|entry| entry.vocabulary.contains(&verb.stem));
        let brings = BRINGING.contains(&verb.text.as_str());
        let other = !(brings
            || own
            || self.language().prepositions.contains(&verb.text)
            || self.language().is_determiner(&verb.text));
        let says = other || (1..count).any(|at| self.is_foreign(reading, at));
        // “delete half of them” is about how many.
        let number = (0..count).any(|at| is_number(reading, at));
        object && says && (other || brings) && !number && !reading.is(0, &QUANTIFIERS) && !reading.is(0, &POINTING)
    }

    /// Words that only describe: “cinematic lighting”; nothing of the rest, no number and no place.
    fn describes(&self, reading: &Reading) -> bool {
        (0..reading.items.len()).all(|at| {
            let empty = reading.means_nothing(at)
                && !reading
                    .item(at)
                    .is_some_and(|item| self.language().prepositions.contains(&item.text));
            self.is_foreign(reading, at)
                || empty
                || reading
                    .item(at)
                    .is_some_and(|item| self.language().adjectives.contains(&item.stem))
        })
    }
}

fn is_number(reading: &Reading, at: usize) -> bool {
    matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(_)))
}

fn is_article(reading: &Reading, at: usize) -> bool {
    reading.is(at, &["a", "an", "some", "another"])
}

/// Whether the clause names an object that stands: “rocks and mushrooms *on the plane*” places both.
fn is_shared(reading: &Reading) -> bool {
    reading
        .items
        .iter()
        .any(|item| matches!(&item.kind, ItemKind::Mention(mention) if mention.definite))
}

/// Where the noun phrase starts behind a verb that only brings it in: “add a chimney”.
fn behind_verb(reading: &Reading) -> usize {
    (0..reading.items.len())
        .take_while(|at| reading.is(*at, &BRINGING))
        .count()
}

/// “leave out a gap for the gate”: something new, though by what is not there; “leave out the middle one” takes a part away.
fn spares(reading: &Reading) -> bool {
    let out = 1 + usize::from(reading.is(1, &["out"]));
    let new = is_article(reading, out) || reading.is(out, &["room", "space", "some"]);
    reading.is(0, &SPARING) && new && !(out..reading.items.len()).any(|at| reading.is(at, &["one", "ones", "them"]))
}
