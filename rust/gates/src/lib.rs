//! Gates: pure checks that decide whether a result counts.
//!
//! A gate sees what the run was meant to change, the trees as they were before, and Blender's evidence; it does not access
//! Blender and changes nothing. Each gate is one file in `rules/`; [`judge`] runs all of them in a fixed order and returns the
//! envelope that the model and the artist read. Where Blender cannot provide data that a gate needs, the gate passes: with a finding
//! `not_available` if it has judged nothing, without one if only a part was missing, such as the warnings of a modifier in 4.2. Only
//! errors fail a gate; warnings name doubts.

mod doubts;
mod facts;
mod gate;
mod named;
mod rules;
mod warnings;

pub use facts::{Facts, Target};
pub use gate::Gate;

use std::fmt::Write as _;

use geonode_protocol::{Code, Envelope, GateFinding, Severity};

/// All gates in the order in which they are reported: structure first, then the evaluated result.
pub const GATES: &[Gate] = &[
    rules::single_group_output::GATE,
    rules::output_connected::GATE,
    rules::no_modifier_error::GATE,
    rules::no_unexpected_new_modifier::GATE,
    rules::no_unexpected_new_node_group::GATE,
    rules::no_invalid_links::GATE,
    rules::user_nodes_untouched::GATE,
    rules::no_node_warnings::GATE,
    rules::not_empty::GATE,
    rules::finite_bounds::GATE,
    rules::nodes_have_effect::GATE,
    rules::expected_effects::GATE,
];

/// Most findings of one gate, so that the report of a broken tree with thousands of nodes stays readable.
const FINDINGS_OF_A_GATE: usize = 10;

/// Runs every gate.
pub fn judge(facts: &Facts<'_>) -> Envelope {
    let mut envelope = Envelope::passed();
    let only_scripts = facts.only_scripts();
    for gate in GATES.iter().filter(|gate| gate.judges_scripts || !only_scripts) {
        let mut findings = (gate.check)(facts);
        let fails = |finding: &GateFinding| finding.severity == Severity::Error && finding.code != Code::NotAvailable;
        let failed = findings.iter().any(fails);
        findings.sort_by_key(|finding| !fails(finding));
        if failed {
            envelope.success = false;
            envelope.failed_gates.push(gate.code);
        }
        let more = findings.len().saturating_sub(FINDINGS_OF_A_GATE);
        findings.truncate(FINDINGS_OF_A_GATE);
        if failed {
            let causes = findings.iter().filter(|finding| fails(finding));
            let mut text = causes.map(|f| f.cause.as_str()).collect::<Vec<_>>().join(" ");
            if more > 0 {
                let _ = write!(text, " (and {more} more)");
            }
            envelope.messages.push(format!("{}: {text}", gate.code));
        }
        envelope.findings.extend(findings);
    }
    envelope
}
