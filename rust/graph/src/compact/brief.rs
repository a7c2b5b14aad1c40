//! The compact form within a limit: keeps the most relevant nodes and says what was left out.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;

use indexmap::IndexMap;

use super::CUT;
use super::write::{Lines, Writer};
use crate::catalogue::Catalogue;
use crate::ir::{Bundle, Node, Tree};
use crate::sockets::{FRAME, GROUP_OUTPUT_TYPE};

/// Most types that are named in a line about omitted nodes.
const NAMED_TYPES: usize = 4;
/// Longest line about omitted nodes, in characters.
const NOTE: usize = 400;

/// Nodes of the root that are relevant besides those near the output, by ID.
#[derive(Debug, Clone, Copy, Default)]
pub struct Focus<'a> {
    /// Nodes that the artist selected.
    pub selected: &'a [String],
    /// Nodes that an earlier run created or changed.
    pub touched: &'a [String],
}

/// A compact form that fits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brief {
    /// The text, at most as long as allowed.
    pub text: String,
    /// Nodes that have no line.
    pub left_out: usize,
}

/// The compact form in at most `limit` bytes. The nodes of the root that have a line are those nearest, against the direction of the
/// links, to the output, to the selection and to what was touched; nested groups follow as far as there is room.
pub fn brief(bundle: &Bundle, catalogue: &Catalogue, focus: Focus<'_>, limit: usize) -> Brief {
    let writer = Writer::new(&bundle.trees, catalogue);
    let root = bundle
        .root
        .as_deref()
        .or_else(|| bundle.trees.keys().next().map(String::as_str));
    let mut out = Brief::default();
    let mut absent: Vec<&str> = Vec::new();
    let order = root.into_iter().chain(
        bundle
            .trees
            .keys()
            .map(String::as_str)
            .filter(|name| Some(*name) != root),
    );
    for name in order {
        let Some(tree) = bundle.trees.get(name) else { continue };
        let own = if Some(name) == root { focus } else { Focus::default() };
        let lines = writer.tree(name, tree);
        let nodes = lines.nodes.len();
        let space = limit.saturating_sub(out.text.len() + NOTE);
        match fitted(tree, lines, own, space) {
            Some((text, left_out)) => {
                out.text.push_str(&text);
                out.left_out += left_out;
            }
            None => {
                absent.push(name);
                out.left_out += nodes;
            }
        }
    }
    if !absent.is_empty() {
        let mut note = format!("{CUT} {} of {} trees left out: ", absent.len(), bundle.trees.len());
        for name in absent {
            if note.len() + name.len() > NOTE - 16 {
                note.push_str("and others, ");
                break;
            }
            let _ = write!(note, "{name}, ");
        }
        let note = note.trim_end_matches(", ");
        if out.text.len() + note.len() < limit {
            out.text.push_str(note);
            out.text.push('\n');
        }
    }
    out
}

/// A tree in at most `room` bytes and how many nodes are left out; `None` when not even its head and a note fit.
fn fitted(tree: &Tree, lines: Lines, focus: Focus<'_>, room: usize) -> Option<(String, usize)> {
    let whole = lines.head.len() + lines.nodes.iter().map(|(_, line)| line.len()).sum::<usize>();
    let Lines { head: mut text, nodes } = lines;
    if whole <= room {
        text.extend(nodes.into_iter().map(|(_, line)| line));
        return Some((text, 0));
    }
    let mut left = room.checked_sub(text.len() + NOTE)?;
    let ranks = ranks(tree, focus);
    let mut order: Vec<&(usize, String)> = nodes.iter().collect();
    order.sort_by_key(|(at, _)| ranks.get(*at).copied().unwrap_or(usize::MAX));
    let mut kept: HashSet<usize> = HashSet::new();
    for (at, line) in order {
        // Shorter nodes farther away would still fit, but a path to the output with gaps is useless.
        let Some(rest) = left.checked_sub(line.len()) else {
            break;
        };
        left = rest;
        kept.insert(*at);
    }
    text.extend(
        nodes
            .iter()
            .filter(|(at, _)| kept.contains(at))
            .map(|(_, line)| line.as_str()),
    );
    let gone = nodes
        .iter()
        .filter(|(at, _)| !kept.contains(at))
        .filter_map(|(at, _)| tree.nodes.get(*at));
    let left_out = nodes.len() - kept.len();
    text.push_str(&note(gone, left_out, nodes.len()));
    Some((text, left_out))
}

fn note<'n>(gone: impl Iterator<Item = &'n Node>, left_out: usize, all: usize) -> String {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for node in gone {
        *counts.entry(node.kind.as_str()).or_default() += 1;
    }
    counts.sort_by(|a, m, b, n| n.cmp(m).then(a.cmp(b)));
    let named: Vec<String> = counts
        .iter()
        .take(NAMED_TYPES)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let others: usize = counts.values().skip(NAMED_TYPES).sum();
    let others = if others > 0 {
        format!(", {others} others")
    } else {
        String::new()
    };
    format!(
        "{CUT} {left_out} of {all} nodes left out: {}{others}. Numbers without a line are among them.\n",
        named.join(", ")
    )
}

/// How far each node, in tree order, is from the relevant ones (`usize::MAX`: none of them needs it), following links backwards; both ends of a zone are equally near.
pub fn ranks(tree: &Tree, focus: Focus<'_>) -> Vec<usize> {
    let numbers: HashMap<&str, usize> = tree
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id.as_str(), at))
        .collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); tree.nodes.len()];
    let mut connect = |from: &str, to: &str| {
        if let (Some(from), Some(to)) = (numbers.get(from), numbers.get(to))
            && let Some(list) = before.get_mut(*to)
        {
            list.push(*from);
        }
    };
    for link in &tree.links {
        connect(&link.from.0, &link.to.0);
    }
    for node in &tree.nodes {
        if let Some(output) = &node.pair {
            connect(&node.id, output);
            connect(output, &node.id);
        }
    }
    // A mark on most nodes distinguishes nothing: Blender selects every node that a script creates.
    let telling = [focus.selected, focus.touched]
        .into_iter()
        .filter(|list| list.len() * 2 <= tree.nodes.len());
    let named: HashSet<&String> = telling.flatten().collect();
    let wanted = |node: &Node| node.kind == GROUP_OUTPUT_TYPE || named.contains(&node.id);
    let mut ranks = vec![usize::MAX; tree.nodes.len()];
    let starts = tree
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, node)| node.kind != FRAME && wanted(node));
    let mut open: VecDeque<(usize, usize)> = starts.map(|(at, _)| (at, 0)).collect();
    while let Some((at, rank)) = open.pop_front() {
        let Some(known) = ranks.get_mut(at).filter(|known| **known == usize::MAX) else {
            continue;
        };
        *known = rank;
        open.extend(before.get(at).into_iter().flatten().map(|next| (*next, rank + 1)));
    }
    ranks
}
