//! What a plan means under other names than it gives: names in its steps, and an object that it makes where something else has the name.

use geonode_protocol::{Code, Finding};
use serde_json::{Map, Value};

use crate::sink::{Repair, Sink, escape};

pub(crate) struct RenamedObject<'p> {
    /// The step that makes it.
    pub(crate) step: usize,
    pub(crate) asked: &'p str,
    pub(crate) given: String,
    /// The plan made that before.
    pub(crate) again: bool,
}

impl RenamedObject<'_> {
    /// Says so, and renames it in all steps from that one on and in what is expected of it.
    pub(crate) fn carry_out(&self, plan: &mut Value, sink: &mut Sink) {
        let path = format!("/steps/{}/payload/target/object_name", self.step);
        let (asked, given) = (self.asked, &self.given);
        let message = if self.again {
            format!("the object “{given}” is the one that this plan made for “{asked}”")
        } else {
            format!("there is already an object “{asked}”, which stays as it is; the new one is “{given}”")
        };
        sink.push(Finding::info(Code::NameTaken, path, message));
        let steps = plan.get_mut("steps").and_then(Value::as_array_mut);
        for (at, step) in steps.into_iter().flatten().enumerate().skip(self.step) {
            if let Some(payload) = step.get_mut("payload") {
                self.rename(payload, &format!("/steps/{at}/payload"), sink);
            }
        }
        if let Some(meta) = plan.get_mut("meta") {
            self.rename(meta, "/meta", sink);
        }
    }

    fn rename(&self, value: &mut Value, path: &str, sink: &mut Sink) {
        let new = |_: &Map<String, Value>, key: &str, part: &str| {
            let is_it = matches!(key, "object_name" | "object") && part == self.asked;
            is_it.then_some(self.given.as_str())
        };
        rename(value, path, &new, sink);
    }
}

/// What a name becomes, from the object in which it stands, its key and itself.
pub(crate) type NewName<'n> = &'n dyn Fn(&Map<String, Value>, &str, &str) -> Option<&'n str>;

/// Renames what `new` says, at any depth, and notes it as a repair.
pub(crate) fn rename(value: &mut Value, path: &str, new: NewName<'_>, sink: &mut Sink) {
    match value {
        Value::Array(list) => {
            for (at, part) in list.iter_mut().enumerate() {
                rename(part, &format!("{path}/{at}"), new, sink);
            }
        }
        Value::Object(fields) => {
            let names = fields.iter().map(|(key, part)| new(fields, key, part.as_str()?));
            let names: Vec<Option<&str>> = names.collect();
            for ((key, part), name) in fields.iter_mut().zip(names) {
                let path = format!("{path}/{}", escape(key));
                match name {
                    Some(name) if part.as_str() == Some(name) => {}
                    Some(name) => {
                        *part = Value::from(name);
                        let value = part.clone();
                        sink.repairs.push(Repair { path, value });
                    }
                    None => rename(part, &path, new, sink),
                }
            }
        }
        _ => {}
    }
}
