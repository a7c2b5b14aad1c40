//! The data that outlives a run: its conversation, and replies of models.

use std::path::PathBuf;

use geonode_protocol::{Code, Plan, Severity};
use geonode_provider::policy::Redactor;
use geonode_run::{Message, Origin, State, Status};
use geonode_store::cache::{self, Cache};
use geonode_store::conversation::{Conversation, Found, Turn};
use serde_json::json;

use crate::asking::plan_request::Reply;
use crate::clock::clock;
use crate::request::RunRequest;
use crate::settings::Settings;

const MEGABYTE: u64 = 1 << 20;

/// The memory of one run. Problems with a file are reported and never end a run.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    folder: Option<PathBuf>,
    conversation: Option<Conversation>,
    /// The summary of the conversation that a model is shown.
    pub(crate) summary: String,
    pub(crate) cache: Option<Cache>,
    /// Replies that are stored when the run is done.
    unkept: Vec<(String, cache::StoredReply)>,
    /// Key of the last reply, and whether it came from the cache.
    last: Option<(String, bool)>,
}

/// Messages for the end of the run.
pub(crate) struct Ended<'a> {
    pub(crate) request: &'a RunRequest,
    pub(crate) state: &'a State,
    pub(crate) changes: &'a [String],
    pub(crate) plan: Option<&'a Plan>,
    pub(crate) redactor: &'a Redactor,
}

fn warning(code: Code, text: String) -> Message {
    Message::new(Severity::Warning, Origin::Run, code, text)
}

/// What a model is shown of a conversation, and what is said where that is not all.
fn summary_of(conversation: &Conversation, tokens: u64) -> (String, Option<Message>) {
    let summary = conversation.summary(tokens);
    let is_cut = tokens > 0 && (summary.left_out > 0 || summary.shortened);
    let cut = is_cut.then(|| {
        let parts = if summary.shortened {
            " and parts of the last one"
        } else {
            ""
        };
        let text = format!(
            "The conversation is longer than its budget (`conversation_tokens`): {} of {} turns{parts} were left out.",
            summary.left_out,
            conversation.count(),
        );
        Message::new(Severity::Info, Origin::Run, Code::ConversationCut, text)
    });
    (summary.text, cut)
}

impl Memory {
    /// Opens the conversation and cache that the request names; the messages report problems with them.
    pub(crate) fn open(request: &RunRequest, settings: &Settings) -> (Self, Vec<Message>) {
        let mut memory = Self::default();
        let mut messages = Vec::new();
        let Some(folder) = request.folder.as_ref().filter(|_| request.plan.is_none()) else {
            return (memory, messages);
        };
        memory.folder = Some(folder.clone());
        if settings.cache {
            let most_files = usize::try_from(settings.cache_entries).unwrap_or(usize::MAX);
            match Cache::open(folder, most_files, settings.cache_mb.saturating_mul(MEGABYTE)) {
                Ok(cache) => memory.cache = Some(cache),
                Err(error) => messages.push(warning(Code::NotKept, format!("Replies cannot be stored: {error}."))),
            }
        }
        if !settings.keep_conversations {
            return (memory, messages);
        }
        match Conversation::open(folder, request.conversation.as_deref()) {
            Ok((conversation, found)) => {
                match found {
                    Found::New | Found::Known => {}
                    Found::Unknown => {
                        let text = "This conversation is no longer stored here; a new one begins.".to_owned();
                        messages.push(warning(Code::ConversationUnknown, text));
                    }
                    Found::Damaged => {
                        let id = &conversation.id;
                        let text = format!(
                            "The conversation was damaged; its file was set aside as “{id}.damaged”, and a new one begins."
                        );
                        messages.push(warning(Code::DamagedFile, text));
                    }
                }
                // The offline planner reads the words alone: nothing of the conversation is left out for it.
                if !request.is_offline() {
                    let (summary, cut) = summary_of(&conversation, settings.conversation_tokens);
                    memory.summary = summary;
                    messages.extend(cut);
                }
                memory.conversation = Some(conversation);
            }
            Err(error) => {
                messages.push(warning(
                    Code::NotKept,
                    format!("The conversation cannot be read: {error}."),
                ));
            }
        }
        (memory, messages)
    }

    /// The conversation's name, and how many turns it has.
    pub(crate) fn conversation(&self) -> Option<(&str, usize)> {
        let conversation = self.conversation.as_ref()?;
        Some((&conversation.id, conversation.count()))
    }

    /// Called when a reply has arrived.
    pub(crate) fn note(&mut self, reply: &Reply) {
        self.last = reply.key.clone().map(|key| (key, reply.cached));
        let kept = self.cache.is_some() && !reply.cached;
        if let Some(key) = reply.key.clone().filter(|_| kept) {
            let kept = cache::StoredReply {
                text: reply.text.clone(),
                calls: reply.calls.clone(),
                finish: reply.finish.clone(),
                model: reply.model.clone(),
            };
            self.unkept.push((key, kept));
        }
    }

    /// Marks the last reply as unusable: the next time it is requested again.
    pub(crate) fn discard_last(&mut self) {
        let Some((key, cached)) = self.last.take() else { return };
        self.unkept.retain(|(unkept, _)| *unkept != key);
        if let Some(cache) = self.cache.as_ref().filter(|_| cached) {
            // A reply that stays in the cache is refused again, and requested again then.
            let _ = cache.forget(&key);
        }
    }

    /// Called at the end of the run; the messages report what could not be stored.
    pub(crate) fn end(&mut self, ended: &Ended<'_>) -> Vec<Message> {
        let Some(outcome) = &ended.state.outcome else {
            return Vec::new();
        };
        let done = outcome.status == Status::Done;
        let mut messages = Vec::new();
        let unkept = std::mem::take(&mut self.unkept);
        if outcome.status == Status::Error {
            self.discard_last();
        }
        // The replies to a run that did not end as `done` are requested again.
        if let Some(cache) = self.cache.as_ref().filter(|_| done) {
            for (key, reply) in unkept {
                if let Err(error) = cache.keep(&key, reply, ended.redactor) {
                    messages.push(warning(Code::NotKept, format!("A reply could not be stored: {error}.")));
                    break;
                }
            }
        }
        if let (Some(folder), Some(conversation)) = (&self.folder, &self.conversation) {
            match conversation.add(folder, turn(ended, done), ended.redactor) {
                Ok(conversation) => self.conversation = Some(conversation),
                Err(error) => {
                    messages.push(warning(
                        Code::NotKept,
                        format!("The conversation could not be stored: {error}."),
                    ));
                }
            }
        }
        messages
    }
}

fn turn(ended: &Ended<'_>, done: bool) -> Turn {
    let (state, request) = (ended.state, ended.request);
    let findings = state.gates.iter().flat_map(|gates| &gates.findings);
    let failed = findings.filter(|finding| finding.severity == Severity::Error);
    Turn {
        at: clock(),
        prompt: request.prompt.clone(),
        rejections: state
            .approvals
            .iter()
            .filter_map(|record| record.words.clone())
            .collect(),
        object: request.object.clone(),
        status: match state.outcome.as_ref().map(|outcome| outcome.status) {
            Some(Status::Done) => "done",
            Some(Status::Cancelled) => "cancelled",
            Some(Status::Error) | None => "error",
        }
        .to_owned(),
        message: state
            .outcome
            .as_ref()
            .map(|outcome| outcome.message.clone())
            .unwrap_or_default(),
        changes: if done { ended.changes.to_vec() } else { Vec::new() },
        failed_gates: failed
            .map(|finding| format!("{}: {}", finding.gate, finding.cause))
            .collect(),
        plan: ended.plan.map(|plan| json!(plan)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_stored_only_if_the_setting_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = Settings {
            cache: true,
            ..Settings::default()
        };
        for (folder, settings, kept) in [
            (Some(folder.path()), &wanted, true),
            (Some(folder.path()), &Settings::default(), false),
            (None, &wanted, false),
        ] {
            let request = json!({"catalogue": "", "prompt": "x", "folder": folder}).to_string();
            let (memory, messages) = Memory::open(&RunRequest::from_json(&request).unwrap(), settings);
            assert_eq!((memory.cache.is_some(), messages), (kept, Vec::new()), "{folder:?}");
        }
    }
}
