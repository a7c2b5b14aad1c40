//! The steps of a plan while its text still arrives: to be shown, never to be carried out.
//!
//! A scanner takes the text in pieces cut anywhere, even inside a character, and reports each step once its last brace has arrived. It
//! looks at every byte once and keeps nothing but a few short strings, however long the text is. It follows the outline of JSON
//! only: its reports about a text that is not a plan are meaningless; [`crate::parse_plan`] reads the plan in any case.

use serde::Serialize;

/// Deepest nesting that is followed; a plan is never nested deeper.
const DEPTH: u32 = 127;
/// Most bytes of a key or a text that are kept.
const KEPT: usize = 1024;

/// A step whose text has arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ArrivingStep {
    /// Its ID; empty when it has none.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its description, cut if it is long.
    pub description: String,
}

/// The scanner.
#[derive(Debug, Default)]
pub struct Arriving {
    expected: Expected,
    /// Which of the open brackets are braces; the innermost is the lowest bit.
    braces: u128,
    depth: u32,
    text: Text,
    /// The last key of the plan, and that of a step.
    outer: Key,
    inner: Key,
    /// Whether the array `steps` of the plan is open.
    in_steps: bool,
    step: [Option<String>; 3],
}

/// What may come next.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// The brace that begins a plan.
    #[default]
    Plan,
    /// A key, or the end of the object.
    Key,
    Colon,
    /// A value, or the end of the array.
    Value,
    /// A comma, or the end of what is open.
    Comma,
    /// The rest of a number or a word.
    Scalar,
    /// The rest of a string: a key or a value.
    String {
        key: bool,
    },
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    Steps,
    Id,
    Type,
    Description,
    #[default]
    Other,
}

/// The part of a string that has arrived.
#[derive(Debug, Default)]
struct Text {
    raw: Vec<u8>,
    /// Whether its characters are stored.
    wanted: bool,
    /// Length of the part of `raw` that consists of complete characters and escapes.
    whole: usize,
    /// Whether it was longer than [`KEPT`].
    cut: bool,
    escape: Escape,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    /// After the backslash.
    Begun,
    /// This many hexadecimal digits are still missing.
    Digits(u8),
}

impl Arriving {
    /// Takes a piece of the text and appends the steps that it completes.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<ArrivingStep>) {
        for byte in piece {
            self.byte(*byte, out);
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<ArrivingStep>) {
        match self.expected {
            Expected::String { key } => {
                if self.text.byte(byte) {
                    self.string_ended(key);
                }
            }
            Expected::Plan => {
                if byte == b'{' {
                    self.open(true);
                }
            }
            Expected::Scalar if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.') => {}
            _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => {
                if self.expected == Expected::Scalar {
                    self.expected = Expected::Comma;
                }
            }
            Expected::Key => match byte {
                b'"' => self.string_begins(true),
                b'}' => self.close(true, out),
                _ => self.lost(byte),
            },
            Expected::Colon if byte == b':' => self.expected = Expected::Value,
            Expected::Value => match byte {
                b'"' => self.string_begins(false),
                b'{' | b'[' => self.open(byte == b'{'),
                b']' => self.close(false, out),
                _ if byte.is_ascii_alphanumeric() || byte == b'-' => self.expected = Expected::Scalar,
                _ => self.lost(byte),
            },
            Expected::Comma | Expected::Scalar => match byte {
                b',' if self.braces & 1 == 1 => self.expected = Expected::Key,
                b',' => self.expected = Expected::Value,
                b'}' | b']' => self.close(byte == b'}', out),
                _ => self.lost(byte),
            },
            Expected::Colon => self.lost(byte),
        }
    }

    /// The brace was part of prose, not the start of a plan; a plan may still follow.
    fn lost(&mut self, byte: u8) {
        *self = Self::default();
        if byte == b'{' {
            self.open(true);
        }
    }

    fn open(&mut self, brace: bool) {
        if self.depth >= DEPTH {
            return self.lost(b' ');
        }
        self.depth += 1;
        self.braces = self.braces << 1 | u128::from(brace);
        self.expected = if brace { Expected::Key } else { Expected::Value };
        match (self.depth, brace) {
            (2, false) => self.in_steps = self.outer == Key::Steps,
            (3, true) if self.in_steps => self.step = Default::default(),
            _ => {}
        }
    }

    fn close(&mut self, brace: bool, out: &mut Vec<ArrivingStep>) {
        if (self.braces & 1 == 1) != brace {
            return self.lost(b' ');
        }
        match (self.depth, brace) {
            (2, false) => self.in_steps = false,
            (3, true) if self.in_steps => {
                let [id, kind, description] = std::mem::take(&mut self.step).map(Option::unwrap_or_default);
                out.push(ArrivingStep { id, kind, description });
            }
            _ => {}
        }
        self.depth -= 1;
        self.braces >>= 1;
        self.expected = if self.depth == 0 {
            Expected::Plan
        } else {
            Expected::Comma
        };
    }

    fn string_begins(&mut self, key: bool) {
        let value = match self.depth {
            3 => self.in_steps && self.braces & 1 == 1 && self.inner != Key::Other,
            _ => false,
        };
        let key_counts = self.depth == 1 || self.depth == 3 && self.in_steps;
        self.text.begin(if key { key_counts } else { value });
        self.expected = Expected::String { key };
    }

    fn string_ended(&mut self, key: bool) {
        let text = self.text.wanted.then(|| self.text.read());
        if !key {
            if let Some(text) = text {
                let [id, kind, description] = &mut self.step;
                let field = match self.inner {
                    Key::Id => id,
                    Key::Type => kind,
                    _ => description,
                };
                *field = Some(text);
            }
            self.expected = Expected::Comma;
            return;
        }
        let key = match text.as_deref() {
            Some("steps") => Key::Steps,
            Some("id") => Key::Id,
            Some("type") => Key::Type,
            Some("description") => Key::Description,
            _ => Key::Other,
        };
        match self.depth {
            1 => self.outer = key,
            3 => self.inner = if key == Key::Steps { Key::Other } else { key },
            _ => {}
        }
        self.expected = Expected::Colon;
    }
}

impl Text {
    fn begin(&mut self, wanted: bool) {
        self.raw.clear();
        self.wanted = wanted;
        self.whole = 0;
        self.cut = false;
        self.escape = Escape::None;
    }

    /// Adds a byte of the string; returns whether the byte ended it.
    fn byte(&mut self, byte: u8) -> bool {
        let before = self.escape;
        self.escape = match (self.escape, byte) {
            (Escape::None, b'"') => return true,
            (Escape::None, b'\\') => Escape::Begun,
            (Escape::Begun, b'u') => Escape::Digits(4),
            (Escape::Digits(left), _) if left > 1 && byte.is_ascii_hexdigit() => Escape::Digits(left - 1),
            // An invalid escape; reading the whole plan reports it.
            (Escape::Digits(_) | Escape::Begun | Escape::None, _) => Escape::None,
        };
        if !self.wanted || self.cut {
            return false;
        }
        if self.raw.len() >= KEPT {
            self.cut = true;
            return false;
        }
        // A new character begins, so everything before it is complete.
        if before == Escape::None && byte & 0b1100_0000 != 0b1000_0000 {
            self.whole = self.raw.len();
        }
        self.raw.push(byte);
        false
    }

    /// The decoded text; a part that cannot be decoded is left out.
    fn read(&self) -> String {
        let kept = if self.cut {
            self.raw.get(..self.whole)
        } else {
            Some(self.raw.as_slice())
        };
        let text = String::from_utf8_lossy(kept.unwrap_or_default());
        // A pair of escapes that was cut in two is half a character.
        let read = |text: &str| serde_json::from_str::<String>(&format!("\"{text}\"")).ok();
        let read = read(&text).or_else(|| read(text.get(..text.len().checked_sub(6)?)?));
        match read {
            Some(text) if self.cut => text + "…",
            text => text.unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(String, String, String)> {
        let (mut scanner, mut out) = (Arriving::default(), Vec::new());
        scanner.push(text.as_bytes(), &mut out);
        out.into_iter()
            .map(|step| (step.id, step.kind, step.description))
            .collect()
    }

    fn step(id: &str, kind: &str, description: &str) -> (String, String, String) {
        (id.to_owned(), kind.to_owned(), description.to_owned())
    }

    #[test]
    fn steps_are_reported_when_their_last_brace_arrives() {
        let text = r#"{"version": "1.1", "steps": [
            {"id": "a", "type": "GN_OPS", "description": "Öl \u00df \ud83d\ude00 \"x\"", "payload": {"id": "no", "ops": [{"type": "y"}]}},
            {"type": "PYTHON", "id": "b"}, {}], "done": true}"#;
        let expected = vec![
            step("a", "GN_OPS", "Öl ß 😀 \"x\""),
            step("b", "PYTHON", ""),
            step("", "", ""),
        ];
        assert_eq!(all(text), expected);
        let brace = text.find("]}},").unwrap() + 3;
        assert_eq!(all(&text[..brace - 1]), []);
        assert_eq!(all(&text[..brace]), expected[..1]);
    }

    #[test]
    fn only_steps_of_the_plan_are_steps() {
        for text in [
            "",
            "steps: [{}]",
            r#"{"meta": {"steps": [{"id": "a"}]}}"#,
            r#"{"steps": {"id": "a"}}"#,
            r#"{"steps": [["id", {"id": "a"}], "x", 1, null]}"#,
            r#"[{"steps": []}]"#,
            r#"{"steps": "[{}]"}"#,
            r#"{"other": [{"id": "a"}]}"#,
        ] {
            assert_eq!(all(text), [], "{text}");
        }
    }

    #[test]
    fn prose_around_the_plan_is_ignored() {
        let plan = r#"{"steps": [{"id": "a", "type": "GN_OPS", "description": "d",},],}"#;
        for before in [
            "",
            "I use {x} and {\"y\" z}: ",
            "Use { as it is.\n```json\n",
            "{ {",
            "{\"a\":1}{\"b\":[}",
        ] {
            assert_eq!(
                all(&format!("{before}{plan}\n``` and {{")),
                [step("a", "GN_OPS", "d")],
                "{before}"
            );
        }
    }

    #[test]
    fn stored_text_is_bounded() {
        let long = |text: &str| {
            all(&format!("{{\"steps\":[{{\"id\":\"a\",\"description\":\"{text}\"}}]}}"))
                .remove(0)
                .2
        };
        for (piece, each) in [
            ("x", "x"),
            ("ü", "ü"),
            ("\\u00e9", "é"),
            ("\\ud83d\\ude00", "😀"),
            ("😀", "😀"),
            ("\\n", "\n"),
        ] {
            let read = long(&piece.repeat(100_000));
            let (body, end) = read.split_at(read.len() - '…'.len_utf8());
            assert_eq!((body.replace(each, ""), end), (String::new(), "…"), "{piece}");
            assert!((KEPT / 6..=KEPT).contains(&body.len()), "{piece}: {}", body.len());
            let exact = KEPT / piece.len();
            assert_eq!(long(&piece.repeat(exact)), each.repeat(exact));
        }
        assert_eq!(long("\\x and \\ud800"), "", "no text at all");
        let mut scanner = Arriving::default();
        let mut out = Vec::new();
        for piece in ["{\"steps\":[{\"id\":\"", "x", "{\"steps\":", "[", "{\"a\":"] {
            for _ in 0..100_000 {
                scanner.push(piece.as_bytes(), &mut out);
            }
        }
        assert!(scanner.text.raw.capacity() <= 4 * KEPT && out.is_empty());
    }
}
