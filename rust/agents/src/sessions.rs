//! Sessions of clients on the WebSocket: their calls in order, and the results that a client has not got yet.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use geonode_protocol::Code;
use geonode_tools::{Outcome, Settled, ToolError};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::calls::{Calls, Wanted};
use crate::queue::Caller;
use crate::secret::random;

/// Calls of a session that are carried out at the same time.
const AT_ONCE: usize = 4;
/// Calls of a session that wait for those; beyond that nothing more is read.
const WAITING: usize = 16;
/// Results that a client has not taken; beyond that no further call begins.
const UNREAD: usize = 16;
/// Results that are kept for a client that comes back.
const KEPT: usize = 64;
/// Bytes of the results that are kept.
const KEPT_BYTES: usize = 8 << 20;
/// A session is kept this long without a connection.
const AWAY: Duration = Duration::from_secs(120);
/// Its open calls end after this time without a connection, so that a program that died holds nobody.
const HOLDS: Duration = Duration::from_secs(20);
/// A call that comes too soon is refused after this time.
const BUSY: Duration = Duration::from_millis(20);
/// Sessions at the same time.
const SESSIONS: usize = 32;

/// A call as its client asked for it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) call_id: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) asks: bool,
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    calls: Calls,
    known: Mutex<Vec<Arc<Session>>>,
}

/// One client's session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    client: Caller,
    /// It has said hello, and knows how to come back.
    returns: bool,
    calls: mpsc::Sender<(Asked, CancellationToken)>,
    /// Calls without a result, by their client's name for them.
    open: Mutex<Vec<(String, CancellationToken)>>,
    out: Mutex<Outbox>,
    news: watch::Sender<u64>,
    end: CancellationToken,
}

#[derive(Debug, Default)]
struct Outbox {
    /// Number of the last message.
    last: u64,
    /// Messages that may be wanted, with their numbers.
    kept: VecDeque<(u64, Arc<str>)>,
    bytes: usize,
    /// Number of the last message that the connection took.
    sent: u64,
    /// Number of the connection; none has 0.
    connection: u64,
    connections: u64,
}

/// What a connection does next.
#[derive(Debug, PartialEq)]
pub(crate) enum Next {
    /// Sends this message.
    Send(u64, Arc<str>),
    /// Waits for news.
    Wait,
    /// Ends: another connection goes on with the session.
    End,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sessions {
    pub(crate) fn new(calls: Calls) -> Self {
        Self {
            calls,
            known: Mutex::default(),
        }
    }

    /// A new session, for which a client `returns` that has said hello; None while there are too many.
    pub(crate) fn open(&self, client: &str, returns: bool) -> Option<Arc<Session>> {
        let id = random(16).ok()?;
        // Programs that do not say who they are can be told apart all the same.
        let name = match client.trim() {
            "" => format!("Program {}", id.get(..4).unwrap_or_default()),
            name => name.to_owned(),
        };
        let client = Caller {
            name,
            session: self.calls.queue.enter(),
        };
        let (calls, asked) = mpsc::channel(WAITING);
        let session = Arc::new(Session {
            id,
            client: client.clone(),
            returns,
            calls,
            open: Mutex::default(),
            out: Mutex::default(),
            news: watch::Sender::default(),
            end: CancellationToken::new(),
        });
        let mut known = lock(&self.known);
        if known.len() >= SESSIONS {
            let away = known.iter().position(|one| lock(&one.out).connection == 0)?;
            let gone = known.remove(away);
            gone.end.cancel();
            self.calls.queue.part(gone.client.session);
        }
        known.push(Arc::clone(&session));
        self.calls.queue.greet(&client);
        tokio::spawn(work(Arc::clone(&session), asked, self.calls.clone()));
        Some(session)
    }

    /// The session of this name.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Session>> {
        lock(&self.known).iter().find(|one| one.id == id).cloned()
    }

    /// The connection has ended; the session waits for another one.
    pub(crate) async fn leave(&self, session: &Arc<Session>, connection: u64) {
        {
            let mut out = lock(&session.out);
            if out.connection != connection {
                return;
            }
            out.connection = 0;
        }
        let is_away = || {
            let out = lock(&session.out);
            out.connection == 0 && out.connections == connection
        };
        if session.returns {
            tokio::time::sleep(HOLDS).await;
            if is_away() {
                for (_, token) in lock(&session.open).iter() {
                    token.cancel();
                }
                tokio::time::sleep(AWAY.saturating_sub(HOLDS)).await;
            }
        }
        if is_away() {
            session.end.cancel();
            lock(&self.known).retain(|one| one.id != session.id);
            self.calls.queue.part(session.client.session);
        }
    }
}

impl Session {
    /// A connection goes on with the session; returns its number. The client has all messages up to `received`.
    pub(crate) fn attach(&self, received: u64) -> u64 {
        let mut out = lock(&self.out);
        out.connections += 1;
        out.connection = out.connections;
        out.sent = received.min(out.last);
        let connection = out.connection;
        drop(out);
        self.tell();
        connection
    }

    /// Whether there has been a message of this number, or it is 0.
    pub(crate) fn has_sent(&self, number: u64) -> bool {
        number <= lock(&self.out).last
    }

    /// Hears of new messages and of room for them.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// What a connection does next.
    pub(crate) fn next(&self, connection: u64) -> Next {
        let out = lock(&self.out);
        if out.connection != connection {
            return Next::End;
        }
        let unsent = out.kept.iter().find(|(number, _)| *number > out.sent);
        unsent.map_or(Next::Wait, |(number, text)| Next::Send(*number, Arc::clone(text)))
    }

    /// A connection has taken this message.
    pub(crate) fn sent(&self, connection: u64, number: u64) {
        let mut out = lock(&self.out);
        if out.connection == connection {
            out.sent = number;
            out.forget();
        }
        drop(out);
        self.tell();
    }

    /// Asks for a call; returns whether it was taken, which it is not if one of its name has no result yet. Waits while too many are under
    /// way, which holds the client back.
    pub(crate) async fn ask(&self, asked: Asked) -> bool {
        let token = self.end.child_token();
        {
            let mut open = lock(&self.open);
            if open.iter().any(|(id, _)| *id == asked.call_id) {
                return false;
            }
            open.push((asked.call_id.clone(), token.clone()));
        }
        // It fails only once the session has ended.
        drop(self.calls.send((asked, token)).await);
        true
    }

    /// Ends the call of this name.
    pub(crate) fn cancel(&self, call_id: &str) {
        for (_, token) in lock(&self.open).iter().filter(|(id, _)| id == call_id) {
            token.cancel();
        }
    }

    /// Puts the result of a call behind the other messages; its name is free from now on.
    fn settle(&self, call_id: &str, result: Value) {
        let mut open = lock(&self.open);
        open.retain(|(id, _)| id != call_id);
        self.put(result);
    }

    /// Puts a message behind the others.
    pub(crate) fn put(&self, mut message: Value) {
        let mut out = lock(&self.out);
        out.last += 1;
        let number = out.last;
        if let Some(fields) = message.as_object_mut() {
            fields.insert("seq".to_owned(), number.into());
        }
        let text: Arc<str> = message.to_string().into();
        out.bytes += text.len();
        out.kept.push_back((number, text));
        out.forget();
        drop(out);
        self.tell();
    }

    /// Whether every call has its result.
    pub(crate) fn is_idle(&self) -> bool {
        lock(&self.open).is_empty()
    }

    fn has_room(&self) -> bool {
        let out = lock(&self.out);
        let unread = out.last - out.sent;
        usize::try_from(unread).is_ok_and(|unread| unread < UNREAD)
    }

    fn tell(&self) {
        self.news.send_modify(|number| *number = number.wrapping_add(1));
    }
}

impl Outbox {
    /// Drops the oldest messages that the client has got, beyond the bounds.
    fn forget(&mut self) {
        while let Some((number, text)) = self.kept.front() {
            let many = self.kept.len() > KEPT || self.bytes > KEPT_BYTES;
            if !many || *number > self.sent {
                return;
            }
            self.bytes -= text.len();
            self.kept.pop_front();
        }
    }
}

/// Carries out the calls of a session until it ends: some at once, their results in the order of the calls.
async fn work(session: Arc<Session>, mut asked: mpsc::Receiver<(Asked, CancellationToken)>, calls: Calls) {
    enum Event {
        Asked(Asked, CancellationToken),
        Done(Value),
        Room,
        End,
    }
    let mut under_way: VecDeque<(String, JoinHandle<Value>)> = VecDeque::new();
    let mut news = session.news();
    loop {
        let begins = under_way.len() < AT_ONCE && session.has_room();
        let event = {
            let first = async {
                match under_way.front_mut() {
                    Some((call_id, handle)) => handle.await.unwrap_or_else(|_| failed(call_id, &broken())),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = session.end.cancelled() => Event::End,
                done = first => Event::Done(done),
                asked = asked.recv(), if begins => asked.map_or(Event::End, |(asked, token)| Event::Asked(asked, token)),
                _ = news.changed(), if !begins => Event::Room,
            }
        };
        match event {
            Event::Asked(asked, token) => {
                let (calls, client, call_id) = (calls.clone(), session.client.clone(), asked.call_id.clone());
                let handle = tokio::spawn(async move { carry_out(&calls, &client, asked, token).await });
                under_way.push_back((call_id, handle));
            }
            Event::Done(result) => {
                if let Some((call_id, _)) = under_way.pop_front() {
                    session.settle(&call_id, result);
                }
            }
            Event::Room => {}
            Event::End => {
                for (_, handle) in &under_way {
                    handle.abort();
                }
                return;
            }
        }
    }
}

async fn carry_out(calls: &Calls, client: &Caller, asked: Asked, token: CancellationToken) -> Value {
    let wanted = Wanted {
        client,
        tool: &asked.tool,
        arguments: asked.arguments,
        asks: asked.asks,
    };
    let settled = tokio::select! {
        settled = calls.carry_out(wanted, None) => settled,
        () = token.cancelled() => Err(ToolError::cancelled()),
    };
    match settled {
        Ok(settled) => answered(&asked.call_id, settled),
        Err(error) => {
            if error.code == Code::ToolBusy {
                // Whoever asks too often waits for that answer, and costs nothing meanwhile.
                tokio::time::sleep(BUSY).await;
            }
            failed(&asked.call_id, &error)
        }
    }
}

fn answered(call_id: &str, settled: Settled) -> Value {
    match settled.outcome {
        Outcome::Failed(error) => failed(call_id, &error),
        Outcome::Done(mut result) => {
            if let (Some(image), Some(fields)) = (settled.image, result.as_object_mut()) {
                let image = json!({"media_type": image.media_type, "data": image.data});
                fields.insert("image".to_owned(), image);
            }
            json!({"type": "tool_result", "call_id": call_id, "result": result})
        }
    }
}

/// The result of a call that failed.
pub(crate) fn failed(call_id: &str, error: &ToolError) -> Value {
    json!({"type": "tool_result", "call_id": call_id, "error": error})
}

fn broken() -> ToolError {
    ToolError::new(Code::InternalError, "The call could not be carried out.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Queue;
    use crate::witness::Witness;

    fn sessions() -> Sessions {
        Sessions::new(Calls {
            registry: geonode_tools::Registry::default(),
            queue: Arc::new(Queue::default()),
            witness: Witness::new(Arc::new(|_| {})),
        })
    }

    fn asked(call_id: &str) -> Asked {
        Asked {
            call_id: call_id.to_owned(),
            tool: "none".to_owned(),
            arguments: json!({}),
            asks: false,
        }
    }

    async fn taken(session: &Session, connection: u64) -> Value {
        let mut news = session.news();
        loop {
            match session.next(connection) {
                Next::Send(number, text) => {
                    session.sent(connection, number);
                    return serde_json::from_str(&text).unwrap();
                }
                Next::Wait => news.changed().await.unwrap(),
                Next::End => panic!("the connection was taken over"),
            }
        }
    }

    #[tokio::test]
    async fn results_come_in_order_and_again_after_a_broken_connection() {
        let sessions = sessions();
        let session = sessions.open("one", true).unwrap();
        let first = session.attach(0);
        for number in 0..5 {
            assert!(session.ask(asked(&format!("c{number}"))).await);
        }
        for number in 0..5 {
            let result = taken(&session, first).await;
            assert_eq!(result["call_id"], format!("c{number}"));
            assert_eq!(result["error"]["code"], "unknown_tool");
            assert_eq!(result["seq"], number + 1);
        }
        let again = sessions.find(&session.id).unwrap().attach(3);
        assert_eq!(session.next(first), Next::End, "another connection goes on");
        assert_eq!(taken(&session, again).await["call_id"], "c3");
        assert!(lock(&session.open).is_empty());
        assert!(session.has_sent(0) && session.has_sent(5));
        assert!(!session.has_sent(6), "from another session");
    }

    #[tokio::test]
    async fn a_client_that_takes_no_results_is_held_back() {
        let sessions = sessions();
        let session = sessions.open("slow", true).unwrap();
        session.attach(0);
        let floods = async {
            for number in 0..1000 {
                assert!(session.ask(asked(&format!("c{number}"))).await);
            }
        };
        let stalled = tokio::time::timeout(Duration::from_millis(300), floods).await;
        assert!(stalled.is_err(), "it is not read any further");
        let held = lock(&session.out).last;
        assert!(held <= (UNREAD + AT_ONCE) as u64, "{held}");
    }

    #[tokio::test]
    async fn a_name_belongs_to_one_call_until_it_has_its_result() {
        let sessions = sessions();
        let session = sessions.open("one", true).unwrap();
        let connection = session.attach(0);
        assert!(session.ask(asked("c")).await);
        assert!(!session.ask(asked("c")).await);
        assert!(session.ask(asked("d")).await);
        assert_eq!(taken(&session, connection).await["call_id"], "c");
        assert!(
            session.ask(asked("c")).await,
            "whoever has the result can use the name again"
        );
        for call_id in ["d", "c"] {
            assert_eq!(taken(&session, connection).await["call_id"], call_id);
        }
        assert!(session.is_idle());
    }

    #[tokio::test]
    async fn programs_without_a_name_are_told_apart() {
        let sessions = sessions();
        let one = sessions.open(" ", true).unwrap();
        assert!(one.client.name.starts_with("Program "), "{:?}", one.client);
        assert_eq!(one.client.name.len(), 12);
    }

    #[tokio::test]
    async fn a_client_that_cannot_come_back_is_gone_with_its_connection() {
        let sessions = sessions();
        for returns in [false, true] {
            let session = sessions.open("one", returns).unwrap();
            let connection = session.attach(0);
            let leaving = sessions.leave(&session, connection);
            let left = tokio::time::timeout(Duration::from_millis(50), leaving).await;
            assert_eq!(left.is_ok(), !returns);
            assert_eq!(sessions.find(&session.id).is_some(), returns);
            assert_eq!(session.end.is_cancelled(), !returns);
        }
    }

    #[tokio::test]
    async fn sessions_are_bounded_and_those_without_a_connection_go_first() {
        let sessions = sessions();
        let held: Vec<_> = (0..SESSIONS).map(|_| sessions.open("one", true).unwrap()).collect();
        for one in held.iter().skip(1) {
            one.attach(0);
        }
        let next = sessions.open("two", true).unwrap();
        assert_eq!(next.client.name, "two");
        next.attach(0);
        assert!(sessions.find(&held.first().unwrap().id).is_none());
        assert!(sessions.open("three", true).is_none());
    }
}
