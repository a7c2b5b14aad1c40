//! Calls that wait for the host's main thread, and the clients that made them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use geonode_protocol::Code;
use geonode_tools::{HostCall, ToolError};
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
/// Clients that are remembered: more than there can be sessions.
const CLIENTS: usize = 128;

/// The program at the other end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Caller {
    /// What it calls itself; nobody checks that.
    pub(crate) name: String,
    /// Number of its session, which no other one has; 0 for a request without a session: nobody can tell where that comes from.
    pub(crate) session: u64,
}

/// A program that has used the server lately: each of its sessions by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Client {
    /// What it calls itself; nobody checks that.
    pub name: String,
    /// Number of its session; 0 if it has none.
    pub session: u64,
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
    /// Number of its session; 0 if it has none.
    pub session: u64,
    /// The tool's ID.
    pub tool: String,
    /// The arguments, which fit the tool's schema.
    pub arguments: Value,
}

#[derive(Debug)]
struct Known {
    name: String,
    session: u64,
    /// Its session is over; what it has asked for ends by itself.
    gone: bool,
    calls: u64,
    open: usize,
    last: Instant,
    second: Instant,
    in_second: u32,
}

/// How the host answers a call: once, and before that in words how far it is.
#[derive(Debug)]
struct Reply {
    answer: oneshot::Sender<String>,
    stage: mpsc::UnboundedSender<String>,
}

/// What a client waits for.
#[derive(Debug)]
pub(crate) struct Pending {
    /// The answer, or an error once the host has closed.
    pub(crate) answer: oneshot::Receiver<String>,
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
    sessions: u64,
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
    pub(crate) fn admit(&self, client: &Caller) -> Result<Permit<'_>, ToolError> {
        let busy = |text: &str| Err(ToolError::new(Code::ToolBusy, text));
        let mut state = self.state();
        if state.closed {
            return Err(ToolError::new(Code::Cancelled, REVOKED));
        }
        if state.paused {
            return busy("The artist has paused other programs in Blender. Wait until they go on.");
        }
        let all: usize = state.clients.iter().map(|known| known.open).sum();
        let name = shown(&client.name);
        let known = state.known(&name, client.session);
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
        Ok(Permit {
            queue: self,
            name,
            session: client.session,
        })
    }

    /// Hands a call to the host.
    pub(crate) fn put(&self, client: &Caller, call: HostCall) -> (u64, Pending) {
        let (sender, answer) = oneshot::channel();
        let (telling, told) = mpsc::unbounded_channel();
        let mut state = self.state();
        // Those whose clients gave up while Blender was busy.
        state.waiting.retain(|waiting| !waiting.reply.answer.is_closed());
        state.next += 1;
        let id = state.next;
        let call = Taken {
            id,
            client: shown(&client.name),
            session: client.session,
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

    /// Answers a call with the text of a [`geonode_tools::HostResult`]; returns whether its client still waited.
    pub(crate) fn answer(&self, id: u64, result: String) -> bool {
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
            session: known.session,
            calls: known.calls,
            open: known.open,
            idle_s: known.last.elapsed().as_secs(),
        });
        shown.collect()
    }

    /// A number for a new session.
    pub(crate) fn enter(&self) -> u64 {
        let mut state = self.state();
        state.sessions += 1;
        state.sessions
    }

    /// Notes that a session is over; its client is shown no longer, once it has no open calls.
    pub(crate) fn part(&self, session: u64) {
        let mut state = self.state();
        for known in state.clients.iter_mut().filter(|known| known.session == session) {
            known.gone = true;
        }
        state.forget();
    }

    /// Notes that a client is there.
    pub(crate) fn greet(&self, client: &Caller) {
        let mut state = self.state();
        state.known(&shown(&client.name), client.session).last = Instant::now();
    }
}

impl State {
    /// A session is known until it is over: what the artist allows it can be seen and taken back for as long.
    fn forget(&mut self) {
        let lasts = |known: &Known| !known.gone && (known.session > 0 || known.last.elapsed() < SHOWN);
        self.clients.retain(|known| known.open > 0 || lasts(known));
    }

    fn known(&mut self, name: &str, session: u64) -> &mut Known {
        self.forget();
        let is_it = |known: &Known| known.name == name && known.session == session;
        let at = self.clients.iter().position(is_it);
        let at = at.unwrap_or_else(|| {
            if self.clients.len() >= CLIENTS {
                let oldest = self.clients.iter().enumerate().filter(|(_, known)| known.open == 0);
                if let Some((at, _)) = oldest.min_by_key(|(_, known)| (known.session > 0, known.last)) {
                    self.clients.remove(at);
                }
            }
            let now = Instant::now();
            self.clients.push(Known {
                name: name.to_owned(),
                session,
                gone: false,
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
    session: u64,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        let is_it = |known: &&mut Known| known.name == self.name && known.session == self.session;
        if let Some(known) = state.clients.iter_mut().find(is_it) {
            known.open = known.open.saturating_sub(1);
            known.last = Instant::now();
        }
        state.forget();
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

    fn caller(name: &str) -> Caller {
        Caller {
            name: name.to_owned(),
            session: 0,
        }
    }

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
        let permits: Vec<_> = (0..PER_CLIENT).map(|_| queue.admit(&caller("one")).unwrap()).collect();
        assert_eq!(queue.admit(&caller("one")).unwrap_err().code, Code::ToolBusy);
        assert!(queue.admit(&caller("two")).is_ok(), "another client has its own");
        drop(permits);
        assert!(queue.admit(&caller("one")).is_ok());
        queue.pause(true);
        assert!(queue.admit(&caller("one")).unwrap_err().message.contains("paused"));
        let (_, _receiver) = queue.put(&caller("one"), call());
        assert_eq!(queue.take(), None, "no call starts");
        queue.pause(false);
        assert!(queue.take().is_some());
    }

    #[test]
    fn a_flood_is_bounded_by_the_second() {
        let queue = Queue::default();
        let admitted = (0..1000).filter(|_| queue.admit(&caller("flood")).is_ok()).count();
        assert!(admitted <= 2 * PER_SECOND as usize, "{admitted}");
        for number in 0..2 * CLIENTS {
            queue.greet(&caller(&format!("client {number}")));
        }
        assert!(queue.clients().len() <= CLIENTS);
    }

    #[test]
    fn a_session_is_shown_by_itself_until_it_is_over() {
        let queue = Queue::default();
        let guest = |session| Caller {
            name: "guest".to_owned(),
            session,
        };
        let (one, two) = (guest(queue.enter()), guest(queue.enter()));
        assert!(one.session > 0 && two.session > 0 && one.session != two.session);
        let shown = || queue.clients().iter().map(|client| client.session).collect::<Vec<_>>();
        queue.greet(&one);
        queue.greet(&two);
        let permit = queue.admit(&one).unwrap();
        queue.put(&one, call());
        assert_eq!(shown(), [one.session, two.session]);
        // Whoever calls without a session pushes none of them out.
        for number in 0..2 * CLIENTS {
            queue.greet(&caller(&format!("client {number}")));
        }
        queue.part(two.session);
        queue.part(one.session);
        let sessions = || shown().into_iter().filter(|session| *session > 0).collect::<Vec<_>>();
        assert_eq!(sessions(), [one.session], "its call is open");
        drop(permit);
        assert_eq!(sessions(), [0; 0]);
    }

    #[test]
    fn a_call_whose_client_has_gone_is_not_carried_out() {
        let queue = Queue::default();
        let (_, gone) = queue.put(&caller("one"), call());
        drop(gone);
        let (id, mut waits) = queue.put(&caller("one"), call());
        assert_eq!(queue.take().map(|taken| taken.id), Some(id));
        assert!(queue.wanted(id));
        let result = r#"{"ok": true, "result": {}}"#.to_owned();
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
        let permit = queue.admit(&caller("one")).unwrap();
        let (_, mut waits) = queue.put(&caller("one"), call());
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
        assert_eq!(queue.admit(&caller("one")).unwrap_err().code, Code::Cancelled);
    }

    #[test]
    fn names_are_shown_without_tricks() {
        assert_eq!(shown("Claude\u{202e}\nCode"), "ClaudeCode");
        assert_eq!(shown("\u{200b}"), "A program without a name");
        assert_eq!(shown(&"x".repeat(500)).len(), NAME);
    }
}
