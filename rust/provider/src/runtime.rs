//! One tokio runtime for all clients, created by the first call and kept until the process ends.

use std::future::Future;
use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::ProviderError;

/// Number of threads: enough for many streams, which mostly wait and parse small pieces.
const WORKERS: usize = 2;

/// The shared runtime.
///
/// # Errors
/// `Internal` when no threads can be started.
pub(crate) fn shared() -> Result<&'static Runtime, ProviderError> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = RUNTIME.get_or_init(|| {
        let built = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("geonode-net")
            .enable_all()
            .build();
        built.map_err(|error| error.to_string())
    });
    made.as_ref().map_err(|error| ProviderError::Internal(error.clone()))
}

/// Runs `future` to its end on the calling thread. Also safe inside another runtime, where tokio itself would panic.
pub(crate) fn block_on<T: Send>(future: impl Future<Output = T> + Send) -> Result<T, ProviderError> {
    let runtime = shared()?;
    if Handle::try_current().is_err() {
        return Ok(runtime.block_on(future));
    }
    std::thread::scope(|scope| scope.spawn(|| runtime.block_on(future)).join())
        .map_err(|_| ProviderError::Internal("a network call failed unexpectedly".into()))
}
