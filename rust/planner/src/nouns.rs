//! The nouns of a prompt: which of them names the target of a preset, and which the thing that is copied.

use crate::language::Generic;
use crate::library::{Entry, Introducers};
use crate::naming::is_numbered;
use crate::preset::Makes;
use crate::quantity::{Amount, Quantity, Unit};
use crate::reading::{ItemKind, Reading};
use crate::scene::Referent;

/// A noun of the prompt.
pub(crate) struct Noun {
    /// Its item.
    pub(crate) at: usize,
    /// What it refers to.
    pub(crate) referent: Referent,
    /// Whether it is named as one that stands: “the plane”.
    pub(crate) definite: bool,
    /// Whether a count stands before it.
    pub(crate) counted: bool,
    /// Whether it is a word of the preset.
    own: bool,
    target: f64,
    thing: f64,
}

/// Nouns of place without a meaning of their own: “the surface of the sphere” is the sphere.
const PARTS: [&str; 27] = [
    "surface", "top", "face", "faces", "edge", "edges", "length", "outside", "copies", "copy", "middle", "points",
    "vertices", "polygons", "half", "side", "sides", "part", "parts", "most", "much", "rest", "all", "border", "rim",
    "centre", "center",
];

/// Whether a number is a share of something: “half”, “two thirds”, “30%”.
pub(crate) fn is_share(reading: &Reading, at: usize, quantity: &Quantity) -> bool {
    let words = || reading.item(at).map_or("", |item| item.text.as_str()).split(' ');
    let fraction = |word: &str| reading.language.fractions.contains_key(word);
    // “half a dozen” are six.
    let counts = |word: &str| reading.language.multipliers.contains_key(word);
    let share = words().any(fraction) && !words().any(counts);
    matches!(quantity.amount, Amount::One(_)) && (quantity.unit == Unit::Percent || share)
}

/// Words that may be between a phrase and the noun that it introduces.
fn skipped(reading: &Reading, entry: &Entry, at: usize) -> bool {
    reading.item(at).is_some_and(|item| match &item.kind {
        ItemKind::Quantity(q) => matches!(q.unit, Unit::Bare | Unit::Times) && !matches!(q.amount, Amount::Range(..)),
        ItemKind::Word => {
            reading.language.is_determiner(&item.text)
                || reading.language.adjectives.contains(&item.stem)
                || reading.language.colours.contains(&item.stem)
                || reading.is(
                    at,
                    &[
                        "all",
                        "each",
                        "every",
                        "copies",
                        "instances",
                        "duplicates",
                        "clones",
                        "many",
                        "own",
                    ],
                )
                || (item.text.ends_with("ly") && item.text.len() > 4)
                || (entry.vocabulary.contains(&item.stem)
                    && !reading.language.prepositions.contains(&item.text)
                    && !reading.language.generic.contains_key(&item.stem)
                    && reading.language.shape(&item.stem).is_none())
        }
        _ => false,
    })
}

/// The noun that a phrase ending before `start` introduces: its item, whether a count and whether an article preceded it.
fn head(reading: &Reading, entry: &Entry, start: usize) -> Option<(usize, bool, bool)> {
    let language = reading.language;
    let mut at = start;
    let (mut counted, mut definite) = (false, false);
    let mut guess: Option<usize> = None;
    while at < start + 9 {
        let Some(item) = reading.item(at) else { break };
        match &item.kind {
            ItemKind::Mention(mention) => return Some((at, counted, mention.definite || definite)),
            ItemKind::Break(_) => break,
            // “the first half of the curve”, “30% of the plane” are on the curve and on the plane.
            ItemKind::Quantity(quantity) if reading.is(at + 1, &["of"]) && is_share(reading, at, quantity) => at += 1,
            // “fifty 8 cm spheres”.
            ItemKind::Quantity(q) if counted && guess.is_none() && q.unit == Unit::Metres => {}
            ItemKind::Quantity(_) if guess.is_some() || !skipped(reading, entry, at) => break,
            ItemKind::Quantity(_) => counted = true,
            ItemKind::Word if PARTS.contains(&item.text.as_str()) && reading.is(at + 1, &["of"]) => {
                // “one side of the cube” counts sides.
                counted &= item.text.starts_with("cop");
                at += 1;
            }
            ItemKind::Word if language.definite.contains(&item.text) && guess.is_none() => definite = true,
            ItemKind::Word if ["it", "them", "selection"].contains(&item.text.as_str()) && guess.is_none() => {
                return Some((at, false, true));
            }
            ItemKind::Word
                if language.prepositions.contains(&item.text) && !reading.is(at, &["all", "each", "every"]) =>
            {
                break;
            }
            ItemKind::Word if language.conjunctions.contains(&item.text) || language.negations.contains(&item.text) => {
                break;
            }
            ItemKind::Word => {
                let named = language.generic.contains_key(&item.stem) || language.shape(&item.stem).is_some();
                let filler = !named && (skipped(reading, entry, at) || language.stop.contains(&item.text));
                let participle = item.text.ends_with("ed") || item.text.ends_with("ing");
                // A known noun is preferred to an unknown word after it (“pebbles everywhere”).
                let settled = guess
                    .and_then(|g| reading.item(g))
                    .is_some_and(|g| language.shape(&g.stem).is_some())
                    && !named;
                if !(filler || settled || participle && guess.is_some()) {
                    guess = Some(at);
                }
            }
        }
        at += 1;
    }
    guess.map(|at| (at, counted, definite))
}

fn longest(introducers: &Introducers, reading: &Reading, at: usize) -> Option<(usize, f64)> {
    let of = |list: &[crate::phrase::Phrase], base: f64| {
        let ends = list
            .iter()
            .filter_map(|phrase| Some((phrase.ends(reading, at)?, phrase.weight())));
        ends.max()
            .map(|(end, weight)| (end, base + f64::from(u32::try_from(weight).unwrap_or(1)) * 0.1))
    };
    of(&introducers.after, 2.0).or_else(|| of(&introducers.object_of, 1.0))
}

/// Whether a number may count the noun after it: “20”, “5 by 4”, “between 20 and 30”.
fn counts(quantity: &Quantity) -> bool {
    let whole = match &quantity.amount {
        Amount::One(_) | Amount::Sides(_) => true,
        Amount::Range(low, high) => *low >= 2.0 && low.fract() == 0.0 && high.fract() == 0.0,
    };
    whole && quantity.unit == Unit::Bare
}

fn referent(reading: &Reading, at: usize) -> Option<Referent> {
    let item = reading.item(at)?;
    Some(match &item.kind {
        ItemKind::Mention(mention) => mention.referent.clone(),
        _ => match reading.language.generic.get(&item.stem) {
            Some(generic) => Referent::Generic(*generic),
            None => Referent::Unknown(item.typed.clone()),
        },
    })
}

/// Whether the word alone calls for the preset: “fibonacci”.
fn calls(entry: &Entry, stem: &str) -> bool {
    let alone = entry.preset.calls.iter().filter_map(crate::preset::Rule::alone);
    let mut phrases = alone.filter_map(|name| entry.concepts.get(name)).flatten();
    phrases.any(|phrase| phrase.weight() == 1 && phrase.stems().any(|one| one == stem))
}

/// The nouns in their order.
pub(crate) fn nouns(reading: &Reading, entry: &Entry) -> Vec<Noun> {
    let mut nouns: Vec<Noun> = Vec::new();
    let mut note = |at: usize, counted: bool, definite: bool, target: f64, thing: f64| {
        if let Some(noun) = nouns.iter_mut().find(|noun| noun.at == at) {
            noun.counted |= counted;
            noun.definite |= definite;
            noun.target = noun.target.max(target);
            noun.thing = noun.thing.max(thing);
        } else if let Some(referent) = referent(reading, at) {
            // “to be a pipe”: what a preset makes is not an object of the scene.
            let made = reading
                .item(at)
                .is_some_and(|item| entry.vocabulary.contains(&item.stem));
            // “a building with 5 floors”, “a gear” beside an object Gear: unless a phrase says that it stands there, or an article, it is made.
            let own = entry.preset.target.makes != Makes::Never && entry.preset.thing.is_none();
            if own && made && !definite && target < 2.0 && referent != Referent::Generic(Generic::Any) {
                return;
            }
            // “a ring of 12 cubes” beside an object Ring.
            let titled = matches!(&referent, Referent::Object { name, .. } if is_numbered(name, &entry.preset.title));
            if titled && made && !definite && entry.preset.target.makes != Makes::Never {
                return;
            }
            // “a sphere made of 300 cubes” beside an object Sphere: the shape in which they lie.
            let of = reading.is(at + 1, &["of", "made", "out", "built", "from"])
                || at > 0
                    && reading
                        .item(at - 1)
                        .is_some_and(|before| before.kind == ItemKind::Word && calls(entry, &before.stem));
            let formed = of && made && !definite && !counted && target < 1.0 && thing < 1.0;
            if formed && entry.preset.thing.is_some() && entry.preset.target.makes != Makes::Never {
                return;
            }
            // “6 columns” of a grid are not pillars.
            let part = counted
                && matches!(referent, Referent::Unknown(_))
                && reading.item(at).is_some_and(|item| entry.parts.contains(&item.stem));
            if part || entry.preset.thing.is_none() && made && matches!(referent, Referent::Unknown(_)) && !counted {
                return;
            }
            nouns.push(Noun {
                at,
                referent,
                definite,
                counted,
                own: made,
                target,
                thing,
            });
        }
    };
    // A prompt may open with the thing itself: “fence posts along the curve”.
    if let Some((head, counted, definite)) = head(reading, entry, 0)
        && reading
            .item(head)
            .is_some_and(|item| reading.language.shape(&item.stem).is_some())
    {
        note(head, counted, definite, 0.0, 0.5);
    }
    for (at, item) in reading.items.iter().enumerate() {
        let part_of = at > 0
            && reading.is(at, &["of"])
            && reading
                .item(at - 1)
                .is_some_and(|i| PARTS.contains(&i.text.as_str()) && !i.text.starts_with("cop"));
        if !part_of {
            if let Some((end, strength)) = longest(&entry.target, reading, at)
                && let Some((head, counted, definite)) = head(reading, entry, end)
            {
                note(head, counted, definite, strength, 0.0);
            }
            if let Some((end, strength)) = longest(&entry.thing, reading, at)
                && let Some((head, counted, definite)) = head(reading, entry, end)
            {
                let named = !matches!(referent(reading, head), Some(Referent::Unknown(_)))
                    || reading
                        .item(head)
                        .is_some_and(|item| reading.language.shape(&item.stem).is_some());
                // “with random rotation” names nothing to copy.
                if named || counted || definite || !reading.is(at, &["with", "using"]) {
                    note(head, counted, definite, 0.0, strength);
                }
            }
        }
        match &item.kind {
            ItemKind::Quantity(q) if counts(q) => {
                if let Some((head, _, definite)) = head(reading, entry, at + 1) {
                    note(head, true, definite, 0.0, 0.0);
                }
            }
            ItemKind::Mention(mention) => note(at, false, mention.definite, 0.0, 0.0),
            _ => {}
        }
    }
    nouns.sort_by_key(|noun| noun.at);
    nouns
}

fn best(nouns: &[Noun], score: impl Fn(&Noun) -> f64, except: Option<usize>) -> Option<&Noun> {
    let mut best: Option<(&Noun, f64)> = None;
    for noun in nouns.iter().filter(|noun| Some(noun.at) != except) {
        let value = score(noun);
        if value > 0.0 && best.is_none_or(|(_, top)| value > top) {
            best = Some((noun, value));
        }
    }
    best.map(|(noun, _)| noun)
}

/// The nouns for target and thing.
pub(crate) fn assign<'a>(entry: &Entry, all: &'a [Noun]) -> (Option<&'a Noun>, Option<&'a Noun>) {
    let has_thing = entry.preset.thing.is_some();
    // A count before a noun makes it the thing, unless something introduces it as the target for certain.
    let thing_score = |noun: &Noun| {
        if !has_thing || noun.target >= 2.0 && noun.target >= noun.thing {
            return 0.0;
        }
        let counted = if noun.counted { 1.9 } else { 0.0 };
        // “25 of them” refers to something named before.
        let share = if noun.referent == Referent::Generic(Generic::Any) {
            0.2
        } else {
            1.0
        };
        let collected = if matches!(noun.referent, Referent::Collection(_)) {
            2.0
        } else {
            0.0
        };
        noun.thing.max(counted) * share + collected
    };
    let target_score = |noun: &Noun| {
        // A name is more specific than “the surface”.
        let vague = if matches!(noun.referent, Referent::Generic(_)) {
            0.5
        } else {
            0.0
        };
        if thing_score(noun) > noun.target {
            0.0
        } else {
            noun.target - vague
        }
    };
    let mut target = best(all, target_score, None);
    let mut thing = best(all, thing_score, target.map(|noun| noun.at));
    // Objects that nothing introduces fill what is still open.
    for noun in all
        .iter()
        .filter(|noun| !matches!(noun.referent, Referent::Unknown(_) | Referent::Generic(Generic::Any)))
    {
        let taken = [target, thing].into_iter().flatten().any(|other| other.at == noun.at);
        // “a post every 2 m” of a fence.
        if taken || !has_thing && noun.own && !noun.definite {
            continue;
        }
        if has_thing && thing.is_none() && entry.preset.thing.as_ref().is_some_and(|t| t.carries) {
            thing = Some(noun);
        } else if target.is_none() && !(has_thing && noun.counted)
            || (!has_thing && target.is_some_and(|noun| matches!(noun.referent, Referent::Generic(_))))
        {
            // “spiky sphere: extrude each face”: a name is more specific than “each face”.
            target = Some(noun);
        } else if has_thing && thing.is_none() {
            thing = Some(noun);
        }
    }
    (target, thing)
}
