//! Functions of C that stand in the types of Python, and are replaced while a script runs.
//!
//! `abi3` does not define where they are; a place is used only if it contains what Python's own interface (`PyType_GetSlot`) returns.
#![expect(unsafe_code, reason = "replaces C functions in the types of Python")]

use std::ffi::{c_int, c_void};

use pyo3::ffi;

/// A function of a type: its name for `PyType_GetSlot`, the table that it is in, as a word of `PyTypeObject`, and its word there.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    name: c_int,
    table: Option<usize>,
    at: usize,
}

/// The offsets are the same in every Python since 3.4.
const SEQUENCE: Option<usize> = Some(13);
const MAPPING: Option<usize> = Some(14);
const NUMBER: Option<usize> = Some(12);
pub(crate) const REMAINDER: Slot = Slot {
    name: ffi::Py_nb_remainder,
    table: NUMBER,
    at: 3,
};
pub(crate) const EITHER: Slot = Slot {
    name: ffi::Py_nb_or,
    table: NUMBER,
    at: 15,
};
pub(crate) const COMPARED: Slot = Slot {
    name: ffi::Py_tp_richcompare,
    table: None,
    at: 25,
};
pub(crate) const SHOWN: Slot = Slot {
    name: ffi::Py_tp_repr,
    table: None,
    at: 11,
};
pub(crate) const ITERATE: Slot = Slot {
    name: ffi::Py_tp_iter,
    table: None,
    at: 27,
};
pub(crate) const LENGTH: Slot = Slot {
    name: ffi::Py_sq_length,
    table: SEQUENCE,
    at: 0,
};
pub(crate) const ITEM: Slot = Slot {
    name: ffi::Py_sq_item,
    table: SEQUENCE,
    at: 3,
};
pub(crate) const CONTAINS: Slot = Slot {
    name: ffi::Py_sq_contains,
    table: SEQUENCE,
    at: 7,
};
pub(crate) const MAPPED_LENGTH: Slot = Slot {
    name: ffi::Py_mp_length,
    table: MAPPING,
    at: 0,
};
pub(crate) const SUBSCRIPT: Slot = Slot {
    name: ffi::Py_mp_subscript,
    table: MAPPING,
    at: 1,
};

pub(crate) const SET_SUBSCRIPT: Slot = Slot {
    name: ffi::Py_mp_ass_subscript,
    table: MAPPING,
    at: 2,
};
pub(crate) const SET_ITEM: Slot = Slot {
    name: ffi::Py_sq_ass_item,
    table: SEQUENCE,
    at: 5,
};
pub(crate) const BUFFER: Slot = Slot {
    name: ffi::Py_bf_getbuffer,
    table: Some(20),
    at: 0,
};
pub(crate) const ATTRIBUTE: Slot = Slot {
    name: ffi::Py_tp_getattro,
    table: None,
    at: 18,
};
pub(crate) const REPRESENT: Slot = Slot {
    name: ffi::Py_tp_repr,
    table: None,
    at: 11,
};

/// The functions that were replaced, until they are put back. Types of one library may share a table.
#[derive(Default)]
pub(crate) struct Replaced {
    words: Vec<(*mut *mut c_void, *mut c_void)>,
    /// By type and word within its table.
    originals: Vec<(*mut ffi::PyTypeObject, Slot, *mut c_void)>,
}

impl Replaced {
    /// Replaces a function, if the type has it where it should be.
    ///
    /// # Safety
    /// The type stays, `function` has the signature of the slot, and the GIL is held.
    pub(crate) unsafe fn replace(&mut self, class: *mut ffi::PyTypeObject, slot: Slot, function: *mut c_void) {
        // SAFETY: types are longer than the offsets, and the word is used only if it has what Python returns.
        unsafe {
            let found = ffi::PyType_GetSlot(class, slot.name);
            let table = match slot.table {
                Some(table) => class.cast::<*mut *mut c_void>().add(table).read(),
                None => class.cast::<*mut c_void>(),
            };
            if found.is_null() || table.is_null() {
                return;
            }
            let word = table.add(slot.at);
            if word.read() != found {
                return;
            }
            let original = if found == function {
                let Some((_, original)) = self.words.iter().find(|(one, _)| *one == word) else {
                    return;
                };
                *original
            } else {
                word.write(function);
                self.words.push((word, found));
                found
            };
            self.originals.push((class, slot, original));
        }
    }

    /// What was there.
    pub(crate) fn original(&self, class: *mut ffi::PyTypeObject, slot: Slot) -> Option<*mut c_void> {
        let found = self
            .originals
            .iter()
            .find(|(one, of, _)| *one == class && of.name == slot.name);
        found.map(|(_, _, original)| *original)
    }

    /// Puts the functions back.
    ///
    /// # Safety
    /// The GIL is held.
    pub(crate) unsafe fn put_back(&mut self) {
        for (word, original) in self.words.drain(..).rev() {
            // SAFETY: written before, in a type that stays.
            unsafe { word.write(original) };
        }
        self.originals.clear();
    }
}
