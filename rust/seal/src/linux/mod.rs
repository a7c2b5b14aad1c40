//! Linux: Landlock for files, seccomp for everything else.

mod calls;
mod files;
mod limits;
mod process;

use crate::SealError;

pub use process::{Sealed, start};

/// Whether processes can be sealed here: the kernel has both halves.
///
/// # Errors
/// `Unavailable`, with what is missing.
pub fn available() -> Result<(), SealError> {
    files::available()?;
    calls::available()
}

/// Seals this process for good, with all of its threads: it asks the system for the listed calls only, and its address space grows by no
/// more than `megabytes`. For a process that [`start`] began.
///
/// # Errors
/// `Unavailable` when the kernel has no seccomp, `Failed` when it refuses the filter or this process cannot be measured; nothing that came
/// from elsewhere may run then.
pub fn enter(megabytes: u64) -> Result<(), SealError> {
    calls::available()?;
    limits::bound_memory(megabytes)?;
    calls::refuse_the_rest()
}
