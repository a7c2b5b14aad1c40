//! What a client of the Model Context Protocol sees: tools, pages to read, prompts, and the outcome of a call.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use geonode_protocol::Code;
use geonode_tools::{Access, Outcome, Settled, Spec, ToolError};
use hyper::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult, CompletionInfo,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceContents, Role, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;

use crate::calls::{Calls, Wanted};
use crate::library::{Library, Page};
use crate::presence::{Listened, SESSION};
use crate::queue::{Caller, Queue};

/// A client that wants to know how far a call is hears of it at least this often: some give up a call of which they hear nothing for a
/// minute, and the artist may take longer to answer.
const STILL: Duration = Duration::from_secs(15);
/// Characters of a method's name that an error repeats.
const METHOD: usize = 60;
/// What this server answers. The protocol's library takes a request whose params it cannot read for one of an unknown method.
const METHODS: [&str; 10] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
];

/// One per session; the state behind it is shared.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    pub(crate) calls: Calls,
    pub(crate) library: Arc<Library>,
    pub(crate) about: Arc<str>,
    pub(crate) guest: Arc<Guest>,
}

/// The client of a session, who is shown until the session ends.
#[derive(Debug)]
pub(crate) struct Guest {
    queue: Arc<Queue>,
    session: u64,
}

impl Guest {
    pub(crate) fn new(queue: &Arc<Queue>) -> Arc<Self> {
        Arc::new(Self {
            queue: Arc::clone(queue),
            session: queue.enter(),
        })
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.queue.part(self.session);
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::default();
        info.capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        info.server_info = Implementation::new("geonode-assistant", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(self.about.to_string());
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.calls.queue.greet(&self.client_of(&context));
        let tools = self.calls.registry.iter().map(|tool| listed(&tool.spec)).collect();
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
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let settled = self.carry_out(&request.name, arguments, &context).await;
        Ok(match settled {
            Err(error) if error.code == Code::UnknownTool => {
                let text = format!("unknown_tool: {}", error.message);
                return Err(ErrorData::invalid_params(text, None));
            }
            Ok(settled) => shown(settled),
            Err(error) => failed(&error),
        }
        .into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult {
            resources: self.library.resources(),
            ..ListResourcesResult::default()
        })
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult {
            resource_templates: self.library.templates(),
            ..ListResourceTemplatesResult::default()
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(ReadResourceResult::new(vec![self.page(&request.uri, &context).await?]).into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult {
            prompts: self.library.prompts(),
            ..ListPromptsResult::default()
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let filled = self
            .library
            .prompt(&request.name, &arguments)
            .map_err(|text| ErrorData::invalid_params(text, None))?;
        let mut messages = Vec::new();
        for uri in filled.pages {
            let shown = match self.page(&uri, &context).await? {
                ResourceContents::BlobResourceContents {
                    blob,
                    mime_type: Some(kind),
                    ..
                } => ContentBlock::image(blob, kind),
                page => ContentBlock::resource(page),
            };
            messages.push(PromptMessage::new(Role::User, shown));
        }
        messages.push(PromptMessage::new_text(Role::User, filled.text));
        Ok(GetPromptResult::new(messages).into())
    }

    /// What the protocol's library does not know, or cannot read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method: String = request.method.chars().take(METHOD).collect();
        if METHODS.contains(&method.as_str()) {
            let text = format!("The params of {method} do not have the form that the protocol gives them.");
            return Err(ErrorData::invalid_params(text, None));
        }
        let text = format!("This server has no method {method}.");
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = &request.argument.value;
        let choices = self.library.choices_for(&request.r#ref, &request.argument.name);
        let values = match choices {
            None => Vec::new(),
            Some(choices) => {
                let settled = self.carry_out(&choices.tool, choices.arguments(typed), &context).await;
                match settled.map(|settled| settled.outcome) {
                    Ok(Outcome::Done(outcome)) => choices.values(&outcome, typed),
                    // Nothing to choose from, such as for a search without words.
                    Ok(Outcome::Failed(_)) | Err(_) => Vec::new(),
                }
            }
        };
        let (total, most) = (values.len(), CompletionInfo::MAX_VALUES);
        let shown = values.into_iter().take(most).collect();
        let total = u32::try_from(total).unwrap_or(u32::MAX);
        let info = CompletionInfo::with_pagination(shown, Some(total), total as usize > most);
        info.map(CompleteResult::new)
            .map_err(|text| ErrorData::internal_error(text, None))
    }
}

impl Handler {
    /// The program at the other end, as it calls itself.
    fn client_of(&self, context: &RequestContext<RoleServer>) -> Caller {
        let name = context.client_info().map(|info| info.name).unwrap_or_default();
        let parts = context.extensions.get::<Parts>();
        // A request without a session has a handler of its own.
        let has_session = parts.is_some_and(|parts| parts.headers.contains_key(SESSION));
        Caller {
            name,
            session: if has_session { self.guest.session } else { 0 },
        }
    }

    /// A page as it is now.
    async fn page(&self, uri: &str, context: &RequestContext<RoleServer>) -> Result<ResourceContents, ErrorData> {
        let Some((page, arguments)) = self.library.find(uri) else {
            let text = "There is no such page. Read one that is listed.";
            return Err(ErrorData::resource_not_found(text, Some(json!({"uri": uri}))));
        };
        if page.text.is_some() {
            return Ok(page.contents(uri, &Value::Null));
        }
        let failed = |error: &ToolError| {
            let data = json!({"uri": uri, "code": error.code});
            match error.code {
                Code::ToolBusy | Code::ToolTimeout | Code::Cancelled | Code::InternalError => {
                    ErrorData::internal_error(error.message.clone(), Some(data))
                }
                _ => ErrorData::resource_not_found(error.message.clone(), Some(data)),
            }
        };
        match self.carry_out(&page.tool, arguments, context).await {
            Ok(Settled { image: Some(image), .. }) => Ok(Page::picture(uri, image)),
            Ok(Settled {
                outcome: Outcome::Done(value),
                ..
            }) => Ok(page.contents(uri, &value)),
            Ok(Settled {
                outcome: Outcome::Failed(error),
                ..
            })
            | Err(error) => Err(failed(&error)),
        }
    }

    /// Carries out a call, tells the client how far it is if it wants to hear that, and ends it when the client cancels.
    async fn carry_out(
        &self,
        tool: &str,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<Settled, ToolError> {
        let client = self.client_of(context);
        let (told, mut stages) = mpsc::unbounded_channel();
        let token = context.meta.get_progress_token();
        let wanted = Wanted {
            client: &client,
            tool,
            arguments,
            asks: false,
        };
        let mut call = pin!(self.calls.carry_out(wanted, token.is_some().then_some(told)));
        let parts = context.extensions.get::<Parts>();
        let listens = parts.and_then(|parts| parts.extensions.get::<Listened>()).cloned();
        let gone = listens.unwrap_or_default().end;
        let mut number = 0.0;
        let mut tell = async |stage: String| {
            if let Some(token) = token.clone() {
                number += 1.0;
                let mut note = ProgressNotificationParam::new(token, number);
                note.message = Some(stage);
                // A client that does not listen hears the answer all the same.
                context.peer.notify_progress(note).await.unwrap_or_default();
            }
        };
        let mut stage = "Working.".to_owned();
        let settled = loop {
            tokio::select! {
                settled = &mut call => break settled,
                () = context.ct.cancelled() => return Err(ToolError::cancelled()),
                () = gone.cancelled() => return Err(ToolError::cancelled()),
                Some(next) = stages.recv() => {
                    stage = next;
                    tell(stage.clone()).await;
                }
                () = tokio::time::sleep(STILL) => tell(stage.clone()).await,
            }
        };
        // What was said before the answer is told before it.
        while let Ok(stage) = stages.try_recv() {
            tell(stage).await;
        }
        settled
    }
}

/// A tool as it is listed. Nothing reaches another machine; a tool that writes keeps what is the artist's unless they agree.
fn listed(spec: &Spec) -> Tool {
    let reads = spec.access == Access::Reads;
    let hints = ToolAnnotations::from_raw(None, Some(reads), (!reads).then_some(true), None, Some(false));
    let input = spec.input.schema().as_object().cloned().unwrap_or_default();
    Tool::new(spec.id.clone(), spec.description.clone(), Arc::new(input))
        .with_raw_output_schema(Arc::new(form(spec.output.schema())))
        .with_annotations(hints)
}

/// What a client has to know of a result: its fields and their types.
fn form(schema: &Value) -> JsonObject {
    let fields = schema.get("properties").and_then(Value::as_object);
    let kinds = fields.into_iter().flatten().map(|(name, field)| {
        let kind = field.get("type").map(|kind| json!({"type": kind}));
        (name.clone(), kind.unwrap_or_else(|| json!({})))
    });
    let mut form = Map::new();
    form.insert("type".to_owned(), "object".into());
    form.insert("properties".to_owned(), Value::Object(kinds.collect()));
    for more in ["required", "additionalProperties"] {
        if let Some(said) = schema.get(more) {
            form.insert(more.to_owned(), said.clone());
        }
    }
    form
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
