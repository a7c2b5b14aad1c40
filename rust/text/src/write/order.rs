//! The order of a page: what a line uses stands above it, the nodes of a zone stand together.

use geonode_graph::ir::MAX_NESTED;

use super::sheet::Sheet;

/// A zone of the tree.
#[derive(Debug)]
pub(super) struct Zone {
    /// Place of the input node.
    pub input: usize,
    /// Place of the output node.
    pub output: usize,
    /// The zone around it.
    pub around: Option<usize>,
}

/// What has lines of its own: a node, or a zone with all that is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// A node by its place in the tree.
    Node(usize),
    /// A zone by its number.
    Zone(usize),
}

/// Zones, and the units in each of them and outside, in the order of the page.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The zones of the tree.
    pub zones: Vec<Zone>,
    /// Units outside of zones.
    pub outside: Vec<Unit>,
    /// Units in each zone.
    pub inside: Vec<Vec<Unit>>,
    /// Whether links lead in a ring, so that some line comes before what it uses.
    pub ring: bool,
    /// The zone in which each node lies; the ends of a zone lie in it.
    zone_of: Vec<Option<usize>>,
    /// The place on the page of each node that has a line.
    ranks: Vec<usize>,
}

impl Order {
    pub(super) fn new(sheet: &Sheet<'_>) -> Self {
        let count = sheet.tree.nodes.len();
        let mut order = Self {
            zone_of: vec![None; count],
            ..Self::default()
        };
        order.find_zones(sheet);
        order.sort(sheet);
        order.ranks = vec![usize::MAX; count];
        let mut next = 0;
        order.rank(&order.outside.clone(), &mut next);
        order
    }

    /// The place of a node's line on the page; those without one are last.
    pub(super) fn rank_of(&self, at: usize) -> usize {
        self.ranks.get(at).copied().unwrap_or(usize::MAX)
    }

    fn rank(&mut self, units: &[Unit], next: &mut usize) {
        for unit in units {
            let (ends, inside) = match unit {
                Unit::Node(at) => (vec![*at], Vec::new()),
                Unit::Zone(zone) => (
                    self.zones
                        .get(*zone)
                        .map_or_else(Vec::new, |zone| vec![zone.input, zone.output]),
                    self.inside.get(*zone).cloned().unwrap_or_default(),
                ),
            };
            for at in ends {
                if let Some(slot) = self.ranks.get_mut(at) {
                    *slot = *next;
                    *next += 1;
                }
            }
            self.rank(&inside, next);
        }
    }

    /// The zone in which a node is written.
    pub(super) fn zone_of(&self, at: usize) -> Option<usize> {
        self.zone_of.get(at).copied().flatten()
    }

    /// The zone and those around it, from the inside.
    pub(super) fn chain(&self, zone: Option<usize>) -> impl Iterator<Item = usize> {
        let next = |zone: &usize| self.zones.get(*zone).and_then(|zone| zone.around);
        std::iter::successors(zone, next)
    }

    fn find_zones(&mut self, sheet: &Sheet<'_>) {
        let count = sheet.tree.nodes.len();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for input in 0..count {
            let Some(output) = sheet.begins_zone(input) else {
                continue;
            };
            let after = reached(sheet, input, output, true);
            let before = reached(sheet, output, input, false);
            let both = |at: &usize| after.get(*at) == Some(&true) && before.get(*at) == Some(&true);
            members.push((0..count).filter(both).collect());
            self.zones.push(Zone {
                input,
                output,
                around: None,
            });
        }
        // The smallest zone that contains a node is the innermost: the larger ones are written over by it.
        let mut by_size: Vec<usize> = (0..self.zones.len()).collect();
        by_size.sort_by_key(|zone| (std::cmp::Reverse(members.get(*zone).map_or(0, Vec::len)), *zone));
        let mut depths: Vec<usize> = vec![0; self.zones.len()];
        for zone in by_size {
            let Some((input, output)) = self.zones.get(zone).map(|zone| (zone.input, zone.output)) else {
                continue;
            };
            // A zone that takes something from another from the inside ends in that one, wherever it begins.
            let around = self.zone_of(output);
            let depth = around
                .and_then(|around| depths.get(around))
                .map_or(0, |depth| depth + 1);
            let around = around.filter(|_| depth <= MAX_NESTED);
            if let (Some(found), Some(slot)) = (self.zones.get_mut(zone), depths.get_mut(zone)) {
                found.around = around;
                *slot = around.map_or(0, |_| depth);
            }
            for at in members.get(zone).into_iter().flatten().chain([&input, &output]) {
                // The ends of another zone stay in that zone.
                if let Some(slot) = self.zone_of.get_mut(*at) {
                    *slot = Some(zone);
                }
            }
        }
        for (number, zone) in self.zones.iter().enumerate() {
            for at in [zone.input, zone.output] {
                if let Some(slot) = self.zone_of.get_mut(at) {
                    *slot = Some(number);
                }
            }
        }
    }

    /// The unit of a node, and the units around it, from the outside.
    fn units(&self, sheet: &Sheet<'_>, at: usize) -> Vec<Unit> {
        let root = sheet.root(at);
        let zone = self.zone_of(root);
        let is_end = zone
            .and_then(|zone| self.zones.get(zone))
            .is_some_and(|zone| zone.input == root || zone.output == root);
        let mut units: Vec<Unit> = Vec::new();
        if !is_end {
            units.push(Unit::Node(root));
        }
        units.extend(self.chain(zone).map(Unit::Zone));
        units.reverse();
        units
    }

    /// Depth first from the group's output, then whatever it does not use.
    fn sort(&mut self, sheet: &Sheet<'_>) {
        let count = sheet.tree.nodes.len();
        let index = |unit: Unit| match unit {
            Unit::Node(at) => at,
            Unit::Zone(zone) => count + zone,
        };
        let chains: Vec<Vec<Unit>> = (0..count).map(|at| self.units(sheet, at)).collect();
        let mut needs: Vec<Vec<Unit>> = vec![Vec::new(); count + self.zones.len()];
        let mut ends: Vec<Vec<Unit>> = vec![Vec::new(); self.zones.len()];
        for (target, chain) in chains.iter().enumerate() {
            for link in sheet.links_into(target) {
                let source = sheet
                    .place(&link.from.0)
                    .and_then(|at| chains.get(at))
                    .map_or(&[][..], Vec::as_slice);
                let same = source.iter().zip(chain).take_while(|(a, b)| a == b).count();
                match (source.get(same), chain.get(same)) {
                    (Some(used), Some(unit)) => {
                        needs
                            .get_mut(index(*unit))
                            .into_iter()
                            .for_each(|list| list.push(*used));
                    }
                    // What feeds the end of a zone is where the order of its content begins.
                    (Some(used), None) => {
                        if let Some(Unit::Zone(zone)) = chain.last() {
                            ends.get_mut(*zone).into_iter().for_each(|list| list.push(*used));
                        }
                    }
                    _ => {}
                }
            }
        }
        self.inside = vec![Vec::new(); self.zones.len()];
        let output = (0..count).find(|at| sheet.variable(*at) == "group_output");
        let zones = (0..self.zones.len()).map(Unit::Zone);
        let nodes = || (0..count).filter(|at| sheet.host(*at).is_none());
        let loose = nodes().filter_map(|at| chains.get(at)?.last().copied());
        let starts: Vec<Unit> = output
            .map(Unit::Node)
            .into_iter()
            .chain(ends.into_iter().flatten())
            .chain(loose)
            .chain(zones)
            .collect();
        let mut states: Vec<u8> = vec![0; needs.len()];
        for start in starts {
            if states.get(index(start)) != Some(&0) {
                continue;
            }
            let mut stack: Vec<(Unit, usize)> = vec![(start, 0)];
            states.get_mut(index(start)).into_iter().for_each(|state| *state = 1);
            while let Some((unit, next)) = stack.pop() {
                let Some(used) = needs.get(index(unit)).and_then(|list| list.get(next)) else {
                    states.get_mut(index(unit)).into_iter().for_each(|state| *state = 2);
                    self.put(unit);
                    continue;
                };
                stack.push((unit, next + 1));
                match states.get_mut(index(*used)) {
                    Some(state @ 0) => {
                        *state = 1;
                        stack.push((*used, 0));
                    }
                    Some(1) => self.ring = true,
                    _ => {}
                }
            }
        }
    }

    fn put(&mut self, unit: Unit) {
        let around = match unit {
            Unit::Node(at) => self.zone_of(at),
            Unit::Zone(zone) => self.zones.get(zone).and_then(|zone| zone.around),
        };
        let list = match around {
            Some(zone) => self.inside.get_mut(zone),
            None => Some(&mut self.outside),
        };
        if let Some(list) = list {
            list.push(unit);
        }
    }
}

/// The nodes that links lead to from a node, or against them, without going beyond `end`.
fn reached(sheet: &Sheet<'_>, start: usize, end: usize, forward: bool) -> Vec<bool> {
    let mut known = vec![false; sheet.tree.nodes.len()];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        let links = if forward {
            sheet.links_from(at)
        } else {
            sheet.links_into(at)
        };
        for link in links {
            let next = if forward { &link.to.0 } else { &link.from.0 };
            let Some(next) = sheet.place(next).filter(|next| *next != end && *next != start) else {
                continue;
            };
            if let Some(slot @ false) = known.get_mut(next) {
                *slot = true;
                open.push(next);
            }
        }
    }
    known
}
