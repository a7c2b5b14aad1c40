//! A prompt of which a part is understood: that part is carried out, and the clauses that bring in something else are named as not done. A clause
//! that decides what the rest makes refuses all of it.

use geonode_graph::documents::Context;
use geonode_protocol::Code;
use serde_json::json;

use crate::build::Planned;
use crate::clauses::{Beside, Clause, Lead, clauses};
use crate::library::{Entry, Library};
use crate::refusal::Refusal;

/// Most clauses of a prompt that are looked at.
const MOST: usize = 14;
/// Words that say where a thing is to be.
const PLACES: [&str; 8] = ["on", "along", "at", "every", "both", "beside", "around", "over"];
/// Plans a prompt as a whole.
type Plan<'p> = &'p dyn Fn(&str) -> Result<Planned, Refusal>;

/// What was read of a prompt, clause by clause.
struct Walk {
    kept: String,
    planned: Planned,
    not_done: Vec<String>,
    deciding: Vec<String>,
    /// Whether what is kept runs without what decides: not if that names the object for both.
    advice: bool,
}

/// The plan of as much of a refused prompt as is understood, or the refusal with the clause that it is for.
pub(crate) fn carried_out(
    library: &Library,
    prompt: &str,
    context: &Context,
    plan: Plan,
    refusal: Refusal,
) -> Result<Planned, Refusal> {
    let of_words = matches!(
        refusal.code,
        Code::PartlyUnderstood
            | Code::SeveralWishes
            | Code::NoPresetMatch
            | Code::UnknownObject
            | Code::WrongObjectKind
    );
    let all = clauses(prompt);
    if !of_words || all.len() < 2 || all.len() > MOST {
        return Err(refusal);
    }
    let Some(walk) = walk(library, &all, context, plan) else {
        return Err(refusal);
    };
    if walk.deciding.is_empty() {
        return Ok(in_part(walk));
    }
    let clauses = format!("“{}”", walk.deciding.join("”, “"));
    let why = if walk.deciding.len() == 1 {
        format!("{clauses} is not understood and would change what is made, so nothing was changed.")
    } else {
        format!("{clauses} are not understood and would change what is made, so nothing was changed.")
    };
    let kept = walk.kept;
    let advice = if walk.advice {
        format!(" Without it, this would run: “{kept}”.")
    } else {
        String::new()
    };
    let message = format!("{why}{advice} {}", refusal.message);
    let instead = walk.advice.then_some(kept);
    Err(Refusal {
        message,
        instead,
        ..refusal
    })
}

/// A plan of the whole prompt that would only name the words of a further wish as not used: the wish itself is named as not done.
pub(crate) fn named(library: &Library, prompt: &str, context: &Context, plan: Plan, whole: Planned) -> Planned {
    let all = clauses(prompt);
    if whole.understanding.unused.is_empty() || all.len() < 2 || all.len() > MOST {
        return whole;
    }
    match walk(library, &all, context, plan) {
        Some(walk) if walk.deciding.is_empty() && !walk.not_done.is_empty() => in_part(walk),
        _ => whole,
    }
}

fn joined(clauses: &[Clause]) -> String {
    let texts: Vec<&str> = clauses.iter().map(|clause| clause.raw).collect();
    texts.join(" ")
}

/// A text without the mark at its end.
fn ended(text: &str) -> &str {
    text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | '-'))
}

/// What makes something new: a change of what stands is never carried out in part.
fn made(planned: Result<Planned, Refusal>) -> Option<Planned> {
    planned
        .ok()
        .filter(|planned| planned.made.as_ref().is_some_and(|made| !made.reused))
}

fn walk(library: &Library, all: &[Clause], context: &Context, plan: Plan) -> Option<Walk> {
    // What all is about comes first, and with it what it needs to be understood.
    let (mut at, mut walk) = (1..all.len()).find_map(|end| {
        let kept = joined(all.get(..end)?);
        let planned = made(plan(ended(&kept)))?;
        Some((
            end,
            Walk {
                kept,
                planned,
                not_done: Vec::new(),
                deciding: Vec::new(),
                advice: true,
            },
        ))
    })?;
    // Whether “and” goes on with what “with” brought in, and whether the clause before was left out.
    let (mut listed, mut left_out) = (all.get(..at)?.iter().any(|one| one.lead == Lead::With), false);
    while let Some(clause) = all.get(at) {
        let own = presets(library, &walk.planned);
        let beside = Beside {
            library,
            own: &own,
            context,
            becomes: walk
                .kept
                .split_whitespace()
                .any(|word| word.eq_ignore_ascii_case("into")),
        };
        let describes = !clause.marked && matches!(clause.lead, Lead::With | Lead::Where | Lead::So);
        if left_out && (describes || beside.goes_on(clause)) {
            append(&mut walk, clause);
            at += 1;
            continue;
        }
        let goes_on = (listed || left_out || clause.marked) && clause.lead == Lead::And;
        let foreign = beside.foreign(clause);
        // “with a gate”, of which “gate” would only be named as a word that nothing used.
        let passed_over = |planned: &Planned| {
            let before = &walk.planned.understanding.unused;
            let unused = planned.understanding.unused.iter();
            unused
                .filter(|word| !before.contains(word))
                .any(|word| foreign.contains(word))
                && beside.is_separable(clause, goes_on)
        };
        let next = (1..3).find_map(|count| {
            let more = all.get(at..at + count)?;
            let words = if left_out && listed && clause.lead == Lead::And {
                format!("with {}", clause.body)
            } else {
                joined(more)
            };
            let before = if clause.lead == Lead::Bare {
                walk.kept.as_str()
            } else {
                ended(&walk.kept)
            };
            let kept = format!("{before} {words}");
            let planned = made(plan(ended(&kept)))?;
            (!passed_over(&planned)).then_some((count, planned, kept))
        });
        let next = next.or_else(|| {
            let (planned, kept) = second_thing(&walk, &beside, clause, plan)?;
            Some((1, planned, kept))
        });
        if let Some((count, planned, kept)) = next {
            listed =
                all.get(at..at + count)?.iter().any(|one| one.lead == Lead::With) || listed && clause.lead == Lead::And;
            (walk.planned, walk.kept, left_out) = (planned, kept, false);
            at += count;
            continue;
        }
        let text = ended(clause.raw)
            .trim_start_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '"' | '“' | '(')))
            .to_owned();
        if beside.is_separable(clause, goes_on) {
            walk.not_done.push(text);
            (listed, left_out) = (clause.lead == Lead::With || goes_on, true);
        } else {
            walk.advice &= clause.lead != Lead::And || !beside.foreign(clause).is_empty() || clause.body.contains(' ');
            walk.deciding.push(text);
            left_out = true;
        }
        at += 1;
    }
    walk.kept = ended(&walk.kept).to_owned();
    Some(walk)
}

/// Notes a clause that tells more of the one before it, which was left out.
fn append(walk: &mut Walk, clause: &Clause) {
    let list = if walk.not_done.is_empty() {
        &mut walk.deciding
    } else {
        &mut walk.not_done
    };
    if let Some(last) = list.last_mut() {
        let mark = if clause.marked { "," } else { "" };
        *last = format!("{last}{mark} {}", ended(clause.raw));
    }
}

/// “a road, with lamps on both sides every 5 m” as “a road, and put lamps on both sides of it every 5 m”.
fn second_thing(walk: &Walk, beside: &Beside, clause: &Clause, plan: Plan) -> Option<(Planned, String)> {
    if clause.lead != Lead::With {
        return None;
    }
    let first = ended(&walk.kept);
    let known = &walk.planned.understanding;
    let (thing, dropped) = beside.thing_alone(clause)?;
    // Without a place it is not told where the thing is to be.
    if !clause
        .body
        .split_whitespace()
        .any(|word| PLACES.contains(&word.to_lowercase().as_str()))
    {
        return None;
    }
    [(clause.body.to_owned(), Vec::new()), (thing, dropped)]
        .into_iter()
        .find_map(|(body, dropped)| {
            ["", " along it", " on it"].iter().find_map(|place| {
                let kept = format!("{first}, and put {body}{place}");
                let mut planned = made(plan(&kept))?;
                // Two things are made, and not one of another kind.
                let two = planned.understanding.preset.matches(" + ").count() > known.preset.matches(" + ").count();
                if !two || planned.understanding.unused.len() > known.unused.len() {
                    return None;
                }
                planned.understanding.unused.extend(dropped.clone());
                Some((planned, kept))
            })
        })
}

/// The presets that carry out a plan.
fn presets<'l>(library: &'l Library, planned: &Planned) -> Vec<&'l Entry> {
    let titles: Vec<&str> = planned.understanding.preset.split(" + ").collect();
    library
        .entries
        .iter()
        .filter(|entry| titles.contains(&entry.preset.title.as_str()))
        .collect()
}

/// The plan with what it does not do, in the words of the artist and before all else.
fn in_part(walk: Walk) -> Planned {
    let mut planned = walk.planned;
    if walk.not_done.is_empty() {
        return planned;
    }
    let clauses = format!("“{}”", walk.not_done.join("”, “"));
    let said = format!("Only a part was done, without {clauses}: no preset can do that here.");
    if let Some(message) = planned.plan.get_mut("final_message")
        && let Some(text) = message.as_str()
    {
        *message = json!(format!("{said} {text}"));
    }
    // What was done begins with what was not.
    planned.understanding.done.insert(0, said);
    planned
}
