//! Which system calls a sealed process may make: seccomp. Everything that no list names is refused.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter_all_threads,
};

use crate::SealError;

/// Calls by number, each with the conditions under which its rule holds; none: always.
type Rules = BTreeMap<c_long, Vec<SeccompRule>>;
type Made<T> = Result<T, seccompiler::BackendError>;

/// Calls whose effect ends with the process, or whose files Landlock has judged. Not among them, since they reach what Landlock does not
/// judge: times, owners, modes and attributes of files, locks on them, other processes, links to elsewhere. Nor what takes memory that no
/// limit counts: files in memory alone, space without contents.
const ALLOWED: &[c_long] = &[
    // Files that are open.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_lseek,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_ftruncate,
    libc::SYS_fadvise64,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_getdents64,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    // Files by name.
    libc::SYS_openat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_truncate,
    libc::SYS_umask,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_mlock,
    libc::SYS_munlock,
    libc::SYS_msync,
    libc::SYS_mincore,
    libc::SYS_membarrier,
    libc::SYS_get_mempolicy,
    libc::SYS_mbind,
    // Threads, time and waiting.
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_set_tid_address,
    libc::SYS_gettid,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_getpriority,
    libc::SYS_getcpu,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_setitimer,
    libc::SYS_getitimer,
    libc::SYS_timer_create,
    libc::SYS_timer_settime,
    libc::SYS_timer_gettime,
    libc::SYS_timer_delete,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_settime,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_pipe2,
    // Signals of its own.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // What it is, and its end.
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getsid,
    libc::SYS_getrusage,
    libc::SYS_getrandom,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Calls that only this processor has, mostly older forms of those above.
#[cfg(target_arch = "x86_64")]
const ALLOWED_HERE: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_arch_prctl,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
    libc::SYS_unlink,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[c_long] = &[];

/// Calls that no script and no part of Blender makes without meaning it: the process ends at the first.
const DEADLY: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
];
#[cfg(target_arch = "x86_64")]
const DEADLY_HERE: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const DEADLY_HERE: &[c_long] = &[];

/// Calls whose arguments stand in memory, where a filter cannot read them. Told that they do not exist, the C library uses the older ones.
const UNKNOWN: &[c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// What `fcntl` does with descriptors and their flags. Not: who is sent a signal about a file (`F_SETOWN`), leases, notes and locks on what
/// can only be read, since others would wait for these.
const DESCRIPTORS: &[u64] = &[
    0,    // F_DUPFD
    1,    // F_GETFD
    2,    // F_SETFD
    3,    // F_GETFL
    4,    // F_SETFL
    1030, // F_DUPFD_CLOEXEC
    1032, // F_GETPIPE_SZ
];
/// What `ioctl` asks about descriptors: whether they are terminals, how much can be read. Not: attributes of files, for which it is enough
/// that somebody may read one.
const REQUESTS: &[u64] = &[
    0x5401,      // TCGETS
    0x802C_542A, // TCGETS2
    0x5413,      // TIOCGWINSZ
    0x5421,      // FIONBIO
    0x541B,      // FIONREAD
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
];
/// Flags of a new thread that would give it a view of the system of its own.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWCGROUP,
];

/// Whether the kernel has filters that end a process.
#[expect(unsafe_code, reason = "seccomp has no wrapper in the C library")]
pub(super) fn available() -> Result<(), SealError> {
    let action = libc::SECCOMP_RET_KILL_PROCESS;
    // SAFETY: the call only reads the number that it is pointed to.
    let known = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) };
    if known == 0 {
        Ok(())
    } else {
        let error = std::io::Error::last_os_error();
        Err(SealError::Unavailable(format!(
            "seccomp (Linux 4.14 or later) is not available ({error})"
        )))
    }
}

/// Installs the filters in every thread. Of several that answer, the severest counts.
pub(super) fn refuse_the_rest() -> Result<(), SealError> {
    for program in programs(std::process::id()).map_err(|error| SealError::of("the filter of system calls", error))? {
        apply_filter_all_threads(&program).map_err(|error| SealError::of("the filter of system calls", error))?;
    }
    Ok(())
}

fn programs(own: u32) -> Made<[BpfProgram; 3]> {
    let errno = |number: i32| SeccompAction::Errno(number.unsigned_abs());
    Ok([
        program(deadly(own)?, SeccompAction::Allow, SeccompAction::KillProcess)?,
        program(always(UNKNOWN), SeccompAction::Allow, errno(libc::ENOSYS))?,
        // Last, for it refuses further filters.
        program(allowed(own)?, errno(libc::EPERM), SeccompAction::Allow)?,
    ])
}

fn program(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Made<BpfProgram> {
    SeccompFilter::new(rules, otherwise, matched, std::env::consts::ARCH.try_into()?)?.try_into()
}

fn always(calls: &[c_long]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn allowed(own: u32) -> Made<Rules> {
    let mut rules = always(ALLOWED);
    rules.extend(always(ALLOWED_HERE));
    let own = u64::from(own);
    let number = |value: libc::c_int| u64::from(value.unsigned_abs());
    // What the filter before answers is not answered here again.
    rules.extend(always(UNKNOWN));
    let mut only = |call: c_long, ways: Vec<Vec<SeccompCondition>>| -> Made<()> {
        let chain = ways.into_iter().map(SeccompRule::new).collect::<Made<_>>()?;
        rules.insert(call, chain);
        Ok(())
    };
    let (thread, apart) = (number(libc::CLONE_THREAD), NAMESPACES.map(number).iter().sum::<u64>());
    only(
        libc::SYS_clone,
        vec![vec![SeccompCondition::new(
            0,
            Len::Qword,
            Op::MaskedEq(thread | apart),
            thread,
        )?]],
    )?;
    // Advice on its own memory; an administrator could give the whole system some.
    let reaching = |advice: libc::c_int| SeccompCondition::new(2, Len::Dword, Op::Ne, number(advice));
    only(
        libc::SYS_madvise,
        vec![vec![reaching(libc::MADV_HWPOISON)?, reaching(libc::MADV_SOFT_OFFLINE)?]],
    )?;
    for (call, requests) in [(libc::SYS_fcntl, DESCRIPTORS), (libc::SYS_ioctl, REQUESTS)] {
        only(
            call,
            requests
                .iter()
                .map(|one| Ok(vec![equal(1, *one)?]))
                .collect::<Made<_>>()?,
        )?;
    }
    // Names of threads and of memory: not who gets a signal when this process ends, or whether it can be dumped.
    let named = [
        number(libc::PR_SET_NAME),
        number(libc::PR_GET_NAME),
        number(libc::PR_SET_VMA),
    ];
    only(
        libc::SYS_prctl,
        named
            .into_iter()
            .map(|what| Ok(vec![equal(0, what)?]))
            .collect::<Made<_>>()?,
    )?;
    // Its own limits are read, and set by nobody: an administrator could raise them.
    let unset = || SeccompCondition::new(2, Len::Qword, Op::Eq, 0);
    only(
        libc::SYS_prlimit64,
        vec![vec![equal(0, 0)?, unset()?], vec![equal(0, own)?, unset()?]],
    )?;
    for signal in [libc::SYS_kill, libc::SYS_tgkill] {
        only(signal, vec![vec![equal(0, own)?]])?;
    }
    Ok(rules)
}

fn deadly(own: u32) -> Made<Rules> {
    let mut rules = always(DEADLY);
    rules.extend(always(DEADLY_HERE));
    // A local socket is how the C library asks for names of users; it gets none, and the process goes on.
    let local = u64::from(libc::AF_UNIX.unsigned_abs());
    let other = SeccompCondition::new(0, Len::Dword, Op::Ne, local)?;
    rules.insert(libc::SYS_socket, vec![SeccompRule::new(vec![other])?]);
    for signal in [libc::SYS_kill, libc::SYS_tgkill] {
        let other = SeccompCondition::new(0, Len::Dword, Op::Ne, u64::from(own))?;
        rules.insert(signal, vec![SeccompRule::new(vec![other])?]);
    }
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let process = SeccompCondition::new(0, Len::Qword, Op::MaskedEq(thread), 0)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![process])?]);
    Ok(rules)
}

fn equal(argument: u8, value: u64) -> Made<SeccompCondition> {
    SeccompCondition::new(argument, Len::Dword, Op::Eq, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filters_compile_and_block_dangerous_calls() {
        let programs = programs(4242).unwrap();
        assert!(programs.iter().all(|program| program.len() > 4 && program.len() < 4096));
        let (allowed, deadly) = (allowed(4242).unwrap(), deadly(4242).unwrap());
        assert!(allowed.len() > 100);
        for (call, rules) in &deadly {
            // What is deadly under a condition may be allowed under the opposite one.
            assert!(!rules.is_empty() || !allowed.contains_key(call), "{call}");
        }
        assert!(always(UNKNOWN).keys().all(|call| !deadly.contains_key(call)));
    }
}
