//! Names and IDs with a number behind them, as Blender gives them where one is taken.

use crate::ir::MAX_NAME;

/// What stands before the number: the name, or as much of it as leaves room.
fn stem(name: &str) -> &str {
    let mut stem = name;
    while stem.len() + 4 > MAX_NAME {
        let Some((at, _)) = stem.char_indices().next_back() else {
            break;
        };
        stem = stem.get(..at).unwrap_or_default();
    }
    stem
}

/// Names that Blender, or [`free`], may have given to something of this name, whose own was taken. Newer Blenders keep long names whole.
pub fn numbered_names(name: &str) -> impl Iterator<Item = String> {
    const MOST: u32 = 9;
    let short = Some(stem(name)).filter(|stem| *stem != name);
    let stems = std::iter::once(name).chain(short);
    stems.flat_map(|stem| (1..=MOST).map(move |n| format!("{stem}.{n:03}")))
}

/// The next numbered name that is free, as Blender would number it.
pub(crate) fn free(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    (1..10_000)
        .map(|n| format!("{}.{n:03}", stem(wanted)))
        .find(|name| !taken(name))
        .unwrap_or_else(|| wanted.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_found_again_under_its_number() {
        let long = "ü".repeat(MAX_NAME / 2);
        let given = free(&long, |name| name == long);
        assert!(given.len() <= MAX_NAME && given.ends_with(".001"), "{given}");
        assert!(numbered_names(&long).any(|name| name == given));
        assert_eq!(numbered_names("A").count(), 9);
        assert_eq!(free("A", |name| name == "A.001"), "A.002");
    }
}
