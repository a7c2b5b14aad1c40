//! Setting inputs of the modifier.

use geonode_protocol::{Code, Finding, Hint, SetModifierInput};
use serde_json::Value;

use super::operation::{Before, Mention, Operation, short};
use super::work::Work;
use crate::documents::Modifier;
use crate::documents::delta::ModifierInput;
use crate::ir::{Item, Side, Tree};
use crate::menus::{Choice, Chosen, MENU};
use crate::near::nearest;
use crate::properties::DIMENSIONS;
use crate::sockets::GEOMETRY;
use crate::values::{Want, same};

impl<'p> Operation<'p> for &'p SetModifierInput {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.set_modifier_input(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let input = self.name.as_deref().or(self.identifier.as_deref());
        let new = short(&self.value);
        format!("Set the modifier's input “{}” to {new}", input.unwrap_or_default())
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        let input = self.name.as_deref().or(self.identifier.as_deref());
        input.map(Mention::ModifierInput).into_iter().collect()
    }
}

impl Work<'_> {
    fn set_modifier_input(&mut self, op: &SetModifierInput) {
        let own = self.modifier().and_then(|one| one.node_group.clone());
        let own = own.filter(|own| *own != self.model.name);
        let outer = own.filter(|_| !self.target.assign_tree && self.target.copy_of.is_none());
        let inputs: Vec<_> = match outer.as_ref().and_then(|name| self.document.trees.get(name)) {
            Some(tree) => tree
                .interface
                .iter()
                .filter(|item| item.is_socket(Side::Input))
                .cloned()
                .collect(),
            None => self.model.interface_sockets(Side::Input).cloned().collect(),
        };
        let (text, field) = match (&op.identifier, &op.name) {
            (Some(identifier), _) => (identifier.as_str(), "identifier"),
            (None, name) => (name.as_deref().unwrap_or_default(), "name"),
        };
        let hits: Vec<_> = inputs
            .iter()
            .filter(|item| {
                if field == "identifier" {
                    item.identifier == text
                } else {
                    item.name == text
                }
            })
            .collect();
        let item = match hits.as_slice() {
            [only] => *only,
            [] => {
                let near = nearest(
                    text,
                    inputs.iter().map(|item| {
                        if field == "identifier" {
                            item.identifier.as_str()
                        } else {
                            item.name.as_str()
                        }
                    }),
                );
                let names = inputs.iter().filter(|item| item.socket_type != GEOMETRY);
                let names: Vec<String> = names
                    .map(|item| format!("{} ({})", item.name, item.identifier))
                    .collect();
                let hint = match (near, names.is_empty()) {
                    (Some(near), _) => self.sink.near(field, near),
                    (None, false) => Hint::explain(format!("the inputs are: {}", names.join(", "))),
                    (None, true) => Hint::explain("its tree has no inputs with values"),
                };
                let path = self.sink.at(field);
                let message = format!("the modifier “{}” has no input “{text}”", self.target.modifier);
                self.sink.error(Code::UnknownInput, path, message, Some(hint));
                return;
            }
            several => {
                let list: Vec<&str> = several.iter().map(|item| item.identifier.as_str()).collect();
                let path = self.sink.at(field);
                let message = format!(
                    "the modifier “{}” has several inputs named “{text}”",
                    self.target.modifier
                );
                let hint = Hint::explain(format!("their identifiers are: {}", list.join(", ")));
                self.sink.error(Code::AmbiguousSocket, path, message, Some(hint));
                return;
            }
        };
        let mut want = Want::interface(&item.socket_type, item.props.get(DIMENSIONS));
        want.min = item.props.get("min_value").and_then(Value::as_f64);
        want.max = item.props.get("max_value").and_then(Value::as_f64);
        let Some(fitted) = self.fit(&want, &op.value, "value") else {
            return;
        };
        let item = item.clone();
        if item.socket_type == MENU {
            self.choices.push(Choice {
                operation: self.sink.op(),
                field: "value",
                tree: outer,
                input: Chosen::ByModifier(item.identifier.clone()),
                value: fitted.clone(),
            });
        }
        self.tell_animated(&item, field);
        self.put_modifier_input(item.identifier, fitted);
    }

    /// The modifier of the step, where it exists.
    fn modifier(&self) -> Option<&Modifier> {
        let on = self.document.objects.get(&self.target.object)?;
        on.modifiers.iter().find(|one| one.name == self.target.modifier)
    }

    /// Says that the value of an input will not stay.
    fn tell_animated(&mut self, item: &Item, field: &str) {
        let animated = self.modifier().map(|modifier| &modifier.animated);
        if !animated.is_some_and(|animated| animated.contains(&item.identifier)) {
            return;
        }
        let path = self.sink.at(field);
        let message = format!(
            "“{}” of the modifier “{}” is animated: its keyframes or its driver set it again with the next frame",
            item.name, self.target.modifier
        );
        let finding = Finding::warning(Code::LeftUnchanged, path, message);
        let by_hand = "Edit or remove its keyframes or its driver.";
        self.sink.push(finding.by_hand(by_hand));
    }

    /// Notes the value of an input of the modifier, where it is another one than now.
    pub(super) fn put_modifier_input(&mut self, identifier: String, value: Value) {
        self.modifier_inputs.retain(|edit| edit.identifier != identifier);
        let present = self.modifier().and_then(|modifier| modifier.inputs.get(&identifier));
        if present.is_some_and(|present| same(present, &value)) {
            return;
        }
        self.modifier_inputs.push(ModifierInput {
            object: self.target.object.clone(),
            modifier: self.target.modifier.clone(),
            identifier,
            value,
        });
    }
}
