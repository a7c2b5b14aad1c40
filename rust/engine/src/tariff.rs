//! The prices of a run.

use geonode_provider::{Estimate, Prices, Provider, Usage, model};

use crate::request::RunRequest;
use crate::settings::Settings;

/// The prices of a run: those of the settings come first, then those of the registry.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tariff {
    input: Option<f64>,
    output: Option<f64>,
    provider: Option<Provider>,
    model: Option<String>,
}

impl Tariff {
    pub(crate) fn new(request: &RunRequest, settings: &Settings) -> Self {
        Self {
            input: settings.input_price,
            output: settings.output_price,
            provider: Provider::from_name(&request.provider).ok(),
            model: request.model.clone(),
        }
    }

    /// The prices of a request with this many input tokens.
    pub(crate) fn prices(&self, input_tokens: u64) -> Option<Prices> {
        let listed = self
            .provider
            .zip(self.model.as_deref())
            .and_then(|(provider, name)| model(provider, name)?.prices(input_tokens));
        let own = Prices {
            input: self.input.or(listed.map(|prices| prices.input))?,
            output: self.output.or(listed.map(|prices| prices.output))?,
            cached: None,
            cache_write: None,
        };
        // An input price from the settings applies to all input.
        match listed {
            Some(listed) if self.input.is_none() => Some(Prices {
                output: own.output,
                ..listed
            }),
            _ => Some(own),
        }
    }

    /// The estimate at these prices.
    pub(crate) fn priced(&self, mut estimate: Estimate) -> Estimate {
        let prices = self.prices(estimate.input_tokens);
        let cost = |output_tokens| {
            let usage = Usage {
                input_tokens: Some(estimate.input_tokens),
                output_tokens,
                ..Usage::default()
            };
            prices.map(|prices| prices.cost(&usage))
        };
        (estimate.cost_usd, estimate.most_cost_usd) = (
            cost(None),
            estimate.most_output_tokens.and_then(|most| cost(Some(most))),
        );
        estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tariff(input: Option<f64>, output: Option<f64>, model: &str) -> Tariff {
        Tariff {
            input,
            output,
            provider: Some(Provider::OpenAi),
            model: Some(model.into()),
        }
    }

    #[test]
    fn prices_of_the_settings_come_first() {
        let pair = |tariff: Tariff| tariff.prices(1000).map(|p| (p.input, p.cached, p.output));
        assert_eq!(pair(tariff(None, None, "gpt-4o")), Some((2.5, Some(1.25), 10.0)));
        assert_eq!(pair(tariff(Some(1.0), None, "gpt-4o")), Some((1.0, None, 10.0)));
        assert_eq!(pair(tariff(None, Some(4.0), "gpt-4o")), Some((2.5, Some(1.25), 4.0)));
        assert_eq!(pair(tariff(Some(1.0), Some(2.0), "unheard-of")), Some((1.0, None, 2.0)));
        assert_eq!(
            pair(tariff(Some(1.0), None, "unheard-of")),
            None,
            "half a price is none"
        );
        assert_eq!(pair(tariff(None, None, "unheard-of")), None);
    }

    #[test]
    fn an_estimate_is_priced_from_its_input_to_its_longest_reply() {
        let estimate = Estimate {
            input_tokens: 1_000_000,
            most_output_tokens: Some(100_000),
            ..Estimate::default()
        };
        let priced = tariff(Some(1.0), Some(2.0), "x").priced(estimate);
        assert_eq!((priced.cost_usd, priced.most_cost_usd), (Some(1.0), Some(1.2)));
        let open = Estimate {
            most_output_tokens: None,
            ..estimate
        };
        assert_eq!(tariff(Some(1.0), Some(2.0), "x").priced(open).most_cost_usd, None);
    }
}
