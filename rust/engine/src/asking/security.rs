//! Security events: every part of the product records them here.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};

use crate::clock::clock;

/// Number of the latest events in memory; the counts include all.
const MAX_EVENTS: usize = 500;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Event {
    /// Unix time in seconds.
    at: f64,
    /// Its kind, in one word such as `policy`.
    kind: &'static str,
    /// Details without content and secrets.
    detail: Value,
}

#[derive(Debug, Default)]
struct Events {
    counts: BTreeMap<&'static str, u64>,
    latest: VecDeque<Event>,
}

fn events() -> MutexGuard<'static, Events> {
    static EVENTS: OnceLock<Mutex<Events>> = OnceLock::new();
    EVENTS
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// Records an event. `detail` names policies, origins and sizes; the caller must keep content and secrets out of it.
pub(crate) fn note(kind: &'static str, detail: Value) {
    let at = clock();
    let mut events = events();
    *events.counts.entry(kind).or_default() += 1;
    if events.latest.len() == MAX_EVENTS {
        events.latest.pop_front();
    }
    events.latest.push_back(Event { at, kind, detail });
}

/// The events of this process: `{"counts": {kind: count}, "latest": [{"at", "kind", "detail"}]}`.
pub fn security_events() -> Value {
    let events = events();
    json!({"counts": events.counts, "latest": events.latest})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_latest_security_events_are_kept_but_all_are_counted() {
        for number in 0..MAX_EVENTS + 3 {
            note("test", json!({ "number": number }));
        }
        let all = security_events();
        assert_eq!(all["counts"]["test"], MAX_EVENTS + 3);
        let latest = all["latest"].as_array().unwrap();
        assert_eq!(latest.len(), MAX_EVENTS);
        assert!(latest.iter().all(|event| event["at"].as_f64() > Some(0.0)));
    }
}
