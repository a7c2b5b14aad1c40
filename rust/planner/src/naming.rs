//! Names of modifier and node group, so that a second run edits its own tree and nobody else's.

use geonode_graph::documents::context::{Context, SceneObject};

/// Names for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    /// The modifier on the target.
    pub(crate) modifier: String,
    /// The node group.
    pub(crate) group: String,
    /// Whether both exist already and belong together.
    pub(crate) reused: bool,
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

/// Modifier and group for a preset on this object: those of an earlier run where only this object uses them, else free names.
pub(crate) fn names(title: &str, object: &SceneObject, context: &Context) -> Names {
    let users = |group: &str| {
        context
            .node_groups
            .iter()
            .find(|g| g.name == group)
            .map_or(1, |g| g.users)
    };
    if let Some(modifier) = object.modifiers.iter().find(|m| m.name == title && m.kind == "NODES")
        && let Some(group) = &modifier.node_group
        && users(group) <= 1
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
