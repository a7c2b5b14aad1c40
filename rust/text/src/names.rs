//! What nodes, sockets and types are called on a page, and back: built from a catalogue, the same for the writer and the reader.

mod called;
mod sockets;
mod types;
mod variables;
mod words;

use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashMapExt};
use geonode_graph::catalogue::{NodeType, fold};
use geonode_graph::ir::Side;
use geonode_graph::sockets::{FRAME, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_graph::{Catalogue, alike};

pub use self::called::Called;
pub use self::sockets::SocketNames;
pub use self::types::{item_type_field, read_item_type, read_type, write_item_type, write_type};
pub use self::variables::{Variables, path};
pub use self::words::{is_word, numbered, title, word};

/// Words of the form that are called like nodes; a node type that the menus call so gets a trailing underscore.
pub const FORM_CALLS: &[&str] = &[
    "apply",
    "attribute",
    "cleanup",
    "closure",
    "data",
    "default",
    "edit",
    "expect",
    "for_each",
    "gather",
    "insert",
    "item",
    "label",
    "limits",
    "mute",
    "muted",
    "new",
    "node",
    "order",
    "panel",
    "props",
    "repeat",
    "settings",
    "simulation",
    "unframe",
    "ungroup",
];

/// The property of a socket that switches its panel on and off, and the argument of `panel` that names the socket.
pub(crate) const TOGGLE: &str = "is_panel_toggle";
pub(crate) const TOGGLE_WORD: &str = "toggle";

/// Names that stand for a value or a node on every page; no variable and no parameter has them.
pub const FORM_VALUES: &[&str] = &["data", "default", "group_input", "group_output"];

/// Properties of a node that only change how it looks in the editor, and which of its warnings others see. They are no arguments of its call: only the full form has them.
pub const LOOK: &[&str] = &[
    "color",
    "color_tag",
    "height",
    "hide",
    "label_size",
    "show_options",
    "show_preview",
    "show_texture",
    "shrink",
    "use_custom_color",
    "warning_propagation",
    "width",
];

/// Calls that are named where one does not exist, and how much its words say if they are seldom enough: one that ten share says little.
const NEAR: usize = 4;
const SELDOM: f64 = 0.1;
/// From which share of their words on, weighed, two calls are taken for the same.
const SAME: f64 = 0.3;

/// Words that are often used for those of the menus.
const USUAL_WORDS: &[(&str, &str)] = &[
    ("vector", "xyz"),
    ("sphere", "uv_sphere"),
    ("colour", "color"),
    ("hsv", "color"),
    ("plane", "grid"),
    ("quad", "grid"),
    ("rgb", "color"),
    ("scatter", "distribute"),
    ("text", "string"),
];

/// The words of a call in the singular, under their names in the menus.
fn words_of<'w>(call: &'w str) -> Vec<&'w str> {
    let singular = |word: &'w str| match word {
        "vertices" => "vertex",
        word if word.len() > 3 && !word.ends_with("ss") => word.strip_suffix('s').unwrap_or(word),
        word => word,
    };
    let usual = |word: &'w str| -> &'w str {
        let known = USUAL_WORDS
            .iter()
            .find(|(other, own)| *other == word && !own.contains('_'));
        known.map_or(word, |(_, own)| *own)
    };
    call.split('_')
        .filter(|word| !word.is_empty())
        .map(|word| usual(singular(word)))
        .collect()
}

/// The calls by how much of their words they share with one: a word weighs the less, the more calls have it.
fn by_words<'n>(call: &str, calls: &[&'n str]) -> Vec<(f64, &'n str)> {
    let split: Vec<Vec<&str>> = calls.iter().map(|known| words_of(known)).collect();
    let mut counts: HashMap<&str, f64> = HashMap::new();
    for word in split.iter().flatten() {
        *counts.entry(*word).or_default() += 1.0;
    }
    let weight = |word: &&str| 1.0 / counts.get(word).copied().unwrap_or(1.0);
    let wanted = words_of(call);
    let all: f64 = wanted.iter().map(weight).sum();
    let mut fits: Vec<(f64, &str)> = split
        .iter()
        .zip(calls)
        .map(|(own, known)| {
            let shared: f64 = own.iter().filter(|word| wanted.contains(word)).map(weight).sum();
            let total: f64 = all + own.iter().map(weight).sum::<f64>() - shared;
            (shared / total, *known)
        })
        .collect();
    fits.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    fits
}

/// Names that have one meaning in every catalogue.
const FIXED: &[(&str, &str)] = &[
    (GROUP, "group"),
    (GROUP_INPUT_TYPE, "group_input"),
    (GROUP_OUTPUT_TYPE, "group_output"),
    (REROUTE, "reroute"),
    (FRAME, "frame"),
];

/// The names of one catalogue.
#[derive(Debug, Clone)]
pub struct Names<'c> {
    catalogue: &'c Catalogue,
    calls: HashMap<&'c str, String>,
    types: HashMap<String, &'c str>,
}

impl<'c> Names<'c> {
    /// The names of this catalogue.
    pub fn new(catalogue: &'c Catalogue) -> Self {
        let mut names = Self {
            catalogue,
            calls: HashMap::new(),
            types: HashMap::new(),
        };
        for (kind, call) in FIXED {
            if let Some((kind, _)) = catalogue.nodes.get_key_value(*kind) {
                names.add(kind, (*call).to_owned());
            }
        }
        for (kind, node) in &catalogue.nodes {
            if names.calls.contains_key(kind.as_str()) {
                continue;
            }
            let mut call = word(&node.label).unwrap_or_else(|| kind.clone());
            while FORM_CALLS.contains(&call.as_str()) {
                call.push('_');
            }
            if names.types.contains_key(&call) {
                call = numbered(&call, |name| !names.types.contains_key(name));
            }
            names.add(kind, call);
        }
        names
    }

    fn add(&mut self, kind: &'c str, call: String) {
        if let Entry::Vacant(free) = self.types.entry(call.clone()) {
            free.insert(kind);
            self.calls.insert(kind, call);
        }
    }

    /// The catalogue that the names are from.
    pub fn catalogue(&self) -> &'c Catalogue {
        self.catalogue
    }

    /// What a node of this type is called with: the menu's name in snake case; the type itself where the catalogue does not have it.
    pub fn call(&self, bl_idname: &str) -> String {
        self.calls
            .get(bl_idname)
            .map_or_else(|| bl_idname.to_owned(), Clone::clone)
    }

    /// The node type that a call makes, by the menu's name in snake case or by `bl_idname`.
    pub fn node_type(&self, call: &str) -> Option<&'c str> {
        let exact = || self.catalogue.nodes.get_key_value(call).map(|(kind, _)| kind.as_str());
        self.types.get(call).copied().or_else(exact)
    }

    /// The node type that a call means which is written otherwise: without accents, or as its `bl_idname` says it (`mesh_cone`).
    pub fn node_type_alike(&self, call: &str) -> Option<&'c str> {
        let wanted = fold(call);
        let short = |kind: &'c str| {
            let known = ["GeometryNode", "FunctionNode", "ShaderNode"];
            known
                .iter()
                .find_map(|family| kind.strip_prefix(family))
                .unwrap_or(kind)
        };
        let is_it = |kind: &&'c str| {
            let called = self.calls.get(*kind).is_some_and(|own| fold(own) == wanted);
            called || fold(short(kind)) == wanted
        };
        let mut found = self.catalogue.nodes.keys().map(String::as_str).filter(is_it);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The calls that are most like one that does not exist: of nearly the same words, of which a seldom one counts more, else spelled
    /// alike, else with a word in common.
    pub fn near_calls(&self, call: &str) -> Vec<&str> {
        let mut calls: Vec<&str> = self.types.keys().map(String::as_str).collect();
        calls.sort_unstable();
        let parts: Vec<&str> = call.split('_').collect();
        let mut by_words = by_words(call, &calls);
        // A part of it that is a call of its own.
        let within = |known: &&str| {
            let own: Vec<&str> = known.split('_').collect();
            own.len() < parts.len() && (parts.starts_with(&own) || parts.ends_with(&own))
        };
        // What it is under a usual name of its kind.
        let meant: Vec<String> = USUAL_WORDS
            .iter()
            .filter(|(word, _)| parts.contains(word))
            .map(|(word, own)| call.replace(word, own))
            .collect();
        let mut near: Vec<&str> = calls
            .iter()
            .copied()
            .filter(|known| {
                meant
                    .iter()
                    .any(|one| one == known || one.strip_prefix("mesh_") == Some(known))
            })
            .collect();
        let same = by_words.iter().take_while(|(fit, _)| *fit > SAME).take(2);
        near.extend(same.map(|(_, known)| *known));
        near.extend(calls.iter().copied().filter(within));
        near.extend(alike(call, calls.iter().copied()));
        let mut seen = Vec::new();
        near.retain(|known| {
            !seen.contains(known) && {
                seen.push(*known);
                true
            }
        });
        near.truncate(NEAR);
        if !near.is_empty() {
            return near;
        }
        by_words.truncate(NEAR);
        by_words.retain(|(fit, _)| *fit > SELDOM);
        by_words.into_iter().map(|(_, known)| known).collect()
    }

    /// Whether a property cannot be a keyword of the node's call, since an input of the node, in whatever mode, has that word: it is
    /// written in `props={…}`.
    pub fn is_shadowed(&self, bl_idname: &str, property: &str) -> bool {
        let shares = |kind: &NodeType| {
            let inputs = kind.states.iter().flat_map(|state| state.side(Side::Input));
            inputs
                .into_iter()
                .any(|socket| word(&socket.name).as_deref() == Some(property))
        };
        !is_word(property) || self.catalogue.nodes.get(bl_idname).is_some_and(shares)
    }

    /// The keyword under which the items of a collection stand in the call: `items` where the type has one collection, else its RNA
    /// name; none where that is not a word, such as `color_ramp.elements`, which stands in `props={…}`.
    pub fn items_keyword<'n>(&self, bl_idname: &str, collection: &'n str) -> Option<&'n str> {
        let known = self.catalogue.nodes.get(bl_idname);
        let plain = known.map_or(0, |kind| kind.collections.keys().filter(|name| is_word(name)).count());
        match is_word(collection) {
            true if plain == 1 => Some("items"),
            true => Some(collection),
            false => None,
        }
    }

    /// The collection that a keyword of the call means.
    pub fn collection(&self, bl_idname: &str, keyword: &str) -> Option<&'c str> {
        let kind = self.catalogue.nodes.get(bl_idname)?;
        let mut names = kind.collections.keys().map(String::as_str);
        names.find(|name| *name == keyword || self.items_keyword(bl_idname, name) == Some(keyword))
    }
}

/// How a stop of a colour ramp, or a point of a curve, is written.
pub(crate) fn point_form(collection: &str) -> &'static str {
    if collection.ends_with(".elements") {
        "{\"position\": 0.0, \"color\": (0.0, 0.0, 0.0, 1.0)}"
    } else {
        "{\"location\": (0.0, 0.0)}"
    }
}
