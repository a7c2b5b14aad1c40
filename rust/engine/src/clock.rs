//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

/// Unix time in seconds.
pub(crate) fn clock() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}
