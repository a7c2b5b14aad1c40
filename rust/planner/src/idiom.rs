//! Idioms of layouts, in the words that presets know: “5 rows of 7 chairs” is “5 rows and 7 columns of chairs”, “a 2,5 torus knot” is “2 by 5”.

use std::borrow::Cow;

/// Words that make a number a measure: “3 rows of 2 m”.
const UNITS: [&str; 12] = [
    "m", "cm", "mm", "km", "metre", "metres", "meter", "meters", "feet", "ft", "inch", "inches",
];
/// Nouns whose two numbers are counts, whatever stands between them.
const PAIRED: [&str; 3] = ["knot", "grid", "lattice"];

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

fn counts(word: &str) -> bool {
    let word = plain(word);
    !word.is_empty() && word.len() < 5 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// “2,5” and “(2,5)” as two counts.
fn pair(word: &str) -> Option<(&str, &str)> {
    let word = word.trim_matches(|c: char| !c.is_ascii_digit());
    let (first, second) = word.split_once(',')?;
    (counts(first) && counts(second)).then_some((first, second))
}

/// The prompt with these idioms written out.
pub(crate) fn written_out(prompt: &str) -> Cow<'_, str> {
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let at = |at: usize| words.get(at).copied().unwrap_or_default();
    let paired = |at: usize| words.get(at).is_some_and(|word| PAIRED.contains(&plain(word).as_str()));
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let (mut next, mut changed) = (0, false);
    while next < words.len() {
        let (first, second, third, fourth) = (at(next), at(next + 1), at(next + 2), at(next + 3));
        let rows = ["rows", "row"].contains(&second.to_lowercase().as_str());
        let columns = second.eq_ignore_ascii_case("columns");
        let measure = UNITS.contains(&plain(at(next + 4)).as_str());
        if counts(first) && (rows || columns) && third == "of" && counts(fourth) && !measure {
            let other = if columns { "rows" } else { "columns" };
            out.push(format!("{first} {second} and {} {other}", plain(fourth)));
            let noun = words.get(next + 4).filter(|_| !fourth.ends_with([',', '.', ';']));
            if noun.is_some_and(|word| {
                word.starts_with(char::is_alphabetic)
                    && !["on", "in", "over", "with", "along", "across", "each"].contains(word)
            }) {
                out.push("of".to_owned());
            }
            (next, changed) = (next + 4, true);
            continue;
        }
        // Between two of them is between each and the next.
        let ends = second.ends_with(|c: char| !c.is_alphanumeric()) || third.is_empty() || third == "of";
        if plain(first) == "between" && ["two", "2"].contains(&plain(second).as_str()) && ends {
            out.push(format!(
                "{first} {}",
                second.replace("two", "them").replace('2', "them")
            ));
            (next, changed) = (next + 2, true);
            continue;
        }
        // The noun is beside the numbers, or one word before it: “a 2,5 torus knot”.
        let beside = |end: usize| next > 0 && paired(next - 1) || paired(end) || paired(end + 1);
        if let Some((a, b)) = pair(first).filter(|_| beside(next + 1)) {
            out.push(format!("{a} by {b}"));
            (next, changed) = (next + 1, true);
            continue;
        }
        if counts(first) && counts(second) && beside(next + 2) && !UNITS.contains(&plain(third).as_str()) {
            out.push(format!("{} by {second}", plain(first)));
            (next, changed) = (next + 2, true);
            continue;
        }
        out.push(first.to_owned());
        next += 1;
    }
    if changed {
        Cow::Owned(out.join(" "))
    } else {
        Cow::Borrowed(prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_written_out() {
        for (prompt, written) in [
            ("hexagon tiles 5 rows of 7", "hexagon tiles 5 rows and 7 columns"),
            (
                "3 rows of 4 chairs on the plane",
                "3 rows and 4 columns of chairs on the plane",
            ),
            ("torus knot 2,5 with a thin tube", "torus knot 2 by 5 with a thin tube"),
            ("a (3,7) torus knot", "a 3 by 7 torus knot"),
            ("torus knot 2 3", "torus knot 2 by 3"),
            ("3 rows of 2 m", "3 rows of 2 m"),
            ("a cube of 2,5 m", "a cube of 2,5 m"),
            ("scatter 20 rocks 1 m apart", "scatter 20 rocks 1 m apart"),
            (
                "10 in a row, 15 cm between two. Bevel them",
                "10 in a row, 15 cm between them. Bevel them",
            ),
            ("a cable between two poles", "a cable between two poles"),
        ] {
            assert_eq!(written_out(prompt), written, "{prompt}");
        }
    }
}
