//! Adding and removing nodes.

use geonode_protocol::{self as plan, Change, Code, Hint, Properties};
use indexmap::IndexMap;
use petgraph::Direction;
use serde_json::{Value, json};

use super::operation::{Before, Mention, Operation};
use super::work::{Hidden, LinkInUse, Text, Work, text};
use crate::catalogue::{Catalogue, NodeType, fold};
use crate::ir::{MAX_NAME, Map, Node, Side, Tree};
use crate::near::nearest;
use crate::renames;
use crate::sink::escape;
use crate::sockets::{FRAME, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};
use crate::values::{Kind, Want};

/// Adds a node.
#[derive(Clone, Copy)]
pub(super) struct AddNode<'p> {
    id: Text<'p>,
    kind: Text<'p>,
    place: Option<[f64; 2]>,
    label: Option<&'p str>,
    props: &'p Properties,
}

impl<'p> From<&'p plan::CreateNode> for AddNode<'p> {
    fn from(op: &'p plan::CreateNode) -> Self {
        Self {
            id: text(&op.node_id, "node_id"),
            kind: text(&op.bl_idname, "bl_idname"),
            place: op.location,
            label: op.label.as_deref(),
            props: &op.properties,
        }
    }
}

impl<'p> From<&'p plan::AddNode> for AddNode<'p> {
    fn from(op: &'p plan::AddNode) -> Self {
        let place = [op.x, op.y];
        Self {
            id: text(&op.id, "id"),
            kind: text(&op.bl_idname, "bl_idname"),
            place: place
                .iter()
                .any(Option::is_some)
                .then(|| place.map(Option::unwrap_or_default)),
            label: op.label.as_deref(),
            props: &op.properties,
        }
    }
}

impl<'p> Operation<'p> for AddNode<'p> {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.add_node(*self);
    }

    fn words(&self, before: &Before<'_>) -> String {
        format!("Add {} “{}”", before.label(self.kind.text), self.id.text)
    }

    fn destroys(&self, _: &Tree) -> bool {
        false
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::NewNode(self.id.text)]
    }
}

/// Removes a node.
#[derive(Clone, Copy)]
pub(super) struct RemoveNode<'p> {
    id: Text<'p>,
}

impl<'p> From<&'p plan::DeleteNode> for RemoveNode<'p> {
    fn from(op: &'p plan::DeleteNode) -> Self {
        Self {
            id: text(&op.node_id, "node_id"),
        }
    }
}

impl<'p> From<&'p plan::RemoveNode> for RemoveNode<'p> {
    fn from(op: &'p plan::RemoveNode) -> Self {
        Self { id: text(&op.id, "id") }
    }
}

impl<'p> Operation<'p> for RemoveNode<'p> {
    fn carry_out(&self, work: &mut Work<'_>) {
        work.remove_node(self.id);
    }

    fn words(&self, before: &Before<'_>) -> String {
        let id = self.id.text;
        before.node(id).map_or_else(
            || format!("Remove the node “{id}”"),
            |node| format!("Remove {} “{id}”", before.label(&node.kind)),
        )
    }

    fn destroys(&self, before: &Tree) -> bool {
        before.nodes.iter().any(|node| node.id == self.id.text)
    }

    fn mentions(&self) -> Vec<Mention<'p>> {
        vec![Mention::Node(self.id.text)]
    }
}

impl Work<'_> {
    fn add_node(&mut self, op: AddNode<'_>) {
        let AddNode {
            id,
            kind,
            place,
            label,
            props,
        } = op;
        let Some(bl_idname) = self.resolve_type(kind) else {
            return;
        };
        let Some(node_type) = self.scope.catalogue.nodes.get(&bl_idname) else {
            return;
        };
        if node_type.is("zone") {
            let hint =
                Hint::explain("add_zone makes both ends of a zone, with the IDs `x.in` and `x.out` for the zone `x`");
            let message = format!("{} is one end of a zone and cannot be added alone", node_type.label);
            let path = self.sink.at(kind.field);
            self.sink.error(Code::ZoneIncomplete, path, message, Some(hint));
            return;
        }
        let new = match self.claim(id, &bl_idname, props) {
            Claim::Taken => return,
            Claim::Present => false,
            Claim::Free => {
                let label = label.filter(|label| !label.is_empty()).map(str::to_owned);
                self.insert_node(id.text, &bl_idname, label);
                if let (Some(place), Some(node)) = (place, self.model.node_mut(id.text)) {
                    node.location = place;
                    self.model.placed.insert(id.text.to_owned());
                }
                true
            }
        };
        for (name, value) in props {
            let field = format!("properties/{}", escape(name));
            if new {
                self.put_property(id.text, name, value, &field);
            } else {
                self.warn_if_different(id.text, node_type, name, value, &field);
            }
        }
    }

    /// A node that exists already is left alone; its properties belong to the artist or a later operation.
    fn warn_if_different(&mut self, id: &str, kind: &NodeType, name: &str, value: &Value, field: &str) {
        let Some(node) = self.model.node(id) else { return };
        let default = kind.properties.get(name).map(|property| &property.default);
        let differs = default.is_some()
            && node
                .props
                .get(name)
                .or(default)
                .is_some_and(|present| !crate::values::same(present, value));
        if differs {
            let message = format!("the node “{id}” exists; its property “{name}” was left as it is");
            let path = self.sink.at(field);
            let set = json!({"op": "set_property", "node_id": id, "property": name, "value": value});
            let changes = [Change::remove(&*path), Change::add(self.sink.at_next(), set)];
            let hint = Hint::changes("set_property changes it", changes);
            self.sink.warn_with(Code::LeftUnchanged, path, message, hint);
        }
    }

    /// Adds a new node to the model.
    pub(crate) fn insert_node(&mut self, id: &str, kind: &str, label: Option<String>) {
        self.model.insert(Node {
            id: id.to_owned(),
            name: id.to_owned(),
            kind: kind.to_owned(),
            label,
            ..Node::default()
        });
    }

    /// Whether an ID may be given to a new node of this type.
    ///
    /// `properties` are those that the node gets.
    pub(crate) fn claim(&mut self, id: Text<'_>, kind: &str, properties: &Properties) -> Claim {
        if id.text.len() > MAX_NAME {
            let message = format!("a node ID may have {MAX_NAME} bytes, this one has {}", id.text.len());
            let path = self.sink.at(id.field);
            self.sink.error(
                Code::BadName,
                path,
                message,
                Some(Hint::explain("any shorter ID will do")),
            );
            return Claim::Taken;
        }
        // The protocol lets only the two group nodes have these IDs; the tree may have them under other names.
        if matches!(id.text, "group_input" | "group_output") && self.find_node(id.text).is_some() {
            return Claim::Present;
        }
        match self.model.node(id.text) {
            None => Claim::Free,
            Some(node) if node.kind == kind => {
                if !self.model.is_new(id.text) {
                    self.model.named.insert(id.text.to_owned());
                }
                Claim::Present
            }
            Some(node) => {
                let message = format!(
                    "the ID “{}” belongs to a node of the type {}, not {kind}",
                    id.text, node.kind
                );
                let path = self.sink.at(id.field);
                let fixed = [node.kind.as_str(), kind].into_iter().any(|kind| self.is_end(kind));
                let hint = if self.model.is_new(id.text) || fixed {
                    Hint::explain("each node has an ID of its own")
                } else {
                    let replace =
                        json!({"op": "replace_node", "node_id": id.text, "bl_idname": kind, "properties": properties});
                    let text =
                        "replace_node gives it this type and keeps its links; a further node needs an ID of its own";
                    self.sink.instead(text, replace)
                };
                self.sink.error(Code::NodeTypeMismatch, path, message, Some(hint));
                Claim::Taken
            }
        }
    }

    /// The type in this Blender: exact, renamed between versions, or written as in the menus.
    pub(crate) fn resolve_type(&mut self, kind: Text<'_>) -> Option<String> {
        let catalogue = self.scope.catalogue;
        if catalogue.nodes.contains_key(kind.text) {
            return Some(kind.text.to_owned());
        }
        let path = self.sink.at(kind.field);
        let wanted = fold(kind.text);
        let renamed = renames::node(kind.text, |name| catalogue.nodes.contains_key(name));
        let by_words = || {
            let mut hits = catalogue
                .nodes
                .iter()
                .filter(|(name, node)| fold(name) == wanted || fold(&node.label) == wanted);
            match (hits.next(), hits.next()) {
                (Some((name, _)), None) if !wanted.is_empty() => Some(name.clone()),
                _ => None,
            }
        };
        if let Some(name) = renamed.map(str::to_owned).or_else(by_words) {
            let message = format!("“{}” is called {name} in Blender {}", kind.text, catalogue.blender);
            self.sink.repaired(path, Value::from(name.clone()), message);
            return Some(name);
        }
        let alike: Vec<&str> = catalogue
            .nodes
            .iter()
            .filter(|(_, node)| fold(&node.label) == wanted)
            .map(|(name, _)| name.as_str())
            .collect();
        let hint = if alike.len() > 1 {
            Hint::explain(format!("several types have this name: {}", alike.join(", ")))
        } else {
            match nearest_type(kind.text, catalogue) {
                Some(near) => self.sink.near(kind.field, near),
                None => Hint::explain(elsewhere(kind.text)),
            }
        };
        let message = format!("Blender {} has no node type “{}”", catalogue.blender, kind.text);
        self.sink.error(Code::UnknownNodeType, path, message, Some(hint));
        None
    }

    fn remove_node(&mut self, id: Text<'_>) {
        let Some(found) = self.find_node(id.text) else {
            let path = self.sink.at(id.field);
            let message = format!("there is no node “{}”; nothing was removed", id.text);
            self.sink.warn(Code::NothingToRemove, path, message);
            return;
        };
        let Some(node) = self.model.node(&found) else { return };
        if self.scope.node_type(node).is_some_and(|kind| kind.is("zone")) {
            let path = self.sink.at(id.field);
            let message = format!("“{found}” is one end of a zone and cannot be removed alone");
            let remove = json!({"op": "remove_zone", "id": found});
            let hint = self
                .sink
                .instead("remove_zone removes both ends; it takes the ID of either", remove);
            self.sink.error(Code::ZoneIncomplete, path, message, Some(hint));
            return;
        }
        self.model.remove(&found);
    }

    /// The tree's Group Input or Output that a reserved ID refers to; created if missing where that is implied.
    pub(crate) fn group_node(&mut self, kind: &str) -> Option<String> {
        let direction = if kind == GROUP_INPUT_TYPE {
            Direction::Outgoing
        } else {
            Direction::Incoming
        };
        let mut chosen: Option<(u8, &str)> = None;
        for node in self.model.nodes().filter(|node| node.kind == kind) {
            let linked = self.model.edges(&node.id, direction).next().is_some();
            let active = node
                .props
                .get("is_active_output")
                .is_none_or(|flag| flag != &Value::Bool(false));
            // Blender shows what reaches the active Group Output, linked or not.
            let rank = u8::from(kind == GROUP_OUTPUT_TYPE && active) * 2 + u8::from(linked);
            if chosen.is_none_or(|(best, _)| rank > best) {
                chosen = Some((rank, &node.id));
            }
        }
        if let Some((_, id)) = chosen {
            return Some(id.to_owned());
        }
        if !self.implicit_group_io {
            return None;
        }
        Some(self.make_group_node(kind))
    }

    /// Creates a Group Input or Output with its reserved ID.
    pub(crate) fn make_group_node(&mut self, kind: &str) -> String {
        let id = if kind == GROUP_INPUT_TYPE {
            "group_input"
        } else {
            "group_output"
        };
        self.insert_node(id, kind, None);
        id.to_owned()
    }

    /// Sets a property of a node in the model; `field` is its place in the plan.
    pub(crate) fn put_property(&mut self, id: &str, name: &str, value: &Value, field: &str) {
        let Some(node) = self.model.node(id) else { return };
        let Some(kind) = self.scope.node_type(node) else { return };
        let (name, property) = match kind.properties.get_key_value(name) {
            Some(found) => found,
            None => match self.guess_property(id, kind, name, value, field) {
                Some(found) => found,
                None => return,
            },
        };
        let mut want = Want::property(property);
        if let Some(size) = self.shown_size(id, name) {
            want.kind = Kind::Vector(size);
        }
        let Some(fitted) = self.fit(&want, value, field) else {
            return;
        };
        if name == "node_tree" && !self.check_group(id, &fitted, field) {
            return;
        }
        let fresh = crate::values::same(&fitted, &property.default);
        let before = self.links_in_use(id);
        if let Some(node) = self.model.node_mut(id) {
            set_or_clear(&mut node.props, name, fitted, fresh);
        }
        self.note_hidden(id, &before, field);
    }

    /// The links to and from the node whose sockets at it are in use, with the types of these.
    pub(super) fn links_in_use(&self, id: &str) -> Vec<LinkInUse> {
        let Some(node) = self.model.node(id) else {
            return Vec::new();
        };
        let mut links = Vec::new();
        for (direction, side) in [(Direction::Incoming, Side::Input), (Direction::Outgoing, Side::Output)] {
            let mut edges = self.model.edges(id, direction).peekable();
            if edges.peek().is_none() {
                continue;
            }
            let sockets = self.scope.sockets(&self.model, node, side);
            let in_use = |name: &str| {
                let mut sockets = sockets.iter();
                sockets.find(|socket| socket.available && socket.identifier == name)
            };
            links.extend(edges.filter_map(|(_, wire, other)| {
                let (out, input) = (wire.from_socket.as_str(), wire.to_socket.as_str());
                let (ends, own) = match side {
                    Side::Input => ([other, out, id, input], input),
                    Side::Output => ([id, out, other, input], out),
                };
                Some((ends.map(ToString::to_string), in_use(own)?.kind.clone()))
            }));
        }
        links
    }

    /// Notes which of these links are at sockets that are no longer in use, or are of another type now.
    pub(super) fn note_hidden(&mut self, id: &str, before: &[LinkInUse], field: &str) {
        if before.is_empty() {
            return;
        }
        let now = self.links_in_use(id);
        let (operation, field) = (self.sink.op(), field.to_owned());
        let changed = before.iter().filter(|link| !now.contains(link));
        self.links.hidden.extend(changed.map(|(link, _)| Hidden {
            operation,
            field: field.clone(),
            node: id.to_owned(),
            link: link.clone(),
        }));
    }

    /// Whether nodes of the type are an end of the tree or of a zone, or a frame: those cannot become another type.
    pub(super) fn is_end(&self, kind: &str) -> bool {
        let known = self.scope.catalogue.nodes.get(kind);
        matches!(kind, GROUP_INPUT_TYPE | GROUP_OUTPUT_TYPE | FRAME) || known.is_some_and(|known| known.is("zone"))
    }
}

impl Work<'_> {
    /// How many numbers of a vector the node shows and takes, where another property decides it.
    fn shown_size(&self, id: &str, name: &str) -> Option<usize> {
        let node = self.model.node(id)?;
        let dimensions = format!("{name}_dimensions");
        let known = self.scope.node_type(node)?.properties.get(&dimensions)?;
        let shown = node.props.get(&dimensions).unwrap_or(&known.default).as_u64()?;
        usize::try_from(shown).ok()
    }
}

/// The type whose name (without the common prefix) or label is nearest.
fn nearest_type(wanted: &str, catalogue: &Catalogue) -> Option<String> {
    let own = |name: &str| -> String {
        let rest = ["GeometryNode", "FunctionNode", "ShaderNode", "Node"]
            .iter()
            .find_map(|family| name.strip_prefix(family));
        rest.filter(|rest| !rest.is_empty()).unwrap_or(name).to_owned()
    };
    let names: Vec<(String, &str)> = catalogue
        .nodes
        .iter()
        .flat_map(|(name, node)| [(own(name), name.as_str()), (node.label.clone(), name.as_str())])
        .collect();
    let near = nearest(&own(wanted), names.iter().map(|(own, _)| own.as_str()))?;
    names
        .iter()
        .find(|(own, _)| *own == near)
        .map(|(_, name)| (*name).to_owned())
}

/// Why a type of no near name does not exist here.
fn elsewhere(kind: &str) -> &'static str {
    const MATERIALS: [&str; 8] = [
        "Bsdf",
        "TexImage",
        "TexEnvironment",
        "Emission",
        "Volume",
        "OutputMaterial",
        "Fresnel",
        "LightPath",
    ];
    let rest = kind.strip_prefix("ShaderNode");
    if rest.is_some_and(|rest| MATERIALS.iter().any(|one| rest.starts_with(one))) {
        "it is a node of materials, which geometry can only refer to: Set Material assigns one"
    } else if kind.starts_with("GeometryNodeLegacy") || kind.starts_with("GeometryNodeAttribute") {
        "it is a node of Blender before 3.0, where fields did its work: Named Attribute, Store Named Attribute, Random Value"
    } else {
        "types have names such as GeometryNodeMeshCube"
    }
}

/// Stores a value unless it is the default: the IR contains only differences.
pub(crate) fn set_or_clear(map: &mut Map, name: &str, value: Value, fresh: bool) {
    if fresh {
        map.shift_remove(name);
    } else {
        reserve_first(map);
        map.insert(name.to_owned(), value);
    }
}

/// Reserves space for exactly one entry in an empty map: most nodes differ in one, and a map that grows reserves three.
pub(crate) fn reserve_first<V>(map: &mut IndexMap<String, V>) {
    if map.is_empty() {
        map.reserve_exact(1);
    }
}

/// What an ID that a plan wants to assign refers to now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Nothing: a node may be created.
    Free,
    /// A node of the same type.
    Present,
    /// Something else; reported.
    Taken,
}
