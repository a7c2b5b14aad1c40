//! What is decided, cached by type or object, name and kind of access: a guard costs little more than the access itself.

#![expect(
    unsafe_code,
    reason = "functions of C that Python calls, and a table that the GIL guards"
)]

use std::cell::UnsafeCell;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;

pub(super) type Object = *mut ffi::PyObject;

/// Kinds of access, as `scripting.membrane` numbers them.
pub(super) const LOAD: u8 = 0;
pub(super) const STORE: u8 = 1;
pub(super) const DELETE: u8 = 2;
pub(super) const ITEM: u8 = 3;
pub(super) const STORE_ITEM: u8 = 4;
pub(super) const DELETE_ITEM: u8 = 5;
pub(super) const CALL: u8 = 6;
/// A factor of a product of matrices.
pub(super) const FACTOR: u8 = 7;
/// The making of an object by a class, wherever the class came from.
pub(super) const MAKE: u8 = 8;
/// Added to the kind of an access that has failed.
pub(super) const AGAIN: u8 = 16;

pub(super) const PLAIN: u8 = 1;
pub(super) const HANDLED: u8 = 2;
pub(super) const ALONE_PLAIN: u8 = 3;
pub(super) const ALONE_HANDLED: u8 = 4;
/// Left to the handler until it has done this once for the data-block (`references_grown`).
pub(super) const ONCE: u8 = 5;
pub(super) const FOR_THIS_SCRIPT: u8 = 8;
pub(super) const ENCLOSED: u8 = 16;
/// Marks an answer about one object, since a class is both an object and the type of others.
pub(super) const OF_OBJECT: u8 = 0x80;

const PLACES: usize = 1 << 12;

/// An answer: for a type or an object, a name and a kind of access. Both are owned, so that nothing else can have their addresses.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    of: Object,
    name: Object,
    kind: u8,
    verdict: u8,
    /// Concerns an object that the script has created: the next script asks again.
    pub(super) passing: bool,
    /// What a call in one step calls with the object; null if the handler has to be asked.
    function: Object,
}

const NONE: Answer = Answer {
    of: ptr::null_mut(),
    name: ptr::null_mut(),
    kind: 0,
    verdict: 0,
    passing: false,
    function: ptr::null_mut(),
};

struct State {
    answers: [Answer; PLACES],
    decide: Object,
    handle: Object,
}

/// Only accessed with the GIL held, and never across a call of Python.
struct Shared(UnsafeCell<State>);

// SAFETY: every function below runs with the GIL held.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(State {
    answers: [NONE; PLACES],
    decide: ptr::null_mut(),
    handle: ptr::null_mut(),
}));

fn place(of: Object, name: Object, kind: u8) -> usize {
    let mixed = (of as usize >> 4).wrapping_mul(0x9E37_79B9) ^ (name as usize >> 4).wrapping_mul(0x85EB_CA6B);
    (mixed ^ (mixed >> 15) ^ usize::from(kind).wrapping_mul(0x51)) & (PLACES - 1)
}

/// The cached answer, or 0.
pub(super) unsafe fn known(of: Object, name: Object, kind: u8) -> u8 {
    // SAFETY: the GIL is held, and the place is within the table.
    unsafe {
        let answers = &raw const (*STATE.0.get()).answers;
        let found = answers.cast::<Answer>().add(place(of, name, kind)).read();
        if found.of == of && found.name == name && found.kind == kind {
            found.verdict
        } else {
            0
        }
    }
}

/// What a call in one step calls for objects of this type instead of asking the handler, borrowed from the table; or null.
pub(super) unsafe fn function_of(class: Object, name: Object) -> Object {
    // SAFETY: as in `known`.
    unsafe {
        let answers = &raw const (*STATE.0.get()).answers;
        let found = answers.cast::<Answer>().add(place(class, name, LOAD)).read();
        if found.of == class && found.name == name && found.kind == LOAD {
            found.function
        } else {
            ptr::null_mut()
        }
    }
}

/// Stores an answer; `function` may be null.
pub(super) unsafe fn keep(of: Object, name: Object, kind: u8, verdict: u8, passing: bool, function: Object) {
    // SAFETY: as in `known`; the old answer is released after the new one is stored, since releasing may run code.
    unsafe {
        ffi::Py_IncRef(of);
        ffi::Py_IncRef(name);
        ffi::Py_IncRef(function);
        let answers = (&raw mut (*STATE.0.get()).answers).cast::<Answer>();
        let old = answers.add(place(of, name, kind)).replace(Answer {
            of,
            name,
            kind,
            verdict,
            passing,
            function,
        });
        ffi::Py_DecRef(old.of);
        ffi::Py_DecRef(old.name);
        ffi::Py_DecRef(old.function);
    }
}

/// The function that decides, borrowed; null before the first script and after the last.
pub(super) unsafe fn decider() -> Object {
    // SAFETY: as in `known`.
    unsafe { (*STATE.0.get()).decide }
}

/// The function that carries out what it is left to, borrowed; null as the other.
pub(super) unsafe fn handler() -> Object {
    // SAFETY: as in `known`.
    unsafe { (*STATE.0.get()).handle }
}

/// Takes other functions that decide and handle, which it owns from now on, and releases the former ones and the answers that `ends`.
pub(super) fn exchange(_gil: Python<'_>, [decide, handle]: [Object; 2], ends: impl Fn(&Answer) -> bool) {
    // SAFETY: the GIL is held; objects are released after they were removed from here.
    let old = unsafe {
        let state = STATE.0.get();
        let before = [
            (&raw mut (*state).decide).replace(decide),
            (&raw mut (*state).handle).replace(handle),
        ];
        let answers = (&raw mut (*state).answers).cast::<Answer>();
        let kept = (0..PLACES).flat_map(|at| {
            let place = answers.add(at);
            let one = if ends(&*place) { place.replace(NONE) } else { NONE };
            [one.of, one.name, one.function]
        });
        kept.chain(before).filter(|one| !one.is_null()).collect::<Vec<_>>()
    };
    for one in old {
        // SAFETY: each was owned by the table.
        unsafe { ffi::Py_DecRef(one) };
    }
}

/// Forgets what may be read, so that it is asked again: what a script has done may change it.
pub(super) fn forget(gil: Python<'_>) {
    // SAFETY: the GIL is held; `exchange` owns what it is given.
    let functions = unsafe {
        let functions = [decider(), handler()];
        for one in functions {
            ffi::Py_IncRef(one);
        }
        functions
    };
    exchange(gil, functions, |answer| answer.kind == LOAD);
}
