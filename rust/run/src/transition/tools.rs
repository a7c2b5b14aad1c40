//! Tool calls before a plan: the artist is asked about those that need approval, the others proceed, and the model receives all results.

use geonode_protocol::Code;

use super::Machine;
use crate::config::Approve;
use crate::feedback::Feedback;
use crate::state::Phase;
use crate::tools::{RefusedCall, ToolAsk};

impl Machine {
    /// The reply calls tools; `asks` are the calls that need the artist's approval.
    pub(super) fn tools_wanted(&mut self, asks: Vec<ToolAsk>) {
        self.state.refused_calls.clear();
        self.state.tool_asks = asks;
        match self.state.config.approve {
            Approve::Ask if !self.state.tool_asks.is_empty() => self.enter(Phase::AwaitingToolApproval { index: 0 }),
            Approve::Ask | Approve::All => self.enter(Phase::CallingTools),
            Approve::None => {
                let refused = self.state.tool_asks.iter().map(|ask| RefusedCall {
                    id: ask.id.clone(),
                    code: Code::ApprovalRequired,
                    words: String::new(),
                });
                self.state.refused_calls = refused.collect();
                self.enter(Phase::CallingTools);
            }
        }
    }

    /// The artist decided about the pending call: `None` approves it. A rejection concerns that call alone.
    pub(super) fn tool_decided(&mut self, rejection: Option<String>) {
        let Phase::AwaitingToolApproval { index } = self.state.phase else {
            return;
        };
        if let (Some(ask), Some(words)) = (self.state.tool_asks.get(index), rejection) {
            let (id, code) = (ask.id.clone(), Code::UserRejected);
            self.state.refused_calls.push(RefusedCall { id, code, words });
        }
        let next = index + 1;
        if next < self.state.tool_asks.len() {
            self.enter(Phase::AwaitingToolApproval { index: next });
        } else {
            self.enter(Phase::CallingTools);
        }
    }

    /// The driver has the results: the model continues with them.
    pub(super) fn tools_called(&mut self) {
        let last = self.state.iterations.saturating_add(1) >= self.state.config.max_iterations;
        self.state.feedback = Some(Feedback::Tools { last });
        self.state.tool_asks.clear();
        self.state.refused_calls.clear();
        self.again();
    }
}
