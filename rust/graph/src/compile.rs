//! Preflight and reconciliation: a plan and the present state become the edits of each step.
//!
//! Everything is compiled before anything is written: the second step sees the first one's result in the model.

use std::collections::{BTreeSet, HashSet};

use foldhash::HashMap;
use geonode_protocol::{Action, Plan, Step};
use serde::Serialize;

use crate::anew::name_anew;
use crate::animation::{lost, out_of_reach};
use crate::catalogue::Catalogue;
use crate::chosen::unchosen;
use crate::diff::{names_by_key, settle_keys, tree_delta};
use crate::documents::delta::{ModifierEdit, ModifierInput, StepDelta};
use crate::documents::{Document, Modifier, TreeInfo};
use crate::intrusion::{Unsaid, questions};
use crate::ir::{Item, ItemKind, Map, Side, Tree};
use crate::known_sockets::with_known_sockets;
use crate::landing::land;
use crate::layout;
use crate::model::TreeModel;
use crate::moves::Moves;
use crate::numbering::numbered_names;
use crate::ops::{
    Gathering, LinkNotes, Mention, Work, dissolved, gatherings, grouping, materials_of, mentions, operations_of,
};
use crate::sink::{Repair, Sink};
use crate::sockets::{GEOMETRY, Scope};
use crate::summary::describe;
use crate::taken::give_free_ids;
use crate::target::{NEW_OBJECT, Target, makes_object, resolve_target};

/// What must be inspected before a plan can be compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Targets {
    /// Objects that the plan names as targets.
    pub objects: BTreeSet<String>,
    /// Trees that the plan names; those of the targets' modifiers come along.
    pub trees: BTreeSet<String>,
    /// Names of materials that the plan makes, with those that they may get.
    pub materials: BTreeSet<String>,
}

/// The result of compiling a plan.
#[derive(Debug)]
pub struct Compiled {
    /// One delta per `NODE_TREE` or `GN_OPS` step, in order; meaningless when a finding is an error.
    pub steps: Vec<StepDelta>,
    /// Findings: errors refuse the plan, warnings name repairs and doubts.
    pub findings: Vec<geonode_protocol::Finding>,
    /// The certain repairs, as values at JSON Pointers into the plan.
    pub repairs: Vec<Repair>,
    /// What will be done, in plain words.
    pub diff: Vec<String>,
    /// Changes to the artist's work beyond what a step names, by step; the artist is asked about them.
    pub questions: Vec<(usize, String)>,
    /// Target objects, whose modifiers are written or at least judged.
    pub touched_objects: BTreeSet<String>,
    /// Trees that are written, new ones included.
    pub touched_trees: BTreeSet<String>,
    /// Trees that are created.
    pub new_trees: BTreeSet<String>,
    /// Links that stay and carry nothing, since a step takes a socket of theirs out of use or gives it another type, by tree.
    pub idle: BTreeSet<(String, [String; 4])>,
    /// Where the nodes that steps move between trees were before the plan.
    pub moves: Moves,
    /// Objects that are created.
    pub new_objects: BTreeSet<String>,
    /// Modifiers that are created, as (object, modifier).
    pub new_modifiers: BTreeSet<(String, String)>,
    /// The state after all steps, as far as it can be known without Blender.
    pub after: Document,
}

impl Compiled {
    /// True when the plan may be applied.
    pub fn ok(&self) -> bool {
        !self.findings.iter().any(geonode_protocol::Finding::is_error)
    }

    /// Whether the tree of this name, or an input of a modifier, is another after all steps.
    pub(crate) fn changes(&self, before: &Document, name: &str, catalogue: &Catalogue) -> bool {
        let (Some(before), Some(after)) = (before.trees.get(name), self.after.trees.get(name)) else {
            return true;
        };
        let mut model = TreeModel::new(name, after.clone(), false);
        model.before.clone_from(before);
        let scope = Scope {
            catalogue,
            trees: &self.after.trees,
        };
        let sets_inputs = self.steps.iter().any(|step| !step.modifier_inputs.is_empty());
        sets_inputs || !tree_delta(&model, scope, Vec::new()).is_empty()
    }

    /// The plan with its certain repairs.
    pub fn repaired_plan(&self, plan: &Plan) -> Option<Plan> {
        let mut json = serde_json::to_value(plan).ok()?;
        for repair in &self.repairs {
            if let Some(place) = json.pointer_mut(&repair.path) {
                place.clone_from(&repair.value);
            }
        }
        serde_json::from_value(json).ok()
    }
}

impl Targets {
    /// Adds the names of materials that are made. Where a name is taken, the one that the plan made has another.
    pub fn note_materials<'p>(&mut self, names: impl Iterator<Item = &'p str>) {
        for name in names {
            self.materials.insert(name.to_owned());
            self.materials.extend(numbered_names(name));
        }
    }
}

/// Names that the host must inspect for this plan.
pub fn targets(plan: &Plan) -> Targets {
    let mut targets = Targets::default();
    let dissolved = dissolved(plan);
    for step in &plan.steps {
        let object = match &step.action {
            Action::NodeTree(payload) => {
                targets.trees.insert(payload.target.node_group_name.clone());
                &payload.target.object_name
            }
            Action::GnOps(payload) => &payload.target.object_name,
            Action::TreeText(_) | Action::Python(_) | Action::Added(_) => continue,
        };
        targets.objects.insert(object.clone());
        targets.note_materials(materials_of(&step.action));
        if makes_object(&step.action) {
            // Where the name is taken, the one that the plan made has another.
            targets.objects.extend(numbered_names(object));
        }
        for mention in mentions(&step.action) {
            if let Mention::NodeGroup(name) = mention {
                targets.trees.insert(name.to_owned());
            }
        }
        for at in 0..operations_of(&step.action).count() {
            let made = grouping(&step.action, at).filter(|made| dissolved.contains(made.id.as_str()));
            targets
                .trees
                .extend(made.iter().flat_map(|made| numbered_names(&made.node_group_name)));
        }
    }
    targets
}

/// Checks a plan against the present state and this Blender's nodes and computes the edits.
///
/// PYTHON steps and added steps have empty deltas: they are not carried out by edits.
pub fn compile(plan: &Plan, document: &Document, catalogue: &Catalogue) -> Compiled {
    compile_exactly(plan, document, catalogue, &BTreeSet::new())
}

/// As [`compile`]; the steps with these indices edit the tree that they name, whatever their operations are: their names mean exactly that.
pub fn compile_exactly(plan: &Plan, document: &Document, catalogue: &Catalogue, exact: &BTreeSet<usize>) -> Compiled {
    let mut sink = Sink::default();
    let changes_nothing = |plan: &Plan, document: &Document, tree: &str| {
        let compiled = compile_in_place(plan, document, catalogue);
        compiled.ok() && !compiled.changes(document, tree, catalogue)
    };
    let landed = land(plan, document, exact, &changes_nothing, &mut sink);
    let plan = landed.as_ref().unwrap_or(plan);
    let named = name_anew(plan, document, &mut sink);
    let plan = named.as_ref().unwrap_or(plan);
    let given = give_free_ids(plan, document, exact, &mut sink);
    carry_out(given.as_ref().unwrap_or(plan), document, catalogue, sink)
}

/// As [`compile`], for a document that contains only the plan's own targets: the plan means exactly these.
pub fn compile_in_place(plan: &Plan, document: &Document, catalogue: &Catalogue) -> Compiled {
    carry_out(plan, document, catalogue, Sink::default())
}

fn carry_out(plan: &Plan, document: &Document, catalogue: &Catalogue, mut sink: Sink) -> Compiled {
    let mut compiled = Compiled {
        steps: Vec::new(),
        findings: Vec::new(),
        repairs: Vec::new(),
        diff: Vec::new(),
        questions: Vec::new(),
        touched_objects: BTreeSet::new(),
        touched_trees: BTreeSet::new(),
        new_trees: BTreeSet::new(),
        idle: BTreeSet::new(),
        moves: Moves::default(),
        new_objects: BTreeSet::new(),
        new_modifiers: BTreeSet::new(),
        after: document.clone(),
    };
    let dissolved = dissolved(plan);
    let gathered = gatherings(plan);
    for (index, step) in plan.steps.iter().enumerate() {
        // What this step makes, it may use; kinds that the document does not list are checked by Blender.
        if let Some(known) = compiled.after.names.get_mut("material") {
            known.extend(materials_of(&step.action).map(str::to_owned));
        }
        let rest = plan.steps.get(index + 1..).unwrap_or_default();
        let earlier = plan.steps.get(..index).unwrap_or_default().iter();
        let scripts: Vec<&str> = earlier.filter_map(|step| script(&step.action)).collect();
        compile_step(
            (index, step, rest),
            (&dissolved, &gathered, &scripts),
            (document, catalogue),
            &mut compiled,
            &mut sink,
        );
    }
    compiled.findings = sink.findings;
    compiled.repairs = sink.repairs;
    compiled
}

fn empty_delta(step: &Step) -> StepDelta {
    StepDelta {
        step_id: step.id.clone(),
        ..StepDelta::default()
    }
}

/// What a person calls an input of a modifier: the name in the interface of the tree that it runs.
fn input_name(input: &ModifierInput, delta: &StepDelta, document: &Document, own: (&str, &Tree)) -> Option<String> {
    let given = delta
        .modifiers
        .iter()
        .find(|one| one.object == input.object && one.name == input.modifier);
    let runs = given.map(|one| &one.node_group).or_else(|| {
        let there = &document.objects.get(&input.object)?.modifiers;
        there.iter().find(|one| one.name == input.modifier)?.node_group.as_ref()
    })?;
    let tree = if runs == own.0 {
        own.1
    } else {
        document.trees.get(runs)?
    };
    let mut items = tree.interface.iter();
    let item = items.find(|item| item.identifier == input.identifier)?;
    Some(item.name.clone())
}

/// The modifier that a step makes, or to which it gives its tree.
fn modifier_edit(target: &Target, tree: &str) -> Option<ModifierEdit> {
    (target.new_modifier || target.assign_tree).then(|| ModifierEdit {
        object: target.object.clone(),
        name: target.modifier.clone(),
        create: target.new_modifier,
        node_group: tree.to_owned(),
    })
}

/// The code of a script.
fn script(action: &Action) -> Option<&str> {
    match action {
        Action::Python(script) => Some(&script.code),
        _ => None,
    }
}

/// What a script is to the artist before it has run.
fn script_in_words(action: &Action) -> Option<String> {
    let lines = script(action)?.lines().count();
    let plural = if lines == 1 { "" } else { "s" };
    Some(format!("Run a script of {lines} line{plural}"))
}

/// Whether a later step edits the same tree, as far as their targets tell: what it will link is not forgotten yet.
fn goes_on(step: &Step, rest: &[Step]) -> bool {
    rest.iter().any(|later| match (&step.action, &later.action) {
        (Action::NodeTree(one), Action::NodeTree(other)) => one.target.node_group_name == other.target.node_group_name,
        (Action::GnOps(one), Action::GnOps(other)) => one.target == other.target,
        _ => false,
    })
}

/// Carries out the operations of a step, except those that an earlier run of the plan did on nodes which are in a group by now.
fn operate(work: &mut Work<'_>, (index, step): (usize, &Step), gathered: &[Gathering<'_>]) {
    for (at, op) in operations_of(&step.action).enumerate() {
        work.sink.enter_op(at);
        if !work.is_done_inside(gathered, (index, at), &*op) {
            op.carry_out(work);
        }
    }
    work.settle_names();
    work.fit_menus();
}

fn compile_step(
    (index, step, rest): (usize, &Step, &[Step]),
    (dissolved, gathered, scripts): (&HashSet<&str>, &[Gathering<'_>], &[&str]),
    (before, catalogue): (&Document, &Catalogue),
    compiled: &mut Compiled,
    sink: &mut Sink,
) {
    let list = match &step.action {
        Action::NodeTree(_) => "operations",
        Action::GnOps(_) => "ops",
        // A page is read before anything is compiled.
        Action::TreeText(_) | Action::Python(_) | Action::Added(_) => {
            compiled.diff.extend(script_in_words(&step.action));
            // The host carries this step out; the empty entry keeps the indices of the steps aligned.
            compiled.steps.push(empty_delta(step));
            return;
        }
    };
    sink.enter_step(index, list);
    let Some((target, model)) = resolve_target(step, &compiled.after, &compiled.new_trees, sink) else {
        return;
    };
    let known = with_known_sockets(step, target.copy_of.as_ref().unwrap_or(&model.name), before);
    let step = known.as_ref().unwrap_or(step);
    // The step borrows the trees as context; its own tree is in the model.
    let document = &compiled.after;
    let mut work = Work {
        scope: Scope {
            catalogue,
            trees: &document.trees,
        },
        document,
        sink,
        target,
        model,
        modifier_inputs: Vec::new(),
        materials: Vec::new(),
        objects: Vec::new(),
        nested: Vec::new(),
        links: LinkNotes::default(),
        choices: Vec::new(),
        dissolved,
        scripts,
        gone: Vec::new(),
        new_names: Vec::new(),
        unsaid: Unsaid::default(),
        keys: 0,
        implicit_group_io: matches!(step.action, Action::NodeTree(_)),
    };
    if work.model.created {
        work.start_tree();
    }
    operate(&mut work, (index, step), gathered);
    if work.sink.errors == 0 && !goes_on(step, rest) {
        work.warn_of_forgotten_link();
    }
    work.check_tree();
    let asks = asks(&work, before, &compiled.moves).into_iter();
    compiled.questions.extend(asks.map(|words| (index, words)));
    let places = layout::places(&work.model, work.scope);
    layout::settle(&mut work.model, &places);
    let mut delta = tree_delta(&work.model, work.scope, places);
    delta.copy_of.clone_from(&work.target.copy_of);
    let mut step_delta = StepDelta {
        materials: std::mem::take(&mut work.materials),
        objects: std::mem::take(&mut work.objects),
        ..empty_delta(step)
    };
    let nested = std::mem::take(&mut work.nested);
    step_delta.trees.extend(nested.iter().map(|group| {
        let places = layout::places(group, work.scope);
        tree_delta(group, work.scope, places)
    }));
    if !delta.is_empty() {
        step_delta.trees.push(delta);
    }
    let Work {
        target,
        model,
        modifier_inputs,
        scope,
        unsaid,
        ..
    } = work;
    step_delta.modifiers.extend(modifier_edit(&target, &model.name));
    step_delta.modifier_inputs = modifier_inputs;
    let (name, created) = (model.name.clone(), model.created || target.copy_of.is_some());
    let mut tree = model.into_tree();
    tree.links.retain(|link| {
        let ends = [&link.from.0, &link.from.1, &link.to.0, &link.to.1];
        !unsaid.dropped.contains(&ends.map(String::clone))
    });
    let interfaces = nested.iter().map(|group| group.interface.as_slice());
    let keys = names_by_key(interfaces.chain([tree.interface.as_slice()]));
    settle_keys(&mut tree, &keys);
    compiled.diff.extend(new_blocks(&step_delta, before));
    let input_name = |input: &ModifierInput| input_name(input, &step_delta, document, (&name, &tree));
    compiled.diff.extend(describe(&step_delta, scope, &input_name));
    for group in nested {
        record_group(compiled, group, &keys);
    }
    record(compiled, &target, &name, created, tree, &step_delta);
    compiled.moves.note(&step_delta.trees);
    compiled
        .idle
        .extend(unsaid.idle.into_iter().map(|link| (name.clone(), link)));
    compiled.steps.push(step_delta);
}

/// The materials and objects that a step makes, in words: a material that the file has is used if it is the same, and refused by Blender's side otherwise.
fn new_blocks(delta: &StepDelta, before: &Document) -> Vec<String> {
    let known = before.names.get("material");
    let is_new = |name: &String| known.is_none_or(|known| !known.contains(name));
    let made = delta.materials.iter().filter(|made| is_new(&made.name));
    let materials = made.map(|made| format!("Make the material “{}”", made.name));
    let objects = delta.objects.iter();
    let objects = objects.map(|made| format!("Make the object “{}”", made.name));
    materials.chain(objects).collect()
}

/// Why the artist is asked about a step.
fn asks(work: &Work<'_>, before: &Document, moves: &Moves) -> Vec<String> {
    let (target, inputs) = (&work.target, &work.modifier_inputs);
    let mut asks = questions(&work.model, &work.unsaid, target, inputs, (before, moves));
    let info = before.tree_info.get(&work.tree_of_target());
    asks.extend(unchosen(work, before));
    asks.extend(lost(&work.model, &work.unsaid, info, work.scope));
    asks.extend(out_of_reach(&work.model, &work.unsaid, info, work.scope));
    asks
}

/// Writes a group that the step edits besides its tree into the working state.
fn record_group(compiled: &mut Compiled, group: TreeModel, keys: &HashMap<String, String>) {
    let name = group.name.clone();
    compiled.touched_trees.insert(name.clone());
    if group.created {
        note_new(compiled, &name);
    }
    let mut tree = group.into_tree();
    settle_keys(&mut tree, keys);
    compiled.after.trees.insert(name, tree);
}

/// Notes a tree that the step creates.
fn note_new(compiled: &mut Compiled, name: &str) {
    compiled.new_trees.insert(name.to_owned());
    let names = compiled.after.names.entry("node_group".to_owned()).or_default();
    names.insert(name.to_owned());
    let info = TreeInfo {
        users: 1,
        library: false,
        kind: "GeometryNodeTree".to_owned(),
        made: None,
        animated: Vec::new(),
    };
    compiled.after.tree_info.insert(name.to_owned(), info);
}

/// Writes the step's result into the working state.
fn record(compiled: &mut Compiled, target: &Target, name: &str, created: bool, tree: Tree, delta: &StepDelta) {
    compiled.touched_objects.insert(target.object.clone());
    if target.new_object {
        compiled.new_objects.insert(target.object.clone());
        let names = compiled.after.names.entry("object".to_owned()).or_default();
        names.insert(target.object.clone());
        let objects = &mut compiled.after.objects;
        objects.insert(target.object.clone(), NEW_OBJECT.clone());
    }
    if delta.trees.iter().any(|edited| edited.tree == name) {
        compiled.touched_trees.insert(name.to_owned());
    }
    if created {
        note_new(compiled, name);
    }
    compiled.after.trees.insert(name.to_owned(), tree);
    if let Some(object) = compiled.after.objects.get_mut(&target.object) {
        if target.new_modifier {
            compiled
                .new_modifiers
                .insert((target.object.clone(), target.modifier.clone()));
            object.modifiers.push(Modifier {
                name: target.modifier.clone(),
                kind: "NODES".to_owned(),
                node_group: Some(name.to_owned()),
                ..Modifier::default()
            });
        } else if target.assign_tree
            && let Some(modifier) = object
                .modifiers
                .iter_mut()
                .find(|modifier| modifier.name == target.modifier)
        {
            modifier.node_group = Some(name.to_owned());
        }
        if let Some(modifier) = object
            .modifiers
            .iter_mut()
            .find(|modifier| modifier.name == target.modifier)
        {
            for input in &delta.modifier_inputs {
                modifier.inputs.insert(input.identifier.clone(), input.value.clone());
            }
        }
    }
}

impl Work<'_> {
    /// A new tree, as Blender's “New” creates it: a geometry input, a geometry output, and the two nodes for them.
    fn start_tree(&mut self) {
        for side in [Side::Output, Side::Input] {
            let identifier = format!(
                "@{}",
                if side == Side::Input {
                    "geometry_in"
                } else {
                    "geometry_out"
                }
            );
            self.model.interface.push(Item {
                kind: ItemKind::Socket,
                identifier,
                name: "Geometry".to_owned(),
                in_out: Some(side),
                socket_type: GEOMETRY.to_owned(),
                parent: None,
                props: Map::new(),
            });
        }
        self.make_group_node(crate::sockets::GROUP_INPUT_TYPE);
        self.make_group_node(crate::sockets::GROUP_OUTPUT_TYPE);
    }
}
