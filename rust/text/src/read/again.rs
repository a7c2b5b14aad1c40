//! An edit that was carried out before: what it removed is not there, what it inserted stands in its link, and what it gathered is in the
//! group. Read again, it changes nothing.

use foldhash::HashSet;
use geonode_graph::did_you_mean;
use geonode_graph::sockets::GROUP_OUTPUT_TYPE;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Stmt};

use super::about::word_of;
use super::draft::End;
use super::fault::Fault;
use super::reader::Reader;
use super::value::{Gathered, Output, at, constant};
use crate::names::Variables;

impl<'p> Reader<'_, '_, 'p> {
    /// Whether an expression is a name that means nothing: in an edit, of what an earlier run of the same page took away.
    pub(crate) fn is_gone(&self, expr: &Expr) -> bool {
        let Expr::Name(name) = expr else { return false };
        let word = name.id.as_str();
        let id = self.variables.closure_output(word).or_else(|| self.variables.id(word));
        self.edit
            && !self.bindings.contains_key(word)
            && !self.gathered.contains_key(word)
            && !self.reused.contains(word)
            && !self.parameters.contains_key(word)
            && !self.is_refused(word)
            && !matches!(word, "default" | "group_input" | "group_output")
            && id.is_none_or(|id| self.draft.node(id).is_none())
            && self.draft.node(word).is_none()
    }

    /// Whether a word is an end of a zone that went with its other end.
    pub(crate) fn is_other_end(&self, word: &str) -> bool {
        let id = self.variables.id(word).unwrap_or(word);
        self.other_ends.contains(id)
    }

    pub(crate) fn note_gone(&mut self, expr: &Expr, so: &str) {
        let Expr::Name(name) = expr else { return };
        let word = name.id.as_str();
        let message = format!("There is no “{word}”; {so}.");
        let present = self.draft.nodes.keys().filter_map(|id| self.variables.variable(id));
        let fix = did_you_mean(word, present).unwrap_or_else(|| "Leave the line out if that is meant.".to_owned());
        self.faults
            .add(Fault::warning(Code::NothingToRemove, at(expr), message, fix));
    }

    /// Finds what `g = gather("Name", a, b)` moved into its group before.
    pub(crate) fn find_gathered(&mut self, body: &'p [Stmt]) {
        for statement in body.iter().filter(|_| self.edit).collect::<Vec<_>>() {
            let (name, value) = match statement {
                Stmt::Assign(assign) => match assign.targets.as_slice() {
                    [Expr::Name(name)] => (name.id.as_str(), &*assign.value),
                    _ => continue,
                },
                Stmt::Expr(alone) => ("group", &*alone.value),
                _ => continue,
            };
            let Some((_, call)) = word_of(value).filter(|(word, _)| *word == "gather") else {
                continue;
            };
            let group = call.args.first().and_then(|group| constant(group, self.faults));
            let node = self.id_of(name);
            let Some(group) = group.as_ref().and_then(|group| group.as_str()) else {
                continue;
            };
            if self.draft.node(&node).and_then(|node| node.group()) != Some(group) {
                continue;
            }
            let Some(tree) = self.draft.scope.trees.get(group) else {
                continue;
            };
            let variables = Variables::new(tree, self.names.catalogue());
            for member in call
                .args
                .iter()
                .skip(1)
                .filter(|member| self.is_gone(member))
                .collect::<Vec<_>>()
            {
                let Expr::Name(member) = member else { continue };
                let word = member.id.as_str();
                let Some(id) = variables.closure_output(word).or_else(|| variables.id(word)) else {
                    continue;
                };
                let ends: HashSet<&str> = tree
                    .nodes
                    .iter()
                    .filter(|node| node.kind == GROUP_OUTPUT_TYPE)
                    .map(|node| node.id.as_str())
                    .collect();
                let fed = tree
                    .links
                    .iter()
                    .find(|link| link.from.0 == id && ends.contains(link.to.0.as_str()));
                let item = fed.and_then(|link| tree.interface.iter().find(|item| item.identifier == link.to.1));
                let output = item.map(|item| Output {
                    id: node.clone(),
                    socket: item.identifier.clone(),
                    kind: item.socket_type.clone(),
                });
                self.gathered.insert(
                    word.to_owned(),
                    Gathered {
                        id: id.to_owned(),
                        output,
                    },
                );
            }
        }
    }

    /// The node that an expression names, if an earlier run of the page moved it into a group.
    pub(crate) fn gathered_node(&self, expr: &Expr) -> Option<&Gathered> {
        let Expr::Name(name) = expr else { return None };
        self.gathered.get(name.id.as_str())
    }

    /// Whether the node of this name stands in the link already, alone or with others.
    pub(crate) fn is_inserted(&self, name: &str, from: &End, to: &End) -> bool {
        let id = self.id_of(name);
        let mut before = self.draft.links().filter(|(_, wire)| wire.to.0 == id);
        if !self.edit || !before.any(|(_, wire)| wire.from == *from) {
            return false;
        }
        let into = self.draft.links_into(to).into_iter();
        let mut open: Vec<&str> = into
            .filter_map(|number| Some(self.draft.link(number)?.from.0.as_str()))
            .collect();
        let mut seen: HashSet<&str> = open.iter().copied().collect();
        while let Some(one) = open.pop() {
            if one == id {
                return true;
            }
            let feeding = self.draft.links().filter(|(_, wire)| wire.to.0 == one);
            open.extend(
                feeding
                    .map(|(_, wire)| wire.from.0.as_str())
                    .filter(|from| seen.insert(from)),
            );
        }
        false
    }
}
