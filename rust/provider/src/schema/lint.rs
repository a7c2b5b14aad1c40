//! Finds the parts of a schema that a provider would refuse.

use std::collections::HashMap;
use std::fmt;

use serde_json::{Map, Value};

use super::{LIST, NAMED, ONE, Subset};
use crate::limits;

/// A part that a provider does not accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// JSON Pointer into the schema.
    pub path: String,
    /// What is wrong there.
    pub why: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}",
            if self.path.is_empty() { "/" } else { &self.path },
            self.why
        )
    }
}

/// Most issues that are reported.
const MAX_ISSUES: usize = 50;

/// Whether a provider accepts the schema unchanged.
pub fn conforms(schema: &Value, subset: &Subset) -> bool {
    lint(schema, subset).is_empty()
}

/// Everything in a schema that is outside a subset, at most fifty issues; if empty, the schema is accepted unchanged.
pub fn lint(schema: &Value, subset: &Subset) -> Vec<Issue> {
    let mut linter = Linter {
        subset,
        issues: Vec::new(),
        sizes: Sizes::default(),
    };
    if schema.get("type").is_none_or(|kind| kind != "object") || is_union(schema) {
        linter.issue("", "the root must be an object, not a union");
    }
    linter.node(schema, "", 0, 0);
    linter.references(schema);
    let uses = Uses {
        root: schema,
        known: HashMap::new(),
    }
    .of(schema, 0);
    (linter.sizes.optional, linter.sizes.unions) = uses;
    linter.sizes();
    linter.issues
}

fn is_union(schema: &Value) -> bool {
    schema.get("anyOf").is_some() || schema.get("oneOf").is_some()
}

#[derive(Default)]
struct Sizes {
    properties: usize,
    optional: usize,
    unions: usize,
    values: usize,
    chars: usize,
    depth: usize,
}

struct Linter<'a> {
    subset: &'a Subset,
    issues: Vec<Issue>,
    sizes: Sizes,
}

impl Linter<'_> {
    fn issue(&mut self, path: &str, why: impl Into<String>) {
        if self.issues.len() < MAX_ISSUES {
            self.issues.push(Issue {
                path: path.to_owned(),
                why: why.into(),
            });
        }
    }

    /// `nesting` counts levels of JSON, `depth` objects.
    fn node(&mut self, schema: &Value, path: &str, nesting: usize, depth: usize) {
        let Some(map) = schema.as_object() else {
            // `additionalProperties: false` is not a schema.
            return self.issue(path, "a schema must be an object here");
        };
        if nesting > limits::JSON_DEPTH {
            return self.issue(path, "it is nested too deeply");
        }
        for keyword in map.keys() {
            if !self.subset.keywords.contains(&keyword.as_str()) {
                self.issue(path, format!("`{keyword}` is not known"));
            }
        }
        if map.contains_key("$ref") {
            if map.len() > 1 && !(nesting == 0 && map.contains_key("$defs")) {
                self.issue(path, "`$ref` allows no other keywords beside it");
            }
            return;
        }
        let says = ["type", "anyOf", "oneOf", "enum", "const"];
        if !says.iter().any(|keyword| map.contains_key(*keyword)) {
            self.issue(path, "it does not give the type of the value");
        }
        for value in map.get("enum").and_then(Value::as_array).into_iter().flatten() {
            self.sizes.values += 1;
            self.sizes.chars += value.as_str().map_or(0, str::len);
        }
        let depth = if is_object(map) {
            self.object(map, path);
            depth + 1
        } else {
            depth
        };
        self.sizes.depth = self.sizes.depth.max(depth);
        self.below(map, path, nesting, depth);
    }

    fn object(&mut self, map: &Map<String, Value>, path: &str) {
        if self.subset.closed && map.get("additionalProperties") != Some(&Value::Bool(false)) {
            self.issue(path, "the object must say `additionalProperties: false`");
        }
        let required = map.get("required").and_then(Value::as_array);
        let properties = map.get("properties").and_then(Value::as_object);
        for name in properties.into_iter().flat_map(Map::keys) {
            self.sizes.properties += 1;
            self.sizes.chars += name.len();
            if self.subset.all_required && !required.is_some_and(|all| all.iter().any(|one| one == name)) {
                self.issue(path, format!("the property `{name}` must be required"));
            }
        }
    }

    fn below(&mut self, map: &Map<String, Value>, path: &str, nesting: usize, depth: usize) {
        for keyword in ONE {
            if let Some(part) = map.get(keyword).filter(|part| !part.is_boolean()) {
                self.node(part, &format!("{path}/{keyword}"), nesting + 1, depth);
            }
        }
        for keyword in LIST {
            let parts = map.get(keyword).and_then(Value::as_array);
            for (index, part) in parts.into_iter().flatten().enumerate() {
                self.node(part, &format!("{path}/{keyword}/{index}"), nesting + 1, depth);
            }
        }
        for keyword in NAMED {
            let parts = map.get(keyword).and_then(Value::as_object);
            // Definitions count where they are referred to.
            let depth = if keyword == "$defs" { 0 } else { depth };
            for (name, part) in parts.into_iter().flatten() {
                self.node(part, &format!("{path}/{keyword}/{name}"), nesting + 1, depth);
            }
        }
    }

    /// References lead to a definition, and only where that is allowed back to themselves.
    fn references(&mut self, root: &Value) {
        let mut marks: HashMap<String, Option<usize>> = HashMap::new();
        let deepest = self.follow(root, root, &mut marks, 0);
        self.sizes.depth = self.sizes.depth.max(deepest);
    }

    /// Objects on the longest way down from here, through references; a way that leads back counts once. `known`: those below each
    /// target of a reference, nothing while that is being followed.
    fn follow(
        &mut self,
        schema: &Value,
        root: &Value,
        known: &mut HashMap<String, Option<usize>>,
        nesting: usize,
    ) -> usize {
        let Some(map) = schema.as_object() else { return 0 };
        if nesting > limits::JSON_DEPTH {
            return 0;
        }
        if let Some(target) = map.get("$ref").and_then(Value::as_str) {
            match known.get(target) {
                Some(Some(deepest)) => return *deepest,
                Some(None) => {
                    if !self.subset.recursion {
                        self.issue("", format!("`{target}` refers to itself"));
                    }
                    return 0;
                }
                None => {}
            }
            let Some(found) = resolve(root, target) else {
                self.issue("", format!("`{target}` does not exist in this schema"));
                known.insert(target.to_owned(), Some(0));
                return 0;
            };
            known.insert(target.to_owned(), None);
            let deepest = self.follow(found, root, known, nesting + 1);
            known.insert(target.to_owned(), Some(deepest));
            return deepest;
        }
        let mut deepest = 0;
        for part in children(map) {
            deepest = deepest.max(self.follow(part, root, known, nesting + 1));
        }
        deepest + usize::from(is_object(map))
    }

    fn sizes(&mut self) {
        let (sizes, subset) = (&self.sizes, self.subset);
        let table = [
            (sizes.properties, subset.max_properties, "properties"),
            (sizes.optional, subset.max_optional, "properties that are not required"),
            (sizes.unions, subset.max_unions, "unions"),
            (sizes.values, subset.max_values, "values of enums"),
            (sizes.chars, subset.max_chars, "characters of names and values"),
            (sizes.depth, subset.max_depth, "nested objects"),
        ];
        for (count, limit, what) in table {
            if count > limit && !(what.ends_with("required") && subset.all_required) {
                self.issue("", format!("{count} {what}; {limit} are allowed"));
            }
        }
    }
}

/// Properties that are not required, and unions, as often as they are used: what is defined once and referred to twice counts twice.
/// The vendors do not say how they count; counted so, a schema that passes here passes either way.
struct Uses<'a> {
    root: &'a Value,
    /// By the target of the reference; nothing while it is being counted, so a way that leads back counts once.
    known: HashMap<&'a str, (usize, usize)>,
}

impl<'a> Uses<'a> {
    fn of(&mut self, schema: &'a Value, nesting: usize) -> (usize, usize) {
        let Some(map) = schema.as_object().filter(|_| nesting <= limits::JSON_DEPTH) else {
            return (0, 0);
        };
        if let Some(target) = map.get("$ref").and_then(Value::as_str) {
            if let Some(known) = self.known.get(target) {
                return *known;
            }
            self.known.insert(target, (0, 0));
            let found = resolve(self.root, target).map_or((0, 0), |found| self.of(found, nesting + 1));
            self.known.insert(target, found);
            return found;
        }
        let required = map.get("required").and_then(Value::as_array);
        let properties = map.get("properties").and_then(Value::as_object);
        let optional = properties
            .into_iter()
            .flat_map(Map::keys)
            .filter(|name| !required.is_some_and(|all| all.iter().any(|one| one == *name)))
            .count();
        let several_types = map.get("type").is_some_and(Value::is_array);
        let mut sum = (optional, usize::from(several_types || is_union(schema)));
        for part in children(map) {
            let (optional, unions) = self.of(part, nesting + 1);
            sum = (sum.0.saturating_add(optional), sum.1.saturating_add(unions));
        }
        sum
    }
}

/// A schema of objects.
pub(super) fn is_object(map: &Map<String, Value>) -> bool {
    let kind = map.get("type");
    let listed = |kinds: &Vec<Value>| kinds.iter().any(|kind| kind == "object");
    map.contains_key("properties") || kind.is_some_and(|kind| kind == "object" || kind.as_array().is_some_and(listed))
}

/// Parts of a schema that are schemas; not its definitions.
fn children(map: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let one = ONE.iter().filter_map(|keyword| map.get(*keyword));
    let list = LIST
        .iter()
        .filter_map(|keyword| map.get(*keyword)?.as_array())
        .flatten();
    let named = map
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::values);
    one.chain(list).chain(named)
}

/// What a local reference names.
pub(super) fn resolve<'a>(root: &'a Value, target: &str) -> Option<&'a Value> {
    root.pointer(target.strip_prefix('#')?)
}
