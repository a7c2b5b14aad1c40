//! `from math import *` by the names that it is for.
//!
//! A star binds names that no rule can see, so it becomes the listed members that the script reads and does not bind itself; the rules, and
//! Python, get that text. Lines keep their numbers.

use foldhash::HashSet;
use rustpython_parser::ast::{Expr, ExprContext, Ranged, Stmt};

use crate::parse;
use crate::policy::{self, Policy};
use crate::tree::{self, Node, Visitor};

/// Modules that scripts import so.
const MODULES: &[&str] = &[
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "itertools",
    "math",
    "mathutils",
    "numpy",
    "random",
    "typing",
];

/// The text without stars, as far as they can be named; `None` where there are none.
pub(crate) fn named(source: &str) -> Option<String> {
    let policy = policy::policy()?;
    let suite = parse::parse(source).ok()?;
    let mut seen = Seen::default();
    tree::suite(&mut seen, &suite);
    let mut text = source.to_owned();
    let mut changed = false;
    for stmt in suite.iter().rev() {
        let Some(names) = members(stmt, policy, &seen) else {
            continue;
        };
        let Stmt::ImportFrom(one) = stmt else { continue };
        let module = one.module.as_ref().map_or("", |module| module.as_str());
        let range = usize::from(one.range().start())..usize::from(one.range().end());
        if text.get(range.clone()).is_none_or(|whole| whole.contains(['\n', '\\'])) {
            continue;
        }
        let explicit = if names.is_empty() {
            "pass".to_owned()
        } else {
            format!("from {module} import {}", names.join(", "))
        };
        text.replace_range(range, &explicit);
        changed = true;
    }
    changed.then_some(text)
}

/// What a star imports for this script.
fn members<'p>(stmt: &Stmt, policy: &'p Policy, seen: &Seen<'_>) -> Option<Vec<&'p str>> {
    let Stmt::ImportFrom(one) = stmt else { return None };
    let module = one.module.as_ref()?.as_str();
    let star = one.names.first().is_some_and(|alias| alias.name.as_str() == "*");
    if !star || one.level.is_some_and(|level| level.to_u32() > 0) || !MODULES.contains(&module) {
        return None;
    }
    let listed = policy.reviewed.modules.get(module)?;
    // A built-in name has two meanings where the script binds it as well, which the rules refuse.
    let wanted = |name: &str| {
        seen.read.contains(name) && (!seen.bound.contains(name) || policy.reviewed.builtins.contains(name))
    };
    let mut names: Vec<&str> = listed
        .iter()
        .copied()
        .filter(|name| !name.starts_with('_') && wanted(name))
        .collect();
    names.sort_unstable();
    Some(names)
}

#[derive(Default)]
struct Seen<'t> {
    read: HashSet<&'t str>,
    bound: HashSet<&'t str>,
}

impl<'t> Visitor<'t> for Seen<'t> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Bind(binding) => {
                self.bound.insert(binding.name);
            }
            Node::Expr(Expr::Name(one)) if one.ctx == ExprContext::Load => {
                self.read.insert(one.id.as_str());
            }
            Node::Expr(Expr::Name(one)) => {
                self.bound.insert(one.id.as_str());
            }
            _ => {}
        }
        true
    }
}
