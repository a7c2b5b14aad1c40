//! Driver of a run: carries out what the machine of `geonode-run` orders, on a worker thread, and hands the rest to the host.
//!
//! The host (Blender's main thread) polls; nothing here ever makes it wait. Everything that crosses to the host is JSON text,
//! serialised and parsed on the worker, so that the main thread only passes strings. One worker thread serves one run and ends
//! with it.

mod approval;
mod budget;
mod calls;
mod catalogues;
mod check;
mod choice;
mod context;
mod cost;
mod error;
mod exchange;
mod extensions;
mod generate;
mod host;
mod keys;
mod lint;
mod listening;
mod memory;
mod messages;
mod planner;
mod policies;
mod prompting;
mod references;
mod report;
mod request;
mod run;
mod saved;
mod scripts;
mod security;
mod settings;
mod spending;
mod telemetry;
mod timing;
mod tool_worker;
mod tools;
mod validate;
mod verdict;
mod watch;
mod work;
mod worker;

pub use geonode_run::{Message, Origin};

pub use catalogues::catalogue;
pub use check::{Reconciled, Validated, reconcile, validate_plan};
pub use context::shown_context;
pub use cost::estimates;
pub use error::EngineError;
pub use exchange::{check_tree, compact, diff, read_compact, sockets};
pub use extensions::{extensions, register_action, register_op, unregister};
pub use keys::{keep_key, key_place, remove_key};
pub use lint::{EffectRow, TreeLint, effects, lints};
pub use messages::Messages;
pub use references::{models_reference, policies_reference, settings_reference};
pub use report::Report;
pub use request::{PlanInput, RunRequest};
pub use run::{Run, Turn};
pub use saved::Saved;
pub use scripts::Scripts;
pub use security::security_events;
pub use settings::{Setting, Settings};
pub use spending::{Sent, Spent};
pub use telemetry::{Span, Spans, reset_telemetry, telemetry};
pub use tools::{ToolRequest, ToolStep, listing, reference, register_tool, unregister_tool};
pub use validate::{Feature, Tally};
