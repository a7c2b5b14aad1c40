//! Inserts the context: each part as a block of data in front of the first message of the artist.

use std::fmt::Write as _;

use geonode_protocol::{Code, block, inert};
use serde_json::json;

use super::draft::Draft;
use crate::error::ProviderError;
use crate::message::{Content, Part, Role};
use crate::request::Filter;

/// Inserts the parts that the request's filter selects. A missing or empty part is reported and left out.
pub(super) fn inject(draft: &mut Draft, context: &[(String, String)]) -> Result<(), ProviderError> {
    let taken: Vec<(String, Option<String>)> = match std::mem::replace(&mut draft.body.context_filter, Filter::None) {
        Filter::None => return Ok(()),
        Filter::All => context
            .iter()
            .map(|(key, text)| (key.clone(), Some(text.clone())))
            .collect(),
        Filter::Only(keys) => {
            let find = |key: &str| {
                context
                    .iter()
                    .find(|(known, _)| known == key)
                    .map(|(_, text)| text.clone())
            };
            let mut once: Vec<String> = Vec::with_capacity(keys.len());
            once.extend(keys.into_iter().filter(|key| !key.is_empty()));
            once.dedup();
            once.into_iter()
                .map(|key| (find(&key), key))
                .map(|(text, key)| (key, text))
                .collect()
        }
    };
    let mut blocks = String::new();
    for (key, text) in taken {
        match text {
            None => draft.say(
                Code::ContextKeyMissing,
                format!(
                    "The context has no part “{}”, so the model does not see it.",
                    key.escape_debug()
                ),
            ),
            Some(text) if text.trim().is_empty() => draft.say(
                Code::ContextKeyEmpty,
                format!(
                    "The part “{}” of the context is empty, so the model does not see it.",
                    key.escape_debug()
                ),
            ),
            Some(text) => {
                let _ = write!(blocks, "{}\n\n", block(&tag(&key), &text));
                draft.put_in.push(json!({ key: inert(&text) }));
            }
        }
    }
    if blocks.is_empty() {
        return Ok(());
    }
    let first = draft
        .body
        .messages
        .iter_mut()
        .find(|message| message.role == Role::User);
    let Some(first) = first else {
        return Err(ProviderError::BodyInvalid {
            path: String::new(),
            what: "there is no message of role “user” to put the context into".into(),
        });
    };
    match &mut first.content {
        Content::Text(text) => text.insert_str(0, &blocks),
        Content::Parts(parts) => parts.insert(0, Part::Text { text: blocks }),
    }
    Ok(())
}

/// A key as the name of its block, without characters that could end the mark.
fn tag(key: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
            c
        } else {
            '_'
        }
    };
    key.chars().map(plain).collect()
}
