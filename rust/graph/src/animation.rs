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
    let all = all.filter(|animated| animated.by != AnimatedBy::Linked);
    let mut lost: Vec<String> = all
        .filter(|animated| is_lost(animated, model, unsaid, scope))
        .map(words)
        .collect();
    lost.dedup();
    (!lost.is_empty()).then(|| format!("It removes {} in “{}”.", listed(lost), model.name))
}

/// The question about drivers of linked data-blocks that read what a step removes, replaces or moves: they stay as they are. None if there
/// are none.
pub(crate) fn out_of_reach(
    model: &TreeModel,
    unsaid: &Unsaid,
    info: Option<&TreeInfo>,
    scope: Scope<'_>,
) -> Option<String> {
    let all = info.into_iter().flat_map(|info| &info.animated);
    let goes = |animated: &&Animated| {
        let is_there = model.node(&animated.node).is_some() && !model.replaced.contains(&animated.node);
        !is_there || is_lost(animated, model, unsaid, scope)
    };
    let mut found: Vec<String> = all
        .filter(|animated| animated.by == AnimatedBy::Linked)
        .filter(goes)
        .map(words)
        .collect();
    found.dedup();
    (!found.is_empty()).then(|| {
        format!(
            "It takes away {} in “{}”; that driver stays as it is, since it belongs to another file.",
            listed(found),
            model.name
        )
    })
}

fn listed(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(MAX_NAMED);
    let shown = all.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ");
    if more == 0 {
        shown
    } else {
        format!("{shown} and {more} more")
    }
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
        AnimatedBy::Linked => {
            let reader = animated.reader.as_deref().unwrap_or_default();
            format!("{value}, which a driver of the linked “{reader}” reads")
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
