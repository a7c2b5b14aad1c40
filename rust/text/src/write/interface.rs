//! The interface of a group: its signature, and the statements about its inputs, outputs and panels.

use geonode_graph::ir::{Item, ItemKind, MAX_NESTED, Side};
use indexmap::IndexMap;
use serde_json::Value;

use super::literals::{list, literal, quote, write};
use super::writer::Writer;
use crate::names::{SocketNames, TOGGLE, TOGGLE_WORD, is_word, read_type, title, write_type};

/// Properties of a tree that only change how it looks, how it is kept, or that the page says elsewhere.
const TREE_LOOK: &[&str] = &[
    "color_tag",
    "default_group_node_width",
    "description",
    "show_modifier_manage_panel",
    "use_fake_user",
];

/// A property of an interface socket that follows from its type.
const CLASS: &str = "bl_socket_idname";

impl Writer<'_, '_> {
    /// `def scatter(geometry: Geometry, count: Int = 100) -> Geometry:`
    pub(super) fn signature(&mut self, function: &str) {
        let mut defaults = false;
        let mut inputs = Vec::new();
        for item in self.side(Side::Input) {
            let Some(word) = self.sheet.variables.parameters().word(&item.identifier) else {
                continue;
            };
            let default = item
                .props
                .get("default_value")
                .map(write)
                .or_else(|| defaults.then(|| filler(&item.socket_type)));
            defaults |= default.is_some();
            let default = default.map(|default| format!(" = {default}")).unwrap_or_default();
            inputs.push(format!("{word}: {}{default}", self.annotation(item).0));
        }
        let outputs: Vec<&Item> = self.side(Side::Output).collect();
        let arrow = match outputs.as_slice() {
            [] => String::new(),
            [one] if self.names_itself(one) => format!(" -> {}", self.annotation(one).0),
            all => {
                let each = all
                    .iter()
                    .map(|item| format!("{}: {}", quote(&item.name), self.annotation(item).0));
                format!(" -> {{{}}}", list(each))
            }
        };
        self.line(0, format!("def {function}({}){arrow}:", list(inputs)));
    }

    fn side(&self, side: Side) -> impl Iterator<Item = &Item> {
        self.sheet
            .tree
            .interface
            .iter()
            .filter(move |item| item.is_socket(side))
    }

    /// Whether an output is named as the reader names one of which only the type is said.
    fn names_itself(&self, item: &Item) -> bool {
        let (text, subtype_said) = self.annotation(item);
        let base = item.socket_type.trim_start_matches("NodeSocket");
        let has_subtype = subtype_said && item.props.get("subtype").is_some_and(|subtype| *subtype != "NONE");
        item.name == if has_subtype { text.as_str() } else { base } && is_word(&text)
    }

    /// The type of an item, and whether that says its subtype too.
    fn annotation(&self, item: &Item) -> (String, bool) {
        let catalogue = self.sheet.names.catalogue();
        let subtype = item
            .props
            .get("subtype")
            .and_then(Value::as_str)
            .filter(|subtype| *subtype != "NONE");
        let leads_back = |text: &String, subtype: Option<&str>| {
            let meant = Some((item.socket_type.clone(), subtype.map(str::to_owned)));
            is_word(text) && read_type(text, catalogue) == meant
        };
        let whole = write_type(&item.socket_type, subtype).filter(|text| leads_back(text, subtype));
        if let Some(whole) = whole {
            return (whole, true);
        }
        let plain = write_type(&item.socket_type, None).filter(|text| leads_back(text, None));
        (plain.unwrap_or_else(|| quote(&item.socket_type)), subtype.is_none())
    }

    /// The description of the group, its name where the function does not tell it, and what else differs from a new tree.
    pub(super) fn settings(&mut self, function: &str) {
        let tree = self.sheet.tree;
        let description = tree
            .settings
            .get("description")
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty());
        if let Some(text) = description {
            self.line(1, quote(text));
        }
        let mut parts: Vec<String> = Vec::new();
        if title(function) != self.sheet.name {
            parts.push(format!("name={}", quote(self.sheet.name)));
        }
        let full = self.sheet.full;
        let said = tree.settings.iter().filter(|(name, _)| {
            *name != "description" && is_word(name) && (full || !TREE_LOOK.contains(&name.as_str()))
        });
        parts.extend(said.map(|(name, value)| format!("{name}={}", write(value))));
        if !parts.is_empty() {
            self.line(1, format!("settings({})", list(parts)));
        }
    }

    /// `limits(count, min=0, max=10)`: what the signature does not say of inputs and outputs. What several share is said of all at once.
    pub(super) fn limits(&mut self) {
        let outputs = SocketNames::new(
            self.side(Side::Output)
                .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
        );
        let sockets = self
            .sheet
            .tree
            .interface
            .iter()
            .filter(|item| item.kind == ItemKind::Socket);
        let said: Vec<(String, Vec<String>, String)> = sockets
            .filter_map(|item| {
                let (own, shared) = self.stated(item);
                Some((self.target(item, &outputs)?, own, list(shared)))
            })
            .collect();
        for line in limit_lines(&said) {
            self.line(1, line);
        }
    }

    /// What there is to say of a socket beyond the signature: what is likely its own, and what others may share.
    fn stated(&self, item: &Item) -> (Vec<String>, Vec<String>) {
        let is_input = item.in_out == Some(Side::Input);
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        let word = self
            .sheet
            .variables
            .parameters()
            .word(&item.identifier)
            .unwrap_or_default();
        if is_input && title(word) != item.name {
            own.push(format!("name={}", quote(&item.name)));
        }
        let (_, says_subtype) = self.annotation(item);
        // In one order, whichever the tree has them in.
        let rank = |name: &str| OWN.iter().position(|own| *own == name).unwrap_or(OWN.len());
        let mut props: Vec<(&String, &Value)> = item.props.iter().collect();
        props.sort_by_key(|(name, _)| (rank(name), name.as_str()));
        for (name, value) in props {
            let (name, is_own) = match name.as_str() {
                "default_value" if is_input => continue,
                TOGGLE if self.is_toggle(item) => continue,
                "subtype" if says_subtype => continue,
                CLASS if !self.sheet.full => continue,
                "default_value" => ("default", true),
                "min_value" => ("min", true),
                "max_value" => ("max", true),
                "description" => ("description", true),
                other => (other, false),
            };
            let list = if is_own { &mut own } else { &mut shared };
            list.push(format!("{name}={}", literal(value).text));
        }
        (own, shared)
    }

    /// How a statement names an item of the interface.
    fn target(&self, item: &Item, outputs: &SocketNames) -> Option<String> {
        match item.in_out {
            Some(Side::Output) => outputs
                .word(&item.identifier)
                .map(|word| format!("group_output.{word}")),
            _ => self
                .sheet
                .variables
                .parameters()
                .word(&item.identifier)
                .map(str::to_owned),
        }
    }

    /// `panel("Shape", a, panel("Inner", b))`.
    pub(super) fn panels(&mut self) {
        let outputs = SocketNames::new(
            self.side(Side::Output)
                .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
        );
        let items = &self.sheet.tree.interface;
        let known = |parent: &Option<String>| {
            items
                .iter()
                .any(|item| item.kind == ItemKind::Panel && Some(&item.identifier) == parent.as_ref())
        };
        let tops = items
            .iter()
            .filter(|item| item.kind == ItemKind::Panel && !known(&item.parent));
        let lines: Vec<String> = tops.map(|panel| self.panel(panel, &outputs, 0)).collect();
        for line in lines {
            self.line(1, line);
        }
    }

    /// Whether an input is the switch in the header of its panel: the first in it.
    fn is_toggle(&self, item: &Item) -> bool {
        let items = &self.sheet.tree.interface;
        let mut beside = items.iter().filter(|other| other.parent == item.parent);
        item.parent.is_some()
            && item.is_socket(Side::Input)
            && item.props.get(TOGGLE) == Some(&Value::Bool(true))
            && beside.next().is_some_and(|first| first.identifier == item.identifier)
    }

    fn panel(&self, panel: &Item, outputs: &SocketNames, depth: usize) -> String {
        let mut parts = vec![quote(&panel.name)];
        let mut toggle = None;
        if depth <= MAX_NESTED {
            let inner = self
                .sheet
                .tree
                .interface
                .iter()
                .filter(|item| item.parent.as_deref() == Some(&panel.identifier));
            let mut inner = inner.peekable();
            let switch = inner.next_if(|first| self.is_toggle(first));
            toggle = switch.and_then(|switch| self.target(switch, outputs));
            parts.extend(inner.filter_map(|item| match item.kind {
                ItemKind::Panel => Some(self.panel(item, outputs, depth + 1)),
                ItemKind::Socket => self.target(item, outputs),
            }));
        }
        parts.extend(toggle.map(|toggle| format!("{TOGGLE_WORD}={toggle}")));
        parts.extend(
            panel
                .props
                .iter()
                .map(|(name, value)| format!("{name}={}", write(value))),
        );
        format!("panel({})", list(parts))
    }
}

/// What is likely a socket's own, in the order of the page.
const OWN: [&str; 4] = ["default_value", "min_value", "max_value", "description"];

/// `limits(…)` lines for sockets, each given as its name on the page, what it alone has, and the rest: what several share is said of all at
/// once, after the others.
pub(super) fn limit_lines(said: &[(String, Vec<String>, String)]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut shared: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (target, _, others) in said.iter().filter(|entry| !entry.2.is_empty()) {
        shared.entry(others).or_default().push(target);
    }
    for (target, own, others) in said {
        let alone = shared.get(others.as_str()).is_some_and(|targets| targets.len() == 1);
        let parts: Vec<String> = own.iter().chain(alone.then_some(others)).cloned().collect();
        if !parts.is_empty() {
            lines.push(format!("limits({target}, {})", list(parts)));
        }
    }
    for (others, targets) in shared.iter().filter(|(_, targets)| targets.len() > 1) {
        lines.push(format!(
            "limits({}, {others})",
            list(targets.iter().map(|target| (*target).to_owned()))
        ));
    }
    lines
}

/// The default of a new socket, where Python wants one since a parameter before has one.
fn filler(socket_type: &str) -> String {
    let text = match socket_type {
        "NodeSocketFloat" => "0.0",
        "NodeSocketInt" => "0",
        "NodeSocketBool" => "False",
        "NodeSocketString" => "\"\"",
        _ => "None",
    };
    text.to_owned()
}
