//! Propagation: every node once in order of evaluation, groups by what flows into them, zones as often as it takes to see how they grow.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Scene;
use geonode_graph::ir::Tree;
use geonode_graph::sockets::{GEOMETRY, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope, group_tree};

use crate::blame;
use crate::families;
use crate::flow::{Content, Flow};
use crate::frame::{Evaluator, Frame, Spent, joined};
use crate::inputs::{Inputs, Outcome};
use crate::kinds;
use crate::observations::Observations;
use crate::prepare::{Prepared, Ready, prepare};
use crate::work::{self, Budget, Load, Work};
use crate::zones;

/// Most nodes that one estimate evaluates; beyond, it is abandoned as too complex. Blender's own largest trees need a few thousand.
const FUEL: u64 = 200_000;
/// The output node of a closure.
const CLOSURE_OUTPUT: &str = "NodeClosureOutput";
/// The node that calls one.
const EVALUATE_CLOSURE: &str = "NodeEvaluateClosure";
/// Maximum depth of nested groups and closures; Blender itself is limited only by its stack.
const MAX_DEPTH: usize = 32;

/// The result of a tree for certain inputs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Done {
    /// By identifier of the interface output.
    pub outputs: IndexMap<String, Flow>,
    /// What Blender needs for it, with the node that takes most.
    pub spent: Spent,
}

/// A value that is tried in place of the one in the document.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    pub at: TrialAt,
    pub value: f64,
}

/// Where a value is tried.
#[derive(Debug, Clone)]
pub(crate) enum TrialAt {
    /// At the modifier's input of this name.
    Modifier(Arc<str>),
    /// At an input of a node.
    Node { tree: String, node: String, input: String },
}

/// One propagation.
pub(crate) struct Machine<'a> {
    pub trees: &'a IndexMap<String, Tree>,
    pub catalogue: &'a Catalogue,
    pub scene: &'a Scene,
    /// What may be made and taken without asking.
    pub budget: Budget,
    /// A value that is tried.
    pub trial: Option<Trial>,
    /// How much nodes of each type were given.
    pub loads: IndexMap<String, Load>,
    /// The observed inputs of nodes.
    pub seen: Observations,
    prepared: HashMap<&'a str, Arc<Prepared<'a>>>,
    memo: HashMap<String, Arc<Done>>,
    /// Closures that were met, with the flows around them.
    closures: Vec<Closure<'a>>,
    fuel: u64,
    depth: usize,
}

/// A closure with what it holds on to.
struct Closure<'a> {
    tree: Arc<Prepared<'a>>,
    /// Index of its output node.
    output: usize,
    flows: Vec<Vec<Flow>>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        trees: &'a IndexMap<String, Tree>,
        catalogue: &'a Catalogue,
        scene: &'a Scene,
        budget: Budget,
    ) -> Self {
        Self {
            trees,
            catalogue,
            scene,
            budget,
            trial: None,
            loads: IndexMap::new(),
            seen: Observations::default(),
            prepared: HashMap::new(),
            memo: HashMap::new(),
            closures: Vec::new(),
            fuel: FUEL,
            depth: 0,
        }
    }

    /// The result of a tree for these inputs (by identifier of the interface).
    pub(crate) fn tree(&mut self, name: &str, inputs: &IndexMap<String, Flow>) -> Arc<Done> {
        let Some((name, tree)) = self.trees.get_key_value(name) else {
            return Arc::default();
        };
        let key = format!("{name}\u{0}{inputs:?}");
        if let Some(done) = self.memo.get(&key) {
            return Arc::clone(done);
        }
        if self.depth >= MAX_DEPTH {
            self.fuel = 0;
            return Arc::default();
        }
        let scope = Scope {
            catalogue: self.catalogue,
            trees: self.trees,
        };
        let known = self.prepared.entry(name);
        let prepared = Arc::clone(known.or_insert_with(|| Arc::new(prepare(name, tree, scope))));
        self.depth += 1;
        let done = Arc::new(self.propagate(&prepared, inputs));
        self.depth -= 1;
        self.memo.insert(key, Arc::clone(&done));
        done
    }

    fn propagate(&mut self, tree: &Arc<Prepared<'a>>, inputs: &IndexMap<String, Flow>) -> Done {
        let mut frame = Frame {
            flows: vec![Vec::new(); tree.nodes.len()],
            spent: vec![Spent::default(); tree.nodes.len()],
            tree: Arc::clone(tree),
        };
        for at in &tree.order {
            if let Some(ready) = tree.nodes.get(*at)
                && ready.node.kind == GROUP_INPUT_TYPE
            {
                let given = |exit: &crate::prepare::Exit| inputs.get(&exit.identifier).cloned();
                let flows = ready
                    .outputs
                    .iter()
                    .map(|exit| given(exit).unwrap_or_else(Flow::unknown));
                frame.put(*at, flows.collect());
            } else {
                self.evaluate(&mut frame, *at);
            }
        }
        let outputs = tree.output.and_then(|at| tree.nodes.get(at)).map(|output| {
            let slots = output.inputs.iter();
            slots
                .map(|slot| (slot.identifier.clone(), frame.received_one(slot)))
                .collect()
        });
        let sum = tree
            .output
            .map(|output| frame.sum(tree.order.iter().copied(), &frame.needed(output, None)));
        let sum = sum.unwrap_or_default();
        Done {
            outputs: outputs.unwrap_or_default(),
            spent: Spent {
                work: sum.work,
                dearest: sum.dearest,
                chosen: None,
            },
        }
    }

    fn group(&mut self, frame: &mut Frame<'a>, at: usize, ready: &Ready<'a>) -> Vec<Flow> {
        let inputs: IndexMap<String, Flow> = ready
            .inputs
            .iter()
            .map(|slot| (slot.identifier.clone(), joined(&frame.received(slot))))
            .collect();
        let done = group_tree(ready.node)
            .map(|name| self.tree(name, &inputs))
            .unwrap_or_default();
        frame.took(at, done.spent.clone());
        let given = |identifier: &str| done.outputs.get(identifier).cloned();
        let outputs = ready.outputs.iter();
        outputs
            .map(|exit| given(&exit.identifier).unwrap_or_else(Flow::unknown))
            .collect()
    }

    fn plain(&mut self, frame: &mut Frame<'a>, at: usize, ready: &Ready<'a>) -> Vec<Flow> {
        let inputs = self.inputs(frame, ready);
        if let Some(flow) = families::chosen(&inputs) {
            frame.took(
                at,
                Spent {
                    chosen: families::input_index_used(&inputs),
                    work: work::passing(&inputs),
                    dearest: None,
                },
            );
            return vec![flow; ready.outputs.len()];
        }
        self.seen.note(frame.tree.name, &inputs);
        let outcome = families::outcome(&inputs);
        let load = self.loads.entry(inputs.kind().to_owned()).or_default();
        load.runs += 1.0;
        load.items += work::items(&inputs, &outcome);
        let peak = blame::peak(frame.tree.name, &inputs, &outcome, self.budget);
        let taken = work::work(&inputs, &outcome);
        frame.took(
            at,
            Spent {
                work: taken,
                dearest: blame::dearest(frame.tree.name, &inputs, &outcome, taken, &peak),
                chosen: None,
            },
        );
        let field = work::field(&inputs);
        let fallback = || inputs.main();
        let first = ready.outputs.iter().position(|exit| exit.kind == GEOMETRY);
        let exits = ready.outputs.iter().enumerate();
        exits
            .map(|(at, exit)| {
                let named = |(identifier, _): &&(String, Content)| {
                    *identifier == exit.identifier || (identifier.is_empty() && Some(at) == first)
                };
                let made = outcome.outputs.iter().find(named).map(|(_, content)| content.clone());
                let otherwise = || match exit.kind.as_str() {
                    GEOMETRY => Content::from(fallback()),
                    _ => Content::Unknown,
                };
                Flow {
                    content: made.unwrap_or_else(otherwise),
                    peak: peak.clone(),
                    source: None,
                    field: field.clone(),
                    kinds: kinds::output_kinds(&inputs, &exit.identifier, Some(at) == first),
                }
            })
            .collect()
    }

    /// Evaluates the body of a closure with the caller's arguments.
    fn call(&mut self, frame: &mut Frame<'a>, at: usize, ready: &Ready<'a>) -> Vec<Flow> {
        let given = self.inputs(frame, ready);
        let unknown = vec![Flow::unknown(); ready.outputs.len()];
        let met = given.flow("Closure").and_then(|flow| match flow.content {
            Content::Closure(id) => self.closures.get(id),
            _ => None,
        });
        let Some(closure) = met else {
            let work = work::work(&given, &Outcome::default());
            frame.took(
                at,
                Spent {
                    work,
                    ..Spent::default()
                },
            );
            return unknown;
        };
        if self.depth >= MAX_DEPTH {
            // Evaluating it would never end; branches that are not taken are not evaluated.
            let work = Work {
                seconds: f64::INFINITY,
                ..Work::default()
            };
            frame.took(
                at,
                Spent {
                    work,
                    ..Spent::default()
                },
            );
            return unknown;
        }
        let (tree, output) = (Arc::clone(&closure.tree), closure.output);
        let mut inner = Frame {
            flows: closure.flows.clone(),
            spent: vec![Spent::default(); tree.nodes.len()],
            tree: Arc::clone(&tree),
        };
        let Some((last, zone)) = tree
            .nodes
            .get(output)
            .and_then(|node| Some((node, node.zone.as_ref()?)))
        else {
            return unknown;
        };
        let parameters = tree.nodes.get(zone.input).map(|input| {
            let exits = input.outputs.iter();
            exits
                .map(|exit| {
                    let at = given.ready.inputs.iter().position(|slot| slot.name == exit.name);
                    let flows = at.and_then(|at| given.flows.get(at));
                    flows.map_or_else(Flow::unknown, |flows| joined(flows))
                })
                .collect()
        });
        inner.put(zone.input, parameters.unwrap_or_default());
        self.depth += 1;
        for node in &zone.body {
            self.evaluate(&mut inner, *node);
        }
        self.depth -= 1;
        let results = ready.outputs.iter().map(|exit| {
            let slot = last.inputs.iter().find(|slot| slot.name == exit.name);
            slot.map_or_else(Flow::unknown, |slot| inner.received_one(slot))
        });
        let results = results.collect();
        let sum = zones::body_cost(&mut inner, output, zone);
        frame.took(
            at,
            Spent {
                work: sum.work + zones::overhead("closure"),
                dearest: sum.dearest,
                chosen: None,
            },
        );
        results
    }
}

impl<'a> Evaluator<'a> for Machine<'a> {
    fn evaluate(&mut self, frame: &mut Frame<'a>, at: usize) {
        let tree = Arc::clone(&frame.tree);
        let Some(ready) = tree.nodes.get(at) else { return };
        if self.fuel == 0 {
            let flows = vec![Flow::unknown(); ready.outputs.len()];
            return frame.put(at, flows);
        }
        self.fuel -= 1;
        match ready.node.kind.as_str() {
            GROUP_OUTPUT_TYPE => {}
            _ if ready.muted() => {
                let flows = frame.through(ready);
                frame.put(at, flows);
            }
            GROUP => {
                let flows = self.group(frame, at, ready);
                frame.put(at, flows);
            }
            CLOSURE_OUTPUT => {
                if let Some(zone) = &ready.zone {
                    // Its body is evaluated where it is called.
                    drop(zones::body_cost(frame, at, zone));
                }
                let closure = Content::Closure(self.closures.len());
                self.closures.push(Closure {
                    tree: Arc::clone(&tree),
                    output: at,
                    flows: frame.flows.clone(),
                });
                frame.put(at, vec![closure.into(); ready.outputs.len()]);
            }
            EVALUATE_CLOSURE => {
                let flows = self.call(frame, at, ready);
                frame.put(at, flows);
            }
            _ if zones::is_input(ready) => {
                zones::enter_zone(frame, at);
            }
            _ if ready.zone.is_some() => {
                zones::finish_zone(self, frame, at);
            }
            _ => {
                let flows = self.plain(frame, at, ready);
                frame.put(at, flows);
            }
        }
    }

    fn exhausted(&self) -> bool {
        self.fuel == 0
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn inputs<'r>(&self, frame: &Frame<'a>, ready: &'r Ready<'r>) -> Inputs<'r>
    where
        'a: 'r,
    {
        let mut inputs = Inputs {
            ready,
            flows: ready.inputs.iter().map(|slot| frame.received(slot)).collect(),
            scene: self.scene,
            blender: &self.catalogue.blender,
        };
        if let Some(Trial {
            at: TrialAt::Node { tree, node, input },
            value,
        }) = &self.trial
            && frame.tree.name == tree
            && ready.node.id == *node
            && let Some(at) = inputs.position(input)
        {
            inputs = inputs.with_number(at, *value);
        }
        inputs
    }
}
