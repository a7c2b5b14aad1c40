//! The centre of the product: node trees ([`ir`]), the nodes of this Blender ([`catalogue`]), and how a plan becomes the
//! smallest edit of the present tree ([`compile`]). Pure: this crate accesses neither Blender nor files nor the network.
//!
//! The documents are described in `FORMATS.md` beside this crate.

mod anew;
mod animation;
mod blank;
pub mod catalogue;
mod check;
mod chosen;
mod compact;
pub mod compile;
mod diff;
mod difference;
pub mod documents;
mod edited;
mod fields;
mod forgotten;
mod hidden;
mod intrusion;
pub mod ir;
mod known_sockets;
mod landing;
mod layout;
mod menus;
mod model;
mod moves;
mod near;
mod numbering;
mod operations;
mod ops;
mod properties;
mod read;
mod renames;
mod renaming;
mod semantic_diff;
mod shown;
mod sink;
pub mod sockets;
mod stale;
mod structure;
mod summary;
mod taken;
mod target;
mod values;

pub use catalogue::{Catalogue, CatalogueError};
pub use compact::{Brief, CompactError, Focus, brief, compact, ranks, read_compact};
pub use compile::{Compiled, Targets, compile, compile_exactly, compile_in_place, targets};
pub use diff::settled_name;
pub use difference::{Difference, difference};
pub use documents::{Document, StepDelta};
pub use moves::Moves;
pub use near::{alike, did_you_mean, either, nearest};
pub use numbering::numbered_names;
pub use operations::{OperationSummary, Topic, operations};
pub use ops::{Mention, freed_ids, mentions, naming};
pub use properties::{is_panel_property, is_socket_property, is_tree_property};
pub use read::{MAX_BYTES, MAX_DEPTH, ReadError};
pub use semantic_diff::semantic_diff;
pub use shown::shown;
pub use sink::Repair;
pub use sockets::node_sockets;
pub use stale::{changes, shorten, stale};
pub use structure::{Structure, Structures, structures};
pub use target::{makes_object, uses_group};
pub use values::counts;
