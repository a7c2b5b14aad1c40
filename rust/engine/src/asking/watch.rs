//! Ends a request when the time of its run is over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use geonode_provider::Client;

/// Cancels a client's calls after a time, unless it is dropped before.
pub(crate) struct Watch {
    fired: Arc<AtomicBool>,
    _alive: Sender<()>,
}

impl Watch {
    /// Starts watching.
    pub(crate) fn start(client: Client, left: Duration) -> Self {
        let (alive, gone) = channel();
        let fired = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&fired);
        let watch = move || {
            if gone.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::SeqCst);
                client.cancel();
            }
        };
        // Without a thread, the request's own limits apply.
        let _ = std::thread::Builder::new().name("geonode-watch".into()).spawn(watch);
        Self { fired, _alive: alive }
    }

    /// Whether the time has run out.
    pub(crate) fn fired(&self) -> bool {
        self.fired.load(Ordering::SeqCst)
    }
}
