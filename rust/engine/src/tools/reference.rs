//! The reference of all tools that ship, generated from their contracts.

use std::fmt::Write as _;

use geonode_tools::SpecError;
use serde_json::Value;

use super::registered::tools;

/// The reference as Markdown.
///
/// # Errors
/// Never; a test generates it.
pub fn reference() -> Result<String, SpecError> {
    let mut text = String::from(
        "# Tools\n\nWhat a model may call before it plans. All of these read and change nothing; a script adds others with \
         `api.register_tool`.\nGenerated from the contracts (`cargo xtask schemas`); do not edit.\n",
    );
    for tool in tools()?.iter().filter(|tool| tool["built_in"] == true) {
        let word = |key: &str| tool.get(key).and_then(Value::as_str).unwrap_or_default();
        let _ = write!(text, "\n## `{}`\n{}\n\n", word("id"), word("description"));
        let _ = writeln!(
            text,
            "Runs in: {} · at most {} s a call, {} calls a run\n",
            if word("runs") == "host" { "Blender" } else { "the core" },
            tool["timeout_s"],
            tool["quota"],
        );
        fields(&mut text, "argument", &tool["input_schema"]);
        fields(&mut text, "result", &tool["output_schema"]);
    }
    Ok(text)
}

fn fields(text: &mut String, what: &str, schema: &Value) {
    let Some(properties) = schema
        .get("properties")
        .and_then(Value::as_object)
        .filter(|all| !all.is_empty())
    else {
        return;
    };
    let required = |name: &str| {
        let list = schema.get("required").and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|one| one == name))
    };
    let _ = writeln!(text, "| {what} | type | meaning |\n|---|---|---|");
    for (name, field) in properties {
        let optional = if required(name) { "" } else { " (optional)" };
        let meaning = field.get("description").and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(text, "| `{name}`{optional} | {} | {meaning} |", kind(field));
    }
    text.push('\n');
}

fn kind(field: &Value) -> String {
    let words = |list: &Vec<Value>| list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ");
    match (field.get("type"), field.get("enum")) {
        (Some(Value::String(kind)), _) => kind.clone(),
        (Some(Value::Array(kinds)), _) | (None, Some(Value::Array(kinds))) => words(kinds),
        _ => "any".to_owned(),
    }
}
