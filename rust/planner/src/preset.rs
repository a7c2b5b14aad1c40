//! A preset: a plan template and the words that call for it. Presets are only data; no code depends on a particular one.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::phrase::{Phrase, PhraseError};
use crate::refusal::DataError;

/// What a parameter measures and how a quantity fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ParameterKind {
    /// A whole number of things.
    Count,
    /// Metres in the prompt, the target's own units in the plan.
    Length,
    /// Degrees in the prompt and in `default`/`hard`/`advised`, radians in the plan.
    Angle,
    /// A factor; percent is understood.
    Factor,
    /// A seed.
    Seed,
    /// A lower and a higher value, stored in `into`.
    Range,
    /// “5 by 4”, stored in `into`.
    Sides,
    /// One of `options`.
    Choice,
    /// Yes or no.
    Bool,
    /// Only computed from others by `default`; the prompt cannot set it.
    Derived,
}

/// One value of a choice.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    /// Value in the plan.
    pub(crate) value: Value,
    /// Phrases that choose it.
    pub(crate) words: Vec<String>,
}

/// One parameter of a preset.
#[expect(clippy::struct_excessive_bools, reason = "independent flags of a data file")]
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    /// Name in templates.
    pub(crate) name: String,
    /// Name in messages.
    pub(crate) title: String,
    /// What it measures.
    pub(crate) kind: ParameterKind,
    /// For ranges and sides: what the single values measure.
    #[serde(default)]
    pub(crate) of: Option<ParameterKind>,
    /// For ranges and sides: parameters that take the single values.
    #[serde(default)]
    pub(crate) into: Vec<String>,
    /// Phrases before or after the number that assign it to this parameter.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// Phrases that do so only before the number.
    #[serde(default)]
    pub(crate) before: Vec<String>,
    /// Phrases that do so only after the number.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// Whether a whole number directly before the thing is this parameter.
    #[serde(default)]
    pub(crate) counts_things: bool,
    /// Whether a length directly before the thing is this parameter.
    #[serde(default)]
    pub(crate) sizes_things: bool,
    /// Rank of this parameter among those that accept a number without such a phrase (lowest first).
    #[serde(default)]
    pub(crate) rank: Option<u32>,
    /// Values outside are refused.
    #[serde(default)]
    pub(crate) hard: Option<[f64; 2]>,
    /// Values outside are used with a warning.
    #[serde(default)]
    pub(crate) advised: Option<[f64; 2]>,
    /// Expression for the value if the prompt gives none; null leaves it open.
    #[serde(default)]
    pub(crate) default: Value,
    /// Whether the prompt must give it.
    #[serde(default)]
    pub(crate) required: bool,
    /// Values of a choice by name, or the name of a shared set.
    #[serde(default)]
    pub(crate) options: Options,
    /// Phrases that switch a bool on.
    #[serde(default)]
    pub(crate) on: Vec<String>,
    /// Phrases that switch a bool off.
    #[serde(default)]
    pub(crate) off: Vec<String>,
    /// Whether the final message mentions the default of this parameter.
    #[serde(default)]
    pub(crate) tell: bool,
    /// Parameters from which it follows: if the prompt gives one of these, the default is not mentioned.
    #[serde(default)]
    pub(crate) told_by: Vec<String>,
}

/// Values of a choice.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Options {
    /// Name of a set in `shared.json`.
    Shared(String),
    /// The values themselves.
    Own(IndexMap<String, Choice>),
}

impl Default for Options {
    fn default() -> Self {
        Self::Own(IndexMap::new())
    }
}

/// A set of concepts that must all be found.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Concepts that must all be present.
    pub(crate) all: Vec<String>,
    /// Concepts of which none may be present.
    #[serde(default)]
    pub(crate) none: Vec<String>,
    /// Strength of the evidence; 2 is enough for a plan.
    pub(crate) weight: f64,
}

/// The role that an object of the prompt has in the preset.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Role {
    /// Accepted object types; empty means any with geometry.
    #[serde(default)]
    pub(crate) kinds: Vec<String>,
    /// Phrases that introduce it for certain.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// Phrases that introduce it unless another object is introduced for certain.
    #[serde(default)]
    pub(crate) object_of: Vec<String>,
}

/// What is copied if the prompt names no thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unnamed {
    /// The target's own geometry is copied.
    Itself,
    /// A built-in shape is copied.
    Shape,
}

/// The thing that is copied.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Thing {
    /// Phrases that introduce it for certain.
    #[serde(default)]
    pub(crate) after: Vec<String>,
    /// Phrases that introduce it otherwise.
    #[serde(default)]
    pub(crate) object_of: Vec<String>,
    /// What is copied when nothing is named.
    pub(crate) unnamed: Unnamed,
    /// Whether an object that is the only one named carries the tree itself.
    pub(crate) carries: bool,
}

/// The plan template.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Template {
    /// Description of the step.
    pub(crate) description: String,
    /// What was done, with `{parameter}` in it; sentences in brackets after `?name ` only if that is given.
    pub(crate) done: Vec<Sentence>,
    /// Expectations about the result: `meta.expects` of a plan without the object, with expressions.
    #[serde(default)]
    pub(crate) expects: Vec<Value>,
    /// `NODE_TREE` operations with expressions.
    pub(crate) operations: Value,
}

/// A sentence of the final message.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sentence {
    /// Expression that must hold.
    #[serde(default)]
    pub(crate) when: Value,
    /// Text with `{parameter}`.
    pub(crate) text: String,
}

/// A preset as in its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Preset {
    /// Version of the format; 1.
    #[serde(rename = "preset")]
    pub(crate) version: u32,
    /// File name without its ending.
    pub(crate) id: String,
    /// Name for the artist, also of the modifier and the node group.
    pub(crate) title: String,
    /// One sentence.
    pub(crate) description: String,
    /// Prompts that it fits, the best first.
    pub(crate) examples: Vec<String>,
    /// Phrases by concept; `&name` includes another or a shared concept.
    pub(crate) concepts: IndexMap<String, Vec<String>>,
    /// Evidence that calls for it.
    pub(crate) calls: Vec<Rule>,
    /// Sets of concepts that exclude it.
    #[serde(default)]
    pub(crate) against: Vec<Vec<String>>,
    /// Further words that add nothing to what the preset does.
    #[serde(default)]
    pub(crate) words: Vec<String>,
    /// The object that gets the tree.
    pub(crate) target: Role,
    /// The thing that is copied, if any.
    #[serde(default)]
    pub(crate) thing: Option<Thing>,
    /// Parameters, in the order of the messages.
    pub(crate) parameters: Vec<Parameter>,
    /// The plan template.
    pub(crate) plan: Template,
}

impl Preset {
    /// Reads one preset file.
    ///
    /// # Errors
    /// `preset_invalid` with file, place and cause.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, DataError> {
        let preset: Self = serde_json::from_str(text).map_err(|error| DataError::Unreadable {
            file: file.to_owned(),
            cause: error.to_string(),
        })?;
        preset.check(file)?;
        Ok(preset)
    }

    fn check(&self, file: &str) -> Result<(), DataError> {
        let wrong = |path: String, cause: String| DataError::Inconsistent {
            file: file.to_owned(),
            path,
            cause,
        };
        if self.version != 1 {
            return Err(wrong(
                "/preset".into(),
                format!("version {} is not supported; write 1", self.version),
            ));
        }
        if !file.ends_with(&format!("{}.json", self.id)) {
            return Err(wrong(
                "/id".into(),
                format!("“{}” is not the name of the file", self.id),
            ));
        }
        if self.examples.is_empty() || self.calls.is_empty() {
            return Err(wrong(
                "/examples".into(),
                "a preset needs at least one example and one rule".into(),
            ));
        }
        for (i, parameter) in self.parameters.iter().enumerate() {
            let at = |field: &str| format!("/parameters/{i}/{field}");
            if self.parameters.iter().filter(|p| p.name == parameter.name).count() > 1 {
                return Err(wrong(at("name"), format!("“{}” occurs twice", parameter.name)));
            }
            if let (Some([low, high]), Some([soft, hard])) = (parameter.hard, parameter.advised)
                && (low > soft || hard > high)
            {
                return Err(wrong(at("advised"), "reaches beyond `hard`".into()));
            }
            for name in &parameter.into {
                if !self.parameters.iter().any(|p| &p.name == name) {
                    return Err(wrong(at("into"), format!("“{name}” is not a parameter")));
                }
            }
            let parts = matches!(parameter.kind, ParameterKind::Range | ParameterKind::Sides);
            if parts == parameter.into.is_empty() || parts != parameter.of.is_some() {
                return Err(wrong(
                    at("into"),
                    "ranges and sides need `of` and `into`, others must not have them".into(),
                ));
            }
        }
        Ok(())
    }

    /// The parameter of this name.
    pub(crate) fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|p| p.name == name)
    }
}

/// Compiles phrases; an error names the place of the bad one.
pub(crate) fn phrases(file: &str, path: &str, list: &[String]) -> Result<Vec<Phrase>, DataError> {
    list.iter()
        .enumerate()
        .map(|(i, text)| {
            Phrase::parse(text).map_err(|PhraseError(cause)| DataError::Inconsistent {
                file: file.to_owned(),
                path: format!("{path}/{i}"),
                cause,
            })
        })
        .collect()
}
