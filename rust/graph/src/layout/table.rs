//! Tables by index of a thing: no index panics.

/// An entry of a table whose length its maker knows; the default beyond it.
pub(super) fn at<T: Copy + Default>(table: &[T], i: usize) -> T {
    table.get(i).copied().unwrap_or_default()
}

pub(super) fn put<T>(table: &mut [T], i: usize, value: T) {
    if let Some(entry) = table.get_mut(i) {
        *entry = value;
    }
}
