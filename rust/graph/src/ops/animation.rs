//! Keyframes and drivers of nodes that are replaced or moved: what another node takes over.

use std::collections::BTreeMap;

use super::work::Work;
use crate::catalogue::Socket;
use crate::documents::AnimatedBy;
use crate::documents::delta::Carry;
use crate::sockets::Scope;

/// Socket types among which a keyframe means the same.
const NUMBERS: [&str; 3] = ["NodeSocketFloat", "NodeSocketInt", "NodeSocketBool"];

impl Work<'_> {
    /// The tree of the step as it was before the plan.
    pub(crate) fn tree_of_target(&self) -> String {
        self.target.copy_of.as_ref().unwrap_or(&self.model.name).clone()
    }

    /// What the node `to` takes over from a node of another tree with the same sockets; none if nothing of it is animated.
    pub(super) fn carry_from(&mut self, tree: &str, from: &str, to: &str) -> Option<Carry> {
        let info = self.document.tree_info.get(tree)?;
        let mut own = info.animated.iter().filter(|animated| animated.node == from);
        own.any(|animated| !matches!(animated.by, AnimatedBy::Strip | AnimatedBy::Linked))
            .then(|| Carry {
                from: from.to_owned(),
                tree: Some(tree.to_owned()),
                to: to.to_owned(),
                inputs: None,
            })
    }

    /// Identifiers of the node's sockets that are animated.
    pub(super) fn animated_sockets(&self, id: &str) -> Vec<String> {
        let info = self.document.tree_info.get(&self.tree_of_target());
        let all = info.into_iter().flat_map(|info| &info.animated);
        let own = all.filter(|animated| animated.node == id);
        own.filter_map(|animated| animated.socket.clone()).collect()
    }

    /// What the new node of this ID takes over from the old one: its properties, and the inputs that correspond.
    pub(super) fn carry_to_the_new(&mut self, id: &str, before: &[Socket], matching: &BTreeMap<String, Socket>) {
        let info = self.document.tree_info.get(&self.tree_of_target());
        if !info.is_some_and(|info| info.animated.iter().any(|animated| animated.node == id)) {
            return;
        }
        let alike = |old: &str, new: &Socket| {
            let old = before.iter().find(|socket| socket.identifier == old);
            old.is_some_and(|old| {
                old.kind == new.kind
                    || [&old.kind, &new.kind]
                        .iter()
                        .all(|kind| NUMBERS.contains(&kind.as_str()))
            })
        };
        let inputs = matching.iter().filter(|(old, new)| alike(old, new));
        let inputs = inputs.map(|(old, new)| (old.clone(), new.identifier.clone())).collect();
        self.model.carried.push(Carry {
            from: id.to_owned(),
            tree: None,
            to: id.to_owned(),
            inputs: Some(inputs),
        });
    }
}

/// Whether the node that replaced another has the property, so that its animation goes on.
pub(crate) fn has_property(scope: Scope<'_>, kind: &str, name: &str) -> bool {
    let kind = scope.catalogue.nodes.get(kind);
    kind.is_some_and(|kind| kind.properties.contains_key(name))
}
