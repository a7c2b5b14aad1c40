//! Trees as pages of tree text (`FORM.md`).
//!
//! A page is written in three steps: a [`Sheet`] looks up what each node has and finds which nodes lie in the arguments of others, an
//! [`Order`] puts what is used above what uses it, and a [`Writer`] makes lines of it.

mod calls;
mod expression;
mod interface;
mod literals;
mod losses;
mod order;
mod sheet;
mod sockets;
mod terms;
mod writer;
mod zones;

use std::fmt::Write;

use foldhash::HashSet;
use geonode_graph::ir::{Bundle, Tree};
use geonode_graph::sockets::Scope;
use geonode_graph::{Brief, Focus, ranks};

use self::order::Order;
use self::sheet::Sheet;
use self::sockets::SocketCache;
use self::writer::{Line, Writer, one_line};
use crate::names::{Names, numbered, word};

/// What a page says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// All that has an effect: nodes, links, values, the interface; labels and frames too.
    #[default]
    Structure,
    /// Also places, sizes, colours, hidden sockets, values behind links and modes.
    Full,
}

/// A page, and what it could not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The page.
    pub text: String,
    /// What the page cannot say, in words, each with the name of its tree; the page has it as comments.
    pub losses: Vec<String>,
}

/// The page of a bundle: its root first, then the other trees in their order.
pub fn write(bundle: &Bundle, names: &Names<'_>, extent: Extent) -> Page {
    let mut page = Page::default();
    let cache = SocketCache::default();
    let mut functions = HashSet::default();
    for (name, tree) in root_first(bundle) {
        let function = function(name, &mut functions);
        let sheet = Sheet::new(
            names,
            scope(bundle, names),
            (name, tree),
            &cache,
            extent == Extent::Full,
        );
        let losses = losses::losses(&sheet);
        if !page.text.is_empty() {
            page.text.push_str("\n\n");
        }
        for line in lines(&sheet, &function, &losses) {
            push(&mut page.text, &line);
        }
        page.losses
            .extend(losses.into_iter().map(|loss| format!("“{name}”: {loss}")));
    }
    page
}

/// The page in at most `limit` bytes. The lines of the root are those of the nodes nearest, against the direction of the links, to the
/// output, to the selection and to what was touched; nested groups follow as far as there is room. Lines that begin with `# …` say what was
/// left out.
pub fn write_brief(bundle: &Bundle, names: &Names<'_>, focus: Focus<'_>, limit: usize) -> Brief {
    let cache = SocketCache::default();
    let mut functions = HashSet::default();
    let mut brief = Brief::default();
    let mut absent: Vec<&str> = Vec::new();
    for (number, (name, tree)) in root_first(bundle).enumerate() {
        let function = function(name, &mut functions);
        let sheet = Sheet::new(names, scope(bundle, names), (name, tree), &cache, false);
        let all = lines(&sheet, &function, &losses::losses(&sheet));
        let focus = if number == 0 { focus } else { Focus::default() };
        let room = limit.saturating_sub(brief.text.len() + NOTE);
        match fitted(tree, &all, focus, room) {
            Some((text, left_out)) => {
                if !brief.text.is_empty() {
                    brief.text.push_str("\n\n");
                }
                brief.text.push_str(&text);
                brief.left_out += left_out;
            }
            None => {
                absent.push(name);
                brief.left_out += tree.nodes.len();
            }
        }
    }
    if !absent.is_empty() {
        let mut note = format!("{CUT} {} of {} groups left out: ", absent.len(), bundle.trees.len());
        for name in absent {
            if note.len() + name.len() > NOTE - 16 {
                note.push_str("and others, ");
                break;
            }
            let _ = write!(note, "{}, ", one_line(name));
        }
        let note = note.trim_end_matches(", ");
        if brief.text.len() + note.len() < limit {
            brief.text.push_str(note);
            brief.text.push('\n');
        }
    }
    brief
}

/// Start of a comment that says what was left out.
const CUT: &str = "# …";
/// Longest such comment, in bytes.
const NOTE: usize = 400;

/// A tree in at most `room` bytes and how many nodes are left out; none when not even its head and a note fit.
fn fitted(tree: &Tree, lines: &[Line], focus: Focus<'_>, room: usize) -> Option<(String, usize)> {
    let size = |line: &Line| line.depth * INDENT.len() + line.text.len() + 1;
    let mut text = String::new();
    if lines.iter().map(size).sum::<usize>() <= room {
        for line in lines {
            push(&mut text, line);
        }
        return Some((text, 0));
    }
    let ranks = ranks(tree, focus);
    let rank = |line: &Line| {
        line.nodes
            .iter()
            .filter_map(|at| ranks.get(*at))
            .min()
            .copied()
            .unwrap_or(0)
    };
    let head: usize = lines.iter().filter(|line| line.nodes.is_empty()).map(size).sum();
    let mut left = room.checked_sub(head)?;
    let mut order: Vec<(usize, &Line)> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.nodes.is_empty())
        .collect();
    order.sort_by_key(|(_, line)| rank(line));
    let mut kept: HashSet<usize> = HashSet::default();
    let mut made = 0;
    for (number, line) in order {
        // Shorter lines farther away would still fit, but a path to the output with gaps is useless.
        let Some(rest) = left.checked_sub(size(line)) else {
            break;
        };
        left = rest;
        kept.insert(number);
        made += line.made;
    }
    for (number, line) in lines.iter().enumerate() {
        if line.nodes.is_empty() || kept.contains(&number) {
            push(&mut text, line);
        }
    }
    let all: usize = lines.iter().map(|line| line.made).sum();
    let left_out = all.saturating_sub(made);
    let _ = writeln!(
        text,
        "{CUT} {left_out} of {all} nodes left out; names without a line are among them."
    );
    Some((text, left_out))
}

/// The trees of a bundle, its root first.
fn root_first(bundle: &Bundle) -> impl Iterator<Item = (&str, &Tree)> {
    let root = bundle
        .root
        .as_deref()
        .or_else(|| bundle.trees.keys().next().map(String::as_str));
    let first = root.and_then(|root| bundle.trees.get_key_value(root));
    let others = bundle.trees.iter().filter(move |(name, _)| Some(name.as_str()) != root);
    first
        .into_iter()
        .chain(others)
        .map(|(name, tree)| (name.as_str(), tree))
}

fn scope<'a>(bundle: &'a Bundle, names: &Names<'a>) -> Scope<'a> {
    Scope {
        catalogue: names.catalogue(),
        trees: &bundle.trees,
    }
}

/// The name of a tree's function, which no other on the page has.
fn function(name: &str, taken: &mut HashSet<String>) -> String {
    let plain = word(name).unwrap_or_else(|| "group".to_owned());
    let free = if taken.contains(&plain) {
        numbered(&plain, |name| !taken.contains(name))
    } else {
        plain
    };
    taken.insert(free.clone());
    free
}

fn lines(sheet: &Sheet<'_>, function: &str, losses: &[String]) -> Vec<Line> {
    let order = Order::new(sheet);
    let mut writer = Writer::new(sheet, &order);
    writer.tree(function, losses);
    writer.lines
}

const INDENT: &str = "    ";

fn push(text: &mut String, line: &Line) {
    for _ in 0..line.depth {
        text.push_str(INDENT);
    }
    text.push_str(&line.text);
    text.push('\n');
}
