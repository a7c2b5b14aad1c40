//! Plans checked: inside a run, and on their own for scripts.

use std::sync::Arc;

use geonode_graph::document::{Modifier, Object, TreeInfo};
use geonode_graph::ir::{Bundle, Tree};
use geonode_graph::{Catalogue, Document, StepDelta, compile, targets};
use geonode_protocol::{
    Action, Code, Extensions, Finding, Limits, Origins, Parsed, Plan, parse_plan_value_with, parse_plan_with,
};
use geonode_run::{PlanInfo, StepInfo};
use indexmap::IndexMap;
use serde::Serialize;

use crate::error::EngineError;
use crate::extensions::extensions;
use crate::request::PlanInput;

/// Reads a plan and applies the rules of this version: scripts are refused until safe mode exists.
pub(crate) fn read(input: &PlanInput, limits: &Limits, extensions: &Extensions) -> Parsed {
    let mut parsed = match input {
        PlanInput::Text(text) => parse_plan_with(text, limits, extensions),
        PlanInput::Json(value) => parse_plan_value_with(value, limits, extensions),
    };
    let steps = parsed.plan.iter().flat_map(|plan| &plan.steps).enumerate();
    let scripts: Vec<Finding> = steps
        .filter(|(_, step)| matches!(step.action, Action::Python(_)))
        .map(|(index, _)| {
            Finding::error(
                Code::PythonNotAllowed,
                format!("/steps/{index}/type"),
                "Python steps are not carried out: this version has no safe mode for scripts.",
            )
            .hint("Express the step with NODE_TREE or GN_OPS operations.")
        })
        .collect();
    if !scripts.is_empty() {
        parsed.plan = None;
        parsed.findings.extend(scripts);
    }
    parsed
}

/// What the machine needs to know of a plan.
pub(crate) fn info(plan: &Plan) -> PlanInfo {
    let targets = targets(plan);
    let asked = |name: fn(&geonode_protocol::ContextRequest) -> Option<&String>| {
        plan.context_requests
            .iter()
            .filter_map(name)
            .cloned()
            .collect::<Vec<_>>()
    };
    PlanInfo {
        steps: plan
            .steps
            .iter()
            .map(|step| StepInfo {
                step_id: step.id.clone(),
                action_type: step.action.type_name().to_owned(),
            })
            .collect(),
        done: plan.done,
        final_message: plan.final_message.clone(),
        objects: targets
            .objects
            .into_iter()
            .chain(asked(|r| r.object_name.as_ref()))
            .collect(),
        trees: targets
            .trees
            .into_iter()
            .chain(asked(|r| r.node_group_name.as_ref()))
            .collect(),
        wants_context: !plan.context_requests.is_empty(),
    }
}

/// Verdict on a plan without a scene.
#[derive(Debug, Serialize)]
pub struct Validated {
    /// No finding is an error.
    pub ok: bool,
    /// Everything found.
    pub messages: Vec<Finding>,
    /// The plan with its certain repairs; none when it is refused.
    pub plan: Option<Plan>,
}

/// Checks a plan against the protocol and, with a catalogue, against the nodes of that Blender. Objects, trees and nodes of the scene
/// are not known here and taken to exist.
///
/// # Errors
/// [`EngineError::Catalogue`] when the catalogue cannot be read.
pub fn validate_plan(input: &PlanInput, catalogue: Option<&str>) -> Result<Validated, EngineError> {
    let Parsed {
        plan,
        findings,
        origins,
    } = read(input, &Limits::default(), &extensions());
    let Some((plan, catalogue)) = plan.as_ref().zip(catalogue) else {
        return Ok(Validated {
            ok: plan.is_some(),
            messages: findings,
            plan,
        });
    };
    let catalogue = crate::catalogue(catalogue)?;
    let document = imagined(plan, IndexMap::default(), None);
    Ok(preflight(plan, findings, &origins, &document, &catalogue).0)
}

/// A plan compiled against a tree.
#[derive(Debug, Serialize)]
pub struct Reconciled {
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Validated,
    /// The edits of each step; empty when the plan is refused.
    pub steps: Vec<StepDelta>,
    /// The edits in plain words.
    pub diff: Vec<String>,
    /// The trees after all steps, as far as they can be known without Blender.
    pub trees: IndexMap<String, Tree>,
}

/// Compiles a plan against exported trees (`current` is JSON of a Bundle). Objects and modifiers that the plan names are taken to exist and to
/// run the bundle's root.
///
/// # Errors
/// [`EngineError::Document`] for a bundle, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn reconcile(current: &str, input: &PlanInput, catalogue: &str) -> Result<Reconciled, EngineError> {
    let bundle: Bundle = serde_json::from_str(current).map_err(|e| EngineError::document("tree", &e))?;
    let catalogue: Arc<Catalogue> = crate::catalogue(catalogue)?;
    let Parsed {
        plan,
        findings,
        origins,
    } = read(input, &Limits::default(), &extensions());
    let Some(plan) = plan else {
        let verdict = Validated {
            ok: false,
            messages: findings,
            plan: None,
        };
        return Ok(Reconciled {
            verdict,
            steps: Vec::new(),
            diff: Vec::new(),
            trees: bundle.trees,
        });
    };
    let document = imagined(&plan, bundle.trees, bundle.root.as_deref());
    let (verdict, compiled) = preflight(&plan, findings, &origins, &document, &catalogue);
    let refused = !verdict.ok;
    Ok(Reconciled {
        steps: if refused { Vec::new() } else { compiled.steps },
        diff: if refused { Vec::new() } else { compiled.diff },
        trees: if refused { document.trees } else { compiled.after.trees },
        verdict,
    })
}

/// Findings that only a real scene can decide.
const NEEDS_SCENE: &[Code] = &[
    Code::TargetMissing,
    Code::UnknownDataBlock,
    Code::UnknownInput,
    Code::UnknownModifier,
    Code::UnknownNode,
    Code::UnknownNodeGroup,
    Code::UnknownObject,
    Code::UnknownZone,
];

fn preflight(
    plan: &Plan,
    mut findings: Vec<Finding>,
    origins: &Origins,
    document: &Document,
    catalogue: &Catalogue,
) -> (Validated, geonode_graph::Compiled) {
    let compiled = compile(plan, document, catalogue);
    // A tree that is known decides about its nodes; one that was only imagined does not.
    let blank = document.trees.values().all(|tree| tree.nodes.is_empty());
    findings.extend(
        compiled
            .findings
            .iter()
            .filter(|f| !(NEEDS_SCENE.contains(&f.code) && (blank || f.code == Code::UnknownDataBlock)))
            .map(|finding| origins.trace(finding.clone())),
    );
    let ok = !findings.iter().any(Finding::is_error);
    let plan = if ok {
        compiled.repaired_plan(plan).or_else(|| Some(plan.clone()))
    } else {
        None
    };
    (
        Validated {
            ok,
            messages: findings,
            plan,
        },
        compiled,
    )
}

/// A scene in which everything that the plan names exists.
fn imagined(plan: &Plan, trees: IndexMap<String, Tree>, root: Option<&str>) -> Document {
    let mut document = Document {
        trees,
        ..Document::default()
    };
    for step in &plan.steps {
        let (object, modifier, tree) = match &step.action {
            Action::NodeTree(payload) => {
                let target = &payload.target;
                (
                    &target.object_name,
                    &target.modifier_name,
                    target.node_group_name.clone(),
                )
            }
            Action::GnOps(payload) => {
                let target = &payload.target;
                let tree = root.map_or_else(|| format!("{} tree", target.modifier_name), str::to_owned);
                (&target.object_name, &target.modifier_name, tree)
            }
            Action::Python(_) | Action::Added(_) => continue,
        };
        let object = document.objects.entry(object.clone()).or_insert_with(|| Object {
            kind: "MESH".into(),
            ..Object::default()
        });
        if !object.modifiers.iter().any(|m| &m.name == modifier) {
            object.modifiers.push(Modifier {
                name: modifier.clone(),
                kind: "NODES".into(),
                node_group: Some(tree.clone()),
                ..Modifier::default()
            });
        }
        document.trees.entry(tree).or_default();
    }
    for name in document.trees.keys() {
        let info = TreeInfo {
            users: 1,
            library: false,
            kind: "GeometryNodeTree".into(),
        };
        document.tree_info.insert(name.clone(), info);
    }
    document
        .names
        .insert("object".into(), document.objects.keys().cloned().collect());
    document
        .names
        .insert("node_group".into(), document.trees.keys().cloned().collect());
    document
}
