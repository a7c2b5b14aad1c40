//! The budget of a run for planning: tokens, money, time. It is checked before each request, so that a reply that was paid for is used.

use std::time::Duration;

use geonode_protocol::{Code, tokens_of};
use geonode_provider::{Prices, Usage};
use geonode_run::Failure;
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The amounts spent so far; part of saved runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Budget {
    input_tokens: u64,
    output_tokens: u64,
    cost: f64,
    /// Whether a request was made whose price is not known.
    unpriced: bool,
    planning: Duration,
}

impl Budget {
    /// Counts one exchange: tokens as the provider counted them, else by the bytes of request and reply. `prices`: those of a request with
    /// that many input tokens. Returns its tokens.
    pub(crate) fn spend(
        &mut self,
        usage: Option<Usage>,
        sent: usize,
        received: usize,
        prices: impl FnOnce(u64) -> Option<Prices>,
    ) -> u64 {
        let estimate = |bytes: usize| tokens_of(u64::try_from(bytes).unwrap_or(u64::MAX));
        let usage = usage.unwrap_or_default();
        let input = usage.input_tokens.unwrap_or_else(|| estimate(sent));
        let output = usage.output_tokens.unwrap_or_else(|| estimate(received));
        self.input_tokens = self.input_tokens.saturating_add(input);
        self.output_tokens = self.output_tokens.saturating_add(output);
        let counted = Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            ..usage
        };
        match prices(input) {
            Some(prices) => self.cost += prices.cost(&counted),
            None => self.unpriced = true,
        }
        input.saturating_add(output)
    }

    /// Counts time that was spent on requests or tools.
    pub(crate) fn took(&mut self, time: Duration) {
        self.planning = self.planning.saturating_add(time);
    }

    /// The cost of the requests, in the currency of the prices; `None` when the price of one is not known.
    pub(crate) fn cost(&self) -> Option<f64> {
        (!self.unpriced).then_some(self.cost)
    }

    /// The remaining time for planning; `None` without a limit.
    pub(crate) fn left(&self, settings: &Settings) -> Option<Duration> {
        let limit = Duration::from_secs_f64(settings.max_run_s?);
        Some(limit.saturating_sub(self.planning))
    }

    /// Whether another request may be made.
    ///
    /// # Errors
    /// `token_limit`, `cost_limit` or `run_timeout`.
    pub(crate) fn check(&self, settings: &Settings) -> Result<(), Failure> {
        let tokens = self.input_tokens.saturating_add(self.output_tokens);
        if let Some(limit) = settings.max_run_tokens.filter(|limit| tokens >= *limit) {
            let text =
                format!("The run used {tokens} tokens; {limit} are allowed. Raise `max_run_tokens`, or ask for less.");
            return Err(Failure::new(Code::TokenLimit, text));
        }
        if let (Some(limit), Some(cost)) = (settings.max_run_cost, self.cost())
            && cost >= limit
        {
            let text =
                format!("The run cost about {cost:.4}; {limit} is allowed. Raise `max_run_cost`, or ask for less.");
            return Err(Failure::new(Code::CostLimit, text));
        }
        match self.left(settings) {
            Some(Duration::ZERO) => Err(late(settings)),
            _ => Ok(()),
        }
    }
}

/// Planning took too long.
pub(crate) fn late(settings: &Settings) -> Failure {
    let limit = settings.max_run_s.unwrap_or_default();
    let text =
        format!("Planning took longer than {limit} s and was stopped. Raise `max_run_s`, or choose a faster model.");
    Failure::new(Code::RunTimeout, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage {
            input_tokens: Some(input),
            output_tokens: Some(output),
            ..Usage::default()
        }
    }

    fn code(budget: &Budget, settings: &Settings) -> Option<Code> {
        budget.check(settings).err().map(|failure| failure.code)
    }

    #[test]
    fn run_limits_apply_as_soon_as_they_are_reached() {
        let mut budget = Budget::default();
        let prices = |_| {
            Some(Prices {
                input: 1.0,
                cached: None,
                cache_write: None,
                output: 10.0,
            })
        };
        budget.spend(Some(usage(700, 299)), 0, 0, prices);
        let settings = Settings {
            max_run_tokens: Some(1000),
            ..Settings::default()
        };
        assert_eq!(code(&budget, &settings), None);
        budget.spend(Some(usage(0, 1)), 0, 0, prices);
        assert_eq!(code(&budget, &settings), Some(Code::TokenLimit));
        let mut settings = Settings {
            max_run_cost: Some(0.0037),
            ..Settings::default()
        };
        assert_eq!(
            code(&budget, &settings),
            Some(Code::CostLimit),
            "700 at 1 and 300 at 10 are 3700 millionths"
        );
        settings.max_run_cost = Some(0.0038);
        assert_eq!(code(&budget, &settings), None);
        assert_eq!(code(&budget, &Settings::default()), None, "no limits");
        budget.spend(Some(usage(1, 1)), 0, 0, |_| None);
        assert_eq!(budget.cost(), None, "what is not known is not claimed");
    }

    #[test]
    fn tokens_that_are_not_reported_are_estimated_from_bytes() {
        let mut budget = Budget::default();
        budget.spend(None, 3000, 300, |_| None);
        let settings = |limit| Settings {
            max_run_tokens: Some(limit),
            ..Settings::default()
        };
        assert_eq!(
            (code(&budget, &settings(1100)), code(&budget, &settings(1101))),
            (Some(Code::TokenLimit), None)
        );
    }

    #[test]
    fn only_planning_time_counts() {
        let mut budget = Budget::default();
        let settings = Settings {
            max_run_s: Some(2.0),
            ..Settings::default()
        };
        budget.took(Duration::from_millis(1999));
        assert_eq!(
            (code(&budget, &settings), budget.left(&settings)),
            (None, Some(Duration::from_millis(1)))
        );
        budget.took(Duration::from_millis(1));
        assert_eq!(code(&budget, &settings), Some(Code::RunTimeout));
    }
}
