//! The page of a preset: the nodes of its tree as tree text, whose lines may depend on what is asked for.
//!
//! A line is kept where the `if`, `elif` and `else` above it hold; `{name}` is the value of a parameter or fact; `part("thing")` stands for
//! lines that several presets share. What the lines that are kept name of the parameters are the inputs of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::expr::{self, ExprError, Scope};
use crate::infix;

/// `scale_min` as *Scale Min*.
pub(crate) fn title(word: &str) -> String {
    let words = word.split('_').map(|part| {
        let mut letters = part.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    });
    words.collect::<Vec<String>>().join(" ")
}

/// The node that shows the geometry as large as it is in the scene, where the object is stretched.
pub(crate) const UNSTRETCHED: &str = "unstretched";

/// What geometry consists of, as `separate_components` names it.
const COMPONENTS: [&str; 5] = ["mesh", "curve", "point_cloud", "volume", "instances"];

/// What a page stands in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Around {
    /// What alone it works on, `mesh` or `curve`, where the rest of what earlier results show passes by.
    pub(crate) pass: Option<&'static str>,
    /// The scale of an object that is not scaled evenly: the page works at the size of the scene, and its result is put back.
    pub(crate) stretch: Option<[f64; 3]>,
}

impl Around {
    /// The lines before the page.
    pub(crate) fn opening(&self) -> String {
        let mut out = String::new();
        let mut source = "geometry";
        if let Some(scale) = self.stretch {
            let scale = literal(&json!(scale));
            let _ = writeln!(out, "    {UNSTRETCHED} = transform_geometry(geometry, scale={scale})");
            source = UNSTRETCHED;
        }
        if self.pass.is_some() {
            let _ = writeln!(out, "    before = separate_components({source})");
        }
        out
    }
}

/// One statement of a page; it may be several lines of text.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Levels of indentation that remain, without those of conditions.
    indent: usize,
    /// The text without its indentation.
    pub(crate) text: String,
    /// Expressions that must all hold.
    pub(crate) tests: Vec<Value>,
}

/// The statements of a page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Body {
    pub(crate) lines: Vec<Line>,
}

/// A condition whose lines are being read.
struct Open {
    indent: usize,
    /// The conditions of the branches before this one.
    before: Vec<Value>,
    /// That of this branch.
    test: Option<Value>,
}

impl Body {
    /// Reads a page; `parts` are the shared ones by name. An error names the line.
    pub(crate) fn read(page: &str, parts: &BTreeMap<String, Body>) -> Result<Self, (usize, String)> {
        let mut body = Self::default();
        let mut open: Vec<Open> = Vec::new();
        for (number, indent, line) in statements(page) {
            let wrong = |cause: String| (number, cause);
            let branch = branch(&line);
            while open.last().is_some_and(|one| {
                indent < one.indent || indent == one.indent && !matches!(branch, Some(("elif" | "else", _)))
            }) {
                open.pop();
            }
            if let Some((word, test)) = branch {
                let test = match word {
                    "else" => None,
                    _ => Some(infix::read(test).map_err(wrong)?),
                };
                if word == "if" {
                    open.push(Open {
                        indent,
                        before: Vec::new(),
                        test,
                    });
                    continue;
                }
                let Some(last) = open.last_mut().filter(|one| one.indent == indent && one.test.is_some()) else {
                    return Err(wrong(format!("“{word}” has no “if” above it")));
                };
                last.before.extend(last.test.take());
                last.test = test;
                continue;
            }
            let outer = open.len();
            if indent < outer {
                return Err(wrong("the indentation is not that of the lines around it".into()));
            }
            let tests: Vec<Value> = open
                .iter()
                .flat_map(|one| {
                    one.before
                        .iter()
                        .map(|test| json!(["not", test]))
                        .chain(one.test.clone())
                })
                .collect();
            if let Some(name) = line.strip_prefix("part(\"").and_then(|rest| rest.strip_suffix("\")")) {
                let part = parts
                    .get(name)
                    .ok_or_else(|| wrong(format!("there is no part “{name}”")))?;
                body.lines.extend(part.lines.iter().map(|one| Line {
                    indent: one.indent + indent - outer,
                    text: one.text.clone(),
                    tests: tests.iter().chain(&one.tests).cloned().collect(),
                }));
                continue;
            }
            body.lines.push(Line {
                indent: indent - outer,
                text: line,
                tests,
            });
        }
        Ok(body)
    }

    /// The lines whose conditions hold.
    pub(crate) fn kept(&self, scope: &Scope) -> Result<Vec<&Line>, ExprError> {
        let mut kept = Vec::new();
        for line in &self.lines {
            if line.holds(scope)? {
                kept.push(line);
            }
        }
        Ok(kept)
    }
}

impl Line {
    fn holds(&self, scope: &Scope) -> Result<bool, ExprError> {
        for test in &self.tests {
            if !expr::truthy(&expr::eval(test, scope)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The line with its values, indented below a `def` or `with`, as it reads and returns the geometry `around` it.
    pub(crate) fn written(&self, scope: &Scope, around: &Around) -> Result<String, ExprError> {
        let mut out = "    ".repeat(self.indent + 1);
        let (pass, stretch) = (around.pass, around.stretch);
        let returned = self
            .text
            .strip_prefix("return ")
            .filter(|_| pass.is_some() || stretch.is_some());
        if returned.is_some() {
            out.push_str("return ");
            out.push_str(if stretch.is_some() { "transform_geometry(" } else { "" });
            out.push_str(if pass.is_some() { "join_geometry(" } else { "" });
        }
        for piece in pieces(returned.unwrap_or(&self.text)) {
            if let (Piece::Word("geometry"), Some(part)) = (piece, pass) {
                let _ = write!(out, "before.{part}");
                continue;
            }
            match piece {
                Piece::Word("geometry") if stretch.is_some() => out.push_str(UNSTRETCHED),
                Piece::Value(name) => {
                    let value = scope.get(name).ok_or_else(|| ExprError::UnknownName(name.to_owned()))?;
                    match value {
                        // The name of an output: `here.{axis}`.
                        Value::String(name) if out.ends_with('.') => out.push_str(name),
                        value => out.push_str(&literal(value)),
                    }
                }
                Piece::Word(text) | Piece::Argument(text) | Piece::Text(text) => out.push_str(text),
            }
        }
        if let Some(part) = pass.filter(|_| returned.is_some()) {
            for other in COMPONENTS.iter().filter(|other| **other != part) {
                let _ = write!(out, ", before.{other}");
            }
            out.push(')');
        }
        if let Some(scale) = stretch.filter(|_| returned.is_some()) {
            let back = scale.map(|side| 1.0 / side);
            let _ = write!(out, ", scale={})", literal(&json!(back)));
        }
        Ok(out)
    }

    /// The names that it reads: variables, and parameters of the tree.
    pub(crate) fn words(&self) -> BTreeSet<&str> {
        let words = pieces(&self.text).into_iter().filter_map(|piece| match piece {
            Piece::Word(word) => Some(word),
            _ => None,
        });
        words.collect()
    }

    /// The names of the values in it.
    pub(crate) fn values(&self) -> impl Iterator<Item = &str> {
        pieces(&self.text).into_iter().filter_map(|piece| match piece {
            Piece::Value(name) => Some(name),
            _ => None,
        })
    }

    /// The arguments that are nothing but one of these values, as `(keyword, value)`; none where such a value stands elsewhere in the line.
    pub(crate) fn arguments(&self, is_one: &dyn Fn(&str) -> bool) -> Option<Vec<(&str, &str)>> {
        let all = pieces(&self.text);
        let mut depth = 0_usize;
        let mut found = Vec::new();
        for (at, piece) in all.iter().enumerate() {
            match piece {
                Piece::Text("(" | "[" | "{") => depth += 1,
                Piece::Text(")" | "]" | "}") => depth = depth.saturating_sub(1),
                Piece::Value(name) if is_one(name) => {
                    let before = (
                        at.checked_sub(2).and_then(|at| all.get(at)),
                        at.checked_sub(1).and_then(|at| all.get(at)),
                    );
                    let (Some(Piece::Argument(key)), Some(Piece::Text("="))) = before else {
                        return None;
                    };
                    let ends = matches!(all.get(at + 1), Some(Piece::Text("," | ")")));
                    if depth != 1 || !ends {
                        return None;
                    }
                    found.push((*key, *name));
                }
                _ => {}
            }
        }
        Some(found)
    }

    /// The variable that it assigns.
    pub(crate) fn variable(&self) -> Option<&str> {
        let (name, _) = self.text.split_once(" = ")?;
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_')
            .then_some(name)
    }
}

/// `if`, `elif` or `else` with its condition.
fn branch(line: &str) -> Option<(&'static str, &str)> {
    let head = line.strip_suffix(':')?;
    if head == "else" {
        return Some(("else", ""));
    }
    ["if", "elif"]
        .into_iter()
        .find_map(|word| Some((word, head.strip_prefix(word)?.strip_prefix(' ')?)))
}

/// The statements with their first line's number and level of indentation; a statement goes on while a bracket is open.
fn statements(text: &str) -> Vec<(usize, usize, String)> {
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    let mut depth = 0_i64;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if depth == 0 && (trimmed.is_empty() || trimmed.starts_with('#')) {
            continue;
        }
        match found.last_mut().filter(|_| depth > 0) {
            Some((_, _, statement)) => {
                if !statement.ends_with(['(', '[', '{']) && !trimmed.starts_with([')', ']', '}']) {
                    statement.push(' ');
                }
                statement.push_str(trimmed);
            }
            None => found.push((
                number + 1,
                (line.len() - line.trim_start().len()) / 4,
                trimmed.to_owned(),
            )),
        }
        let mut quoted = false;
        for c in trimmed.chars() {
            match c {
                '"' => quoted = !quoted,
                '(' | '[' | '{' if !quoted => depth += 1,
                ')' | ']' | '}' if !quoted => depth -= 1,
                _ => {}
            }
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'t> {
    /// A name that is read.
    Word(&'t str),
    /// A name of something else: a keyword, a socket, a call.
    Argument(&'t str),
    /// `{name}`.
    Value(&'t str),
    /// Anything else.
    Text(&'t str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = Vec::new();
    let (mut rest, mut before) = (text, ' ');
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            rest.get(1..)
                .and_then(|tail| tail.find('"'))
                .map_or(rest.len(), |end| end + 2)
        } else if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == '{' {
            let inner = rest.get(1..).unwrap_or_default();
            let name = inner.find(|c: char| !is_word(c) && c != '.').unwrap_or(0);
            if name > 0 && inner.get(name..).is_some_and(|tail| tail.starts_with('}')) {
                name + 2
            } else {
                1
            }
        } else {
            first.len_utf8()
        };
        let (piece, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push(if is_word(first) && !first.is_ascii_digit() {
            let next = tail.trim_start();
            let keyword = next.starts_with('=') && !next.starts_with("==");
            if before == '.' || keyword || tail.starts_with('(') {
                Piece::Argument(piece)
            } else {
                Piece::Word(piece)
            }
        } else if first == '{' && length > 1 {
            Piece::Value(piece.trim_matches(['{', '}']))
        } else {
            Piece::Text(piece)
        });
        before = piece.chars().next_back().unwrap_or(' ');
        rest = tail;
    }
    out
}

/// A value as tree text writes it.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(parts) => format!("({})", parts.iter().map(literal).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, scope: &Scope) -> Vec<String> {
        let body = Body::read(text, &BTreeMap::new()).unwrap();
        body.kept(scope)
            .unwrap()
            .iter()
            .map(|line| line.written(scope, &Around::default()).unwrap())
            .collect()
    }

    #[test]
    fn lines_depend_on_what_is_asked_for() {
        let page = "a = cube(size={thing.dims})\nif kind == \"one\":\n    b = f(a,\n        size=size)\n    if wide:\n        c = g(b)\nelif kind == \"two\":\n    b = h(a)\nelse:\n    b = i(a)\nwith repeat(items={\"G\": Geometry(b)}) as (x_in, x_out):\n    if wide:\n        x_out.g = x_in.g\nreturn b\n";
        let scope = |kind: &str, wide: bool| {
            Scope::from([
                ("kind".into(), json!(kind)),
                ("wide".into(), json!(wide)),
                ("thing.dims".into(), json!([1, 2.5, 3])),
            ])
        };
        let zone = "    with repeat(items={\"G\": Geometry(b)}) as (x_in, x_out):";
        assert_eq!(
            filled(page, &scope("one", true)),
            [
                "    a = cube(size=(1, 2.5, 3))",
                "    b = f(a, size=size)",
                "    c = g(b)",
                zone,
                "        x_out.g = x_in.g",
                "    return b"
            ]
        );
        assert_eq!(
            filled(page, &scope("two", false)).get(1).map(String::as_str),
            Some("    b = h(a)")
        );
        assert_eq!(
            filled(page, &scope("three", false)).get(1).map(String::as_str),
            Some("    b = i(a)")
        );
    }

    #[test]
    fn inputs_are_the_names_that_are_read() {
        let body = Body::read(
            "a = f(count=size, x={count}, label=\"seed\", y=b.scale, z=g(seed))",
            &BTreeMap::new(),
        )
        .unwrap();
        let line = body.lines.first().unwrap();
        assert_eq!(line.words().into_iter().collect::<Vec<_>>(), ["b", "seed", "size"]);
        assert_eq!(line.values().collect::<Vec<_>>(), ["count"]);
        assert_eq!(line.variable(), Some("a"));
        assert_eq!(line.arguments(&|name| name == "count"), Some(vec![("x", "count")]));
        let nested = Body::read("a = f(x={count} + 1, y=g(z={size}))", &BTreeMap::new()).unwrap();
        let line = nested.lines.first().unwrap();
        assert_eq!(
            (
                line.arguments(&|name| name == "count"),
                line.arguments(&|name| name == "size")
            ),
            (None, None)
        );
    }

    #[test]
    fn a_wrong_page_names_its_line() {
        for (text, line) in [
            ("a = b()\nelse:\n    c = d()", 2),
            ("if 1 +:\n    a = b()", 1),
            ("part(\"none\")", 1),
        ] {
            assert_eq!(Body::read(text, &BTreeMap::new()).unwrap_err().0, line, "{text}");
        }
    }
}
