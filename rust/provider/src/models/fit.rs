//! Adapts a request to the abilities of its model before anything is sent.

use std::borrow::Cow;

use geonode_protocol::{Code, fewest_tokens_of, tokens_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ModelInfo, model, models};
use crate::error::ProviderError;
use crate::message::{Content, Message, Part};
use crate::providers::{Models, Provider};
use crate::reply::{Notice, Usage};
use crate::request::{Body, Filter, Request};

/// A picture costs about this many tokens, whatever the length of its file.
const IMAGE_TOKENS: u64 = 1600;
/// Number of alternative models that a refusal names.
const SUGGESTIONS: usize = 3;

/// The expected usage of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Tokens of input, estimated cautiously.
    pub input_tokens: u64,
    /// Limit of the reply in tokens, if known.
    pub most_output_tokens: Option<u64>,
    /// Cost of the input in US dollars, if the prices are known.
    pub cost_usd: Option<f64>,
    /// Cost of the input and the longest possible reply.
    pub most_cost_usd: Option<f64>,
}

/// A request adapted to its model.
#[derive(Debug, Clone)]
pub struct Fitting {
    /// The request, within the model's limits.
    pub request: Request,
    /// Whether the reply is streamed.
    pub stream: bool,
    /// Whether the schema is sent in words, since it cannot constrain the model.
    pub in_words: bool,
    /// Deviations from the request, and doubts.
    pub notices: Vec<Notice>,
    /// Its expected usage.
    pub estimate: Estimate,
}

/// Adapts a request to the limits of its model. A model that is not listed gets the request unchanged.
///
/// # Errors
/// `CapabilityMismatch` when the model lacks a required ability, `NoCapableModel` when no listed model of the provider has it,
/// `ContextTooLong` when the request is too long for the model by any count of tokens.
pub(crate) fn fit(
    provider: Provider,
    name: Option<&str>,
    request: &Request,
    stream: bool,
) -> Result<Fitting, ProviderError> {
    let size = size(request);
    let mut fitting = Fitting {
        request: request.clone(),
        stream,
        in_words: false,
        notices: Vec::new(),
        estimate: estimate(size, None, request.max_tokens),
    };
    if request.tool_filter != Filter::All {
        let offered = request.offered().cloned().collect();
        let builder = request.to_builder().tools(offered);
        fitting.request = builder.tool_filter(Filter::All).build()?;
    }
    let Some(name) = name else { return Ok(fitting) };
    let Some(info) = model(provider, name) else {
        fitting.notices.push(unknown(provider, name));
        return Ok(fitting);
    };
    let subject = Subject { provider, name };
    subject.require(info.tools, request.offered().next().is_some(), "call tools", |info| {
        info.tools
    })?;
    subject.require(info.images, size.images > 0, "see pictures", |info| info.images)?;
    subject.require_length(info, size)?;
    if stream && info.streaming == Some(false) {
        fitting.stream = false;
        let text = format!("The model “{name}” cannot stream; its text appears when it is complete.");
        fitting.notices.push(notice(Code::StreamingUnsupportedModel, text));
    }
    if request.schema.is_some() && info.structured_output == Some(false) {
        fitting.in_words = true;
        let text = format!("The model “{name}” does not support structured output; the schema is sent as text.");
        fitting.notices.push(notice(Code::CapabilityMismatch, text));
    }
    if let (Some(asked), Some(most)) = (
        request.max_tokens,
        info.output_tokens.and_then(|most| u32::try_from(most).ok()),
    ) && asked > most
    {
        fitting.request = fitting.request.with_max_tokens(Some(most))?;
        let text = format!("The model “{name}” writes at most {most} tokens, so {asked} cannot be asked for.");
        fitting.notices.push(notice(Code::CapabilityMismatch, text));
    }
    if let Some(context) = info.context_tokens
        && size.tokens() > context
    {
        let text = format!(
            "The request has about {} tokens; the model “{name}” reads {context}. It may be refused as too long.",
            size.tokens()
        );
        fitting.notices.push(notice(Code::ContextTooLong, text));
    }
    fitting.estimate = estimate(size, Some(info), fitting.request.max_tokens);
    Ok(fitting)
}

fn notice(code: Code, text: String) -> Notice {
    Notice { code, text }
}

fn unknown(provider: Provider, name: &str) -> Notice {
    let shown = crate::error::one_line(name).unwrap_or_default();
    let text = match provider.models() {
        Models::Server | Models::Recorded => {
            format!("The model “{shown}” is not known here, and neither are its limits and prices.")
        }
        Models::Vendor => format!(
            "“{shown}” is not among the known models of {}; it is used anyway. Its limits and prices are not known.",
            provider.name()
        ),
    };
    notice(Code::UnknownModel, text)
}

struct Subject<'a> {
    provider: Provider,
    name: &'a str,
}

impl Subject<'_> {
    /// Refuses what the model certainly cannot do.
    fn require(
        &self,
        can: Option<bool>,
        needed: bool,
        what: &'static str,
        of: fn(&ModelInfo) -> Option<bool>,
    ) -> Result<(), ProviderError> {
        if !needed || can != Some(false) {
            return Ok(());
        }
        Err(self.lacking(what.to_owned(), |info| of(info) == Some(true)))
    }

    fn require_length(&self, info: &ModelInfo, size: Size) -> Result<(), ProviderError> {
        let least = fewest_tokens_of(size.bytes);
        match info.context_tokens {
            Some(context) if least > context => {
                let longer = |info: &ModelInfo| info.context_tokens.is_some_and(|context| least <= context);
                Err(self.lacking(format!("read a request of {least} tokens or more"), longer))
            }
            _ => Ok(()),
        }
    }

    fn lacking(&self, what: String, capable: impl Fn(&ModelInfo) -> bool) -> ProviderError {
        let others = models()
            .iter()
            .filter(|info| info.provider == self.provider.name() && capable(info));
        let names: Vec<&str> = others.filter_map(|info| info.ids.first()).map(String::as_str).collect();
        let first = names.get(..SUGGESTIONS.min(names.len())).unwrap_or_default().join(", ");
        if first.is_empty() {
            return ProviderError::NoCapableModel {
                provider: self.provider.name(),
                what,
            };
        }
        ProviderError::CapabilityMismatch {
            model: crate::error::one_line(self.name).unwrap_or_default(),
            what,
            others: first,
        }
    }
}

/// The length of the input.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Size {
    bytes: u64,
    images: u64,
}

impl Size {
    fn tokens(self) -> u64 {
        tokens_of(self.bytes).saturating_add(self.images.saturating_mul(IMAGE_TOKENS))
    }

    fn add(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
    }

    fn add_json(&mut self, value: &Value) {
        let text = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            other => Cow::Owned(other.to_string()),
        };
        self.add(&text);
    }

    fn add_message(&mut self, message: &Message) {
        match &message.content {
            Content::Text(text) => self.add(text),
            Content::Parts(parts) => {
                for part in parts {
                    match part {
                        Part::Text { text } => self.add(text),
                        Part::Image { .. } => self.images += 1,
                    }
                }
            }
        }
        for call in &message.tool_calls {
            self.add(&call.name);
            self.add_json(&call.arguments);
        }
    }
}

fn size(body: &Body) -> Size {
    let mut size = Size::default();
    size.add(body.system.as_deref().unwrap_or_default());
    for message in &body.messages {
        size.add_message(message);
    }
    for tool in body.offered() {
        size.add(&tool.name);
        size.add(&tool.description);
        size.add_json(&tool.input_schema);
    }
    if let Some(schema) = &body.schema {
        size.add_json(schema);
    }
    size
}

fn estimate(size: Size, info: Option<&ModelInfo>, max_tokens: Option<u32>) -> Estimate {
    let input_tokens = size.tokens();
    let most_output_tokens = max_tokens.map(u64::from).or_else(|| info?.output_tokens);
    let prices = info.and_then(|info| info.prices(input_tokens));
    let cost = |output_tokens| {
        let usage = Usage {
            input_tokens: Some(input_tokens),
            output_tokens,
            ..Usage::default()
        };
        prices.map(|prices| prices.cost(&usage))
    };
    Estimate {
        input_tokens,
        most_output_tokens,
        cost_usd: cost(None),
        most_cost_usd: most_output_tokens.and_then(|most| cost(Some(most))),
    }
}

impl Body {
    /// The input tokens of the request, estimated cautiously.
    pub fn tokens(&self) -> u64 {
        size(self).tokens()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::message::Tool;
    use crate::request::RequestBuilder;

    fn builder(text: &str) -> RequestBuilder {
        Request::builder(vec![Message::user(text)])
    }

    fn tool() -> Tool {
        Tool {
            name: "look".into(),
            description: String::new(),
            input_schema: json!({"type": "object"}),
        }
    }

    fn picture() -> Message {
        let image = Part::Image {
            media_type: "image/png".into(),
            data: "A".repeat(400_000),
        };
        Message {
            content: Content::Parts(vec![image]),
            ..Message::user("")
        }
    }

    fn codes(fitting: &Fitting) -> Vec<Code> {
        fitting.notices.iter().map(|notice| notice.code).collect()
    }

    #[test]
    fn an_unknown_model_warns_and_passes() {
        let request = builder("x").tools(vec![tool()]).message(picture()).build().unwrap();
        let fitting = fit(Provider::OpenAi, Some("gpt-99"), &request, true).unwrap();
        assert_eq!(codes(&fitting), [Code::UnknownModel]);
        assert!(fitting.stream && !fitting.in_words && fitting.request == request);
        assert_eq!(
            (fitting.estimate.cost_usd, fitting.estimate.most_output_tokens),
            (None, None)
        );
        assert_eq!(
            codes(&fit(Provider::OpenAiCompatible, None, &request, true).unwrap()),
            []
        );
    }

    #[test]
    fn a_missing_ability_is_refused_with_models_that_have_it() {
        let seeing = builder("x").message(picture()).build().unwrap();
        let error = fit(Provider::OpenAi, Some("o3-mini"), &seeing, false).unwrap_err();
        assert_eq!(error.code(), Code::CapabilityMismatch);
        let said = error.to_string();
        assert!(
            said.contains("“o3-mini” cannot see pictures") && said.contains("gpt-6.2-sol"),
            "{said}"
        );
        let known = fit(Provider::OpenAi, Some("gpt-4o"), &seeing, false).unwrap();
        assert_eq!(codes(&known), []);
        assert!(
            known.estimate.input_tokens < 2000,
            "a picture is not text: {:?}",
            known.estimate
        );
    }

    #[test]
    fn an_unsupported_feature_is_replaced_if_possible() {
        let request = builder("x").schema(Some(json!({"type": "object"}))).build().unwrap();
        let fitting = fit(Provider::OpenAi, Some("gpt-4-turbo"), &request, true).unwrap();
        assert_eq!(codes(&fitting), [Code::CapabilityMismatch]);
        assert!(fitting.in_words && fitting.stream);
        let fitting = fit(Provider::OpenAi, Some("o1-pro"), &request, true).unwrap();
        assert_eq!(codes(&fitting), [Code::StreamingUnsupportedModel]);
        assert!(!fitting.stream && !fitting.in_words);
        assert_eq!(
            codes(&fit(Provider::OpenAi, Some("o1-pro"), &request, false).unwrap()),
            []
        );
    }

    #[test]
    fn reply_limits_apply_exactly_at_their_edge() {
        for (asked, given, said) in [(16_384, 16_384, 0), (16_385, 16_384, 1)] {
            let request = builder("x").max_tokens(Some(asked)).build().unwrap();
            let fitting = fit(Provider::OpenAi, Some("gpt-4o"), &request, false).unwrap();
            assert_eq!((fitting.request.max_tokens, fitting.notices.len()), (Some(given), said));
            assert_eq!(fitting.estimate.most_output_tokens, Some(u64::from(given)));
        }
    }

    #[test]
    fn only_what_is_certainly_too_long_is_refused() {
        let ask = |bytes: usize| {
            let request = builder(&"x".repeat(bytes)).build().unwrap();
            fit(Provider::OpenAi, Some("gpt-4"), &request, false)
        };
        // 8192 tokens: at 3 bytes each it may be too long, at 8 bytes each it certainly is.
        assert_eq!(codes(&ask(8192 * 3).unwrap()), []);
        assert_eq!(codes(&ask(8192 * 3 + 1).unwrap()), [Code::ContextTooLong]);
        assert!(ask(8193 * 8 - 1).is_ok());
        assert_eq!(ask(8193 * 8).unwrap_err().code(), Code::CapabilityMismatch);
        let request = builder(&"x".repeat(1_100_000 * 8)).build().unwrap();
        let error = fit(Provider::OpenAi, Some("gpt-4"), &request, false).unwrap_err();
        assert_eq!(error.code(), Code::NoCapableModel, "{error}");
    }

    #[test]
    fn the_estimate_counts_everything_that_is_sent() {
        let request = builder(&"x".repeat(300))
            .system(Some("y".repeat(300)))
            .tools(vec![tool()])
            .max_tokens(Some(1000))
            .build()
            .unwrap();
        let estimate = fit(Provider::OpenAi, Some("gpt-4o"), &request, false).unwrap().estimate;
        // 600 bytes of words, “look” and its schema of 17 bytes.
        assert_eq!(estimate.input_tokens, 207);
        let (cost, most) = (estimate.cost_usd.unwrap(), estimate.most_cost_usd.unwrap());
        assert!((cost - 207.0 * 2.5e-6).abs() < 1e-12 && (most - cost - 0.01).abs() < 1e-12);
        let none = request.with_tool_filter(crate::request::Filter::None).unwrap();
        assert_eq!(none.tokens(), 200, "a tool that is filtered out is not sent");
    }
}
