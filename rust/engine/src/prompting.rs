//! A request to a model as it is made: the wish, what was said about it so far, and beside it the scene, the conversation and the schema,
//! which the policies put in.

use std::borrow::Cow;

use geonode_protocol::{Code, Severity};
use geonode_provider::policy::Attachments;
use geonode_provider::{Client, Content, Filter, Message as Turn, Options, Part, Request, Role, Tool};
use geonode_run::{Failure, Message, Origin};
use serde_json::Value;

use crate::generate::{Brief, Exchange, Listener};
use crate::planner;

/// The part of the context that is the scene, and the one that is the conversation.
const SCENE: &str = "context";
const CONVERSATION: &str = "conversation";
/// Bytes that count as one token.
const BYTES_PER_TOKEN: usize = 3;
/// Tokens that are kept free for the reply where no limit of it is set.
const REPLY_TOKENS: usize = 8_000;
/// A result that is longer than this is shortened to it when everything together is too long.
const SHORTENED: usize = 600;

/// A request as it is made, and what is put in on its way.
pub(crate) struct Made {
    pub(crate) request: Request,
    pub(crate) attachments: Attachments,
    /// The plan's schema, where the reply comes in its lowered form.
    pub(crate) lift_by: Option<Value>,
}

/// What is asked with these tools.
pub(crate) fn made(
    client: &Client,
    brief: &Brief<'_>,
    tools: &[Tool],
    listener: &dyn Listener,
) -> Result<Made, Failure> {
    let settings = brief.settings;
    let catalogue = crate::catalogue(&brief.request.catalogue)?;
    let opening = planner::opening(
        &brief.request.prompt,
        brief.context,
        &catalogue,
        brief.extensions,
        brief.scripts,
        !tools.is_empty(),
        settings.context_tokens,
    )?;
    if opening.cut {
        let text = "The scene is larger than what the model is shown of it (`context_tokens`): what matters least was left out.";
        listener.message(Message::new(Severity::Info, Origin::Request, Code::ContextCut, text));
    }
    let schema = if settings.structured_output {
        brief.extensions.schema("plan")
    } else {
        None
    };
    let lowered = schema.as_ref().and_then(|schema| client.lowered(schema));
    let lift_by = schema.clone().filter(|_| lowered.is_some());
    let mut context = Vec::new();
    if !brief.conversation.is_empty() {
        context.push((CONVERSATION.to_owned(), brief.conversation.to_owned()));
    }
    context.push((SCENE.to_owned(), opening.context));
    let attachments = Attachments {
        schema: lowered.or(schema),
        context,
    };
    let keys = attachments.context.iter().map(|(key, _)| key.clone()).collect();
    let room = room(client, settings.max_tokens, &attachments, &opening.system);
    let exchanges = fitting(brief.exchanges, room.saturating_sub(opening.user.len()));
    if let Cow::Owned(_) = exchanges {
        let text = "The model reads less than what was said so far, so older answers of tools were shortened.";
        listener.message(Message::new(Severity::Info, Origin::Request, Code::ContextCut, text));
    }
    let mut messages = vec![Turn::user(opening.user)];
    messages.extend(exchanges.iter().flat_map(|exchange| turns(exchange, !tools.is_empty())));
    let request = Request::builder(messages)
        .system(Some(opening.system))
        .context_filter(Filter::Only(keys))
        .tools(tools.to_vec())
        .max_tokens(settings.max_tokens.and_then(|n| u32::try_from(n).ok()))
        .options(Options {
            temperature: settings.temperature,
            seed: None,
        })
        .build()
        .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    Ok(Made {
        request,
        attachments,
        lift_by,
    })
}

/// Bytes that the exchanges may have, by what is known of the model.
fn room(client: &Client, max_tokens: Option<u64>, attachments: &Attachments, system: &str) -> usize {
    let Some(all) = client.model_info().and_then(|info| info.context_tokens) else {
        return usize::MAX;
    };
    let tokens = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let reply = max_tokens.map_or(REPLY_TOKENS, tokens);
    let schema = attachments.schema.as_ref().map_or(0, |schema| schema.to_string().len());
    let context: usize = attachments.context.iter().map(|(_, text)| text.len()).sum();
    let free = tokens(all).saturating_sub(reply).saturating_mul(BYTES_PER_TOKEN);
    free.saturating_sub(schema + context + system.len())
}

/// The exchanges in about `room` bytes: results of the oldest are shortened first; the last exchange stays as it is.
fn fitting(exchanges: &[Exchange], room: usize) -> Cow<'_, [Exchange]> {
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
                let mut end = SHORTENED;
                while !result.text.is_char_boundary(end) {
                    end -= 1;
                }
                result.text.truncate(end);
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

/// An exchange as messages. A provider without tools reads calls and results as words.
fn turns(exchange: &Exchange, native: bool) -> Vec<Turn> {
    if exchange.calls.is_empty() {
        // No provider takes an empty message.
        let said = if exchange.reply.trim().is_empty() {
            "(nothing)"
        } else {
            &exchange.reply
        };
        return vec![Turn::new(Role::Assistant, said), Turn::user(&exchange.feedback)];
    }
    let mut turns = Vec::new();
    if native {
        turns.push(Turn {
            tool_calls: exchange.calls.clone(),
            ..Turn::new(Role::Assistant, &exchange.reply)
        });
        turns.extend(exchange.results.iter().map(|result| Turn {
            tool_call_id: Some(result.id.clone()),
            ..Turn::new(Role::Tool, &result.text)
        }));
    } else {
        let calls = serde_json::to_string(&exchange.calls).unwrap_or_default();
        let results: Vec<&str> = exchange.results.iter().map(|result| result.text.as_str()).collect();
        turns.push(Turn::new(
            Role::Assistant,
            format!("{}\n{calls}", exchange.reply).trim(),
        ));
        turns.push(Turn::user(planner::tool_results(&results)));
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
        turns.push(Turn {
            content: Content::Parts(parts),
            ..Turn::user("")
        });
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Results;

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
