//! Whether the disk has room for a run: one that ends in the middle fails in words of whatever wrote last.

use crate::layout::Layout;

/// What all groups write in a new clone, measured, and some more: what is compiled, four Blenders, a window's system.
const NEEDED: u64 = 12 << 30;

/// A warning, if what is free, and what earlier runs left to be used again, is less than a run needs.
pub(super) fn warning(layout: &Layout) -> Option<String> {
    let target = layout.target();
    let present = if target.join("env").exists() { NEEDED / 2 } else { 0 };
    said(free(&target).or_else(|| free(&layout.root))?, NEEDED - present)
}

fn said(free: u64, needed: u64) -> Option<String> {
    #[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
    let gigabytes = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    (free < needed).then(|| {
        format!(
            "The disk has {:.1} GB free; a run of all tests needs about {:.0}. It may fail for want of room.",
            gigabytes(free),
            gigabytes(needed)
        )
    })
}

#[cfg(unix)]
fn free(folder: &std::path::Path) -> Option<u64> {
    let system = rustix::fs::statvfs(folder).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &std::path::Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::{NEEDED, free, said};

    #[test]
    fn little_room_is_said() {
        assert_eq!(said(NEEDED, NEEDED), None);
        let text = said(3 << 30, NEEDED).unwrap_or_default();
        assert!(text.contains("3.0 GB free") && text.contains("about 12"), "{text}");
    }

    #[cfg(unix)]
    #[test]
    fn the_room_of_a_folder_is_known() {
        assert!(free(&std::env::temp_dir()).is_some_and(|bytes| bytes > 0));
        assert_eq!(free(std::path::Path::new("/no such folder")), None);
    }
}
