//! Names of modifier and node group: what is new gets free ones, and only what a run made is used again.

use geonode_graph::documents::Modifier;
use geonode_graph::documents::context::{Context, SceneObject};

/// Names for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The modifier on the target.
    pub(crate) modifier: String,
    /// The node group.
    pub(crate) group: String,
    /// Whether both are what an earlier run made.
    pub(crate) reused: bool,
}

/// Which earlier result the words are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum About<'w> {
    /// They ask for something new, unless the same words were carried out already: these, as a digest.
    New(&'w str),
    /// They change the last result.
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

/// Modifier and group for a preset on this object: those of the earlier run that the words are about, where only this object uses them,
/// else free names. What no run made is never taken, whatever it is called.
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
