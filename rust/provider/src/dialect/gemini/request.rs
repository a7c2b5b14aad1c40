//! The request body of Gemini's interface.

use serde_json::{Map, Value, json};

use super::chunk::{SIGNED, UNNAMED};
use crate::dialect::interface::{Call, SchemaUse};
use crate::message::{Content, Message, Part, Role, Tool};
use crate::request::{Request, ToolChoice};

/// The whole body.
pub(super) fn body(call: &Call<'_>) -> Value {
    let request = call.request;
    let mut body = Map::new();
    if let Some(system) = call.instructions() {
        body.insert("systemInstruction".into(), json!({"parts": [{"text": system}]}));
    }
    body.insert("contents".into(), contents(request));
    let mut config = Map::new();
    if let Some(limit) = request.max_tokens {
        config.insert("maxOutputTokens".into(), limit.into());
    }
    if let Some(temperature) = request.options.temperature {
        config.insert("temperature".into(), temperature.into());
    }
    if let Some(seed) = request.options.seed {
        config.insert("seed".into(), seed.into());
    }
    if let (Some(schema), SchemaUse::Native | SchemaUse::Json) = (call.schema, call.schema_use) {
        config.insert("responseMimeType".into(), "application/json".into());
        if call.schema_use == SchemaUse::Native {
            config.insert("responseJsonSchema".into(), schema.clone());
        }
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), config.into());
    }
    if !request.tools.is_empty() {
        let tool = |tool: &Tool| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.input_schema});
        let all: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{"functionDeclarations": all}]));
        if request.tool_choice == ToolChoice::None {
            body.insert("toolConfig".into(), json!({"functionCallingConfig": {"mode": "NONE"}}));
        }
    }
    Value::Object(body)
}

/// The conversation: turns of one speaker in a row are one, results of calls travel as the user's.
fn contents(request: &Request) -> Value {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    let turns: Vec<&Message> = request.turns().collect();
    for (index, message) in turns.iter().enumerate() {
        let role = if message.role == Role::Assistant {
            "model"
        } else {
            "user"
        };
        let parts = parts(message, turns.get(..index).unwrap_or_default());
        match out.last_mut() {
            Some((before, all)) if *before == role => all.extend(parts),
            _ => out.push((role, parts)),
        }
    }
    out.into_iter()
        .map(|(role, parts)| json!({"role": role, "parts": parts}))
        .collect()
}

fn parts(message: &Message, before: &[&Message]) -> Vec<Value> {
    if let (Role::Tool, Some(id)) = (message.role, &message.tool_call_id) {
        return vec![json!({"functionResponse": result(message, id, before)})];
    }
    let text = |text: &str| (!text.is_empty()).then(|| json!({"text": text}));
    let mut out: Vec<Value> = match &message.content {
        Content::Text(words) => text(words).into_iter().collect(),
        Content::Parts(parts) => parts
            .iter()
            .filter_map(|part| match part {
                Part::Text { text: words } => text(words),
                Part::Image { media_type, data } => Some(json!({"inlineData": {"mimeType": media_type, "data": data}})),
            })
            .collect(),
    };
    out.extend(message.tool_calls.iter().map(|call| {
        // Only objects are accepted; a broken call is handed back as what it was.
        let args = if call.arguments.is_object() {
            call.arguments.clone()
        } else {
            json!({"raw": call.arguments})
        };
        let (id, signature) = split(&call.id);
        let mut function = json!({"name": call.name, "args": args});
        if let (Some(id), Some(map)) = (id, function.as_object_mut()) {
            map.insert("id".into(), id.into());
        }
        let mut part = json!({"functionCall": function});
        if let (Some(signature), Some(map)) = (signature, part.as_object_mut()) {
            map.insert("thoughtSignature".into(), signature.into());
        }
        part
    }));
    out
}

/// The result of a call, under the name that the call had.
fn result(message: &Message, id: &str, before: &[&Message]) -> Value {
    let calls = before.iter().rev().flat_map(|message| &message.tool_calls);
    let name = calls
        .filter(|call| call.id == id)
        .map(|call| call.name.as_str())
        .next()
        .unwrap_or_default();
    let text = message.content.text();
    let response = match serde_json::from_str::<Value>(&text) {
        Ok(object @ Value::Object(_)) => object,
        _ => json!({"result": text}),
    };
    let mut out = json!({"name": name, "response": response});
    if let ((Some(id), _), Some(map)) = (split(id), out.as_object_mut()) {
        map.insert("id".into(), id.into());
    }
    out
}

/// The provider's own identifier, if it gave one, and its signature.
fn split(id: &str) -> (Option<&str>, Option<&str>) {
    let (id, signature) = match id.split_once(SIGNED) {
        Some((id, signature)) => (id, Some(signature)),
        None => (id, None),
    };
    ((!id.starts_with(UNNAMED)).then_some(id), signature)
}
