//! Instances: creating, realizing and separating them; geometry from objects and collections; joining.

use crate::geometry::{Geometry, Parts};
use crate::inputs::{Inputs, Outcome};
use crate::scene;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let geometry = match kind.strip_prefix("GeometryNode")? {
        "InstanceOnPoints" => on_points(inputs),
        "RealizeInstances" => {
            let all = inputs.truth("Realize All") == Some(false) && inputs.exact("Depth").constant() == Some(0.0);
            if all || !inputs.selected() {
                inputs.main()
            } else {
                inputs.main().realised()
            }
        }
        "JoinGeometry" => inputs.main(),
        "GeometryToInstance" => {
            let flows = inputs.flows.first().map(Vec::as_slice).unwrap_or_default();
            let each = flows.iter().map(|flow| flow.geometry().instanced(1.0));
            each.fold(Geometry::default(), |sum, next| sum.joined(&next))
        }
        "InstancesToPoints" => {
            let main = inputs.main();
            let points = if inputs.selected() { main.instances } else { 0.0 };
            let parts = Parts {
                points,
                ..Parts::default()
            };
            Geometry::of(parts, main.size)
        }
        "SplitToInstances" => {
            let main = inputs.main();
            // One instance for each group; how many groups is known only where all are one.
            let one = inputs.exact("Group ID").constant().is_some();
            let elements = main.own.mesh.faces.max(main.own.all_points());
            let count = if one { 1.0 } else { elements };
            let share = if count > 0.0 { 1.0 / count } else { 0.0 };
            Geometry {
                referred: main.own + main.referred,
                ..Geometry::of(main.own * share, main.size).instanced(count)
            }
        }
        "ObjectInfo" => {
            let object = inputs
                .data("Object")
                .map(|name| scene::object(inputs.scene, &name))
                .unwrap_or_default();
            let count = if object.elements() > 0.0 { 1.0 } else { 0.0 };
            if inputs.truth("As Instance") == Some(false) {
                object
            } else {
                object.instanced(count)
            }
        }
        "CollectionInfo" => {
            let children = inputs
                .data("Collection")
                .map(|name| scene::collection(inputs.scene, &name));
            let children = children.unwrap_or_default();
            let whole = inputs.truth("Separate Children") == Some(false);
            if whole && children.instances > 0.0 {
                children.instanced(1.0)
            } else {
                children
            }
        }
        "Transform" => transformed(inputs),
        "SelfObject" | "ImportPLY" | "ImportSTL" | "ImportOBJ" | "ImportVDB" | "ImportCSV" => Geometry::default(),
        _ => return None,
    };
    Some(Outcome::geometry(geometry))
}

fn on_points(inputs: &Inputs<'_>) -> Geometry {
    let points = inputs.geometry("Points");
    let instance = inputs.geometry("Instance");
    if !inputs.selected() {
        return Geometry::default();
    }
    let pick = inputs.truth("Pick Instance") == Some(true);
    let stood = |count: f64| {
        if pick {
            instance.picked(count)
        } else {
            instance.instanced(count)
        }
    };
    let made = stood(points.own.all_points());
    let size = [0, 1, 2].map(|axis| {
        points.size.get(axis).copied().unwrap_or_default() + instance.size.get(axis).copied().unwrap_or_default()
    });
    // Points within instances get instances too, once for each instance that contains them.
    let deep = points.inside.all_points();
    if deep <= 0.0 {
        return Geometry { size, ..made };
    }
    let below = stood(deep);
    Geometry {
        referred: made.referred + below.referred,
        inside: made.inside + below.inside,
        instances: made.instances + points.instances,
        nested: made.nested + points.nested + below.instances + below.nested,
        own: Parts::default(),
        size,
    }
}

/// Scaling changes lengths and areas, which later nodes may use for counts.
fn transformed(inputs: &Inputs<'_>) -> Geometry {
    let main = inputs.main();
    let scale = inputs.lengths("Scale", 1.0);
    let most = scale.into_iter().fold(0.0, f64::max);
    let mut sides = scale;
    sides.sort_by(f64::total_cmp);
    let [_, middle, largest] = sides;
    let by_area = middle * largest;
    let size = [0, 1, 2].map(|axis| {
        let factor: f64 = scale.get(axis).copied().unwrap_or(1.0);
        main.size.get(axis).copied().unwrap_or_default() * factor
    });
    let grown = main.map(|parts| {
        let mut parts = *parts;
        parts.mesh.area *= by_area;
        parts.curves.length *= most;
        parts
    });
    Geometry { size, ..grown }
}
