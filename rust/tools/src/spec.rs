//! The contract of a tool, and where it runs.

use std::time::Duration;

use geonode_protocol::CompiledSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Longest ID of a tool: the length that every provider accepts for a function's name.
const MAX_ID: usize = 64;

/// Longest time that a call may be given.
const MAX_TIMEOUT: Duration = Duration::from_secs(600);

/// Calls of a tool per run, unless its contract says otherwise.
pub const DEFAULT_QUOTA: u32 = 50;

/// What a tool does to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Nothing.
    Reads,
    /// It changes data.
    Writes,
}

/// Where a tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsIn {
    /// On a thread of the core.
    Core,
    /// On the host's main thread, where Blender's data may be used.
    Host,
}

/// The contract of a tool.
#[derive(Debug)]
pub struct Spec {
    /// Name in calls: lower-case letters, digits and `_`.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// Schema of the arguments, an object.
    pub input: CompiledSchema,
    /// Schema of the result.
    pub output: CompiledSchema,
    /// What it does to the file.
    pub access: Access,
    /// The same arguments give the same result as long as the scene is the same.
    pub pure: bool,
    /// Where it runs.
    pub place: RunsIn,
    /// Each call waits for the artist.
    pub requires_approval: bool,
    /// Limit of one call.
    pub timeout: Duration,
    /// Calls per run.
    pub quota: u32,
    /// Hosts that it may send to; empty: none.
    pub egress: Vec<String>,
}

/// Why a tool is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The ID is invalid.
    #[error("The tool's id {0:?} is not 1 to 64 lower-case letters, digits or \"_\".")]
    Id(String),
    /// The ID is taken.
    #[error("There is already a tool {0:?}.")]
    Taken(String),
    /// The description, by which models choose, is missing.
    #[error("The tool {0:?} has no description; models need one to choose it.")]
    Description(String),
    /// A schema is unusable.
    #[error("The {side} schema of the tool {id:?} cannot be used. {cause}")]
    Schema {
        /// The tool.
        id: String,
        /// `input` or `output`.
        side: &'static str,
        /// Why.
        cause: String,
    },
    /// The time limit is out of range.
    #[error("The time limit of the tool {0:?} is not from above 0 to 600 seconds.")]
    Timeout(String),
    /// It is to run in the core, which has no code for it.
    #[error("The core has no code for the tool {0:?}.")]
    NoCode(String),
}

impl Spec {
    /// A tool of the core that reads, without approval, with 10 seconds and 50 calls per run; other values are set in the fields.
    /// Its results are not remembered: that a tool is pure is said with [`Self::pure`].
    ///
    /// # Errors
    /// [`SpecError`] when id, description or schemas cannot be used.
    pub fn new(id: &str, name: &str, description: &str, input: Value, output: Value) -> Result<Self, SpecError> {
        let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !(1..=MAX_ID).contains(&id.len()) || !id.chars().all(legal) {
            return Err(SpecError::Id(id.to_owned()));
        }
        if description.trim().is_empty() {
            return Err(SpecError::Description(id.to_owned()));
        }
        let schema = |side: &'static str, schema: Value| {
            let refuse = |cause: String| SpecError::Schema {
                id: id.to_owned(),
                side,
                cause,
            };
            if schema.get("type").and_then(Value::as_str) != Some("object") {
                return Err(refuse(
                    "It does not describe an object (\"type\": \"object\").".to_owned(),
                ));
            }
            CompiledSchema::new(schema).map_err(refuse)
        };
        Ok(Self {
            id: id.to_owned(),
            name: name.to_owned(),
            description: description.trim().to_owned(),
            input: schema("input", input)?,
            output: schema("output", output)?,
            access: Access::Reads,
            pure: false,
            place: RunsIn::Core,
            requires_approval: false,
            timeout: Duration::from_secs(10),
            quota: DEFAULT_QUOTA,
            egress: Vec::new(),
        })
    }

    /// The same arguments give the same result as long as the scene is the same.
    #[must_use]
    pub fn pure(mut self) -> Self {
        self.pure = true;
        self
    }

    /// Sets the limit of one call.
    ///
    /// # Errors
    /// [`SpecError::Timeout`] unless it is above 0 and at most 600 s.
    pub fn within(mut self, seconds: f64) -> Result<Self, SpecError> {
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        if timeout.is_zero() || timeout > MAX_TIMEOUT {
            return Err(SpecError::Timeout(self.id));
        }
        self.timeout = timeout;
        Ok(self)
    }

    /// Everything about the tool as data, for listings and the reference.
    pub fn describe(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "description": self.description,
            "input_schema": self.input.schema(),
            "output_schema": self.output.schema(),
            "access": self.access,
            "pure": self.pure,
            "runs": self.place,
            "requires_approval": self.requires_approval,
            "timeout_s": self.timeout.as_secs_f64(),
            "quota": self.quota,
            "egress": self.egress,
        })
    }
}
