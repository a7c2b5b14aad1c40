//! What is told about calls to whoever keeps a record of them: refusals, and what writes. No arguments, no results, no token.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use geonode_protocol::Code;

/// Acts that are told in a minute; a program that floods does not fill the record.
const PER_MINUTE: u32 = 60;
const MINUTE: Duration = Duration::from_secs(60);

/// A call that was refused, or one that writes, or a request that was not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// What the program calls itself; empty where it was not let in.
    pub client: String,
    /// The tool; empty where no call was understood.
    pub tool: String,
    /// Why it was refused or failed; None for a call that was carried out.
    pub code: Option<Code>,
    /// Acts before this one that are not told, as there were too many.
    pub left_out: u32,
}

/// Who hears of acts.
pub type Hears = Arc<dyn Fn(Act) + Send + Sync>;

/// Tells of acts, so many a minute.
#[derive(Clone)]
pub(crate) struct Witness {
    hears: Hears,
    /// Of programs, and of those that were not let in: these cannot hide what the former do.
    lately: Arc<[Mutex<Lately>; 2]>,
}

#[derive(Debug)]
struct Lately {
    since: Instant,
    told: u32,
    left_out: u32,
}

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Witness")
            .field("lately", &self.lately)
            .finish_non_exhaustive()
    }
}

impl Witness {
    pub(crate) fn new(hears: Hears) -> Self {
        let none = || {
            Mutex::new(Lately {
                since: Instant::now(),
                told: 0,
                left_out: 0,
            })
        };
        Self {
            hears,
            lately: Arc::new([none(), none()]),
        }
    }

    /// Tells of an act.
    pub(crate) fn tell(&self, client: &str, tool: &str, code: Option<Code>) {
        let left_out = {
            let [programs, strangers] = &*self.lately;
            let lately = if client.is_empty() { strangers } else { programs };
            let mut lately = lately.lock().unwrap_or_else(PoisonError::into_inner);
            if lately.since.elapsed() >= MINUTE {
                (lately.since, lately.told) = (Instant::now(), 0);
            }
            if lately.told >= PER_MINUTE {
                lately.left_out = lately.left_out.saturating_add(1);
                return;
            }
            lately.told += 1;
            std::mem::take(&mut lately.left_out)
        };
        (self.hears)(Act {
            client: client.to_owned(),
            tool: tool.to_owned(),
            code,
            left_out,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_told_in_part_and_counted() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&heard);
        let witness = Witness::new(Arc::new(move |act| into.lock().unwrap().push(act)));
        for _ in 0..1000 {
            witness.tell("one", "none", Some(Code::UnknownTool));
        }
        assert_eq!(heard.lock().unwrap().len(), PER_MINUTE as usize);
        witness.tell("", "", Some(Code::AuthFailed));
        assert_eq!(
            heard.lock().unwrap().pop().unwrap().left_out,
            0,
            "strangers count by themselves"
        );
        let [programs, _] = &*witness.lately;
        programs.lock().unwrap().since = Instant::now().checked_sub(MINUTE).unwrap();
        witness.tell("one", "apply_plan", None);
        let last = heard.lock().unwrap().pop().unwrap();
        assert_eq!(last.left_out, 1000 - PER_MINUTE);
        assert_eq!(last.code, None);
    }
}
