//! What must be known of the file before a page is read, and the calls on it that may mean groups.

use std::collections::BTreeSet;

use geonode_graph::numbered_names;
use rustpython_parser::lexer::lex;
use rustpython_parser::{Mode, Tok};

use super::fault::Faults;
use super::page::Page;
use super::syntax::parse;

/// What must be known of the file before a page can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Objects that the page names.
    pub objects: BTreeSet<String>,
    /// Groups that it names.
    pub trees: BTreeSet<String>,
    /// Materials that it names, which it may make.
    pub materials: BTreeSet<String>,
    /// Whether it changes a group without saying where that runs.
    pub target: bool,
}

/// The names on a page, without reading its groups.
pub fn needs(text: &str) -> Needs {
    let mut faults = Faults::default();
    let statements = parse(text, |_| false, &mut faults);
    let page = Page::of(&statements, &mut faults);
    let mut needs = Needs::default();
    for apply in &page.applies {
        needs.objects.extend(apply.object.clone());
        // Where the name is taken, the one that the page made has another.
        let made = apply.object.iter().filter(|_| apply.makes.is_some());
        needs.objects.extend(made.flat_map(|name| numbered_names(name)));
        needs.trees.extend(apply.group.clone());
    }
    needs.trees.extend(page.groups.iter().map(|group| group.name.clone()));
    needs
        .trees
        .extend(calls(text).into_iter().filter_map(|call| call.group));
    needs.materials = materials(text);
    needs.target = page.applies.iter().all(|apply| apply.object.is_none());
    needs
}

/// A call that may mean a group, or makes one.
pub(super) struct Called {
    pub(super) at: usize,
    pub(super) function: String,
    pub(super) group: Option<String>,
}

/// The calls on a page with their offsets; of `group("Name")` the name.
pub(super) fn calls(text: &str) -> Vec<Called> {
    let tokens: Vec<_> = lex(text, Mode::Module).map_while(Result::ok).collect();
    let mut found = Vec::new();
    for (number, (token, range)) in tokens.iter().enumerate() {
        let Tok::Name { name } = token else { continue };
        let after = |further: usize| tokens.get(number + further).map(|(token, _)| token);
        if after(1) != Some(&Tok::Lpar)
            || number > 0 && matches!(tokens.get(number - 1), Some((Tok::Dot | Tok::Def, _)))
        {
            continue;
        }
        let group = match after(2) {
            Some(Tok::String { value, .. }) if matches!(name.as_str(), "gather" | "group") => Some(value.clone()),
            _ => None,
        };
        found.push(Called {
            at: usize::from(range.start()),
            function: name.clone(),
            group,
        });
    }
    found
}

/// The names in `data.material("Name")` on a page.
fn materials(text: &str) -> BTreeSet<String> {
    let tokens: Vec<_> = lex(text, Mode::Module).map_while(Result::ok).collect();
    let named = tokens.windows(4).filter_map(|part| match part {
        [
            (Tok::Dot, _),
            (Tok::Name { name }, _),
            (Tok::Lpar, _),
            (Tok::String { value, .. }, _),
        ] if name == "material" => Some(value.clone()),
        _ => None,
    });
    named.collect()
}
