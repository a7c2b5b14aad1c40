//! Entries that a plan chooses in menus.

use std::borrow::Cow;

use serde_json::Value;

use super::work::Work;
use crate::catalogue::Socket;
use crate::ir::Side;
use crate::menus::{Chosen, MENU, Menus};
use crate::values::{Kind, Want};

impl Work<'_> {
    /// The menus of the trees as the step leaves them.
    pub(crate) fn menus(&self) -> Menus<'_> {
        let edited = std::iter::once(&self.model).chain(&self.nested).collect();
        Menus::new(self.scope, edited)
    }

    /// The socket with the entries of its menu, which a group node has from the tree that it runs.
    pub(super) fn with_entries<'s>(&self, id: &str, socket: &'s Socket) -> Cow<'s, Socket> {
        let node = self
            .model
            .node(id)
            .filter(|_| socket.kind == MENU && socket.items.is_empty());
        let entries = node.map_or_else(Vec::new, |node| self.menus().of_socket(node, socket));
        if entries.is_empty() {
            return Cow::Borrowed(socket);
        }
        let mut socket = socket.clone();
        socket.items = entries.into_iter().map(Value::from).collect();
        Cow::Owned(socket)
    }

    /// Fits the values of menus of the tree and its modifier, whose entries are those that the whole step leaves.
    pub(crate) fn fit_menus(&mut self) {
        for choice in std::mem::take(&mut self.choices) {
            let tree = choice.tree.as_ref().unwrap_or(&self.model.name);
            let identifier = match &choice.input {
                Chosen::ByModifier(identifier) => Some(identifier.clone()),
                Chosen::ByDefault(name) => {
                    let mut inputs = self.model.interface_sockets(Side::Input);
                    let input = inputs.find(|item| item.name == *name && item.socket_type == MENU);
                    input.map(|item| item.identifier.clone())
                }
            };
            let Some(identifier) = identifier else { continue };
            let entries = self.menus().of_input(tree, &identifier);
            if entries.is_empty() {
                continue;
            }
            let want = Want {
                kind: Kind::Enum(entries.iter().map(|entry| (entry.as_str(), entry.as_str())).collect()),
                min: None,
                max: None,
            };
            self.sink.enter_op(choice.operation);
            let Some(fitted) = self.fit(&want, &choice.value, choice.field) else {
                continue;
            };
            match choice.input {
                Chosen::ByModifier(_) => self.put_modifier_input(identifier, fitted),
                Chosen::ByDefault(_) => {
                    let mut items = self.model.interface.iter_mut();
                    if let Some(item) = items.find(|item| item.identifier == identifier) {
                        item.props.insert("default_value".to_owned(), fitted);
                    }
                }
            }
        }
    }
}
