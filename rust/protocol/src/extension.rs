//! Extensions of the protocol: operations by name, step types by action type, each with the schema of its payload.
//!
//! An added operation is a macro: its strategy returns the built-in operations that it expands to, and those are checked, reconciled
//! and applied like any others, so only the reading of a plan has to know it. An added step type is carried out by its own
//! executor.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::codes::Code;
use crate::collect::Collector;
use crate::explain::{self, shown};
use crate::finding::Finding;
use crate::limits::Limits;
use crate::object_schemas::{self, Shape};
use crate::plan::{Action, Version};
use crate::published;

/// Expands an operation: takes the step type and the fields (without `op`), returns built-in operations, or a sentence that says why not.
pub type Expand = dyn Fn(&str, &Map<String, Value>) -> Result<Vec<Value>, String> + Send + Sync;

/// The lists of operations, by step type.
const LISTS: [(&str, &str, &str); 2] = [("NODE_TREE", "operations", "NodeTreeOp"), ("GN_OPS", "ops", "GnOp")];

/// Operations and step types beyond the built-in ones.
#[derive(Clone, Default)]
pub struct Extensions {
    ops: BTreeMap<String, Op>,
    actions: BTreeMap<String, ActionType>,
}

#[derive(Clone)]
struct Op {
    shape: Arc<Shape>,
    expand: Arc<Expand>,
}

#[derive(Clone)]
struct ActionType {
    shape: Arc<Shape>,
    requires_approval: bool,
}

/// Why something cannot be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtensionError(String);

impl fmt::Display for ExtensionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExtensionError {}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ops, actions): (Vec<_>, Vec<_>) = (self.ops.keys().collect(), self.actions.keys().collect());
        f.debug_struct("Extensions")
            .field("ops", &ops)
            .field("actions", &actions)
            .finish()
    }
}

impl Extensions {
    /// True when nothing was added.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty() && self.actions.is_empty()
    }

    /// Adds an operation to both step types. `schema` describes its fields (an object, without `op`).
    ///
    /// # Errors
    /// When the name is not `snake_case`, is taken, or the schema does not describe an object.
    pub fn add_op(&mut self, name: &str, schema: &Value, expand: Arc<Expand>) -> Result<(), ExtensionError> {
        let known = |name: &str| LISTS.iter().any(|(_, _, list)| object_schemas::knows_op(list, name));
        check_name(name, "an operation", "snake_case", |c| c.is_ascii_lowercase())?;
        if known(name) || self.ops.contains_key(name) {
            return Err(ExtensionError(format!(
                "There is already an operation {}.",
                shown(name)
            )));
        }
        let schema = with_tag(schema, "op", name)?;
        let shape = compiled(schema)?;
        self.ops.insert(name.to_owned(), Op { shape, expand });
        Ok(())
    }

    /// Adds a step type. `schema` describes its payload (an object); `requires_approval`: the artist is asked before each such step.
    ///
    /// # Errors
    /// When the name is not `SCREAMING_SNAKE_CASE`, is taken, or the schema does not describe an object.
    pub fn add_action(&mut self, name: &str, schema: &Value, requires_approval: bool) -> Result<(), ExtensionError> {
        check_name(name, "an action type", "SCREAMING_SNAKE_CASE", |c| {
            c.is_ascii_uppercase()
        })?;
        if Action::TYPES.contains(&name) || self.actions.contains_key(name) {
            return Err(ExtensionError(format!(
                "There is already an action type {}.",
                shown(name)
            )));
        }
        object_schema(schema)?;
        let shape = compiled(json!({
            "type": "object",
            "description": schema.get("description").and_then(Value::as_str).unwrap_or_default(),
            "properties": {
                "id": {"type": "string", "minLength": 1},
                "type": {"const": name},
                "description": {"type": "string"},
                "requires_approval": {"type": "boolean"},
                "payload": schema,
            },
            "required": ["id", "type", "description", "payload"],
            "additionalProperties": false,
        }))?;
        let action = ActionType {
            shape,
            requires_approval,
        };
        self.actions.insert(name.to_owned(), action);
        Ok(())
    }

    /// Removes an operation or a step type; returns whether it existed.
    pub fn remove(&mut self, name: &str) -> bool {
        self.ops.remove(name).is_some() | self.actions.remove(name).is_some()
    }

    /// Whether this step type was registered as needing the artist's approval.
    pub fn requires_approval(&self, action_type: &str) -> bool {
        self.actions
            .get(action_type)
            .is_some_and(|action| action.requires_approval)
    }

    /// The schema of that name, including everything that was added.
    pub fn schema(&self, name: &str) -> Option<Value> {
        let mut schema = published::schema(name)?;
        for (_, _, list) in LISTS {
            let added = self.ops.values().map(|op| op.shape.schema.clone());
            append(&mut schema, list, added);
        }
        let steps = self.actions.values().map(|action| action.shape.schema.clone());
        append(&mut schema, "Step", steps);
        Some(schema)
    }

    /// Every added operation and step type with its schema, for those who write plans: `(name, schema)`.
    pub fn described(&self) -> Vec<(&str, &Value)> {
        let ops = self.ops.iter().map(|(name, op)| (name.as_str(), &op.shape.schema));
        let actions = self
            .actions
            .iter()
            .map(|(name, action)| (name.as_str(), &action.shape.schema));
        ops.chain(actions).collect()
    }

    /// Replaces added operations by their expansions, and checks added step types; returns where each operation came from.
    pub(crate) fn expand(&self, plan: &mut Value, limits: &Limits, findings: &mut Collector) -> Origins {
        let mut origins = Origins::default();
        let Some(steps) = plan.get_mut("steps").and_then(Value::as_array_mut) else {
            return origins;
        };
        for (index, step) in steps.iter_mut().enumerate() {
            let Some(kind) = step.get("type").and_then(Value::as_str).map(str::to_owned) else {
                continue;
            };
            if let Some(action) = self.actions.get(&kind) {
                origins.added_steps.push(index);
                explain::errors(&action.shape, step, &format!("/steps/{index}"), &[], findings);
            } else if let Some((_, list, _)) = LISTS.iter().find(|(name, _, _)| *name == kind)
                && let Some(ops) = step
                    .pointer_mut(&format!("/payload/{list}"))
                    .and_then(Value::as_array_mut)
                && ops.iter().any(|op| self.op(op).is_some())
            {
                let at = format!("/steps/{index}/payload/{list}");
                let from = self.expand_list(ops, &kind, &at, limits, findings);
                origins.lists.push(List { at, from });
            }
        }
        origins
    }

    fn op(&self, op: &Value) -> Option<&Op> {
        self.ops.get(op.get("op")?.as_str()?)
    }

    /// For every operation of the new list: the place that it came from, and the name of the added operation if it came from one.
    fn expand_list(
        &self,
        ops: &mut Vec<Value>,
        kind: &str,
        at: &str,
        limits: &Limits,
        findings: &mut Collector,
    ) -> Vec<(usize, Option<String>)> {
        let mut list = Vec::with_capacity(ops.len());
        let mut from = Vec::with_capacity(ops.len());
        for (index, op) in std::mem::take(ops).into_iter().enumerate() {
            // Operations beyond the limit are refused anyway.
            let Some(added) = self.op(&op).filter(|_| list.len() <= limits.max_operations) else {
                list.push(op);
                from.push((index, None));
                continue;
            };
            let place = format!("{at}/{index}");
            if !added.shape.validator.is_valid(&op) {
                explain::errors(&added.shape, &op, &place, &[], findings);
                continue;
            }
            let mut fields = op.as_object().cloned().unwrap_or_default();
            let name = fields
                .shift_remove("op")
                .and_then(|name| name.as_str().map(str::to_owned));
            match (added.expand)(kind, &fields) {
                Ok(made) => {
                    from.extend(made.iter().map(|_| (index, name.clone())));
                    list.extend(made);
                }
                Err(why) => findings.error(|| {
                    let name = shown(name.as_deref().unwrap_or_default());
                    Finding::error(
                        Code::OperationFailed,
                        place,
                        format!("The operation {name} cannot be carried out: {why}"),
                    )
                }),
            }
        }
        *ops = list;
        from
    }
}

/// Where the operations of an expanded plan come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origins {
    lists: Vec<List>,
    /// Indices of steps whose type was added.
    pub(crate) added_steps: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct List {
    /// Pointer to the list.
    at: String,
    /// Index in the text, and the added operation, by index in the expanded list.
    from: Vec<(usize, Option<String>)>,
}

impl Origins {
    /// The finding with the pointer that the text of the plan has.
    #[must_use]
    pub fn trace(&self, finding: Finding) -> Finding {
        self.traced(&finding).unwrap_or(finding)
    }

    fn traced(&self, finding: &Finding) -> Option<Finding> {
        let (list, rest) = self
            .lists
            .iter()
            .find_map(|list| Some((list, finding.path.strip_prefix(&list.at)?.strip_prefix('/')?)))?;
        let (index, below) = rest
            .split_once('/')
            .map_or((rest, None), |(index, below)| (index, Some(below)));
        let (origin, name) = list.from.get(index.parse::<usize>().ok()?)?;
        let mut traced = finding.clone();
        traced.path = format!("{}/{origin}", list.at);
        match (name, below) {
            (Some(name), _) => {
                traced.message = format!("In the operations that {} expands to: {}", shown(name), finding.message);
                // The text of the plan does not have them.
                (traced.hint, traced.changes) = (None, Vec::new());
            }
            (None, Some(below)) => traced.path = format!("{}/{below}", traced.path),
            (None, None) => {}
        }
        for change in &mut traced.changes {
            let origin = self.origin(change.path_mut());
            *change.path_mut() = origin.unwrap_or_else(|| change.path_mut().clone());
        }
        Some(traced)
    }

    /// The pointer that the text of the plan has for one into an operation of the expanded plan.
    fn origin(&self, path: &str) -> Option<String> {
        let mut lists = self.lists.iter();
        let (list, rest) = lists.find_map(|list| Some((list, path.strip_prefix(&list.at)?.strip_prefix('/')?)))?;
        let (index, below) = rest
            .split_once('/')
            .map_or((rest, None), |(at, below)| (at, Some(below)));
        let index = index.parse::<usize>().ok()?;
        let behind = || Some(list.from.get(index.checked_sub(1)?)?.0 + 1);
        let origin = list.from.get(index).map(|(origin, _)| *origin).or_else(behind)?;
        let below = below.map(|below| format!("/{below}")).unwrap_or_default();
        Some(format!("{}/{origin}{below}", list.at))
    }
}

fn check_name(name: &str, what: &str, case: &str, letter: fn(char) -> bool) -> Result<(), ExtensionError> {
    let fits = name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit() || c == '_');
    if fits && name.len() <= 63 {
        return Ok(());
    }
    Err(ExtensionError(format!(
        "The name {} of {what} is not in {case}, or is longer than 63 letters.",
        shown(name)
    )))
}

fn object_schema(schema: &Value) -> Result<&Map<String, Value>, ExtensionError> {
    schema
        .as_object()
        .filter(|object| object.get("type").and_then(Value::as_str) == Some("object"))
        .ok_or_else(|| ExtensionError("The schema does not describe an object (\"type\": \"object\").".to_owned()))
}

/// The schema of an object with one more field, its tag.
fn with_tag(schema: &Value, tag: &str, name: &str) -> Result<Value, ExtensionError> {
    let mut object = object_schema(schema)?.clone();
    let part = |object: &mut Map<String, Value>, key: &str, empty: Value| object.shift_remove(key).unwrap_or(empty);
    let (fields, required) = (
        part(&mut object, "properties", json!({})),
        part(&mut object, "required", json!([])),
    );
    let (Value::Object(mut fields), Value::Array(mut required)) = (fields, required) else {
        return Err(ExtensionError(
            "`properties` is not an object, or `required` is not a list.".to_owned(),
        ));
    };
    if fields.insert(tag.to_owned(), json!({"const": name})).is_some() {
        return Err(ExtensionError(format!("The field {} is reserved.", shown(tag))));
    }
    required.push(tag.into());
    object.insert("properties".to_owned(), Value::Object(fields));
    object.insert("required".to_owned(), Value::Array(required));
    object.entry("additionalProperties").or_insert(Value::Bool(false));
    Ok(Value::Object(object))
}

fn compiled(schema: Value) -> Result<Arc<Shape>, ExtensionError> {
    let validator = jsonschema::draft202012::new(&schema)
        .map_err(|error| ExtensionError(format!("The schema is invalid: {error}.")))?;
    Ok(Arc::new(Shape {
        validator,
        schema,
        since: Version::V1_1,
        complete: Version::V1_1,
        rules: &[],
    }))
}

/// Adds choices to the definition `name`, if the schema has it.
fn append(schema: &mut Value, name: &str, added: impl Iterator<Item = Value>) {
    if let Some(choices) = schema
        .pointer_mut(&format!("/$defs/{name}/oneOf"))
        .and_then(Value::as_array_mut)
    {
        choices.extend(added);
    }
}
