//! The interface to `geonode-prompting`: turns the data of a run into a request to its model.

use geonode_prompting::{Answer, Ask, Calls, Draft, Form, Prompt};
use geonode_protocol::{Code, Severity};
use geonode_provider::{Client, Models, Tool};
use geonode_run::{Failure, Message, Origin};

use crate::asking::plan_request::{Brief, Due, Listener};
use crate::catalogues::catalogue;

/// A model with fewer parameters writes no plan of itself: where its server holds a reply to a grammar, it is kept to what can be said.
const SMALL_MODEL: u64 = 2_000_000_000;

/// How a request differs from the one that the brief describes, because a server refused that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape<'a> {
    /// The tools that are offered.
    pub(crate) tools: &'a [Tool],
    /// Tokens that the model reads, if known.
    pub(crate) window: Option<u64>,
}

/// Drafts the request in this shape; tells the listener what the model does not see.
pub(crate) fn draft(
    client: &Client,
    brief: &Brief<'_>,
    shape: Shape<'_>,
    listener: &dyn Listener,
) -> Result<Draft, Failure> {
    let settings = brief.settings;
    let catalogue = catalogue(&brief.request.catalogue)?;
    let term = settings.structured_output && client.parameters().is_some_and(|count| count < SMALL_MODEL);
    let held = settings.structured_output && !term && client.takes_schema();
    // In words a schema says what the instructions teach, at a higher price: where nothing holds a reply to it, a page is asked for.
    let answer = match (term, held) {
        (true, _) => Answer::Term,
        (false, true) => Answer::Plan,
        (false, false) => Answer::Page,
    };
    let form = Form::for_answer(answer, shape.window);
    let both = client.takes_schema_with_tools();
    // Of tools and schema, where it is one of them: what a vendor offers writes the form that it is taught, and gets the schema when a plan
    // is due. What people run themselves needs the schema most, and can ask for context in it.
    let own = client.provider().models() == Models::Server;
    let tools = if form.tools() && !(held && !both && own) {
        shape.tools
    } else {
        &[]
    };
    let calls = match brief.due {
        Due::Form | Due::Plan if held && !both => Calls::Told,
        Due::Plan => Calls::Over,
        Due::Anything | Due::Form => Calls::Free,
    };
    let requests = tools.is_empty() && form != Form::Tiny;
    let with_schema = held && (tools.is_empty() || calls == Calls::Told || both);
    let schema = with_schema
        .then(|| geonode_prompting::reply_schema(brief.extensions, brief.scripts, requests))
        .flatten();
    let draft = geonode_prompting::draft(Ask {
        prompt: Prompt {
            text: &brief.request.prompt,
            pictures: &brief.request.pictures,
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
        calls,
        answer,
        adapted: schema.as_ref().and_then(|schema| client.adapted_schema(schema)),
        schema,
        window: shape.window,
        max_tokens: settings.max_tokens,
        temperature: settings.temperature,
        seed: settings.seed,
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
