//! The subject of the checks, and their findings.

use std::collections::BTreeSet;

use geonode_protocol::Code;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// Tree that contains the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// Name of the socket.
    pub socket: Option<String>,
    /// Its code.
    pub code: Code,
    /// Whether the node certainly has no effect; otherwise it is only doubtful.
    pub effectless: bool,
    /// What is wrong, in words.
    pub cause: String,
    /// What to do, in words.
    pub fix: String,
}

/// What is checked.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Objects whose modifiers use the trees; their data is the input.
    pub objects: &'a [&'a str],
    /// Trees that are judged.
    pub trees: &'a [&'a str],
    /// Names of all attributes that exist; `None` if unknown.
    pub attributes: Option<&'a BTreeSet<String>>,
    /// Names of all materials that the objects' results have; `None` if unknown.
    pub materials: Option<&'a BTreeSet<String>>,
}
