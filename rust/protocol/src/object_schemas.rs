//! Compiled schemas, one for each object that a tag selects, so that an error names exactly what is wrong.
//!
//! They are parts of the generated schema of [`Plan`]: the plan without its steps, each step type without its payload, each payload
//! without its operations, and each operation.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::gn_ops::GnOpKind;
use crate::node_tree::NodeTreeOpKind;
use crate::plan::{Action, Plan, Version};
use crate::pointer;
use crate::rule::Rule;
use crate::schema;

/// A compiled schema of one kind of object.
pub(crate) struct Shape {
    pub(crate) validator: Validator,
    /// The schema, with the definitions that it refers to.
    pub(crate) schema: Value,
    /// The first version that has the object.
    pub(crate) since: Version,
    /// The first version that has everything in it.
    pub(crate) complete: Version,
    /// What else holds for an operation of this shape.
    pub(crate) rules: &'static [Rule],
}

impl Shape {
    /// The shape of a whole document; none when its schema is invalid.
    pub(crate) fn whole(schema: Value) -> Option<Self> {
        Some(Self {
            validator: jsonschema::draft202012::new(&schema).ok()?,
            since: Version::V1_0,
            complete: Version::V1_0,
            rules: &[],
            schema,
        })
    }

    /// What the value uses that `version` does not have, the object itself aside.
    pub(crate) fn additions(&self, value: &Value, version: Version) -> Vec<Addition> {
        let mut found = Vec::new();
        if version < self.complete {
            self.walk(&self.schema, value, "", version, &mut found);
        }
        found
    }

    /// The first version that has everything that the value uses.
    pub(crate) fn needs(&self, value: &Value) -> Version {
        let additions = self.additions(value, Version::V1_0);
        additions
            .iter()
            .map(|addition| addition.since)
            .fold(self.since, Version::max)
    }

    fn walk(&self, schema: &Value, value: &Value, at: &str, version: Version, found: &mut Vec<Addition>) {
        let definition = schema.get("$ref").and_then(Value::as_str);
        let schema = definition
            .and_then(|name| self.schema.pointer(name.trim_start_matches('#')))
            .unwrap_or(schema);
        let choices = schema.get("oneOf").and_then(Value::as_array);
        let chosen = choices
            .into_iter()
            .flatten()
            .find(|choice| choice.get("const") == Some(value));
        if let Some(since) = chosen.map(since).filter(|since| *since > version) {
            found.push(Addition {
                path: at.to_owned(),
                since,
                value: value.as_str().map(str::to_owned),
            });
        }
        if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
            for (index, item) in list.iter().enumerate() {
                self.walk(items, item, &format!("{at}/{index}"), version, found);
            }
        }
        let (Some(fields), Some(object)) = (schema.get("properties").and_then(Value::as_object), value.as_object())
        else {
            return;
        };
        for (name, inner) in object {
            let Some(field) = fields.get(name) else { continue };
            let path = pointer::child(at, name);
            let since = since(field);
            if since > version {
                found.push(Addition {
                    path,
                    since,
                    value: None,
                });
            } else if inner.is_object() || inner.is_array() || field.get("$ref").is_some() {
                self.walk(field, inner, &path, version, found);
            }
        }
    }
}

/// A field, or a value of a field, that came with a later version.
#[derive(Debug)]
pub(crate) struct Addition {
    /// Pointer from the object.
    pub(crate) path: String,
    pub(crate) since: Version,
    /// The value, where it is not the field that was added.
    pub(crate) value: Option<String>,
}

/// The version that a part of a schema states with `x-since`.
fn since(schema: &Value) -> Version {
    let stated = schema.get("x-since").and_then(Value::as_str);
    stated.and_then(Version::of).unwrap_or(Version::V1_0)
}

/// The newest version that any part of a schema states.
fn newest(schema: &Value) -> Version {
    let inner = match schema {
        Value::Object(object) => object.values().map(newest).max(),
        Value::Array(items) => items.iter().map(newest).max(),
        _ => None,
    };
    inner.unwrap_or(Version::V1_0).max(since(schema))
}

/// The shapes of one step type.
pub(crate) struct StepShapes {
    pub(crate) step: Shape,
    pub(crate) payload: Shape,
    /// Field that holds the operations, and their shapes by `op`.
    pub(crate) ops: Option<(&'static str, BTreeMap<String, Shape>)>,
}

/// Every shape.
pub(crate) struct Shapes {
    pub(crate) plan: Shape,
    pub(crate) steps: BTreeMap<String, StepShapes>,
}

/// The shapes, compiled once; `None` only if the types generate an invalid schema, which a test excludes.
pub(crate) fn shapes() -> Option<&'static Shapes> {
    static SHAPES: OnceLock<Option<Shapes>> = OnceLock::new();
    SHAPES.get_or_init(|| Source(schema::of::<Plan>()).shapes()).as_ref()
}

/// Whether a list of operations (`NodeTreeOp`, `GnOp`) has one of this name.
pub(crate) fn knows_op(list: &str, name: &str) -> bool {
    let [node_tree, gn_ops, _] = Action::TYPES;
    let kind = if list == "NodeTreeOp" { node_tree } else { gn_ops };
    let step = shapes().and_then(|shapes| shapes.steps.get(kind));
    step.and_then(|step| step.ops.as_ref())
        .is_some_and(|(_, ops)| ops.contains_key(name))
}

/// The rules of the operation of this name; none when there is no such operation.
type Rules = fn(&str) -> Option<&'static [Rule]>;

fn node_tree_rules(name: &str) -> Option<&'static [Rule]> {
    Some(name.parse::<NodeTreeOpKind>().ok()?.rules())
}

fn gn_rules(name: &str) -> Option<&'static [Rule]> {
    Some(name.parse::<GnOpKind>().ok()?.rules())
}

/// The generated schema of a plan.
struct Source(Value);

impl Source {
    fn shapes(&self) -> Option<Shapes> {
        let mut plan = self.0.clone();
        // The number of steps is a setting; the steps are checked one by one.
        open(&mut plan, "/properties/steps", &["items", "maxItems"])?;
        let mut steps = BTreeMap::new();
        for step in self.0.pointer("/$defs/Step/oneOf")?.as_array()? {
            let name = step.pointer("/properties/type/const")?.as_str()?;
            let (payload, list) = match Action::TYPES.iter().position(|known| *known == name)? {
                0 => ("NodeTree", Some(("operations", "NodeTreeOp", node_tree_rules as Rules))),
                1 => ("GnOps", Some(("ops", "GnOp", gn_rules as Rules))),
                _ => ("PythonScript", None),
            };
            let mut payload = self.0.pointer(&format!("/$defs/{payload}"))?.clone();
            let mut ops = None;
            if let Some((field, kind, rules)) = list {
                open(&mut payload, &format!("/properties/{field}"), &["items"])?;
                ops = Some((field, self.ops(kind, rules)?));
            }
            let mut step = step.clone();
            let payload_field = step.pointer_mut("/properties/payload")?;
            *payload_field = json!({"type": "object", "description": payload.get("description")});
            let shapes = StepShapes {
                step: self.shape(&step)?,
                payload: self.shape(&payload)?,
                ops,
            };
            steps.insert(name.to_owned(), shapes);
        }
        Some(Shapes {
            plan: self.shape(&plan)?,
            steps,
        })
    }

    fn ops(&self, kind: &str, rules: Rules) -> Option<BTreeMap<String, Shape>> {
        let ops = self.0.pointer(&format!("/$defs/{kind}/oneOf"))?.as_array()?;
        ops.iter()
            .map(|op| {
                let name = op.pointer("/properties/op/const")?.as_str()?;
                let shape = Shape {
                    rules: rules(name)?,
                    ..self.shape(op)?
                };
                Some((name.to_owned(), shape))
            })
            .collect()
    }

    fn shape(&self, schema: &Value) -> Option<Shape> {
        let mut schema = schema.clone();
        let mut defs = Map::new();
        schema.as_object_mut()?.remove("$defs");
        self.collect(&schema, &mut defs);
        schema.as_object_mut()?.insert("$defs".into(), Value::Object(defs));
        Some(Shape {
            validator: jsonschema::draft202012::new(&schema).ok()?,
            since: since(&schema),
            complete: newest(&schema),
            rules: &[],
            schema,
        })
    }

    /// Adds the definitions that `schema` refers to.
    fn collect(&self, schema: &Value, defs: &mut Map<String, Value>) {
        match schema {
            Value::Object(object) => {
                if let Some(name) = object
                    .get("$ref")
                    .and_then(Value::as_str)
                    .and_then(|at| at.strip_prefix("#/$defs/"))
                    && !defs.contains_key(name)
                    && let Some(definition) = self.0.pointer(&format!("/$defs/{name}"))
                {
                    defs.insert(name.to_owned(), definition.clone());
                    self.collect(definition, defs);
                }
                object.values().for_each(|value| self.collect(value, defs));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item, defs)),
            _ => {}
        }
    }
}

/// Removes keywords of the schema at `at` that are checked elsewhere.
fn open(schema: &mut Value, at: &str, keywords: &[&str]) -> Option<()> {
    let object = schema.pointer_mut(at)?.as_object_mut()?;
    object.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
    Some(())
}
