//! What a client of the Model Context Protocol sees: the tools, and the outcome of a call.

use std::sync::Arc;
use std::time::Duration;

use geonode_protocol::Code;
use geonode_tools::{Access, Call, Executor, HostResult, Limits, Outcome, Registry, Settled, Spec, ToolError};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::queue::Queue;

/// A call that writes waits this long for the artist.
const ANSWER: Duration = Duration::from_secs(600);
/// A call that reads waits this long for Blender's main thread before its own time begins.
const TURN: Duration = Duration::from_secs(20);
/// Bytes of a result.
const RESULT_BYTES: usize = 256 << 10;

/// One per session; the state behind it is shared.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    pub(crate) registry: Registry,
    pub(crate) queue: Arc<Queue>,
    pub(crate) about: Arc<str>,
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder().enable_tools().build();
        info.server_info = Implementation::new("geonode-assistant", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(self.about.to_string());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.queue.greet(&client_of(&context));
        let tools = self.registry.iter().map(|tool| listed(&tool.spec)).collect();
        Ok(ListToolsResult {
            tools,
            ..ListToolsResult::default()
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.registry.get(&request.name).is_none() {
            let text = format!("unknown_tool: there is no tool {:?}", short(&request.name));
            return Err(ErrorData::invalid_params(text, None));
        }
        let client = client_of(&context);
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let cancelled = context.ct.clone();
        let settled = tokio::select! {
            settled = self.carry_out(&client, &request.name, arguments) => settled,
            () = cancelled.cancelled() => Err(ToolError::cancelled()),
        };
        Ok(match settled {
            Ok(settled) => shown(settled),
            Err(error) => failed(&error),
        }
        .into())
    }
}

impl Handler {
    /// Carries out a call: in the core on a thread of its own, in Blender when its main thread takes it.
    async fn carry_out(&self, client: &str, tool: &str, arguments: Value) -> Result<Settled, ToolError> {
        let _permit = self.queue.admit(client)?;
        let limits = Limits {
            result_bytes: RESULT_BYTES,
            input_bytes: 512 << 10,
            writes: true,
            ..Limits::default()
        };
        let (registry, name) = (self.registry.clone(), tool.to_owned());
        let admitted = tokio::task::spawn_blocking(move || {
            let mut executor = Executor::new(registry, limits);
            let call = Call {
                id: "1".to_owned(),
                name,
                arguments,
            };
            let mut batch = executor.admit(vec![call], 0);
            executor.run(&mut batch, &|| false, &mut |_| {});
            (executor, batch)
        });
        let (mut executor, mut batch) = admitted.await.map_err(|_| broken())?;
        if let Some(call) = batch.host_calls().into_iter().next() {
            let writes = self
                .registry
                .get(tool)
                .is_some_and(|tool| tool.spec.access == Access::Writes);
            let limit = if writes {
                ANSWER
            } else {
                TURN + Duration::from_secs_f64(call.timeout_s)
            };
            let (_, answer) = self.queue.put(client, call);
            let answer: HostResult = match tokio::time::timeout(limit, answer).await {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) => return Err(ToolError::cancelled()),
                Err(_) => {
                    let text = "Blender is busy and did not answer in time. Call again later.";
                    return Err(ToolError::new(Code::ToolTimeout, text));
                }
            };
            executor.host_answered(&mut batch, vec![answer], &mut |_| {});
        }
        batch.results().into_iter().next().ok_or_else(broken)
    }
}

fn broken() -> ToolError {
    ToolError::new(Code::InternalError, "The call could not be carried out.")
}

/// The program at the other end, as it calls itself.
fn client_of(context: &RequestContext<RoleServer>) -> String {
    context.client_info().map(|info| info.name).unwrap_or_default()
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

fn schema(value: &Value) -> Arc<JsonObject> {
    Arc::new(value.as_object().cloned().unwrap_or_default())
}

/// A tool as it is listed. Nothing reaches another machine; a tool that writes keeps what is the artist's unless they agree.
fn listed(spec: &Spec) -> Tool {
    let reads = spec.access == Access::Reads;
    let hints = ToolAnnotations::from_raw(None, Some(reads), Some(!reads), Some(reads), Some(false));
    Tool::new(spec.id.clone(), spec.description.clone(), schema(spec.input.schema())).with_annotations(hints)
}

fn shown(settled: Settled) -> CallToolResult {
    match settled.outcome {
        Outcome::Done(value) => {
            let mut result = CallToolResult::structured(value);
            if let Some(image) = settled.image {
                result.content.push(ContentBlock::image(image.data, image.media_type));
            }
            result
        }
        Outcome::Failed(error) => failed(&error),
    }
}

fn failed(error: &ToolError) -> CallToolResult {
    CallToolResult::structured_error(json!({"error": error}))
}
