//! Schemas are brought into every provider's subset, and replies back.

use std::fs;
use std::path::Path;

use geonode_protocol::{Limits, parse_plan};
use geonode_provider::Provider;
use geonode_provider::schema::{Shape, Subset, adapt, conforms, lint, restore};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn subset(provider: Provider) -> Subset {
    *provider.subset().unwrap()
}

fn openai() -> Subset {
    subset(Provider::OpenAi)
}

fn anthropic() -> Subset {
    subset(Provider::Anthropic)
}

fn gemini() -> Subset {
    subset(Provider::Gemini)
}

/// Those of all providers.
fn subsets() -> Vec<Subset> {
    let all: Vec<Subset> = Provider::ALL
        .iter()
        .filter_map(|provider| provider.subset().copied())
        .collect();
    assert!(all.len() > 2);
    all
}

/// The two forms of a plan that a schema holds a reply to, each with the plans of that form that are accepted: trees as operations, and as
/// pages of tree text, which models are taught.
pub(crate) fn plan_forms() -> [(Value, Vec<Value>); 2] {
    let schema = geonode_protocol::schema("plan").unwrap();
    let (pages, operations): (Vec<Value>, Vec<Value>) = plans().into_iter().partition(has_page);
    let of_tree = |gone: &[&str], needed: Value| {
        let mut schema = schema.clone();
        let tree = schema["$defs"]["NodeTree"].as_object_mut().unwrap();
        let fields = tree["properties"].as_object_mut().unwrap();
        for field in gone {
            fields.shift_remove(*field).unwrap();
        }
        tree.shift_remove("if").unwrap();
        tree.shift_remove("else").unwrap();
        tree.insert("required".to_owned(), needed);
        schema
    };
    let mut by_operations = of_tree(&["text"], json!(["target", "operations"]));
    // What only pages say is sent to no model as an operation: all of it together exceeds Anthropic's limits.
    for (name, gone) in ONLY_OF_PAGES {
        let mut found = 0;
        for operations in ["NodeTreeOp", "GnOp"] {
            let all = by_operations["$defs"][operations]["oneOf"].as_array_mut().unwrap();
            for operation in all.iter_mut().filter(|one| one["properties"]["op"]["const"] == *name) {
                found += 1;
                let fields = operation["properties"].as_object_mut().unwrap();
                for field in *gone {
                    fields.shift_remove(*field).unwrap();
                }
            }
            all.retain(|one| one["properties"]["op"]["const"] != *name || !gone.is_empty());
        }
        assert!(found > 0, "{name}");
    }
    let operations: Vec<Value> = operations.into_iter().filter(|plan| !is_of_pages(plan)).collect();
    let by_pages = of_tree(&["target", "single_user", "operations"], json!(["text"]));
    assert!(!pages.is_empty() && operations.len() > 20);
    [(by_operations, operations), (by_pages, pages)]
}

/// Fields of operations; none where the whole operation is.
const ONLY_OF_PAGES: &[(&str, &[&str])] = &[
    ("set_group_io", &["identifier", "properties"]),
    ("link", &["muted"]),
    ("add_frame", &["remove_node_ids"]),
    ("arrange_interface", &[]),
    ("set_tree", &[]),
];

/// Whether the plan has such an operation, or one with such fields.
fn is_of_pages(plan: &Value) -> bool {
    let steps = plan["steps"].as_array().into_iter().flatten();
    let mut operations = steps.flat_map(|step| step["payload"]["operations"].as_array().into_iter().flatten());
    operations.any(|one| {
        let mut known = ONLY_OF_PAGES.iter().filter(|(name, _)| one["op"] == *name);
        known.any(|(_, gone)| gone.is_empty() || gone.iter().any(|field| one.get(field).is_some()))
    })
}

/// Whether a step of the plan is a page of tree text.
fn has_page(plan: &Value) -> bool {
    let steps = plan["steps"].as_array().unwrap();
    steps.iter().any(|step| step.pointer("/payload/text").is_some())
}

/// Plans that are accepted, as JSON.
fn plans() -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/tests/fixtures/plans");
    let texts = fs::read_dir(root)
        .unwrap()
        .filter_map(|entry| fs::read_to_string(entry.unwrap().path().join("input.json")).ok());
    texts
        .filter_map(|text| parse_plan(&text, &Limits::default()).plan)
        .map(|plan| serde_json::to_value(plan).unwrap())
        .collect()
}

/// What a model would write for a value under the adapted schema: every property there, maps as lists of pairs.
fn lowered_value(value: &Value, original: &Value, adapted: &Value, roots: (&Value, &Value)) -> Value {
    let (original, adapted) = (resolved(original, roots.0), resolved(adapted, roots.1));
    if let Some(branches) = adapted
        .get("anyOf")
        .or_else(|| adapted.get("oneOf"))
        .and_then(Value::as_array)
    {
        if value.is_null() && original.get("anyOf").is_none() {
            return Value::Null;
        }
        let nullable = branches.len() == 2 && branches[1] == json!({"type": "null"});
        if nullable {
            return lowered_value(value, original, &branches[0], roots);
        }
        let originals = original
            .get("oneOf")
            .or_else(|| original.get("anyOf"))
            .unwrap_or_else(|| panic!("{original} has no union as {adapted}"));
        let found = originals.as_array().unwrap().iter().zip(branches).find(|(one, _)| {
            let mut one = (*one).clone();
            one["$defs"] = roots.0["$defs"].clone();
            jsonschema::is_valid(&one, value)
        });
        let (one, branch) = found.unwrap_or_else(|| panic!("{value} in {originals}"));
        return lowered_value(value, one, branch, roots);
    }
    match (value, adapted["type"].as_str()) {
        (Value::Object(map), Some("array")) => map
            .iter()
            .map(|(name, value)| {
                let part = lowered_value(
                    value,
                    &original["additionalProperties"],
                    &adapted["items"]["properties"]["value"],
                    roots,
                );
                json!({"name": name, "value": part})
            })
            .collect(),
        (Value::Object(map), _) => {
            let mut out = Map::new();
            let none = (Vec::new(), Map::new());
            let needed = adapted["required"].as_array().unwrap_or(&none.0);
            for (name, part) in adapted["properties"].as_object().unwrap_or(&none.1) {
                if let Some(value) = map.get(name) {
                    out.insert(
                        name.clone(),
                        lowered_value(value, &original["properties"][name], part, roots),
                    );
                } else if needed.iter().any(|one| one == name) {
                    let unsaid = original["properties"][name].get("default").cloned();
                    let empty = match part["type"].as_str() {
                        Some("string") => json!(""),
                        Some("array") if part["description"].as_str().unwrap_or_default().contains("[] when") => {
                            json!([])
                        }
                        _ => Value::Null,
                    };
                    out.insert(name.clone(), unsaid.unwrap_or(empty));
                }
            }
            for (name, value) in map {
                if !out.contains_key(name) {
                    let part = adapted["additionalProperties"]
                        .as_object()
                        .map(|part| Value::Object(part.clone()));
                    let part = part.unwrap_or_else(|| panic!("{name} is lost"));
                    out.insert(
                        name.clone(),
                        lowered_value(value, &original["additionalProperties"], &part, roots),
                    );
                }
            }
            Value::Object(out)
        }
        (Value::Array(items), _) => items
            .iter()
            .map(|item| lowered_value(item, &original["items"], &adapted["items"], roots))
            .collect(),
        // An optional number may come in a list.
        (Value::Number(_), _) if adapted["type"] == "array" => json!([value]),
        _ => value.clone(),
    }
}

fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(target) => resolved(root.pointer(&target[1..]).unwrap(), root),
        None => schema,
    }
}

#[test]
fn every_plan_survives_a_schema_round_trip() {
    let cases = subsets()
        .into_iter()
        .flat_map(|subset| plan_forms().map(|form| (subset, form)));
    for (subset, (original, plans)) in cases {
        let adapted =
            adapt(&original, &subset, Shape::Free).unwrap_or_else(|issues| panic!("{}: {issues:#?}", subset.name));
        assert_eq!(lint(&adapted, &subset), []);
        assert_eq!(
            adapt(&adapted, &subset, Shape::Kept).unwrap(),
            adapted,
            "lowering is final"
        );
        let validator = jsonschema::validator_for(&adapted).unwrap();
        for plan in plans {
            let written = lowered_value(&plan, &original, &adapted, (&original, &adapted));
            let problems: Vec<String> = validator
                .iter_errors(&written)
                .map(|error| format!("{error} at {}", error.instance_path()))
                .collect();
            assert!(problems.is_empty(), "{}: {problems:#?}\n{written:#}", subset.name);
            let lifted = restore(written, &original);
            let read = parse_plan(&lifted.to_string(), &Limits::default());
            assert_eq!(
                read.plan.map(|plan| serde_json::to_value(plan).unwrap()).as_ref(),
                Some(&plan),
                "{}: {:#?}\n{lifted:#}",
                subset.name,
                read.findings
            );
        }
    }
}

#[test]
fn unsupported_keywords_are_named_with_their_place() {
    let closed = |properties: Value, required: Value| json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let table: &[(Subset, Value, &str)] = &[
        (
            openai(),
            json!({"type": "array", "items": {"type": "string"}}),
            "/: the root must be an object, not a union",
        ),
        (
            openai(),
            json!({"type": "object", "properties": {}, "required": []}),
            "/: the object must say `additionalProperties: false`",
        ),
        (
            openai(),
            closed(json!({"a": {"type": "string"}}), json!([])),
            "/: the property `a` must be required",
        ),
        (
            openai(),
            closed(json!({"a": {"type": "string", "minLength": 1}}), json!(["a"])),
            "/properties/a: `minLength` is not known",
        ),
        (
            openai(),
            closed(json!({"a": {}}), json!(["a"])),
            "/properties/a: it does not give the type of the value",
        ),
        (
            openai(),
            closed(json!({"a": true}), json!(["a"])),
            "/properties/a: a schema must be an object here",
        ),
        (
            openai(),
            closed(json!({"a": {"$ref": "#/$defs/B"}}), json!(["a"])),
            "/: `#/$defs/B` does not exist in this schema",
        ),
        (
            gemini(),
            closed(json!({"a": {"const": 1}}), json!(["a"])),
            "/properties/a: `const` is not known",
        ),
        (
            anthropic(),
            closed(json!({"a": {"type": "integer", "minimum": 1}}), json!(["a"])),
            "/properties/a: `minimum` is not known",
        ),
    ];
    for (subset, schema, issue) in table {
        let all: Vec<String> = lint(schema, subset).iter().map(ToString::to_string).collect();
        assert!(all.iter().any(|one| one == issue), "{schema}: {all:?}");
    }
    let recursive = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}, "required": ["next"], "additionalProperties": false,
        "$defs": {"N": {"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}, {"type": "null"}]}}, "required": ["next"], "additionalProperties": false}}});
    assert!(conforms(&recursive, &openai()));
    assert_eq!(
        lint(&recursive, &anthropic())[0].to_string(),
        "/: `#/$defs/N` refers to itself"
    );
}

#[test]
fn schema_size_limits_apply_exactly_at_their_edge() {
    let optional = |count: usize| {
        let properties: Map<String, Value> = (0..count)
            .map(|i| (format!("p{i}"), json!({"type": "number"})))
            .collect();
        json!({"type": "object", "properties": properties, "required": [], "additionalProperties": false})
    };
    assert!(conforms(&optional(24), &anthropic()) && !conforms(&optional(25), &anthropic()));
    let unions = |count: usize| {
        let properties: Map<String, Value> = (0..count)
            .map(|i| (format!("p{i}"), json!({"type": ["number", "null"]})))
            .collect();
        let names: Vec<&String> = properties.keys().collect();
        json!({"type": "object", "required": names, "properties": properties, "additionalProperties": false})
    };
    assert!(conforms(&unions(16), &anthropic()) && !conforms(&unions(17), &anthropic()));
    let nested = |depth: usize| {
        (1..depth).fold(optional(0), |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"], "additionalProperties": false}))
    };
    assert!(conforms(&nested(10), &openai()) && !conforms(&nested(11), &openai()));
    let values = |count: usize| json!({"type": "object", "properties": {"a": {"type": "string", "enum": (0..count).map(|i| format!("v{i}")).collect::<Vec<_>>()}}, "required": ["a"], "additionalProperties": false});
    assert!(conforms(&values(1000), &openai()) && !conforms(&values(1001), &openai()));
}

#[test]
fn definitions_count_at_every_use() {
    let used = |times: usize, defined: Value| {
        let properties: Map<String, Value> = (0..times)
            .map(|i| (format!("p{i}"), json!({"$ref": "#/$defs/D"})))
            .collect();
        let names: Vec<&String> = properties.keys().collect();
        json!({"type": "object", "required": names, "properties": properties, "additionalProperties": false, "$defs": {"D": defined}})
    };
    let said = |schema: &Value| {
        lint(schema, &anthropic())
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let union = json!({"anyOf": [{"type": "string"}, {"type": "null"}]});
    assert!(conforms(&used(16, union.clone()), &anthropic()));
    assert_eq!(said(&used(17, union.clone())), ["/: 17 unions; 16 are allowed"]);
    // Two in a definition count two each time; one inside the other's branch is one more.
    let nested = json!({"anyOf": [{"type": ["string", "number"]}, {"type": "null"}]});
    assert!(conforms(&used(8, nested.clone()), &anthropic()));
    assert_eq!(said(&used(9, nested)), ["/: 18 unions; 16 are allowed"]);
    let optional = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
        "required": ["a"], "additionalProperties": false});
    assert!(conforms(&used(12, optional.clone()), &anthropic()));
    assert_eq!(
        said(&used(13, optional.clone())),
        ["/: 26 properties that are not required; 24 are allowed"]
    );
    // What nobody refers to counts nothing, and a definition of a definition counts by both.
    assert!(conforms(&used(0, optional), &anthropic()));
    let mut through = used(
        4,
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/E"}, "y": {"$ref": "#/$defs/E"}},
        "required": ["x", "y"], "additionalProperties": false}),
    );
    through["$defs"]["E"] = json!({"anyOf": [{"type": ["string", "number"]}, {"type": "null"}]});
    assert!(conforms(&through, &anthropic()));
    through["properties"]["p9"] = union;
    through["required"] = json!(["p0", "p1", "p2", "p3", "p9"]);
    assert_eq!(said(&through), ["/: 17 unions; 16 are allowed"]);
    // A bomb of references is counted, not walked.
    let mut bomb = used(
        2,
        json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
    );
    for level in 0..40 {
        let next = format!("#/$defs/L{}", level + 1);
        bomb["$defs"][format!("L{level}")] = json!({"type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {"a": {"$ref": next}, "b": {"$ref": next}}});
    }
    bomb["$defs"]["L40"] = json!({"type": ["string", "null"]});
    bomb["properties"]["p0"] = json!({"$ref": "#/$defs/L0"});
    assert!(
        said(&bomb).iter().any(|one| one.contains("unions; 16 are allowed")),
        "{:?}",
        said(&bomb)
    );
}

#[test]
fn absent_numbers_are_null_as_long_as_there_is_room_for_unions() {
    let schema = |numbers: usize| {
        let properties: Map<String, Value> = (0..numbers)
            .map(|i| (format!("p{i}"), json!({"type": "number"})))
            .collect();
        json!({"type": "object", "properties": properties, "required": [], "additionalProperties": false})
    };
    let shape = |numbers: usize| {
        let adapted = adapt(&schema(numbers), &anthropic(), Shape::Free).ok()?;
        let null = |part: &&Value| part.get("anyOf").is_some();
        let nullable = adapted["properties"].as_object()?.values().filter(null).count();
        Some((nullable, numbers - adapted["required"].as_array()?.len()))
    };
    assert_eq!(shape(16), Some((16, 0)));
    assert_eq!(shape(17), Some((16, 1)));
    assert_eq!(shape(40), Some((16, 24)));
    assert_eq!(shape(41), Some((0, 0)), "lists of at most one");
    // An absent number comes back as absent either way.
    assert_eq!(restore(json!({"p0": 1, "p3": null}), &schema(17)), json!({"p0": 1}));
    let listed = json!({"p0": [1], "p3": [], "p4": [1, 2]});
    assert_eq!(restore(listed, &schema(41)), json!({"p0": 1, "p4": [1, 2]}));
}

#[test]
fn a_choice_of_types_and_more_is_one_union() {
    let value = json!({"anyOf": [{"type": ["number", "string"]}, {"type": "array", "items": {"type": "number"}}]});
    let schema =
        json!({"type": "object", "properties": {"a": value}, "required": ["a"], "additionalProperties": false});
    let adapted = adapt(&schema, &anthropic(), Shape::Kept).unwrap();
    let kinds: Vec<&Value> = adapted["properties"]["a"]["anyOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["type"])
        .collect();
    assert_eq!(kinds, ["number", "array", "string"]);
    assert_eq!(
        adapt(&schema, &gemini(), Shape::Kept).unwrap(),
        schema,
        "where unions cost nothing, nothing changes"
    );
}

#[test]
fn the_discriminator_comes_first_in_every_form() {
    for word in [
        json!({"const": "x"}),
        json!({"anyOf": [{"const": "x"}]}),
        json!({"$ref": "#/$defs/X"}),
    ] {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}, "kind": word}, "required": ["a", "kind"],
            "$defs": {"X": {"oneOf": [{"const": "x"}]}}});
        let adapted = adapt(&schema, &openai(), Shape::Kept).unwrap();
        assert_eq!(adapted["required"], json!(["kind", "a"]), "{word}");
        assert_eq!(adapt(&adapted, &openai(), Shape::Kept).unwrap(), adapted);
    }
}

#[test]
fn dropped_bounds_are_described_in_words() {
    let schema = json!({"type": "object", "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How many."}},
        "required": ["count"], "additionalProperties": false});
    assert_eq!(
        adapt(&schema, &anthropic(), Shape::Kept).unwrap()["properties"]["count"],
        json!({"type": "integer", "description": "How many. (at least 1) (at most 9)"})
    );
    assert_eq!(adapt(&schema, &gemini(), Shape::Kept).unwrap(), schema);
}

#[test]
fn only_certain_forms_of_a_reply_are_restored() {
    let schema = json!({"type": "object", "properties": {"map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "name": {"type": "string", "minLength": 1}, "must": {"type": "string", "minLength": 1}}, "required": ["must"], "additionalProperties": false});
    let lifted = |value: Value| restore(value, &schema);
    assert_eq!(
        lifted(json!({"map": [{"name": "a", "value": 1}], "name": "", "must": ""})),
        json!({"map": {"a": 1}, "must": ""})
    );
    let either = json!({"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}]});
    let list = json!([{"name": "a", "value": 1}]);
    assert_eq!(restore(list.clone(), &either), list, "a list that may be one stays one");
    let numbers = json!({"anyOf": [{"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "array", "items": {"type": "number"}}]});
    assert_eq!(restore(list, &numbers), json!({"a": 1}));
    for kept in [
        json!({"map": [{"name": "a", "value": 1}, {"name": "a", "value": 2}], "must": "x"}),
        json!({"map": [{"name": "a"}], "must": "x"}),
        json!({"other": null, "must": null}),
        json!([1, null]),
        json!("text"),
    ] {
        assert_eq!(lifted(kept.clone()), kept);
    }
}

/// Schemas as people write them: open, optional, bounded, nested, wrong.
fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "string", "minLength": 1, "format": "email"})),
        Just(json!({"type": "integer", "minimum": 0, "default": 3})),
        Just(json!({"const": "x"})),
        Just(json!({"enum": [1, "two", null]})),
        Just(json!({"type": ["number", "null"]})),
        Just(json!({"oneOf": [{"const": "a"}, {"const": "b"}]})),
        Just(json!({"$ref": "#/$defs/A", "description": "x"})),
        Just(json!({"$ref": "https://example.com/x"})),
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"not": {"type": "string"}})),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|all| json!({"anyOf": all})),
            inner
                .clone()
                .prop_map(|item| json!({"type": "array", "items": item, "minItems": 1})),
            inner
                .clone()
                .prop_map(|part| json!({"type": "object", "additionalProperties": part})),
            (prop::collection::vec(inner, 0..4), any::<bool>(), any::<bool>()).prop_map(|(parts, needed, closed)| {
                let properties: Map<String, Value> = parts
                    .into_iter()
                    .enumerate()
                    .map(|(i, part)| (format!("p{i}"), part))
                    .collect();
                let names: Vec<String> = if needed {
                    properties.keys().cloned().collect()
                } else {
                    Vec::new()
                };
                let mut out = json!({"type": "object", "properties": properties, "required": names,
                    "$defs": {"A": {"type": "object", "properties": {"next": {"$ref": "#/$defs/A"}}}}});
                if closed {
                    out["additionalProperties"] = json!(false);
                }
                out
            }),
        ]
    })
}

/// JSON of all kinds.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        Just(json!("x")),
        Just(json!(1)),
        Just(json!(true))
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec(("p[0-3]|name|value", inner), 0..4)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Whatever is adapted lies inside, once and for all.
    #[test]
    fn no_keyword_outside_of_a_subset_is_sent(schema in any_schema()) {
        for subset in subsets() {
            for shape in [Shape::Kept, Shape::Free] {
                if let Ok(adapted) = adapt(&schema, &subset, shape) {
                    prop_assert_eq!(lint(&adapted, &subset), vec![]);
                    prop_assert_eq!(&adapt(&adapted, &subset, Shape::Kept).unwrap(), &adapted);
                }
            }
        }
    }

    /// A reply that already has the original form stays as it is, unless it says "absent" by a value that its schema forbids.
    #[test]
    fn restoring_never_changes_a_valid_plan(schema in any_schema(), value in any_value()) {
        let lifted = restore(value.clone(), &schema);
        if let Ok(validator) = jsonschema::validator_for(&schema)
            && validator.is_valid(&value)
        {
            prop_assert!(validator.is_valid(&lifted), "{} became {} under {}", value, lifted, schema);
        }
        prop_assert_eq!(restore(lifted.clone(), &schema), lifted);
    }
}
