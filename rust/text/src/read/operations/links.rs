//! Operations that make, order and remove links.

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use geonode_graph::ir::{Side, Tree};
use geonode_protocol::{Endpoint, Link, NodeTreeOp, OrderLinks, Unlink};

use super::Writing;
use crate::read::draft::End;
use crate::read::reader::Reader;

impl Reader<'_, '_, '_> {
    pub(super) fn unlink(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let wanted: HashSet<(&End, &End)> = self.draft.links().map(|(_, wire)| (&wire.from, &wire.to)).collect();
        let mut all = Vec::new();
        for link in &before.links {
            if wanted.contains(&(&link.from, &link.to))
                || !self.stays(&link.from.0, written)
                || !self.stays(&link.to.0, written)
            {
                continue;
            }
            let at = self.place_of(&link.to.0, &link.to.1);
            let op = Unlink {
                from: Endpoint {
                    node_id: link.from.0.clone(),
                    socket: link.from.1.clone(),
                },
                to: Endpoint {
                    node_id: link.to.0.clone(),
                    socket: link.to.1.clone(),
                },
            };
            all.push((NodeTreeOp::Unlink(op), at));
        }
        written.out.tree.extend(all);
    }

    pub(super) fn links(&mut self, before: &Tree, written: &mut Writing<'_>) {
        let mut kept: HashMap<End, Vec<End>> = HashMap::new();
        let mut there: HashSet<(&End, &End)> = HashSet::new();
        let mut muted: HashSet<(&End, &End)> = HashSet::new();
        let wanted: Vec<_> = self.draft.links_as_made().cloned().collect();
        let pairs: HashSet<(&End, &End)> = wanted.iter().map(|wire| (&wire.from, &wire.to)).collect();
        for link in &before.links {
            let pair = (&link.from, &link.to);
            if pairs.contains(&pair) && self.stays(&link.from.0, written) && self.stays(&link.to.0, written) {
                there.insert(pair);
                if link.muted {
                    muted.insert(pair);
                }
                kept.entry(link.to.clone()).or_default().push(link.from.clone());
            }
        }
        for wire in &wanted {
            let pair = (&wire.from, &wire.to);
            let toggles = wire.muted != muted.contains(&pair);
            if there.contains(&pair) {
                if !toggles {
                    continue;
                }
            } else {
                kept.entry(wire.to.clone()).or_default().push(wire.from.clone());
            }
            let op = Link {
                from: self.endpoint(&wire.from, Side::Output),
                to: self.endpoint(&wire.to, Side::Input),
                muted: toggles.then_some(wire.muted),
            };
            written.out.tree.push((NodeTreeOp::Link(op), wire.at));
        }
        let mut orders: HashMap<&End, (Vec<&End>, usize)> = HashMap::new();
        for (_, wire) in self.draft.links_in_order() {
            let entry = orders.entry(&wire.to).or_insert_with(|| (Vec::new(), wire.at));
            entry.0.push(&wire.from);
        }
        let mut seen = HashSet::new();
        for wire in &wanted {
            let Some((order, at)) = orders
                .get(&wire.to)
                .filter(|(order, _)| order.len() > 1 && seen.insert(&wire.to))
            else {
                continue;
            };
            // Of links that nothing orders, the one that is made last is evaluated first.
            if kept.get(&wire.to).into_iter().flatten().rev().eq(order.iter().copied()) {
                continue;
            }
            let op = OrderLinks {
                node_id: wire.to.0.clone(),
                socket: self.socket_word(&wire.to, Side::Input),
                from: order.iter().map(|from| self.endpoint(from, Side::Output)).collect(),
            };
            written.out.tree.push((NodeTreeOp::OrderLinks(op), *at));
        }
    }
}
