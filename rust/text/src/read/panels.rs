//! Panels: `panel("Shape", a, panel("Inner", b))`.

use geonode_graph::ir::{Item, ItemKind, Map, Side};
use geonode_graph::{is_socket_property, shown};
use geonode_protocol::{Code, Severity};
use rustpython_parser::ast::{Expr, ExprCall, Keyword, Stmt};
use serde_json::Value;

use super::about::word_of;
use super::arguments::unknown;
use super::fault::{Fault, Faults};
use super::reader::Reader;
use super::value::{at, constant};
use crate::names::{TOGGLE, TOGGLE_WORD, title};

const BOOL: &str = "NodeSocketBool";
/// How a panel is written.
const PANEL: &str = "panel(\"Shape\", size, toggle=show, description=\"…\")";

/// Words of inputs that are toggles of panels, with the panels' names: in Blender a toggle has the name of its panel.
fn toggles(panel: &Expr, found: &mut Vec<(String, String)>) {
    let Some((_, call)) = word_of(panel).filter(|(word, _)| *word == "panel") else {
        return;
    };
    let name = call
        .args
        .first()
        .and_then(|name| constant(name, &mut Faults::default()));
    let named = call.keywords.iter().find(|keyword| is_toggle(keyword));
    if let (Some(Value::String(name)), Some(Expr::Name(word))) = (name, named.map(|keyword| &keyword.value)) {
        found.push((word.id.to_string(), name));
    }
    call.args.iter().for_each(|inner| toggles(inner, found));
}

fn is_toggle(keyword: &Keyword) -> bool {
    keyword.arg.as_ref().is_some_and(|name| name.as_str() == TOGGLE_WORD)
}

impl<'p> Reader<'_, '_, 'p> {
    /// Finds which inputs are toggles, before they are declared: they are called as their panels, where this Blender has toggles.
    pub(crate) fn find_toggles(&mut self, body: &'p [Stmt]) {
        let mut found = Vec::new();
        for statement in body {
            match statement {
                Stmt::Expr(alone) => toggles(&alone.value, &mut found),
                Stmt::AnnAssign(declared) => {
                    if let Expr::Name(name) = &*declared.target {
                        self.declares.insert(name.id.to_string());
                    }
                }
                _ => {}
            }
        }
        if is_socket_property(TOGGLE, &self.names.catalogue().blender) {
            self.toggles.extend(found);
        }
    }

    /// The name of a new input with this word.
    pub(super) fn name_of_input(&self, word: &str) -> String {
        self.toggles.get(word).cloned().unwrap_or_else(|| title(word))
    }

    /// `panel("Shape", a, panel("Inner", b), …)`: returns the identifiers of what is in it.
    pub(crate) fn panel(&mut self, call: &'p ExprCall, parent: Option<&str>) {
        let name = call.args.first().and_then(|name| constant(name, self.faults));
        if name == Some(Value::Null) {
            return self.out_of_panels(call);
        }
        let Some(name) = name.as_ref().and_then(Value::as_str) else {
            self.error(
                Code::TextForm,
                at(call),
                "A panel needs a name.",
                "Write panel(\"Shape\", size, count).",
            );
            return;
        };
        let mut panels = self.draft.interface.iter().filter(|item| item.kind == ItemKind::Panel);
        let known = panels
            .find(|item| item.name == name && item.parent.as_deref() == parent)
            .map(|item| item.identifier.clone());
        let taken = |item: &Item| {
            let mut known = self.draft.interface.iter();
            known.any(|other| other.identifier == item.identifier)
        };
        let present = self
            .draft
            .present
            .map(|tree| tree.interface.as_slice())
            .unwrap_or_default();
        let free = || {
            let panels = present
                .iter()
                .filter(|item| item.kind == ItemKind::Panel && item.name == name);
            panels.filter(|item| !taken(item))
        };
        let before = free()
            .find(|item| item.parent.as_deref() == parent)
            .or_else(|| free().next());
        let before = before.map(|item| item.identifier.clone());
        let identifier = match known {
            Some(known) => {
                self.draft.declared.entry(known.clone()).or_insert(at(call));
                known
            }
            None => {
                let identifier = before.unwrap_or_else(|| self.draft.next_key());
                let item = Item {
                    kind: ItemKind::Panel,
                    identifier: identifier.clone(),
                    name: name.to_owned(),
                    in_out: None,
                    socket_type: String::new(),
                    parent: parent.map(str::to_owned),
                    props: Map::new(),
                };
                self.declare(item, at(call));
                identifier
            }
        };
        let described = keyword_values(self, call.keywords.iter().filter(|keyword| !is_toggle(keyword)));
        if let Some(item) = self
            .draft
            .interface
            .iter_mut()
            .find(|item| item.identifier == identifier)
        {
            item.props.extend(described);
        }
        let before = self.inside(&identifier);
        let mut named: Vec<String> = Vec::new();
        for inner in call.args.iter().skip(1) {
            if let Expr::Call(inner) = inner
                && matches!(&*inner.func, Expr::Name(name) if name.id.as_str() == "panel")
            {
                self.panel(inner, Some(&identifier));
                continue;
            }
            if let Some(socket) = self.interface_item(inner)
                && let Some(item) = self.draft.interface.iter_mut().find(|item| item.identifier == socket)
            {
                item.parent = Some(identifier.clone());
                named.push(socket);
            }
        }
        if self.edit {
            self.order_panel(&identifier, &before, &named);
        }
        for keyword in call.keywords.iter().filter(|keyword| is_toggle(keyword)) {
            self.toggle(&identifier, &keyword.value);
        }
    }

    /// Identifiers of the sockets in a panel, in their order.
    fn inside(&self, panel: &str) -> Vec<String> {
        let items = self.draft.interface.iter();
        let inside = items.filter(|item| is_socket_in(item, panel));
        inside.map(|item| item.identifier.clone()).collect()
    }

    /// Gives the sockets of a panel the order in which an edit names them. Those that it does not name keep their places, and one that
    /// comes in stands behind the one that is named before it.
    fn order_panel(&mut self, panel: &str, before: &[String], named: &[String]) {
        // An inner panel may have taken some over.
        let inside = self.inside(panel);
        let mut known = named.iter().filter(|socket| before.contains(socket));
        let mut order: Vec<&String> = before
            .iter()
            .filter(|socket| inside.contains(socket))
            .map(|socket| {
                if named.contains(socket) {
                    known.next().unwrap_or(socket)
                } else {
                    socket
                }
            })
            .collect();
        for (number, socket) in named.iter().enumerate() {
            if order.contains(&socket) {
                continue;
            }
            let place = |socket: Option<&String>| order.iter().position(|other| Some(*other) == socket);
            let behind = number.checked_sub(1).and_then(|last| place(named.get(last)));
            let ahead = || named.iter().skip(number).find_map(|next| place(Some(next)));
            let place = behind.map(|last| last + 1).or_else(ahead).unwrap_or(order.len());
            order.insert(place, socket);
        }
        if inside.iter().eq(order.iter().copied()) {
            return;
        }
        let wanted: Vec<Item> = order
            .into_iter()
            .filter_map(|socket| {
                self.draft
                    .interface
                    .iter()
                    .find(|item| item.identifier == *socket)
                    .cloned()
            })
            .collect();
        let places = self.draft.interface.iter_mut().filter(|item| is_socket_in(item, panel));
        for (place, item) in places.zip(wanted) {
            *place = item;
        }
        self.ordered = true;
    }

    /// `panel("Rocks", size, toggle=show)`: the Bool input in the panel's header switches it. It stands first in the panel.
    fn toggle(&mut self, panel: &str, value: &'p Expr) {
        let is_inside = |item: &Item| item.parent.as_deref() == Some(panel);
        if matches!(
            constant(value, &mut Faults::default()),
            Some(Value::Null | Value::Bool(false))
        ) {
            for item in self.draft.interface.iter_mut().filter(|item| is_inside(item)) {
                if item.props.contains_key(TOGGLE) {
                    item.props.insert(TOGGLE.to_owned(), false.into());
                }
            }
            return;
        }
        let Expr::Name(word) = value else {
            let message = "The toggle of a panel is a Bool input.";
            let fix = format!("Declare one, and write {PANEL}; toggle=None takes it away.");
            return self.error(Code::TextForm, at(value), message, fix);
        };
        let Some(socket) = self.interface_item(value) else {
            return;
        };
        let place = self.draft.interface.iter().position(|item| item.identifier == socket);
        let Some(mut item) = place.map(|place| self.draft.interface.remove(place)) else {
            return;
        };
        if item.socket_type != BOOL {
            let message = format!("“{}” is no Bool, so it cannot be the toggle of a panel.", item.name);
            let fix = format!("Declare an input of the type Bool, and write {PANEL}.");
            self.error(Code::SocketTypeMismatch, at(value), message, fix);
        }
        if let Some(name) = self.toggles.get(word.id.as_str()) {
            if self
                .draft
                .present
                .is_some_and(|tree| tree.interface.iter().any(|old| old.identifier == item.identifier))
                && item.name != *name
            {
                let message = format!(
                    "“{}” is called “{name}” now: a toggle has the name of its panel.",
                    item.name
                );
                let told = Fault::warning(Code::Repaired, at(value), message, "");
                self.faults.add(Fault {
                    severity: Severity::Info,
                    ..told
                });
            }
            item.name.clone_from(name);
        }
        item.parent = Some(panel.to_owned());
        item.props.insert(TOGGLE.to_owned(), true.into());
        let others = self.draft.interface.iter_mut().filter(|other| is_inside(other));
        for other in others.filter(|other| other.props.contains_key(TOGGLE)) {
            other.props.insert(TOGGLE.to_owned(), false.into());
        }
        let inputs = |other: &Item| is_inside(other) && other.is_socket(Side::Input);
        let first = self.draft.interface.iter().position(inputs);
        let place = first.unwrap_or(self.draft.interface.len());
        self.draft.declared.insert(item.identifier.clone(), at(value));
        self.draft.interface.insert(place, item);
        self.ordered = true;
    }

    /// `panel(None, a)`: sockets leave their panel.
    fn out_of_panels(&mut self, call: &'p ExprCall) {
        for keyword in &call.keywords {
            unknown(keyword, "panel", "panel(None, size)", self.faults);
        }
        for inner in call.args.iter().skip(1) {
            let Some(socket) = self.interface_item(inner) else {
                continue;
            };
            let mut items = self.draft.interface.iter_mut();
            let Some(item) = items.find(|item| item.identifier == socket) else {
                continue;
            };
            if item.parent.take().is_none() {
                let message = format!("“{}” stands in no panel; nothing is changed.", item.name);
                let fix = "order(seed, size) changes the order of inputs.";
                self.faults
                    .add(Fault::warning(Code::NothingToRemove, at(inner), message, fix));
            }
        }
    }

    /// Puts panels where the first of what is in them stands, below the sockets beside them, as Blender shows them.
    pub(crate) fn arrange(&mut self) {
        if !self.draft.interface.iter().any(|item| item.kind == ItemKind::Panel) {
            return;
        }
        let items = std::mem::take(&mut self.draft.interface);
        let mut placed = vec![false; items.len()];
        // The outermost panel that contains each item comes first.
        let tops: Vec<usize> = (0..items.len()).map(|number| outermost(&items, number)).collect();
        let has_input = |top: usize| {
            let mut within = items.iter().zip(&tops);
            within.any(|(item, own)| *own == top && item.is_socket(Side::Input))
        };
        for (number, top) in tops.iter().copied().enumerate() {
            // Outputs are told before all inputs, so where a panel has both, its inputs say where it stands.
            let is_output = items.get(number).is_some_and(|item| item.is_socket(Side::Output));
            if is_output && top != number && has_input(top) {
                continue;
            }
            let is_panel = items.get(number).is_some_and(|item| item.kind == ItemKind::Panel);
            if !(is_panel && top == number && placed.iter().any(|placed| !placed) && has_content(&items, number)) {
                self.place(&items, top, &mut placed, 0);
            }
        }
        for number in 0..items.len() {
            self.place(&items, number, &mut placed, 0);
        }
        self.draft.interface = shown(&self.draft.interface);
    }

    pub(super) fn place(&mut self, items: &[Item], number: usize, placed: &mut [bool], depth: usize) {
        let Some(item) = items.get(number) else { return };
        if depth > geonode_graph::ir::MAX_NESTED || std::mem::replace(placed.get_mut(number).unwrap_or(&mut true), true)
        {
            return;
        }
        self.draft.interface.push(item.clone());
        if item.kind == ItemKind::Panel {
            for (inner, other) in items.iter().enumerate() {
                if other.parent.as_deref() == Some(&item.identifier) {
                    self.place(items, inner, placed, depth + 1);
                }
            }
        }
    }
}

/// The constants of keywords by name.
fn keyword_values<'k>(
    reader: &mut Reader<'_, '_, '_>,
    keywords: impl Iterator<Item = &'k Keyword>,
) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for keyword in keywords {
        match (keyword.arg.as_ref(), constant(&keyword.value, reader.faults)) {
            (Some(name), Some(value)) => all.push((name.to_string(), value)),
            (None, _) => unknown(keyword, "panel", PANEL, reader.faults),
            (Some(name), None) => {
                let message = format!("The property “{name}” of a panel is a constant.");
                reader.error(Code::TextForm, at(keyword), message, format!("Write {PANEL}."));
            }
        }
    }
    all
}

/// The place of the outermost panel around an item; its own where it is in none.
fn outermost(items: &[Item], number: usize) -> usize {
    let mut top = number;
    for _ in 0..items.len() {
        let parent = items.get(top).and_then(|item| item.parent.as_deref());
        match parent.and_then(|parent| items.iter().position(|item| item.identifier == parent)) {
            Some(above) => top = above,
            None => break,
        }
    }
    top
}

fn is_socket_in(item: &Item, panel: &str) -> bool {
    item.kind == ItemKind::Socket && item.parent.as_deref() == Some(panel)
}

fn has_content(items: &[Item], panel: usize) -> bool {
    let identifier = items.get(panel).map(|item| item.identifier.as_str());
    items
        .iter()
        .any(|item| item.parent.is_some() && item.parent.as_deref() == identifier)
}
