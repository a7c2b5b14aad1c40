//! The properties of interface sockets beyond type, subtype, value and range: which Blender has them, and what they take.

use crate::values::{Kind, Want};

/// The property that says how many numbers a vector has.
pub(crate) const DIMENSIONS: &str = "dimensions";

/// What a property takes.
#[derive(Clone, Copy)]
enum Takes {
    Flag,
    Text,
    Number(f64, f64),
    Item(&'static [&'static str]),
}

const DOMAINS: &[&str] = &["POINT", "EDGE", "FACE", "CORNER", "CURVE", "INSTANCE", "LAYER"];
const STRUCTURES: &[&str] = &["AUTO", "DYNAMIC", "FIELD", "GRID", "LIST", "SINGLE"];
const DEFAULT_INPUTS: &[&str] = &[
    "VALUE",
    "INDEX",
    "ID_OR_INDEX",
    "NORMAL",
    "POSITION",
    "INSTANCE_TRANSFORM",
    "HANDLE_LEFT",
    "HANDLE_RIGHT",
    "SCENE_FRAME",
    "UNIFORM_IMAGE_COORDINATES",
    "SELF_OBJECT",
];

/// Each property with the Blender that has it first.
const PROPERTIES: &[(&str, (u32, u32), Takes)] = &[
    ("attribute_domain", (4, 2), Takes::Item(DOMAINS)),
    ("default_attribute_name", (4, 2), Takes::Text),
    ("default_input", (4, 2), Takes::Item(DEFAULT_INPUTS)),
    ("description", (4, 2), Takes::Text),
    ("force_non_field", (4, 2), Takes::Flag),
    ("hide_in_modifier", (4, 2), Takes::Flag),
    ("hide_value", (4, 2), Takes::Flag),
    ("is_inspect_output", (4, 2), Takes::Flag),
    ("layer_selection_field", (4, 2), Takes::Flag),
    (DIMENSIONS, (4, 5), Takes::Number(2.0, 4.0)),
    ("is_panel_toggle", (4, 5), Takes::Flag),
    ("menu_expanded", (4, 5), Takes::Flag),
    ("structure_type", (4, 5), Takes::Item(STRUCTURES)),
    ("optional_label", (5, 0), Takes::Flag),
];

/// Whether an operation can set this property of an interface socket in this Blender.
pub fn is_socket_property(name: &str, blender: &str) -> bool {
    socket_properties(blender).any(|known| known == name)
}

/// Their names.
pub(crate) fn socket_properties(blender: &str) -> impl Iterator<Item = &'static str> {
    let present = version(blender);
    PROPERTIES
        .iter()
        .filter(move |(_, since, _)| *since <= present)
        .map(|(name, ..)| *name)
}

/// What a property takes; none where this Blender does not have it.
pub(crate) fn socket_property(name: &str, blender: &str) -> Option<Want<'static>> {
    let present = version(blender);
    let (_, _, takes) = PROPERTIES
        .iter()
        .find(|(known, since, _)| *known == name && *since <= present)?;
    let (kind, range) = match *takes {
        Takes::Flag => (Kind::Bool, None),
        Takes::Text => (Kind::String, None),
        Takes::Number(min, max) => (Kind::Int, Some((min, max))),
        Takes::Item(items) => (Kind::Enum(items.iter().map(|item| (*item, *item)).collect()), None),
    };
    Some(Want {
        kind,
        min: range.map(|range| range.0),
        max: range.map(|range| range.1),
    })
}

/// The first two numbers of a Blender's version.
fn version(blender: &str) -> (u32, u32) {
    let mut parts = blender.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
