//! The registry of language models, their abilities and prices; `models.json` names the source and date of its figures.
//!
//! A model that is not listed is not an error: its name is sent unchanged, and nothing is assumed about it.

mod fit;

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

pub(crate) use fit::fit;
pub use fit::{Estimate, Fitting};

use crate::providers::Provider;
use crate::reply::Usage;

const REGISTRY: &str = include_str!("models.json");

/// Prices in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Input that no cache held.
    pub input: f64,
    /// Input from the provider's cache; `None`: as other input.
    pub cached: Option<f64>,
    /// Input that is written to the provider's cache; none: as other input.
    pub cache_write: Option<f64>,
    /// Output, reasoning included.
    pub output: f64,
}

impl Prices {
    /// What these tokens cost, in US dollars. Tokens that the provider did not report count as none.
    #[expect(clippy::cast_precision_loss, reason = "tokens are far below 2^52")]
    pub fn cost(&self, usage: &Usage) -> f64 {
        let tokens = |count: Option<u64>| count.unwrap_or(0) as f64;
        let (cached, written) = (tokens(usage.cached_tokens), tokens(usage.cache_write_tokens));
        let plain = (tokens(usage.input_tokens) - cached - written).max(0.0);
        let sum = plain * self.input
            + cached * self.cached.unwrap_or(self.input)
            + written * self.cache_write.unwrap_or(self.input)
            + tokens(usage.output_tokens) * self.output;
        sum / 1e6
    }
}

/// What is known of a model. `None` is “not known”: nothing is refused for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelInfo {
    /// Who offers it, as settings spell it.
    pub provider: String,
    /// Its names.
    pub ids: Vec<String>,
    /// Whether every name counts that begins with one of `ids`.
    #[serde(default)]
    pub family: bool,
    /// Tokens that input and output may have together.
    #[serde(rename = "context")]
    pub context_tokens: Option<u64>,
    /// Most tokens of a reply, reasoning included.
    #[serde(rename = "output")]
    pub output_tokens: Option<u64>,
    /// Whether a JSON Schema can constrain its replies.
    pub structured_output: Option<bool>,
    /// Whether it calls tools.
    pub tools: Option<bool>,
    /// Whether it sees pictures.
    pub images: Option<bool>,
    /// Whether its replies can be streamed.
    pub streaming: Option<bool>,
    /// Its prices.
    pub prices: Option<Prices>,
    /// The prices apply to requests of at most this many input tokens; `None`: to all.
    #[serde(default)]
    pub priced_to: Option<u64>,
    /// Key of the source in the file's header.
    source: String,
}

impl ModelInfo {
    /// The prices for a request with this many input tokens.
    pub fn prices(&self, input_tokens: u64) -> Option<Prices> {
        self.prices
            .filter(|_| self.priced_to.is_none_or(|limit| input_tokens <= limit))
    }

    /// The source of the figures, and its date.
    pub fn source(&self) -> (&'static str, &'static str) {
        registry()
            .sources
            .get(&self.source)
            .map_or(("", ""), |source| (source.title.as_str(), source.as_of.as_str()))
    }

    /// How many characters of `model` an entry's name covers; `None` when the entry is about another model.
    fn covers(&self, model: &str) -> Option<usize> {
        let covered = |id: &&String| {
            let rest = model.strip_prefix(id.as_str())?;
            (rest.is_empty() || self.family || is_version(rest)).then_some(id.len())
        };
        self.ids.iter().filter_map(|id| covered(&id)).max()
    }
}

/// Whether the rest of a name only identifies an edition of the model: `-2025-08-07`, `-20250514`, `-001`, `-latest`.
fn is_version(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix('-') else {
        return false;
    };
    if rest == "latest" {
        return true;
    }
    let mut groups = rest.split('-');
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    groups.next().is_some_and(|first| first.len() >= 3 && digits(first))
        && groups.all(|group| !group.is_empty() && digits(group))
}

#[derive(Default, Deserialize)]
struct Registry {
    sources: HashMap<String, Source>,
    models: Vec<ModelInfo>,
}

#[derive(Deserialize)]
struct Source {
    title: String,
    as_of: String,
}

fn registry() -> &'static Registry {
    static MODELS: OnceLock<Registry> = OnceLock::new();
    // The file is part of the program and a test reads it; if it were damaged, no model would be known.
    MODELS.get_or_init(|| serde_json::from_str(REGISTRY).unwrap_or_default())
}

/// Every entry, in the order of the file.
pub fn models() -> &'static [ModelInfo] {
    &registry().models
}

/// The entry of the model with this name: the one with the longest matching name. Compatible servers use any case.
pub fn model(provider: Provider, name: &str) -> Option<&'static ModelInfo> {
    let name = name.trim().to_ascii_lowercase();
    let of_provider = models().iter().filter(|info| info.provider == provider.name());
    let covering = of_provider.filter_map(|info| Some((info.covers(&name)?, info)));
    covering.max_by_key(|(length, _)| *length).map(|(_, info)| info)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;
    use crate::providers::Models::Vendor;

    #[test]
    fn every_entry_is_complete_and_says_where_it_comes_from() {
        let file: Value = serde_json::from_str(REGISTRY).unwrap();
        let listed = file["models"].as_array().unwrap().len();
        assert!(listed >= 30 && models().len() == listed);
        let mut seen = HashSet::new();
        for info in models() {
            let provider = Provider::from_name(&info.provider).unwrap();
            let source = &file["sources"][&info.source];
            assert!(source["title"].is_string() && source["as_of"].is_string(), "{info:?}");
            assert!(!info.ids.is_empty());
            for id in &info.ids {
                assert!(seen.insert((info.provider.clone(), id.clone())), "{id} is listed twice");
                assert_eq!(model(provider, id), Some(info), "{id}");
            }
            if let (Some(context), Some(output)) = (info.context_tokens, info.output_tokens) {
                assert!(output <= context, "{info:?}");
            }
            if let Some(prices) = info.prices {
                let cached = prices.cached.unwrap_or(prices.input);
                assert!(cached <= prices.input && prices.input <= prices.output, "{info:?}");
            }
        }
    }

    #[test]
    fn every_vendor_has_listed_models() {
        for provider in Provider::ALL {
            let listed = models().iter().any(|info| info.provider == provider.name());
            assert!(
                listed || provider.models() != Vendor,
                "no model of {} is listed",
                provider.name()
            );
        }
    }

    #[test]
    fn a_name_is_known_by_its_editions_and_by_nothing_else() {
        let known = |provider, name: &str| model(provider, name).map(|info| info.ids[0].as_str());
        for (name, entry) in [
            ("gpt-5", Some("gpt-5.1")),
            ("gpt-5-2025-08-07", Some("gpt-5.1")),
            ("gpt-5-mini-2025-08-07", Some("gpt-5-mini")),
            ("gpt-4-0613", Some("gpt-4")),
            ("gpt-5-codex", None),
            ("gpt-5-", None),
            ("gpt-5-7", None),
            ("gpt-5-2025-", None),
            ("gpt-5.6", Some("gpt-5.6-sol")),
            ("gpt-5.6-terra-2026-07-09", Some("gpt-5.6-terra")),
            ("gpt-5.6-moon", None),
            ("gpt-50", None),
            ("", None),
        ] {
            assert_eq!(known(Provider::OpenAi, name), entry, "{name}");
        }
        let anthropic = |name| known(Provider::Anthropic, name);
        assert_eq!(anthropic("claude-opus-4-20250514"), Some("claude-opus-4"));
        assert_eq!(
            anthropic("claude-opus-4-7"),
            Some("claude-opus-4-8"),
            "not an edition of Opus 4"
        );
        assert_eq!(anthropic("claude-opus-4-9"), None);
        assert_eq!(
            known(Provider::Gemini, "gemini-2.0-flash-001"),
            Some("gemini-2.0-flash")
        );
        assert_eq!(
            known(Provider::OpenAiCompatible, "Llama3.1:8b-instruct"),
            Some("llama3.1")
        );
        assert_eq!(
            known(Provider::OpenAiCompatible, "gpt-5"),
            None,
            "whose server that is nobody knows"
        );
    }

    #[test]
    fn tokens_are_priced() {
        let prices = Prices {
            input: 3.0,
            cached: Some(0.3),
            cache_write: Some(3.75),
            output: 15.0,
        };
        let usage = Usage {
            input_tokens: Some(1_000_000),
            output_tokens: Some(100_000),
            cached_tokens: Some(400_000),
            cache_write_tokens: Some(200_000),
            reasoning_tokens: Some(50_000),
        };
        // 400,000 plain, 400,000 cached, 200,000 written, 100,000 out.
        assert!((prices.cost(&usage) - (1.2 + 0.12 + 0.75 + 1.5)).abs() < 1e-9);
        let plain = Prices {
            cached: None,
            cache_write: None,
            ..prices
        };
        assert!((plain.cost(&usage) - (3.0 + 1.5)).abs() < 1e-9);
        assert!(prices.cost(&Usage::default()).abs() < f64::EPSILON);
        let odd = Usage {
            cached_tokens: Some(5),
            ..Usage::default()
        };
        assert!(prices.cost(&odd) >= 0.0, "more cached than sent gives no credit");
    }

    #[test]
    fn prices_apply_up_to_their_token_limit() {
        let info = model(Provider::Gemini, "gemini-2.5-pro").unwrap();
        let limit = info.priced_to.unwrap();
        assert!(info.prices(limit).is_some() && info.prices(limit + 1).is_none());
    }
}
