//! What a prompt says of a tree that stands: who names its parts wants it changed, and something new beside it would not be that.
//!
//! The built-in planner changes what its presets made (`last`). Of any other tree on the object it knows the names of the modifiers, the groups,
//! the inputs and the nodes that somebody named; a prompt that speaks of one of them is refused.

use std::collections::HashSet;

use geonode_graph::documents::Context;
use geonode_graph::documents::context::SceneObject;
use geonode_graph::ir::{ItemKind, Node, Side};
use geonode_protocol::Code;

use crate::language::Language;
use crate::refusal::Refusal;
use crate::tokens::{self, Kind, Token};

/// The most words between “the” and what it points to: “the rusty old posts”.
const BETWEEN: usize = 3;
/// Words of names that say nothing about which tree is meant.
const COMMON: [&str; 12] = [
    "geometry",
    "nodes",
    "node",
    "mesh",
    "curve",
    "curves",
    "points",
    "instances",
    "surface",
    "object",
    "value",
    "group",
];

/// A name in the tree.
struct Named {
    name: String,
    /// What it is the name of, in words.
    what: &'static str,
}

/// The refusal of a prompt that speaks of a tree on the object, unless a preset made that.
pub(crate) fn refusal(prompt: &str, context: &Context, forced: Option<&str>, language: &Language) -> Option<Refusal> {
    let object = match forced {
        Some(name) => context.object(name),
        None => context.focus(),
    }?;
    let names = names(object, context);
    let words: Vec<Token> = tokens::split(prompt);
    let meant = names
        .iter()
        .find(|one| says(prompt, &one.name))
        .or_else(|| pointed_at(&words, &names, context, language))?;
    let modifier = object.modifiers.iter().rev().find(|one| one.node_group.is_some())?;
    Some(Refusal::new(
        Code::PartlyUnderstood,
        format!(
            "“{}” is {} of the modifier “{}”, whose nodes the built-in planner did not make: it makes new things and changes its own. Nothing was \
             changed. Set the inputs of the modifier, or choose a language model as the planner, which can edit any tree.",
            meant.name, meant.what, modifier.name
        ),
    ))
}

/// The names of what is on the object.
fn names(object: &SceneObject, context: &Context) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    let mut add = |name: &str, what| {
        let name = name.trim();
        if name.chars().count() > 2 && !found.iter().any(|one| one.name == name) {
            found.push(Named {
                name: name.to_owned(),
                what,
            });
        }
    };
    let mut wanted = HashSet::new();
    for modifier in object.modifiers.iter().filter(|one| one.node_group.is_some()) {
        add(&modifier.name, "the name");
        modifier
            .values
            .iter()
            .flat_map(|values| values.keys())
            .for_each(|name| add(name, "an input"));
        if let Some(group) = &modifier.node_group {
            add(group, "the node group");
            wanted.insert(group.as_str());
        }
    }
    let Some(bundle) = context
        .tree
        .as_ref()
        .filter(|bundle| bundle.trees.keys().any(|name| wanted.contains(name.as_str())))
    else {
        return found;
    };
    for (group, tree) in &bundle.trees {
        add(group, "a node group");
        for item in tree
            .interface
            .iter()
            .filter(|item| item.kind == ItemKind::Socket && item.in_out == Some(Side::Input))
        {
            add(&item.name, "an input");
        }
        for node in &tree.nodes {
            match &node.label {
                Some(label) => add(label, "a node"),
                None if is_named(node) => add(&node.name, "a node"),
                None => {}
            }
        }
    }
    found
}

/// Whether somebody named the node: otherwise its name is that of its type.
fn is_named(node: &Node) -> bool {
    let kind = node.kind.to_lowercase();
    let name = node.name.split('.').next().unwrap_or_default().to_lowercase();
    let mut words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.any(|word| !kind.contains(word))
}

/// Whether a prompt writes a name as it is written there, with its capital: “that is what Spacing is for”. The first word of a sentence has one
/// in any case.
fn says(prompt: &str, name: &str) -> bool {
    let several = name.split_whitespace().nth(1).is_some();
    if !name.starts_with(char::is_uppercase) || is_common(name) {
        return false;
    }
    prompt.match_indices(name).any(|(at, _)| {
        let (before, after) = (
            prompt.get(..at).unwrap_or_default(),
            prompt.get(at + name.len()..).unwrap_or_default(),
        );
        let whole = !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric);
        let opens = before.trim_end().is_empty() || before.trim_end().ends_with(['.', '!', '?', ':', '\n']);
        whole && (several || !opens)
    })
}

fn is_common(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .all(|word| COMMON.contains(&word))
}

/// What a prompt points at: “the posts of the fence”.
fn pointed_at<'n>(words: &[Token], names: &'n [Named], context: &Context, language: &Language) -> Option<&'n Named> {
    let objects: HashSet<String> = context.objects.iter().flat_map(|one| stems(&one.name)).collect();
    let pointing =
        |token: &Token| language.definite.contains(&token.text) || token.text == "each" || token.text == "every";
    for (at, _) in words
        .iter()
        .enumerate()
        .filter(|(_, token)| token.kind == Kind::Word && pointing(token))
    {
        let next = words.iter().skip(at + 1).take(BETWEEN);
        let said = next.take_while(|token| token.kind == Kind::Word && !language.prepositions.contains(&token.text));
        for token in said {
            let known = objects.contains(&token.stem)
                || language.stop.contains(&token.text)
                || language.places.contains(&token.text);
            if known || COMMON.contains(&token.text.as_str()) || language.generic.contains_key(&token.stem) {
                continue;
            }
            if let Some(named) = names
                .iter()
                .find(|one| one.what != "an input" && stems(&one.name).contains(&token.stem))
            {
                return Some(named);
            }
        }
    }
    None
}

/// The stems of the words of a name, without those that say nothing.
fn stems(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2 && !COMMON.contains(word))
        .map(tokens::stem)
        .collect()
}
