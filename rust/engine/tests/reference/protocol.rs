//! The Python definitions of the run protocol and the tables of `EFFECTS.md` are those that the Rust types say.

use std::collections::BTreeSet;

use geonode_graph::documents;
use serde_json::{Map, Value, json};

use geonode_testing::{compare, project, typed_dicts};

const HEAD: &str = r#"# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of a run (rust/run/EFFECTS.md): effects, report, approval request, states. Made by `cargo xtask schemas`
from the Rust types: changes belong there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from ..host.documents import StepDelta
"#;

/// The definitions of the protocol, without those of the documents that effects contain.
fn definitions() -> Map<String, Value> {
    let documents = documents::definitions();
    let mut definitions = geonode_engine::protocol();
    definitions.retain(|name, _| !documents.contains_key(name));
    // Python compares codes as strings, and `addon/docs/codes.md` lists them.
    definitions["Code"] = json!({"description": "A stable code (`addon/docs/codes.md`).", "type": "string"});
    definitions
}

#[test]
fn the_python_definitions_are_current() {
    let definitions = definitions();
    let attributes = typed_dicts::attributes(
        "ReportAttributes",
        "The fields of ``Report`` as attributes.",
        &definitions["Report"],
    );
    let text = format!("{HEAD}{}{attributes}", typed_dicts::module(&definitions));
    assert!(text.matches("(TypedDict):").count() > 25, "hardly anything was made");
    compare("addon/geonode_assistant/run/protocol.py", &text);
}

/// Text of `EFFECTS.md` between two phrases.
fn passage<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("EFFECTS.md has no {from:?}"));
    rest.split_once(to)
        .unwrap_or_else(|| panic!("EFFECTS.md has no {to:?}"))
        .0
}

fn fields(schema: &Value) -> BTreeSet<String> {
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

/// Whether the text names a field as such.
fn names(text: &str, field: &str) -> bool {
    ["`", "\""]
        .iter()
        .any(|quote| text.contains(&format!("{quote}{field}{quote}")))
}

#[test]
fn effects_md_names_every_effect_with_its_fields() {
    let text = std::fs::read_to_string(project("rust/run/EFFECTS.md")).unwrap();
    let definitions = definitions();
    let table = passage(&text, "| effect | arguments | answer |", "\n\n");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .skip(2)
        .map(|row| row.split('|').map(str::trim).collect())
        .collect();
    let effects = definitions["Effect"]["oneOf"].as_array().unwrap();
    assert_eq!(rows.len(), effects.len(), "one row for each effect");
    for effect in effects {
        let name = effect["properties"]["effect"]["const"].as_str().unwrap();
        let row = rows.iter().find(|row| row[1] == format!("`{name}`"));
        let row = row.unwrap_or_else(|| panic!("EFFECTS.md does not list {name}"));
        for field in fields(effect).iter().filter(|field| *field != "effect") {
            assert!(names(row[2], field), "{name}: EFFECTS.md does not name {field}");
        }
    }
}

#[test]
fn effects_md_names_every_field_of_report_and_request() {
    let text = std::fs::read_to_string(project("rust/run/EFFECTS.md")).unwrap();
    let definitions = definitions();
    let report = passage(&text, "RunReport: `", "A request to a model passes");
    for field in fields(&definitions["Report"]) {
        assert!(names(report, &field), "the report: EFFECTS.md does not name {field}");
    }
    let request = passage(&text, "## What the artist is asked", "UiEvent:");
    for part in [
        "ApprovalRequest",
        "AskedStep",
        "AskedOperation",
        "AskedScript",
        "AskedTool",
        "AskedDryRun",
    ] {
        for field in fields(&definitions[part]) {
            assert!(names(request, &field), "{part}: EFFECTS.md does not name {field}");
        }
    }
}
