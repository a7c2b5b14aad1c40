//! Adding and removing nodes.

use geonode_protocol::{Code, Properties};
use indexmap::IndexMap;
use petgraph::Direction;
use serde_json::Value;

use super::{Text, Work};
use crate::catalogue::{Catalogue, NodeType, fold};
use crate::ir::{MAX_NAME, Map, Node};
use crate::near::nearest;
use crate::renames;
use crate::sink::escape;
use crate::sockets::{FRAME, GROUP_INPUT, GROUP_OUTPUT};

impl Work<'_> {
    pub(crate) fn add_node(
        &mut self,
        id: Text<'_>,
        kind: Text<'_>,
        place: Option<[f64; 2]>,
        label: Option<&str>,
        props: &Properties,
    ) {
        let Some(bl_idname) = self.resolve_type(kind) else {
            return;
        };
        let Some(node_type) = self.scope.catalogue.nodes.get(&bl_idname) else {
            return;
        };
        if node_type.is("zone") {
            let hint = "use the operation add_zone, which creates both ends and pairs them".to_owned();
            let message = format!("{} is one end of a zone and cannot be added alone", node_type.label);
            let path = self.sink.at(kind.field);
            self.sink.error(Code::ZoneIncomplete, path, message, Some(hint));
            return;
        }
        let new = match self.claim(id, &bl_idname) {
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
            let message =
                format!("the node “{id}” exists; its property “{name}” was left as it is (set_property changes it)");
            let path = self.sink.at(field);
            self.sink.warn(Code::LeftUnchanged, path, message);
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
    pub(crate) fn claim(&mut self, id: Text<'_>, kind: &str) -> Claim {
        if id.text.len() > MAX_NAME {
            let message = format!("a node ID may have {MAX_NAME} bytes, this one has {}", id.text.len());
            let path = self.sink.at(id.field);
            self.sink
                .error(Code::BadName, path, message, Some("choose a shorter ID".to_owned()));
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
                let hint = "choose another ID, or remove that node first".to_owned();
                self.sink.error(Code::NodeTypeMismatch, path, message, Some(hint));
                Claim::Taken
            }
        }
    }

    /// The type in this Blender: exact, renamed between versions, or written as in the menus.
    fn resolve_type(&mut self, kind: Text<'_>) -> Option<String> {
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
            format!("several types have this name: {}", alike.join(", "))
        } else {
            match nearest_type(kind.text, catalogue) {
                Some(near) => format!("did you mean {near}?"),
                None => "use a bl_idname such as GeometryNodeMeshCube".to_owned(),
            }
        };
        let message = format!("Blender {} has no node type “{}”", catalogue.blender, kind.text);
        self.sink.error(Code::UnknownNodeType, path, message, Some(hint));
        None
    }

    pub(crate) fn remove_node(&mut self, id: Text<'_>) {
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
            let hint = "use the operation remove_zone with the ID of the zone".to_owned();
            self.sink.error(Code::ZoneIncomplete, path, message, Some(hint));
            return;
        }
        self.model.remove(&found);
    }

    /// The tree's Group Input or Output that a reserved ID refers to; created if missing where that is implied.
    pub(crate) fn group_node(&mut self, kind: &str) -> Option<String> {
        let direction = if kind == GROUP_INPUT {
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
            let rank = u8::from(linked) * 2 + u8::from(kind == GROUP_OUTPUT && active);
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
        let id = if kind == GROUP_INPUT {
            "group_input"
        } else {
            "group_output"
        };
        self.insert_node(id, kind, None);
        id.to_owned()
    }

    pub(crate) fn ensure_group_io(&mut self) {
        self.ensure_group_node(GROUP_INPUT);
        self.ensure_group_node(GROUP_OUTPUT);
        let Some(kept) = self.group_node(GROUP_OUTPUT) else {
            return;
        };
        let surplus: Vec<String> = self
            .model
            .nodes()
            .filter(|node| node.kind == GROUP_OUTPUT && node.id != kept)
            .map(|node| node.id.clone())
            .collect();
        for id in surplus {
            self.model.remove(&id);
        }
    }

    fn ensure_group_node(&mut self, kind: &str) {
        if !self.model.nodes().any(|node| node.kind == kind) {
            self.make_group_node(kind);
        }
    }

    pub(crate) fn add_frame(&mut self, id: Text<'_>, label: &str, members: &[String]) {
        match self.claim(id, FRAME) {
            Claim::Taken => return,
            Claim::Present => {
                if let Some(frame) = self.model.node_mut(id.text) {
                    frame.label = Some(label.to_owned());
                }
            }
            Claim::Free => self.insert_node(id.text, FRAME, Some(label.to_owned())),
        }
        for (index, member) in members.iter().enumerate() {
            let path = format!("node_ids/{index}");
            let Some(found) = self.find_node(member) else {
                let near = nearest(member, self.model.nodes().map(|node| node.id.as_str()));
                let message = format!("there is no node “{member}” to put into the frame");
                let path = self.sink.at(&path);
                self.sink.error(
                    Code::UnknownNode,
                    path,
                    message,
                    near.map(|near| format!("did you mean “{near}”?")),
                );
                continue;
            };
            if found == id.text || self.holds(&found, id.text) {
                let path = self.sink.at(&path);
                let message = format!("the frame “{}” cannot contain “{found}”, which contains it", id.text);
                self.sink
                    .error(Code::Cycle, path, message, Some("leave it out of node_ids".to_owned()));
                continue;
            }
            if let Some(node) = self.model.node_mut(&found) {
                node.parent = Some(id.text.to_owned());
            }
        }
    }

    /// True when the frame `outer` contains `inner`, at any depth.
    fn holds(&self, outer: &str, inner: &str) -> bool {
        let mut at = self.model.node(inner).and_then(|node| node.parent.as_deref());
        // A chain of parents has at most as many nodes as the tree; the bound prevents an endless loop in a damaged tree.
        for _ in 0..=self.model.graph().node_count() {
            match at {
                None => return false,
                Some(id) if id == outer => return true,
                Some(id) => at = self.model.node(id).and_then(|node| node.parent.as_deref()),
            }
        }
        true
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
        let Some(fitted) = self.fit(&crate::values::Want::property(property), value, field) else {
            return;
        };
        if name == "node_tree" && !self.check_group(id, &fitted, field) {
            return;
        }
        let fresh = crate::values::same(&fitted, &property.default);
        if let Some(node) = self.model.node_mut(id) {
            set_or_clear(&mut node.props, name, fitted, fresh);
        }
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
