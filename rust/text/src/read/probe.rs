//! A node as a call would make it, to see its outputs.

use std::borrow::Cow;

use geonode_graph::catalogue::Socket;
use geonode_graph::ir::{Node, Side};
use geonode_graph::sockets::GROUP;
use rustpython_parser::ast::{Expr, ExprCall};
use serde_json::json;

use super::properties::settled;
use super::reader::Reader;
use super::value::constant;

impl<'a, 'p> Reader<'_, 'a, 'p> {
    /// A node as a call would make it, to see its outputs.
    pub(crate) fn probe(&mut self, call: &'p ExprCall) -> Option<Node> {
        let Expr::Name(name) = &*call.func else { return None };
        let name = name.id.as_str();
        let mut node = Node::default();
        let group = match name {
            "group" => constant(call.args.first()?, &mut super::fault::Faults::default())?
                .as_str()
                .map(|name| self.group_name(name)),
            _ if self.names.node_type(name).is_none() => self.functions.get(name).cloned(),
            _ => None,
        };
        if let Some(group) = group {
            GROUP.clone_into(&mut node.kind);
            node.props
                .insert("node_tree".to_owned(), json!({ "node_group": group }));
            return Some(node);
        }
        self.names.node_type(name)?.clone_into(&mut node.kind);
        let described = self.names.catalogue().nodes.get(&node.kind)?;
        let mut ignored = super::fault::Faults::default();
        for keyword in &call.keywords {
            let Some(word) = keyword.arg.as_ref() else { continue };
            if let Some(property) = described.properties.get(word.as_str())
                && let Some(given) = constant(&keyword.value, &mut ignored)
                && let Ok(given) = settled(property, given)
            {
                node.props.insert(word.to_string(), given);
            }
        }
        Some(node)
    }

    /// The outputs of a node that is not in the draft.
    pub(crate) fn outputs_of(&self, node: &Node) -> Cow<'a, [Socket]> {
        self.draft
            .scope
            .sockets_of(node, None, &self.draft.interface, Side::Output)
    }
}
