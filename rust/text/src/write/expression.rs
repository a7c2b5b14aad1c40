//! Expressions with their precedence, so that terms get the brackets that they need and no others.

/// How tightly an expression binds, as in Python.
pub(super) type Binding = u8;

pub(super) const OR: Binding = 1;
pub(super) const AND: Binding = 2;
pub(super) const NOT: Binding = 3;
pub(super) const COMPARE: Binding = 4;
pub(super) const SUM: Binding = 5;
pub(super) const PRODUCT: Binding = 6;
pub(super) const UNARY: Binding = 7;
pub(super) const POWER: Binding = 8;
const ATOM: Binding = 9;

/// A piece of text that is an expression.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub text: String,
    binding: Binding,
}

impl Expr {
    pub(super) fn new(text: String, binding: Binding) -> Self {
        Self { text, binding }
    }

    /// A name, a call, a literal.
    pub(super) fn atom(text: String) -> Self {
        Self::new(text, ATOM)
    }

    /// The text where only what binds at least this tightly may stand.
    pub(super) fn within(self, least: Binding) -> String {
        if self.binding < least {
            format!("({})", self.text)
        } else {
            self.text
        }
    }

    /// One of its outputs.
    pub(super) fn output(self, word: &str) -> Self {
        Self::atom(format!("{}.{word}", self.within(ATOM)))
    }
}
