//! A new selection after which a kind of geometry is gone from the result: perhaps it is true nowhere.

use geonode_graph::ir::{Link, Side, Tree};
use geonode_protocol::{Code, Severity};

use super::doubt::Doubt;
use crate::facts::Facts;

/// What inputs are called that choose what a node works on.
const SELECTION: &str = "Selection";
const REALIZE: &str = "GeometryNodeRealizeInstances";

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let mut found = Vec::new();
    let mut objects: Vec<&str> = facts.targets().iter().map(|target| target.object).collect();
    objects.sort_unstable();
    objects.dedup();
    for name in objects {
        let (Some(before), Some(now)) = (facts.result_before(name), facts.object(name)) else {
            continue;
        };
        // What is turned into another kind is gone for that reason.
        if converts(facts) {
            continue;
        }
        let shown = now.evaluated.parts();
        let Some(gone) = before.parts.iter().find(|part| !shown.contains(&part.as_str())) else {
            continue;
        };
        let chosen = facts
            .written_trees()
            .find_map(|(tree, page)| Some((new_selection(facts, tree, page)?, tree)));
        if let Some((node, _)) = chosen {
            found.push(Doubt {
                severity: Severity::Warning,
                code: Code::NothingSelected,
                node: Some(node.clone()),
                socket: Some(SELECTION.to_owned()),
                cause: format!(
                    "“{name}” showed {} before and shows none now; the new selection of “{node}” may be true nowhere, or everywhere.",
                    noun(gone)
                ),
                fix: "Check what the selection compares: places are the node's own, in metres, before what follows moves them.".to_owned(),
            });
        }
    }
    found
}

/// The first node of a tree, there before the run, whose selection the run linked.
fn new_selection(facts: &Facts<'_>, name: &str, tree: &Tree) -> Option<String> {
    let catalogue = facts.catalogue?;
    let before = facts.before.trees.get(name)?;
    let selects = |link: &&Link| {
        let node = tree.nodes.iter().find(|node| node.id == link.to.0);
        let kind = node.and_then(|node| Some((node, catalogue.nodes.get(&node.kind)?)));
        kind.is_some_and(|(node, kind)| {
            let sockets = kind.state(&node.props).side(Side::Input);
            let mut sockets = sockets.iter();
            sockets.any(|socket| socket.identifier == link.to.1 && socket.name == SELECTION)
        })
    };
    let mut links = tree.links.iter().filter(selects);
    links
        .find(|link| !before.links.contains(link))
        .map(|link| link.to.0.clone())
}

/// Whether the run made a node that turns one kind of geometry into another.
fn converts(facts: &Facts<'_>) -> bool {
    facts.written_trees().any(|(name, tree)| {
        let mut made = tree.nodes.iter().filter(|node| facts.origin(name, &node.id).is_none());
        made.any(|node| node.kind == REALIZE || node.kind.contains("To"))
    })
}

/// A part of a result as artists call it.
fn noun(part: &str) -> &str {
    match part {
        "mesh" => "a mesh",
        "pointcloud" => "points",
        "volume" => "a volume",
        "greasepencil" => "strokes",
        other => other,
    }
}
