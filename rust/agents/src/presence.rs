//! Who still listens to the answer of a call over HTTP: a program that has gone must not hold what it asked for.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::RequestId;
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
    /// Its requests that have no answer yet.
    requests: HashSet<RequestId>,
}

/// One response that a client listens to.
#[derive(Debug)]
pub(crate) struct Listening {
    presence: Arc<Presence>,
    session: Option<String>,
    call: Listened,
}

/// What travels with a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listened {
    /// Ends when nobody listens to the call any more.
    pub(crate) end: CancellationToken,
    /// The ID is taken until the call has ended and its response, too.
    _id: Option<Arc<TakenId>>,
}

/// The ID of a request that has no answer yet: of two with the same ID, nobody could say whose answer it is.
#[derive(Debug)]
struct TakenId {
    presence: Arc<Presence>,
    session: String,
    id: RequestId,
}

impl Drop for TakenId {
    fn drop(&mut self) {
        if let Some(listeners) = self.presence.known().get_mut(&self.session) {
            listeners.requests.remove(&self.id);
        }
    }
}

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

    /// A client waits for the response to a request of this ID, in a session or in none; None if another request has the ID.
    pub(crate) fn listen(self: &Arc<Self>, session: Option<&str>, id: Option<RequestId>) -> Option<Listening> {
        let call = match session {
            None => Listened::default(),
            Some(session) => {
                let mut known = self.known();
                let listeners = known.entry(session.to_owned()).or_default();
                if let Some(id) = &id
                    && !listeners.requests.insert(id.clone())
                {
                    return None;
                }
                listeners.open += 1;
                listeners.turns += 1;
                let taken = |id| TakenId {
                    presence: Arc::clone(self),
                    session: session.to_owned(),
                    id,
                };
                Listened {
                    end: listeners.end.clone(),
                    _id: id.map(taken).map(Arc::new),
                }
            }
        };
        Some(Listening {
            presence: Arc::clone(self),
            session: session.map(str::to_owned),
            call,
        })
    }

    /// Whether a request of this ID has no answer yet.
    pub(crate) fn is_open(&self, session: Option<&str>, id: &RequestId) -> bool {
        let known = self.known();
        session
            .and_then(|session| known.get(session))
            .is_some_and(|one| one.requests.contains(id))
    }

    /// Whether a response of the session is open, or a call that it has asked for.
    pub(crate) fn listens(&self, session: &str) -> bool {
        let known = self.known();
        known
            .get(session)
            .is_some_and(|one| one.open > 0 || !one.requests.is_empty())
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
    /// What travels with the request.
    pub(crate) fn call(&self) -> Listened {
        self.call.clone()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let Some(session) = self.session.take() else {
            // Without a session nobody can come back.
            self.call.end.cancel();
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
        let first = presence.listen(Some("one"), None).unwrap();
        let ended = first.call().end;
        let second = presence.listen(Some("one"), None).unwrap();
        drop(first);
        presence.forget("one", 2);
        assert!(!ended.is_cancelled(), "another response is open");
        drop(second);
        presence.forget("one", 1);
        assert!(!ended.is_cancelled(), "it listened again after that look");
        let gone = tokio::time::timeout(Duration::from_secs(20), ended.cancelled()).await;
        assert!(gone.is_ok());
        assert!(presence.known().is_empty(), "nothing is left of it");

        let again = presence.listen(Some("one"), None).unwrap();
        assert!(!again.call().end.is_cancelled());
        presence.leave("one");
        assert!(again.call().end.is_cancelled());
    }

    #[tokio::test]
    async fn without_a_session_a_call_ends_with_its_response() {
        let presence = Arc::new(Presence::default());
        let listening = presence.listen(None, None).unwrap();
        let ended = listening.call().end;
        assert!(!ended.is_cancelled());
        drop(listening);
        assert!(ended.is_cancelled());
    }

    #[tokio::test]
    async fn an_id_is_taken_until_the_call_has_ended_and_its_response_too() {
        let presence = Arc::new(Presence::default());
        let listen = |session, id| presence.listen(session, Some(RequestId::Number(id)));
        let first = listen(Some("one"), 1).unwrap();
        let call = first.call();
        assert!(listen(Some("one"), 1).is_none());
        assert!(
            presence
                .listen(Some("one"), Some(RequestId::String("1".into())))
                .is_some()
        );
        assert!(listen(Some("two"), 1).is_some() && listen(Some("one"), 2).is_some());
        drop(first);
        assert!(
            listen(Some("one"), 1).is_none(),
            "the call goes on: its client may come back"
        );
        drop(call);
        assert!(listen(Some("one"), 1).is_some());
        assert!(
            listen(None, 1).is_some() && listen(None, 1).is_some(),
            "without a session they come one by one"
        );
    }
}
