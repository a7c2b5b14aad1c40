//! Names of modifier and node group: new ones get free names, and only those that a run created are used again.

use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::{Context, SceneObject};

/// Names for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The modifier on the target.
    pub(crate) modifier: String,
    /// The node group.
    pub(crate) group: String,
    /// Whether an earlier run created both.
    pub(crate) reused: bool,
    /// Why the last result is not the one that is changed, if the prompt asks for that.
    pub(crate) remark: Option<String>,
    /// What changes with the values of the prompt, where it changes the earlier result: “depth 0.6 m (was 1.2 m)”.
    pub(crate) also: Vec<String>,
}

/// The earlier result that the prompt refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About<'w> {
    /// It asks for something new, unless the same prompt was carried out already; with the prompt's digest.
    New(&'w str),
    /// It changes the last result.
    Last,
}

/// The title, or the title with the first number that is free.
pub(crate) fn free(title: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(title) {
        return title.to_owned();
    }
    (1..10_000)
        .map(|n| format!("{title}.{n:03}"))
        .find(|name| !taken(name))
        .unwrap_or_else(|| title.to_owned())
}

/// Whether a name is the title, or the title with a number.
pub(crate) fn is_numbered(name: &str, title: &str) -> bool {
    let number = name
        .strip_prefix(title)
        .map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    number.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The last modifier in which a run left something, or what was made from it by hand.
pub(crate) fn last_result(object: &SceneObject) -> Option<&Modifier> {
    let is_one = |modifier: &&Modifier| modifier.kind == "NODES" && (modifier.made.is_some() || modifier.lapsed);
    object.modifiers.iter().rev().find(is_one)
}

/// The object that shows what a preset of this title made for these words, by their digest.
pub(crate) fn again<'c>(title: &str, context: &'c Context, words: &str) -> Option<&'c SceneObject> {
    let is_it = |modifier: &Modifier| {
        let group = modifier.node_group.as_deref();
        let said = modifier.made.as_ref().is_some_and(|made| made.by == words);
        said && group.is_some_and(|group| is_numbered(group, title))
    };
    let mut objects = context.objects.iter().filter(|_| !words.is_empty());
    objects.find(|object| object.modifiers.iter().any(is_it))
}

/// Modifier and group for a preset on this object: those of the earlier run that the prompt refers to, if only this object uses them,
/// else free names. Modifiers and groups that no run created are never used, whatever their names.
pub(crate) fn names(title: &str, object: &SceneObject, context: &Context, about: About<'_>) -> Names {
    let alone = |group: &str| {
        let users = context.node_groups.iter().find(|g| g.name == group);
        users.is_none_or(|group| group.users <= 1)
    };
    // A mark counts only under the name that a run gave: the group's name is that of its preset.
    let of_this_preset = |modifier: &&Modifier| {
        let group = modifier.node_group.as_deref();
        modifier.kind == "NODES" && modifier.made.is_some() && group.is_some_and(|group| is_numbered(group, title))
    };
    let earlier = match about {
        About::New(words) => {
            let same = |modifier: &&Modifier| modifier.made.as_ref().is_some_and(|made| made.by == words);
            let mut earlier = object.modifiers.iter().rev().filter(of_this_preset);
            earlier.find(|modifier| !words.is_empty() && same(modifier))
        }
        About::Last => last_result(object),
    };
    let group = earlier.and_then(|modifier| modifier.node_group.as_ref());
    if let Some((modifier, group)) = earlier.filter(of_this_preset).zip(group)
        && alone(group)
    {
        return Names {
            modifier: modifier.name.clone(),
            group: group.clone(),
            reused: true,
            remark: None,
            also: Vec::new(),
        };
    }
    // Where none was made on the object, “it” is the object.
    let remark = earlier
        .zip(group)
        .filter(|_| about == About::Last)
        .map(|(modifier, group)| {
            let why = match group {
                _ if modifier.made.is_none() => "was renamed, copied or appended, so it counts as yours",
                _ if !is_numbered(group, title) => "is of another kind",
                _ => "is used in other places too",
            };
            format!("The last result, “{group}”, {why} and stays as it is; this is a new one.")
        });
    Names {
        modifier: free(title, |name| object.modifiers.iter().any(|m| m.name == name)),
        group: free(title, |name| context.node_groups.iter().any(|g| g.name == name)),
        reused: false,
        remark,
        also: Vec::new(),
    }
}
