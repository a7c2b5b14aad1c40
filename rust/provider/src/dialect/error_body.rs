//! Error bodies as servers, and the proxies before them, write them: an object, a list of objects, one inside another, JSON inside a text.

use serde_json::{Map, Value};

use crate::limits;

/// Fields that hold the reason in words, the first of them that does.
const WORDS: [&str; 11] = [
    "message",
    "msg",
    "detail",
    "error_description",
    "error",
    "description",
    "reason",
    "faultstring",
    "error_message",
    "title",
    "raw",
];

/// Fields in which a further error may lie.
const WITHIN: [&str; 10] = [
    "error",
    "errors",
    "fault",
    "message",
    "detail",
    "metadata",
    "raw",
    "body",
    "cause",
    "innererror",
];

/// Fields that say what an error is, not why; only where nothing else is said they stand for the reason.
const KINDS: [&str; 3] = ["status", "code", "type"];

/// How deep errors lie inside of each other at most, and how many of a list are read.
const DEPTH: usize = 6;
const LISTED: usize = 3;

/// An error body as one object: the fields of the innermost error, of those around it what it lacks, and in `message` the reasons of all, in
/// words. The status of an error around another that has a code of its own is in `http`.
pub(super) fn flat(body: &Value) -> Map<String, Value> {
    read(body, DEPTH)
}

/// The same for a body that may not be JSON; a web page says nothing.
pub(super) fn flat_bytes(body: &[u8]) -> Map<String, Value> {
    match serde_json::from_slice::<Value>(body) {
        Ok(body) => flat(&body),
        Err(_) => {
            let text = String::from_utf8_lossy(body);
            // Some servers write the error as an event of a stream.
            let event = text.lines().find_map(|line| line.strip_prefix("data:"));
            match event.and_then(|data| serde_json::from_str(data.trim()).ok()) {
                Some(event) => flat(&event),
                None if text.trim_start().starts_with('<') => Map::new(),
                None => read(&Value::String(text.into_owned()), DEPTH),
            }
        }
    }
}

/// A field of an error in words; empty if it has none.
pub(super) fn text<'a>(error: &'a Map<String, Value>, name: &str) -> &'a str {
    error.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn read(value: &Value, depth: usize) -> Map<String, Value> {
    match value {
        _ if depth == 0 => Map::new(),
        Value::Object(fields) => object(fields, depth),
        Value::Array(items) => list(items, depth),
        Value::String(words) => match inside(words) {
            Some((before, inner)) => around(Map::new(), vec![before], &[inner], depth),
            None => said(Map::new(), &[words.trim().to_owned()]),
        },
        _ => Map::new(),
    }
}

fn object(fields: &Map<String, Value>, depth: usize) -> Map<String, Value> {
    let plain = |name: &&str| {
        let words = fields.get(*name)?.as_str()?.trim();
        (!words.is_empty() && inside(words).is_none()).then(|| words.to_owned())
    };
    let mut words: Vec<String> = WORDS.iter().find_map(plain).into_iter().collect();
    if let (Some(Value::Array(place)), Some(first)) = (fields.get("loc"), words.first_mut()) {
        let place: Vec<String> = place
            .iter()
            .map(|step| step.as_str().map_or_else(|| step.to_string(), str::to_owned))
            .collect();
        *first = format!("{}: {first}", place.join("."));
    }
    let mut inner = Vec::new();
    for name in WITHIN {
        match fields.get(name) {
            Some(Value::String(text)) => {
                if let Some((before, found)) = inside(text) {
                    words.push(before);
                    inner.push(found);
                }
            }
            Some(found @ (Value::Object(_) | Value::Array(_))) => inner.push(found.clone()),
            _ => {}
        }
    }
    let error = around(fields.clone(), words, &inner, depth);
    if !text(&error, "message").is_empty() {
        return error;
    }
    let kind = KINDS
        .iter()
        .map(|name| text(&error, name))
        .find(|kind| !kind.is_empty());
    match kind.map(str::to_owned) {
        Some(kind) => said(error, &[kind]),
        None => {
            let named = by_field(fields);
            said(error, &named)
        }
    }
}

/// `{"field": ["what is wrong with it"]}`.
fn by_field(fields: &Map<String, Value>) -> Vec<String> {
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(words) => Some(format!("{name}: {words}")),
        Value::Array(items) => items.first()?.as_str().map(|words| format!("{name}: {words}")),
        _ => None,
    };
    fields.iter().filter_map(line).take(LISTED).collect()
}

fn list(items: &[Value], depth: usize) -> Map<String, Value> {
    let errors: Vec<Map<String, Value>> = items.iter().take(LISTED).map(|item| read(item, depth - 1)).collect();
    let mut words: Vec<&str> = errors.iter().map(|error| text(error, "message")).collect();
    words.retain(|words| !words.is_empty());
    words.dedup();
    let words = words.join("; ");
    said(errors.into_iter().next().unwrap_or_default(), &[words])
}

/// An error with those that lie in it.
fn around(mut error: Map<String, Value>, mut words: Vec<String>, inner: &[Value], depth: usize) -> Map<String, Value> {
    for value in inner {
        for (name, value) in read(value, depth - 1) {
            if name == "message" {
                words.extend(value.as_str().map(str::to_owned));
                continue;
            }
            if value.is_null() {
                continue;
            }
            let outer = error.insert(name.clone(), value);
            if let Some(status) = outer.filter(|outer| name == "code" && outer.is_u64()) {
                error.insert("http".into(), status);
            }
        }
    }
    said(error, &words)
}

/// The error with these words as its message, each once.
fn said(mut error: Map<String, Value>, words: &[String]) -> Map<String, Value> {
    let mut once: Vec<&str> = Vec::new();
    for words in words.iter().map(|words| words.trim_matches([' ', ':', '-', '\n'])) {
        if !words.is_empty() && !once.iter().any(|known| known.contains(words)) {
            once.retain(|known| !words.contains(known));
            once.push(words);
        }
    }
    error.insert("message".into(), once.join(": ").into());
    error
}

/// The JSON in a text, and the words before it.
fn inside(words: &str) -> Option<(String, Value)> {
    let start = words.find(['{', '['])?;
    let (before, rest) = words.split_at(start);
    if rest.len() > limits::ERROR_BYTES {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let says = match &value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => items.first().is_some_and(Value::is_object),
        _ => false,
    };
    says.then(|| (before.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_keeps_its_reason() {
        let table = [
            (r#"{"error":{"message":"too hot"}}"#, "too hot"),
            (r#"{"error":"too hot"}"#, "too hot"),
            (r#"{"message":"too hot","object":"error"}"#, "too hot"),
            (r#"[{"error":{"message":"too hot","status":"X"}}]"#, "too hot"),
            (
                r#"{"error":[{"message":"too hot"},{"message":"too cold"}]}"#,
                "too hot; too cold",
            ),
            (r#"{"errors":["too hot","too cold"]}"#, "too hot; too cold"),
            (
                r#"{"success":false,"errors":[{"code":7000,"message":"too hot"}]}"#,
                "too hot",
            ),
            (
                r#"{"detail":[{"type":"literal_error","loc":["body","response_format",0],"msg":"too hot"}]}"#,
                "body.response_format.0: too hot",
            ),
            (r#"{"error":{"error":{"error":{"message":"too hot"}}}}"#, "too hot"),
            (r#"{"detail":{"error":{"message":"too hot"}}}"#, "too hot"),
            (
                r#"{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"too hot\"}}"}}}"#,
                "Provider returned error: too hot",
            ),
            (
                r#"{"error":{"message":"Upstream - {\"type\":\"error\",\"error\":{\"message\":\"too hot\"}}. Key=1"}}"#,
                "Upstream: too hot",
            ),
            (r#"{"error":{"message":{"text":"x","message":"too hot"}}}"#, "too hot"),
            (r#"{"model":["too hot"]}"#, "model: too hot"),
            (r#"{"error":{"type":"too_hot"}}"#, "too_hot"),
            ("data: {\"error\":{\"message\":\"too hot\"}}\n\n", "too hot"),
            ("too hot {not json", "too hot {not json"),
            ("<html>too hot</html>", ""),
            ("", ""),
            ("null", ""),
            ("[]", ""),
            (r#"{"error":null}"#, ""),
        ];
        for (body, words) in table {
            assert_eq!(text(&flat_bytes(body.as_bytes()), "message"), words, "{body}");
        }
    }

    #[test]
    fn the_innermost_error_says_what_it_is() {
        let body = r#"{"error":{"code":400,"type":"proxy","param":null,"metadata":{"raw":
            "{\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"x\",\"param\":\"input\"}}"}}}"#;
        let error = flat_bytes(body.as_bytes());
        assert_eq!(
            (text(&error, "code"), text(&error, "type")),
            ("context_length_exceeded", "proxy")
        );
        assert_eq!((text(&error, "param"), error.get("http")), ("input", Some(&400.into())));
    }

    #[test]
    fn deep_and_wide_errors_are_bounded() {
        let mut deep = "x".to_owned();
        for _ in 0..14 {
            deep = serde_json::json!({ "error": { "message": deep } }).to_string();
        }
        assert!(text(&flat_bytes(deep.as_bytes()), "message").len() < deep.len());
        let wide = format!("[{}]", vec![r#"{"message":"x"}"#; 1000].join(","));
        assert_eq!(text(&flat_bytes(wide.as_bytes()), "message"), "x");
    }
}
