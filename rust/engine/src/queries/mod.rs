//! Queries that are answered without a run: about plans, about trees, and about this program itself.

mod context;
mod cost;
mod lint;
mod plans;
mod presets;
mod references;
mod trees;

pub use context::shown_context;
pub use cost::{estimates, stack};
pub use lint::{EffectRow, TreeLint, effects, lints};
pub use plans::{Reconciled, Validated, reconcile, validate_plan};
pub use presets::{check_preset, nearest_presets, preset_draft, preset_plan, preset_prompt, presets};
pub use references::{models_reference, policies_reference, settings_reference};
pub use trees::{check_tree, compact, diff, read_compact, sockets, structures, tree_text};
