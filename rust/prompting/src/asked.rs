//! What is asked for: the prompt, with its scene and what the run allows.

use geonode_graph::Catalogue;
use geonode_protocol::Extensions;
use geonode_tools::Image;
use serde_json::Value;

/// The prompt with its scene and what the run allows.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The prompt.
    pub text: &'a str,
    /// Reference pictures that the artist attached to it.
    pub pictures: &'a [Image],
    /// The snapshot of the scene.
    pub context: &'a Value,
    /// The catalogue: the sockets of the nodes in the context's tree, and the documentation of nodes.
    pub catalogue: &'a Catalogue,
    /// Operations and step types that were added.
    pub extensions: &'a Extensions,
    /// Whether PYTHON steps may run.
    pub scripts: bool,
    /// Tokens that the scene may take.
    pub context_tokens: u64,
    /// Most steps in a plan.
    pub max_steps: u64,
}
