//! The order of the interface: sockets and panels from top to bottom.

use std::collections::HashSet;

use geonode_protocol::{ArrangeInterface, Code, Hint, InterfacePlace, Properties};

use super::operation::{Before, Mention, Operation};
use super::work::{Work, side_name};
use crate::ir::{Item, ItemKind, MAX_NAME, MAX_NESTED, Map, Side, Tree};
use crate::near::nearest;
use crate::properties::{nests_panels, panel_property};
use crate::shown::shown;
use crate::sink::escape;

impl<'p> Operation<'p> for &'p ArrangeInterface {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.arrange_interface(self);
    }

    fn words(&self, _: &Before<'_>) -> String {
        let panels: Vec<&str> = self.items.iter().filter_map(|place| place.panel.as_deref()).collect();
        match panels.as_slice() {
            [] => "Order the inputs and outputs".to_owned(),
            panels => format!("Order the inputs and outputs, with the panels {}", panels.join(", ")),
        }
    }

    fn destroys(&self, before: &Tree) -> bool {
        let kept = |panel: &Item| self.items.iter().any(|place| place.panel.as_ref() == Some(&panel.name));
        let mut panels = before.interface.iter().filter(|item| item.kind == ItemKind::Panel);
        panels.any(|panel| !kept(panel))
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        let names = |place: &'p InterfacePlace| place.input.as_deref().or(place.output.as_deref());
        self.items.iter().filter_map(names).map(Mention::Socket).collect()
    }
}

impl Work<'_> {
    fn arrange_interface(&mut self, op: &ArrangeInterface) {
        let errors = self.sink.errors;
        let mut left = self.model.interface.clone();
        let mut placed: Vec<Item> = Vec::with_capacity(left.len());
        let mut around: Vec<String> = Vec::new();
        for (index, place) in op.items.iter().enumerate() {
            let depth = usize::try_from(place.depth).unwrap_or(usize::MAX);
            if depth > around.len().min(MAX_NESTED) {
                let path = self.sink.at(&format!("items/{index}/depth"));
                let message = format!("no panel before it lies in {} panels", place.depth.saturating_sub(1));
                let hint = Hint::explain("a panel stands before what is in it, which has its depth and one more");
                self.sink.error(Code::InvalidValue, path, message, Some(hint));
                continue;
            }
            around.truncate(depth);
            let Some(mut item) = self.placed_item(place, index, around.last(), &mut left) else {
                continue;
            };
            item.parent = around.last().cloned();
            if item.kind == ItemKind::Panel {
                if item.parent.is_some() && !nests_panels(&self.scope.catalogue.blender) {
                    let path = self.sink.at(&format!("items/{index}/depth"));
                    let blender = &self.scope.catalogue.blender;
                    let message = format!(
                        "Blender {blender} has no panels in panels; “{}” stands beside",
                        item.name
                    );
                    self.sink.warn(Code::LeftUnchanged, path, message);
                    item.parent = None;
                }
                around.push(item.identifier.clone());
            }
            placed.push(item);
        }
        if self.sink.errors > errors {
            return;
        }
        let panels: HashSet<String> = placed
            .iter()
            .filter(|item| item.kind == ItemKind::Panel)
            .map(|item| item.identifier.clone())
            .collect();
        for mut item in left.into_iter().filter(|item| item.kind == ItemKind::Socket) {
            item.parent = item.parent.filter(|panel| panels.contains(panel));
            placed.push(item);
        }
        self.model.interface = shown(&placed);
        self.model.arranged = true;
    }

    /// The item that a place names, taken from those that have none yet.
    fn placed_item(
        &mut self,
        place: &InterfacePlace,
        index: usize,
        parent: Option<&String>,
        left: &mut Vec<Item>,
    ) -> Option<Item> {
        let given = [&place.input, &place.output, &place.panel];
        let sides = [Some(Side::Input), Some(Side::Output), None];
        let mut named = given
            .into_iter()
            .zip(sides)
            .filter_map(|(name, side)| Some((name.as_deref()?, side)));
        let (Some((name, side)), None) = (named.next(), named.next()) else {
            let path = self.sink.at(&format!("items/{index}"));
            let message = "a place has an input, an output or a panel, one of the three";
            self.sink.error(Code::InvalidValue, path, message, None);
            return None;
        };
        let Some(side) = side else {
            return self.placed_panel(place, name, index, parent, left);
        };
        let is_it = |item: &Item| item.is_socket(side) && item.identifier == name;
        let is_named = |item: &Item| item.is_socket(side) && item.name == name;
        // Of several with the name the one that is there already: the same again moves nothing.
        let is_here = |item: &Item| is_named(item) && item.parent.as_ref() == parent;
        let position = |is_meant: &dyn Fn(&Item) -> bool| left.iter().position(is_meant);
        let found = position(&is_it).or_else(|| position(&is_here));
        let Some(at) = found.or_else(|| position(&is_named)) else {
            let known = left
                .iter()
                .filter(|item| item.is_socket(side))
                .map(|item| item.name.as_str());
            let word = if side == Side::Input { "input" } else { "output" };
            let hint = match nearest(name, known.clone()) {
                Some(near) => self.sink.near(&format!("items/{index}/{word}"), near),
                None => Hint::explain(format!("left are: {}", known.collect::<Vec<_>>().join(", "))),
            };
            let path = self.sink.at(&format!("items/{index}"));
            let message = format!("the tree has no {} “{name}” without a place", side_name(side));
            self.sink.error(Code::UnknownSocket, path, message, Some(hint));
            return None;
        };
        if !place.properties.is_empty() {
            let path = self.sink.at(&format!("items/{index}/properties"));
            let hint = Hint::explain("set_group_io sets those of sockets");
            self.sink
                .error(Code::InvalidValue, path, "only panels have properties here", Some(hint));
        }
        Some(left.remove(at))
    }

    fn placed_panel(
        &mut self,
        place: &InterfacePlace,
        name: &str,
        index: usize,
        parent: Option<&String>,
        left: &mut Vec<Item>,
    ) -> Option<Item> {
        if name.len() > MAX_NAME {
            let path = self.sink.at(&format!("items/{index}/panel"));
            let message = format!("a name may have {MAX_NAME} bytes, this one has {}", name.len());
            let hint = Hint::explain("any shorter name will do");
            self.sink.error(Code::BadName, path, message, Some(hint));
            return None;
        }
        let is_named = |item: &Item| item.kind == ItemKind::Panel && item.name == name;
        let here = left
            .iter()
            .position(|item| is_named(item) && item.parent.as_ref() == parent);
        let mut item = match here.or_else(|| left.iter().position(is_named)) {
            Some(at) => left.remove(at),
            None => Item {
                kind: ItemKind::Panel,
                identifier: self.next_key(),
                name: name.to_owned(),
                in_out: None,
                socket_type: String::new(),
                parent: None,
                props: Map::new(),
            },
        };
        self.panel_props(&place.properties, index, &mut item.props);
        Some(item)
    }

    fn panel_props(&mut self, given: &Properties, index: usize, props: &mut Map) {
        for (name, value) in given {
            let field = format!("items/{index}/properties/{}", escape(name));
            let Some(want) = panel_property(name, &self.scope.catalogue.blender) else {
                let path = self.sink.at(&field);
                let hint = Hint::explain("it has: default_closed, description");
                self.sink.error(
                    Code::UnknownProperty,
                    path,
                    format!("a panel has no property “{name}”"),
                    Some(hint),
                );
                continue;
            };
            if let Some(fitted) = self.fit(&want, value, &field) {
                props.insert(name.clone(), fitted);
            }
        }
    }
}
