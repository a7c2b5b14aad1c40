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
}

/// The earlier result that the prompt refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About<'w> {
    /// It asks for something new, unless the same prompt was carried out already; with the prompt's digest.
    New(&'w str),
    /// It changes the last result.
    Last,
}

fn free(title: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(title) {
        return title.to_owned();
    }
    (1..10_000)
        .map(|n| format!("{title}.{n:03}"))
        .find(|name| !taken(name))
        .unwrap_or_else(|| title.to_owned())
}

/// Whether a name is the title, or the title with a number.
fn is_numbered(name: &str, title: &str) -> bool {
    let number = name
        .strip_prefix(title)
        .map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    number.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Modifier and group for a preset on this object: those of the earlier run that the prompt refers to, if only this object uses them,
/// else free names. Modifiers and groups that no run created are never used, whatever their names.
pub(crate) fn names(title: &str, object: &SceneObject, context: &Context, about: About<'_>) -> Names {
    let alone = |group: &str| {
        let users = context.node_groups.iter().find(|g| g.name == group);
        users.is_none_or(|group| group.users <= 1)
    };
    let meant = |modifier: &&Modifier| {
        let made = modifier.made.as_ref();
        made.is_some_and(|made| match about {
            About::New(words) => !words.is_empty() && made.by == words,
            About::Last => true,
        })
    };
    let earlier = object
        .modifiers
        .iter()
        .rev()
        .filter(|modifier| modifier.kind == "NODES" && is_numbered(&modifier.name, title))
        .find(meant);
    if let Some(modifier) = earlier
        && let Some(group) = modifier.node_group.as_ref().filter(|group| alone(group))
    {
        return Names {
            modifier: modifier.name.clone(),
            group: group.clone(),
            reused: true,
        };
    }
    Names {
        modifier: free(title, |name| object.modifiers.iter().any(|m| m.name == name)),
        group: free(title, |name| context.node_groups.iter().any(|g| g.name == name)),
        reused: false,
    }
}
