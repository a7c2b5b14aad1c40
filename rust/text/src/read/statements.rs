//! Statements of a group: assignments, links, zones, closures, what is said about nodes, and what an edit removes.

use geonode_graph::ir::Side;
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
use geonode_protocol::{Code, GnOp, GroupNodes, UngroupNodes};
use rustpython_parser::ast::{Constant, Expr, ExprCall, Stmt};
use serde_json::Value;

use super::arguments::{only, unknown};
use super::reader::{Binding, Place, Reader, is_usable};
use super::value::{Val, at, constant};
use super::zones::zone_of;
use crate::names::LOOK;

const FORMS: &str = "In a group stand assignments, links such as `x.scale = y`, `with repeat(…)`, nested functions, and statements about nodes.";

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
    "panel",
    "settings",
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
        for statement in body {
            self.statement(statement);
        }
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

    fn statement(&mut self, statement: &'p Stmt) {
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
            Expr::Attribute(attribute) => self.assign_part(&attribute.value, attribute.attr.as_str(), value, start),
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
    }

    /// A statement that is one expression.
    fn said(&mut self, expr: &'p Expr) {
        match expr {
            Expr::Constant(text) if matches!(text.value, Constant::Ellipsis) => {}
            Expr::Constant(text) if matches!(text.value, Constant::Str(_)) => {
                let present = self.draft.present.and_then(|tree| tree.settings.get("description"));
                let present = present.and_then(Value::as_str).unwrap_or_default();
                let same = matches!(&text.value, Constant::Str(text) if text.trim() == present.trim());
                if !same {
                    self.unsaid(at(expr), "the description of a group");
                }
            }
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

    fn about(&mut self, word: &str, call: &'p ExprCall) {
        let (places, form) = match word {
            "label" => (2, "label(x, \"Any text\")"),
            "mute" => (usize::MAX, "mute(a, b)"),
            "ungroup" => (usize::MAX, "ungroup(g)"),
            "cleanup" => (0, "cleanup()"),
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
            "frame" => drop(self.value_of_call(call, "frame")),
            "limits" => self.limits(call),
            "panel" => self.panel(call, None),
            "settings" => self.settings(call),
            "node" => self.full(call),
            "group_input" => drop(self.draft.group_end(GROUP_INPUT_TYPE)),
            "cleanup" => self.extra(GnOp::CleanupUnused {}, call),
            "ungroup" => {
                for arg in &call.args {
                    if self.is_gone(arg) {
                        self.note_gone(arg, "nothing is ungrouped");
                        continue;
                    }
                    for id in self.nodes_of(std::slice::from_ref(arg)) {
                        self.extra(GnOp::UngroupNodes(UngroupNodes { id }), call);
                    }
                }
            }
            _ => self.gather("group", call),
        }
    }

    fn value_of_call(&mut self, call: &'p ExprCall, stem: &str) -> Val {
        let made = self.make_called(call, Place::Loose(stem));
        if let Val::Node(id) = &made {
            let id = id.clone();
            self.fill(&id, call);
        }
        made
    }

    /// `label(x, "Any text")`.
    fn label(&mut self, call: &'p ExprCall) {
        let (Some(node), Some(Value::String(text))) = (
            call.args.first(),
            call.args.get(1).and_then(|text| constant(text, self.faults)),
        ) else {
            return self.error(
                Code::TextForm,
                at(call),
                "label(…) needs a node and a text.",
                "Write label(x, \"Any text\").",
            );
        };
        for id in self.nodes_of(std::slice::from_ref(node)) {
            if let Some(made) = self.draft.nodes.get_mut(&id) {
                made.said = true;
                made.places.insert(".label".to_owned(), at(call));
                made.node.label = Some(text.clone()).filter(|text| !text.is_empty());
            }
        }
    }

    /// The IDs of the nodes that expressions name.
    fn nodes_of(&mut self, args: &'p [Expr]) -> Vec<String> {
        let mut ids = Vec::new();
        for arg in args
            .iter()
            .filter(|arg| self.gathered_node(arg).is_none())
            .collect::<Vec<_>>()
        {
            let known = match arg {
                Expr::Name(name) => self.name(name.id.as_str(), at(arg)),
                _ => Val::Default,
            };
            match known {
                Val::Node(id) => ids.push(id),
                Val::Out(output) => ids.push(output.id),
                Val::Bad => {}
                _ => self.error(
                    Code::TextForm,
                    at(arg),
                    "This is not a node.",
                    "Name nodes by their variables.",
                ),
            }
        }
        ids
    }

    /// `settings(name="…", …)`: the name was read before; properties of the tree itself have no operation.
    fn settings(&mut self, call: &'p ExprCall) {
        for keyword in &call.keywords {
            let Some(name) = keyword.arg.as_ref() else {
                unknown(keyword, "settings", "settings(name=\"Name\")", self.faults);
                continue;
            };
            if name.as_str() == "name" {
                if !matches!(constant(&keyword.value, self.faults), Some(Value::String(_))) {
                    let fix = "Write settings(name=\"Name\").";
                    self.error(Code::TextForm, at(keyword), "The name of a group is a text.", fix);
                }
                continue;
            }
            self.unsaid(at(keyword), &format!("the tree's property “{}”", name.as_str()));
        }
    }

    /// `node(x, location=…, …)` of the full form: places and looks stay with Blender; the rest has its ordinary statements.
    fn full(&mut self, call: &'p ExprCall) {
        for id in self.nodes_of(call.args.get(..1).unwrap_or_default()) {
            for keyword in &call.keywords {
                let Some(name) = keyword.arg.as_ref() else { continue };
                match (name.as_str(), constant(&keyword.value, self.faults)) {
                    ("location", Some(Value::Array(parts))) => {
                        if let [Some(x), Some(y)] = [0, 1].map(|part| parts.get(part).and_then(Value::as_f64))
                            && let Some(made) = self.draft.nodes.get_mut(&id)
                        {
                            made.node.location = [x, y];
                            made.places.insert("@location".to_owned(), at(keyword));
                        }
                    }
                    (name, Some(value))
                        if LOOK.contains(&name)
                            && self
                                .draft
                                .kind(&id)
                                .is_some_and(|kind| kind.properties.contains_key(name)) =>
                    {
                        self.draft.set_property(&id, name, value, at(keyword));
                    }
                    (name, _) => self.unsaid(at(keyword), &format!("“{name}” of a node")),
                }
            }
        }
    }

    /// A remark about what the operations of a plan cannot say; the rest of the page holds.
    pub(crate) fn unsaid(&mut self, place: usize, what: &str) {
        let message = format!("A plan cannot set {what} yet; it stays as it is.");
        let fix = "Leave it out; nothing else depends on it.";
        self.faults
            .add(super::fault::Fault::warning(Code::LeftUnchanged, place, message, fix));
    }

    fn extra(&mut self, op: GnOp, call: &'p ExprCall) {
        if !self.edit {
            let fix = "Write it in `with edit(\"Group\"):`.";
            return self.error(Code::TextForm, at(call), "This stands in an edit only.", fix);
        }
        self.extras.push(super::reader::Extra { op, at: at(call) });
    }

    /// `g = gather("Name", a, b)`.
    fn gather(&mut self, name: &str, call: &'p ExprCall) {
        let group = call.args.first().and_then(|name| constant(name, self.faults));
        let Some(group) = group.as_ref().and_then(Value::as_str).map(str::to_owned) else {
            return self.error(
                Code::TextForm,
                at(call),
                "gather(…) needs the name of a group.",
                "Write g = gather(\"Name\", a, b).",
            );
        };
        let members = call.args.get(1..).unwrap_or_default();
        for keyword in &call.keywords {
            unknown(keyword, "gather", "g = gather(\"Name\", a, b)", self.faults);
        }
        let id = self.id_of(name);
        let mut node_ids = Vec::new();
        for member in members {
            match self.gathered_node(member) {
                Some(inside) => node_ids.push(inside.id.clone()),
                None => node_ids.extend(self.nodes_of(std::slice::from_ref(member))),
            }
        }
        let op = GroupNodes {
            id,
            node_group_name: group,
            node_ids,
        };
        self.extra(GnOp::GroupNodes(op), call);
        self.bindings.insert(name.to_owned(), Binding::Known(Val::Bad));
    }

    /// `x = insert(link=(a.points, b.geometry), node=set_position(offset=…))`.
    fn insert(&mut self, name: &'p str, call: &'p ExprCall) {
        let form = "x = insert(link=(a.points, b.geometry), node=set_position(offset=(0.0, 0.0, 1.0)))";
        only(call, "insert", 2, &["link", "node"], form, self.faults);
        let part = |wanted: &str| {
            call.keywords
                .iter()
                .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == wanted))
        };
        let link = part("link").map(|keyword| &keyword.value).or_else(|| call.args.first());
        let node = part("node").map(|keyword| &keyword.value).or_else(|| call.args.get(1));
        let (Some(Expr::Tuple(ends)), Some(node)) = (link, node) else {
            let fix = "Write x = insert(link=(a.points, b.geometry), node=set_position(offset=(0.0, 0.0, 1.0))).";
            return self.error(
                Code::TextForm,
                at(call),
                "insert(…) needs a link, from an output to an input, and a node.",
                fix,
            );
        };
        let [source, Expr::Attribute(target)] = ends.elts.as_slice() else {
            return self.error(
                Code::TextForm,
                at(call),
                "A link is written (output, node.input).",
                "Write link=(a.points, b.geometry).",
            );
        };
        let given = self.value(source, Place::Loose(name));
        let target_node = match &*target.value {
            Expr::Name(word) => self.name(word.id.as_str(), at(&*target.value)),
            _ => Val::Bad,
        };
        let (Some(from), Val::Node(to)) = (self.one_output(given, None), target_node) else {
            return self.error(
                Code::UnknownNode,
                at(call),
                "The link's ends are not nodes of the tree.",
                "Name nodes that exist.",
            );
        };
        let Some((input, _)) = self.input_named(&to, target.attr.as_str(), at(&*target.value)) else {
            return;
        };
        let end = (to.clone(), input.identifier.clone());
        let found = self.draft.links_into(&end).into_iter().find(|number| {
            self.draft
                .link(*number)
                .is_some_and(|wire| wire.from == (from.id.clone(), from.socket.clone()))
        });
        let Some(number) = found else {
            if self.is_inserted(name, &(from.id.clone(), from.socket.clone()), &end) {
                self.bind(name, node, true);
                return;
            }
            let message = format!(
                "No link leads from {} to the input “{}” of {}.",
                self.label_of(&from.id),
                input.name,
                self.label_of(&to)
            );
            return self.error(Code::UnknownSocket, at(call), message, "Name a link that is there.");
        };
        self.bind(name, node, true);
        let Some(Binding::Known(Val::Node(id))) = self.bindings.get(name).cloned() else {
            return;
        };
        let sockets = self.draft.sockets(&id, Side::Input);
        let free = sockets.iter().filter(|socket| is_usable(socket)).find(|socket| {
            let empty = self
                .draft
                .links_into(&(id.clone(), socket.identifier.clone()))
                .is_empty();
            (empty || socket.multi) && self.draft.scope.catalogue.converts(&from.kind, &socket.kind)
        });
        let out = self.output_for(&id, Some(&input.kind));
        match (free, out) {
            (Some(free), Some(out)) => {
                let free = free.identifier.clone();
                // The link keeps its place among others into the same input.
                self.draft.divert(number, (id.clone(), out.socket), at(call));
                self.draft.connect((from.id, from.socket), (id, free), at(call));
            }
            _ => {
                let message = format!("{} does not fit into this link.", self.label_of(&id));
                self.error(
                    Code::IllegalLink,
                    at(call),
                    message,
                    "Insert a node that takes and gives what the link carries.",
                );
            }
        }
    }

    /// `del x`, `del count`, `del group_output.tip`.
    fn delete(&mut self, target: &'p Expr) {
        match target {
            Expr::Tuple(all) => all.elts.iter().for_each(|each| self.delete(each)),
            Expr::Attribute(attribute) if matches!(&*attribute.value, Expr::Name(base) if base.id.as_str() == "group_output") => {
                match self.output_of_group(attribute.attr.as_str()) {
                    Some(identifier) => self.remove_socket(&identifier),
                    None => {
                        let message = format!("The group has no output “{}”; nothing is removed.", attribute.attr);
                        let fix = "Leave the line out if that is meant.";
                        self.faults.add(super::fault::Fault::warning(
                            Code::NothingToRemove,
                            at(target),
                            message,
                            fix,
                        ));
                    }
                }
            }
            Expr::Attribute(attribute) => {
                // A link.
                let known = match &*attribute.value {
                    Expr::Name(name) => self.name(name.id.as_str(), at(target)),
                    _ => Val::Bad,
                };
                if let Val::Node(id) = known
                    && let Some((socket, _)) = self.input_named(&id, attribute.attr.as_str(), at(target))
                {
                    self.cut_all(&(id, socket.identifier));
                }
            }
            Expr::Name(name) => {
                let word = name.id.as_str();
                let node = self
                    .variables
                    .closure_output(word)
                    .or_else(|| self.variables.id(word))
                    .map(str::to_owned);
                let node = node.filter(|id| self.draft.node(id).is_some());
                match node {
                    Some(id) => self.delete_node(&id),
                    None if self.parameters.contains_key(word) => {
                        if let Some(identifier) = self.interface_item(target) {
                            self.remove_socket(&identifier);
                        }
                    }
                    None if self.is_gone(target) => self.note_gone(target, "nothing is removed"),
                    None => drop(self.name(word, at(target))),
                }
            }
            _ => self.error(
                Code::TextForm,
                at(target),
                "Nodes, inputs and outputs are deleted.",
                "Write `del x`.",
            ),
        }
    }

    fn delete_node(&mut self, id: &str) {
        let Some(node) = self.draft.node(id) else { return };
        if matches!(node.kind.as_str(), GROUP_OUTPUT_TYPE) {
            return;
        }
        let pair = node.pair.clone();
        let other = pair.or_else(|| {
            let mut all = self.draft.nodes.values();
            all.find(|made| made.node.pair.as_deref() == Some(id))
                .map(|made| made.node.id.clone())
        });
        self.draft.remove(id);
        if let Some(other) = other {
            self.draft.remove(&other);
        }
    }
}

fn constant_or_none(value: Option<&Expr>) -> bool {
    value.is_none_or(|value| constant(value, &mut super::fault::Faults::default()).is_some())
}

/// The word that is called, and the call.
pub(crate) fn word_of(expr: &Expr) -> Option<(&str, &ExprCall)> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Name(name) = &*call.func else { return None };
    Some((name.id.as_str(), call))
}
