//! A request to a model before the policies: the prompt and the exchanges about it so far, and next to it the scene, the conversation and
//! the schema, which the policies insert.

use std::borrow::Cow;

use geonode_protocol::bytes_of;
use geonode_provider::policy::Attachments;
use geonode_provider::{Filter, Message, Options, Request, Role, Tool, ToolChoice};
use serde_json::Value;

use crate::asked::Prompt;
use crate::error::PromptError;
use crate::exchange::{self, Exchange};
use crate::form::{Answer, Form};
use crate::held;
use crate::opening::opening;

/// The part of the context that is the scene, the one that is the conversation, and that with documentation of nodes.
const SCENE: &str = "context";
const CONVERSATION: &str = "conversation";
const NODES: &str = "nodes";

/// Tokens that are reserved for the reply if it has no limit.
const REPLY_TOKENS: u64 = 8_000;

/// What the model may do with the tools of its run in one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// Call them.
    Free,
    /// It knows them, since it has called some, but this reply has to be the plan.
    Over,
    /// Nothing: where a server holds a reply to its schema or offers tools, the schema is chosen. Calls that were made are told in words.
    Told,
}

/// The content of a request to a model.
#[derive(Debug, Clone)]
pub struct Ask<'a> {
    /// The prompt with its scene and what the run allows.
    pub prompt: Prompt<'a>,
    /// The summary of the conversation; empty when there is none.
    pub conversation: &'a str,
    /// The exchanges about the prompt so far.
    pub exchanges: &'a [Exchange],
    /// Tools of the run.
    pub tools: &'a [Tool],
    /// Whether the model may call them now.
    pub calls: Calls,
    /// What the instructions ask for, in every request of a run alike.
    pub answer: Answer,
    /// The schema of the reply, if the model is held to one.
    pub schema: Option<Value>,
    /// The same in the provider's subset of JSON Schema, if it has one.
    pub adapted: Option<Value>,
    /// Size of the model's context in tokens, if known.
    pub window: Option<u64>,
    /// Most tokens of the reply.
    pub max_tokens: Option<u64>,
    /// The sampling temperature.
    pub temperature: Option<f64>,
    /// What the provider draws its random numbers from, where it takes one.
    pub seed: Option<u64>,
}

/// A request, and the parts that the policies insert into it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The instructions and messages.
    pub request: Request,
    /// Scene, conversation and schema.
    pub attachments: Attachments,
    /// The plan's schema, if the reply comes in the form of an adapted schema.
    pub original_schema: Option<Value>,
    /// Whether a part of the scene did not fit and is not shown.
    pub scene_cut: bool,
    /// Whether older tool results were shortened.
    pub exchanges_cut: bool,
}

/// Drafts the request.
///
/// # Errors
/// `preset_invalid` when the embedded presets are damaged, `body_invalid` for a request that no provider accepts.
pub fn draft(ask: Ask<'_>) -> Result<Draft, PromptError> {
    let form = Form::for_answer(ask.answer, ask.window);
    let tools = if form.tools() { ask.tools } else { &[] };
    let opening = opening(&ask.prompt, !tools.is_empty(), form, ask.answer)?;
    let tools = if ask.calls == Calls::Told { &[] } else { tools };
    let native = !tools.is_empty();
    let original_schema = ask.schema.clone().filter(|_| ask.adapted.is_some());
    let mut context = Vec::new();
    if !ask.conversation.is_empty() {
        context.push((CONVERSATION.to_owned(), ask.conversation.to_owned()));
    }
    // What a grammar lets through names only what is there; the rest of the scene would be repeated.
    if ask.answer == Answer::Term {
        context.clear();
    } else {
        context.push((SCENE.to_owned(), opening.context));
    }
    if ask.answer != Answer::Term && !opening.nodes.is_empty() {
        context.push((NODES.to_owned(), opening.nodes));
    }
    let attachments = Attachments {
        schema: ask.adapted.or(ask.schema),
        context,
    };
    let grammar = match ask.answer {
        Answer::Term => Some(held::grammar(&ask.prompt, form)?),
        Answer::Plan | Answer::Page => None,
    };
    let keys = attachments.context.iter().map(|(key, _)| key.clone()).collect();
    let room = room(ask.window, ask.max_tokens, &attachments, &opening.system);
    let exchanges = exchange::fitting(ask.exchanges, room.saturating_sub(opening.user.len()));
    let mut messages: Vec<Message> = Vec::new();
    for (asked, answered) in opening.turns {
        messages.push(Message::user(asked));
        messages.push(Message::new(Role::Assistant, answered));
    }
    messages.push(exchange::first(opening.user, ask.prompt.pictures));
    messages.extend(exchanges.iter().flat_map(|one| exchange::messages(one, native)));
    let request = Request::builder(messages)
        .system(Some(opening.system))
        .context_filter(Filter::Only(keys))
        .tools(tools.to_vec())
        .tool_choice(if native && ask.calls == Calls::Over {
            ToolChoice::None
        } else {
            ToolChoice::Auto
        })
        .grammar(grammar)
        .max_tokens(ask.max_tokens.and_then(|n| u32::try_from(n).ok()))
        .options(Options {
            temperature: ask.temperature,
            seed: ask.seed,
        })
        .build()?;
    Ok(Draft {
        request,
        attachments,
        original_schema,
        scene_cut: opening.cut && ask.answer != Answer::Term,
        exchanges_cut: matches!(exchanges, Cow::Owned(_)),
    })
}

/// Bytes that the exchanges may take, given what is known about the model.
fn room(window: Option<u64>, max_tokens: Option<u64>, attachments: &Attachments, system: &str) -> usize {
    let Some(all) = window else { return usize::MAX };
    let schema = attachments.schema.as_ref().map_or(0, |schema| schema.to_string().len());
    let context: usize = attachments.context.iter().map(|(_, text)| text.len()).sum();
    let reply = max_tokens.unwrap_or(REPLY_TOKENS.min(all / 3));
    let free = bytes_of(all.saturating_sub(reply));
    free.saturating_sub(schema + context + system.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use geonode_graph::Catalogue;
    use geonode_protocol::Extensions;
    use serde_json::json;

    #[test]
    fn a_request_fits_the_context_window_and_says_what_was_cut() {
        let (context, catalogue, extensions) = (
            json!({"active_object": "Cube"}),
            Catalogue::default(),
            Extensions::default(),
        );
        let result = |text: String| Exchange {
            reply: "{}".into(),
            calls: vec![geonode_provider::ToolCall {
                id: "1".into(),
                name: "node_docs".into(),
                arguments: json!({}),
            }],
            results: vec![crate::Results {
                id: "1".into(),
                text,
                image: None,
            }],
            feedback: String::new(),
        };
        let exchanges = [result("x".repeat(40_000)), result("the last".into())];
        let ask = |window, conversation| {
            draft(Ask {
                prompt: Prompt {
                    text: "bend it",
                    pictures: &[],
                    context: &context,
                    catalogue: &catalogue,
                    extensions: &extensions,
                    scripts: false,
                    context_tokens: 1_000,
                    max_steps: 25,
                },
                conversation,
                exchanges: &exchanges,
                tools: &[],
                calls: Calls::Free,
                answer: Answer::Plan,
                schema: Some(json!({"type": "object"})),
                adapted: None,
                window,
                max_tokens: None,
                temperature: None,
                seed: None,
            })
            .unwrap()
        };
        let (free, tight) = (ask(None, ""), ask(Some(20_000), "{}"));
        assert!(!free.exchanges_cut && tight.exchanges_cut && !tight.scene_cut);
        let bytes = |draft: &Draft| serde_json::to_string(&*draft.request).unwrap().len();
        assert!(bytes(&free) > 40_000 && bytes(&tight) < bytes(&free) - 38_000);
        let keys = |draft: &Draft| {
            draft
                .attachments
                .context
                .iter()
                .map(|(key, _)| key.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (keys(&free), keys(&tight)),
            (vec![SCENE.into()], vec![CONVERSATION.into(), SCENE.into()])
        );
        assert_eq!(free.original_schema, None, "nothing was adapted");
    }

    #[test]
    fn tools_are_callable_known_or_told_in_words() {
        let (context, catalogue, extensions) = (json!({}), Catalogue::default(), Extensions::default());
        let exchange = Exchange {
            reply: String::new(),
            calls: vec![geonode_provider::ToolCall {
                id: "1".into(),
                name: "node_docs".into(),
                arguments: json!({}),
            }],
            results: vec![crate::Results {
                id: "1".into(),
                text: "the docs".into(),
                image: None,
            }],
            feedback: crate::feedback(&geonode_run::Feedback::Tools { last: true }, crate::Besides::default()),
        };
        let tool = Tool {
            name: "node_docs".into(),
            description: String::new(),
            input_schema: json!({"type": "object"}),
        };
        let made = [Calls::Free, Calls::Over, Calls::Told].map(|calls| {
            let made = draft(Ask {
                prompt: Prompt {
                    text: "bend it",
                    pictures: &[],
                    context: &context,
                    catalogue: &catalogue,
                    extensions: &extensions,
                    scripts: false,
                    context_tokens: 1_000,
                    max_steps: 25,
                },
                conversation: "",
                exchanges: std::slice::from_ref(&exchange),
                tools: std::slice::from_ref(&tool),
                calls,
                answer: Answer::Plan,
                schema: None,
                adapted: None,
                window: None,
                max_tokens: None,
                temperature: None,
                seed: Some(7),
            });
            made.unwrap().request
        });
        let [free, over, told] = &made;
        assert!(made.iter().all(|request| request.options.seed == Some(7)));
        assert_eq!(
            made.each_ref()
                .map(|request| (request.tools.len(), request.tool_choice)),
            [(1, ToolChoice::Auto), (1, ToolChoice::None), (0, ToolChoice::Auto)]
        );
        assert_eq!((&free.system, &free.messages), (&over.system, &over.messages));
        assert_eq!(free.system, told.system, "a provider's cache holds");
        assert!(told.messages.iter().all(|message| message.tool_calls.is_empty()));
        let last = told.messages.last().unwrap().content.text();
        assert!(last.contains("No further call is possible"), "{last}");
        assert!(
            told.messages
                .iter()
                .any(|message| message.content.text().contains("the docs"))
        );
    }

    #[test]
    fn reference_pictures_follow_the_prompt() {
        let (context, catalogue, extensions) = (json!({}), Catalogue::default(), Extensions::default());
        let picture = geonode_tools::Image {
            media_type: "image/png".into(),
            data: "QUJD".into(),
        };
        let made = draft(Ask {
            prompt: Prompt {
                text: "like this",
                pictures: &[picture],
                context: &context,
                catalogue: &catalogue,
                extensions: &extensions,
                scripts: false,
                context_tokens: 1_000,
                max_steps: 25,
            },
            conversation: "",
            exchanges: &[],
            tools: &[],
            calls: Calls::Free,
            schema: None,
            answer: Answer::Plan,
            adapted: None,
            window: None,
            max_tokens: None,
            temperature: None,
            seed: None,
        })
        .unwrap();
        let [first] = made.request.messages.as_slice() else {
            panic!()
        };
        let geonode_provider::Content::Parts(parts) = &first.content else {
            panic!()
        };
        assert!(
            first
                .content
                .text()
                .contains("prompt, with a picture as reference:\nlike this")
        );
        assert!(matches!(&parts[1], geonode_provider::Part::Image { data, .. } if data == "QUJD"));
    }
}
