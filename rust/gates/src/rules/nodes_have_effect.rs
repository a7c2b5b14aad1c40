//! `NODES_HAVE_EFFECT`: the nodes that the plan creates have an effect.
//!
//! Blender does not report a group node without a group, an attribute that nothing stores, or a node that receives instances but acts
//! on meshes. A node that the run created and that certainly has no effect fails the gate; the artist's nodes that the run feeds, and
//! unused results, only give warnings, and so does what Blender takes although it is hardly meant.

use std::collections::{BTreeSet, HashSet};

use geonode_graph::ir::{Node, Side};
use geonode_lint::{Lint, Question, lint};
use geonode_protocol::{Code, GateFinding, Severity};
use serde_json::Value;

use crate::doubts::doubts;
use crate::facts::{Facts, finding};
use crate::gate::Gate;

pub(crate) const GATE: Gate = Gate {
    code: Code::NodesHaveEffect,
    judges_scripts: false,
    check,
};

fn check(facts: &Facts<'_>) -> Vec<GateFinding> {
    let (Some(now), Some(catalogue)) = (facts.now, facts.catalogue) else {
        return Vec::new();
    };
    let targets = facts.targets();
    let mut objects: Vec<&str> = targets.iter().map(|target| target.object).collect();
    objects.sort_unstable();
    objects.dedup();
    let trees: Vec<&str> = facts.written_trees().map(|(name, _)| name).collect();
    let mut known = facts.evidence.objects.iter().map(|object| object.materials.as_ref());
    let materials: Option<BTreeSet<String>> = known.try_fold(BTreeSet::new(), |mut all, one| {
        all.extend(one?.iter().cloned());
        Some(all)
    });
    let question = Question {
        objects: &objects,
        trees: &trees,
        attributes: facts.evidence.attributes.as_ref(),
        materials: materials.as_ref(),
    };
    let mut findings: Vec<GateFinding> = lint(now, catalogue, &question)
        .into_iter()
        .filter_map(|found| judged(facts, found))
        .collect();
    // What leads nowhere is noted only, and may be why nothing changed.
    if findings.iter().all(|finding| finding.code == Code::DeadEnd) {
        findings.extend(objects.iter().filter_map(|name| unchanged(facts, name)));
    }
    findings.extend(doubts(facts, GATE.code));
    findings
}

const SCENE_TIME: &str = "GeometryNodeInputSceneTime";
/// Nodes that take one of several inputs.
const CHOICES: [&str; 3] = [
    "GeometryNodeIndexSwitch",
    "GeometryNodeMenuSwitch",
    "GeometryNodeSwitch",
];
/// Nodes whose effect is not seen: they change what geometry carries or is called.
const UNSEEN: [&str; 5] = [
    "GeometryNodeRemoveAttribute",
    "GeometryNodeSetGeometryBundle",
    "GeometryNodeSetGeometryName",
    "GeometryNodeSetID",
    "GeometryNodeStoreNamedAttribute",
];

/// Whether the object shows what it showed before although the run was to change it: it made a modifier, set a value or made nodes. One that
/// also made sockets of the tree, or what is not seen, need not change anything yet.
fn unchanged(facts: &Facts<'_>, name: &str) -> Option<GateFinding> {
    let object = facts.object(name).filter(|object| object.unchanged)?;
    let unseen =
        || facts.made_sockets() || facts.made_node_of(&UNSEEN) || begins_neutral(facts) || feeds_a_choice(facts);
    let meant = facts.made_or_set_modifier(object) || facts.made_nodes();
    if !meant || moves_in_time(facts) || is_expected(facts, name) {
        return None;
    }
    // A value that was set was to show something.
    let is_set = facts.set_modifier(object) || !facts.made_nodes();
    (is_set || !unseen()).then(|| GateFinding {
path: None,
        severity: Severity::Warning,
        ..finding(
            GATE.code,
            Code::Unchanged,
            format!("“{}” shows exactly what it showed before.", object.name),
            "Check the values and what they meet: a translation of 0, a level of 0, a selection that holds nothing, or an object that does not \
             touch changes nothing. Leave it as it is if it is to change later.",
        )
    })
}

/// Whether what the run wrote follows time: its first frame may show what was there.
fn moves_in_time(facts: &Facts<'_>) -> bool {
    let follows = |node: &Node| {
        node.kind == SCENE_TIME
            || facts
                .category(&node.kind)
                .is_some_and(|role| role.starts_with("zone:simulation"))
    };
    facts.written_trees().any(|(_, tree)| tree.nodes.iter().any(follows))
}

/// Whether the plan says how large the object is, so that it is known to be as it was.
fn is_expected(facts: &Facts<'_>, name: &str) -> bool {
    let mut said = facts.plans.iter().flat_map(|plan| &plan.meta.expects);
    said.any(|expected| expected.object_name == name)
}

/// Whether a number that the artist will turn is zero as yet, in a tree that the run made. A seed is none.
fn begins_neutral(facts: &Facts<'_>) -> bool {
    facts
        .targets()
        .iter()
        .filter_map(|target| facts.modifier(target))
        .any(|modifier| {
            let name = modifier.node_group.as_deref();
            let made = name.filter(|name| !facts.before.trees.contains_key(*name));
            let tree = made.and_then(|name| facts.evidence.trees.get(name));
            let mut items = tree.into_iter().flat_map(|tree| &tree.interface);
            items.any(|item| {
                let value = modifier.inputs.get(&item.identifier).and_then(Value::as_f64);
                item.is_socket(Side::Input) && value == Some(0.0) && !item.name.to_lowercase().contains("seed")
            })
        })
}

/// Whether the run linked something to a choice, which may be one that is not taken now.
fn feeds_a_choice(facts: &Facts<'_>) -> bool {
    facts.written_trees().any(|(name, tree)| {
        let before = facts.before.trees.get(name);
        let choices = tree.nodes.iter().filter(|node| CHOICES.contains(&node.kind.as_str()));
        let choices: HashSet<&str> = choices.map(|node| node.id.as_str()).collect();
        let mut links = tree.links.iter();
        links.any(|link| {
            choices.contains(link.to.0.as_str()) && !before.is_some_and(|before| before.links.contains(link))
        })
    })
}

fn judged(facts: &Facts<'_>, found: Lint) -> Option<GateFinding> {
    let was = facts.before.trees.get(&found.tree);
    let old: HashSet<&str> = was
        .iter()
        .flat_map(|tree| &tree.nodes)
        .map(|node: &Node| node.id.as_str())
        .collect();
    let made = !old.contains(found.node.as_str()) && !facts.came(&found.tree, &found.node);
    let fed = || {
        let now = facts.evidence.trees.get(&found.tree);
        let mut links = now.iter().flat_map(|tree| &tree.links);
        let is_new = |id: &str| !old.contains(id) && !facts.came(&found.tree, id);
        links.any(|link| link.to.0 == found.node && is_new(&link.from.0))
    };
    let concerned = made || found.effectless && fed();
    if !concerned {
        return None;
    }
    let severity = if made && found.effectless {
        Severity::Error
    } else {
        Severity::Warning
    };
    Some(GateFinding {
        path: None,
        severity,
        node_id: Some(found.node),
        socket: found.socket,
        ..finding(GATE.code, found.code, found.cause, found.fix)
    })
}
