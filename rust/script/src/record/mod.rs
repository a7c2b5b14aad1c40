//! What a script did to Blender in its sealed trial, as a plain document: the artist's Blender carries it out instead of the script.
//!
//! Made by `scripting/recorder.py` inside the sandbox, so that nothing in it is trusted: [`check`] lets through what names listed members
//! only and fits in itself, and `scripting/replay.py` carries it out behind the guards that a script has.

mod address;
mod check;
mod data;
mod mesh;
mod written;

use std::collections::BTreeMap;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use address::{Address, Block, Key, Root, Step};
pub use check::{Misrecorded, check};
pub use data::{Data, Special};
pub use mesh::{MeshAttribute, MeshData, unfit_mesh};

/// The version of the form.
pub const VERSION: u32 = 1;
/// Most bytes of a record.
pub const MAX_BYTES: usize = 16 << 20;
/// Most entries of a record.
pub const MAX_ENTRIES: usize = 30_000;

/// Everything that a script did to Blender, in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of the form.
    pub version: u32,
    /// What operators and the context started from.
    pub situation: Situation,
    /// What was done.
    pub entries: Vec<Entry>,
    /// What the script printed.
    pub output: String,
}

/// What operators and the context started from; a record fits no other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Situation {
    /// The scene.
    pub scene: Option<String>,
    /// Its view layer.
    pub view_layer: Option<String>,
    /// The active object.
    pub active: Option<String>,
    /// `bpy.context.mode`.
    pub mode: String,
    /// Selected objects, sorted.
    pub selected: Vec<String>,
}

/// One thing that was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// `of.name = value`.
    Set {
        /// What has the attribute.
        of: Address,
        /// The attribute.
        name: String,
        /// Its value.
        #[schemars(with = "Value")]
        value: Data,
        /// How the mesh numbered its elements, where one of them is meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        numbering: Option<u32>,
    },
    /// `of[key] = value`.
    SetItem {
        /// What has the item.
        of: Address,
        /// Its key.
        #[schemars(with = "Value")]
        key: Data,
        /// Its value.
        #[schemars(with = "Value")]
        value: Data,
        /// How the mesh numbered its elements, where one of them is meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        numbering: Option<u32>,
    },
    /// `del of[key]`.
    DeleteItem {
        /// What has the item.
        of: Address,
        /// Its key.
        #[schemars(with = "Value")]
        key: Data,
    },
    /// `of.name(*args, **named)`.
    Call {
        /// What has the function.
        of: Address,
        /// The function.
        name: String,
        /// Arguments by place.
        #[schemars(with = "Vec<Value>")]
        args: Vec<Data>,
        /// Arguments by name.
        #[schemars(with = "Map<String, Value>")]
        named: BTreeMap<String, Data>,
        /// It raised an exception.
        #[serde(default, skip_serializing_if = "is_false")]
        fails: bool,
        /// The data-block that it returned.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        makes: Option<Block>,
        /// How the mesh numbered its elements, where they are meant.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        numbering: Option<u32>,
    },
    /// An operator.
    Operator {
        /// Its name, such as `mesh.primitive_cube_add`.
        name: String,
        /// `EXEC_DEFAULT` and the like.
        context: Option<String>,
        /// Its arguments.
        #[schemars(with = "Map<String, Value>")]
        named: BTreeMap<String, Data>,
        /// It raised an exception.
        #[serde(default, skip_serializing_if = "is_false")]
        fails: bool,
    },
    /// A mesh was written from a `BMesh`.
    Mesh {
        /// The mesh.
        of: Address,
        /// All of its elements.
        mesh: MeshData,
    },
    /// The context that an earlier entry returned was entered.
    Enter {
        /// That context.
        of: Address,
    },
    /// The context that was entered last was left.
    Exit {
        /// That context.
        of: Address,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// The schemas of a record and its parts, by the name of the type.
#[must_use]
pub fn definitions() -> Map<String, Value> {
    let mut generator: SchemaGenerator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.subschema_for::<Record>();
    generator.take_definitions(true)
}
