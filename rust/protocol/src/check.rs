//! Walks through a plan as JSON: every object against its schema, then the rules that no schema expresses.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use crate::codes::Code;
use crate::collect::Collector;
use crate::explain::{self, shown};
use crate::finding::{Change, Finding, Hint};
use crate::limits::Limits;
use crate::object_schemas::{Shape, Shapes, StepShapes, shapes};
use crate::plan::Version;
use crate::pointer;
use crate::rule::Rule;
use crate::shapes::{GROUP_INPUT_ID, GROUP_OUTPUT_ID};

/// The greatest count that a plan can expect.
const MOST_EXPECTED: f64 = 1e12;

fn newer(since: Version) -> Hint {
    let since = since.text();
    let text = format!("It exists from version {since} on; set \"version\" to \"{since}\" to use it.");
    Hint::change(text, Change::add("/version", since.into()))
}

/// Checks a whole plan; the steps of types that were `added` are judged already.
pub(crate) fn plan(value: &Value, limits: &Limits, added_steps: &[usize], findings: &mut Collector) {
    let Some(shapes) = shapes() else {
        findings.error(|| Finding::error(Code::InternalError, "", "The schema of a plan cannot be compiled."));
        return;
    };
    let Some(plan) = value.as_object() else {
        let found = explain::kind(value);
        findings.error(|| Finding::error(Code::WrongType, "", format!("A plan must be an object, found {found}.")));
        return;
    };
    let stated = plan.get("version").and_then(Value::as_str);
    let Some(version) = stated.map_or(Some(Version::CURRENT), Version::of) else {
        let message = format!(
            "Version {} of the protocol is not supported.",
            shown(stated.unwrap_or_default())
        );
        let known = explain::list(Version::ALL.into_iter().map(Version::text));
        findings.error(|| {
            let hint = format!("The supported versions are {known}; use the newest.");
            let newest = Change::replace("/version", Version::CURRENT.text());
            Finding::error(Code::UnsupportedVersion, "/version", message).hint(Hint::change(hint, newest))
        });
        return;
    };
    let mut check = Check {
        version,
        limits,
        shapes,
        findings,
        operations: 0,
    };
    check.object(&shapes.plan, value, "");
    check.steps(plan, added_steps);
    check.rules(plan);
}

/// The finding about a plan with more operations than `limit`.
pub fn too_many_operations(limit: usize, path: String) -> Finding {
    let message = format!("The plan has more operations than the limit of {limit}.");
    Finding::error(Code::TooManyOperations, path, message)
        .hint(Hint::explain("Split the work over several plans with \"done\": false."))
}

/// The first version in which the operation is valid, if there is one; `known` are the operations of its list.
pub(crate) fn op_fits(known: &'static BTreeMap<String, Shape>, op: &Value) -> Option<Version> {
    let shapes = shapes()?;
    let mut findings = Collector::new(1);
    let mut check = Check {
        version: Version::CURRENT,
        limits: &Limits::default(),
        shapes,
        findings: &mut findings,
        operations: 0,
    };
    let nowhere = Lazy {
        at: "",
        field: "",
        index: 0,
    };
    check.op(known, op, &nowhere);
    if findings.failed() {
        return None;
    }
    known.get(op.get("op")?.as_str()?).map(|shape| shape.needs(op))
}

/// Whether there is a NUL in it: paths are only built where there is.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(list) => list.iter().any(holds_nul),
        Value::Object(fields) => fields.values().any(holds_nul),
        _ => false,
    }
}

/// Blender ends a text at NUL, so that it would get another one than was said.
pub(crate) fn whole_texts(value: &Value, at: &str, findings: &mut Collector) {
    if !holds_nul(value) {
        return;
    }
    match value {
        Value::String(text) => findings.error(|| {
            let whole = Change::replace(at, text.replace('\0', ""));
            let hint = Hint::change("Leave the character out.", whole);
            let message = "The text contains the character NUL, at which Blender would cut it off.";
            Finding::error(Code::InvalidValue, at, message).hint(hint)
        }),
        Value::Array(list) => {
            for (index, entry) in list.iter().enumerate().filter(|(_, entry)| holds_nul(entry)) {
                whole_texts(entry, &format!("{at}/{index}"), findings);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields.iter().filter(|(_, field)| holds_nul(field)) {
                whole_texts(field, &pointer::child(at, name), findings);
            }
        }
        _ => {}
    }
}

struct Check<'a> {
    version: Version,
    limits: &'a Limits,
    shapes: &'static Shapes,
    findings: &'a mut Collector,
    operations: usize,
}

impl Check<'_> {
    /// Checks an object against its shape and its version.
    fn object(&mut self, shape: &'static Shape, value: &Value, at: &str) {
        let additions = shape.additions(value, self.version);
        for addition in &additions {
            let version = self.version.text();
            let field = pointer::last(&addition.path);
            self.findings.error(|| {
                let (code, message) = match &addition.value {
                    None => (
                        Code::UnknownField,
                        format!("Version {version} has no field {}.", shown(&field)),
                    ),
                    Some(value) => (
                        Code::InvalidEnum,
                        format!("Version {version} has no {} for {}.", shown(value), shown(&field)),
                    ),
                };
                Finding::error(code, pointer::join(at, &addition.path), message).hint(newer(addition.since))
            });
        }
        if !shape.validator.is_valid(value) {
            let explained: Vec<String> = additions.into_iter().map(|addition| addition.path).collect();
            explain::errors(shape, value, at, &explained, self.findings);
        }
    }

    fn steps(&mut self, plan: &Map<String, Value>, added: &[usize]) {
        let Some(steps) = plan.get("steps").and_then(Value::as_array) else {
            return;
        };
        if steps.len() > self.limits.max_steps {
            let message = format!(
                "The plan has {} steps; the limit is {}.",
                steps.len(),
                self.limits.max_steps
            );
            self.findings.error(|| {
                let hint = Hint::explain("Send the first ones with \"done\": false, the others in the next turn.");
                Finding::error(Code::TooManySteps, "/steps", message).hint(hint)
            });
        }
        let mut ids = HashSet::new();
        for (index, step) in steps.iter().enumerate() {
            let at = format!("/steps/{index}");
            if let Some(id) = step.get("id").and_then(Value::as_str)
                && !ids.insert(id)
            {
                self.findings.error(|| {
                    let message = format!("Another step has the ID {}.", shown(id));
                    let path = format!("{at}/id");
                    let free = free_id(id, steps);
                    let hint = format!("Give it an ID of its own, such as {}.", shown(&free));
                    let hint = Hint::change(hint, Change::replace(&*path, free));
                    Finding::error(Code::DuplicateStepId, path, message).hint(hint)
                });
            }
            if !added.contains(&index) {
                self.step(step, &at);
            }
        }
    }

    fn step(&mut self, step: &Value, at: &str) {
        let from_start = |_: &StepShapes| Version::V1_0;
        let Some(shapes) = self.tagged(
            (&self.shapes.steps, from_start),
            step,
            "type",
            Code::UnknownStepType,
            at,
        ) else {
            return;
        };
        self.object(&shapes.step, step, at);
        if let Some(payload) = step.get("payload").filter(|payload| payload.is_object()) {
            self.payload(shapes, payload, &format!("{at}/payload"));
        }
    }

    fn payload(&mut self, shapes: &'static StepShapes, payload: &Value, at: &str) {
        self.object(&shapes.payload, payload, at);
        self.one_form(payload, at);
        let Some((field, ops)) = &shapes.ops else {
            self.script(payload, at);
            return;
        };
        whole_texts(payload, at, self.findings);
        let Some(list) = payload.get(field).and_then(Value::as_array) else {
            return;
        };
        let before = self.operations;
        self.operations += list.len();
        let limit = self.limits.max_operations;
        if before <= limit && self.operations > limit {
            self.findings
                .error(|| too_many_operations(limit, pointer::child(at, field)));
        }
        // Operations beyond the limit are refused anyway; checking them would only cost time.
        for (index, op) in list.iter().enumerate().take(limit.saturating_sub(before)) {
            let at = Lazy { at, field, index };
            self.op(ops, op, &at);
        }
    }

    /// A page names its target and says what to do, so nothing stands beside it.
    fn one_form(&mut self, payload: &Value, at: &str) {
        let beside = ["target", "operations", "single_user"];
        let Some(field) = payload
            .get("text")
            .and(beside.iter().find(|field| payload.get(**field).is_some()))
        else {
            return;
        };
        self.findings.error(|| {
            let message = format!("A payload with \"text\" has no {}.", shown(field));
            let given = beside.iter().filter(|field| payload.get(**field).is_some());
            let left_out = given.map(|field| Change::remove(pointer::child(at, field)));
            let text = "Leave out what stands beside it: the page names its target itself.";
            Finding::error(Code::ConflictingFields, pointer::child(at, field), message)
                .hint(Hint::changes(text, left_out))
        });
    }

    fn op(&mut self, ops: &'static BTreeMap<String, Shape>, op: &Value, at: &Lazy<'_>) {
        let name = op.get("op").and_then(Value::as_str);
        if let Some(shape) = name.and_then(|name| ops.get(name)) {
            let fits = shape.validator.is_valid(op);
            if self.version < shape.since {
                let version = self.version.text();
                self.findings.error(|| {
                    let message = format!(
                        "Version {version} has no operation {}.",
                        shown(name.unwrap_or_default())
                    );
                    Finding::error(Code::UnknownOp, format!("{at}/op"), message).hint(newer(shape.since))
                });
            } else if !fits || self.version < shape.complete {
                self.object(shape, op, &at.to_string());
            }
            for rule in shape.rules {
                match *rule {
                    Rule::NewId(field) => self.reserved_id(op, field, at),
                    Rule::MinBelowMax => self.range(op, at, f64::from(f32::MAX)),
                }
            }
        } else {
            self.tagged(
                (ops, |shape: &Shape| shape.since),
                op,
                "op",
                Code::UnknownOp,
                &at.to_string(),
            );
        }
    }

    /// The entry that the tag of an object selects; adds a finding when the tag is missing or unknown.
    fn tagged<'s, T>(
        &mut self,
        (known, since): (&'s BTreeMap<String, T>, impl Fn(&T) -> Version),
        value: &Value,
        tag: &str,
        code: Code,
        at: &str,
    ) -> Option<&'s T> {
        let (path, found) = match value.as_object().map(|object| object.get(tag)) {
            None => (at.to_owned(), value),
            Some(Some(Value::String(name))) => {
                let selected = known.get(name);
                if selected.is_none() {
                    let here: Vec<&str> = known
                        .iter()
                        .filter(|(_, one)| since(one) <= self.version)
                        .map(|(name, _)| name.as_str())
                        .collect();
                    self.findings
                        .error(|| explain::unknown_tag(&here, value, (name, tag), code, at));
                }
                return selected;
            }
            Some(Some(other)) => (pointer::child(at, tag), other),
            Some(None) => {
                self.findings.error(|| {
                    let message = format!("The field {} is missing.", shown(tag));
                    Finding::error(Code::MissingField, pointer::child(at, tag), message).hint(Hint::explain(format!(
                        "The allowed values are {}.",
                        explain::list(known.keys().map(String::as_str))
                    )))
                });
                return None;
            }
        };
        self.findings.error(|| {
            let expected = if path == at { "An object" } else { "A string" };
            Finding::error(
                Code::WrongType,
                path,
                format!("Expected {expected}, found {}.", explain::kind(found)),
            )
        });
        None
    }

    fn reserved_id(&mut self, op: &Value, field: &str, at: &Lazy<'_>) {
        let reserved_for = match op.get(field).and_then(Value::as_str) {
            Some(GROUP_INPUT_ID) => "NodeGroupInput",
            Some(GROUP_OUTPUT_ID) => "NodeGroupOutput",
            _ => return,
        };
        if op.get("bl_idname").and_then(Value::as_str) != Some(reserved_for) {
            self.findings.error(|| {
                let message = format!("This ID is reserved for the tree's {reserved_for}.");
                let hint =
                    Hint::explain("A node that the plan adds has an ID of its own choice; links name it by that.");
                Finding::error(Code::ReservedId, format!("{at}/{field}"), message).hint(hint)
            });
        }
    }

    /// The minimum must not exceed the maximum; a number beyond `limit` has been refused already.
    fn range(&mut self, op: &Value, at: &Lazy<'_>, limit: f64) {
        let number = |field: &str| op.get(field)?.as_f64().filter(|number| number.abs() <= limit);
        if let (Some(min), Some(max)) = (number("min"), number("max"))
            && min > max
        {
            self.findings.error(|| {
                let message = format!("The minimum {min} is above the maximum {max}.");
                Finding::error(Code::OutOfRange, format!("{at}/min"), message)
            });
        }
    }

    fn script(&mut self, payload: &Value, at: &str) {
        let limit = self.limits.max_python_chars;
        let Some(code) = payload
            .get("code")
            .and_then(Value::as_str)
            .filter(|code| code.len() > limit)
        else {
            return;
        };
        let length = code.chars().count();
        if length > limit {
            self.findings.error(|| {
                let message = format!("The script has {length} characters; the limit is {limit}.");
                Finding::error(Code::PythonTooLong, format!("{at}/code"), message)
                    .hint(Hint::explain("Split it over several steps, or use NODE_TREE."))
            });
        }
    }

    /// What the plan expects: either a count or bounds, and a minimum that does not exceed the maximum.
    fn expectations(&mut self, meta: Option<&Value>) {
        for list in ["expects", "measures"] {
            let entries = meta.and_then(|meta| meta.get(list)).and_then(Value::as_array);
            for (index, entry) in entries.into_iter().flatten().enumerate() {
                let at = Lazy {
                    at: "/meta",
                    field: list,
                    index,
                };
                if list == "expects" {
                    self.count(entry, &at);
                }
                self.range(entry, &at, MOST_EXPECTED);
            }
        }
    }

    fn count(&mut self, entry: &Value, at: &Lazy<'_>) {
        let has = |field: &str| entry.get(field).is_some();
        let bounds = has("min") || has("max");
        if has("count") && bounds {
            self.findings.error(|| {
                let message = "An expectation has either a count or bounds, not both.";
                let path = format!("{at}/count");
                let hint = Hint::change("Leave \"count\" out; the bounds say the same.", Change::remove(&*path));
                Finding::error(Code::ConflictingFields, path, message).hint(hint)
            });
        } else if entry.is_object() && !has("count") && !bounds {
            self.findings.error(|| {
                let message = "An expectation needs a number: \"count\", \"min\" or \"max\" is missing.";
                Finding::error(Code::MissingField, format!("{at}/count"), message)
            });
        }
    }

    /// Rules between the fields of the plan.
    fn rules(&mut self, plan: &Map<String, Value>) {
        let has_steps = plan
            .get("steps")
            .and_then(Value::as_array)
            .is_some_and(|steps| !steps.is_empty());
        let verified = plan.get("meta").and_then(|meta| meta.get("requires_gate_verification"));
        if has_steps && verified == Some(&Value::Bool(false)) {
            self.findings.error(|| {
                let message = "Gate verification can only be switched off in a plan without steps.";
                let path = "/meta/requires_gate_verification";
                let hint = Hint::change("Leave the field out.", Change::remove(path));
                Finding::error(Code::GateVerificationRequired, path, message).hint(hint)
            });
        }
        self.expectations(plan.get("meta"));
        let asks = plan
            .get("context_requests")
            .and_then(Value::as_array)
            .is_some_and(|asked| !asked.is_empty());
        let done = plan.get("done") == Some(&Value::Bool(true));
        if asks && self.version > Version::V1_0 && (has_steps || done) {
            self.findings.error(|| {
                let message = "Context can only be requested in a plan that has no steps and is not done.";
                let hint = "Send \"steps\": [] and \"done\": false with the request; send the steps in the next turn.";
                let changes = [
                    Change::replace("/steps", Value::Array(Vec::new())),
                    Change::replace("/done", false),
                ];
                let hint = Hint::changes(hint, changes);
                Finding::error(Code::ContextRequestsNotAllowed, "/context_requests", message).hint(hint)
            });
        }
    }
}

/// The ID with a number that no step has.
fn free_id(id: &str, steps: &[Value]) -> String {
    let is_taken = |id: &str| {
        steps
            .iter()
            .any(|step| step.get("id").and_then(Value::as_str) == Some(id))
    };
    let mut numbered = (2..=steps.len() + 2).map(|number| format!("{id}_{number}"));
    numbered.find(|id| !is_taken(id)).unwrap_or_default()
}

/// Pointer to an operation, written only when something is wrong with it.
struct Lazy<'a> {
    at: &'a str,
    field: &'a str,
    index: usize,
}

impl std::fmt::Display for Lazy<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}/{}", self.at, self.field, self.index)
    }
}
