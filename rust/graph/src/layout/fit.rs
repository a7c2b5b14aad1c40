//! The place of a laid-out piece among placed nodes: beside its neighbours, clear of everything, outside foreign clusters.

use foldhash::HashMap;

use super::block::{Block, GAP_X};
use super::clusters::Clusters;
use super::scene::{Line, Rect, Scene, Thing};
use super::stack::GAP_Y;

/// Place for new nodes without links to placed nodes: right of everything.
const ASIDE: f64 = 400.0;

/// Areas that are occupied.
#[derive(Debug, Default)]
pub(super) struct Taken {
    rects: Vec<Rect>,
}

impl Taken {
    pub(super) fn new(scene: &Scene) -> Self {
        Self {
            rects: scene.things.iter().filter_map(Thing::rect).collect(),
        }
    }

    /// Areas that a piece of this home must not touch: placed nodes, and clusters to which it does not belong.
    fn around(&self, clusters: &Clusters, home: &[usize]) -> Vec<Rect> {
        let foreign = clusters.outlines.iter().filter(|(c, _)| !home.contains(c));
        foreign
            .map(|(_, rect)| *rect)
            .chain(self.rects.iter().copied())
            .collect()
    }
}

/// Places every node of the piece. `lines` are the links that touch it, `home` the clusters that contain it and whose other
/// nodes do not move.
pub(super) fn fit(
    scene: &mut Scene,
    clusters: &mut Clusters,
    taken: &mut Taken,
    block: &Block,
    lines: &[Line],
    home: &[usize],
) {
    let around = taken.around(clusters, home);
    let (x, y) = preferred(scene, block, lines);
    let outline = home
        .iter()
        .filter_map(|c| clusters.outlines.get(c))
        .copied()
        .reduce(smaller);
    let (x, y) = match outline {
        Some(outline) => beside(block, &around, outline, (x, y)),
        None => (x, y + clear(block, &around, x, y)),
    };
    for (node, (left, top)) in &block.places {
        if let Some(thing) = scene.things.get_mut(*node) {
            thing.place = Some((left + x, top + y));
        }
    }
    for rect in &block.shape {
        taken.rects.push(rect.moved(x, y));
    }
    if let Some(own) = bounds(block) {
        for c in home {
            if let (Some(cluster), Some(outline)) = (clusters.all.get(*c), clusters.outlines.get_mut(c)) {
                *outline = outline.union(cluster.around(own.moved(x, y)));
            }
        }
    }
}

fn smaller(a: Rect, b: Rect) -> Rect {
    let size = |rect: Rect| (rect.right - rect.left) * (rect.bottom - rect.top);
    if size(b) < size(a) { b } else { a }
}

fn bounds(block: &Block) -> Option<Rect> {
    block.shape.iter().copied().reduce(Rect::union)
}

/// The preferred place: left of the nodes that it feeds, else right of those that feed it, at the height that makes the links level.
fn preferred(scene: &Scene, block: &Block, lines: &[Line]) -> (f64, f64) {
    let places: HashMap<usize, (f64, f64)> = block.places.iter().copied().collect();
    let own = |node: usize| places.get(&node).copied();
    let (mut latest, mut earliest) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut sum, mut count) = (0.0, 0.0);
    for line in lines {
        let (from, to) = (scene.thing(line.from), scene.thing(line.to));
        if let (Some((left, top)), Some(place)) = (own(line.from), to.place) {
            latest = latest.min(place.0 - GAP_X - from.size.0 - left);
            sum += place.1 + line.to_y - top - line.from_y;
            count += 1.0;
        }
        if let (Some((left, top)), Some(place)) = (own(line.to), from.place) {
            earliest = earliest.max(place.0 + from.size.0 + GAP_X - left);
            sum += place.1 + line.from_y - top - line.to_y;
            count += 1.0;
        }
    }
    let area = bounds(block).unwrap_or(Rect::new((0.0, 0.0), (0.0, 0.0)));
    let beyond = scene.things.iter().filter_map(Thing::rect).map(|rect| rect.right);
    let x = if latest.is_finite() {
        latest
    } else if earliest.is_finite() {
        earliest
    } else {
        beyond.max_by(f64::total_cmp).map_or(0.0, |right| right + ASIDE) - area.left
    };
    let y = if count > 0.0 {
        sum / count
    } else {
        -f64::midpoint(area.top, area.bottom)
    };
    (x, y)
}

/// The smallest vertical shift from (`x`, `y`) at which the piece touches nothing.
fn clear(block: &Block, taken: &[Rect], x: f64, y: f64) -> f64 {
    let mut blocked: Vec<(f64, f64)> = Vec::new();
    for own in &block.shape {
        let own = own.moved(x, y);
        let beside = |rect: &&Rect| rect.left < own.right + GAP_Y && own.left < rect.right + GAP_Y;
        for rect in taken.iter().filter(beside) {
            blocked.push((rect.top - GAP_Y - own.bottom, rect.bottom + GAP_Y - own.top));
        }
    }
    blocked.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The interval of blocked shifts around 0, if there is one.
    let (mut best, mut reach) = (0.0_f64, f64::NEG_INFINITY);
    let (mut start, mut found) = (0.0, false);
    for (from, to) in blocked {
        if from >= reach {
            if found {
                break;
            }
            start = from;
            reach = to;
        } else {
            reach = reach.max(to);
        }
        found = start < 0.0 && reach > 0.0;
    }
    if found {
        best = if -start < reach { start } else { reach };
    }
    best
}

/// The preferred place where the cluster around it stays free of foreign things, else the best side of its outline.
fn beside(block: &Block, taken: &[Rect], outline: Rect, preferred: (f64, f64)) -> (f64, f64) {
    let Some(area) = bounds(block) else { return preferred };
    let foreign = |place: (f64, f64)| {
        let grown = outline.union(area.moved(place.0, place.1));
        taken
            .iter()
            .filter(|rect| rect.meets(grown) && !rect.meets(outline))
            .count()
    };
    let x = preferred.0.clamp(
        outline.left - area.left,
        (outline.left - area.left).max(outline.right - area.right),
    );
    let level = outline.top - area.top;
    let sides = [
        preferred,
        (x, outline.bottom + GAP_Y - area.top),
        (x, outline.top - GAP_Y - area.bottom),
        (outline.left - GAP_X - area.right, level),
        (outline.right + GAP_X - area.left, level),
    ];
    let mut best = (usize::MAX, preferred);
    for (x, y) in sides {
        let place = (x, y + clear(block, taken, x, y));
        let count = foreign(place);
        if count < best.0 {
            best = (count, place);
        }
    }
    best.1
}
