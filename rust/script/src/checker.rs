//! The state that the rules share: facts about a script, exceptions for certain places, and findings.

use foldhash::HashSet;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, Ranged};
use rustpython_parser::text_size::TextRange;

use crate::bindings::Bindings;
use crate::expressions::{chain, literal};
use crate::policy::{Known, Policy, Table};
use crate::verdict::{Judged, Raw};

/// "Did you mean" of one verdict.
const MAX_SUGGESTIONS: usize = 5;

/// Names that are only called and that are common names of arguments. What a script has in their place is a guard, which does no more when
/// it is passed on.
pub(crate) const MAY_BE_ARGUMENTS: &[&str] = &["type", "format"];

/// The path of the open file may be read.
pub(crate) const READABLE: &str = "bpy.data.filepath";

/// A rule: its name and the code of its findings.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) code: Code,
}

/// The rules' view of a script, and their findings.
pub(crate) struct Checker<'t> {
    pub(crate) policy: &'static Policy,
    /// Bit of the Blender version.
    pub(crate) bit: u8,
    pub(crate) names: Bindings<'t>,
    /// Expressions that an outer node has already allowed at their place.
    granted: HashSet<TextRange>,
    /// Number of names that may still be looked up for a "did you mean", which is slow.
    suggestions: usize,
    /// Names of functions whose calls the artist is already asked about.
    asked: HashSet<TextRange>,
    findings: Vec<Raw>,
    asks: Vec<Raw>,
}

impl<'t> Checker<'t> {
    /// A checker without findings. `bit` is that of the Blender version.
    pub(crate) fn new(policy: &'static Policy, bit: u8, names: Bindings<'t>) -> Self {
        Self {
            policy,
            bit,
            names,
            granted: HashSet::default(),
            suggestions: MAX_SUGGESTIONS,
            asked: HashSet::default(),
            findings: Vec::new(),
            asks: Vec::new(),
        }
    }

    /// The result for the whole script.
    pub(crate) fn judged(self) -> Judged {
        let mut own: Vec<String> = self
            .names
            .attributes
            .union(&self.names.tried)
            .filter(|name| self.may_be_own(name))
            .cloned()
            .chain(self.names.mangled())
            .collect();
        own.sort_unstable();
        Judged {
            findings: self.findings,
            asks: self.asks,
            own,
        }
    }

    /// Whether a script may give an attribute of this name to its own objects and read it: no refused attribute of Blender or Python
    /// has that name on an object within reach, or it is one of those that only the type decides about.
    pub(crate) fn may_be_own(&self, name: &str) -> bool {
        if name.starts_with("__") {
            return !name.ends_with("__");
        }
        if self.names.fields.contains(name) {
            return true;
        }
        !self.policy.reviewed.attributes_refused.contains_key(name)
            && matches!(
                self.policy.attributes.look(name, self.bit),
                Known::Allowed | Known::Unknown | Known::Elsewhere | Known::Refused("elsewhere")
            )
    }

    pub(crate) fn refuse(&mut self, rule: &Rule, range: TextRange, text: impl Into<String>, hint: impl Into<String>) {
        self.findings.push(raw(rule, range, text.into(), hint.into()));
    }

    pub(crate) fn ask(&mut self, rule: &Rule, range: TextRange, text: impl Into<String>, hint: impl Into<String>) {
        self.asks.push(raw(rule, range, text.into(), hint.into()));
    }

    /// The name of a table that was probably meant, while there is time for it.
    pub(crate) fn suggestion(&mut self, table: &Table, name: &str) -> Option<&'static str> {
        self.suggestions = self.suggestions.checked_sub(1)?;
        table.nearest(name, self.bit)
    }

    /// Allows an expression at its place.
    pub(crate) fn grant(&mut self, expr: &Expr) {
        self.granted.insert(expr.range());
    }

    /// Allows the expression at a place.
    pub(crate) fn grant_at(&mut self, range: TextRange) {
        self.granted.insert(range);
    }

    /// Records that the artist is asked about the call of this name.
    pub(crate) fn asked_at(&mut self, range: TextRange) {
        self.asked.insert(range);
    }

    pub(crate) fn is_asked(&self, range: TextRange) -> bool {
        self.asked.contains(&range)
    }

    /// Whether an outer node allowed this expression.
    pub(crate) fn is_granted(&self, range: TextRange) -> bool {
        self.granted.contains(&range)
    }

    /// The full name that a chain of names refers to, if it begins with a module or an imported member: `np.zeros` →
    /// `numpy.zeros`. Says nothing about whether it is allowed.
    pub(crate) fn full_name(&self, expr: &Expr) -> Option<String> {
        let (root, parts) = chain(expr)?;
        let root = root.id.as_str();
        let mut full = self
            .names
            .modules
            .get(root)
            .or_else(|| self.names.members.get(root))?
            .clone();
        for part in parts {
            full.push('.');
            full.push_str(part.attr.as_str());
        }
        Some(full)
    }

    /// The text of a literal, or of a name that is bound once to one.
    pub(crate) fn text(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Name(one) => self.names.texts.get(one.id.as_str()).map(|text| (*text).to_owned()),
            other => literal(other).map(str::to_owned),
        }
    }
}

fn raw(rule: &Rule, range: TextRange, text: String, hint: String) -> Raw {
    Raw {
        code: rule.code,
        rule: rule.name,
        at: usize::from(range.start()),
        text,
        hint,
    }
}
