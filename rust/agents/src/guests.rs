//! How many sessions of the Model Context Protocol are kept: clients that connect anew for every call, and never say goodbye, must not
//! make Blender grow.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hyper::HeaderMap;

use crate::presence::SESSION;

/// Sessions that are kept; beyond them the one that has been silent for the longest time ends. Its client is told that it is not found,
/// and begins another one.
const KEPT: usize = 64;

/// The sessions, the one that was heard last at the end.
#[derive(Debug, Default)]
pub(crate) struct Guests {
    known: Mutex<Vec<String>>,
}

impl Guests {
    fn known(&self) -> MutexGuard<'_, Vec<String>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request of this session was answered, or one that began the session that the answer's headers name.
    pub(crate) fn heard(&self, session: Option<&str>, answer: &HeaderMap) {
        let begun = answer.get(SESSION).and_then(|id| id.to_str().ok());
        if let Some(id) = begun.or(session) {
            let mut known = self.known();
            known.retain(|one| one != id);
            known.push(id.to_owned());
        }
    }

    /// The session that has to end, of those that nobody listens to.
    pub(crate) fn surplus(&self, listens: impl Fn(&str) -> bool) -> Option<String> {
        let mut known = self.known();
        if known.len() <= KEPT {
            return None;
        }
        let silent = known.iter().position(|id| !listens(id))?;
        Some(known.remove(silent))
    }

    /// The session is over.
    pub(crate) fn leave(&self, session: &str) {
        self.known().retain(|one| one != session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_silent_session_ends_that_nobody_listens_to() {
        let guests = Guests::default();
        let begins = |id: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(SESSION, id.parse().unwrap());
            guests.heard(None, &headers);
        };
        for number in 0..KEPT {
            begins(&format!("s{number}"));
        }
        assert_eq!(guests.surplus(|_| false), None, "all have a place");
        guests.heard(Some("s0"), &HeaderMap::new());
        begins("new");
        assert_eq!(guests.surplus(|id| id == "s1").as_deref(), Some("s2"));
        assert_eq!(guests.surplus(|_| false), None);
        begins("newer");
        assert_eq!(guests.surplus(|_| true), None, "each of them is listened to");
        guests.leave("newer");
        assert_eq!(guests.known().len(), KEPT);
        assert_eq!(guests.known().last().unwrap(), "new");
    }
}
