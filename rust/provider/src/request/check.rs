//! Refuses requests that every provider would refuse, before anything is sent.

use serde_json::Value;

use super::body::{Body, Filter};
use crate::error::ProviderError;
use crate::limits;
use crate::message::{Message, Role};

pub(super) fn check(body: &Body) -> Result<(), ProviderError> {
    messages(body)?;
    schemas(body)?;
    tools(body)?;
    let degree = body.options.temperature;
    if degree.is_some_and(|degree| !(0.0..=2.0).contains(&degree)) {
        return refuse("options.temperature", "must be a number from 0 to 2");
    }
    if body.max_tokens == Some(0) {
        return refuse("max_tokens", "must be at least 1");
    }
    Ok(())
}

fn invalid(index: usize, field: &str, what: impl Into<String>) -> ProviderError {
    ProviderError::BodyInvalid {
        path: format!("/{index}{field}"),
        what: what.into(),
    }
}

fn refuse(field: &'static str, what: impl Into<String>) -> Result<(), ProviderError> {
    Err(ProviderError::RequestInvalid {
        field,
        what: what.into(),
    })
}

/// Every call has one answer, directly after the message that made it.
fn messages(body: &Body) -> Result<(), ProviderError> {
    if body.turns().next().is_none() {
        return Err(ProviderError::BodyInvalid {
            path: String::new(),
            what: "there is no message to answer; add at least one of role “user”".to_owned(),
        });
    }
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in body.messages.iter().enumerate() {
        fields(index, message)?;
        match message.role {
            Role::Tool => {
                let id = message.tool_call_id.as_deref().unwrap_or_default();
                let Some(position) = open.iter().position(|call| *call == id) else {
                    let what = "matches no pending call of the preceding assistant message";
                    return Err(invalid(index, "/tool_call_id", what));
                };
                open.remove(position);
            }
            Role::System => {}
            Role::User | Role::Assistant if open.is_empty() => {
                if message.content.is_empty() && message.tool_calls.is_empty() {
                    return Err(invalid(index, "/content", "is empty"));
                }
            }
            Role::User | Role::Assistant => {
                let what = "pending calls of an earlier message have no “tool” messages yet";
                return Err(invalid(index, "", what));
            }
        }
        open.extend(message.tool_calls.iter().map(|call| call.id.as_str()));
    }
    if open.is_empty() {
        return Ok(());
    }
    let last = body.messages.len().saturating_sub(1);
    let what = "has pending calls; add their “tool” messages";
    Err(invalid(last, "/tool_calls", what))
}

/// Fields that only some roles have.
fn fields(index: usize, message: &Message) -> Result<(), ProviderError> {
    if message.role != Role::Assistant && !message.tool_calls.is_empty() {
        let what = "only a message of role “assistant” can make calls";
        return Err(invalid(index, "/tool_calls", what));
    }
    if message.role != Role::Tool && message.tool_call_id.is_some() {
        let what = "only a message of role “tool” can answer a call";
        return Err(invalid(index, "/tool_call_id", what));
    }
    let deep = |call: &crate::message::ToolCall| deeper_than(&call.arguments, limits::JSON_DEPTH);
    if message.tool_calls.iter().any(deep) {
        let what = format!("arguments are nested at most {} levels deep", limits::JSON_DEPTH);
        return Err(invalid(index, "/tool_calls", what));
    }
    Ok(())
}

fn schemas(body: &Body) -> Result<(), ProviderError> {
    let schemas = body.schema.iter().map(|schema| ("schema", schema));
    let schemas = schemas.chain(body.tools.iter().map(|tool| ("tools", &tool.input_schema)));
    for (field, schema) in schemas {
        if !schema.is_object() {
            return refuse(field, "a schema must be an object");
        }
        if deeper_than(schema, limits::JSON_DEPTH) {
            let what = format!("a schema is nested at most {} levels deep", limits::JSON_DEPTH);
            return refuse(field, what);
        }
    }
    Ok(())
}

fn tools(body: &Body) -> Result<(), ProviderError> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    for (index, tool) in body.tools.iter().enumerate() {
        let shown = tool.name.escape_debug();
        if !(1..=64).contains(&tool.name.len()) || !tool.name.chars().all(legal) {
            return refuse("tools", format!("“{shown}” is not 1 to 64 letters, digits, “_” or “-”"));
        }
        if body.tools.iter().take(index).any(|before| before.name == tool.name) {
            return refuse("tools", format!("two tools have the name “{shown}”"));
        }
    }
    let Filter::Only(names) = &body.tool_filter else {
        return Ok(());
    };
    match names
        .iter()
        .find(|name| body.tools.iter().all(|tool| tool.name != **name))
    {
        Some(name) => refuse("tool_filter", format!("there is no tool “{}”", name.escape_debug())),
        None => Ok(()),
    }
}

/// Whether `value` nests deeper than `limit`; itself without recursion.
pub(crate) fn deeper_than(value: &Value, limit: usize) -> bool {
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > limit {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    false
}
