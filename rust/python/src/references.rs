//! Objects of Python that outlive what they show.
//!
//! Blender takes the memory of a vertex, a spline, a keyframe or a layer away without telling the objects of Python that point there: writing through one
//! then writes into memory of something else. So whatever may free or move data is watched (`scripting.freed` knows what and where): before and
//! after, this module lists the objects of the script that point into a data-block, and makes those that point to what is gone as Blender itself
//! makes the ones that it knows of: an access raises `ReferenceError`.
//!
//! Structs of Blender and the vectors of their properties are known to Python's collector, so all of them are found, also those that
//! only a call in progress holds. Each object is looked at once: what was there before the script, and what a search has seen, is hidden from the
//! next one (`gc.freeze`); what it found that points into a data-block is owned here until nobody else refers to it. So a search costs what is new and
//! what is held, however much the script has made, and cycles that the script drops are collected after its end. Collections, arrays,
//! methods and iterators are not; they come from the guards, which remember them here. Vectors of bmesh are views without an owner: they are
//! remembered with their element, and get memory of their own when it is gone.
#![expect(
    unsafe_code,
    reason = "reads and writes words of Blender's objects, at places that a test object confirms"
)]

use std::cell::UnsafeCell;
use std::ffi::{c_char, c_void};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::walks::{forget, pointer};
use crate::{alarm, walks};

type Object = *mut ffi::PyObject;

/// The words of an object of Blender that hold its `PointerRNA`: data-block, type, data.
const POINTER: usize = 2;
/// Remembered objects are looked through when there are this many.
const FEW: usize = 1024;
/// A vector has at most as many numbers.
const NUMBERS: usize = 4;

/// An object, and the addresses of its data-block, of its type and of its data.
type Held<'py> = (Bound<'py, PyAny>, usize, usize, usize);

struct Seen {
    value: Object,
    source: Object,
    /// Shows the value of a layer, which moves when layers are added or removed.
    of_layer: bool,
}

/// What an object that Python's collector knows may be here.
#[derive(Clone, Copy)]
enum Kind {
    Struct,
    /// A data-block.
    Block,
    Vector,
    Other,
}

struct State {
    /// `gc.freeze`.
    freeze: Py<PyAny>,
    /// Types of collections, arrays, methods and iterators of Blender.
    untracked: Vec<usize>,
    /// Types of mathutils.
    math: Vec<usize>,
    /// Types of bmesh whose attributes and items are views, and those of the views that are not vectors.
    bmesh: Vec<usize>,
    views: Vec<usize>,
    /// Types of custom properties that point to their value.
    properties: Vec<usize>,
    /// `bpy_struct`, and what the vectors of properties ask.
    structs: usize,
    property: usize,
    /// `bpy.types.ID`.
    blocks: usize,
    /// RNA's descriptions of the elements of arrays that data-blocks share.
    shared: Vec<usize>,
    seen: Vec<Seen>,
    limit: usize,
    /// Structs, and vectors that ask a property, which searches have found; each is owned.
    found: Vec<Object>,
    /// Properties that have made the attribute that they are: data-block, type of the element, name.
    grown: Vec<(usize, usize, Py<PyAny>)>,
    /// `bpy.context`.
    context: Option<Py<PyAny>>,
}

impl State {
    fn kind(&self, class: usize) -> Kind {
        // SAFETY: all of them are addresses of types.
        let is_a = |base: usize| unsafe {
            ffi::PyType_IsSubtype(class as *mut ffi::PyTypeObject, base as *mut ffi::PyTypeObject) != 0
        };
        if self.math.contains(&class) {
            Kind::Vector
        } else if is_a(self.blocks) {
            Kind::Block
        } else if is_a(self.structs) {
            Kind::Struct
        } else {
            Kind::Other
        }
    }

    fn is_vector(&self, object: Object) -> bool {
        // SAFETY: the caller gives an object.
        self.math.contains(&(unsafe { ffi::Py_TYPE(object) } as usize))
    }

    /// What of a struct or a vector points into a data-block: itself, or the property or array that it asks for its numbers.
    unsafe fn pointing(&self, object: Object) -> Option<Object> {
        if !self.is_vector(object) {
            return Some(object);
        }
        // SAFETY: this is an object of mathutils.
        unsafe {
            let owner = owner_of(object);
            let kind = if owner.is_null() {
                0
            } else {
                ffi::Py_TYPE(owner) as usize
            };
            (kind == self.property || self.untracked.contains(&kind)).then_some(owner)
        }
    }
}

/// Only accessed with the GIL held, and never across a call of Python.
struct Shared(UnsafeCell<Option<State>>);

// SAFETY: every function below runs with the GIL held.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(None));

fn addresses(kinds: &[Bound<'_, PyType>]) -> Vec<usize> {
    kinds.iter().map(|kind| kind.as_ptr() as usize).collect()
}

/// Whether something is remembered at all.
pub(crate) fn any() -> bool {
    // SAFETY: the GIL is held.
    unsafe { (*STATE.0.get()).as_ref().is_some_and(|state| !state.seen.is_empty()) }
}

/// Whether this is an object of bmesh.
pub(crate) unsafe fn is_of_bmesh(object: Object) -> bool {
    // SAFETY: the GIL is held.
    unsafe {
        (*STATE.0.get())
            .as_ref()
            .is_some_and(|state| state.bmesh.contains(&(ffi::Py_TYPE(object) as usize)))
    }
}

/// Whether this is a list of elements, or an element, whose methods leave the layers where they are.
pub(crate) unsafe fn is_of_elements(object: Object) -> bool {
    // SAFETY: the name of a type is a C string that lives as long as the type.
    unsafe {
        let name = ffi::Py_TYPE(object).cast::<*const c_char>().add(3).read();
        let name = std::ffi::CStr::from_ptr(name).to_bytes();
        !name.ends_with(b"BMesh") && !name.windows(5).any(|part| part == b"Layer")
    }
}

/// Whether this is a custom property that points to its value, a list or a group.
pub(crate) unsafe fn is_property(object: Object) -> bool {
    // SAFETY: the GIL is held.
    unsafe {
        !object.is_null()
            && (*STATE.0.get())
                .as_ref()
                .is_some_and(|state| state.properties.contains(&(ffi::Py_TYPE(object) as usize)))
    }
}

/// Remembers what a guard gives, if only that tells where it points to.
pub(crate) unsafe fn remember(value: Object, source: Object, item: bool) {
    // SAFETY: both are objects of Python, and the GIL is held.
    unsafe {
        if value.is_null() {
            return;
        }
        let Some(state) = &mut *STATE.0.get() else { return };
        let (kind, of) = (ffi::Py_TYPE(value) as usize, ffi::Py_TYPE(source) as usize);
        let wanted = if state.bmesh.contains(&of) {
            state.views.contains(&kind)
                || state.math.contains(&kind) && (owner_of(value).is_null() || capsule_of(value).is_some())
        } else {
            state.untracked.contains(&kind)
        };
        if !wanted {
            return;
        }
        ffi::Py_IncRef(value);
        ffi::Py_IncRef(source);
        let of_layer = item || state.views.contains(&of);
        state.seen.push(Seen {
            value,
            source,
            of_layer,
        });
        if state.seen.len() > state.limit {
            prune();
        }
    }
}

/// Forgets what nothing else refers to any more.
unsafe fn prune() {
    // SAFETY: as in `remember`; releasing happens when the list is complete again.
    unsafe {
        let Some(state) = &mut *STATE.0.get() else { return };
        let (kept, gone): (Vec<Seen>, Vec<Seen>) = state.seen.drain(..).partition(|one| ffi::Py_REFCNT(one.value) > 1);
        state.limit = FEW.max(kept.len().saturating_mul(2));
        state.seen = kept;
        let (found, unused): (Vec<Object>, Vec<Object>) =
            state.found.drain(..).partition(|one| ffi::Py_REFCNT(*one) > 1);
        state.found = found;
        for one in gone {
            ffi::Py_DecRef(one.value);
            ffi::Py_DecRef(one.source);
        }
        for one in unused {
            ffi::Py_DecRef(one);
        }
    }
}

/// What a vector asks for its numbers; null where it has them itself, or is a view.
unsafe fn owner_of(vector: Object) -> Object {
    // SAFETY: an object of mathutils ends with its owner and a word of flags.
    unsafe { word_of_owner(vector).read() }
}

/// The capsule with the address of what a vector shows: that of a colour of bmesh, which has bytes for its numbers.
unsafe fn capsule_of(vector: Object) -> Option<Object> {
    // SAFETY: as above.
    unsafe {
        let owner = owner_of(vector);
        (!owner.is_null() && ffi::PyCapsule_CheckExact(owner) != 0).then_some(owner)
    }
}

unsafe fn word_of_owner(vector: Object) -> *mut Object {
    // SAFETY: as above.
    unsafe { vector.cast::<Object>().add(words(vector).saturating_sub(2)) }
}

unsafe fn words(object: Object) -> usize {
    /// Offset of `tp_basicsize` in `PyTypeObject`, in words; the same in every Python since 3.4.
    const SIZE: usize = 4;
    // SAFETY: reads a word of a type.
    unsafe { ffi::Py_TYPE(object).cast::<usize>().add(SIZE).read() / size_of::<usize>() }
}

/// Begins a script: `bpy_struct`, what vectors of properties ask, and `bpy.types.ID`; then types of untracked objects, of mathutils, of bmesh, of its views, and of custom properties;
/// `sample` is a data-block with its address and that of its type, which show where objects of Blender have these. False if they are elsewhere.
/// `context` is `bpy.context`, see `references_disown`; `shared` are the addresses of the descriptions of elements of arrays that data-blocks share.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
#[expect(clippy::too_many_arguments, reason = "the kinds of objects are told once")]
pub(crate) fn references_begin(
    py: Python<'_>,
    pointing: (Bound<'_, PyType>, Bound<'_, PyType>, Bound<'_, PyType>),
    untracked: Vec<Bound<'_, PyType>>,
    math: Vec<Bound<'_, PyType>>,
    bmesh: Vec<Bound<'_, PyType>>,
    views: Vec<Bound<'_, PyType>>,
    properties: Vec<Bound<'_, PyType>>,
    sample: (Bound<'_, PyAny>, usize, usize),
    context: Bound<'_, PyAny>,
    shared: Vec<usize>,
) -> PyResult<bool> {
    references_end(py)?;
    let (structs, property, blocks) = pointing;
    let (block, address, kind) = sample;
    // SAFETY: the size of the object is looked at first.
    let fits = unsafe { words(block.as_ptr()) >= POINTER + 3 && pointer(block.as_ptr()) == [address, kind, address] };
    if !fits {
        return Ok(false);
    }
    // Held back from now on for whoever asks the module.
    let freeze = py.import("gc")?.getattr("freeze")?;
    alarm::unheard(|| freeze.call0())?;
    let state = State {
        freeze: freeze.unbind(),
        structs: structs.as_ptr() as usize,
        property: property.as_ptr() as usize,
        blocks: blocks.as_ptr() as usize,
        shared,
        untracked: addresses(&untracked),
        math: addresses(&math),
        bmesh: addresses(&bmesh),
        views: addresses(&views),
        properties: addresses(&properties),
        seen: Vec::new(),
        limit: FEW,
        found: Vec::new(),
        grown: Vec::new(),
        context: Some(context.unbind()),
    };
    // SAFETY: the GIL is held.
    unsafe { *STATE.0.get() = Some(state) };
    references_disown();
    Ok(true)
}

/// To be called after something of Blender was freed: the context forgets its data-block.
///
/// Up to Blender 4.4, `context.view_layer`, `.tool_settings` and `.layer_collection` leave the scene in the context as its own data-block, from where
/// `context.blend_data` and its collections inherit it; once the scene is gone, `id_data` of these reads memory of something else. None of
/// the context's members needs it.
#[pyfunction]
pub(crate) fn references_disown() {
    // SAFETY: the GIL is held; the context is an object of Blender, and these are where a test object has shown them to be.
    unsafe {
        if let Some(state) = &mut *STATE.0.get() {
            // Names are texts: releasing them calls nothing.
            state.grown.clear();
        }
        if let Some(context) = (*STATE.0.get()).as_ref().and_then(|state| state.context.as_ref()) {
            context.as_ptr().cast::<usize>().add(POINTER).write(0);
        }
    }
}

/// Ends a script: nothing is remembered any more.
#[pyfunction]
pub(crate) fn references_end(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the GIL is held; objects are released after they were taken out.
    let before = unsafe { (*STATE.0.get()).take() };
    if let Some(state) = before {
        for one in state.seen {
            // SAFETY: each was owned by the list.
            unsafe {
                ffi::Py_DecRef(one.value);
                ffi::Py_DecRef(one.source);
            }
        }
        for one in state.found {
            // SAFETY: as above.
            unsafe { ffi::Py_DecRef(one) };
        }
        alarm::unheard(|| py.import("gc")?.call_method0("unfreeze"))?;
    }
    Ok(())
}

/// The objects of the script that point into data-blocks, not to one: `(object, address of the block, of the type, of the data)`. The object of a
/// vector is the property that it asks. With an address, only those that point into this block, and with `arrays` those to elements of arrays that
/// data-blocks share. Walks through lists there are settled first.
#[pyfunction]
#[pyo3(signature = (only=None, arrays=false))]
pub(crate) fn references_held(py: Python<'_>, only: Option<usize>, arrays: bool) -> PyResult<Vec<Held<'_>>> {
    walks::settle(py, only, false);
    look_at_new(py)?;
    // SAFETY: the GIL is held, and the state is only read.
    unsafe {
        let Some(state) = (*STATE.0.get()).as_ref() else {
            return Ok(Vec::new());
        };
        let arrays_of = |kind: usize| arrays && state.shared.contains(&kind);
        let seen = state.seen.iter().map(|seen| seen.value);
        let seen = seen.filter(|one| state.untracked.contains(&(ffi::Py_TYPE(*one) as usize)));
        let found = state.found.iter().filter_map(|one| state.pointing(*one));
        Ok(found
            .chain(seen)
            .filter_map(|one| {
                let [block, kind, data] = pointer(one);
                let wanted = only.is_none_or(|only| only == block || arrays_of(kind));
                (block != 0 && kind != 0 && wanted).then(|| (Bound::from_borrowed_ptr(py, one), block, kind, data))
            })
            .collect())
    }
}

/// Looks through the objects that Python has made since the last time for those that point into a data-block.
fn look_at_new(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the GIL is held; what is found is owned before anything of it can be released.
    unsafe {
        prune();
        let Some(freeze) = (*STATE.0.get()).as_ref().map(|state| state.freeze.clone_ref(py)) else {
            return Ok(());
        };
        let all = alarm::unheard(|| -> PyResult<_> {
            let all = py.import("gc")?.call_method0("get_objects")?;
            freeze.call0(py)?;
            Ok(all)
        })?;
        let Some(state) = (*STATE.0.get()).as_mut() else {
            return Ok(());
        };
        let mut known: Vec<(usize, Kind)> = Vec::new();
        // Objects of one type often follow each other.
        let mut last = (0, Kind::Other);
        for one in all.cast::<PyList>()? {
            let object = one.as_ptr();
            let class = ffi::Py_TYPE(object) as usize;
            if class != last.0 {
                let kind = known.iter().find(|(one, _)| *one == class).map(|(_, kind)| *kind);
                let kind = kind.unwrap_or_else(|| {
                    let kind = state.kind(class);
                    known.push((class, kind));
                    kind
                });
                last = (class, kind);
            }
            let points = match last.1 {
                Kind::Struct => true,
                // Blender itself tells its data-blocks that they are gone.
                Kind::Block => {
                    let [block, _, data] = pointer(object);
                    block != data
                }
                Kind::Vector => state.pointing(object).is_some(),
                Kind::Other => false,
            };
            if points {
                state.found.push(one.into_ptr());
            }
        }
        Ok(())
    }
}

/// Lets an object of `references_held` point to the same element of its array, which is elsewhere now.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
pub(crate) fn references_point(object: Bound<'_, PyAny>, data: usize) {
    // SAFETY: this is an object of Blender, of which `references_begin` has looked at one.
    unsafe { object.as_ptr().cast::<usize>().add(POINTER + 2).write(data) };
}

/// Remembers until the next `references_disown` that an element's property has made the attribute that it is.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
pub(crate) fn references_grown(object: Bound<'_, PyAny>, name: Py<PyAny>) {
    // SAFETY: the GIL is held; the caller gives an object of Blender.
    unsafe {
        if let Some(state) = &mut *STATE.0.get() {
            let [block, ..] = pointer(object.as_ptr());
            state.grown.push((block, object.get_type().as_ptr() as usize, name));
        }
    }
}

/// Whether a property of this name has made its attribute, so that setting it moves nothing.
pub(crate) unsafe fn has_grown(object: Object, name: Object) -> bool {
    // SAFETY: the GIL is held; the answer that leads here was given for a type of Blender's elements.
    unsafe {
        (*STATE.0.get()).as_ref().is_some_and(|state| {
            let (block, kind) = (pointer(object)[0], ffi::Py_TYPE(object) as usize);
            let is_it = |one: &&(usize, usize, Py<PyAny>)| one.0 == block && one.1 == kind && one.2.as_ptr() == name;
            state.grown.iter().rev().find(is_it).is_some()
        })
    }
}

/// Makes objects of `references_held` such as raise `ReferenceError`, and iterators such as have no further item.
#[pyfunction]
pub(crate) fn references_forget(objects: Vec<Bound<'_, PyAny>>) {
    for one in objects {
        let object = one.as_ptr();
        // SAFETY: these are objects of Blender, of which `references_begin` has looked at one.
        unsafe {
            forget(object);
            let iterates = one
                .get_type()
                .name()
                .is_ok_and(|name| name.to_string_lossy().ends_with("_iter"));
            if iterates {
                // Whether there is another item: the last word, or the last but one.
                let words = words(object);
                let place = if words < 30 {
                    words.saturating_sub(1)
                } else {
                    words.saturating_sub(2)
                };
                let word = object.cast::<u32>().add(place * 2);
                if word.read() == 1 {
                    word.write(0);
                }
            }
        }
    }
}

/// The views of bmesh with the numbers that they show, before something may free them.
pub(crate) struct Views(Vec<(Object, [f32; NUMBERS])>);

impl Views {
    /// None where there are none.
    pub(crate) fn new() -> Option<Self> {
        if !any() {
            return None;
        }
        // SAFETY: the GIL is held; what is remembered is owned, and a view still shows memory of its element.
        unsafe {
            prune();
            let state = (*STATE.0.get()).as_ref()?;
            let views = state.seen.iter().map(|one| one.value);
            let vectors = views.filter(|one| state.math.contains(&(ffi::Py_TYPE(*one) as usize)));
            Some(Self(vectors.map(|one| (one, shown(one))).collect()))
        }
    }

    /// Gives those whose element is gone memory of their own, and those that show a layer too, if `layers` may have moved.
    pub(crate) fn settle(self, py: Python<'_>, layers: bool) {
        // SAFETY: as in `new`. The new memory is never freed, as a view may outlive the script.
        unsafe {
            let Some(state) = (*STATE.0.get()).as_ref() else { return };
            let all: Vec<(Object, Object, bool)> = state
                .seen
                .iter()
                .map(|one| (one.value, one.source, one.of_layer))
                .collect();
            let (views, math) = (state.views.clone(), state.math.clone());
            let mut settled: Vec<Object> = Vec::new();
            for (value, source, of_layer) in &all {
                let kind = ffi::Py_TYPE(*value) as usize;
                if !(views.contains(&kind) || math.contains(&kind)) {
                    continue;
                }
                // What was read from something that was read from an element: each of these was remembered before.
                let mut element = *source;
                while let Some((_, of, _)) = all.iter().find(|(one, ..)| *one == element) {
                    element = *of;
                }
                let valid = Bound::from_borrowed_ptr(py, element).getattr("is_valid");
                if valid.is_ok_and(|valid| valid.is_truthy().unwrap_or(false)) && !(layers && *of_layer) {
                    continue;
                }
                settled.push(*value);
                if let Some((_, numbers)) = self.0.iter().find(|(one, _)| one == value) {
                    let own = Box::leak(Box::new(*numbers));
                    if let Some(capsule) = capsule_of(*value) {
                        ffi::PyCapsule_SetPointer(capsule, own.as_mut_ptr().cast());
                    } else {
                        word_of_owner(*value).sub(1).cast::<*mut f32>().write(own.as_mut_ptr());
                    }
                } else if views.contains(&kind) {
                    let own = Box::leak(Box::new([0_u64; 32]));
                    for place in POINTER..words(*value) {
                        let word = value.cast::<*mut c_void>().add(place);
                        if !word.read().is_null() {
                            word.write(own.as_mut_ptr().cast());
                        }
                    }
                }
            }
            let Some(state) = (*STATE.0.get()).as_mut() else { return };
            let (gone, kept): (Vec<Seen>, Vec<Seen>) =
                state.seen.drain(..).partition(|one| settled.contains(&one.value));
            state.seen = kept;
            for one in gone {
                ffi::Py_DecRef(one.value);
                ffi::Py_DecRef(one.source);
            }
        }
    }
}

unsafe fn shown(vector: Object) -> [f32; NUMBERS] {
    let mut numbers = [0.0; NUMBERS];
    // SAFETY: the bytes of a colour are where its capsule points, which has the name that Blender gave it.
    unsafe {
        if let Some(capsule) = capsule_of(vector) {
            let bytes = ffi::PyCapsule_GetPointer(capsule, ffi::PyCapsule_GetName(capsule)).cast::<u32>();
            if !bytes.is_null() {
                numbers[0] = f32::from_bits(bytes.read_unaligned());
            }
            return numbers;
        }
    }
    // SAFETY: a vector has as many numbers as its length says, behind the pointer before its owner.
    unsafe {
        let count = usize::try_from(ffi::PyObject_Size(vector)).unwrap_or(0);
        let data = word_of_owner(vector).sub(1).cast::<*const f32>().read();
        for (place, number) in numbers.iter_mut().enumerate().take(count) {
            *number = data.add(place).read();
        }
    }
    numbers
}
