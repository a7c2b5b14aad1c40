//! Driver of a run: carries out the tasks of the machine of `geonode-run` on a worker thread, and hands the others to the host.
//!
//! The host (Blender's main thread) polls and never waits. All data for the host is JSON text,
//! serialised and parsed on the worker, so that the main thread only passes strings. One worker thread serves one run and ends
//! with it.

mod approval;
mod asking;
mod catalogues;
mod clock;
mod error;
mod extensions;
mod needed;
mod queries;
mod request;
mod run;
mod settings;
mod tariff;
mod tools;
mod validate;

pub use geonode_run::{Message, Origin};

pub use asking::{Sent, Spent, keep_key, key_place, remove_key, security_events};
pub use catalogues::catalogue;
pub use error::EngineError;
pub use extensions::{extensions, register_action, register_op, unregister};
pub use queries::{
    EffectRow, Reconciled, TreeLint, Validated, check_preset, check_tree, compact, diff, effects, estimates, lints,
    models_reference, nearest_presets, policies_reference, preset_draft, preset_plan, preset_prompt, presets,
    read_compact, reconcile, settings_reference, shown_context, sockets, stack, structures, tree_text, validate_plan,
};
pub use request::{PlanInput, RunRequest};
pub use run::{Messages, Report, Run, Saved, Span, Spans, Turn, protocol, reset_telemetry, telemetry};
pub use settings::{Preference, Scripts, Section, Setting, Settings, Trials, Word};
pub use tools::{ToolRequest, ToolStep, agent_tools, listing, reference, register_tool, unregister_tool};
pub use validate::{Feature, Tally};
