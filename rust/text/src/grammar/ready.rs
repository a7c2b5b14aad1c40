//! Ready pages whose values are open: those of the inputs of their groups, and the names of data.

use super::part::Part;
use super::scope::Scope;
use super::values;
use crate::names::{Names, read_type};

/// Digits of a whole number that a parameter may have.
const DIGITS: usize = 4;

/// A page with its values open; `None` where it names data that is not there. The text for the artist and the expectations are left out.
pub(super) fn page(page: &str, scope: &Scope<'_>, names: &Names<'_>) -> Option<Part> {
    let lines = page.trim().lines().skip_while(|line| !line.starts_with("def "));
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("expect(")).collect();
    let mut parts = Vec::new();
    let mut first = true;
    for line in &lines {
        if !std::mem::take(&mut first) {
            parts.push(Part::text("\n"));
        }
        if line.starts_with("def ") {
            parts.extend(signature(line, &lines, names));
        } else if let Some(rest) = line.strip_prefix("apply(") {
            parts.extend(applied(rest, scope)?);
        } else if line.contains("data.") {
            parts.extend(with_data(line, scope)?);
        } else {
            parts.push(Part::text(*line));
        }
    }
    (!parts.is_empty()).then_some(Part::All(parts))
}

/// The values of inputs of a group that is there.
pub(super) fn inputs_of(group: &str, inputs: &[&str], scope: &Scope<'_>) -> Option<Part> {
    let each = inputs.iter().filter_map(|input| {
        let (word, rest) = input.split_once(": ")?;
        let (kind, default) = rest.split_once(" = ")?;
        let value = open(kind, default, None)?;
        Some(Part::All(vec![
            Part::text(format!("{}: ", values::quoted(word))),
            value,
        ]))
    });
    let each: Vec<Part> = each.collect();
    if each.is_empty() {
        return None;
    }
    Some(Part::All(vec![
        scope.apply(group),
        Part::text(", inputs={"),
        Part::Any(each),
        Part::text("})"),
    ]))
}

/// A signature with open defaults.
fn signature(line: &str, lines: &[&str], names: &Names<'_>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(" = ") {
        let (before, after) = rest.split_at(at + 3);
        let end = end_of_value(after);
        let (value, tail) = after.split_at(end);
        parts.push(Part::text(before));
        let parameter = before.rsplit([',', '(']).next().unwrap_or_default();
        let (word, kind) = parameter
            .trim()
            .trim_end_matches(" =")
            .split_once(": ")
            .unwrap_or_default();
        let kind = kind.trim_end_matches(['=', ' ']);
        let base = read_type(kind, names.catalogue()).map_or_else(String::new, |(base, _)| base);
        parts.push(open(&base, value, limits(word, lines)).unwrap_or_else(|| Part::text(value)));
        rest = tail;
    }
    parts.push(Part::text(rest));
    parts
}

/// Where a value ends: at a comma or a bracket that is not its own.
fn end_of_value(text: &str) -> usize {
    let (mut depth, mut quoted) = (0_usize, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' | ',' if depth == 0 => return at,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

/// The bounds that a line of the page gives a parameter.
fn limits(word: &str, lines: &[&str]) -> Option<(Option<f64>, Option<f64>)> {
    let line = lines.iter().find_map(|line| {
        let inner = line.trim().strip_prefix("limits(")?;
        inner.split(", ").any(|part| part == word).then_some(inner)
    })?;
    let bound = |name: &str| {
        let after = line.split_once(&format!("{name}="))?.1;
        after.split([',', ')']).next()?.parse().ok()
    };
    Some((bound("min"), bound("max")))
}

/// A value of the type that may be another.
fn open(kind: &str, value: &str, limits: Option<(Option<f64>, Option<f64>)>) -> Option<Part> {
    let (min, max) = limits.unwrap_or_default();
    // Nothing says that it may be negative.
    let min = min.or_else(|| (!value.starts_with('-')).then_some(0.0));
    let number: Option<f64> = value.parse().ok();
    match kind.trim_start_matches("NodeSocket") {
        kind if kind.starts_with("Int") => number.map(|_| values::whole(min, max, DIGITS)),
        "Bool" => Some(Part::Any(vec![Part::text("True"), Part::text("False")])),
        _ if value.contains('.') => number.map(|_| values::decimal(min, max)),
        _ => None,
    }
}

/// `apply("Name", …)` on one of the objects in scope.
fn applied(rest: &str, scope: &Scope<'_>) -> Option<Vec<Part>> {
    let end = end_of_value(rest);
    let (name, rest) = rest.split_at(end);
    let name = serde_json::from_str::<String>(name).ok()?;
    let mut parts = vec![scope.apply(&name)];
    let rest = match rest.strip_prefix(", object=") {
        Some(after) => after.get(end_of_value(after)..).unwrap_or_default(),
        None => rest,
    };
    parts.extend(with_data(rest, scope)?);
    Some(parts)
}

/// A line in which names of data are open.
fn with_data(line: &str, scope: &Scope<'_>) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find("data.") {
        let (before, after) = rest.split_at(at);
        parts.push(Part::text(before));
        let (kind, inside) = after.strip_prefix("data.")?.split_once('(')?;
        let end = end_of_value(inside);
        let tail = inside.get(end..)?;
        match tail.strip_prefix(')') {
            Some(tail) => {
                parts.push(values::named(kind, &scope.data(kind))?);
                rest = tail;
            }
            // A material that the page makes.
            None => {
                let whole = after.len() - tail.len();
                parts.push(Part::text(after.get(..whole)?));
                rest = tail;
            }
        }
    }
    parts.push(Part::text(rest));
    Some(parts)
}
