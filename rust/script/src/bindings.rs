//! The names that a script binds, and their values: modules, imported members, classes, constants, its own attributes.

use foldhash::{HashMap, HashSet};
use rustpython_parser::ast::{
    ExceptHandler, Expr, ExprAttribute, ExprContext, Stmt, StmtFunctionDef, StmtImportFrom, WithItem,
};

use crate::expressions::{chain, literal};
use crate::fold::{Constants, fold};
use crate::policy::Policy;
use crate::tree::{self, How, Node, Visitor};

/// The names of one script, in all scopes.
#[derive(Default)]
pub(crate) struct Bindings<'t> {
    /// Names of modules, with the module: `np` → `numpy`. A name with two modules is in `contested`.
    pub(crate) modules: HashMap<&'t str, String>,
    /// Names of members, with the member: `Vector` → `mathutils.Vector`.
    pub(crate) members: HashMap<&'t str, String>,
    /// Every bound name and how often it is bound.
    pub(crate) bound: HashMap<&'t str, usize>,
    /// Names that are bound otherwise than by an import.
    pub(crate) rebound: HashSet<&'t str>,
    /// Names that refer to two modules, or to a module and something else.
    pub(crate) contested: HashSet<&'t str>,
    pub(crate) classes: HashSet<&'t str>,
    /// Attributes that the script gives to its own objects.
    pub(crate) attributes: HashSet<String>,
    /// Those of them that its classes define, in their body or on the first argument of a method.
    pub(crate) fields: HashSet<String>,
    /// Public attributes that the script tries: it asks `hasattr()` for them, or reads or sets them where an `AttributeError` is caught.
    pub(crate) tried: HashSet<String>,
    /// Names that are bound once, to a constant.
    pub(crate) constants: Constants<'t>,
    /// Names that are bound once, to a text.
    pub(crate) texts: HashMap<&'t str, &'t str>,
    /// Names that are bound once, by a loop over string literals.
    pub(crate) choices: HashMap<&'t str, Vec<&'t str>>,
    /// Whether the script checks the features of this Blender: by version, by `hasattr()` and similar functions, or by trying.
    pub(crate) adaptive: bool,
    /// Names that are bound once, to a chain that begins with a module, and names of loops over such chains.
    pub(crate) aliases: HashMap<&'t str, String>,
    /// Names that refer to a list of an object's parts: `mods` after `mods = obj.modifiers`; arguments, if the script passes such a list.
    pub(crate) parts: HashSet<&'t str>,
    /// Names that refer to such a list of a tree that the script has not made: `nodes` after `nodes = material.node_tree.nodes`.
    pub(crate) trees: HashSet<&'t str>,
    /// Names that only refer to what the script makes by a `new()`.
    pub(crate) fresh: HashSet<&'t str>,
    /// Whether it reads meshes into a `BMesh`.
    pub(crate) reads_meshes: bool,
    /// Names of layers of weights in a `BMesh`.
    pub(crate) weights: HashSet<&'t str>,
    /// Names that are bound by assignments, loops and the like.
    pub(crate) stored: HashSet<&'t str>,
    /// Names of arguments.
    pub(crate) arguments: HashSet<&'t str>,
    passes_parts: bool,
    loops: Vec<(&'t str, &'t Expr)>,
    candidates: Vec<(&'t str, &'t Expr)>,
}

/// Collects the bindings of a script.
pub(crate) fn collect<'t>(body: &'t [Stmt], policy: &Policy) -> Bindings<'t> {
    let mut collector = Collector {
        names: Bindings::default(),
        policy,
    };
    tree::suite(&mut collector, body);
    let mut names = collector.names;
    names.attributes.extend(names.fields.iter().cloned());
    for name in names.modules.keys().chain(names.members.keys()) {
        if names.rebound.contains(name) {
            names.contested.insert(name);
        }
    }
    for (name, list) in std::mem::take(&mut names.loops) {
        if is_vertex_groups(list) {
            names.parts.insert(name);
        }
        if let Expr::Tuple(_) | Expr::List(_) = list
            && let Some(full) = data_of_blender(list, &names)
        {
            names.aliases.insert(name, full);
        }
        if names.bound.get(name) == Some(&1)
            && let Some(texts) = texts(list)
        {
            names.choices.insert(name, texts);
        }
    }
    if names.passes_parts {
        names.parts.extend(names.arguments.iter().copied());
    }
    fresh(&mut names);
    for (name, value) in std::mem::take(&mut names.candidates) {
        if is_layer_of_weights(value) {
            names.weights.insert(name);
        }
        let is_list = matches!(value, Expr::Attribute(list) if is_list_of_parts(list, &names, policy));
        if is_list || is_vertex_group(value) {
            names.parts.insert(name);
        }
        if let Expr::Attribute(list) = value
            && policy.reviewed.removals.trees.contains(list.attr.as_str())
            && !is_fresh(value, &names)
        {
            names.trees.insert(name);
        }
        if names.bound.get(name) != Some(&1) {
            continue;
        }
        if let Some(value) = fold(value, &names.constants) {
            names.constants.insert(name, value);
        }
        if let Some(text) = literal(value) {
            names.texts.insert(name, text);
        }
        if let Some(full) = data_of_blender(value, &names) {
            names.aliases.insert(name, full);
        }
    }
    names
}

impl Bindings<'_> {
    /// The private attributes of the script's classes under their mangled names.
    pub(crate) fn mangled(&self) -> impl Iterator<Item = String> {
        let private = |name: &&String| name.starts_with("__") && !name.ends_with("__");
        self.attributes.iter().filter(private).flat_map(|name| {
            self.classes
                .iter()
                .map(move |class| format!("_{}{name}", class.trim_start_matches('_')))
        })
    }
}

/// Finds the names all of whose bindings are new data, or a part of such.
fn fresh(names: &mut Bindings<'_>) {
    // Each pass follows one more name.
    for _ in 0..3 {
        let mut times: HashMap<&str, usize> = HashMap::default();
        for (name, value) in &names.candidates {
            if is_fresh(value, names) {
                let count = times.entry(name).or_insert(0);
                *count = count.saturating_add(1);
            }
        }
        let whole = names.candidates.iter().map(|(name, _)| *name);
        let found: Vec<_> = whole.filter(|name| times.get(name) == names.bound.get(name)).collect();
        names.fresh.extend(found);
    }
}

/// `….new(…)`, or a part of a fresh name.
pub(crate) fn is_fresh(expr: &Expr, names: &Bindings<'_>) -> bool {
    match expr {
        Expr::Call(call) => matches!(&*call.func, Expr::Attribute(one) if one.attr.as_str() == "new"),
        Expr::Attribute(one) => is_fresh(&one.value, names),
        Expr::Name(one) => names.fresh.contains(one.id.as_str()),
        _ => false,
    }
}

/// `obj.modifiers`, and `mesh.uv_layers` of a mesh that the script has not made; not what it keeps in its own objects.
pub(crate) fn is_list_of_parts(list: &ExprAttribute, names: &Bindings<'_>, policy: &Policy) -> bool {
    let (name, removals) = (list.attr.as_str(), &policy.reviewed.removals);
    let own = matches!(&*list.value, Expr::Name(one) if one.id.as_str() == "self") && names.fields.contains(name);
    removals.parts.contains(name) || removals.lists.contains(name) && !own && !is_fresh(&list.value, names)
}

/// `obj.vertex_groups["Group"]`, `.get(…)` or `.active` of such a list: a group, whose `remove()` takes weights.
pub(crate) fn is_vertex_group(expr: &Expr) -> bool {
    match expr {
        Expr::Subscript(one) => is_vertex_groups(&one.value),
        Expr::Attribute(one) => one.attr.as_str() == "active" && is_vertex_groups(&one.value),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Attribute(one) if one.attr.as_str() == "get" && is_vertex_groups(&one.value))
        }
        _ => false,
    }
}

/// `bm.verts.layers.deform.active`, `….verify()`.
fn is_layer_of_weights(expr: &Expr) -> bool {
    match expr {
        Expr::Attribute(one) => one.attr.as_str() == "deform" || is_layer_of_weights(&one.value),
        Expr::Call(call) => is_layer_of_weights(&call.func),
        Expr::Subscript(one) => is_layer_of_weights(&one.value),
        _ => false,
    }
}

fn is_vertex_groups(expr: &Expr) -> bool {
    matches!(expr, Expr::Attribute(list) if list.attr.as_str() == "vertex_groups")
}

/// `bpy.data.…` behind an expression: the chain itself, `list(…)` of it, the first of a list of them, `getattr(bpy.data, …)`.
fn data_of_blender(expr: &Expr, names: &Bindings) -> Option<String> {
    match expr {
        Expr::Attribute(_) => {
            let (root, parts) = chain(expr)?;
            let root = root.id.as_str();
            let mut full = names
                .modules
                .get(root)
                .or_else(|| names.members.get(root))
                .or_else(|| names.aliases.get(root))?
                .clone();
            for part in parts {
                full.push('.');
                full.push_str(part.attr.as_str());
            }
            full.starts_with("bpy.data").then_some(full)
        }
        Expr::Name(one) => names.aliases.get(one.id.as_str()).cloned(),
        Expr::List(one) => one.elts.iter().find_map(|each| data_of_blender(each, names)),
        Expr::Tuple(one) => one.elts.iter().find_map(|each| data_of_blender(each, names)),
        Expr::Call(call) => match &*call.func {
            Expr::Name(one) if one.id.as_str() == "getattr" => {
                let full = call.args.first().and_then(|first| data_of_blender(first, names))?;
                Some(format!("{full}.{}", call.args.get(1).and_then(literal).unwrap_or("…")))
            }
            _ => None,
        },
        _ => None,
    }
}

/// The texts of a list of literals.
fn texts(expr: &Expr) -> Option<Vec<&str>> {
    match expr {
        Expr::List(one) => one.elts.iter().map(literal).collect(),
        Expr::Tuple(one) => one.elts.iter().map(literal).collect(),
        _ => None,
    }
}

struct Collector<'t, 'p> {
    names: Bindings<'t>,
    policy: &'p Policy,
}

impl<'t> Visitor<'t> for Collector<'t, '_> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        match node {
            Node::Bind(binding) => {
                if binding.how != How::Import {
                    self.names.rebound.insert(binding.name);
                }
                if binding.how == How::Argument {
                    self.names.arguments.insert(binding.name);
                }
                if binding.how == How::Class {
                    self.names.classes.insert(binding.name);
                }
                self.count(binding.name);
            }
            Node::Expr(Expr::Name(one)) if one.ctx != ExprContext::Load => {
                self.names.rebound.insert(one.id.as_str());
                self.names.stored.insert(one.id.as_str());
                self.count(one.id.as_str());
            }
            Node::Expr(Expr::Attribute(one)) if one.attr.as_str() == "version" => self.names.adaptive = true,
            Node::Expr(Expr::Attribute(one)) if one.ctx == ExprContext::Store => {
                if matches!(&*one.value, Expr::Name(base) if !self.names.modules.contains_key(base.id.as_str())) {
                    self.names.attributes.insert(one.attr.to_string());
                }
            }
            Node::Expr(Expr::IfExp(one)) if asks_for_blender(&one.test) => {
                for branch in [&one.body, &one.orelse] {
                    tree::expression(&mut Tried(&mut self.names.tried), branch);
                }
            }
            Node::Expr(Expr::Call(call)) => {
                let asks = matches!(&*call.func, Expr::Name(one) if matches!(one.id.as_str(), "hasattr" | "getattr"));
                self.names.adaptive |= asks;
                if let (true, Some(name)) = (asks, call.args.get(1).and_then(literal)) {
                    self.names.tried.extend(public(name));
                }
                self.names.reads_meshes |= matches!(&*call.func, Expr::Attribute(one)
                    if matches!(one.attr.as_str(), "from_mesh" | "from_object" | "from_edit_mesh"));
                let removals = &self.policy.reviewed.removals;
                self.names.passes_parts |= call
                    .args
                    .iter()
                    .any(|one| matches!(one, Expr::Attribute(list) if removals.parts.contains(list.attr.as_str())));
                self.fields(call);
            }
            Node::Stmt(stmt) => self.statement(stmt),
            _ => {}
        }
        true
    }
}

impl<'t> Collector<'t, '_> {
    fn count(&mut self, name: &'t str) {
        let entry = self.names.bound.entry(name).or_insert(0);
        *entry = entry.saturating_add(1);
    }

    fn statement(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::Assign(one) => {
                if let [Expr::Name(name)] = one.targets.as_slice() {
                    self.names.candidates.push((name.id.as_str(), &one.value));
                }
            }
            Stmt::For(one) => {
                if let Expr::Name(name) = &*one.target {
                    self.names.loops.push((name.id.as_str(), &one.iter));
                }
            }
            // Bound again in each iteration, so the added value is not constant.
            Stmt::AugAssign(one) => {
                if let Expr::Name(name) = &*one.target {
                    self.count(name.id.as_str());
                }
            }
            Stmt::Import(one) => {
                for alias in &one.names {
                    let full = alias.name.as_str();
                    match &alias.asname {
                        Some(name) => self.module(name.as_str(), full.to_owned()),
                        None => {
                            let first = full.split('.').next().unwrap_or(full);
                            self.module(first, first.to_owned());
                        }
                    }
                }
            }
            Stmt::ImportFrom(one) => self.import_from(one),
            // What only one Blender has stands behind a question for it.
            Stmt::If(one) if asks_for_blender(&one.test) => {
                for branch in [&one.body, &one.orelse] {
                    tree::suite(&mut Tried(&mut self.names.tried), branch);
                }
            }
            Stmt::Try(one) => {
                self.names.adaptive = true;
                if one.handlers.iter().any(catches_missing) {
                    tree::suite(&mut Tried(&mut self.names.tried), &one.body);
                }
            }
            Stmt::With(one) if one.items.iter().any(suppresses_missing) => {
                self.names.adaptive = true;
                tree::suite(&mut Tried(&mut self.names.tried), &one.body);
            }
            Stmt::ClassDef(one) => {
                for inner in &one.body {
                    self.class_member(inner);
                    if let Stmt::FunctionDef(method) = inner {
                        self.method(method);
                    }
                }
            }
            _ => {}
        }
    }

    fn import_from(&mut self, one: &'t StmtImportFrom) {
        let Some(module) = &one.module else { return };
        for alias in &one.names {
            let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            let full = format!("{module}.{}", alias.name);
            if self.policy.is_module(&full) {
                self.module(name, full);
            } else {
                if self.names.modules.contains_key(name) {
                    self.names.contested.insert(name);
                }
                self.names.members.insert(name, full);
            }
        }
    }

    fn module(&mut self, name: &'t str, path: String) {
        if self.names.members.contains_key(name) || self.names.modules.get(name).is_some_and(|known| *known != path) {
            self.names.contested.insert(name);
        }
        self.names.modules.insert(name, path);
    }

    /// Collects the attributes that a method gives to its first argument.
    fn method(&mut self, method: &'t StmtFunctionDef) {
        let mut arguments = method.args.posonlyargs.iter().chain(&method.args.args);
        if let Some(first) = arguments.next() {
            let mut stored = Stored {
                on: first.def.arg.as_str(),
                fields: &mut self.names.fields,
            };
            tree::suite(&mut stored, &method.body);
        }
    }

    fn class_member(&mut self, stmt: &'t Stmt) {
        let names = &mut self.names.fields;
        match stmt {
            Stmt::FunctionDef(one) => {
                names.insert(one.name.to_string());
            }
            Stmt::ClassDef(one) => {
                names.insert(one.name.to_string());
            }
            Stmt::AnnAssign(one) => {
                if let Expr::Name(name) = &*one.target {
                    names.insert(name.id.to_string());
                }
            }
            Stmt::Assign(one) => {
                for target in &one.targets {
                    match target {
                        Expr::Name(name) => {
                            names.insert(name.id.to_string());
                        }
                        Expr::Tuple(tuple) => names.extend(tuple.elts.iter().filter_map(|each| match each {
                            Expr::Name(name) => Some(name.id.to_string()),
                            _ => None,
                        })),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The fields of `namedtuple("Point", "x y")`, `namedtuple("Point", ["x", "y"])` and `SimpleNamespace(x=1, y=2)`.
    fn fields(&mut self, call: &'t rustpython_parser::ast::ExprCall) {
        let function = match &*call.func {
            Expr::Name(one) => one.id.as_str(),
            Expr::Attribute(one) => one.attr.as_str(),
            _ => return,
        };
        if function == "SimpleNamespace" {
            let keywords = call.keywords.iter().filter_map(|one| one.arg.as_ref());
            self.names.fields.extend(keywords.map(ToString::to_string));
        }
        let named = function == "namedtuple";
        let Some(fields) = call.args.get(1).filter(|_| named) else {
            return;
        };
        let mut add = |text: &str| {
            let words = text.split([',', ' ']).filter(|word| !word.is_empty());
            self.names.fields.extend(words.map(str::to_owned));
        };
        match fields {
            Expr::List(list) => list.elts.iter().filter_map(literal).for_each(&mut add),
            Expr::Tuple(list) => list.elts.iter().filter_map(literal).for_each(&mut add),
            other => {
                if let Some(text) = literal(other) {
                    add(text);
                }
            }
        }
    }
}

/// Whether a handler catches an attribute that does not exist.
fn catches_missing(handler: &ExceptHandler) -> bool {
    let ExceptHandler::ExceptHandler(one) = handler;
    match one.type_.as_deref() {
        None => true,
        Some(Expr::Tuple(kinds)) => kinds.elts.iter().any(is_missing),
        Some(kind) => is_missing(kind),
    }
}

fn is_missing(kind: &Expr) -> bool {
    matches!(kind, Expr::Name(one) if matches!(one.id.as_str(), "AttributeError" | "Exception"))
}

/// `with suppress(AttributeError):`
fn suppresses_missing(item: &WithItem) -> bool {
    let Expr::Call(call) = &item.context_expr else {
        return false;
    };
    let named = match &*call.func {
        Expr::Name(one) => one.id.as_str() == "suppress",
        Expr::Attribute(one) => one.attr.as_str() == "suppress",
        _ => false,
    };
    named && call.args.iter().any(is_missing)
}

fn public(name: &str) -> Option<String> {
    (!name.starts_with('_')).then(|| name.to_owned())
}

/// Collects the attributes of statements.
struct Tried<'f>(&'f mut HashSet<String>);

impl<'t> Visitor<'t> for Tried<'_> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        if let Node::Expr(Expr::Attribute(one)) = node {
            self.0.extend(public(one.attr.as_str()));
        }
        true
    }
}

/// Whether a condition asks what there is in this Blender: `hasattr(…)`, `bpy.app.version >= …`.
fn asks_for_blender(test: &Expr) -> bool {
    let mut asks = Asks(false);
    tree::expression(&mut asks, test);
    asks.0
}

struct Asks(bool);

impl<'t> Visitor<'t> for Asks {
    fn visit(&mut self, node: Node<'t>) -> bool {
        self.0 |= match node {
            Node::Expr(Expr::Attribute(one)) => one.attr.as_str() == "version",
            Node::Expr(Expr::Name(one)) => one.id.as_str() == "hasattr",
            _ => false,
        };
        true
    }
}

/// Collects the attributes that are stored on one name.
struct Stored<'t, 'f> {
    on: &'t str,
    fields: &'f mut HashSet<String>,
}

impl<'t> Visitor<'t> for Stored<'t, '_> {
    fn visit(&mut self, node: Node<'t>) -> bool {
        if let Node::Expr(Expr::Attribute(one)) = node
            && one.ctx == ExprContext::Store
            && matches!(&*one.value, Expr::Name(base) if base.id.as_str() == self.on)
        {
            self.fields.insert(one.attr.to_string());
        }
        true
    }
}
