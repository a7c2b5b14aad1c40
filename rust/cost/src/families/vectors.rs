//! Vectors by their components, which are used for sizes, scales and spacings.

use serde_json::Value;

use crate::flow::Content;
use crate::inputs::{Inputs, Outcome};
use crate::range::Range;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    Some(match kind {
        "ShaderNodeCombineXYZ" => {
            let parts = ["X", "Y", "Z"].map(|axis| inputs.exact(axis));
            Outcome::at("Vector", Content::Vector(parts))
        }
        "ShaderNodeSeparateXYZ" => {
            let axes = ["X", "Y", "Z"].into_iter().zip(inputs.vector("Vector"));
            axes.fold(Outcome::default(), |outcome, (axis, range)| {
                outcome.and(axis, Content::Number(range))
            })
        }
        "FunctionNodeInputVector" => {
            let parts = inputs.ready.node.props.get("vector").and_then(Value::as_array);
            let part = |at: usize| parts.and_then(|parts| parts.get(at)).and_then(Value::as_f64);
            let range = |at: usize| Range::exactly(part(at).unwrap_or(0.0));
            Outcome::at("Vector", Content::Vector([range(0), range(1), range(2)]))
        }
        "ShaderNodeVectorMath" => math(inputs),
        _ => return None,
    })
}

fn math(inputs: &Inputs<'_>) -> Outcome {
    let (a, b) = (inputs.vector("Vector"), inputs.vector("Vector_001"));
    let each = |with: &dyn Fn(Range, Range) -> Range| {
        let mut result = a;
        for (part, other) in result.iter_mut().zip(b) {
            *part = with(*part, other);
        }
        Outcome::at("Vector", Content::Vector(result))
    };
    match inputs.property("operation").unwrap_or("ADD") {
        "ADD" => each(&|a, b| a.with(b, |a, b| a + b)),
        "SUBTRACT" => each(&|a, b| a.with(b, |a, b| a - b)),
        "MULTIPLY" => each(&Range::times),
        "DIVIDE" => each(&Range::over),
        "MINIMUM" => each(&|a, b| Range::of([a.low.min(b.low), a.high.min(b.high)])),
        "MAXIMUM" => each(&|a, b| Range::of([a.low.max(b.low), a.high.max(b.high)])),
        "SCALE" => {
            let factor = inputs.exact("Scale");
            Outcome::at("Vector", Content::Vector(a.map(|part| part.times(factor))))
        }
        "LENGTH" => {
            let sum = a.into_iter().map(|part| part.abs().high.powi(2)).sum::<f64>();
            Outcome::number("Value", Range::of([0.0, sum.sqrt()]))
        }
        _ => Outcome::default(),
    }
}
