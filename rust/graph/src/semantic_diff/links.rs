//! Links that were added, removed or rerouted.

use std::collections::{HashMap, HashSet};

use super::Compared;
use crate::ir::{Link, Side};

/// A link by node IDs and identifiers as they were before.
type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

impl Compared<'_> {
    pub(super) fn links(&self, lines: &mut Vec<String>) {
        let old: Vec<(Key<'_>, &Link)> = self.before.tree.links.iter().map(|link| (plain(link), link)).collect();
        let new: Vec<(Key<'_>, &Link)> = self
            .after
            .tree
            .links
            .iter()
            .map(|link| (self.key(link), link))
            .collect();
        let was: HashMap<Key<'_>, &Link> = old.iter().copied().collect();
        let is: HashSet<Key<'_>> = new.iter().map(|(key, _)| *key).collect();
        let removed: HashSet<&str> = self.pair.nodes.removed.iter().map(|node| node.id.as_str()).collect();
        let mut lost: HashMap<(&str, &str), Vec<(Key<'_>, &Link)>> = HashMap::new();
        for (key, link) in &old {
            if !is.contains(key) {
                lost.entry((key.2, key.3)).or_default().push((*key, link));
            }
        }
        let mut added = Vec::new();
        for (key, link) in &new {
            match was.get(key) {
                Some(earlier) if earlier.muted != link.muted => {
                    let verb = if link.muted { "Muted" } else { "Unmuted" };
                    added.push(format!("{verb} the link {}", self.way(link)));
                }
                Some(_) => {}
                None => {
                    let single = link.sort.is_none();
                    let former = lost.get_mut(&(key.2, key.3)).filter(|_| single).and_then(Vec::pop);
                    added.push(match former {
                        Some((_, earlier)) => format!(
                            "Rewired {}: from {} instead of {}",
                            self.after_end(link, Side::Input),
                            self.after_end(link, Side::Output),
                            self.before_end(earlier, Side::Output)
                        ),
                        None => format!("Linked {}", self.way(link)),
                    });
                }
            }
        }
        for (key, link) in &old {
            // Links of a removed node are not reported separately.
            let implied = removed.contains(key.0) || removed.contains(key.2);
            let still = lost
                .get(&(key.2, key.3))
                .is_some_and(|rest| rest.iter().any(|(other, _)| other == key));
            if still && !implied && !self.socket_gone(key) {
                lines.push(format!(
                    "Unlinked {} from {}",
                    self.before_end(link, Side::Output),
                    self.before_end(link, Side::Input)
                ));
            }
        }
        lines.extend(added);
        self.reordered(&old, &new, lines);
    }

    /// Links into one multi-input whose common part is now in another order.
    fn reordered(&self, old: &[(Key<'_>, &Link)], new: &[(Key<'_>, &Link)], lines: &mut Vec<String>) {
        let place: HashMap<Key<'_>, usize> = old.iter().enumerate().map(|(at, (key, _))| (*key, at)).collect();
        let mut last: HashMap<(&str, &str), usize> = HashMap::new();
        let mut reported = HashSet::new();
        for (key, link) in new.iter().filter(|(_, link)| link.sort.is_some()) {
            let Some(at) = place.get(key) else { continue };
            let end = (key.2, key.3);
            let greatest = last.entry(end).or_insert(*at);
            if at < greatest && reported.insert(end) {
                lines.push(format!(
                    "Reordered the links into {}",
                    self.after_end(link, Side::Input)
                ));
            }
            *greatest = (*greatest).max(*at);
        }
    }

    fn key<'k>(&'k self, link: &'k Link) -> Key<'k> {
        let (from, to) = (self.after.model.node(&link.from.0), self.after.model.node(&link.to.0));
        (
            self.id_before(&link.from.0),
            self.socket_before(from, &link.from.1),
            self.id_before(&link.to.0),
            self.socket_before(to, &link.to.1),
        )
    }

    /// Whether the links were removed together with their interface item.
    fn socket_gone(&self, key: &Key<'_>) -> bool {
        let gone = |id: &str, kind: &str, identifier: &str| {
            let items = &self.pair.items.removed;
            self.before.model.node(id).is_some_and(|node| node.kind == kind)
                && items.iter().any(|item| item.identifier == identifier)
        };
        gone(key.0, crate::sockets::GROUP_INPUT_TYPE, key.1) || gone(key.2, crate::sockets::GROUP_OUTPUT_TYPE, key.3)
    }

    fn way(&self, link: &Link) -> String {
        format!(
            "{} to {}",
            self.after_end(link, Side::Output),
            self.after_end(link, Side::Input)
        )
    }

    fn after_end(&self, link: &Link, side: Side) -> String {
        end(&self.after, link, side)
    }

    fn before_end(&self, link: &Link, side: Side) -> String {
        end(&self.before, link, side)
    }
}

/// `“Node” Socket`.
fn end(view: &super::View<'_>, link: &Link, side: Side) -> String {
    let (id, identifier) = match side {
        Side::Output => &link.from,
        Side::Input => &link.to,
    };
    let socket = view
        .model
        .node(id)
        .map_or_else(|| identifier.clone(), |node| view.socket_name(node, side, identifier));
    format!("{} {socket}", view.node(id))
}

fn plain(link: &Link) -> Key<'_> {
    (&link.from.0, &link.from.1, &link.to.0, &link.to.1)
}
