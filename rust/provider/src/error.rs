//! The error type of this crate. Every message says what happened, why, and what to do.

use std::fmt::Write as _;
use std::time::Duration;

use geonode_protocol::Code;

use crate::providers::Provider;

/// Details of a failed call beyond its code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail {
    /// Scheme, host, port and path of the endpoint; never user info or query.
    pub endpoint: String,
    /// HTTP status, when an answer came.
    pub status: Option<u16>,
    /// The server's message: one line, bounded, without control characters and without the key.
    pub message: Option<String>,
    /// The provider's identifier of the exchange, for its support.
    pub request_id: Option<String>,
    /// The minimum wait that the server asked for.
    pub retry_after: Option<Duration>,
    /// Whether the server advises a retry (`x-should-retry`).
    pub should_retry: Option<bool>,
    /// Tokens that the server reads, if it refused a request as too long and said so.
    pub context_tokens: Option<u64>,
    /// Tokens of the request, as that server counted them.
    pub request_tokens: Option<u64>,
}

impl Detail {
    /// A detail that only quotes the server.
    pub(crate) fn quote(text: &str) -> Self {
        Self {
            message: one_line(text),
            ..Self::default()
        }
    }

    /// ` (HTTP 503: busy, request req_1)`, or nothing.
    fn aside(&self) -> String {
        let mut parts = String::new();
        if let Some(status) = self.status {
            let _ = write!(parts, "HTTP {status}");
        }
        if let Some(message) = &self.message {
            let _ = write!(parts, "{}{message}", if parts.is_empty() { "" } else { ": " });
        }
        if let Some(id) = &self.request_id {
            let _ = write!(parts, "{}request {id}", if parts.is_empty() { "" } else { ", " });
        }
        if parts.is_empty() { parts } else { format!(" ({parts})") }
    }

    /// The endpoint, or a general word for it.
    fn place(&self) -> &str {
        if self.endpoint.is_empty() {
            "The provider"
        } else {
            &self.endpoint
        }
    }

    fn wait(&self) -> String {
        self.retry_after.map_or_else(String::new, |wait| {
            format!(" It asks to wait {} s.", wait.as_secs().max(1))
        })
    }
}

/// Why a call to a model failed. `Display` is the message for the artist; programs decide by `code()`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// No key where one is needed; nothing was sent.
    #[error("{provider} needs an API key. Set it in the preferences or in {variables}.")]
    AuthMissing {
        /// Provider name.
        provider: &'static str,
        /// The environment variables that would be read.
        variables: String,
    },
    /// The endpoint refuses the key.
    #[error("{} refuses the key{}. Check the key and its permissions.", .0.place(), .0.aside())]
    AuthFailed(Box<Detail>),
    /// Too many requests just now.
    #[error("{} limits the rate of requests{}.{} Wait a moment and send again.", .0.place(), .0.aside(), .0.wait())]
    RateLimited(Box<Detail>),
    /// Credit or budget is used up; waiting does not help.
    #[error("The credit or budget at {} is used up{}. Check the plan and billing there.", .0.place(), .0.aside())]
    QuotaExhausted(Box<Detail>),
    /// The server is overloaded or failing.
    #[error("{} is overloaded or failing{}. This usually passes: send again in a moment.", .0.place(), .0.aside())]
    Overloaded(Box<Detail>),
    /// No answer, or no further piece of it, in time.
    #[error("{} took too long: {what}{}. Try a smaller model, or raise the timeout in the settings.",
            .detail.place(), .detail.aside())]
    Timeout {
        /// The event that was awaited, with the limit in seconds.
        what: String,
        /// Endpoint and status.
        detail: Box<Detail>,
    },
    /// The connection could not be made or broke.
    #[error("{what}{}", .detail.aside())]
    Network {
        /// Whole sentences: what happened and what to check.
        what: String,
        /// Endpoint.
        detail: Box<Detail>,
    },
    /// Prompt and context are longer than the model can read.
    #[error("The request is too long for the model{}. Shorten the prompt, lower the context budget, \
             or choose a model with a larger context.", .0.aside())]
    ContextTooLong(Box<Detail>),
    /// The provider declined the content.
    #[error("The provider declined the content{}. Word the prompt differently.", .0.aside())]
    ContentRefused(Box<Detail>),
    /// The endpoint does not accept this schema.
    #[error("The endpoint cannot answer in the requested form{}.", .0.aside())]
    SchemaRefused(Box<Detail>),
    /// The endpoint does not have the model.
    #[error("{} does not know the model{}. Choose one from the list of models.", .0.place(), .0.aside())]
    UnknownModel(Box<Detail>),
    /// The endpoint refuses the request for another reason.
    #[error("{} refuses the request{}.", .0.place(), .0.aside())]
    BadRequest(Box<Detail>),
    /// The answer does not have the form of this kind of endpoint.
    #[error("{what}{}", .detail.aside())]
    BadResponse {
        /// Whole sentences: what is wrong with the answer and what to check.
        what: String,
        /// Endpoint and status.
        detail: Box<Detail>,
    },
    /// The call was cancelled.
    #[error("Cancelled.")]
    Cancelled,
    /// The address would send prompt and key unencrypted; nothing was sent.
    #[error(
        "{endpoint} is not encrypted. Use https://; plain http:// is only for this computer (127.0.0.1, localhost)."
    )]
    InsecureUrl {
        /// The refused address, without user info and query.
        endpoint: String,
    },
    /// The model cannot do what the request needs; nothing was sent.
    #[error("The model “{model}” cannot {what}. Choose another, such as {others}.")]
    CapabilityMismatch {
        /// Its name.
        model: String,
        /// The missing ability, in words that follow “cannot”.
        what: String,
        /// Names of some that can.
        others: String,
    },
    /// No known model of the provider can do what the request needs; nothing was sent.
    #[error("No known model of {provider} can {what}. Ask for less, or choose another provider.")]
    NoCapableModel {
        /// Provider name.
        provider: &'static str,
        /// The missing ability.
        what: String,
    },
    /// The server is not among the allowed ones; nothing was sent.
    #[error(
        "Data may not be sent to {origin}. Allowed: {allowed}. Change the list of allowed servers, or the address."
    )]
    EgressDenied {
        /// `scheme://host:port` of the server.
        origin: String,
        /// Those that are allowed.
        allowed: String,
    },
    /// The settings allow no further request now; nothing was sent.
    #[error("The settings allow {what}, and this limit is reached. Wait about {seconds} s, or raise the limit.")]
    RequestQuota {
        /// The limit, with its period.
        what: String,
        /// Seconds until another request fits.
        seconds: u64,
    },
    /// The schema may not be sent; nothing was sent.
    #[error("The schema of “{field}” is not sent: {why}.")]
    SchemaNotAllowed {
        /// `schema`, or the name of a tool.
        field: String,
        /// Why.
        why: &'static str,
    },
    /// The settings cannot work; nothing was sent.
    #[error("{0}")]
    Config(String),
    /// The provider would refuse this list of messages; nothing was sent.
    #[error("messages{path}: {what}")]
    BodyInvalid {
        /// JSON Pointer into `messages`.
        path: String,
        /// What is wrong and what is expected.
        what: String,
    },
    /// Another part of the request cannot be sent; nothing was.
    #[error("{field}: {what}.")]
    RequestInvalid {
        /// The field of the request.
        field: &'static str,
        /// What is wrong and what is expected.
        what: String,
    },
    /// The provider name is not one of ours.
    #[error("There is no provider “{0}”. Known providers: {names}.", names = Provider::known_names())]
    UnknownProvider(String),
    /// The text cannot be a key.
    #[error(
        "The API key is empty or contains a line break, a space or another character that keys never have. Copy it again, without \
             anything around it."
    )]
    KeyInvalid,
    /// A key store refuses, or cannot be used.
    #[error("{0}")]
    KeyStore(String),
    /// Others could read or replace the file of keys.
    #[error("The file of keys {path} is not used: {why}. Check it, or remove it and enter the key again.")]
    KeyFileUnsafe {
        /// Its path.
        path: String,
        /// Why it is not trusted.
        why: String,
    },
    /// The file of keys does not have the expected form.
    #[error("The file of keys {path} is damaged: {why}. Entering the key again sets it aside and begins a new one.")]
    KeyFileDamaged {
        /// Its path.
        path: String,
        /// The place in it; never a part of it.
        why: String,
    },
    /// The operating system refused what networking needs.
    #[error("Networking could not be started: {0}.")]
    Internal(String),
}

/// The family of Python exceptions of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The provider or the connection to it failed.
    Provider,
    /// A policy forbids the call.
    Policy,
    /// The request is malformed.
    Protocol,
    /// The caller cancelled.
    Cancelled,
    /// Settings or keys are invalid.
    Core,
    /// A fault of this program or of the system.
    Internal,
}

/// The detail of an error that comes from an exchange, by a reference of the kind that is given.
macro_rules! detail_of {
    ($error:expr) => {
        match $error {
            Self::AuthFailed(detail)
            | Self::RateLimited(detail)
            | Self::QuotaExhausted(detail)
            | Self::Overloaded(detail)
            | Self::Timeout { detail, .. }
            | Self::Network { detail, .. }
            | Self::ContextTooLong(detail)
            | Self::ContentRefused(detail)
            | Self::SchemaRefused(detail)
            | Self::UnknownModel(detail)
            | Self::BadRequest(detail)
            | Self::BadResponse { detail, .. } => Some(detail),
            Self::AuthMissing { .. }
            | Self::Cancelled
            | Self::InsecureUrl { .. }
            | Self::CapabilityMismatch { .. }
            | Self::NoCapableModel { .. }
            | Self::EgressDenied { .. }
            | Self::RequestQuota { .. }
            | Self::SchemaNotAllowed { .. }
            | Self::Config(_)
            | Self::BodyInvalid { .. }
            | Self::RequestInvalid { .. }
            | Self::UnknownProvider(_)
            | Self::KeyInvalid
            | Self::KeyStore(_)
            | Self::KeyFileUnsafe { .. }
            | Self::KeyFileDamaged { .. }
            | Self::Internal(_) => None,
        }
    };
}

impl ProviderError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::AuthMissing { .. } => Code::AuthMissing,
            Self::AuthFailed(_) => Code::AuthFailed,
            Self::RateLimited(_) => Code::RateLimited,
            Self::QuotaExhausted(_) => Code::QuotaExhausted,
            Self::Overloaded(_) => Code::Overloaded,
            Self::Timeout { .. } => Code::Timeout,
            Self::Network { .. } => Code::Network,
            Self::ContextTooLong(_) => Code::ContextTooLong,
            Self::ContentRefused(_) => Code::ContentRefused,
            Self::SchemaRefused(_) => Code::SchemaRefused,
            Self::UnknownModel(_) => Code::UnknownModel,
            Self::BadRequest(_) => Code::BadRequest,
            Self::CapabilityMismatch { .. } => Code::CapabilityMismatch,
            Self::NoCapableModel { .. } => Code::NoCapableModel,
            Self::EgressDenied { .. } => Code::EgressDenied,
            Self::RequestQuota { .. } => Code::RequestQuota,
            Self::SchemaNotAllowed { .. } => Code::SchemaNotAllowed,
            Self::Config(_) => Code::SettingInvalid,
            Self::BadResponse { .. } => Code::BadResponse,
            Self::Cancelled => Code::Cancelled,
            Self::InsecureUrl { .. } => Code::InsecureUrl,
            Self::BodyInvalid { .. } | Self::RequestInvalid { .. } => Code::BodyInvalid,
            Self::UnknownProvider(_) => Code::UnknownProvider,
            Self::KeyInvalid => Code::KeyInvalid,
            Self::KeyStore(_) => Code::KeyStoreRefused,
            Self::KeyFileUnsafe { .. } => Code::KeyFileUnsafe,
            Self::KeyFileDamaged { .. } => Code::KeyFileDamaged,
            Self::Internal(_) => Code::InternalError,
        }
    }

    /// The family of exceptions it belongs to.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Cancelled => ErrorClass::Cancelled,
            Self::InsecureUrl { .. }
            | Self::KeyFileUnsafe { .. }
            | Self::EgressDenied { .. }
            | Self::RequestQuota { .. }
            | Self::SchemaNotAllowed { .. } => ErrorClass::Policy,
            Self::BodyInvalid { .. } | Self::RequestInvalid { .. } => ErrorClass::Protocol,
            Self::KeyInvalid
            | Self::KeyStore(_)
            | Self::KeyFileDamaged { .. }
            | Self::Config(_)
            | Self::UnknownProvider(_) => ErrorClass::Core,
            Self::Internal(_) => ErrorClass::Internal,
            Self::AuthMissing { .. }
            | Self::AuthFailed(_)
            | Self::RateLimited(_)
            | Self::QuotaExhausted(_)
            | Self::Overloaded(_)
            | Self::Timeout { .. }
            | Self::Network { .. }
            | Self::ContextTooLong(_)
            | Self::ContentRefused(_)
            | Self::SchemaRefused(_)
            | Self::UnknownModel(_)
            | Self::BadRequest(_)
            | Self::CapabilityMismatch { .. }
            | Self::NoCapableModel { .. }
            | Self::BadResponse { .. } => ErrorClass::Provider,
        }
    }

    /// Whether the same call may succeed later without a change.
    pub fn retryable(&self) -> bool {
        matches!(
            self,
            Self::RateLimited(_) | Self::Overloaded(_) | Self::Timeout { .. } | Self::Network { .. }
        )
    }

    /// Whether the endpoint refuses the request because of its tools. No interface has a code for that, so the server's words decide.
    pub fn refuses_tools(&self) -> bool {
        let refused = matches!(
            self,
            Self::BadRequest(_) | Self::UnknownModel(_) | Self::SchemaRefused(_) | Self::Overloaded(_)
        );
        let message = self
            .detail()
            .and_then(|detail| detail.message.as_deref())
            .unwrap_or_default();
        let message = message.to_ascii_lowercase();
        refused
            && ["tool", "function call", "unsupported"]
                .iter()
                .any(|word| message.contains(word))
    }

    /// Whether the endpoint says, while it refuses a schema, that it takes JSON of any form.
    pub(crate) fn offers_json(&self) -> bool {
        let Self::SchemaRefused(detail) = self else {
            return false;
        };
        let message = detail.message.as_deref().unwrap_or_default();
        message.to_ascii_lowercase().contains("json_object")
    }

    /// Most tokens of a request that its server would have read, if the request was too long: what it says, else fewer than it counted.
    pub fn reads(&self) -> Option<u64> {
        let Self::ContextTooLong(detail) = self else {
            return None;
        };
        let below = |tokens: u64| tokens.saturating_sub(1);
        detail.context_tokens.or_else(|| detail.request_tokens.map(below))
    }

    /// Whether the endpoint refuses the request without a word about why.
    pub(crate) fn names_no_reason(&self) -> bool {
        let Self::BadRequest(detail) = self else {
            return false;
        };
        let message = detail.message.as_deref().unwrap_or_default();
        let words = message.to_ascii_lowercase();
        let words = words.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        [
            "",
            "bad request",
            "bad_request",
            "invalid request",
            "invalid_request_error",
            "error",
        ]
        .contains(&words)
    }

    /// The details beyond code and message, if the failure came from an exchange.
    pub fn detail(&self) -> Option<&Detail> {
        detail_of!(self)
    }

    /// The same error, its detail completed by `fill`.
    pub(crate) fn with(mut self, fill: impl FnOnce(&mut Detail)) -> Self {
        if let Some(detail) = detail_of!(&mut self) {
            fill(detail);
        }
        self
    }

    /// The same error, each text that may quote the server changed by `change`.
    pub(crate) fn with_texts(mut self, mut change: impl FnMut(&mut String)) -> Self {
        if let Self::Network { what, .. } | Self::BadResponse { what, .. } | Self::Timeout { what, .. } = &mut self {
            change(what);
        }
        self.with(|detail| {
            for text in [&mut detail.message, &mut detail.request_id].into_iter().flatten() {
                change(text);
            }
        })
    }

    /// An invalid answer of the endpoint, in whole sentences.
    pub(crate) fn bad_response(what: impl Into<String>) -> Self {
        Self::BadResponse {
            what: what.into(),
            detail: Box::default(),
        }
    }

    /// A connection that failed, in whole sentences.
    pub(crate) fn network(what: impl Into<String>) -> Self {
        Self::Network {
            what: what.into(),
            detail: Box::default(),
        }
    }

    /// Waiting that ended at its limit.
    pub(crate) fn timeout(what: impl Into<String>) -> Self {
        Self::Timeout {
            what: what.into(),
            detail: Box::default(),
        }
    }
}

/// Longest quotation of a server in a message, in characters.
const QUOTE_LIMIT: usize = 300;

/// Foreign text as one safe line: no control or direction characters, single spaces, bounded, no full stop
/// at its end. `None` when nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut line = String::new();
    let mut count = 0;
    // Bounded before splitting: the text may be a quarter of a megabyte.
    let head: String = text
        .chars()
        .take(QUOTE_LIMIT * 8)
        .map(|c| if hidden(c) { ' ' } else { c })
        .collect();
    for word in head.split_whitespace() {
        if count > 0 {
            line.push(' ');
            count += 1;
        }
        for c in word.chars() {
            if count >= QUOTE_LIMIT {
                line.push('…');
                return Some(line);
            }
            line.push(c);
            count += 1;
        }
    }
    let line = line.trim_end_matches('.').to_owned();
    (!line.is_empty()).then_some(line)
}
