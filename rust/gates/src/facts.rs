//! The data that the gates judge.

use std::collections::{BTreeSet, HashSet};

use geonode_graph::Document;
use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Modifier;
use geonode_graph::documents::evidence::{EvaluatedObject, Evidence, InvalidLink, ResultBefore};
use geonode_graph::ir::{Item, ItemKind, Link, MAX_NESTED, Node, Side, Tree};
use geonode_graph::sockets::{FRAME, GEOMETRY, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_graph::{Moves, uses_group};
use geonode_protocol::{Action, Code, GateFinding, Plan, Severity};

/// Everything that a gate may use.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The plans of this run that were applied, oldest first.
    pub plans: &'a [Plan],
    /// The trees and objects as they were before the run's first write.
    pub before: &'a Document,
    /// Where the nodes that the run moved between trees were before.
    pub moves: &'a Moves,
    /// Links that stay and carry nothing, of which the plans said so, by tree.
    pub idle: &'a BTreeSet<(String, [String; 4])>,
    /// The file as it is now, as far as it is known; if `None`, the data that flows through the trees is not judged.
    pub now: Option<&'a Document>,
    /// Names of the trees that the run was allowed to write or create.
    pub trees: &'a [String],
    /// Blender's measurements.
    pub evidence: &'a Evidence,
    /// The nodes of this Blender, for roles of node types; if `None`, roles are known by name only.
    pub catalogue: Option<&'a Catalogue>,
    /// Whether the artist asked for an empty result.
    pub allow_empty: bool,
}

/// A modifier that a plan is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target<'a> {
    /// Object.
    pub object: &'a str,
    /// Modifier on it.
    pub modifier: &'a str,
    /// Tree that the plan names for it, or a group that its tree uses; `GN_OPS` uses the modifier's tree.
    pub tree: Option<&'a str>,
    /// Whether the plan may create the modifier.
    pub may_create: bool,
}

impl<'a> Facts<'a> {
    /// The modifiers that the plans are about, each once.
    pub fn targets(&self) -> Vec<Target<'a>> {
        let mut targets: Vec<Target<'a>> = Vec::new();
        for step in self.plans.iter().flat_map(|plan| &plan.steps) {
            let target = match &step.action {
                Action::NodeTree(tree) => Target {
                    object: &tree.target.object_name,
                    modifier: &tree.target.modifier_name,
                    tree: Some(&tree.target.node_group_name),
                    may_create: true,
                },
                Action::GnOps(ops) => Target {
                    object: &ops.target.object_name,
                    modifier: &ops.target.modifier_name,
                    tree: None,
                    may_create: ops.may_create_modifier(),
                },
                Action::TreeText(_) | Action::Python(_) | Action::Added(_) => continue,
            };
            let known = targets
                .iter_mut()
                .find(|t| t.object == target.object && t.modifier == target.modifier);
            if let Some(known) = known {
                known.tree = target.tree.or(known.tree);
                known.may_create |= target.may_create;
            } else {
                targets.push(target);
            }
        }
        targets
    }

    /// Whether a modifier that runs the first tree is a target of a plan that names the second: the same one, or a group in it.
    pub fn holds(&self, tree: &str, wanted: &str) -> bool {
        tree == wanted || uses_group(Some(tree), wanted, self.now.unwrap_or(self.before))
    }

    /// Whether the run carried out nothing but scripts.
    pub fn only_scripts(&self) -> bool {
        let mut steps = self.plans.iter().flat_map(|plan| &plan.steps).peekable();
        steps.peek().is_some() && steps.all(|step| matches!(step.action, Action::Python(_)))
    }

    /// The object's evidence.
    pub fn object(&self, name: &str) -> Option<&'a EvaluatedObject> {
        self.evidence.objects.iter().find(|object| object.name == name)
    }

    /// The modifier's evidence.
    pub fn modifier(&self, target: &Target<'_>) -> Option<&'a Modifier> {
        self.object(target.object)?
            .modifiers
            .iter()
            .find(|modifier| modifier.name == target.modifier)
    }

    /// The written trees that exist now, in order.
    pub fn written_trees(&self) -> impl Iterator<Item = (&'a str, &'a Tree)> {
        let (trees, evidence) = (self.trees, self.evidence);
        evidence
            .trees
            .iter()
            .filter(|(name, _)| trees.contains(name))
            .map(|(name, tree)| (name.as_str(), tree))
    }

    /// Names of the trees that target modifiers use directly.
    pub fn modifier_trees(&self) -> Vec<&'a str> {
        self.targets()
            .iter()
            .filter_map(|target| {
                self.modifier(target)
                    .and_then(|m| m.node_group.as_deref())
                    .or(target.tree)
            })
            .collect()
    }

    /// The role that the catalogue gives to a node type, for example `zone:repeat:out`.
    pub fn category(&self, kind: &str) -> Option<&'a str> {
        self.catalogue?.nodes.get(kind)?.category.as_deref()
    }
}

impl Facts<'_> {
    /// Whether a tree of the artist's, whose geometry reached no output before the run, is as unfinished as it was: the run made no geometry
    /// in it, so its steps had something else to do there.
    pub(crate) fn left_unfinished(&self, name: &str) -> bool {
        let (Some(before), Some(now)) = (self.before.trees.get(name), self.evidence.trees.get(name)) else {
            return false;
        };
        !shows_geometry(before, self.invalid_before(name)) && !self.made_geometry(name, now, 0)
    }

    /// Whether the run made a node in any tree that may make geometry; what it only moved or grouped was there before.
    pub(crate) fn made_any_geometry(&self) -> bool {
        self.written_trees()
            .any(|(name, tree)| self.made_geometry(name, tree, 0))
    }

    /// Whether the run made a node in any tree that can do something; what it only moved or grouped was there before.
    pub(crate) fn made_nodes(&self) -> bool {
        self.written_trees().any(|(name, tree)| {
            self.new_nodes(name, tree)
                .any(|node| !is_idle(node) && !self.only_groups(node, 0))
        })
    }

    /// Whether a tree that was there before got inputs or outputs.
    pub(crate) fn made_sockets(&self) -> bool {
        self.written_trees().any(|(name, tree)| {
            let sockets = |tree: &Tree| {
                tree.interface
                    .iter()
                    .filter(|item| item.kind == ItemKind::Socket)
                    .count()
            };
            self.before
                .trees
                .get(name)
                .is_some_and(|before| sockets(tree) > sockets(before))
        })
    }

    /// Whether the run made a node of one of these types.
    pub(crate) fn made_node_of(&self, types: &[&str]) -> bool {
        self.written_trees().any(|(name, tree)| {
            self.new_nodes(name, tree)
                .any(|node| types.contains(&node.kind.as_str()))
        })
    }

    /// Whether the run made a modifier of the object, or set an input of one.
    pub(crate) fn made_or_set_modifier(&self, object: &EvaluatedObject) -> bool {
        let names = self.evidence.before.modifiers.get(&object.name);
        let is_new = |name: &String| names.is_none_or(|names| !names.contains(name));
        self.set_modifier(object) || self.targeted(object).any(|modifier| is_new(&modifier.name))
    }

    /// The modifiers of the object that a plan is about.
    fn targeted<'o>(&self, object: &'o EvaluatedObject) -> impl Iterator<Item = &'o Modifier> {
        let targets = self.targets();
        object.modifiers.iter().filter(move |modifier| {
            let mut targets = targets.iter();
            targets.any(|target| target.object == object.name && target.modifier == modifier.name)
        })
    }

    /// Whether the run set an input of a modifier of the object that was there.
    pub(crate) fn set_modifier(&self, object: &EvaluatedObject) -> bool {
        let before = self.before.objects.get(&object.name);
        self.targeted(object).any(|modifier| {
            let was = before.and_then(|before| before.modifiers.iter().find(|was| was.name == modifier.name));
            was.is_some_and(|was| {
                let mut kept = was.inputs.iter();
                kept.any(|(key, value)| modifier.inputs.get(key).is_some_and(|now| now != value))
            })
        })
    }

    fn made_geometry(&self, name: &str, tree: &Tree, depth: usize) -> bool {
        self.new_nodes(name, tree)
            .any(|node| self.may_make_geometry(node) && !self.only_groups(node, depth))
    }

    /// The nodes that were neither in this tree before nor in another.
    fn new_nodes<'t>(&'t self, name: &'t str, tree: &'t Tree) -> impl Iterator<Item = &'t Node> {
        let old = self.before.trees.get(name);
        let old: HashSet<&str> = old.into_iter().flat_map(ids).collect();
        let is_new = move |node: &&Node| !old.contains(node.id.as_str()) && !self.came(name, &node.id);
        tree.nodes.iter().filter(is_new)
    }

    /// Whether a new group node holds nothing but what was there before.
    fn only_groups(&self, node: &Node, depth: usize) -> bool {
        let Some(name) = node.group().filter(|_| depth < MAX_NESTED) else {
            return false;
        };
        let made = self.evidence.trees.get(name);
        let made = made.filter(|_| !self.before.trees.contains_key(name));
        made.is_some_and(|tree| !self.made_geometry(name, tree, depth + 1))
    }

    /// Whether the node was in another tree before the run.
    pub(crate) fn came(&self, tree: &str, id: &str) -> bool {
        self.moves.origin(tree, id) != (tree, id) && self.origin(tree, id).is_some()
    }

    /// The node as it was before the run, in this tree or in the one that it comes from.
    pub(crate) fn origin(&self, tree: &str, id: &str) -> Option<&Node> {
        let (tree, id) = self.moves.origin(tree, id);
        self.before.trees.get(tree)?.nodes.iter().find(|node| node.id == id)
    }

    /// What is known about the object's result before the run.
    pub(crate) fn result_before(&self, object: &str) -> Option<&ResultBefore> {
        self.evidence.results_before.get(object)
    }

    /// Whether Blender marked the link between these nodes and sockets as invalid before the run. Where nodes were moved across the border of
    /// a group, a link to or from the border stands for the one that was there.
    pub(crate) fn was_invalid(&self, tree: &str, (from, out): (&str, &str), (to, input): (&str, &str)) -> bool {
        let (start, end) = (self.moves.origin(tree, from), self.moves.origin(tree, to));
        let (from_border, to_border) = (self.is_border(tree, from), self.is_border(tree, to));
        let mut before = self.evidence.invalid_before.iter();
        before.any(|(name, links)| {
            links.iter().any(|(a, b, c, d, _)| {
                let is_start = start == (name.as_str(), a.as_str()) && out == b;
                let is_end = end == (name.as_str(), c.as_str()) && input == d;
                is_start && (is_end || to_border) || from_border && is_end
            })
        })
    }

    /// The links of a tree that Blender marked as invalid before the run.
    pub(crate) fn invalid_before(&self, tree: &str) -> &[InvalidLink] {
        self.evidence.invalid_before.get(tree).map_or(&[], Vec::as_slice)
    }

    /// The links of a tree that are invalid and were so before the run, which no other gate reports.
    pub(crate) fn still_invalid(&self, tree: &str) -> Vec<InvalidLink> {
        let now = self.evidence.invalid_links.get(tree).into_iter().flatten();
        now.filter(|(from, out, to, input, _)| self.was_invalid(tree, (from, out), (to, input)))
            .cloned()
            .collect()
    }

    /// Whether the node is the border of a group: its Group Input or Output, or a group node.
    fn is_border(&self, tree: &str, id: &str) -> bool {
        let nodes = self.evidence.trees.get(tree).into_iter().flat_map(|tree| &tree.nodes);
        let mut kinds = nodes.filter(|node| node.id == id).map(|node| node.kind.as_str());
        kinds
            .next()
            .is_some_and(|kind| matches!(kind, GROUP | GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE))
    }

    fn may_make_geometry(&self, node: &Node) -> bool {
        if is_idle(node) {
            return false;
        }
        let kind = self.catalogue.and_then(|catalogue| catalogue.nodes.get(&node.kind));
        kind.is_none_or(|kind| {
            let outputs = kind.state(&node.props).side(Side::Output);
            node.kind == GROUP || outputs.iter().any(|socket| socket.kind == GEOMETRY)
        })
    }

    /// Whether another mode of the node, set by the run, took the socket out of use.
    pub(crate) fn went_out_of_use(&self, before: &Node, now: &Node, side: Side, socket: &str) -> bool {
        let kind = self.catalogue.and_then(|catalogue| catalogue.nodes.get(&now.kind));
        let in_use = |node: &Node| {
            let sockets = kind.map(|kind| kind.state(&node.props).side(side));
            let mut sockets = sockets.into_iter().flatten();
            sockets.any(|one| one.identifier == socket && one.available)
        };
        before.kind == now.kind && in_use(before) && !in_use(now)
    }
}

/// Whether the node can do nothing by itself.
fn is_idle(node: &Node) -> bool {
    matches!(
        node.kind.as_str(),
        FRAME | REROUTE | GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE
    )
}

/// Whether something reaches a geometry output of the tree.
fn shows_geometry(tree: &Tree, invalid: &[InvalidLink]) -> bool {
    outputs(tree).filter(|item| item.socket_type == GEOMETRY).any(|item| {
        let mut links = tree.links.iter();
        links.any(|link| link.to.1 == item.identifier && is_output(tree, &link.to.0) && carries(tree, link, invalid))
    })
}

/// Whether the node is a Group Output.
pub(crate) fn is_output(tree: &Tree, id: &str) -> bool {
    tree.nodes
        .iter()
        .any(|node| node.id == id && node.kind == GROUP_OUTPUT_TYPE)
}

pub(crate) fn outputs(tree: &Tree) -> impl Iterator<Item = &Item> {
    tree.interface.iter().filter(|item| item.is_socket(Side::Output))
}

/// True when the link carries a value: it is neither muted nor among the `invalid` ones, and does not come from an unlinked reroute.
pub(crate) fn carries(tree: &Tree, link: &Link, invalid: &[InvalidLink]) -> bool {
    let is_invalid = |link: &Link| {
        let mut marked = invalid.iter();
        marked.any(|(a, b, c, d, _)| (&link.from.0, &link.from.1, &link.to.0, &link.to.1) == (a, b, c, d))
    };
    let mut link = link;
    // Longer than any chain without a cycle.
    for _ in 0..=tree.links.len() {
        if link.muted || is_invalid(link) {
            return false;
        }
        let source = tree.nodes.iter().find(|node| node.id == link.from.0);
        match source {
            None => return false,
            Some(Node { kind, .. }) if kind != REROUTE => return true,
            Some(node) => match tree.links.iter().find(|l| l.to.0 == node.id) {
                None => return false,
                Some(before) => link = before,
            },
        }
    }
    false
}

fn ids(tree: &Tree) -> impl Iterator<Item = &str> {
    tree.nodes.iter().map(|node| node.id.as_str())
}

/// The finding, which is no fault of the run where it was so before: it is said, and does not fail the gate.
pub(crate) fn unless_before(was_so: bool, found: GateFinding) -> GateFinding {
    if !was_so {
        return found;
    }
    GateFinding {
        path: None,
        severity: Severity::Warning,
        cause: format!("{} It was so before the run.", found.cause),
        ..found
    }
}

/// A finding of `gate` about a whole tree or object.
pub(crate) fn finding(gate: Code, code: Code, cause: impl Into<String>, fix: impl Into<String>) -> GateFinding {
    GateFinding {
        path: None,
        gate,
        code,
        severity: Severity::Error,
        node_id: None,
        socket: None,
        cause: cause.into(),
        fix: Some(fix.into()),
    }
}
