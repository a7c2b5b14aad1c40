//! The tool that pages through large results.

use std::sync::Arc;

use serde_json::json;

use crate::spec::{Spec, SpecError};
use crate::tool::{Runner, Tool};

/// Id of the tool.
pub const READ_RESULT: &str = "read_result";

/// The tool `read_result`: a result that was too large for the conversation, page by page.
///
/// # Errors
/// Never with these constants.
pub fn read_result() -> Result<Tool, SpecError> {
    let spec = Spec::new(
        READ_RESULT,
        "Read a large result",
        "More of a result that was too long, by its `ref`, from `offset` on (bytes; then its `next`).",
        json!({
            "type": "object",
            "properties": {
                "ref": {"type": "string"},
                "offset": {"type": "integer", "minimum": 0},
            },
            "required": ["ref"],
            "additionalProperties": false,
        }),
        json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "A part of the result's JSON."},
                "offset": {"type": "integer"},
                "bytes": {"type": "integer", "description": "Length of the whole result in bytes."},
                "next": {"type": ["integer", "null"], "description": "Offset of the next page; null at the end."},
            },
            "required": ["text", "offset", "bytes", "next"],
        }),
    )?;
    let spec = Spec { pure: false, ..spec };
    Ok(Tool {
        spec: Arc::new(spec),
        runner: Runner::Pages,
    })
}
