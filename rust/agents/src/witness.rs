//! What is told about calls to whoever keeps a record of them: refusals, and what writes. No arguments, no results, no token.

use std::fmt;
use std::sync::Arc;

use geonode_protocol::Code;

/// A call that was refused, or one that writes, or a request that was not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    /// What the program calls itself; empty where it was not let in.
    pub client: String,
    /// The tool; empty where no call was understood.
    pub tool: String,
    /// Why it was refused or failed; None for a call that was carried out.
    pub code: Option<Code>,
}

/// Who hears of acts. A program can cause as many as it likes.
pub type Hears = Arc<dyn Fn(Act) + Send + Sync>;

/// Tells of acts.
#[derive(Clone)]
pub(crate) struct Witness(Hears);

impl fmt::Debug for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Witness").finish_non_exhaustive()
    }
}

impl Witness {
    pub(crate) fn new(hears: Hears) -> Self {
        Self(hears)
    }

    /// Tells of an act.
    pub(crate) fn tell(&self, client: &str, tool: &str, code: Option<Code>) {
        (self.0)(Act {
            client: client.to_owned(),
            tool: tool.to_owned(),
            code,
        });
    }
}
