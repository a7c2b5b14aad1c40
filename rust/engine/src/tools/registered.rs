//! Tools that scripts add to this process. A run uses those that are registered when it starts.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use geonode_tools::{Access, DEFAULT_QUOTA, READ_RESULT, RunsIn, Spec, SpecError};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Value, json};

use super::builtin;

type Added = IndexMap<String, Arc<Spec>>;

fn registry() -> &'static RwLock<Arc<Added>> {
    static REGISTRY: OnceLock<RwLock<Arc<Added>>> = OnceLock::new();
    REGISTRY.get_or_init(RwLock::default)
}

/// A tool as a script describes it; it runs on the host.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRequest {
    /// Name in calls.
    pub id: String,
    /// What it does, for the model.
    pub description: String,
    /// Schema of the arguments.
    pub input_schema: Value,
    /// Schema of the result.
    pub output_schema: Value,
    /// Whether the same arguments give the same result as long as the scene is the same.
    #[serde(default)]
    pub pure: bool,
    /// Whether it changes data.
    #[serde(default)]
    pub writes: bool,
    /// Whether each call needs the artist's approval.
    #[serde(default)]
    pub requires_approval: bool,
    /// Limit of one call in seconds.
    pub timeout_s: f64,
    /// Calls per run.
    #[serde(default = "default_quota")]
    pub quota: u32,
    /// Hosts that it may send data to.
    #[serde(default)]
    pub egress: Vec<String>,
}

fn default_quota() -> u32 {
    DEFAULT_QUOTA
}

/// Adds a tool.
///
/// # Errors
/// [`SpecError`] when its ID is taken or invalid, or a schema cannot be used.
pub fn register_tool(request: ToolRequest) -> Result<(), SpecError> {
    let name = request.id.replace('_', " ");
    let (id, words) = (request.id, request.description);
    let spec = Spec::new(&id, &name, &words, request.input_schema, request.output_schema)?.within(request.timeout_s)?;
    let ships = id == READ_RESULT || builtin::specs()?.iter().any(|spec| spec.id == id);
    let spec = Spec {
        access: if request.writes { Access::Writes } else { Access::Reads },
        pure: request.pure && !request.writes,
        place: RunsIn::Host,
        requires_approval: request.requires_approval || request.writes,
        quota: request.quota,
        egress: request.egress,
        ..spec
    };
    let mut added = registry().write().unwrap_or_else(PoisonError::into_inner);
    if ships || added.contains_key(&id) {
        return Err(SpecError::Taken(id));
    }
    Arc::make_mut(&mut added).insert(id, Arc::new(spec));
    Ok(())
}

/// Removes a tool; returns whether a script had added it.
pub fn unregister_tool(id: &str) -> bool {
    let mut added = registry().write().unwrap_or_else(PoisonError::into_inner);
    Arc::make_mut(&mut added).shift_remove(id).is_some()
}

/// The tools that scripts have added so far.
pub(crate) fn added() -> Arc<Added> {
    Arc::clone(&registry().read().unwrap_or_else(PoisonError::into_inner))
}

/// Every tool as data: those that ship, then those that scripts added.
///
/// # Errors
/// Never for the tools that ship; a test lists them.
pub(crate) fn tools() -> Result<Vec<Value>, SpecError> {
    let entry = |spec: &Spec, ships: bool| {
        let mut entry = spec.describe();
        if let Some(fields) = entry.as_object_mut() {
            fields.insert("kind".into(), json!("tool"));
            fields.insert("built_in".into(), json!(ships));
        }
        entry
    };
    let mut all: Vec<Value> = builtin::specs()?.iter().map(|spec| entry(spec, true)).collect();
    all.push(entry(&geonode_tools::read_result()?.spec, true));
    all.extend(added().values().map(|spec| entry(spec, false)));
    Ok(all)
}

/// Everything beyond the protocol that a model can use: tools, then step types and operations.
///
/// # Errors
/// Never for the tools that ship; a test lists them.
pub fn listing() -> Result<Vec<Value>, SpecError> {
    let mut all = tools()?;
    all.extend(
        crate::extensions::extensions()
            .described()
            .into_iter()
            .map(|(id, schema)| {
                let operation = schema.pointer("/properties/op").is_some();
                json!({
                    "kind": if operation { "operation" } else { "step_type" },
                    "id": id,
                    "description": schema.get("description").and_then(Value::as_str).unwrap_or_default(),
                    "input_schema": if operation { Some(schema) } else { schema.pointer("/properties/payload") },
                    "built_in": false,
                })
            }),
    );
    Ok(all)
}
