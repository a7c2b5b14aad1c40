//! One tree as lines: where the parts of a page come together.

use foldhash::HashMap;
use geonode_graph::ir::{Link, Side};
use geonode_graph::sockets::{FRAME, GROUP, GROUP_INPUT_TYPE, REROUTE};
use serde_json::Value;

use super::expression::Expr;
use super::literals::{list, literal, quote, write};
use super::order::{Order, Unit};
use super::sheet::{Sheet, is_muted};

const MENU: &str = "NodeSocketMenu";

/// A line of a page.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// How deep it stands, in steps of four blanks.
    pub depth: usize,
    pub text: String,
    /// Places of the nodes that it is about; none for what belongs to the whole tree.
    pub nodes: Vec<usize>,
    /// How many of them it makes, with those in its arguments.
    pub made: usize,
}

/// Writes one tree.
pub(super) struct Writer<'s, 'a> {
    pub sheet: &'s Sheet<'a>,
    pub order: &'s Order,
    pub lines: Vec<Line>,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub(super) fn new(sheet: &'s Sheet<'a>, order: &'s Order) -> Self {
        Self {
            sheet,
            order,
            lines: Vec::new(),
        }
    }

    pub(super) fn line(&mut self, depth: usize, text: String) {
        self.lines.push(Line {
            depth,
            text,
            nodes: Vec::new(),
            made: 0,
        });
    }

    /// A line about nodes.
    pub(super) fn line_of(&mut self, depth: usize, text: String, nodes: Vec<usize>, made: usize) {
        self.lines.push(Line {
            depth,
            text,
            nodes,
            made,
        });
    }

    /// The whole function of the tree.
    pub(super) fn tree(&mut self, function: &str, losses: &[String]) {
        self.signature(function);
        let first = self.lines.len();
        self.settings(function);
        self.limits();
        self.panels();
        for loss in losses {
            self.line(1, format!("# Cannot be said here: {}", one_line(loss)));
        }
        self.group_ends();
        self.units(&self.order.outside, 1);
        self.statements();
        if self.sheet.full {
            self.details();
        }
        self.give_back();
        if self.lines.len() == first {
            self.line(1, "pass".to_owned());
        }
    }

    /// `group_input()` alone, where the tree has one that nothing uses.
    fn group_ends(&mut self) {
        let count = self.sheet.tree.nodes.len();
        for at in (0..count).filter(|at| self.sheet.variable(*at) == "group_input") {
            let used = self
                .sheet
                .links_from(at)
                .iter()
                .any(|link| self.sheet.place(&link.to.0).is_some());
            if !used {
                self.line_of(1, "group_input()".to_owned(), vec![at], 1);
            }
        }
    }

    pub(super) fn units(&mut self, units: &[Unit], depth: usize) {
        for unit in units {
            match unit {
                Unit::Node(at) => self.assignment(*at, depth),
                Unit::Zone(zone) => self.zone(*zone, depth),
            }
        }
    }

    /// `points = distribute_points_on_faces(…)`.
    fn assignment(&mut self, at: usize, depth: usize) {
        let framed = self.sheet.node(at).is_none_or(|node| node.kind == FRAME);
        if framed || self.sheet.is_implied(at) || self.sheet.host(at).is_some() {
            return;
        }
        let value = self.expression(at, self.order.zone_of(at));
        let text = format!("{} = {}", self.sheet.variable(at), value.text);
        self.line_of(depth, text, vec![at], self.made(at));
    }

    /// How many nodes the text of a node makes: itself, and those in its arguments.
    pub(super) fn made(&self, at: usize) -> usize {
        let inner = self
            .sheet
            .links_into(at)
            .iter()
            .filter_map(|link| self.sheet.place(&link.from.0));
        1 + inner
            .filter(|inner| self.sheet.host(*inner) == Some(at))
            .map(|inner| self.made(inner))
            .sum::<usize>()
    }

    /// The node as a term or as a call.
    pub(super) fn expression(&self, at: usize, zone: Option<usize>) -> Expr {
        self.term(at, zone).unwrap_or_else(|| self.call(at, zone))
    }

    /// What an input is given, where it is not as on a new node: `zone` is the zone in which the text stands.
    pub(super) fn input(&self, at: usize, identifier: &str, zone: Option<usize>) -> Option<Expr> {
        let links: Vec<&Link> = self.links(at, identifier).collect();
        let kind = self
            .sheet
            .inputs(at)
            .and_then(|inputs| inputs.find(identifier))
            .map_or("", |socket| socket.kind.as_str());
        let through = self.sheet.node(at).is_some_and(|node| node.kind == REROUTE);
        let wanted = if through { "" } else { kind };
        match links.as_slice() {
            [] => self
                .value(at, identifier)
                .filter(|value| !self.is_new(at, identifier, value))
                .map(literal),
            [link] => Some(self.link(at, link, wanted, zone)),
            several => {
                let parts = several.iter().map(|link| self.link(at, link, wanted, zone).text);
                Some(Expr::atom(format!("[{}]", list(parts))))
            }
        }
    }

    /// Whether an input has this value in a new node of its mode. Groups say all, and menus too: theirs depend on their entries.
    fn is_new(&self, at: usize, identifier: &str, value: &Value) -> bool {
        let grouped = self.sheet.node(at).is_none_or(|node| node.kind == GROUP);
        let socket = self
            .sheet
            .inputs(at)
            .and_then(|inputs| inputs.find(identifier).cloned());
        let socket = socket.filter(|socket| !grouped && socket.kind != MENU);
        socket.is_some_and(|socket| socket.default.as_ref() == Some(value))
    }

    /// The links into one input, in their order.
    pub(super) fn links(&self, at: usize, identifier: &str) -> impl Iterator<Item = &'a Link> {
        self.sheet
            .links_into(at)
            .iter()
            .copied()
            .filter(move |link| link.to.1 == identifier)
    }

    /// The value of an input that differs from a new node's.
    pub(super) fn value(&self, at: usize, identifier: &str) -> Option<&'a Value> {
        self.sheet.node(at)?.inputs.get(identifier)?.get("value")
    }

    /// What a link comes from, as an argument of `at` for an input of the type `wanted`.
    pub(super) fn link(&self, at: usize, link: &Link, wanted: &str, zone: Option<usize>) -> Expr {
        let from = self.source(at, link, wanted, zone);
        if !link.muted {
            return from;
        }
        let behind = self.value(at, &link.to.1).map(write);
        Expr::atom(format!("muted({})", list([from.text].into_iter().chain(behind))))
    }

    fn source(&self, at: usize, link: &Link, wanted: &str, zone: Option<usize>) -> Expr {
        let Some(from) = self.sheet.place(&link.from.0) else {
            return Expr::atom("None".to_owned());
        };
        let socket = &link.from.1;
        let Some(outputs) = self.sheet.outputs(from) else {
            return Expr::atom("None".to_owned());
        };
        let main = outputs.is_main(socket, wanted, self.sheet.names.catalogue());
        if let (Some(function), None) = (self.sheet.closure(from), self.sheet.begins_zone(from))
            && main
        {
            return Expr::atom(function.to_owned());
        }
        if let Some(word) = self.parameter(from, socket, zone) {
            return Expr::atom(word.to_owned());
        }
        if self.sheet.host(from) == Some(at) {
            let inner = self.expression(from, zone);
            return if main {
                inner
            } else {
                inner.output(&outputs.word(socket))
            };
        }
        let variable = Expr::atom(self.sheet.variable(from).to_owned());
        let is_input = self.sheet.node(from).is_some_and(|node| node.kind == GROUP_INPUT_TYPE);
        // Of the inputs of the group every one is named, however many it has today.
        if main && !is_input {
            variable
        } else {
            variable.output(&outputs.word(socket))
        }
    }

    /// The parameter that an output is: of the group, or of a closure in which the text stands.
    fn parameter(&self, from: usize, socket: &str, zone: Option<usize>) -> Option<&str> {
        if self.sheet.variable(from) == "group_input" {
            return self.sheet.variables.parameters().word(socket);
        }
        let names = self.sheet.closure_parameters(from)?;
        let inside = || {
            self.order
                .chain(zone)
                .any(|zone| self.order.zones.get(zone).is_some_and(|zone| zone.input == from))
        };
        names.word(socket).filter(|_| inside())
    }

    /// Labels, muted nodes and frames.
    fn statements(&mut self) {
        let nodes = &self.sheet.tree.nodes;
        let order = self.by_page();
        for (at, node) in order.iter().filter_map(|at| Some((*at, nodes.get(*at)?))) {
            if let Some(label) = node.label.as_deref().filter(|_| node.kind != FRAME) {
                let text = format!("label({}, {})", self.sheet.variable(at), quote(label));
                self.line_of(1, text, vec![at], 0);
            }
        }
        let is_muted_at = |at: &usize| nodes.get(*at).is_some_and(is_muted);
        let muted: Vec<usize> = order.iter().copied().filter(is_muted_at).collect();
        if !muted.is_empty() {
            let text = list(muted.iter().map(|at| self.sheet.variable(*at).to_owned()));
            self.line_of(1, format!("mute({text})"), muted, 0);
        }
        let mut framed: HashMap<&str, Vec<usize>> = HashMap::default();
        for (inner, node) in order.iter().filter_map(|at| Some((*at, nodes.get(*at)?))) {
            node.parent
                .iter()
                .for_each(|frame| framed.entry(frame).or_default().push(inner));
        }
        let all = order.iter().filter_map(|at| Some((*at, nodes.get(*at)?)));
        for (at, node) in all.filter(|(_, node)| node.kind == FRAME) {
            let label = node.label.as_deref().map(quote);
            let members = framed
                .get(node.id.as_str())
                .into_iter()
                .flatten()
                .map(|inner| self.sheet.variable(*inner).to_owned());
            let properties = self
                .properties(at)
                .into_iter()
                .map(|(name, value)| format!("{name}={value}"));
            let shadowed = self.shadowed(at, Vec::new()).map(|text| format!("props={text}"));
            let arguments = list(label.into_iter().chain(members).chain(properties).chain(shadowed));
            let text = format!("{} = frame({arguments})", self.sheet.variable(at));
            self.line_of(1, text, vec![at], 1);
        }
    }

    /// The nodes in the order of their lines; frames follow by their names, so that the order does not depend on that of the tree.
    fn by_page(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.sheet.tree.nodes.len()).collect();
        let is_frame = |at: usize| self.sheet.node(at).is_some_and(|node| node.kind == FRAME);
        order.sort_by_cached_key(|at| {
            let rank = if is_frame(*at) {
                usize::MAX
            } else {
                self.order.rank_of(*at)
            };
            (rank, self.sheet.variable(*at).to_owned())
        });
        order
    }

    /// `return x`, `return {"Curves": x}`.
    fn give_back(&mut self) {
        let count = self.sheet.tree.nodes.len();
        let Some(at) = (0..count).find(|at| self.sheet.variable(*at) == "group_output") else {
            return;
        };
        let made = self.made(at);
        let text = self.returned(at, None);
        self.line_of(1, text, vec![at], made);
    }

    /// What a function returns: `at` is the end of the group, or of a closure.
    pub(super) fn returned(&self, at: usize, zone: Option<usize>) -> String {
        let Some(inputs) = self.sheet.inputs(at) else {
            return "return".to_owned();
        };
        let shown: Vec<_> = inputs.shown().collect();
        let given: Vec<(String, String)> = shown
            .iter()
            .filter_map(|socket| {
                let value = self.input(at, &socket.identifier, zone)?;
                let alike = shown.iter().filter(|other| other.name == socket.name).count();
                let key = if alike == 1 {
                    socket.name.clone()
                } else {
                    inputs.word(&socket.identifier)
                };
                Some((key, value.text))
            })
            .collect();
        match (given.as_slice(), shown.len()) {
            ([], _) => "return".to_owned(),
            ([(_, value)], 1) => format!("return {value}"),
            _ => {
                let parts = given.iter().map(|(key, value)| format!("{}: {value}", quote(key)));
                format!("return {{{}}}", list(parts))
            }
        }
    }

    /// `node(x, …)`: everything else about each node, in tree order.
    fn details(&mut self) {
        for (at, node) in self.sheet.tree.nodes.iter().enumerate() {
            let variable = self.sheet.variable(at);
            let mut parts = vec![variable.to_owned()];
            if node.id != variable {
                parts.push(format!("id={}", quote(&node.id)));
            }
            if node.name != node.id {
                parts.push(format!("name={}", quote(&node.name)));
            }
            parts.push(format!("location={}", write(&Value::from(node.location.to_vec()))));
            parts.extend(node.width.map(|width| format!("width={}", write(&Value::from(width)))));
            let looks = node
                .props
                .iter()
                .filter(|(name, _)| crate::names::LOOK.contains(&name.as_str()) && *name != "width");
            parts.extend(looks.map(|(name, value)| format!("{name}={}", write(value))));
            for side in [Side::Input, Side::Output] {
                parts.extend(self.states(at, side));
            }
            if !node.stored.is_empty() {
                parts.push(format!(
                    "stored={}",
                    write(&Value::Object(node.stored.clone().into_iter().collect()))
                ));
            }
            self.line_of(1, format!("node({})", list(parts)), vec![at], 0);
        }
    }

    /// The states of a node's sockets as far as its call does not say them.
    fn states(&self, at: usize, side: Side) -> Option<String> {
        let node = self.sheet.node(at)?;
        let (states, sockets, word) = match side {
            Side::Input => (&node.inputs, self.sheet.inputs(at)?, "inputs"),
            Side::Output => (&node.outputs, self.sheet.outputs(at)?, "outputs"),
        };
        let each = states.iter().filter_map(|(identifier, state)| {
            let shown = sockets.find(identifier).is_some_and(|socket| socket.available);
            let linked = side == Side::Input && self.links(at, identifier).next().is_some();
            let said = shown && !linked;
            let parts: Vec<String> = state
                .iter()
                .filter(|(field, _)| !said || *field != "value")
                .map(|(field, value)| format!("{}: {}", quote(field), write(value)))
                .collect();
            (!parts.is_empty()).then(|| format!("{}: {{{}}}", quote(identifier), list(parts)))
        });
        let text = list(each);
        (!text.is_empty()).then(|| format!("{word}={{{text}}}"))
    }
}

/// A text without line breaks, for a comment.
pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
