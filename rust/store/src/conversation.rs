//! Conversations: earlier prompts and their results, stored as files of the add-on, and summarised for models within a budget of tokens.
//!
//! Everything is redacted before it is stored: keys, anything that looks like one, folders that name a person.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use geonode_protocol::bytes_of;
use geonode_provider::policy::Redactor;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::folder::{Folder, seal};

const VERSION: u32 = 1;
/// Longest file, in bytes.
const MAX_FILE: u64 = 4 << 20;
/// Most bytes of all conversations, and most conversations; those unused for the longest time are deleted.
const MAX_ALL: u64 = 64 << 20;
const MAX_CONVERSATIONS: usize = 200;
/// Most turns of a conversation; the first one and the latest ones are kept.
const MAX_TURNS: usize = 100;
/// Longest text of a turn, in characters.
const MAX_WORDS: usize = 4000;
/// Most changes, and most failures, in a turn.
const MAX_LINES: usize = 60;
/// Longest stored plan, in bytes of JSON; only the latest one is stored.
const MAX_PLAN: usize = 256 << 10;
/// Longest identifier.
const MAX_ID: usize = 64;

/// One run of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Unix time in seconds.
    pub at: f64,
    /// The artist's prompt; the saved file calls it `wish`.
    #[serde(rename = "wish")]
    pub prompt: String,
    /// The artist's comments when rejecting its plans.
    #[serde(default)]
    pub rejections: Vec<String>,
    /// The run's target object.
    pub object: Option<String>,
    /// `done`, `error` or `cancelled`.
    pub status: String,
    /// The final message for the artist.
    pub message: String,
    /// The changes, in plain words.
    #[serde(default)]
    pub changes: Vec<String>,
    /// The failures, in plain words.
    #[serde(default)]
    pub failed_gates: Vec<String>,
    /// The last accepted plan; only the latest turn of a conversation has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
}

/// A stored conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conversation {
    #[serde(rename = "geonode_conversation")]
    version: u32,
    /// Its name, and that of its file.
    pub id: String,
    /// Number of turns that are no longer stored.
    turns_left_out: usize,
    turns: Vec<Turn>,
    /// SHA-256 of all of the above.
    sha256: String,
}

/// The result of opening a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// New: it begins with this run.
    New,
    /// Existing: it is continued.
    Known,
    /// There is none with this name, so a new one begins with this run.
    Unknown,
    /// Its file was damaged and set aside; a new one begins.
    Damaged,
}

/// Whether a text is a valid name of a conversation, and so of a file.
pub fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=MAX_ID).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('-') && !is_device(text)
}

/// Whether Windows takes a file of this name, whatever its ending, for a device.
fn is_device(name: &str) -> bool {
    let numbered = || name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    matches!(name, "con" | "prn" | "aux" | "nul")
        || numbered().is_some_and(|rest| rest.parse::<u8>().is_ok_and(|number| number < 10))
}

fn new_id() -> String {
    use std::hash::{BuildHasher, RandomState};
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // The system seeds each instance differently.
    format!(
        "{:x}-{:016x}",
        now.as_secs(),
        RandomState::new().hash_one(now.as_nanos())
    )
}

fn folder(parent: &Path) -> std::io::Result<Folder> {
    Folder::open(parent, "conversations")
}

/// The summary of a conversation for a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// JSON; empty when there is no turn, or none fits.
    pub text: String,
    /// Number of turns that it leaves out.
    pub left_out: usize,
    /// Whether it leaves out the plan, or some changes or failures.
    pub shortened: bool,
}

impl Conversation {
    fn empty(id: String) -> Self {
        Self {
            version: VERSION,
            id,
            turns_left_out: 0,
            turns: Vec::new(),
            sha256: String::new(),
        }
    }

    /// The conversation of this name, or a new one.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn open(parent: &Path, id: Option<&str>) -> std::io::Result<(Self, Found)> {
        let Some(id) = id else {
            return Ok((Self::empty(new_id()), Found::New));
        };
        let folder = folder(parent)?;
        let bytes = match folder.read(id, MAX_FILE) {
            Ok(None) => return Ok((Self::empty(id.to_owned()), Found::Unknown)),
            Ok(Some(bytes)) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Vec::new(),
            Err(error) => return Err(error),
        };
        let sound = |found: &Self| found.version == VERSION && found.id == id && found.sha256 == found.digest();
        match serde_json::from_slice::<Self>(&bytes).ok().filter(sound) {
            Some(known) => Ok((known, Found::Known)),
            None => {
                let _lock = folder.lock()?;
                folder.set_aside(id)?;
                Ok((Self::empty(id.to_owned()), Found::Damaged))
            }
        }
    }

    /// Number of turns of the conversation with this name; `None` if there is no such conversation, or it is damaged. Only reads.
    pub fn count_of(parent: &Path, id: &str) -> Option<usize> {
        let known = is_id(id).then(|| Self::open_locked(&folder(parent).ok()?, id))?;
        known.map(|known| known.count())
    }

    fn digest(&self) -> String {
        seal(&(self.version, &self.id, self.turns_left_out, &self.turns))
    }

    /// Number of its turns.
    pub fn count(&self) -> usize {
        self.turns.len() + self.turns_left_out
    }

    /// Adds a turn, without secrets and within the limits, to the present content of the file.
    ///
    /// # Errors
    /// The system's error about the file.
    pub fn add(&self, parent: &Path, turn: Turn, redactor: &Redactor) -> std::io::Result<Self> {
        let folder = folder(parent)?;
        let _lock = folder.lock()?;
        // Another Blender may have continued it meanwhile.
        let mut whole = match Self::open_locked(&folder, &self.id) {
            Some(known) => known,
            None => self.clone(),
        };
        whole.push(redacted(turn, redactor));
        whole.sha256 = whole.digest();
        let bytes = serde_json::to_vec(&whole).unwrap_or_default();
        folder.replace(&whole.id, &bytes)?;
        folder.bound(MAX_CONVERSATIONS, MAX_ALL)?;
        Ok(whole)
    }

    fn open_locked(folder: &Folder, id: &str) -> Option<Self> {
        let bytes = folder.read(id, MAX_FILE).ok()??;
        let found: Self = serde_json::from_slice(&bytes).ok()?;
        (found.id == id && found.sha256 == found.digest()).then_some(found)
    }

    fn push(&mut self, turn: Turn) {
        for earlier in &mut self.turns {
            earlier.plan = None;
        }
        self.turns.push(turn);
        let mut bytes = length(self);
        while self.turns.len() > MAX_TURNS || (self.turns.len() > 2 && bytes > MAX_FILE) {
            let gone = self.turns.remove(1);
            bytes = bytes.saturating_sub(length(&gone));
            self.turns_left_out += 1;
        }
    }

    /// A summary within a budget: the first prompt, the latest turn with what it changed, what failed and its plan, then the prompts
    /// between, the latest first. Parts that do not fit are omitted, and the text says so.
    pub fn summary(&self, budget_tokens: u64) -> Summary {
        let room = bytes_of(budget_tokens);
        let Some((last, before)) = self.turns.split_last() else {
            return Summary::default();
        };
        let mut shown = Shown::new(self.count(), last, before.first());
        if shown.length() > room {
            shown.cut_words(room);
        }
        if shown.length() > room {
            return Summary {
                text: String::new(),
                left_out: self.count(),
                shortened: true,
            };
        }
        let mut shortened = false;
        for (key, value) in [
            ("failed_gates", json!(last.failed_gates)),
            ("changes", json!(last.changes)),
            ("plan", json!(last.plan)),
        ] {
            if value.is_null() || value.as_array().is_some_and(Vec::is_empty) {
                continue;
            }
            shortened |= !shown.add_to_last(key, value, room);
        }
        let mut left = room.saturating_sub(shown.length());
        for turn in before.iter().skip(1).rev() {
            if !shown.add_turn(turn, &mut left) {
                break;
            }
        }
        let left_out = self.count() - shown.turns();
        Summary {
            text: shown.text(),
            left_out,
            shortened,
        }
    }
}

/// Bytes of JSON.
fn length(document: &impl Serialize) -> u64 {
    let length = serde_json::to_vec(document).map_or(0, |bytes| bytes.len());
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The turns in the summary so far.
struct Shown {
    all: usize,
    first: Option<Value>,
    /// The latest first.
    between: Vec<Value>,
    last: Value,
}

fn briefly(turn: &Turn) -> Value {
    let mut brief = json!({"prompt": turn.prompt, "status": turn.status, "answer": turn.message});
    if let Some(fields) = brief.as_object_mut() {
        if let Some(object) = &turn.object {
            fields.insert("object".into(), json!(object));
        }
        if !turn.rejections.is_empty() {
            fields.insert("rejected_with".into(), json!(turn.rejections));
        }
    }
    brief
}

impl Shown {
    fn new(all: usize, last: &Turn, first: Option<&Turn>) -> Self {
        Self {
            all,
            first: first.map(briefly),
            between: Vec::new(),
            last: briefly(last),
        }
    }

    fn turns(&self) -> usize {
        1 + usize::from(self.first.is_some()) + self.between.len()
    }

    fn text(&self) -> String {
        let turns: Vec<&Value> = self
            .first
            .iter()
            .chain(self.between.iter().rev())
            .chain([&self.last])
            .collect();
        let left_out = self.all - turns.len();
        let mut whole = json!({"oldest_first": turns});
        if left_out > 0
            && let Some(fields) = whole.as_object_mut()
        {
            fields.insert("turns_left_out_after_the_first".into(), json!(left_out));
        }
        whole.to_string()
    }

    fn length(&self) -> usize {
        self.text().len()
    }

    /// Removes answers first, then shortens prompts.
    fn cut_words(&mut self, room: usize) {
        for value in [self.first.as_mut(), Some(&mut self.last)].into_iter().flatten() {
            if let Some(fields) = value.as_object_mut() {
                fields.shift_remove("answer");
                fields.shift_remove("rejected_with");
            }
        }
        for value in [self.first.as_mut(), Some(&mut self.last)].into_iter().flatten() {
            if let Some(Value::String(prompt)) = value.get_mut("prompt") {
                *prompt = cut(prompt, room / 8);
            }
        }
    }

    /// Adds a part of the last turn, or as much of a list as fits; returns whether all of it did.
    fn add_to_last(&mut self, key: &str, value: Value, room: usize) -> bool {
        let left = room.saturating_sub(self.length() + key.len() + 4);
        let (value, whole) = match value {
            Value::Array(items) if json!(items).to_string().len() > left => {
                let all = items.len();
                let mut used = 40;
                let mut kept: Vec<Value> = Vec::new();
                for item in items {
                    used += item.to_string().len() + 1;
                    if used > left {
                        break;
                    }
                    kept.push(item);
                }
                kept.push(json!(format!("… {} more were left out", all - kept.len())));
                (Value::Array(kept), false)
            }
            other => (other, true),
        };
        let fits = value.to_string().len() <= left;
        let value = if fits { value } else { json!("(left out: too long)") };
        if value.to_string().len() <= left
            && let Some(fields) = self.last.as_object_mut()
        {
            fields.insert(key.to_owned(), value);
        }
        whole && fits
    }

    /// Adds a turn if it fits into `room`, which shrinks by its bytes.
    fn add_turn(&mut self, turn: &Turn, room: &mut usize) -> bool {
        let brief = briefly(turn);
        let cost = brief.to_string().len() + 1;
        let fits = cost <= *room;
        if fits {
            *room -= cost;
            self.between.push(brief);
        }
        fits
    }
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A turn as it may be stored.
fn redacted(mut turn: Turn, redactor: &Redactor) -> Turn {
    let clean = |text: &mut String| {
        redactor.all(text);
        *text = cut(text, MAX_WORDS);
    };
    for text in [&mut turn.prompt, &mut turn.message] {
        clean(text);
    }
    for list in [&mut turn.rejections, &mut turn.changes, &mut turn.failed_gates] {
        let more = list.len().saturating_sub(MAX_LINES);
        list.truncate(MAX_LINES);
        list.iter_mut().for_each(clean);
        if more > 0 {
            list.push(format!("… {more} more"));
        }
    }
    if let Some(object) = &mut turn.object {
        clean(object);
    }
    turn.plan = turn.plan.take().and_then(|mut plan| {
        redactor.json(&mut plan);
        (plan.to_string().len() <= MAX_PLAN).then_some(plan)
    });
    turn
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn turn(number: usize) -> Turn {
        Turn {
            at: 1.0,
            prompt: format!("prompt {number}"),
            status: "done".into(),
            message: format!("made {number}"),
            changes: vec![format!("added node {number}")],
            failed_gates: vec!["NOT_EMPTY: nothing is there".into()],
            plan: Some(json!({"version": "1.1", "steps": [number]})),
            ..Turn::default()
        }
    }

    fn of(turns: usize) -> Conversation {
        let mut conversation = Conversation::empty("c".into());
        (1..=turns).for_each(|number| conversation.push(turn(number)));
        conversation
    }

    #[test]
    fn a_conversation_continues_in_its_file() {
        let parent = tempfile::tempdir().unwrap();
        let (new, found) = Conversation::open(parent.path(), None).unwrap();
        assert_eq!((found, new.count()), (Found::New, 0));
        assert!(is_id(&new.id), "{}", new.id);
        let kept = new.add(parent.path(), turn(1), &Redactor::default()).unwrap();
        let (known, found) = Conversation::open(parent.path(), Some(&new.id)).unwrap();
        assert_eq!((found, &known), (Found::Known, &kept));
        // A process that opened it before the first turn was added loses nothing of it.
        let both = new.add(parent.path(), turn(2), &Redactor::default()).unwrap();
        assert_eq!(both.count(), 2);
        assert!(
            both.turns[0].plan.is_none() && both.turns[1].plan.is_some(),
            "only the latest plan is kept"
        );
        let (_, found) = Conversation::open(parent.path(), Some("other")).unwrap();
        assert_eq!(found, Found::Unknown);
    }

    #[test]
    fn a_damaged_file_is_set_aside() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("conversations/c.json");
        let begin = Conversation::empty("c".into());
        begin.add(parent.path(), turn(1), &Redactor::default()).unwrap();
        let sound = fs::read(&path).unwrap();
        let changed = String::from_utf8(sound.clone())
            .unwrap()
            .replace("prompt 1", "prompt 2");
        let cases: [&[u8]; 4] = [&sound[..sound.len() / 2], b"", b"null", changed.as_bytes()];
        for damaged in cases {
            fs::write(&path, damaged).unwrap();
            let (empty, found) = Conversation::open(parent.path(), Some("c")).unwrap();
            assert_eq!((found, empty.count()), (Found::Damaged, 0));
            assert_eq!(
                fs::read(parent.path().join("conversations/c.damaged")).unwrap(),
                damaged
            );
        }
    }

    #[test]
    fn only_plain_names_are_valid() {
        for good in ["a", "67f-0a", "console", "com", "com10", &"a".repeat(MAX_ID)] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["", "..", "a/b", "a.b", "A", "-a", "a b", "ä", &"a".repeat(MAX_ID + 1)] {
            assert!(!is_id(bad), "{bad}");
        }
        for device in ["con", "nul", "aux", "prn", "com1", "lpt9"] {
            assert!(!is_id(device), "{device}");
        }
    }

    #[test]
    fn the_summary_begins_with_the_most_relevant_parts() {
        assert_eq!(Conversation::empty("c".into()).summary(1000), Summary::default());
        let whole = of(4).summary(2000);
        assert_eq!((whole.left_out, whole.shortened), (0, false));
        let value: Value = serde_json::from_str(&whole.text).unwrap();
        let prompts: Vec<&str> = value["oldest_first"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t["prompt"].as_str().unwrap())
            .collect();
        assert_eq!(prompts, ["prompt 1", "prompt 2", "prompt 3", "prompt 4"]);
        let last = &value["oldest_first"][3];
        assert_eq!(last["plan"]["steps"], json!([4]));
        assert_eq!(last["changes"], json!(["added node 4"]));
        assert_eq!(last["failed_gates"], json!(["NOT_EMPTY: nothing is there"]));
        assert!(value["oldest_first"][0].get("changes").is_none());
    }

    #[test]
    fn a_summary_fits_every_budget_and_reports_what_it_omits() {
        let conversation = of(60);
        let mut most = 0;
        for budget in (0..2500).step_by(3) {
            let summary = conversation.summary(budget);
            assert!(summary.text.len() <= bytes_of(budget), "{budget}");
            if summary.text.is_empty() {
                assert_eq!(summary.left_out, 60);
                continue;
            }
            let value: Value = serde_json::from_str(&summary.text).unwrap();
            let turns = value["oldest_first"].as_array().unwrap();
            assert_eq!(turns.len() + summary.left_out, 60);
            assert_eq!(
                value["turns_left_out_after_the_first"].as_u64().unwrap_or(0),
                summary.left_out as u64
            );
            assert!(
                turns.first().unwrap()["prompt"]
                    .as_str()
                    .unwrap()
                    .starts_with("prompt 1")
            );
            assert!(
                turns.last().unwrap()["prompt"]
                    .as_str()
                    .unwrap()
                    .starts_with("prompt 60")
            );
            most = most.max(turns.len());
        }
        assert_eq!(most, 60);
    }

    #[test]
    fn turns_are_bounded_and_the_first_is_kept() {
        let long = of(MAX_TURNS + 7);
        assert_eq!(
            (long.turns.len(), long.turns_left_out, long.count()),
            (MAX_TURNS, 7, MAX_TURNS + 7)
        );
        assert_eq!(
            (long.turns[0].prompt.as_str(), long.turns[1].prompt.as_str()),
            ("prompt 1", "prompt 9")
        );
        let mut heavy = Conversation::empty("c".into());
        for number in 0..25 {
            heavy.push(Turn {
                changes: vec!["x".repeat(MAX_WORDS); MAX_LINES],
                ..turn(number)
            });
        }
        assert!(heavy.turns.len() < 25 && length(&heavy) <= MAX_FILE);
    }

    #[test]
    fn no_secret_is_stored() {
        let parent = tempfile::tempdir().unwrap();
        let secret = format!("sk-{}", "a1b2c3d4e5f6g7h8i9j0");
        let leaky = Turn {
            at: 1.0,
            prompt: format!("use {secret}"),
            rejections: vec![secret.clone()],
            object: Some(secret.clone()),
            status: "done".into(),
            message: format!("in /home/ada/{secret}"),
            changes: vec![secret.clone()],
            failed_gates: vec![secret.clone()],
            plan: Some(json!({"a": [secret]})),
        };
        Conversation::empty("c".into())
            .add(parent.path(), leaky, &Redactor::default())
            .unwrap();
        let text = fs::read_to_string(parent.path().join("conversations/c.json")).unwrap();
        assert!(!text.contains("a1b2c3") && !text.contains("/ada"), "{text}");
        assert_eq!(text.matches("***").count(), 8);
    }
}
