//! Whether a record may be carried out: it names listed members only, and each entry fits those before it.

use std::collections::{BTreeMap, BTreeSet};

use geonode_protocol::{Code, SCRIPT_ITEMS};

use super::mesh::misfit;
use super::written::MAKING;
use super::{Address, Block, Data, Entry, Key, MAX_BYTES, MAX_ENTRIES, Record, Root, Special, Step, VERSION};
use crate::policy::{self, Known, Policy};

/// Deepest nesting of a value.
const DEPTH: usize = 12;
/// Types of the values that lie within the file besides Blender's own.
const MATH: [&str; 8] = [
    "builtins.Vector",
    "builtins.Color",
    "builtins.Euler",
    "builtins.Matrix",
    "builtins.Quaternion",
    "builtins.MatrixAccess",
    "builtins.IDPropertyGroup",
    "builtins.IDPropertyUIManager",
];
/// Most bytes of the name of a data-block, in every Blender.
const NAME: usize = 255;
/// Most steps of an address.
const STEPS: usize = 24;

/// Why a record is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misrecorded {
    /// The entry, from 0.
    pub entry: usize,
    /// The cause.
    pub text: String,
}

impl Misrecorded {
    /// The code of every such refusal.
    #[must_use]
    pub fn code(&self) -> Code {
        Code::RecordInvalid
    }
}

/// Reads and checks the text of a record for a Blender version such as `5.2`. `removed`: the names that the script removes, by the
/// collection of `bpy.data`, as the artist is shown them; no other data-block may be removed.
///
/// # Errors
/// With the first entry that is not as it should be.
pub fn check(text: &str, blender: &str, removed: &BTreeMap<String, BTreeSet<String>>) -> Result<Record, Misrecorded> {
    let whole = |text: String| Misrecorded { entry: 0, text };
    if text.len() > MAX_BYTES {
        return Err(whole(format!("It has more than {MAX_BYTES} bytes.")));
    }
    let record: Record = serde_json::from_str(text).map_err(|error| whole(format!("It cannot be read: {error}.")))?;
    if record.version != VERSION {
        return Err(whole(format!("It has the version {}.", record.version)));
    }
    if record.entries.len() > MAX_ENTRIES {
        return Err(whole(format!("It has more than {MAX_ENTRIES} entries.")));
    }
    let policy = policy::policy().ok_or_else(|| whole("There is no policy.".into()))?;
    let mut checker = Checker {
        policy,
        bit: policy::bit(blender),
        removed,
        results: BTreeMap::new(),
        made: Vec::new(),
        within: 0,
    };
    for (entry, one) in record.entries.iter().enumerate() {
        checker.entry(entry, one).map_err(|text| Misrecorded { entry, text })?;
    }
    Ok(record)
}

struct Checker<'a> {
    policy: &'static Policy,
    bit: u8,
    removed: &'a BTreeMap<String, BTreeSet<String>>,
    /// Calls so far that worked, with the data-blocks that they returned: their results may be referred to.
    results: BTreeMap<usize, Option<Block>>,
    /// Data-blocks that are new.
    made: Vec<Block>,
    /// Contexts that are entered.
    within: usize,
}

type Checked = Result<(), String>;

impl Checker<'_> {
    fn entry(&mut self, number: usize, entry: &Entry) -> Checked {
        match entry {
            Entry::Set { of, name, value, .. } => {
                self.address(of)?;
                self.attribute(name)?;
                changeable(of)?;
                self.bounded(name, value)?;
                self.data(value, DEPTH)
            }
            Entry::SetItem { of, key, value, .. } => {
                self.address(of)?;
                self.data(key, DEPTH)?;
                self.data(value, DEPTH)
            }
            Entry::DeleteItem { of, key } => {
                self.address(of)?;
                self.data(key, DEPTH)
            }
            Entry::Call {
                of,
                name,
                args,
                named,
                fails,
                makes,
                ..
            } => {
                self.address(of)?;
                self.attribute(name)?;
                self.arguments(args, named)?;
                if name != "foreach_get" {
                    changeable(of)?;
                }
                sized(name, args.iter().chain(named.values()))?;
                self.removal(of, name, args.iter().chain(named.values()))?;
                if !fails {
                    self.results.insert(number, makes.clone());
                    if MAKING.contains(&name.as_str()) {
                        self.made.extend(makes.clone());
                    }
                }
                Ok(())
            }
            Entry::Operator {
                name, context, named, ..
            } => {
                if !matches!(
                    self.policy.operators.look(name, self.bit),
                    Known::Allowed | Known::Elsewhere
                ) {
                    return Err(format!("bpy.ops.{name} is not allowed."));
                }
                if context.as_ref().is_some_and(|context| !context.starts_with("EXEC_")) {
                    return Err("An operator cannot wait for the artist.".into());
                }
                self.arguments(&[], named)
            }
            Entry::Mesh { of, mesh } => {
                self.address(of)?;
                match misfit(mesh) {
                    Some(why) => Err(format!("The mesh does not fit in itself: {why}.")),
                    None => Ok(()),
                }
            }
            Entry::Enter { of } => {
                self.within = self.within.saturating_add(1);
                self.address(of)
            }
            Entry::Exit { of } => {
                self.within = self
                    .within
                    .checked_sub(1)
                    .ok_or("A context is left that was not entered.")?;
                self.address(of)
            }
        }
    }

    fn arguments(&self, args: &[Data], named: &BTreeMap<String, Data>) -> Checked {
        for one in args {
            self.data(one, DEPTH)?;
        }
        for (name, one) in named {
            if name.starts_with('_') {
                return Err(format!("An argument is named {name:?}."));
            }
            self.bounded(name, one)?;
            self.data(one, DEPTH)?;
        }
        Ok(())
    }

    fn address(&self, address: &Address) -> Checked {
        if address.path.len() > STEPS {
            return Err("An address has too many steps.".into());
        }
        match &address.root {
            Root::Data | Root::Context => {}
            Root::Block(block) if block.name.len() > NAME => return Err("A name is too long.".into()),
            Root::Block(block) => self.attribute(&block.kind)?,
            Root::Result(number) if self.results.contains_key(number) => {}
            Root::Result(number) => return Err(format!("Entry {number} has no result here.")),
        }
        for step in &address.path {
            if let Step::Attribute(name) = step {
                self.attribute(name)?;
            }
        }
        Ok(())
    }

    /// The names that a script may use on Blender's data.
    fn attribute(&self, name: &str) -> Checked {
        let input = name
            .strip_prefix("Socket_")
            .is_some_and(|digits| (1..=4).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let listed = matches!(
            self.policy.attributes.look(name, self.bit),
            Known::Allowed | Known::Elsewhere
        );
        let of_math = MATH
            .iter()
            .filter_map(|kind| self.policy.members.types.get(kind))
            .any(|members| members.contains(&name));
        if name.starts_with('_') || !(input || listed || of_math) {
            return Err(format!("The attribute {name:?} is not allowed."));
        }
        Ok(())
    }

    fn bounded(&self, name: &str, value: &Data) -> Checked {
        let (Some(bound), Data::Number(number)) = (self.policy.reviewed.bounds.get(name), value) else {
            return Ok(());
        };
        if number.as_f64().is_none_or(|number| number > *bound) {
            return Err(format!("{name} = {number} is above {bound}."));
        }
        Ok(())
    }

    fn data(&self, data: &Data, depth: usize) -> Checked {
        let Some(depth) = depth.checked_sub(1) else {
            return Err("A value is nested too deeply.".into());
        };
        let every = |all: &[Data]| all.iter().try_for_each(|one| self.data(one, depth));
        match data {
            Data::Null(()) | Data::Bool(_) | Data::Number(_) => Ok(()),
            Data::Text(text) => self.text(text),
            Data::List(all) => every(all),
            Data::Special(special) => match special.as_ref() {
                Special::Of(address) => self.address(address),
                Special::Tuple(all) | Special::Vector(all) | Special::Color(all) | Special::Quaternion(all) => {
                    every(all)
                }
                Special::Matrix(rows) => rows.iter().try_for_each(|row| every(row)),
                Special::Euler(x, y, z, _) => [x, y, z].into_iter().try_for_each(|one| self.data(one, depth)),
                Special::Set(keys) => keys.iter().try_for_each(|key| self.key(key)),
                Special::Dict(pairs) => pairs.iter().try_for_each(|(key, value)| {
                    self.key(key)?;
                    self.data(value, depth)
                }),
                Special::Slice(..) => Ok(()),
                Special::Number(text) if matches!(text.as_str(), "inf" | "-inf" | "nan") => Ok(()),
                Special::Number(text) => Err(format!("{text:?} is not a number.")),
            },
        }
    }

    fn key(&self, key: &Key) -> Checked {
        match key {
            Key::Number(_) => Ok(()),
            Key::Text(text) => self.text(text),
        }
    }

    /// Types of nodes that read or write files may not be named anywhere.
    fn text(&self, text: &str) -> Checked {
        let mut refused = self.policy.reviewed.node_types.keys();
        match refused.find(|pattern| policy::fits(pattern, text)) {
            Some(_) => Err(format!("The node {text} is not allowed.")),
            None => Ok(()),
        }
    }

    /// What removes data-blocks may name only those that the artist is shown, and those that the script made. Parts of a data-block are
    /// no data-blocks, and what a call returned is one if it says so, which is checked when it is carried out.
    fn removal<'d>(&self, of: &Address, name: &str, given: impl Iterator<Item = &'d Data>) -> Checked {
        let removes = &self.policy.reviewed.removals;
        if !(removes.data.contains(name) || removes.anywhere.contains(name)) {
            return Ok(());
        }
        for one in given.flat_map(flat) {
            let Data::Special(special) = one else { continue };
            let Special::Of(address) = special.as_ref() else {
                continue;
            };
            let block = match &address.root {
                _ if !address.path.is_empty() => None,
                Root::Block(block) => Some(block),
                Root::Result(number) => self.results.get(number).and_then(Option::as_ref),
                Root::Data | Root::Context => None,
            };
            let allowed = match block {
                Some(block) => self.made.contains(block) || self.is_shown(block),
                None => matches!(of.root, Root::Block(_) | Root::Result(_)),
            };
            if !allowed {
                return Err("It removes a data-block that the trial did not remove.".into());
            }
        }
        Ok(())
    }

    fn is_shown(&self, block: &Block) -> bool {
        let names = self.removed.get(&block.kind);
        block.library.is_none() && names.is_some_and(|names| names.contains(&block.name))
    }
}

/// Where curves begin among their points, which Blender follows without looking: calls that add and resize curves set it.
const OFFSETS: [&str; 2] = ["curve_offset_data", "curve_offsets"];
/// Functions whose numbers are sizes.
const SIZING: [&str; 9] = [
    "add",
    "add_curves",
    "add_points",
    "add_strokes",
    "resize",
    "resize_curves",
    "resize_points",
    "resize_strokes",
    "scale",
];

fn changeable(of: &Address) -> Checked {
    let offsets = |step: &Step| matches!(step, Step::Attribute(name) if OFFSETS.contains(&name.as_str()));
    if of.path.iter().any(offsets) {
        return Err("The points of curves are counted by Blender.".into());
    }
    Ok(())
}

fn sized<'d>(name: &str, mut given: impl Iterator<Item = &'d Data>) -> Checked {
    let too_many =
        |one: &Data| matches!(one, Data::Number(number) if number.as_f64().is_none_or(|number| number > SCRIPT_ITEMS));
    if SIZING.contains(&name) && given.any(too_many) {
        return Err(format!("{name}() of so many elements would use up all memory."));
    }
    Ok(())
}

/// The value itself, or the items of a list.
fn flat(data: &Data) -> Vec<&Data> {
    match data {
        Data::List(all) => all.iter().collect(),
        Data::Special(special) => match special.as_ref() {
            Special::Tuple(all) => all.iter().collect(),
            _ => vec![data],
        },
        _ => vec![data],
    }
}
