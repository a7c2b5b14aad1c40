//! What was learned about servers: forms of structured output that they refuse, and how much they read. It holds for every client of this
//! process, and is forgotten after a while, since servers are updated and started anew.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::dialect::SchemaUse;

/// How long it holds.
const HOLDS: Duration = Duration::from_secs(3600);
/// Most servers and models that are remembered.
const MOST: usize = 256;

/// A model of a server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    /// The address, without user info and query.
    pub(crate) address: String,
    pub(crate) model: String,
}

#[derive(Debug, Clone, Copy)]
struct Lesson {
    /// The strongest form that a request without tools, and one with tools, was taken in.
    forms: [SchemaUse; 2],
    /// Tokens that it reads.
    window: Option<u64>,
    /// How many parameters the model has, where its server takes a grammar.
    parameters: Option<u64>,
    at: Instant,
}

static LESSONS: Mutex<Option<HashMap<Subject, Lesson>>> = Mutex::new(None);

fn lessons() -> MutexGuard<'static, Option<HashMap<Subject, Lesson>>> {
    LESSONS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Subject {
    /// The strongest form of structured output that is worth trying.
    pub(crate) fn form(&self, tools: bool) -> SchemaUse {
        let [without, with] = self.known().map_or([SchemaUse::Native; 2], |lesson| lesson.forms);
        if tools { with } else { without }
    }

    /// It refused stronger forms, and took this one.
    pub(crate) fn takes(&self, tools: bool, form: SchemaUse) {
        self.learn(|lesson| {
            let [without, with] = &mut lesson.forms;
            *(if tools { with } else { without }) = form;
        });
    }

    /// Tokens that it reads, as far as it has shown.
    pub(crate) fn window(&self) -> Option<u64> {
        self.known()?.window
    }

    /// It reads so many tokens.
    pub(crate) fn reads(&self, tokens: u64) {
        self.learn(|lesson| lesson.window = Some(tokens));
    }

    /// It says that it reads at most so many tokens; what it has shown counts for more.
    pub(crate) fn says_it_reads(&self, tokens: u64) {
        if self.window().is_none_or(|known| tokens < known) {
            self.reads(tokens);
        }
    }

    /// How many parameters the model has, if its server holds a reply to a grammar.
    pub(crate) fn parameters(&self) -> Option<u64> {
        self.known()?.parameters
    }

    /// Its server holds a reply to a grammar, and it has so many parameters; none: it refused one.
    pub(crate) fn takes_grammar(&self, parameters: Option<u64>) {
        self.learn(|lesson| lesson.parameters = parameters);
    }

    fn known(&self) -> Option<Lesson> {
        let lesson = *lessons().as_ref()?.get(self)?;
        (lesson.at.elapsed() < HOLDS).then_some(lesson)
    }

    fn learn(&self, change: impl FnOnce(&mut Lesson)) {
        let new = Lesson {
            forms: [SchemaUse::Native; 2],
            window: None,
            parameters: None,
            at: Instant::now(),
        };
        let mut lesson = self.known().unwrap_or(new);
        change(&mut lesson);
        let mut lessons = lessons();
        let all = lessons.get_or_insert_default();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(self.clone(), lesson);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lessons_concern_one_model_and_are_bounded() {
        let subject = |model: usize| Subject {
            address: "http://127.0.0.1:1/v1".into(),
            model: model.to_string(),
        };
        let (one, other) = (subject(0), subject(1));
        assert_eq!((one.form(true), one.window()), (SchemaUse::Native, None));
        one.takes(true, SchemaUse::InPrompt);
        one.reads(4096);
        assert_eq!(
            (one.form(true), one.form(false)),
            (SchemaUse::InPrompt, SchemaUse::Native)
        );
        assert_eq!((one.window(), other.window()), (Some(4096), None));
        one.says_it_reads(131_072);
        assert_eq!(one.window(), Some(4096), "what it has shown counts for more");
        one.says_it_reads(2048);
        assert_eq!(one.window(), Some(2048));
        assert_eq!(other.form(true), SchemaUse::Native);
        assert_eq!(one.parameters(), None);
        one.takes_grammar(Some(135_000_000));
        assert_eq!((one.parameters(), other.parameters()), (Some(135_000_000), None));
        for model in 2..MOST * 2 {
            subject(model).reads(1);
        }
        assert!(lessons().as_ref().unwrap().len() <= MOST);
    }
}
