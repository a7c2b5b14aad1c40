//! Two things that one prompt asks for, carried out in their order: “scatter 50 rocks on the plane and then add a wireframe to the cube”.
//!
//! A prompt is cut only where both halves are prompts of their own that are understood; otherwise the first refusal stands.

use std::collections::BTreeSet;

use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::{Context, SceneObject};
use geonode_protocol::Understanding;
use serde_json::{Value, json};

use crate::build::Planned;
use crate::language::Language;
use crate::library::Library;
use crate::roles::Thing;

/// Most things that one prompt may ask for.
const MOST: usize = 4;
/// Plans one request in the scene that the ones before it leave; `true` for those that follow another.
type Plan<'p> = &'p dyn Fn(&str, &Context, bool) -> Option<Planned>;

/// The plan of a prompt that asks for several things, each of which `plan` understands alone.
pub(crate) fn planned(library: &Library, prompt: &str, context: &Context, plan: Plan) -> Option<Planned> {
    let parts = in_parts(library, prompt, context, plan, MOST);
    let parts = parts.or_else(|| {
        let (first, rest) = two_things(library, prompt)?;
        let made = plan(&first, context, false)?;
        let now = after(&made, context).filter(|_| !is_of_copies(library, &made, &rest))?;
        // Where chance places both, it does not place them alike.
        let other = plan(&format!("{rest}, seed 1"), &now, true);
        let next = other.or_else(|| plan(&rest, &now, true))?;
        Some(vec![made, next])
    });
    let parts = parts.or_else(|| {
        let cut = || prompt.split_once(&library.language.at_random.behind);
        let known = |word: &str| {
            library
                .language
                .at_random
                .kinds
                .values()
                .any(|words| words.contains(word))
        };
        let kinds = |rest: &str| {
            rest.split(|c: char| !c.is_alphanumeric())
                .any(|word| known(&word.to_lowercase()))
        };
        let whole = || {
            cut()
                .filter(|(_, rest)| kinds(rest))
                .map(|(first, rest)| (first.to_owned(), rest.to_owned()))
        };
        let (first, rest) = at_random(prompt, &library.language).or_else(whole)?;
        let made = plan(&first, context, false)?;
        let now = after(&made, context)?;
        let next = plan(&format!("randomise the {rest}"), &now, true)?;
        // What is left to chance is how the copies lie: nothing else is made for it.
        works_on_copies(library, &next).then(|| vec![made, next])
    });
    parts.map(joined)
}

/// What is placed, and what of the copies is left to chance: “a ring of 12 cubes, each rotated randomly” is “a ring of 12 cubes” and “rotation”.
/// Everything from the cut on must speak of that.
fn at_random(prompt: &str, language: &Language) -> Option<(String, String)> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |at: usize| -> String {
        let word = words.get(at).copied().unwrap_or_default();
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let kind = |at: usize| {
        let said = plain(at);
        let kinds = language.at_random.kinds.iter().find(|(_, words)| words.contains(&said));
        kinds.map(|(kind, _)| kind.as_str())
    };
    let chance =
        |at: usize| ["random", "randomly", "randomised", "randomized", "jitter", "jittered"].contains(&&*plain(at));
    let each = |at: usize| ["each", "every"].contains(&&*plain(at));
    // “each *cube* is scaled”.
    let joins = |at: usize| {
        let number = plain(at).starts_with(|c: char| c.is_ascii_digit());
        let unit = matches!(plain(at).as_str(), "m" | "cm" | "mm" | "degree" | "degrees" | "deg");
        number
            || unit
            || chance(at)
            || kind(at).is_some()
            || language.at_random.beside.contains(&plain(at))
            || at > 0 && each(at - 1)
    };
    let start = (0..words.len()).rev().take_while(|at| joins(*at)).last()?;
    let cut = (start.max(1)..words.len()).find(|at| {
        let behind_mark = words.get(at - 1).is_some_and(|word| word.ends_with([',', ';', '.']));
        behind_mark || ["with", "where", "and", "but", "each"].contains(&&*plain(*at)) || chance(*at)
    })?;
    let kinds: BTreeSet<&str> = (cut..words.len()).filter_map(kind).collect();
    if kinds.is_empty() || !(cut..words.len()).any(chance) {
        return None;
    }
    // “rotated by up to 15 degrees”: how far, where it is said of one of them.
    let number = |at: &usize| plain(*at).starts_with(|c: char| c.is_ascii_digit());
    let mut numbers = (cut..words.len()).filter(number);
    let far = match (numbers.next(), numbers.next()) {
        (None, _) => String::new(),
        (Some(at), None) if kinds.len() == 1 => {
            let unit = words.get(at + 1).copied().unwrap_or_default();
            format!(" up to {} {unit}", words.get(at).copied().unwrap_or_default())
        }
        _ => return None,
    };
    let first = words.get(..cut)?.join(" ");
    let first = first.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    Some((first, kinds.into_iter().collect::<Vec<_>>().join(" and ") + &far))
}

/// The prompt without the words that give every part a colour at random: “…, each tile a random colour”, “books *in random colours*”, “coloured randomly”.
///
/// Where a noun stands alone before them, “…, books in random colours”, also with “with” before it.
pub(crate) fn without_colours(prompt: &str) -> Option<Vec<String>> {
    const COLOURS: [&str; 4] = ["colour", "colours", "color", "colors"];
    const COLOURED: [&str; 4] = ["coloured", "colored", "tinted", "painted"];
    const CHANCE: [&str; 9] = [
        "random",
        "randomly",
        "different",
        "various",
        "mixed",
        "varied",
        "varying",
        "own",
        "randomised",
    ];
    const BETWEEN: [&str; 20] = [
        "a", "an", "its", "own", "their", "with", "in", "has", "have", "having", "gets", "get", "given", "is", "are",
        "of", "one", "being", "should", "be",
    ];
    const MAKING: [&str; 6] = ["make", "give", "them", "it", "those", "these"];
    const OPENING: [&str; 8] = ["where", "and", "with", "but", "so", "that", "in", "of"];
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |at: usize| -> String {
        let word = words.get(at).copied().unwrap_or_default();
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let is = |at: usize, list: &[&str]| list.contains(&&*plain(at));
    // “random colours”, “randomly coloured”, “coloured at random”: the first and the last word of it.
    let found = (1..words.len()).find_map(|at| {
        if is(at, &COLOURS) && is(at - 1, &CHANCE)
            || is(at, &COLOURED) && is(at - 1, &["randomly", "differently", "individually"])
        {
            return Some((at - 1, at));
        }
        if is(at, &COLOURED) && is(at + 1, &["randomly", "differently"]) {
            return Some((at, at + 1));
        }
        (is(at, &COLOURED) && is(at + 1, &["at"]) && is(at + 2, &["random"])).then_some((at, at + 2))
    });
    let (first, end) = found?;
    let ends_clause = |at: usize| words.get(at).is_some_and(|word| word.ends_with([',', ';', '.']));
    // Its subject is “each tile”; a noun without “each” is one of the rest.
    let each = (0..first)
        .rev()
        .take_while(|at| !ends_clause(*at))
        .find(|at| is(*at, &["each", "every", "all"]));
    let subject = each.filter(|each| {
        let noun = each + 1 + usize::from(is(each + 1, &["of", "the", "one", "single"]));
        (noun + 1..first).all(|at| is(at, &BETWEEN))
    });
    let mut start = subject.unwrap_or(first);
    if each.is_some() && subject.is_none() {
        return None;
    }
    // “… and make them random colours”.
    while start > 0
        && !ends_clause(start - 1)
        && (is(start - 1, &OPENING) || subject.is_none() && (is(start - 1, &BETWEEN) || is(start - 1, &MAKING)))
    {
        start -= 1;
    }
    let before = words.get(..start)?.join(" ");
    let before = before.trim_end_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '"' | '”' | '%' | '°' | ')')));
    let after = words.get(end + 1..)?.join(" ");
    let mark = if ends_clause(end) && !after.is_empty() { "," } else { "" };
    if before.is_empty() {
        return None;
    }
    let rest = |before: &str| format!("{before}{mark} {after}").trim().to_owned();
    let noun = before
        .rsplit_once([',', ';'])
        .filter(|(_, noun)| noun.split_whitespace().count() == 1);
    let with = noun.map(|(main, noun)| rest(&format!("{main} with {}", noun.trim())));
    Some(with.into_iter().chain([rest(before)]).collect())
}

/// Whether a plan names words of colours that change by chance as not used.
pub(crate) fn loses_colours(planned: &Planned) -> bool {
    const COLOURS: [&str; 8] = [
        "colour", "colours", "color", "colors", "coloured", "colored", "painted", "tinted",
    ];
    let unused = &planned.understanding.unused;
    unused
        .iter()
        .any(|word| COLOURS.contains(&word.to_lowercase().as_str()))
}

/// What was made with colours at random; `plan` as for [`planned`].
pub(crate) fn with_colours(made: Planned, context: &Context, plan: Plan) -> Option<Planned> {
    let now = after(&made, context)?;
    let next = plan("random colours", &now, true)?;
    Some(joined(vec![made, next]))
}

/// The halves of a prompt that asks for two things, at each of its joints, the longest first one first.
pub(crate) fn halves<'t>(library: &'t Library, prompt: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
    let marks = library.language.then.iter().chain(&library.language.also);
    let marks = marks.map(String::as_str).chain([" with "]);
    let cuts = marks.flat_map(|mark| prompt.match_indices(mark).map(move |(at, _)| (at, at + mark.len())));
    let parts = cuts.filter_map(|(end, start)| Some((prompt.get(..end)?, prompt.get(start..)?)));
    let mut halves: Vec<(&str, &str)> = parts
        .map(|(first, rest)| (first, without_joining(library, rest)))
        .collect();
    halves.sort_by_key(|(_, rest)| rest.len());
    halves.into_iter()
}

/// Two counts of things that one verb places: “scatter 40 cubes and 20 spheres on the plane” is “scatter 40 cubes on the plane” and the same of the spheres.
fn two_things(library: &Library, prompt: &str) -> Option<(String, String)> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let plain = |at: usize| {
        let word = words.get(at).copied().unwrap_or_default();
        word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
    };
    let language = &library.language;
    let number = |at: usize| {
        let word = plain(at);
        let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        digits || language.numbers.contains_key(&word)
    };
    let joint = (1..words.len()).find(|at| plain(*at) == "and" && number(at + 1))?;
    let first = (0..joint).find(|at| number(*at))?;
    let place = (joint + 2..words.len()).find(|at| language.prepositions.contains(&plain(*at)))?;
    // A noun of a word or three stands behind each number, and nothing else.
    let nouns = |from: usize, to: usize| {
        (1..4).contains(&to.saturating_sub(from))
            && (from..to).all(|at| {
                !number(at) && !language.units.contains_key(&plain(at)) && !language.prepositions.contains(&plain(at))
            })
    };
    if !(nouns(first + 1, joint) && nouns(joint + 2, place)) {
        return None;
    }
    let said = |from: usize, to: usize| words.get(from..to).unwrap_or_default().join(" ");
    let (verb, rest) = (said(0, first), said(place, words.len()));
    let one = |things: String| format!("{verb} {things} {rest}").trim().to_owned();
    Some((one(said(first, joint)), one(said(joint + 1, place))))
}

/// Whether the words say something of copies that `made` shows, and not of what these stand on.
fn is_of_copies(library: &Library, made: &Planned, words: &str) -> bool {
    let thing = made.made.as_ref().and_then(|left| left.thing.as_ref());
    let mut words = words.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    !matches!(thing, None | Some(Thing::Itself)) && words.any(|word| library.language.of_copies.contains(&word))
}

/// Whether a plan works on copies alone: “paint them red”.
fn works_on_copies(library: &Library, next: &Planned) -> bool {
    let preset = &next.understanding.preset;
    library
        .entries
        .iter()
        .any(|one| one.preset.title == *preset && one.preset.target.copies)
}

fn in_parts(library: &Library, prompt: &str, context: &Context, plan: Plan, most: usize) -> Option<Vec<Planned>> {
    let halves = library.language.then.iter().map(|mark| (mark, true));
    let halves = halves.chain(library.language.also.iter().map(|mark| (mark, false)));
    halves.into_iter().find_map(|(mark, clear)| {
        let (first, rest) = prompt.split_once(mark)?;
        let rest = without_joining(library, rest);
        if first.contains(['"', '“']) && first.matches(['"', '“', '”']).count() % 2 == 1 || rest.is_empty() {
            return None;
        }
        if !clear && !opens_with_a_deed(library, rest) {
            return None;
        }
        let made = plan(first, context, most < MOST)?;
        let now = after(&made, context)?;
        let of_copies = is_of_copies(library, &made, rest);
        let mut all = vec![made];
        match plan(rest, &now, true) {
            Some(next) if of_copies && !works_on_copies(library, &next) => return None,
            Some(next) => all.push(next),
            None if most > 2 && !of_copies => all.extend(in_parts(library, rest, &now, plan, most - 1)?),
            None => return None,
        }
        Some(all)
    })
}

/// The second request without the words that join it to the first.
fn without_joining<'t>(library: &Library, mut text: &'t str) -> &'t str {
    text = text.trim_start();
    while let Some((word, rest)) = text.split_once([' ', ',']) {
        if !library.language.joining.contains(&word.to_lowercase()) {
            break;
        }
        text = rest.trim_start();
    }
    text
}

/// Whether the text opens with what a preset does: “add …”, “subdivide”; not “cubes and …”, “2 m high”.
fn opens_with_a_deed(library: &Library, text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let word = word.to_lowercase();
    // “low poly, and keep half of the faces” says how low.
    library.deeds.contains(&word) && !library.language.constraints.contains(&word)
}

/// The scene once `made` is there, for the request that follows.
fn after(made: &Planned, context: &Context) -> Option<Context> {
    let left = made.made.as_ref()?;
    let mut context = context.clone();
    if context.object(&left.object).is_none() {
        context.objects.push(SceneObject {
            name: left.object.clone(),
            ..SceneObject::default()
        });
    }
    let object = context.objects.iter_mut().find(|object| object.name == left.object)?;
    // What follows subdivides what is there by then.
    if let Some(faces) = left.faces {
        object.counts.get_or_insert_default().faces = Some(faces);
    }
    if !left.reused {
        // What shows only copies of itself is worked on as a whole, so its group is not said here.
        let group = (left.thing != Some(Thing::Itself)).then(|| left.group.clone());
        let modifier = json!({"name": left.modifier, "type": "NODES", "node_group": group});
        object
            .modifiers
            .push(serde_json::from_value::<Modifier>(modifier).ok()?);
        let group = json!({"name": left.group, "users": 1, "nodes": 1});
        context.node_groups.push(serde_json::from_value(group).ok()?);
    }
    context.target_object = Some(left.object.clone());
    Some(context)
}

/// One plan of several: their steps in order, and what each of them says.
fn joined(parts: Vec<Planned>) -> Planned {
    let mut steps: Vec<Value> = Vec::new();
    let mut expects: Vec<Value> = Vec::new();
    let mut messages: Vec<String> = Vec::new();
    let mut read = Understanding::default();
    let mut made = None;
    for part in parts {
        let Planned {
            mut plan,
            understanding,
            made: now,
        } = part;
        // What a later request works on may have become more or less.
        expects.retain(|one| one.get("object_name").and_then(Value::as_str) != Some(&understanding.object));
        if let Some(Value::Array(own)) = plan.pointer_mut("/meta/expects").map(Value::take) {
            expects.extend(own);
        }
        if let Some(Value::Array(own)) = plan.get_mut("steps").map(Value::take) {
            for mut step in own {
                let id = step.get("id").and_then(Value::as_str).unwrap_or("step").to_owned();
                let taken = |id: &str| {
                    steps
                        .iter()
                        .any(|one: &Value| one.get("id").and_then(Value::as_str) == Some(id))
                };
                let free = (2..10_000).map(|n| format!("{id}_{n}")).find(|name| !taken(name));
                if let (true, Some(free), Some(step)) = (taken(&id), free, step.as_object_mut()) {
                    step.insert("id".to_owned(), json!(free));
                }
                steps.push(step);
            }
        }
        messages.extend(plan.get("final_message").and_then(Value::as_str).map(str::to_owned));
        read = Understanding {
            preset: [read.preset, understanding.preset]
                .into_iter()
                .filter(|one| !one.is_empty())
                .collect::<Vec<_>>()
                .join(" + "),
            done: [read.done, understanding.done].concat(),
            assumed: [read.assumed, understanding.assumed].concat(),
            unused: [read.unused, understanding.unused].concat(),
            ..understanding
        };
        made = now;
    }
    let mut plan = json!({"version": "1.2", "steps": steps, "done": true, "final_message": messages.join(" ")});
    if !expects.is_empty()
        && let Some(plan) = plan.as_object_mut()
    {
        plan.insert("meta".to_owned(), json!({"expects": expects}));
    }
    Planned {
        plan,
        understanding: read,
        made,
    }
}
