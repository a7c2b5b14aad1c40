//! What the file contained when the run looked at it, to tell what the artist deletes from what a plan makes.

use std::collections::{BTreeMap, BTreeSet};

use geonode_graph::{Compiled, Document};
use geonode_protocol::Code;
use geonode_run::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Names of modifiers and trees, before the run wrote anything. Part of a saved run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Known {
    /// The modifiers of each object.
    modifiers: BTreeMap<String, BTreeSet<String>>,
    /// The trees that a plan might name.
    trees: BTreeSet<String>,
}

impl Known {
    /// What the context shows of objects and of the target's tree.
    pub(crate) fn of_context(context: &Value) -> Self {
        let name = |value: &Value| value.get("name").and_then(Value::as_str).map(str::to_owned);
        let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let objects = list(context, "objects");
        let of = |object: &Value| list(object, "modifiers").iter().filter_map(name).collect();
        let trees = context.pointer("/tree/trees").and_then(Value::as_object);
        Self {
            modifiers: objects
                .iter()
                .filter_map(|object| Some((name(object)?, of(object))))
                .collect(),
            trees: trees.into_iter().flat_map(|trees| trees.keys().cloned()).collect(),
        }
    }

    /// Adds objects and trees that are seen for the first time.
    pub(crate) fn add(&mut self, document: &Document) {
        for (name, object) in &document.objects {
            let modifiers = || object.modifiers.iter().map(|one| one.name.clone()).collect();
            self.modifiers.entry(name.clone()).or_insert_with(modifiers);
        }
        self.trees.extend(document.trees.keys().cloned());
    }

    /// Takes over the objects and trees that the planner is shown.
    pub(crate) fn show(&mut self, document: &Document) {
        for name in document.objects.keys() {
            self.modifiers.remove(name);
        }
        self.add(document);
    }

    /// The failure of a plan that would make again what the artist deleted; none if it makes no such thing.
    pub(crate) fn deleted(&self, compiled: &Compiled) -> Option<Failure> {
        let mut modifiers = compiled.new_modifiers.iter();
        let modifier =
            modifiers.find(|(object, name)| self.modifiers.get(object).is_some_and(|all| all.contains(name)));
        let tree = || compiled.new_trees.iter().find(|name| self.trees.contains(*name));
        let what = match modifier {
            Some((object, name)) => format!("The modifier “{name}” of “{object}”"),
            None => format!("The node group “{}”", tree()?),
        };
        let text = format!("{what} was deleted by hand during the run, which works on it, so the run stopped.");
        Some(Failure::new(Code::TouchedByArtist, text))
    }
}
