//! Brings the rules to every node, and what they share: chains of names, places where something is allowed that elsewhere is not.

use foldhash::HashSet;
use geonode_protocol::Code;
use rustpython_parser::ast::{Expr, ExprAttribute, ExprName, Ranged, Stmt};
use rustpython_parser::text_size::TextRange;

use crate::bindings::{self, Bindings};
use crate::policy::{self, Known, Policy, Table};
use crate::rules;
use crate::tree::{self, Node, Visitor};
use crate::verdict::{Judged, Raw};

/// "Did you mean" of one verdict.
const MAX_SUGGESTIONS: usize = 5;

/// A rule: its name and the code of its findings.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) code: Code,
}

/// What the rules see of a script, and where they put what they find.
pub(crate) struct Checker<'t> {
    pub(crate) policy: &'static Policy,
    /// Bit of the Blender version.
    pub(crate) bit: u8,
    pub(crate) names: Bindings<'t>,
    /// Expressions that an outer node already allowed in the place where they stand.
    granted: HashSet<TextRange>,
    /// Names that may still be looked up for a "did you mean", which takes long.
    suggestions: usize,
    /// Names of functions whose call has been asked about.
    asked: HashSet<TextRange>,
    findings: Vec<Raw>,
    asks: Vec<Raw>,
}

/// Judges a tree: what is refused, and what the artist is asked about.
pub(crate) fn judged(suite: &[Stmt], blender: &str) -> Judged {
    let Some(policy) = policy::policy() else {
        let raw = Raw {
            code: Code::InternalError,
            rule: "policy",
            at: 0,
            text: "The policy of safe mode cannot be read.".to_owned(),
            hint: "Install the add-on again.".to_owned(),
        };
        return Judged::refused(raw);
    };
    let mut checker = Checker {
        policy,
        bit: policy::bit(blender),
        names: bindings::collect(suite, policy),
        granted: HashSet::default(),
        suggestions: MAX_SUGGESTIONS,
        asked: HashSet::default(),
        findings: Vec::new(),
        asks: Vec::new(),
    };
    tree::suite(&mut checker, suite);
    let names = std::mem::take(&mut checker.names);
    let mut own: Vec<String> = names
        .attributes
        .iter()
        .filter(|name| checker.may_be_own(name))
        .cloned()
        .chain(names.mangled())
        .collect();
    own.sort_unstable();
    Judged {
        findings: checker.findings,
        asks: checker.asks,
        own,
    }
}

impl<'t> Visitor<'t> for Checker<'t> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Stmt(stmt) => rules::statement(self, stmt),
            Node::Pattern(pattern) => rules::patterns::check(self, pattern),
            Node::Bind(binding) => rules::names::binding(self, &binding),
            Node::Keyword(name, range) => rules::calls::keyword(self, name, range),
            Node::Expr(expr) => return rules::expression(self, expr),
        }
        true
    }
}

impl Checker<'_> {
    /// Whether a script may give an attribute of this name to its own objects and read it: nothing of Blender's or Python's that is
    /// refused has that name on an object within reach.
    pub(crate) fn may_be_own(&self, name: &str) -> bool {
        if name.starts_with("__") {
            return !name.ends_with("__");
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

    /// Allows an expression where it stands.
    pub(crate) fn grant(&mut self, expr: &Expr) {
        self.granted.insert(expr.range());
    }

    /// Allows what stands at a place.
    pub(crate) fn grant_at(&mut self, range: TextRange) {
        self.granted.insert(range);
    }

    /// Notes that the call of this name has been asked about.
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

    /// The full name of what a chain of names stands for, when it begins with a module or an imported member: `np.zeros` →
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
            other => bindings::literal(other).map(str::to_owned),
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

/// `a.b.c` as the name `a` and the attributes `b`, `c`; `None` for anything else.
pub(crate) fn chain(expr: &Expr) -> Option<(&ExprName, Vec<&ExprAttribute>)> {
    let mut parts = Vec::new();
    let mut inner = expr;
    loop {
        match inner {
            Expr::Attribute(one) => {
                parts.push(one);
                inner = &one.value;
            }
            Expr::Name(root) => {
                parts.reverse();
                return Some((root, parts));
            }
            _ => return None,
        }
    }
}

/// Where the name of an attribute stands.
pub(crate) fn attr_range(one: &ExprAttribute) -> TextRange {
    let end = one.range.end();
    let length = u32::try_from(one.attr.as_str().len()).unwrap_or(0);
    let start = u32::from(end).saturating_sub(length).max(u32::from(one.range.start()));
    TextRange::new(start.into(), end)
}
