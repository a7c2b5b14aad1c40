//! A for-each zone is evaluated for one average element.

use std::sync::Arc;

use crate::flow::{Content, Culprit, Flow};
use crate::frame::{Evaluator, Frame, Spent};
use crate::geometry::{Curves, Geometry, Mesh, Parts, noun_of};
use crate::prepare::{Ready, Zone};

use super::body::{body_cost, first_input, overhead, results};

/// Domain of the zone whose input node is `at`, and how many elements a geometry has there.
pub(super) fn elements_of(nodes: &[Ready<'_>], at: usize, geometry: &Geometry) -> (&'static str, f64) {
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
pub(super) fn single(domain: &str, geometry: &Geometry, count: f64) -> Geometry {
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

/// Runs the body for every element that is selected.
pub(super) fn for_each<'a>(
    machine: &mut dyn Evaluator<'a>,
    frame: &mut Frame<'a>,
    at: usize,
    ready: &Ready<'a>,
    zone: &Zone,
) {
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
    let one = body_cost(frame, at, zone);
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
