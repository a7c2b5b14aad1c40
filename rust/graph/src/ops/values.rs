//! Setting inputs and properties.

use geonode_protocol::{self as plan, Change, Code, Hint, SetProperty};
use serde_json::{Value, json};

use super::nodes::{reserve_first, set_or_clear};
use super::operation::{Before, Mention, Operation, short};
use super::work::{By, Text, Work, text};
use crate::catalogue::{NodeType, Property, Socket, fold};
use crate::ir::{Side, Tree};
use crate::menus::MENU;
use crate::near::nearest;
use crate::renames;
use crate::sink::escape;
use crate::sockets::held_by_output;
use crate::values::{Kind, ValueError, Want, menu_items, same, translate};

/// Sets the value of an input; a link on it stays.
#[derive(Clone, Copy)]
pub(super) struct SetInput<'p> {
    id: Text<'p>,
    socket: Text<'p>,
    by: By,
    value: &'p Value,
}

impl<'p> From<&'p plan::SetInputDefault> for SetInput<'p> {
    fn from(op: &'p plan::SetInputDefault) -> Self {
        Self {
            id: text(&op.node_id, "node_id"),
            socket: text(&op.socket, "socket"),
            by: By::Any,
            value: &op.value,
        }
    }
}

impl<'p> From<&'p plan::SetInput> for SetInput<'p> {
    fn from(op: &'p plan::SetInput) -> Self {
        let (socket, by) = match (&op.socket_identifier, &op.socket_name) {
            (Some(identifier), _) => (text(identifier, "socket_identifier"), By::Identifier),
            (None, name) => (text(name.as_deref().unwrap_or_default(), "socket_name"), By::Name),
        };
        Self {
            id: text(&op.node_id, "node_id"),
            socket,
            by,
            value: &op.value,
        }
    }
}

impl<'p> Operation<'p> for SetInput<'p> {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.set_input(*self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        set(self.socket.text, self.id.text, self.value)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(self.id.text)]
    }
}

impl<'p> Operation<'p> for &'p SetProperty {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.set_property(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        set(&self.property, &self.node_id, &self.value)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        let group = self.value.get("node_group").and_then(Value::as_str);
        let group = group.map(Mention::NodeGroup);
        [Mention::Node(&self.node_id)].into_iter().chain(group).collect()
    }
}

fn set(what: &str, of: &str, to: &Value) -> String {
    format!("Set {what} of “{of}” to {}", short(to))
}

impl Work<'_> {
    fn set_input(&mut self, op: SetInput<'_>) {
        let SetInput { id, socket, by, value } = op;
        let id = self.end_with_input(id, socket.text);
        let id = Text {
            text: &id.0,
            field: id.1,
        };
        let Some(node_id) = self.resolve_node(id) else { return };
        if self.input_is_a_property_here(&node_id, socket, value) {
            return;
        }
        if let Some(output) = self.stored_output(&node_id, socket.text) {
            self.put_output(&node_id, &output, value, "value");
            return;
        }
        let Some(found) = self.resolve_socket(&node_id, socket, Side::Input, by) else {
            return;
        };
        self.put_input(&node_id, &found, value, "value");
    }

    /// The node of a zone that alone has the input, where the ID is that of the zone: a certain repair.
    fn end_with_input(&mut self, id: Text<'_>, socket: &str) -> (String, &'static str) {
        let has = |end: &String| {
            let node = self.model.node(end);
            let sockets = node.map(|node| self.scope.sockets(&self.model, node, Side::Input));
            let mut all = sockets.iter().flat_map(|all| all.iter());
            all.any(|one| one.available && (one.name == socket || one.identifier == socket))
        };
        let end = self
            .is_zone(id.text)
            .then(|| {
                only(
                    [".in", ".out"]
                        .map(|end| format!("{}{end}", id.text))
                        .into_iter()
                        .filter(has),
                )
            })
            .flatten();
        if let Some(end) = end {
            let message = format!(
                "“{}” was taken to mean “{end}”, the end of the zone with this input",
                id.text
            );
            let path = self.sink.at(id.field);
            self.sink.repaired(path, Value::from(end.clone()), message);
            return (end, id.field);
        }
        (id.text.to_owned(), id.field)
    }

    fn put_input(&mut self, node_id: &str, socket: &Socket, value: &Value, field: &str) {
        if socket.kind == "NodeSocketMatrix" {
            let path = self.sink.at(field);
            let message = format!("the input “{}” of “{node_id}” has no value of its own", socket.name);
            let hint = Hint::explain("Combine Transform and Combine Matrix make one that can be linked to it");
            self.sink.error(Code::InvalidValue, path, message, Some(hint));
            return;
        }
        let socket = &self.with_entries(node_id, socket);
        let Some(fitted) = self.fit(&Want::socket(socket), value, field) else {
            return;
        };
        // The menu of a new node with entries of its own stands at none of those of the catalogue.
        let own_menu = socket.kind == MENU
            && self.model.is_new(node_id)
            && self.model.node(node_id).is_some_and(|node| !node.items.is_empty());
        let fresh = !own_menu && socket.default.as_ref().is_some_and(|default| same(default, &fitted));
        if let Some(node) = self.model.node_mut(node_id) {
            reserve_first(&mut node.inputs);
            let entry = node.inputs.entry(socket.identifier.clone()).or_default();
            set_or_clear(entry, "value", fitted, fresh);
        }
    }

    /// The output of this name whose value the node holds: that of a Value node, which has neither inputs nor properties.
    fn stored_output(&self, id: &str, name: &str) -> Option<Socket> {
        let node = self.model.node(id)?;
        held_by_output(&node.kind)?;
        let outputs = self.scope.sockets(&self.model, node, Side::Output);
        let wanted = fold(name);
        let mut named = outputs.iter();
        named
            .find(|socket| fold(&socket.name) == wanted || fold(&socket.identifier) == wanted)
            .cloned()
    }

    fn put_output(&mut self, id: &str, socket: &Socket, value: &Value, field: &str) {
        let Some(fitted) = self.fit(&Want::socket(socket), value, field) else {
            return;
        };
        if let Some(node) = self.model.node_mut(id) {
            let fresh = held_by_output(&node.kind).is_some_and(|default| same(&default, &fitted));
            reserve_first(&mut node.outputs);
            let entry = node.outputs.entry(socket.identifier.clone()).or_default();
            set_or_clear(entry, "value", fitted, fresh);
        }
    }

    fn set_property(&mut self, op: &SetProperty) {
        let Some(node_id) = self.resolve_node(text(&op.node_id, "node_id")) else {
            return;
        };
        if matches!(op.property.as_str(), "label" | "name") {
            let Value::String(text) = &op.value else {
                let expected = "a text".into();
                let got = op.value.to_string();
                return self.report_value(&ValueError::WrongType { expected, got }, "value");
            };
            if op.property == "name" {
                self.rename_node(&node_id, text);
            } else if let Some(node) = self.model.node_mut(&node_id) {
                node.label = Some(text.clone()).filter(|text| !text.is_empty());
            }
            return;
        }
        let known = self
            .model
            .node(&node_id)
            .and_then(|node| self.scope.node_type(node))
            .is_some_and(|kind| kind.properties.contains_key(&op.property));
        // A wrong value is reported at the value; a wrong name at `property`.
        let field = if known { "value" } else { "property" };
        self.put_property(&node_id, &op.property, &op.value, field);
    }

    /// Finds the property or input that is meant: Blender 5 turned many properties into inputs.
    pub(crate) fn guess_property<'k>(
        &mut self,
        id: &str,
        kind: &'k NodeType,
        name: &str,
        value: &Value,
        field: &str,
    ) -> Option<(&'k String, &'k Property)> {
        let path = self.sink.at(field);
        let wanted = fold(name);
        let mut hits = kind
            .properties
            .iter()
            .filter(|(key, p)| fold(key) == wanted || fold(&p.label) == wanted);
        if let (Some(hit), None) = (hits.next(), hits.next()) {
            let message = format!("the property “{name}” was taken to mean “{}”", hit.0);
            self.sink.warn(Code::Repaired, path, message);
            return Some(hit);
        }
        if let Some((socket, value)) = self.input_for(id, name, value) {
            let message = format!(
                "in Blender {} the property “{name}” is the input “{}”; it was set to {value}",
                self.scope.catalogue.blender, socket.name
            );
            self.sink.translated(path, message);
            self.put_input(id, &socket, &value, field);
            return None;
        }
        let name_of_value = if wanted == "defaultvalue" { "value" } else { name };
        if let Some(socket) = self.stored_output(id, name_of_value) {
            let message = format!(
                "the property “{name}” was taken to mean the value of the output “{}”",
                socket.name
            );
            self.sink.warn(Code::Repaired, path, message);
            self.put_output(id, &socket, value, field);
            return None;
        }
        let near = nearest(name, kind.properties.keys().map(String::as_str));
        let hint = match (self.menu_with(id, value, field), near) {
            (Some(hint), _) => hint,
            (None, Some(near)) => self.renamed_field(field, name, &near, value),
            (None, None) => Hint::explain(self.settable(id, kind)),
        };
        let message = format!("{} has no property “{name}”", kind.label);
        self.sink.error(Code::UnknownProperty, path, message, Some(hint));
        None
    }

    /// Proposes another name for a property: the value of `field`, or the last part of it where the name is that of a field.
    pub(super) fn renamed_field(&self, field: &str, name: &str, near: &str, value: &Value) -> Hint {
        let hint = self.sink.near(field, near);
        match field.strip_suffix(escape(name).as_str()) {
            Some(above) if !above.is_empty() => {
                let new = Change::add(self.sink.at(&format!("{above}{}", escape(near))), value.clone());
                Hint::changes(
                    format!("did you mean “{near}”?"),
                    [Change::remove(self.sink.at(field)), new],
                )
            }
            _ => hint,
        }
    }

    /// What can be set at a node besides its other inputs: its properties and its menus with their items.
    fn settable(&self, id: &str, kind: &NodeType) -> String {
        let properties: Vec<&str> = kind.properties.keys().map(String::as_str).collect();
        let node = self.model.node(id);
        let inputs = node.map(|node| self.scope.sockets(&self.model, node, Side::Input));
        let menus = inputs.iter().flat_map(|inputs| inputs.iter());
        let menus: Vec<String> = menus
            .filter(|input| input.available && input.kind == MENU && !input.items.is_empty())
            .map(|input| {
                let items: Vec<&str> = menu_items(&input.items).into_iter().map(|(item, _)| item).collect();
                format!("{} ({})", input.name, items.join(", "))
            })
            .collect();
        match (properties.as_slice(), menus.as_slice()) {
            ([], []) => "it has no properties".to_owned(),
            ([], menus) => format!("it has no properties; its inputs with items are: {}", menus.join(", ")),
            (properties, []) => format!("it has: {}", properties.join(", ")),
            (properties, menus) => format!(
                "it has: {}; its inputs with items are: {}",
                properties.join(", "),
                menus.join(", ")
            ),
        }
    }

    /// Proposes the only menu that has the item which an unknown property is set to.
    fn menu_with(&self, id: &str, value: &Value, field: &str) -> Option<Hint> {
        let text = value.as_str()?;
        let node = self.model.node(id).filter(|_| field == "property")?;
        let inputs = self.scope.sockets(&self.model, node, Side::Input);
        let menus = inputs.iter().filter(|input| input.available && input.kind == MENU);
        let (input, item) = only(menus.filter_map(|input| Some((input, menu_item(input, text)?))))?;
        let words = format!("its input “{}” has the item “{item}”", input.name);
        let set = if self.implicit_group_io {
            json!({"op": "set_input_default", "node_id": id, "socket": input.identifier, "value": item})
        } else {
            json!({"op": "set_input", "node_id": id, "socket_identifier": input.identifier, "value": item})
        };
        Some(self.sink.instead(words, set))
    }

    /// The input that replaced this property of an older Blender, and its value.
    fn input_for(&self, id: &str, name: &str, value: &Value) -> Option<(Socket, Value)> {
        let node = self.model.node(id)?;
        let sockets = self.scope.sockets(&self.model, node, Side::Input);
        let wanted = fold(renames::input_of(&node.kind, name).unwrap_or(name));
        let socket = sockets
            .iter()
            .find(|s| s.available && (fold(&s.name) == wanted || fold(&s.identifier) == wanted))
            .filter(|_| !wanted.is_empty())?;
        let value = match value.as_str().and_then(|text| menu_item(socket, text)) {
            Some(item) => Value::from(item),
            None => value.clone(),
        };
        Some((socket.clone(), value))
    }

    /// The other way round: a plan for a newer Blender sets an input that is a property here.
    fn input_is_a_property_here(&mut self, id: &str, socket: Text<'_>, value: &Value) -> bool {
        let Some(node) = self.model.node(id) else { return false };
        let sockets = self.scope.sockets(&self.model, node, Side::Input);
        if sockets
            .iter()
            .any(|s| s.identifier == socket.text || s.name == socket.text)
        {
            return false;
        }
        let Some(kind) = self.scope.node_type(node) else {
            return false;
        };
        let item = |property: &Property| match Want::property(property).kind {
            Kind::Enum(items) => Some(Value::from(translate(value.as_str()?, &items)?)),
            _ => None,
        };
        let wanted = fold(renames::property_of(&node.kind, socket.text).unwrap_or(socket.text));
        let hit = kind
            .properties
            .iter()
            .find(|(key, property)| fold(key) == wanted || fold(&property.label) == wanted)
            .filter(|_| !wanted.is_empty())
            .map(|(name, property)| (name, item(property).unwrap_or_else(|| value.clone())));
        let Some((name, value)) = hit else { return false };
        let path = self.sink.at(socket.field);
        let message = format!(
            "in Blender {} the input “{}” is the property “{name}”; it was set to {value}",
            self.scope.catalogue.blender, socket.text
        );
        self.sink.translated(path, message);
        let name = name.clone();
        self.put_property(id, &name, &value, "value");
        true
    }

    /// Fits a value; repairs and refusals are reported at `field`.
    pub(crate) fn fit(&mut self, want: &Want<'_>, value: &Value, field: &str) -> Option<Value> {
        match want.fit(value, self.document) {
            Ok(fitted) => {
                if let Some(how) = fitted.repair {
                    let path = self.sink.at(field);
                    self.sink.repaired(path, fitted.value.clone(), how);
                }
                Some(fitted.value)
            }
            Err(error) => {
                self.report_value(&error, field);
                None
            }
        }
    }

    pub(crate) fn report_value(&mut self, error: &ValueError, field: &str) {
        let (code, hint) = match error {
            ValueError::WrongType { .. } => (Code::WrongType, None),
            ValueError::OutOfRange { nearest, .. } => {
                let proposed = nearest.as_ref().map(|near| {
                    let text = format!("the nearest value that it takes is {near}");
                    Hint::change(text, Change::replace(self.sink.at(field), near.clone()))
                });
                (Code::OutOfRange, proposed)
            }
            ValueError::UnknownItem { near, .. } => (
                Code::InvalidEnum,
                near.as_ref().map(|near| self.sink.near(field, near.as_str())),
            ),
            ValueError::UnknownDataBlock { kind, name, .. }
                if self.scripts.iter().any(|code| code.contains(name.as_str())) =>
            {
                let text = format!(
                    "the script before has not run when this is checked: let the tree come first, with an input for the {kind}, \
                     and the script after it make the {kind} and set the modifier's input"
                );
                (Code::UnknownDataBlock, Some(Hint::explain(text)))
            }
            ValueError::UnknownDataBlock { kind, name, near } => {
                let made = (kind == "material")
                    .then(|| format!("a page makes one that is new: data.material(\"{name}\", color=(1.0, 0.0, 0.0))"));
                let proposed = near.as_ref().map(|near| {
                    let change = Change::replace(self.sink.at(field), json!({ kind: near }));
                    let text = format!("did you mean “{near}”?");
                    let text = made
                        .as_ref()
                        .map_or_else(|| text.clone(), |made| format!("{text} Otherwise {made}"));
                    Hint::change(text, change)
                });
                (Code::UnknownDataBlock, proposed.or_else(|| made.map(Hint::explain)))
            }
            ValueError::NoValue => (
                Code::InvalidValue,
                Some(Hint::explain("what it carries comes by a link")),
            ),
        };
        let path = self.sink.at(field);
        self.sink.error(code, path, error.to_string(), hint);
    }
}

/// The item, if there is exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    match (items.next(), items.next()) {
        (Some(item), None) => Some(item),
        _ => None,
    }
}

/// The item of a menu input that corresponds to a word of another version.
fn menu_item(socket: &Socket, text: &str) -> Option<String> {
    let want = Want::socket(socket);
    let Kind::Enum(items) = want.kind else { return None };
    translate(text, &items).map(str::to_owned)
}
