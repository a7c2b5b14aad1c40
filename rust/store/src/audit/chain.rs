//! The chain: entries that each contain the hash of the previous one, and the check of what follows.
//!
//! An entry contains the SHA-256 of itself and of the previous entry's hash, so that a line that is changed, left out, added or moved
//! breaks the chain from that point on.

use std::time::{SystemTime, UNIX_EPOCH};

use geonode_protocol::Code;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::folder::seal;

/// Most bytes of an entry's line.
pub const MAX_ENTRY: usize = 64 << 10;
/// Kind of the first entry after an old part.
pub(super) const CONTINUED: &str = "continued";
/// The previous hash in the first entry.
const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Why a log cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// It was changed from outside.
    #[error(
        "The audit log {path} is broken at line {line}: {why} Nothing more is added to it; keep it and start a new one."
    )]
    Broken {
        /// Its path.
        path: String,
        /// The first line that does not follow, counted from 1.
        line: u64,
        /// The fault in this line.
        why: String,
    },
    /// The operating system reported an error.
    #[error("The audit log {path} cannot be used: {cause}.")]
    System {
        /// Its path.
        path: String,
        /// The system's message.
        cause: String,
    },
    /// The entry would be too large.
    #[error("The audit log {path} cannot take an entry of this size: the limit is {MAX_ENTRY} bytes.")]
    TooLarge {
        /// Its path.
        path: String,
    },
}

impl AuditError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Broken { .. } => Code::AuditBroken,
            Self::System { .. } => Code::AuditUnwritable,
            Self::TooLarge { .. } => Code::AuditFull,
        }
    }
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Number, from 1.
    pub n: u64,
    /// Unix time in seconds.
    pub at: f64,
    /// The kind of event, such as `approval`.
    pub kind: String,
    /// Details of the event, without secrets.
    pub detail: Value,
    /// Hash of the previous entry.
    pub previous: String,
    /// Hash of all of the above.
    pub hash: String,
}

impl Entry {
    /// A new entry that follows the one with this hash.
    pub(super) fn sealed(n: u64, kind: &str, detail: Value, previous: &str) -> Self {
        let at = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        let mut entry = Self {
            n,
            at,
            kind: kind.to_owned(),
            detail,
            previous: previous.to_owned(),
            hash: String::new(),
        };
        entry.hash = entry.digest();
        entry
    }

    /// Hash of everything except the hash itself.
    pub(super) fn digest(&self) -> String {
        seal(&(&self.n, &self.at, &self.kind, &self.detail, &self.previous))
    }
}

/// The part of a file that is known and verified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// Number of the first entry of the file; 0 before there is one.
    pub(super) first: u64,
    /// Number and hash of the last entry.
    pub(super) entries: u64,
    pub(super) hash: String,
    /// Byte offsets of the beginning and the end of the last known line.
    pub(super) line: u64,
    pub(super) end: u64,
}

impl Tail {
    /// The state after one more entry, whose line has this many bytes.
    pub(super) fn after(&self, n: u64, hash: String, length: u64) -> Self {
        Self {
            first: if self.first == 0 { n } else { self.first },
            entries: n,
            hash,
            line: self.end,
            end: self.end + length,
        }
    }

    /// The hash that the next entry must contain.
    pub(super) fn previous(&self) -> &str {
        if self.entries == 0 { BEGINNING } else { &self.hash }
    }
}

/// The entry of a line that follows the tail, or why it does not follow. The first line of a file follows the old part, or
/// a part that has been replaced, if the line says so.
pub(super) fn next(line: &[u8], tail: &Tail, old: Option<&Tail>) -> Result<Entry, &'static str> {
    let Some(line) = line.strip_suffix(b"\n") else {
        return Err("It is incomplete.");
    };
    let text = std::str::from_utf8(line).map_err(|_| "It is not text.")?;
    let entry: Entry = serde_json::from_str(text).map_err(|_| "It is not an entry.")?;
    let before = (entry.n.saturating_sub(1), entry.previous.as_str());
    let follows = match old {
        _ if tail.entries > 0 => before == (tail.entries, tail.hash.as_str()),
        Some(old) => entry.kind == CONTINUED && before == (old.entries, old.hash.as_str()),
        None => entry.kind == CONTINUED && entry.n > 1 || before == (0, BEGINNING) && entry.n == 1,
    };
    if !follows {
        return Err("It does not continue the entry before it.");
    }
    let same = serde_json::to_string(&entry).is_ok_and(|again| again == text);
    if !same || entry.digest() != entry.hash {
        return Err("It was changed.");
    }
    Ok(entry)
}
