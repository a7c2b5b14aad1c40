//! Whether a server read all of a request. Some cut what is longer than the context they were started with, and answer what is left.

use geonode_protocol::{Code, tokens_of};

use crate::learned::Subject;
use crate::message::Content;
use crate::reply::{Notice, Usage};
use crate::request::Body;

/// No tokenizer reads text and JSON like ours in tokens of so many bytes on average: a server that counts fewer has not read all of it.
const BYTES_PER_TOKEN: u64 = 6;
/// Requests with fewer bytes fit into every context.
const LONG: u64 = 6_000;
/// A shorter context is not served: such a count says nothing about the next request.
const SHORTEST_CONTEXT: u64 = 1_024;

/// The length of a request, to be compared with what its server counts.
#[derive(Debug, Clone)]
pub(crate) struct Measure {
    subject: Subject,
    /// Bytes of its words. Schemas and tools do not count: not every server shows them to its model.
    bytes: u64,
}

impl Measure {
    pub(crate) fn of(subject: Subject, request: &Body) -> Self {
        let words = |content: &Content| u64::try_from(content.text().len()).unwrap_or(u64::MAX);
        let system = request.system.as_ref().map_or(0, String::len);
        let bytes = request
            .messages
            .iter()
            .map(|message| words(&message.content))
            .fold(u64::try_from(system).unwrap_or(u64::MAX), u64::saturating_add);
        Self { subject, bytes }
    }

    /// What the artist has to know when the server counted far fewer tokens than were sent. The next request to it can be made to fit.
    pub(crate) fn cut(&self, usage: Option<&Usage>) -> Option<Notice> {
        let usage = usage?;
        let counted = usage.input_tokens.filter(|tokens| *tokens > 0)?;
        // Where cached tokens are counted beside the others, both were read.
        let read = counted.saturating_add(usage.cached_tokens.unwrap_or(0));
        if self.bytes < LONG || read >= self.bytes / BYTES_PER_TOKEN {
            return None;
        }
        if counted >= SHORTEST_CONTEXT {
            self.subject.reads(counted);
        }
        Some(Notice {
            code: Code::PromptCut,
            text: format!(
                "The server read only {counted} of about {} tokens, so the model has not seen all of the request. Raise the context \
                 length of the server (Ollama: `num_ctx`), or lower `context_tokens`.",
                tokens_of(self.bytes)
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Message;
    use crate::request::Request;

    fn counted(input: u64, cached: Option<u64>) -> Usage {
        Usage {
            input_tokens: Some(input),
            cached_tokens: cached,
            ..Usage::default()
        }
    }

    #[test]
    fn only_counts_that_no_tokenizer_reaches_are_a_cut() {
        let subject = Subject {
            address: "http://127.0.0.1:2/v1".into(),
            model: "m".into(),
        };
        let request = |bytes: usize| Request::new(vec![Message::user("x".repeat(bytes))]).unwrap();
        let measure = |bytes| Measure::of(subject.clone(), &request(bytes));
        let long = measure(60_000);
        assert!(long.cut(None).is_none() && long.cut(Some(&counted(0, None))).is_none());
        assert!(long.cut(Some(&counted(10_000, None))).is_none());
        assert!(long.cut(Some(&counted(4_096, Some(8_000)))).is_none());
        assert!(measure(5_999).cut(Some(&counted(1, None))).is_none());
        assert_eq!(subject.window(), None);
        assert!(long.cut(Some(&counted(100, None))).is_some());
        assert_eq!(subject.window(), None, "no server has a context of 100 tokens");
        let notice = long.cut(Some(&counted(4_096, None))).unwrap();
        assert!(notice.text.contains("4096 of about 20000 tokens"), "{}", notice.text);
        assert_eq!((notice.code, subject.window()), (Code::PromptCut, Some(4_096)));
    }
}
