//! The column of each node of a piece: as far right as the nodes that it feeds allow.

use foldhash::{HashMap, HashMapExt};

use super::clusters::Clusters;
use super::scene::Scene;

/// Progress of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
}

/// Column of each node, 0 leftmost. Every link that is not part of a cycle goes at least one column to the right, and a zone's
/// output is to the right of everything in the zone.
pub(super) fn columns(scene: &Scene, clusters: &Clusters, nodes: &[usize], lines: &[usize]) -> HashMap<usize, usize> {
    let mut next: HashMap<usize, Vec<usize>> = nodes.iter().map(|node| (*node, Vec::new())).collect();
    let inside = nodes.iter().flat_map(|node| {
        let zones = clusters.zones.get(*node).into_iter().flatten();
        let ends = zones.filter_map(|c| clusters.cluster(*c)?.zone);
        ends.flat_map(move |(input, output)| {
            let to_output = (*node != output).then_some((*node, output));
            let from_input = (*node != input && *node != output).then_some((input, *node));
            [to_output, from_input]
        })
    });
    let linked = lines
        .iter()
        .filter_map(|line| scene.lines.get(*line))
        .map(|line| (line.from, line.to));
    for (from, to) in linked.chain(inside.flatten()) {
        if next.contains_key(&to)
            && let Some(list) = next.get_mut(&from)
        {
            list.push(to);
        }
    }
    let mut distance: HashMap<usize, usize> = HashMap::new();
    let mut state: HashMap<usize, State> = HashMap::new();
    // Depth first without recursion: a node is done when all nodes that it feeds are; reaching an open one closes a cycle.
    for &start in nodes {
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((node, step)) = path.pop() {
            if step == 0 && state.contains_key(&node) {
                continue;
            }
            state.insert(node, State::Open);
            match next.get(&node).and_then(|list| list.get(step)) {
                Some(&follower) => {
                    path.push((node, step + 1));
                    if !state.contains_key(&follower) {
                        path.push((follower, 0));
                    }
                }
                None => {
                    let followers = next.get(&node).into_iter().flatten();
                    let done = followers.filter(|follower| state.get(follower) == Some(&State::Done));
                    let far = done.filter_map(|follower| distance.get(follower)).max();
                    distance.insert(node, far.map_or(0, |far| far + 1));
                    state.insert(node, State::Done);
                }
            }
        }
    }
    let last = distance.values().copied().max().unwrap_or_default();
    distance
        .into_iter()
        .map(|(node, far)| (node, last - far.min(last)))
        .collect()
}
