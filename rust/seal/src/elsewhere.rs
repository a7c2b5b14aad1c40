//! Systems without a sandbox that this crate knows.

use crate::{Order, SealError, Stage};

/// A sealed process, of which there is none here.
#[derive(Debug)]
pub struct Sealed(std::convert::Infallible);

impl Sealed {
    /// Where it stands.
    pub fn stage(&self) -> Stage {
        match self.0 {}
    }

    /// Ends it.
    pub fn kill(&self) {
        match self.0 {}
    }
}

/// Whether processes can be sealed here.
///
/// # Errors
/// Always: there is no sandbox.
pub fn available() -> Result<(), SealError> {
    Err(SealError::Unavailable(format!(
        "it is {}, not Linux",
        std::env::consts::OS
    )))
}

/// Begins a sealed process.
///
/// # Errors
/// Always: there is no sandbox.
pub fn start(_order: Order) -> Result<Sealed, SealError> {
    available().and(Err(SealError::Failed(String::new())))
}

/// Seals this process.
///
/// # Errors
/// Always: there is no sandbox.
pub fn enter(_megabytes: u64) -> Result<(), SealError> {
    available()
}
