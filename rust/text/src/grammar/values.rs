//! Values of inputs: numbers within the bounds of their socket, vectors, names of data.

use geonode_graph::catalogue::Socket;

use super::part::Part;

/// Most digits of a whole number, and of the part of one before its point.
const DIGITS: usize = 4;
const DIGITS_BEFORE_POINT: usize = 3;

/// A number of full turns is no angle that a person means; degrees have three digits.
const DEGREES: usize = 3;

/// A whole number from `min` to `max`, as far as its digits can say it.
pub(super) fn whole(min: Option<f64>, max: Option<f64>, digits: usize) -> Part {
    let max = max.filter(|max| *max < 1e9);
    let low = min.unwrap_or(f64::MIN).max(0.0).ceil();
    let digits = max.map_or(digits, |max| below(max).min(digits));
    let number = match (small(low), max.and_then(small_most)) {
        (Some(low), Some(high)) if low <= high => Part::Digit(low, high),
        (Some(low), _) if digits < 2 => Part::Digit(low, 9),
        (Some(low), _) => Part::Any(vec![
            Part::Digit(low, 9),
            Part::All(vec![Part::Digit(1, 9), Part::Digit(0, 9).times(1, digits - 1)]),
        ]),
        // A number that begins so high is written as it is.
        (None, _) => Part::text(format!("{low:.0}")),
    };
    signed(number, min)
}

/// A number with a point from `min` to `max`.
pub(super) fn decimal(min: Option<f64>, max: Option<f64>) -> Part {
    let after = Part::All(vec![Part::text("."), Part::Digit(0, 9).times(1, 2)]);
    if let (Some(max), true) = (max, min.is_some_and(|min| min >= 0.0))
        && max <= 1.0
    {
        let below = Part::All(vec![Part::text("0"), after]);
        return if max < 1.0 {
            below
        } else {
            Part::Any(vec![below, Part::text("1.0")])
        };
    }
    let before = whole(min.map(|min| min.max(0.0)).or(Some(0.0)), max, DIGITS_BEFORE_POINT);
    signed(Part::All(vec![before, after]), min)
}

/// The number, with a sign where it may be negative.
fn signed(number: Part, min: Option<f64>) -> Part {
    match min {
        Some(min) if min >= 0.0 => number,
        _ => Part::All(vec![Part::text("-").or_nothing(), number]),
    }
}

/// An angle: degrees are what prompts have, radians what Blender takes.
fn angle() -> Part {
    let degrees = Part::All(vec![Part::text("-").or_nothing(), whole(Some(0.0), None, DEGREES)]);
    Part::Any(vec![
        Part::All(vec![Part::text("radians("), degrees, Part::text(")")]),
        Part::text("0.0"),
    ])
}

/// Three numbers.
fn three(number: &Part) -> Part {
    let comma = || Part::text(", ");
    Part::All(vec![
        Part::text("("),
        number.clone(),
        comma(),
        number.clone(),
        comma(),
        number.clone(),
        Part::text(")"),
    ])
}

/// Names of data as `data.object("Rock")`.
pub(super) fn named(kind: &str, names: &[String]) -> Option<Part> {
    let each = |name: &String| Part::text(format!("data.{kind}({})", quoted(name)));
    let parts: Vec<Part> = names.iter().map(each).collect();
    (!parts.is_empty()).then_some(Part::Any(parts))
}

/// A text as it stands on a page.
pub(super) fn quoted(text: &str) -> String {
    // JSON's escapes are Python's.
    serde_json::Value::from(text).to_string()
}

/// The values of an input without a link; none where no number or name says them.
pub(super) fn of(socket: &Socket, data: &dyn Fn(&str) -> Vec<String>) -> Option<Part> {
    let is_angle = matches!(socket.subtype.as_deref(), Some("EULER" | "ANGLE"));
    let kind = socket.kind.strip_prefix("NodeSocket")?;
    Some(match kind {
        "Float" if is_angle => angle(),
        "Float" => decimal(socket.min, socket.max),
        "Int" => whole(socket.min, socket.max, DIGITS),
        "Bool" => Part::Any(vec![Part::text("True"), Part::text("False")]),
        "Rotation" => three(&angle()),
        "Vector" if is_angle => three(&angle()),
        "Vector" => three(&decimal(socket.min, socket.max)),
        "Object" | "Collection" | "Material" => {
            let kind = kind.to_lowercase();
            named(&kind, &data(&kind))?
        }
        _ => return None,
    })
}

/// The number as a digit.
fn small(number: f64) -> Option<u8> {
    (0_u8..=9).find(|digit| (f64::from(*digit) - number).abs() < f64::EPSILON)
}

/// The greatest digit that is not beyond the number, if the number has one digit.
fn small_most(number: f64) -> Option<u8> {
    (number < 10.0).then(|| (0_u8..=9).rev().find(|digit| f64::from(*digit) <= number))?
}

/// How many digits a number has of which none is greater.
fn below(max: f64) -> usize {
    let mut digits = 1;
    let mut nines = 9.0;
    while nines * 10.0 + 9.0 <= max && digits < DIGITS {
        nines = nines * 10.0 + 9.0;
        digits += 1;
    }
    digits
}
