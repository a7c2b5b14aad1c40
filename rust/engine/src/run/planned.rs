//! The present plan, and the result of compiling it.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use geonode_graph::{Catalogue, Compiled, Document, StepDelta, changes, naming, shorten};
use geonode_protocol::{Action, Code, Finding, Origins, Plan};
use geonode_run::Failure;
use geonode_text::{Called, PagePlaces};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::choice::Places;
use crate::error::lost;
use crate::run::trial::Trial;
use crate::validate::starts;

/// Part of a saved run; skipped fields are compiled again when the run is resumed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Planned {
    /// The plan as checked, later with the repairs of its compilation.
    pub(crate) plan: Option<Arc<Plan>>,
    /// Changes of earlier turns in plain words, then of this one.
    pub(crate) diff: Arc<Vec<String>>,
    /// Those of earlier turns.
    #[serde(skip)]
    pub(crate) earlier: Vec<String>,
    /// Where the plan's operations are in the reply.
    #[serde(skip)]
    pub(crate) origins: Origins,
    /// Where the steps of the plan were before the artist left something out.
    #[serde(skip)]
    pub(crate) places: Option<Places>,
    /// Where the steps come from that a page became.
    #[serde(skip)]
    pub(crate) pages: PagePlaces,
    /// What a page calls the nodes of the trees that it is about.
    #[serde(skip)]
    pub(crate) called: Called,
    /// Indices of steps of the plan that edit exactly the tree that they name, as those of pages may.
    #[serde(default)]
    pub(crate) exact: BTreeSet<usize>,
    /// The reasons for which the artist was asked about the present plan.
    #[serde(skip)]
    pub(crate) reasons_given: Vec<String>,
    /// The document that the plan is compiled against.
    #[serde(skip)]
    pub(crate) document: Arc<Document>,
    /// The targets as the last turn left them.
    #[serde(skip)]
    pub(crate) left: Arc<Document>,
    #[serde(skip)]
    pub(crate) compiled: Option<Arc<Compiled>>,
    /// What the last trial says about the plan.
    #[serde(skip)]
    trial: Trial,
}

impl Planned {
    /// A plan was compiled: trials of the one before say nothing about it.
    pub(crate) fn hold_to_trial(&mut self, required: bool) {
        self.trial = Trial::of(required);
    }

    /// Whether its trial counts only inside the sandbox.
    pub(crate) fn must_be_sealed(&self) -> bool {
        self.trial.required
    }

    /// Takes what a trial did out of its result, and adds in which form the scripts will run.
    pub(crate) fn tried(&mut self, result: &mut Map<String, Value>, blender: &str) {
        self.trial.take(result, self.plan.as_deref(), blender);
    }

    /// What the plan may make, change and remove by name; none: its names are not bounded.
    pub(crate) fn bounds(&self) -> Option<Value> {
        self.trial.bounds()
    }

    /// Sets the compiled plan for the next steps.
    pub(crate) fn take(&mut self, plan: Plan, compiled: Compiled) {
        self.plan = Some(Arc::new(plan));
        self.diff = Arc::new(self.earlier.iter().chain(&compiled.diff).cloned().collect());
        self.compiled = Some(Arc::new(compiled));
    }

    /// The finding with the pointer that the reply has.
    pub(crate) fn trace(&self, finding: Finding) -> Finding {
        let finding = match &self.places {
            Some(places) => places.trace(finding),
            None => finding,
        };
        self.origins.trace(self.pages.trace(finding))
    }

    /// JSON Pointer into the reply to the last operation that names a node, else to the last step.
    pub(crate) fn place_of(&self, node: Option<&str>) -> Option<String> {
        let plan = self.plan.as_deref()?;
        let steps = plan.steps.iter().enumerate().rev();
        let of_node = node.and_then(|node| {
            let mut all = steps.clone();
            all.find_map(|(at, step)| Some(format!("/steps/{at}/payload/{}", naming(&step.action, node)?)))
        });
        let last = plan.steps.len().checked_sub(1);
        let path = of_node.or_else(|| Some(format!("/steps/{}", last?)))?;
        Some(self.trace(Finding::error(Code::GateFailed, path, "")).path)
    }

    /// Type and payload of the next step, if the host carries it out: a script or the record of its trial, or an added type.
    pub(crate) fn hosted(&self, index: usize) -> Option<(String, Value)> {
        let step = self.plan.as_ref()?.steps.get(index)?;
        let action = &step.action;
        let payload = match action {
            Action::Python(script) => {
                starts(script);
                match self.trial.payload(&step.id, script) {
                    Some(record) => record,
                    None => serde_json::to_value(script).ok()?,
                }
            }
            Action::Added(step) => step.payload.clone(),
            Action::NodeTree(_) | Action::TreeText(_) | Action::GnOps(_) => return None,
        };
        Some((action.type_name().to_owned(), payload))
    }

    /// The edits of a step.
    pub(crate) fn delta(&self, index: usize) -> Result<StepDelta, Failure> {
        let compiled = self.compiled.as_ref().ok_or_else(|| lost("compiled plan"))?;
        compiled.steps.get(index).cloned().ok_or_else(|| lost("step"))
    }

    /// Those of the objects that the plan does not make.
    pub(crate) fn present(&self, mut objects: Vec<String>) -> Vec<String> {
        if let Some(compiled) = &self.compiled {
            objects.retain(|name| !compiled.new_objects.contains(name));
        }
        objects
    }

    /// Objects besides `known` in the expectations of a plan with a script, since only the script knows which objects it works on.
    pub(crate) fn expected_of_scripts(&self, known: &[String]) -> BTreeSet<String> {
        let scripted = |plan: &&Arc<Plan>| plan.steps.iter().any(|step| matches!(step.action, Action::Python(_)));
        let plans = self.plan.iter().filter(scripted);
        plans
            .flat_map(|plan| {
                let counted = plan.meta.expects.iter().map(|expected| &expected.object_name);
                counted.chain(plan.meta.measures.iter().map(|measure| &measure.object_name))
            })
            .filter(|&name| !known.contains(name))
            .cloned()
            .collect()
    }

    /// What the run changed and what was changed by hand since its last turn, in words; `None` when nothing was.
    pub(crate) fn conflict(&self, now: &Document, catalogue: &Catalogue) -> Option<String> {
        let mut by_hand = Vec::new();
        for (name, tree) in &self.left.trees {
            match now.trees.get(name) {
                None => by_hand.push(format!("“{name}” is gone")),
                Some(present) if present != tree => {
                    let lines = changes(name, &self.left.trees, &now.trees, catalogue);
                    by_hand.extend(lines.into_iter().map(|line| format!("“{name}”: {line}")));
                }
                Some(_) => {}
            }
        }
        for (name, object) in &self.left.objects {
            if now.objects.get(name) != Some(object) {
                by_hand.push(format!("the modifiers of “{name}”"));
            }
        }
        (!by_hand.is_empty()).then(|| {
            let by_run = if self.diff.is_empty() {
                "nothing".to_owned()
            } else {
                shorten(&self.diff)
            };
            format!("By hand: {}. By this run: {by_run}.", shorten(&by_hand))
        })
    }
}

/// Fingerprint that is equal for equal objects and trees; names of other data-blocks do not count, so that unrelated work of the artist is not a conflict.
pub(crate) fn fingerprint(document: &Document) -> String {
    let mut hasher = DefaultHasher::new();
    for part in [
        serde_json::to_string(&document.objects),
        serde_json::to_string(&document.trees),
    ] {
        part.unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}
