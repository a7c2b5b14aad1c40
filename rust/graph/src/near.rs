//! “Did you mean”: the nearest name, or none if no name is near.

use crate::catalogue::fold;

/// The name most similar to `wanted`; `None` when even the best one is too different.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    scored(wanted, names)
        .into_iter()
        .next()
        .map(|(_, name)| name.to_owned())
}

/// The names that are about as similar to `wanted` as the most similar one, that first; empty when even that is too different. Names of
/// which it is a part are equal, however long they are.
pub fn alike<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let all = scored(wanted, names);
    let Some((best, first)) = all.first().copied() else {
        return Vec::new();
    };
    let wanted = fold(&clipped(wanted));
    let is_part = |name: &str| !wanted.is_empty() && fold(name).contains(&wanted) && fold(name) != wanted;
    let of_several = is_part(first);
    let is_near = |(score, name): &(f64, &str)| *score >= best - ALIKE || of_several && is_part(name);
    let near = all.into_iter().filter(is_near);
    near.take(SHOWN).map(|(_, name)| name).collect()
}

/// “Did you mean …?” with each name that may be meant; none where no name is near.
pub fn did_you_mean<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let near = alike(wanted, names).into_iter().map(|name| format!("“{name}”"));
    either(near.collect()).map(|words| format!("Did you mean {words}?"))
}

/// `a`, `a or b`, `a, b or c`.
pub fn either(mut words: Vec<String>) -> Option<String> {
    let last = words.pop()?;
    Some(if words.is_empty() {
        last
    } else {
        format!("{} or {last}", words.join(", "))
    })
}

/// How much less similar a name may be than the best one, to be named beside it.
const ALIKE: f64 = 0.05;
/// Names that are shown at most.
const SHOWN: usize = 3;

/// The names that are similar enough, the most similar one first; each once.
fn scored<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<(f64, &'a str)> {
    let wanted = fold(&clipped(wanted));
    let mut all: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (score(&wanted, &fold(&clipped(name))), name))
        .filter(|(score, _)| *score >= 0.72)
        .collect();
    all.sort_by(|(a, left), (b, right)| b.total_cmp(a).then_with(|| left.cmp(right)));
    all.dedup_by(|(_, one), (_, other)| one == other);
    all
}

/// Share of equal letters from which an equal beginning counts: long names of one family begin alike.
const MOSTLY: f64 = 0.66;

/// Similarity from 0 to 1. Edit distance is quadratic, so long names are cut first.
fn score(wanted: &str, name: &str) -> f64 {
    // Another number is another thing, not a slip: `Socket_99` is not `Socket_9`.
    let number = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (asked, has) = (number(wanted), number(name));
    if asked != has && !asked.is_empty() && !has.is_empty() {
        return 0.0;
    }
    let edits = strsim::normalized_damerau_levenshtein(wanted, name);
    let start = strsim::jaro_winkler(wanted, name);
    let part = if wanted.len() >= 4
        && !name.is_empty()
        && (name.contains(wanted) || (name.len() >= 4 && wanted.contains(name)))
    {
        0.75
    } else {
        0.0
    };
    edits.max(part).max(if edits > MOSTLY { start } else { 0.0 })
}

fn clipped(name: &str) -> String {
    name.chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::{alike, did_you_mean, nearest};

    #[test]
    fn names_that_are_equally_near_are_all_named() {
        let cone = ["vertices", "radius_top", "radius_bottom", "depth"];
        assert_eq!(
            did_you_mean("radius", cone).unwrap_or_default(),
            "Did you mean “radius_top” or “radius_bottom”?"
        );
        assert_eq!(alike("depht", cone), ["depth"]);
        assert_eq!(nearest("radius_tpo", cone).as_deref(), Some("radius_top"));
        assert_eq!(alike("radius_top", cone), ["radius_top"]);
        assert_eq!(did_you_mean("colour", cone), None);
        let sizes = ["size_x", "size_y", "size_z", "size_w"];
        assert_eq!(alike("size", sizes).len(), 3);
    }
}
