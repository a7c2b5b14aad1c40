//! Bounds of the kernel for one process. Hard ones: the process cannot raise them again.
#![expect(unsafe_code, reason = "setrlimit and sysconf have no safe form")]

use std::io;

use crate::{Limits, SealError};

/// Seconds between the signal for too much processor time and the end by force.
const GRACE_S: u64 = 1;

/// Sets what holds from the start; called between fork and exec, so it allocates nothing.
pub(super) fn bound(limits: Limits) -> io::Result<()> {
    lower(libc::RLIMIT_CORE, 0, 0)?;
    lower(libc::RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)?;
    let most = limits.cpu_seconds;
    lower(libc::RLIMIT_CPU, most, most.saturating_add(GRACE_S))
}

/// The address space in use now may grow by so much.
pub(super) fn bound_memory(megabytes: u64) -> Result<(), SealError> {
    let used = address_space().ok_or_else(|| SealError::Failed("the process cannot be measured".into()))?;
    let most = used.saturating_add(megabytes.saturating_mul(1 << 20));
    lower(libc::RLIMIT_AS, most, most).map_err(|error| SealError::of("the limit of memory", error))
}

fn address_space() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    // SAFETY: sysconf has no preconditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages.checked_mul(u64::try_from(size).ok()?)
}

/// Lowers a limit to `soft` and `hard`, or leaves it where it is lower already.
fn lower(kind: libc::__rlimit_resource_t, soft: u64, hard: u64) -> io::Result<()> {
    let mut now = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is ours; getrlimit only fills it.
    if unsafe { libc::getrlimit(kind, &raw mut now) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let wanted = libc::rlimit {
        rlim_cur: soft.min(now.rlim_max),
        rlim_max: hard.min(now.rlim_max),
    };
    // SAFETY: the structure is ours; setrlimit only reads it.
    if unsafe { libc::setrlimit(kind, &raw const wanted) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
