//! Bounds the size of one block of Python's memory while a script runs.
//!
//! A single operation that fills a huge block (`s * n`, `"".join(...)`, `b"" + ...`) cannot be interrupted, and a check before each would
//! slow every script down. So Python's own hook is used, as `tracemalloc` does: a block above the bound is refused, and the
//! operation ends with a `MemoryError` in the script. The hook compares one number for each allocation.
//!
//! Once the process has grown far beyond the bound of the script, blocks above `SMALL` are refused as well, so that a function in C that
//! creates one large value after another ends before the system ends the whole process. Not earlier, since parts of
//! Blender do not check whether an allocation succeeded.
#![expect(
    unsafe_code,
    reason = "the hook is a table of C functions that Python calls; abi3 does not name it"
)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// `PyMemAllocatorEx` of `CPython` 3.5 and later.
#[repr(C)]
#[derive(Clone, Copy)]
struct Functions {
    ctx: *mut c_void,
    malloc: Malloc,
    calloc: Calloc,
    realloc: Realloc,
    free: extern "C" fn(*mut c_void, *mut c_void),
}

type Malloc = extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Calloc = extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
type Realloc = extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void;

type Access = extern "C" fn(c_int, *mut Functions);

/// `PYMEM_DOMAIN_MEM` and `PYMEM_DOMAIN_OBJ`, which are used with the GIL held, and the most bytes of a block of each. The second has texts
/// and whole numbers, where one call of a method may take thirty nanoseconds for each byte; lists and arrays are elsewhere.
const DOMAINS: ((c_int, usize), (c_int, usize)) = ((1, usize::MAX), (2, 128 << 20));

/// Bytes of a block that is never refused.
const SMALL: usize = 16 << 20;

/// Current limit of a block in bytes.
static LARGEST: AtomicUsize = AtomicUsize::new(usize::MAX);

thread_local! {
    /// Whether this thread runs the script: other threads are not bounded.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Whether a block of this size is refused now.
pub(crate) fn refused(size: usize) -> bool {
    size > LARGEST.load(Ordering::Relaxed) && OURS.get()
}

/// Allows only small blocks from now on.
pub(crate) fn starve() {
    LARGEST.store(SMALL, Ordering::Relaxed);
}

/// The functions behind the hooks, by domain; they stay, since another thread may be on its way through a hook while it is removed.
static BEHIND: [Behind; 2] = [Behind::new(), Behind::new()];

/// Functions of one domain.
struct Behind {
    malloc: AtomicPtr<c_void>,
    calloc: AtomicPtr<c_void>,
    realloc: AtomicPtr<c_void>,
}

impl Behind {
    const fn new() -> Self {
        Self {
            malloc: AtomicPtr::new(ptr::null_mut()),
            calloc: AtomicPtr::new(ptr::null_mut()),
            realloc: AtomicPtr::new(ptr::null_mut()),
        }
    }

    fn keep(&self, functions: &Functions) {
        self.malloc.store(functions.malloc as *mut c_void, Ordering::Release);
        self.calloc.store(functions.calloc as *mut c_void, Ordering::Release);
        self.realloc.store(functions.realloc as *mut c_void, Ordering::Release);
    }
}

/// Whether a block of this size is refused now in a domain.
#[inline]
fn refuses<const N: usize>(size: usize) -> bool {
    let most = const { if N == 0 { DOMAINS.0.1 } else { DOMAINS.1.1 } };
    (size > LARGEST.load(Ordering::Relaxed) || size > most) && OURS.get()
}

/// One of the functions behind the hook of a domain.
#[inline]
fn behind<const N: usize>(which: impl Fn(&Behind) -> &AtomicPtr<c_void>) -> *mut c_void {
    BEHIND
        .get(N)
        .map_or(ptr::null_mut(), |one| which(one).load(Ordering::Relaxed))
}

extern "C" fn malloc<const N: usize>(ctx: *mut c_void, size: usize) -> *mut c_void {
    if refuses::<N>(size) {
        return ptr::null_mut();
    }
    // SAFETY: the function of Python that was here before, with its own context.
    unsafe { transmute::<*mut c_void, Malloc>(behind::<N>(|one| &one.malloc))(ctx, size) }
}

extern "C" fn calloc<const N: usize>(ctx: *mut c_void, count: usize, size: usize) -> *mut c_void {
    if refuses::<N>(count.saturating_mul(size)) {
        return ptr::null_mut();
    }
    // SAFETY: as in `malloc`.
    unsafe { transmute::<*mut c_void, Calloc>(behind::<N>(|one| &one.calloc))(ctx, count, size) }
}

extern "C" fn realloc<const N: usize>(ctx: *mut c_void, block: *mut c_void, size: usize) -> *mut c_void {
    if refuses::<N>(size) {
        return ptr::null_mut();
    }
    // SAFETY: as in `malloc`.
    unsafe { transmute::<*mut c_void, Realloc>(behind::<N>(|one| &one.realloc))(ctx, block, size) }
}

/// The bound, in force until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Bounded {
    set: Access,
    /// The functions that were there before, by domain.
    before: Vec<(c_int, Functions)>,
}

impl Bounded {
    /// Bounds one block to `largest` bytes; `None` if this Python does not have the hook.
    pub(crate) fn new(py: Python<'_>, largest: usize) -> Option<Self> {
        let (get, set) = addresses(py)?;
        // SAFETY: the addresses come from Python itself, by the names of these two functions, whose signatures have not changed since 3.5.
        let (get, set): (Access, Access) =
            unsafe { (transmute::<usize, Access>(get), transmute::<usize, Access>(set)) };
        LARGEST.store(largest, Ordering::Relaxed);
        OURS.set(true);
        let hooks = [
            (malloc::<0> as Malloc, calloc::<0> as Calloc, realloc::<0> as Realloc),
            (malloc::<1> as Malloc, calloc::<1> as Calloc, realloc::<1> as Realloc),
        ];
        let domains = [DOMAINS.0.0, DOMAINS.1.0];
        let mut before = Vec::with_capacity(domains.len());
        for ((domain, behind), (malloc, calloc, realloc)) in domains.into_iter().zip(&BEHIND).zip(hooks) {
            let mut original = std::mem::MaybeUninit::<Functions>::uninit();
            get(domain, original.as_mut_ptr());
            // SAFETY: Python filled the whole structure.
            let original = unsafe { original.assume_init() };
            behind.keep(&original);
            // Releasing is not looked at, so it stays Python's own; the context is Python's too.
            let mut hook = Functions {
                malloc,
                calloc,
                realloc,
                ..original
            };
            set(domain, &raw mut hook);
            before.push((domain, original));
        }
        Some(Self { set, before })
    }
}

impl Drop for Bounded {
    fn drop(&mut self) {
        for (domain, original) in &mut self.before {
            (self.set)(*domain, original);
        }
        OURS.set(false);
    }
}

/// The addresses of `PyMem_GetAllocator` and `PyMem_SetAllocator`; looked up once.
fn addresses(py: Python<'_>) -> Option<(usize, usize)> {
    static FOUND: PyOnceLock<Option<(usize, usize)>> = PyOnceLock::new();
    *FOUND.get_or_init(py, || {
        Some((address(py, "PyMem_GetAllocator")?, address(py, "PyMem_SetAllocator")?))
    })
}

/// The address of a function of Python's C interface, from `ctypes`, which finds it on every platform.
pub(crate) fn address(py: Python<'_>, name: &str) -> Option<usize> {
    let ctypes = py.import("ctypes").ok()?;
    let function = ctypes.getattr("pythonapi").ok()?.getattr(name).ok()?;
    let pointer = ctypes.getattr("c_void_p").ok()?;
    let cast = ctypes.call_method1("cast", (function, pointer)).ok()?;
    cast.getattr("value").ok()?.extract::<Option<usize>>().ok()?
}
