//! Plans checked on their own, for scripts.

use std::sync::Arc;

use geonode_graph::documents::{Modifier, Object, TreeInfo};
use geonode_graph::ir::{Bundle, Tree};
use geonode_graph::{
    Catalogue, Document, StepDelta, Targets, compile, compile_exactly, compile_in_place, makes_object,
};
use geonode_protocol::{
    Action, Code, Finding, GROUP_INPUT_ID, GROUP_OUTPUT_ID, Limits, Origins, Parsed, Plan, Severity,
};
use geonode_text::{expand, needs};
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;

use crate::catalogues;
use crate::error::EngineError;
use crate::extensions::extensions;
use crate::needed::needed;
use crate::request::PlanInput;
use crate::validate::{Mode, Response, Rules, response};

/// Reads a plan that no model wrote; scripts are judged for this Blender, or for any version if none is given.
fn read(input: &PlanInput, catalogue: Option<&str>) -> Parsed {
    let extensions = extensions();
    // A catalogue that cannot be read is reported when it is needed.
    let blender = catalogue.and_then(|one| catalogues::catalogue(one).ok());
    let scripts = Rules::of_form(blender.map(|catalogue| catalogue.blender.clone()));
    let mut given = Response::new(input, None, Limits::default(), &extensions, scripts);
    let findings = response(&mut given, Mode::Strict).findings;
    Parsed {
        plan: given.plan,
        findings,
        origins: given.origins,
    }
}

/// Verdict on a plan without a scene.
#[derive(Debug, Serialize)]
pub struct Validated {
    /// Whether no finding is an error.
    pub ok: bool,
    /// All findings.
    pub messages: Vec<Finding>,
    /// The plan with its certain repairs; `None` when it is refused.
    pub plan: Option<Plan>,
    /// What it names and a document has to show for a check against the file.
    pub needs: Targets,
}

/// Checks a plan against the protocol and, with a catalogue, against the nodes of that Blender.
///
/// Without a `document` (JSON of a [`Document`]) the scene is unknown: objects, trees and nodes that the plan names are assumed to exist,
/// and a tree that it can build by itself is assumed to be new. With one, its modifiers and trees decide; missing objects and data-blocks
/// are warnings, since they may be created before the plan is applied.
///
/// # Errors
/// [`EngineError::Catalogue`] or [`EngineError::Document`] when catalogue or document cannot be read.
pub fn validate_plan(
    input: &PlanInput,
    catalogue: Option<&str>,
    document: Option<&str>,
) -> Result<Validated, EngineError> {
    let Parsed {
        plan,
        findings,
        origins,
    } = read(input, catalogue);
    let Some((plan, catalogue)) = plan.as_ref().zip(catalogue) else {
        return Ok(Validated {
            ok: plan.is_some(),
            messages: findings,
            needs: plan.as_ref().map(needed).unwrap_or_default(),
            plan,
        });
    };
    let catalogue = catalogues::catalogue(catalogue)?;
    let mut findings = findings;
    let mut scene = Scene::Imagined(imagined(plan, IndexMap::default(), None));
    if let Some(json) = document {
        let document: Document = serde_json::from_str(json).map_err(|e| EngineError::document("document", &e))?;
        let missing = missing_objects(plan, &document);
        if missing.is_empty() {
            scene = Scene::Known(document);
        }
        findings.extend(missing);
    }
    Ok(preflight(plan, findings, &origins, &scene, &catalogue).0)
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

/// Compiles a plan against exported trees (`current` is JSON of a Bundle). Objects and modifiers that the plan names are assumed to exist and to
/// use the bundle's root.
///
/// # Errors
/// [`EngineError::Document`] for a bundle, [`EngineError::Catalogue`] for a catalogue that cannot be read.
pub fn reconcile(current: &str, input: &PlanInput, catalogue: &str) -> Result<Reconciled, EngineError> {
    let bundle: Bundle = serde_json::from_str(current).map_err(|e| EngineError::document("tree", &e))?;
    let catalogue: Arc<Catalogue> = catalogues::catalogue(catalogue)?;
    let Parsed {
        plan,
        findings,
        origins,
    } = read(input, None);
    let Some(plan) = plan else {
        let verdict = Validated {
            ok: false,
            messages: findings,
            plan: None,
            needs: Targets::default(),
        };
        return Ok(Reconciled {
            verdict,
            steps: Vec::new(),
            diff: Vec::new(),
            trees: bundle.trees,
        });
    };
    let scene = Scene::Imagined(imagined(&plan, bundle.trees, bundle.root.as_deref()));
    let (verdict, compiled) = preflight(&plan, findings, &origins, &scene, &catalogue);
    let refused = !verdict.ok;
    Ok(Reconciled {
        steps: if refused { Vec::new() } else { compiled.steps },
        diff: if refused { Vec::new() } else { compiled.diff },
        trees: if refused { scene.trees() } else { compiled.after.trees },
        verdict,
    })
}

/// Findings that only a real scene can decide: about the surroundings of the trees, and about their content.
const ABOUT_SCENE: &[Code] = &[
    Code::TargetMissing,
    Code::UnknownDataBlock,
    Code::UnknownModifier,
    Code::UnknownNodeGroup,
    Code::UnknownObject,
];
const ABOUT_TREE: &[Code] = &[Code::UnknownInput, Code::UnknownNode, Code::UnknownZone];

/// What a plan is checked against.
enum Scene {
    /// The scene is known.
    Known(Document),
    /// Only the given trees are known.
    Imagined(Document),
}

impl Scene {
    fn document(&self) -> &Document {
        match self {
            Self::Known(document) | Self::Imagined(document) => document,
        }
    }

    fn trees(self) -> IndexMap<String, Tree> {
        match self {
            Self::Known(document) | Self::Imagined(document) => document.trees,
        }
    }
}

fn preflight(
    plan: &Plan,
    mut findings: Vec<Finding>,
    origins: &Origins,
    scene: &Scene,
    catalogue: &Catalogue,
) -> (Validated, geonode_graph::Compiled) {
    let document = scene.document();
    let most = Limits::default().max_operations;
    if let Some(expanded) = expand(plan, document, catalogue, only_object(document), most) {
        let compiled = compile_exactly(&expanded.plan, document, catalogue, &expanded.exact);
        let is_refused = expanded.findings.iter().any(Finding::is_error);
        let about_steps = match scene {
            // Of a page that is refused only what is wrong whatever else it says.
            Scene::Known(_) if is_refused => expanded.further.into_iter().map(softened).collect(),
            Scene::Imagined(_) if is_refused => Vec::new(),
            Scene::Known(_) => compiled.findings.iter().cloned().map(softened).collect(),
            Scene::Imagined(document) => decidable(&expanded.plan, &compiled.findings, document),
        };
        let about_pages = match scene {
            Scene::Known(_) => expanded.findings,
            Scene::Imagined(document) => decidable(&expanded.plan, &expanded.findings, document),
        };
        let about_steps = about_steps.into_iter().map(|finding| expanded.places.trace(finding));
        findings.extend(
            about_pages
                .into_iter()
                .chain(about_steps)
                .map(|finding| origins.trace(finding)),
        );
        let ok = !findings.iter().any(Finding::is_error);
        let verdict = Validated {
            ok,
            messages: findings,
            plan: ok.then(|| plan.clone()),
            needs: needed(plan),
        };
        return (verdict, compiled);
    }
    let (compiled, judged) = match scene {
        Scene::Known(document) => {
            let compiled = compile(plan, document, catalogue);
            let judged = compiled.findings.iter().cloned().map(softened).collect();
            (compiled, judged)
        }
        Scene::Imagined(document) => {
            let compiled = compile_in_place(plan, document, catalogue);
            let judged = decidable(plan, &compiled.findings, document);
            (compiled, judged)
        }
    };
    findings.extend(judged.into_iter().map(|finding| origins.trace(finding)));
    let ok = !findings.iter().any(Finding::is_error);
    let needs = needed(plan);
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
            needs,
        },
        compiled,
    )
}

/// The object that is meant where a page names none: the only one there is.
fn only_object(document: &Document) -> Option<&str> {
    let mut names = document.objects.keys();
    names.next().filter(|_| names.next().is_none()).map(String::as_str)
}

/// A missing data-block may be created before the plan is applied.
fn softened(mut finding: Finding) -> Finding {
    if finding.code == Code::UnknownDataBlock {
        finding.severity = Severity::Warning;
    }
    finding
}

/// A warning for each step whose object does not exist.
fn missing_objects(plan: &Plan, document: &Document) -> Vec<Finding> {
    let targets = plan
        .steps
        .iter()
        .enumerate()
        .filter_map(|(index, step)| match &step.action {
            Action::NodeTree(payload) => Some((index, &payload.target.object_name)),
            Action::GnOps(payload) => Some((index, &payload.target.object_name)),
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => None,
        });
    let made: Vec<&String> = targets
        .clone()
        .filter(|(index, _)| plan.steps.get(*index).is_some_and(|step| makes_object(&step.action)))
        .map(|(_, name)| name)
        .collect();
    targets
        .filter(|(_, name)| !made.contains(name))
        .filter(|(_, name)| !document.objects.contains_key(*name))
        .map(|(index, name)| {
            Finding::warning(
                Code::UnknownObject,
                format!("/steps/{index}/payload/target/object_name"),
                format!("There is no object “{name}” in this file, so only the nodes could be checked."),
            )
        })
        .collect()
}

/// The findings that hold whatever the scene is.
fn decidable(plan: &Plan, findings: &[Finding], document: &Document) -> Vec<Finding> {
    // A known tree decides about its nodes; an assumed one does not.
    let blank = document.trees.values().all(|tree| tree.nodes.is_empty());
    let undecidable = |finding: &Finding| {
        finding.code == Code::UnknownDataBlock
            || blank && (ABOUT_SCENE.contains(&finding.code) || ABOUT_TREE.contains(&finding.code))
    };
    // Steps that build on an unknown tree: a step that names no unknown node may be the tree's first.
    let elsewhere = |step: usize| {
        blank
            && (matches!(plan.steps.get(step).map(|s| &s.action), Some(Action::GnOps(_)))
                || findings
                    .iter()
                    .any(|finding| ABOUT_TREE.contains(&finding.code) && step_of(finding) == Some(step)))
    };
    let json = serde_json::to_value(plan).unwrap_or_default();
    let of_interface = |finding: &Finding| {
        finding.code == Code::UnknownSocket
            && step_of(finding).is_some_and(elsewhere)
            && node_named(&json, &finding.path).is_some_and(|id| id == GROUP_INPUT_ID || id == GROUP_OUTPUT_ID)
    };
    findings
        .iter()
        .filter(|finding| !undecidable(finding) && !of_interface(finding))
        .cloned()
        .collect()
}

/// Index of the step that a finding is about.
fn step_of(finding: &Finding) -> Option<usize> {
    finding.path.strip_prefix("/steps/")?.split('/').next()?.parse().ok()
}

/// The node whose socket the pointer names.
fn node_named<'p>(plan: &'p Value, path: &str) -> Option<&'p str> {
    let (parent, field) = path.rsplit_once('/')?;
    let node = match field {
        "from_socket" => "from_node",
        "to_socket" => "to_node",
        _ => "node_id",
    };
    plan.pointer(parent)?.get(node)?.as_str()
}

/// The objects that a page names; they run the root, where there is one.
fn imagine_page(text: &str, root: Option<&str>, document: &mut Document) {
    let mut names = needs(text).objects;
    if names.is_empty() && document.objects.is_empty() {
        names.insert("Object".to_owned());
    }
    for name in names {
        let object = document.objects.entry(name).or_insert_with(|| Object {
            kind: "MESH".into(),
            ..Object::default()
        });
        if let (Some(root), true) = (root, object.modifiers.is_empty()) {
            object.modifiers.push(Modifier {
                name: root.to_owned(),
                kind: "NODES".into(),
                node_group: Some(root.to_owned()),
                ..Modifier::default()
            });
        }
    }
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
                let tree = &target.node_group_name;
                let known = document.trees.contains_key(tree).then(|| tree.clone());
                (&target.object_name, &target.modifier_name, known)
            }
            Action::GnOps(payload) => {
                let target = &payload.target;
                let tree = root.map_or_else(|| format!("{} tree", target.modifier_name), str::to_owned);
                (&target.object_name, &target.modifier_name, Some(tree))
            }
            Action::TreeText(page) => {
                imagine_page(&page.text, root, &mut document);
                continue;
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
                node_group: tree.clone(),
                ..Modifier::default()
            });
            if let Some(tree) = tree {
                document.trees.entry(tree).or_default();
            }
        }
    }
    for name in document.trees.keys() {
        let info = TreeInfo {
            users: 1,
            library: false,
            kind: "GeometryNodeTree".into(),
            made: None,
            animated: Vec::new(),
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
