//! A complete walk over a tree: every statement, expression and pattern, and every place that binds a name.
//!
//! All matches are exhaustive without a wildcard, so that a new kind of node in the parser does not compile until it is walked.

use rustpython_parser::ast::{
    Arg, Arguments, Comprehension, ExceptHandler, Expr, Identifier, Keyword, MatchCase, Pattern, Stmt, TypeParam,
    WithItem,
};
use rustpython_parser::text_size::TextRange;

/// A visited item.
#[derive(Clone, Copy)]
pub(crate) enum Node<'t> {
    Stmt(&'t Stmt),
    Expr(&'t Expr),
    Pattern(&'t Pattern),
    /// A name that is not bound by an expression: function, class, argument, import, handler, capture, `global`.
    Bind(Binding<'t>),
    /// The name of a keyword argument.
    Keyword(&'t str, TextRange),
}

/// A name that is bound.
#[derive(Clone, Copy)]
pub(crate) struct Binding<'t> {
    pub(crate) name: &'t str,
    pub(crate) range: TextRange,
    pub(crate) how: How,
}

/// How a name is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Function,
    Class,
    Argument,
    /// Checked by the rule for imports.
    Import,
    Other,
}

/// Visits every node before its children; returns whether to visit the children.
pub(crate) trait Visitor<'t> {
    fn visit(&mut self, node: Node<'t>) -> bool;
}

/// Walks statements in the order of the text.
pub(crate) fn suite<'t>(visitor: &mut impl Visitor<'t>, body: &'t [Stmt]) {
    for stmt in body {
        statement(visitor, stmt);
    }
}

fn bind<'t>(visitor: &mut impl Visitor<'t>, name: &'t Identifier, range: TextRange, how: How) {
    visitor.visit(Node::Bind(Binding {
        name: name.as_str(),
        range,
        how,
    }));
}

#[allow(clippy::too_many_lines, reason = "one arm for each kind of statement, nothing else")]
fn statement<'t>(visitor: &mut impl Visitor<'t>, stmt: &'t Stmt) {
    if !visitor.visit(Node::Stmt(stmt)) {
        return;
    }
    match stmt {
        Stmt::FunctionDef(def) => {
            all(visitor, &def.decorator_list);
            bind(visitor, &def.name, def.range, How::Function);
            type_params(visitor, &def.type_params);
            arguments(visitor, &def.args);
            maybe(visitor, def.returns.as_deref());
            suite(visitor, &def.body);
        }
        Stmt::AsyncFunctionDef(def) => {
            all(visitor, &def.decorator_list);
            bind(visitor, &def.name, def.range, How::Function);
            type_params(visitor, &def.type_params);
            arguments(visitor, &def.args);
            maybe(visitor, def.returns.as_deref());
            suite(visitor, &def.body);
        }
        Stmt::ClassDef(def) => {
            all(visitor, &def.decorator_list);
            bind(visitor, &def.name, def.range, How::Class);
            type_params(visitor, &def.type_params);
            all(visitor, &def.bases);
            keywords(visitor, &def.keywords);
            suite(visitor, &def.body);
        }
        Stmt::Return(one) => maybe(visitor, one.value.as_deref()),
        Stmt::Delete(one) => all(visitor, &one.targets),
        Stmt::Assign(one) => {
            all(visitor, &one.targets);
            expression(visitor, &one.value);
        }
        Stmt::TypeAlias(one) => {
            expression(visitor, &one.name);
            type_params(visitor, &one.type_params);
            expression(visitor, &one.value);
        }
        Stmt::AugAssign(one) => {
            expression(visitor, &one.target);
            expression(visitor, &one.value);
        }
        Stmt::AnnAssign(one) => {
            expression(visitor, &one.target);
            expression(visitor, &one.annotation);
            maybe(visitor, one.value.as_deref());
        }
        Stmt::For(one) => {
            expression(visitor, &one.target);
            expression(visitor, &one.iter);
            suite(visitor, &one.body);
            suite(visitor, &one.orelse);
        }
        Stmt::AsyncFor(one) => {
            expression(visitor, &one.target);
            expression(visitor, &one.iter);
            suite(visitor, &one.body);
            suite(visitor, &one.orelse);
        }
        Stmt::While(one) => {
            expression(visitor, &one.test);
            suite(visitor, &one.body);
            suite(visitor, &one.orelse);
        }
        Stmt::If(one) => {
            expression(visitor, &one.test);
            suite(visitor, &one.body);
            suite(visitor, &one.orelse);
        }
        Stmt::With(one) => {
            with_items(visitor, &one.items);
            suite(visitor, &one.body);
        }
        Stmt::AsyncWith(one) => {
            with_items(visitor, &one.items);
            suite(visitor, &one.body);
        }
        Stmt::Match(one) => {
            expression(visitor, &one.subject);
            cases(visitor, &one.cases);
        }
        Stmt::Raise(one) => {
            maybe(visitor, one.exc.as_deref());
            maybe(visitor, one.cause.as_deref());
        }
        Stmt::Try(one) => {
            suite(visitor, &one.body);
            handlers(visitor, &one.handlers);
            suite(visitor, &one.orelse);
            suite(visitor, &one.finalbody);
        }
        Stmt::TryStar(one) => {
            suite(visitor, &one.body);
            handlers(visitor, &one.handlers);
            suite(visitor, &one.orelse);
            suite(visitor, &one.finalbody);
        }
        Stmt::Assert(one) => {
            expression(visitor, &one.test);
            maybe(visitor, one.msg.as_deref());
        }
        Stmt::Import(one) => {
            for alias in &one.names {
                bind(
                    visitor,
                    alias.asname.as_ref().unwrap_or(&alias.name),
                    alias.range,
                    How::Import,
                );
            }
        }
        Stmt::ImportFrom(one) => {
            for alias in &one.names {
                bind(
                    visitor,
                    alias.asname.as_ref().unwrap_or(&alias.name),
                    alias.range,
                    How::Import,
                );
            }
        }
        Stmt::Global(one) => one
            .names
            .iter()
            .for_each(|name| bind(visitor, name, one.range, How::Other)),
        Stmt::Nonlocal(one) => one
            .names
            .iter()
            .for_each(|name| bind(visitor, name, one.range, How::Other)),
        Stmt::Expr(one) => expression(visitor, &one.value),
        Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) => {}
    }
}

fn all<'t>(visitor: &mut impl Visitor<'t>, exprs: &'t [Expr]) {
    for expr in exprs {
        expression(visitor, expr);
    }
}

fn maybe<'t>(visitor: &mut impl Visitor<'t>, expr: Option<&'t Expr>) {
    if let Some(expr) = expr {
        expression(visitor, expr);
    }
}

fn type_params<'t>(visitor: &mut impl Visitor<'t>, params: &'t [TypeParam]) {
    for param in params {
        match param {
            TypeParam::TypeVar(one) => {
                bind(visitor, &one.name, one.range, How::Other);
                maybe(visitor, one.bound.as_deref());
            }
            TypeParam::ParamSpec(one) => bind(visitor, &one.name, one.range, How::Other),
            TypeParam::TypeVarTuple(one) => bind(visitor, &one.name, one.range, How::Other),
        }
    }
}

fn arguments<'t>(visitor: &mut impl Visitor<'t>, args: &'t Arguments) {
    for one in args.posonlyargs.iter().chain(&args.args).chain(&args.kwonlyargs) {
        argument(visitor, &one.def);
        maybe(visitor, one.default.as_deref());
    }
    for one in [args.vararg.as_deref(), args.kwarg.as_deref()].into_iter().flatten() {
        argument(visitor, one);
    }
}

fn argument<'t>(visitor: &mut impl Visitor<'t>, arg: &'t Arg) {
    bind(visitor, &arg.arg, arg.range, How::Argument);
    maybe(visitor, arg.annotation.as_deref());
}

fn keywords<'t>(visitor: &mut impl Visitor<'t>, keywords: &'t [Keyword]) {
    for one in keywords {
        if let Some(name) = &one.arg {
            visitor.visit(Node::Keyword(name.as_str(), one.range));
        }
        expression(visitor, &one.value);
    }
}

fn with_items<'t>(visitor: &mut impl Visitor<'t>, items: &'t [WithItem]) {
    for one in items {
        expression(visitor, &one.context_expr);
        maybe(visitor, one.optional_vars.as_deref());
    }
}

fn handlers<'t>(visitor: &mut impl Visitor<'t>, handlers: &'t [ExceptHandler]) {
    for ExceptHandler::ExceptHandler(one) in handlers {
        maybe(visitor, one.type_.as_deref());
        if let Some(name) = &one.name {
            bind(visitor, name, one.range, How::Other);
        }
        suite(visitor, &one.body);
    }
}

fn cases<'t>(visitor: &mut impl Visitor<'t>, cases: &'t [MatchCase]) {
    for one in cases {
        pattern(visitor, &one.pattern);
        maybe(visitor, one.guard.as_deref());
        suite(visitor, &one.body);
    }
}

fn pattern<'t>(visitor: &mut impl Visitor<'t>, one: &'t Pattern) {
    if !visitor.visit(Node::Pattern(one)) {
        return;
    }
    let inner = |visitor: &mut _, list: &'t [Pattern]| list.iter().for_each(|each| pattern(visitor, each));
    match one {
        Pattern::MatchValue(value) => expression(visitor, &value.value),
        Pattern::MatchSingleton(_) => {}
        Pattern::MatchSequence(sequence) => inner(visitor, &sequence.patterns),
        Pattern::MatchMapping(mapping) => {
            all(visitor, &mapping.keys);
            inner(visitor, &mapping.patterns);
            if let Some(name) = &mapping.rest {
                bind(visitor, name, mapping.range, How::Other);
            }
        }
        Pattern::MatchClass(class) => {
            expression(visitor, &class.cls);
            inner(visitor, &class.patterns);
            inner(visitor, &class.kwd_patterns);
        }
        Pattern::MatchStar(star) => {
            if let Some(name) = &star.name {
                bind(visitor, name, star.range, How::Other);
            }
        }
        Pattern::MatchAs(capture) => {
            if let Some(inside) = &capture.pattern {
                pattern(visitor, inside);
            }
            if let Some(name) = &capture.name {
                bind(visitor, name, capture.range, How::Other);
            }
        }
        Pattern::MatchOr(choice) => inner(visitor, &choice.patterns),
    }
}

fn generators<'t>(visitor: &mut impl Visitor<'t>, generators: &'t [Comprehension]) {
    for one in generators {
        expression(visitor, &one.target);
        expression(visitor, &one.iter);
        all(visitor, &one.ifs);
    }
}

/// Walks one expression.
pub(crate) fn expression<'t>(visitor: &mut impl Visitor<'t>, expr: &'t Expr) {
    if !visitor.visit(Node::Expr(expr)) {
        return;
    }
    match expr {
        Expr::BoolOp(one) => all(visitor, &one.values),
        Expr::NamedExpr(one) => {
            expression(visitor, &one.target);
            expression(visitor, &one.value);
        }
        Expr::BinOp(one) => {
            expression(visitor, &one.left);
            expression(visitor, &one.right);
        }
        Expr::UnaryOp(one) => expression(visitor, &one.operand),
        Expr::Lambda(one) => {
            arguments(visitor, &one.args);
            expression(visitor, &one.body);
        }
        Expr::IfExp(one) => {
            expression(visitor, &one.test);
            expression(visitor, &one.body);
            expression(visitor, &one.orelse);
        }
        Expr::Dict(one) => {
            one.keys.iter().flatten().for_each(|key| expression(visitor, key));
            all(visitor, &one.values);
        }
        Expr::Set(one) => all(visitor, &one.elts),
        Expr::ListComp(one) => {
            generators(visitor, &one.generators);
            expression(visitor, &one.elt);
        }
        Expr::SetComp(one) => {
            generators(visitor, &one.generators);
            expression(visitor, &one.elt);
        }
        Expr::DictComp(one) => {
            generators(visitor, &one.generators);
            expression(visitor, &one.key);
            expression(visitor, &one.value);
        }
        Expr::GeneratorExp(one) => {
            generators(visitor, &one.generators);
            expression(visitor, &one.elt);
        }
        Expr::Await(one) => expression(visitor, &one.value),
        Expr::Yield(one) => maybe(visitor, one.value.as_deref()),
        Expr::YieldFrom(one) => expression(visitor, &one.value),
        Expr::Compare(one) => {
            expression(visitor, &one.left);
            all(visitor, &one.comparators);
        }
        Expr::Call(one) => {
            expression(visitor, &one.func);
            all(visitor, &one.args);
            keywords(visitor, &one.keywords);
        }
        Expr::FormattedValue(one) => {
            expression(visitor, &one.value);
            maybe(visitor, one.format_spec.as_deref());
        }
        Expr::JoinedStr(one) => all(visitor, &one.values),
        Expr::Constant(_) | Expr::Name(_) => {}
        Expr::Attribute(one) => expression(visitor, &one.value),
        Expr::Subscript(one) => {
            expression(visitor, &one.value);
            expression(visitor, &one.slice);
        }
        Expr::Starred(one) => expression(visitor, &one.value),
        Expr::List(one) => all(visitor, &one.elts),
        Expr::Tuple(one) => all(visitor, &one.elts),
        Expr::Slice(one) => {
            maybe(visitor, one.lower.as_deref());
            maybe(visitor, one.upper.as_deref());
            maybe(visitor, one.step.as_deref());
        }
    }
}
