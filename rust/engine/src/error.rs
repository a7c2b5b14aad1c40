//! Errors before or outside a run.

use geonode_protocol::Code;
use geonode_run::Failure;

/// An error of the engine; every variant has a stable code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The request of a run does not have the expected form.
    #[error("The request cannot be read: {0}.")]
    Request(String),
    /// A setting is unknown, of the wrong type or outside its range.
    #[error("{0}")]
    Setting(String),
    /// The prompt is empty.
    #[error("The prompt is empty. Describe in a sentence what you want, for example: scatter 200 rocks on the plane.")]
    PromptEmpty,
    /// The prompt is longer than allowed.
    #[error("The prompt has {length} characters; {limit} are allowed. Shorten it, or split it over several runs.")]
    PromptTooLong {
        /// Its length in characters.
        length: usize,
        /// The setting `max_prompt_chars`.
        limit: u64,
    },
    /// The provider is not known or cannot be used like this.
    #[error("{message}")]
    Provider {
        /// The provider crate's code.
        code: Code,
        /// The provider crate's message.
        message: String,
    },
    /// The catalogue cannot be read.
    #[error("The node catalogue cannot be read: {0}")]
    Catalogue(String),
    /// A document from the host does not have the expected form.
    #[error("The {what} from Blender cannot be read: {cause}.")]
    Document {
        /// Its kind.
        what: &'static str,
        /// The place and the cause.
        cause: String,
    },
    /// A tree document from outside does not have the expected form.
    #[error("{message}.")]
    Tree {
        /// The mistake.
        code: Code,
        /// The place and the cause.
        message: String,
    },
    /// A preset does not have its form, or cannot be used like this.
    #[error("{message}")]
    Preset {
        /// The mistake.
        code: Code,
        /// The place and the cause.
        message: String,
    },
    /// A saved run cannot be resumed.
    #[error("The saved run cannot be resumed: {0}. Start it again, or save it again with this version.")]
    Saved(String),
    /// A defect of this program.
    #[error("Internal error: {0}.")]
    Internal(String),
}

impl EngineError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Request(_) => Code::BodyInvalid,
            Self::Setting(_) => Code::SettingInvalid,
            Self::PromptEmpty => Code::PromptEmpty,
            Self::PromptTooLong { .. } => Code::PromptTooLong,
            Self::Provider { code, .. } | Self::Tree { code, .. } | Self::Preset { code, .. } => *code,
            Self::Catalogue(_) | Self::Document { .. } => Code::InvalidDocument,
            Self::Saved(_) => Code::SavedRunInvalid,
            Self::Internal(_) => Code::InternalError,
        }
    }

    pub(crate) fn document(what: &'static str, cause: &serde_json::Error) -> Self {
        Self::Document {
            what,
            cause: cause.to_string(),
        }
    }
}

impl From<geonode_graph::ReadError> for EngineError {
    fn from(error: geonode_graph::ReadError) -> Self {
        Self::Tree {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl From<geonode_graph::CompactError> for EngineError {
    fn from(error: geonode_graph::CompactError) -> Self {
        Self::Tree {
            code: error.code(),
            message: error.to_string(),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

/// A part of the run that must exist is missing.
pub(crate) fn lost(what: &str) -> Failure {
    EngineError::Internal(format!("the {what} of this run is missing")).into()
}
