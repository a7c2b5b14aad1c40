//! What the trial of a plan's scripts says about the plan: which names it may touch, and what is carried out instead of a script.

use std::collections::{BTreeMap, BTreeSet};

use geonode_protocol::{Action, Code, Plan, PythonMode, PythonScript};
use geonode_script::record;
use serde_json::{Map, Value, json};

/// Most characters of a reason that the trial gives.
const REASON_CHARS: usize = 200;
/// Most data-blocks that are named.
const SHOWN: usize = 12;

/// Whether a plan is held to what its trial did, and what that was.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trial {
    /// Whether its trial counts only inside the sandbox.
    pub(crate) required: bool,
    did: Option<Value>,
    /// The checked records of scripts, by step, and whether the artist is asked about removals in their text.
    records: BTreeMap<String, (String, bool)>,
}

impl Trial {
    /// A plan of which nothing was tried yet.
    pub(crate) fn of(required: bool) -> Self {
        Self {
            required,
            ..Self::default()
        }
    }

    /// Takes the parts of a trial's result that are not for the artist, and adds in which form the scripts will run.
    pub(crate) fn take(&mut self, result: &mut Map<String, Value>, plan: Option<&Plan>, blender: &str) {
        self.records.clear();
        self.did = result.remove("names");
        let records = result.remove("records").unwrap_or_default();
        let reasons = result.remove("unrecorded").unwrap_or_default();
        if !self.required || self.did.is_none() {
            return;
        }
        let removed = self.removed();
        let mut why = None;
        let mut written: BTreeSet<String> = BTreeSet::new();
        for (id, script) in plan.into_iter().flat_map(scripts) {
            let reason = || {
                reasons
                    .get(id)
                    .and_then(Value::as_str)
                    .unwrap_or("its trial left no record")
            };
            match records.get(id).and_then(Value::as_str) {
                None => why = Some(reason().chars().take(REASON_CHARS).collect::<String>()),
                Some(text) => match record::check(text, blender, &removed) {
                    Ok(record) => {
                        let blocks = record.written();
                        let named = |(kind, names): (&&str, &BTreeSet<&str>)| {
                            names.iter().map(|name| format!("{kind} “{name}”")).collect::<Vec<_>>()
                        };
                        written.extend(blocks.iter().flat_map(named));
                        let asks = geonode_script::check(&script.code, blender).asks;
                        let asked = asks.iter().any(|ask| ask.code == Code::ScriptDestructive);
                        self.records.insert(id.to_owned(), (text.to_owned(), asked));
                    }
                    Err(refused) => {
                        result.insert("record_code".into(), json!(refused.code()));
                        why = Some(format!("the record of its trial was refused ({})", refused.text));
                    }
                },
            }
        }
        let form = match why {
            None => format!(
                "Blender will do exactly what the script did in its trial; the script itself does not run again.{}",
                told(&written)
            ),
            Some(why) => format!(
                "The script itself will run in your file, behind the walls of safe mode and held to these names, because {why}."
            ),
        };
        result.insert(
            "by_record".into(),
            json!(self.records.len() == plan.into_iter().flat_map(scripts).count()),
        );
        result.insert("form".into(), json!(form));
    }

    /// What the plan may make, change and remove by name; none: its names are not bounded.
    pub(crate) fn bounds(&self) -> Option<Value> {
        self.did.clone().filter(|_| self.required)
    }

    /// What is carried out instead of the script of a step.
    pub(crate) fn payload(&self, step: &str, script: &PythonScript) -> Option<Value> {
        let (record, asked) = self.records.get(step).filter(|_| self.required)?;
        Some(json!({"record": record, "timeout_ms": script.timeout_ms, "asked": asked}))
    }

    fn removed(&self) -> BTreeMap<String, BTreeSet<String>> {
        let removed = self.did.as_ref().and_then(|did| did.get("removed")).cloned();
        removed
            .and_then(|removed| serde_json::from_value(removed).ok())
            .unwrap_or_default()
    }
}

/// What the records write to, which their trial cannot leave out.
fn told(written: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = written.iter().map(String::as_str).take(SHOWN).collect();
    let more = written.len().saturating_sub(shown.len());
    match (shown.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(" It writes to: {}.", shown.join(", ")),
        (false, _) => format!(" It writes to: {} and {more} more.", shown.join(", ")),
    }
}

fn scripts(plan: &Plan) -> impl Iterator<Item = (&str, &PythonScript)> {
    plan.steps.iter().filter_map(|step| match &step.action {
        Action::Python(script) if script.mode == PythonMode::Safe => Some((step.id.as_str(), script)),
        _ => None,
    })
}
