//! Clusters that stay together: frames, and zones from their input to their output.

use foldhash::{HashMap, HashMapExt};

use super::scene::{Rect, Scene};
use super::table::at;

/// Margin of a frame around its content, and above it for its label; Blender draws 30 units and a line of text.
const FRAME_PAD: f64 = 30.0;
const FRAME_TOP: f64 = 54.0;
/// The same for the outline of a zone.
const ZONE_PAD: f64 = 20.0;

/// A frame or a zone.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    /// Every node in it, at any depth, in tree order, without frames that are not empty.
    pub members: Vec<usize>,
    /// Input and output node when it is a zone.
    pub zone: Option<(usize, usize)>,
    /// The frame when it is one.
    pub frame: Option<usize>,
    /// The cluster around it among those that are drawn as boxes.
    pub parent: Option<usize>,
}

impl Cluster {
    pub(super) fn side(&self) -> f64 {
        if self.zone.is_some() { ZONE_PAD } else { FRAME_PAD }
    }

    pub(super) fn top(&self) -> f64 {
        if self.zone.is_some() { ZONE_PAD } else { FRAME_TOP }
    }

    /// The box around `inner`.
    pub(super) fn around(&self, inner: Rect) -> Rect {
        inner.grown(self.side(), self.top(), self.side())
    }
}

/// Frames, outer before inner, then zones in tree order.
pub(super) fn find(scene: &Scene) -> Vec<Cluster> {
    let mut all = frames(scene);
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); scene.things.len()];
    for line in &scene.lines {
        if let Some(list) = next.get_mut(line.from) {
            list.push(line.to);
        }
    }
    all.extend(scene.zones.iter().map(|&(input, output)| Cluster {
        members: dependents(input, output, &next),
        zone: Some((input, output)),
        frame: None,
        parent: None,
    }));
    all
}

fn frames(scene: &Scene) -> Vec<Cluster> {
    let mut number: HashMap<usize, usize> = HashMap::new();
    let mut all: Vec<Cluster> = Vec::new();
    for (i, thing) in scene.things.iter().enumerate() {
        if thing.holder {
            number.insert(i, all.len());
            all.push(Cluster {
                members: Vec::new(),
                zone: None,
                frame: Some(i),
                parent: None,
            });
        }
    }
    for (i, _) in scene.things.iter().enumerate().filter(|(_, thing)| !thing.holder) {
        for frame in above(scene, i, all.len()) {
            if let Some(cluster) = number.get(&frame).and_then(|at| all.get_mut(*at)) {
                cluster.members.push(i);
            }
        }
    }
    let count = all.len();
    all.retain(|cluster| !cluster.members.is_empty());
    all.sort_by_cached_key(|cluster| cluster.frame.map_or(0, |frame| above(scene, frame, count).count()));
    all
}

/// The frames around a node, inner ones first. Ends even in a damaged tree whose frames form a cycle.
fn above(scene: &Scene, node: usize, frames: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(scene.thing(node).frame, |frame| scene.thing(*frame).frame).take(frames)
}

/// The ends of a zone and everything that depends on its input: the nodes that Blender considers inside.
fn dependents(input: usize, output: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut inside = vec![false; next.len()];
    let mut open = vec![input];
    let mut members = vec![input, output];
    for end in [input, output] {
        if let Some(seen) = inside.get_mut(end) {
            *seen = true;
        }
    }
    while let Some(node) = open.pop() {
        for &follower in next.get(node).into_iter().flatten() {
            if let Some(seen) = inside.get_mut(follower).filter(|seen| !**seen) {
                *seen = true;
                members.push(follower);
                open.push(follower);
            }
        }
    }
    members.sort_unstable();
    members
}

/// The clusters, sorted by how they can be laid out.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    pub all: Vec<Cluster>,
    /// Those that are laid out as boxes: all their nodes are free, and no two of them overlap partially. Outer ones first.
    pub boxes: Vec<usize>,
    /// Position of each box in that list, by number of the cluster.
    pub ranks: HashMap<usize, usize>,
    /// The zones that contain each node.
    pub zones: Vec<Vec<usize>>,
    /// Innermost box of each node.
    pub inner: Vec<Option<usize>>,
    /// Clusters with fixed nodes that contain this node.
    pub homes: Vec<Vec<usize>>,
    /// Their present outline.
    pub outlines: HashMap<usize, Rect>,
}

impl Clusters {
    pub(super) fn new(scene: &Scene) -> Self {
        let all = find(scene);
        let mut homes: Vec<Vec<usize>> = vec![Vec::new(); scene.things.len()];
        let mut zones = homes.clone();
        for (c, cluster) in all.iter().enumerate().filter(|(_, cluster)| cluster.zone.is_some()) {
            for member in &cluster.members {
                if let Some(list) = zones.get_mut(*member) {
                    list.push(c);
                }
            }
        }
        let mut open = Vec::new();
        for (c, cluster) in all.iter().enumerate() {
            if cluster.members.iter().all(|member| scene.thing(*member).free) {
                open.push(c);
                continue;
            }
            for member in &cluster.members {
                if let Some(list) = homes.get_mut(*member) {
                    list.push(c);
                }
            }
        }
        let mut clusters = Self {
            outlines: outlines(scene, &all),
            inner: vec![None; scene.things.len()],
            boxes: Vec::new(),
            ranks: HashMap::new(),
            zones,
            all,
            homes,
        };
        clusters.choose(open);
        clusters
    }

    pub(super) fn cluster(&self, c: usize) -> Option<&Cluster> {
        self.all.get(c)
    }

    /// Accepts frames and then zones as boxes if they are nested or disjoint. A zone that a frame cuts in two cannot be a box.
    fn choose(&mut self, open: Vec<usize>) {
        let mut within: Vec<Vec<usize>> = vec![Vec::new(); self.inner.len()];
        for c in open {
            let Some(cluster) = self.all.get(c) else { continue };
            let home = |member: &usize| self.homes.get(*member);
            let first = cluster.members.first().and_then(home);
            let one_home = cluster.members.iter().all(|member| home(member) == first);
            let mut shared: HashMap<usize, usize> = HashMap::new();
            for other in cluster.members.iter().filter_map(|m| within.get(*m)).flatten() {
                *shared.entry(*other).or_default() += 1;
            }
            let size = |c: &usize| self.all.get(*c).map_or(0, |other| other.members.len());
            let nested = shared
                .iter()
                .all(|(other, count)| *count == size(other) || *count == cluster.members.len());
            if one_home && nested {
                for member in &cluster.members {
                    if let Some(list) = within.get_mut(*member) {
                        list.push(c);
                    }
                }
                self.boxes.push(c);
            }
        }
        let size = |c: &usize| std::cmp::Reverse(self.all.get(*c).map_or(0, |cluster| cluster.members.len()));
        let mut boxes = std::mem::take(&mut self.boxes);
        boxes.sort_by_key(size);
        for c in &boxes {
            let Some(cluster) = self.all.get_mut(*c) else { continue };
            cluster.parent = cluster.members.first().and_then(|member| at(&self.inner, *member));
            for member in &cluster.members {
                if let Some(inner) = self.inner.get_mut(*member) {
                    *inner = Some(*c);
                }
            }
        }
        self.ranks = boxes.iter().enumerate().map(|(rank, c)| (*c, rank)).collect();
        self.boxes = boxes;
    }
}

/// The outlines of clusters with placed nodes, around these nodes.
fn outlines(scene: &Scene, all: &[Cluster]) -> HashMap<usize, Rect> {
    let mut found: HashMap<usize, Rect> = HashMap::new();
    let mut of_frame: HashMap<usize, Rect> = HashMap::new();
    // Inner frames come after outer ones, so that each frame finds its content when iterating backwards.
    for (c, cluster) in all.iter().enumerate().rev() {
        let own = cluster.members.iter().filter_map(|member| {
            let thing = scene.thing(*member);
            let nested = cluster.frame.is_some() && thing.frame != cluster.frame;
            if nested { None } else { thing.rect() }
        });
        let held = of_frame
            .iter()
            .filter(|(frame, _)| cluster.frame.is_some() && scene.thing(**frame).frame == cluster.frame)
            .map(|(_, rect)| *rect);
        if let Some(inner) = own.chain(held).reduce(Rect::union) {
            found.insert(c, cluster.around(inner));
            if let Some(frame) = cluster.frame {
                of_frame.insert(frame, cluster.around(inner));
            }
        }
    }
    found
}
