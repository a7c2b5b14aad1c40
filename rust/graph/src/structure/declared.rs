//! What a socket is declared to hold: by its node's type, by an item, by an interface.

use std::borrow::Cow;

use super::kind::{Signature, Structure};
use crate::catalogue::Socket;
use crate::ir::{Item, Node, Side};
use crate::sockets::{GEOMETRY, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope};

/// A socket as it is declared.
#[derive(Debug, Default)]
pub(super) struct Declared<'a> {
    pub(super) identifier: Cow<'a, str>,
    pub(super) structure: Structure,
    /// What its type can hold; empty if that is not known.
    pub(super) legal: &'a [String],
    /// Holds a field as long as nothing is linked to it.
    pub(super) implicit: bool,
    /// To be inferred.
    pub(super) auto: bool,
    pub(super) available: bool,
    /// The inputs that a dynamic output follows; all if none are named.
    pub(super) follows: Option<Cow<'a, [String]>>,
}

const AUTO: &str = "AUTO";

/// The sockets of a node on one side; those of a group node from the signature of its tree.
pub(super) fn sockets<'a>(
    scope: Scope<'a>,
    node: &Node,
    zone_output: Option<&Node>,
    interface: &[Item],
    side: Side,
    signature: Option<&Signature>,
) -> Vec<Declared<'a>> {
    let own = match scope.sockets_of(node, zone_output, interface, side) {
        Cow::Borrowed(sockets) => sockets
            .iter()
            .map(|socket| declared(scope, Cow::Borrowed(socket)))
            .collect(),
        Cow::Owned(sockets) => sockets
            .into_iter()
            .map(|socket| declared(scope, Cow::Owned(socket)))
            .collect(),
    };
    let own = if measured(scope) {
        own
    } else {
        certain(own, scope, node, zone_output, interface, side)
    };
    match (node.kind.as_str(), side) {
        (GROUP_INPUT_TYPE, Side::Output) => set_by(own, &of_interface(interface, Side::Input)),
        // Whatever the interface sets, its own type is inferred.
        (GROUP_OUTPUT_TYPE, Side::Input) => set_by(own, &[]),
        (GROUP, _) => of_group(scope, own, node, side, signature),
        _ if scope
            .node_type(node)
            .is_some_and(|kind| kind.properties.contains_key("structure_type")) =>
        {
            by_property(own, node, side)
        }
        _ => own,
    }
}

/// Whether the catalogue says what outputs follow: from Blender 5.0 on.
fn measured(scope: Scope<'_>) -> bool {
    !scope.catalogue.blender.starts_with("4.")
}

/// What is certain where that is not known: nodes without geometry follow their dynamic inputs; others may evaluate a field on the
/// geometry and give a single value.
fn certain<'a>(
    mut own: Vec<Declared<'a>>,
    scope: Scope<'a>,
    node: &Node,
    zone_output: Option<&Node>,
    interface: &[Item],
    side: Side,
) -> Vec<Declared<'a>> {
    if side == Side::Output {
        let inputs = scope.sockets_of(node, zone_output, interface, Side::Input);
        let pure = inputs.iter().all(|socket| socket.kind != GEOMETRY);
        let dynamic = |socket: &&Socket| pure && socket.structure.as_deref() == Some("dynamic");
        let names: Vec<String> = inputs
            .iter()
            .filter(dynamic)
            .map(|socket| socket.identifier.clone())
            .collect();
        for declared in &mut own {
            declared.follows = Some(Cow::Owned(names.clone()));
        }
    }
    own
}

/// What the interface sets on a side; none for what is to be inferred.
pub(super) fn of_interface(interface: &[Item], side: Side) -> Vec<Option<Structure>> {
    let named = |item: &Item| item.props.get("structure_type")?.as_str().and_then(Structure::of);
    interface
        .iter()
        .filter(|item| item.is_socket(side))
        .map(named)
        .collect()
}

fn set_by<'a>(mut own: Vec<Declared<'a>>, set: &[Option<Structure>]) -> Vec<Declared<'a>> {
    for (at, declared) in own.iter_mut().enumerate() {
        let set = set.get(at).copied().flatten();
        declared.auto = set.is_none();
        declared.structure = set.unwrap_or_default();
        declared.follows = Some(Cow::Borrowed(&[]));
    }
    own
}

fn of_group<'a>(
    scope: Scope<'a>,
    mut own: Vec<Declared<'a>>,
    node: &Node,
    side: Side,
    signature: Option<&Signature>,
) -> Vec<Declared<'a>> {
    let tree = node.group().and_then(|name| scope.trees.get(name));
    let interface = tree.map(|tree| tree.interface.as_slice()).unwrap_or_default();
    let inputs: Vec<&Item> = interface.iter().filter(|item| item.is_socket(Side::Input)).collect();
    for (at, declared) in own.iter_mut().enumerate() {
        declared.follows = Some(Cow::Borrowed(&[]));
        match (side, signature) {
            (_, None) => {}
            (Side::Input, Some(known)) => {
                declared.structure = known.inputs.get(at).copied().unwrap_or_default();
                declared.implicit =
                    declared.structure != Structure::Single && inputs.get(at).is_some_and(|item| takes_field(item));
            }
            (Side::Output, Some(known)) => {
                if let Some((structure, follows)) = known.outputs.get(at) {
                    declared.structure = *structure;
                    let names = follows
                        .iter()
                        .filter_map(|at| Some(inputs.get(*at)?.identifier.clone()));
                    declared.follows = Some(names.collect());
                }
            }
        }
    }
    own
}

/// Whether a group input takes a field such as the normal when nothing is linked to it.
fn takes_field(item: &Item) -> bool {
    let from = item.props.get("default_input").and_then(|from| from.as_str());
    let possible = ["NodeSocketInt", "NodeSocketVector", "NodeSocketMatrix"].contains(&item.socket_type.as_str());
    possible && from.is_some_and(|from| from != "VALUE")
}

/// Nodes whose own property says what comes out of them, or into Store Bundle Item.
fn by_property<'a>(mut own: Vec<Declared<'a>>, node: &Node, side: Side) -> Vec<Declared<'a>> {
    let set = node.props.get("structure_type").and_then(|set| set.as_str());
    for declared in &mut own {
        let concerned = match side {
            Side::Output => declared.follows.as_deref().is_some_and(<[String]>::is_empty),
            Side::Input => node.kind == "NodeStoreBundleItem" && declared.identifier == "Item",
        };
        if concerned {
            let structure = set.and_then(Structure::of);
            declared.auto = structure.is_none() && node.kind.ends_with("BundleItem");
            declared.structure = structure.unwrap_or_default();
        }
    }
    own
}

impl Declared<'_> {
    /// Its type holds nothing but single values.
    pub(super) fn always_single(&self) -> bool {
        matches!(self.legal, [only] if only == "single")
    }

    /// What it holds of what was inferred: a type that cannot hold fields holds single values.
    pub(super) fn keep(&self, found: Structure) -> Structure {
        let held = self.legal.is_empty()
            || found == Structure::Dynamic && !self.always_single()
            || self.legal.iter().any(|legal| legal.eq_ignore_ascii_case(found.name()));
        if held { found } else { Structure::Single }
    }
}

fn declared<'a>(scope: Scope<'a>, socket: Cow<'a, Socket>) -> Declared<'a> {
    let legal: &[String] = scope
        .catalogue
        .sockets
        .get(&socket.kind)
        .map_or(&[], |kind| &kind.structures);
    let structure = socket.structure.as_deref();
    let auto = structure.is_some_and(|name| name.eq_ignore_ascii_case(AUTO));
    let structure = structure.and_then(Structure::of).unwrap_or_default();
    let (implicit, available) = (socket.implicit, socket.available);
    let (identifier, follows) = match socket {
        Cow::Borrowed(socket) => (
            Cow::Borrowed(socket.identifier.as_str()),
            socket.follows.as_deref().map(Cow::Borrowed),
        ),
        Cow::Owned(socket) => (Cow::Owned(socket.identifier), socket.follows.map(Cow::Owned)),
    };
    Declared {
        identifier,
        structure,
        legal,
        implicit,
        auto,
        available,
        follows,
    }
}
