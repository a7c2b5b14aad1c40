//! Texts by their length, and the curves that they become.

use crate::flow::{Content, Format};
use crate::geometry::{Curves, Geometry, Parts, times};
use crate::inputs::{Inputs, Outcome};
use crate::range::Range;

/// Splines of a character in Blender's own font, on average.
const SPLINES: f64 = 1.5;
/// Control points of a character, on average.
const POINTS: f64 = 20.0;
/// Characters of a font: each is one geometry, no matter how often it appears.
const GLYPHS: f64 = 100.0;
/// Characters of a number as text.
const NUMBER: f64 = 12.0;

pub(super) fn outcome(kind: &str, inputs: &Inputs<'_>) -> Option<Outcome> {
    let same = |output: &str| {
        let ((chars, visible), format) = (inputs.text("String"), inputs.format("String"));
        Some(Outcome::at(output, Content::Text { chars, visible, format }))
    };
    match kind {
        "GeometryNodeStringToCurves" => Some(to_curves(inputs)),
        "GeometryNodeStringJoin" => Some(joined(inputs)),
        "FunctionNodeInputString" => {
            let text = inputs
                .ready
                .node
                .props
                .get("string")
                .and_then(serde_json::Value::as_str);
            let content = crate::inputs::content("NodeSocketString", &text.unwrap_or_default().into());
            Some(Outcome::at("String", content))
        }
        "FunctionNodeValueToString" => {
            let chars = NUMBER + inputs.most("Decimals").max(0.0);
            Some(Outcome::at("String", plain(chars, chars)))
        }
        "FunctionNodeFormatString" => Some(formatted(inputs)),
        "FunctionNodeStringLength" => {
            let (chars, _) = inputs.text("String");
            Some(Outcome::number("Length", Range::exactly(chars)))
        }
        "FunctionNodeSliceString" => {
            let (chars, visible) = inputs.text("String");
            let most = inputs.count("Length", 0.0);
            let content = Content::Text {
                chars: chars.min(most),
                visible: visible.min(most),
                format: inputs.format("String"),
            };
            Some(Outcome::at("String", content))
        }
        "FunctionNodeReplaceString" => Some(replaced(inputs)),
        "FunctionNodeInputSpecialCharacters" => {
            let one = |visible: f64| plain(1.0, visible);
            Some(Outcome::at("Line Break", one(0.0)).and("Tab", one(1.0)))
        }
        "FunctionNodeReverseString" => {
            let (chars, visible) = inputs.text("String");
            Some(Outcome::at("String", composed(chars, visible)))
        }
        "FunctionNodeSetStringCase" | "FunctionNodeTrimString" => same("String"),
        _ => None,
    }
}

/// A text without fields.
fn plain(chars: f64, visible: f64) -> Content {
    Content::Text {
        chars,
        visible,
        format: Format::default(),
    }
}

/// A text of others: a field of a format, with any number, may have come of parts that have none.
fn composed(chars: f64, visible: f64) -> Content {
    Content::Text {
        chars,
        visible,
        format: Format {
            fields: (chars / 2.0).floor(),
            widths: 10.0_f64.powf(chars.clamp(0.0, DIGITS)),
        },
    }
}

/// More digits a width cannot have: Blender takes it as a whole number of 32 bits.
const DIGITS: f64 = 9.0;

/// An instance for each character, spaces included.
fn to_curves(inputs: &Inputs<'_>) -> Outcome {
    let (chars, visible) = inputs.text("String");
    let size = inputs.most("Size");
    let glyph = Parts {
        curves: Curves {
            evaluated: 4.0 * POINTS,
            spans: 4.0 * POINTS,
            ..Curves::poly(SPLINES, POINTS, true, 4.0 * size)
        },
        ..Parts::default()
    };
    let width = size * chars.min(1e6) * 0.6;
    let text = Geometry {
        referred: glyph * visible.min(GLYPHS),
        ..Geometry::of(glyph, [width, size, 0.0]).instanced(visible)
    };
    Outcome::geometry(text)
}

fn joined(inputs: &Inputs<'_>) -> Outcome {
    let (delimiter, shown) = inputs.text("Delimiter");
    let strings = inputs.position("Strings").and_then(|at| inputs.flows.get(at));
    let flows = strings.map(Vec::as_slice).unwrap_or_default();
    let mut sum = (0.0, 0.0);
    for (at, flow) in flows.iter().enumerate() {
        if let Content::Text { chars, visible, .. } = flow.content {
            let between = if at > 0 { (delimiter, shown) } else { (0.0, 0.0) };
            sum = (sum.0 + chars + between.0, sum.1 + visible + between.1);
        }
    }
    let content = match flows {
        [only] => only.content.clone(),
        _ => composed(sum.0, sum.1),
    };
    Outcome::at("String", content)
}

/// Each field gets at most its width and the longest item.
fn formatted(inputs: &Inputs<'_>) -> Outcome {
    let ((chars, visible), format) = (inputs.text("Format"), inputs.format("Format"));
    let longest = inputs.flows.iter().flatten().map(|flow| match flow.content {
        Content::Text { chars, .. } => chars,
        _ => NUMBER,
    });
    let more = format.widths + times(format.fields, longest.fold(NUMBER, f64::max));
    Outcome::at("String", composed(chars + more, visible + more))
}

/// At worst every character is replaced.
fn replaced(inputs: &Inputs<'_>) -> Outcome {
    let (chars, visible) = inputs.text("String");
    let (find, _) = inputs.text("Find");
    let (with, shown) = inputs.text("Replace");
    let times_found = if find > 0.0 { (chars / find).floor() } else { 0.0 };
    let content = composed(
        chars.max(times(times_found, with)),
        visible.max(times(times_found, shown)),
    );
    Outcome::at("String", content)
}

#[cfg(test)]
mod tests {
    use crate::flow::Format;

    #[test]
    fn widths_of_formats_are_counted() {
        for (format, fields, widths) in [
            ("", 0.0, 0.0),
            ("12 {} 34", 1.0, 0.0),
            ("{a:>2000} {b:.30f}}9", 2.0, 2030.0),
            ("{:", 1.0, 0.0),
        ] {
            assert_eq!(Format::of(format), Format { fields, widths }, "{format}");
        }
    }
}
