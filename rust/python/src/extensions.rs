//! Extensions of the protocol by scripts: operations whose strategy is a Python callable, and step types.

use std::sync::Arc;

use geonode_engine::{EngineError, ToolRequest};
use geonode_protocol::{Code, Expand, ExtensionError};
use pyo3::prelude::*;
use pyo3::types::PyAny;
use serde_json::{Map, Value};

use crate::errors::{CoreError, detached};
use crate::json::{dumps, loads, to_python};

/// Adds the operation `name` to both step types. `schema` (a dict) describes its fields; `expand(action_type, fields)` returns the list of
/// built-in operations that it expands to, and must not use Blender's data: it is called on the thread of the run.
#[pyfunction]
pub(crate) fn register_op(name: &str, schema: &Bound<'_, PyAny>, expand: Py<PyAny>) -> PyResult<()> {
    let schema = value(schema)?;
    let expand: Arc<Expand> = Arc::new(move |action_type, fields| call(&expand, action_type, fields));
    geonode_engine::register_op(name, &schema, expand).map_err(|error| invalid(&error))
}

/// Adds the step type `action_type`, whose steps the host hands to their own executor. `schema` (a dict) describes the payload.
#[pyfunction]
#[pyo3(signature = (action_type, schema, requires_approval=false))]
pub(crate) fn register_action(action_type: &str, schema: &Bound<'_, PyAny>, requires_approval: bool) -> PyResult<()> {
    geonode_engine::register_action(action_type, &value(schema)?, requires_approval).map_err(|error| invalid(&error))
}

/// Removes an operation or a step type; returns whether it existed.
#[pyfunction]
pub(crate) fn unregister(name: &str) -> bool {
    geonode_engine::unregister(name)
}

/// Adds a tool that the host carries out (effect `call_tools`): `{"id", "description", "input_schema", "output_schema", "pure"?,
/// "writes"?, "requires_approval"?, "timeout_s"}`.
#[pyfunction]
pub(crate) fn register_tool(tool: &Bound<'_, PyAny>) -> PyResult<()> {
    let text = dumps(tool)?;
    let request: ToolRequest = detached(tool.py(), || {
        serde_json::from_str(&text).map_err(|error| EngineError::Request(error.to_string()))
    })?;
    geonode_engine::register_tool(request)
        .map_err(|error| CoreError::protocol(Code::ExtensionInvalid, error.to_string()).into())
}

/// Removes a tool of a script; returns whether it existed.
#[pyfunction]
pub(crate) fn unregister_tool(id: &str) -> bool {
    geonode_engine::unregister_tool(id)
}

/// Every tool, step type and operation beyond the protocol, each with `kind`, `id`, `description` and schemas.
#[pyfunction]
pub(crate) fn tools(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let listed =
        geonode_engine::listing().map_err(|error| CoreError::protocol(Code::InternalError, error.to_string()))?;
    to_python(py, &listed)
}

fn call(expand: &Py<PyAny>, action_type: &str, fields: &Map<String, Value>) -> Result<Vec<Value>, String> {
    Python::attach(|py| {
        let fields = serde_json::to_string(fields).map_err(|error| error.to_string())?;
        let made = loads(py, &fields)
            .and_then(|fields| expand.bind(py).call1((action_type, fields)))
            .and_then(|made| dumps(&made))
            .map_err(|error| error.value(py).to_string())?;
        serde_json::from_str(&made).map_err(|_| "its strategy did not return a list of operations.".to_owned())
    })
}

fn value(schema: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text = dumps(schema)?;
    detached(schema.py(), || {
        serde_json::from_str(&text).map_err(|error| EngineError::Request(error.to_string()))
    })
}

fn invalid(error: &ExtensionError) -> PyErr {
    CoreError::protocol(Code::ExtensionInvalid, error.to_string()).into()
}
