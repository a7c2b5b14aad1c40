//! Zones: what a body makes of its state, as often as it runs.
//!
//! A repeat zone is followed until it is plain how its state grows (evenly, or by a factor), then carried on to the last iteration. A for-each
//! zone is evaluated for one average element. A simulation is evaluated for the one frame that applying a plan shows.

use std::sync::Arc;

use crate::components::Kinds;
use crate::costs::costs;
use crate::field::Field;
use crate::flow::{Content, Culprit, Flow, Lever};
use crate::frame::{Evaluator, Frame, Spent, Sum};
use crate::geometry::{Curves, Geometry, Mesh, Parts, noun_of};
use crate::prepare::{Ready, Zone};
use crate::range::Range;
use crate::work::{Work, bytes};

/// Iterations that are followed one by one; what grows by no rule until then is carried on by its last factor.
const FOLLOWED: usize = 24;
/// State beyond which nothing changes the verdict.
const ENOUGH: f64 = 1e15;
/// Largest figure that is carried on.
const CEILING: f64 = 1e30;

/// True for the input node of a zone.
pub(crate) fn is_input(ready: &Ready<'_>) -> bool {
    matches!(
        ready.node.kind.as_str(),
        "GeometryNodeRepeatInput" | "GeometryNodeSimulationInput" | "GeometryNodeForeachGeometryElementInput"
    )
}

/// The input node hands the state to the body; a for-each one takes it apart.
pub(crate) fn open(frame: &mut Frame<'_>, at: usize) {
    let tree = Arc::clone(&frame.tree);
    let Some(ready) = tree.nodes.get(at) else { return };
    let element = ready.node.kind == "GeometryNodeForeachGeometryElementInput";
    let outputs = ready.outputs.iter();
    let flows = outputs.map(|exit| {
        let slot = ready.inputs.iter().find(|slot| slot.identifier == exit.identifier);
        match (slot, exit.identifier.as_str()) {
            (_, "Iteration" | "Index") => Content::Number(Range::exactly(0.0)).into(),
            (_, "Element") if element => {
                let whole = first_input(frame, ready);
                let (domain, count) = elements_of(&tree.nodes, at, &whole.geometry());
                let one = single(domain, &whole.geometry(), count);
                Flow {
                    content: Content::from(one),
                    ..whole
                }
            }
            (Some(slot), _) => frame.received_one(slot),
            (None, _) => Flow::unknown(),
        }
    });
    let flows = flows.collect();
    frame.put(at, flows);
    // A repeat zone follows what becomes of it; a frame of a simulation, and a single element, may hold anything.
    if ready.node.kind != "GeometryNodeRepeatInput" {
        frame.any_kinds(at);
    }
}

/// The output node: runs the zone to its end.
pub(crate) fn close<'a>(machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, at: usize) {
    let tree = Arc::clone(&frame.tree);
    let Some((ready, zone)) = tree.nodes.get(at).and_then(|ready| Some((ready, ready.zone.as_ref()?))) else {
        return;
    };
    match ready.node.kind.as_str() {
        "GeometryNodeRepeatOutput" => repeat(machine, frame, at, ready, zone),
        "GeometryNodeForeachGeometryElementOutput" => {
            for_each(machine, frame, at, ready, zone);
            frame.any_kinds(at);
        }
        "GeometryNodeSimulationOutput" => {
            simulation(machine, frame, at, ready, zone);
            frame.any_kinds(at);
        }
        _ => {
            let flows = results(frame, ready);
            frame.put(at, flows);
            frame.any_kinds(at);
        }
    }
}

fn first_input(frame: &Frame<'_>, ready: &Ready<'_>) -> Flow {
    let slot = ready.inputs.iter().find(|slot| slot.kind == "NodeSocketGeometry");
    slot.map_or_else(Flow::unknown, |slot| frame.received_one(slot))
}

/// What the body gives to each output of the output node.
fn results(frame: &Frame<'_>, ready: &Ready<'_>) -> Vec<Flow> {
    let outputs = ready.outputs.iter();
    outputs
        .map(|exit| {
            let slot = ready.inputs.iter().find(|slot| slot.identifier == exit.identifier);
            slot.map_or_else(Flow::unknown, |slot| frame.received_one(slot))
        })
        .collect()
}

/// What the body of a zone took when it was evaluated last; its nodes are counted with the zone from then on.
pub(crate) fn taken(frame: &mut Frame<'_>, output: usize, zone: &Zone) -> Sum {
    let needed = frame.needed(output, Some(zone.input));
    let sum = frame.sum(zone.body.iter().copied(), &needed);
    for at in &zone.body {
        let chosen = frame.spent.get(*at).and_then(|spent| spent.chosen);
        frame.took(
            *at,
            Spent {
                chosen,
                ..Spent::default()
            },
        );
    }
    sum
}

/// What one iteration costs beside the nodes of its body.
pub(crate) fn overhead(zone: &str) -> Work {
    let iteration = costs().iterations.get(zone).copied().unwrap_or_default();
    Work {
        seconds: iteration.us * 1e-6,
        kept: iteration.bytes,
        peak: 0.0,
    }
}

// ---------------------------------------------------------------------------------------------- repeat

fn repeat<'a>(machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, at: usize, ready: &Ready<'a>, zone: &Zone) {
    let tree = Arc::clone(&frame.tree);
    let Some(input) = tree.nodes.get(zone.input) else {
        return;
    };
    let given = machine.inputs(frame, input);
    let iterations = given.count("Iterations", 0.0);
    let source = given.flow("Iterations").and_then(|flow| flow.source.clone());
    let place = Place {
        ready,
        zone,
        input,
        source,
    };
    if iterations < 1.0 {
        // The state goes past the body.
        let flows = frame.flows.get(zone.input).cloned().unwrap_or_default();
        let opened = |identifier: &str| {
            let at = input.outputs.iter().position(|exit| exit.identifier == identifier)?;
            flows.get(at).cloned()
        };
        let outputs = ready.outputs.iter();
        let state = outputs.map(|exit| opened(&exit.identifier).unwrap_or_else(Flow::unknown));
        let mut state: Vec<Flow> = state.collect();
        place.settle_kinds(machine, frame, &mut state);
        drop(taken(frame, at, zone));
        return frame.put(at, state);
    }
    // The body was evaluated once on the way here: that was the first iteration.
    let mut states = vec![results(frame, ready)];
    let mut sum = taken(frame, at, zone);
    let mut each_work = vec![sum.work];
    let mut done = 1.0;
    while done < iterations && !settled(&states) {
        let state = states.last().cloned().unwrap_or_default();
        states.push(place.run(machine, frame, &state, done));
        done += 1.0;
        let more = taken(frame, at, zone);
        each_work.push(more.work);
        sum.follow(more);
        if states.len() >= FOLLOWED || weight(&states) > ENOUGH || machine.exhausted() {
            break;
        }
    }
    let mut last = states.last().cloned().unwrap_or_default();
    if done < iterations {
        let almost = carried_on(&states, iterations - 1.0);
        last = place.run(machine, frame, &almost, iterations - 1.0);
        let more = taken(frame, at, zone);
        each_work.push(more.work);
        sum.follow(more);
    }
    place.settle_kinds(machine, frame, &mut last);
    drop(taken(frame, at, zone));
    let work = over(&each_work, iterations) + overhead("repeat").often(iterations);
    place.charge(frame, at, iterations, work, &sum);
    place.blame(
        machine.budget().elements,
        frame.tree.name,
        &states,
        &mut last,
        iterations,
    );
    frame.put(at, last);
}

/// The frame that is shown gives the flows; what grows from frame to frame is judged by the last one, and each frame's state is kept.
fn simulation<'a>(machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, at: usize, ready: &Ready<'a>, zone: &Zone) {
    let tree = Arc::clone(&frame.tree);
    let Some(input) = tree.nodes.get(zone.input) else {
        return;
    };
    let place = Place {
        ready,
        zone,
        input,
        source: None,
    };
    let shown = results(frame, ready);
    let mut states = vec![shown.clone()];
    let mut sum = taken(frame, at, zone);
    while states.len() < FOLLOWED && !settled(&states) && weight(&states) <= ENOUGH && !machine.exhausted() {
        let state = states.last().cloned().unwrap_or_default();
        states.push(place.run(machine, frame, &state, 0.0));
        sum.follow(taken(frame, at, zone));
    }
    let almost = carried_on(&states, FRAMES - 1.0);
    let last = place.run(machine, frame, &almost, 0.0);
    let end = taken(frame, at, zone);
    let (worst, dearest) = if end.work.weight() > sum.work.weight() {
        (end.work, end.dearest)
    } else {
        (sum.work, sum.dearest)
    };
    let held = |state: &[Flow]| state.iter().map(|flow| bytes(&flow.geometry())).sum::<f64>();
    let work = worst
        + overhead("simulation")
        + Work {
            kept: held(&shown).midpoint(held(&last)) * FRAMES,
            ..Work::default()
        };
    let own = Arc::new(Culprit {
        tree: tree.name.to_owned(),
        node: input.node.id.clone(),
        label: "The simulation zone".to_owned(),
        elements: 0.0,
        noun: "",
        lever: None,
        driver: last.iter().find_map(|flow| flow.peak.driver.clone()),
    });
    let dearest = if work.weight() > 1.5 * worst.weight() {
        Some(own)
    } else {
        dearest
    };
    frame.took(
        at,
        Spent {
            work,
            dearest: dearest.filter(|_| work.weight() > 1e-3),
            chosen: None,
        },
    );
    let flows = shown.into_iter().zip(last).map(|(shown, last)| Flow {
        peak: last.peak.or(&shown.peak),
        ..shown
    });
    let flows = flows.collect();
    frame.put(at, flows);
}

/// Frames of a fresh scene: how far a simulation is thought to be played.
const FRAMES: f64 = 250.0;

struct Place<'z, 'a> {
    ready: &'z Ready<'a>,
    zone: &'z Zone,
    input: &'z Ready<'a>,
    source: Option<Arc<str>>,
}

impl<'a> Place<'_, 'a> {
    /// One iteration from `state`, which is ordered as the outputs of the output node are.
    fn run(&self, machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, state: &[Flow], iteration: f64) -> Vec<Flow> {
        let of = |identifier: &str| {
            let at = self
                .ready
                .outputs
                .iter()
                .position(|exit| exit.identifier == identifier)?;
            state.get(at).cloned()
        };
        let was = frame.flows.get(self.zone.input).cloned().unwrap_or_default();
        let exits = self.input.outputs.iter().zip(was);
        let opened = exits.map(|(exit, was)| match exit.identifier.as_str() {
            "Iteration" => Content::Number(Range::exactly(iteration)).into(),
            identifier => {
                let state = of(identifier).unwrap_or_else(|| was.clone());
                Flow {
                    // Whatever it held before: how often the body runs is an estimate.
                    kinds: was.kinds.or(state.kinds),
                    ..state
                }
            }
        });
        let opened = opened.collect();
        frame.put(self.zone.input, opened);
        for at in &self.zone.body {
            machine.evaluate(frame, *at);
        }
        results(frame, self.ready)
    }

    /// Says of each output what it may hold after any number of iterations, none included. Where more and more components came up to the
    /// last, the body is evaluated with all of them, so that nothing in it is taken to be without effect.
    fn settle_kinds(&self, machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, state: &mut [Flow]) {
        let opened = |frame: &Frame<'a>, identifier: &str| {
            let at = self
                .input
                .outputs
                .iter()
                .position(|exit| exit.identifier == identifier)?;
            frame.flows.get(self.zone.input)?.get(at).map(|flow| flow.kinds)
        };
        let exits = &self.ready.outputs;
        let results = results(frame, self.ready);
        let grows = exits
            .iter()
            .zip(&results)
            .any(|(exit, flow)| opened(frame, &exit.identifier).is_some_and(|known| known.or(flow.kinds) != known));
        if grows {
            frame.any_kinds(self.zone.input);
            for at in &self.zone.body {
                machine.evaluate(frame, *at);
            }
        }
        for (exit, flow) in exits.iter().zip(state) {
            let kinds = opened(frame, &exit.identifier).unwrap_or(Kinds::ANY);
            flow.kinds = kinds.or(flow.kinds);
        }
    }

    /// Notes what the zone took; where it is dear because it runs often, the iterations are what decides.
    fn charge(&self, frame: &mut Frame<'a>, at: usize, iterations: f64, work: Work, sum: &Sum) {
        let dearest = if work.weight() < 1e-3 {
            None
        } else if iterations > 1.0 && work.weight() > 1.5 * sum.heaviest() {
            Some(Arc::new(Culprit {
                tree: frame.tree.name.to_owned(),
                node: self.input.node.id.clone(),
                label: self.label(),
                elements: 0.0,
                noun: "",
                lever: Some(Lever {
                    input: "Iterations".to_owned(),
                    value: iterations,
                    harmless: 1.0,
                    whole: true,
                    source: self.source.clone(),
                    remedy: None,
                }),
                driver: None,
            }))
        } else {
            sum.dearest.clone()
        };
        frame.took(
            at,
            Spent {
                work,
                dearest,
                chosen: None,
            },
        );
    }

    fn label(&self) -> String {
        let own = self.ready.node.label.clone().filter(|label| !label.is_empty());
        own.unwrap_or_else(|| "The repeat zone".to_owned())
    }

    /// Names the zone where it was the iterations that went beyond the budget, not what a single one makes.
    fn blame(&self, budget: f64, tree: &str, states: &[Vec<Flow>], last: &mut [Flow], iterations: f64) {
        let over = |state: &[Flow]| state.iter().any(|flow| flow.peak.culprit.is_some());
        let first = states.first().is_some_and(|state| over(state));
        if first || !over(last) {
            return;
        }
        let fits = |n: f64| carried_on(states, n).iter().map(elements).fold(0.0, f64::max) <= budget;
        let within = |state: &Vec<Flow>| !over(state);
        let mut good = f64::from(u32::try_from(states.iter().take_while(|s| within(s)).count()).unwrap_or(u32::MAX));
        if states.iter().all(within) {
            let mut bad = iterations;
            while bad - good > 1.0 {
                let middle = good.midpoint(bad).floor();
                *(if fits(middle) { &mut good } else { &mut bad }) = middle;
            }
        }
        let heaviest = last
            .iter()
            .map(Flow::geometry)
            .max_by(|a, b| a.elements().total_cmp(&b.elements()));
        let made = last.iter().map(|flow| flow.peak.elements).fold(0.0, f64::max);
        let noun = heaviest.map_or("elements", |geometry| noun_of(&geometry));
        let culprit = Arc::new(Culprit {
            tree: tree.to_owned(),
            node: self.input.node.id.clone(),
            label: self.label(),
            elements: made,
            noun,
            lever: Some(Lever {
                input: "Iterations".to_owned(),
                value: iterations,
                harmless: 1.0,
                whole: true,
                source: self.source.clone(),
                remedy: (good >= 1.0 && good < iterations).then_some(good),
            }),
            driver: None,
        });
        for flow in last {
            flow.peak.culprit = Some(Arc::clone(&culprit));
            flow.peak.elements = flow.peak.elements.max(made);
        }
    }
}

/// The sum over all iterations, from the first ones and the last.
fn over(each: &[Work], iterations: f64) -> Work {
    let known = f64::from(u32::try_from(each.len()).unwrap_or(u32::MAX));
    let sum = each.iter().fold(Work::default(), |sum, work| sum + *work);
    let [.., before, last] = each else {
        return sum;
    };
    let between = (iterations - known).max(0.0);
    if between <= 0.0 {
        return sum;
    }
    let rest = |first: f64, last: f64| {
        let factor = if first > 0.0 {
            (last / first).powf(1.0 / (between + 1.0))
        } else {
            1.0
        };
        // What grows by a factor has most of its sum at the end.
        if factor > 1.05 && factor.is_finite() {
            (last - first * factor) / (factor - 1.0)
        } else {
            between * first.midpoint(last)
        }
    };
    sum + Work {
        seconds: rest(before.seconds, last.seconds),
        kept: rest(before.kept, last.kept),
        peak: 0.0,
    }
}

fn elements(flow: &Flow) -> f64 {
    flow.geometry().elements().max(flow.peak.elements)
}

fn weight(states: &[Vec<Flow>]) -> f64 {
    let last = states.last().into_iter().flatten();
    last.map(|flow| flow.geometry().realised().elements().max(elements(flow)))
        .fold(0.0, f64::max)
}

/// True when the last four states show how everything grows.
fn settled(states: &[Vec<Flow>]) -> bool {
    let [.., a, b, c, d] = states else { return false };
    let rows = [a, b, c, d].map(|state| figures(state));
    let [a, b, c, d] = &rows;
    let plain = |at: usize| {
        let get = |row: &Vec<f64>| row.get(at).copied().unwrap_or_default();
        let [a, b, c, d] = [get(a), get(b), get(c), get(d)];
        even(a, b, c) && even(b, c, d) || steady(a, b, c) && steady(b, c, d)
    };
    (0..d.len()).all(plain)
}

/// Grows by the same difference.
fn even(a: f64, b: f64, c: f64) -> bool {
    let scale = a.abs().max(b.abs()).max(c.abs());
    !scale.is_finite() || ((c - b) - (b - a)).abs() <= 1e-9 * scale
}

/// Grows by the same factor.
fn steady(a: f64, b: f64, c: f64) -> bool {
    a > 0.0 && b > 0.0 && (c / b - b / a).abs() <= 1e-9 * (b / a)
}

/// The state after `n` iterations, from the states after 1, 2, 3 ….
fn carried_on(states: &[Vec<Flow>], n: f64) -> Vec<Flow> {
    let known = f64::from(u32::try_from(states.len()).unwrap_or(u32::MAX));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and the known states"
    )]
    if n <= known {
        return states.get(n.max(1.0) as usize - 1).cloned().unwrap_or_default();
    }
    let rows: Vec<Vec<f64>> = states.iter().rev().take(3).map(|state| figures(state)).collect();
    let last = states.last().cloned().unwrap_or_default();
    let count = rows.first().map_or(0, Vec::len);
    let at = |row: usize, column: usize| rows.get(row).and_then(|row| row.get(column)).copied();
    let grown = (0..count).map(|column| match (at(2, column), at(1, column), at(0, column)) {
        (Some(a), Some(b), Some(c)) => carried(a, b, c, n - known),
        (_, Some(b), Some(c)) => carried(b.midpoint(c), b, c, n - known),
        (_, _, c) => c.unwrap_or_default(),
    });
    refill(&last, &grown.collect::<Vec<f64>>())
}

/// A figure after `more` iterations beyond its last three values.
fn carried(a: f64, b: f64, c: f64, more: f64) -> f64 {
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        return c;
    }
    let value = if even(a, b, c) || b <= 0.0 || c <= 0.0 {
        c + (c - b) * more
    } else {
        c * (c / b).powf(more)
    };
    value.clamp(-CEILING, CEILING)
}

/// The figures of a state that can grow.
fn figures(state: &[Flow]) -> Vec<f64> {
    let of = |flow: &Flow| match &flow.content {
        Content::Geometry(geometry) => geometry.figures(),
        Content::Number(range) => vec![range.low, range.high],
        Content::Vector(parts) => parts.iter().flat_map(|range| [range.low, range.high]).collect(),
        Content::Text { chars, visible } => vec![*chars, *visible],
        Content::Choice(_)
        | Content::Data(_)
        | Content::Nothing
        | Content::FaceArea
        | Content::Closure(_)
        | Content::Unknown => Vec::new(),
    };
    let field = |flow: &Flow| flow.field.as_ref().map(|field| field.seconds());
    state
        .iter()
        .flat_map(|flow| of(flow).into_iter().chain(field(flow)))
        .collect()
}

/// The state with other figures.
fn refill(state: &[Flow], figures: &[f64]) -> Vec<Flow> {
    let mut rest = figures.iter().copied();
    let mut next = || rest.next().unwrap_or_default();
    let mut refilled = state.to_vec();
    for flow in &mut refilled {
        flow.content = match &flow.content {
            Content::Geometry(geometry) => {
                let figures: Vec<f64> = geometry.figures().iter().map(|_| next().max(0.0)).collect();
                Content::from(Geometry::from_figures(&figures))
            }
            Content::Number(_) => Content::Number(Range::of([next(), next()])),
            Content::Vector(_) => Content::Vector(std::array::from_fn(|_| Range::of([next(), next()]))),
            Content::Text { .. } => Content::Text {
                chars: next(),
                visible: next(),
            },
            other => other.clone(),
        };
        if flow.field.is_some() {
            flow.field = Some(Arc::new(Field::new(next().max(0.0), Vec::new())));
        }
    }
    refilled
}

// -------------------------------------------------------------------------------------------- for each

/// Domain of the zone whose input node is `at`, and how many elements a geometry has there.
fn elements_of(nodes: &[Ready<'_>], at: usize, geometry: &Geometry) -> (&'static str, f64) {
    let zone = nodes
        .iter()
        .find(|node| node.zone.as_ref().is_some_and(|zone| zone.input == at));
    let own = zone.and_then(|node| {
        let set = node.node.props.get("domain");
        let default = || Some(&node.kind?.properties.get("domain")?.default);
        set.or_else(default)?.as_str()
    });
    let parts = geometry.own;
    match own {
        Some("EDGE") => ("EDGE", parts.mesh.edges),
        Some("FACE") => ("FACE", parts.mesh.faces),
        Some("CORNER") => ("CORNER", parts.mesh.corners),
        Some("CURVE" | "LAYER") => ("CURVE", parts.curves.count),
        Some("INSTANCE") => ("INSTANCE", geometry.instances),
        _ => ("POINT", parts.all_points()),
    }
}

/// One average element.
fn single(domain: &str, geometry: &Geometry, count: f64) -> Geometry {
    let mesh = |mesh: Mesh| {
        Geometry::of(
            Parts {
                mesh,
                ..Parts::default()
            },
            geometry.size,
        )
    };
    let share = 1.0 / count.max(1.0);
    match domain {
        "EDGE" => mesh(Mesh {
            vertices: 2.0,
            edges: 1.0,
            ..Mesh::default()
        }),
        "FACE" => {
            let corners = (geometry.own.mesh.corners * share).max(3.0);
            mesh(Mesh {
                vertices: corners,
                edges: corners,
                faces: 1.0,
                corners,
                area: geometry.own.mesh.area * share,
            })
        }
        "CURVE" => Geometry::of(
            Parts {
                curves: (geometry.own * share).curves,
                ..Parts::default()
            },
            geometry.size,
        ),
        "INSTANCE" => geometry.picked(1.0),
        _ => Geometry::of(
            Parts {
                mesh: Mesh {
                    vertices: if geometry.own.mesh.vertices > 0.0 { 1.0 } else { 0.0 },
                    ..Mesh::default()
                },
                curves: if geometry.own.curves.points > 0.0 {
                    Curves::poly(1.0, 1.0, false, 0.0)
                } else {
                    Curves::default()
                },
                points: if geometry.own.points > 0.0 { 1.0 } else { 0.0 },
                ..Parts::default()
            },
            [0.0; 3],
        ),
    }
}

fn for_each<'a>(machine: &mut dyn Evaluator<'a>, frame: &mut Frame<'a>, at: usize, ready: &Ready<'a>, zone: &Zone) {
    let tree = Arc::clone(&frame.tree);
    let Some(input) = tree.nodes.get(zone.input) else {
        return;
    };
    let whole = first_input(frame, input);
    let (_, all) = elements_of(&tree.nodes, zone.input, &whole.geometry());
    let count = if machine.inputs(frame, input).selected() {
        all
    } else {
        0.0
    };
    if count > 1.0 {
        for at in &zone.body {
            machine.evaluate(frame, *at);
        }
    }
    let one = taken(frame, at, zone);
    let work = (one.work + overhead("for_each")).often(count);
    let body = results(frame, ready);
    let mut peak = body.iter().fold(whole.peak.clone(), |peak, flow| peak.or(&flow.peak));
    let copied: Vec<Flow> = ready
        .outputs
        .iter()
        .zip(body)
        .map(|(exit, flow)| match (exit.identifier.as_str(), &flow.content) {
            ("Geometry", _) => whole.clone(),
            (_, Content::Geometry(one)) => Content::from(one.repeated(count)).into(),
            _ => flow,
        })
        .collect();
    let heaviest = copied
        .iter()
        .map(Flow::geometry)
        .max_by(|a, b| a.elements().total_cmp(&b.elements()));
    let heaviest = heaviest.unwrap_or_default();
    let (made, noun) = (heaviest.elements(), noun_of(&heaviest));
    let label = ready.node.label.clone().filter(|label| !label.is_empty());
    let culprit = Arc::new(Culprit {
        tree: tree.name.to_owned(),
        node: input.node.id.clone(),
        label: label.unwrap_or_else(|| "The For Each zone".to_owned()),
        elements: made,
        noun,
        lever: None,
        driver: peak.driver.clone(),
    });
    let own = work.weight() > 1.5 * one.heaviest() || one.dearest.is_none();
    let dearest = if own { Some(Arc::clone(&culprit)) } else { one.dearest };
    frame.took(
        at,
        Spent {
            work,
            dearest: dearest.filter(|_| work.weight() > 1e-3),
            chosen: None,
        },
    );
    if made > machine.budget().elements && peak.culprit.is_none() {
        peak.culprit = Some(culprit);
    }
    peak.elements = peak.elements.max(made);
    let flows = copied.into_iter().map(|flow| Flow {
        peak: peak.or(&flow.peak),
        ..flow
    });
    let flows = flows.collect();
    frame.put(at, flows);
}
