//! What the nodes of a tree are called on its page: the ID as a word, unique among nodes and parameters.

use foldhash::{HashMap, HashSet};
use geonode_graph::Catalogue;
use geonode_graph::ir::{MAX_NAME, Node, Side, Tree};
use geonode_graph::sockets::{GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE};

use super::FORM_VALUES;
use super::sockets::SocketNames;
use super::words::{numbered, word};

/// The variables of one tree.
///
/// The Group Input and the Group Output that a page does not spell out (the first one; of outputs, the active one) are `group_input` and
/// `group_output`. The ends of a zone are `x_in` and `x_out`, where `x` is what their IDs have in common.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    parameters: SocketNames,
    by_id: HashMap<String, String>,
    by_variable: HashMap<String, String>,
    /// Of a closure's function: the ID of its output node.
    closures: HashMap<String, String>,
}

impl Variables {
    /// The variables of a tree.
    pub fn new(tree: &Tree, catalogue: &Catalogue) -> Self {
        let inputs = tree.interface.iter().filter(|item| item.is_socket(Side::Input));
        let parameters = SocketNames::avoiding(
            inputs.map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
            FORM_VALUES,
        );
        let mut naming = Naming {
            used: FORM_VALUES
                .iter()
                .copied()
                .chain(parameters.words())
                .map(str::to_owned)
                .collect(),
            out: Self::default(),
        };
        if let Some(input) = implied_input(tree) {
            naming.put(&input.id, "group_input".to_owned());
        }
        if let Some(output) = implied_output(tree) {
            naming.put(&output.id, "group_output".to_owned());
        }
        let by_id: HashMap<&str, &Node> = tree.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
        let ends: Vec<(&Node, &Node)> = tree
            .nodes
            .iter()
            .filter_map(|node| Some((node, *by_id.get(node.pair.as_deref()?)?)))
            .collect();
        let in_zone: HashSet<&str> = ends.iter().flat_map(|(a, b)| [a.id.as_str(), b.id.as_str()]).collect();
        let single = || tree.nodes.iter().filter(|node| !in_zone.contains(node.id.as_str()));
        for node in single().filter(|node| word(&node.id).as_ref() == Some(&node.id)) {
            naming.node(&node.id);
        }
        for (input, output) in ends {
            let closure = catalogue
                .nodes
                .get(&output.kind)
                .is_some_and(|kind| kind.is("zone:closure"));
            naming.zone(input, output, closure);
        }
        for is_path in [false, true] {
            for node in single().filter(|node| node.id.contains('/') == is_path) {
                naming.node(&node.id);
            }
        }
        Self {
            parameters,
            ..naming.out
        }
    }

    /// The words of the tree's inputs.
    pub fn parameters(&self) -> &SocketNames {
        &self.parameters
    }

    /// The variable of the node with this ID.
    pub fn variable(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }

    /// The ID of the node with this variable; an ID itself is understood as well.
    pub fn id(&self, variable: &str) -> Option<&str> {
        let exact = || self.by_id.get_key_value(variable).map(|(id, _)| id);
        self.by_variable.get(variable).or_else(exact).map(String::as_str)
    }

    /// The function of the closure whose output node has this ID: `x` where the node is `x_out`.
    pub fn closure(&self, output_id: &str) -> Option<&str> {
        let name = self.variable(output_id)?.strip_suffix("_out")?;
        self.closures.contains_key(name).then_some(name)
    }

    /// The ID of the output node of the closure with this function.
    pub fn closure_output(&self, function: &str) -> Option<&str> {
        self.closures.get(function).map(String::as_str)
    }

    /// Whether a node, a parameter or the form itself has this name.
    pub fn is_taken(&self, name: &str) -> bool {
        FORM_VALUES.contains(&name)
            || self.by_variable.contains_key(name)
            || self.closures.contains_key(name)
            || self.parameters.words().any(|word| word == name)
    }
}

/// The Group Input that a page does not spell out: the first.
fn implied_input(tree: &Tree) -> Option<&Node> {
    tree.nodes.iter().find(|node| node.kind == GROUP_INPUT_TYPE)
}

/// The Group Output that a page does not spell out: the active one.
fn implied_output(tree: &Tree) -> Option<&Node> {
    let outputs = || tree.nodes.iter().filter(|node| node.kind == GROUP_OUTPUT_TYPE);
    let active = |node: &&Node| node.props.get("is_active_output").is_none_or(|active| *active != false);
    outputs().find(active).or_else(|| outputs().next())
}

/// The ID of a node that is written inside of another's arguments: the path of the socket that it feeds. `place` is its place in a list of
/// values for one input. Of a path that Blender would cut, the beginning stays, with a number that tells it from others.
pub fn path(target: &str, socket: &str, place: usize) -> String {
    let id = if place == 0 {
        format!("{target}/{socket}")
    } else {
        format!("{target}/{socket}.{place}")
    };
    if id.len() <= MAX_NAME {
        return id;
    }
    // FNV-1a: the same on every platform and in every version.
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let digest = id.bytes().fold(0x811c_9dc5_u32, hash);
    let mut end = MAX_NAME - 9;
    while !id.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}~{digest:08x}", id.get(..end).unwrap_or_default())
}

struct Naming {
    used: HashSet<String>,
    out: Variables,
}

impl Naming {
    fn put(&mut self, id: &str, variable: String) {
        if self.out.by_id.contains_key(id) {
            return;
        }
        self.used.insert(variable.clone());
        self.out.by_variable.insert(variable.clone(), id.to_owned());
        self.out.by_id.insert(id.to_owned(), variable);
    }

    fn node(&mut self, id: &str) {
        if self.out.by_id.contains_key(id) {
            return;
        }
        let plain = word(id).unwrap_or_else(|| "unnamed".to_owned());
        let free = if self.used.contains(&plain) {
            numbered(&plain, |name| !self.used.contains(name))
        } else {
            plain
        };
        self.put(id, free);
    }

    fn zone(&mut self, input: &Node, output: &Node, closure: bool) {
        let taken = |stem: &str| {
            let ends = self.used.contains(&format!("{stem}_in")) || self.used.contains(&format!("{stem}_out"));
            ends || (closure && self.used.contains(stem))
        };
        let plain = stem(&output.id);
        let free = if taken(&plain) {
            numbered(&plain, |name| !taken(name))
        } else {
            plain
        };
        self.put(&input.id, format!("{free}_in"));
        self.put(&output.id, format!("{free}_out"));
        if closure {
            self.used.insert(free.clone());
            self.out.closures.insert(free, output.id.clone());
        }
    }
}

/// `grow.out` → `grow`, `Repeat Output.001` → `repeat_001`.
fn stem(output: &str) -> String {
    let plain = word(output).unwrap_or_default();
    let stem = match plain.strip_suffix("_out") {
        Some(stem) => stem.to_owned(),
        None => plain.replacen("_output", "", 1),
    };
    // `return` and the like may appear where the end is cut off.
    word(&stem).unwrap_or_else(|| "zone".to_owned())
}
