//! How the offline planner read a prompt, as data: what the report and the interface show beside a result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was understood of a prompt, and what was not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Understanding {
    /// Title of the preset; empty for the answer to a question.
    pub preset: String,
    /// The object that shows the result; empty for the answer to a question.
    pub object: String,
    /// The modifier whose inputs are the parameters; empty for the answer to a question.
    pub modifier: String,
    /// What is placed, in words; `None` for presets that place nothing.
    pub thing: Option<String>,
    /// What was done, a sentence or two each.
    #[serde(default)]
    pub done: Vec<String>,
    /// The parameters of the result, in the order of the preset; of a change, those that it sets.
    pub parameters: Vec<UnderstoodParameter>,
    /// What was assumed or read differently, one sentence each.
    pub assumed: Vec<String>,
    /// Words of the prompt that nothing used.
    pub unused: Vec<String>,
}

/// A parameter of a result and where its value came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnderstoodParameter {
    /// Name of the modifier's input; `None` where the value shaped the tree instead.
    pub input: Option<String>,
    /// What it is, for the artist.
    pub title: String,
    /// Its value in words, with its unit.
    pub value: String,
    /// The words of the prompt that it came from; `None` for a default.
    pub said: Option<String>,
}
