//! What every dialect is: how it is given a request, and what it gives back.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::repeated::without_repeated_fields;
use crate::error::ProviderError;
use crate::reply::{Model, Response, StreamEvent};
use crate::request::Request;
use crate::schema::Subset;
use crate::secret::ApiKey;
use crate::sse::SseEvent;

/// How the schema of a request is brought to the model, the strongest form first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SchemaUse {
    /// The provider's own constrained output.
    Native,
    /// In words, and the model is held to JSON of any form; the caller validates.
    Json,
    /// In words alone; the caller validates.
    InPrompt,
}

/// One request, ready to be written in a dialect.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) request: &'a Request,
    pub(crate) model: &'a str,
    pub(crate) stream: bool,
    /// The schema as it is brought to the model.
    pub(crate) schema: Option<&'a Value>,
    pub(crate) schema_use: SchemaUse,
    /// The grammar that the server holds the reply to, if it takes one.
    pub(crate) grammar: Option<&'a str>,
    /// Host of the endpoint: the vendor's own servers and lookalikes differ in details.
    pub(crate) host: &'a str,
}

impl Call<'_> {
    /// The instructions, the schema included where it must be said in words.
    pub(crate) fn instructions(&self) -> Option<String> {
        let mut parts: Vec<String> = self.request.instructions().into_iter().collect();
        if let (Some(schema), SchemaUse::Json | SchemaUse::InPrompt) = (self.schema, self.schema_use) {
            parts.push(format!(
                "Answer with one JSON object and nothing else: no prose, no code fence. It must satisfy this JSON Schema:\n{schema}"
            ));
        }
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }
}

/// Parses a reply body or the data of an event in the provider's own form. Of repeated fields the last one that is not null counts.
pub(super) fn parse<T: serde::de::DeserializeOwned>(body: &[u8]) -> Result<T, ProviderError> {
    let text = std::str::from_utf8(body).map_err(|_| ProviderError::bad_response("The answer is not valid UTF-8."))?;
    if text.trim().is_empty() {
        return Err(ProviderError::bad_response("The answer is empty."));
    }
    serde_json::from_str(text)
        .or_else(|error| match without_repeated_fields(text) {
            Some(once) if error.is_data() => serde_json::from_str(&once),
            _ => Err(error),
        })
        .map_err(|error| {
            ProviderError::bad_response(format!(
                "The answer does not have the form of this interface ({error})."
            ))
        })
}

/// A field that servers also send as `null`, which says no more than a missing one.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

/// Arguments of a tool call as the model wrote them. What is not JSON is handed on as a string: the tool's own validation
/// tells the model.
pub(super) fn arguments(text: String) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// What an event of a stream was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing new: a ping, a header, an empty delta.
    Idle,
    /// The model made progress.
    Content,
    /// The terminal mark; `End` was pushed.
    End,
}

/// Reads the events of one stream.
pub(crate) trait Reader: Send {
    /// Reads one event and pushes what it means.
    fn event(&mut self, event: &SseEvent, out: &mut Vec<StreamEvent>) -> Result<Step, ProviderError>;

    /// The stream ended without a terminal mark. Dialects whose mark is the end itself push `End` here.
    fn end_of_stream(&mut self, _out: &mut Vec<StreamEvent>) -> Result<(), ProviderError> {
        Err(ProviderError::bad_response(
            "The answer ended in the middle. The server may have been stopped; send again.",
        ))
    }
}

/// A page of a model list.
#[derive(Debug, Default)]
pub(crate) struct ModelPage {
    pub(crate) models: Vec<Model>,
    /// Path of the next page, query included.
    pub(crate) next: Option<String>,
    /// Whether the server holds a reply to its schema, or lets the model call tools, but not both.
    pub(crate) either: bool,
    /// How many parameters a model has, as far as a server says so that holds a reply to a grammar.
    pub(crate) sizes: Vec<(String, u64)>,
}

/// A wire dialect.
pub(crate) trait Dialect: Send + Sync {
    /// Path below the base address.
    fn path(&self, call: &Call<'_>) -> String;

    /// The form of structured output after one that the server refused; none after the last.
    fn weaker(&self, refused: SchemaUse) -> Option<SchemaUse> {
        match refused {
            SchemaUse::Native => Some(SchemaUse::Json),
            SchemaUse::Json => Some(SchemaUse::InPrompt),
            SchemaUse::InPrompt => None,
        }
    }

    /// Whether a schema and tools can be used in one request.
    fn takes_schema_with_tools(&self) -> bool {
        true
    }

    /// What the provider's constrained output takes; none: it takes what it is given, or refuses it.
    fn subset(&self) -> Option<&'static Subset>;

    /// Whether the provider also takes schemas outside of its subset, as advice.
    fn takes_advice(&self) -> bool {
        false
    }

    /// Refuses what only this provider would refuse, before anything is sent.
    fn check(&self, _request: &Request) -> Result<(), ProviderError> {
        Ok(())
    }

    /// Headers that every request carries.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The header that carries the key.
    fn auth(&self, key: &ApiKey) -> (&'static str, String);

    /// The request body.
    fn body(&self, call: &Call<'_>) -> Value;

    /// Reads a whole reply that came with a success status.
    fn reply(&self, body: &[u8]) -> Result<Response, ProviderError>;

    /// A reader for one streamed reply.
    fn reader(&self) -> Box<dyn Reader>;

    /// What an error answer means.
    fn refusal(&self, status: u16, body: &[u8]) -> ProviderError;

    /// Path of the first page of the model list.
    fn models_path(&self) -> &'static str {
        "models"
    }

    /// Reads a page of the model list.
    fn models(&self, body: &[u8]) -> Result<ModelPage, ProviderError>;
}
