//! A call of a client, whichever protocol it came through: admitted, approved, carried out, answered.

use std::sync::Arc;
use std::time::Duration;

use geonode_protocol::Code;
use geonode_tools::{
    Access, Call, Executor, HostCall, HostResult, Limits, Outcome, Registry, Runner, Settled, ToolError,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::arguments;
use crate::presence::REVOKED;
use crate::queue::{Caller, Pending, Queue, shown};
use crate::witness::Witness;

/// A call that waits for the artist waits this long.
const ANSWER: Duration = Duration::from_secs(600);
/// A call that reads waits this long for Blender's main thread before its own time begins.
const TURN: Duration = Duration::from_secs(20);
/// Bytes of a result. It goes out as data and as text, and clients read events of at most a megabyte.
const RESULT_BYTES: usize = 400 << 10;
/// What the host is asked where a client wants the artist's approval for a call that needs none.
const APPROVAL: &str = "approval";

/// Hears in words how far a call is.
pub(crate) type Told = mpsc::UnboundedSender<String>;

/// Carries out calls.
#[derive(Debug, Clone)]
pub(crate) struct Calls {
    pub(crate) registry: Registry,
    pub(crate) queue: Arc<Queue>,
    pub(crate) witness: Witness,
}

/// One call.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) client: &'a Caller,
    pub(crate) tool: &'a str,
    pub(crate) arguments: Value,
    /// The client wants the artist's approval even if the tool needs none.
    pub(crate) asks: bool,
}

impl Calls {
    /// Carries out a call: in the core on a thread of its own, in Blender when its main thread takes it. `told` hears how far it is.
    /// The call is dropped when its client cancels it or has gone.
    pub(crate) async fn carry_out(&self, wanted: Wanted<'_>, told: Option<Told>) -> Result<Settled, ToolError> {
        let mut act = Acting {
            witness: &self.witness,
            client: shown(&wanted.client.name),
            tool: short(wanted.tool),
            writes: self.writes(wanted.tool),
            ended: Some(Code::Cancelled),
        };
        let settled = self.settle(wanted, told).await;
        act.ended = match &settled {
            Ok(Settled {
                outcome: Outcome::Done(_),
                ..
            }) => None,
            Ok(Settled {
                outcome: Outcome::Failed(error),
                ..
            })
            | Err(error) => Some(error.code),
        };
        settled
    }

    fn writes(&self, tool: &str) -> bool {
        let known = self.registry.get(tool);
        known.is_some_and(|known| known.spec.access == Access::Writes)
    }

    /// What to call instead of a tool that is not there.
    fn unknown(&self, tool: &str) -> ToolError {
        let plain = |name: &str| -> String {
            let letters = name.chars().filter(|c| c.is_alphanumeric());
            letters.flat_map(char::to_lowercase).collect()
        };
        let wanted = plain(tool);
        let close = |id: &&str| {
            let known = plain(id);
            known == wanted || (!wanted.is_empty() && (wanted.contains(&known) || known.contains(&wanted)))
        };
        let near = self.registry.iter().map(|tool| tool.spec.id.as_str()).find(close);
        let fix = near.map_or_else(
            || "Call one that is listed.".to_owned(),
            |near| format!("Did you mean {near}?"),
        );
        ToolError::new(Code::UnknownTool, format!("There is no tool {:?}. {fix}", short(tool)))
    }

    async fn settle(&self, wanted: Wanted<'_>, told: Option<Told>) -> Result<Settled, ToolError> {
        let Wanted {
            client,
            tool,
            mut arguments,
            asks,
        } = wanted;
        let Some(known) = self.registry.get(tool) else {
            return Err(self.unknown(tool));
        };
        arguments::meant(known.spec.input.schema(), &mut arguments);
        let (writes, on_host) = (
            known.spec.access == Access::Writes,
            matches!(known.runner, Runner::Host(_)),
        );
        let asks = asks || known.spec.requires_approval;
        let _permit = self.queue.admit(client)?;
        let limits = Limits {
            result_bytes: RESULT_BYTES,
            input_bytes: 512 << 10,
            writes: true,
            ..Limits::default()
        };
        if asks && !writes {
            let question = HostCall {
                call_id: "1".to_owned(),
                tool: APPROVAL.to_owned(),
                arguments: json!({"tool": tool}),
                timeout_s: ANSWER.as_secs_f64(),
            };
            let answer = self.on_host(client, question, ANSWER, told.as_ref()).await?;
            if !answer.ok {
                return Err(of_host(answer));
            }
        }
        let mut executor = Executor::new(self.registry.clone(), limits);
        let call = Call {
            id: "1".to_owned(),
            name: tool.to_owned(),
            arguments,
        };
        let mut batch = executor.admit(vec![call], 0);
        if !on_host {
            let ran = tokio::task::spawn_blocking(move || {
                executor.run(&mut batch, &|| false, &mut |_| {});
                (executor, batch)
            });
            (executor, batch) = ran.await.map_err(|_| broken())?;
        }
        if let Some(call) = batch.host_calls().into_iter().next() {
            let limit = if writes {
                ANSWER
            } else {
                TURN + Duration::from_secs_f64(call.timeout_s)
            };
            let answer = self.on_host(client, call, limit, told.as_ref()).await?;
            executor.host_answered(&mut batch, vec![answer], &mut |_| {});
        }
        let settled = batch.results().into_iter().next().ok_or_else(broken)?;
        if settled.bytes > RESULT_BYTES {
            let text = format!(
                "The result has {} bytes, of which at most {RESULT_BYTES} are sent. Ask for less, or use tree_save.",
                settled.bytes
            );
            return Err(ToolError::new(Code::FileTooLarge, text));
        }
        Ok(settled)
    }

    async fn on_host(
        &self,
        client: &Caller,
        call: HostCall,
        limit: Duration,
        told: Option<&Told>,
    ) -> Result<HostResult, ToolError> {
        let (_, Pending { mut answer, mut stage }) = self.queue.put(client, call);
        let answered = async {
            loop {
                tokio::select! {
                    biased;
                    Some(stage) = stage.recv() => {
                        if let Some(told) = told {
                            // A client that has gone hears nothing.
                            told.send(stage).unwrap_or_default();
                        }
                    }
                    answer = &mut answer => return answer,
                }
            }
        };
        match tokio::time::timeout(limit, answered).await {
            // Read here and not where it was made: that was Blender's main thread.
            Ok(Ok(answer)) => serde_json::from_str(&answer).map_err(|error| {
                let text = format!("Blender's answer cannot be read: {error}.");
                ToolError::new(Code::ReturnInvalid, text)
            }),
            Ok(Err(_)) => Err(ToolError::new(Code::Cancelled, REVOKED)),
            Err(_) => {
                let text = "Blender is busy and did not answer in time. Call again later.";
                Err(ToolError::new(Code::ToolTimeout, text))
            }
        }
    }
}

/// Tells of a call when it has ended, also when it is dropped: reading that was carried out is not told of, and neither is a program that
/// has to wait.
#[derive(Debug)]
struct Acting<'a> {
    witness: &'a Witness,
    client: String,
    tool: String,
    writes: bool,
    ended: Option<Code>,
}

impl Drop for Acting<'_> {
    fn drop(&mut self) {
        if self.writes || !matches!(self.ended, None | Some(Code::ToolBusy | Code::Cancelled)) {
            self.witness.tell(&self.client, &self.tool, self.ended);
        }
    }
}

fn of_host(answer: HostResult) -> ToolError {
    let Some(error) = answer.error else { return broken() };
    let code = Code::ALL.iter().copied().find(|code| code.as_str() == error.code);
    ToolError::new(code.unwrap_or(Code::InternalError), error.message)
}

fn broken() -> ToolError {
    ToolError::new(Code::InternalError, "The call could not be carried out.")
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}
