//! The forms of structured output in which one request is sent: the strongest that its server is known to take, then weaker ones.

use std::borrow::Cow;

use geonode_protocol::Code;
use hyper::body::Bytes;
use serde_json::Value;

use crate::dialect::{Call, SchemaUse};
use crate::error::ProviderError;
use crate::http::{Departure, Http, Outgoing};
use crate::learned::Subject;
use crate::models::Fitting;
use crate::reply::Notice;
use crate::schema;

/// A request on its way through the forms.
pub(crate) struct Forms<'a> {
    http: &'a Http,
    fitting: &'a Fitting,
    subject: Subject,
    stream: bool,
    departure: Option<Departure>,
    /// The schema for the provider's constrained output, if it can be said there.
    native: Option<Cow<'a, Value>>,
    form: SchemaUse,
    /// The request's grammar, until it is refused.
    grammar: Option<&'a str>,
    /// Whether a stronger form was refused now, or before.
    refused: bool,
    /// Whether one was refused now: there is one fallback, so that a refusal costs at most one more request.
    weakened: bool,
    /// A refusal that named no reason: other forms may have it as well.
    unnamed: Option<ProviderError>,
}

impl<'a> Forms<'a> {
    /// Begins with the strongest form that is worth trying.
    pub(crate) fn new(
        http: &'a Http,
        subject: Subject,
        fitting: &'a Fitting,
        stream: bool,
        departure: Option<Departure>,
    ) -> Self {
        let tools = !fitting.request.tools.is_empty();
        let native = Self::native(http, fitting);
        let known = if tools && !http.dialect.takes_schema_with_tools() {
            SchemaUse::InPrompt
        } else {
            subject.form(tools)
        };
        let form = match &native {
            Some(_) => known,
            None => SchemaUse::InPrompt,
        };
        let refused = fitting.request.schema.is_some() && subject.form(tools) != SchemaUse::Native && native.is_some();
        Self {
            http,
            fitting,
            subject,
            stream,
            departure,
            native,
            form,
            grammar: fitting.request.grammar.as_deref(),
            refused,
            weakened: false,
            unnamed: None,
        }
    }

    /// The schema in the provider's subset, or as it is where the provider takes any, or takes others as advice.
    fn native(http: &Http, fitting: &'a Fitting) -> Option<Cow<'a, Value>> {
        let schema = fitting.request.schema.as_ref().filter(|_| !fitting.in_words)?;
        let Some(subset) = http.dialect.subset() else {
            return Some(Cow::Borrowed(schema));
        };
        match schema::adapt(schema, subset, schema::Shape::Kept) {
            Ok(adapted) => Some(Cow::Owned(adapted)),
            Err(_) if http.dialect.takes_advice() => Some(Cow::Borrowed(schema)),
            Err(_) => None,
        }
    }

    /// The request in its present form.
    pub(crate) fn outgoing(&self) -> Outgoing {
        let request = &self.fitting.request;
        let schema = match self.form {
            SchemaUse::Native => self.native.as_deref(),
            SchemaUse::Json | SchemaUse::InPrompt => request.schema.as_ref(),
        };
        let call = Call {
            request,
            model: &self.subject.model,
            stream: self.stream,
            schema,
            schema_use: self.form,
            grammar: self.grammar,
            host: self.http.endpoint.host(),
        };
        Outgoing {
            path: self.http.dialect.path(&call),
            body: Some(Bytes::from(self.http.dialect.body(&call).to_string())),
            stream: self.stream,
            departure: self.departure.clone(),
        }
    }

    /// Takes a weaker form, once, if the form may be why the request was refused.
    ///
    /// # Errors
    /// The refusal, if it is not, or a weaker form was refused too.
    pub(crate) fn weaken(&mut self, refusal: ProviderError) -> Result<(), ProviderError> {
        let named = matches!(refusal, ProviderError::SchemaRefused(_));
        let unnamed = refusal.names_no_reason();
        if self.grammar.is_some() && (named || unnamed) {
            // Without it the reply is free; the caller validates it.
            self.grammar = None;
            self.subject.takes_grammar(None);
            return Ok(());
        }
        let tools = !self.fitting.request.tools.is_empty();
        let weaker = self.http.dialect.weaker(self.form);
        let next = match weaker {
            _ if self.fitting.request.schema.is_none() => None,
            _ if self.weakened => {
                if named {
                    // The next request does without.
                    self.subject.takes(tools, SchemaUse::InPrompt);
                }
                None
            }
            // A server that says that it takes JSON of any form is believed; words are taken by all of them.
            Some(SchemaUse::Json) if named && !tools && refusal.offers_json() => Some(SchemaUse::Json),
            Some(_) if named || unnamed => Some(SchemaUse::InPrompt),
            _ => None,
        };
        match next {
            Some(next) => {
                self.form = next;
                self.refused = true;
                self.weakened = true;
                if unnamed {
                    self.unnamed = Some(refusal);
                }
                Ok(())
            }
            None if named || unnamed => Err(self.unnamed.take().unwrap_or(refusal)),
            None => Err(refusal),
        }
    }

    /// The request was taken in this form, which is remembered. What has to be said about it.
    pub(crate) fn taken(&self) -> Option<Notice> {
        if !self.refused {
            return None;
        }
        let tools = !self.fitting.request.tools.is_empty();
        self.subject.takes(tools, self.form);
        let text = match self.form {
            SchemaUse::Native => return None,
            SchemaUse::Json => {
                "The endpoint does not take the schema; the reply is held to JSON, and the schema was sent as text."
            }
            SchemaUse::InPrompt => "The endpoint does not support structured output; the schema was sent as text.",
        };
        Some(Notice {
            code: Code::SchemaRefused,
            text: text.to_owned(),
        })
    }
}
