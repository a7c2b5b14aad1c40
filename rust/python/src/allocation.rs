//! Bounds the size of one block of Python's memory while a script runs.
//!
//! A single operation that fills a huge block (`s * n`, `"".join(...)`, `b"" + ...`) cannot be interrupted, and a check before each would
//! slow every script down. So Python's own hook is used, as `tracemalloc` does: a block above the bound is refused, and the
//! operation ends with a `MemoryError` in the script. The hook costs one more call for each allocation.
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
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// `PyMemAllocatorEx` of `CPython` 3.5 and later.
#[repr(C)]
#[derive(Clone, Copy)]
struct Functions {
    ctx: *mut c_void,
    malloc: extern "C" fn(*mut c_void, usize) -> *mut c_void,
    calloc: extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    realloc: extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void,
    free: extern "C" fn(*mut c_void, *mut c_void),
}

type Access = extern "C" fn(c_int, *mut Functions);

/// `PYMEM_DOMAIN_MEM` and `PYMEM_DOMAIN_OBJ`, which are used with the GIL held, and the most bytes of a block of each. The second has texts
/// and whole numbers, where one call of a method may take thirty nanoseconds for each byte; lists and arrays are elsewhere.
const DOMAINS: [(c_int, usize); 2] = [(1, usize::MAX), (2, 128 << 20)];

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

/// The allocator behind a hook.
struct Bound {
    original: Functions,
    /// Bytes of a block of this domain.
    most: usize,
}

impl Bound {
    fn refuses(&self, size: usize) -> bool {
        refused(size) || size > self.most && OURS.get()
    }
}

extern "C" fn malloc(ctx: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: `ctx` is the `Bound` of a `Bounded`, which lives until the hook is removed.
    let bound = unsafe { &*ctx.cast::<Bound>() };
    if bound.refuses(size) {
        return std::ptr::null_mut();
    }
    (bound.original.malloc)(bound.original.ctx, size)
}

extern "C" fn calloc(ctx: *mut c_void, count: usize, size: usize) -> *mut c_void {
    // SAFETY: as in `malloc`.
    let bound = unsafe { &*ctx.cast::<Bound>() };
    if bound.refuses(count.saturating_mul(size)) {
        return std::ptr::null_mut();
    }
    (bound.original.calloc)(bound.original.ctx, count, size)
}

extern "C" fn realloc(ctx: *mut c_void, block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: as in `malloc`.
    let bound = unsafe { &*ctx.cast::<Bound>() };
    if bound.refuses(size) {
        return std::ptr::null_mut();
    }
    (bound.original.realloc)(bound.original.ctx, block, size)
}

extern "C" fn free(ctx: *mut c_void, block: *mut c_void) {
    // SAFETY: as in `malloc`.
    let bound = unsafe { &*ctx.cast::<Bound>() };
    (bound.original.free)(bound.original.ctx, block);
}

/// The bound, in force until it is dropped. Held on the main thread with the GIL.
pub(crate) struct Bounded {
    set: Access,
    bounds: Vec<(c_int, Box<Bound>)>,
}

impl Bounded {
    /// Bounds one block to `largest` bytes; `None` if this Python does not have the hook.
    pub(crate) fn new(py: Python<'_>, largest: usize) -> Option<Self> {
        let (get, set) = addresses(py)?;
        // SAFETY: the addresses come from Python itself, by the names of these two functions, whose signatures have not changed since 3.5.
        let (get, set): (Access, Access) = unsafe {
            (
                std::mem::transmute::<usize, Access>(get),
                std::mem::transmute::<usize, Access>(set),
            )
        };
        LARGEST.store(largest, Ordering::Relaxed);
        OURS.set(true);
        let mut bounds = Vec::with_capacity(DOMAINS.len());
        for (domain, most) in DOMAINS {
            let mut original = std::mem::MaybeUninit::<Functions>::uninit();
            get(domain, original.as_mut_ptr());
            // SAFETY: Python filled the whole structure.
            let original = unsafe { original.assume_init() };
            let mut bound = Box::new(Bound { original, most });
            let mut hook = Functions {
                ctx: std::ptr::from_mut(&mut *bound).cast(),
                malloc,
                calloc,
                realloc,
                free,
            };
            set(domain, &raw mut hook);
            bounds.push((domain, bound));
        }
        Some(Self { set, bounds })
    }
}

impl Drop for Bounded {
    fn drop(&mut self) {
        for (domain, bound) in &mut self.bounds {
            (self.set)(*domain, &raw mut bound.original);
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
