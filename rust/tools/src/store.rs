//! Large results, stored for the run so that the model can page through them; the oldest are discarded first.

use geonode_protocol::Code;
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::error::ToolError;

/// Texts by reference.
#[derive(Debug)]
pub(crate) struct Store {
    limit: usize,
    held: usize,
    given: u64,
    texts: IndexMap<String, String>,
}

impl Store {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            held: 0,
            given: 0,
            texts: IndexMap::new(),
        }
    }

    /// `{"ref", "bytes", "head"}`; without a reference when it is too large to be stored at all.
    pub(crate) fn put(&mut self, text: String, head_bytes: usize) -> Value {
        let (bytes, head) = (text.len(), cut(&text, 0, head_bytes).to_owned());
        if bytes > self.limit {
            return json!({"ref": null, "bytes": bytes, "head": head});
        }
        while self.held + bytes > self.limit {
            let Some((_, gone)) = self.texts.shift_remove_index(0) else {
                break;
            };
            self.held -= gone.len();
        }
        self.given += 1;
        let reference = format!("r{}", self.given);
        self.held += bytes;
        self.texts.insert(reference.clone(), text);
        json!({"ref": reference, "bytes": bytes, "head": head})
    }

    /// A page of a text: `{"text", "offset", "bytes", "next"}`; `next` is null at the end.
    pub(crate) fn page(&self, reference: &str, offset: usize, length: usize) -> Result<Value, ToolError> {
        let Some(text) = self.texts.get(reference) else {
            let known: Vec<&str> = self.texts.keys().map(String::as_str).collect();
            let known = if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            };
            let text = format!("There is no result {reference:?}. Stored results: {known}. Call the tool again.");
            return Err(ToolError::new(Code::UnknownReference, text));
        };
        let page = cut(text, offset, length);
        let start = floor(text, offset);
        let end = start + page.len();
        let next = (end < text.len()).then_some(end);
        Ok(json!({"text": page, "offset": start, "bytes": text.len(), "next": next}))
    }
}

/// The last place at or before `at` where a character begins.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// At most `length` bytes from `offset` on, of whole characters; at least one character where there is one.
fn cut(text: &str, offset: usize, length: usize) -> &str {
    let start = floor(text, offset);
    let end = floor(text, start.saturating_add(length));
    let rest = text.get(start..).unwrap_or_default();
    let end = if end > start {
        end - start
    } else {
        rest.chars().next().map_or(0, char::len_utf8)
    };
    rest.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_join_to_the_whole_text_and_never_split_a_character() {
        let mut store = Store::new(1000);
        let text = "aé日🙂".repeat(20);
        let told = store.put(text.clone(), 5);
        assert_eq!(
            (&told["ref"], &told["bytes"], &told["head"]),
            (&json!("r1"), &json!(200), &json!("aé"))
        );
        for length in [1, 2, 3, 7, 500] {
            let (mut joined, mut offset) = (String::new(), Some(0));
            while let Some(at) = offset {
                let page = store.page("r1", at, length).unwrap();
                joined += page["text"].as_str().unwrap();
                offset = page["next"].as_u64().map(|n| usize::try_from(n).unwrap());
            }
            assert_eq!(joined, text);
        }
        assert_eq!(store.page("r1", 9999, 10).unwrap()["text"], "");
    }

    #[test]
    fn the_result_store_is_bounded() {
        let mut store = Store::new(100);
        for _ in 0..9 {
            store.put("x".repeat(40), 4);
        }
        assert_eq!(store.page("r1", 0, 9).unwrap_err().code, Code::UnknownReference);
        assert!(store.page("r9", 0, 9).is_ok() && store.page("r8", 0, 9).is_ok());
        assert!(store.page("r7", 0, 9).is_err());
        assert_eq!(store.put("x".repeat(101), 4)["ref"], Value::Null);
        assert!(store.put("x".repeat(100), 4)["ref"].is_string());
    }
}
