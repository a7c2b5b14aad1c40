//! Tables by index that never panic.

/// An entry of a table; the default beyond its end.
pub(super) fn at<T: Copy + Default>(table: &[T], i: usize) -> T {
    table.get(i).copied().unwrap_or_default()
}

pub(super) fn put<T>(table: &mut [T], i: usize, value: T) {
    if let Some(entry) = table.get_mut(i) {
        *entry = value;
    }
}
