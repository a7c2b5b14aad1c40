//! What a page may speak of: names and groups of the file, node types, ready pages.

use indexmap::IndexMap;

use super::part::Part;
use super::values;

/// What a page may speak of.
#[derive(Debug, Clone, Default)]
pub struct Scope<'a> {
    /// The word of a new group.
    pub group: &'a str,
    /// Node types that may be called.
    pub nodes: Vec<&'a str>,
    /// Objects that get the group; none: the target of the run.
    pub objects: Vec<String>,
    /// Names of data that values may be, by kind: `object`, `collection`, `material`.
    pub data: IndexMap<String, Vec<String>>,
    /// Pages that are ready but for their values.
    pub ready: Vec<&'a str>,
    /// The group that is there: its name, and the values of its inputs as on a page, `count: Int = 100`.
    pub there: Option<(&'a str, Vec<&'a str>)>,
}

impl Scope<'_> {
    pub(super) fn data(&self, kind: &str) -> Vec<String> {
        self.data.get(kind).cloned().unwrap_or_default()
    }

    /// The statement that puts a group on an object, up to its inputs.
    pub(super) fn apply(&self, name: &str) -> Part {
        let mut parts = vec![Part::text(format!("apply({}", values::quoted(name)))];
        if !self.objects.is_empty() {
            let objects = self.objects.iter().map(|name| Part::text(values::quoted(name)));
            parts.push(Part::text(", object="));
            parts.push(Part::Any(objects.collect()));
        }
        Part::All(parts)
    }
}
