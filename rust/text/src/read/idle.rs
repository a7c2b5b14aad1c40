//! Lines of an edit that change nothing: whoever wrote them takes something else for what is there.

use std::collections::BTreeMap;

use geonode_graph::ir::{Item, Map, Node};
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Stmt};

use super::draft::End;
use super::fault::{Fault, Lines};
use super::reader::{Binding, Reader};
use super::value::{Val, at};
use geonode_protocol::Severity;

/// Nodes times lines up to which each line is watched: the tree is compared with itself before it.
const MOST: usize = 20_000;

/// All that a line may change.
#[derive(PartialEq)]
struct State {
    interface: Vec<Item>,
    settings: Map,
    nodes: BTreeMap<String, Node>,
    links: BTreeMap<End, Vec<(End, bool)>>,
    beside: usize,
}

impl<'p> Reader<'_, '_, 'p> {
    /// Reads statements; in an edit those are noted that change nothing.
    pub(super) fn statements(&mut self, body: &'p [Stmt]) {
        // What is moved between groups is not there yet.
        let watches = self.edit && !self.faults.awaiting && self.draft.nodes.len() * body.len() <= MOST;
        let mut before = watches.then(|| self.state());
        for statement in body {
            self.statement(statement);
            if let Some(before) = &mut before {
                let now = self.state();
                if now == *before && self.says_something(statement) {
                    self.idle.push(at(statement));
                }
                *before = now;
            }
        }
    }

    fn state(&self) -> State {
        let mut links: BTreeMap<End, Vec<(End, bool)>> = BTreeMap::new();
        for (_, wire) in self.draft.links_in_order() {
            let entry = links.entry(wire.to.clone()).or_default();
            entry.push((wire.from.clone(), wire.muted));
        }
        let nodes = self.draft.nodes.iter();
        State {
            interface: self.draft.interface.clone(),
            settings: self.draft.settings.clone(),
            nodes: nodes.map(|(id, made)| (id.clone(), made.node.clone())).collect(),
            links,
            beside: self.extras.len() + self.faults.materials.len() + self.faults.count(),
        }
    }

    /// Whether a line is about the tree, and was not carried out earlier, for a line that names what it makes.
    fn says_something(&self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Name(name)] => {
                    let is_call = matches!(&*assign.value, Expr::Call(_));
                    match self.bindings.get(name.id.as_str()) {
                        Some(Binding::Known(Val::Node(id))) => is_call && self.draft.before(id) == self.draft.node(id),
                        _ => false,
                    }
                }
                _ => true,
            },
            Stmt::AnnAssign(_) | Stmt::With(_) | Stmt::Return(_) => true,
            Stmt::Expr(expression) => matches!(&*expression.value, Expr::Call(_)),
            _ => false,
        }
    }

    /// Says which lines change nothing, and whether that are all.
    pub(super) fn tell_idle(&mut self, group: &str, changes: bool, lines: &Lines<'_>) {
        let Some((first, more)) = self.idle.split_first() else {
            return;
        };
        if self.faults.failed() {
            return;
        }
        let fix = "Nothing needs to be done, unless something else was meant.";
        let message = if changes {
            let numbers = more.iter().map(|at| lines.number(*at).to_string());
            let numbers: Vec<String> = numbers.collect();
            let also = if numbers.is_empty() {
                String::new()
            } else {
                format!(" Nor do the lines {}.", numbers.join(", "))
            };
            format!("This line changes nothing: what it says is so already.{also}")
        } else {
            format!("“{group}” is as the edit has it already; nothing is changed in it.")
        };
        let severity = if changes { Severity::Info } else { Severity::Warning };
        let fault = Fault::new(Code::NothingToChange, *first, message, fix);
        self.faults.add(Fault { severity, ..fault });
    }
}
