//! Begins a sealed process, and watches for its end on a thread of its own.

use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use landlock::RulesetCreated;

use super::{calls, files, limits};
use crate::{Limits, Order, SealError, Stage};

/// A sealed process. Dropped, it goes on until it is killed or this process ends.
#[derive(Debug)]
pub struct Sealed(Arc<Mutex<Life>>);

/// Where it stands, and whether it shall end.
#[derive(Debug)]
struct Life {
    stage: Stage,
    killed: bool,
}

/// Begins a sealed process and returns at once; it ends with this process, whatever happens here.
///
/// # Errors
/// `Unavailable` where there is no sandbox, `Failed` when it cannot be set up. What goes wrong later is a [`Stage::Failed`].
pub fn start(order: Order) -> Result<Sealed, SealError> {
    files::available()?;
    calls::available()?;
    let sealed = Sealed(Arc::new(Mutex::new(Life {
        stage: Stage::Starting,
        killed: false,
    })));
    let life = Arc::clone(&sealed.0);
    // The thread lives as long as the process: when a thread ends, the processes that it began get their signal.
    std::thread::Builder::new()
        .name("geonode-seal".into())
        .spawn(move || match begin(&order) {
            Ok(child) => follow(child, &life),
            Err(error) => life.lock().unwrap_or_else(PoisonError::into_inner).stage = Stage::Failed(error.to_string()),
        })
        .map_err(|error| SealError::of("a thread", error))?;
    Ok(sealed)
}

impl Sealed {
    /// Where it stands; never waits.
    pub fn stage(&self) -> Stage {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).stage.clone()
    }

    /// Ends it, now or as soon as it has begun; never waits.
    pub fn kill(&self) {
        let mut life = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        life.killed = true;
        if let Stage::Running(id) = life.stage {
            end(id);
        }
    }
}

/// Waits for the end and tells it. While the stage is `Running` nobody has collected the process, so its ID is still its own.
fn follow(mut child: Child, life: &Mutex<Life>) {
    let id = child.id();
    {
        let mut life = life.lock().unwrap_or_else(PoisonError::into_inner);
        life.stage = Stage::Running(id);
        if life.killed {
            end(id);
        }
    }
    let over = wait_without_collecting(id);
    // Under the lock, so that `kill` never meets an ID that is somebody else's by now.
    let mut life = life.lock().unwrap_or_else(PoisonError::into_inner);
    life.stage = match over.and_then(|()| child.wait()) {
        Ok(status) => match status.code() {
            Some(code) => Stage::Exited(code),
            None => Stage::Killed(status.signal().unwrap_or_default()),
        },
        Err(error) => Stage::Failed(error.to_string()),
    };
}

fn begin(order: &Order) -> Result<Child, SealError> {
    let rules = files::rules(order)?;
    let output = File::create(&order.output).map_err(|error| SealError::of("the file for its output", error))?;
    let errors = output
        .try_clone()
        .map_err(|error| SealError::of("the file for its output", error))?;
    let mut command = Command::new(&order.program);
    command
        .args(&order.arguments)
        .env_clear()
        .envs(order.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.folder)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(errors);
    confined(&mut command, rules, order.limits);
    command.spawn().map_err(|error| SealError::of("the process", error))
}

/// What the new process does to itself before it becomes the program.
#[expect(unsafe_code, reason = "runs between fork and exec")]
fn confined(command: &mut Command, rules: RulesetCreated, limits: Limits) {
    let mut rules = Some(rules);
    let confine = move || {
        own_session()?;
        inherit_nothing()?;
        limits::bound(limits)?;
        // Without an allocation that could fail: only a number reaches the first process from here.
        let denied = || io::Error::from_raw_os_error(libc::EACCES);
        match rules.take().map(files::confine) {
            Some(Ok(true)) => Ok(()),
            _ => Err(denied()),
        }
    };
    // SAFETY: the rules are made; the closure makes system calls. What it allocates beside them is allowed after `fork` of glibc and musl,
    // which keep their allocators usable in the new process.
    unsafe {
        command.pre_exec(confine);
    }
}

#[expect(unsafe_code, reason = "setsid and prctl have no safe form")]
fn own_session() -> io::Result<()> {
    // SAFETY: both only change this process, and take no pointers.
    unsafe {
        if libc::setsid() < 0 || libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Lets go of what this process has open when the program is loaded: files, sockets and devices that a library opened without saying so.
#[expect(unsafe_code, reason = "close_range has no safe form")]
fn inherit_nothing() -> io::Result<()> {
    const FIRST: libc::c_uint = 3;
    // SAFETY: takes numbers only. Descriptors stay open until then, for what is still to be done here.
    let done = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            FIRST,
            libc::c_uint::MAX,
            libc::CLOSE_RANGE_CLOEXEC,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Ends the process and all that it began.
#[expect(unsafe_code, reason = "kill has no safe form")]
fn end(id: u32) {
    let Ok(id) = libc::pid_t::try_from(id) else { return };
    // SAFETY: takes numbers only. The process leads a group of this ID and nobody has collected it.
    unsafe {
        libc::kill(-id, libc::SIGKILL);
        libc::kill(id, libc::SIGKILL);
    }
}

#[expect(unsafe_code, reason = "waitid has no safe form")]
fn wait_without_collecting(id: u32) -> io::Result<()> {
    loop {
        // SAFETY: all zeroes is a valid value; waitid only fills it.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is ours.
        let waited = unsafe { libc::waitid(libc::P_PID, id, &raw mut info, libc::WEXITED | libc::WNOWAIT) };
        if waited == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}
