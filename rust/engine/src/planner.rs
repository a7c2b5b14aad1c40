//! The seam to `geonode-planner`: words and context in, plans and prompts out.

use geonode_planner::context::Context;
use geonode_planner::offline::{self, Options};
use geonode_run::{Failure, Feedback};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::EngineError;

/// What opens a conversation with a model.
pub(crate) struct Opening {
    pub(crate) system: String,
    pub(crate) user: String,
}

/// A plan without a model.
pub(crate) fn offline(prompt: &str, object: Option<&str>, context: &Value) -> Result<Value, Failure> {
    let context = read(context)?;
    let options = Options {
        object: object.map(str::to_owned),
    };
    offline::plan(prompt, &context, &options).map_err(|refusal| Failure::new(refusal.code, refusal.message))
}

/// The context as the planner sees it.
pub(crate) fn read(context: &Value) -> Result<Context, EngineError> {
    Context::deserialize(context).map_err(|error| EngineError::document("context", &error))
}

/// The first words to a model.
pub(crate) fn opening(prompt: &str, context: &Value) -> Opening {
    Opening {
        system: String::new(),
        user: json!({"prompt": prompt, "context": context}).to_string(),
    }
}

/// What the model is told about its last reply.
pub(crate) fn feedback(feedback: &Feedback, slices: Option<&Value>) -> String {
    json!({"feedback": feedback, "slices": slices}).to_string()
}
