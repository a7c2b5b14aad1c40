//! What a record writes to, told from the record itself.

use std::collections::{BTreeMap, BTreeSet};

use super::{Address, Entry, Record, Root};

/// Functions that return a data-block which is new.
pub(super) const MAKING: [&str; 3] = ["copy", "new", "new_from_object"];

impl Entry {
    /// What it changes; none for an operator, which changes what is selected.
    fn of(&self) -> Option<&Address> {
        match self {
            Self::Set { of, .. }
            | Self::SetItem { of, .. }
            | Self::DeleteItem { of, .. }
            | Self::Call { of, .. }
            | Self::Mesh { of, .. } => Some(of),
            Self::Operator { .. } | Self::Enter { .. } | Self::Exit { .. } => None,
        }
    }

    /// The data-block that it makes.
    fn made(&self) -> Option<(&str, &str)> {
        match self {
            Self::Call {
                name,
                makes: Some(block),
                ..
            } if MAKING.contains(&name.as_str()) => Some((&block.kind, &block.name)),
            _ => None,
        }
    }
}

impl Record {
    /// The data-blocks that it writes to by name and that it has not made itself, by the collection of `bpy.data`.
    #[must_use]
    pub fn written(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let made: BTreeSet<(&str, &str)> = self.entries.iter().filter_map(Entry::made).collect();
        let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for of in self.entries.iter().filter_map(Entry::of) {
            if let Root::Block(block) = &of.root
                && !made.contains(&(block.kind.as_str(), block.name.as_str()))
            {
                found.entry(&block.kind).or_default().insert(&block.name);
            }
        }
        found
    }
}
