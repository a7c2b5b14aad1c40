//! What a page cannot say of a tree.

use foldhash::HashSet;
use geonode_graph::counts;
use geonode_graph::ir::{ItemKind, Side};
use geonode_graph::sockets::{FRAME, GROUP, REROUTE};

use super::sheet::Sheet;
use crate::names::LOOK;

/// What a page cannot say of a tree, in words; empty for all that Blender's own editor makes.
pub(super) fn losses(sheet: &Sheet<'_>) -> Vec<String> {
    let mut all = Vec::new();
    for (at, node) in sheet.tree.nodes.iter().enumerate() {
        let id = node.id.as_str();
        let Some(described) = sheet.scope.node_type(node) else {
            all.push(format!("the node type {} of “{id}” is unknown here", node.kind));
            continue;
        };
        if described.is("zone") && sheet.partner(at).is_none() {
            all.push(format!("“{id}” is one end of a zone without the other"));
        }
        if node.kind == GROUP && node.group().is_none_or(|group| !sheet.scope.trees.contains_key(group)) {
            all.push(format!("the group of “{id}” is missing"));
        }
        for name in node
            .props
            .keys()
            .filter(|name| !LOOK.contains(&name.as_str()) && *name != "mute")
        {
            let said = node.kind == GROUP && name == "node_tree" || node.kind == REROUTE && name == "socket_idname";
            if !said && !described.properties.contains_key(name) {
                all.push(format!("the property {name} of “{id}” is unknown here"));
            }
        }
        let begins = sheet.begins_zone(at).is_some();
        if begins
            && node
                .props
                .keys()
                .any(|name| !LOOK.contains(&name.as_str()) && name != "mute")
        {
            all.push(format!("properties of “{id}” are not those of a zone"));
        }
        let has_inputs = sheet.inputs(at).is_some_and(|inputs| !inputs.list.is_empty());
        if has_inputs && node.outputs.values().any(|state| state.contains_key("value")) {
            all.push(format!("an output of “{id}” has a value although the node has inputs"));
        }
        values(sheet, at, &mut all);
        links(sheet, at, &mut all);
    }
    for link in &sheet.tree.links {
        if sheet.place(&link.from.0).is_none() || sheet.place(&link.to.0).is_none() {
            all.push(format!(
                "a link from “{}” to “{}” has an end that does not exist",
                link.from.0, link.to.0
            ));
        }
    }
    let mut panels: HashSet<(&str, Option<&str>)> = HashSet::default();
    for item in sheet.tree.interface.iter().filter(|item| item.kind == ItemKind::Panel) {
        if !panels.insert((&item.name, item.parent.as_deref())) {
            all.push(format!("there are two panels “{}” side by side", item.name));
        }
    }
    all
}

/// Negative numbers of what is counted, as files of older versions have them: plans are refused for them.
fn values(sheet: &Sheet<'_>, at: usize, all: &mut Vec<String>) {
    let (Some(node), Some(inputs)) = (sheet.node(at), sheet.inputs(at)) else {
        return;
    };
    for (identifier, state) in &node.inputs {
        let value = state.get("value").and_then(serde_json::Value::as_f64);
        let socket = inputs.find(identifier).filter(|socket| socket.available);
        let (Some(value), Some(socket)) = (value, socket) else {
            continue;
        };
        let linked = sheet.links_into(at).iter().any(|link| link.to.1 == *identifier);
        if counts(socket) && value < 0.0 && !linked {
            all.push(format!(
                "the value {value} of “{}” of “{}” is outside of its range",
                socket.name, node.id
            ));
        }
    }
}

/// Links that begin or end at sockets that the node does not show, and several links into an input for one.
fn links(sheet: &Sheet<'_>, at: usize, all: &mut Vec<String>) {
    let Some(node) = sheet.node(at).filter(|node| node.kind != FRAME) else {
        return;
    };
    let own = [
        (Side::Input, sheet.links_into(at)),
        (Side::Output, sheet.links_from(at)),
    ];
    for (side, links) in own {
        let mut before = "";
        for link in links {
            let (sockets, identifier) = match side {
                Side::Input => (sheet.inputs(at), link.to.1.as_str()),
                Side::Output => (sheet.outputs(at), link.from.1.as_str()),
            };
            let socket = sockets.and_then(|sockets| sockets.find(identifier));
            let word = if side == Side::Input { "input" } else { "output" };
            match socket {
                _ if node.kind == REROUTE => {}
                Some(socket) if socket.available && !socket.kind.is_empty() => {
                    if side == Side::Input && before == identifier && !socket.multi {
                        all.push(format!(
                            "several links lead to the {word} “{}” of “{}”",
                            socket.name, node.id
                        ));
                    }
                }
                _ if before == identifier => {}
                Some(socket) if !socket.available => {
                    all.push(format!(
                        "a link uses the hidden {word} “{}” of “{}”",
                        socket.name, node.id
                    ));
                }
                _ => all.push(format!(
                    "a link uses the {word} {identifier} of “{}”, which does not exist",
                    node.id
                )),
            }
            before = identifier;
        }
    }
}
