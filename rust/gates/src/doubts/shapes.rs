//! Shapes that are rarely meant: tubes without a profile, and a whole collection on each point.

use geonode_graph::ir::{Node, Side, Tree};
use geonode_protocol::{Code, Severity};
use serde_json::Value;

use super::doubt::Doubt;
use crate::facts::Facts;

const TUBE: &str = "GeometryNodeCurveToMesh";
const PROFILE: &str = "Profile Curve";
const COLLECTION: &str = "GeometryNodeCollectionInfo";
const CHILDREN: &str = "Separate Children";
const INSTANCE_ON_POINTS: &str = "GeometryNodeInstanceOnPoints";
const INSTANCE: &str = "Instance";
const PICK: &str = "Pick Instance";

pub(super) fn check(facts: &Facts<'_>) -> Vec<Doubt> {
    let mut found = Vec::new();
    let edges_alone = facts.evidence.objects.iter().any(|object| {
        let mesh = object.evaluated.mesh;
        mesh.is_some_and(|mesh| mesh.edges > 0 && mesh.faces == 0) && object.evaluated.parts() == ["mesh"]
    });
    for (name, tree) in facts.written_trees() {
        let made = tree.nodes.iter().filter(|node| facts.origin(name, &node.id).is_none());
        for node in made {
            match node.kind.as_str() {
                TUBE if edges_alone && feeding(facts, tree, node, PROFILE).is_none() => found.push(Doubt {
                    severity: Severity::Warning,
                    code: Code::NoProfile,
                    node: Some(node.id.clone()),
                    socket: Some(PROFILE.to_owned()),
                    cause: format!(
                        "“{}” has no profile, so that its mesh is a line of edges without faces.",
                        node.id
                    ),
                    fix: "Give it one, such as profile_curve=curve_circle(radius=0.05); leave it if edges are meant."
                        .to_owned(),
                }),
                INSTANCE_ON_POINTS => found.extend(whole_collection(facts, tree, node)),
                _ => {}
            }
        }
    }
    found
}

/// Children of a collection that are told apart and then put, all of them, on each point.
fn whole_collection(facts: &Facts<'_>, tree: &Tree, node: &Node) -> Option<Doubt> {
    let source = feeding(facts, tree, node, INSTANCE)?;
    let apart = source.kind == COLLECTION
        && (feeding(facts, tree, source, CHILDREN).is_some() || is_on(facts, source, CHILDREN))
        && feeding(facts, tree, node, PICK).is_none()
        && !is_on(facts, node, PICK);
    apart.then(|| Doubt {
        severity: Severity::Warning,
        code: Code::WholeCollection,
        node: Some(node.id.clone()),
        socket: Some(PICK.to_owned()),
        cause: format!(
            "“{}” puts every object of the collection on each point, although “{}” gives them one by one.",
            node.id, source.id
        ),
        fix: "For one object on each point write pick_instance=True; leave it if all of them are meant.".to_owned(),
    })
}

fn identifier<'f>(facts: &'f Facts<'_>, node: &Node, input: &str) -> Option<&'f str> {
    let kind = facts.catalogue?.nodes.get(&node.kind)?;
    let sockets = kind.state(&node.props).side(Side::Input);
    let socket = sockets.iter().find(|socket| socket.name == input)?;
    Some(socket.identifier.as_str())
}

/// The node that is linked to an input.
fn feeding<'t>(facts: &Facts<'_>, tree: &'t Tree, node: &Node, input: &str) -> Option<&'t Node> {
    let identifier = identifier(facts, node, input)?;
    let mut links = tree.links.iter();
    let link = links.find(|link| link.to.0 == node.id && link.to.1 == identifier)?;
    tree.nodes.iter().find(|node| node.id == link.from.0)
}

/// Whether an input is set to yes.
fn is_on(facts: &Facts<'_>, node: &Node, input: &str) -> bool {
    let value = identifier(facts, node, input).and_then(|identifier| node.inputs.get(identifier)?.get("value"));
    value.and_then(Value::as_bool) == Some(true)
}
