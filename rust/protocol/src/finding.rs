//! Findings: what a check reports about its input.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::codes::Code;

/// The severity of a finding, the most severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is accepted, but something in it was repaired or is doubtful.
    Warning,
    /// Worth knowing.
    Info,
}

/// One thing that a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// How much it weighs.
    pub severity: Severity,
    /// Kind of the finding; decisions depend on this, never on the text.
    pub code: Code,
    /// Where it is: a JSON Pointer (RFC 6901) into the plan, `""` for the whole.
    pub path: String,
    /// What is wrong, in words.
    pub message: String,
    /// What the planner can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Advice>,
    /// Changes of the plan that carry out the hint, in order. A hint that proposes a definite change has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// What the artist can do about it, where it is in the artist's hands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
}

/// Words for whoever writes plans, a model or a script: they may name operations and fields, so no artist is shown them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Advice(String);

impl Advice {
    /// The words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a planner is told to do about a finding. There are two sorts: an explanation says what is so and leaves the choice, a proposal
/// names one definite change and carries it, so that a test can apply it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Hint {
    text: String,
    changes: Vec<Change>,
}

impl Hint {
    /// Says what is so, or what has to be decided.
    pub fn explain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            changes: Vec::new(),
        }
    }

    /// Proposes a change of the plan; after it the finding is gone.
    pub fn change(text: impl Into<String>, change: Change) -> Self {
        Self {
            text: text.into(),
            changes: vec![change],
        }
    }

    /// Proposes several changes, made in order.
    pub fn changes(text: impl Into<String>, changes: impl IntoIterator<Item = Change>) -> Self {
        Self {
            text: text.into(),
            changes: changes.into_iter().collect(),
        }
    }

    /// The hint with its text as `edit` makes it.
    pub fn worded(mut self, edit: impl FnOnce(&str) -> String) -> Self {
        self.text = edit(&self.text);
        self
    }
}

/// One change of a plan: an operation of JSON Patch (RFC 6902).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Change {
    /// Inserts a value: a field, an element before the named one, or one after the last (`-`).
    Add {
        /// JSON Pointer into the plan.
        path: String,
        /// The value that is inserted.
        value: Value,
    },
    /// Replaces a value.
    Replace {
        /// JSON Pointer into the plan.
        path: String,
        /// The new value.
        value: Value,
    },
    /// Removes a value.
    Remove {
        /// JSON Pointer into the plan.
        path: String,
    },
}

impl Change {
    /// Inserts `value` at `path`.
    pub fn add(path: impl Into<String>, value: Value) -> Self {
        Self::Add {
            path: path.into(),
            value,
        }
    }

    /// Replaces the value at `path`.
    pub fn replace(path: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::Replace {
            path: path.into(),
            value: value.into(),
        }
    }

    /// Removes what is at `path`.
    pub fn remove(path: impl Into<String>) -> Self {
        Self::Remove { path: path.into() }
    }

    /// Makes the change in a document; none, and nothing is changed, if it fits nowhere.
    pub fn apply(&self, document: &mut Value) -> Option<()> {
        let (Self::Add { path, .. } | Self::Replace { path, .. } | Self::Remove { path }) = self;
        let (above, last) = path.rsplit_once('/')?;
        let last = last.replace("~1", "/").replace("~0", "~");
        match (document.pointer_mut(above)?, self) {
            (Value::Array(entries), Self::Add { value, .. }) if last == "-" => entries.push(value.clone()),
            (Value::Array(entries), Self::Add { value, .. }) => {
                let at = last.parse().ok().filter(|at| *at <= entries.len())?;
                entries.insert(at, value.clone());
            }
            (Value::Array(entries), Self::Replace { value, .. }) => {
                value.clone_into(entries.get_mut(last.parse::<usize>().ok()?)?);
            }
            (Value::Array(entries), Self::Remove { .. }) => {
                let at = last.parse().ok().filter(|at| *at < entries.len())?;
                entries.remove(at);
            }
            (Value::Object(fields), Self::Add { value, .. }) => {
                fields.insert(last, value.clone());
            }
            (Value::Object(fields), Self::Replace { value, .. }) => value.clone_into(fields.get_mut(&last)?),
            (Value::Object(fields), Self::Remove { .. }) => drop(fields.remove(&last)?),
            _ => return None,
        }
        Some(())
    }

    /// Where it changes the plan.
    pub fn path_mut(&mut self) -> &mut String {
        match self {
            Self::Add { path, .. } | Self::Replace { path, .. } | Self::Remove { path } => path,
        }
    }
}

impl Finding {
    /// A finding without a hint.
    pub fn new(severity: Severity, code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity,
            code,
            path: path.into(),
            message: message.into(),
            hint: None,
            changes: Vec::new(),
            by_hand: None,
        }
    }

    /// A finding that refuses the input.
    pub fn error(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, path, message)
    }

    /// A finding that accepts the input with a reservation.
    pub fn warning(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, path, message)
    }

    /// A finding that is worth knowing.
    pub fn info(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Severity::Info, code, path, message)
    }

    /// The same finding with a hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hint = Some(Advice(hint.text));
        self.changes = hint.changes;
        self
    }

    /// The same finding with what the artist can do about it.
    #[must_use]
    pub fn by_hand(mut self, words: impl Into<String>) -> Self {
        self.by_hand = Some(words.into());
        self
    }

    /// Whether the finding refuses the input.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        if !self.path.is_empty() {
            write!(f, " (at {})", self.path)?;
        }
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, "; {hint}"))
    }
}
