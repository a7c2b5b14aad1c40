//! The thread that writes the log.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use geonode_files::{make_folder, rename};
use geonode_provider::keys;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::chain::AuditError;
use super::event::Event;
use super::log::{AuditLog, Verified};
use super::often::Often;

/// Most events that may wait to be written.
const AHEAD: usize = 1024;

enum Order {
    Write(Event),
    /// Confirms that all earlier events were written or dropped.
    Flush(SyncSender<()>),
}

/// A log that is being written.
#[derive(Clone)]
struct Recorder {
    path: PathBuf,
    orders: SyncSender<Order>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    lost: AtomicU64,
    often: Often,
    trouble: Mutex<Option<AuditError>>,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

fn recorder() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts recording into the log at `path`. Without a path, a log that is already being written is kept; otherwise it is the one at the usual place
/// in the user's configuration folder. Returns the path. Problems of the log are found by the writing thread; see [`trouble`].
///
/// # Errors
/// [`AuditError::System`] when there is no configuration folder, or no thread can be started.
pub fn start(path: Option<&Path>) -> Result<PathBuf, AuditError> {
    let mut current = recorder();
    let path = match (path, current.as_ref()) {
        (Some(path), _) => path.to_owned(),
        (None, Some(current)) => current.path.clone(),
        (None, None) => keys::folder()
            .map(|folder| folder.join("audit.jsonl"))
            .ok_or_else(|| AuditError::System {
                path: "audit.jsonl".into(),
                cause: "the configuration folder cannot be determined".into(),
            })?,
    };
    if current.as_ref().is_some_and(|current| current.path == path) {
        return Ok(path);
    }
    let (orders, inbox) = sync_channel(AHEAD);
    let shared = Arc::new(Shared::default());
    let (its_path, its_shared) = (path.clone(), Arc::clone(&shared));
    std::thread::Builder::new()
        .name("geonode-audit".into())
        .spawn(move || write(&its_path, &inbox, &its_shared))
        .map_err(|error| AuditError::System {
            path: path.display().to_string(),
            cause: error.to_string(),
        })?;
    *current = Some(Recorder {
        path: path.clone(),
        orders,
        shared,
    });
    Ok(path)
}

/// Stops recording; what was recorded before is still written.
pub fn stop() {
    *recorder() = None;
}

/// Records an event, if a log is being written. Never waits.
pub fn record(mut event: Event) {
    if let Some(recorder) = recorder().as_ref()
        && recorder.shared.often.admits(&mut event)
        && matches!(
            recorder.orders.try_send(Order::Write(event)),
            Err(TrySendError::Full(_))
        )
    {
        recorder.shared.lost.fetch_add(1, Ordering::Relaxed);
    }
}

/// Records that a trusted script was allowed to run, with its hash, which identifies its text later.
pub fn trusted_script(code: &str) {
    let hash = Sha256::digest(code.as_bytes());
    let sha256 = hash.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    record(Event::TrustedScript {
        sha256,
        characters: code.chars().count(),
    });
}

/// Waits until everything recorded is on disk, at most `limit`; returns whether it is.
pub fn flush(limit: Duration) -> bool {
    let Some(recorder) = recorder().clone() else {
        return true;
    };
    let (done, wait) = sync_channel(1);
    // A full channel does not accept the request either; the thread will empty it.
    recorder.orders.try_send(Order::Flush(done)).is_ok() && wait.recv_timeout(limit).is_ok()
}

/// Why nothing is recorded, if there is a problem with the log.
pub fn trouble() -> Option<AuditError> {
    let recorder = recorder().clone()?;
    recorder
        .shared
        .trouble
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// The path of the log and the result of verifying all of it; `None` when nothing is recorded. Reads the whole log.
///
/// # Errors
/// [`AuditError::System`].
pub fn state() -> Result<Option<(PathBuf, Verified)>, AuditError> {
    let Some(recorder) = recorder().clone() else {
        return Ok(None);
    };
    let verified = AuditLog::open(&recorder.path)?.verify()?;
    Ok(Some((recorder.path, verified)))
}

/// Sets the present log aside, whether intact or broken, and begins a new one. Returns the new path of the old one, if there was one.
///
/// # Errors
/// [`AuditError::System`].
pub fn renew() -> Result<Option<PathBuf>, AuditError> {
    let Some(path) = recorder().take().map(|recorder| recorder.path) else {
        return Ok(None);
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let aside = path.with_extension(format!("{}.jsonl", now.as_secs()));
    let moved = match rename(&path, &aside) {
        Ok(()) => {
            let mut old = path.clone().into_os_string();
            old.push(".old");
            let mut old_aside = aside.clone().into_os_string();
            old_aside.push(".old");
            // There may be none.
            let _ = rename(Path::new(&old), Path::new(&old_aside));
            Ok(Some(aside))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AuditError::System {
            path: path.display().to_string(),
            cause: error.to_string(),
        }),
    };
    start(Some(&path))?;
    moved
}

fn write(path: &Path, inbox: &Receiver<Order>, shared: &Shared) {
    if let Some(folder) = path.parent() {
        let _ = make_folder(folder);
    }
    let note = |error: AuditError| {
        *shared.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    };
    let mut log = match AuditLog::open(path) {
        Ok(log) => {
            if let Some(broken) = log.broken() {
                note(broken.clone());
            }
            Some(log)
        }
        Err(error) => {
            note(error);
            None
        }
    };
    while let Ok(order) = inbox.recv() {
        match order {
            Order::Flush(done) => drop(done.try_send(())),
            Order::Write(event) => {
                let Some(log) = &mut log else { continue };
                let lost = shared.lost.swap(0, Ordering::Relaxed);
                let lost = (lost > 0).then_some(Event::Lost { events: lost });
                for event in std::iter::once(event).chain(lost) {
                    if let Err(error) = append(log, &event) {
                        let events = if let Event::Lost { events } = event { events } else { 1 };
                        shared.lost.fetch_add(events, Ordering::Relaxed);
                        note(error);
                    }
                }
            }
        }
    }
}

fn append(log: &mut AuditLog, event: &Event) -> Result<(), AuditError> {
    let mut entry = serde_json::to_value(event).unwrap_or_default();
    let detail = entry.get_mut("detail").map(Value::take).unwrap_or_default();
    let kind = entry.get("kind").and_then(Value::as_str).unwrap_or("unknown");
    log.append(kind, detail).map(drop)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use geonode_protocol::Code;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    fn removed(slot: &str) -> Event {
        Event::KeyRemoved { slot: slot.to_owned() }
    }

    /// A single test, since the process has only one recorder.
    #[test]
    fn events_are_written_in_order_and_a_broken_log_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("audit.jsonl");
        record(removed("before the start"));
        assert!(flush(PATIENCE) && trouble().is_none());
        assert_eq!(state().unwrap(), None);

        assert_eq!(start(Some(&path)).unwrap(), path);
        for n in 0..100 {
            record(removed(&n.to_string()));
        }
        assert_eq!(start(None).unwrap(), path, "it stays");
        assert!(flush(PATIENCE));
        let text = fs::read_to_string(&path).unwrap();
        let entries: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(entries.len(), 100);
        for (n, entry) in entries.iter().enumerate() {
            assert_eq!(
                (&entry["kind"], &entry["detail"]["slot"]),
                (&"key_removed".into(), &n.to_string().into())
            );
        }
        assert_eq!(
            state().unwrap().map(|(path, found)| (path, found.entries)),
            Some((path.clone(), 100))
        );

        let broken = text.replacen("\"50\"", "\"51\"", 1);
        stop();
        fs::write(&path, &broken).unwrap();
        start(Some(&path)).unwrap();
        record(removed("after"));
        assert!(flush(PATIENCE));
        assert_eq!(trouble().map(|error| error.code()), Some(Code::AuditBroken));
        assert_eq!(fs::read_to_string(&path).unwrap(), broken, "nothing is added");
        assert_eq!(state().unwrap().unwrap().1.broken_at, Some(51));

        let aside = renew().unwrap().unwrap();
        record(removed("anew"));
        assert!(flush(PATIENCE) && trouble().is_none());
        assert_eq!(fs::read_to_string(aside).unwrap(), broken, "it is kept");
        assert_eq!(state().unwrap().unwrap().1.entries, 1);

        fs::create_dir(folder.path().join("folder.jsonl")).unwrap();
        start(Some(&folder.path().join("folder.jsonl"))).unwrap();
        record(removed("nowhere"));
        assert!(flush(PATIENCE));
        assert_eq!(trouble().map(|error| error.code()), Some(Code::AuditUnwritable));
        stop();
    }
}
