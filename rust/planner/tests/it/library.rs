//! The page of the presets in the guide is what the library holds.

use std::fmt::Write as _;

use geonode_planner::saved::{self, ShownParameter};
use geonode_testing::compare;

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

/// The values that a parameter takes, with their unit.
fn range(parameter: &ShownParameter) -> String {
    let unit = match parameter.unit {
        "" | "°" => parameter.unit.to_owned(),
        unit => format!(" {unit}"),
    };
    if !parameter.options.is_empty() {
        return parameter.options.join(", ");
    }
    match (parameter.hard, parameter.kind.as_str()) {
        (Some([low, high]), _) => format!("{low} to {high}{unit}"),
        (None, "bool") => "on or off".to_owned(),
        (None, "angle" | "length") => format!("any{unit}"),
        (None, kind) => kind.to_owned(),
    }
}

#[test]
fn the_page_of_presets_is_current() {
    let (mut presets, unfit) = saved::list(&[]).unwrap();
    assert!(unfit.is_empty());
    presets.sort_by(|one, other| one.title.cmp(&other.title));
    let mut page = format!(
        "# Presets\n\nWhat the built-in planner makes without a key or a network: {} presets. Each has a prompt that calls for it, and every number of it \
         sets an input, or the prompt is refused; what is not said follows from the size of the object.\nThe same inputs are in the modifier \
         afterwards. Generated from the library (`cargo xtask schemas`); do not edit.\n",
        presets.len()
    );
    for preset in &presets {
        let since = preset.since.map_or_else(String::new, |[major, minor]| {
            format!(" From Blender {major}.{minor} on.")
        });
        let _ = write!(
            page,
            "\n## {}\n\n{}{since} *{}*\n",
            preset.title,
            cell(&preset.description),
            cell(&preset.example)
        );
        if preset.parameters.is_empty() {
            continue;
        }
        page.push_str("\n| input | values | |\n|---|---|---|\n");
        for parameter in &preset.parameters {
            let _ = writeln!(
                page,
                "| {} | {} | {} |",
                cell(&parameter.title),
                cell(&range(parameter)),
                cell(parameter.description.as_deref().unwrap_or_default())
            );
        }
    }
    assert_eq!(page.matches("\n## ").count(), presets.len());
    compare("addon/docs/presets.md", &page);
}
