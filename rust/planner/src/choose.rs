//! Chooses the preset for a prompt: rules over concepts decide, the ranked index settles ties.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use geonode_protocol::Code;

use crate::heads;
use crate::library::{Entry, Library};
use crate::nouns::{assign, nouns};
use crate::phrase::Phrase;
use crate::preset::Makes;
use crate::reading::{Item, ItemKind, Reading};
use crate::refusal::Refusal;
use crate::scene::Referent;
use crate::unread::not_understood;

/// Evidence below this is too weak for a plan.
const THRESHOLD: f64 = 2.0;
/// Greatest bonus from the index: enough to settle a tie, never enough to overrule evidence.
const RANK_SHARE: f64 = 0.4;

/// A rule of at least this strength counts as a second task even if other words exclude the preset.
const SECOND: f64 = 2.2;

/// Words that deny the noun after them; other negations, “never”, deny the whole wish.
const DENIALS: [&str; 3] = ["no", "without", "not"];

struct Candidate<'a> {
    entry: &'a Entry,
    score: f64,
    /// Items that carry the evidence.
    evidence: Vec<usize>,
    /// Those of them that tell the preset from the others.
    own: Vec<usize>,
}

/// Where a concept occurs.
struct Hit {
    span: Range<usize>,
    /// Whether the words call for many presets.
    common: bool,
}

/// Every occurrence of a concept, with the longest phrase per start; what is denied, “without a wireframe”, is none.
fn hits(entry: &Entry, reading: &Reading, concept: &str) -> Vec<Hit> {
    let Some(phrases) = entry.concepts.get(concept) else {
        return Vec::new();
    };
    let longest = |at: usize| {
        let ends = phrases
            .iter()
            .filter_map(|phrase| Some((phrase.ends(reading, at)?, !phrase.common)));
        ends.max().map(|(end, own)| Hit {
            span: at..end,
            common: !own,
        })
    };
    (0..reading.items.len())
        .filter(|at| !is_denied(reading, *at))
        .filter_map(longest)
        .collect()
}

/// Whether “no” or “without” stands before the word at this place, with adjectives between them at most.
fn is_denied(reading: &Reading, at: usize) -> bool {
    let describes = |item: &&Item| {
        item.kind == ItemKind::Word
            && (reading.language.is_determiner(&item.text) || reading.language.adjectives.contains(&item.stem))
    };
    let before = reading.items.get(..at).unwrap_or_default().iter().rev();
    let mut before = before.skip_while(describes);
    before.next().is_some_and(|item| DENIALS.contains(&item.text.as_str()))
}

/// The strongest rule that holds; with `strict`, no excluding concept may be present.
fn evidence<'a>(entry: &'a Entry, reading: &Reading, strict: bool) -> Option<Candidate<'a>> {
    let mut found: HashMap<&str, Vec<Hit>> = HashMap::new();
    for concept in entry.concepts.keys() {
        found.insert(concept, hits(entry, reading, concept));
    }
    let present = |concept: &String| found.get(concept.as_str()).is_some_and(|hits| !hits.is_empty());
    if strict && entry.preset.against.iter().any(|set| set.iter().all(present)) {
        return None;
    }
    let rule = entry
        .preset
        .calls
        .iter()
        .filter(|rule| rule.all.iter().all(present) && !(strict && rule.none.iter().any(present)))
        .max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let hits = rule.all.iter().filter_map(|concept| found.get(concept.as_str()));
    let hits: Vec<&Hit> = hits.flatten().collect();
    let items = |hits: &mut dyn Iterator<Item = &&Hit>| hits.flat_map(|hit| hit.span.clone()).collect();
    Some(Candidate {
        entry,
        score: rule.weight,
        evidence: items(&mut hits.iter()),
        own: items(&mut hits.iter().filter(|hit| !hit.common)),
    })
}

/// Where nothing calls for a preset, the word that the prompt opens with may: “tube r 0.1”, “smooth 5 times”.
fn opening<'a>(entry: &'a Entry, reading: &Reading) -> Option<Candidate<'a>> {
    let start = (0..reading.items.len()).find(|at| !reading.means_nothing(*at))?;
    let end = entry
        .terse
        .iter()
        .filter_map(|phrase| phrase.ends(reading, start))
        .max()?;
    // “a smooth table” orders no smoothing.
    if described(reading).is_some_and(|(article, noun)| article < start && end <= noun) {
        return None;
    }
    let excluded = |set: &Vec<String>| set.iter().all(|concept| !hits(entry, reading, concept).is_empty());
    (!entry.preset.against.iter().any(excluded)).then(|| Candidate {
        entry,
        #[expect(clippy::cast_precision_loss, reason = "a few words")]
        score: THRESHOLD + (end - start) as f64 * 0.1,
        evidence: (start..end).collect(),
        own: (start..end).collect(),
    })
}

/// How strongly the prompt asks for a preset: the strongest rule that holds, half of it where other words exclude the preset, else 0.
pub(crate) fn fit(entry: &Entry, reading: &Reading) -> f64 {
    let score = |strict| evidence(entry, reading, strict).map(|candidate| candidate.score);
    score(true)
        .or_else(|| score(false).map(|score| score / 2.0))
        .unwrap_or_default()
}

/// Whether a [`fit`] is enough for a plan, and most words of the prompt are the preset's.
pub(crate) fn fits(fit: f64, entry: &Entry, reading: &Reading) -> bool {
    let says = |at: &usize| {
        reading.item(*at).is_some_and(|item| {
            item.kind == crate::reading::ItemKind::Word
                && !reading.language.stop.contains(&item.text)
                && !reading.language.prepositions.contains(&item.text)
                && !reading.language.adjectives.contains(&item.stem)
        })
    };
    let words: Vec<usize> = (0..reading.items.len()).filter(says).collect();
    let known = words.iter().filter(|at| explains(entry, &[**at], reading)).count();
    fit >= THRESHOLD && known * 3 >= words.len() * 2
}

/// Whether `entry` understands all evidence for another preset.
fn explains(entry: &Entry, evidence: &[usize], reading: &Reading) -> bool {
    let empty = |at: &usize| {
        reading.item(*at).is_none_or(|item| {
            !matches!(item.kind, crate::reading::ItemKind::Word)
                || reading.language.stop.contains(&item.text)
                || reading.language.prepositions.contains(&item.text)
                || entry.vocabulary.contains(&item.stem)
        })
    };
    evidence.iter().all(empty)
}

/// The preset that fits the prompt.
///
/// # Errors
/// `no_preset_match` when no preset fits clearly; `several_wishes` when two different effects are asked for.
pub(crate) fn choose<'a>(library: &'a Library, reading: &Reading, prompt: &str) -> Result<&'a Entry, Refusal> {
    let ranks = library.rank(prompt);
    let top = ranks.first().map_or(1.0, |(_, score)| f64::from(*score)).max(1e-6);
    let share = |i: usize| {
        ranks
            .iter()
            .find(|(id, _)| *id == i)
            .map_or(0.0, |(_, score)| f64::from(*score) / top)
    };
    let mut candidates: Vec<Candidate> = library
        .entries
        .iter()
        .enumerate()
        .filter_map(|(i, entry)| {
            let mut candidate = evidence(entry, reading, true).filter(|c| c.score >= THRESHOLD)?;
            candidate.score += RANK_SHARE * share(i);
            Some(candidate)
        })
        .collect();
    if candidates.is_empty() {
        candidates.extend(library.entries.iter().filter_map(|entry| opening(entry, reading)));
    }
    // “a round table” is a table: what stands before its noun only describes it.
    if let Some((_, noun)) = described(reading) {
        let made = |entry: &Entry| makes_noun(entry, reading, noun);
        if !candidates.iter().any(|one| made(one.entry))
            && let Some(entry) = library.entries.iter().find(|entry| made(entry))
        {
            candidates.push(Candidate {
                entry,
                score: THRESHOLD,
                evidence: vec![noun],
                own: vec![noun],
            });
        }
        if candidates.iter().any(|one| made(one.entry)) {
            // “a spiral staircase” is what another preset makes.
            let makes = |entry: &Entry| entry.preset.target.makes != Makes::Never;
            candidates.retain(|one| {
                made(one.entry) || one.own.iter().any(|at| *at > noun || *at == noun && makes(one.entry))
            });
        }
    }
    // “50 cubes on the plane, like a city” asks for cubes.
    let likened = |one: &Candidate| !one.own.is_empty() && one.own.iter().all(|at| is_likened(reading, *at));
    if candidates
        .iter()
        .any(|one| !likened(one) && one.entry.preset.thing.is_some())
    {
        candidates.retain(|one| !likened(one));
    }
    if names_collection(reading) && candidates.iter().any(|one| one.entry.preset.thing.is_some()) {
        candidates.retain(|one| one.entry.preset.thing.is_some());
    }
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let Some((best, others)) = candidates.split_first() else {
        let nearest = library.nearest(prompt);
        let message = if nearest.is_empty() {
            "No preset does this, so it cannot be done offline. Nothing was changed. Choose a language model, or look through the Gallery."
        } else {
            "No preset fits this prompt, so nothing was changed. Word it like one of the presets, or choose a language model."
        };
        let refusal = Refusal::new(Code::NoPresetMatch, message).near(nearest);
        return Err(Refusal {
            unmatched: true,
            ..refusal
        });
    };
    if let Some(other) = second_task(library, best, reading) {
        return Err(several(best.entry, other));
    }
    let asking = heads::asking(reading);
    let asks = |one: &Candidate| one.own.iter().any(|at| asking.get(*at) == Some(&true));
    for other in others {
        if explains(best.entry, &other.own, reading) || copies_parts(other.entry, best, reading) {
            continue;
        }
        // The weaker candidate may be the one that understands both.
        if explains(other.entry, &best.evidence, reading) && best.score - other.score < 0.6 {
            return Ok(other.entry);
        }
        if grows(best, other.entry, reading) || is_adjective(other, best, reading) {
            return Ok(best.entry);
        }
        if places(other.entry, best, reading) || is_adjective(best, other, reading) {
            return Ok(other.entry);
        }
        if let Some(word) =
            missing_ground(other.entry, best, reading).or_else(|| missing_ground(best.entry, other, reading))
        {
            let message = format!(
                "There is no object called “{word}” in the scene. Nothing was changed. Name one that is there, or select it and say “it”."
            );
            return Err(Refusal::new(Code::UnknownObject, message));
        }
        // What only describes is no second wish, and is named as what is not understood.
        return Err(match (asks(best), asks(other)) {
            (true, true) => several(best.entry, other.entry),
            (false, true) => match strange(other.entry, best, reading) {
                words if words.is_empty() => return Ok(other.entry),
                words => not_understood(other.entry, words),
            },
            _ => not_understood(best.entry, strange(best.entry, other, reading)),
        });
    }
    Ok(best.entry)
}

/// Whether a collection is named, “12 pines from the collection Trees”: what makes its own uses nothing of the scene.
fn names_collection(reading: &Reading) -> bool {
    let mut items = reading.items.iter();
    items.any(
        |item| matches!(&item.kind, ItemKind::Mention(mention) if matches!(mention.referent, Referent::Collection(_))),
    )
}

/// Whether the word only says what the result is like: “like a city”; not “I would like a city”, “something like a city”.
fn is_likened(reading: &Reading, at: usize) -> bool {
    const NO_SIMILE: [&str; 16] = [
        "i",
        "we",
        "you",
        "would",
        "i'd",
        "we'd",
        "you'd",
        "d",
        "something",
        "anything",
        "look",
        "looks",
        "looking",
        "arranged",
        "placed",
        "shaped",
    ];
    let describes = |at: &usize| {
        reading.item(*at).is_some_and(|item| {
            item.kind == ItemKind::Word
                && (reading.language.is_determiner(&item.text) || reading.language.adjectives.contains(&item.stem))
        })
    };
    let before = (0..at).rev().find(|at| !describes(at));
    before.is_some_and(|like| reading.is(like, &["like"]) && like > 0 && !reading.is(like - 1, &NO_SIMILE))
}

/// Article and noun of a prompt that opens with a new thing and describes it: “make a round table 1.2 m across”.
pub(crate) fn described(reading: &Reading) -> Option<(usize, usize)> {
    let language = reading.language;
    let article = (0..reading.items.len()).find(|at| reading.is(*at, &["a", "an"]))?;
    let opens = (0..article).all(|at| reading.means_nothing(at));
    let goes_on = |at: &usize| {
        reading.item(*at).is_some_and(|item| match &item.kind {
            ItemKind::Word => {
                // “round” is a shape before a noun.
                (!language.prepositions.contains(&item.text) || language.adjectives.contains(&item.stem))
                    && !language.conjunctions.contains(&item.text)
                    && !language.is_determiner(&item.text)
            }
            ItemKind::Mention(mention) => !mention.quoted,
            _ => false,
        })
    };
    let end = (article + 1..reading.items.len())
        .take_while(goes_on)
        .last()
        .filter(|end| *end < article + 6)?;
    (opens && end > article).then_some((article, end))
}

/// Whether a preset that makes things is called by the noun at this place, whether or not an object has that name.
fn makes_noun(entry: &Entry, reading: &Reading, noun: usize) -> bool {
    let makes = entry.preset.target.makes != Makes::Never && entry.preset.thing.is_none();
    let known = match reading.item(noun).map(|item| (&item.kind, &item.stem)) {
        Some((ItemKind::Mention(mention), stem)) => (!mention.definite).then_some(stem),
        Some((_, stem)) => Some(stem),
        None => None,
    };
    makes && known.is_some_and(|stem| *stem == crate::tokens::stem(&entry.preset.title.to_lowercase()))
}

/// The refusal of a described thing that is only an object's name: “a rounded crate” where Bevel would work on the object Crate.
pub(crate) fn only_described(entry: &Entry, reading: &Reading, target: &str) -> Option<Refusal> {
    let (article, noun) = described(reading)?;
    let named = reading.item(noun).is_some_and(|item| match &item.kind {
        ItemKind::Mention(mention) => {
            !mention.definite && matches!(&mention.referent, Referent::Object { name, .. } if name == target)
        }
        _ => false,
    });
    let candidate = evidence(entry, reading, false).or_else(|| opening(entry, reading))?;
    let before = candidate.own.iter().all(|at| (article + 1..=noun).contains(at));
    if entry.preset.target.makes != Makes::Never || !named || !before || candidate.own.is_empty() {
        return None;
    }
    let what = reading.typed(article, noun + 1);
    Some(Refusal::new(
        Code::PartlyUnderstood,
        format!(
            "“{what}” asks for a new thing, and {} changes one that stands. To change the object, say “the {target}”. Nothing was changed.",
            entry.preset.title
        ),
    )
    .near(vec![entry.suggestion()]))
}

/// Whether what calls for `made` is only the noun of what `entry` copies: “scatter 20 gears on the plane”.
fn places(entry: &Entry, made: &Candidate, reading: &Reading) -> bool {
    let all = nouns(reading, entry);
    let (_, thing) = assign(entry, &all);
    thing.is_some_and(|noun| made.own.iter().all(|at| *at == noun.at) && !made.own.is_empty())
}

/// Whether all that `entry` could copy are parts of what `made` makes: “sleepers every 60 cm” of a railway track.
fn copies_parts(entry: &Entry, made: &Candidate, reading: &Reading) -> bool {
    let all = nouns(reading, entry);
    let (_, thing) = assign(entry, &all);
    let known = |at: usize| {
        reading
            .item(at)
            .is_some_and(|item| made.entry.vocabulary.contains(&item.stem))
    };
    entry.preset.thing.is_some()
        && made.entry.preset.thing.is_none()
        && thing.is_none_or(|noun| {
            !made.own.contains(&noun.at)
                && known(noun.at)
                && !matches!(noun.referent, Referent::Object { .. } | Referent::Collection(_))
        })
}

/// The words that call for another preset and that `entry` does not understand.
fn strange(entry: &Entry, other: &Candidate, reading: &Reading) -> Vec<String> {
    let unread = other.own.iter().filter(|at| !explains(entry, &[**at], reading));
    unread
        .filter_map(|at| reading.item(*at))
        .map(|item| item.typed.clone())
        .collect()
}

/// Whether what `entry` would copy is what `made` lays over a surface by itself: “scatter grass on the plane”.
fn grows(made: &Candidate, entry: &Entry, reading: &Reading) -> bool {
    let preset = &made.entry.preset;
    let all = nouns(reading, entry);
    let thing = assign(entry, &all).1;
    preset.target.makes == Makes::Never
        && preset.thing.is_none()
        && thing.is_some_and(|noun| made.own.contains(&noun.at))
}

/// Whether what calls for `one` only stands before the noun of what `made` makes: “floating stairs”.
fn is_adjective(one: &Candidate, made: &Candidate, reading: &Reading) -> bool {
    let preset = &made.entry.preset;
    let (Some(first), Some(noun)) = (one.own.iter().min(), made.own.iter().min()) else {
        return false;
    };
    let joined = |at: usize| {
        reading.item(at).is_some_and(|item| {
            item.kind == ItemKind::Word
                && !reading.language.prepositions.contains(&item.text)
                && !reading.language.conjunctions.contains(&item.text)
                && !reading.language.is_determiner(&item.text)
        })
    };
    let makes = preset.target.makes != Makes::Never && preset.thing.is_none();
    makes && one.own.iter().all(|at| at < noun) && (*first..*noun).all(joined)
}

/// The noun of what `entry` works on, where nothing in the scene has that name and it alone calls for `made`: “scatter rocks on the Highway”.
fn missing_ground(entry: &Entry, made: &Candidate, reading: &Reading) -> Option<String> {
    let all = nouns(reading, entry);
    let noun = assign(entry, &all).0?;
    let alone = !made.own.is_empty() && made.own.iter().all(|at| *at == noun.at);
    match &noun.referent {
        Referent::Unknown(word) if alone && noun.definite => Some(word.clone()),
        _ => None,
    }
}

fn several(a: &Entry, b: &Entry) -> Refusal {
    let message = format!(
        "This asks for two things at once: {} and {}. Nothing was changed. Ask for one after the other, each in its own sentence.",
        a.preset.title, b.preset.title
    );
    Refusal::new(Code::SeveralWishes, message).near(vec![a.suggestion(), b.suggestion()])
}

/// Another preset that a different clause asks for: “… and extrude its faces”.
fn second_task<'a>(library: &'a Library, best: &Candidate, reading: &Reading) -> Option<&'a Entry> {
    let clauses = reading.clauses();
    let asking = heads::asking(reading);
    let clause = |at: &usize| clauses.get(*at).copied().unwrap_or(0);
    let ours: HashSet<usize> = best.evidence.iter().map(clause).collect();
    let others = library
        .entries
        .iter()
        .filter(|entry| entry.preset.id != best.entry.preset.id);
    let others: Vec<&Entry> = others.collect();
    // “bevel it and smooth it”: a further clause that opens with the name of another preset.
    let ordered = |at: &usize| {
        let joined = at.checked_sub(1).is_some_and(|before| {
            reading.is(before, &["and", "then"])
                || reading
                    .item(before)
                    .is_some_and(|item| matches!(item.kind, ItemKind::Break(',' | '.' | ';')))
        });
        let order = reading.is(at + 1, &["it", "them", "the", "this", "that"]) || reading.items.len() == at + 1;
        joined && order && clause(at) > 0 && best.evidence.iter().all(|own| own < at)
    };
    for at in (1..reading.items.len()).filter(ordered) {
        let one_word = |phrase: &&Phrase| phrase.weight() == 1 && phrase.ends(reading, at).is_some();
        let calls = best.entry.preset.calls.iter().flat_map(|rule| &rule.all);
        let own = calls.filter_map(|name| best.entry.concepts.get(name)).flatten();
        if own
            .chain(&best.entry.terse)
            .any(|phrase| phrase.ends(reading, at).is_some())
        {
            continue;
        }
        if let Some(other) = others
            .iter()
            .find(|other| other.terse.iter().any(|phrase| one_word(&phrase)))
        {
            return Some(other);
        }
    }
    others
        .into_iter()
        .filter_map(|entry| evidence(entry, reading, false))
        .filter(|other| other.score >= SECOND)
        .find_map(|other| {
            let strange: Vec<usize> = other
                .own
                .iter()
                .copied()
                .filter(|at| !explains(best.entry, std::slice::from_ref(at), reading))
                .collect();
            let asks = strange.iter().any(|at| asking.get(*at) == Some(&true));
            (asks && strange.iter().all(|at| !ours.contains(&clause(at)))).then_some(other.entry)
        })
}
