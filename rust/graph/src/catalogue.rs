//! The nodes of one Blender (`FORMATS.md`, "Catalogue"): what preflight knows about types, sockets and properties.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ir::{Map, Side};

/// A table of the catalogue: in order, and with a hash that is fast, since no stranger chooses the keys.
pub type Table<K, V> = indexmap::IndexMap<K, V, foldhash::fast::RandomState>;

/// Every node type and socket type of one Blender build.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    /// Version of the format: 1.
    pub catalogue: u32,
    /// Blender version, for example `5.2.3`.
    pub blender: String,
    /// Build that was introspected.
    #[serde(default)]
    pub build_hash: String,
    /// Node types by `bl_idname`.
    pub nodes: Table<String, NodeType>,
    /// Socket types by base RNA name.
    #[serde(default)]
    pub sockets: Table<String, SocketType>,
    /// For each socket type, the types that it may be linked to.
    #[serde(default)]
    pub conversions: Table<String, Vec<String>>,
}

/// One node type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeType {
    /// Name in the menus.
    pub label: String,
    /// Special role, for example `group`, `zone:repeat:in`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Default width.
    #[serde(default)]
    pub width: f64,
    /// Settable properties.
    #[serde(default)]
    pub properties: Table<String, Property>,
    /// Item collections.
    #[serde(default)]
    pub collections: Table<String, Collection>,
    /// Distinct socket lists; the first is the fresh node's.
    pub states: Vec<State>,
    /// Properties on which the sockets depend.
    #[serde(default)]
    pub state_properties: Vec<String>,
    /// Values of `state_properties`, joined by `|`, to an index into `states`.
    #[serde(default)]
    pub variants: Table<String, usize>,
}

/// A collection of dynamic items.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// Writable fields of an item.
    #[serde(default)]
    pub fields: Table<String, Value>,
    /// Where an item shows: `self` or `partner` (the other end of the zone), `inputs` or `outputs`, prefix of the identifier.
    #[serde(default)]
    pub sockets: Vec<(String, String, String)>,
    /// What such sockets hold, by the three joined with `/`, and what dynamic outputs follow: `item`, `all`, `others` or `none`.
    #[serde(default)]
    pub structures: Table<String, Vec<String>>,
    /// The entries of a new node, where they make no sockets: stops of a colour ramp, points of a curve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fresh: Vec<Map>,
    /// The fewest entries that Blender keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<usize>,
    /// The most entries that Blender takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
}

/// The sockets of a node in one state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Inputs in order.
    #[serde(default)]
    pub inputs: Vec<Socket>,
    /// Outputs in order.
    #[serde(default)]
    pub outputs: Vec<Socket>,
}

impl State {
    /// The sockets on one side.
    pub fn side(&self, side: Side) -> &[Socket] {
        match side {
            Side::Input => &self.inputs,
            Side::Output => &self.outputs,
        }
    }
}

/// One socket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent facts about a socket, as the format has them"
)]
#[serde(deny_unknown_fields)]
pub struct Socket {
    /// Identifier, unique on its side of the node.
    pub identifier: String,
    /// Name in the interface; several sockets may share it.
    pub name: String,
    /// Base RNA name.
    #[serde(rename = "type")]
    pub kind: String,
    /// False when the node's current mode hides it.
    #[serde(default = "yes")]
    pub available: bool,
    /// Accepts several links.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub multi: bool,
    /// Value on a new node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// Minimum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Unit, for example `DISTANCE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtype: Option<String>,
    /// Items of a menu socket.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Value>,
    /// Whether it holds one value, a field, or either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Holds a field, for example the position, as long as nothing is linked to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub implicit: bool,
    /// Of a dynamic output: the inputs whose structure it follows; all where none are named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<Vec<String>>,
    /// Whether it has no settable value although its type has one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hide_value: bool,
}

fn yes() -> bool {
    true
}

/// One property of a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Property {
    /// Name in the interface.
    #[serde(default)]
    pub label: String,
    /// `enum`, `bool`, `int`, `float`, `string`, `vector`, `pointer`; of fields of items also `color`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Value on a new node.
    #[serde(default)]
    pub default: Value,
    /// Identifier and label of each enum item.
    #[serde(default)]
    pub items: Vec<(String, String)>,
    /// Minimum.
    #[serde(default)]
    pub min: Option<f64>,
    /// Maximum.
    #[serde(default)]
    pub max: Option<f64>,
    /// Length of a vector.
    #[serde(default)]
    pub size: Option<usize>,
    /// Data-block kind of a pointer.
    #[serde(default)]
    pub to: Option<String>,
    /// Whether the enum takes several items at once.
    #[serde(default)]
    pub flags: bool,
}

/// One socket type.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketType {
    /// Short enum, for example `FLOAT`.
    #[serde(default)]
    pub short: String,
    /// Name in the interface.
    #[serde(default)]
    pub label: String,
    /// Subtypes that an interface socket of this type may have.
    #[serde(default)]
    pub subtypes: Vec<String>,
    /// What its sockets can hold: `single`, `field`, `grid`, `list`; empty before Blender 5.0.
    #[serde(default)]
    pub structures: Vec<String>,
}

/// Why a catalogue could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// Not the expected JSON.
    #[error("the node catalogue cannot be read: {0}")]
    Parse(#[from] serde_json::Error),
    /// Another format version.
    #[error("the node catalogue has format {0}, this version reads 1")]
    Version(u32),
    /// A variant names a missing state, or a type has no state.
    #[error("the node catalogue is damaged at {0}")]
    Damaged(String),
}

impl Catalogue {
    /// Reads and checks a catalogue.
    ///
    /// # Errors
    /// When the text is not a catalogue of format 1.
    pub fn from_json(text: &str) -> Result<Self, CatalogueError> {
        let read: Self = serde_json::from_str(text)?;
        if read.catalogue != 1 {
            return Err(CatalogueError::Version(read.catalogue));
        }
        for (name, node) in &read.nodes {
            let sound = !node.states.is_empty() && node.variants.values().all(|index| *index < node.states.len());
            if !sound {
                return Err(CatalogueError::Damaged(name.clone()));
            }
        }
        Ok(read)
    }

    /// True when Blender accepts a link from a socket of type `from` to one of type `to`.
    pub fn converts(&self, from: &str, to: &str) -> bool {
        from == to
            || self
                .conversions
                .get(from)
                .is_some_and(|list| list.iter().any(|name| name == to))
    }

    /// The base RNA name for a full name or a short enum (`FLOAT`), and whether it had to be repaired.
    pub fn socket_type(&self, name: &str) -> Option<(&str, bool)> {
        if let Some((found, _)) = self.sockets.get_key_value(name) {
            return Some((found, false));
        }
        let wanted = fold(name);
        let mut hits = self.sockets.iter().filter(|(key, kind)| {
            fold(key) == wanted
                || fold(&kind.short) == wanted
                || fold(&kind.label) == wanted
                || wanted
                    .strip_prefix("nodesocket")
                    .is_some_and(|rest| fold(&kind.short) == rest)
        });
        match (hits.next(), hits.next()) {
            (Some((key, _)), None) => Some((key, true)),
            _ => None,
        }
    }
}

impl NodeType {
    /// The sockets of a node with these properties (those that differ from the default).
    pub fn state(&self, props: &Map) -> &State {
        static EMPTY: State = State {
            inputs: Vec::new(),
            outputs: Vec::new(),
        };
        let index = if self.state_properties.is_empty() {
            None
        } else {
            self.variants.get(self.variant_key(props).as_ref())
        };
        self.states.get(index.copied().unwrap_or(0)).unwrap_or(&EMPTY)
    }

    /// The key of [`NodeType::variants`] for these properties.
    pub fn variant_key<'v>(&'v self, props: &'v Map) -> Cow<'v, str> {
        let text = |name: &String| {
            let default = || self.properties.get(name).map(|property| &property.default);
            props.get(name).or_else(default).map_or(Cow::Borrowed(""), text_of)
        };
        match self.state_properties.as_slice() {
            [only] => text(only),
            names => Cow::Owned(names.iter().map(text).collect::<Vec<_>>().join("|")),
        }
    }

    /// True for a type of this category or of one below it (`zone`, `zone:repeat`).
    pub fn is(&self, category: &str) -> bool {
        self.category.as_deref().is_some_and(|own| {
            own.strip_prefix(category)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    }
}

fn text_of(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Lower-case letters and digits only, without the accents of Blender's names: the form in which names are compared when a
/// repair is searched.
pub fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, 'é' | 'è' | 'ê') { 'e' } else { c })
        .collect()
}
