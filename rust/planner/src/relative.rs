//! Changes that compare with the last result: “twice as many”, “half the spacing”, “50 more”, “a bit taller”.

use std::collections::HashMap;

use geonode_protocol::Code;

use crate::beside::stands_free;
use crate::degree::{acting, counting, nearest};
use crate::language::DegreeOf;
use crate::last::Last;
use crate::library::{Library, Slot};
use crate::page::title;
use crate::preset::ParameterKind;
use crate::quantity::{Amount, Quantity, Unit};
use crate::reading::{Item, ItemKind, Reading};
use crate::refusal::Refusal;
use crate::roles::{Cast, Number, Thing};
use crate::template::Read;
use crate::values::{PromptValue, in_range, plain};

/// By how much.
#[derive(Clone, Copy)]
enum By {
    Times(f64),
    Share(f64),
    Number(f64),
    Measure(f64),
    Exactly(f64),
}

/// What changes.
enum Of<'e> {
    Slot(&'e Slot),
    Degree(DegreeOf, Vec<String>),
}

/// What the sentence says.
#[derive(Default)]
struct Said<'e> {
    by: Option<By>,
    words: String,
    of: Option<Of<'e>>,
    /// 1 for more, -1 for less.
    sign: Option<f64>,
    /// “a bit”, “much”.
    step: Option<f64>,
    /// “as many”: compares, but says no direction.
    compares: bool,
}

/// One step of a comparison without a number: “more”.
const STEP: f64 = 1.5;

/// Reads a change that compares with the last result; `None` if the prompt is none.
pub(crate) fn read<'a>(
    library: &'a Library,
    last: &Last<'a>,
    prompt: &str,
    context: &geonode_graph::documents::Context,
) -> Option<Result<Read<'a>, Refusal>> {
    let reading = Reading::new(prompt, context, &library.language, |word, names| {
        library.correct(word, names)
    });
    if let Some(said) = lone(&reading, last).or_else(|| reseeded(&reading, last)) {
        return Some(changed(library, last, &said));
    }
    let said = said(&reading, last)?;
    Some(changed(library, last, &said))
}

/// A number alone, which is the value that counts most: “180” after a twist, “20 cm” after a tube.
fn lone<'e>(reading: &Reading, last: &Last<'e>) -> Option<Said<'e>> {
    // “3 more” compares.
    let compares = |item: &Item| reading.language.comparatives.contains_key(&item.text);
    if reading.items.iter().any(compares) {
        return None;
    }
    let mut meant = (0..reading.items.len()).filter(|at| !reading.means_nothing(*at));
    let (at, None) = (meant.next()?, meant.next()) else {
        return None;
    };
    let item = reading.item(at)?;
    let ItemKind::Quantity(quantity) = &item.kind else {
        return None;
    };
    let Amount::One(value) = quantity.amount else {
        return None;
    };
    // “one every 30 degrees” says of what.
    if !stands_free(reading, at) {
        return None;
    }
    let (kinds, value): (&[ParameterKind], f64) = match quantity.unit {
        Unit::Metres => (&[ParameterKind::Length], value),
        Unit::Radians => (&[ParameterKind::Angle], value),
        Unit::Percent => (&[ParameterKind::Factor], value),
        // A count of things is read as “make it 300” is.
        Unit::Bare if last.entry.preset.thing.is_none() => (
            &[ParameterKind::Count, ParameterKind::Angle, ParameterKind::Factor],
            value,
        ),
        _ => return None,
    };
    let ranked = |kind: &ParameterKind| {
        let there = |slot: &&'e Slot| slot.parameter.kind == *kind && present(last, slot).is_some();
        let of_rank = |slot: &&'e Slot| slot.parameter.rank.is_some();
        let slots = last.entry.slots.iter().filter(there).filter(of_rank);
        slots.min_by_key(|slot| slot.parameter.rank)
    };
    let slot = kinds.iter().filter_map(ranked).min_by_key(|slot| slot.parameter.rank)?;
    let degrees = quantity.unit == Unit::Bare && slot.parameter.kind == ParameterKind::Angle;
    Some(Said {
        by: Some(By::Exactly(if degrees { value.to_radians() } else { value })),
        words: item.typed.clone(),
        of: Some(Of::Slot(slot)),
        ..Said::default()
    })
}

/// Another random result: “a different seed”, “shuffle it”.
fn reseeded<'e>(reading: &Reading, last: &Last<'e>) -> Option<Said<'e>> {
    let language = reading.language;
    let beside = [
        "different",
        "another",
        "new",
        "other",
        "next",
        "random",
        "randomly",
        "again",
    ];
    let known = |at: usize| {
        let word = reading.item(at).map_or("", |item| item.text.as_str());
        reading.means_nothing(at)
            || language.reseeds.contains(word)
            || beside.contains(&word)
            || language.is_determiner(word)
    };
    let asks = reading.items.iter().any(|item| language.reseeds.contains(&item.text));
    if !asks || !(0..reading.items.len()).all(known) {
        return None;
    }
    let seed = |slot: &&'e Slot| slot.parameter.kind == ParameterKind::Seed;
    Some(Said {
        by: Some(By::Number(1.0)),
        words: reading.typed(0, reading.items.len()),
        of: last.entry.slots.iter().find(seed).map(Of::Slot),
        ..Said::default()
    })
}

/// What every word of the sentence says; `None` if one says something else.
fn said<'e>(reading: &Reading, last: &Last<'e>) -> Option<Said<'e>> {
    let language = reading.language;
    let mut said = Said::default();
    let mut words: Vec<&str> = Vec::new();
    for (at, item) in reading.items.iter().enumerate() {
        let mut counts = true;
        if reading.is(
            at,
            &[
                "beside", "above", "below", "under", "behind", "inside", "outside", "next", "near", "only",
            ],
        ) {
            return None;
        }
        match &item.kind {
            ItemKind::Break(_) => counts = false,
            ItemKind::Quantity(quantity) => {
                if said.by.is_some() {
                    return None;
                }
                let by = by(quantity, &item.text)?;
                said.sign = said.sign.or_else(|| direction(reading, at, by));
                // “thicker, 25 cm” says how thick, “thicker by 25 cm” by how much.
                let after = said.sign.is_some() && !(at > 0 && reading.is(at - 1, &["by"]));
                said.by = Some(match by {
                    By::Measure(value) if after && value > 0.0 => By::Exactly(value),
                    other => other,
                });
            }
            ItemKind::Mention(mention) if is_part(mention, item, last) => {
                said.of = said.of.or_else(|| spoken_of(last, &item.stem).map(Of::Slot));
            }
            ItemKind::Mention(_) => {
                if !is_placed(reading, last, at) {
                    return None;
                }
                counts = false;
            }
            ItemKind::Word => {
                let slot = || spoken_of(last, &item.stem);
                let factor = language.multiples.get(&item.text);
                let compared = language.comparatives.get(&item.text);
                let as_much = at > 0 && reading.is(at - 1, &["as"]);
                if let (Some(factor), None) = (factor, said.by) {
                    said.by = Some(By::Times(*factor));
                    said.compares = true;
                } else if let Some(comparative) = compared.filter(|_| said.sign.is_none()) {
                    said.sign = Some(comparative.factor);
                    // “make the steps deeper” does not add steps.
                    let other = matches!(&said.of, Some(Of::Slot(slot)) if !slot.speaks_of(&comparative.cues));
                    if comparative.of == DegreeOf::Dimension && other {
                        said.of = None;
                    }
                    if said.of.is_none() && !(comparative.of == DegreeOf::Amount && item.text != "denser") {
                        said.of = Some(Of::Degree(comparative.of, comparative.cues.clone()));
                    } else if said.of.is_none() && slot_follows(reading, at, last).is_none() {
                        said.of = Some(Of::Degree(DegreeOf::Amount, Vec::new()));
                    }
                } else if as_much && ["many", "much"].contains(&item.text.as_str()) {
                    said.of = Some(Of::Degree(DegreeOf::Amount, Vec::new()));
                    said.compares = true;
                } else if let Some(degree) = language.degrees.get(&item.text).filter(|_| as_much) {
                    if degree.factor < 1.0 {
                        said.sign = Some(-1.0);
                    }
                    said.of.get_or_insert(Of::Degree(degree.of, degree.cues.clone()));
                    said.compares = true;
                } else if ["bit", "little", "slightly", "somewhat", "tad"].contains(&item.text.as_str()) {
                    said.step = Some(1.2);
                } else if ["much", "lot", "far", "way", "lots"].contains(&item.text.as_str()) {
                    said.step = Some(2.0);
                } else if let Some(slot) = of_part(last, &said, &item.stem) {
                    said.of = Some(Of::Slot(slot));
                } else if let Some(slot) = slot().filter(|_| !matches!(said.of, Some(Of::Slot(_)))) {
                    // “thicker walls”: the comparison said more already, unless it is one of number.
                    if said.of.is_none() || said.compares {
                        said.of = Some(Of::Slot(slot));
                    }
                } else if is_placed(reading, last, at) || quiet(reading, last, at) {
                    counts = false;
                } else {
                    return None;
                }
            }
        }
        if counts && !language.stop.contains(&item.text) {
            words.push(&item.typed);
        }
    }
    said.words = words.join(" ");
    // “array it 3 times” counts; “3 times the spacing” and “double it” compare.
    let multiple = matches!(said.by, Some(By::Times(_))) && (said.of.is_some() || said.compares);
    // “add 50%” is more of them.
    if said.of.is_none() && matches!(said.by, Some(By::Share(_))) && reading.items.iter().any(|item| item.text == "add")
    {
        said.of = Some(Of::Degree(DegreeOf::Amount, Vec::new()));
    }
    let compares = said.sign.is_some() && !matches!(said.by, Some(By::Times(_))) || multiple;
    compares.then_some(said)
}

/// The parameter that both a comparison and a noun are about: “thicker legs” with a thickness of the legs.
fn of_part<'e>(last: &Last<'e>, said: &Said, noun: &str) -> Option<&'e Slot> {
    let Some(Of::Degree(DegreeOf::Dimension, cues)) = &said.of else {
        return None;
    };
    last.entry.slots.iter().filter(|slot| numeric(slot)).find(|slot| {
        let mut phrases = slot.before.iter().chain(&slot.after);
        phrases.any(|phrase| {
            let stems: Vec<String> = phrase.stems().collect();
            stems.iter().any(|stem| stem == noun) && stems.iter().any(|stem| cues.contains(stem))
        })
    })
}

/// Whether an object's name is here the word for a part of the result: “posts closer together” of a fence beside an object Post.
fn is_part(mention: &crate::scene::Mention, item: &Item, last: &Last) -> bool {
    let is_object =
        matches!(&mention.referent, crate::scene::Referent::Object { name, .. } if *name == last.object.name);
    !mention.quoted && !is_object && last.entry.preset.thing.is_none() && spoken_of(last, &item.stem).is_some()
}

/// The parameter that a noun is about.
fn spoken_of<'e>(last: &Last<'e>, noun: &str) -> Option<&'e Slot> {
    let cues = [noun.to_owned()];
    let slots = last.entry.slots.iter();
    let about = slots.filter(|slot| numeric(slot) && slot.speaks_of(&cues));
    about.max_by_key(|slot| u8::from(present(last, slot).is_some()))
}

/// “increase … by 20”, “reduce it 20%”: 1 for more, -1 for less, where a share or “by” says how much.
fn direction(reading: &Reading, at: usize, by: By) -> Option<f64> {
    let before = |words: &[&str]| at > 0 && reading.is(at - 1, words);
    if before(&["to"]) || !(matches!(by, By::Share(_)) || before(&["by"])) {
        return None;
    }
    let language = reading.language;
    reading.items.iter().find_map(|item| match &item.text {
        word if language.rising.contains(word) => Some(1.0),
        word if language.falling.contains(word) => Some(-1.0),
        _ => None,
    })
}

/// The parameter that a noun after this place names: “more spacing”.
fn slot_follows<'e>(reading: &Reading, at: usize, last: &Last<'e>) -> Option<&'e Slot> {
    let item = reading.item(at + 1)?;
    let cues = [item.stem.clone()];
    last.entry
        .slots
        .iter()
        .find(|slot| numeric(slot) && slot.speaks_of(&cues))
}

/// Whether a word adds nothing: polite words, the preset's own, “it”.
fn quiet(reading: &Reading, last: &Last, at: usize) -> bool {
    let language = reading.language;
    reading.item(at).is_some_and(|item| {
        // “bigger in the middle”: nothing here can be changed in a part alone.
        !language.negations.contains(&item.text)
            && !language.places.contains(&item.text)
            && (language.stop.contains(&item.text)
                || language.is_determiner(&item.text)
                || language.prepositions.contains(&item.text)
                || last.entry.vocabulary.contains(&item.stem)
                || ["times", "change", "lower", "together"].contains(&item.text.as_str())
                || language.rising.contains(&item.text)
                || language.falling.contains(&item.text))
    })
}

/// Whether a noun is what the result places, or the object that shows it.
pub(crate) fn is_placed(reading: &Reading, last: &Last, at: usize) -> bool {
    let Some(item) = reading.item(at) else { return false };
    let thing = last.thing();
    match &item.kind {
        ItemKind::Mention(mention) => match &mention.referent {
            crate::scene::Referent::Object { name, .. } => {
                *name == last.object.name
                    || thing == Some(Thing::Object(name.clone()))
                    || matches!(&thing, Some(Thing::Shape(key, _)) if reading.language.shape(&item.stem).is_some_and(|s| s.key == *key))
            }
            crate::scene::Referent::Collection(name) => thing == Some(Thing::Collection(name.clone())),
            crate::scene::Referent::Generic(_) => true,
            crate::scene::Referent::Unknown(_) => false,
        },
        _ => {
            matches!(&thing, Some(Thing::Shape(key, _)) if reading.language.shape(&item.stem).is_some_and(|s| s.key == *key))
        }
    }
}

fn by(quantity: &Quantity, text: &str) -> Option<By> {
    let Amount::One(value) = quantity.amount else {
        return None;
    };
    Some(match quantity.unit {
        Unit::Times if value > 0.0 => By::Times(value),
        Unit::Percent => By::Share(value),
        Unit::Bare if value < 1.0 && text.chars().any(char::is_alphabetic) => By::Times(value),
        Unit::Bare => By::Number(value),
        Unit::Metres | Unit::Blender | Unit::Radians => By::Measure(value),
        Unit::Times => return None,
    })
}

fn numeric(slot: &Slot) -> bool {
    matches!(
        slot.parameter.kind,
        ParameterKind::Count
            | ParameterKind::Length
            | ParameterKind::Factor
            | ParameterKind::Angle
            | ParameterKind::Turns
    )
}

/// The present value of a parameter in metres, radians or plain numbers.
fn present(last: &Last, slot: &Slot) -> Option<f64> {
    let parameter = &slot.parameter;
    let factor = if parameter.kind == ParameterKind::Length {
        last.unit
    } else {
        1.0
    };
    if let Some(value) = last.value(&title(&parameter.name)).and_then(serde_json::Value::as_f64) {
        return Some(value * factor);
    }
    // The size of a copied object is a factor of its own.
    let node = last
        .tree?
        .nodes
        .iter()
        .find(|node| parameter.name == "size" && node.id == "thing_scale")?;
    let scale = node.inputs.iter().find(|(key, _)| key.to_lowercase().contains("scale"));
    let scale = scale
        .and_then(|(_, state)| state.get("value"))
        .and_then(serde_json::Value::as_f64)
        .unwrap_or(1.0);
    last.thing_size().map(|size| size * scale * factor)
}

/// The refusal of words that could change several things of the last result, or none.
pub(crate) fn unclear(last: &Last, words: &str) -> Refusal {
    let slots = last.entry.slots.iter().filter(|slot| numeric(slot));
    let there = slots.filter(|slot| present(last, slot).is_some());
    let names: Vec<String> = there.map(|slot| slot.parameter.title.to_lowercase()).collect();
    Refusal::new(
        Code::MissingParameter,
        format!(
            "It is not clear what “{words}” changes in “{}”. It has: {}. Name one of them with a number. Nothing was changed.",
            last.modifier.name,
            names.join(", ")
        ),
    )
}

fn changed<'a>(library: &'a Library, last: &Last<'a>, said: &Said<'a>) -> Result<Read<'a>, Refusal> {
    let entry = last.entry;
    let of_degree = |of: DegreeOf, cues: &[String]| -> Option<&'a Slot> {
        let there = |slot: &&'a Slot| numeric(slot) && present(last, slot).is_some();
        match of {
            DegreeOf::Amount => counting(entry).filter(there).or_else(|| {
                let density = ["densiti".to_owned()];
                entry.slots.iter().filter(there).find(|slot| slot.speaks_of(&density))
            }),
            DegreeOf::Strength => acting(entry).filter(there),
            DegreeOf::Dimension => {
                let slots = entry.slots.iter().filter(|slot| there(slot));
                let (upright, lying): (Vec<String>, Vec<String>) = cues
                    .iter()
                    .cloned()
                    .partition(|cue| !["long", "length"].contains(&cue.as_str()));
                let (first, second) = (nearest(&slots, &upright), nearest(&slots, &lying));
                match (first, second) {
                    // “shorter” is lower or less long: where both can be, the words decide nothing.
                    (Some(a), Some(b)) if a.parameter.name != b.parameter.name => None,
                    _ => first.or(second),
                }
            }
            DegreeOf::Size => {
                let things = entry
                    .slots
                    .iter()
                    .filter(there)
                    .find(|slot| slot.parameter.sizes_things);
                let cues = ["size", "big", "larg", "radius", "diamet"].map(str::to_owned);
                things.or_else(|| entry.slots.iter().filter(there).find(|slot| slot.speaks_of(&cues)))
            }
        }
    };
    let slot = match &said.of {
        Some(Of::Slot(slot)) => Some(*slot),
        Some(Of::Degree(of, cues)) => of_degree(*of, cues),
        None if matches!(said.by, Some(By::Number(_))) => of_degree(DegreeOf::Amount, &[]),
        None => None,
    };
    let ask = || unclear(last, &said.words);
    if last.modifier.values.is_none() {
        let message = format!(
            "“{}” seems to be about “{}” of “{}”. Select that object and say it again. Nothing was changed.",
            said.words, last.modifier.name, last.object.name
        );
        return Err(Refusal::new(Code::MissingParameter, message));
    }
    let slot = slot.ok_or_else(ask)?;
    let now = present(last, slot).ok_or_else(ask)?;
    let sign = said.sign.unwrap_or(1.0);
    let whole = matches!(slot.parameter.kind, ParameterKind::Count | ParameterKind::Seed);
    let step = said.step.unwrap_or(STEP);
    let value = match said.by {
        Some(By::Exactly(value)) => value,
        Some(By::Times(factor)) if sign < 0.0 && factor > 1.0 => now / factor,
        Some(By::Times(factor)) => now * factor,
        Some(By::Share(share)) => now * (1.0 + sign * share),
        Some(By::Number(number)) if whole => now + sign * number,
        Some(By::Measure(number)) if !whole => now + sign * number,
        Some(By::Number(_) | By::Measure(_)) => return Err(ask()),
        None if whole && now < 4.0 => now + sign,
        None if sign > 0.0 => now * step,
        None => now / step,
    };
    let value = if whole { value.round() } else { value };
    let name = slot.parameter.name.clone();
    let mut remarks = Vec::new();
    in_range(&slot.parameter, value, &mut remarks)?;
    let shown = |value: f64| match slot.parameter.kind {
        ParameterKind::Length => format!("{} m", plain(value)),
        ParameterKind::Angle => format!("{}°", plain(value.to_degrees())),
        _ => plain(value),
    };
    remarks.push(format!("It was {} before.", shown(now)));
    Ok(Read {
        entry,
        library,
        cast: Cast {
            target: last.object.name.clone(),
            makes: false,
            named: false,
            thing: last.thing(),
            number: Number::One,
            kept: true,
            used: Vec::new(),
            remarks: Vec::new(),
        },
        values: HashMap::from([(name.clone(), PromptValue::Number(value))]),
        shifts: HashMap::new(),
        sources: HashMap::from([(name, said.words.clone())]),
        remarks,
        unused: Vec::new(),
        counted: None,
        compared: !matches!(said.by, Some(By::Exactly(_))),
    })
}
