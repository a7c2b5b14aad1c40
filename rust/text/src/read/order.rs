//! The order of inputs and panels in an edit, and the panels that it empties.

use std::collections::BTreeSet;

use geonode_graph::ir::{Item, ItemKind, Side};
use geonode_protocol::{Code, Severity};
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::Value;

use super::fault::Fault;
use super::interface::GEOMETRY;
use super::reader::Reader;
use super::value::{at, constant};

impl<'p> Reader<'_, '_, 'p> {
    /// `order(seed, size)`: these inputs stand first, in this order, where they are: at the top, or in their panel. A geometry that
    /// stands above all others stays there, since modifiers need it so.
    pub(crate) fn order_inputs(&mut self, call: &'p ExprCall) {
        if !self.edit {
            let fix = "Write the parameters in the order that is wanted.";
            return self.error(Code::TextForm, at(call), "order(…) stands in an edit only.", fix);
        }
        if call.args.iter().any(is_text) {
            return self.order_panels(call);
        }
        let found: Vec<Option<String>> = call.args.iter().map(|arg| self.interface_item(arg)).collect();
        let Some(mut named) = found.into_iter().collect::<Option<Vec<String>>>() else {
            return;
        };
        let item = |identifier: &String| self.draft.interface.iter().find(|item| item.identifier == *identifier);
        let parents: BTreeSet<Option<&str>> = named
            .iter()
            .filter_map(item)
            .map(|item| item.parent.as_deref())
            .collect();
        let inputs_only = named.iter().filter_map(item).all(|item| item.is_socket(Side::Input));
        let once: BTreeSet<&String> = named.iter().collect();
        let (Some(parent), true, true) = (
            parents.first(),
            inputs_only && once.len() == named.len(),
            parents.len() == 1,
        ) else {
            let fix = "Name inputs that stand in the same panel, or in none, each once; panel(\"Shape\", size) puts one into a panel.";
            return self.error(
                Code::TextForm,
                at(call),
                "order(…) is about inputs beside each other.",
                fix,
            );
        };
        let beside = |item: &Item| item.is_socket(Side::Input) && item.parent.as_deref() == *parent;
        let present: Vec<&Item> = self.draft.interface.iter().filter(|item| beside(item)).collect();
        if let Some(first) = present.first()
            && parent.is_none()
            && first.socket_type == GEOMETRY
            && !named.contains(&first.identifier)
        {
            named.insert(0, first.identifier.clone());
        }
        let rest = present.iter().filter(|item| !named.contains(&item.identifier));
        let wanted: Vec<Item> = named
            .iter()
            .filter_map(|identifier| present.iter().find(|item| item.identifier == *identifier))
            .chain(rest)
            .map(|item| (*item).clone())
            .collect();
        let places: Vec<usize> = (0..self.draft.interface.len())
            .filter(|number| self.draft.interface.get(*number).is_some_and(beside))
            .collect();
        for (place, item) in places.into_iter().zip(wanted) {
            if let Some(there) = self.draft.interface.get_mut(place) {
                *there = item;
            }
        }
        self.ordered = true;
    }

    /// `order("Shape", "Look")`: these panels stand first among those beside them, in this order.
    fn order_panels(&mut self, call: &'p ExprCall) {
        let mut chosen: Vec<&Item> = Vec::new();
        for arg in &call.args {
            let name = constant(arg, self.faults);
            let mut panels = self.draft.interface.iter().filter(|item| item.kind == ItemKind::Panel);
            let panel = panels.find(|item| name.as_ref().and_then(Value::as_str) == Some(item.name.as_str()));
            match panel.filter(|panel| {
                chosen
                    .iter()
                    .all(|other| other.parent == panel.parent && other != panel)
            }) {
                Some(panel) => chosen.push(panel),
                None => {
                    let message =
                        "order(…) is about inputs, or about panels, that are there and stand beside each other.";
                    let fix = "Name each once: order(size, count), order(\"Shape\", \"Look\").";
                    return self.error(Code::TextForm, at(arg), message, fix);
                }
            }
        }
        let items = &self.draft.interface;
        let Some(parent) = chosen.first().map(|panel| &panel.parent) else {
            return;
        };
        let mut order: Vec<&str> = chosen.iter().map(|panel| panel.identifier.as_str()).collect();
        let beside = items
            .iter()
            .filter(|item| item.kind == ItemKind::Panel && item.parent == *parent);
        let rest: Vec<&str> = beside.map(|panel| panel.identifier.as_str()).collect();
        order.extend(
            rest.into_iter()
                .filter(|panel| chosen.iter().all(|one| one.identifier != *panel)),
        );
        let panel_of = |item: &Item| order.iter().position(|panel| is_within(items, item, panel));
        let within: Vec<(usize, &Item)> = items.iter().filter_map(|item| Some((panel_of(item)?, item))).collect();
        let mut blocks: Vec<Item> = Vec::with_capacity(within.len());
        for place in 0..order.len() {
            let block = within.iter().filter(|(panel, _)| *panel == place);
            blocks.extend(block.map(|(_, item)| (*item).clone()));
        }
        let first = items
            .iter()
            .position(|item| panel_of(item).is_some())
            .unwrap_or(items.len());
        let mut arranged: Vec<Item> = items.iter().filter(|item| panel_of(item).is_none()).cloned().collect();
        arranged.splice(first.min(arranged.len())..first.min(arranged.len()), blocks);
        self.draft.interface = arranged;
        self.ordered = true;
    }

    /// Says what inputs fed that the edit removes, where nothing else feeds it now.
    pub(crate) fn tell_unfed(&mut self) {
        let mut by_input: Vec<(String, Vec<String>)> = Vec::new();
        for (input, end) in std::mem::take(&mut self.unfed) {
            let is_left = self.draft.node(&end.0).is_some()
                && self.draft.links_into(&end).is_empty()
                && !self.draft.is_written(&end.0, &end.1);
            let sockets = self.draft.sockets(&end.0, Side::Input);
            let socket = sockets.iter().find(|socket| socket.identifier == end.1);
            let Some(socket) = socket.filter(|socket| is_left && socket.available) else {
                continue;
            };
            let place = format!("“{}” of {}", socket.name, self.label_of(&end.0));
            match by_input.iter_mut().find(|(known, _)| *known == input) {
                Some((_, places)) => places.push(place),
                None => by_input.push((input, vec![place])),
            }
        }
        for (input, places) in by_input {
            let message = format!("What “{input}” fed has its own value now: {}.", places.join(", "));
            let fix = "Give it the value that it shall have: node.input = 0.5.";
            self.faults
                .add(Fault::warning(Code::LinkDropped, self.draft.at, message, fix));
        }
    }

    /// A panel goes away with the last of what an edit takes out of it, unless the edit names it.
    pub(crate) fn drop_emptied_panels(&mut self) {
        let Some(present) = self.draft.present else { return };
        let holds = |items: &[Item], panel: &str| items.iter().any(|item| item.parent.as_deref() == Some(panel));
        let mut emptied: Vec<String> = Vec::new();
        // From the inside out: a panel may hold only panels that go.
        while let Some(number) = self.draft.interface.iter().position(|item| {
            item.kind == ItemKind::Panel
                && !self.draft.declared.contains_key(&item.identifier)
                && holds(&present.interface, &item.identifier)
                && !holds(&self.draft.interface, &item.identifier)
        }) {
            emptied.push(self.draft.interface.remove(number).name);
        }
        for name in emptied {
            let message = format!("The panel “{name}” goes away, since nothing is in it any more.");
            let told = Fault::warning(
                Code::Repaired,
                self.draft.at,
                message,
                format!("panel(\"{name}\") keeps it."),
            );
            self.faults.add(Fault {
                severity: Severity::Info,
                ..told
            });
        }
    }
}

fn is_text(arg: &Expr) -> bool {
    matches!(arg, Expr::Constant(constant) if constant.value.is_str())
}

/// Whether it is this panel, or lies in it.
fn is_within(items: &[Item], item: &Item, panel: &str) -> bool {
    let mut at = Some(item);
    for _ in 0..=items.len() {
        let Some(here) = at else { return false };
        if here.identifier == panel {
            return true;
        }
        at = here
            .parent
            .as_ref()
            .and_then(|parent| items.iter().find(|item| item.identifier == *parent));
    }
    false
}
