//! The short form of trees for a model's context: about a quarter of the IR, lossless for structure. Its grammar is in `FORMATS.md`
//! ("Compact form").
//!
//! Locations, widths, frames, collapsed and hidden sockets are left out: they are not structure. So are the values of linked inputs, which
//! Blender neither shows nor uses.

mod brief;
mod read;
mod text;
mod write;

use std::collections::HashMap;

use geonode_protocol::Code;

pub use self::brief::{Brief, Focus, brief, ranks};
pub use self::read::read_compact;
pub use self::write::compact;
use crate::catalogue::{Catalogue, Socket};

/// Why a text is not a valid compact form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompactError {
    /// Something else was expected.
    #[error("Line {line} of the compact tree is wrong: {expected} was expected")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What was expected.
        expected: &'static str,
    },
    /// A link or zone names a node without a line.
    #[error("Line {line} of the compact tree names the node {number}, which does not exist")]
    UnknownNode {
        /// Line, from 1.
        line: usize,
        /// The number.
        number: u64,
    },
    /// Parts were left out to fit a limit.
    #[error("Line {0} says that parts of the tree were left out: the whole form is needed")]
    Cut(usize),
    /// It is larger than [`crate::MAX_BYTES`].
    #[error("The compact tree has {0} bytes; {max} are allowed", max = crate::MAX_BYTES)]
    TooLarge(usize),
}

impl CompactError {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidDocument
    }
}

/// Start of a line that says what was left out.
const CUT: &str = "…";
/// Prefix of the RNA names of sockets.
const SOCKET: &str = "NodeSocket";
/// Prefix of Blender's identifiers of interface sockets and panels.
const INTERFACE_SOCKET: &str = "Socket_";
const INTERFACE_PANEL: &str = "panel:";

/// The only type that has each label.
fn types_by_label(catalogue: &Catalogue) -> HashMap<&str, Option<&str>> {
    let mut types: HashMap<&str, Option<&str>> = HashMap::new();
    for (name, kind) in &catalogue.nodes {
        let only = (!catalogue.nodes.contains_key(&kind.label)).then_some(name.as_str());
        types.entry(&kind.label).and_modify(|only| *only = None).or_insert(only);
    }
    types
}

/// `Math.001` → `Math`.
fn stem(id: &str) -> &str {
    match id.rsplit_once('.') {
        Some((stem, number)) if number.len() == 3 && number.chars().all(|c| c.is_ascii_digit()) => stem,
        _ => id,
    }
}

/// The only available socket of this name.
fn by_name<'s>(sockets: &'s [Socket], name: &str) -> Option<&'s Socket> {
    let mut hits = sockets.iter().filter(|socket| socket.available && socket.name == name);
    match (hits.next(), hits.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

/// The field of an item that names its type.
fn type_field<'a>(catalogue: &'a Catalogue, node_type: &str, collection: &str) -> Option<&'a str> {
    let fields = &catalogue.nodes.get(node_type)?.collections.get(collection)?.fields;
    ["socket_type", "data_type"]
        .into_iter()
        .find(|field| fields.contains_key(*field))
}

/// The digits of a number as Blender writes it.
fn digits(text: &str) -> Option<&str> {
    let canonical = text.parse::<u64>().is_ok_and(|number| number.to_string() == text);
    canonical.then_some(text)
}
