//! The table of providers. Error messages, the preferences, the guide and the README take names and words from here; what a
//! provider speaks on the wire stands in [`crate::dialect`].

/// Whose models a provider has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Models {
    /// The vendor's own: `models.json` lists them, and one has to be named.
    Vendor,
    /// Those of whatever server answers: nothing is assumed about a name, and without one the first that it lists is taken.
    Server,
    /// None: replies were recorded.
    Recorded,
}

/// How the preferences show a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// Its name for the artist.
    pub title: &'static str,
    /// What it asks, without a full stop; where its key is found is added.
    pub about: &'static str,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderRow {
    /// The name in settings and scripts.
    pub name: &'static str,
    /// None: the preferences do not offer it.
    pub words: Option<Words>,
    /// The address that is used when none is set.
    pub base_url: Option<&'static str>,
    /// The environment variables that may hold the key, the first one set counts; empty for providers that need no key. A
    /// vendor's key is never sent to a compatible server.
    pub key_variables: &'static [&'static str],
    /// Whose models it has.
    pub models: Models,
}

macro_rules! providers {
    ($($(#[doc = $doc:literal])+ $provider:ident: $facts:expr;)+) => {
        /// The services a client can speak to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Provider {
            $($(#[doc = $doc])+ $provider,)+
        }

        impl Provider {
            /// Every provider, in the order in which they are offered.
            pub const ALL: &[Self] = &[$(Self::$provider),+];

            /// Its row of the table.
            pub fn facts(self) -> &'static ProviderRow {
                match self {
                    $(Self::$provider => &const { $facts },)+
                }
            }
        }
    };
}

// Blender keeps a chosen provider as its place in the list: new ones go behind those that the preferences offer.
providers! {
    /// Any server with the Chat Completions interface: Ollama, LM Studio, llama.cpp, vLLM, OpenRouter ….
    OpenAiCompatible: ProviderRow {
        name: "openai-compatible",
        words: Some(Words {
            title: "OpenAI-compatible",
            about: "Any local or hosted server that offers the Chat Completions API",
        }),
        base_url: None,
        key_variables: &[],
        models: Models::Server,
    };
    /// OpenAI, by its Responses interface.
    OpenAi: ProviderRow {
        name: "openai",
        words: Some(Words { title: "OpenAI", about: "OpenAI's models" }),
        base_url: Some("https://api.openai.com/v1"),
        key_variables: &["OPENAI_API_KEY"],
        models: Models::Vendor,
    };
    /// Anthropic, by its Messages interface.
    Anthropic: ProviderRow {
        name: "anthropic",
        words: Some(Words { title: "Anthropic", about: "Anthropic's models" }),
        base_url: Some("https://api.anthropic.com/v1"),
        key_variables: &["ANTHROPIC_API_KEY"],
        models: Models::Vendor,
    };
    /// Gemini, by its generateContent interface.
    Gemini: ProviderRow {
        name: "gemini",
        words: Some(Words { title: "Gemini", about: "Google's models" }),
        base_url: Some("https://generativelanguage.googleapis.com/v1"),
        key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        models: Models::Vendor,
    };
    /// Recorded replies from a file.
    Replay: ProviderRow {
        name: "replay",
        words: None,
        base_url: None,
        key_variables: &[],
        models: Models::Recorded,
    };
}

impl Provider {
    /// The planner that needs no model. It has no client, so it is not among the providers, but it is chosen in the same place.
    pub const OFFLINE: &'static str = "offline";

    /// How the preferences show [`Self::OFFLINE`].
    pub const OFFLINE_WORDS: Words = Words {
        title: "Offline planner",
        about: "Plans from a library of presets, without a key or a network",
    };

    /// The provider of this name; none for [`Self::OFFLINE`], too.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|provider| provider.name() == name)
    }

    /// Every name that can be chosen, with commas between.
    pub(crate) fn known_names() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|provider| provider.name()).collect();
        format!("{}, {}", names.join(", "), Self::OFFLINE)
    }

    /// The name in settings and scripts.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The address that is used when none is set.
    pub(crate) fn base_url(self) -> Option<&'static str> {
        self.facts().base_url
    }

    /// The environment variables that may hold the key; see [`ProviderRow::key_variables`].
    pub fn key_variables(self) -> &'static [&'static str] {
        self.facts().key_variables
    }

    /// Whose models it has.
    pub fn models(self) -> Models {
        self.facts().models
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_row_is_complete() {
        let mut names = HashSet::from([Provider::OFFLINE]);
        for provider in Provider::ALL {
            let facts = provider.facts();
            assert!(names.insert(facts.name), "{} is there twice", facts.name);
            assert_eq!(Provider::named(facts.name), Some(*provider));
            let vendor = facts.models == Models::Vendor;
            assert_eq!(
                facts.base_url.is_some(),
                vendor,
                "{}: a vendor has an address",
                facts.name
            );
            assert_eq!(!facts.key_variables.is_empty(), vendor, "{}: and a key", facts.name);
            if let Some(words) = facts.words {
                assert!(!words.title.is_empty() && !words.about.ends_with('.'), "{}", facts.name);
            }
        }
        assert!(names.len() > 5);
    }

    #[test]
    fn stored_preferences_for_providers_keep_their_meaning() {
        let offered = Provider::ALL.iter().filter(|provider| provider.facts().words.is_some());
        let names: Vec<&str> = offered.map(|provider| provider.name()).collect();
        assert!(
            names.starts_with(&["openai-compatible", "openai", "anthropic", "gemini"]),
            "{names:?}"
        );
    }
}
