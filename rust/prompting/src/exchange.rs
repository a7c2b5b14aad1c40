//! The exchanges so far, as messages: replies, calls of tools with their results, feedback.

use std::borrow::Cow;

use geonode_provider::{Content, Message, Part, Role, ToolCall};
use geonode_tools::Image;
use serde::{Deserialize, Serialize};

use crate::cut::beginning;
use crate::feedback;

/// A result that is longer than this is shortened to it when everything together is too long, in bytes.
const SHORTENED: usize = 600;

/// One earlier exchange with the model.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exchange {
    /// What the model wrote.
    pub reply: String,
    /// Calls that it made, in a form that every provider accepts.
    pub calls: Vec<ToolCall>,
    /// Their results, in the same order.
    pub results: Vec<Results>,
    /// The feedback on it; after calls, only what the results do not contain.
    pub feedback: String,
}

/// The result of one call, as the model receives it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Results {
    /// The provider's identifier of the call.
    pub id: String,
    /// `{ok, result?, error?}`.
    pub text: String,
    /// A picture with it.
    pub image: Option<Image>,
}

/// The exchanges in about `room` bytes: results of the oldest are shortened first; the last exchange is not changed.
pub(crate) fn fitting(exchanges: &[Exchange], room: usize) -> Cow<'_, [Exchange]> {
    let length = |exchange: &Exchange| {
        let results: usize = exchange.results.iter().map(|result| result.text.len()).sum();
        exchange.reply.len() + exchange.feedback.len() + results
    };
    let mut all: usize = exchanges.iter().map(length).sum();
    if all <= room {
        return Cow::Borrowed(exchanges);
    }
    let mut shortened = exchanges.to_vec();
    let mut changed = false;
    let older = shortened.len().saturating_sub(1);
    for exchange in shortened.iter_mut().take(older) {
        for result in &mut exchange.results {
            if all <= room {
                break;
            }
            let before = result.text.len();
            if before > SHORTENED {
                result.text.truncate(beginning(&result.text, SHORTENED).len());
                result.text.push_str("… (cut: call the tool again if you need it)");
                result.image = None;
                changed = true;
                all = all.saturating_sub(before - result.text.len().min(before));
            }
        }
    }
    if changed {
        Cow::Owned(shortened)
    } else {
        Cow::Borrowed(exchanges)
    }
}

/// The artist's message that opens a conversation, with the pictures that belong to it.
pub(crate) fn first(words: String, pictures: &[Image]) -> Message {
    if pictures.is_empty() {
        return Message::user(words);
    }
    let parts = std::iter::once(Part::Text { text: words }).chain(pictures.iter().map(|picture| Part::Image {
        media_type: picture.media_type.clone(),
        data: picture.data.clone(),
    }));
    Message {
        content: Content::Parts(parts.collect()),
        ..Message::user("")
    }
}

/// An exchange as messages; without `native` tools, calls and results are text.
pub(crate) fn messages(exchange: &Exchange, native: bool) -> Vec<Message> {
    if exchange.calls.is_empty() {
        // No provider accepts an empty message.
        let reply = if exchange.reply.trim().is_empty() {
            "(nothing)"
        } else {
            &exchange.reply
        };
        return vec![Message::new(Role::Assistant, reply), Message::user(&exchange.feedback)];
    }
    let mut messages = Vec::new();
    if native {
        messages.push(Message {
            tool_calls: exchange.calls.clone(),
            ..Message::new(Role::Assistant, &exchange.reply)
        });
        messages.extend(exchange.results.iter().map(|result| Message {
            tool_call_id: Some(result.id.clone()),
            ..Message::new(Role::Tool, &result.text)
        }));
    } else {
        let calls = serde_json::to_string(&exchange.calls).unwrap_or_default();
        let results: Vec<&str> = exchange.results.iter().map(|result| result.text.as_str()).collect();
        messages.push(Message::new(
            Role::Assistant,
            format!("{}\n{calls}", exchange.reply).trim(),
        ));
        messages.push(Message::user(feedback::tool_results(&results)));
    }
    let mut parts: Vec<Part> = exchange
        .results
        .iter()
        .filter_map(|result| {
            let image = result.image.as_ref()?;
            Some(Part::Image {
                media_type: image.media_type.clone(),
                data: image.data.clone(),
            })
        })
        .collect();
    if !exchange.feedback.is_empty() || !parts.is_empty() {
        let words = if exchange.feedback.is_empty() {
            "The pictures that you asked for, in order."
        } else {
            &exchange.feedback
        };
        parts.push(Part::Text { text: words.to_owned() });
        messages.push(Message {
            content: Content::Parts(parts),
            ..Message::user("")
        });
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(bytes: usize) -> Exchange {
        Exchange {
            reply: "r".repeat(10),
            calls: Vec::new(),
            results: vec![Results {
                id: "1".into(),
                text: "ä".repeat(bytes / 2),
                image: None,
            }],
            feedback: String::new(),
        }
    }

    #[test]
    fn the_oldest_results_are_shortened_and_only_as_far_as_needed() {
        let all = vec![exchange(5000), exchange(5000), exchange(5000)];
        let lengths = |room| -> Vec<usize> { fitting(&all, room).iter().map(|e| e.results[0].text.len()).collect() };
        assert_eq!(lengths(15_030), [5000, 5000, 5000]);
        let one = lengths(15_029);
        assert!(one[0] < SHORTENED + 60 && one[1..] == [5000, 5000], "{one:?}");
        let two = lengths(0);
        assert!(two[1] < SHORTENED + 60 && two[2] == 5000, "the last stays: {two:?}");
        assert!(matches!(fitting(&all, 15_030), Cow::Borrowed(_)));
        assert!(
            matches!(fitting(&[exchange(10), exchange(10)], 0), Cow::Borrowed(_)),
            "nothing to gain"
        );
    }
}
