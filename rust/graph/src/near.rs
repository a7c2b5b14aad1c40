//! “Did you mean”: the nearest name, or none if no name is near.

use crate::catalogue::fold;

/// The name most similar to `wanted`; `None` when even the best one is too different.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let wanted = fold(&clipped(wanted));
    names
        .into_iter()
        .map(|name| (score(&wanted, &fold(&clipped(name))), name))
        .filter(|(score, _)| *score >= 0.72)
        .max_by(|(a, left), (b, right)| a.total_cmp(b).then_with(|| right.cmp(left)))
        .map(|(_, name)| name.to_owned())
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
