//! Files that somebody else has open.

use std::io::{Error, Result};
use std::time::{Duration, Instant};

/// How long to wait until nobody has the file open.
const PATIENCE: Duration = Duration::from_millis(500);
const PAUSE: Duration = Duration::from_millis(10);

/// Does something to a file. Windows refuses while anybody else has it open in a way that excludes this, as virus scanners and indexers do for a
/// moment, and while it is being removed: then again, for half a second.
///
/// # Errors
/// The error of the work.
pub fn patiently<T>(mut work: impl FnMut() -> Result<T>) -> Result<T> {
    let begun = Instant::now();
    loop {
        match work() {
            Err(error) if is_held(&error) && begun.elapsed() < PATIENCE => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
}

/// Access denied (also while it is being removed), sharing violation, lock violation, delete pending.
fn is_held(error: &Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33 | 303))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Access denied on Windows, an input or output error elsewhere.
    const CODE: i32 = 5;

    #[test]
    fn only_what_passes_is_waited_for() {
        let mut left = 3;
        let passing = patiently(|| {
            left -= 1;
            if left > 0 {
                Err(Error::from_raw_os_error(CODE))
            } else {
                Ok("done")
            }
        });
        assert_eq!(passing.is_ok(), cfg!(windows));
        let mut tries = 0;
        let missing: Result<()> = patiently(|| {
            tries += 1;
            Err(std::io::ErrorKind::NotFound.into())
        });
        assert!(missing.is_err() && tries == 1);
        let begun = Instant::now();
        assert!(patiently::<()>(|| Err(Error::from_raw_os_error(CODE))).is_err());
        assert_eq!(begun.elapsed() >= PATIENCE, cfg!(windows), "there is an end");
    }
}
