//! Who still listens to the answer of a call over HTTP: a program that has gone must not hold what it asked for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// The header with the session of the Model Context Protocol.
pub(crate) const SESSION: &str = "mcp-session-id";
/// Said to whoever comes while the server closes, and to whoever is still there.
pub(crate) const REVOKED: &str = "Blender no longer lets this program in. Ask the artist.";

/// A session without a connection is waited for this long before its open calls end: clients come back to a stream that broke.
const AWAY: Duration = Duration::from_secs(20);

/// All sessions over HTTP that listen, or have open calls.
#[derive(Debug)]
pub(crate) struct Presence {
    known: Mutex<HashMap<String, Listeners>>,
    away: Duration,
}

#[derive(Debug, Default)]
struct Listeners {
    /// Its responses that are still open.
    open: usize,
    /// Grows with each response, so that a late look knows whether another one came meanwhile.
    turns: u64,
    /// Ends the open calls.
    end: CancellationToken,
}

/// One response that a client listens to. A call of it ends with [`Listening::ended`].
#[derive(Debug)]
pub(crate) struct Listening {
    presence: Arc<Presence>,
    session: Option<String>,
    end: CancellationToken,
}

/// Ends when nobody listens to a call any more; travels with the request.
#[derive(Debug, Clone)]
pub(crate) struct Ended(pub(crate) CancellationToken);

impl Default for Presence {
    fn default() -> Self {
        Self {
            known: Mutex::default(),
            away: AWAY,
        }
    }
}

impl Presence {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Listeners>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client waits for a response, in a session or in none.
    pub(crate) fn listen(self: &Arc<Self>, session: Option<&str>) -> Listening {
        let end = match session {
            None => CancellationToken::new(),
            Some(id) => {
                let mut known = self.known();
                let listeners = known.entry(id.to_owned()).or_default();
                listeners.open += 1;
                listeners.turns += 1;
                listeners.end.clone()
            }
        };
        Listening {
            presence: Arc::clone(self),
            session: session.map(str::to_owned),
            end,
        }
    }

    /// The client has said that its session is over: its calls end.
    pub(crate) fn leave(&self, session: &str) {
        if let Some(listeners) = self.known().remove(session) {
            listeners.end.cancel();
        }
    }

    /// Ends the calls of a session that nobody has listened to since `turns`.
    fn forget(&self, session: &str, turns: u64) {
        let mut known = self.known();
        let is_gone = |one: &Listeners| one.open == 0 && one.turns == turns;
        if known.get(session).is_some_and(is_gone)
            && let Some(listeners) = known.remove(session)
        {
            listeners.end.cancel();
        }
    }
}

impl Listening {
    /// What ends when nobody listens any more.
    pub(crate) fn ended(&self) -> Ended {
        Ended(self.end.clone())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let Some(session) = self.session.take() else {
            // Without a session nobody can come back.
            self.end.cancel();
            return;
        };
        let turns = {
            let mut known = self.presence.known();
            let Some(listeners) = known.get_mut(&session) else {
                return;
            };
            listeners.open = listeners.open.saturating_sub(1);
            if listeners.open > 0 {
                return;
            }
            listeners.turns
        };
        // Outside of the runtime the server has stopped, and all calls with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let presence = Arc::clone(&self.presence);
            runtime.spawn(async move {
                tokio::time::sleep(presence.away).await;
                presence.forget(&session, turns);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_end_some_time_after_the_last_listener_and_at_once_with_the_session() {
        let presence = Arc::new(Presence {
            away: Duration::from_millis(30),
            ..Presence::default()
        });
        let first = presence.listen(Some("one"));
        let Ended(ended) = first.ended();
        let second = presence.listen(Some("one"));
        drop(first);
        presence.forget("one", 2);
        assert!(!ended.is_cancelled(), "another response is open");
        drop(second);
        presence.forget("one", 1);
        assert!(!ended.is_cancelled(), "it listened again after that look");
        let gone = tokio::time::timeout(Duration::from_secs(20), ended.cancelled()).await;
        assert!(gone.is_ok());
        assert!(presence.known().is_empty(), "nothing is left of it");

        let again = presence.listen(Some("one"));
        assert!(!again.ended().0.is_cancelled());
        presence.leave("one");
        assert!(again.ended().0.is_cancelled());
    }

    #[tokio::test]
    async fn without_a_session_a_call_ends_with_its_response() {
        let presence = Arc::new(Presence::default());
        let listening = presence.listen(None);
        let Ended(ended) = listening.ended();
        assert!(!ended.is_cancelled());
        drop(listening);
        assert!(ended.is_cancelled());
    }
}
