//! Exact text from JSON strings, even if a server splits one character over two of them.
//!
//! JSON can contain half a character (`"\ud83d"`); Rust strings cannot. Halves of consecutive strings are joined, a lone
//! half becomes U+FFFD.

use std::fmt;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// A JSON string (or an array of text parts) with its lone surrogates, in WTF-8.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RawText(Vec<u8>);

impl RawText {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text on its own.
    pub(crate) fn text(&self) -> String {
        let mut joiner = Joiner::default();
        joiner.push(self);
        joiner.finish()
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // serde_json accepts lone surrogates only when a string is read as bytes.
        deserializer.deserialize_byte_buf(RawTextVisitor)
    }
}

#[derive(serde::Deserialize)]
struct TextPart {
    #[serde(default)]
    text: Option<RawText>,
}

struct RawTextVisitor;

impl<'de> Visitor<'de> for RawTextVisitor {
    type Value = RawText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an array of text parts")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<RawText, E> {
        Ok(RawText(bytes.to_vec()))
    }

    fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<RawText, E> {
        Ok(RawText(bytes))
    }

    fn visit_str<E>(self, text: &str) -> Result<RawText, E> {
        Ok(RawText(text.as_bytes().to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<RawText, A::Error> {
        let mut all = Vec::new();
        while let Some(part) = parts.next_element::<TextPart>()? {
            all.extend(part.text.unwrap_or_default().0);
        }
        Ok(RawText(all))
    }
}

/// Joins deltas.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    text: String,
    /// The first half of a character whose second half may still come.
    high: Option<u32>,
}

impl Joiner {
    /// Appends a delta.
    pub(crate) fn push(&mut self, raw: &RawText) {
        let mut rest = raw.0.as_slice();
        while !rest.is_empty() {
            let valid = match std::str::from_utf8(rest) {
                Ok(text) => text,
                Err(error) => {
                    let (good, _) = rest.split_at(error.valid_up_to());
                    std::str::from_utf8(good).unwrap_or_default()
                }
            };
            if !valid.is_empty() {
                self.settle();
                self.text.push_str(valid);
            }
            rest = rest.get(valid.len()..).unwrap_or_default();
            if let Some(first) = rest.first() {
                let unit = surrogate(rest);
                rest = rest.get(if unit.is_some() { 3 } else { 1 }..).unwrap_or_default();
                debug_assert!(*first >= 0x80);
                self.unit(unit);
            }
        }
    }

    /// The complete text that was not taken yet.
    pub(crate) fn so_far(&self) -> &str {
        &self.text
    }

    /// The complete text so far; an open half is kept back.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// The remaining text; an open half becomes U+FFFD.
    pub(crate) fn finish(&mut self) -> String {
        self.settle();
        self.take()
    }

    fn settle(&mut self) {
        if self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// A lone surrogate, or `None` for a byte that is not text at all.
    fn unit(&mut self, unit: Option<u32>) {
        match (self.high.take(), unit) {
            (Some(high), Some(low @ 0xDC00..=0xDFFF)) => {
                let joined = char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                self.text.push(joined.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, unit) => {
                if before.is_some() {
                    self.text.push(char::REPLACEMENT_CHARACTER);
                }
                match unit {
                    Some(high @ 0xD800..=0xDBFF) => self.high = Some(high),
                    _ => self.text.push(char::REPLACEMENT_CHARACTER),
                }
            }
        }
    }
}

/// The surrogate that `bytes` begin with, in WTF-8.
fn surrogate(bytes: &[u8]) -> Option<u32> {
    match bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | (u32::from(second & 0x3F) << 6) | u32::from(third & 0x3F))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(deltas: &[&str]) -> String {
        let mut joiner = Joiner::default();
        let mut all = String::new();
        for json in deltas {
            joiner.push(&serde_json::from_str(json).unwrap());
            all.push_str(&joiner.take());
        }
        all + &joiner.finish()
    }

    #[test]
    fn surrogate_pairs_are_joined_and_lone_surrogates_replaced() {
        let table: &[(&[&str], &str)] = &[
            (&[r#""a""#, r#""b""#], "ab"),
            (&[r#""x\ud83d""#, r#""\ude00y""#], "x😀y"),
            (&[r#""\ud83d\ude00""#], "😀"),
            (&[r#""\ud83d""#, r#""""#, r#""\ude00""#], "😀"),
            (&[r#""\ud83d""#, r#""z""#], "\u{FFFD}z"),
            (&[r#""\ud83d""#], "\u{FFFD}"),
            (&[r#""\ude00\ud83d""#, r#""\ude00""#], "\u{FFFD}😀"),
            (&[r#""\ud83d""#, r#""\ud83d""#, r#""\ude00""#], "\u{FFFD}😀"),
            (&[r#"[{"type":"text","text":"a"},{"type":"other"},{"text":"b"}]"#], "ab"),
            (&[r#""ünï\n😀""#], "ünï\n😀"),
        ];
        for (deltas, expected) in table {
            assert_eq!(joined(deltas), *expected, "{deltas:?}");
        }
    }
}
