//! The WebSocket: `tool_call` in, `tool_result` out, one text message each, results in the order of the calls.
//!
//! A session outlives its connection for two minutes: a client that says `{"type": "hello", "resume": SESSION, "received": SEQ}` gets the
//! results that it missed. A client that does not take its results has no further call carried out; one that says nothing for a minute
//! and answers no ping is let go.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use geonode_protocol::Code;
use geonode_tools::ToolError;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Closing;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::sync::CancellationToken;

use crate::presence::REVOKED;
use crate::sessions::{Asked, Next, Session, Sessions, failed};

/// Bytes of a message.
const MESSAGE_BYTES: usize = 1 << 20;
/// A client is asked this often whether it is still there.
const PING: Duration = Duration::from_secs(20);
/// A client says its first word within this time: until then nobody sees it, and it has a place that others may need.
const FIRST: Duration = Duration::from_secs(20);
/// A client that says nothing for this long is gone.
const SILENCE: Duration = Duration::from_secs(60);
/// A client takes a message within this time.
const TAKES: Duration = Duration::from_secs(30);
/// A client that is let go has this long to take what there is for it.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// Messages without meaning after which a connection is closed.
const NONSENSE: u32 = 20;
/// Characters of the client's name for a call.
const NAME: usize = 200;

type Socket = WebSocketStream<TokioIo<Upgraded>>;
/// The text of a message, or why there is no further one and what is said of it.
type Heard = Result<String, Option<CloseFrame>>;

/// What a client says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    /// Who it is, and which session it goes on with.
    Hello {
        #[serde(default)]
        client: String,
        resume: Option<String>,
        #[serde(default)]
        received: u64,
    },
    /// Asks for a call.
    ToolCall {
        call_id: String,
        tool_name: String,
        #[serde(default)]
        arguments: Value,
        #[serde(default, alias = "requires_confirmation")]
        requires_approval: bool,
    },
    /// Ends a call; its result is an error with the code `cancelled`.
    Cancel { call_id: String },
}

/// A message that says nothing.
#[derive(Debug)]
struct Unclear {
    call_id: Option<String>,
    error: ToolError,
}

/// Speaks with a client until it goes, or the server is `closing`; its session waits for it afterwards. `place` is free once it has gone.
pub(crate) async fn serve(
    upgraded: Upgraded,
    sessions: &Sessions,
    place: OwnedSemaphorePermit,
    closing: &CancellationToken,
) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES))
        .max_frame_size(Some(MESSAGE_BYTES));
    let socket = Socket::from_raw_socket(TokioIo::new(upgraded), Role::Server, Some(config)).await;
    let (mut writer, mut reader) = socket.split();
    let text = match first(FIRST, heard(&mut reader)).await {
        Ok(text) => text,
        Err(Some(frame)) => return close(&mut writer, &mut reader, frame).await,
        Err(None) => return,
    };
    let Begun {
        session,
        received,
        welcome,
    } = match begun(understood(&text), sessions) {
        Ok(begun) => begun,
        Err(frame) => return close(&mut writer, &mut reader, frame).await,
    };
    let connection = session.attach(received);
    let welcomed = match welcome {
        Some(welcome) => sent(&mut writer, Message::text(welcome.to_string())).await,
        None => true,
    };
    if welcomed {
        let ended = tokio::select! {
            ended = read(understood(&text), &mut reader, &session) => ended,
            ended = write(&mut writer, &session, connection) => ended,
            () = closing.cancelled() => Some(frame(Closing::Policy, REVOKED)),
        };
        if let Some(frame) = ended {
            // What it has asked is answered first, and what is wrong with it said.
            let answered = say_rest(&mut writer, &session, connection, closing.is_cancelled());
            drop(tokio::time::timeout(LAST_WORDS, answered).await);
            close(&mut writer, &mut reader, frame).await;
        }
    }
    drop((reader, writer, place));
    sessions.leave(&session, connection).await;
}

/// How a conversation begins.
#[derive(Debug)]
struct Begun {
    session: Arc<Session>,
    /// The number of the last message that the client has.
    received: u64,
    /// What a client hears that said hello.
    welcome: Option<Value>,
}

fn begun(said: Result<Said, Unclear>, sessions: &Sessions) -> Result<Begun, CloseFrame> {
    let (mut name, mut known, mut received, mut greeted) = (String::new(), None, 0, false);
    if let Ok(Said::Hello {
        client,
        resume,
        received: last,
    }) = said
    {
        (name, received, greeted) = (client, last, true);
        // Who has more than was sent has it from elsewhere.
        known = resume
            .and_then(|id| sessions.find(&id))
            .filter(|one| one.has_sent(last));
    }
    let resumed = known.is_some();
    let session = known
        .or_else(|| sessions.open(&name, greeted))
        .ok_or_else(|| frame(Closing::Again, "Too many programs are connected."))?;
    let welcome = greeted.then(|| json!({"type": "welcome", "session": session.id, "resumed": resumed}));
    Ok(Begun {
        received: if resumed { received } else { 0 },
        session,
        welcome,
    })
}

async fn read(first: Result<Said, Unclear>, reader: &mut SplitStream<Socket>, session: &Session) -> Option<CloseFrame> {
    let (mut next, mut is_first, mut nonsense) = (first, true, 0);
    loop {
        match next {
            Ok(Said::ToolCall {
                call_id,
                tool_name,
                arguments,
                requires_approval,
            }) => {
                let asked = Asked {
                    call_id,
                    tool: tool_name,
                    arguments,
                    asks: requires_approval,
                };
                if !session.ask(asked).await {
                    // It names no call: for whoever reads it, that of this name is the one that goes on.
                    let text = "The call_id belongs to a call that has no result yet, and that goes on. Give each call its own.";
                    let error = ToolError::new(Code::ToolValidationError, text);
                    session.put(json!({"type": "error", "error": error}));
                    nonsense += 1;
                }
            }
            Ok(Said::Cancel { call_id }) => session.cancel(&call_id),
            Ok(Said::Hello { .. }) if is_first => {}
            Ok(Said::Hello { .. }) => {
                let error = ToolError::new(Code::ToolValidationError, "A hello can only be the first message.");
                session.put(json!({"type": "error", "error": error}));
                nonsense += 1;
            }
            Err(Unclear { call_id, error }) => {
                session.put(match call_id {
                    Some(call_id) => failed(&call_id, &error),
                    None => json!({"type": "error", "error": error}),
                });
                nonsense += 1;
            }
        }
        if nonsense >= NONSENSE {
            return Some(frame(Closing::Policy, "Too many messages without meaning."));
        }
        is_first = false;
        next = match heard(reader).await {
            Ok(text) => understood(&text),
            Err(ended) => return ended,
        };
    }
}

/// The next text of the client, or how the conversation ends.
/// The first message, if it comes `within` this time.
async fn first(within: Duration, heard: impl Future<Output = Heard>) -> Heard {
    let silent = || Err(Some(frame(Closing::Policy, "Say hello, or call a tool.")));
    tokio::time::timeout(within, heard).await.unwrap_or_else(|_| silent())
}

async fn heard(reader: &mut SplitStream<Socket>) -> Heard {
    loop {
        let next = tokio::time::timeout(SILENCE, reader.next()).await;
        return match next {
            Err(_) => Err(Some(frame(Closing::Away, "Nothing was heard for a minute."))),
            Ok(Some(Ok(Message::Text(text)))) => Ok(text.to_string()),
            Ok(Some(Ok(Message::Binary(_)))) => Err(Some(frame(Closing::Unsupported, "Send JSON as text."))),
            Ok(Some(Ok(Message::Close(_))) | None) => Err(None),
            Ok(Some(Ok(_))) => continue,
            Ok(Some(Err(Error::Capacity(_)))) => Err(Some(frame(Closing::Size, "A message has at most 1 MB."))),
            Ok(Some(Err(Error::Utf8(_)))) => Err(Some(frame(Closing::Invalid, "Send JSON as UTF-8."))),
            Ok(Some(Err(Error::Protocol(_)))) => Err(Some(frame(Closing::Protocol, "This frame is malformed."))),
            Ok(Some(Err(_))) => Err(None),
        };
    }
}

fn understood(text: &str) -> Result<Said, Unclear> {
    let unclear = |call_id: Option<&str>, code: Code, text: String| {
        let call_id = call_id.map(str::to_owned);
        let error = ToolError::new(code, text);
        Err(Unclear { call_id, error })
    };
    let mut value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return unclear(None, Code::InvalidJson, format!("The message is not JSON: {error}.")),
    };
    let Some(fields) = value.as_object_mut() else {
        let text = "A message is an object such as {\"type\": \"tool_call\", \"call_id\": …}.";
        return unclear(None, Code::ToolValidationError, text.to_owned());
    };
    if !fields.contains_key("type") && fields.contains_key("tool_name") {
        fields.insert("type".to_owned(), "tool_call".into());
    }
    let call_id = fields.get("call_id").and_then(Value::as_str).map(str::to_owned);
    if call_id.as_ref().is_some_and(|id| id.chars().count() > NAME) {
        let text = format!("A call_id has at most {NAME} characters.");
        return unclear(None, Code::ToolValidationError, text);
    }
    Said::deserialize(value).or_else(|error| {
        let text = format!("The message does not fit: {error}.");
        unclear(call_id.as_deref(), Code::ToolValidationError, text)
    })
}

async fn write(writer: &mut SplitSink<Socket, Message>, session: &Session, connection: u64) -> Option<CloseFrame> {
    let mut news = session.news();
    loop {
        match session.next(connection) {
            Next::End => {
                return Some(frame(Closing::Policy, "Another connection goes on with this session."));
            }
            Next::Send(number, text) => {
                if !sent(writer, Message::text(&*text)).await {
                    return None;
                }
                session.sent(connection, number);
            }
            Next::Wait => tokio::select! {
                changed = news.changed() => {
                    if changed.is_err() {
                        return None;
                    }
                }
                () = tokio::time::sleep(PING) => {
                    if !sent(writer, Message::Ping(Vec::new().into())).await {
                        return None;
                    }
                }
            },
        }
    }
}

/// Whether a message went out in time.
async fn sent(writer: &mut SplitSink<Socket, Message>, message: Message) -> bool {
    let sending = tokio::time::timeout(TAKES, writer.send(message)).await;
    matches!(sending, Ok(Ok(())))
}

fn frame(code: Closing, reason: &'static str) -> CloseFrame {
    CloseFrame {
        code,
        reason: reason.into(),
    }
}

/// Sends the messages that are there; with `all`, also those of calls that are still open.
async fn say_rest(writer: &mut SplitSink<Socket, Message>, session: &Session, connection: u64, all: bool) {
    let mut news = session.news();
    loop {
        // Asked first: the last result may come right after the look at what there is.
        let is_idle = session.is_idle();
        match session.next(connection) {
            Next::Send(number, text) => {
                if !sent(writer, Message::text(&*text)).await {
                    return;
                }
                session.sent(connection, number);
            }
            Next::Wait if all && !is_idle => {
                if news.changed().await.is_err() {
                    return;
                }
            }
            Next::Wait | Next::End => return,
        }
    }
}

/// Says why the conversation ends, and waits until the client has heard it: what a connection throws away unread resets it.
async fn close(writer: &mut SplitSink<Socket, Message>, reader: &mut SplitStream<Socket>, frame: CloseFrame) {
    let closing = async {
        writer.send(Message::Close(Some(frame))).await?;
        writer.flush().await?;
        while let Some(Ok(_)) = reader.next().await {}
        writer.close().await
    };
    // How a connection ends is its client's affair.
    drop(tokio::time::timeout(Duration::from_secs(2), closing).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_says_nothing_at_first_gives_its_place_to_others() {
        let spoken = first(Duration::from_secs(20), async { Ok("hello".to_owned()) }).await;
        assert_eq!(spoken, Ok("hello".to_owned()));
        let silent = first(Duration::from_millis(1), std::future::pending()).await;
        assert_eq!(silent.unwrap_err().unwrap().reason, "Say hello, or call a tool.");
    }

    #[test]
    fn calls_are_understood_with_both_spellings_of_approval() {
        for (text, asks) in [
            (
                r#"{"type":"tool_call","call_id":"1","tool_name":"x","arguments":{},"requires_approval":true}"#,
                true,
            ),
            (r#"{"call_id":"1","tool_name":"x","requires_confirmation":true}"#, true),
            (r#"{"call_id":"1","tool_name":"x"}"#, false),
        ] {
            match understood(text) {
                Ok(Said::ToolCall { requires_approval, .. }) => assert_eq!(requires_approval, asks, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_call_it_belongs_to() {
        for (text, call, code) in [
            ("{", None, Code::InvalidJson),
            ("[]", None, Code::ToolValidationError),
            (r#"{"type":"exec"}"#, None, Code::ToolValidationError),
            (r#"{"call_id":"7","tool_name":3}"#, Some("7"), Code::ToolValidationError),
            (
                r#"{"call_id":"7","tool_name":"x","more":1}"#,
                Some("7"),
                Code::ToolValidationError,
            ),
            (
                r#"{"call_id":"7","tool_name":"x","requires_approval":false,"requires_confirmation":true}"#,
                Some("7"),
                Code::ToolValidationError,
            ),
        ] {
            let unclear = understood(text).unwrap_err();
            assert_eq!((unclear.call_id.as_deref(), unclear.error.code), (call, code), "{text}");
        }
    }
}
