//! The content of a request.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{Message, Options, Role, Tool};

/// A selection among named things.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filter {
    /// Every one.
    All,
    /// None.
    None,
    /// Those with these names.
    Only(Vec<String>),
}

impl Filter {
    /// Whether the thing with this name is selected.
    pub fn takes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Only(names) => names.iter().any(|one| one == name),
        }
    }

    fn all() -> Self {
        Self::All
    }

    fn none() -> Self {
        Self::None
    }
}

/// Whether the model may call the tools that it is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It may not: it knows them from the conversation, and this reply has to be the answer.
    None,
}

impl ToolChoice {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

/// The content of a request. It is read through a [`Request`](super::Request), which cannot be changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Body {
    /// The interactions so far, oldest first.
    pub messages: Vec<Message>,
    /// Instructions above the conversation.
    #[serde(default)]
    pub system: Option<String>,
    /// JSON Schema that the reply must satisfy.
    #[serde(default)]
    pub schema: Option<Value>,
    /// Grammar in GBNF of what the reply may be, for a server that holds it to one. There it counts instead of the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grammar: Option<String>,
    /// Available tools.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Selection of the tools that the model may call.
    #[serde(default = "Filter::all")]
    pub tool_filter: Filter,
    /// Whether the model may call tools now.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// Selection of the parts of the context that the model sees.
    #[serde(default = "Filter::none")]
    pub context_filter: Filter,
    /// Most tokens of the reply, reasoning included.
    #[serde(default)]
    pub max_tokens: Option<u32>,
    /// Sampling options.
    #[serde(default)]
    pub options: Options,
}

impl Body {
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

    /// The tools that pass the filter, in their order.
    pub fn offered(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().filter(|tool| self.tool_filter.takes(&tool.name))
    }
}
