//! JSON in which an object has a field more than once.
//!
//! Servers and the proxies before them write such replies; every parser of other languages reads them. Of repeated fields the last one that is
//! not null counts.

use std::collections::HashMap;

use crate::limits;

/// The same JSON with each field once; `None` if no field is repeated, or the text ends before its value does.
pub(super) fn without_repeated_fields(text: &str) -> Option<String> {
    let mut scan = Scan {
        text,
        at: 0,
        repeated: false,
    };
    let value = scan.value(0)?;
    let rest = text.get(scan.at..)?;
    scan.repeated.then(|| value + rest)
}

/// A position in a text; values are copied, not interpreted: what is not JSON stays what it is.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    repeated: bool,
}

impl<'a> Scan<'a> {
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        self.at += rest.len() - rest.trim_start_matches([' ', '\n', '\r', '\t']).len();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Whether the next character is this one; it is passed.
    fn takes(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Option<String> {
        match self.peek()? {
            _ if depth > limits::JSON_DEPTH => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(str::to_owned),
            _ => {
                let rest = self.text.get(self.at..)?;
                let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                self.at += end;
                rest.get(..end).filter(|word| !word.is_empty()).map(str::to_owned)
            }
        }
    }

    /// A string with its quotes, as it is written.
    fn string(&mut self) -> Option<&'a str> {
        let rest = self.text.get(self.at..).filter(|rest| rest.starts_with('"'))?;
        let mut escaped = false;
        for (offset, byte) in rest.bytes().enumerate().skip(1) {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.at += offset + 1;
                    return rest.get(..=offset);
                }
                _ => {}
            }
        }
        None
    }

    fn array(&mut self, depth: usize) -> Option<String> {
        self.at += 1;
        let mut items = Vec::new();
        if !self.takes(b']') {
            loop {
                items.push(self.value(depth + 1)?);
                if self.takes(b']') {
                    break;
                }
                if !self.takes(b',') {
                    return None;
                }
            }
        }
        Some(format!("[{}]", items.join(",")))
    }

    fn object(&mut self, depth: usize) -> Option<String> {
        self.at += 1;
        let mut fields: Vec<(&str, String)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        if !self.takes(b'}') {
            loop {
                self.peek()?;
                let name = self.string()?;
                if !self.takes(b':') {
                    return None;
                }
                let value = self.value(depth + 1)?;
                match places.get(name).and_then(|place| fields.get_mut(*place)) {
                    Some((_, known)) => {
                        self.repeated = true;
                        if value != "null" {
                            *known = value;
                        }
                    }
                    None => {
                        places.insert(name, fields.len());
                        fields.push((name, value));
                    }
                }
                if self.takes(b'}') {
                    break;
                }
                if !self.takes(b',') {
                    return None;
                }
            }
        }
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        Some(format!("{{{}}}", fields.join(",")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_field_that_is_not_null_counts() {
        let table = [
            (r#"{"a":1,"a":2}"#, Some(r#"{"a":2}"#)),
            (r#"{"a":1,"a":null}"#, Some(r#"{"a":1}"#)),
            (r#"{"a":null,"b":0,"a":[1]}"#, Some(r#"{"a":[1],"b":0}"#)),
            (
                r#" { "x" : [ { "a\"" : "\ud83d,}" , "a\"":"\\" } ] , "y": {} } "#,
                Some(r#"{"x":[{"a\"":"\\"}],"y":{}} "#),
            ),
            (r#"{"a":{"b":1},"c":{"b":1}}"#, None),
            (r#"{"a":1,"a":2"#, None),
            (r#"{"a":1,"a":"#, None),
            ("[", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(without_repeated_fields(text).as_deref(), expected, "{text}");
        }
        assert_eq!(without_repeated_fields(&"[".repeat(200_000)), None);
    }
}
