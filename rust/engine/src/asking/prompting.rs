//! The interface to `geonode-prompting`: turns the data of a run into a request to its model.

use geonode_prompting::{Ask, Draft, Form, Prompt};
use geonode_protocol::{Code, Severity};
use geonode_provider::{Client, Tool};
use geonode_run::{Failure, Message, Origin};

use crate::asking::plan_request::{Brief, Listener};
use crate::catalogues::catalogue;

/// Drafts the request with these tools; tells the listener what the model does not see.
pub(crate) fn draft(
    client: &Client,
    brief: &Brief<'_>,
    tools: &[Tool],
    listener: &dyn Listener,
) -> Result<Draft, Failure> {
    let settings = brief.settings;
    let catalogue = catalogue(&brief.request.catalogue)?;
    let window = client.model_info().and_then(|info| info.context_tokens);
    let form = Form::of(window);
    let tools = if form.tools() { tools } else { &[] };
    let requests = tools.is_empty() && form != Form::Tiny;
    let schema = settings
        .structured_output
        .then(|| geonode_prompting::reply_schema(brief.extensions, brief.scripts, requests))
        .flatten();
    let draft = geonode_prompting::draft(Ask {
        prompt: Prompt {
            text: &brief.request.prompt,
            context: brief.context,
            catalogue: &catalogue,
            extensions: brief.extensions,
            scripts: brief.scripts,
            context_tokens: settings.context_tokens,
            max_steps: settings.max_steps,
        },
        conversation: brief.conversation,
        exchanges: brief.exchanges,
        tools,
        adapted: schema.as_ref().and_then(|schema| client.adapted_schema(schema)),
        schema,
        window,
        max_tokens: settings.max_tokens,
        temperature: settings.temperature,
    })
    .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    let cuts = [
        (
            draft.scene_cut,
            "The scene is larger than its budget (`context_tokens`): the model does not see the least important parts.",
        ),
        (
            draft.exchanges_cut,
            "The exchange so far is longer than the model can read, so older tool results were shortened.",
        ),
    ];
    for (_, text) in cuts.into_iter().filter(|(cut, _)| *cut) {
        listener.message(Message::new(Severity::Info, Origin::Request, Code::ContextCut, text));
    }
    Ok(draft)
}
