//! The grammar of pages that can be said here, for servers that hold a reply to one: either a ready page whose values are open, the values of
//! a group that is there, or one new group as a term of nested calls. There is no text for the artist: what such a model says that it did
//! is seldom what it did.
//!
//! A page may say far more; a model that needs a grammar to say anything at all is kept to what certainly has sockets, types and names. What
//! this lets through compiles (`tests/it/grammar.rs`).

mod calls;
mod part;
mod ready;
mod scope;
mod values;

use indexmap::IndexMap;

use crate::names::{Names, title};

pub use self::part::{Grammar, Part};
pub use self::scope::Scope;

/// The grammar of the pages in this scope, in a fence.
pub fn grammar(scope: &Scope<'_>, names: &Names<'_>) -> Grammar {
    let mut rules = IndexMap::new();
    rules.insert(
        "root".to_owned(),
        Part::All(vec![Part::text("```python\n"), Part::rule("page"), Part::text("\n```")]),
    );
    let mut pages: Vec<Part> = scope
        .ready
        .iter()
        .filter_map(|page| ready::page(page, scope, names))
        .collect();
    if let Some((name, inputs)) = &scope.there {
        pages.extend(ready::inputs_of(name, inputs, scope));
    }
    pages.push(own(scope));
    rules.insert("page".to_owned(), Part::Any(pages));
    calls::rules(scope, names, &mut rules);
    Grammar { rules }
}

/// A new group: one term.
fn own(scope: &Scope<'_>) -> Part {
    let head = format!("def {}(geometry: Geometry) -> Geometry:\n    return ", scope.group);
    Part::All(vec![
        Part::text(head),
        Part::rule(calls::TOP),
        Part::text("\n\n"),
        scope.apply(&title(scope.group)),
        Part::text(")"),
    ])
}
