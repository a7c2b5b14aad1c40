//! In which order Blender shows the items of an interface.

use crate::ir::{Item, ItemKind, Side};

/// Where an item stands among those beside it.
fn level(item: &Item) -> u8 {
    match (item.kind, item.in_out) {
        (ItemKind::Socket, Some(Side::Output)) => 0,
        (ItemKind::Socket, _) => 1,
        (ItemKind::Panel, _) => 2,
    }
}

/// The items with what is in each panel behind it; outputs above inputs, and these above panels, as Blender keeps them.
pub fn shown(items: &[Item]) -> Vec<Item> {
    let within = |parent: Option<&String>| -> Vec<usize> {
        let inside = items.iter().enumerate();
        let mut all: Vec<usize> = inside
            .filter(|(_, item)| item.parent.as_ref() == parent)
            .map(|(at, _)| at)
            .collect();
        all.sort_by_key(|at| items.get(*at).map(level));
        all
    };
    let mut open: Vec<usize> = within(None).into_iter().rev().collect();
    let mut order = Vec::with_capacity(items.len());
    while let Some(at) = open.pop() {
        order.push(at);
        if let Some(panel) = items.get(at).filter(|item| item.kind == ItemKind::Panel) {
            open.extend(within(Some(&panel.identifier)).into_iter().rev());
        }
    }
    order.into_iter().filter_map(|at| items.get(at).cloned()).collect()
}
