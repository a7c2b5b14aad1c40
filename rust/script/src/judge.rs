//! Applies the rules to every node of a script.

use geonode_protocol::Code;
use rustpython_parser::ast::Stmt;

use crate::bindings;
use crate::checker::Checker;
use crate::policy;
use crate::rules;
use crate::tree::{self, Node, Visitor};
use crate::verdict::{Judged, Raw};

/// Judges a tree: the refusals, and the places that the artist is asked about.
pub(crate) fn judge(suite: &[Stmt], blender: &str) -> Judged {
    let Some(policy) = policy::policy() else {
        let raw = Raw {
            code: Code::InternalError,
            rule: "policy",
            at: 0,
            text: "The policy of safe mode cannot be read.".to_owned(),
            hint: "Install the add-on again.".to_owned(),
        };
        return Judged::refused(raw);
    };
    let names = bindings::collect(suite, policy);
    let mut checker = Checker::new(policy, policy::bit(blender), names);
    tree::suite(&mut checker, suite);
    checker.judged()
}

impl<'t> Visitor<'t> for Checker<'t> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Stmt(stmt) => rules::statement(self, stmt),
            Node::Pattern(pattern) => rules::patterns::check(self, pattern),
            Node::Bind(binding) => rules::names::binding(self, &binding),
            Node::Keyword(name, range) => rules::calls::keyword(self, name, range),
            Node::Expr(expr) => return rules::expression(self, expr),
        }
        true
    }
}
