//! Chat Completions, as OpenAI defined it and as Ollama, LM Studio, llama.cpp, vLLM, OpenRouter … serve it.

mod chunk;
mod stream;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::chunk::{Calls, finish_reason, parse_chunk, read_usage};
use super::interface::{Call, Dialect, ModelPage, Reader, SchemaUse, parse};
use super::openai_error;
use crate::error::ProviderError;
use crate::message::{Content, Message, Part, Role, ToolCall};
use crate::reply::{FinishReason, Model, Response};
use crate::request::ToolChoice;
use crate::schema::{self, Subset};
use crate::secret::ApiKey;

/// Strict mode of OpenAI's Responses and Chat Completions, as its documents and client libraries state it (2026-11).
pub(super) const STRICT: Subset = Subset {
    name: "OpenAI's strict mode",
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
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
        "pattern",
    ],
    closed: true,
    all_required: true,
    recursion: true,
    max_optional: 0,
    max_unions: usize::MAX,
    max_properties: 5_000,
    max_depth: 10,
    max_values: 1_000,
    max_chars: 120_000,
};

/// The dialect.
pub(super) struct Chat;

/// Name under which a schema is sent.
const SCHEMA_NAME: &str = "reply";

impl Dialect for Chat {
    fn path(&self, _call: &Call<'_>) -> String {
        "chat/completions".to_owned()
    }

    /// Whose server it is nobody knows, so the schema goes out as it is.
    fn subset(&self) -> Option<&'static Subset> {
        None
    }

    fn auth(&self, key: &ApiKey) -> (&'static str, String) {
        ("authorization", format!("Bearer {}", key.expose()))
    }

    fn body(&self, call: &Call<'_>) -> Value {
        let request = call.request;
        let mut messages: Vec<Value> = Vec::new();
        if let Some(system) = call.instructions() {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.extend(request.turns().map(message));

        let mut body = Map::new();
        body.insert("model".into(), call.model.into());
        body.insert("messages".into(), messages.into());
        if call.stream {
            body.insert("stream".into(), true.into());
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        match (call.schema, call.schema_use) {
            _ if call.grammar.is_some() => {
                body.insert("grammar".into(), call.grammar.into());
            }
            (Some(wanted), SchemaUse::Native) => {
                let format =
                    json!({"name": SCHEMA_NAME, "strict": schema::conforms(wanted, &STRICT), "schema": wanted});
                body.insert(
                    "response_format".into(),
                    json!({"type": "json_schema", "json_schema": format}),
                );
            }
            (Some(_), SchemaUse::Json) => {
                body.insert("response_format".into(), json!({"type": "json_object"}));
            }
            _ => {}
        }
        if !request.tools.is_empty() {
            let tool = |tool: &crate::message::Tool| {
                let function =
                    json!({"name": tool.name, "description": tool.description, "parameters": tool.input_schema});
                json!({"type": "function", "function": function})
            };
            body.insert("tools".into(), request.tools.iter().map(tool).collect());
            if request.tool_choice == ToolChoice::None {
                body.insert("tool_choice".into(), "none".into());
            }
        }
        if let Some(limit) = request.max_tokens {
            body.insert(limit_name(call.host).into(), limit.into());
        }
        if let Some(temperature) = request.options.temperature {
            body.insert("temperature".into(), temperature.into());
        }
        if let Some(seed) = request.options.seed {
            body.insert("seed".into(), seed.into());
        }
        Value::Object(body)
    }

    fn reply(&self, body: &[u8]) -> Result<Response, ProviderError> {
        let chunk = parse_chunk(body)?;
        let usage = chunk.usage.as_ref().and_then(read_usage);
        let model = chunk.model.unwrap_or_default();
        let choice = chunk.choices.into_iter().flatten().next();
        let Some((message, finish)) = choice.and_then(|choice| Some((choice.message?, choice.finish_reason))) else {
            return Err(ProviderError::bad_response("The answer contains no reply of a model."));
        };
        let mut calls = Calls::default();
        for call in message.tool_calls.into_iter().flatten() {
            calls.whole(call);
        }
        let content = message.content.unwrap_or_default();
        let refusal = message.refusal.filter(|refusal| !refusal.is_empty());
        let finish_reason = if refusal.is_some() {
            FinishReason::Refused
        } else {
            finish_reason(finish.as_deref())
        };
        let text = match &refusal {
            Some(refusal) if content.is_empty() => refusal.text(),
            _ => content.text(),
        };
        Ok(Response {
            text,
            tool_calls: calls.finish(),
            finish_reason,
            usage,
            model,
            request_id: None,
            notices: Vec::new(),
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::<stream::ChatReader>::default()
    }

    fn refusal(&self, status: u16, body: &[u8]) -> ProviderError {
        openai_error::refusal(status, body)
    }

    fn models(&self, body: &[u8]) -> Result<ModelPage, ProviderError> {
        models(body)
    }
}

/// Who says to own the models of llama.cpp's server: it constrains a reply by one grammar, that of the schema or that of the tools.
const ONE_GRAMMAR: &str = "llamacpp";

/// Reads a model list, with the extra figures that some servers give.
pub(super) fn models(body: &[u8]) -> Result<ModelPage, ProviderError> {
    let list: ModelList = parse(body)?;
    let owned = |model: &WireModel| model.rest.get("owned_by").is_some_and(|owner| owner == ONE_GRAMMAR);
    let either = list.data.iter().flatten().any(owned);
    let size = |model: &WireModel| {
        let count = model.rest.get("meta")?.get("n_params")?.as_u64()?;
        Some((model.id.clone(), count))
    };
    let sizes = list.data.iter().flatten().filter(|_| either).filter_map(size).collect();
    let models = list.data.into_iter().flatten().map(|model| {
        let names = [
            "context_length",
            "max_model_len",
            "max_context_length",
            "context_window",
        ];
        let context_tokens = names.iter().find_map(|name| model.rest.get(*name)?.as_u64());
        // What is served comes before what the model was trained for.
        let trained = || {
            let meta = model.rest.get("meta")?;
            ["n_ctx", "n_ctx_train"]
                .iter()
                .find_map(|name| meta.get(*name)?.as_u64())
        };
        Model {
            context_tokens: context_tokens.or_else(trained),
            id: model.id,
        }
    });
    Ok(ModelPage {
        models: models.collect(),
        next: None,
        either,
        sizes,
    })
}

/// OpenAI's own servers refuse the old name for their reasoning models; many others know only the old one.
fn limit_name(host: &str) -> &'static str {
    let vendor = ["openai.com", "openai.azure.com"];
    let own = vendor
        .iter()
        .any(|domain| host == *domain || host.ends_with(&format!(".{domain}")));
    if own { "max_completion_tokens" } else { "max_tokens" }
}

fn message(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => "system",
        Role::Tool => "tool",
    };
    let mut out = Map::new();
    out.insert("role".into(), role.into());
    out.insert("content".into(), content(&message.content));
    if let Some(id) = &message.tool_call_id {
        out.insert("tool_call_id".into(), id.as_str().into());
    }
    if !message.tool_calls.is_empty() {
        let call = |call: &ToolCall| {
            let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
            json!({"id": call.id, "type": "function", "function": function})
        };
        out.insert("tool_calls".into(), message.tool_calls.iter().map(call).collect());
    }
    Value::Object(out)
}

fn content(content: &Content) -> Value {
    match content {
        Content::Text(text) => text.as_str().into(),
        Content::Parts(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => json!({"type": "text", "text": text}),
                Part::Image { media_type, data } => {
                    json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}})
                }
            })
            .collect(),
    }
}

#[derive(Deserialize)]
struct ModelList {
    data: Option<Vec<WireModel>>,
}

#[derive(Deserialize)]
struct WireModel {
    id: String,
    #[serde(flatten)]
    rest: Map<String, Value>,
}
