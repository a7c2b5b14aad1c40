//! An object that a plan makes under another name than it gives, because something else has that.

use geonode_protocol::{Code, Finding};
use serde_json::Value;

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
        match value {
            Value::Array(list) => {
                for (at, part) in list.iter_mut().enumerate() {
                    self.rename(part, &format!("{path}/{at}"), sink);
                }
            }
            Value::Object(fields) => {
                for (key, part) in fields.iter_mut() {
                    let at = format!("{path}/{}", escape(key));
                    if matches!(key.as_str(), "object_name" | "object") && part.as_str() == Some(self.asked) {
                        *part = Value::from(self.given.as_str());
                        sink.repairs.push(Repair {
                            path: at,
                            value: part.clone(),
                        });
                    } else {
                        self.rename(part, &at, sink);
                    }
                }
            }
            _ => {}
        }
    }
}
