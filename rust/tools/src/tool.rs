//! A tool: its contract, and what carries it out.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::ToolError;
use crate::scope::Scope;
use crate::spec::Spec;

/// A function of the core: arguments in, result out. It checks its [`Scope`] if it may take long.
pub type CoreTool = dyn Fn(&Value, &Scope) -> Result<Value, ToolError> + Send + Sync;

/// Turns the host's answer into the result: arguments and answer in, result out.
pub type Finish = dyn Fn(&Value, Value) -> Result<Value, ToolError> + Send + Sync;

/// What carries out a call.
#[derive(Clone)]
pub enum Runner {
    /// A function of the core.
    Core(Arc<CoreTool>),
    /// The host; its answer becomes the result by this function.
    Host(Arc<Finish>),
    /// The executor itself, which stores the large results.
    Pages,
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Core(_) => "Core",
            Self::Host(_) => "Host",
            Self::Pages => "Pages",
        })
    }
}

/// A tool that can be called.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Its contract.
    pub spec: Arc<Spec>,
    /// What carries it out.
    pub runner: Runner,
}
