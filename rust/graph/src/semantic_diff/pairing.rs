//! Pairs of nodes and items that are the same in both trees although they may have been renamed, moved or stamped.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::ir::{Bundle, Item, Node, Tree};
use crate::sockets::group_tree;

/// Partners, and items that are in only one of the two; all in tree order.
pub(super) struct Pairs<'a, T> {
    pub both: Vec<(&'a T, &'a T)>,
    pub removed: Vec<&'a T>,
    pub added: Vec<&'a T>,
}

/// Two versions of a tree, with their nodes and interface items paired.
pub(super) struct TreePair<'a> {
    pub before: (&'a str, &'a Tree),
    pub after: (&'a str, &'a Tree),
    pub nodes: Pairs<'a, Node>,
    pub items: Pairs<'a, Item>,
}

/// Every tree of the two bundles: the roots first, then nested groups as nodes lead to them.
pub(super) struct Trees<'a> {
    pub both: Vec<TreePair<'a>>,
    pub removed: Vec<&'a str>,
    pub added: Vec<&'a str>,
}

pub(super) fn trees<'a>(before: &'a Bundle, after: &'a Bundle) -> Trees<'a> {
    let mut waiting: Vec<(&str, &str)> = Vec::new();
    let (mut used, mut taken): (HashSet<&str>, HashSet<&str>) = (HashSet::new(), HashSet::new());
    let mut pair = |old: &'a str, new: &'a str, waiting: &mut Vec<(&'a str, &'a str)>| {
        if !used.contains(old) && !taken.contains(new) {
            used.insert(old);
            taken.insert(new);
            waiting.push((old, new));
        }
    };
    if let (Some(old), Some(new)) = (before.root.as_deref(), after.root.as_deref()) {
        pair(old, new, &mut waiting);
    }
    for name in before.trees.keys().filter(|name| after.trees.contains_key(*name)) {
        pair(name, name, &mut waiting);
    }
    let mut both = Vec::new();
    let mut at = 0;
    while let Some(&(old_name, new_name)) = waiting.get(at) {
        at += 1;
        let (Some(old), Some(new)) = (before.trees.get(old_name), after.trees.get(new_name)) else {
            continue;
        };
        let nodes = nodes(old, new);
        // A node that now uses another group: the group was renamed if both names are new to the other side.
        for (one, other) in &nodes.both {
            let Some((old, new)) = group_tree(one).zip(group_tree(other)) else {
                continue;
            };
            let renamed = !after.trees.contains_key(old) && !before.trees.contains_key(new);
            if let (true, Some((old, _)), Some((new, _))) =
                (renamed, before.trees.get_key_value(old), after.trees.get_key_value(new))
            {
                pair(old, new, &mut waiting);
            }
        }
        both.push(TreePair {
            before: (old_name, old),
            after: (new_name, new),
            nodes,
            items: items(old, new),
        });
    }
    let rest = |bundle: &'a Bundle, known: &HashSet<&str>| -> Vec<&'a str> {
        let names = bundle.trees.keys().map(String::as_str);
        names.filter(|name| !known.contains(name)).collect()
    };
    Trees {
        removed: rest(before, &used),
        added: rest(after, &taken),
        both,
    }
}

fn nodes<'a>(before: &'a Tree, after: &'a Tree) -> Pairs<'a, Node> {
    let mut matching = Matching::new(&before.nodes, &after.nodes);
    matching.by(|node| Some((&node.kind, &node.id)), |node| Some((&node.kind, &node.id)));
    matching.by(
        |node| Some((&node.kind, &node.name)),
        |node| Some((&node.kind, &node.name)),
    );
    // Renamed: same place and content; else same content or place between the same neighbours. Two rounds, since a
    // neighbour that is found helps the next.
    for _ in 0..2 {
        if matching.is_complete() {
            break;
        }
        let canon = matching.ids();
        let own = Neighbours::new(before, |id| id);
        let other = Neighbours::new(after, |id| canon.get(id).copied().unwrap_or(id));
        let content = |node: &Node| {
            serde_json::to_string(&(&node.label, &node.props, &node.items, &node.inputs)).unwrap_or_default()
        };
        let whole = |node: &'a Node| Some((&node.kind, content(node), node.place()));
        matching.by(whole, whole);
        matching.by(
            |node| Some((&node.kind, content(node), own.of(&node.id)?)),
            |node| Some((&node.kind, content(node), other.of(&node.id)?)),
        );
        matching.by(
            |node| Some((&node.kind, node.place(), own.of(&node.id)?)),
            |node| Some((&node.kind, node.place(), other.of(&node.id)?)),
        );
    }
    matching.finish()
}

fn items<'a>(before: &'a Tree, after: &'a Tree) -> Pairs<'a, Item> {
    let mut matching = Matching::new(&before.interface, &after.interface);
    let exact = |item: &'a Item| Some((item.in_out, &item.identifier, &item.name));
    let name = |item: &'a Item| Some((item.kind == crate::ir::ItemKind::Panel, item.in_out, &item.name));
    let identifier = |item: &'a Item| Some((item.in_out, &item.identifier));
    matching.by(exact, exact);
    matching.by(name, name);
    matching.by(identifier, identifier);
    matching.finish()
}

/// The links at a node, as one comparable value.
struct Neighbours<'a>(HashMap<&'a str, Vec<(bool, &'a str, &'a str, &'a str)>>);

impl<'a> Neighbours<'a> {
    fn new(tree: &'a Tree, canon: impl Fn(&'a str) -> &'a str) -> Self {
        let mut around: HashMap<&str, Vec<_>> = HashMap::new();
        for link in &tree.links {
            let (from, to) = (&link.from, &link.to);
            around
                .entry(&from.0)
                .or_default()
                .push((true, from.1.as_str(), canon(&to.0), to.1.as_str()));
            around
                .entry(&to.0)
                .or_default()
                .push((false, to.1.as_str(), canon(&from.0), from.1.as_str()));
        }
        for links in around.values_mut() {
            links.sort_unstable();
        }
        Self(around)
    }

    /// `None` for a node without links: that does not identify it.
    fn of(&self, id: &str) -> Option<&Vec<(bool, &'a str, &'a str, &'a str)>> {
        self.0.get(id)
    }
}

/// Finds partners by keys that are unique on both sides.
struct Matching<'a, T> {
    before: &'a [T],
    after: &'a [T],
    partner: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl<'a, T> Matching<'a, T> {
    fn new(before: &'a [T], after: &'a [T]) -> Self {
        Self {
            before,
            after,
            partner: vec![None; before.len()],
            taken: vec![false; after.len()],
        }
    }

    fn by<K: Hash + Eq>(&mut self, old: impl Fn(&'a T) -> Option<K>, new: impl Fn(&'a T) -> Option<K>) {
        // The index, or `None` once a key occurred twice.
        let mut there: HashMap<K, Option<usize>> = HashMap::new();
        for (at, thing) in self
            .after
            .iter()
            .enumerate()
            .filter(|(at, _)| self.taken.get(*at) == Some(&false))
        {
            if let Some(key) = new(thing) {
                there.entry(key).and_modify(|found| *found = None).or_insert(Some(at));
            }
        }
        let mut here: HashMap<K, Option<usize>> = HashMap::new();
        for (at, thing) in self
            .before
            .iter()
            .enumerate()
            .filter(|(at, _)| self.partner.get(*at) == Some(&None))
        {
            if let Some(key) = old(thing) {
                here.entry(key).and_modify(|found| *found = None).or_insert(Some(at));
            }
        }
        for (key, at) in here {
            if let (Some(at), Some(Some(other))) = (at, there.get(&key).copied())
                && let (Some(partner), Some(taken)) = (self.partner.get_mut(at), self.taken.get_mut(other))
            {
                (*partner, *taken) = (Some(other), true);
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.partner.iter().all(Option::is_some) || self.taken.iter().all(|taken| *taken)
    }

    fn both(&self) -> impl Iterator<Item = (&'a T, &'a T)> {
        let (before, after) = (self.before, self.after);
        let ends = self.partner.iter().enumerate();
        ends.filter_map(move |(at, other)| Some((before.get(at)?, after.get((*other)?)?)))
    }

    fn finish(self) -> Pairs<'a, T> {
        let both = self.both().collect();
        let rest = |things: &'a [T], alone: Vec<bool>| {
            things
                .iter()
                .zip(alone)
                .filter_map(|(thing, alone)| alone.then_some(thing))
                .collect()
        };
        Pairs {
            both,
            removed: rest(self.before, self.partner.iter().map(Option::is_none).collect()),
            added: rest(self.after, self.taken.iter().map(|taken| !taken).collect()),
        }
    }
}

impl<'a> Matching<'a, Node> {
    /// ID afterwards → ID before.
    fn ids(&self) -> HashMap<&'a str, &'a str> {
        self.both()
            .map(|(old, new)| (new.id.as_str(), old.id.as_str()))
            .collect()
    }
}
