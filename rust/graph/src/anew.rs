//! Node groups and materials that a plan makes where something else has their names.
//!
//! What is there stays as it is and the new one gets the next free name; what the plan says of the name from then on means the new one.
//! The same plan again finds what it made under that name.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use geonode_protocol::{Code, Finding, GroupNodes, MakeMaterial, Plan};
use serde_json::{Map, Value};

use crate::documents::Document;
use crate::edited::Edited;
use crate::numbering::{free, numbered_names};
use crate::ops::{dissolved, grouping, material, operations_of};
use crate::renaming::rename;
use crate::sink::Sink;
use crate::sockets::group_tree;

/// The plan with the names of the groups and materials that it makes; none when they are those that it gives.
pub(crate) fn name_anew(plan: &Plan, document: &Document, sink: &mut Sink) -> Option<Plan> {
    let mut names = Names {
        document,
        dissolved: dissolved(plan),
        edited: Edited::new(document),
        groups: HashSet::new(),
        materials: HashMap::new(),
        given: Vec::new(),
    };
    for (index, step) in plan.steps.iter().enumerate() {
        let tree = names.edited.tree_of(step);
        for at in 0..operations_of(&step.action).count() {
            if let Some(op) = grouping(&step.action, at) {
                names.group((index, at), tree, op);
            } else if let Some(op) = material(&step.action, at) {
                names.material((index, at), op);
            }
        }
    }
    if names.given.is_empty() {
        return None;
    }
    let mut json = serde_json::to_value(plan).ok()?;
    for given in &names.given {
        given.carry_out(&mut json, sink);
    }
    serde_json::from_value(json).ok()
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Group,
    Material,
}

/// A name that a plan gives, and the one that it gets.
struct Given {
    kind: Kind,
    step: usize,
    op: usize,
    asked: String,
    name: String,
    /// The plan made it before, or there is one that is the same.
    again: bool,
}

impl std::fmt::Display for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { asked, name, .. } = self;
        match (self.kind, self.again) {
            (Kind::Group, true) => write!(
                f,
                "the node group “{name}” is the one that this plan made for “{asked}”"
            ),
            (Kind::Material, true) => write!(
                f,
                "the material “{name}” has the values that “{asked}” should get, and is used"
            ),
            (kind, false) => {
                let noun = if kind == Kind::Group { "node group" } else { "material" };
                write!(
                    f,
                    "there is already a {noun} “{asked}”, which stays as it is; the new one is “{name}”"
                )
            }
        }
    }
}

impl Given {
    /// Says so, and renames it from its operation on.
    fn carry_out(&self, plan: &mut Value, sink: &mut Sink) {
        let steps = plan.get_mut("steps").and_then(Value::as_array_mut);
        for (index, step) in steps.into_iter().flatten().enumerate().skip(self.step) {
            let Some(payload) = step.get_mut("payload") else {
                continue;
            };
            let path = format!("/steps/{index}/payload");
            if index > self.step {
                self.rename(payload, &path, sink);
                continue;
            }
            for list in ["operations", "ops"] {
                let operations = payload.get_mut(list).and_then(Value::as_array_mut);
                for (at, operation) in operations.into_iter().flatten().enumerate().skip(self.op) {
                    let path = format!("{path}/{list}/{at}");
                    if at == self.op {
                        let field = if self.kind == Kind::Group {
                            "node_group_name"
                        } else {
                            "name"
                        };
                        sink.push(Finding::info(
                            Code::NameTaken,
                            format!("{path}/{field}"),
                            self.to_string(),
                        ));
                    }
                    self.rename(operation, &path, sink);
                }
            }
        }
    }

    fn rename(&self, value: &mut Value, path: &str, sink: &mut Sink) {
        let makes = |fields: &Map<String, Value>| fields.get("op").and_then(Value::as_str) == Some("make_material");
        let new = |fields: &Map<String, Value>, key: &str, part: &str| {
            let is_it = part == self.asked
                && match self.kind {
                    Kind::Group => matches!(key, "node_group_name" | "node_group"),
                    Kind::Material => key == "material" || key == "name" && makes(fields),
                };
            is_it.then_some(self.name.as_str())
        };
        rename(value, path, &new, sink);
    }
}

struct Names<'p> {
    document: &'p Document,
    /// IDs of the group nodes that the plan makes and then replaces by their nodes.
    dissolved: std::collections::HashSet<&'p str>,
    edited: Edited<'p>,
    /// Groups that the plan makes so far, as it calls them.
    groups: HashSet<&'p str>,
    /// Materials that it makes so far, by name.
    materials: HashMap<&'p str, &'p MakeMaterial>,
    given: Vec<Given>,
}

impl<'p> Names<'p> {
    fn is_there(&self, kind: &str, name: &str) -> bool {
        let names = self.document.names.get(kind);
        let is_tree = kind == "node_group" && self.document.trees.contains_key(name);
        is_tree || names.is_some_and(|names| names.contains(name))
    }

    fn group(&mut self, (step, op): (usize, usize), tree: Option<&str>, made: &'p GroupNodes) {
        let asked = made.node_group_name.as_str();
        let content = tree.and_then(|tree| self.document.trees.get(tree));
        let runs_in = |id: &str| {
            let node = content?.nodes.iter().find(|node| node.id == id);
            node.and_then(group_tree)
        };
        let runs = runs_in(&made.id);
        if runs == Some(asked) || !self.groups.insert(asked) || !self.is_there("node_group", asked) {
            return;
        }
        let made_by_runs = |name: &str| {
            let info = self.document.tree_info.get(name);
            info.is_some_and(|info| info.made.is_some())
        };
        let owned = tree.and_then(|tree| self.document.tree_info.get(tree)?.made.as_ref());
        // Its group node may have got the next free ID too.
        let ids = std::iter::once(made.id.clone()).chain(numbered_names(&made.id));
        let owns = |id: &String| owned.is_some_and(|owned| owned.owns(id));
        let runs_now = ids.filter(owns).filter_map(|id| runs_in(&id)).find_map(|runs| {
            let mut names = numbered_names(asked);
            names.find(|name| name == runs)
        });
        let again = if runs_now.is_none() && runs.is_none() && self.dissolved.contains(made.id.as_str()) {
            if made_by_runs(asked) {
                return; // an earlier run of the plan did both
            }
            numbered_names(asked).find(|name| made_by_runs(name))
        } else {
            runs_now
        };
        self.give(Kind::Group, (step, op), asked, again);
    }

    fn material(&mut self, (step, op): (usize, usize), made: &'p MakeMaterial) {
        let asked = made.name.as_str();
        if self.materials.insert(asked, made).is_some() || !self.is_there("material", asked) {
            return;
        }
        let looks = |name: &str| self.document.materials.get(name);
        // Where nobody looked, Blender's side says what is there.
        let Some(there) = looks(asked) else { return };
        if !holds(there, made) {
            let again = numbered_names(asked).find(|name| looks(name).is_some_and(|there| holds(there, made)));
            self.give(Kind::Material, (step, op), asked, again);
        }
    }

    fn give(&mut self, kind: Kind, (step, op): (usize, usize), asked: &str, again: Option<String>) {
        let of = if kind == Kind::Group { "node_group" } else { "material" };
        let is_new = again.is_none();
        let is_given = |name: &str| self.given.iter().any(|given| given.kind == kind && given.name == name);
        let name = again.unwrap_or_else(|| free(asked, |name| self.is_there(of, name) || is_given(name)));
        self.given.push(Given {
            kind,
            step,
            op,
            asked: asked.to_owned(),
            name,
            again: !is_new,
        });
    }
}

/// Whether a material of the file looks as the one that should be made: what that leaves out is as in a new one.
fn holds(there: &crate::ir::Map, wanted: &MakeMaterial) -> bool {
    // Blender stores single precision.
    const NEAR: f64 = 1e-5;
    let near = |now: &Value, wanted: f64| {
        let now = now.as_f64();
        now.is_some_and(|now| (now - wanted).abs() <= NEAR * wanted.abs().max(1.0))
    };
    // The values are those of a new Principled BSDF, in all supported versions.
    let colors = [
        ("base_color", &wanted.base_color, [0.8, 0.8, 0.8]),
        ("emission_color", &wanted.emission_color, [1.0, 1.0, 1.0]),
    ];
    let numbers = [
        ("roughness", wanted.roughness, 0.5),
        ("metallic", wanted.metallic, 0.0),
        ("transmission", wanted.transmission, 0.0),
        ("alpha", wanted.alpha, 1.0),
        ("emission_strength", wanted.emission_strength, 0.0),
    ];
    let is_color = |(field, color, usual): &(&str, &Option<Vec<f64>>, [f64; 3])| {
        let color: &[f64] = color.as_deref().unwrap_or(usual);
        let Some(Value::Array(now)) = there.get(*field) else {
            return false;
        };
        let alpha = [1.0];
        let whole = color.iter().chain(alpha.iter().skip(color.len().saturating_sub(3)));
        now.len() == 4 && now.iter().zip(whole).all(|(now, wanted)| near(now, *wanted))
    };
    let is_number = |(field, number, usual): &(&str, Option<f64>, f64)| {
        let now = there.get(*field);
        now.is_some_and(|now| near(now, number.unwrap_or(*usual)))
    };
    !there.is_empty() && colors.iter().all(is_color) && numbers.iter().all(is_number)
}
