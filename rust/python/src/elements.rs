//! Lists and layers of a `BMesh` that is gone, and elements that are gone from one.
//!
//! `bm.verts`, `bm.verts.layers`, `vert.link_edges` and their kin hold the address of their mesh, and of their element, and Blender tells only
//! the `BMesh` and its elements that these are gone: a list that a script keeps would use memory that belongs to something else. So whatever uses such a part
//! while a script runs looks first whether its mesh and its element are there; if not, it is made as Blender makes its elements, and raises `ReferenceError`.
//! Each `BMesh` is kept while it is not known that nothing refers to its parts, so that its address is not another one's.
//!
//! Blender's iterators over elements do not survive the removal of what they would return next. Scripts walk through a list of them instead, and
//! what is gone by then is left out.
#![expect(unsafe_code, reason = "reads and writes words of objects of bmesh")]

use std::cell::UnsafeCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::slots::{CONTAINS, ITEM, ITERATE, LENGTH, MAPPED_LENGTH, Replaced, SUBSCRIPT, Slot};

type Object = *mut ffi::PyObject;

/// The words of an object of bmesh of which one holds the address of its mesh, which is null when that is gone; the next one of a list of elements
/// holds the element whose list it is, or null.
const MAY_BE_MESH: std::ops::Range<usize> = 2..4;
/// From so many meshes on they are looked through less often.
const FEW: usize = 32;

struct State {
    /// `BMesh`, its parts (lists, layers and access to them), and among these the lists that may be an element's.
    mesh: usize,
    parts: Vec<usize>,
    of_elements: Vec<usize>,
    /// The word of the mesh's address.
    at: usize,
    /// The lowest and the highest address of these types.
    bounds: (usize, usize),
    /// The `BMesh` objects that a script has used, by the address of what they show. Owned.
    alive: HashMap<usize, usize>,
    /// Addresses that no mesh has any more.
    dead: HashSet<usize>,
    limit: usize,
    replaced: Replaced,
    /// Whether an element is there, as a function of Python. Owned.
    is_there: Object,
}

/// Only accessed with the GIL held, and never across a call of Python.
struct Shared(UnsafeCell<Option<State>>);

// SAFETY: every function below runs with the GIL held.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(None));

unsafe fn word(object: Object, at: usize) -> usize {
    // SAFETY: the caller knows that this is an object of bmesh, which has this word.
    unsafe { object.cast::<usize>().add(at).read() }
}

/// What a guard does before it uses an object: a part whose mesh or element is gone is made invalid, as Blender makes elements, so that
/// Blender raises `ReferenceError`.
pub(crate) unsafe fn look(object: Object) {
    // SAFETY: an object of Python, whose type tells what it is; the GIL is held.
    unsafe {
        let Some(state) = &mut *STATE.0.get() else { return };
        let kind = ffi::Py_TYPE(object) as usize;
        if kind < state.bounds.0 || kind > state.bounds.1 {
            return;
        }
        let at = state.at;
        let shown = word(object, at);
        if shown == 0 {
            return;
        }
        if kind == state.mesh {
            if state.alive.get(&shown) != Some(&(object as usize)) {
                know(object, shown);
            }
        } else if state.parts.contains(&kind) {
            // What is not known is a library's.
            let gone = match state.alive.get(&shown) {
                Some(mesh) => word(*mesh as Object, at) != shown,
                None => state.dead.contains(&shown),
            };
            let element = if state.of_elements.contains(&kind) {
                word(object, at.saturating_add(1))
            } else {
                0
            };
            if gone || element != 0 && word(element as Object, at) == 0 {
                object.cast::<usize>().add(at).write(0);
            }
        }
    }
}

/// Remembers a mesh, and lets go of those that nothing else refers to.
#[cold]
unsafe fn know(mesh: Object, shown: usize) {
    // SAFETY: as in `look`; objects are released when the table is complete again.
    unsafe {
        let Some(state) = &mut *STATE.0.get() else { return };
        ffi::Py_IncRef(mesh);
        let at = state.at;
        state.dead.remove(&shown);
        let mut gone: Vec<Object> = Vec::new();
        if let Some(before) = state.alive.insert(shown, mesh as usize) {
            gone.push(before as Object);
        }
        if state.alive.len() >= state.limit {
            let dead = &mut state.dead;
            state.alive.retain(|address, one| {
                let one = *one as Object;
                let kept = ffi::Py_REFCNT(one) > 1 && word(one, at) == *address;
                if !kept {
                    gone.push(one);
                    dead.insert(*address);
                }
                kept
            });
            state.limit = if state.alive.len() < FEW {
                0
            } else {
                state.alive.len().saturating_mul(2)
            };
        }
        for one in gone {
            ffi::Py_DecRef(one);
        }
    }
}

unsafe fn original(object: Object, slot: Slot) -> *mut c_void {
    // SAFETY: the state is only read.
    unsafe {
        (*STATE.0.get())
            .as_ref()
            .and_then(|state| state.replaced.original(ffi::Py_TYPE(object), slot))
            .unwrap_or(ptr::null_mut())
    }
}

unsafe fn missing() {
    // SAFETY: sets an exception with the GIL held.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_RuntimeError, c"this is not possible here".as_ptr()) };
}

unsafe extern "C" fn length(object: Object) -> ffi::Py_ssize_t {
    // SAFETY: Python calls this in place of the original.
    unsafe {
        look(object);
        let original = original(object, LENGTH);
        if original.is_null() {
            missing();
            return -1;
        }
        transmute::<*mut c_void, unsafe extern "C" fn(Object) -> ffi::Py_ssize_t>(original)(object)
    }
}

unsafe extern "C" fn mapped_length(object: Object) -> ffi::Py_ssize_t {
    // SAFETY: as in `length`.
    unsafe {
        look(object);
        let original = original(object, MAPPED_LENGTH);
        if original.is_null() {
            missing();
            return -1;
        }
        transmute::<*mut c_void, unsafe extern "C" fn(Object) -> ffi::Py_ssize_t>(original)(object)
    }
}

unsafe extern "C" fn item(object: Object, at: ffi::Py_ssize_t) -> Object {
    // SAFETY: as in `length`.
    unsafe {
        look(object);
        let original = original(object, ITEM);
        if original.is_null() {
            missing();
            return ptr::null_mut();
        }
        transmute::<*mut c_void, unsafe extern "C" fn(Object, ffi::Py_ssize_t) -> Object>(original)(object, at)
    }
}

unsafe extern "C" fn subscript(object: Object, key: Object) -> Object {
    // SAFETY: as in `length`.
    unsafe {
        look(object);
        let original = original(object, SUBSCRIPT);
        if original.is_null() {
            missing();
            return ptr::null_mut();
        }
        transmute::<*mut c_void, unsafe extern "C" fn(Object, Object) -> Object>(original)(object, key)
    }
}

unsafe extern "C" fn contains(object: Object, value: Object) -> c_int {
    // SAFETY: as in `length`.
    unsafe {
        look(object);
        let original = original(object, CONTAINS);
        if original.is_null() {
            missing();
            return -1;
        }
        transmute::<*mut c_void, unsafe extern "C" fn(Object, Object) -> c_int>(original)(object, value)
    }
}

/// A list of what the original would return, walked through without what is gone.
unsafe extern "C" fn iterate(object: Object) -> Object {
    // SAFETY: as in `length`; results are new references, or null with an exception.
    unsafe {
        look(object);
        let original = original(object, ITERATE);
        let is_there = (*STATE.0.get())
            .as_ref()
            .map_or(ptr::null_mut(), |state| state.is_there);
        if original.is_null() || is_there.is_null() {
            missing();
            return ptr::null_mut();
        }
        let found = transmute::<*mut c_void, unsafe extern "C" fn(Object) -> Object>(original)(object);
        if found.is_null() {
            return found;
        }
        let list = ffi::PySequence_List(found);
        ffi::Py_DecRef(found);
        if list.is_null() {
            return list;
        }
        let filter = (&raw mut ffi::PyFilter_Type).cast::<ffi::PyObject>();
        let walked = ffi::PyObject_CallFunctionObjArgs(filter, is_there, list, ptr::null_mut::<ffi::PyObject>());
        ffi::Py_DecRef(list);
        walked
    }
}

unsafe extern "C" fn there(_: Object, element: Object) -> Object {
    // SAFETY: only called with what an iterator of bmesh has returned; True and False live as long as Python.
    unsafe {
        let known = (*STATE.0.get()).as_ref();
        let kind = ffi::Py_TYPE(element) as usize;
        let of_bmesh = known.is_some_and(|state| kind >= state.bounds.0 && kind <= state.bounds.1);
        let at = known.map_or(0, |state| state.at);
        ffi::PyBool_FromLong((!of_bmesh || word(element, at) != 0).into())
    }
}

/// Begins to look at the parts of meshes: `mesh` is `BMesh`, then the types of its parts, those of them that may be lists of an element, and those of elements.
/// `sample` is a mesh with one of its lists, which show where objects of bmesh have its address; false if they have it elsewhere.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
pub(crate) fn elements_begin(
    py: Python<'_>,
    mesh: &Bound<'_, PyType>,
    parts: Vec<Bound<'_, PyType>>,
    of_elements: Vec<Bound<'_, PyType>>,
    elements: Vec<Bound<'_, PyType>>,
    sample: (Bound<'_, PyAny>, Bound<'_, PyAny>),
) -> bool {
    elements_end(py);
    let address = |kind: &Bound<'_, PyType>| kind.as_ptr() as usize;
    let mut all: Vec<usize> = parts.iter().chain(&elements).map(address).collect();
    all.push(address(mesh));
    let mut state = State {
        mesh: address(mesh),
        parts: parts.iter().map(address).collect(),
        of_elements: of_elements.iter().map(address).collect(),
        bounds: (
            all.iter().copied().min().unwrap_or_default(),
            all.iter().copied().max().unwrap_or_default(),
        ),
        at: 0,
        alive: HashMap::new(),
        dead: HashSet::new(),
        limit: 0,
        replaced: Replaced::default(),
        is_there: ptr::null_mut(),
    };
    // SAFETY: objects of bmesh are longer than these words.
    let same = |at: &usize| unsafe {
        let (one, other) = (word(sample.0.as_ptr(), *at), word(sample.1.as_ptr(), *at));
        one == other && one > 0xFFFF
    };
    let Some(at) = MAY_BE_MESH.clone().find(same) else {
        return false;
    };
    state.at = at;
    let replacements = [
        (ITERATE, iterate as *mut c_void),
        (LENGTH, length as *mut c_void),
        (MAPPED_LENGTH, mapped_length as *mut c_void),
        (ITEM, item as *mut c_void),
        (SUBSCRIPT, subscript as *mut c_void),
        (CONTAINS, contains as *mut c_void),
    ];
    let method = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: c"is_there".as_ptr().cast::<c_char>(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: there },
        ml_flags: ffi::METH_O,
        ml_doc: ptr::null(),
    }));
    // SAFETY: types of bmesh stay, and each function has the signature of its slot; the description of the function is never freed.
    unsafe {
        state.is_there = ffi::PyCFunction_NewEx(method, ptr::null_mut(), ptr::null_mut());
        for part in &parts {
            for (slot, function) in replacements {
                state.replaced.replace(part.as_type_ptr(), slot, function);
            }
        }
        *STATE.0.get() = Some(state);
    }
    true
}

/// Looks at an object before it is used, as the guards do: what makes meshes for libraries tells of them so.
#[pyfunction]
pub(crate) fn elements_look(object: &Bound<'_, PyAny>) {
    // SAFETY: an object of Python, with the GIL held.
    unsafe { look(object.as_ptr()) };
}

/// Ends what `elements_begin` began.
#[pyfunction]
pub(crate) fn elements_end(_py: Python<'_>) {
    // SAFETY: the GIL is held; objects are released after they were taken out.
    unsafe {
        if let Some(mut state) = (*STATE.0.get()).take() {
            state.replaced.put_back();
            for mesh in state.alive.into_values() {
                ffi::Py_DecRef(mesh as Object);
            }
            ffi::Py_DecRef(state.is_there);
        }
    }
}
