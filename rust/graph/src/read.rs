//! Reads tree documents from outside strictly, with errors that a person can act on.

use std::collections::{HashMap, HashSet};
use std::fmt;

use geonode_protocol::Code;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::ir::{Bundle, IR_VERSION, Tree};

/// Largest document that is read, in bytes.
pub const MAX_BYTES: usize = 100_000_000;
/// How deep its objects and arrays may be nested; Blender's own trees need eight levels.
pub const MAX_DEPTH: usize = 64;

/// Why a text is not a valid tree document.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is larger than [`MAX_BYTES`].
    #[error("The tree document has {0} bytes; {MAX_BYTES} are allowed")]
    TooLarge(usize),
    /// It is nested deeper than [`MAX_DEPTH`].
    #[error("The tree document is nested deeper than {MAX_DEPTH} levels (byte {0})")]
    TooDeep(usize),
    /// It is not JSON.
    #[error("The tree document is not JSON: {0}")]
    Json(serde_json::Error),
    /// An object has a key twice.
    #[error("The tree document has the key {key:?} twice in one object (line {line})")]
    DuplicateKey {
        /// The key.
        key: String,
        /// Line of the second one.
        line: usize,
    },
    /// It has another version of the format, or none.
    #[error("The tree document has the format version {0}; this program reads {IR_VERSION} (field \"ir\")")]
    Version(Value),
    /// A field is unknown, missing or of the wrong type.
    #[error("The tree document does not have the expected form:  {0}")]
    Form(serde_json::Error),
    /// The root is not among the trees, or an item names a panel that does not exist.
    #[error("The tree document does not have the expected form:  {0}")]
    Reference(String),
    /// Two nodes of a tree, or two items of an interface, have one ID.
    #[error("Tree {tree:?} has {what} {id:?} twice")]
    DuplicateId {
        /// The tree.
        tree: String,
        /// `the node` or `the interface item`.
        what: &'static str,
        /// The ID.
        id: String,
    },
    /// A link, a frame or a zone names a node that does not exist.
    #[error("{what} in tree {tree:?} names the node {id:?}, which does not exist")]
    UnknownNode {
        /// The tree.
        tree: String,
        /// What names it.
        what: String,
        /// The missing ID.
        id: String,
    },
    /// Frames contain each other.
    #[error("The frames around the node {id:?} in tree {tree:?} contain each other")]
    FrameCycle {
        /// The tree.
        tree: String,
        /// A node in the cycle.
        id: String,
    },
}

impl ReadError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::TooLarge(_) => Code::FileTooLarge,
            Self::TooDeep(_) => Code::TooDeep,
            Self::Json(_) => Code::InvalidJson,
            Self::DuplicateKey { .. } => Code::DuplicateKey,
            Self::Version(_) => Code::UnsupportedVersion,
            Self::Form(_) | Self::Reference(_) => Code::InvalidDocument,
            Self::DuplicateId { .. } => Code::DuplicateId,
            Self::UnknownNode { .. } => Code::UnknownNode,
            Self::FrameCycle { .. } => Code::Cycle,
        }
    }
}

impl Bundle {
    /// Reads a tree document: JSON without duplicate keys, all fields known, every reference inside it resolved.
    ///
    /// # Errors
    /// [`ReadError`] with the first thing that is wrong.
    pub fn read(text: &str) -> Result<Self, ReadError> {
        if text.len() > MAX_BYTES {
            return Err(ReadError::TooLarge(text.len()));
        }
        shallow(text)?;
        unique(text)?;
        let head: Head = serde_json::from_str(text).map_err(ReadError::Form)?;
        if head.ir.as_ref().and_then(Value::as_u64) != Some(u64::from(IR_VERSION)) {
            return Err(ReadError::Version(head.ir.unwrap_or_default()));
        }
        let bundle: Self = serde_json::from_str(text).map_err(ReadError::Form)?;
        if let Some(root) = bundle.root.as_ref().filter(|root| !bundle.trees.contains_key(*root)) {
            return Err(ReadError::Reference(format!(
                "its root {root:?} is not among its trees"
            )));
        }
        for (name, tree) in &bundle.trees {
            sound(name, tree)?;
        }
        Ok(bundle)
    }
}

#[derive(Deserialize)]
struct Head {
    ir: Option<Value>,
}

/// Checks that everything that a tree refers to is in it.
fn sound(name: &str, tree: &Tree) -> Result<(), ReadError> {
    let duplicate = |what, id: &str| ReadError::DuplicateId {
        tree: name.to_owned(),
        what,
        id: id.to_owned(),
    };
    let mut items = HashSet::with_capacity(tree.interface.len());
    for item in &tree.interface {
        if !items.insert(item.identifier.as_str()) {
            return Err(duplicate("the interface item", &item.identifier));
        }
    }
    for item in &tree.interface {
        if let Some(panel) = item.parent.as_ref().filter(|panel| !items.contains(panel.as_str())) {
            return Err(ReadError::Reference(format!(
                "the interface item {:?} of tree {name:?} lies in the panel {panel:?}, which does not exist",
                item.name
            )));
        }
    }
    let mut nodes = HashMap::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        if nodes.insert(node.id.as_str(), node.parent.as_deref()).is_some() {
            return Err(duplicate("the node", &node.id));
        }
    }
    let known = |what: &str, id: &str| {
        if nodes.contains_key(id) {
            return Ok(());
        }
        Err(ReadError::UnknownNode {
            tree: name.to_owned(),
            what: what.to_owned(),
            id: id.to_owned(),
        })
    };
    for node in &tree.nodes {
        for other in node.parent.iter().chain(&node.pair) {
            known(&format!("The node {:?}", node.id), other)?;
        }
    }
    for link in &tree.links {
        known("A link", &link.from.0)?;
        known("A link", &link.to.0)?;
    }
    frames(name, &nodes)
}

/// Follows each node outwards once.
fn frames(name: &str, parent: &HashMap<&str, Option<&str>>) -> Result<(), ReadError> {
    let mut settled: HashSet<&str> = HashSet::with_capacity(parent.len());
    for start in parent.keys() {
        let mut way = Vec::new();
        let mut on_way = HashSet::new();
        let mut next = Some(*start);
        while let Some(id) = next.filter(|id| !settled.contains(id)) {
            if !on_way.insert(id) {
                return Err(ReadError::FrameCycle {
                    tree: name.to_owned(),
                    id: id.to_owned(),
                });
            }
            way.push(id);
            next = parent.get(id).copied().flatten();
        }
        settled.extend(way);
    }
    Ok(())
}

/// Bounds the nesting before anything recurses.
fn shallow(text: &str) -> Result<(), ReadError> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(ReadError::TooDeep(at));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// JSON in which no object has a key twice.
fn unique(text: &str) -> Result<(), ReadError> {
    let mut twice = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let outcome = Unique { twice: &mut twice }
        .deserialize(&mut reader)
        .and_then(|()| reader.end());
    outcome.map_err(|error| match twice {
        Some(key) => ReadError::DuplicateKey {
            key,
            line: error.line(),
        },
        None => ReadError::Json(error),
    })
}

/// Reads any value and keeps only the first duplicate key.
struct Unique<'a> {
    twice: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Unique { twice: self.twice })?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys: HashSet<String> = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if keys.contains(&key) {
                *self.twice = Some(key);
                return Err(A::Error::custom("duplicate key"));
            }
            map.next_value_seed(Unique { twice: self.twice })?;
            keys.insert(key);
        }
        Ok(())
    }
}
