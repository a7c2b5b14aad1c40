//! Files of presets, and the pages of those that hold whole groups: made fit for the file in which they are applied.

use geonode_graph::documents::Context;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::page::title;

/// A file of a preset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetFile {
    /// Its name with the ending: `mossy_stones.toml`.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// A page without the data-blocks that the file does not have, and what these are: `object “Rock”`.
pub(crate) fn without_missing(page: &str, context: &Context) -> (String, Vec<String>) {
    let has = |kind: &str, name: &str| match kind {
        "object" => context.cut.is_some() || context.object(name).is_some(),
        "collection" => context.collections.iter().any(|one| one.name == name),
        "material" => context.materials.iter().any(|one| one == name),
        "image" => context.images.iter().any(|one| one == name),
        // The context does not list these.
        _ => true,
    };
    let (mut out, mut missing, mut rest) = (String::new(), Vec::new(), page);
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' {
            quoted(rest)
        } else if let Some((kind, name, length)) = data_block(rest).filter(|_| !ends_in_word(&out)) {
            if !has(kind, &name) {
                let text = format!("{kind} “{name}”");
                if !missing.contains(&text) {
                    missing.push(text);
                }
                out.push_str("None");
                rest = rest.get(length..).unwrap_or_default();
                continue;
            }
            length
        } else {
            first.len_utf8()
        };
        let (piece, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        out.push_str(piece);
        rest = tail;
    }
    (out, missing)
}

/// A page whose further groups have names that are free in the file, so that none that is there is touched.
pub(crate) fn with_free_names(page: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let heads: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| line.starts_with("def ")))
        .collect();
    let mut new_names: Vec<(String, String)> = Vec::new();
    // From the last on, since a line may come in.
    for head in heads.into_iter().skip(1).rev() {
        let word = lines
            .get(head)
            .and_then(|line| line.strip_prefix("def ")?.split('(').next());
        let title = word.map(title).unwrap_or_default();
        let is = |at: usize, start: &str| lines.get(at).is_some_and(|line| line.starts_with(start));
        let place = if is(head + 1, "    \"") { head + 2 } else { head + 1 };
        let said = lines
            .get(place)
            .and_then(|line| line.strip_prefix("    settings(name="));
        let quote = said.and_then(|rest| rest.get(..quoted(rest)));
        let old: String = quote
            .and_then(|quote| serde_json::from_str(quote).ok())
            .unwrap_or(title);
        if !taken(&old) {
            continue;
        }
        let new = crate::naming::free(&old, |name| taken(name) || new_names.iter().any(|(_, new)| new == name));
        if let Some(quote) = quote.map(str::to_owned) {
            if let Some(line) = lines.get_mut(place) {
                *line = line.replacen(&quote, &json!(new).to_string(), 1);
            }
        } else if is(place, "    settings(") {
            if let Some(line) = lines.get_mut(place) {
                *line = line.replacen("settings(", &format!("settings(name={}, ", json!(new)), 1);
            }
        } else {
            lines.insert(place, format!("    settings(name={})", json!(new)));
        }
        new_names.push((old, new));
    }
    let mut out = lines.join("\n");
    // Inside of a text the quotes would be escaped. Two passes, since a new name may be another's old one.
    for (at, (old, _)) in new_names.iter().enumerate() {
        out = out.replace(&format!("group({}", json!(old)), &format!("group({at}\u{0}"));
    }
    for (at, (_, new)) in new_names.iter().enumerate() {
        out = out.replace(&format!("group({at}\u{0}"), &format!("group({}", json!(new)));
    }
    out
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
}

/// The bytes of the quoted text at the beginning.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    let mut places = text.char_indices().skip(1);
    let end = places.find(|(_, c)| {
        let closes = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        closes
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// `data.KIND("NAME")` at the beginning: kind, name, bytes.
fn data_block(text: &str) -> Option<(&str, String, usize)> {
    let (kind, rest) = text.strip_prefix("data.")?.split_once('(')?;
    if !kind.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') {
        return None;
    }
    let length = quoted(rest);
    let name = serde_json::from_str(rest.get(..length)?).ok()?;
    rest.get(length..)?
        .starts_with(')')
        .then_some((kind, name, "data.".len() + kind.len() + 1 + length + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plane as context;

    #[test]
    fn groups_of_the_file_are_never_taken_over() {
        let page = "def group(a: Geometry) -> Geometry:\n    settings(name=\"{group}\")\n    b = group(\"Lift\", geometry=a)\n    return group(\"my Own\", geometry=b)\n\ndef lift(a: Geometry) -> Geometry:\n    \"Lifts\"\n    return a\n\ndef my_own(a: Geometry) -> Geometry:\n    settings(name=\"my Own\", is_tool=True)\n    return a\n";
        assert_eq!(with_free_names(page, |_| false), page.trim_end());
        let out = with_free_names(page, |name| matches!(name, "Lift" | "Lift.001" | "my Own"));
        for part in [
            "b = group(\"Lift.002\", geometry=a)",
            "return group(\"my Own.001\", geometry=b)",
            "    \"Lifts\"\n    settings(name=\"Lift.002\")\n",
            "    settings(name=\"my Own.001\", is_tool=True)",
        ] {
            assert!(out.contains(part), "{out}");
        }
    }

    #[test]
    fn only_what_is_missing_is_left_empty() {
        let page = "a = f(x=data.object(\"Plane\"), y=data.object(\"Ro\\\"ck\"), z=\"data.object(\\\"No\\\")\", q=data.image(\"I\"))";
        let (out, missing) = without_missing(page, &context());
        assert_eq!(
            out,
            "a = f(x=data.object(\"Plane\"), y=None, z=\"data.object(\\\"No\\\")\", q=None)"
        );
        assert_eq!(missing, ["object “Ro\"ck”", "image “I”"]);
    }
}
