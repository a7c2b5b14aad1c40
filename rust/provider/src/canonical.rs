//! The canonical text of a JSON value, equal on every platform, as input of hashes.

use std::fmt::Write as _;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// Whole numbers beyond this cannot be distinguished from their neighbours as floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The value without spaces, keys by the bytes of their UTF-8, numbers by value: `1`, `1.0` and `1e0` are one text. Nesting is bounded
/// where the value is created.
pub(crate) fn text(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// SHA-256 of [`text`].
pub(crate) fn hash(value: &Value) -> [u8; 32] {
    Sha256::digest(text(value).as_bytes()).into()
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        })
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Number(number) => write_number(number, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Value::String(text) => write_string(text, out),
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
    }
}

/// Only what JSON demands is escaped, always in the same way.
fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn write_number(number: &Number, out: &mut String) {
    let whole = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    let float = number.as_f64().unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53 by the guard")]
    let whole = whole.or_else(|| (float.fract() == 0.0 && float.abs() < EXACT).then_some(float as i128));
    // The shortest digits that read back as the same float are the same everywhere.
    let _ = match whole {
        Some(whole) => write!(out, "{whole}"),
        None => write!(out, "{float:e}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_canonical_text() {
        let table = [
            (r#"{"b":1,"a":[true,null]}"#, r#"{"a":[true,null],"b":1}"#),
            (" [1.0, 1e0, 1, -0.0, 100E-2] ", "[1,1,1,0,1]"),
            (
                "[0.1, 1e300, 18446744073709551615, -9223372036854775808]",
                "[1e-1,1e300,18446744073709551615,-9223372036854775808]",
            ),
            (r#""é\u00e9\n\"\\\/""#, "\"éé\\u000a\\\"\\\\/\""),
            (r#"{"é":1,"z":2,"Z":3}"#, r#"{"Z":3,"z":2,"é":1}"#),
        ];
        for (json, expected) in table {
            assert_eq!(text(&serde_json::from_str(json).unwrap()), expected);
        }
    }

    #[test]
    fn the_text_is_json_of_the_same_value() {
        let value: Value = serde_json::from_str(r#"{"x":[1.5,{"y":"\u0001"}],"w":-3e-7}"#).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text(&value)).unwrap(), value);
    }
}
