//! What is asked: messages, tools, schema and options, the same for every provider.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ProviderError;
use crate::limits;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The artist, or the runtime on the artist's behalf.
    User,
    /// The model.
    Assistant,
    /// Instructions; they join the request's `system`.
    System,
    /// The result of a tool call.
    Tool,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// Base64 of the file.
        data: String,
    },
}

/// The content of a message: a string, or parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Words only.
    Text(String),
    /// Words and pictures in order.
    Parts(Vec<Part>),
}

impl Content {
    /// All words, in order, joined by line breaks.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => {
                let texts: Vec<&str> = parts
                    .iter()
                    .filter_map(|part| match part {
                        Part::Text { text } => Some(text.as_str()),
                        Part::Image { .. } => None,
                    })
                    .collect();
                texts.join("\n")
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::Parts(parts) => parts.is_empty(),
        }
    }
}

/// A call that the model wants made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The provider's identifier; the result refers to it.
    pub id: String,
    /// Tool name.
    pub name: String,
    /// Arguments, as JSON.
    pub arguments: Value,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: Content,
    /// Calls that an assistant message made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl Message {
    /// A plain message.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            content: Content::Text(text.into()),
            tool_calls: Vec::new(),
            tool_call_id: None,
        }
    }

    /// A plain message of the artist.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, text)
    }
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `[A-Za-z0-9_-]{1,64}`.
    pub name: String,
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
}

/// Fine control that not every model takes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// 0 (steady) to 2 (wild).
    pub temperature: Option<f64>,
    /// Seed of the sampling, where the server has one.
    pub seed: Option<u64>,
}

/// One request, independent of the provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// Instructions that stand above the conversation.
    #[serde(default)]
    pub system: Option<String>,
    /// JSON Schema that the reply shall satisfy.
    #[serde(default)]
    pub schema: Option<Value>,
    /// Tools that the model may call.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Most tokens of the reply, reasoning included.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// Fine control.
    #[serde(default)]
    pub options: Options,
}

impl Request {
    /// A conversation with nothing else set.
    pub fn new(messages: Vec<Message>) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }

    /// `system` and all system messages, in order, joined by blank lines.
    pub(crate) fn instructions(&self) -> Option<String> {
        let own = self.system.iter().cloned();
        let among = self
            .messages
            .iter()
            .filter(|message| message.role == Role::System)
            .map(|m| m.content.text());
        let all: Vec<String> = own.chain(among).filter(|text| !text.trim().is_empty()).collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }

    /// The conversation without its system messages.
    pub(crate) fn turns(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.role != Role::System)
    }

    /// Refuses what every provider would refuse, before anything is sent.
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        let invalid = |path: String, what: &str| ProviderError::BodyInvalid {
            path,
            what: what.to_owned(),
        };
        if self.turns().next().is_none() {
            return Err(invalid(
                String::new(),
                "there is no message to answer; give at least one of role “user”",
            ));
        }
        let mut open: Vec<&str> = Vec::new();
        for (index, message) in self.messages.iter().enumerate() {
            let at = |field: &str| format!("/{index}{field}");
            if message.role != Role::Assistant && !message.tool_calls.is_empty() {
                return Err(invalid(
                    at("/tool_calls"),
                    "only a message of role “assistant” makes calls",
                ));
            }
            if message.role != Role::Tool && message.tool_call_id.is_some() {
                return Err(invalid(
                    at("/tool_call_id"),
                    "only a message of role “tool” answers a call",
                ));
            }
            match message.role {
                Role::Tool => {
                    let id = message.tool_call_id.as_deref().unwrap_or_default();
                    let Some(position) = open.iter().position(|call| *call == id) else {
                        return Err(invalid(
                            at("/tool_call_id"),
                            "names no open call of the assistant message before it",
                        ));
                    };
                    open.remove(position);
                }
                Role::System => {}
                Role::User | Role::Assistant => {
                    if !open.is_empty() {
                        return Err(invalid(
                            at(""),
                            "the calls before it still wait for their “tool” messages",
                        ));
                    }
                    if message.content.is_empty() && message.tool_calls.is_empty() {
                        return Err(invalid(at("/content"), "is empty"));
                    }
                }
            }
            for call in &message.tool_calls {
                open.push(&call.id);
            }
        }
        if !open.is_empty() {
            let last = self.messages.len().saturating_sub(1);
            return Err(invalid(
                format!("/{last}/tool_calls"),
                "has calls without an answer; add their “tool” messages",
            ));
        }
        self.check_rest()
    }

    fn check_rest(&self) -> Result<(), ProviderError> {
        let refuse = |field: &'static str, what: String| Err(ProviderError::RequestInvalid { field, what });
        let schemas = self.schema.iter().map(|schema| ("schema", schema));
        let schemas = schemas.chain(self.tools.iter().map(|tool| ("tools", &tool.input_schema)));
        for (field, schema) in schemas {
            if !schema.is_object() {
                return refuse(field, "a schema is an object".into());
            }
            if deeper_than(schema, limits::JSON_DEPTH) {
                return refuse(
                    field,
                    format!("a schema is nested at most {} levels deep", limits::JSON_DEPTH),
                );
            }
        }
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if let Some(tool) = self
            .tools
            .iter()
            .find(|t| !(1..=64).contains(&t.name.len()) || !t.name.chars().all(legal))
        {
            return refuse(
                "tools",
                format!(
                    "“{}” is not 1 to 64 letters, digits, “_” or “-”",
                    tool.name.escape_debug()
                ),
            );
        }
        if self
            .options
            .temperature
            .is_some_and(|degree| !(0.0..=2.0).contains(&degree))
        {
            return refuse("options.temperature", "must be a number from 0 to 2".into());
        }
        if self.max_tokens == Some(0) {
            return refuse("max_tokens", "must be at least 1".into());
        }
        Ok(())
    }
}

/// Whether `value` nests deeper than `limit`; itself without recursion.
fn deeper_than(value: &Value, limit: usize) -> bool {
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
