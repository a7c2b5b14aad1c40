//! Streamed replies: a task on the shared runtime reads the connection and hands events over a bounded channel.

use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::dialect::Step;
use crate::error::ProviderError;
use crate::http::{Answer, Http, Kind, Outgoing, web_page};
use crate::leak::KeyFilter;
use crate::limits;
use crate::measure::Measure;
use crate::reply::{Notice, Response, StreamEvent, Usage};
use crate::runtime;
use crate::sse::{SseEvent, SseParser};

/// What the channel carries.
pub(crate) type Item = Result<StreamEvent, ProviderError>;

/// The events of one streamed reply. Ends after `End` or the first error; dropping it closes the connection.
#[derive(Debug)]
pub struct EventStream {
    events: Receiver<Item>,
    token: CancellationToken,
    finished: bool,
}

impl EventStream {
    pub(crate) fn new(events: Receiver<Item>, token: CancellationToken) -> Self {
        Self {
            events,
            token,
            finished: false,
        }
    }

    /// The next event, for callers that are asynchronous themselves.
    pub async fn next_async(&mut self) -> Option<Item> {
        if self.finished {
            return None;
        }
        let item = tokio::select! {
            biased;
            () = self.token.cancelled() => Err(ProviderError::Cancelled),
            item = self.events.recv() => {
                item.unwrap_or_else(|| Err(ProviderError::Internal("reading a stream failed unexpectedly".into())))
            }
        };
        self.finished = matches!(item, Err(_) | Ok(StreamEvent::End { .. }));
        if self.finished {
            self.events.close();
        }
        Some(item)
    }
}

impl Iterator for EventStream {
    type Item = Item;

    /// Blocks the calling thread until the next event.
    fn next(&mut self) -> Option<Item> {
        if self.finished {
            return None;
        }
        match runtime::block_on(self.next_async()) {
            Ok(item) => item,
            Err(error) => {
                self.finished = true;
                Some(Err(error))
            }
        }
    }
}

/// The receiver of a stream's events, and whether any of the reply has been handed over.
pub(crate) struct Outlet {
    sender: Sender<Item>,
    /// Once true, the request is not retried: the reader would see the beginning twice.
    pub(crate) begun: bool,
    /// What removes the key.
    filter: KeyFilter,
    /// The length of the request.
    measure: Option<Measure>,
    usage: Option<Usage>,
}

/// Limits of waiting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// For the headers and the first piece of content.
    pub(crate) first: Duration,
    /// Between pieces of content.
    pub(crate) between: Duration,
}

impl Outlet {
    pub(crate) fn new(sender: Sender<Item>, filter: KeyFilter) -> Self {
        Self {
            sender,
            begun: false,
            filter,
            measure: None,
            usage: None,
        }
    }

    /// The request has this length; at the end of its reply it is compared with what the server counted.
    pub(crate) fn measure(&mut self, measure: Measure) {
        self.measure = Some(measure);
    }

    /// Hands an event over without the key of this client; waits while the reader is slow.
    pub(crate) async fn send(&mut self, mut event: StreamEvent) -> Result<(), ProviderError> {
        match &mut event {
            StreamEvent::Text { text } => {
                *text = self.filter.push(std::mem::take(text));
                if text.is_empty() {
                    return Ok(());
                }
            }
            StreamEvent::ToolCall { call } => {
                self.send_rest().await?;
                self.filter.call(call);
            }
            StreamEvent::End {
                finish_reason,
                model,
                request_id,
            } => {
                self.send_rest().await?;
                self.filter.ending(finish_reason, model, request_id.as_mut());
                let cut = self
                    .measure
                    .as_ref()
                    .and_then(|measure| measure.cut(self.usage.as_ref()));
                for notice in cut.into_iter().chain(self.filter.notice()) {
                    self.hand_over(StreamEvent::Notice { notice }).await?;
                }
            }
            StreamEvent::Usage { usage } => self.usage = Some(*usage),
            StreamEvent::Notice { .. } => {}
        }
        self.hand_over(event).await
    }

    /// The text that could have been the beginning of the key.
    async fn send_rest(&mut self) -> Result<(), ProviderError> {
        let text = self.filter.rest();
        if text.is_empty() {
            return Ok(());
        }
        self.hand_over(StreamEvent::Text { text }).await
    }

    async fn hand_over(&mut self, event: StreamEvent) -> Result<(), ProviderError> {
        self.begun |= matches!(
            event,
            StreamEvent::Text { .. } | StreamEvent::ToolCall { .. } | StreamEvent::End { .. }
        );
        self.sender.send(Ok(event)).await.map_err(|_| ProviderError::Cancelled)
    }

    /// Hands over a reply that arrived as a whole.
    pub(crate) async fn send_all(&mut self, response: Response) -> Result<(), ProviderError> {
        for notice in response.notices {
            self.send(StreamEvent::Notice { notice }).await?;
        }
        for text in response.text.split_inclusive('\n') {
            self.send(StreamEvent::Text { text: text.to_owned() }).await?;
        }
        for call in response.tool_calls {
            self.send(StreamEvent::ToolCall { call }).await?;
        }
        if let Some(usage) = response.usage {
            self.send(StreamEvent::Usage { usage }).await?;
        }
        let Response {
            finish_reason,
            model,
            request_id,
            ..
        } = response;
        self.send(StreamEvent::End {
            finish_reason,
            model,
            request_id,
        })
        .await
    }
}

/// One attempt: sends, and hands over events as they come. `taken` is called when the server begins to answer: what has to be said about the
/// form in which it took the request.
pub(crate) async fn attempt(
    http: &Http,
    outgoing: &Outgoing,
    patience: Patience,
    taken: &(dyn Fn() -> Option<Notice> + Sync),
    outlet: &mut Outlet,
) -> Result<(), ProviderError> {
    let first_deadline = Instant::now() + patience.first;
    let answer = tokio::time::timeout_at(first_deadline, http.open(outgoing))
        .await
        .map_err(|_| late(patience.first))?;
    let answer = answer.map_err(|error| http.locate(error, None))?;
    let request_id = answer.request_id.clone();
    let located = |error| http.locate(error, request_id.as_deref());
    match &answer.kind {
        Kind::Events | Kind::Other(None) => pump(http, answer, patience, first_deadline, taken, outlet)
            .await
            .map_err(located),
        Kind::Json => {
            // Some servers never stream.
            let body = tokio::time::timeout_at(first_deadline, answer.body(limits::REPLY_BYTES)).await;
            let body = body.map_err(|_| located(late(patience.first)))?.map_err(located)?;
            let mut response = http.dialect.reply(&body).map_err(located)?;
            response.request_id = request_id.clone();
            response.notices.extend(taken());
            outlet.send_all(response).await
        }
        Kind::WebPage => Err(located(web_page())),
        Kind::Other(Some(kind)) => Err(located(ProviderError::bad_response(format!(
            "The endpoint answers with “{kind}” instead of a stream of events."
        )))),
    }
}

fn late(limit: Duration) -> ProviderError {
    ProviderError::timeout(format!(
        "nothing of an answer was received for {} s",
        limit.as_secs_f64()
    ))
}

async fn pump(
    http: &Http,
    mut answer: Answer,
    patience: Patience,
    mut deadline: Instant,
    taken: &(dyn Fn() -> Option<Notice> + Sync),
    outlet: &mut Outlet,
) -> Result<(), ProviderError> {
    let (mut limit, mut told) = (patience.first, false);
    let mut parser = SseParser::default();
    let mut reader = http.dialect.reader();
    let (mut events, mut out): (Vec<SseEvent>, Vec<StreamEvent>) = (Vec::new(), Vec::new());
    let (mut wire, mut text) = (0_usize, 0_usize);
    loop {
        // With a peer that sends without pause, the timer would never fire.
        if Instant::now() >= deadline {
            return Err(late(limit));
        }
        let piece = tokio::time::timeout_at(deadline, answer.piece())
            .await
            .map_err(|_| late(limit))??;
        let ended = piece.is_none();
        if let Some(piece) = &piece {
            wire += piece.as_ref().len();
            parser.push(piece.as_ref(), &mut events)?;
        }
        let mut step = Step::Idle;
        let mut failed = None;
        for event in events.drain(..) {
            match reader.event(&event, &mut out) {
                Ok(Step::Idle) => {}
                Ok(Step::Content) => step = Step::Content,
                Ok(Step::End) => {
                    step = Step::End;
                    break;
                }
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        if ended && step != Step::End && failed.is_none() {
            failed = reader.end_of_stream(&mut out).err();
            step = Step::End;
        }
        if !out.is_empty() && failed.is_none() && !told {
            told = true;
            if let Some(notice) = taken() {
                outlet.send(StreamEvent::Notice { notice }).await?;
            }
        }
        for mut event in out.drain(..) {
            match &mut event {
                StreamEvent::Text { text: more } => text += more.len(),
                StreamEvent::End { request_id, .. } => request_id.clone_from(&answer.request_id),
                _ => {}
            }
            outlet.send(event).await?;
        }
        if let Some(error) = failed {
            return Err(error);
        }
        match step {
            Step::End => {
                drain(answer).await;
                return Ok(());
            }
            // Measured from here, since a slow reader is not the server's fault.
            Step::Content => {
                limit = patience.between;
                deadline = Instant::now() + limit;
            }
            Step::Idle => {}
        }
        if wire > limits::STREAM_BYTES || text > limits::REPLY_BYTES {
            let (limit, what) = if text > limits::REPLY_BYTES {
                (limits::REPLY_BYTES, "The text of the answer")
            } else {
                (limits::STREAM_BYTES, "The streamed answer")
            };
            return Err(ProviderError::bad_response(format!(
                "{what} is larger than {} MB.",
                limit >> 20
            )));
        }
    }
}

/// Reads the few bytes after the terminal mark, so that the connection can serve the next call.
async fn drain(mut answer: Answer) {
    let rest = async {
        for _ in 0..4 {
            if !matches!(answer.piece().await, Ok(Some(_))) {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(Duration::from_millis(50), rest).await;
}
