//! Checks the words of a prompt that nothing used: no meaningful word is ignored silently.

use std::collections::HashSet;
use std::ops::Range;

use geonode_protocol::Code;

use crate::aside::{belongs, makes, orders, sentences_of_talk};
use crate::degree::MEASURES;
use crate::fill::Filled;
use crate::language::Generic;
use crate::library::Entry;
use crate::phrase::Phrase;
use crate::preset::Makes;
use crate::quantity::Unit;
use crate::reading::{Item, ItemKind, Reading};
use crate::refusal::Refusal;
use crate::scene::Referent;
use crate::unread::not_understood;

/// Words that may be ignored and are named in the message.
const FEW: usize = 3;

/// The items that phrases of the preset explain; words that it merely allows, words beside a number, and those that only introduce the target
/// (“side of”) explain no place.
fn explained(reading: &Reading, entry: &Entry) -> HashSet<usize> {
    let starts = 0..reading.items.len();
    let introduces = |at: usize| {
        let mut roles = entry.target.after.iter().filter(|phrase| phrase.weight() == 2);
        is_place(reading, at) && reading.is(at + 1, &["of"]) && roles.any(|phrase| phrase.ends(reading, at).is_some())
    };
    let spans = starts.flat_map(|at| {
        let found = entry
            .phrases()
            .filter_map(move |phrase| Some((phrase, phrase.ends(reading, at)?)));
        found
            .filter(move |(_, end)| !(introduces(at) && *end == at + 2))
            .map(move |(phrase, end)| (phrase, at..end))
    });
    // “from the *top* of the pole”: a place that a phrase merely passes over is not what it says.
    let spelt = |phrase: &Phrase, at: usize| {
        !is_place(reading, at)
            || reading
                .item(at)
                .is_some_and(|item| phrase.stems().any(|stem| stem == item.stem))
    };
    spans
        .flat_map(|(phrase, span)| span.filter(move |at| spelt(phrase, *at)))
        .collect()
}

/// Whether the word says where: “the *top* of the cube”.
fn is_place(reading: &Reading, at: usize) -> bool {
    reading
        .item(at)
        .is_some_and(|item| item.kind == ItemKind::Word && reading.language.places.contains(&item.text))
}

/// Words that say where something is in relation to another: “under the plane”, “2 m above it”.
const RELATIONS: [&str; 18] = [
    "above",
    "below",
    "under",
    "beneath",
    "underneath",
    "behind",
    "beside",
    "near",
    "around",
    "inside",
    "within",
    "outside",
    "between",
    "towards",
    "toward",
    "against",
    "beyond",
    "opposite",
];
/// Verbs that open a prompt and ask for something else than a preset that merely knows the word.
const OTHER_DEEDS: [&str; 16] = [
    "scale",
    "rotate",
    "move",
    "translate",
    "resize",
    "project",
    "paint",
    "colour",
    "color",
    "hide",
    "render",
    "animate",
    "merge",
    "join",
    "trim",
    "rename",
];
/// What a mesh has many of: “3 per face”.
const EACH_OF: [&str; 14] = [
    "face", "faces", "vertex", "vertices", "edge", "edges", "point", "points", "corner", "corners", "island", "side",
    "polygon", "instance",
];

/// Whether the word restricts or places what is asked for, so that the result is another one without it. Phrases that understand it are not
/// looked at here.
fn decides(entry: &Entry, reading: &Reading, at: usize) -> bool {
    let language = reading.language;
    let measure = |at: usize| match reading.item(at).map(|item| &item.kind) {
        Some(ItemKind::Quantity(quantity)) => matches!(quantity.unit, Unit::Metres | Unit::Blender),
        _ => false,
    };
    let empty = |at: &usize| {
        reading.item(*at).is_some_and(|item| {
            item.kind == ItemKind::Word
                && (language.is_determiner(&item.text) || language.adjectives.contains(&item.stem))
                && !language.generic.contains_key(&item.stem)
        })
    };
    let next = (at + 1..at + 4).find(|next| !empty(next)).unwrap_or(at + 1);
    let noun = reading.item(next).is_some_and(|item| match &item.kind {
        ItemKind::Mention(_) => true,
        ItemKind::Word => {
            language.generic.contains_key(&item.stem)
                || language.shape(&item.stem).is_some()
                || ["it", "them", "this", "that", "each", "one"].contains(&item.text.as_str())
        }
        _ => false,
    });
    let before = at.checked_sub(1);
    // “next to the crate”, “in front of it”.
    let beside = reading.is(at, &["next"]) && reading.is(at + 1, &["to"])
        || reading.is(at, &["front", "back"]) && reading.is(at + 1, &["of"]);
    if beside {
        return true;
    }
    if reading.is(at, &RELATIONS) {
        return noun || before.is_some_and(measure);
    }
    // “from the sphere to the cube”.
    let named = |at: usize| matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Mention(mention)) if mention.definite);
    if reading.is(at, &["from"]) && named(next) && (next..next + 3).any(|at| reading.is(at, &["to"])) {
        return true;
    }
    if reading.is(at, &["each", "every"]) {
        return entry.preset.thing.is_some() && reading.is(next, &EACH_OF);
    }
    if reading.is(at, &["up"]) {
        let placed = before
            .and_then(|before| reading.item(before))
            .is_some_and(|item| matches!(item.kind, ItemKind::Quantity(_) | ItemKind::Mention(_)));
        // “roughen the sphere up with noise” only strengthens the verb.
        let strengthens = reading.is(at + 1, &["to", "and", "with", "into", "in", "by", "using", "as"]);
        return placed && (!strengthens || before.is_some_and(measure));
    }
    // “every second pebble” are not all.
    if reading.is(at, &["second", "other", "alternate", "fourth", "fifth"]) {
        return before.is_some_and(|before| {
            reading.is(before, &["every"]) || reading.is(before, &["each"]) && !reading.is(at, &["other"])
        });
    }
    // “along the curve” of what is built straight.
    let path = reading.is(at, &["along", "following"])
        && reading.item(next).is_some_and(|item| match &item.kind {
            ItemKind::Mention(mention) => mention.is("CURVE") || mention.is("CURVES"),
            _ => language.generic.get(&item.stem) == Some(&Generic::Curve),
        });
    path || reading.is(
        at,
        &["both", "per", "down", "downwards", "downward", "upwards", "upward"],
    ) || reading.is(at, &["most"]) && !before.is_some_and(|before| reading.is(before, &["at", "the"]))
}

/// Whether the word takes a part that nobody can tell: “on most of the plane”.
fn only_part(reading: &Reading, at: usize) -> bool {
    let placed = at.checked_sub(1).and_then(|before| reading.item(before));
    // “every part of the wall” leaves none out.
    let placed = placed.is_some_and(|item| {
        reading.language.prepositions.contains(&item.text) && !["each", "every", "all"].contains(&item.text.as_str())
    });
    placed && reading.is(at, &["most", "much", "some", "part", "parts"]) && reading.is(at + 1, &["of"])
}

/// Whether a word that changes nothing says something of the result all the same, so that the message names it.
fn tells(entry: &Entry, reading: &Reading, filled: &Filled, at: usize) -> bool {
    let Some(item) = reading.item(at).filter(|item| item.kind == ItemKind::Word) else {
        return false;
    };
    let language = reading.language;
    // “2 m high”: the number was read.
    if at > 0
        && matches!(reading.item(at - 1).map(|item| &item.kind), Some(ItemKind::Quantity(q)) if q.unit != Unit::Bare)
    {
        return false;
    }
    let empty = language.stop.contains(&item.text)
        || language.prepositions.contains(&item.text)
        || language.conjunctions.contains(&item.text)
        || language.is_determiner(&item.text)
        || language.generic.contains_key(&item.stem);
    let allowed = entry
        .words
        .iter()
        .any(|phrase| phrase.weight() == 1 && phrase.ends(reading, at).is_some());
    let said = |slot: &&crate::library::Slot| {
        let name = &slot.parameter.name;
        filled.sources.contains_key(name) || slot.parameter.into.iter().any(|one| filled.sources.contains_key(one))
    };
    if language.materials.contains(&item.stem) {
        return !entry.speaks_of(&item.stem);
    }
    let of_value = || {
        let slots = entry.slots.iter().filter(said);
        slots
            .flat_map(|slot| slot.before.iter().chain(&slot.after))
            .any(|phrase| phrase.stems().any(|stem| stem == item.stem))
    };
    !allowed
        && (language.telling.contains(&item.text) || !empty && entry.vocabulary.contains(&item.stem) && !of_value())
}

/// Whether what is said next is understood, so that “only” says nothing more: “only on the *left half*”, “only *20* rocks”.
fn goes_on(reading: &Reading, understood: impl Fn(usize) -> bool, from: usize) -> bool {
    let language = reading.language;
    let empty = |at: usize| {
        reading.item(at).is_some_and(|item| {
            item.kind == ItemKind::Word
                && (language.prepositions.contains(&item.text) || language.is_determiner(&item.text))
        })
    };
    let next = (from..reading.items.len()).find(|at| !empty(*at));
    next.is_none_or(understood)
}

fn silent(reading: &Reading, entry: &Entry, at: usize) -> bool {
    let Some(item) = reading.item(at) else { return true };
    let language = reading.language;
    entry.vocabulary.contains(&item.stem)
        || language.stop.contains(&item.text)
        || language.prepositions.contains(&item.text)
        || language.conjunctions.contains(&item.text)
        || language.is_determiner(&item.text)
        // “thick” only describes, “the thickness” is a thing to be changed.
        || (language.adjectives.contains(&item.stem) || language.materials.contains(&item.stem))
            && !item.text.ends_with("ness")
        || language.generic.contains_key(&item.stem)
}

/// Whether the word only joins: “the left half *of the* plane”.
fn says_nothing(reading: &Reading, at: usize) -> bool {
    reading.is(at, &["of"])
        || reading
            .item(at)
            .is_some_and(|item| reading.language.is_determiner(&item.text))
}

/// Notes the words of phrases that restrict what is asked for in ways that nothing used.
fn restricted(reading: &Reading, used: &HashSet<usize>, hard: &mut Vec<String>) {
    for phrase in &reading.language.restrictions {
        if let Some((start, end)) = phrase.find(reading)
            && !(start..end).all(|at| used.contains(&at) || says_nothing(reading, at))
            && !(reading.is(start, &["only", "where"])
                && goes_on(reading, |at| used.contains(&at), (start + 1).max(end - 1)))
        {
            hard.extend(
                (start..end)
                    .filter_map(|at| reading.item(at))
                    .map(|item| item.typed.clone()),
            );
        }
    }
}

/// What becomes of a word that nothing used.
enum Fate {
    /// The prompt is refused for it; it `opens` a clause of its own.
    Hard { opens: bool },
    /// It is ignored and named, a few of them.
    Soft,
    /// It changes nothing; `told` where it says something all the same.
    Silent { told: bool },
}

/// The words of a prompt beside what was read.
struct Words<'w> {
    entry: &'w Entry,
    reading: &'w Reading<'w>,
    filled: &'w Filled,
    used: &'w HashSet<usize>,
    explained: &'w HashSet<usize>,
}

impl Words<'_> {
    /// What becomes of the word, in a clause that is `open` if something of it was read.
    fn fate(&self, at: usize, item: &Item, open: bool) -> Fate {
        let (entry, reading) = (self.entry, self.reading);
        let language = reading.language;
        let explained = self.explained.contains(&at);
        if is_apposition(reading, at) {
            return Fate::Silent { told: false };
        }
        let first = (0..reading.items.len()).find(|at| !reading.means_nothing(*at)) == Some(at);
        let deed = OTHER_DEEDS.contains(&item.text.as_str());
        let made = first && makes(reading, entry, at) && !deed;
        // “scale the instances …”, “hide 20 rocks”: what is to be done is another thing.
        // “dining table” beside an object Table: what is made is no object of a verb.
        let own_noun = entry.preset.target.makes != Makes::Never
            && reading.item(at + 1).is_some_and(|next| match &next.kind {
                ItemKind::Mention(mention) => !mention.definite && entry.vocabulary.contains(&next.stem),
                _ => false,
            });
        let has_object = || {
            !own_noun
                && reading.item(at + 1).is_some_and(|next| match next.kind {
                    ItemKind::Mention(_) | ItemKind::Quantity(_) => true,
                    _ => language.is_determiner(&next.text) || next.text == "it" || next.text == "them",
                })
        };
        let opens = first && !made && !explained && (deed || !silent(reading, entry, at)) && has_object();
        let other = language.unsupported.contains(&item.stem) && !entry.vocabulary.contains(&item.stem);
        let colour = language.colours.contains(&item.stem);
        let before_noun = describes(entry, reading, at, self.used);
        let understood = |at: usize| self.used.contains(&at) || self.explained.contains(&at);
        // “on the top face *only*, each 5 mm across”
        let closes = at > 0 && understood(at - 1) && ends_clause(reading, at + 1);
        let only = item.text == "only" && (closes || goes_on(reading, understood, at + 1));
        let restricts = is_place(reading, at) && !only || decides(entry, reading, at);
        let negation = opens || language.negations.contains(&item.text);
        // “3 per square foot”: a number that counts something else than the things.
        let rate = item.text == "per";
        if negation || varies(reading, at) && !explained || restricts && (!explained || rate) || only_part(reading, at)
        {
            return Fate::Hard { opens: false };
        }
        if silent(reading, entry, at) && !other {
            let material = language.materials.contains(&item.stem);
            let told = (material || !explained) && tells(entry, reading, self.filled, at);
            return Fate::Silent { told };
        }
        if colour && before_noun || purpose(reading, at) {
            return Fate::Soft;
        }
        // “a tube … on half of the circle”: without the word by which it calls for a preset, another thing is made.
        if !before_noun && language.presets.callers.contains(&item.stem) {
            return Fate::Hard { opens: true };
        }
        let unmade = other && !(made && language.rising.contains(&item.text));
        let ordered = !made && !own_noun && orders(reading, at);
        let part = !(before_noun || idle(reading, at)) && belongs(reading, at, self.used);
        if unmade || colour || is_property(reading, at) || !open || ordered || part {
            return Fate::Hard { opens: true };
        }
        Fate::Soft
    }
}

/// Whether a clause ends before this place.
fn ends_clause(reading: &Reading, at: usize) -> bool {
    reading.item(at).is_none_or(|item| match item.kind {
        ItemKind::Break(_) => true,
        ItemKind::Word => reading.language.conjunctions.contains(&item.text),
        _ => false,
    })
}

/// Nouns behind a name that say what it is the name of: “the ground *plane*”, “my Lamp *object*”.
const APPOSITIONS: [&str; 8] = [
    "plane",
    "object",
    "mesh",
    "curve",
    "collection",
    "surface",
    "model",
    "geometry",
];

/// Whether the word only says what the name before it is the name of.
fn is_apposition(reading: &Reading, at: usize) -> bool {
    let named = at
        .checked_sub(1)
        .and_then(|before| reading.item(before))
        .is_some_and(|item| {
            matches!(&item.kind, ItemKind::Mention(mention)
            if matches!(mention.referent, Referent::Object { .. } | Referent::Collection(_) | Referent::Generic(_)))
        });
    named && reading.is(at, &APPOSITIONS)
}

/// Checks all words that no role and no parameter used. Returns the harmless ones.
///
/// # Errors
/// `partly_understood` with what was and what was not understood; `unknown_object` for a quoted name that does not exist.
pub(crate) fn leftovers(
    entry: &Entry,
    reading: &Reading,
    used: &[usize],
    filled: &Filled,
) -> Result<Vec<String>, Refusal> {
    let (loose, unmeant) = (&filled.loose, &filled.unmeant);
    let used: HashSet<usize> = used.iter().copied().collect();
    let clauses = reading.clauses();
    let explained = explained(reading, entry);
    let (mut hard, mut soft, mut told): (Vec<String>, Vec<String>, Vec<String>) = (Vec::new(), Vec::new(), Vec::new());
    let mut opened: HashSet<usize> = HashSet::from([0]);
    restricted(reading, &used, &mut hard);
    let number = |at: usize| matches!(reading.item(at).map(|item| &item.kind), Some(ItemKind::Quantity(_)));
    let talk = sentences_of_talk(reading, |at| {
        used.contains(&at)
            || explained.contains(&at)
            || loose.contains(&at)
            || unmeant.contains(&at)
            || says_something(reading, entry, at)
    });
    let means = |at: usize| !silent(reading, entry, at) && !reading.means_nothing(at);
    let named = talk.iter().filter(|sentence| (*sentence).clone().any(means));
    told.extend(named.map(|sentence| reading.typed(sentence.start, sentence.end)));
    let words = Words {
        entry,
        reading,
        filled,
        used: &used,
        explained: &explained,
    };
    let denied = denied(entry, reading, |at| used.contains(&at) || explained.contains(&at));
    soft.extend(denied.iter().map(|span| reading.typed(span.start, span.end)));
    for (at, item) in reading.items.iter().enumerate() {
        if denied.iter().any(|span| span.contains(&at)) {
            continue;
        }
        let clause = clauses.get(at).copied().unwrap_or(0);
        if talk.iter().any(|sentence| sentence.contains(&at)) {
            continue;
        }
        if used.contains(&at) {
            opened.insert(clause);
            continue;
        }
        if loose.contains(&at) {
            soft.push(item.typed.clone());
            continue;
        }
        if unmeant.contains(&at) {
            hard.push(item.typed.clone());
            continue;
        }
        match &item.kind {
            // “5+3 cubes”: nothing adds up.
            ItemKind::Break('+') if at > 0 && number(at - 1) && number(at + 1) => {
                hard.push(reading.typed(at - 1, at + 2));
            }
            ItemKind::Break(_) => {}
            ItemKind::Quantity(_) if item.text == "one" => {}
            ItemKind::Quantity(_) => hard.push(item.typed.clone()),
            ItemKind::Mention(mention) => {
                if let Referent::Unknown(name) = &mention.referent {
                    return Err(Refusal::new(
                        Code::UnknownObject,
                        format!("There is no object or collection called “{name}” in the scene."),
                    ));
                }
                // A plain word that is also an object's name, used with the preset's meaning.
                if mention.definite || !entry.vocabulary.contains(&item.stem) {
                    hard.push(item.typed.clone());
                }
            }
            ItemKind::Word => {
                let open = opened.contains(&clause);
                match words.fate(at, item, open) {
                    Fate::Hard { opens } => {
                        hard.push(item.typed.clone());
                        if opens {
                            opened.insert(clause);
                        }
                    }
                    Fate::Soft => soft.push(item.typed.clone()),
                    Fate::Silent { told: named } => {
                        // The first meaningful word of a further clause opens it.
                        if entry.vocabulary.contains(&item.stem) {
                            opened.insert(clause);
                        }
                        told.extend(named.then(|| item.typed.clone()));
                    }
                }
            }
        }
    }
    // More words that were read than such as were not.
    let item = |at: &&usize| {
        reading
            .item(**at)
            .is_some_and(|item| !matches!(item.kind, ItemKind::Break(_)))
    };
    let read: HashSet<usize> = used.union(&explained).copied().collect();
    let most = FEW.min(read.iter().filter(item).count());
    if hard.is_empty() && soft.len() <= most {
        soft.extend(told);
        return Ok(soft);
    }
    hard.extend(soft);
    Err(not_understood(entry, hard))
}

/// Clauses that deny what the preset does not make anyway, and nothing of the scene: “…, no bumps”.
fn denied(entry: &Entry, reading: &Reading, read: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let language = reading.language;
    let ends = |at: usize| {
        reading.item(at).is_none_or(|item| match item.kind {
            ItemKind::Break(mark) => matches!(mark, ',' | '.' | ';' | '!'),
            _ => reading.is(at, &["and", "but"]),
        })
    };
    let foreign = |at: usize| {
        reading.item(at).is_some_and(|item| {
            item.kind == ItemKind::Word
                && !(read(at)
                    || entry.vocabulary.contains(&item.stem)
                    || language.shape(&item.stem).is_some()
                    || language.generic.contains_key(&item.stem)
                    || language.places.contains(&item.text)
                    || language.negations.contains(&item.text)
                    || language.prepositions.contains(&item.text)
                    || language.stop.contains(&item.text)
                    || MEASURES.contains(&item.text.as_str()))
        })
    };
    let opens = |at: usize| at > 0 && ends(at - 1) || at > 1 && reading.is(at - 1, &["with"]);
    let spans = (1..reading.items.len()).filter(|at| reading.is(*at, &["no", "without"]) && opens(*at) && !read(*at));
    let spans = spans.filter_map(|at| {
        let end = (at + 1..at + 4).find(|end| ends(*end)).filter(|end| *end > at + 1)?;
        (at + 1..end).all(foreign).then_some(at..end)
    });
    spans.collect()
}

/// Whether the word precedes a noun that was read, like an adjective: “rusty old posts”, “a stone circle”.
fn describes(entry: &Entry, reading: &Reading, at: usize, used: &HashSet<usize>) -> bool {
    let language = reading.language;
    (at + 1..at + 4)
        .take_while(|next| {
            reading.item(*next).is_some_and(|item| match item.kind {
                // “a smooth round table”.
                ItemKind::Word => {
                    (!language.prepositions.contains(&item.text) || language.adjectives.contains(&item.stem))
                        && !language.conjunctions.contains(&item.text)
                }
                ItemKind::Mention(_) => true,
                _ => false,
            })
        })
        .any(|next| {
            used.contains(&next)
                || reading
                    .item(next)
                    .is_some_and(|item| entry.vocabulary.contains(&item.stem))
        })
}

/// Whether the word is one that no sentence of talk has: a thing, a number, a colour, a place, or what no preset does.
fn says_something(reading: &Reading, entry: &Entry, at: usize) -> bool {
    let language = reading.language;
    reading.item(at).is_some_and(|item| match &item.kind {
        ItemKind::Quantity(_) => item.text != "one",
        ItemKind::Mention(_) => true,
        ItemKind::Break(_) => false,
        ItemKind::Word => {
            entry.vocabulary.contains(&item.stem) && !language.stop.contains(&item.text)
                || language.unsupported.contains(&item.stem)
                || language.colours.contains(&item.stem)
                || language.materials.contains(&item.stem)
                || language.shape(&item.stem).is_some()
                || is_place(reading, at)
                || decides(entry, reading, at)
        }
    })
}

/// Whether the word is a property that the preset does not have: “with random *thickness*”.
fn is_property(reading: &Reading, at: usize) -> bool {
    reading.item(at).is_some_and(|item| item.text.ends_with("ness")) || reading.is(at, &MEASURES)
}

/// Whether the word leaves to chance how the copies lie: “each rotated *randomly*”.
fn varies(reading: &Reading, at: usize) -> bool {
    let language = reading.language;
    let kind = |at: usize| {
        reading.item(at).is_some_and(|item| {
            language
                .at_random
                .kinds
                .values()
                .any(|words| words.contains(&item.text))
        })
    };
    reading.is(at, &["random", "randomly"]) && (at.saturating_sub(2)..at + 3).any(kind)
}

/// Whether the word says what the result is for or like: “for my animation project”, “like a buoy”, “as a sculpture”; not “for 20 cubes”.
fn purpose(reading: &Reading, at: usize) -> bool {
    let words = (at.saturating_sub(5)..at)
        .rev()
        .take_while(|before| reading.item(*before).is_some_and(|item| item.kind == ItemKind::Word));
    words.into_iter().any(|before| {
        reading.is(before, &["for"]) || reading.is(before, &["like", "as"]) && !reading.is(before + 1, &["if"])
    })
}

/// Words that do not change the result: manner (“nicely”), purpose (“for my forest project”) and “so it looks like …”.
fn idle(reading: &Reading, at: usize) -> bool {
    let manner = reading
        .item(at)
        .is_some_and(|item| item.text.ends_with("ly") && item.text.len() > 4);
    manner || purpose(reading, at)
}
