//! Tools: what a model or a script may call, and the one executor through which every call goes.
//!
//! A tool defines its input and output (JSON Schemas), whether it reads or writes, where it runs and its limits. The
//! [`Executor`] of a run processes the calls of one reply together: it normalises and validates them, observes quotas and the
//! number of calls at once, runs those of the core on threads of their own with a time limit, leaves those of the host to its
//! driver, and validates, bounds and remembers the results. This crate knows no particular tool.
//!
//! What never happens: a call ends without a result; a tool's panic or hang affects others; metrics change what the model sees.

mod batch;
mod call;
mod error;
mod executor;
mod memo;
mod page;
mod pool;
mod registry;
mod scope;
mod spec;
mod store;
mod tool;

pub use batch::{Batch, Entry, HostCall, HostError, HostResult, Settled};
pub use call::{Call, Image, Outcome, canonical};
pub use error::ToolError;
pub use executor::{Executor, Limits};
pub use page::{READ_RESULT, read_result};
pub use pool::Metric;
pub use registry::Registry;
pub use scope::Scope;
pub use spec::{Access, DEFAULT_QUOTA, RunsIn, Spec, SpecError};
pub use tool::{CoreTool, Finish, Runner, Tool};
