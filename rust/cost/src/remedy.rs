//! The value that would do: looked for with the whole estimate, so that whoever follows the advice is not asked again.

use std::sync::Arc;

use crate::levers::{between, rounded};
use crate::machine::{Trial, TrialAt};
use crate::{Budget, Culprit, Driver, Lever};

/// Estimates that one search may take.
const TRIES: u32 = 24;

/// The culprit with the remedy of its deciding input, or of the node that drives it; `fits` tells whether a value stays within the budget.
pub(crate) fn remedy(culprit: &Culprit, budget: Budget, fits: impl Fn(Trial) -> bool) -> Culprit {
    let mut culprit = culprit.clone();
    if let Some(lever) = &culprit.lever {
        let place = place(lever, &culprit.tree, &culprit.node);
        let remedy = search(lever, |value| {
            fits(Trial {
                at: place.clone(),
                value,
            })
        });
        if remedy.is_some() || culprit.driver.is_none() || lever.remedy.is_some() {
            culprit.lever = Some(Lever {
                remedy,
                ..lever.clone()
            });
            return culprit;
        }
    }
    if let Some(driver) = culprit.driver.clone().filter(|_| budget != Budget::NONE) {
        let place = place(&driver.lever, &driver.tree, &driver.node);
        let remedy = search(&driver.lever, |value| {
            fits(Trial {
                at: place.clone(),
                value,
            })
        });
        let lever = Lever {
            remedy,
            ..driver.lever.clone()
        };
        let helps = remedy.is_some();
        culprit.driver = Some(Arc::new(Driver {
            lever,
            ..(*driver).clone()
        }));
        if helps {
            culprit.lever = None;
        }
    }
    culprit
}

fn place(lever: &Lever, tree: &str, node: &str) -> TrialAt {
    match &lever.source {
        Some(name) => TrialAt::Modifier(Arc::clone(name)),
        None => TrialAt::Node {
            tree: tree.to_owned(),
            node: node.to_owned(),
            input: lever.input.clone(),
        },
    }
}

/// The value nearest to the present one that fits, to two digits where it is not exact.
fn search(lever: &Lever, fits: impl Fn(f64) -> bool) -> Option<f64> {
    // A value that suffices for the node alone often suffices for the whole tree.
    if let Some(near) = lever.remedy.filter(|value| fits(*value)) {
        return Some(near);
    }
    let up = lever.harmless > lever.value;
    let (mut good, mut bad) = (lever.harmless, lever.remedy.unwrap_or(lever.value));
    if !fits(good) {
        return None;
    }
    for _ in 0..TRIES {
        let middle = between(good, bad);
        let middle = if lever.whole { middle.round() } else { middle };
        if middle.total_cmp(&good).is_eq() || middle.total_cmp(&bad).is_eq() {
            break;
        }
        if fits(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    let tidy = match (up, lever.whole) {
        (true, _) => rounded(good, f64::ceil),
        (false, true) if good < 1000.0 => good,
        (false, _) => rounded(good, f64::floor),
    };
    [tidy, good].into_iter().find(|value| fits(*value))
}
