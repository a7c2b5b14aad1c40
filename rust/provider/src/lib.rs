//! Talks to language models: the only crate that uses reqwest.
//!
//! A [`Client`] sends a [`Request`] that is the same for every provider; a dialect writes it and reads
//! the reply; one place (`http`) sends, with limits, retries, cancellation and one shared runtime around it.
//!
//! What never happens here: a key in a message, log or redirect; plain http beyond this computer; a wait without an end;
//! a second request after text was handed over; a panic because of a server's data.

mod calling;
mod canonical;
mod client;
mod config;
pub mod connection;
mod dialect;
mod error;
mod forms;
mod http;
pub mod keys;
mod leak;
mod learned;
mod limits;
mod measure;
mod message;
mod models;
pub mod policy;
mod providers;
mod redact;
mod replay;
mod reply;
mod request;
mod retry;
mod runtime;
pub mod schema;
mod secret;
mod sse;
mod stream;
mod text;

pub use client::Client;
pub use config::ClientConfig;
pub use error::{Detail, ErrorClass, ProviderError};
pub use http::Departure;
pub use message::{Content, Message, Options, Part, Role, Tool, ToolCall};
pub use models::{Estimate, Fitting, ModelInfo, Prices, model, models};
pub use providers::{Models, Provider, ProviderRow, Words};
pub use reply::{FinishReason, Model, Notice, Response, StreamEvent, Usage};
pub use request::{Body, Filter, Fingerprint, Request, RequestBuilder, ToolChoice};
pub use secret::{ApiKey, REDACTED};
pub use stream::EventStream;
