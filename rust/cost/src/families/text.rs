//! Texts by their length, and the curves that they become.

use crate::flow::Content;
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
        let (chars, visible) = inputs.text("String");
        Some(Outcome::at(output, Content::Text { chars, visible }))
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
            Some(Outcome::at("String", Content::Text { chars, visible: chars }))
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
            };
            Some(Outcome::at("String", content))
        }
        "FunctionNodeReplaceString" => Some(replaced(inputs)),
        "FunctionNodeInputSpecialCharacters" => {
            let one = |visible: f64| Content::Text { chars: 1.0, visible };
            Some(Outcome::at("Line Break", one(0.0)).and("Tab", one(1.0)))
        }
        "FunctionNodeReverseString" | "FunctionNodeSetStringCase" | "FunctionNodeTrimString" => same("String"),
        _ => None,
    }
}

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
        if let Content::Text { chars, visible } = flow.content {
            let between = if at > 0 { (delimiter, shown) } else { (0.0, 0.0) };
            sum = (sum.0 + chars + between.0, sum.1 + visible + between.1);
        }
    }
    let content = Content::Text {
        chars: sum.0,
        visible: sum.1,
    };
    Outcome::at("String", content)
}

/// Each field gets at most its width and the longest item. Of a text that comes over a link the widths are not known.
fn formatted(inputs: &Inputs<'_>) -> Outcome {
    let (chars, visible) = inputs.text("Format");
    let slot = inputs.position("Format").and_then(|at| inputs.ready.inputs.get(at));
    let own = slot.filter(|slot| slot.sources.is_empty());
    let (fields, widths) = match own.and_then(|slot| slot.value.as_ref()?.as_str()) {
        Some(format) => widths(format),
        None => (1.0, 0.0),
    };
    let longest = inputs.flows.iter().flatten().map(|flow| match flow.content {
        Content::Text { chars, .. } => chars,
        _ => NUMBER,
    });
    let more = widths + times(fields, longest.fold(NUMBER, f64::max));
    let content = Content::Text {
        chars: chars + more,
        visible: visible + more,
    };
    Outcome::at("String", content)
}

/// The fields of a format, and the sum of all numbers in them: widths and precisions.
fn widths(format: &str) -> (f64, f64) {
    format.split('{').skip(1).fold((0.0, 0.0), |(fields, sum), field| {
        let inside = field.split('}').next().unwrap_or_default();
        let numbers = inside.split(|letter: char| !letter.is_ascii_digit());
        let width: f64 = numbers.filter_map(|digits| digits.parse::<f64>().ok()).sum();
        (fields + 1.0, sum + width)
    })
}

/// At worst every character is replaced.
fn replaced(inputs: &Inputs<'_>) -> Outcome {
    let (chars, visible) = inputs.text("String");
    let (find, _) = inputs.text("Find");
    let (with, shown) = inputs.text("Replace");
    let times_found = if find > 0.0 { (chars / find).floor() } else { 0.0 };
    let content = Content::Text {
        chars: chars.max(times(times_found, with)),
        visible: visible.max(times(times_found, shown)),
    };
    Outcome::at("String", content)
}

#[cfg(test)]
mod tests {
    use super::widths;

    #[test]
    fn widths_of_formats_are_counted() {
        for (format, expected) in [
            ("", (0.0, 0.0)),
            ("12 {} 34", (1.0, 0.0)),
            ("{a:>2000} {b:.30f}}9", (2.0, 2030.0)),
            ("{:", (1.0, 0.0)),
        ] {
            assert_eq!(widths(format), expected, "{format}");
        }
    }
}
