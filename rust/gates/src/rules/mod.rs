//! One gate, one file.

pub(crate) mod expected_effects;
pub(crate) mod finite_bounds;
pub(crate) mod no_invalid_links;
pub(crate) mod no_modifier_error;
pub(crate) mod no_node_warnings;
pub(crate) mod no_unexpected_new_modifier;
pub(crate) mod no_unexpected_new_node_group;
pub(crate) mod nodes_have_effect;
pub(crate) mod not_empty;
pub(crate) mod output_connected;
pub(crate) mod single_group_output;
pub(crate) mod user_nodes_untouched;
