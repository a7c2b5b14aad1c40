//! A tree to be saved as a preset, written in the form of the presets that ship.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::library::Library;
use crate::preset::ParameterKind;

/// What a tree to be saved is named in its document, so that its page has a place for the name in another file.
pub const ROOT: &str = "{group}";
/// Longest ID; it names a file.
const LONGEST_ID: usize = 48;
/// Names that Windows gives to devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
/// How surely the words of its title call for a saved preset.
const BY_TITLE: f64 = 4.5;

/// A tree to be saved.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Its name for the artist.
    pub title: String,
    /// What it does, in one sentence.
    pub description: String,
    /// A prompt that it fits; made from the title if empty.
    pub example: String,
    /// Further phrases that call for it.
    pub words: Vec<String>,
    /// The version of Blender that it was saved in.
    pub blender: [u32; 2],
    /// Its inputs, in order.
    pub inputs: Vec<DraftInput>,
    /// Its groups as tree text, the root named [`ROOT`].
    pub page: String,
}

/// An input of a tree to be saved.
#[derive(Debug, Clone, Default)]
pub struct DraftInput {
    /// Its word on the page.
    pub word: String,
    /// Its name in the interface.
    pub name: String,
    /// Its type without `NodeSocket`: `Float`, `Int`, `Bool`, …
    pub socket: String,
    /// Its subtype: `DISTANCE`, `ANGLE`, …
    pub subtype: Option<String>,
    /// Its tooltip.
    pub description: String,
    /// Its value, in local units and radians.
    pub value: Value,
    /// The ends of its range, likewise.
    pub range: [Option<f64>; 2],
}

/// The ID of a preset with this title: letters, digits and underscores that every file system takes.
pub fn id(title: &str) -> String {
    let words = words(title).join("_");
    let mut plain: String = words.chars().filter(char::is_ascii).collect();
    plain.truncate(LONGEST_ID - 9);
    let device = DEVICES.iter().any(|name| {
        plain
            .strip_prefix(name)
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
    });
    if plain != words || device || plain.is_empty() || is_shipped(&plain) {
        // Titles of which something is left out stay apart.
        let mut sum = 0xcbf2_9ce4_u32;
        for byte in title.to_lowercase().bytes() {
            sum = (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        let _ = write!(plain, "{}{sum:08x}", if plain.is_empty() { "preset_" } else { "_" });
    }
    plain
}

fn is_shipped(id: &str) -> bool {
    Library::get().is_ok_and(|library| library.entries.iter().any(|entry| entry.preset.id == id))
}

/// The words of a text as phrases have them.
fn words(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

impl Draft {
    /// The text of the file. `metres` is the length of a local unit.
    pub fn text(&self, metres: f64) -> String {
        let phrase = |text: &str| words(text).join(" ");
        let title = phrase(&self.title);
        let mut phrases = vec![title.clone()];
        phrases.extend(self.words.iter().map(|text| phrase(text)));
        phrases.retain(|text| !text.is_empty());
        if phrases.is_empty() {
            // A title of signs alone: it is found by nothing but its button.
            phrases.push(id(&self.title));
        }
        let example = Some(self.example.trim()).filter(|text| !text.is_empty());
        let example = example.map_or_else(|| phrases.first().cloned().unwrap_or_default(), str::to_owned);
        let about = Some(self.description.trim()).filter(|text| !text.is_empty());
        let about = about.map_or_else(|| format!("{}, a tree of yours.", self.title), str::to_owned);
        let list: Vec<String> = phrases.iter().map(|text| string(text)).collect();
        let [major, minor] = self.blender;
        let mut out = String::from("preset = 1\n");
        let _ = writeln!(out, "title = {}", string(&self.title));
        let _ = writeln!(out, "description = {}", string(&about));
        let _ = writeln!(out, "since = [{major}, {minor}]");
        let _ = writeln!(out, "examples = [{}]", string(&example));
        let _ = writeln!(out, "calls = [{{all = [\"title\"], weight = {BY_TITLE:?}}}]");
        let _ = writeln!(
            out,
            "words = [{}]",
            words(&example)
                .iter()
                .map(|word| string(word))
                .collect::<Vec<_>>()
                .join(", ")
        );
        let _ = writeln!(out, "\n[concepts]\ntitle = [{}]", list.join(", "));
        let _ = writeln!(
            out,
            "\n[target]\nafter = [\"on\", \"onto\", \"over\", \"along\", \"around\", \"across\", \"to\", \"at\"]\nobject_of = [\"turn\", \"give\", \"make\"]"
        );
        if self.inputs.is_empty() {
            out = out.replacen("preset = 1\n", "preset = 1\nparameters = []\n", 1);
        }
        let mut ranks = [false; 2];
        for input in &self.inputs {
            input.write(&mut out, metres, &mut ranks);
        }
        let _ = writeln!(out, "\n[plan]");
        let _ = writeln!(
            out,
            "description = {}",
            string(&format!("{} on {{target}}", self.title))
        );
        let _ = writeln!(
            out,
            "done = [{}]",
            string(&format!("Applied {} to “{{target}}”.", self.title))
        );
        let is_plain = |c: char| !c.is_control() || c == '\n' || c == '\t';
        if self.page.chars().all(is_plain) && !self.page.contains("'''") {
            let _ = writeln!(out, "page = '''\n{}'''", self.page);
        } else {
            let _ = writeln!(out, "page = {}", string(&self.page));
        }
        out
    }
}

impl DraftInput {
    fn kind(&self) -> ParameterKind {
        match (self.socket.as_str(), self.subtype.as_deref().unwrap_or("NONE")) {
            ("Bool", _) => ParameterKind::Bool,
            ("Int", _) if words(&self.name).iter().any(|word| word == "seed") => ParameterKind::Seed,
            ("Int", _) => ParameterKind::Count,
            ("Float", "DISTANCE") => ParameterKind::Length,
            ("Float", "ANGLE") => ParameterKind::Angle,
            ("Float", "NONE" | "FACTOR") => ParameterKind::Factor,
            _ => ParameterKind::Value,
        }
    }

    fn write(&self, out: &mut String, metres: f64, ranks: &mut [bool; 2]) {
        let kind = self.kind();
        let (name, factor) = match kind {
            ParameterKind::Bool => ("bool", None),
            ParameterKind::Seed => ("seed", None),
            ParameterKind::Count => ("count", None),
            ParameterKind::Length => ("length", Some(metres)),
            ParameterKind::Angle => ("angle", Some(180.0 / std::f64::consts::PI)),
            ParameterKind::Factor => ("factor", None),
            _ => ("value", None),
        };
        let _ = writeln!(out, "\n[[parameters]]\nname = {}", string(&self.word));
        let _ = writeln!(out, "title = {}\nkind = \"{name}\"", string(&self.name));
        if !self.description.is_empty() {
            let _ = writeln!(out, "description = {}", string(&self.description));
        }
        let phrase = words(&self.name).join(" ");
        let is_number = !matches!(kind, ParameterKind::Bool | ParameterKind::Value);
        if !phrase.is_empty() && is_number {
            let _ = writeln!(out, "words = [{}]", string(&phrase));
        }
        if !phrase.is_empty() && kind == ParameterKind::Bool {
            let _ = writeln!(out, "on = [{}]", string(&format!("with {phrase}")));
            let off = ["without", "no"].map(|word| string(&format!("{word} {phrase}")));
            let _ = writeln!(out, "off = [{}]", off.join(", "));
        }
        let place = match kind {
            ParameterKind::Count => ranks.get_mut(0).map(|taken| (0, taken)),
            ParameterKind::Length => ranks.get_mut(1).map(|taken| (1, taken)),
            _ => None,
        };
        if let Some((rank, taken)) = place.filter(|(_, taken)| !**taken) {
            *taken = true;
            let _ = writeln!(out, "rank = {rank}");
        }
        let value = match self.value.as_f64().filter(|_| is_number) {
            Some(number) if kind == ParameterKind::Length || kind == ParameterKind::Angle => {
                json!(rounded(number * factor.unwrap_or(1.0)))
            }
            Some(number) if kind == ParameterKind::Factor => json!(rounded(number)),
            _ => self.value.clone(),
        };
        let factor = factor.unwrap_or(1.0);
        if let ([low, high], true) = (self.range, is_number)
            && (low.is_some() || high.is_some())
        {
            let shown = value.as_f64().unwrap_or_default();
            let low = low.map_or(-1e9, |low| rounded(low * factor)).min(shown);
            let high = high.map_or(1e9, |high| rounded(high * factor)).max(shown);
            let _ = writeln!(out, "hard = [{low:?}, {high:?}]");
        }
        if !value.is_null() {
            let _ = writeln!(out, "default = {}", literal(&value));
        }
    }
}

/// Without what only comes from single precision: 0.1 instead of 0.10000000149.
fn rounded(number: f64) -> f64 {
    format!("{number:.7e}").parse().unwrap_or(number)
}

/// A text in TOML.
fn string(text: &str) -> String {
    // Of what JSON does not escape, TOML does not take this.
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value in TOML, which has no null.
fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Array(parts) => format!("[{}]", parts.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| format!("{} = {}", string(key), literal(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Null => "\"\"".to_owned(),
        Value::Number(number) => number
            .as_f64()
            .filter(|_| !number.is_i64())
            .map_or_else(|| number.to_string(), |n| format!("{n:?}")),
        Value::Bool(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_safe_on_every_file_system() {
        assert_eq!(id("My: Best/Rock? (2)"), "my_best_rock_2");
        for title in [
            "con",
            "COM1",
            "../..",
            "Große Steine",
            "岩",
            "scatter",
            &"long ".repeat(40),
        ] {
            let id = id(title);
            let plain = id
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
            assert!(
                plain && !id.is_empty() && id.len() <= LONGEST_ID && id != title.to_lowercase(),
                "{title}: {id}"
            );
        }
        assert_ne!(id("岩"), id("石"));
    }
}
