//! Retries: only where they are safe, with backoff and jitter, observing the server's advice.

use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

use crate::error::{Detail, ProviderError};
use crate::limits;

/// The remaining attempts of one call.
#[derive(Debug)]
pub(crate) struct Retries {
    delays: ExponentialBackoff,
}

impl Retries {
    /// `max` further attempts: 0.5 s, 1 s, 2 s … up to 8 s, each plus up to as much again.
    pub(crate) fn new(max: u32) -> Self {
        let builder = ExponentialBuilder::new()
            .with_min_delay(Duration::from_millis(500))
            .with_max_delay(Duration::from_secs(8))
            .with_max_times(max as usize)
            .with_jitter();
        Self {
            delays: builder.build(),
        }
    }

    /// How long to wait before the next attempt; `None` if there is none.
    pub(crate) fn wait_after(&mut self, error: &ProviderError) -> Option<Duration> {
        let (asked, verdict) = error
            .detail()
            .map_or((None, None), |detail| (detail.retry_after, detail.should_retry));
        let terminal = matches!(error, ProviderError::QuotaExhausted(_) | ProviderError::AuthFailed(_));
        let again = match verdict {
            Some(verdict) => verdict && !terminal && error.detail().is_some_and(|detail| detail.status.is_some()),
            None => error.retryable(),
        };
        if !again || asked.is_some_and(|wait| wait > limits::LONGEST_WAIT) {
            return None;
        }
        self.delays
            .next()
            .map(|delay| asked.map_or(delay, |wait| delay.max(wait)))
    }
}

/// Reads `retry-after-ms`, `retry-after` (seconds or date) and `x-should-retry` into `detail`; invalid values are ignored.
pub(crate) fn read_advice<'a>(header: impl Fn(&str) -> Option<&'a str>, now: SystemTime, detail: &mut Detail) {
    let millis = header("retry-after-ms").and_then(|text| seconds(text, 0.001));
    let plain = || header("retry-after").and_then(|text| seconds(text, 1.0).or_else(|| until(text, now)));
    detail.retry_after = millis.or_else(plain);
    detail.should_retry = header("x-should-retry").and_then(|text| match text.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    });
}

fn seconds(text: &str, scale: f64) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(number * scale).ok()
}

/// A date in the past asks for no wait.
fn until(text: &str, now: SystemTime) -> Option<Duration> {
    let date = httpdate::parse_http_date(text.trim()).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(advice: &[(&str, &str)]) -> ProviderError {
        let mut detail = Detail {
            status: Some(429),
            ..Detail::default()
        };
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        read_advice(
            |name| advice.iter().find(|(key, _)| *key == name).map(|(_, value)| *value),
            now,
            &mut detail,
        );
        ProviderError::RateLimited(Box::new(detail))
    }

    #[test]
    fn advice_is_a_minimum_and_nonsense_is_ignored() {
        let at_least =
            |advice: &[(&str, &str)]| Retries::new(1).wait_after(&limited(advice)).map(|wait| wait.as_secs());
        assert_eq!(at_least(&[("retry-after", "7")]), Some(7));
        assert_eq!(at_least(&[("retry-after", "7.9")]), Some(7));
        assert_eq!(at_least(&[("retry-after-ms", "9000"), ("retry-after", "7")]), Some(9));
        assert_eq!(at_least(&[("retry-after-ms", "soon"), ("retry-after", "7")]), Some(7));
        assert_eq!(at_least(&[("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")]), Some(10));
        for nonsense in [
            "",
            "-5",
            "NaN",
            "inf",
            "1e300",
            "tomorrow",
            "Sun, 06 Nov 1994 08:49:07 GMT",
        ] {
            assert!(
                at_least(&[("retry-after", nonsense)]).is_some_and(|wait| wait <= 1),
                "{nonsense}"
            );
        }
        assert_eq!(at_least(&[("retry-after", "31")]), None, "longer than we wait");
        assert_eq!(at_least(&[("retry-after", "30")]), Some(30));
    }

    #[test]
    fn the_servers_advice_on_retries_counts() {
        assert_eq!(
            Retries::new(2).wait_after(&limited(&[("x-should-retry", "false")])),
            None
        );
        let detail = Box::new(Detail {
            status: Some(409),
            should_retry: Some(true),
            ..Detail::default()
        });
        assert!(
            Retries::new(2)
                .wait_after(&ProviderError::BadRequest(detail.clone()))
                .is_some()
        );
        assert_eq!(Retries::new(2).wait_after(&ProviderError::QuotaExhausted(detail)), None);
    }

    #[test]
    fn attempts_are_counted_and_jittered() {
        let mut retries = Retries::new(3);
        let error = ProviderError::network("gone");
        let waits: Vec<_> = std::iter::from_fn(|| retries.wait_after(&error)).collect();
        assert_eq!(waits.len(), 3);
        for (wait, base) in waits.iter().zip([500, 1000, 2000]) {
            assert!((base..=2 * base).contains(&wait.as_millis()), "{wait:?}");
        }
        for final_error in [
            ProviderError::Cancelled,
            ProviderError::bad_response("x"),
            ProviderError::KeyInvalid,
        ] {
            assert_eq!(Retries::new(3).wait_after(&final_error), None);
        }
    }
}
