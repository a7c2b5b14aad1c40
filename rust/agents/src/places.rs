//! Places of connections: bounded, and a connection that has not shown the token makes room for the next one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Connections at the same time.
const CONNECTIONS: usize = 64;

/// All places.
#[derive(Debug, Default)]
pub(crate) struct Places(Mutex<Vec<Arc<Place>>>);

/// A connection's place.
#[derive(Debug, Default)]
pub(crate) struct Place {
    admitted: AtomicBool,
    /// The place is needed for another connection.
    pub(crate) leave: CancellationToken,
}

impl Places {
    fn taken(&self) -> MutexGuard<'_, Vec<Arc<Place>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection. Where all are taken, the oldest connection without the token leaves; None if all have it.
    pub(crate) fn enter(&self) -> Option<Arc<Place>> {
        let mut taken = self.taken();
        if taken.len() >= CONNECTIONS {
            let stranger = taken.iter().position(|one| !one.admitted.load(Ordering::Relaxed))?;
            taken.remove(stranger).leave.cancel();
        }
        let place = Arc::new(Place::default());
        taken.push(Arc::clone(&place));
        Some(place)
    }

    /// The connection has ended.
    pub(crate) fn free(&self, place: &Arc<Place>) {
        self.taken().retain(|one| !Arc::ptr_eq(one, place));
    }
}

impl Place {
    /// The connection has shown the token.
    pub(crate) fn admit(&self) {
        self.admitted.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_make_room_and_programs_with_the_token_stay() {
        let places = Places::default();
        let program = places.enter().unwrap();
        program.admit();
        let strangers: Vec<_> = (0..3 * CONNECTIONS).map(|_| places.enter().unwrap()).collect();
        assert!(!program.leave.is_cancelled());
        let left = strangers.iter().filter(|one| one.leave.is_cancelled()).count();
        assert_eq!(left, 2 * CONNECTIONS + 1);
        assert!(strangers.last().is_some_and(|one| !one.leave.is_cancelled()));
        for one in &strangers {
            one.admit();
        }
        assert!(places.enter().is_none(), "all have the token");
        places.free(&program);
        assert!(places.enter().is_some());
    }
}
