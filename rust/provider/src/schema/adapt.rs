//! Adapts a schema to a provider's subset.

use std::cell::RefCell;

use serde_json::{Map, Value, json};

use super::lint::{is_object, lint, resolve};
use super::{Issue, Subset};
use crate::limits;

/// Whether replies may have another form than the schema says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A reply that satisfies the adapted schema has the form of the original.
    Kept,
    /// Replies go through [`super::restore`]: what may be absent may come as null, empty or in a list, a map as a list of names and values.
    Free,
}

/// The schema in the subset. Bounds that the subset does not support go into the description; everything else that is lost only
/// allows more replies.
///
/// # Errors
/// The parts outside the subset: the schema cannot be expressed in it.
pub fn adapt(schema: &Value, subset: &Subset, shape: Shape) -> Result<Value, Vec<Issue>> {
    let mut adapting = Adapting {
        subset,
        shape,
        root: schema,
        numbers: RefCell::default(),
        omitted: 0,
        listed: false,
    };
    let adapted = adapting.whole();
    let issues = lint(&adapted, subset);
    if issues.is_empty() {
        return Ok(adapted);
    }
    // Of the numbers that take null for "absent" as few as it takes are left out instead: both are limited.
    let most = adapting.numbers.borrow().len().min(subset.max_optional);
    for omitted in 1..=most {
        adapting.omitted = omitted;
        let adapted = adapting.whole();
        if lint(&adapted, subset).is_empty() {
            return Ok(adapted);
        }
    }
    // At last as lists: they take neither a union nor a property that may be absent.
    adapting.listed = true;
    let adapted = adapting.whole();
    if lint(&adapted, subset).is_empty() {
        return Ok(adapted);
    }
    Err(issues)
}

/// Names of definitions that are referred to from `map`, directly or through each other, in the order of their first use.
fn reachable(map: &Map<String, Value>, most: usize, part: impl Fn(&str) -> Option<Value>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut open: Vec<Value> = vec![Value::Object(map.clone())];
    while let Some(value) = open.pop() {
        let mut found = Vec::new();
        references(&value, &mut found);
        for name in found {
            if !names.contains(&name) && names.len() < most {
                open.extend(part(&name));
                names.push(name);
            }
        }
    }
    names
}

fn references(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            if let Some(name) = map
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|target| target.strip_prefix("#/$defs/"))
            {
                out.push(name.to_owned());
            }
            map.values().for_each(|part| references(part, out));
        }
        Value::Array(items) => items.iter().for_each(|part| references(part, out)),
        _ => {}
    }
}

struct Adapting<'a> {
    subset: &'a Subset,
    shape: Shape,
    root: &'a Value,
    /// Numbers that take null for "absent", in the order in which they were met. Only compared.
    numbers: RefCell<Vec<*const Value>>,
    /// How many of these, from the first, are left out where they are absent.
    omitted: usize,
    /// Whether they are lists of at most one number instead.
    listed: bool,
}

/// Bounds, and how they read in words.
const BOUNDS: [(&str, &str); 11] = [
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "characters at least"),
    ("maxLength", "characters at most"),
    ("minItems", "entries at least"),
    ("maxItems", "entries at most"),
    ("pattern", "pattern"),
    ("format", "format"),
];

/// Bounds that are not put into words, since a model would not break them.
const SILENT: f64 = 1e30;

impl Adapting<'_> {
    /// The root with the definitions that it needs.
    fn whole(&self) -> Value {
        let mut adapted = self.node(self.root, 0);
        let defs = self.root.get("$defs").and_then(Value::as_object);
        if let (Some(defs), Some(map)) = (defs, adapted.as_object_mut()) {
            let mut used = Map::new();
            // Definitions that became plain lists of words are inlined where they are used.
            for name in reachable(map, defs.len(), |name| defs.get(name).map(|part| self.node(part, 1))) {
                if let Some(part) = defs.get(&name) {
                    used.insert(name, self.node(part, 1));
                }
            }
            if !used.is_empty() {
                map.insert("$defs".into(), used.into());
            }
        }
        adapted
    }

    fn knows(&self, keyword: &str) -> bool {
        self.subset.keywords.contains(&keyword)
    }

    /// A level that is too deep stays as it is; the lint at the end says so.
    fn node(&self, schema: &Value, nesting: usize) -> Value {
        let Some(map) = schema.as_object().filter(|_| nesting <= limits::JSON_DEPTH) else {
            return schema.clone();
        };
        if let Some(target) = map.get("$ref") {
            return self.reference(target, map, nesting);
        }
        if let Some(words) = words_of(map) {
            return self.listed(&words, map);
        }
        let mut out = Map::new();
        let union = ["oneOf", "anyOf"]
            .iter()
            .find_map(|keyword| Some((*keyword, map.get(*keyword)?.as_array()?)));
        let described = self.description(map);
        match union.filter(|_| !map.contains_key("properties")) {
            Some((keyword, branches)) => {
                let keyword = if self.knows(keyword) { keyword } else { "anyOf" };
                let mut branches: Vec<Value> = branches.iter().map(|branch| self.node(branch, nesting + 1)).collect();
                if self.subset.max_unions < usize::MAX {
                    one_union(&mut branches);
                }
                out.insert(keyword.into(), branches.into());
                out.extend(described);
                return Value::Object(out);
            }
            None if self.shape == Shape::Free && self.subset.closed && is_map(map) => {
                return self.pairs(map, described, nesting);
            }
            None => {}
        }
        if let Some(kind) = map.get("type") {
            out.insert("type".into(), kind.clone());
        }
        out.extend(described);
        self.values(map, &mut out);
        self.parts(map, &mut out, nesting);
        Value::Object(out)
    }

    /// A reference has no siblings; a definition that is only a list of words is inlined where it is used.
    fn reference(&self, target: &Value, map: &Map<String, Value>, nesting: usize) -> Value {
        let found = target.as_str().and_then(|target| resolve(self.root, target));
        if let Some(words) = found.and_then(Value::as_object).and_then(words_of) {
            return self.listed(&words, map);
        }
        // The root keeps its definitions elsewhere.
        if nesting == 0
            && let Some(found) = found
        {
            return self.node(found, nesting + 1);
        }
        json!({"$ref": target})
    }

    /// A choice of words.
    fn listed(&self, words: &[Value], map: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        if words.iter().all(Value::is_string) {
            out.insert("type".into(), "string".into());
        } else if words.iter().all(Value::is_i64) {
            out.insert("type".into(), "integer".into());
        }
        out.extend(self.description(map));
        match words {
            [one] if self.knows("const") => out.insert("const".into(), one.clone()),
            _ => out.insert("enum".into(), words.into()),
        };
        Value::Object(out)
    }

    /// Keywords about the value itself, as far as they are known.
    fn values(&self, map: &Map<String, Value>, out: &mut Map<String, Value>) {
        match map.get("const") {
            Some(value) if self.knows("const") => {
                out.insert("const".into(), value.clone());
            }
            Some(value) => {
                out.insert("enum".into(), json!([value]));
            }
            None => {}
        }
        for (keyword, value) in map {
            let bound = BOUNDS.iter().any(|(name, _)| name == keyword);
            if (bound || keyword == "enum" || keyword == "title") && self.knows(keyword) {
                out.insert(keyword.clone(), value.clone());
            }
        }
    }

    /// Properties and items.
    fn parts(&self, map: &Map<String, Value>, out: &mut Map<String, Value>, nesting: usize) {
        for keyword in ["items", "prefixItems"] {
            match map.get(keyword).filter(|_| self.knows(keyword)) {
                Some(Value::Array(items)) => {
                    let items = items.iter().map(|item| self.node(item, nesting + 1)).collect();
                    out.insert(keyword.into(), items);
                }
                Some(item) => {
                    out.insert(keyword.into(), self.node(item, nesting + 1));
                }
                None => {}
            }
        }
        if !is_object(map) {
            return;
        }
        let required = required(map);
        let (mut properties, mut needed) = (Map::new(), Vec::new());
        let given = map.get("properties").and_then(Value::as_object);
        // The constant that distinguishes branches comes first, since a model writes in order and decides by it.
        let adapted = given.into_iter().flatten().map(|(name, part)| {
            let (adapted, must) = self.property(part, required.contains(&name.as_str()), nesting);
            (name, adapted, must)
        });
        let (tags, others): (Vec<_>, Vec<_>) = adapted.partition(|(_, part, _)| part.get("const").is_some());
        for (name, adapted, must) in tags.into_iter().chain(others) {
            properties.insert(name.clone(), adapted);
            if must {
                needed.push(Value::from(name.as_str()));
            }
        }
        if !properties.is_empty() || map.get("additionalProperties") == Some(&Value::Bool(false)) {
            out.insert("properties".into(), properties.into());
            out.insert("required".into(), needed.into());
        }
        let bare = given.is_none_or(Map::is_empty);
        match map.get("additionalProperties") {
            // A map that is not written as pairs cannot be expressed where objects must be closed; the lint reports it.
            Some(part) if part.is_object() && (bare || !self.subset.closed) => {
                out.insert("additionalProperties".into(), self.node(part, nesting + 1));
            }
            None | Some(Value::Bool(true)) if bare => {}
            // Additional properties of an open object are never needed.
            _ => {
                out.insert("additionalProperties".into(), false.into());
            }
        }
    }

    /// A property, and whether it is required.
    fn property(&self, part: &Value, required: bool, nesting: usize) -> (Value, bool) {
        let adapted = self.node(part, nesting + 1);
        if required {
            return (adapted, true);
        }
        let scarce = self.subset.all_required || self.subset.max_optional < usize::MAX;
        if scarce && part.get("default").is_some() {
            return (adapted, true);
        }
        if self.shape == Shape::Kept || !scarce {
            return (adapted, false);
        }
        match absent(self.root, part).filter(|_| adapted.get("$ref").is_none()) {
            // The empty value has no other meaning, so it can represent "absent".
            Some(empty) => (emptied(adapted, &empty), true),
            None if self.subset.all_required => (nullable(adapted), true),
            None if is_number(part) && self.listed => (as_list(&adapted), true),
            None if is_number(part) && !self.left_out(part) => (nullable(adapted), true),
            None => (adapted, false),
        }
    }

    /// Whether a number that may be absent is left out then, instead of being null.
    fn left_out(&self, part: &Value) -> bool {
        let mut numbers = self.numbers.borrow_mut();
        let known = numbers.iter().position(|one| std::ptr::eq(*one, part));
        let place = known.unwrap_or_else(|| {
            numbers.push(part);
            numbers.len() - 1
        });
        place < self.omitted
    }

    /// A map as a list of names and values: constrained output has no free names.
    fn pairs(&self, map: &Map<String, Value>, described: Option<(String, Value)>, nesting: usize) -> Value {
        let value = map
            .get("additionalProperties")
            .map_or(Value::Null, |part| self.node(part, nesting + 2));
        // In the order in which adapting sorts properties, so that it is final.
        let (first, second) = if value.get("const").is_some() {
            (("value", value), ("name", json!({"type": "string"})))
        } else {
            (("name", json!({"type": "string"})), ("value", value))
        };
        let mut out = Map::new();
        out.insert("type".into(), "array".into());
        out.extend(described);
        out.insert(
            "items".into(),
            json!({"type": "object", "properties": {first.0: first.1, second.0: second.1},
                   "required": [first.0, second.0], "additionalProperties": false}),
        );
        Value::Object(out)
    }

    /// The description with the bounds that cannot be expressed otherwise.
    fn description(&self, map: &Map<String, Value>) -> Option<(String, Value)> {
        let mut text = map
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        for (keyword, words) in BOUNDS {
            let Some(bound) = map.get(keyword).filter(|_| !self.knows(keyword)) else {
                continue;
            };
            let plain = keyword == "format" || (keyword == "minLength" && bound == 1);
            if plain || bound.as_f64().is_some_and(|number| number.abs() > SILENT) {
                continue;
            }
            let bound = bound.as_str().map_or_else(|| bound.to_string(), str::to_owned);
            let note = if words.starts_with("characters") || words.starts_with("entries") {
                format!("({bound} {words})")
            } else {
                format!("({words} {bound})")
            };
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&note);
        }
        (!text.is_empty()).then(|| ("description".into(), text.into()))
    }
}

/// The words of a choice between words.
fn words_of(map: &Map<String, Value>) -> Option<Vec<Value>> {
    let branches = map.get("oneOf").or_else(|| map.get("anyOf"))?.as_array()?;
    let words: Option<Vec<Value>> = branches.iter().map(|branch| branch.get("const").cloned()).collect();
    words.filter(|words| !words.is_empty() && !map.contains_key("properties"))
}

/// An object with arbitrary names.
pub(super) fn is_map(map: &Map<String, Value>) -> bool {
    is_object(map)
        && map
            .get("properties")
            .and_then(Value::as_object)
            .is_none_or(Map::is_empty)
        && map.get("additionalProperties").is_some_and(Value::is_object)
}

/// Names of the required properties.
pub(super) fn required(map: &Map<String, Value>) -> Vec<&str> {
    let all = map.get("required").and_then(Value::as_array);
    all.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// The value of a property's type that its schema forbids and that therefore can stand for "absent".
pub(super) fn absent(root: &Value, part: &Value) -> Option<Value> {
    let part = match part.get("$ref").and_then(Value::as_str) {
        Some(target) => resolve(root, target)?,
        None => part,
    };
    let at_least_one = |keyword: &str| part.get(keyword).and_then(Value::as_u64).is_some_and(|least| least > 0);
    let words = part.get("enum").and_then(Value::as_array);
    match part.get("type").and_then(Value::as_str)? {
        _ if part.get("pattern").is_some() => None,
        "string" if at_least_one("minLength") || words.is_some_and(|words| !words.contains(&"".into())) => {
            Some("".into())
        }
        "array" if at_least_one("minItems") => Some(json!([])),
        _ => None,
    }
}

/// Branches that are lists of types become branches of one type each, so that the whole is one union and not several.
fn one_union(branches: &mut Vec<Value>) {
    let mut more = Vec::new();
    for branch in branches.iter_mut() {
        let Some(map) = branch.as_object_mut() else { continue };
        let plain = map.keys().all(|keyword| keyword == "type" || keyword == "description");
        if let (true, Some(Value::Array(kinds))) = (plain, map.get("type").cloned())
            && let Some((first, others)) = kinds.split_first()
        {
            map.insert("type".into(), first.clone());
            more.extend(others.iter().map(|kind| json!({"type": kind})));
        }
    }
    branches.extend(more);
}

/// Numbers take null at the price of one union each: cheaper than a property that may be absent, of which there are few.
fn is_number(part: &Value) -> bool {
    part.as_object().is_some_and(takes_numbers)
}

/// Whether a schema takes numbers and nothing else.
pub(super) fn takes_numbers(map: &Map<String, Value>) -> bool {
    map.get("type")
        .is_some_and(|kind| kind == "number" || kind == "integer")
}

/// A schema that also accepts the empty value.
fn emptied(mut schema: Value, empty: &Value) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.shift_remove("minItems");
        if let Some(words) = map.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(empty.clone());
        }
        let text = map.get("description").and_then(Value::as_str).unwrap_or_default();
        let word = if empty.is_string() { "\"\"" } else { "[]" };
        let text = format!("{text} {word} when there is none.").trim_start().to_owned();
        map.insert("description".into(), text.into());
    }
    schema
}

/// A list of the value, empty when there is none.
fn as_list(schema: &Value) -> Value {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = format!("{text} One number in a list, or [] when there is none.");
    let mut item = schema.clone();
    if let Some(map) = item.as_object_mut() {
        map.shift_remove("description");
    }
    json!({"type": "array", "description": text.trim_start(), "items": item})
}

/// A schema that also accepts null.
fn nullable(schema: Value) -> Value {
    let takes = |kind: &Value| kind == "null" || kind.as_array().is_some_and(|all| all.iter().any(|one| one == "null"));
    if schema.get("type").is_some_and(takes) {
        return schema;
    }
    json!({"anyOf": [schema, {"type": "null"}]})
}
