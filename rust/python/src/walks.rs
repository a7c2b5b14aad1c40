//! Walks through Blender's lists, in which a script may remove what comes next.
//!
//! Blender's own iterators hold the address of the next item. While a script runs, a list returns a `Walk` instead: it asks Blender's iterator, until
//! something that may free or move items is about to happen (`settle`). From then on it asks the list by position, if the items lie in a row, or walks
//! through a list of the items that are left, without those that are gone by then.
#![expect(
    unsafe_code,
    reason = "replaces a C function in types, reads words of Blender's objects"
)]

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;
use std::sync::Mutex;

use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::slots::{ITERATE, Replaced};
use crate::watchdog;

type Object = *mut ffi::PyObject;

/// The words of an object of Blender that hold its `PointerRNA`: data-block, type, data.
const POINTER: usize = 2;
const FEW: usize = 64;

/// The addresses of the data-block, of the type and of the data of an object of Blender.
///
/// # Safety
/// It is one.
pub(crate) unsafe fn pointer(object: Object) -> [usize; 3] {
    // SAFETY: the caller knows that this is an object of Blender.
    unsafe {
        let first = object.cast::<usize>().add(POINTER);
        [first.read(), first.add(1).read(), first.add(2).read()]
    }
}

/// Makes an object of Blender raise `ReferenceError`.
///
/// # Safety
/// It is one.
pub(crate) unsafe fn forget(object: Object) {
    // SAFETY: as in `pointer`.
    unsafe {
        let first = object.cast::<usize>().add(POINTER);
        for at in 0..3 {
            first.add(at).write(0);
        }
    }
}

enum State {
    /// Blender's iterator.
    Direct(Py<PyAny>),
    /// By position.
    Placed,
    /// The items that are left.
    Listed(Py<PyList>, usize),
    /// Blender would have evaluated what it walks through.
    Stale,
    Ended,
}

/// A walk through a list of Blender's.
#[pyclass(module = "geonode_core")]
pub(crate) struct Walk {
    of: Py<PyAny>,
    state: State,
    /// How many items it has returned.
    count: usize,
}

#[pymethods]
impl Walk {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if watchdog::is_stopping() {
            py.check_signals()?;
        }
        if matches!(self.state, State::Direct(_)) && is_of_graph(self.of.as_ptr()) {
            forget_passing(py);
        }
        let found = match &mut self.state {
            State::Direct(iterator) => {
                // SAFETY: the result is a new reference, or null with an exception or without one at the end.
                let next = unsafe { ffi::PyIter_Next(iterator.as_ptr()) };
                // SAFETY: as above.
                unsafe { Bound::from_owned_ptr_or_opt(py, next) }.map(Bound::unbind)
            }
            State::Placed => match self.of.bind(py).get_item(self.count) {
                Ok(item) => Some(item.unbind()),
                Err(error) if error.is_instance_of::<PyIndexError>(py) => None,
                Err(error) => return Err(error),
            },
            State::Listed(items, at) => loop {
                let Ok(item) = items.bind(py).get_item(*at) else {
                    break None;
                };
                *at = at.saturating_add(1);
                // SAFETY: the items of Blender's lists that are not plain values are its objects.
                if !is_gone(&item) {
                    break Some(item.unbind());
                }
            },
            State::Stale => {
                return Err(PyRuntimeError::new_err(
                    "Blender has evaluated the scene since this loop began; take what you need from the instances first, then change or update the scene.",
                ));
            }
            State::Ended => None,
        };
        if found.is_none() {
            if let Some(error) = PyErr::take(py) {
                return Err(error);
            }
            self.state = State::Ended;
        }
        self.count = self.count.saturating_add(1);
        Ok(found)
    }
}

fn is_gone(item: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the state is only read, and the object is Blender's if its type says so.
    unsafe {
        let Some(all) = (*ALL.0.get()).as_ref() else {
            return false;
        };
        let kind = ffi::Py_TYPE(item.as_ptr());
        if ffi::PyType_IsSubtype(kind, all.structs as *mut ffi::PyTypeObject) == 0 {
            return false;
        }
        // Some Blenders take only the type away.
        let [_, kind, data] = pointer(item.as_ptr());
        kind == 0 || data == 0
    }
}

#[derive(Default)]
struct All {
    walks: Vec<Py<Walk>>,
    limit: usize,
    /// The address of RNA's description of a depsgraph.
    graph: usize,
    /// `bpy_struct`.
    structs: usize,
    replaced: Replaced,
}

/// Only accessed with the GIL held, and never across a call of Python.
struct Shared(UnsafeCell<Option<All>>);

// SAFETY: every function below runs with the GIL held.
unsafe impl Sync for Shared {}

static ALL: Shared = Shared(UnsafeCell::new(None));

unsafe extern "C" fn iterate(object: Object) -> Object {
    // SAFETY: Python calls this in place of the original; results are new references, or null with an exception.
    unsafe {
        let original = (*ALL.0.get())
            .as_ref()
            .and_then(|all| all.replaced.original(ffi::Py_TYPE(object), ITERATE));
        let Some(original) = original else {
            ffi::PyErr_SetString(ffi::PyExc_RuntimeError, c"this is not possible here".as_ptr());
            return ptr::null_mut();
        };
        let found = transmute::<*mut c_void, unsafe extern "C" fn(Object) -> Object>(original)(object);
        if found.is_null() {
            return found;
        }
        let py = Python::assume_attached();
        let walk = Walk {
            of: Bound::from_borrowed_ptr(py, object).unbind(),
            state: State::Direct(Bound::from_owned_ptr(py, found).unbind()),
            count: 0,
        };
        match Py::new(py, walk) {
            Ok(walk) => {
                remember(py, &walk);
                walk.into_ptr()
            }
            Err(error) => {
                error.restore(py);
                ptr::null_mut()
            }
        }
    }
}

/// Objects that last until the next step of a walk through the instances of a depsgraph.
static PASSING: Mutex<Vec<Py<PyAny>>> = Mutex::new(Vec::new());

/// Remembers an object that an instance of a depsgraph shows: Blender makes one for all of them, for as long as one walks through them.
#[pyfunction]
pub(crate) fn walks_passing(object: Py<PyAny>) {
    if let Ok(mut passing) = PASSING.lock() {
        passing.push(object);
    }
}

fn forget_passing(py: Python<'_>) {
    let passing = PASSING.lock().map(|mut passing| std::mem::take(&mut *passing));
    for object in passing.unwrap_or_default() {
        // SAFETY: the caller of `walks_passing` gives an object of Blender.
        unsafe { forget(object.bind(py).as_ptr()) };
    }
}

/// Whether this is a list of a depsgraph.
fn is_of_graph(list: Object) -> bool {
    // SAFETY: the GIL is held; a walk is through a list of Blender's.
    unsafe { (*ALL.0.get()).as_ref().is_some_and(|all| pointer(list)[1] == all.graph) }
}

fn remember(py: Python<'_>, walk: &Py<Walk>) {
    // SAFETY: the GIL is held; walks are released when the list is complete again.
    unsafe {
        let Some(all) = &mut *ALL.0.get() else { return };
        all.walks.push(walk.clone_ref(py));
        if all.walks.len() <= all.limit {
            return;
        }
        let (kept, gone): (Vec<_>, Vec<_>) = all.walks.drain(..).partition(|one| ffi::Py_REFCNT(one.as_ptr()) > 1);
        all.limit = FEW.max(kept.len().saturating_mul(2));
        all.walks = kept;
        // One of them may have shown an object that ends with it.
        if gone
            .iter()
            .any(|one| one.try_borrow(py).is_ok_and(|one| is_of_graph(one.of.as_ptr())))
        {
            forget_passing(py);
        }
        drop(gone);
    }
}

/// Lets go of Blender's iterators, before items may be freed or moved: of the lists of a data-block, or of all. `evaluates`: Blender is about to
/// evaluate, which ends walks through a depsgraph.
pub(crate) fn settle(py: Python<'_>, only: Option<usize>, evaluates: bool) {
    // SAFETY: the GIL is held; the list is copied before Python is called.
    let (walks, graph) = unsafe {
        let Some(all) = &*ALL.0.get() else { return };
        let walks: Vec<Py<Walk>> = all.walks.iter().map(|one| one.clone_ref(py)).collect();
        (walks, all.graph)
    };
    for walk in walks {
        // SAFETY: only read; one reference is ours, and one that of the list.
        let is_used = unsafe { ffi::Py_REFCNT(walk.as_ptr()) } > 2;
        // One that is asking Blender at this moment cannot be borrowed.
        let Ok(mut walk) = walk.try_borrow_mut(py) else {
            continue;
        };
        let State::Direct(iterator) = &walk.state else { continue };
        // SAFETY: what it walks through is a list of Blender's.
        let [block, kind, _] = unsafe { pointer(walk.of.as_ptr()) };
        if only.is_some_and(|only| only != block) {
            continue;
        }
        let of_graph = kind == graph;
        if !is_used {
            if of_graph {
                forget_passing(py);
            }
            walk.state = State::Ended;
        } else if of_graph {
            if evaluates {
                forget_passing(py);
                walk.state = State::Stale;
            }
        } else if in_a_row(walk.of.bind(py)) {
            walk.state = State::Placed;
        } else {
            let left = iterator
                .bind(py)
                .try_iter()
                .and_then(|left| PyList::new(py, left.collect::<PyResult<Vec<_>>>()?));
            walk.state = left.map_or(State::Stale, |left| State::Listed(left.unbind(), 0));
        }
    }
}

/// Whether the items of a list are elements of one array.
fn in_a_row(items: &Bound<'_, PyAny>) -> bool {
    let Ok(count) = items.len() else { return false };
    let address = |at: usize| {
        let item = items.get_item(at).ok()?;
        // SAFETY: only read.
        let structs = unsafe { (*ALL.0.get()).as_ref().map(|all| all.structs) }?;
        // SAFETY: the type is looked at first.
        unsafe {
            let is = ffi::PyType_IsSubtype(ffi::Py_TYPE(item.as_ptr()), structs as *mut ffi::PyTypeObject) != 0;
            is.then(|| pointer(item.as_ptr())[2])
        }
    };
    let last = count.saturating_sub(1);
    let (Some(first), Some(second), Some(end)) = (address(0), address(1), address(last)) else {
        return false;
    };
    let step = second.wrapping_sub(first);
    count > 2 && first < second && end == first.wrapping_add(step.wrapping_mul(last))
}

/// Begins to replace iterators: `structs` is `bpy_struct`, then the types of Blender's lists; `graph` is the address of the description of a depsgraph.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
pub(crate) fn walks_begin(py: Python<'_>, structs: &Bound<'_, PyType>, lists: Vec<Bound<'_, PyType>>, graph: usize) {
    walks_end(py);
    let mut all = All {
        limit: FEW,
        graph,
        structs: structs.as_ptr() as usize,
        ..All::default()
    };
    // SAFETY: types of Blender's lists stay, and the function has the signature of the slot.
    unsafe {
        for list in &lists {
            all.replaced
                .replace(list.as_type_ptr(), ITERATE, iterate as *mut c_void);
        }
        *ALL.0.get() = Some(all);
    }
}

/// Ends what `walks_begin` began.
#[pyfunction]
pub(crate) fn walks_end(py: Python<'_>) {
    forget_passing(py);
    // SAFETY: the GIL is held; walks are released after they were taken out.
    unsafe {
        if let Some(mut all) = (*ALL.0.get()).take() {
            all.replaced.put_back();
        }
    }
}

/// Ends what Blender's own iterators would not survive, as `settle`.
#[pyfunction]
pub(crate) fn walks_settle(py: Python<'_>, evaluates: bool) {
    settle(py, None, evaluates);
}
