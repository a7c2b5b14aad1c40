//! Every bound of every preset holds: beyond it nothing is made without a word.

use geonode_protocol::Code;

use crate::build::build;
use crate::library::Library;
use crate::naming::About;
use crate::offline::Options;
use crate::preset::{Bound, ParameterKind, Preset};
use crate::request;
use crate::scenes;
use crate::template::Read;
use crate::values::PromptValue;

/// The prompt as read, with the values on which the bound depends, and with one far beyond it.
fn beyond<'a>(mut read: Read<'a>, preset: &Preset, bound: &Bound) -> Read<'a> {
    let expression = format!("{} {}", bound.least, bound.most);
    for one in &preset.parameters {
        let named = |form: &str| expression.contains(&form.replace('*', &one.name));
        let whole = [&bound.least, &bound.most]
            .iter()
            .any(|end| end.as_str() == Some(&one.name));
        if (whole || named("\"given\",\"*\"") || named("\"said.*\"")) && one.name != bound.of {
            let value = if one.kind == ParameterKind::Count { 2.0 } else { 1.0 };
            read.values
                .entry(one.name.clone())
                .or_insert(PromptValue::Number(value));
        }
        if one.kind == ParameterKind::Bool && named("\"*\"") {
            read.values.insert(one.name.clone(), PromptValue::Bool(true));
        }
    }
    let [low, high] = preset.parameter(&bound.of).and_then(|one| one.hard).unwrap();
    let value = if bound.least.is_null() { high } else { low };
    read.values.insert(bound.of.clone(), PromptValue::Number(value));
    read.sources.insert(bound.of.clone(), "these words".to_owned());
    read
}

#[test]
fn what_breaks_a_bound_is_refused_with_its_words() {
    let library = Library::get().unwrap();
    let mut context = scenes::starter();
    for object in &mut context.objects {
        if object.kind == "CURVE" {
            object.length = Some(10.0);
        }
    }
    let mut open = Vec::new();
    let mut bounds = 0;
    for entry in &library.entries {
        let preset = &entry.preset;
        for bound in &preset.bounds {
            bounds += 1;
            let refused = preset.examples.iter().any(|prompt| {
                let Ok(read) = request::read(library, prompt, &context, &Options::default()) else {
                    return false;
                };
                let Err(refusal) = build(&beyond(read, preset, bound), &context, About::New("")) else {
                    return false;
                };
                let why = |other: &Bound| other.of == bound.of && refusal.message.contains(&other.why);
                let with_words = refusal.message.contains("(“these words”)");
                refusal.code == Code::OutOfRange && with_words && preset.bounds.iter().any(why)
            });
            if !refused {
                open.push(format!("{} of {}", bound.of, preset.id));
            }
        }
    }
    assert!(open.is_empty(), "{}", open.join(", "));
    assert!(bounds > 50);
}
