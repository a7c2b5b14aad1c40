//! The words of a list of sockets, or of anything that has names and identifiers alike: interface items, items of zones.

use foldhash::{HashMap, HashSet};
use geonode_graph::catalogue::Socket;
use geonode_graph::nearest;

use super::words::{numbered, word};

/// A word for each socket of a list, unique in it.
///
/// Of sockets that share a name, the first available one has the plain word, and the others a number: that of their identifier where it is
/// of this form (`Value_002`), else the next free one. Sockets that the node's mode hides come last and are called by their identifiers.
#[derive(Debug, Clone, Default)]
pub struct SocketNames {
    /// Identifier, name and word of each socket, in the order of the list.
    entries: Vec<(String, String, String)>,
    by_word: HashMap<String, usize>,
}

impl SocketNames {
    /// The words of sockets given as (name, identifier, available).
    pub fn new<'s>(sockets: impl IntoIterator<Item = (&'s str, &'s str, bool)>) -> Self {
        Self::avoiding(sockets, &[])
    }

    /// The same without the words in `taken`.
    pub fn avoiding<'s>(sockets: impl IntoIterator<Item = (&'s str, &'s str, bool)>, taken: &[&str]) -> Self {
        let sockets: Vec<(&str, &str, bool)> = sockets.into_iter().collect();
        let mut used: HashSet<String> = taken.iter().map(|word| (*word).to_owned()).collect();
        let mut words: Vec<Option<String>> = vec![None; sockets.len()];
        let bases: Vec<String> = sockets
            .iter()
            .map(|(name, identifier, _)| {
                word(name)
                    .or_else(|| word(identifier))
                    .unwrap_or_else(|| "socket".to_owned())
            })
            .collect();
        let each = || sockets.iter().zip(&bases);
        for (slot, ((_, _, available), base)) in words.iter_mut().zip(each()) {
            if *available && used.insert(base.clone()) {
                *slot = Some(base.clone());
            }
        }
        for shown in [true, false] {
            for (slot, ((_, identifier, available), base)) in words.iter_mut().zip(each()) {
                if slot.is_some() || *available != shown {
                    continue;
                }
                let own = word(identifier).filter(|own| !used.contains(own) && (!shown || is_numbered(own, base)));
                let free = own.unwrap_or_else(|| numbered(base, |text| !used.contains(text)));
                used.insert(free.clone());
                *slot = Some(free);
            }
        }
        let mut names = Self::default();
        for ((name, identifier, _), own) in sockets.iter().zip(words) {
            let own = own.unwrap_or_default();
            names.by_word.insert(own.clone(), names.entries.len());
            names.entries.push(((*identifier).to_owned(), (*name).to_owned(), own));
        }
        names
    }

    /// The words of a node's sockets on one side.
    pub fn of(sockets: &[Socket]) -> Self {
        Self::new(
            sockets
                .iter()
                .map(|socket| (socket.name.as_str(), socket.identifier.as_str(), socket.available)),
        )
    }

    /// The word of the socket with this identifier.
    pub fn word(&self, identifier: &str) -> Option<&str> {
        let mut entries = self.entries.iter();
        entries
            .find(|entry| entry.0 == identifier)
            .map(|entry| entry.2.as_str())
    }

    /// The word of the socket at this place of the list.
    pub fn word_at(&self, place: usize) -> Option<&str> {
        self.entries.get(place).map(|entry| entry.2.as_str())
    }

    /// The identifier of the socket that a word means: its word, else its identifier, else its name where only one has it.
    pub fn identifier(&self, text: &str) -> Option<&str> {
        self.place(text)
            .and_then(|at| self.entries.get(at))
            .map(|entry| entry.0.as_str())
    }

    /// The place in the list of the socket that a word means.
    pub fn place(&self, text: &str) -> Option<usize> {
        let exact = || self.entries.iter().position(|entry| entry.0 == text);
        let named = || {
            let folded = word(text);
            let mut hits = (0_usize..).zip(&self.entries).filter(|(_, (identifier, name, _))| {
                name == text || folded.is_some() && (word(name) == folded || word(identifier) == folded)
            });
            match (hits.next(), hits.next()) {
                (Some((at, _)), None) => Some(at),
                _ => None,
            }
        };
        self.by_word.get(text).copied().or_else(exact).or_else(named)
    }

    /// All words, in the order of the sockets.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.2.as_str())
    }

    /// The word that is most like one that no socket has.
    pub fn near(&self, text: &str) -> Option<String> {
        nearest(text, self.words())
    }
}

/// Whether `own` is `base` with a number, as `value_002` is of `value`.
fn is_numbered(own: &str, base: &str) -> bool {
    own.strip_prefix(base)
        .and_then(|rest| rest.strip_prefix('_'))
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
}
