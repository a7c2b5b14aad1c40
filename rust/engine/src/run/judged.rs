//! The results that a run wrote, and the verdict on them.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use geonode_gates::{Facts, judge};
use geonode_graph::documents::{Evidence, Made};
use geonode_graph::{Catalogue, Compiled, Document, Moves};
use geonode_protocol::{Envelope, Plan};
use geonode_run::{Answer, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::clock::clock;
use crate::error::{EngineError, lost};
use crate::run::verdict;
use crate::validate::Ledger;

/// Part of a saved run; skipped fields belong to a transaction, which no saved run has.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Judged {
    /// Identifier of the run, which its commit leaves on the trees that it made; empty in a run that an earlier version saved.
    #[serde(default)]
    pub(crate) run: String,
    /// Findings of the validators.
    pub(crate) ledger: Ledger,
    /// Blender's measurements.
    #[serde(skip)]
    evidence: Option<Arc<Evidence>>,
    /// The last of them in short, for the planner.
    #[serde(skip)]
    figures: Option<Value>,
    /// Plans whose steps are applied and not restored.
    #[serde(skip)]
    applied: Vec<Plan>,
    /// Trees and objects as they were before the first write.
    #[serde(skip)]
    base: Arc<Document>,
    /// Links of which its plans said that they carry nothing any more, by tree.
    #[serde(skip)]
    idle: BTreeSet<(String, [String; 4])>,
    /// Where the nodes that the run moved between trees were before.
    #[serde(skip)]
    moves: Moves,
    /// Trees that this run was allowed to write.
    #[serde(skip)]
    written: BTreeSet<String>,
}

impl Judged {
    pub(crate) fn of_a_new_run() -> Self {
        Self {
            run: new_id(),
            ..Self::default()
        }
    }

    /// Called before the first step of a plan writes.
    pub(crate) fn begin(&mut self, plan: Option<&Plan>, compiled: &Compiled, before: &Document) {
        let base = Arc::make_mut(&mut self.base);
        for (name, tree) in &before.trees {
            if !self.written.contains(name) && !base.trees.contains_key(name) {
                base.trees.insert(name.clone(), tree.clone());
            }
        }
        for (name, object) in &before.objects {
            base.objects.entry(name.clone()).or_insert_with(|| object.clone());
        }
        if self.applied.is_empty() {
            let warned = before
                .scene
                .objects
                .iter()
                .filter(|(_, figures)| !figures.warnings.is_empty());
            base.scene
                .objects
                .extend(warned.map(|(name, figures)| (name.clone(), figures.clone())));
        }
        self.written.extend(compiled.touched_trees.iter().cloned());
        self.applied.extend(plan.cloned());
        self.idle.extend(compiled.idle.iter().cloned());
        for step in &compiled.steps {
            self.moves.note(&step.trees);
        }
    }

    /// Counts this run's creations as its own before its end marks them, so that a later turn edits the same targets.
    pub(crate) fn claim(&self, document: &mut Document) {
        for made in document.tree_info.values_mut().filter_map(|info| info.made.as_mut()) {
            // It was committed, but saved for another process before it knew.
            made.this_run = made.as_left && !self.run.is_empty() && made.run == self.run;
        }
        for name in &self.written {
            let (Some(tree), Some(info)) = (document.trees.get(name), document.tree_info.get_mut(name)) else {
                continue;
            };
            // What differs from the mark is this run's own, and the artist was asked about what differed before.
            if let Some(made) = &mut info.made {
                made.left = None;
                made.this_run = true;
            }
            let before = self.base.trees.get(name);
            let known: HashSet<&str> = before
                .into_iter()
                .flat_map(|tree| &tree.nodes)
                .map(|node| node.id.as_str())
                .collect();
            let ids = tree.nodes.iter().map(|node| &node.id);
            let (moved, added): (Vec<&String>, Vec<&String>) = ids
                .filter(|id| !known.contains(id.as_str()))
                .partition(|id| self.came(name, id));
            if !added.is_empty() {
                let added = added.into_iter().cloned();
                let new = || Made {
                    as_left: before.is_none() && moved.is_empty(),
                    ..Made::default()
                };
                let made = info.made.get_or_insert_with(new);
                made.nodes.extend(added);
                made.this_run = true;
            }
        }
    }

    /// Whether the node was in another tree before the run.
    fn came(&self, tree: &str, id: &str) -> bool {
        let (origin, own) = self.moves.origin(tree, id);
        let nodes = self.base.trees.get(origin).map(|tree| tree.nodes.iter());
        (origin, own) != (tree, id) && nodes.is_some_and(|mut nodes| nodes.any(|node| node.id == own))
    }

    /// Trees that an executor worked on; the gates may find them changed.
    pub(crate) fn executed(&mut self, trees: &[String]) {
        self.written.extend(trees.iter().cloned());
    }

    pub(crate) fn keep_evidence(&mut self, json: &str) -> Result<Answer, Failure> {
        let evidence = serde_json::from_str(json).map_err(|e| EngineError::document("evidence", &e))?;
        self.evidence = Some(Arc::new(evidence));
        Ok(Answer::Evidence)
    }

    pub(crate) fn judge(
        &mut self,
        compiled: Option<&Compiled>,
        catalogue: &Catalogue,
        allow_empty: bool,
    ) -> Result<Envelope, Failure> {
        let evidence = self.evidence.take().ok_or_else(|| lost("evidence"))?;
        self.figures = figures(&evidence);
        let trees: Vec<String> = self.written.iter().cloned().collect();
        let now = compiled.map(|compiled| verdict::now(&compiled.after, &evidence));
        Ok(judge(&Facts {
            plans: &self.applied,
            before: &self.base,
            moves: &self.moves,
            idle: &self.idle,
            now: now.as_ref(),
            trees: &trees,
            evidence: &evidence,
            catalogue: Some(catalogue),
            allow_empty,
        }))
    }

    /// What was measured last, in short.
    pub(crate) fn figures(&self) -> Option<&Value> {
        self.figures.as_ref()
    }

    /// Number of plans that were applied and not restored.
    pub(crate) fn writes(&self) -> usize {
        self.applied.len()
    }

    /// Everything that was written has been restored.
    pub(crate) fn forget_writes(&mut self) {
        self.applied.clear();
        self.base = Arc::default();
        self.moves = Moves::default();
        self.idle.clear();
        self.written.clear();
    }
}

/// Digits of a measured length that a planner is shown, besides the first.
const DIGITS: usize = 4;

/// Counts, size and place of every object that the run wrote, and the names of its attributes.
fn figures(evidence: &Evidence) -> Option<Value> {
    let shortened = |number: f64| -> f64 { format!("{number:.DIGITS$e}").parse().unwrap_or(number) };
    let objects: Vec<Value> = evidence
        .objects
        .iter()
        .map(|object| {
            let measured = &object.evaluated;
            let mut out = serde_json::Map::new();
            out.insert("object".into(), json!(object.name));
            if let Ok(Value::Object(counts)) = serde_json::to_value(measured) {
                let counted = |(key, _): &(String, Value)| !matches!(key.as_str(), "bounds" | "finite" | "ms");
                out.extend(counts.into_iter().filter(counted));
            }
            if object.unchanged {
                out.insert("same_as_before".into(), json!(true));
            }
            if let Some([low, high]) = measured.bounds {
                let size = [0, 1, 2].map(|axis: usize| match (low.get(axis), high.get(axis)) {
                    (Some(low), Some(high)) => shortened(high - low),
                    _ => 0.0,
                });
                out.insert("size".into(), json!(size));
                out.insert("bounds".into(), json!([low.map(shortened), high.map(shortened)]));
            }
            Value::Object(out)
        })
        .collect();
    // Those that begin with a dot are Blender's own.
    let attributes = evidence
        .attributes
        .iter()
        .flatten()
        .filter(|name| !name.starts_with('.'));
    let attributes = attributes.take(MOST_ATTRIBUTES);
    let attributes: Vec<&String> = attributes.collect();
    (!objects.is_empty()).then(|| json!({"objects": objects, "attributes": attributes}))
}

/// Most names of attributes that a planner is shown.
const MOST_ATTRIBUTES: usize = 40;

/// An identifier that no other run has.
fn new_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    let time = clock().to_bits();
    // The system seeds each instance differently.
    format!("{:016x}", RandomState::new().hash_one(time) ^ time)
}
