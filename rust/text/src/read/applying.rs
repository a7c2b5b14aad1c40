//! `apply` of a group that the page does not describe.

use geonode_graph::did_you_mean;
use geonode_graph::ir::Tree;
use geonode_protocol::Code;
use indexmap::IndexMap;

use super::book::Book;
use super::fault::Faults;
use super::page::Apply;
use super::step::{Done, RawStep, Target, inputs};

impl Book<'_> {
    /// `apply` of a group that the page does not describe: the modifier runs it, with these inputs.
    pub(super) fn apply_alone(
        &self,
        apply: &Apply,
        done: &[Done],
        trees: &IndexMap<String, Tree>,
        steps: &mut Vec<RawStep>,
        faults: &mut Faults,
    ) {
        let object = apply.object.as_deref().or(self.usual);
        let runs = |name: &str| {
            let modifiers = self
                .document
                .objects
                .get(name)
                .into_iter()
                .flat_map(|object| &object.modifiers);
            let mut modifiers = modifiers.filter(|one| one.node_group.is_some());
            modifiers.find(|one| match (&apply.modifier, &apply.group) {
                (Some(modifier), _) => one.name == *modifier,
                (None, Some(group)) => one.node_group.as_ref() == Some(group),
                (None, None) => true,
            })
        };
        let known = object.and_then(runs);
        let group = apply
            .group
            .clone()
            .or_else(|| known.and_then(|one| one.node_group.clone()));
        let (Some(object), Some(group)) = (object, group) else {
            let fix = "Write apply(\"Group\", object=\"Plane\", modifier=\"Name\", inputs={\"count\": 250}).";
            return faults.error(
                Code::MissingField,
                apply.at,
                "apply(…) names no group and object that are known.",
                fix,
            );
        };
        let Some(tree) = trees.get(&group) else {
            let fix = did_you_mean(&group, trees.keys().map(String::as_str))
                .unwrap_or_else(|| "Describe it with `def`.".to_owned());
            return faults.error(
                Code::UnknownNodeGroup,
                apply.at,
                format!("There is no node group “{group}”."),
                fix,
            );
        };
        let modifier = apply
            .modifier
            .clone()
            .or_else(|| known.map(|one| one.name.clone()))
            .unwrap_or_else(|| group.clone());
        let on = Target {
            object,
            modifier: &modifier,
            at: apply.at,
        };
        let values = inputs(apply, tree, faults);
        let runs_it = known.is_some_and(|one| one.name == modifier && one.node_group.as_ref() == Some(&group));
        let described = done.iter().any(|done| done.name == group && !done.edits);
        if !runs_it || apply.single_user {
            let name = self.own_name(&group, apply.single_user);
            steps.push(on.node_tree(&name, Vec::new(), apply.single_user, !described));
        }
        if !values.is_empty() {
            steps.push(on.gn_ops(None, values, false, !described));
        }
    }
}
