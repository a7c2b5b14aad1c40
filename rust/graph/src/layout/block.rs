//! One connected piece of new nodes: its columns, its nested boxes, the places of its nodes relative to each other.

use foldhash::{HashMap, HashMapExt};

use super::clusters::{Cluster, Clusters};
use super::columns::columns;
use super::scene::{Rect, Scene};
use super::stack::{Item, Pull, Tie, stack};
use super::table::at;

/// Free space between columns, in addition to the margins of the boxes.
pub(super) const GAP_X: f64 = 60.0;

/// Most columns in which the way of a link is kept free.
const LONGEST_WAY: usize = 8;

/// A piece with its layout; places are relative to each other.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Node, left and top.
    pub places: Vec<(usize, (f64, f64))>,
    /// Areas that nothing else may overlap: single nodes, and whole boxes.
    pub shape: Vec<Rect>,
}

/// The container of a node or a box: a box, or the piece itself.
type Holder = Option<usize>;

/// The content of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Node(usize),
    Box(usize),
}

/// A link between two parts of one container.
struct Bond {
    left: usize,
    right: usize,
    line: usize,
    /// The item that keeps its way free, where it passes over columns.
    way: Option<usize>,
}

/// A link from a part to something outside its container, at the height `y`.
struct Reach {
    part: usize,
    node: usize,
    node_y: f64,
    y: f64,
}

/// A link seen from one of its ends.
#[derive(Clone, Copy)]
struct End {
    node: usize,
    node_y: f64,
    other: usize,
    other_y: f64,
}

impl End {
    fn turned(self) -> Self {
        Self {
            node: self.other,
            node_y: self.other_y,
            other: self.node,
            other_y: self.node_y,
        }
    }
}

/// The parts that a container is stacked from.
#[derive(Default)]
struct Content {
    parts: Vec<Part>,
    /// One for each part; behind them those of the links that pass over columns.
    items: Vec<Item>,
    bonds: Vec<Bond>,
    reaches: Vec<Reach>,
}

impl Content {
    /// An item without height in the columns between two parts, if there are any, and not so many that all links together would fill the drawing.
    fn way(&mut self, left: usize, right: usize) -> Option<usize> {
        let first = at(&self.items, left).last + 1;
        let last = at(&self.items, right).first.checked_sub(1)?;
        (first <= last && last - first < LONGEST_WAY).then(|| {
            self.items.push(Item {
                first,
                last,
                height: 0.0,
            });
            self.items.len() - 1
        })
    }
}

struct Drawing<'s> {
    scene: &'s Scene,
    clusters: &'s Clusters,
    nodes: &'s [usize],
    columns: HashMap<usize, usize>,
    /// Left edge of each column.
    lefts: Vec<f64>,
    /// Boxes of this piece, outer ones first, with their columns.
    boxes: Vec<(usize, usize, usize)>,
    contents: HashMap<Holder, Content>,
    /// Index of each part in its container's list.
    number: HashMap<Part, usize>,
    /// Top of each node, relative to the part that is being stacked; finally relative to the piece.
    tops: HashMap<usize, f64>,
    /// For each box, one of its nodes and the distance of that node's top below the box's upper edge.
    inside: HashMap<usize, (usize, f64)>,
}

/// Lays out the piece made of `nodes`, all of them free and of one home; nodes that are already placed attract its links.
pub(super) fn draw(scene: &Scene, clusters: &Clusters, nodes: &[usize], lines: &[usize]) -> Block {
    let mut drawing = Drawing {
        scene,
        clusters,
        nodes,
        columns: columns(scene, clusters, nodes, lines),
        lefts: Vec::new(),
        boxes: Vec::new(),
        contents: HashMap::new(),
        number: HashMap::new(),
        tops: HashMap::new(),
        inside: HashMap::new(),
    };
    drawing.find_boxes();
    drawing.set_columns();
    drawing.fill();
    drawing.bind(lines);
    drawing.stack_all();
    // The result of the first pass tells a box where its links to the outside go.
    if drawing.reach(lines) {
        drawing.stack_all();
    }
    drawing.block()
}

impl Drawing<'_> {
    fn column(&self, node: usize) -> usize {
        self.columns.get(&node).copied().unwrap_or_default()
    }

    fn find_boxes(&mut self) {
        let mut spans: HashMap<usize, (usize, usize)> = HashMap::new();
        for &node in self.nodes {
            let column = self.column(node);
            for c in self.around(node) {
                let span = spans.entry(c).or_insert((column, column));
                *span = (span.0.min(column), span.1.max(column));
            }
        }
        self.boxes = spans.into_iter().map(|(c, (first, last))| (c, first, last)).collect();
        self.boxes
            .sort_by_key(|(c, ..)| self.clusters.ranks.get(c).copied().unwrap_or_default());
    }

    /// The boxes around a node, inner ones first.
    fn around(&self, node: usize) -> impl Iterator<Item = usize> {
        let outer = |c: &usize| self.clusters.cluster(*c).and_then(|cluster| cluster.parent);
        std::iter::successors(at(&self.clusters.inner, node), outer)
    }

    /// Columns as wide as their widest node, with space between them for the margins of the boxes that end there.
    fn set_columns(&mut self) {
        let count = self.columns.values().max().map_or(0, |last| last + 1);
        let spans: HashMap<usize, (usize, usize)> = self
            .boxes
            .iter()
            .map(|(c, first, last)| (*c, (*first, *last)))
            .collect();
        let mut widths = vec![0.0_f64; count];
        let (mut before, mut after) = (vec![0.0_f64; count], vec![0.0_f64; count]);
        for &node in self.nodes {
            let column = self.column(node);
            let (mut left, mut right) = (0.0, 0.0);
            for c in self.around(node) {
                let side = self.clusters.cluster(c).map_or(0.0, Cluster::side);
                let (first, last) = spans.get(&c).copied().unwrap_or_default();
                left += if first == column { side } else { 0.0 };
                right += if last == column { side } else { 0.0 };
            }
            let width = self.scene.thing(node).size.0;
            for (list, value) in [(&mut widths, width), (&mut before, left), (&mut after, right)] {
                if let Some(entry) = list.get_mut(column) {
                    *entry = entry.max(value);
                }
            }
        }
        let mut x = 0.0;
        for ((width, before), after) in widths.into_iter().zip(before).zip(after) {
            self.lefts.push(x + before);
            x += before + width + after + GAP_X;
        }
    }

    fn fill(&mut self) {
        for &node in self.nodes {
            let column = self.column(node);
            let item = Item {
                first: column,
                last: column,
                height: self.scene.thing(node).size.1,
            };
            self.hold(at(&self.clusters.inner, node), Part::Node(node), item);
        }
        for (c, first, last) in self.boxes.clone() {
            let parent = self.clusters.cluster(c).and_then(|cluster| cluster.parent);
            let item = Item {
                first,
                last,
                height: 0.0,
            };
            self.hold(parent, Part::Box(c), item);
        }
    }

    fn hold(&mut self, holder: Holder, part: Part, item: Item) {
        let content = self.contents.entry(holder).or_default();
        self.number.insert(part, content.parts.len());
        content.parts.push(part);
        content.items.push(item);
    }

    /// The containers of a node, from the inside outwards, and which part of them it is.
    fn chain(&self, node: usize) -> Vec<(Holder, usize)> {
        if self.boxes.is_empty() {
            return vec![(None, self.number.get(&Part::Node(node)).copied().unwrap_or_default())];
        }
        let mut part = Part::Node(node);
        let mut chain = Vec::new();
        for holder in self.around(node).map(Some).chain([None]) {
            chain.push((holder, self.number.get(&part).copied().unwrap_or_default()));
            if let Some(c) = holder {
                part = Part::Box(c);
            }
        }
        chain
    }

    /// Each link belongs to the innermost container of both its ends.
    fn bind(&mut self, lines: &[usize]) {
        for &number in lines {
            let Some(line) = self.scene.lines.get(number) else {
                continue;
            };
            if !(self.columns.contains_key(&line.from) && self.columns.contains_key(&line.to)) {
                continue;
            }
            let (from, to) = (self.chain(line.from), self.chain(line.to));
            let common = from.iter().find_map(|(holder, left)| {
                let (_, right) = to.iter().find(|(other, _)| other == holder)?;
                Some((*holder, *left, *right))
            });
            let Some((holder, left, right)) = common.filter(|(_, left, right)| left != right) else {
                continue;
            };
            let content = self.contents.entry(holder).or_default();
            let way = content.way(left, right);
            let bond = Bond {
                left,
                right,
                line: number,
                way,
            };
            content.bonds.push(bond);
        }
    }

    /// Stacks every box from the inside outwards, then the piece.
    fn stack_all(&mut self) {
        self.tops = self.nodes.iter().map(|node| (*node, 0.0)).collect();
        for (c, ..) in self.boxes.clone().into_iter().rev() {
            let Some(cluster) = self.clusters.cluster(c) else {
                continue;
            };
            let height = self.stack_one(Some(c), cluster.top());
            if let Some(first) = cluster.members.first() {
                let below = self.top(*first);
                self.inside.insert(c, (*first, below));
            }
            let number = self.number.get(&Part::Box(c)).copied().unwrap_or_default();
            if let Some(item) = self
                .contents
                .get_mut(&cluster.parent)
                .and_then(|content| content.items.get_mut(number))
            {
                item.height = height + cluster.top() + cluster.side();
            }
        }
        self.stack_one(None, 0.0);
    }

    /// Stacks one container; returns the height of its content.
    fn stack_one(&mut self, holder: Holder, pad: f64) -> f64 {
        let Some(content) = self.contents.get(&holder) else {
            return 0.0;
        };
        let top = |node: usize| self.top(node);
        let ties: Vec<Tie> = content
            .bonds
            .iter()
            .filter_map(|bond| {
                let line = self.scene.lines.get(bond.line)?;
                let tie = Tie {
                    left: bond.left,
                    right: bond.right,
                    left_y: top(line.from) + line.from_y,
                    right_y: top(line.to) + line.to_y,
                };
                Some(tie.over(bond.way))
            })
            .flatten()
            .collect();
        let pulls: Vec<Pull> = content
            .reaches
            .iter()
            .map(|reach| Pull {
                item: reach.part,
                item_y: top(reach.node) + reach.node_y,
                y: reach.y,
            })
            .collect();
        let (tops, height) = stack(&content.items, &ties, &pulls, self.lefts.len());
        for (part, place) in content.parts.iter().zip(&tops) {
            let nodes = match part {
                Part::Node(node) => std::slice::from_ref(node),
                Part::Box(c) => self.clusters.cluster(*c).map_or(&[][..], |cluster| &cluster.members),
            };
            for node in nodes {
                if let Some(top) = self.tops.get_mut(node) {
                    *top += place + pad;
                }
            }
        }
        height
    }

    /// Records for every container where its outgoing links end; returns false when there are none.
    fn reach(&mut self, lines: &[usize]) -> bool {
        let lines = lines.iter().filter_map(|line| self.scene.lines.get(*line));
        let ends: Vec<End> = lines
            .flat_map(|line| {
                let there = End {
                    node: line.from,
                    node_y: line.from_y,
                    other: line.to,
                    other_y: line.to_y,
                };
                [there, there.turned()]
            })
            .filter(|end| self.tops.contains_key(&end.node))
            .collect();
        // Placed nodes are taken to be level with the piece on average.
        let outside = ends.iter().filter_map(|end| {
            let (_, y) = self.scene.thing(end.other).place?;
            Some(y + end.other_y - self.top(end.node) - end.node_y)
        });
        let (sum, count) = outside.fold((0.0, 0.0), |(sum, count), y| (sum + y, count + 1.0));
        let offset = if count > 0.0 { sum / count } else { 0.0 };
        let mut found: Vec<(Holder, Reach)> = Vec::new();
        for end in ends {
            if self.boxes.is_empty() && self.tops.contains_key(&end.other) {
                continue; // both ends are in the piece itself
            }
            let placed = self.scene.thing(end.other).place;
            let (y, others) = match (self.tops.get(&end.other), placed) {
                (Some(top), _) => (*top, self.chain(end.other)),
                (None, Some((_, top))) => (top - offset, Vec::new()),
                (None, None) => continue,
            };
            for (holder, part) in self.chain(end.node) {
                if others.iter().any(|(other, _)| *other == holder) {
                    break;
                }
                let start = holder.map_or(0.0, |c| {
                    let (first, below) = self.inside.get(&c).copied().unwrap_or_default();
                    self.top(first) - below + self.clusters.cluster(c).map_or(0.0, Cluster::top)
                });
                let reach = Reach {
                    part,
                    node: end.node,
                    node_y: end.node_y,
                    y: y + end.other_y - start,
                };
                found.push((holder, reach));
            }
        }
        let any = !found.is_empty();
        for (holder, reach) in found {
            self.contents.entry(holder).or_default().reaches.push(reach);
        }
        any
    }

    fn top(&self, node: usize) -> f64 {
        self.tops.get(&node).copied().unwrap_or_default()
    }

    fn block(&self) -> Block {
        let place = |node: usize| {
            let left = at(&self.lefts, self.column(node));
            (left, self.top(node))
        };
        let places: Vec<(usize, (f64, f64))> = self.nodes.iter().map(|node| (*node, place(*node))).collect();
        let rect = |node: usize| Rect::new(place(node), self.scene.thing(node).size);
        let mut outlines: HashMap<usize, Rect> = HashMap::new();
        let rects = |part: &Part, outlines: &HashMap<usize, Rect>| match part {
            Part::Node(node) => Some(rect(*node)),
            Part::Box(c) => outlines.get(c).copied(),
        };
        for (c, ..) in self.boxes.iter().rev() {
            let parts = self.contents.get(&Some(*c)).map_or(&[][..], |content| &content.parts);
            let inner = parts
                .iter()
                .filter_map(|part| rects(part, &outlines))
                .reduce(Rect::union);
            if let (Some(inner), Some(cluster)) = (inner, self.clusters.cluster(*c)) {
                outlines.insert(*c, cluster.around(inner));
            }
        }
        let parts = self.contents.get(&None).map_or(&[][..], |content| &content.parts);
        Block {
            shape: parts.iter().filter_map(|part| rects(part, &outlines)).collect(),
            places,
        }
    }
}
