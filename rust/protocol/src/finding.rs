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
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Changes of the plan that carry out the hint, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
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
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same finding with one more change that carries out its hint.
    #[must_use]
    pub fn change(mut self, change: Change) -> Self {
        self.changes.push(change);
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
