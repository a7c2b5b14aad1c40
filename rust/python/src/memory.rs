//! The memory in use by this process, for the watchdog.

/// Bytes of this process in memory now. `None` if the system does not report it.
#[cfg(target_os = "linux")]
pub(crate) fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    pages.checked_mul(page_size())
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "sysconf only reads a constant of the system")]
fn page_size() -> u64 {
    // SAFETY: sysconf has no preconditions.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).unwrap_or(4096)
}

/// Bytes of this process in memory now. `None` if the system does not report it.
#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "the kernel tells it through a plain structure")]
pub(crate) fn resident() -> Option<u64> {
    let mut info = std::mem::MaybeUninit::<libc::mach_task_basic_info>::zeroed();
    let mut count = libc::MACH_TASK_BASIC_INFO_COUNT;
    // SAFETY: the structure is ours, of the right type and with its true size; all zeroes is a valid value of it.
    #[expect(deprecated, reason = "its successor is a crate of its own, for this one number")]
    let info = unsafe {
        let task = libc::mach_task_self();
        let told = libc::task_info(
            task,
            libc::MACH_TASK_BASIC_INFO,
            info.as_mut_ptr().cast(),
            &raw mut count,
        );
        if told != libc::KERN_SUCCESS {
            return None;
        }
        info.assume_init()
    };
    Some(info.resident_size)
}

/// Bytes of this process in memory now. `None` if the system does not report it.
#[cfg(windows)]
#[expect(unsafe_code, reason = "Windows tells it through a plain structure")]
pub(crate) fn resident() -> Option<u64> {
    /// `PROCESS_MEMORY_COUNTERS` of psapi.h.
    #[repr(C)]
    #[derive(Default)]
    struct Counters {
        size: u32,
        page_faults: u32,
        peak: usize,
        working_set: usize,
        rest: [usize; 6],
    }
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn GetCurrentProcess() -> isize;
        fn K32GetProcessMemoryInfo(process: isize, counters: *mut Counters, size: u32) -> i32;
    }
    let size = u32::try_from(std::mem::size_of::<Counters>()).ok()?;
    let mut counters = Counters {
        size,
        ..Counters::default()
    };
    // SAFETY: the handle is the pseudo handle of this process, and the structure is ours with its true size.
    let told = unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &raw mut counters, size) };
    (told != 0).then(|| u64::try_from(counters.working_set).ok()).flatten()
}

/// Bytes of this process in memory now, which this system does not report: no script runs in safe mode here.
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
pub(crate) fn resident() -> Option<u64> {
    None
}
