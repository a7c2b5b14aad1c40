//! The cheapest assignment of the numbers of a prompt to parameters.

use crate::library::Entry;
use crate::offers::{Offer, UNREAD};

/// In sentences with more numbers than this, each number is assigned by itself.
const TOGETHER: usize = 7;

/// The cheapest assignment of every number to its own parameter: “3 rows 5 columns” is not “rows 5”.
pub(crate) fn settle(entry: &Entry, mut offers: Vec<Offer>) -> Vec<Offer> {
    let mut items: Vec<usize> = offers.iter().map(|offer| offer.item).collect();
    items.sort_unstable();
    items.dedup();
    if items.len() > TOGETHER || entry.slots.len() > 64 {
        return offers;
    }
    let mut seen = Vec::new();
    // Sorted by cost, so the first of a pair is its cheapest.
    offers.retain(|offer| {
        let pair = (offer.item, offer.slot);
        let new = !seen.contains(&pair);
        seen.push(pair);
        new
    });
    let choices: Vec<Vec<&Offer>> = items
        .iter()
        .map(|item| offers.iter().filter(|offer| offer.item == *item).collect())
        .collect();
    // No partial sum is above that of the whole, so that a path may be given up early.
    let least = |offers: &Vec<&Offer>| offers.iter().map(|offer| offer.cost).fold(0.0, f64::min);
    let mut search = Search {
        least: choices.iter().map(least).collect(),
        choices: &choices,
        path: Vec::new(),
        best: Vec::new(),
        cost: f64::INFINITY,
        left: 200_000,
    };
    search.step(0, 0, 0.0);
    let mut chosen: Vec<Offer> = search.best.into_iter().cloned().collect();
    chosen.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    // Unassigned numbers may still fit where parameters exclude each other.
    chosen.extend(offers);
    chosen
}

struct Search<'a> {
    /// What each number costs at least.
    least: Vec<f64>,
    choices: &'a [Vec<&'a Offer>],
    path: Vec<&'a Offer>,
    best: Vec<&'a Offer>,
    cost: f64,
    left: u32,
}

impl Search<'_> {
    fn step(&mut self, item: usize, slots: u64, cost: f64) {
        if cost >= self.cost || self.left == 0 {
            return;
        }
        self.left -= 1;
        let Some(offers) = self.choices.get(item) else {
            self.cost = cost;
            self.best.clone_from(&self.path);
            return;
        };
        let least = self.least.get(item).copied().unwrap_or_default();
        for offer in offers {
            let bit = 1_u64 << offer.slot;
            if slots & bit == 0 {
                self.path.push(offer);
                self.step(item + 1, slots | bit, cost + offer.cost - least);
                self.path.pop();
            }
        }
        self.step(item + 1, slots, cost + UNREAD - least);
    }
}
