//! `NO_INVALID_LINKS`: Blender accepts every link, there are no cycles, and every zone has both ends.
//!
//! Blender does not report an unpaired zone output, so pairs are checked here. Links that were invalid before the run, and zones that lacked an
//! end, do not count against it.

use geonode_graph::ir::{Node, Side, Tree};
use geonode_protocol::{Code, GateFinding};

use crate::facts::{Facts, finding, unless_before};
use crate::gate::Gate;
use geonode_graph::documents::evidence::InvalidLink;

pub(crate) const GATE: Gate = Gate {
    code: Code::NoInvalidLinks,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let mut findings = Vec::new();
    for (name, tree) in facts.written_trees() {
        for link in facts.evidence.invalid_links.get(name).into_iter().flatten() {
            let ((from, out), (to, input)) = ((&link.0, &link.1), (&link.2, &link.3));
            if !facts.was_invalid(name, (from, out), (to, input)) && !was_there(facts, name, tree, link) {
                findings.push(invalid(name, link));
            }
        }
        findings.extend(half_zones(facts, name, tree));
    }
    findings
}

fn invalid(tree: &str, link: &InvalidLink) -> GateFinding {
    let (from, output, to, input, reason) = link;
    GateFinding {
        path: None,
        node_id: Some(to.clone()),
        socket: Some(input.clone()),
        ..finding(
            GATE.code,
            Code::IllegalLink,
            format!("In “{tree}” the link from “{from}” ({output}) to “{to}” ({input}) is invalid: {reason}."),
            "Link sockets of types that convert, inside one zone, and without a cycle.",
        )
    }
}

/// Whether the same link existed before the run between the same nodes, unchanged but for a mode that took its socket out of use or gave it
/// another type: the plan said so, and the link counts again in the former mode.
fn was_there(facts: &Facts<'_>, name: &str, now: &Tree, link: &InvalidLink) -> bool {
    let Some(before) = facts.before.trees.get(name) else {
        return false;
    };
    let (from, output, to, input, _) = link;
    let ends = |id: &String| {
        let was = before.nodes.iter().find(|node| &node.id == id);
        was.zip(now.nodes.iter().find(|node| &node.id == id))
    };
    let (Some(source), Some(target)) = (ends(from), ends(to)) else {
        return false;
    };
    let unused = |(was, is): (&Node, &Node), side, socket| facts.went_out_of_use(was, is, side, socket);
    let unchanged = source.0 == source.1 && target.0 == target.1;
    let ends = [from, output, to, input].map(String::clone);
    let said = facts.idle.contains(&(name.to_owned(), ends));
    let linked = before
        .links
        .iter()
        .any(|l| (&l.from.0, &l.from.1, &l.to.0, &l.to.1) == (from, output, to, input));
    linked && (unchanged || said || unused(source, Side::Output, output) || unused(target, Side::Input, input))
}

/// Whether the end of a zone had no partner before the run.
fn was_half(facts: &Facts<'_>, name: &str, id: &str) -> bool {
    let (tree, own) = facts.moves.origin(name, id);
    let was = facts.origin(name, id);
    let nodes = facts.before.trees.get(tree).into_iter().flat_map(|tree| &tree.nodes);
    let mut partners = nodes.filter(|node| node.pair.as_deref() == Some(own));
    was.is_some_and(|node| node.pair.is_none()) && partners.next().is_none()
}

fn half_zones(facts: &Facts<'_>, name: &str, tree: &Tree) -> Vec<GateFinding> {
    let paired = |id: &str| tree.nodes.iter().any(|node| node.pair.as_deref() == Some(id));
    tree.nodes
        .iter()
        .filter(|node| match facts.category(&node.kind) {
            Some(role) if role.starts_with("zone:") && role.ends_with(":out") => !paired(&node.id),
            Some(role) if role.starts_with("zone:") && role.ends_with(":in") => node.pair.is_none(),
            _ => false,
        })
        .map(|node| {
            let found = GateFinding {
                path: None,
                node_id: Some(node.id.clone()),
                ..finding(
                    GATE.code,
                    Code::ZoneIncomplete,
                    format!(
                        "In “{name}” the zone node “{}” has no partner, so the tree is not evaluated.",
                        node.id
                    ),
                    "Create zones with `add_zone` and remove them as a whole with `remove_zone`.",
                )
            };
            unless_before(was_half(facts, name, &node.id), found)
        })
        .collect()
}
