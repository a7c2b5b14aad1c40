//! Keyframes and drivers that a step would take away, in words for the artist's approval.

use crate::documents::{Animated, AnimatedBy, TreeInfo};
use crate::intrusion::Unsaid;
use crate::ir::Side;
use crate::model::TreeModel;
use crate::ops::has_property;
use crate::sockets::Scope;

/// Most values that a question lists.
const MAX_NAMED: usize = 3;

/// The question about animation of the tree that no node takes over; none if nothing is lost.
pub(crate) fn lost(model: &TreeModel, unsaid: &Unsaid, info: Option<&TreeInfo>, scope: Scope<'_>) -> Option<String> {
    let all = info.into_iter().flat_map(|info| &info.animated);
    let mut lost: Vec<String> = all
        .filter(|animated| is_lost(animated, model, unsaid, scope))
        .map(words)
        .collect();
    lost.dedup();
    if lost.is_empty() {
        return None;
    }
    let more = lost.len().saturating_sub(MAX_NAMED);
    let shown = lost.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ");
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    Some(format!("It removes {shown}{more} in “{}”.", model.name))
}

fn words(animated: &Animated) -> String {
    let value = format!("“{}” of “{}”", animated.name, animated.node);
    match animated.by {
        AnimatedBy::Driver => format!("the driver of {value}"),
        AnimatedBy::Keyframes | AnimatedBy::Strip => format!("the keyframes of {value}"),
        AnimatedBy::Reader => {
            let reader = animated.reader.as_deref().unwrap_or_default();
            format!("{value}, which a driver of “{reader}” reads")
        }
    }
}

fn is_lost(animated: &Animated, model: &TreeModel, unsaid: &Unsaid, scope: Scope<'_>) -> bool {
    let id = &animated.node;
    if !model.before.nodes.iter().any(|node| node.id == *id) {
        return false;
    }
    let Some(node) = model.node(id) else {
        return animated.by == AnimatedBy::Strip || !unsaid.carried.contains(id);
    };
    if model.replaced.contains(id) {
        let mut carried = model
            .carried
            .iter()
            .filter(|carry| carry.tree.is_none() && carry.from == *id);
        return match &animated.socket {
            Some(socket) => !carried.any(|carry| carry.inputs.as_ref().is_some_and(|all| all.contains_key(socket))),
            None => carried.next().is_none() || !has_property(scope, &node.kind, &animated.name),
        };
    }
    let is_lost = |side, socket: &String| model.lost.contains(&(id.clone(), side, socket.clone()));
    let socket = animated.socket.as_ref();
    socket.is_some_and(|socket| is_lost(Side::Input, socket) || is_lost(Side::Output, socket))
}
