//! What is asked, and what is found.

use std::collections::BTreeSet;

use geonode_protocol::Code;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lint {
    /// Tree that holds the node.
    pub tree: String,
    /// ID of the node.
    pub node: String,
    /// Name of the socket.
    pub socket: Option<String>,
    /// What it is.
    pub code: Code,
    /// The node certainly does nothing; otherwise it is only doubtful.
    pub effectless: bool,
    /// What is wrong, in words.
    pub cause: String,
    /// What to do, in words.
    pub fix: String,
}

/// What is to be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Objects whose modifiers run the trees; their data decides what flows.
    pub objects: &'a [&'a str],
    /// Trees that are judged.
    pub trees: &'a [&'a str],
    /// Names of all attributes that there are; none: nobody knows.
    pub attributes: Option<&'a BTreeSet<String>>,
}
