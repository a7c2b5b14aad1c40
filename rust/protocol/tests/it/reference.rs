//! The pages of codes and of the protocol in the guide are what the registry and the types say.

use std::fmt::Write as _;

use geonode_protocol::{Code, Limits, Version, schema};
use geonode_testing::compare;
use serde_json::{Map, Value};

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

#[test]
fn the_page_of_codes_is_current() {
    let mut page = String::from(
        "# Codes\n\nEvery finding, message and error has a stable code: what it means, and what to do about it. Decide by the code, never by the \
         text beside it.\nGenerated from the registry (`cargo xtask schemas`); do not edit.\n",
    );
    let mut section = "";
    for code in Code::ALL {
        if code.section() != section {
            section = code.section();
            let mut letters = section.chars();
            let first: String = letters.next().unwrap().to_uppercase().collect();
            let _ = writeln!(
                page,
                "\n## {first}{}\n\n| code | cause | fix |\n|---|---|---|",
                letters.as_str()
            );
        }
        let _ = writeln!(page, "| `{code}` | {} | {} |", cell(code.doc()), cell(code.fix()));
    }
    assert_eq!(page.matches("\n| `").count(), Code::ALL.len());
    compare("addon/docs/codes.md", &page);
}

/// The type of a field in words.
fn kind(field: &Value) -> String {
    if let Some(name) = field["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return if name == "PlanValue" {
            "value".into()
        } else {
            format!("[{name}](#{})", name.to_lowercase())
        };
    }
    if let Some(value) = field.get("const") {
        return format!("`{value}`");
    }
    if let Some(list) = field["enum"].as_array() {
        return list
            .iter()
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>()
            .join(" or ");
    }
    match field["type"].as_str() {
        Some("array") => format!("list of {}", kind(&field["items"])),
        Some("object") => match field.get("additionalProperties") {
            Some(each) if each.is_object() => format!("object of {}", kind(each)),
            _ => "object".into(),
        },
        Some(name) => name.to_owned(),
        None => match field["anyOf"].as_array().or(field["oneOf"].as_array()) {
            Some(list) => list.iter().map(kind).collect::<Vec<_>>().join(" or "),
            None => "any".into(),
        },
    }
}

fn bounds(field: &Value) -> String {
    let mut out = String::new();
    for (key, word) in [("minimum", "at least"), ("maximum", "at most"), ("maxItems", "at most")] {
        // The bounds of 32-bit floats say nothing to a reader.
        if let Some(bound) = field[key].as_f64().filter(|bound| bound.abs() < 1e30) {
            let _ = write!(out, ", {word} {bound}");
        }
    }
    out
}

fn fields(page: &mut String, object: &Value, tag: &str) -> usize {
    let none = Map::new();
    let all = object["properties"].as_object().unwrap_or(&none);
    let shown: Vec<_> = all.iter().filter(|(name, _)| *name != tag).collect();
    if shown.is_empty() {
        page.push_str("\nNo fields.\n");
        return 0;
    }
    page.push_str("\n| field | type | meaning |\n|---|---|---|\n");
    let required = object["required"].as_array().cloned().unwrap_or_default();
    for (name, field) in &shown {
        let optional = if required.contains(&Value::from(name.as_str())) {
            ""
        } else {
            " (optional)"
        };
        let since = since(field);
        let meaning = field["description"].as_str().unwrap_or_default();
        let kind = format!("{}{}", kind(field), bounds(field));
        let _ = writeln!(
            page,
            "| `{name}`{optional} | {} | {}{since} |",
            cell(&kind),
            cell(meaning)
        );
    }
    shown.len()
}

/// From which version on a part exists, in words; nothing for what the first version had.
fn since(schema: &Value) -> String {
    let stated = schema.get("x-since").map(|stated| stated.as_str().unwrap());
    let version = stated.map(|text| Version::of(text).unwrap_or_else(|| panic!("{text} is not a version")));
    version.map_or_else(String::new, |version| format!(" From version {} on.", version.text()))
}

/// One definition: its fields, its words, or each of its choices under a heading of its own.
fn definition(page: &mut String, name: &str, schema: &Value) -> usize {
    let _ = writeln!(
        page,
        "\n## {name}\n{}",
        schema["description"].as_str().unwrap_or_default()
    );
    let Some(choices) = schema["oneOf"].as_array().filter(|list| {
        list.iter()
            .any(|one| one.get("properties").is_some() || one.get("const").is_some())
    }) else {
        return fields(page, schema, "");
    };
    if choices.iter().all(|one| one.get("const").is_some()) {
        page.push_str("\n| word | meaning |\n|---|---|\n");
        for one in choices {
            let meaning = one["description"].as_str().unwrap_or_default();
            let word = one["const"].as_str().unwrap();
            let _ = writeln!(page, "| `{word}` | {}{} |", cell(meaning), since(one));
        }
        return choices.len();
    }
    let mut count = 0;
    for one in choices {
        let tag = if one["properties"].get("op").is_some() {
            "op"
        } else {
            "type"
        };
        let since = since(one);
        let name = one["properties"][tag]["const"].as_str().unwrap();
        let about = one["description"].as_str().unwrap_or_default();
        let _ = writeln!(page, "\n### `{name}`\n{about}{since}");
        count += fields(page, one, tag);
    }
    count
}

#[test]
fn the_page_of_the_protocol_is_current() {
    let plan = schema("plan").unwrap();
    let limits = Limits::default();
    let mut page = format!(
        "# The protocol of plans\n\nWhat a model, or a script through `api.apply_plan`, may send: one JSON object, a Plan of version 1.1 (1.0 is \
         read too). A plan has at most {} steps and {} operations, a script at most {} characters, the whole text at most {} MB; unknown fields \
         are refused. [codes.md](codes.md) explains every refusal; the JSON Schemas lie in `rust/protocol/schemas`, and `api.schema` gives \
         them.\nGenerated from the types (`cargo xtask schemas`); do not edit.\n",
        limits.max_steps,
        limits.max_operations,
        limits.max_python_chars,
        limits.max_bytes >> 20,
    );
    let mut count = definition(&mut page, "Plan", &plan);
    let definitions = plan["$defs"].as_object().unwrap();
    for (name, schema) in definitions.iter().filter(|(name, _)| *name != "PlanValue") {
        count += definition(&mut page, name, schema);
    }
    assert!(
        definitions.len() > 10 && count > 80,
        "{} definitions, {count} fields",
        definitions.len()
    );
    for step in ["NODE_TREE", "GN_OPS", "PYTHON"] {
        assert!(page.contains(&format!("\n### `{step}`\n")), "{step}");
    }
    assert!(!page.contains("| any |"), "a field without a type");
    compare("addon/docs/protocol.md", &page);
}
