//! The properties of interface sockets beyond type, subtype, value and range, of panels, and of trees: which Blender has them, and what they
//! take.

use serde_json::Value;

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

/// A property with the Blender that has it first, and what it takes.
type Row = (&'static str, (u32, u32), Takes);

/// What interface sockets have.
const OF_SOCKETS: &[Row] = &[
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

/// What panels have.
const OF_PANELS: &[Row] = &[
    ("default_closed", (4, 2), Takes::Flag),
    ("description", (4, 2), Takes::Text),
];

const COLORS: &[&str] = &[
    "NONE",
    "ATTRIBUTE",
    "COLOR",
    "CONVERTER",
    "DISTORT",
    "FILTER",
    "GEOMETRY",
    "INPUT",
    "MATTE",
    "OUTPUT",
    "SCRIPT",
    "SHADER",
    "TEXTURE",
    "VECTOR",
    "PATTERN",
    "INTERFACE",
    "GROUP",
];

/// What trees have. Whom a data-block belongs to in its file is not a property of the tree.
const OF_TREES: &[Row] = &[
    ("color_tag", (4, 2), Takes::Item(COLORS)),
    ("default_group_node_width", (4, 5), Takes::Number(60.0, 700.0)),
    ("description", (4, 2), Takes::Text),
    ("is_mode_edit", (4, 2), Takes::Flag),
    ("is_mode_object", (4, 2), Takes::Flag),
    ("is_mode_paint", (4, 5), Takes::Flag),
    ("is_mode_sculpt", (4, 2), Takes::Flag),
    ("is_modifier", (4, 2), Takes::Flag),
    ("is_tool", (4, 2), Takes::Flag),
    ("is_type_curve", (4, 2), Takes::Flag),
    ("is_type_grease_pencil", (4, 5), Takes::Flag),
    ("is_type_mesh", (4, 2), Takes::Flag),
    (POINTS_BEFORE, (4, 2), Takes::Flag),
    (POINTS, (4, 5), Takes::Flag),
    ("node_tool_idname", (5, 2), Takes::Text),
    ("show_modifier_manage_panel", (5, 0), Takes::Flag),
    ("use_wait_for_click", (4, 2), Takes::Flag),
];

/// The name of one property up to 4.4, and since.
const POINTS_BEFORE: &str = "is_type_point_cloud";
const POINTS: &str = "is_type_pointcloud";

/// Whether an operation can set this property of an interface socket in this Blender.
pub fn is_socket_property(name: &str, blender: &str) -> bool {
    socket_properties(blender).any(|known| known == name)
}

/// Whether an operation can set this property of a tree in this Blender.
pub fn is_tree_property(name: &str, blender: &str) -> bool {
    tree_property(name, blender).is_some()
}

/// Whether an operation can set this property of a panel.
pub fn is_panel_property(name: &str) -> bool {
    OF_PANELS.iter().any(|(known, ..)| *known == name)
}

/// Whether panels may lie in panels in this Blender.
pub(crate) fn nests_panels(blender: &str) -> bool {
    version(blender) >= (4, 5)
}

/// Their names.
pub(crate) fn socket_properties(blender: &str) -> impl Iterator<Item = &'static str> {
    names(OF_SOCKETS, blender)
}

/// The names of what trees have.
pub(crate) fn tree_properties(blender: &str) -> impl Iterator<Item = &'static str> {
    let before = version(blender) < (4, 5);
    names(OF_TREES, blender).filter(move |name| *name != POINTS_BEFORE || before)
}

/// What a property takes; none where this Blender does not have it.
pub(crate) fn socket_property(name: &str, blender: &str) -> Option<Want<'static>> {
    found(OF_SOCKETS, name, blender).map(wanted)
}

/// What a property of a panel takes.
pub(crate) fn panel_property(name: &str, blender: &str) -> Option<Want<'static>> {
    found(OF_PANELS, name, blender).map(wanted)
}

/// What a property of a tree takes, and what a new tree has.
pub(crate) fn tree_property(name: &str, blender: &str) -> Option<(Want<'static>, Value)> {
    let name = tree_properties(blender).find(|known| *known == name)?;
    let takes = found(OF_TREES, name, blender)?;
    let new = match takes {
        Takes::Flag => Value::Bool(name == "show_modifier_manage_panel"),
        Takes::Text => Value::from(""),
        Takes::Number(..) => Value::from(140),
        Takes::Item(items) => Value::from(items.first().copied().unwrap_or_default()),
    };
    Some((wanted(takes), new))
}

fn names(rows: &'static [Row], blender: &str) -> impl Iterator<Item = &'static str> {
    let present = version(blender);
    let known = rows.iter().filter(move |(_, since, _)| *since <= present);
    known.map(|(name, ..)| *name)
}

fn found(rows: &[Row], name: &str, blender: &str) -> Option<Takes> {
    let present = version(blender);
    let row = rows
        .iter()
        .find(|(known, since, _)| *known == name && *since <= present);
    row.map(|(.., takes)| *takes)
}

fn wanted(takes: Takes) -> Want<'static> {
    let (kind, range) = match takes {
        Takes::Flag => (Kind::Bool, None),
        Takes::Text => (Kind::String, None),
        Takes::Number(min, max) => (Kind::Int, Some((min, max))),
        Takes::Item(items) => (Kind::Enum(items.iter().map(|item| (*item, *item)).collect()), None),
    };
    Want {
        kind,
        min: range.map(|range| range.0),
        max: range.map(|range| range.1),
    }
}

/// The first two numbers of a Blender's version.
fn version(blender: &str) -> (u32, u32) {
    let mut parts = blender.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}
