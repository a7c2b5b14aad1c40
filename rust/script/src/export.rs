//! The policy as data, for the second check on compiled code and for the guards at run time: one list, three layers.

use std::collections::BTreeMap;

use geonode_protocol::SCRIPT_ITEMS;
use serde::Serialize;

use crate::policy::{self, INTEGER_BITS, Table, WIDTH_DIGITS};

/// What safe mode allows in one version of Blender.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Allowed {
    /// Built-in names of Python that may be used as values.
    pub builtins: Vec<&'static str>,
    /// Built-in names of Python that may only be called.
    pub called_only: Vec<&'static str>,
    /// Attributes that are harmless on every object.
    pub attributes: Vec<&'static str>,
    /// Double-underscore attributes that may be read.
    pub dunder_read: Vec<&'static str>,
    /// Attributes with an underscore that may be read.
    pub underscored: Vec<&'static str>,
    /// Double-underscore methods that a class may define.
    pub methods: Vec<&'static str>,
    /// Modules with the members that a script may use.
    pub modules: BTreeMap<&'static str, Vec<&'static str>>,
    /// Attributes that may be read from objects of types that are not Blender's data.
    pub types: BTreeMap<&'static str, Vec<&'static str>>,
    /// Attributes that may be set on them.
    pub stores: BTreeMap<&'static str, Vec<&'static str>>,
    /// Operators as `mesh.subdivide`.
    pub operators: Vec<&'static str>,
    /// Those of them that remove data.
    pub removing_operators: Vec<&'static str>,
    /// Types of nodes that are refused; `*` matches any characters.
    pub node_types: Vec<&'static str>,
    /// Patterns of Blender's types whose objects a script may do nothing with, wherever it has them from.
    pub types_refused: Vec<&'static str>,
    /// Patterns that are exceptions from these.
    pub types_allowed: Vec<&'static str>,
    /// Largest values of properties and arguments of these names.
    pub bounds: BTreeMap<&'static str, f64>,
    /// Most items that a script may create at once: in a range, an array, a mesh.
    pub items: f64,
    /// Bits of a whole number.
    pub integer_bits: u32,
    /// Digits of a width or a precision in a format.
    pub width_digits: usize,
}

/// Causes for which types are refused as bases and by name: their objects describe properties and operators.
const DESCRIBING: [&str; 2] = ["registers code", "operators are called through bpy.ops"];

/// What safe mode allows in a version such as `5.2`; nothing if the policy cannot be read.
#[must_use]
pub fn allowed(blender: &str) -> Allowed {
    let Some(policy) = policy::policy() else {
        return Allowed::default();
    };
    let bit = policy::bit(blender);
    let reviewed = &policy.reviewed;
    let mut modules: BTreeMap<_, _> = reviewed
        .modules
        .iter()
        .map(|(module, members)| (*module, sorted(members.iter().copied())))
        .collect();
    modules.insert("bpy.ops", Vec::new());
    modules.insert("bpy.types", listed(&policy.types, bit));
    modules.insert("bmesh.ops", listed(&policy.bmesh_ops, bit));
    let operators = listed(&policy.operators, bit);
    Allowed {
        builtins: sorted(reviewed.builtins.iter().copied()),
        called_only: sorted(reviewed.called_only.iter().copied()),
        attributes: listed(&policy.attributes, bit),
        dunder_read: sorted(reviewed.dunder_read.iter().copied()),
        underscored: sorted(reviewed.underscored.iter().copied()),
        methods: sorted(reviewed.methods.iter().copied()),
        modules,
        types: policy.members.types.clone(),
        stores: policy.members.stores.clone(),
        removing_operators: operators
            .iter()
            .copied()
            .filter(|name| reviewed.removals.is_operator(name.rsplit('.').next().unwrap_or(name)))
            .collect(),
        operators,
        node_types: sorted(reviewed.node_types.keys().copied()),
        types_refused: sorted(
            reviewed
                .types_refused
                .iter()
                .filter(|(_, cause)| !DESCRIBING.contains(cause))
                .map(|(name, _)| *name),
        ),
        types_allowed: sorted(reviewed.types_allowed.iter().copied()),
        bounds: reviewed.bounds.iter().map(|(name, bound)| (*name, *bound)).collect(),
        items: SCRIPT_ITEMS,
        integer_bits: INTEGER_BITS,
        width_digits: WIDTH_DIGITS,
    }
}

fn listed(table: &Table, bit: u8) -> Vec<&'static str> {
    sorted(table.names(bit))
}

fn sorted(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn each_version_has_its_own_list() {
        let (old, new) = (allowed("4.2"), allowed("5.2"));
        assert!(old.attributes.len() > 4000 && new.operators.len() > 700);
        assert!(old.attributes != new.attributes && old.builtins == new.builtins);
        assert!(
            new.attributes.binary_search(&"location").is_ok() && new.attributes.binary_search(&"filepath").is_err()
        );
        assert!(new.operators.iter().all(|name| !name.starts_with("wm.")));
        assert_eq!(new.bounds.get("levels"), Some(&7.0));
        assert!(new.types_refused.contains(&"Text") && !new.types_refused.contains(&"*Property"));
    }
}
