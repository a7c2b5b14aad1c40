//! Anthropic's Messages interface.

mod fault;
mod reply;
mod stream;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::reply::{Counted, Reply, explanation, finish_reason};
use super::interface::{Call, Dialect, ModelPage, Reader, SchemaUse, or_default, parse};
use crate::error::ProviderError;
use crate::message::{Content, Message, Part, Role, Tool, ToolCall};
use crate::reply::{Model, Response};
use crate::request::{Request, ToolChoice};
use crate::schema::Subset;
use crate::secret::ApiKey;

/// What `output_config.format` takes, as the vendor's documents and client libraries state it (2026-11).
const SUBSET: Subset = Subset {
    name: "Anthropic's structured output",
    keywords: &[
        "type",
        "description",
        "title",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "const",
        "anyOf",
        "$ref",
        "$defs",
    ],
    closed: true,
    all_required: false,
    recursion: false,
    max_optional: 24,
    max_unions: 16,
    max_properties: usize::MAX,
    max_depth: usize::MAX,
    max_values: usize::MAX,
    max_chars: usize::MAX,
};

/// The dialect.
pub(super) struct Anthropic;

/// This interface requires a limit; long plans need some thousand tokens.
const DEFAULT_MAX_TOKENS: u32 = 16_000;

/// Instructions of at least so many bytes are worth a place in the provider's cache; shorter ones it does not take.
const CACHED_FROM: usize = 4096;

impl Dialect for Anthropic {
    fn path(&self, _call: &Call<'_>) -> String {
        "messages".to_owned()
    }

    /// There is no form between a schema and words.
    fn weaker(&self, refused: SchemaUse) -> Option<SchemaUse> {
        (refused == SchemaUse::Native).then_some(SchemaUse::InPrompt)
    }

    fn subset(&self) -> Option<&'static Subset> {
        Some(&SUBSET)
    }

    fn check(&self, request: &Request) -> Result<(), ProviderError> {
        let invalid = |index: usize, what: &str| {
            Err(ProviderError::BodyInvalid {
                path: format!("/{index}"),
                what: what.to_owned(),
            })
        };
        if request.turns().next().is_some_and(|first| first.role != Role::User) {
            return invalid(0, "the conversation must begin with a message of role “user”");
        }
        if request.turns().last().is_some_and(|last| last.role == Role::Assistant) {
            let last = request.messages.len().saturating_sub(1);
            return invalid(
                last,
                "the last message must not be the model's own; current models refuse to continue it",
            );
        }
        Ok(())
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2026-10-21")]
    }

    fn auth(&self, key: &ApiKey) -> (&'static str, String) {
        ("x-api-key", key.expose().to_owned())
    }

    fn body(&self, call: &Call<'_>) -> Value {
        let request = call.request;
        let mut body = Map::new();
        body.insert("model".into(), call.model.into());
        body.insert(
            "max_tokens".into(),
            request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS).into(),
        );
        let instructions = call.instructions();
        // Writing to the cache costs more than reading without: only where a further turn is likely.
        let goes_on = !request.tools.is_empty() || request.turns().nth(1).is_some();
        if goes_on && instructions.as_ref().is_some_and(|text| text.len() >= CACHED_FROM) {
            body.insert("cache_control".into(), json!({"type": "ephemeral"}));
        }
        if let Some(system) = instructions {
            body.insert("system".into(), system.into());
        }
        body.insert("messages".into(), messages(request));
        if call.stream {
            body.insert("stream".into(), true.into());
        }
        if let (Some(wanted), SchemaUse::Native) = (call.schema, call.schema_use) {
            body.insert(
                "output_config".into(),
                json!({"format": {"type": "json_schema", "schema": wanted}}),
            );
        }
        if !request.tools.is_empty() {
            let tool = |tool: &Tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.input_schema});
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
            if request.tool_choice == ToolChoice::None {
                body.insert("tool_choice".into(), json!({"type": "none"}));
            }
        }
        // This version refuses sampling parameters, so temperature and seed stay here.
        Value::Object(body)
    }

    fn reply(&self, body: &[u8]) -> Result<Response, ProviderError> {
        let reply: Reply = parse(body)?;
        let Some(content) = reply.content else {
            return Err(ProviderError::bad_response("The answer contains no reply of a model."));
        };
        let (mut text, mut tool_calls) = (String::new(), Vec::new());
        for block in content {
            match block.kind.as_str() {
                "text" => text += &block.text.unwrap_or_default().text(),
                "tool_use" => tool_calls.push(ToolCall {
                    id: block.id.unwrap_or_default(),
                    name: block.name.unwrap_or_default(),
                    arguments: block.input.unwrap_or_default(),
                }),
                _ => {}
            }
        }
        if let (true, Some(why)) = (text.is_empty(), reply.stop_details.as_ref().and_then(explanation)) {
            text = why;
        }
        let mut usage = Counted::default();
        usage.add(reply.usage.as_ref());
        Ok(Response {
            text,
            tool_calls,
            finish_reason: finish_reason(reply.stop_reason.as_deref()),
            usage: usage.usage(),
            model: reply.model.unwrap_or_default(),
            request_id: None,
            notices: Vec::new(),
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<stream::MessagesReader>::default()
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ProviderError {
        fault::refusal(status, body)
    }

    fn models_path(&self) -> &'static str {
        "models?limit=1000"
    }

    fn models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        let page: Page = parse(body)?;
        let models: Vec<Model> = page
            .data
            .into_iter()
            .map(|model| Model {
                id: model.id,
                context_tokens: model.max_input_tokens,
            })
            .collect();
        let safe = |id: &String| {
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        };
        let last = page.last_id.filter(|id| page.has_more && safe(id));
        Ok(ModelPage {
            models,
            next: last.map(|id| format!("models?limit=1000&after_id={id}")),
            either: false,
            sizes: Vec::new(),
        })
    }
}

/// The conversation; results of tool calls travel as the user's, those of one reply in one message.
fn messages(request: &Request) -> Value {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in request.turns() {
        let role = if message.role == Role::Assistant {
            "assistant"
        } else {
            "user"
        };
        let blocks = blocks(message);
        match out.last_mut() {
            Some((before, all)) if *before == role => all.extend(blocks),
            _ => out.push((role, blocks)),
        }
    }
    out.into_iter()
        .map(|(role, blocks)| json!({"role": role, "content": blocks}))
        .collect()
}

fn blocks(message: &Message) -> Vec<Value> {
    if let (Role::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        return vec![json!({"type": "tool_result", "tool_use_id": id, "content": message.content.text()})];
    }
    let text = |text: &str| (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
    let part = |part: &Part| match part {
        Part::Text { text: words } => text(words),
        Part::Image { media_type, data } => {
            let source = json!({"type": "base64", "media_type": media_type, "data": data});
            Some(json!({"type": "image", "source": source}))
        }
    };
    let mut blocks: Vec<Value> = match &message.content {
        Content::Text(words) => text(words).into_iter().collect(),
        Content::Parts(parts) => parts.iter().filter_map(part).collect(),
    };
    blocks.extend(message.tool_calls.iter().map(|call| {
        // Only objects are accepted; a broken call is handed back as what it was.
        let input = if call.arguments.is_object() {
            call.arguments.clone()
        } else {
            json!({"raw": call.arguments})
        };
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
    }));
    blocks
}

#[derive(Deserialize)]
struct Page {
    data: Vec<WireModel>,
    #[serde(default, deserialize_with = "or_default")]
    has_more: bool,
    #[serde(default)]
    last_id: Option<String>,
}

#[derive(Deserialize)]
struct WireModel {
    id: String,
    #[serde(default)]
    max_input_tokens: Option<u64>,
}
