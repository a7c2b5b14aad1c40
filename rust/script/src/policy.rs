//! The policy data in `policy/`: `reviewed.json` written by people, `names.json` derived from four Blenders by
//! `tests/host/policy.py`, `types.json` from live objects and then reviewed.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use foldhash::{HashMap, HashSet};
use serde::Deserialize;

/// Versions of Blender that the policy knows, in the order of their bits.
pub const VERSIONS: [&str; 4] = ["4.2", "4.5", "5.0", "5.2"];

/// Bits of a whole number.
pub(crate) const INTEGER_BITS: u32 = 8192;
/// Digits of a width or a precision in a format.
pub(crate) const WIDTH_DIGITS: usize = 3;

type Text = &'static str;
type Causes = HashMap<Text, HashMap<Text, u8>>;

/// The reviewed decisions.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Reviewed {
    pub(crate) modules: HashMap<Text, HashSet<Text>>,
    pub(crate) instead: HashMap<Text, Text>,
    pub(crate) builtins: HashSet<Text>,
    pub(crate) called_only: HashSet<Text>,
    pub(crate) methods: HashSet<Text>,
    pub(crate) attributes_refused: HashMap<Text, (Text, Text)>,
    pub(crate) underscored: HashSet<Text>,
    pub(crate) dunder_read: HashSet<Text>,
    pub(crate) app: HashMap<Text, (Text, Text)>,
    pub(crate) node_types: HashMap<Text, Text>,
    pub(crate) operators_refused: HashMap<Text, Text>,
    pub(crate) bounds: HashMap<Text, f64>,
    /// Patterns of Blender's types that no script may have → why.
    pub(crate) types_refused: HashMap<Text, Text>,
    /// Patterns that are exceptions from these.
    pub(crate) types_allowed: Vec<Text>,
    /// Groups of operators that may be called, except the refused ones.
    pub(crate) operator_modules: HashSet<Text>,
    pub(crate) removals: Removals,
}

/// Names that remove data; the artist is asked before a script that uses one runs.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Removals {
    /// Last parts of the names of operators.
    pub(crate) operators: HashSet<Text>,
    /// Words in the last part of an operator's name that say that it removes data.
    pub(crate) operator_words: HashSet<Text>,
    /// Operators with such a word that remove nothing of an artist's.
    pub(crate) operators_kept: HashSet<Text>,
    /// Functions of `bpy.data` and its collections.
    pub(crate) data: HashSet<Text>,
    /// Functions that remove data whatever they are called on.
    pub(crate) anywhere: HashSet<Text>,
    /// Lists of an object's parts that an artist makes by hand; removing from these is asked about.
    pub(crate) parts: HashSet<Text>,
    /// Lists of other parts of a data-block; removing from these is asked about unless the script has made the data-block.
    pub(crate) lists: HashSet<Text>,
    /// Lists of a tree's parts; removing from these is asked about unless the script has made the tree.
    pub(crate) trees: HashSet<Text>,
}

impl Removals {
    /// Whether an operator, by the last part of its name, removes or replaces data.
    pub(crate) fn is_operator(&self, name: &str) -> bool {
        let says = || name.split('_').any(|word| self.operator_words.contains(word));
        self.operators.contains(name) || says() && !self.operators_kept.contains(name)
    }
}

/// What a script may do with objects that are not Blender's data, by type.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Types {
    pub(crate) types: BTreeMap<Text, Vec<Text>>,
    pub(crate) stores: BTreeMap<Text, Vec<Text>>,
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Names {
    attributes: Causes,
    operators: Causes,
    types: Causes,
    #[serde(rename = "bmesh.ops")]
    bmesh_ops: Causes,
}

/// A name of one kind: where it is allowed, or where and why it is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Allowed,
    /// The cause in `names.json`.
    Refused(Text),
    /// Exists, but only in other versions of Blender.
    Elsewhere,
    Unknown,
}

/// Names of one kind with a bit per version.
#[derive(Default)]
pub(crate) struct Table {
    allowed: HashMap<Text, u8>,
    refused: HashMap<Text, (u8, Text)>,
}

impl Table {
    fn new(causes: Causes) -> Self {
        let mut table = Self::default();
        for (cause, names) in causes {
            if cause.is_empty() {
                table.allowed = names;
            } else {
                for (name, bits) in names {
                    let entry = table.refused.entry(name).or_insert((0, cause));
                    entry.0 |= bits;
                }
            }
        }
        table
    }

    /// The entry of a name in the version with this bit. A refusal in that version takes precedence.
    pub(crate) fn look(&self, name: &str, bit: u8) -> Known {
        if let Some((bits, cause)) = self.refused.get(name)
            && bits & bit != 0
        {
            return Known::Refused(cause);
        }
        match self.allowed.get(name) {
            Some(bits) if bits & bit != 0 => Known::Allowed,
            Some(_) => Known::Elsewhere,
            None => self
                .refused
                .get(name)
                .map_or(Known::Unknown, |(_, cause)| Known::Refused(cause)),
        }
    }

    /// The names that are not refused in the version with this bit; names of other versions do not exist in it, which is harmless.
    pub(crate) fn names(&self, bit: u8) -> impl Iterator<Item = Text> {
        let allowed = self.allowed.keys().copied();
        allowed.filter(move |name| matches!(self.look(name, bit), Known::Allowed | Known::Elsewhere))
    }

    /// The allowed name that is nearest to a misspelt one.
    pub(crate) fn nearest(&self, name: &str, bit: u8) -> Option<Text> {
        self.allowed
            .iter()
            .filter(|(known, bits)| *bits & bit != 0 && known.len().abs_diff(name.len()) < 3)
            .map(|(known, _)| (strsim::damerau_levenshtein(known, name), *known))
            .filter(|(distance, known)| distance.saturating_mul(4) <= known.len())
            .min()
            .map(|(_, known)| known)
    }
}

/// The whole policy.
pub(crate) struct Policy {
    pub(crate) reviewed: Reviewed,
    pub(crate) attributes: Table,
    pub(crate) operators: Table,
    pub(crate) types: Table,
    pub(crate) bmesh_ops: Table,
    pub(crate) members: Types,
}

impl Policy {
    /// Whether this full name is a module, which is never a value.
    pub(crate) fn is_module(&self, full: &str) -> bool {
        self.reviewed.modules.contains_key(full) || matches!(full, "bpy.ops" | "bpy.types" | "bmesh.ops")
    }
}

/// The policy, read once. `None` cannot happen with the committed files; a test ensures that.
pub(crate) fn policy() -> Option<&'static Policy> {
    static POLICY: OnceLock<Option<Policy>> = OnceLock::new();
    POLICY
        .get_or_init(|| {
            let reviewed = serde_json::from_str(include_str!("../policy/reviewed.json")).ok()?;
            let members = serde_json::from_str(include_str!("../policy/types.json")).ok()?;
            let names: Names = serde_json::from_str(include_str!("../policy/names.json")).ok()?;
            Some(Policy {
                reviewed,
                attributes: Table::new(names.attributes),
                operators: Table::new(names.operators),
                types: Table::new(names.types),
                bmesh_ops: Table::new(names.bmesh_ops),
                members,
            })
        })
        .as_ref()
}

/// The bit of a version such as `5.2` or `5.2.1`: the newest known one that is not newer, else the oldest.
pub(crate) fn bit(blender: &str) -> u8 {
    let number = |text: &str| {
        let mut parts = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
    };
    let wanted = number(blender);
    let index = VERSIONS.iter().rposition(|known| number(known) <= wanted).unwrap_or(0);
    1u8.checked_shl(u32::try_from(index).unwrap_or(0)).unwrap_or(1)
}

/// Whether a text fits a pattern with `*` for any characters.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, rest)) => text.strip_prefix(head).is_some_and(|text| {
            rest.is_empty()
                || text
                    .char_indices()
                    .map(|(at, _)| at)
                    .chain([text.len()])
                    .any(|at| text.get(at..).is_some_and(|tail| fits(rest, tail)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::{VERSIONS, bit, fits, policy};

    #[test]
    fn the_committed_policy_can_be_read() {
        let policy = policy().unwrap();
        assert!(policy.reviewed.modules.len() > 20);
        assert!(policy.attributes.allowed.len() > 4000);
        assert!(policy.operators.allowed.len() > 1000);
    }

    #[test]
    fn each_blender_version_has_its_bit() {
        assert_eq!(VERSIONS.map(bit), [1, 2, 4, 8]);
        assert_eq!(bit("5.2.1"), 8);
        assert_eq!(bit("5.1.0"), 4);
        assert_eq!(bit("6.0"), 8);
        assert_eq!(bit("3.6"), 1);
        assert_eq!(bit("nonsense"), 1);
    }

    #[test]
    fn a_star_matches_any_characters() {
        assert!(fits("anim.*driver*", "anim.driver_button_add"));
        assert!(fits("*.*_preset_add", "particle.hair_preset_add"));
        assert!(!fits("anim.*driver*", "anim.keyframe_insert"));
        assert!(fits("mesh.pen", "mesh.pen") && !fits("mesh.pen", "mesh.pencil"));
    }
}
