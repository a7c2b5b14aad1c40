//! Why a prompt was not turned into a plan.

use geonode_protocol::Code;
use thiserror::Error;

/// A preset that is near to a prompt, with an example sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Title of the preset.
    pub title: String,
    /// A prompt that this preset fits.
    pub example: String,
}

/// A refusal: what was not understood or cannot be done, and what to say instead. The scene is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Refusal {
    /// Stable code; decisions depend on this.
    pub code: Code,
    /// Cause and fix in words for the artist, the suggestions included.
    pub message: String,
    /// The nearest presets, best first (at most three; empty where the prompt itself was clear).
    pub nearest: Vec<Suggestion>,
    /// Whether no word of the prompt calls for any preset.
    pub unmatched: bool,
    /// What of the prompt would run: the prompt without what this is about.
    pub instead: Option<String>,
}

impl Refusal {
    /// A refusal without suggestions.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            nearest: Vec::new(),
            unmatched: false,
            instead: None,
        }
    }

    /// The same refusal with the nearest presets, which also end the message.
    #[must_use]
    pub fn near(mut self, nearest: Vec<Suggestion>) -> Self {
        if !nearest.is_empty() {
            let list: Vec<String> = nearest
                .iter()
                .map(|s| format!("{} (“{}”)", s.title, s.example))
                .collect();
            self.message = format!("{} Nearest presets: {}.", self.message, list.join(", "));
        }
        self.nearest = nearest;
        self
    }
}

/// A preset, the shared parts or the language file is invalid: a defect of the data, which the tests find.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DataError {
    /// The file has not the form of its kind.
    #[error("{file}: {cause}")]
    Unreadable {
        /// File inside the crate.
        file: String,
        /// What is wrong and where.
        cause: String,
    },
    /// The file is well formed but contradicts itself.
    #[error("{file} at {path}: {cause}")]
    Inconsistent {
        /// File inside the crate.
        file: String,
        /// JSON Pointer of the field.
        path: String,
        /// What is wrong and how to correct it.
        cause: String,
    },
}

impl DataError {
    /// The stable code of every such error.
    pub const fn code(&self) -> Code {
        match self {
            Self::Unreadable { .. } | Self::Inconsistent { .. } => Code::PresetInvalid,
        }
    }
}

impl From<DataError> for Refusal {
    fn from(error: DataError) -> Self {
        Self::new(
            error.code(),
            format!("The preset library is damaged: {error}. Reinstall the add-on."),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_data_is_reported_with_its_place() {
        let error = DataError::Unreadable {
            file: "ring.json".into(),
            cause: "no JSON".into(),
        };
        let refusal = Refusal::from(error.clone());
        assert_eq!((error.code(), refusal.code), (Code::PresetInvalid, Code::PresetInvalid));
        assert!(refusal.message.contains("ring.json: no JSON"), "{refusal}");
    }
}
