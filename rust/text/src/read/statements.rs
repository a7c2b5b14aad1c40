//! Statements of a group: assignments, links, zones, closures, what is said about nodes, and what an edit removes.

use geonode_graph::sockets::GROUP_INPUT_TYPE;
use geonode_protocol::{Code, GnOp};
use rustpython_parser::ast::{Constant, Expr, ExprCall, Stmt};
use serde_json::Value;

use super::about::word_of;
use super::arguments::only;
use super::components::is_part;
use super::reader::{Binding, Place, Reader};
use super::value::{Val, at, constant};
use super::zones::zone_of;

pub(super) const FORMS: &str = "In a group stand assignments, links such as `x.scale = y`, `with repeat(…)`, nested functions, and statements about nodes.";

/// What a statement of one word is about.
const ABOUT_NODES: &[&str] = &[
    "cleanup",
    "frame",
    "gather",
    "group_input",
    "label",
    "limits",
    "mute",
    "node",
    "order",
    "panel",
    "settings",
    "unframe",
    "ungroup",
];

impl<'p> Reader<'_, '_, 'p> {
    /// Reads the body of a group.
    pub(crate) fn body(&mut self, body: &'p [Stmt]) {
        let mut names = Vec::new();
        for statement in body {
            self.assigned(statement, &mut names);
        }
        self.find_gathered(body);
        let mut first = foldhash::HashSet::default();
        for (name, value) in &names {
            if self.gathered.contains_key(*name) {
                continue; // said before it was moved
            }
            let again = !first.insert(*name) || self.parameters.contains_key(*name);
            if again {
                self.reused.insert((*name).to_owned());
            } else {
                self.bindings.insert((*name).to_owned(), Binding::Waiting(value));
            }
        }
        for name in &self.reused {
            self.bindings.remove(name);
        }
        self.statements(body);
    }

    /// The names that a statement binds, with what they are bound to.
    fn assigned(&self, statement: &'p Stmt, names: &mut Vec<(&'p str, &'p Expr)>) {
        match statement {
            Stmt::Assign(assign) => {
                if let [Expr::Name(name)] = assign.targets.as_slice() {
                    names.push((name.id.as_str(), &*assign.value));
                }
            }
            Stmt::AnnAssign(assign) if !self.edit => {
                if let (Expr::Name(name), Some(value)) = (&*assign.target, &assign.value) {
                    names.push((name.id.as_str(), &**value));
                }
            }
            Stmt::With(block) => block.body.iter().for_each(|inner| self.assigned(inner, names)),
            Stmt::FunctionDef(function) => function.body.iter().for_each(|inner| self.assigned(inner, names)),
            _ => {}
        }
    }

    pub(super) fn statement(&mut self, statement: &'p Stmt) {
        let start = at(statement);
        match statement {
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [target] => self.assignment(target, &assign.value, start),
                _ => self.error(
                    Code::TextForm,
                    start,
                    "Two names are assigned at once.",
                    "Write a line for each.",
                ),
            },
            Stmt::AnnAssign(assign) => match (&assign.value, self.edit) {
                (value, true) if constant_or_none(value.as_deref()) => {
                    self.declare_socket(&assign.target, &assign.annotation, value.as_deref());
                }
                (Some(value), true) if matches!(&*assign.target, Expr::Attribute(_)) => {
                    self.declare_socket(&assign.target, &assign.annotation, None);
                    self.assignment(&assign.target, value, start);
                }
                (Some(value), _) => self.assignment(&assign.target, value, start),
                (None, _) => {
                    let fix = "Declare inputs in the line that begins with `def`, and outputs after its arrow.";
                    self.error(Code::TextForm, start, "A socket is declared inside of the group.", fix);
                }
            },
            Stmt::AugAssign(_) => {
                let fix = "Give the result a name of its own: `higher = height + 1`.";
                self.error(Code::TextForm, start, "A name is changed in place.", fix);
            }
            Stmt::Delete(delete) if self.edit => delete.targets.iter().for_each(|target| self.delete(target)),
            Stmt::Delete(_) => {
                let fix = "Leave it out: what the function does not name is not in the group.";
                self.error(Code::TextForm, start, "`del` stands in an edit only.", fix);
            }
            Stmt::With(block) => {
                let Some(zone) = zone_of(block) else {
                    let fix = "Write `with repeat(iterations=3, items={\"Geometry\": Geometry(x)}) as (grow_in, grow_out):`; other zones are \
                               simulation and for_each.";
                    return self.error(
                        Code::TextForm,
                        start,
                        "A block `with` in a group is a zone with names for both ends.",
                        fix,
                    );
                };
                self.zone(&zone);
                block.body.iter().for_each(|inner| self.statement(inner));
            }
            Stmt::FunctionDef(function) => {
                if self.begin_closure(function) {
                    function.body.iter().for_each(|inner| self.statement(inner));
                    self.end_closure();
                }
            }
            Stmt::Return(back) => {
                let end = self.closure_ends.last().cloned().unwrap_or_default();
                if !self.returned_from.insert(end) {
                    let fix = "Choose between values with a node: `a if c else b`, or `switch(c, a, b)`.";
                    self.error(Code::TextForm, start, "The group returns twice.", fix);
                }
                if let Some(value) = &back.value {
                    self.give_back(value, start);
                }
            }
            Stmt::Expr(expression) => self.said(&expression.value),
            Stmt::Pass(_) => {}
            Stmt::If(_) => {
                let fix = "A choice is a node: `switch(c, a, b)`, or `a if c else b`.";
                self.error(Code::TextForm, start, "Tree text has no `if` statement.", fix);
            }
            Stmt::For(_) | Stmt::While(_) => {
                let fix = "Iterate with a zone: `with repeat(iterations=3, …) as (x_in, x_out):`.";
                self.error(
                    Code::TextForm,
                    start,
                    "Tree text has no loops: it is a tree, not a program.",
                    fix,
                );
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                self.error(
                    Code::TextForm,
                    start,
                    "Nothing is imported: all nodes are known.",
                    "Leave the line out.",
                );
            }
            _ => self.error(Code::TextForm, start, "Tree text has no statement of this form.", FORMS),
        }
    }

    fn assignment(&mut self, target: &'p Expr, value: &'p Expr, start: usize) {
        match target {
            Expr::Name(name) => self.assign_name(name.id.as_str(), value),
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Attribute(whole) if is_part(attribute.attr.as_str()) => {
                    self.assign_component(whole, attribute.attr.as_str(), value, start);
                }
                base => self.assign_part(base, attribute.attr.as_str(), value, start),
            },
            Expr::Subscript(subscript) => match constant(&subscript.slice, self.faults) {
                Some(Value::String(_)) | None => {
                    let fix = "Write `x.scale = 2.0`, with the input's name in snake case.";
                    self.error(Code::TextForm, start, "An input is named after a dot.", fix);
                }
                Some(_) => self.error(
                    Code::TextForm,
                    start,
                    "Parts of a vector are not set alone.",
                    "Give the whole vector: (x, y, z).",
                ),
            },
            Expr::Tuple(_) | Expr::List(_) => {
                let fix = "Write `cube = cube()`, and use its outputs as `cube.mesh`.";
                self.error(Code::TextForm, start, "One name is assigned at a time.", fix);
            }
            _ => self.error(Code::TextForm, start, "Nothing of this form can be assigned.", FORMS),
        }
    }

    fn assign_name(&mut self, name: &'p str, value: &'p Expr) {
        if let Some(call) = word_of(value).filter(|(word, _)| *word == "insert") {
            return self.insert(name, call.1);
        }
        if let Some((_, call)) = word_of(value).filter(|(word, _)| *word == "gather") {
            return self.gather(name, call);
        }
        if self.gathered.contains_key(name) {
            return; // said before it was moved
        }
        if self.reused.contains(name) {
            // Each time it is something else: the old value may be in the new one.
            let made = self.value(value, Place::Loose(name));
            self.bindings.insert(name.to_owned(), Binding::Known(made));
            return;
        }
        self.bind(name, value, true);
    }

    /// `x.scale = …`, `x.props = …`, `x.items = …`, `group_output.geometry = …`.
    fn assign_part(&mut self, base: &'p Expr, word: &str, value: &'p Expr, start: usize) {
        if self.gathered_node(base).is_some() {
            return; // said before it was moved
        }
        let known = match base {
            Expr::Name(name) => self.name(name.id.as_str(), at(base)),
            _ => {
                let fix = "Give the node a name first, then write `name.input = …`.";
                return self.error(Code::TextForm, start, "Only inputs of named nodes are set so.", fix);
            }
        };
        let id = match known {
            Val::Node(id) => id,
            Val::Out(output) => output.id,
            Val::Bad => return,
            _ => {
                let fix = "Name a node: `x.scale = 2.0`.";
                return self.error(Code::TextForm, start, "What stands before the dot is not a node.", fix);
            }
        };
        if let Some(made) = self.draft.nodes.get_mut(&id) {
            made.said = true;
        }
        self.set_part(&id, word, value);
        self.tell_feedback(&id, word, start);
    }

    /// A statement that is one expression.
    pub(super) fn said(&mut self, expr: &'p Expr) {
        match expr {
            Expr::Constant(text) => match &text.value {
                Constant::Ellipsis => {}
                Constant::Str(text) if self.closure_ends.is_empty() => self.describe(text),
                _ => self.error(Code::TextForm, at(expr), "The line says nothing about the tree.", FORMS),
            },
            Expr::Call(call) => match word_of(expr) {
                Some((word, _)) if ABOUT_NODES.contains(&word) => self.about(word, call),
                _ => {
                    // A node that nothing names.
                    let name = match &*call.func {
                        Expr::Name(name) => name.id.as_str(),
                        _ => "node",
                    };
                    self.value(expr, Place::Loose(name));
                }
            },
            _ => self.error(Code::TextForm, at(expr), "The line says nothing about the tree.", FORMS),
        }
    }

    /// The description of the group. What only stands in other blanks is the same.
    fn describe(&mut self, text: &str) {
        let present = self.draft.settings.get("description");
        let present = present.or_else(|| self.draft.present?.settings.get("description"));
        let present = present.and_then(Value::as_str).unwrap_or_default();
        if text.trim() != present.trim() {
            self.draft.settings.insert("description".to_owned(), Value::from(text));
        }
    }

    fn about(&mut self, word: &str, call: &'p ExprCall) {
        let (places, form) = match word {
            "label" => (2, "label(x, \"Any text\")"),
            "mute" => (usize::MAX, "mute(a, b)"),
            "ungroup" => (usize::MAX, "ungroup(g)"),
            "unframe" => (usize::MAX, "unframe(a, b)"),
            "cleanup" => (0, "cleanup()"),
            "order" => (usize::MAX, "order(seed, size)"),
            "group_input" => (0, "group_input()"),
            "node" => (1, "node(x, location=(0.0, 20.0))"),
            "settings" => (0, "settings(name=\"Name\")"),
            _ => (usize::MAX, ""),
        };
        match word {
            // Their arguments by name are read one by one.
            "node" | "settings" | "limits" | "panel" | "frame" | "gather" => {
                if let Some(further) = call.args.get(places) {
                    let message = format!("{word}(…) takes {places} arguments without a name.");
                    self.error(Code::TextForm, at(further), message, format!("Write {form}."));
                }
            }
            _ => only(call, word, places, &[], form, self.faults),
        }
        match word {
            "label" => self.label(call),
            "mute" => {
                for id in self.nodes_of(&call.args) {
                    self.draft.set_property(&id, "mute", Value::Bool(true), at(call));
                }
            }
            "frame" => self.frame(call),
            "unframe" => self.unframe(call),
            "limits" => self.limits(call),
            "panel" => self.panel(call, None),
            "order" => self.order_inputs(call),
            "settings" => self.settings(call),
            "node" => self.full(call),
            "group_input" => drop(self.draft.group_end(GROUP_INPUT_TYPE)),
            "cleanup" => self.extra(GnOp::CleanupUnused {}, call),
            "ungroup" => self.ungroup(call),
            _ => self.gather("group", call),
        }
    }
}

fn constant_or_none(value: Option<&Expr>) -> bool {
    value.is_none_or(|value| constant(value, &mut super::fault::Faults::default()).is_some())
}
