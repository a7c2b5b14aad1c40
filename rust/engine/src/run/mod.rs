//! A run: its host's side ([`handle`]), its worker, and the data that both share.
//!
//! The machine of `geonode-run` decides what happens next. [`worker`] feeds it; [`work`] carries out tasks that need no Blender, with the data in [`asked`], [`planned`] and [`judged`]; the other tasks are
//! handed to the host through [`shared`].

mod amended;
mod asked;
mod choosing;
mod handing;
mod handle;
mod heavy;
mod host;
mod inbox;
mod info;
mod judged;
mod known;
mod listening;
mod messages;
mod planned;
mod report;
mod run_schema;
mod saved;
mod shared;
mod telemetry;
mod timing;
mod tool_calls;
mod trial;
mod verdict;
mod work;
mod worker;

pub use handle::{Run, Turn};
pub use messages::Messages;
pub use report::Report;
pub use run_schema::definitions as protocol;
pub use saved::Saved;
pub use telemetry::{Span, Spans, reset_telemetry, telemetry};
