//! The sockets of nodes with their words, each list made once.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use foldhash::HashMap;
use geonode_graph::Catalogue;
use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Node, Side, Tree};
use geonode_graph::sockets::{GEOMETRY, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope, VIRTUAL};

use crate::names::{Names, SocketNames, word};

/// Sockets of one side of a node, and their words.
#[derive(Debug)]
pub(super) struct Sockets<'a> {
    pub list: Cow<'a, [Socket]>,
    pub names: SocketNames,
}

impl Sockets<'_> {
    pub(super) fn find(&self, identifier: &str) -> Option<&Socket> {
        self.list.iter().find(|socket| socket.identifier == identifier)
    }

    /// The place of a socket in the list; the end for one that is not there.
    pub(super) fn place(&self, identifier: &str) -> usize {
        let place = self.list.iter().position(|socket| socket.identifier == identifier);
        place.unwrap_or(self.list.len())
    }

    /// The word of a socket.
    pub(super) fn word(&self, identifier: &str) -> String {
        let known = self.names.word(identifier).map(str::to_owned);
        known
            .or_else(|| word(identifier))
            .unwrap_or_else(|| "socket".to_owned())
    }

    /// The sockets that the node shows.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Socket> {
        self.list
            .iter()
            .filter(|socket| socket.available && socket.kind != VIRTUAL)
    }

    /// Whether a node alone means this output for an input of the type `wanted` (empty: of any type): its only one, or the first if it holds
    /// geometry.
    pub(super) fn is_main(&self, identifier: &str, wanted: &str, catalogue: &Catalogue) -> bool {
        let mut shown = self.shown();
        let first = shown.next().filter(|first| first.identifier == identifier);
        let takes = || wanted.is_empty() || wanted == VIRTUAL || catalogue.converts(GEOMETRY, wanted);
        first.is_some_and(|first| shown.next().is_none() || first.kind == GEOMETRY && takes())
    }
}

/// Sockets by what they depend on: the mode of a node type, or a group.
#[derive(Debug, Default)]
pub(super) struct SocketCache<'a> {
    states: RefCell<HashMap<(usize, usize), Rc<Sockets<'a>>>>,
    groups: RefCell<HashMap<(String, Side), Rc<Sockets<'a>>>>,
    /// Properties that cannot be keywords, by node type.
    shadowed: RefCell<HashMap<&'a str, Vec<&'a str>>>,
}

impl<'a> SocketCache<'a> {
    /// [`Names::is_shadowed`], found once for each node type.
    pub(super) fn is_shadowed(&self, names: &Names<'a>, kind: &str, property: &str) -> bool {
        let Some((kind, described)) = names.catalogue().nodes.get_key_value(kind) else {
            return names.is_shadowed(kind, property);
        };
        let Some((property, _)) = described.properties.get_key_value(property) else {
            return names.is_shadowed(kind, property);
        };
        let mut all = self.shadowed.borrow_mut();
        let own = all.entry(kind).or_insert_with(|| {
            let properties = described.properties.keys().map(String::as_str);
            properties
                .filter(|property| names.is_shadowed(kind, property))
                .collect()
        });
        own.contains(&property.as_str())
    }

    /// The sockets of a node; `used` are those that links and values name.
    pub(super) fn of<'u>(
        &self,
        scope: Scope<'a>,
        node: &Node,
        zone_output: Option<&Node>,
        (name, tree): (&str, &Tree),
        side: Side,
        used: impl Iterator<Item = &'u str>,
    ) -> Rc<Sockets<'a>> {
        let known = self.known(scope, node, zone_output, (name, tree), side);
        let mut strange: Vec<Socket> = Vec::new();
        for identifier in used {
            if known.find(identifier).is_none() && !strange.iter().any(|socket| socket.identifier == identifier) {
                strange.push(Socket {
                    identifier: identifier.to_owned(),
                    name: identifier.to_owned(),
                    available: true,
                    ..Socket::default()
                });
            }
        }
        if strange.is_empty() {
            return known;
        }
        // What is linked is shown, whether the catalogue knows it or not.
        let list: Vec<Socket> = known.list.iter().cloned().chain(strange).collect();
        let names = SocketNames::of(&list);
        Rc::new(Sockets {
            list: Cow::Owned(list),
            names,
        })
    }

    fn known(
        &self,
        scope: Scope<'a>,
        node: &Node,
        zone_output: Option<&Node>,
        (name, tree): (&str, &Tree),
        side: Side,
    ) -> Rc<Sockets<'a>> {
        let list = || scope.sockets_of(node, zone_output, &tree.interface, side);
        let group = match node.kind.as_str() {
            GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE => Some(format!("{}<{name}", node.kind)),
            GROUP => node.group().map(str::to_owned),
            _ => None,
        };
        if let Some(group) = group {
            let mut groups = self.groups.borrow_mut();
            let made = groups.entry((group, side)).or_insert_with(|| {
                let list = list();
                let names = SocketNames::of(&list);
                Rc::new(Sockets { list, names })
            });
            return Rc::clone(made);
        }
        match list() {
            Cow::Borrowed(state) => {
                let mut states = self.states.borrow_mut();
                let made = states.entry((state.as_ptr() as usize, state.len())).or_insert_with(|| {
                    let names = SocketNames::of(state);
                    Rc::new(Sockets {
                        list: Cow::Borrowed(state),
                        names,
                    })
                });
                Rc::clone(made)
            }
            Cow::Owned(list) => {
                let names = SocketNames::of(&list);
                Rc::new(Sockets {
                    list: Cow::Owned(list),
                    names,
                })
            }
        }
    }
}
