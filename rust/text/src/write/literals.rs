//! Values as Python writes them.

use std::fmt::Write;

use serde_json::Value;

use super::expression::{Expr, UNARY};
use crate::names::is_word;

/// A value as an expression.
pub(super) fn literal(value: &Value) -> Expr {
    let negative = matches!(value, Value::Number(number) if number.as_f64().is_some_and(f64::is_sign_negative));
    let text = write(value);
    if negative {
        Expr::new(text, UNARY)
    } else {
        Expr::atom(text)
    }
}

/// A value as text.
pub(super) fn write(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quote(text),
        Value::Array(parts) => {
            let inner = list(parts.iter().map(write));
            match parts.as_slice() {
                [Value::Number(_)] => format!("({inner},)"),
                [Value::Number(_), ..] if parts.iter().all(Value::is_number) => format!("({inner})"),
                _ => format!("[{inner}]"),
            }
        }
        Value::Object(object) => match object.iter().next() {
            Some((kind, Value::String(name))) if object.len() == 1 && is_word(kind) => match kind.as_str() {
                "attribute" => format!("attribute({})", quote(name)),
                kind => format!("data.{kind}({})", quote(name)),
            },
            _ => dict(object.iter().map(|(key, part)| (key.as_str(), write(part)))),
        },
    }
}

/// `{"key": value}`.
pub(super) fn dict<'k>(entries: impl IntoIterator<Item = (&'k str, String)>) -> String {
    let entries = entries
        .into_iter()
        .map(|(key, value)| format!("{}: {value}", quote(key)));
    format!("{{{}}}", list(entries))
}

/// Parts with commas between them.
pub(super) fn list(parts: impl IntoIterator<Item = String>) -> String {
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&part);
    }
    out
}

/// A text in double quotes; what cannot be seen is escaped.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => {
                let _ = match u32::from(c) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Control characters, separators of lines, marks that change the direction of a text, and the byte order mark.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
