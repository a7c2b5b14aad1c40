//! Compares three versions of a tree: as the planner saw it, as it is now, and as the plan wants it.
//!
//! A plan is made from the seen state and compiled against the present state. If the artist changed other places in the meantime, the plan goes on
//! top; if both changed the same place, only the artist can decide, so the plan is refused and all three values are named.

use std::collections::{BTreeSet, HashMap};

use geonode_protocol::{Code, Finding, Hint};
use indexmap::IndexMap;
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::compile::Compiled;
use crate::documents::Document;
use crate::documents::delta::{InterfaceEdit, TreeDelta};
use crate::ir::{Bundle, IR_VERSION, Item, Link, Node, Tree};
use crate::semantic_diff::semantic_diff;

/// Most changes that a finding lists.
const MAX_LINES: usize = 6;

/// What the artist changed in the trees that `compiled` writes since they were `seen`: an error for each tree in which the plan changes the
/// same places, a remark for each other. Trees that were not seen or did not change give no findings.
pub fn stale(
    seen: &IndexMap<String, Tree>,
    now: &Document,
    compiled: &Compiled,
    catalogue: &Catalogue,
) -> Vec<Finding> {
    let mut done = BTreeSet::new();
    let mut findings = Vec::new();
    for (index, step) in compiled.steps.iter().enumerate() {
        for delta in &step.trees {
            let name = delta.tree.as_str();
            let (Some(before), Some(present)) = (seen.get(name), now.trees.get(name)) else {
                continue;
            };
            if before == present {
                continue;
            }
            let both = Versions::new(before, present).conflicts(delta);
            let by_hand = || shorten(&changes(name, seen, &now.trees, catalogue));
            let path = format!("/steps/{index}");
            if !both.is_empty() {
                let message = format!(
                    "the tree “{name}” was changed by hand since this plan was made, in places that the plan changes too: {}",
                    shorten(&both)
                );
                let hint = format!(
                    "plan again from the tree as it is now, or leave these places alone; changed by hand: {}",
                    by_hand()
                );
                findings.push(Finding::error(Code::StaleBase, path, message).hint(Hint::explain(hint)));
            } else if done.insert(name.to_owned()) {
                let message = format!(
                    "the tree “{name}” was changed by hand since this plan was made, in places that the plan does not change; both changes stay:  {}",
                    by_hand()
                );
                findings.push(Finding::info(Code::StaleBase, path, message));
            }
        }
    }
    findings
}

/// The changes of one tree in plain words, its nested groups left out.
pub fn changes(
    name: &str,
    before: &IndexMap<String, Tree>,
    after: &IndexMap<String, Tree>,
    catalogue: &Catalogue,
) -> Vec<String> {
    let bundle = |trees: &IndexMap<String, Tree>| Bundle {
        ir: IR_VERSION,
        blender: [0; 3],
        root: Some(name.to_owned()),
        trees: trees
            .get(name)
            .map(|tree| (name.to_owned(), tree.clone()))
            .into_iter()
            .collect(),
    };
    semantic_diff(&bundle(before), &bundle(after), catalogue)
}

/// The first few, and how many more there are.
pub fn shorten(lines: &[String]) -> String {
    let shown = lines.iter().take(MAX_LINES).cloned().collect::<Vec<_>>().join("; ");
    match lines.len().saturating_sub(MAX_LINES) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

/// A tree before and after the artist's work.
struct Versions<'t> {
    seen: HashMap<&'t str, &'t Node>,
    now: HashMap<&'t str, &'t Node>,
    seen_items: HashMap<&'t str, &'t Item>,
    now_items: HashMap<&'t str, &'t Item>,
    seen_links: HashMap<(&'t str, &'t str), Vec<&'t Link>>,
    now_links: HashMap<(&'t str, &'t str), Vec<&'t Link>>,
}

impl<'t> Versions<'t> {
    fn new(seen: &'t Tree, now: &'t Tree) -> Self {
        Self {
            seen: nodes(seen),
            now: nodes(now),
            seen_items: items(seen),
            now_items: items(now),
            seen_links: links(seen),
            now_links: links(now),
        }
    }

    /// The places that both changed, each with its three values.
    fn conflicts(&self, delta: &TreeDelta) -> Vec<String> {
        let mut out = Vec::new();
        for (id, socket, wanted) in delta.values.iter().chain(&delta.late_values) {
            self.value(id, socket, wanted, |node| input(node, socket), &mut out);
        }
        for (id, property, wanted) in &delta.props {
            let output = property
                .strip_prefix("outputs.")
                .and_then(|rest| rest.strip_suffix(".default_value"));
            let of = |node: &Node| match output {
                Some(socket) => node.outputs.get(socket)?.get("value").cloned(),
                None => node.props.get(property).cloned(),
            };
            self.value(id, output.unwrap_or(property), wanted, of, &mut out);
        }
        for (id, label) in &delta.labels {
            let wanted = Value::from(label.as_str());
            self.value(
                id,
                "label",
                &wanted,
                |node| node.label.clone().map(Value::String),
                &mut out,
            );
        }
        for (id, name) in &delta.names {
            let wanted = Value::from(name.as_str());
            self.value(
                id,
                "name",
                &wanted,
                |node| Some(Value::from(node.name.as_str())),
                &mut out,
            );
        }
        for (id, collection, _) in &delta.items {
            if let Some((seen, now)) = self.both(id)
                && seen.items.get(collection) != now.items.get(collection)
            {
                out.push(format!("the items of {}", self.title(id)));
            }
        }
        for id in &delta.remove {
            if let Some((seen, now)) = self.both(id)
                && !alike(seen, now)
            {
                out.push(format!("{}: edited by hand, removed by the plan", self.title(id)));
            }
        }
        self.links_into(delta, &mut out);
        self.interface(delta, &mut out);
        out
    }

    /// The node in both versions; a node that is in only one of them is not a common place.
    fn both(&self, id: &str) -> Option<(&'t Node, &'t Node)> {
        Some((self.seen.get(id)?, self.now.get(id)?))
    }

    fn value(&self, id: &str, what: &str, wanted: &Value, of: impl Fn(&Node) -> Option<Value>, out: &mut Vec<String>) {
        let Some((seen, now)) = self.both(id) else { return };
        let (seen, now) = (of(seen), of(now));
        if seen != now {
            out.push(format!(
                "{}, {what}: it was {}, by hand it is {}, the plan wants {wanted}",
                self.title(id),
                text(seen.as_ref()),
                text(now.as_ref()),
            ));
        }
    }

    /// Inputs whose links both changed; in a multi-input, new links are added beside the artist's.
    fn links_into(&self, delta: &TreeDelta, out: &mut Vec<String>) {
        let mut judged = BTreeSet::new();
        let unlinked = delta.unlink.iter().map(|(_, _, id, socket)| (id, socket));
        let linked = delta.links.iter().map(|link| (link.ends().2, link.ends().3));
        for (id, socket) in unlinked.chain(linked) {
            if !judged.insert((id, socket)) {
                continue;
            }
            let key = (id.as_str(), socket.as_str());
            let (seen, now) = (self.seen_links.get(&key), self.now_links.get(&key));
            let removes = delta.unlink.iter().any(|(_, _, to, input)| (to, input) == (id, socket));
            let multi = [seen, now]
                .into_iter()
                .flatten()
                .flatten()
                .any(|link| link.sort.is_some());
            if self.both(id).is_some() && (removes || !multi) && sources(seen) != sources(now) {
                out.push(format!(
                    "the links into {}, {socket}: from {} when the plan was made, from {} by hand",
                    self.title(id),
                    named(seen),
                    named(now)
                ));
            }
        }
    }

    fn interface(&self, delta: &TreeDelta, out: &mut Vec<String>) {
        for edit in &delta.interface {
            let (InterfaceEdit::Change { identifier, .. } | InterfaceEdit::Remove { identifier, .. }) = edit else {
                continue;
            };
            let key = identifier.as_str();
            if let (Some(seen), Some(now)) = (self.seen_items.get(key), self.now_items.get(key))
                && seen != now
            {
                out.push(format!("the interface socket “{}”", now.name));
            }
        }
    }

    fn title(&self, id: &str) -> String {
        let name = self.now.get(id).map_or(id, |node| {
            let name = node.label.as_deref().unwrap_or(&node.name);
            if name.is_empty() { id } else { name }
        });
        format!("“{name}”")
    }
}

fn nodes(tree: &Tree) -> HashMap<&str, &Node> {
    tree.nodes.iter().map(|node| (node.id.as_str(), node)).collect()
}

fn items(tree: &Tree) -> HashMap<&str, &Item> {
    tree.interface
        .iter()
        .map(|item| (item.identifier.as_str(), item))
        .collect()
}

fn links(tree: &Tree) -> HashMap<(&str, &str), Vec<&Link>> {
    let mut map: HashMap<(&str, &str), Vec<&Link>> = HashMap::new();
    for link in &tree.links {
        map.entry((&link.to.0, &link.to.1)).or_default().push(link);
    }
    map
}

fn input(node: &Node, socket: &str) -> Option<Value> {
    node.inputs.get(socket).and_then(|state| state.get("value")).cloned()
}

/// Equal in everything that a removal would lose; the location does not count.
fn alike(a: &Node, b: &Node) -> bool {
    (&a.kind, &a.label, &a.props, &a.items, &a.inputs) == (&b.kind, &b.label, &b.props, &b.items, &b.inputs)
}

fn sources<'l>(links: Option<&'l Vec<&Link>>) -> BTreeSet<&'l (String, String)> {
    links.into_iter().flatten().map(|link| &link.from).collect()
}

fn named(links: Option<&Vec<&Link>>) -> String {
    let sources = sources(links);
    if sources.is_empty() {
        return "nothing".to_owned();
    }
    sources
        .iter()
        .map(|(id, socket)| format!("“{id}” ({socket})"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn text(value: Option<&Value>) -> String {
    value.map_or_else(|| "its default".to_owned(), ToString::to_string)
}
