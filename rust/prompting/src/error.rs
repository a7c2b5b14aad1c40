//! Why a request to a model cannot be drafted.

use geonode_planner::DataError;
use geonode_protocol::Code;
use geonode_provider::ProviderError;

/// A request to a model cannot be drafted.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The embedded presets, which serve as examples, are damaged.
    #[error(transparent)]
    Presets(#[from] DataError),
    /// The request breaks a rule of every provider.
    #[error(transparent)]
    Request(#[from] ProviderError),
}

impl PromptError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Presets(error) => error.code(),
            Self::Request(error) => error.code(),
        }
    }
}
