//! How far sizes differ: “20% random size” and “vary the size by ±20%” are “random scale from 0.8 to 1.2”.

use std::borrow::Cow;

const SIZES: [&str; 7] = ["size", "sizes", "sized", "scale", "scales", "scaled", "scaling"];
const VARIES: [&str; 21] = [
    "vary",
    "varies",
    "varying",
    "varied",
    "variation",
    "variations",
    "variance",
    "random",
    "randomly",
    "randomise",
    "randomises",
    "randomised",
    "randomize",
    "randomizes",
    "randomized",
    "randomness",
    "differ",
    "differs",
    "differing",
    "jitter",
    "deviation",
];
const AROUND: [&str; 10] = [
    "±",
    "+-",
    "-+",
    "+/-",
    "-/+",
    "plus",
    "minus",
    "plus-minus",
    "plus/minus",
    "+",
];
/// Words that may stand between them.
const BETWEEN: [&str; 15] = [
    "in", "of", "by", "the", "their", "its", "a", "an", "to", "up", "or", "each", "at", "most", "-",
];

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| matches!(c, ',' | '.' | ';' | '!' | '?' | '(' | ')'))
        .to_lowercase()
}

/// The share that a word such as “20%”, “±20%” or “20” before “percent” gives, and whether it says “around”.
fn share(word: &str, next: &str) -> Option<(f64, bool)> {
    let word = plain(word);
    let bare = AROUND.iter().find_map(|mark| word.strip_prefix(mark));
    let around = bare.is_some();
    let digits = bare.unwrap_or(&word);
    let percent = ["percent", "%"].contains(&plain(next).as_str());
    let digits = digits.strip_suffix('%').or(percent.then_some(digits))?;
    let share: f64 = digits.parse().ok()?;
    (share.is_finite() && share > 0.0).then_some((share / 100.0, around))
}

/// Whether a clause ends behind the word.
fn ends(word: &str) -> bool {
    word.ends_with([',', '.', ';', '!', '?'])
}

/// The prompt with how far sizes differ as a range.
pub(crate) fn written_out(prompt: &str) -> Cow<'_, str> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let is_share = |at: usize| share(word(at), word(at + 1));
    let mut shares = (0..words.len()).filter(|at| is_share(*at).is_some());
    // Two of them are a range already.
    let (Some(at), None) = (shares.next(), shares.next()) else {
        return Cow::Borrowed(prompt);
    };
    let Some((by, marked)) = is_share(at) else {
        return Cow::Borrowed(prompt);
    };
    let belongs = |at: usize| {
        let word = plain(word(at));
        let word = word.as_str();
        SIZES.contains(&word) || VARIES.contains(&word) || AROUND.contains(&word) || BETWEEN.contains(&word)
    };
    let mut start = at;
    while start > 0 && belongs(start - 1) && !ends(word(start - 1)) {
        start -= 1;
    }
    let mut end = at + 1;
    if ["percent", "%"].contains(&plain(word(end)).as_str()) {
        end += 1;
    }
    while end < words.len() && belongs(end) && !ends(word(end - 1)) {
        end += 1;
    }
    // What only joins them to the rest stays there: “… size on the ground”.
    let joins = |at: usize| BETWEEN.contains(&plain(word(at)).as_str());
    while end > at + 1 && joins(end - 1) {
        end -= 1;
    }
    let says = |list: &[&str]| (start..end).any(|at| list.contains(&plain(word(at)).as_str()));
    // “a random scale up to 20%” is not around the whole.
    let upper = says(&["to"]) && !says(&["by"]) && !marked;
    if upper || !(says(&SIZES) && (marked || says(&VARIES) || says(&AROUND))) {
        return Cow::Borrowed(prompt);
    }
    let rounded = |value: f64| (value * 1e6).round() / 1e6;
    let range = format!("random scale from {} to {}", rounded(1.0 - by), rounded(1.0 + by));
    let tail = word(end - 1);
    let stop = tail.chars().last().filter(|_| ends(tail));
    let before = words.get(..start).unwrap_or_default();
    let after = words.get(end..).unwrap_or_default();
    let mut out: Vec<String> = before.iter().map(|word| (*word).to_owned()).collect();
    out.push(range + &stop.map(String::from).unwrap_or_default());
    out.extend(after.iter().map(|word| (*word).to_owned()));
    Cow::Owned(out.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_by_which_sizes_differ_is_a_range_around_the_whole() {
        let range = "random scale from 0.8 to 1.2";
        for (prompt, written) in [
            (
                "scatter 50 pebbles with 20% random size",
                format!("scatter 50 pebbles with {range}"),
            ),
            (
                "scatter 50 pebbles with a size variation of 20 %",
                format!("scatter 50 pebbles with {range}"),
            ),
            (
                "50 pebbles on it, size varies by 20%",
                format!("50 pebbles on it, {range}"),
            ),
            ("vary the size by 20%", range.to_owned()),
            ("randomise their scale by up to 20 percent", range.to_owned()),
            ("make them 20% random in size", format!("make them {range}")),
            (
                "with a random scale of plus or minus 20%, upright",
                format!("with {range}, upright"),
            ),
            (
                "pebbles ±20% in size on the ground",
                format!("pebbles {range} on the ground"),
            ),
            ("pebbles, size +-20%", format!("pebbles, {range}")),
            ("pebbles of +/- 20% size", format!("pebbles {range}")),
        ] {
            assert_eq!(written_out(prompt), written, "{prompt}");
        }
    }

    #[test]
    fn other_shares_stay() {
        for prompt in [
            "scatter 50 pebbles at 20% of their size",
            "random size from 50% to 150%",
            "random scale between 80% and 120%",
            "scatter pebbles on 20% of the ground with random size",
            "scale them to 20%",
            "make it 20% larger",
            "set the end to 50%",
            "random rotation, size 20 cm",
            "a random scale up to 20%",
        ] {
            assert_eq!(written_out(prompt), prompt);
        }
    }
}
