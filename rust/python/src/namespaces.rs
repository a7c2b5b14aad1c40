//! Compares the names in modules and classes before and after a script.
//!
//! A script shares the library's modules and classes with the whole session: a function that it stores in one of them would run long
//! after its end. Neither the interpreter nor Blender reports such an assignment. There are about three thousand of them, so nothing is copied
//! unless it changed.
#![expect(unsafe_code, reason = "walks through dicts without copying them")]

use std::ptr;
use std::sync::{Mutex, PoisonError};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods, PyList, PyModule, PyString};

/// The names of modules and classes, as they were when `keep` was last called.
#[pyclass(frozen, module = "geonode_core")]
pub(crate) struct Namespaces(Mutex<Vec<Kept>>);

struct Kept {
    owner: Py<PyAny>,
    /// The dict in which the owner itself looks up its names.
    held: Py<PyDict>,
    names: Py<PyDict>,
}

#[pymethods]
impl Namespaces {
    /// Stores the names of each of the modules and classes.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "pyo3 extracts owned values")]
    fn new(py: Python<'_>, owners: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut kept = Vec::with_capacity(owners.len());
        for owner in &owners {
            if let Some(held) = namespace_of(owner)? {
                kept.push(Kept {
                    owner: owner.clone().unbind(),
                    names: held.copy()?.unbind(),
                    held: held.unbind(),
                });
            }
        }
        py.check_signals()?;
        Ok(Self(Mutex::new(kept)))
    }

    /// Stores the present names.
    fn keep(&self, py: Python<'_>) -> PyResult<()> {
        for kept in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            let held = kept.held.bind(py);
            if !same(held, kept.names.bind(py)) {
                kept.names = held.copy()?.unbind();
            }
        }
        Ok(())
    }

    /// Restores changed names and returns them as `module.name`. A module may have gained submodules.
    fn put_back(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut changed = Vec::new();
        for kept in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let (held, names) = (kept.held.bind(py), kept.names.bind(py));
            if !same(held, names) {
                compare(kept.owner.bind(py), names, &held.copy()?, &mut changed)?;
            }
        }
        Ok(changed)
    }
}

/// Whether both dicts contain the identical names and values in the same order.
fn same(left: &Bound<'_, PyDict>, right: &Bound<'_, PyDict>) -> bool {
    let (mut at, mut other) = (0, 0);
    let mut pairs = [ptr::null_mut(); 4];
    let [key, value, other_key, other_value] = &mut pairs;
    loop {
        // SAFETY: both are dicts, nothing can change them meanwhile, and the values are only compared.
        let (more, others) = unsafe {
            (
                ffi::PyDict_Next(left.as_ptr(), &raw mut at, key, value),
                ffi::PyDict_Next(right.as_ptr(), &raw mut other, other_key, other_value),
            )
        };
        if more == 0 || others == 0 {
            return more == others;
        }
        if key != other_key || value != other_value {
            return false;
        }
    }
}

fn compare(
    owner: &Bound<'_, PyAny>,
    before: &Bound<'_, PyDict>,
    after: &Bound<'_, PyDict>,
    changed: &mut Vec<String>,
) -> PyResult<()> {
    for (name, value) in before {
        if after.get_item(&name)?.is_none_or(|now| !now.is(&value)) {
            changed.extend(reported_name(owner, &name)?);
            set(owner, &name, Some(&value));
        }
    }
    let is_module = owner.is_instance_of::<PyModule>();
    for (name, value) in after {
        let known = before.contains(&name)? || is_module && is_usual(&name, &value) || is_cached(&name, &value);
        if !known {
            changed.extend(reported_name(owner, &name)?);
            set(owner, &name, None);
        }
    }
    Ok(())
}

/// The dict of a module or a class; for a class, the dict behind Python's proxy.
fn namespace_of<'py>(owner: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    let py = owner.py();
    let shown = owner.getattr(pyo3::intern!(py, "__dict__"))?;
    if let Ok(held) = shown.cast::<PyDict>() {
        return Ok(Some(held.clone()));
    }
    let inner = py.import("gc")?.call_method1("get_referents", (shown,))?;
    let inner = inner.cast_into::<PyList>()?;
    Ok(inner.get_item(0).ok().and_then(|held| held.cast_into::<PyDict>().ok()))
}

/// Whether a module may gain this name by itself.
fn is_usual(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyModule>()
        || name
            .cast::<PyString>()
            .is_ok_and(|name| name.to_string_lossy() == "__warningregistry__")
}

/// Whether Python has remembered in a class that it looked for names of slots in it, as `copy` asks it to.
fn is_cached(name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>()
        && name
            .cast::<PyString>()
            .is_ok_and(|name| name.to_string_lossy() == "__slotnames__")
}

/// Sets or removes a name. A failure is ignored: the name is reported in any case, and ends with the session.
fn set(owner: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>, value: Option<&Bound<'_, PyAny>>) {
    let Ok(name) = name.cast::<PyString>() else {
        return;
    };
    let done = match value {
        Some(value) => owner.setattr(name, value),
        None => owner.delattr(name),
    };
    drop(done);
}

/// The full name; `None` for names that Python itself sets when it prints an error.
fn reported_name(owner: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let of = owner.getattr("__name__")?;
    let full = format!("{}.{}", of.str()?, name.str()?);
    Ok((!full.starts_with("sys.last_")).then_some(full))
}
