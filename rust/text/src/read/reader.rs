//! The state while one group of a page is read, and how names on the page find nodes and sockets.

use std::collections::BTreeMap;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use geonode_graph::catalogue::Socket;
use geonode_graph::did_you_mean;
use geonode_graph::ir::{MAX_NAME, Side};
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_protocol::{Code, GnOp};
use rustpython_parser::ast::Expr;
use serde_json::Value;

use super::draft::{Draft, End};
use super::fault::{Fault, Faults};
use super::value::{Gathered, Output, Val};
use crate::names::{Names, SocketNames, Variables, numbered, path};

/// Names that wait for each other at one time: a page in any order is read by recursion.
const MAX_WAITING: usize = 48;

/// What a name of the page is bound to.
#[derive(Debug, Clone)]
pub(crate) enum Binding<'p> {
    /// An assignment that has not been reached yet.
    Waiting(&'p Expr),
    /// One that is being read.
    Active,
    /// What it stands for.
    Known(Val),
}

/// What to do with lines about what is not there before others are carried out.
pub(super) const LATER: &str = "Put the line into a later step, which sees what this one made.";

/// Where a node that an expression makes belongs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'s> {
    /// The expression is all of an assignment: its name, and the ID.
    Named(&'s str),
    /// It feeds an input.
    Feeds {
        owner: &'s str,
        word: &'s str,
        identifier: &'s str,
        place: usize,
    },
    /// It feeds nothing that is known.
    Loose(&'s str),
}

/// An operation that is not a difference between two trees.
#[derive(Debug, Clone)]
pub(crate) struct Extra {
    pub(crate) op: GnOp,
    pub(crate) at: usize,
}

/// One group of a page while it is read.
pub(crate) struct Reader<'r, 'a, 'p> {
    pub(crate) names: &'r Names<'a>,
    pub(crate) faults: &'r mut Faults,
    /// Functions of the page and the groups that they describe.
    pub(crate) functions: &'r BTreeMap<String, String>,
    pub(crate) draft: Draft<'a>,
    /// Whether what the page omits is kept.
    pub(crate) edit: bool,
    /// Names of nodes and inputs of the present tree.
    pub(crate) variables: Variables,
    /// IDs that the page gives to its variables itself.
    pub(crate) ids: HashMap<String, String>,
    pub(crate) bindings: HashMap<String, Binding<'p>>,
    /// Names that are assigned more than once: each time they stand for something else.
    pub(crate) reused: HashSet<String>,
    /// Words of an edit that may stand for nodes: such a node stays what it is, whatever a term beside it feeds.
    pub(crate) spoken_of: HashSet<String>,
    /// Names of nodes that an earlier run of the page moved into a group.
    pub(crate) gathered: HashMap<String, Gathered>,
    /// Names of group nodes that the page makes of others: what their sockets are is known when that is carried out.
    pub(crate) gathering: HashSet<String>,
    /// Words of inputs that are toggles of panels, with the panels' names.
    pub(crate) toggles: HashMap<String, String>,
    /// Words of inputs that an edit declares.
    pub(crate) declares: HashSet<String>,
    /// Offsets of lines that change nothing.
    pub(crate) idle: Vec<usize>,
    /// Whether the page takes nodes out of a group: they may have other names then.
    pub(crate) releases: bool,
    /// Whether the page says in which order inputs stand.
    pub(crate) ordered: bool,
    /// Names of inputs that the page removes, with what each fed.
    pub(crate) unfed: Vec<(String, End)>,
    /// Ends of zones that the page removed with their other ends.
    pub(crate) other_ends: HashSet<String>,
    /// Inputs of the group by parameter.
    pub(crate) parameters: HashMap<String, Output>,
    /// Parameters of the closures around a place.
    pub(crate) closures: Vec<HashMap<String, Output>>,
    /// Output nodes of the closures around a place.
    pub(crate) closure_ends: Vec<String>,
    /// Nodes of which a property or an item is refused: their sockets are open.
    pub(crate) open: HashSet<String>,
    pub(crate) extras: Vec<Extra>,
    /// What has returned: closures by their output nodes, and the group itself without a name.
    pub(crate) returned_from: HashSet<String>,
    waiting: usize,
    words: HashMap<*const Socket, Rc<SocketNames>>,
}

impl<'r, 'a, 'p> Reader<'r, 'a, 'p> {
    pub(crate) fn new(
        names: &'r Names<'a>,
        functions: &'r BTreeMap<String, String>,
        draft: Draft<'a>,
        edit: bool,
        faults: &'r mut Faults,
    ) -> Self {
        let variables = draft
            .present
            .map(|tree| Variables::new(tree, names.catalogue()))
            .unwrap_or_default();
        Self {
            names,
            faults,
            functions,
            draft,
            edit,
            variables,
            ids: HashMap::new(),
            bindings: HashMap::new(),
            reused: HashSet::new(),
            spoken_of: HashSet::new(),
            gathered: HashMap::new(),
            gathering: HashSet::new(),
            toggles: HashMap::new(),
            declares: HashSet::new(),
            idle: Vec::new(),
            releases: false,
            ordered: false,
            unfed: Vec::new(),
            other_ends: HashSet::new(),
            parameters: HashMap::new(),
            closures: Vec::new(),
            closure_ends: Vec::new(),
            open: HashSet::new(),
            extras: Vec::new(),
            returned_from: HashSet::new(),
            waiting: 0,
            words: HashMap::new(),
        }
    }

    pub(crate) fn error(&mut self, code: Code, at: usize, message: impl Into<String>, fix: impl Into<String>) {
        self.faults.add(Fault::new(code, at, message, fix));
    }

    /// Whether a line is refused that would have bound this name.
    pub(crate) fn is_refused(&self, name: &str) -> bool {
        self.faults.refused.names.contains(name)
    }

    /// Whether it is open which sockets a node has, since something is refused that they depend on.
    pub(crate) fn is_open(&self, id: &str) -> bool {
        let Some(node) = self.draft.node(id) else {
            return self.is_refused(id);
        };
        let refused = &self.faults.refused;
        let is_end = matches!(node.kind.as_str(), GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE);
        self.open.contains(id)
            || is_end && !refused.names.is_empty()
            || node.group().is_some_and(|group| refused.groups.contains(group))
    }

    /// Whether an expression contains a name of which nothing is known, since its line is refused.
    pub(crate) fn depends_on_refused(&self, expr: &Expr) -> bool {
        let is_bad = |name: &str| {
            self.is_refused(name)
                || matches!(self.bindings.get(name), Some(Binding::Known(Val::Bad)))
                || matches!(self.bindings.get(name), Some(Binding::Known(Val::Node(id))) if self.is_open(id))
        };
        let depends = |expr: &Expr| self.depends_on_refused(expr);
        match expr {
            Expr::Name(name) => is_bad(name.id.as_str()),
            Expr::Attribute(attribute) => depends(&attribute.value),
            Expr::Subscript(part) => depends(&part.value),
            Expr::UnaryOp(term) => depends(&term.operand),
            Expr::BinOp(term) => depends(&term.left) || depends(&term.right),
            Expr::BoolOp(term) => term.values.iter().any(depends),
            Expr::Compare(term) => depends(&term.left) || term.comparators.iter().any(depends),
            Expr::IfExp(term) => depends(&term.test) || depends(&term.body) || depends(&term.orelse),
            Expr::Tuple(all) => all.elts.iter().any(depends),
            Expr::List(all) => all.elts.iter().any(depends),
            Expr::Call(call) => {
                let known = match &*call.func {
                    Expr::Name(name) => self.is_node(name.id.as_str()) && !is_bad(name.id.as_str()),
                    _ => true,
                };
                !known || call.args.iter().any(depends) || call.keywords.iter().any(|keyword| depends(&keyword.value))
            }
            _ => false,
        }
    }

    /// The words of a list of sockets.
    #[expect(
        clippy::ptr_arg,
        reason = "only lists of the catalogue, which are borrowed, are told apart by their place"
    )]
    pub(crate) fn words_of(&mut self, sockets: &std::borrow::Cow<'a, [Socket]>) -> Rc<SocketNames> {
        let std::borrow::Cow::Borrowed(list) = sockets else {
            return Rc::new(SocketNames::of(sockets));
        };
        // Lists that are borrowed live as long as the catalogue, so that their place tells them apart.
        let known = self
            .words
            .entry(list.as_ptr())
            .or_insert_with(|| Rc::new(SocketNames::of(list)));
        Rc::clone(known)
    }

    /// The ID that a variable has or gets.
    pub(crate) fn id_of(&self, variable: &str) -> String {
        let given = self.ids.get(variable).map(String::as_str);
        given
            .or_else(|| self.variables.id(variable))
            .unwrap_or(variable)
            .to_owned()
    }

    /// The ID of a node of a type, and of a group, that is made at a place: that of the node that is there already, where there is one.
    pub(crate) fn id_at(&self, place: Place<'_>, kind: &str, group: Option<&str>) -> String {
        let (owner, word, identifier, number) = match place {
            Place::Named(name) => return self.id_of(name),
            Place::Loose(stem) => return self.free_id(stem),
            Place::Feeds {
                owner,
                word,
                identifier,
                place,
            } => (owner, word, identifier, place),
        };
        let plain = shortened(path(owner, word, number));
        let is_kind = |id: &str| {
            let before = self.draft.before(id);
            before.is_some_and(|node| node.kind == kind && group.is_none_or(|group| node.group() == Some(group)))
        };
        let is_free = |id: &str| self.draft.nodes.get(id).is_none_or(|made| !made.said);
        if is_kind(&plain) && is_free(&plain) {
            return plain;
        }
        let present = self.draft.present.map(|tree| tree.links.as_slice()).unwrap_or_default();
        let mut feeding = present
            .iter()
            .filter(|link| link.to.0 == owner && link.to.1 == identifier);
        if let Some(link) = feeding.nth(number)
            && is_kind(&link.from.0)
            && is_free(&link.from.0)
            && present.iter().filter(|other| other.from.0 == link.from.0).count() == 1
            && self
                .variables
                .variable(&link.from.0)
                .is_none_or(|name| !self.bindings.contains_key(name) && !self.spoken_of.contains(name))
        {
            return link.from.0.clone();
        }
        self.free_id(&plain)
    }

    /// The ID, or the next numbered one that no other node has.
    fn free_id(&self, wanted: &str) -> String {
        let is_free = |id: &str| {
            let known = self.draft.nodes.get(id).is_some_and(|made| made.said || self.edit);
            !known && !self.bindings.contains_key(id) && (!self.edit || self.draft.before(id).is_none())
        };
        if is_free(wanted) {
            wanted.to_owned()
        } else {
            numbered(wanted, is_free)
        }
    }

    /// What a name stands for.
    pub(crate) fn name(&mut self, name: &str, at: usize) -> Val {
        for inputs in self.closures.iter().rev() {
            if let Some(output) = inputs.get(name) {
                return Val::Out(output.clone());
            }
        }
        if self.is_refused(name) {
            return Val::Bad;
        }
        if self.gathering.contains(name) {
            let message = format!("The sockets of “{name}” are known when the nodes are in their group.");
            self.error(Code::UnknownName, at, message, LATER);
            return Val::Bad;
        }
        match self.bindings.get(name) {
            Some(Binding::Known(known)) => return known.clone(),
            Some(Binding::Active) => {
                let message = format!("“{name}” depends on itself.");
                self.error(Code::Cycle, at, message, "Feedback needs a repeat or simulation zone.");
                return Val::Bad;
            }
            Some(Binding::Waiting(value)) => {
                let value = *value;
                return self.bind_early(name, value, at);
            }
            None => {}
        }
        if let Some(output) = self.parameters.get(name).cloned() {
            let id = self.draft.group_end(GROUP_INPUT_TYPE);
            return Val::Out(Output { id, ..output });
        }
        match name {
            "default" => return Val::Default,
            "group_input" => return Val::Node(self.draft.group_end(GROUP_INPUT_TYPE)),
            "group_output" => return Val::Node(self.draft.group_end(GROUP_OUTPUT_TYPE)),
            _ => {}
        }
        if let Some(gathered) = self.gathered.get(name) {
            return gathered.output.clone().map_or(Val::Bad, Val::Out);
        }
        if self.edit {
            let closure = self.variables.closure_output(name).map(str::to_owned);
            if let Some(output) = closure.filter(|id| self.draft.node(id).is_some()) {
                return self.closure_value(&output);
            }
            let id = self.variables.id(name).unwrap_or(name).to_owned();
            if self.draft.node(&id).is_some() {
                return Val::Node(id);
            }
        }
        self.unknown_name(name, at);
        Val::Bad
    }

    /// The value of a closure's output node.
    pub(crate) fn closure_value(&self, id: &str) -> Val {
        let outputs = self.draft.sockets(id, Side::Output);
        outputs
            .iter()
            .find(|socket| is_usable(socket))
            .map_or(Val::Bad, |socket| {
                Val::Out(Output {
                    id: id.to_owned(),
                    socket: socket.identifier.clone(),
                    kind: socket.kind.clone(),
                })
            })
    }

    fn bind_early(&mut self, name: &str, value: &'p Expr, at: usize) -> Val {
        if self.waiting >= MAX_WAITING {
            let message = format!("“{name}” is used long before its line.");
            self.error(Code::TooDeep, at, message, "Assign names before they are used.");
            return Val::Bad;
        }
        self.waiting += 1;
        let found = self.bind(name, value, false);
        self.waiting -= 1;
        found
    }

    fn unknown_name(&mut self, name: &str, at: usize) {
        let message = format!("Nothing on the page is called “{name}”.");
        if self.names.node_type(name).is_some() {
            return self.error(
                Code::UnknownName,
                at,
                message,
                format!("A node is made by a call: `{name}()`."),
            );
        }
        let known = self.bindings.keys().chain(self.parameters.keys()).map(String::as_str);
        let present = self.draft.nodes.keys().filter_map(|id| self.variables.variable(id));
        let unknown = if self.releases {
            LATER
        } else {
            "Assign it before it is used, or declare it as an input of the group."
        };
        let fix = did_you_mean(name, known.chain(present)).unwrap_or_else(|| unknown.to_owned());
        self.error(Code::UnknownName, at, message, fix);
    }

    /// The output of a node that a value alone means: its first, or the first that the input takes.
    pub(crate) fn output_for(&self, id: &str, wanted: Option<&str>) -> Option<Output> {
        if self.open.contains(id) {
            return None;
        }
        let outputs = self.draft.sockets(id, Side::Output);
        let usable = || outputs.iter().filter(|socket| is_usable(socket));
        let fits = |socket: &&Socket| {
            wanted.is_none_or(|wanted| {
                socket.kind.is_empty() || self.draft.scope.catalogue.converts(&socket.kind, wanted)
            })
        };
        let socket = usable().find(fits).or_else(|| usable().next())?;
        Some(Output {
            id: id.to_owned(),
            socket: socket.identifier.clone(),
            kind: self.flowing(id, &socket.kind),
        })
    }

    /// The type that an output gives; through reroutes that of what is linked to them.
    pub(crate) fn flowing(&self, id: &str, kind: &str) -> String {
        let mut at = id.to_owned();
        let mut kind = kind.to_owned();
        for _ in 0..MAX_WAITING {
            if self.draft.node(&at).is_none_or(|node| node.kind != REROUTE) {
                break;
            }
            let into = self.draft.links_into(&(at.clone(), "Input".to_owned()));
            let Some(wire) = into.first().and_then(|number| self.draft.link(*number)) else {
                break;
            };
            let from = self.draft.socket(&wire.from.0, Side::Output, &wire.from.1);
            kind = from.map(|socket| socket.kind.clone()).unwrap_or_default();
            at.clone_from(&wire.from.0);
        }
        kind
    }

    /// An output of a node by its word on the page.
    pub(crate) fn output_named(&mut self, id: &str, word: &str, at: usize) -> Option<Output> {
        if self.open.contains(id) {
            return None;
        }
        let outputs = self.draft.sockets(id, Side::Output);
        let words = self.words_of(&outputs);
        let found = words
            .place(word)
            .and_then(|place| outputs.get(place))
            .filter(|socket| socket.kind != VIRTUAL);
        if let Some(socket) = found.filter(|socket| socket.available) {
            let kind = self.flowing(id, &socket.kind);
            return Some(Output {
                id: id.to_owned(),
                socket: socket.identifier.clone(),
                kind,
            });
        }
        if self.is_open(id) {
            return None;
        }
        let label = self.label_of(id);
        if found.is_some() {
            let message = format!("The output “{word}” of {label} is not available in its present mode.");
            self.error(
                Code::UnavailableSocket,
                at,
                message,
                "Set the property that makes it available.",
            );
            return None;
        }
        let usable: Vec<&str> = outputs
            .iter()
            .zip(words.words())
            .filter(|(socket, _)| is_usable(socket))
            .map(|(_, word)| word)
            .collect();
        let message = format!("{label} has no output “{word}”.");
        let fix = match (did_you_mean(word, usable.iter().copied()), usable.as_slice()) {
            (_, []) => "It has no outputs.".to_owned(),
            (Some(meant), _) => format!("{meant} It has: {}.", usable.join(", ")),
            (None, _) => format!("It has: {}.", usable.join(", ")),
        };
        self.error(Code::UnknownSocket, at, message, fix);
        None
    }

    /// An input of a node by its word on the page, with that word.
    pub(crate) fn input_named(&mut self, id: &str, word: &str, at: usize) -> Option<(Socket, String)> {
        let inputs = self.draft.sockets(id, Side::Input);
        let words = self.words_of(&inputs);
        let place = words.place(word);
        let found = place
            .and_then(|place| inputs.get(place))
            .filter(|socket| socket.kind != VIRTUAL);
        if let (Some(socket), Some(place)) = (found, place) {
            return Some((socket.clone(), words.word_at(place).unwrap_or(word).to_owned()));
        }
        if self.is_open(id) {
            return None;
        }
        let usable: Vec<&str> = inputs
            .iter()
            .zip(words.words())
            .filter(|(socket, _)| is_usable(socket))
            .map(|(_, word)| word)
            .collect();
        let properties: Vec<&str> = self
            .draft
            .kind(id)
            .into_iter()
            .flat_map(|kind| kind.properties.keys())
            .map(String::as_str)
            .filter(|name| !crate::names::LOOK.contains(name) && *name != "mute")
            .collect();
        let label = self.label_of(id);
        let message = format!("{label} has no input or property “{word}”.");
        let kind = self.draft.kind(id);
        let collections = kind.into_iter().flat_map(|kind| kind.collections.keys());
        let bl_idname = self.draft.node(id).map(|node| node.kind.clone()).unwrap_or_default();
        let items: Vec<String> = collections
            .map(|collection| match self.names.items_keyword(&bl_idname, collection) {
                Some(keyword) => keyword.to_owned(),
                None => format!(
                    "props={{\"{collection}\": [{}, …]}}",
                    crate::names::point_form(collection)
                ),
            })
            .collect();
        let items = items.iter().map(String::as_str);
        let all = usable.iter().chain(&properties).copied();
        let listed = all.clone().chain(items).collect::<Vec<_>>().join(", ");
        let fix = match did_you_mean(word, all) {
            _ if listed.is_empty() => "It has none.".to_owned(),
            Some(meant) => format!("{meant} It has: {listed}."),
            None => format!("It has: {listed}."),
        };
        self.error(Code::UnknownSocket, at, message, fix);
        None
    }

    /// A node in words.
    pub(crate) fn label_of(&self, id: &str) -> String {
        match self.draft.kind(id) {
            Some(kind) => format!("“{id}” ({})", kind.label),
            None => format!("“{id}”"),
        }
    }

    /// The short name of a socket type, such as `FLOAT`.
    pub(crate) fn short(&self, kind: &str) -> String {
        let known = self.names.catalogue().sockets.get(kind);
        known.map_or_else(|| kind.to_owned(), |known| known.short.clone())
    }

    /// Whether a constant can be the value of a socket of this type.
    pub(crate) fn takes(kind: &str, value: &Value) -> bool {
        match kind {
            "NodeSocketFloat" | "NodeSocketInt" | "NodeSocketBool" => value.is_number() || value.is_boolean(),
            "NodeSocketVector" | "NodeSocketRotation" | "NodeSocketColor" => value.is_number() || value.is_array(),
            "NodeSocketString" | "NodeSocketMenu" => value.is_string(),
            "NodeSocketGeometry" | "NodeSocketMatrix" | "NodeSocketBundle" | "NodeSocketClosure" => value.is_null(),
            _ => value.is_object() || value.is_null() || value.is_string(),
        }
    }
}

/// The type of the socket to which items are added.
pub(crate) const VIRTUAL: &str = "NodeSocketVirtual";

/// Whether a link can begin or end there now.
pub(crate) fn is_usable(socket: &Socket) -> bool {
    socket.available && socket.kind != VIRTUAL
}

/// An ID that Blender does not cut: of a longer one the beginning, and a number that tells it from others.
fn shortened(id: String) -> String {
    if id.len() <= MAX_NAME {
        return id;
    }
    // FNV-1a: the same on every platform and in every version.
    let digest = id.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let mut end = MAX_NAME - 9;
    while !id.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}~{digest:08x}", id.get(..end).unwrap_or_default())
}
