//! Calls that wait for the host's main thread, and the clients that made them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use geonode_protocol::Code;
use geonode_tools::{HostCall, HostResult, ToolError};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::presence::REVOKED;

/// Calls of one client that wait or are carried out at the same time.
const PER_CLIENT: usize = 4;
/// Calls of all clients that wait or are carried out at the same time.
const AT_ONCE: usize = 32;
/// Calls of one client in a second.
const PER_SECOND: u32 = 200;
/// A client is shown for this long after its last request.
const SHOWN: Duration = Duration::from_secs(300);
/// Characters of a client's name that are shown.
const NAME: usize = 48;
/// Clients that are remembered.
const CLIENTS: usize = 16;

/// A program that has used the server lately.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Client {
    /// What it calls itself; nobody checks that.
    pub name: String,
    /// Its calls so far.
    pub calls: u64,
    /// Its calls that have no answer yet.
    pub open: usize,
    /// Seconds since its last request.
    pub idle_s: u64,
}

/// A call for the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Taken {
    /// Number of the call, for [`crate::Server::answer`].
    pub id: u64,
    /// Name of the client.
    pub client: String,
    /// The tool's ID.
    pub tool: String,
    /// The arguments, which fit the tool's schema.
    pub arguments: Value,
}

#[derive(Debug)]
struct Known {
    name: String,
    calls: u64,
    open: usize,
    last: Instant,
    second: Instant,
    in_second: u32,
}

/// How the host answers a call: once, and before that in words how far it is.
#[derive(Debug)]
struct Reply {
    answer: oneshot::Sender<HostResult>,
    stage: mpsc::UnboundedSender<String>,
}

/// What a client waits for.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The answer, or an error once the host has closed.
    pub(crate) answer: oneshot::Receiver<HostResult>,
    /// How far the call is, in words.
    pub(crate) stage: mpsc::UnboundedReceiver<String>,
}

#[derive(Debug)]
struct Waiting {
    call: Taken,
    reply: Reply,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    paused: bool,
    closed: bool,
    clients: Vec<Known>,
    waiting: VecDeque<Waiting>,
    taken: Vec<(u64, Reply)>,
}

/// Shared by the host and all connections.
#[derive(Debug, Default)]
pub(crate) struct Queue(Mutex<State>);

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call of a client; the permit ends with the call.
    ///
    /// # Errors
    /// `tool_busy` while other programs are paused, and beyond the limits.
    pub(crate) fn admit(&self, client: &str) -> Result<Permit<'_>, ToolError> {
        let busy = |text: &str| Err(ToolError::new(Code::ToolBusy, text));
        let mut state = self.state();
        if state.closed {
            return Err(ToolError::new(Code::Cancelled, REVOKED));
        }
        if state.paused {
            return busy("The artist has paused other programs in Blender. Wait until they go on.");
        }
        let all: usize = state.clients.iter().map(|known| known.open).sum();
        let name = shown(client);
        let known = state.known(&name);
        let now = Instant::now();
        if now.duration_since(known.second) >= Duration::from_secs(1) {
            (known.second, known.in_second) = (now, 0);
        }
        known.last = now;
        if known.in_second >= PER_SECOND {
            return busy("This program calls too often: 200 calls in a second are carried out.");
        }
        if known.open >= PER_CLIENT || all >= AT_ONCE {
            return busy("Too many calls are under way; wait for their results.");
        }
        known.in_second += 1;
        known.calls += 1;
        known.open += 1;
        Ok(Permit { queue: self, name })
    }

    /// Hands a call to the host.
    pub(crate) fn put(&self, client: &str, call: HostCall) -> (u64, Pending) {
        let (sender, answer) = oneshot::channel();
        let (telling, told) = mpsc::unbounded_channel();
        let mut state = self.state();
        // Those whose clients gave up while Blender was busy.
        state.waiting.retain(|waiting| !waiting.reply.answer.is_closed());
        state.next += 1;
        let id = state.next;
        let call = Taken {
            id,
            client: shown(client),
            tool: call.tool,
            arguments: call.arguments,
        };
        let reply = Reply {
            answer: sender,
            stage: telling,
        };
        state.waiting.push_back(Waiting { call, reply });
        (id, Pending { answer, stage: told })
    }

    /// The next call for the host whose client still waits.
    pub(crate) fn take(&self) -> Option<Taken> {
        let mut state = self.state();
        state.taken.retain(|(_, reply)| !reply.answer.is_closed());
        if state.paused {
            return None;
        }
        while let Some(waiting) = state.waiting.pop_front() {
            if !waiting.reply.answer.is_closed() {
                state.taken.push((waiting.call.id, waiting.reply));
                return Some(waiting.call);
            }
        }
        None
    }

    /// Answers a call; returns whether its client still waited.
    pub(crate) fn answer(&self, id: u64, result: HostResult) -> bool {
        let mut state = self.state();
        let Some(at) = state.taken.iter().position(|(taken, _)| *taken == id) else {
            return false;
        };
        let (_, reply) = state.taken.swap_remove(at);
        reply.answer.send(result).is_ok()
    }

    /// Says how far a call is that was taken.
    pub(crate) fn tell(&self, id: u64, words: &str) {
        let state = self.state();
        if let Some((_, reply)) = state.taken.iter().find(|(taken, _)| *taken == id) {
            // A client that has gone hears nothing.
            reply.stage.send(words.to_owned()).unwrap_or_default();
        }
    }

    /// Whether the client of a call that was taken still waits for it.
    pub(crate) fn wanted(&self, id: u64) -> bool {
        let state = self.state();
        state
            .taken
            .iter()
            .any(|(taken, reply)| *taken == id && !reply.answer.is_closed())
    }

    /// Lets no new call start, or goes on; calls that wait are kept.
    pub(crate) fn pause(&self, paused: bool) {
        self.state().paused = paused;
    }

    /// Ends every call that waits, and lets none begin any more: their clients get `cancelled`.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.waiting.clear();
        state.taken.clear();
    }

    /// Whether every call has its answer.
    pub(crate) fn is_idle(&self) -> bool {
        self.state().clients.iter().all(|known| known.open == 0)
    }

    /// The clients of the last minutes, in the order in which they came.
    pub(crate) fn clients(&self) -> Vec<Client> {
        let mut state = self.state();
        state.forget();
        let shown = state.clients.iter().map(|known| Client {
            name: known.name.clone(),
            calls: known.calls,
            open: known.open,
            idle_s: known.last.elapsed().as_secs(),
        });
        shown.collect()
    }

    /// Notes that a client has gone; it is shown no longer, unless it has open calls.
    pub(crate) fn part(&self, client: &str) {
        let name = shown(client);
        self.state()
            .clients
            .retain(|known| known.open > 0 || known.name != name);
    }

    /// Notes that a client is there.
    pub(crate) fn greet(&self, client: &str) {
        self.state().known(&shown(client)).last = Instant::now();
    }
}

impl State {
    fn forget(&mut self) {
        self.clients
            .retain(|known| known.open > 0 || known.last.elapsed() < SHOWN);
    }

    fn known(&mut self, name: &str) -> &mut Known {
        self.forget();
        let at = self.clients.iter().position(|known| known.name == name);
        let at = at.unwrap_or_else(|| {
            if self.clients.len() >= CLIENTS {
                let oldest = self.clients.iter().enumerate().filter(|(_, known)| known.open == 0);
                if let Some((at, _)) = oldest.min_by_key(|(_, known)| known.last) {
                    self.clients.remove(at);
                }
            }
            let now = Instant::now();
            self.clients.push(Known {
                name: name.to_owned(),
                calls: 0,
                open: 0,
                last: now,
                second: now,
                in_second: 0,
            });
            self.clients.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the place was found or made above")]
        &mut self.clients[at]
    }
}

/// A call under way.
#[derive(Debug)]
pub(crate) struct Permit<'a> {
    queue: &'a Queue,
    name: String,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        if let Some(known) = state.clients.iter_mut().find(|known| known.name == self.name) {
            known.open = known.open.saturating_sub(1);
            known.last = Instant::now();
        }
    }
}

/// A client's name as it can be shown: one line without invisible characters.
pub(crate) fn shown(name: &str) -> String {
    let visible: String = name
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '/' | '(' | ')'))
        .take(NAME)
        .collect();
    match visible.trim() {
        "" => "A program without a name".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call() -> HostCall {
        HostCall {
            call_id: "c1".into(),
            tool: "scene_summary".into(),
            arguments: json!({}),
            timeout_s: 1.0,
        }
    }

    #[test]
    fn a_client_has_few_calls_at_once_and_a_paused_one_none() {
        let queue = Queue::default();
        let permits: Vec<_> = (0..PER_CLIENT).map(|_| queue.admit("one").unwrap()).collect();
        assert_eq!(queue.admit("one").unwrap_err().code, Code::ToolBusy);
        assert!(queue.admit("two").is_ok(), "another client has its own");
        drop(permits);
        assert!(queue.admit("one").is_ok());
        queue.pause(true);
        assert!(queue.admit("one").unwrap_err().message.contains("paused"));
        let (_, _receiver) = queue.put("one", call());
        assert_eq!(queue.take(), None, "no call starts");
        queue.pause(false);
        assert!(queue.take().is_some());
    }

    #[test]
    fn a_flood_is_bounded_by_the_second() {
        let queue = Queue::default();
        let admitted = (0..1000).filter(|_| queue.admit("flood").is_ok()).count();
        assert!(admitted <= 2 * PER_SECOND as usize, "{admitted}");
        for number in 0..100 {
            queue.greet(&format!("client {number}"));
        }
        assert!(queue.clients().len() <= CLIENTS);
        queue.greet("guest");
        assert!(queue.clients().iter().any(|client| client.name == "guest"));
        queue.part("guest");
        assert!(queue.clients().iter().all(|client| client.name != "guest"));
    }

    #[test]
    fn a_call_whose_client_has_gone_is_not_carried_out() {
        let queue = Queue::default();
        let (_, gone) = queue.put("one", call());
        drop(gone);
        let (id, mut waits) = queue.put("one", call());
        assert_eq!(queue.take().map(|taken| taken.id), Some(id));
        assert!(queue.wanted(id));
        let result = HostResult {
            ok: true,
            result: json!({}),
            error: None,
            ms: 0.0,
        };
        queue.tell(id, "half way");
        queue.tell(id, "almost");
        for stage in ["half way", "almost"] {
            assert_eq!(waits.stage.try_recv().ok().as_deref(), Some(stage));
        }
        assert!(queue.answer(id, result.clone()));
        assert_eq!(waits.answer.try_recv().ok(), Some(result.clone()));
        assert!(!queue.answer(id, result), "answered once");
    }

    #[test]
    fn a_server_that_closes_answers_and_begins_nothing() {
        let queue = Queue::default();
        let permit = queue.admit("one").unwrap();
        let (_, mut waits) = queue.put("one", call());
        queue.close();
        assert!(
            waits
                .answer
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
        );
        assert!(!queue.is_idle(), "its answer is on its way");
        drop(permit);
        assert!(queue.is_idle());
        assert_eq!(queue.admit("one").unwrap_err().code, Code::Cancelled);
    }

    #[test]
    fn names_are_shown_without_tricks() {
        assert_eq!(shown("Claude\u{202e}\nCode"), "ClaudeCode");
        assert_eq!(shown("\u{200b}"), "A program without a name");
        assert_eq!(shown(&"x".repeat(500)).len(), NAME);
    }
}
