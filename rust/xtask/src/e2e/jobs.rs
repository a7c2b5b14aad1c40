//! Which manifests a run has, in an order that is the same on every machine.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One manifest to run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Job {
    /// What tells it from all others of the run: its path in the checkout, and the number of its repetition from the second on.
    pub(crate) key: String,
    /// The file.
    pub(crate) file: PathBuf,
    /// Seconds that it may take by its own account: its limit for each prompt, and as much as a slow machine needs to measure.
    pub(crate) seconds: f64,
    /// Why no Blender can be given it, in a sentence: it then fails without one.
    pub(crate) unfit: Option<String>,
}

/// Seconds for everything but the prompts: looks at the whole file, frames, a picture.
const AROUND: f64 = 120.0;

/// A part of the manifests: `2/3` is the second of three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shard {
    /// From 1.
    pub(crate) index: usize,
    /// How many there are.
    pub(crate) count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self { index, count }),
            _ => Err("give the number of the part and of all parts, such as 1/3".into()),
        }
    }
}

/// What is run of the manifests that were named.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// Parts of keys, of which one must be in a key; empty: all.
    pub(crate) filter: Vec<String>,
    /// How often each is run.
    pub(crate) repeat: u32,
    /// Which of them.
    pub(crate) shard: Option<Shard>,
}

/// The jobs of this shard, and the keys of those of all shards.
///
/// # Errors
/// When a file is missing, or nothing is left to run.
pub(crate) fn select(root: &Path, named: &[PathBuf], selection: &Selection) -> Result<(Vec<Job>, Vec<String>)> {
    let mut files = Vec::new();
    for path in named {
        files.extend(manifests(path)?);
    }
    let mut jobs: Vec<Job> = files
        .into_iter()
        .map(|file| {
            let unfit = unfit(&file);
            Job {
                key: key(root, &file),
                seconds: if unfit.is_none() { own_seconds(&file) } else { 0.0 },
                unfit,
                file,
            }
        })
        .collect();
    jobs.sort_by(|one, other| one.key.cmp(&other.key));
    jobs.dedup_by(|one, other| one.key == other.key);
    let words: Vec<String> = selection.filter.iter().map(|word| word.to_lowercase()).collect();
    jobs.retain(|job| words.is_empty() || words.iter().any(|word| job.key.to_lowercase().contains(word)));
    if jobs.is_empty() {
        bail!("no manifest has {} in its path.", selection.filter.join(" or "));
    }
    let jobs: Vec<Job> = (1..=selection.repeat.max(1))
        .flat_map(|round| {
            jobs.iter().cloned().map(move |mut job| {
                if round > 1 {
                    job.key = format!("{} #{round}", job.key);
                }
                job
            })
        })
        .collect();
    let keys: Vec<String> = jobs.iter().map(|job| job.key.clone()).collect();
    let Some(Shard { index, count }) = selection.shard else {
        return Ok((jobs, keys));
    };
    let all = jobs.len();
    let part: Vec<Job> = jobs.into_iter().skip(index - 1).step_by(count).collect();
    if part.is_empty() {
        bail!("part {index} of {count} has no manifest: there are only {all}.");
    }
    Ok((part, keys))
}

/// The file itself, or every manifest of a folder.
fn manifests(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        if !path.exists() {
            bail!("there is no manifest {}.", path.display());
        }
        return Ok(vec![path.to_path_buf()]);
    }
    let what = || format!("cannot read {}", path.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).with_context(what)? {
        let path = entry.with_context(what)?.path();
        // A link that leads nowhere is no folder: it is there to be run, and fails.
        if path.extension().is_some_and(|end| end == "json") && !path.is_dir() {
            found.push(path);
        }
    }
    if found.is_empty() {
        bail!("there is no manifest in {}.", path.display());
    }
    Ok(found)
}

/// Why a Blender cannot be given the file.
fn unfit(file: &Path) -> Option<String> {
    match std::fs::metadata(file) {
        Err(error) => Some(format!("It cannot be read: {error}.")),
        Ok(found) if !found.is_file() => Some("It is no file.".to_owned()),
        Ok(_) if file.to_str().is_none() => Some("Its path is not UTF-8 text: rename it.".to_owned()),
        Ok(_) => None,
    }
}

/// The path in the checkout with `/`, so that every machine has the same; elsewhere the absolute path. A link is called as itself.
fn key(root: &Path, file: &Path) -> String {
    let whole = match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => {
            let folder = if folder.as_os_str().is_empty() {
                Path::new(".")
            } else {
                folder
            };
            folder.canonicalize().map(|folder| folder.join(name)).ok()
        }
        _ => file.canonicalize().ok(),
    };
    let whole = whole.unwrap_or_else(|| file.to_path_buf());
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let shown = whole.strip_prefix(&root).unwrap_or(&whole);
    let parts: Vec<_> = shown.iter().map(text).collect();
    parts.join("/").replacen("//", "/", 1)
}

/// A part of a path; two that differ only in what is not UTF-8 have different texts.
fn text(part: &OsStr) -> String {
    let chunks = part.as_encoded_bytes().utf8_chunks();
    chunks.fold(String::new(), |text, chunk| {
        let bytes = chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}"));
        text + chunk.valid() + &bytes.collect::<String>()
    })
}

/// What the manifest says of its time; the add-on judges whether it is valid at all.
fn own_seconds(file: &Path) -> f64 {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let data: Value = serde_json::from_str(&text).unwrap_or_default();
    #[allow(clippy::cast_precision_loss, reason = "a manifest has a handful of prompts")]
    let prompts = 1.0 + data.get("follow_ups").and_then(Value::as_array).map_or(0, Vec::len) as f64;
    let each = data.get("timeout_s").and_then(Value::as_f64).unwrap_or_default();
    AROUND + prompts * each.clamp(0.0, 86_400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::write(folder.path().join(name), r#"{"timeout_s": 10, "follow_ups": ["x"]}"#).unwrap();
        }
        folder
    }

    fn chosen(root: &Path, named: &[&str], selection: &Selection) -> Result<Vec<String>> {
        let named: Vec<PathBuf> = named.iter().map(|name| root.join(name)).collect();
        Ok(select(root, &named, selection)?
            .0
            .into_iter()
            .map(|job| job.key)
            .collect())
    }

    #[test]
    fn shards_are_the_same_whatever_order_the_files_are_named_in_and_lose_none() {
        let folder = folder(&["a.json", "b.json", "c.json", "d.json", "e.json", "notes.txt"]);
        let part = |index, named: &[&str]| {
            let selection = Selection {
                shard: Some(Shard { index, count: 2 }),
                ..Selection::default()
            };
            chosen(folder.path(), named, &selection).unwrap()
        };
        assert_eq!(part(1, &["."]), ["a.json", "c.json", "e.json"]);
        assert_eq!(part(2, &["."]), ["b.json", "d.json"]);
        let named = ["e.json", "c.json", "a.json", "d.json", "b.json", "a.json"];
        assert_eq!(part(1, &named), part(1, &["."]));
        assert_eq!(part(2, &named), part(2, &["."]));
    }

    #[test]
    fn filters_and_repetitions_count_before_shards() {
        let folder = folder(&["gear.json", "ring.json", "wring.json"]);
        let selection = Selection {
            filter: vec!["RING".into()],
            repeat: 2,
            shard: Some(Shard { index: 2, count: 2 }),
        };
        assert_eq!(
            chosen(folder.path(), &["."], &selection).unwrap(),
            ["wring.json", "wring.json #2"]
        );
    }

    #[test]
    fn nothing_to_run_is_an_error() {
        let empty = folder(&[]);
        let one = folder(&["a.json"]);
        let error = |root: &Path, named: &[&str], selection: &Selection| {
            chosen(root, named, selection).unwrap_err().to_string()
        };
        assert!(error(empty.path(), &["."], &Selection::default()).starts_with("there is no manifest in "));
        assert!(error(one.path(), &["b.json"], &Selection::default()).starts_with("there is no manifest "));
        let filter = Selection {
            filter: vec!["gear".into()],
            ..Selection::default()
        };
        assert_eq!(error(one.path(), &["."], &filter), "no manifest has gear in its path.");
        let shard = Selection {
            shard: Some(Shard { index: 3, count: 4 }),
            ..Selection::default()
        };
        assert_eq!(
            error(one.path(), &["."], &shard),
            "part 3 of 4 has no manifest: there are only 1."
        );
    }

    #[test]
    fn a_shard_is_written_as_a_fraction() {
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, count: 3 }));
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "/"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_manifest_has_its_time_for_each_prompt() {
        let folder = folder(&["a.json"]);
        let (jobs, keys) = select(folder.path(), &[folder.path().join("a.json")], &Selection::default()).unwrap();
        assert_eq!(keys, ["a.json"]);
        assert!((jobs[0].seconds - (AROUND + 20.0)).abs() < 1e-9, "{jobs:?}");
    }

    #[cfg(unix)]
    #[test]
    fn what_no_blender_can_be_given_is_there_to_fail() {
        use std::os::unix::ffi::OsStrExt;
        let folder = folder(&["a.json"]);
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink("nowhere", at("dangling.json")).unwrap();
        std::os::unix::fs::symlink("loop.json", at("loop.json")).unwrap();
        std::os::unix::fs::symlink("a.json", at("link.json")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket.json")).unwrap();
        std::fs::create_dir(at("folder.json")).unwrap();
        for name in [b"n\xFE.json", b"n\xFF.json"] {
            std::fs::copy(at("a.json"), folder.path().join(OsStr::from_bytes(name))).unwrap();
        }
        let (jobs, _) = select(folder.path(), &[folder.path().to_path_buf()], &Selection::default()).unwrap();
        let found: Vec<_> = jobs
            .iter()
            .map(|job| (job.key.as_str(), job.unfit.as_deref().unwrap_or_default().get(..12)))
            .collect();
        assert_eq!(
            found,
            [
                ("a.json", None),
                ("dangling.json", Some("It cannot be")),
                ("link.json", None),
                ("loop.json", Some("It cannot be")),
                ("n\\xFE.json", Some("Its path is ")),
                ("n\\xFF.json", Some("Its path is ")),
                ("socket.json", Some("It is no fil")),
            ]
        );
    }
}
