//! Python definitions (`TypedDict`) made from JSON Schemas.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Longest line of Python.
const WIDTH: usize = 120;

/// The definitions: classes first, since unions name them.
#[must_use]
pub fn module(definitions: &Map<String, Value>) -> String {
    let (classes, others): (Vec<_>, Vec<_>) = definitions
        .iter()
        .partition(|(_, schema)| schema["type"] == "object" && schema.get("oneOf").is_none());
    let mut text = String::new();
    for (name, schema) in classes {
        text.push_str(&class(name, schema));
    }
    for (name, schema) in others {
        text.push_str(&union(name, schema));
    }
    text
}

/// A class with the fields of a definition as annotated attributes.
#[must_use]
pub fn attributes(name: &str, docs: &str, schema: &Value) -> String {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields = fields.map(|(field, schema)| format!("    {field}: {}\n", python(schema)));
    format!(
        "\n\nclass {name}:\n    \"\"\"{docs}\"\"\"\n\n{}",
        fields.collect::<String>()
    )
}

/// A `TypedDict`; in the form of a call where a field's name is a word of Python's.
fn class(name: &str, schema: &Value) -> String {
    let none = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&none);
    let required = schema["required"].as_array();
    let typed = |field: &str, schema: &Value| match required {
        Some(names) if names.iter().any(|name| name == field) => python(schema),
        _ => format!("NotRequired[{}]", python(schema)),
    };
    let docs = schema["description"].as_str().unwrap_or_default();
    let mut text = String::new();
    if fields.contains_key("from") {
        let _ = write!(
            text,
            "\n\n{}{name} = TypedDict(\n    \"{name}\",\n    {{\n",
            comment(docs, "")
        );
        for (field, schema) in fields {
            let docs = comment(schema["description"].as_str().unwrap_or_default(), "        ");
            let _ = writeln!(text, "{docs}        \"{field}\": {},", typed(field, schema));
        }
        text.push_str("    },\n)\n");
        return text;
    }
    let _ = write!(
        text,
        "\n\nclass {name}(TypedDict):\n    \"\"\"{}\"\"\"\n\n",
        wrapped(docs, "    ", "    ", 6)
    );
    for (field, schema) in fields {
        let docs = comment(schema["description"].as_str().unwrap_or_default(), "    ");
        let _ = writeln!(text, "{docs}    {field}: {}", typed(field, schema));
    }
    text
}

/// Another name for a type, words to choose from, or several of these classes that one word tells apart.
fn union(name: &str, schema: &Value) -> String {
    let docs = comment(schema["description"].as_str().unwrap_or_default(), "");
    let Some(variants) = schema["oneOf"].as_array() else {
        return format!("\n\n{docs}{name} = {}\n", python(schema));
    };
    if variants.iter().all(|variant| variant.get("const").is_some()) {
        return format!("\n\n{docs}{name} = {}\n", python(schema));
    }
    let mut text = String::new();
    let mut names = Vec::new();
    for variant in variants {
        let properties = variant["properties"].as_object().unwrap();
        let word = properties.values().find_map(|field| field["const"].as_str()).unwrap();
        let one = format!("{name}{}", camel(word));
        text.push_str(&class(&one, &with_shared(schema, variant)));
        names.push(one);
    }
    let mut choices = names.join(" | ");
    if name.len() + choices.len() + 3 > WIDTH {
        choices = format!("(\n    {}\n)", names.join("\n    | "));
    }
    let _ = write!(text, "\n\n{docs}{name} = {choices}\n");
    text
}

/// A variant with the fields that all variants have.
fn with_shared(schema: &Value, variant: &Value) -> Value {
    let mut whole = variant.clone();
    if let (Some(shared), Some(fields)) = (schema["properties"].as_object(), whole["properties"].as_object_mut()) {
        fields.extend(shared.clone());
    }
    if let (Some(shared), Some(required)) = (schema["required"].as_array(), whole["required"].as_array_mut()) {
        required.extend(shared.clone());
    }
    whole
}

/// `apply_step` → `ApplyStep`.
fn camel(word: &str) -> String {
    let parts = word.split('_').filter_map(|part| part.split_at_checked(1));
    parts
        .flat_map(|(first, rest)| [first.to_uppercase(), rest.to_owned()])
        .collect()
}

/// The type of a value.
fn python(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return name.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(word) = schema.get("const") {
        return format!("Literal[{word}]");
    }
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        return format!("Literal[{}]", words.join(", "));
    }
    let choices = schema["anyOf"].as_array().or(schema["oneOf"].as_array());
    if let Some(choices) = choices {
        let words: Option<Vec<String>> = choices
            .iter()
            .map(|choice| Some(choice.get("const")?.to_string()))
            .collect();
        return match words {
            Some(words) => format!("Literal[{}]", words.join(", ")),
            None => choices.iter().map(python).collect::<Vec<_>>().join(" | "),
        };
    }
    match &schema["type"] {
        Value::String(kind) => plain(kind, schema),
        Value::Array(kinds) => {
            let kinds: Vec<String> = kinds.iter().map(|kind| plain(kind.as_str().unwrap(), schema)).collect();
            kinds.join(" | ")
        }
        _ => "Any".to_owned(),
    }
}

fn plain(kind: &str, schema: &Value) -> String {
    match kind {
        "string" => "str".to_owned(),
        "integer" => "int".to_owned(),
        "number" => "float".to_owned(),
        "boolean" => "bool".to_owned(),
        "null" => "None".to_owned(),
        "array" => {
            let mut places: Vec<String> = match schema["prefixItems"].as_array() {
                Some(places) => places.iter().map(python).collect(),
                None => vec![python(&schema["items"])],
            };
            places.dedup();
            match places.as_slice() {
                [one] => format!("list[{one}]"),
                _ => "list[Any]".to_owned(),
            }
        }
        "object" => format!("dict[str, {}]", python(&schema["additionalProperties"])),
        other => unreachable!("no Python for {other}"),
    }
}

/// Comment lines; none for nothing.
fn comment(docs: &str, indent: &str) -> String {
    if docs.is_empty() {
        return String::new();
    }
    format!(
        "{indent}# {}\n",
        wrapped(docs, &format!("{indent}# "), "", indent.len() + 2)
    )
}

/// Text in lines that fit, of which all but the first begin with `indent`; after several lines comes a last one with `end`.
fn wrapped(docs: &str, indent: &str, end: &str, first: usize) -> String {
    let docs = docs.replace("[`", "`").replace("`]", "`");
    let mut text = String::new();
    let mut length = first;
    for word in docs.split_whitespace() {
        let many = word.chars().count() + 1;
        // Quotes may follow the last word.
        if length + many + 3 > WIDTH {
            let _ = write!(text, "\n{indent}");
            length = indent.len();
        } else if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
        length += many;
    }
    if text.contains('\n') && !end.is_empty() {
        let _ = write!(text, "\n{end}");
    }
    text
}
