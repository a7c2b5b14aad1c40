//! The state of one step while its operations are carried out, and how they find the nodes and sockets that the plan means.

use std::borrow::Cow;
use std::collections::HashSet;

use geonode_protocol::{Code, Hint};
use serde_json::{Value, json};

use crate::catalogue::{Socket, fold};
use crate::documents::Document;
use crate::documents::delta::{MaterialEdit, ModifierInput, ObjectEdit};
use crate::intrusion::Unsaid;
use crate::ir::{Node, Side};
use crate::menus::Choice;
use crate::model::TreeModel;
use crate::near::nearest;
use crate::renames;
use crate::sink::Sink;
use crate::sockets::{GEOMETRY, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, Scope, is_item_of};
use crate::target::Target;

/// A name that an operation gives to a node.
pub(crate) struct NewName {
    pub id: String,
    pub wanted: String,
    /// The name that the node had before the step.
    pub had: String,
    /// Where the plan says so.
    pub path: String,
}

/// A text of the plan and the field of the operation that contains it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'p> {
    pub text: &'p str,
    pub field: &'static str,
}

pub(super) fn text<'p>(text: &'p str, field: &'static str) -> Text<'p> {
    Text { text, field }
}

/// How a socket is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// Identifier, else name.
    Any,
    /// Name only.
    Name,
    /// Identifier only.
    Identifier,
}

/// What the operations of a step do to links.
#[derive(Default)]
pub(crate) struct LinkNotes {
    /// Operations that add a link.
    pub made: HashSet<usize>,
    /// Links at sockets that went out of use or became of another type.
    pub hidden: Vec<Hidden>,
}

/// A link, as nodes and sockets of both ends, with the type of its socket at one of them.
pub(super) type LinkInUse = ([String; 4], String);

/// A link at a socket that an operation takes out of use, or gives another type.
pub(crate) struct Hidden {
    pub operation: usize,
    pub field: String,
    /// The node with the socket.
    pub node: String,
    /// Node and socket that it comes from, node and socket that it leads to.
    pub link: [String; 4],
}

/// The state of one step while its operations are carried out.
pub(crate) struct Work<'a> {
    pub scope: Scope<'a>,
    pub document: &'a Document,
    pub sink: &'a mut Sink,
    pub target: Target,
    pub model: TreeModel,
    pub modifier_inputs: Vec<ModifierInput>,
    /// Materials that the step makes.
    pub materials: Vec<MaterialEdit>,
    /// The object of the target, where the step makes it.
    pub objects: Vec<ObjectEdit>,
    /// Groups that the step makes or edits besides the tree, in this order.
    pub nested: Vec<TreeModel>,
    /// What the operations do to links, for the check of the whole tree.
    pub links: LinkNotes,
    /// Entries that it chooses in menus of the tree.
    pub choices: Vec<Choice>,
    /// IDs of the group nodes that the plan makes and then replaces by their nodes.
    pub dissolved: &'a HashSet<&'a str>,
    /// Code of the scripts that run before this step.
    pub scripts: &'a [&'a str],
    /// Menus of nodes that were there before, with the entries that it takes away.
    pub gone: Vec<(String, Vec<String>)>,
    /// Names that the operations give to nodes.
    pub new_names: Vec<NewName>,
    /// Side effects of the operations on nodes that they do not name.
    pub unsaid: Unsaid,
    /// `@k…` keys handed out so far.
    pub keys: usize,
    /// `NODE_TREE` creates a missing Group Input or Output when it is named; `GN_OPS` has an operation for it.
    pub implicit_group_io: bool,
}

impl<'a> Work<'a> {
    /// The ID of the node that the plan refers to; reports when there is none.
    pub(super) fn resolve_node(&mut self, named: Text<'_>) -> Option<String> {
        let found = self.find_node(named.text);
        if let Some(id) = found {
            if !self.model.is_new(&id) {
                self.model.named.insert(id.clone());
            }
            return Some(id);
        }
        let path = self.sink.at(named.field);
        match self.guess_node(named.text) {
            Some(id) => {
                let message = format!("“{}” was taken to mean the node “{id}”", named.text);
                self.sink.repaired(path, Value::from(id.clone()), message);
                self.model.named.insert(id.clone());
                Some(id)
            }
            None => {
                self.no_node(named.text, named.field);
                None
            }
        }
    }

    /// Reports that the text in a field of the operation is not the ID of a node.
    pub(super) fn no_node(&mut self, id: &str, field: &str) {
        let path = self.sink.at(field);
        let message = format!("there is no node “{id}” in the tree “{}”", self.model.name);
        let near = nearest(id, self.model.nodes().map(|node| node.id.as_str()));
        let hint = match (id, near) {
            ("group_input" | "group_output", _) => {
                let ensure = json!({"op": "ensure_single_group_io"});
                self.sink
                    .before("ensure_single_group_io before this operation adds it", ensure)
            }
            _ if self.is_zone(id) => Hint::explain(format!(
                "“{id}” is a zone, whose ends are the nodes “{id}.in” and “{id}.out”"
            )),
            (_, Some(near)) => self.sink.near(field, near),
            (_, None) => Hint::explain("a node is created before it is used; others have the IDs of the context"),
        };
        self.sink.error(Code::UnknownNode, path, message, Some(hint));
    }

    /// Whether a zone has this ID, and no node.
    pub(super) fn is_zone(&self, id: &str) -> bool {
        self.model.node(id).is_none()
            && [".in", ".out"]
                .iter()
                .all(|end| self.model.node(&format!("{id}{end}")).is_some())
    }

    /// Reports a link whose end is a zone instead of one of its nodes; `at` is the end that is meant as far as the tree tells.
    pub(super) fn zone_as_node(&mut self, named: Text<'_>, at: &str) {
        let path = self.sink.at(named.field);
        let message = format!(
            "“{}” is a zone and not a node in the tree “{}”",
            named.text, self.model.name
        );
        let hint = self.sink.near(named.field, at);
        self.sink.error(Code::UnknownNode, path, message, Some(hint));
    }

    /// The end of a zone that is written in another way: `z_in`, `z.input`.
    fn written_end(&self, text: &str) -> Option<String> {
        let (zone, end) = text.rsplit_once(['.', '_', '-', ' ', '/'])?;
        let end = match fold(end).as_str() {
            "in" | "input" => "in",
            "out" | "output" => "out",
            _ => return None,
        };
        let id = format!("{zone}.{end}");
        self.is_zone(zone).then_some(id)
    }

    /// Exact IDs and the two reserved ones.
    pub(super) fn find_node(&mut self, id: &str) -> Option<String> {
        if self.model.node(id).is_some() {
            return Some(id.to_owned());
        }
        match id {
            "group_input" => self.group_node(GROUP_INPUT_TYPE),
            "group_output" => self.group_node(GROUP_OUTPUT_TYPE),
            _ => None,
        }
    }

    /// The only node whose name or label matches, ignoring case; IDs may have been read from the screen.
    fn guess_node(&self, text: &str) -> Option<String> {
        if let Some(end) = self.written_end(text) {
            return Some(end);
        }
        let wanted = fold(text);
        let mut hits = self.model.nodes().filter(|node| {
            fold(&node.id) == wanted
                || fold(&node.name) == wanted
                || node.label.as_deref().is_some_and(|label| fold(label) == wanted)
        });
        match (hits.next(), hits.next()) {
            (Some(node), None) if !wanted.is_empty() => Some(node.id.clone()),
            _ => None,
        }
    }

    /// The socket that the plan refers to; reports when there is none, or several.
    pub(super) fn resolve_socket(&mut self, id: &str, named: Text<'_>, side: Side, by: By) -> Option<Cow<'a, Socket>> {
        let node = self.model.node(id)?;
        let sockets = self.scope.sockets(&self.model, node, side);
        let usable = || sockets.iter().enumerate().filter(|(_, socket)| socket.available);
        if by != By::Name
            && let Some((at, _)) = usable().find(|(_, socket)| socket.identifier == named.text)
        {
            return pick(sockets, at);
        }
        if by != By::Identifier {
            let mut hits = usable().filter(|(_, socket)| socket.name == named.text);
            match (hits.next(), hits.next()) {
                (Some((at, _)), None) => {
                    drop(hits);
                    return pick(sockets, at);
                }
                (None, _) => {}
                (Some((_, first)), Some((_, second))) => {
                    let more = hits.map(|(_, socket)| unique_name(socket));
                    let list: Vec<String> = [first, second].into_iter().map(unique_name).chain(more).collect();
                    let message = format!("“{id}” has several {} named “{}”", side_names(side), named.text);
                    let hint = Hint::explain(format!("their identifiers are: {}", list.join(", ")));
                    let path = self.sink.at(named.field);
                    self.sink.error(Code::AmbiguousSocket, path, message, Some(hint));
                    return None;
                }
            }
        }
        let of_part = named.text.split_once('.').and_then(|(part, name)| {
            let prefix = ITEM_PREFIXES.iter().find(|(word, _)| *word == part)?.1;
            usable().find(|(_, socket)| socket.name == name && is_item_of(socket, prefix))
        });
        if let Some((at, _)) = of_part.filter(|_| self.scope.node_type(node).is_some_and(|kind| kind.is("zone"))) {
            return pick(sockets, at);
        }
        let at = self.guess_socket(id, named, side, &sockets)?;
        pick(sockets, at)
    }

    /// A certain repair of a socket's name, else the error with suggestions.
    fn guess_socket(&mut self, id: &str, named: Text<'_>, side: Side, sockets: &[Socket]) -> Option<usize> {
        let usable: Vec<&Socket> = sockets.iter().filter(|socket| socket.available).collect();
        let path = self.sink.at(named.field);
        // A socket with exactly that name is meant, although it is hidden; repairing the name would give another link.
        let hidden = sockets
            .iter()
            .find(|s| !s.available && (s.identifier == named.text || s.name == named.text));
        if let Some(hidden) = hidden {
            let node = self.model.node(id)?;
            let hint = self.mode_for(node, side, &hidden.identifier);
            let message = format!(
                "the {} “{}” of “{id}” is not available in its current mode",
                side_name(side),
                hidden.name
            );
            self.sink.error(Code::UnavailableSocket, path, message, hint);
            return None;
        }
        if let Some(hit) = certain_socket(named.text, &usable) {
            let message = format!(
                "“{}” was taken to mean the {} “{}” of “{id}”",
                named.text,
                side_name(side),
                hit.name
            );
            self.sink.repaired(path, Value::from(hit.identifier.clone()), message);
            return sockets.iter().position(|socket| std::ptr::eq(socket, hit));
        }
        let near = nearest(
            named.text,
            usable.iter().flat_map(|s| [s.name.as_str(), s.identifier.as_str()]),
        );
        let list: Vec<String> = usable.iter().map(|socket| display(socket)).collect();
        let hint = match (near, list.is_empty()) {
            (Some(near), _) => self
                .sink
                .near(named.field, near)
                .worded(|text| format!("{text} It has: {}", list.join(", "))),
            (None, false) => Hint::explain(format!("it has: {}", list.join(", "))),
            (None, true) => Hint::explain(format!("it has no {}", side_names(side))),
        };
        let message = format!("“{id}” has no {} “{}”", side_name(side), named.text);
        self.sink.error(Code::UnknownSocket, path, message, Some(hint));
        None
    }

    /// Which value of a property makes a hidden socket available: a proposal where nobody has chosen that property, else an explanation.
    fn mode_for(&self, node: &Node, side: Side, identifier: &str) -> Option<Hint> {
        let kind = self.scope.node_type(node)?;
        let mut props = node.props.clone();
        for name in &kind.state_properties {
            let present = props.get(name).cloned();
            let property = kind.properties.get(name)?;
            let values: Vec<Value> = if property.kind == "bool" {
                vec![Value::Bool(false), Value::Bool(true)]
            } else {
                property
                    .items
                    .iter()
                    .map(|(item, _)| Value::from(item.as_str()))
                    .collect()
            };
            for value in values {
                props.insert(name.clone(), value.clone());
                let shows = kind.variants.contains_key(kind.variant_key(&props).as_ref())
                    && kind
                        .state(&props)
                        .side(side)
                        .iter()
                        .any(|s| s.available && s.identifier == identifier);
                if shows && node.props.contains_key(name) {
                    let has = node.props.get(name).map(ToString::to_string).unwrap_or_default();
                    return Some(Hint::explain(format!(
                        "“{name}” is {has}; it is in use where that is {value}, for example"
                    )));
                }
                if shows {
                    let set = json!({"op": "set_property", "node_id": node.id, "property": name, "value": value});
                    return Some(
                        self.sink
                            .before(format!("set the property “{name}” to {value} first"), set),
                    );
                }
            }
            match present {
                Some(value) => props.insert(name.clone(), value),
                None => props.shift_remove(name),
            };
        }
        None
    }

    pub(super) fn next_key(&mut self) -> String {
        self.keys += 1;
        format!("@k{}", self.keys)
    }
}

/// Words for the lists of a zone's items, and what the identifiers of their sockets begin with.
const ITEM_PREFIXES: &[(&str, &str)] = &[("input", "Input"), ("main", "Main"), ("generation", "Generation")];

/// What names the socket and no other: its identifier, or `part.Name` as long as Blender has not given it one.
fn unique_name(socket: &Socket) -> String {
    let mut parts = ITEM_PREFIXES.iter();
    match parts.find(|(_, prefix)| is_item_of(socket, prefix)) {
        Some((part, _)) if socket.identifier.starts_with('#') => format!("{part}.{}", socket.name),
        _ => socket.identifier.clone(),
    }
}

/// One socket of a list, borrowed if the list is.
fn pick(sockets: Cow<'_, [Socket]>, at: usize) -> Option<Cow<'_, Socket>> {
    match sockets {
        Cow::Borrowed(list) => list.get(at).map(Cow::Borrowed),
        Cow::Owned(mut list) => (at < list.len()).then(|| Cow::Owned(list.swap_remove(at))),
    }
}

/// The only socket that a slightly wrong name can refer to: other case, or the type suffix of another Blender version
/// (`A_INT`, `Value_001`) where this one has a single socket that changes its type.
fn certain_socket<'s>(text: &str, usable: &[&'s Socket]) -> Option<&'s Socket> {
    let only = |wanted: &str| {
        let mut hits = usable
            .iter()
            .filter(|s| fold(&s.identifier) == wanted || fold(&s.name) == wanted);
        match (hits.next(), hits.next()) {
            (Some(hit), None) if !wanted.is_empty() => Some(*hit),
            _ => None,
        }
    };
    only(&fold(text))
        .or_else(|| only(&fold(without_type_suffix(text)?)))
        .or_else(|| only(&fold(renames::socket(text)?)))
        .or_else(|| only_geometry(text, usable))
}

/// `A_INT` → `A`, `Value_001` → `Value`.
fn without_type_suffix(text: &str) -> Option<&str> {
    let (stem, suffix) = text.rsplit_once('_')?;
    let numbered = suffix.len() == 3 && suffix.chars().all(|c| c.is_ascii_digit());
    let typed = matches!(
        fold(suffix).as_str(),
        "int"
            | "float"
            | "vec3"
            | "vector"
            | "col"
            | "color"
            | "str"
            | "string"
            | "bool"
            | "rot"
            | "rotation"
            | "matrix"
    );
    (numbered || typed).then_some(stem)
}

/// A kind of geometry names the only geometry socket, whatever Blender calls it on this node.
fn only_geometry<'s>(text: &str, usable: &[&'s Socket]) -> Option<&'s Socket> {
    let wanted = fold(text);
    if !matches!(
        wanted.as_str(),
        "geometry" | "mesh" | "curve" | "curves" | "points" | "pointcloud" | "instances" | "volume"
    ) {
        return None;
    }
    let mut hits = usable.iter().filter(|socket| socket.kind == GEOMETRY);
    match (hits.next(), hits.next()) {
        (Some(hit), None) => Some(*hit),
        _ => None,
    }
}

pub(super) fn side_name(side: Side) -> &'static str {
    match side {
        Side::Input => "input",
        Side::Output => "output",
    }
}

fn side_names(side: Side) -> &'static str {
    match side {
        Side::Input => "inputs",
        Side::Output => "outputs",
    }
}

fn display(socket: &Socket) -> String {
    if socket.identifier == socket.name || socket.identifier.starts_with(['=', '@', '#']) {
        socket.name.clone()
    } else {
        format!("{} ({})", socket.name, socket.identifier)
    }
}
