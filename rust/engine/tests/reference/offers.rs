//! What the preferences offer, as the add-on's Python has it, is what the core says: Blender registers them before the core is loaded.

use std::fmt::Write as _;

use geonode_engine::{Setting, Settings};
use geonode_provider::{Models, Provider, Words};
use serde_json::Value;

use geonode_testing::compare;

const FILE: &str = "addon/geonode_assistant/run/offers.py";
const HEAD: &str = r#"# SPDX-License-Identifier: GPL-3.0-or-later
"""What the preferences offer: who can plan, and the settings of a run. Made by
`cargo xtask schemas` from `rust/provider/src/providers.rs` and
`rust/engine/src/settings.rs`: changes belong there.
"""

from __future__ import annotations

from typing import Literal, NamedTuple


class Choice(NamedTuple):
    """One of the values that a preference can have, as Blender lists it."""

    name: str
    title: str
    about: str


class Preference(NamedTuple):
    """A setting of a run that the preferences hold under its name."""

    name: str
    title: str
    about: str
    type: Literal["bool", "integer", "number", "word"]
    default: bool | float | str
    section: Literal["plans", "replies", "data", "attempts", "budget", "waiting", "scripts", "checks", "limits"]
    range: tuple[float, float] | None = None
    optional: bool = False
    """Whether it is off by default; `default` is then the value that it has when it is switched on."""
    choices: tuple[Choice, ...] = ()
"#;

/// Longest line of Python.
const WIDTH: usize = 120;

/// A text of Python, over several lines if it is long, each behind `indent` spaces.
fn text(text: &str, indent: usize) -> String {
    let whole = serde_json::to_string(text).unwrap();
    if whole.chars().count() + indent < WIDTH {
        return whole;
    }
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = lines.last_mut().unwrap();
        if last.chars().count() + word.chars().count() + indent + 8 > WIDTH {
            lines.push(word.to_owned());
        } else {
            last.push_str(word);
        }
    }
    let inner = " ".repeat(indent + 4);
    let lines: Vec<String> = lines
        .iter()
        .map(|line| format!("{inner}{}\n", serde_json::to_string(line).unwrap()))
        .collect();
    format!("(\n{}{})", lines.concat(), " ".repeat(indent))
}

fn choice(name: &str, title: &str, about: &str, indent: usize) -> String {
    let space = " ".repeat(indent);
    let inner = " ".repeat(indent + 4);
    format!(
        "{space}Choice(\n{inner}{},\n{inner}{},\n{inner}{},\n{space}),\n",
        text(name, indent),
        text(title, indent),
        text(about, indent + 4)
    )
}

/// What Blender shows of a provider: where its key comes from belongs to it.
fn about(words: Words, variables: &[&str]) -> String {
    if variables.is_empty() {
        return words.about.to_owned();
    }
    format!(
        "{}; the key comes from {} or the field below",
        words.about,
        variables.join(", ")
    )
}

fn python(value: &Value) -> String {
    match value {
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// The value that Blender stores at first.
fn stored(setting: &Setting) -> String {
    match setting.preference.start {
        Some(start) if setting.kind == "integer" => format!("{start:.0}"),
        Some(start) => format!("{start:?}"),
        None => python(&setting.default),
    }
}

fn preference(setting: &Setting) -> String {
    let shown = setting.preference;
    let section = serde_json::to_value(shown.section).unwrap();
    let mut out = format!(
        "    Preference(\n        name={},\n        title={},\n        about={},\n        type={},\n        default={},\n        section={section},\n",
        text(setting.name, 8),
        text(shown.title, 8),
        text(shown.about, 8),
        text(setting.kind, 8),
        stored(setting),
    );
    if let (Some(min), Some(max)) = (setting.min, setting.max) {
        let _ = writeln!(out, "        range=({min}, {max}),");
    }
    if shown.start.is_some() {
        out.push_str("        optional=True,\n");
    }
    if !setting.words.is_empty() {
        out.push_str("        choices=(\n");
        for word in setting.words {
            out.push_str(&choice(word.name, word.title, word.about, 12));
        }
        out.push_str("        ),\n");
    }
    out.push_str("    ),\n");
    out
}

/// The names of some providers as a set.
fn set(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    format!("frozenset({{{}}})", names.join(", "))
}

#[test]
fn what_the_preferences_offer_is_current() {
    let mut now = HEAD.to_owned();
    now.push_str("\n\nPROVIDERS = (\n");
    let offline = Provider::OFFLINE_WORDS;
    now.push_str(&choice(Provider::OFFLINE, offline.title, offline.about, 4));
    for provider in Provider::ALL {
        if let Some(words) = provider.facts().words {
            now.push_str(&choice(
                provider.name(),
                words.title,
                &about(words, provider.key_variables()),
                4,
            ));
        }
    }
    now.push_str(")\n\"\"\"Who can plan, in the order of the list.\"\"\"\n\n");

    let servers = Provider::ALL
        .iter()
        .filter(|provider| provider.models() == Models::Server);
    let servers: Vec<&str> = servers.map(|provider| provider.name()).collect();
    assert!(!servers.is_empty());
    let _ = write!(
        now,
        "SERVERS = {}\n\"\"\"Those that ask a server of the artist's choice: its address has to be given, and its models are its own.\"\"\"\n\n",
        set(&servers),
    );

    let preferences: Vec<String> = Settings::describe().iter().map(preference).collect();
    assert!(preferences.len() > 3 && now.matches("    Choice(").count() > 4);
    let _ = write!(
        now,
        "PREFERENCES: tuple[Preference, ...] = (\n{})\n\"\"\"The settings among the preferences, in their order.\"\"\"\n",
        preferences.concat()
    );
    compare(FILE, &now);
}
