//! The statements of a page: groups, edits, where the result is applied, and what is expected of it.

use std::collections::{BTreeMap, BTreeSet};

use geonode_graph::did_you_mean;
use geonode_protocol::{Code, Component, Expectation, Extent, MakeObject, Measure};
use rustpython_parser::ast::{Constant, Expr, ExprCall, Ranged, Stmt, StmtFunctionDef};
use serde_json::{Number, Value};

use super::about::word_of;
use super::arguments::only;
use super::fault::{Fault, Faults};
use super::value::{at, constant};
use crate::names::{title, word};

/// A group that the page describes or changes.
pub(crate) struct Group<'p> {
    /// Its name in the file.
    pub(crate) name: String,
    /// The function that describes it as a whole; none of an edit.
    pub(crate) function: Option<&'p StmtFunctionDef>,
    pub(crate) body: &'p [Stmt],
    pub(crate) at: usize,
    /// Where its text ends.
    pub(crate) end: usize,
}

/// `apply("Scatter", object="Plane", modifier="Scatter", inputs={"count": 250})`.
pub(crate) struct Apply {
    pub(crate) group: Option<String>,
    pub(crate) object: Option<String>,
    /// `object=new("Stairs")`: it makes that object.
    pub(crate) makes: Option<MakeObject>,
    pub(crate) modifier: Option<String>,
    pub(crate) inputs: Vec<(String, Value, usize)>,
    pub(crate) single_user: bool,
    pub(crate) at: usize,
}

/// A page, before its groups are read.
#[derive(Default)]
pub(crate) struct Page<'p> {
    /// What the artist is told.
    pub(crate) message: Option<String>,
    pub(crate) groups: Vec<Group<'p>>,
    pub(crate) applies: Vec<Apply>,
    pub(crate) expects: Vec<Expectation>,
    /// Sizes and places.
    pub(crate) measures: Vec<Measure>,
}

/// The limit of what is measured, in Blender units.
const FARTHEST: f64 = 1e12;
const FORMS: &str =
    "On a page stand functions (`def name(…) -> Geometry:`), `with edit(\"Group\"):`, apply(…) and expect(…).";

impl<'p> Page<'p> {
    pub(crate) fn of(statements: &'p [Stmt], faults: &mut Faults) -> Self {
        let mut page = Self::default();
        for (number, statement) in statements.iter().enumerate() {
            match statement {
                Stmt::Expr(expression) => match (&*expression.value, word_of(&expression.value)) {
                    (_, Some(("apply", call))) => page.applies.push(apply(call, faults)),
                    (_, Some(("expect", call))) => expect(call, &mut page, faults),
                    (Expr::Constant(text), _) if number == 0 => match &text.value {
                        Constant::Str(text) => page.message = Some(text.trim().to_owned()),
                        _ => faults.error(
                            Code::TextForm,
                            at(statement),
                            "The line says nothing about a tree.",
                            FORMS,
                        ),
                    },
                    _ => faults.error(
                        Code::TextForm,
                        at(statement),
                        "This does not stand outside of a group.",
                        FORMS,
                    ),
                },
                Stmt::FunctionDef(function) => {
                    if let Some(mark) = function.decorator_list.first() {
                        let fix = "Leave the line out; a group's properties are set by settings(…).";
                        faults.error(Code::TextForm, at(mark), "Groups have no decorators.", fix);
                    }
                    page.groups.push(Group {
                        name: String::new(),
                        function: Some(function),
                        body: &function.body,
                        at: at(statement),
                        end: usize::from(statement.end()),
                    });
                }
                Stmt::With(block) => {
                    let call = block
                        .items
                        .first()
                        .and_then(|item| word_of(&item.context_expr))
                        .filter(|(word, _)| *word == "edit");
                    if let Some((_, call)) = call {
                        only(call, "edit", 1, &[], "with edit(\"Group\"):", faults);
                    }
                    if let Some(further) = block.items.get(1) {
                        let message = "One group is edited at a time.";
                        let fix = "Write a block `with edit(\"Group\"):` for each.";
                        faults.error(Code::TextForm, at(&further.context_expr), message, fix);
                    }
                    let name = call
                        .and_then(|(_, call)| call.args.first())
                        .and_then(|name| name_of(name, faults));
                    match name {
                        Some(name) => page.groups.push(Group {
                            name,
                            function: None,
                            body: &block.body,
                            at: at(statement),
                            end: usize::from(statement.end()),
                        }),
                        None => faults.error(
                            Code::TextForm,
                            at(statement),
                            "Outside of a group, `with` begins an edit.",
                            "Write `with edit(\"Group\"):`.",
                        ),
                    }
                }
                Stmt::Pass(_) => {}
                Stmt::Import(_) | Stmt::ImportFrom(_) => {
                    faults.add(Fault::warning(
                        Code::TextForm,
                        at(statement),
                        "Nothing is imported: all nodes are known.",
                        "Leave the line out.",
                    ));
                }
                _ => faults.error(
                    Code::TextForm,
                    at(statement),
                    "This does not stand outside of a group.",
                    FORMS,
                ),
            }
        }
        page.name_groups(faults);
        page
    }

    /// The names of the groups in the file: what `settings` says, else what `apply` calls it, else the function's words.
    fn name_groups(&mut self, faults: &mut Faults) {
        let applied: Vec<String> = self.applies.iter().filter_map(|apply| apply.group.clone()).collect();
        for group in &mut self.groups {
            let Some(function) = group.function else { continue };
            let own = function.name.as_str();
            let named = group.body.iter().find_map(|statement| {
                let Stmt::Expr(expression) = statement else { return None };
                let (_, call) = word_of(&expression.value).filter(|(word, _)| *word == "settings")?;
                let name = call
                    .keywords
                    .iter()
                    .find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == "name"))?;
                constant(&name.value, &mut Faults::default())?
                    .as_str()
                    .map(str::to_owned)
            });
            let called = || {
                applied
                    .iter()
                    .find(|name| *name != own && word(name).as_deref() == Some(own))
                    .cloned()
            };
            group.name = named.or_else(called).unwrap_or_else(|| title(own));
        }
        let mut seen: BTreeSet<(String, bool)> = BTreeSet::new();
        for group in &self.groups {
            if !seen.insert((group.name.clone(), group.function.is_some())) {
                let message = format!("The group “{}” stands on the page twice.", group.name);
                faults.error(Code::DuplicateId, group.at, message, "Describe it once.");
            }
        }
        // Where a statement names a group, its function's name is taken as well.
        let functions = self.functions();
        let full = |name: &str| functions.get(name).cloned();
        for group in &mut self.groups {
            if let Some(known) = group.function.is_none().then(|| full(&group.name)).flatten() {
                group.name = known;
            }
        }
        for apply in &mut self.applies {
            if let Some(known) = apply.group.as_deref().and_then(full) {
                apply.group = Some(known);
            }
        }
    }

    /// Functions and the groups that they describe.
    pub(crate) fn functions(&self) -> BTreeMap<String, String> {
        let all = self.groups.iter();
        all.filter_map(|group| Some((group.function?.name.to_string(), group.name.clone())))
            .collect()
    }
}

/// A name that is written as a text, or as a function's.
fn name_of(expr: &Expr, faults: &mut Faults) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        other => constant(other, faults)?.as_str().map(str::to_owned),
    }
}

fn apply(call: &ExprCall, faults: &mut Faults) -> Apply {
    let mut found = Apply {
        group: call.args.first().and_then(|name| name_of(name, faults)),
        object: None,
        makes: None,
        modifier: None,
        inputs: Vec::new(),
        single_user: false,
        at: at(call),
    };
    for keyword in &call.keywords {
        let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
        match (name, &keyword.value) {
            ("inputs", Expr::Dict(inputs)) => {
                for (key, value) in inputs.keys.iter().zip(&inputs.values) {
                    let key = key.as_ref().and_then(|key| name_of(key, faults));
                    match (key, constant(value, faults)) {
                        (Some(key), Some(value)) if !value.is_null() => found.inputs.push((key, value, at(keyword))),
                        _ => {
                            let fix = "Write inputs={\"count\": 250}; attributes are chosen in the modifier by hand.";
                            faults.error(
                                Code::TextForm,
                                at(value),
                                "Inputs of a modifier are given by name, each with a value.",
                                fix,
                            );
                        }
                    }
                }
            }
            ("single_user", value) => match constant(value, faults) {
                Some(Value::Bool(flag)) => found.single_user = flag,
                _ => faults.error(
                    Code::TextForm,
                    at(value),
                    "single_user is True or False.",
                    "Write single_user=True, or leave it out.",
                ),
            },
            ("object", value) if word_of(value).is_some_and(|(word, _)| word == "new") => {
                if let Some((name, made)) = new_object(value, faults) {
                    found.object = Some(name);
                    found.makes = Some(made);
                }
            }
            ("object" | "modifier" | "group", value) => {
                let Some(text) = object_name(value, faults) else {
                    faults.error(
                        Code::TextForm,
                        at(value),
                        format!("The name of the {name} is a text."),
                        "Write apply(\"Group\", object=\"Plane\").",
                    );
                    continue;
                };
                match name {
                    "object" => found.object = Some(text),
                    "modifier" => found.modifier = Some(text),
                    _ => found.group = Some(text),
                }
            }
            _ => {
                let fix = "Write apply(\"Group\", object=\"Plane\", modifier=\"Name\", inputs={\"count\": 250}).";
                faults.error(
                    Code::TextForm,
                    at(keyword),
                    format!("apply(…) has no argument “{name}”."),
                    fix,
                );
            }
        }
    }
    if call.args.len() > 1 {
        let fix = "Write apply(\"Group\", object=\"Plane\", modifier=\"Name\", inputs={\"count\": 250}).";
        faults.error(
            Code::TextForm,
            found.at,
            "Only the group stands in apply(…) without a name.",
            fix,
        );
    }
    found
}

/// `new("Stairs", location=(0, 0, 0))`: an object that the plan makes.
fn new_object(expr: &Expr, faults: &mut Faults) -> Option<(String, MakeObject)> {
    const FORM: &str = "apply(\"Stairs\", object=new(\"Stairs\", location=(0, 0, 0)))";
    let (_, call) = word_of(expr)?;
    only(call, "new", 1, &["location"], FORM, faults);
    let name = call.args.first().and_then(|name| constant(name, faults));
    let name = name.as_ref().and_then(Value::as_str).filter(|name| !name.is_empty());
    let mut made = MakeObject::default();
    for keyword in &call.keywords {
        let value = constant(&keyword.value, faults);
        made.location = value.and_then(|value| serde_json::from_value(value).ok());
        if made.location.is_none() {
            let message = "The location of a new object is a vector of three numbers.";
            faults.error(Code::WrongType, at(keyword), message, format!("Write {FORM}."));
        }
    }
    if name.is_none() {
        let message = "A new object has a name, which is a text.";
        faults.error(Code::TextForm, at(expr), message, format!("Write {FORM}."));
    }
    Some((name?.to_owned(), made))
}

/// `"Plane"`, or `data.object("Plane")`.
fn object_name(expr: &Expr, faults: &mut Faults) -> Option<String> {
    match name_of(expr, faults) {
        Some(name) => Some(name),
        None => constant(expr, faults)?.get("object")?.as_str().map(str::to_owned),
    }
}

/// What `expect` measures.
const MEASURED: [&str; 17] = [
    "instances",
    "points",
    "vertices",
    "edges",
    "faces",
    "splines",
    "curve_points",
    "grids",
    "size_x",
    "size_y",
    "size_z",
    "low_x",
    "low_y",
    "low_z",
    "high_x",
    "high_y",
    "high_z",
];

const COUNTS: &str = "Counts are instances, points, vertices, edges, faces, splines, curve_points and grids, sizes and places size_x, low_y, high_z and the like: \
                       expect(\"Plane\", faces=(6, None), size_z=(1.9, 2.1)).";

/// `expect("Plane", instances=250, faces=(6, None), size_z=(1.9, 2.1))`.
fn expect(call: &ExprCall, page: &mut Page<'_>, faults: &mut Faults) {
    let Some(object) = call.args.first().and_then(|name| object_name(name, faults)) else {
        return faults.error(
            Code::TextForm,
            at(call),
            "expect(…) begins with the name of an object.",
            "Write expect(\"Plane\", instances=250).",
        );
    };
    if let Some(further) = call.args.get(1) {
        let fix = "Write expect(\"Plane\", instances=250).";
        faults.error(Code::TextForm, at(further), "What is expected is said by name.", fix);
    }
    for keyword in &call.keywords {
        let name = keyword.arg.as_ref().map_or("", |name| name.as_str());
        let value = constant(&keyword.value, faults).unwrap_or_default();
        if let Ok(extent) = serde_json::from_value::<Extent>(Value::from(name)) {
            match within(&value) {
                Some([min, max]) => page.measures.push(Measure {
                    object_name: object.clone(),
                    extent,
                    min,
                    max,
                }),
                None => faults.error(
                    Code::TextForm,
                    at(keyword),
                    format!("“{name}” is a number, or a range with its least value first."),
                    "Write expect(\"Plane\", size_z=(1.9, 2.1), low_z=(0, None)).",
                ),
            }
            continue;
        }
        let component: Option<Component> = serde_json::from_value(Value::from(name)).ok();
        let (Some(component), Some((count, min, max))) = (component, counted(&value)) else {
            let near = component
                .is_none()
                .then(|| did_you_mean(name, MEASURED.iter().copied()))
                .flatten();
            let fix = near.unwrap_or_else(|| COUNTS.to_owned());
            faults.error(
                Code::TextForm,
                at(keyword),
                format!("“{name}” is nothing that is measured, or its value not a whole number or a range."),
                fix,
            );
            continue;
        };
        page.expects.push(Expectation {
            object_name: object.clone(),
            component,
            count,
            min,
            max,
        });
    }
}

/// A count, or a least and a greatest one.
fn counted(value: &Value) -> Option<(Option<u64>, Option<u64>, Option<u64>)> {
    if let Some(number) = value.as_u64() {
        return Some((Some(number), None, None));
    }
    let [low, high] = value.as_array()?.as_slice() else {
        return None;
    };
    let end = |end: &Value| {
        if end.is_null() {
            Some(None)
        } else {
            end.as_u64().map(Some)
        }
    };
    let (low, high) = (end(low)?, end(high)?);
    let turned = low.zip(high).is_some_and(|(low, high)| low > high);
    ((low.is_some() || high.is_some()) && !turned).then_some((None, low, high))
}

/// The least and the greatest length that is right: of one number what is within a hundredth of it, or a thousandth of a unit.
fn within(value: &Value) -> Option<[Number; 2]> {
    let ends = match value.as_array().map(Vec::as_slice) {
        None => {
            let wanted = value.as_f64()?;
            let off = (wanted.abs() * 0.01).max(0.001);
            [wanted - off, wanted + off]
        }
        Some([low, high]) if !(low.is_null() && high.is_null()) => {
            let end = |end: &Value, open: f64| if end.is_null() { Some(open) } else { end.as_f64() };
            [end(low, -FARTHEST)?, end(high, FARTHEST)?]
        }
        Some(_) => return None,
    };
    let [low, high] = ends;
    let fits = low <= high && low >= -FARTHEST && high <= FARTHEST;
    Some([Number::from_f64(low).filter(|_| fits)?, Number::from_f64(high)?])
}
