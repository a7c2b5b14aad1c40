//! Plans of presets with a page: the page that makes a tree, and the steps that change the last result.
//!
//! A change repeats only what depends on the words of the prompt, so that values turned by hand and nodes put in stay.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use geonode_graph::documents::context::Context;
use geonode_graph::ir::{Side, Tree};
use serde_json::{Value, json};

use crate::change::{is_said, is_set, names as names_in};
use crate::expr::{self, ExprError, Scope};
use crate::handing_on;
use crate::naming::Names;
use crate::page::{Around, Line, UNSTRETCHED, literal, title};
use crate::preset::{GROUP, Parameter, ParameterKind};
use crate::refusal::Refusal;
use crate::template::{Read, broken, is_even};
use crate::whole;

/// An input of the tree.
struct Input<'r> {
    parameter: &'r Parameter,
    /// Its type, and its subtype where it is a float that stands for a measure.
    kind: &'static str,
    subtype: Option<&'static str>,
    value: Value,
    range: [Option<Value>; 2],
    /// Whether it is one of a saved tree.
    whole: bool,
}

impl Input<'_> {
    /// The type as a page writes it.
    fn annotation(&self) -> &'static str {
        match self.subtype {
            Some("DISTANCE") => "Distance",
            Some("ANGLE") => "Angle",
            _ => self.kind,
        }
    }

    /// Its name in the modifier: the words of its parameter; a saved tree has names of its own.
    fn title(&self) -> String {
        if self.whole {
            return self.parameter.title.clone();
        }
        title(&self.parameter.name)
    }

    fn literal(&self) -> String {
        match (self.parameter.kind, &self.value) {
            (ParameterKind::Object, Value::String(name)) => format!("data.object({})", json!(name)),
            (ParameterKind::Collection, Value::String(name)) => format!("data.collection({})", json!(name)),
            (ParameterKind::Value, Value::Object(block)) => match block.iter().next() {
                Some((kind, name)) => format!("data.{kind}({name})"),
                None => "None".to_owned(),
            },
            (_, value) => literal(value),
        }
    }

    /// `count: Int = 5`.
    fn declared(&self) -> String {
        format!("{}: {} = {}", self.parameter.name, self.annotation(), self.literal())
    }

    fn limits(&self) -> Option<String> {
        let [min, max] = &self.range;
        let min = min.as_ref().map(|min| format!(", min={min}")).unwrap_or_default();
        let max = max.as_ref().map(|max| format!(", max={max}")).unwrap_or_default();
        let about = self.parameter.description.as_ref();
        let about = about
            .map(|text| format!(", description={}", json!(text)))
            .unwrap_or_default();
        (min.len() + max.len() + about.len() > 0)
            .then(|| format!("    limits({}{min}{max}{about})\n", self.parameter.name))
    }

    /// The value as an operation has it.
    fn json(&self) -> Value {
        match self.parameter.kind {
            ParameterKind::Object => json!({"object": self.value}),
            ParameterKind::Collection => json!({"collection": self.value}),
            _ => self.value.clone(),
        }
    }
}

/// The type of the input of a parameter with this value.
fn kind(parameter: &Parameter, value: &Value) -> Option<(&'static str, Option<&'static str>)> {
    let measured = match parameter.kind {
        ParameterKind::Derived => parameter.of.unwrap_or(ParameterKind::Derived),
        other => other,
    };
    Some(match (measured, value) {
        (ParameterKind::Value, _) => ("Value", None),
        (ParameterKind::Text, _) => ("String", None),
        (ParameterKind::Object, _) => ("Object", None),
        (ParameterKind::Collection, _) => ("Collection", None),
        (_, Value::Array(_)) => ("Vector", None),
        (ParameterKind::Count | ParameterKind::Seed, _) => ("Int", None),
        (ParameterKind::Length, _) => ("Float", Some("DISTANCE")),
        (ParameterKind::Angle, _) => ("Float", Some("ANGLE")),
        (ParameterKind::Bool, _) | (_, Value::Bool(_)) => ("Bool", None),
        (ParameterKind::Factor | ParameterKind::Turns, _) | (_, Value::Number(_)) => ("Float", None),
        _ => return None,
    })
}

/// The ends of the range of a parameter in the units of its input.
fn range(parameter: &Parameter, unit: f64) -> [Option<Value>; 2] {
    let end = |value: f64| match parameter.kind {
        ParameterKind::Length => expr::finite("/", value / unit).ok(),
        ParameterKind::Angle => expr::finite("°", value.to_radians()).ok(),
        ParameterKind::Count | ParameterKind::Seed => expr::eval(&json!(["round", value]), &Scope::new()).ok(),
        ParameterKind::Factor | ParameterKind::Turns => Some(json!(value)),
        _ => None,
    };
    match parameter.hard {
        Some([low, high]) => [end(low), end(high)],
        None => [None, None],
    }
}

/// The inputs that these lines read, in the order of the preset.
fn inputs<'r>(read: &'r Read, scope: &Scope, unit: f64, lines: &[&Line]) -> Result<Vec<Input<'r>>, Refusal> {
    let words: BTreeSet<&str> = lines.iter().flat_map(|line| line.words()).collect();
    let whole = read.entry.preset.is_whole();
    let mut all = Vec::new();
    for parameter in &read.entry.preset.parameters {
        let value = scope.get(&parameter.name).cloned().unwrap_or(Value::Null);
        if !(words.contains(parameter.name.as_str()) || whole && !value.is_null()) {
            continue;
        }
        let Some((kind, subtype)) = kind(parameter, &value) else {
            let wrong = ExprError::WrongOperand(parameter.name.clone(), value.to_string());
            return Err(broken(&wrong, read.entry));
        };
        all.push(Input {
            parameter,
            kind,
            subtype,
            value: if value.is_null() && !matches!(kind, "Object" | "Collection") {
                json!(0)
            } else {
                value
            },
            range: range(parameter, unit),
            whole,
        });
    }
    Ok(all)
}

/// The parameters that are inputs of the tree.
pub(crate) fn input_names<'r>(read: &'r Read, scope: &Scope, unit: f64) -> Result<BTreeSet<&'r str>, Refusal> {
    let lines = read
        .entry
        .body
        .kept(scope)
        .map_err(|error| broken(&error, read.entry))?;
    let inputs = inputs(read, scope, unit, &lines)?;
    Ok(inputs.into_iter().map(|input| input.parameter.name.as_str()).collect())
}

/// The page of a saved tree: its groups as they are, and the values of its inputs.
fn whole(read: &Read, scope: &Scope, unit: f64, names: &Names, context: &Context) -> Result<String, Refusal> {
    let (mut out, _) = whole::without_missing(&read.entry.preset.plan.page, context);
    out = whole::with_free_names(&out, |name| context.node_groups.iter().any(|group| group.name == name));
    out = out.replacen(GROUP, &json!(names.group).to_string(), 1);
    let values: Vec<String> = inputs(read, scope, unit, &[])?
        .iter()
        .map(|input| format!("{}: {}", json!(input.parameter.name), input.literal()))
        .collect();
    let _ = write!(
        out,
        "\n\napply({}, object={}, modifier={}, inputs={{{}}})\n",
        json!(names.group),
        json!(read.cast.target),
        json!(names.modifier),
        values.join(", ")
    );
    Ok(out)
}

/// The page that makes the tree and applies it.
pub(crate) fn page(read: &Read, scope: &Scope, unit: f64, names: &Names, context: &Context) -> Result<String, Refusal> {
    if read.entry.preset.is_whole() {
        return whole(read, scope, unit, names, context);
    }
    let around = Around {
        pass: passes(read, context).then(|| alone(read)),
        stretch: stretch(read, context),
    };
    page_of_lines(read, scope, unit, names, &around)
}

/// The scale of the object, if it is not the same along all axes and the page can work at the size of the scene: not where it looks at other objects
/// from the object's own space.
pub(crate) fn stretch(read: &Read, context: &Context) -> Option<[f64; 3]> {
    let object = context.object(&read.cast.target).filter(|_| !read.cast.makes)?;
    let scale = object.scale.map(f64::abs);
    let even = is_even(scale) || scale.iter().any(|side| *side < 1e-6);
    let relative = || read.entry.body.lines.iter().any(|line| line.text.contains("RELATIVE"));
    (!even && !read.entry.preset.is_whole() && !relative()).then_some(scale)
}

/// What the preset works on where the rest passes by.
fn alone(read: &Read) -> &'static str {
    if handing_on::is_curve(&read.entry.preset.target.kinds) {
        "curve"
    } else {
        "mesh"
    }
}

/// Whether the copies that earlier modifiers may show pass by what the preset makes.
pub(crate) fn passes(read: &Read, context: &Context) -> bool {
    let target = context.object(&read.cast.target);
    let shows = target.is_some_and(|object| object.modifiers.iter().any(|one| one.node_group.is_some()));
    shows && read.entry.preset.target.own
}

fn page_of_lines(read: &Read, scope: &Scope, unit: f64, names: &Names, around: &Around) -> Result<String, Refusal> {
    let broken = |error: ExprError| broken(&error, read.entry);
    let lines = read.entry.body.kept(scope).map_err(broken)?;
    let inputs = inputs(read, scope, unit, &lines)?;
    let mut out = String::from("def tree(geometry: Geometry");
    for input in &inputs {
        let _ = write!(out, ", {}", input.declared());
    }
    let _ = write!(out, ") -> Geometry:\n    settings(name={})\n", json!(names.group));
    for input in &inputs {
        out.extend(input.limits());
    }
    let mut panels: Vec<&str> = Vec::new();
    for panel in inputs.iter().filter_map(|input| input.parameter.panel.as_deref()) {
        if !panels.contains(&panel) {
            panels.push(panel);
        }
    }
    for panel in panels {
        let within = inputs
            .iter()
            .filter(|input| input.parameter.panel.as_deref() == Some(panel));
        let list: Vec<&str> = within.map(|input| input.parameter.name.as_str()).collect();
        let _ = writeln!(out, "    panel({}, {})", json!(panel), list.join(", "));
    }
    out.push_str(&around.opening());
    for line in lines {
        let _ = writeln!(out, "{}", line.written(scope, around).map_err(broken)?);
    }
    let _ = write!(
        out,
        "\napply({}, object={}, modifier={})\n",
        json!(names.group),
        if read.cast.makes {
            format!("new({})", json!(read.cast.target))
        } else {
            json!(read.cast.target).to_string()
        },
        json!(names.modifier)
    );
    Ok(out)
}

/// Whether the value of an input follows from the prompt: directly, or through parameters that have no input of their own.
fn follows(read: &Read, scope: &Scope, inputs: &[Input], name: &str, depth: usize) -> bool {
    // One thing is placed whole, whether an instance is picked or not: what was set by hand stays.
    if name == "thing.several" && !scope.get(name).is_some_and(expr::truthy) {
        return false;
    }
    if is_said(read, name) {
        return true;
    }
    let through = read.entry.preset.parameter(name).filter(|_| depth < 8);
    through.is_some_and(|parameter| {
        names_in(Some(&parameter.default), scope).into_iter().any(|other| {
            let own = inputs.iter().any(|input| input.parameter.name == other);
            // Another direction leaves the spacing as it was set.
            let chosen = parameter.kind != ParameterKind::Derived
                && read
                    .entry
                    .preset
                    .parameter(other)
                    .is_some_and(|one| one.kind == ParameterKind::Choice);
            // So does another thing with what was measured: a ring keeps its radius.
            let of_thing = other.starts_with("thing.") && is_set(parameter);
            !own && !chosen && !of_thing && follows(read, scope, inputs, other, depth + 1)
        })
    })
}

/// The inputs that the prompt leaves as they are: parameter, and name in the modifier.
pub(crate) fn left_alone<'r>(read: &'r Read, scope: &Scope, unit: f64) -> Result<Vec<(&'r str, String)>, Refusal> {
    let lines = read.entry.body.kept(scope);
    let lines = lines.map_err(|error| broken(&error, read.entry))?;
    let inputs = inputs(read, scope, unit, &lines)?;
    let alone = |input: &&Input| !input.whole && !follows(read, scope, &inputs, &input.parameter.name, 0);
    let alone = inputs.iter().filter(alone);
    Ok(alone
        .map(|input| (input.parameter.name.as_str(), input.title()))
        .collect())
}

/// The inputs that take another value although the prompt names them not, with the value that the modifier `shown` has; without those that only carry
/// what the prompt gives under another name: the radius of a diameter.
pub(crate) fn also_changed<'r>(
    read: &'r Read,
    scope: &Scope,
    unit: f64,
    shown: &geonode_graph::ir::Map,
) -> Result<Vec<(&'r Parameter, Value)>, Refusal> {
    let lines = read.entry.body.kept(scope);
    let lines = lines.map_err(|error| broken(&error, read.entry))?;
    let inputs = inputs(read, scope, unit, &lines)?;
    let followers = inputs.iter().filter(|input| {
        !input.whole && !is_said(read, &input.parameter.name) && follows(read, scope, &inputs, &input.parameter.name, 0)
    });
    let own = |name: &str| inputs.iter().any(|other| other.parameter.name == name);
    let carries = |input: &Input<'r>| -> BTreeSet<&'r str> {
        let from = names_in(Some(&input.parameter.default), scope);
        let said = from
            .into_iter()
            .filter(|name| is_said(read, name) && !own(name) && !name.starts_with("thing."));
        said.collect()
    };
    let followers: Vec<(&Input, BTreeSet<&str>)> = followers.map(|input| (input, carries(input))).collect();
    let goes_to = |name: &str| followers.iter().filter(|(_, from)| from.contains(name)).count();
    let mut all = Vec::new();
    for (input, from) in &followers {
        if from.iter().any(|name| goes_to(name) == 1) {
            continue;
        }
        let Some(before) = shown.get(&input.title()) else {
            continue;
        };
        let differs = match (before.as_f64(), input.value.as_f64()) {
            (Some(before), Some(now)) => (before - now).abs() > 1e-4 * now.abs().max(1e-3),
            (None, None) => before.is_boolean() && *before != input.value,
            _ => false,
        };
        if differs {
            all.push((input.parameter, before.clone()));
        }
    }
    Ok(all)
}

/// A change of the last result.
struct Change<'c> {
    read: &'c Read<'c>,
    scope: &'c Scope,
    tree: Option<&'c Tree>,
    /// The scale of a stretched object.
    stretch: Option<[f64; 3]>,
    /// The values of the modifier's inputs.
    shown: Option<&'c geonode_graph::ir::Map>,
    names: &'c Names,
    /// The lines that hold now.
    kept: Vec<&'c Line>,
    inputs: Vec<Input<'c>>,
}

/// The steps that change the last result: the lines that follow from the prompt as an edit, then the values of inputs.
pub(crate) fn changes(
    read: &Read,
    scope: &Scope,
    unit: f64,
    context: &Context,
    names: &Names,
) -> Result<Vec<Value>, Refusal> {
    let kept = read
        .entry
        .body
        .kept(scope)
        .map_err(|error| broken(&error, read.entry))?;
    let change = Change {
        read,
        scope,
        tree: context.tree.as_ref().and_then(|bundle| bundle.trees.get(&names.group)),
        stretch: stretch(read, context),
        shown: context
            .object(&read.cast.target)
            .and_then(|object| object.modifiers.iter().find(|one| one.name == names.modifier))
            .and_then(|modifier| modifier.values.as_ref()),
        names,
        inputs: inputs(read, scope, unit, &kept)?,
        kept,
    };
    let (edit, new) = change.edit()?;
    if edit.is_none() && new.is_empty() && change.is_so() {
        return Ok(Vec::new());
    }
    let mut steps: Vec<Value> = edit.into_iter().collect();
    steps.extend(change.values(&new));
    Ok(steps)
}

impl Change<'_> {
    /// Whether the modifier shows all that the prompt asks for already.
    fn is_so(&self) -> bool {
        let same = |input: &Input| {
            let shown = self.shown.and_then(|values| values.get(&input.title()));
            shown.is_some_and(|shown| match (shown.as_f64(), input.value.as_f64()) {
                (Some(shown), Some(value)) => (shown - value).abs() <= 1e-5 * value.abs().max(1e-3),
                _ => *shown == input.value || *shown == input.json(),
            })
        };
        let mut asked = self
            .inputs
            .iter()
            .filter(|input| self.follows(&input.parameter.name))
            .peekable();
        asked.peek().is_some() && asked.all(same)
    }

    fn follows(&self, name: &str) -> bool {
        follows(self.read, self.scope, &self.inputs, name, 0)
    }

    /// Whether the prompt decides that a line stands there, or a value in it.
    fn is_asked(&self, line: &Line) -> bool {
        self.is_chosen(line) || line.values().any(|name| self.follows(name))
    }

    /// Whether the prompt decides that a line stands there.
    fn is_chosen(&self, line: &Line) -> bool {
        let tested = line.tests.iter().flat_map(|test| names_in(Some(test), self.scope));
        tested.into_iter().any(|name| self.follows(name))
    }

    /// The lines that follow from the prompt, and the inputs that they need and the tree lacks.
    fn edit(&self) -> Result<(Option<Value>, BTreeSet<&str>), Refusal> {
        let broken = |error: ExprError| broken(&error, self.read.entry);
        let mut lines: Vec<&Line> = Vec::new();
        // Where only a value of a node follows from the prompt, its links stay as they are.
        let mut set: Vec<String> = Vec::new();
        for line in self.kept.iter().copied().filter(|line| self.is_asked(line)) {
            let arguments = line.arguments(&|name| self.follows(name));
            match line.variable().zip(arguments).filter(|_| !self.is_chosen(line)) {
                Some((node, arguments)) => {
                    for (key, name) in arguments {
                        let value = self.scope.get(name);
                        let value = value.ok_or_else(|| broken(ExprError::UnknownName(name.to_owned())))?;
                        set.push(format!("    {node}.{key} = {}", literal(value)));
                    }
                }
                None => lines.push(line),
            }
        }
        let words: BTreeSet<&str> = lines.iter().flat_map(|line| line.words()).collect();
        let known = |tree: &Tree, title: &str| {
            let mut items = tree.interface.iter();
            items.any(|item| item.is_socket(Side::Input) && item.name == title)
        };
        let lacks = |input: &&Input| {
            let used = words.contains(input.parameter.name.as_str());
            let title = input.title();
            // Of an object that is not active only the values of the inputs are known.
            used && match (self.tree, self.shown) {
                (Some(tree), _) => !known(tree, &title),
                (None, Some(values)) => !values.contains_key(&title),
                (None, None) => false,
            }
        };
        let new: Vec<&Input> = self.inputs.iter().filter(lacks).collect();
        let names = new.iter().map(|input| input.parameter.name.as_str()).collect();
        if lines.is_empty() && set.is_empty() {
            return Ok((None, names));
        }
        let mut out = format!("with edit({}):\n", json!(self.names.group));
        for input in new {
            let _ = writeln!(out, "    {}", input.declared());
            out.extend(input.limits());
        }
        let has = |id: &str| {
            self.tree
                .is_some_and(|tree| tree.nodes.iter().any(|node| node.id == id))
        };
        let around = Around {
            pass: has("before").then(|| alone(self.read)),
            stretch: self.stretch.filter(|_| has(UNSTRETCHED)),
        };
        for line in &lines {
            let _ = writeln!(out, "{}", line.written(self.scope, &around).map_err(broken)?);
        }
        for line in set.into_iter().chain(self.gone()) {
            let _ = writeln!(out, "{line}");
        }
        let step = json!({
            "id": self.read.entry.preset.id,
            "type": "NODE_TREE",
            "description": format!("Change “{}” of “{}”", self.names.group, self.read.cast.target),
            "payload": {"text": out},
        });
        Ok((Some(step), names))
    }

    /// Lines that delete the nodes of what was asked for before.
    fn gone(&self) -> Vec<String> {
        let made: BTreeSet<&str> = self.kept.iter().filter_map(|line| line.variable()).collect();
        let all = self.read.entry.body.lines.iter().filter(|line| self.is_asked(line));
        let there = |name: &&str| {
            let tree = self.tree.filter(|_| !made.contains(name));
            tree.is_some_and(|tree| tree.nodes.iter().any(|node| node.id == *name))
        };
        let gone: BTreeSet<&str> = all.filter_map(Line::variable).filter(there).collect();
        gone.into_iter().map(|name| format!("    del {name}")).collect()
    }

    /// The steps that set the inputs that follow from the prompt: their defaults, and their values in the modifier; the latter of `new` ones too.
    fn values(&self, new: &BTreeSet<&str>) -> Vec<Value> {
        let is_new = |input: &Input| new.contains(input.parameter.name.as_str());
        let said = || {
            self.inputs
                .iter()
                .filter(|input| is_new(input) || self.follows(&input.parameter.name))
        };
        let defaults: Vec<Value> = said()
            .filter(|input| !is_new(input))
            .map(|input| {
                let kind = format!("NodeSocket{}", input.kind);
                json!({"op": "set_group_io", "direction": "input", "name": input.title(), "socket_type": kind, "default": input.json()})
            })
            .collect();
        let values: Vec<Value> = said()
            .map(|input| json!({"op": "set_modifier_input", "name": input.title(), "value": input.json()}))
            .collect();
        let (object, modifier) = (&self.read.cast.target, &self.names.modifier);
        let id = &self.read.entry.preset.id;
        let mut steps = Vec::new();
        if !defaults.is_empty() {
            let target = json!({"object_name": object, "modifier_name": modifier, "node_group_name": self.names.group});
            steps.push(json!({
                "id": format!("{id}_defaults"),
                "type": "NODE_TREE",
                "description": format!("Change the defaults of “{}”", self.names.group),
                "payload": {"target": target, "operations": defaults},
            }));
        }
        if !values.is_empty() {
            let target = json!({"object_name": object, "modifier_name": modifier});
            steps.push(json!({
                "id": format!("{id}_values"),
                "type": "GN_OPS",
                "description": "Set the inputs of the modifier",
                "payload": {"v": 1, "target": target, "ops": values},
            }));
        }
        steps
    }
}
