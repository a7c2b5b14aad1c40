//! Findings about tool calls. The links of their chain are the executor's (`rust/tools`), in the same order: whether a call can be
//! read, whether tool and arguments are known and allowed, whether the result fits its schema.

use geonode_protocol::{Code, Finding, Severity};
use geonode_tools::{Outcome, Settled, ToolError};

use super::{Feature, Verdict};

/// The rules that the calls of one reply broke; waived ones are warnings. A tool that merely failed breaks none.
pub(crate) fn calls(settled: &[Settled]) -> Verdict {
    let mut findings = Vec::new();
    for (at, call) in settled.iter().enumerate() {
        let path = format!("/tool_calls/{at}");
        let finding = |severity, error: &ToolError| {
            let mut finding = Finding::error(error.code, &path, &error.message);
            finding.severity = severity;
            finding
        };
        if let Outcome::Failed(error) = &call.outcome
            && is_rule(error.code)
        {
            findings.push(finding(Severity::Error, error));
        }
        findings.extend(call.doubts.iter().map(|doubt| finding(Severity::Warning, doubt)));
    }
    Verdict {
        feature: Feature::Tools,
        findings,
    }
}

/// Whether a code says that the call or its result broke the contract.
fn is_rule(code: Code) -> bool {
    let fails_by_itself = matches!(code, Code::ToolTimeout | Code::UnknownReference);
    code.section() == Code::UnknownTool.section() && !fails_by_itself
        || matches!(code, Code::ToolValidationError | Code::ReturnInvalid)
}
