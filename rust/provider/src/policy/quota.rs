//! Quotas of requests and tokens per minute and day, over all requests of this process.

use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::error::ProviderError;

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Requests are counted together over this part of a window: a minute by seconds, a day by 24 minutes.
const SLOTS: u32 = 60;

/// Limits; `None`: no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Requests in any minute.
    pub requests_per_minute: Option<u64>,
    /// Requests in any day.
    pub requests_per_day: Option<u64>,
    /// Tokens in any minute, input and output.
    pub tokens_per_minute: Option<u64>,
    /// Tokens in any day.
    pub tokens_per_day: Option<u64>,
}

/// The share of a request in the quotas.
#[derive(Debug, Clone, Default)]
pub struct Reserved {
    at: Option<Instant>,
    tokens: u64,
    /// Why it exceeds a limit, if that is only reported.
    pub(super) over: Option<ProviderError>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    begin: Instant,
    /// Time of the last addition, which decides when it leaves the window.
    last: Instant,
    requests: u64,
    tokens: u64,
}

/// A window that moves with the clock.
#[derive(Debug)]
struct Window {
    length: Duration,
    slots: VecDeque<Slot>,
}

impl Window {
    fn new(length: Duration) -> Self {
        Self {
            length,
            slots: VecDeque::new(),
        }
    }

    /// Requests and tokens of the window that ends now.
    fn used(&mut self, now: Instant) -> (u64, u64) {
        let over = |slot: &Slot| now.saturating_duration_since(slot.last) >= self.length;
        while self.slots.front().is_some_and(over) {
            self.slots.pop_front();
        }
        self.slots.iter().fold((0, 0), |(requests, tokens), slot| {
            (requests + slot.requests, tokens.saturating_add(slot.tokens))
        })
    }

    fn add(&mut self, now: Instant, requests: u64, tokens: u64) {
        let width = self.length / SLOTS;
        match self
            .slots
            .back_mut()
            .filter(|slot| now.saturating_duration_since(slot.begin) < width)
        {
            Some(slot) => {
                slot.last = now;
                slot.requests += requests;
                slot.tokens = slot.tokens.saturating_add(tokens);
            }
            None => self.slots.push_back(Slot {
                begin: now,
                last: now,
                requests,
                tokens,
            }),
        }
    }

    /// Adds a request that was made before others that are already counted.
    fn add_earlier(&mut self, at: Instant, tokens: u64) {
        let width = self.length / SLOTS;
        let place = self.slots.partition_point(|slot| slot.begin <= at);
        match place.checked_sub(1).and_then(|before| self.slots.get_mut(before)) {
            Some(slot) if at.saturating_duration_since(slot.begin) < width => {
                slot.last = slot.last.max(at);
                slot.requests += 1;
                slot.tokens = slot.tokens.saturating_add(tokens);
            }
            _ => self.slots.insert(
                place,
                Slot {
                    begin: at,
                    last: at,
                    requests: 1,
                    tokens,
                },
            ),
        }
    }

    /// Corrects the tokens of a request that was counted at `at`.
    fn correct(&mut self, at: Instant, counted: u64, real: u64) {
        if let Some(slot) = self.slots.iter_mut().rev().find(|slot| slot.begin <= at) {
            slot.tokens = slot.tokens.saturating_sub(counted).saturating_add(real);
        }
    }

    /// About how long until enough has left the window for one more request.
    fn free_in(&self, now: Instant) -> Duration {
        let first = self.slots.front().map_or(now, |slot| slot.last);
        self.length.saturating_sub(now.saturating_duration_since(first))
    }
}

/// Counts sent requests.
#[derive(Debug)]
pub struct Meter(Mutex<(Window, Window)>);

impl Default for Meter {
    fn default() -> Self {
        Self(Mutex::new((Window::new(MINUTE), Window::new(DAY))))
    }
}

impl Meter {
    /// The one of this process.
    pub fn process() -> &'static Self {
        static METER: OnceLock<Meter> = OnceLock::new();
        METER.get_or_init(Self::default)
    }

    /// Counts a request that another process made some time ago.
    pub fn earlier(&self, ago: Duration, tokens: u64) {
        self.earlier_at(Instant::now(), ago, tokens);
    }

    fn earlier_at(&self, now: Instant, ago: Duration, tokens: u64) {
        // If the clock has no such time, the machine started after the request, which has left every window or is about to.
        let Some(at) = now.checked_sub(ago) else { return };
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (minute, day) = &mut *windows;
        for window in [minute, day] {
            if ago < window.length {
                window.add_earlier(at, tokens);
            }
        }
    }

    /// Counts a request against the limits. With `anyway`, exceeding a limit is only reported.
    pub(super) fn reserve(&self, limits: &Limits, tokens: u64, anyway: bool) -> Result<Reserved, ProviderError> {
        self.reserve_at(Instant::now(), limits, tokens, anyway)
    }

    fn reserve_at(&self, now: Instant, limits: &Limits, tokens: u64, anyway: bool) -> Result<Reserved, ProviderError> {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (minute, day) = &mut *windows;
        let rows = [
            (
                &mut *minute,
                limits.requests_per_minute,
                limits.tokens_per_minute,
                "minute",
            ),
            (&mut *day, limits.requests_per_day, limits.tokens_per_day, "day"),
        ];
        let mut over = None;
        for (window, most_requests, most_tokens, span) in rows {
            let (requests, used) = window.used(now);
            let full = match (most_requests, most_tokens) {
                (Some(most), _) if requests >= most => Some(format!("{most} requests")),
                (_, Some(most)) if used.saturating_add(tokens) > most => Some(format!("{most} tokens")),
                _ => None,
            };
            over = over.or(full.map(|what| ProviderError::RequestQuota {
                what: format!("{what} a {span}"),
                seconds: window.free_in(now).as_secs().max(1),
            }));
        }
        if let (Some(error), false) = (&over, anyway) {
            return Err(error.clone());
        }
        minute.add(now, 1, tokens);
        day.add(now, 1, tokens);
        Ok(Reserved {
            at: Some(now),
            tokens,
            over,
        })
    }

    /// Returns the share of a request that was not sent.
    pub fn release(&self, reserved: &Reserved) {
        let Some(at) = reserved.at else { return };
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (minute, day) = &mut *windows;
        for window in [minute, day] {
            if let Some(slot) = window.slots.iter_mut().rev().find(|slot| slot.begin <= at) {
                slot.requests = slot.requests.saturating_sub(1);
                slot.tokens = slot.tokens.saturating_sub(reserved.tokens);
            }
        }
    }

    /// Corrects the share after the reply: `tokens` in all, as counted by the provider.
    pub fn settle(&self, reserved: &Reserved, tokens: u64) {
        let Some(at) = reserved.at else { return };
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.0.correct(at, reserved.tokens, tokens);
        windows.1.correct(at, reserved.tokens, tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(meter: &Meter, at: Instant, limits: &Limits, tokens: u64) -> Result<Reserved, String> {
        meter
            .reserve_at(at, limits, tokens, false)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn quotas_apply_exactly_at_their_limit_and_expire() {
        let (meter, start) = (Meter::default(), Instant::now());
        let limits = Limits {
            requests_per_minute: Some(2),
            tokens_per_day: Some(100),
            ..Limits::default()
        };
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!(take(&meter, start, &limits, 10).is_ok());
        assert!(take(&meter, after(30), &limits, 10).is_ok());
        let refused = take(&meter, after(59), &limits, 10).unwrap_err();
        assert!(
            refused.contains("2 requests a minute") && refused.contains("1 s"),
            "{refused}"
        );
        assert!(
            take(&meter, after(60), &limits, 80).is_ok(),
            "the first has left the minute; 100 tokens are allowed"
        );
        let refused = take(&meter, after(600), &limits, 1).unwrap_err();
        assert!(refused.contains("100 tokens a day"), "{refused}");
        assert!(take(&meter, after(24 * 3600 + 60), &limits, 1).is_ok());
    }

    #[test]
    fn refused_requests_use_no_quota_and_logged_ones_do() {
        let (meter, now) = (Meter::default(), Instant::now());
        let limits = Limits {
            tokens_per_minute: Some(10),
            ..Limits::default()
        };
        assert!(take(&meter, now, &limits, 11).is_err());
        assert!(take(&meter, now, &limits, 10).is_ok(), "nothing was taken before");
        let logged = meter.reserve_at(now, &limits, 1, true).unwrap();
        assert!(logged.over.is_some());
        assert_eq!(meter.0.lock().unwrap().0.used(now), (2, 11));
    }

    #[test]
    fn the_reply_corrects_the_estimate() {
        let (meter, now) = (Meter::default(), Instant::now());
        let limits = Limits {
            tokens_per_minute: Some(100),
            ..Limits::default()
        };
        let reserved = take(&meter, now, &limits, 90).unwrap();
        assert!(take(&meter, now, &limits, 20).is_err());
        meter.settle(&reserved, 30);
        assert!(take(&meter, now, &limits, 70).is_ok());
        assert!(take(&meter, now, &limits, 1).is_err());
        let unsent = meter.reserve_at(now, &Limits::default(), 5, false).unwrap();
        meter.release(&unsent);
        assert_eq!(meter.0.lock().unwrap().0.used(now), (2, 100));
    }

    #[test]
    fn requests_of_another_process_count_by_their_age() {
        let (meter, start) = (Meter::default(), Instant::now());
        let now = start + Duration::from_secs(24 * 3600);
        let limits = Limits {
            requests_per_minute: Some(3),
            tokens_per_day: Some(100),
            ..Limits::default()
        };
        assert!(take(&meter, now, &limits, 10).is_ok());
        meter.earlier_at(now, Duration::from_secs(59), 20);
        meter.earlier_at(now, Duration::from_secs(60), 30);
        meter.earlier_at(now, Duration::from_secs(24 * 3600), 1000);
        let used = |at| {
            let mut windows = meter.0.lock().unwrap();
            (windows.0.used(at), windows.1.used(at))
        };
        assert_eq!(used(now), ((2, 30), (3, 60)));
        assert!(take(&meter, now, &limits, 40).is_ok());
        assert!(
            take(&meter, now, &limits, 0)
                .unwrap_err()
                .contains("3 requests a minute")
        );
        let later = now + Duration::from_secs(1);
        assert_eq!(used(later).0, (2, 50), "it leaves in its own time");
        assert!(
            take(&meter, later, &limits, 1)
                .unwrap_err()
                .contains("100 tokens a day")
        );
    }

    #[test]
    fn memory_is_bounded() {
        let (meter, start) = (Meter::default(), Instant::now());
        for second in 0..200_000 {
            let now = start + Duration::from_secs(second);
            let _ = take(&meter, now, &Limits::default(), 1);
            meter.0.lock().unwrap().0.used(now);
        }
        let windows = meter.0.lock().unwrap();
        assert!(windows.0.slots.len() <= 61 && windows.1.slots.len() <= 61);
    }
}
