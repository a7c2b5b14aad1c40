//! No circle stands between the files of a crate, nor between its folders: what a file uses can be read without it.
//!
//! A file uses another one when it imports a name that is defined there, or names it by a path (`crate::a::b`, `super::b`, `module::b`).
//! Names are followed through the re-exports of `lib.rs` and `mod.rs` to the file that defines them. Tests inside a file do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, UseTree, Visibility};

/// Longest chain of re-exports that is followed.
const MAX_CHAIN: usize = 16;

type Name = Vec<String>;

/// One module: a file, or a part of one.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// What it defines.
    names: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths of more than one part that its code names.
    paths: BTreeSet<Name>,
    /// Names that its code uses without a path.
    words: BTreeSet<String>,
}

struct Import {
    /// Local name; `None` for a glob import.
    name: Option<String>,
    path: Name,
    /// Whether it is re-exported.
    shown: bool,
}

enum Place {
    /// A name that this module defines.
    Defined(Name),
    Module(Name),
}

/// The modules of one crate by their paths.
#[derive(Default)]
struct Crate(BTreeMap<Name, Module>);

fn only_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let words = attribute.meta.to_token_stream().to_string();
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && words.contains("test") && !words.contains("not")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn defined(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn imports(tree: &UseTree, before: &Name, shown: bool, all: &mut Vec<Import>) {
    let with = |name: String| before.iter().cloned().chain([name]).collect::<Name>();
    match tree {
        UseTree::Path(path) => imports(&path.tree, &with(path.ident.to_string()), shown, all),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, before, shown, all)),
        UseTree::Name(name) if name.ident == "self" => all.push(Import {
            name: before.last().cloned(),
            path: before.clone(),
            shown,
        }),
        UseTree::Name(name) => all.push(Import {
            name: Some(name.ident.to_string()),
            path: with(name.ident.to_string()),
            shown,
        }),
        UseTree::Rename(rename) => all.push(Import {
            name: Some(rename.rename.to_string()),
            path: with(rename.ident.to_string()),
            shown,
        }),
        UseTree::Glob(_) => all.push(Import {
            name: None,
            path: before.clone(),
            shown,
        }),
    }
}

/// The paths and single names in a piece of code, those inside of macros included.
fn paths(code: TokenStream, module: &mut Module) {
    let mut path = Name::new();
    let mut colons = 0;
    let mut dots = 0;
    let mut end = |path: &mut Name| match std::mem::take(path) {
        path if path.len() > 1 => drop(module.paths.insert(path)),
        path => module.words.extend(path),
    };
    let mut groups = Vec::new();
    for token in code {
        match token {
            TokenTree::Ident(ident) => {
                if colons != 2 {
                    end(&mut path);
                }
                if dots != 1 && (colons != 2 || !path.is_empty()) {
                    path.push(ident.to_string());
                }
                (colons, dots) = (0, 0);
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            other => {
                end(&mut path);
                colons = 0;
                let dot = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '.');
                dots = if dot { dots + 1 } else { 0 };
                if let TokenTree::Group(group) = other {
                    groups.push(group.stream());
                }
            }
        }
    }
    end(&mut path);
    for group in groups {
        paths(group, module);
    }
}

impl Crate {
    /// Reads a crate from its first file, as the compiler does.
    fn read(root: &Path) -> Self {
        let mut modules = Self::default();
        modules.file(Name::new(), root);
        modules
    }

    fn file(&mut self, name: Name, path: &Path) {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let items = syn::parse_file(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            .items;
        self.items(name, path, items);
    }

    fn items(&mut self, name: Name, path: &Path, items: Vec<Item>) {
        let mut module = Module {
            file: path.to_owned(),
            ..Module::default()
        };
        for item in items.into_iter().filter(|item| !only_for_tests(attributes(item))) {
            module.names.extend(defined(&item));
            match item {
                Item::Use(item) => {
                    let shown = !matches!(item.vis, Visibility::Inherited);
                    imports(&item.tree, &Name::new(), shown, &mut module.imports);
                }
                Item::Mod(item) => {
                    let child: Name = name.iter().cloned().chain([item.ident.to_string()]).collect();
                    match item.content {
                        Some((_, items)) => self.items(child, path, items),
                        None => self.file(child, &file_of(path, &item.ident.to_string())),
                    }
                }
                other => paths(other.into_token_stream(), &mut module),
            }
        }
        self.0.insert(name, module);
    }

    /// Resolves a path of a module; `None` for other crates and for paths that do not lead to a module.
    fn place(&self, at: &Name, path: &[String], chain: usize) -> Option<Place> {
        let (first, rest) = path.split_first()?;
        let module = self.0.get(at)?;
        let child: Name = at.iter().cloned().chain([first.clone()]).collect();
        match first.as_str() {
            "crate" => self.follow(Name::new(), rest, chain),
            "self" => self.follow(at.clone(), rest, chain),
            "super" => self.place_above(at, rest, chain),
            _ if self.0.contains_key(&child) => self.follow(child, rest, chain),
            _ => {
                let imported = module
                    .imports
                    .iter()
                    .find(|import| import.name.as_ref() == Some(first))?;
                match self.place(at, &imported.path, chain.checked_sub(1)?)? {
                    Place::Module(found) => self.follow(found, rest, chain - 1),
                    defined @ Place::Defined(_) => Some(defined),
                }
            }
        }
    }

    fn place_above(&self, at: &Name, rest: &[String], chain: usize) -> Option<Place> {
        let above = at.split_last()?.1.to_vec();
        match rest.split_first() {
            Some((first, rest)) if first == "super" => self.place_above(&above, rest, chain),
            _ => self.follow(above, rest, chain),
        }
    }

    /// Resolves a path within a module.
    fn follow(&self, at: Name, path: &[String], chain: usize) -> Option<Place> {
        let Some(first) = path.first() else {
            return Some(Place::Module(at));
        };
        let module = self.0.get(&at)?;
        let known = |name: &Name| self.0.get(name).is_some_and(|module| module.names.contains(first));
        if known(&at) {
            return Some(Place::Defined(at));
        }
        if let Some(place) = self.place(&at, path, chain) {
            return Some(place);
        }
        let globs = module.imports.iter().filter(|import| import.name.is_none());
        for glob in globs {
            match self.place(&at, &glob.path, chain.checked_sub(1)?) {
                Some(Place::Module(found)) if known(&found) => return Some(Place::Defined(found)),
                _ => {}
            }
        }
        // For example an item that a macro generates.
        Some(Place::Defined(at))
    }

    /// The dependencies between files.
    fn uses(&self) -> BTreeSet<(PathBuf, PathBuf)> {
        let mut all = BTreeSet::new();
        for (at, module) in &self.0 {
            let imported = module
                .imports
                .iter()
                .filter(|import| !import.shown || import.name.as_ref().is_some_and(|name| module.words.contains(name)));
            for path in imported.map(|import| &import.path).chain(&module.paths) {
                if let Some(Place::Defined(found)) = self.place(at, path, MAX_CHAIN) {
                    all.insert((module.file.clone(), self.0[&found].file.clone()));
                }
            }
        }
        all.retain(|(from, to)| from != to);
        all
    }
}

/// The file of a module that another file declares.
fn file_of(parent: &Path, name: &str) -> PathBuf {
    let stem = parent.file_stem().unwrap();
    let folder = if ["lib", "main", "mod"].iter().any(|root| stem == *root) {
        parent.parent().unwrap().to_owned()
    } else {
        parent.with_extension("")
    };
    let file = folder.join(format!("{name}.rs"));
    if file.exists() {
        file
    } else {
        folder.join(name).join("mod.rs")
    }
}

/// Groups of two or more that use each other, sorted by name.
fn circles(uses: &BTreeSet<(PathBuf, PathBuf)>) -> Vec<Vec<&Path>> {
    let mut graph = DiGraph::<&Path, ()>::new();
    let mut nodes = BTreeMap::new();
    for (from, to) in uses {
        let [from, to] = [from, to].map(|path| *nodes.entry(path).or_insert_with(|| graph.add_node(path)));
        graph.add_edge(from, to, ());
    }
    let mut circles: Vec<Vec<&Path>> = Vec::new();
    for group in tarjan_scc(&graph).into_iter().filter(|group| group.len() > 1) {
        let mut circle: Vec<&Path> = group.into_iter().map(|node| graph[node]).collect();
        circle.sort_unstable();
        circles.push(circle);
    }
    circles
}

/// The same between files and folders on the same level. A folder is represented by its root module.
fn between_folders(uses: &BTreeSet<(PathBuf, PathBuf)>) -> BTreeSet<(PathBuf, PathBuf)> {
    let place = |file: &Path| {
        if ["lib.rs", "main.rs", "mod.rs"].iter().any(|root| file.ends_with(root)) {
            file.parent().unwrap().to_owned()
        } else if file.with_extension("").is_dir() {
            file.with_extension("")
        } else {
            file.to_owned()
        }
    };
    let mut all = BTreeSet::new();
    for (from, to) in uses {
        let (from, to) = (place(from), place(to));
        let common = from
            .components()
            .zip(to.components())
            .take_while(|(a, b)| a == b)
            .count();
        let up_to = |path: &Path| path.components().take(common + 1).collect::<PathBuf>();
        // A folder and its content are not on the same level.
        if from.components().count() > common && to.components().count() > common {
            all.insert((up_to(&from), up_to(&to)));
        }
    }
    all
}

/// Describes the circles of a crate, one line each.
fn told(name: &str, root: &Path, uses: &BTreeSet<(PathBuf, PathBuf)>) -> BTreeSet<String> {
    let line = |circle: &[&Path]| {
        let parts = circle
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().display().to_string());
        format!("{name}: {}", parts.collect::<Vec<_>>().join(" "))
    };
    let folders = between_folders(uses);
    let folders = circles(&folders)
        .into_iter()
        .filter(|circle| circle.iter().any(|path| path.is_dir()))
        .map(|circle| line(&circle))
        .collect::<Vec<_>>();
    circles(uses).iter().map(|circle| line(circle)).chain(folders).collect()
}

#[test]
fn no_circle_stands_between_the_files_or_the_folders_of_a_crate() {
    let mut found = BTreeSet::new();
    let (mut files, mut arrows) = (0, 0);
    for package in super::packages() {
        let name = super::room(&package.name);
        let source = super::root().join("rust").join(name).join("src");
        for root in ["lib.rs", "main.rs"].map(|root| source.join(root)) {
            if root.exists() {
                let modules = Crate::read(&root);
                let uses = modules.uses();
                files += modules
                    .0
                    .values()
                    .map(|module| &module.file)
                    .collect::<BTreeSet<_>>()
                    .len();
                arrows += uses.len();
                found.extend(told(name, &source, &uses));
            }
        }
    }
    assert!(
        files > 200 && arrows > 500,
        "only {files} files and {arrows} arrows were examined"
    );
    let circles: Vec<&str> = found.iter().map(String::as_str).collect();
    assert!(
        circles.is_empty(),
        "circles; move down what both sides need:\n    {}",
        circles.join("\n    ")
    );
}

#[test]
fn a_circle_is_seen_through_re_exports_macros_and_paths() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod folder; pub use folder::Deep;"),
        ("a.rs", "use crate::b; fn a() { println!(\"{}\", b::b()); }"),
        ("b.rs", "fn b() -> crate::Deep { todo!() }"),
        ("folder/mod.rs", "mod deep; pub use deep::Deep;"),
        (
            "folder/deep.rs",
            "pub struct Deep; fn deep() { crate::a::a(); } #[cfg(test)] mod tests { use crate::c::c; }",
        ),
        ("c.rs", "use crate::folder; fn c(_: folder::Deep) {}"),
    ];
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let uses = Crate::read(&folder.path().join("lib.rs")).uses();
    assert_eq!(uses.len(), 4, "{uses:?}");
    let expected = ["x: a.rs b.rs folder/deep.rs", "x: a.rs b.rs folder"].map(str::to_owned);
    assert_eq!(told("x", folder.path(), &uses), expected.into());
}
