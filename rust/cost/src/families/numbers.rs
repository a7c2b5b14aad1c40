//! Numbers by interval arithmetic. Operations that are not listed give unknown values.

use geonode_graph::sockets::GEOMETRY;
use serde_json::Value;

use crate::flow::Content;
use crate::inputs::{Inputs, Outcome};
use crate::range::Range;

const TRUTH: Range = Range { low: 0.0, high: 1.0 };

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let property = |name: &str| inputs.ready.node.props.get(name);
    Some(match kind {
        "ShaderNodeValue" => {
            let set = property("outputs.Value.default_value");
            let own = || inputs.ready.node.outputs.get("Value")?.get("value");
            let value = set.or_else(own).and_then(Value::as_f64).unwrap_or(0.0);
            // A new Value node has 0.5 in shaders only.
            Outcome::number("Value", Range::exactly(value))
        }
        "FunctionNodeInputInt" => {
            let value = property("integer").and_then(Value::as_f64).unwrap_or(0.0);
            Outcome::number("Integer", Range::exactly(value))
        }
        "FunctionNodeInputBool" => {
            let value = property("boolean").and_then(Value::as_bool).unwrap_or(false);
            Outcome::number("Boolean", Range::exactly(f64::from(value)))
        }
        "FunctionNodeInputMenu" => {
            let item = property("value").and_then(Value::as_str).unwrap_or_default();
            Outcome::at("Menu", Content::Choice(item.into()))
        }
        "GeometryNodeInputObject" => data(inputs, "object", "Object"),
        "GeometryNodeInputCollection" => data(inputs, "collection", "Collection"),
        "ShaderNodeMath" => Outcome::number("Value", math(inputs)),
        "FunctionNodeIntegerMath" => Outcome::number("Value", integer_math(inputs)),
        "FunctionNodeBooleanMath" => Outcome::number("Boolean", boolean_math(inputs)),
        "FunctionNodeCompare" => match all_but_first(inputs) {
            Some(kept) => Outcome::at("Result", Content::AllButFirst(kept)),
            None => Outcome::number("Result", compared(inputs)),
        },
        "FunctionNodeFloatToInt" => {
            let mode = inputs.mode("rounding_mode", "Rounding Mode");
            let round = match mode.as_str() {
                "floor" => f64::floor,
                "ceiling" => f64::ceil,
                "truncate" => f64::trunc,
                _ => f64::round,
            };
            Outcome::number("Integer", inputs.exact("Float").map(round))
        }
        "FunctionNodeRandomValue" => random(inputs),
        "ShaderNodeClamp" => {
            let limits = inputs.exact("Min").union(inputs.exact("Max"));
            Outcome::number("Result", inputs.exact("Value").within(limits))
        }
        "ShaderNodeMapRange" => mapped(inputs),
        "ShaderNodeMix" => mixed(inputs),
        "GeometryNodeAttributeDomainSize" => domain_size(inputs),
        "GeometryNodeCurveLength" => Outcome::number("Length", Range::of([0.0, inputs.main().own.curves.length])),
        "GeometryNodeInputIndex" => Outcome::at("Index", Content::Index),
        "GeometryNodeInputMeshFaceArea" => Outcome::at("Area", Content::FaceArea),
        "GeometryNodeAttributeStatistic" => statistic(inputs),
        "GeometryNodeSampleIndex" | "GeometryNodeSampleNearestSurface" | "GeometryNodeSampleCurve" => {
            let value = inputs.flow("Value").map(|flow| flow.content.clone());
            Outcome::at("Value", value.unwrap_or(Content::Unknown))
        }
        "ShaderNodeTexNoise"
        | "ShaderNodeTexVoronoi"
        | "ShaderNodeTexWhiteNoise"
        | "ShaderNodeTexGradient"
        | "ShaderNodeTexChecker"
        | "ShaderNodeTexMagic"
        | "ShaderNodeTexWave" => {
            let named = ["Fac", "Value", "Distance"].into_iter();
            named.fold(Outcome::default(), |outcome, name| {
                outcome.and(name, Content::Number(TRUTH))
            })
        }
        "ShaderNodeFloatCurve" => Outcome::number("Value", TRUTH),
        "GeometryNodeIsViewport" => Outcome::number("Is Viewport", Range::exactly(1.0)),
        "GeometryNodeCaptureAttribute" => captured(inputs),
        _ => return None,
    })
}

fn data(inputs: &Inputs<'_>, property: &str, output: &str) -> Outcome {
    let value = inputs.ready.node.props.get(property);
    let content = value.map_or(Content::Unknown, |value| crate::inputs::content("", value));
    Outcome::at(output, content)
}

/// The ranges of a node's inputs in order; missing ones are unknown.
fn operands(inputs: &Inputs<'_>) -> [Range; 3] {
    let of = |at: usize| match inputs
        .flows
        .get(at)
        .and_then(|flows| flows.first())
        .map(|flow| &flow.content)
    {
        Some(Content::Number(range)) => *range,
        _ => Range::UNKNOWN,
    };
    [of(0), of(1), of(2)]
}

fn math(inputs: &Inputs<'_>) -> Range {
    let [a, b, c] = operands(inputs);
    let operation = inputs.property("operation").unwrap_or("ADD");
    let result = arithmetic(operation, a, b, c).unwrap_or_else(|| rounding(operation, a, b));
    let clamped = inputs.ready.node.props.get("use_clamp").and_then(Value::as_bool) == Some(true);
    if clamped { result.within(TRUTH) } else { result }
}

/// Operations that Math and Integer Math share.
fn arithmetic(operation: &str, a: Range, b: Range, c: Range) -> Option<Range> {
    let sum = |a: Range, b: Range| a.with(b, |a, b| a + b);
    Some(match operation {
        "ADD" => sum(a, b),
        "SUBTRACT" => a.with(b, |a, b| a - b),
        "MULTIPLY" => a.times(b),
        "MULTIPLY_ADD" => sum(a.times(b), c),
        "DIVIDE" => a.over(b),
        "POWER" => power(a, b),
        "MINIMUM" => Range::of([a.low.min(b.low), a.high.min(b.high)]),
        "MAXIMUM" => Range::of([a.low.max(b.low), a.high.max(b.high)]),
        "ABSOLUTE" => a.abs(),
        "NEGATE" => a.map(|number| -number),
        "SIGN" => Range::of([-1.0, 1.0]),
        "MODULO" | "FLOORED_MODULO" => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) if b != 0.0 && operation == "MODULO" => Range::exactly(a % b),
            (Some(a), Some(b)) if b != 0.0 => Range::exactly(a.rem_euclid(b)),
            _ => Range::of([-b.abs().high, b.abs().high]),
        },
        _ => return None,
    })
}

fn rounding(operation: &str, a: Range, b: Range) -> Range {
    match operation {
        "SQRT" => a.within(Range::of([0.0, f64::INFINITY])).map(f64::sqrt),
        "EXPONENT" => a.map(f64::exp),
        "LOGARITHM" => a.with(b, f64::log),
        "ROUND" => a.map(f64::round),
        "FLOOR" => a.map(f64::floor),
        "CEIL" => a.map(f64::ceil),
        "TRUNC" => a.map(f64::trunc),
        "FRACT" | "COMPARE" => TRUTH,
        "SNAP" => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) if b != 0.0 => Range::exactly((a / b).floor() * b),
            _ => a,
        },
        "LESS_THAN" => less(a, b),
        "GREATER_THAN" => less(b, a),
        "SINE" | "COSINE" => match a.constant() {
            Some(angle) if operation == "SINE" => Range::exactly(angle.sin()),
            Some(angle) => Range::exactly(angle.cos()),
            None => Range::of([-1.0, 1.0]),
        },
        "RADIANS" => a.map(f64::to_radians),
        "DEGREES" => a.map(f64::to_degrees),
        _ => Range::UNKNOWN,
    }
}

/// Rises throughout for bases above zero; otherwise only a certain power is known.
fn power(a: Range, b: Range) -> Range {
    match (a.constant(), b.constant()) {
        (Some(a), Some(b)) => Range::exactly(a.powf(b)),
        _ if a.low >= 0.0 => a.with(b, f64::powf),
        _ => Range::UNKNOWN,
    }
}

fn less(a: Range, b: Range) -> Range {
    if a.high < b.low {
        Range::exactly(1.0)
    } else if a.low >= b.high {
        Range::exactly(0.0)
    } else {
        TRUTH
    }
}

fn integer_math(inputs: &Inputs<'_>) -> Range {
    let [a, b, c] = operands(inputs);
    let operation = inputs.property("operation").unwrap_or("ADD");
    match operation {
        "DIVIDE" => a.over(b).map(f64::trunc),
        "DIVIDE_FLOOR" => a.over(b).map(f64::floor),
        "DIVIDE_CEIL" => a.over(b).map(f64::ceil),
        "DIVIDE_ROUND" => a.over(b).map(f64::round),
        _ => arithmetic(operation, a, b, c).unwrap_or(Range::UNKNOWN),
    }
}

fn boolean_math(inputs: &Inputs<'_>) -> Range {
    let [a, b, _] = operands(inputs).map(Range::truth);
    let result = match inputs.property("operation").unwrap_or("AND") {
        "AND" => match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        },
        "OR" => match (a, b) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        },
        "NOT" => a.map(|a| !a),
        _ => None,
    };
    result.map_or(TRUTH, |truth| Range::exactly(f64::from(truth)))
}

/// The available inputs A and B differ in name from version to version.
/// What the names of the operands of a Compare node end with, where it compares numbers.
fn compared_suffix(inputs: &Inputs<'_>) -> Option<&'static str> {
    match inputs.property("data_type") {
        Some("INT") if inputs.position("A_INT").is_some() => Some("_INT"),
        Some("FLOAT" | "INT") => Some(""),
        _ => None,
    }
}

/// How many elements come before those that a comparison of the index with a number selects; `None` where it is another comparison.
fn all_but_first(inputs: &Inputs<'_>) -> Option<f64> {
    let suffix = compared_suffix(inputs)?;
    let (a, b) = (format!("A{suffix}"), format!("B{suffix}"));
    let is_index = |name: &str| inputs.flow(name).is_some_and(|flow| flow.content == Content::Index);
    let from = match (inputs.property("operation")?, is_index(&a), is_index(&b)) {
        ("GREATER_EQUAL", true, false) => inputs.exact(&b).high.ceil(),
        ("GREATER_THAN", true, false) => inputs.exact(&b).high.floor() + 1.0,
        ("LESS_EQUAL", false, true) => inputs.exact(&a).high.ceil(),
        ("LESS_THAN", false, true) => inputs.exact(&a).high.floor() + 1.0,
        _ => return None,
    };
    from.is_finite().then(|| from.max(0.0))
}

fn compared(inputs: &Inputs<'_>) -> Range {
    let Some(suffix) = compared_suffix(inputs) else {
        return TRUTH;
    };
    let (a, b) = (inputs.exact(&format!("A{suffix}")), inputs.exact(&format!("B{suffix}")));
    let not = |truth: Range| truth.map(|truth| 1.0 - truth);
    match inputs.property("operation").unwrap_or("GREATER_THAN") {
        "LESS_THAN" => less(a, b),
        "GREATER_EQUAL" => not(less(a, b)),
        "GREATER_THAN" => less(b, a),
        "LESS_EQUAL" => not(less(b, a)),
        "EQUAL" => match (a.constant(), b.constant()) {
            (Some(a), Some(b)) => Range::exactly(f64::from((a - b).abs() < 1e-9)),
            _ => TRUTH,
        },
        _ => TRUTH,
    }
}

fn random(inputs: &Inputs<'_>) -> Outcome {
    let kind = inputs.property("data_type").unwrap_or("FLOAT");
    let old = inputs.position("Min_001").is_some_and(|at| {
        inputs
            .ready
            .inputs
            .get(at)
            .is_some_and(|slot| slot.identifier == "Min_001")
    });
    let (suffix, output) = match (kind, old) {
        ("FLOAT", true) => ("_001", "Value_001"),
        ("INT", true) => ("_002", "Value_002"),
        ("BOOLEAN", true) => return Outcome::number("Value_003", TRUTH),
        ("BOOLEAN", false) => return Outcome::number("Value", TRUTH),
        _ => ("", "Value"),
    };
    let (low, high) = (format!("Min{suffix}"), format!("Max{suffix}"));
    let content = if kind == "FLOAT_VECTOR" {
        let (low, high) = (inputs.vector(&low), inputs.vector(&high));
        let mut range = low;
        for (axis, high) in range.iter_mut().zip(high) {
            *axis = axis.union(high);
        }
        Content::Vector(range)
    } else {
        Content::Number(inputs.exact(&low).union(inputs.exact(&high)))
    };
    Outcome::at(output, content)
}

/// Within the bounds if clamped, which is the default; a known value is computed exactly.
fn mapped(inputs: &Inputs<'_>) -> Outcome {
    let [value, from_low, from_high, low, high] =
        ["Value", "From Min", "From Max", "To Min", "To Max"].map(|name| inputs.exact(name));
    let clamped = inputs.ready.node.props.get("clamp").and_then(Value::as_bool) != Some(false);
    let share = value
        .with(from_low, |a, b| a - b)
        .over(from_high.with(from_low, |a, b| a - b));
    let share = if clamped { share.within(TRUTH) } else { share };
    let range = high.with(low, |a, b| a - b).times(share).with(low, |a, b| a + b);
    Outcome::number("Result", if clamped { range.within(low.union(high)) } else { range })
}

fn mixed(inputs: &Inputs<'_>) -> Outcome {
    if inputs.property("data_type") != Some("FLOAT") {
        return Outcome::default();
    }
    let (a, b) = (inputs.exact("A_Float"), inputs.exact("B_Float"));
    let factor = inputs.exact("Factor_Float").within(TRUTH);
    let all = a.union(b);
    let mixed = b.with(a, |b, a| b - a).times(factor).with(a, |c, a| c + a);
    Outcome::number("Result_Float", mixed.within(all))
}

fn domain_size(inputs: &Inputs<'_>) -> Outcome {
    let geometry = inputs.main();
    let own = geometry.own;
    let points = match inputs.mode("component", "Component").as_str() {
        "mesh" => own.mesh.vertices,
        "curve" => own.curves.points,
        _ => own.points,
    };
    let figures = [
        ("Point Count", points),
        ("Edge Count", own.mesh.edges),
        ("Face Count", own.mesh.faces),
        ("Face Corner Count", own.mesh.corners),
        ("Spline Count", own.curves.count),
        ("Instance Count", geometry.instances),
    ];
    figures.into_iter().fold(Outcome::default(), |outcome, (name, count)| {
        outcome.and(name, Content::Number(Range::exactly(count)))
    })
}

/// Bounds of what is averaged; the sum over all elements. Face areas add up to the mesh's.
fn statistic(inputs: &Inputs<'_>) -> Outcome {
    let own = inputs.main().own;
    if matches!(inputs.flow("Attribute"), Some(flow) if flow.content == Content::FaceArea) {
        let area = own.mesh.area;
        let mean = if own.mesh.faces > 0.0 {
            area / own.mesh.faces
        } else {
            0.0
        };
        let outcome = Outcome::number("Sum", Range::exactly(area));
        return outcome.and("Mean", Content::Number(Range::exactly(mean)));
    }
    let values = inputs.exact("Attribute");
    let count = match inputs.mode("domain", "Domain").as_str() {
        "edge" => own.mesh.edges,
        "face" => own.mesh.faces,
        "corner" => own.mesh.corners,
        "curve" => own.curves.count,
        "instance" => inputs.main().instances,
        _ => own.all_points(),
    };
    let named = ["Mean", "Median", "Min", "Max"].into_iter();
    let outcome = Outcome::number("Sum", values.times(Range::exactly(count)));
    named.fold(outcome, |outcome, name| outcome.and(name, Content::Number(values)))
}

/// Geometry and captured values pass through under the names of their inputs.
fn captured(inputs: &Inputs<'_>) -> Outcome {
    let slots = inputs.ready.inputs.iter().zip(&inputs.flows);
    slots.fold(Outcome::geometry(inputs.main()), |outcome, (slot, flows)| {
        match flows.first() {
            Some(flow) if slot.kind != GEOMETRY => outcome.and(&slot.identifier, flow.content.clone()),
            _ => outcome,
        }
    })
}
