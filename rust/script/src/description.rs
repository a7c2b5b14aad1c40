//! Descriptions of the policy: for models that write scripts, and for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::policy::{Reviewed, policy};

/// Most characters of [`brief`].
pub const MAX_BRIEF: usize = 4_000;

/// What safe mode allows and refuses, and what to use instead, for authors of scripts: one line per subject.
#[must_use]
pub fn brief() -> String {
    let Some(policy) = policy() else {
        return String::new();
    };
    let reviewed = &policy.reviewed;
    let mut text = String::new();
    let _ = writeln!(text, "- Modules: {}.", modules(reviewed));
    let _ = writeln!(
        text,
        "- `bpy.ops` only of: {}. Never what reads or writes files, bakes, simulates, waits for the artist or runs code.",
        sorted(reviewed.operator_modules.iter().copied()).join(" "),
    );
    let _ = writeln!(
        text,
        "- Only called, never a value: {}.",
        quoted(reviewed.called_only.iter().copied())
    );
    let _ = writeln!(text, "- Refused names, and what to do instead: {}.", instead(reviewed));
    let _ = writeln!(
        text,
        "- Nodes that cannot be made: {}.",
        quoted(reviewed.node_types.keys().copied())
    );
    let _ = writeln!(text, "- Largest allowed values, by name: {}.", bounds(reviewed));
    text
}

/// The whole policy as Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = String::from(
        "# Scripts in safe mode\n\nWhat a Python step may do. Everything that is not named here is refused; a refusal names line, column, rule and \
         what to use instead.\nGenerated from the policy (`cargo xtask schemas`); do not edit.\n",
    );
    let Some(policy) = policy() else { return text };
    let reviewed = &policy.reviewed;
    text.push_str("\n## Modules\n| module | members |\n|---|---|\n");
    for (module, members) in reviewed.modules.iter().collect::<BTreeMap<_, _>>() {
        let _ = writeln!(text, "| `{module}` | {} |", quoted(members.iter().copied()));
    }
    table(
        &mut text,
        "Other modules",
        ["module", "instead"],
        reviewed
            .instead
            .iter()
            .filter(|(module, _)| !reviewed.modules.contains_key(*module))
            .map(|(k, v)| [*k, *v]),
    );
    let _ = writeln!(
        text,
        "\n## Names of Python\n{}\n\nOnly called: {}",
        quoted(reviewed.builtins.iter().copied()),
        quoted(reviewed.called_only.iter().copied())
    );
    let _ = writeln!(
        text,
        "\n## Operators\n`bpy.ops` of {}, apart from what takes a path and from these:",
        quoted(reviewed.operator_modules.iter().copied())
    );
    rows(
        &mut text,
        ["operator", "why not"],
        reviewed.operators_refused.iter().map(|(k, v)| [*k, *v]),
    );
    let attributes = reviewed.attributes_refused.iter().chain(&reviewed.app);
    let attributes = attributes.map(|(name, (what, instead))| [*name, *what, *instead]);
    text.push_str("\n## Attributes\nRefused wherever they stand; so is every other one that holds a path.\n");
    rows(&mut text, ["attribute", "what it is", "instead"], attributes);
    table(
        &mut text,
        "Nodes",
        ["node", "why not"],
        reviewed.node_types.iter().map(|(k, v)| [*k, *v]),
    );
    text.push_str("\n## Largest allowed values\nFor the keyword argument or attribute of that name.\n");
    let greatest: Vec<[String; 2]> = reviewed
        .bounds
        .iter()
        .map(|(k, v)| [(*k).to_owned(), v.to_string()])
        .collect();
    rows(
        &mut text,
        ["name", "at most"],
        greatest.iter().map(|[k, v]| [k.as_str(), v.as_str()]),
    );
    text
}

/// The modules, those within others beside their first name: `bmesh (types utils)`.
fn modules(reviewed: &Reviewed) -> String {
    let mut roots: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for module in reviewed.modules.keys().filter(|module| !module.starts_with('_')) {
        let (root, within) = module.split_once('.').unwrap_or((module, ""));
        roots.entry(root).or_default().push(within);
    }
    let parts = roots.into_iter().map(|(root, mut within)| {
        if root == "bpy" {
            // Modules that contain further ones come first.
            within = reviewed.modules.get(root).into_iter().flatten().copied().collect();
        }
        within.retain(|name| !name.is_empty());
        within.sort_unstable();
        if within.is_empty() {
            root.to_owned()
        } else {
            format!("{root} ({})", within.join(" "))
        }
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// `drivers: use keyframes`: each piece of advice once, with all its subjects.
fn instead(reviewed: &Reviewed) -> String {
    let mut advice: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let attributes = reviewed.attributes_refused.iter().chain(&reviewed.app);
    for (name, (_, instead)) in attributes {
        advice.entry(instead).or_default().push(name);
    }
    let parts = advice
        .into_iter()
        .map(|(instead, names)| format!("{} ({instead})", quoted(names.into_iter())));
    parts.collect::<Vec<_>>().join("; ")
}

/// `levels` 7, `cuts` 250 …: names with the same bound together.
fn bounds(reviewed: &Reviewed) -> String {
    let mut greatest: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for (name, bound) in &reviewed.bounds {
        // Bounds are whole and small.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "only for the order and its text"
        )]
        greatest.entry(bound.max(0.0) as u64).or_default().push(name);
    }
    let parts = greatest
        .into_iter()
        .map(|(bound, names)| format!("{} {bound}", sorted(names.into_iter()).join(" ")));
    parts.collect::<Vec<_>>().join(", ")
}

fn table<'a, const N: usize>(text: &mut String, title: &str, head: [&str; N], of: impl Iterator<Item = [&'a str; N]>) {
    let _ = writeln!(text, "\n## {title}");
    rows(text, head, of);
}

/// A table in the order of its first column, which holds names.
fn rows<'a, const N: usize>(text: &mut String, head: [&str; N], of: impl Iterator<Item = [&'a str; N]>) {
    let _ = writeln!(text, "| {} |\n|{}", head.join(" | "), "---|".repeat(N));
    let mut lines: Vec<[&str; N]> = of.collect();
    lines.sort_unstable();
    for line in lines {
        let cells = line.iter().enumerate();
        let cells = cells.map(|(at, cell)| {
            if at == 0 {
                format!("`{cell}`")
            } else {
                (*cell).to_owned()
            }
        });
        let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    sorted(names)
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brief_is_short_and_names_what_scripts_need_most() {
        let text = brief();
        assert!(text.len() <= MAX_BRIEF, "{} characters", text.len());
        for part in [
            "bpy (app context data ops path types)",
            "bmesh (",
            "mathutils",
            "`filepath`",
            "use keyframes",
            "mesh",
            "levels",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("subprocess"), "what nobody expects needs no word");
    }
}
