//! A request: an immutable value, the same for every provider, that only a builder makes.

mod body;
mod check;
mod fingerprint;

use std::ops::Deref;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

pub use body::{Body, Filter, ToolChoice};
pub use fingerprint::Fingerprint;

use crate::error::ProviderError;
use crate::message::{Message, Options, Tool};

/// One request, independent of the provider: checked when it was built, cheap to clone, never changed. Its fields are those of
/// [`Body`]; each `with_…` gives a changed copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Request(Arc<Body>);

impl Deref for Request {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.0
    }
}

impl Request {
    /// A conversation with nothing else set.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn new(messages: Vec<Message>) -> Result<Self, ProviderError> {
        RequestBuilder::new(messages).build()
    }

    /// A builder that begins with a conversation.
    pub fn builder(messages: Vec<Message>) -> RequestBuilder {
        RequestBuilder::new(messages)
    }

    /// A builder that begins with a copy of this request.
    pub fn to_builder(&self) -> RequestBuilder {
        RequestBuilder(Body::clone(&self.0))
    }

    /// A copy with another conversation.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_messages(&self, messages: Vec<Message>) -> Result<Self, ProviderError> {
        self.to_builder().messages(messages).build()
    }

    /// A copy with one more message.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_message(&self, message: Message) -> Result<Self, ProviderError> {
        self.to_builder().message(message).build()
    }

    /// A copy with other instructions.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_system(&self, system: Option<String>) -> Result<Self, ProviderError> {
        self.to_builder().system(system).build()
    }

    /// A copy with another schema.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_schema(&self, schema: Option<Value>) -> Result<Self, ProviderError> {
        self.to_builder().schema(schema).build()
    }

    /// A copy with other tools.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_tools(&self, tools: Vec<Tool>) -> Result<Self, ProviderError> {
        self.to_builder().tools(tools).build()
    }

    /// A copy with another selection of tools.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_tool_filter(&self, filter: Filter) -> Result<Self, ProviderError> {
        self.to_builder().tool_filter(filter).build()
    }

    /// A copy with another selection of the context.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_context_filter(&self, filter: Filter) -> Result<Self, ProviderError> {
        self.to_builder().context_filter(filter).build()
    }

    /// A copy with another limit of the reply, in tokens.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_max_tokens(&self, limit: Option<u32>) -> Result<Self, ProviderError> {
        self.to_builder().max_tokens(limit).build()
    }

    /// A copy with other sampling options.
    ///
    /// # Errors
    /// As [`RequestBuilder::build`].
    pub fn with_options(&self, options: Options) -> Result<Self, ProviderError> {
        self.to_builder().options(options).build()
    }
}

/// Collects the parts of a request; [`build`](Self::build) checks it as a whole. Its JSON form is that of [`Body`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
#[must_use]
pub struct RequestBuilder(Body);

impl From<Body> for RequestBuilder {
    fn from(body: Body) -> Self {
        Self(body)
    }
}

impl RequestBuilder {
    /// Begins with a conversation and nothing else.
    pub fn new(messages: Vec<Message>) -> Self {
        Self(Body {
            messages,
            system: None,
            schema: None,
            grammar: None,
            tools: Vec::new(),
            tool_filter: Filter::All,
            tool_choice: ToolChoice::Auto,
            context_filter: Filter::None,
            max_tokens: None,
            options: Options::default(),
        })
    }

    /// Replaces the conversation.
    pub fn messages(mut self, messages: Vec<Message>) -> Self {
        self.0.messages = messages;
        self
    }

    /// Appends a message.
    pub fn message(mut self, message: Message) -> Self {
        self.0.messages.push(message);
        self
    }

    /// Instructions above the conversation.
    pub fn system(mut self, system: Option<String>) -> Self {
        self.0.system = system;
        self
    }

    /// JSON Schema that the reply must satisfy.
    pub fn schema(mut self, schema: Option<Value>) -> Self {
        self.0.schema = schema;
        self
    }

    /// Grammar in GBNF of what the reply may be.
    pub fn grammar(mut self, grammar: Option<String>) -> Self {
        self.0.grammar = grammar;
        self
    }

    /// Available tools.
    pub fn tools(mut self, tools: Vec<Tool>) -> Self {
        self.0.tools = tools;
        self
    }

    /// Selection of the tools that the model may call.
    pub fn tool_filter(mut self, filter: Filter) -> Self {
        self.0.tool_filter = filter;
        self
    }

    /// Whether the model may call tools now.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.0.tool_choice = choice;
        self
    }

    /// Selection of the parts of the context that the model sees.
    pub fn context_filter(mut self, filter: Filter) -> Self {
        self.0.context_filter = filter;
        self
    }

    /// Most tokens of the reply, reasoning included.
    pub fn max_tokens(mut self, limit: Option<u32>) -> Self {
        self.0.max_tokens = limit;
        self
    }

    /// Sampling options.
    pub fn options(mut self, options: Options) -> Self {
        self.0.options = options;
        self
    }

    /// The request, if every provider would accept it.
    ///
    /// # Errors
    /// `BodyInvalid` with a JSON Pointer into the messages, `RequestInvalid` with the field.
    pub fn build(self) -> Result<Request, ProviderError> {
        check::check(&self.0)?;
        Ok(Request(Arc::new(self.0)))
    }
}
