//! Parsing, and messages for text that is not Python.

use geonode_protocol::Code;
use rustpython_parser::ast::Suite;
use rustpython_parser::{Parse, ParseError};

use crate::verdict::Raw;

/// Parses a whole script.
pub(crate) fn parse(source: &str) -> Result<Suite, Raw> {
    Suite::parse(source, "<script>").map_err(|error| explained(source, &error))
}

fn explained(source: &str, error: &ParseError) -> Raw {
    let at = usize::from(error.offset).min(source.len());
    let line = line_around(source, at);
    let (text, hint) = reason(line).map_or_else(
        || {
            (
                format!("This is not Python: {}.", shortened(&error.error.to_string())),
                "Correct the syntax; only what Python 3.11 can read runs in every supported Blender.".to_owned(),
            )
        },
        |(text, hint)| (text.to_owned(), hint.to_owned()),
    );
    Raw {
        code: Code::ScriptSyntax,
        rule: "parse",
        at,
        text,
        hint,
    }
}

/// The message for syntax of a newer or older Python.
fn reason(line: &str) -> Option<(&'static str, &'static str)> {
    let line = line.trim();
    if line.starts_with("except ") && line.contains(',') && !line.contains('(') {
        return Some((
            "Several exceptions without brackets need a newer Python than Blender's.",
            "Write `except (A, B):`.",
        ));
    }
    if line.starts_with("print ") || line.starts_with("exec ") {
        return Some(("This is Python 2.", "Call it with brackets: `print(\"text\")`."));
    }
    if (line.starts_with("def ") || line.starts_with("class ") || line.starts_with("type "))
        && line.contains('[')
        && line.contains('=')
    {
        return Some((
            "Defaults of type parameters need a newer Python than Blender's.",
            "Leave the type parameters out.",
        ));
    }
    if line.starts_with("```") {
        return Some((
            "A code fence is not Python.",
            "Send the script alone, without ``` lines.",
        ));
    }
    None
}

fn line_around(source: &str, at: usize) -> &str {
    let mut at = at;
    while !source.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    let (before, after) = source.split_at_checked(at).unwrap_or((source, ""));
    let start = before.rfind('\n').map_or(0, |found| found.saturating_add(1));
    let end = after.find('\n').map_or(source.len(), |found| at.saturating_add(found));
    source.get(start..end).unwrap_or("")
}

/// At most a hundred characters: errors of the parser can quote whole tokens.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(100).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
