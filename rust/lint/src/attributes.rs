//! Named attributes that nothing stores: reading one gives 0, and Blender does not report it.

use std::collections::{BTreeSet, HashSet};

use geonode_graph::catalogue::Catalogue;
use geonode_graph::documents::Document;
use geonode_graph::ir::{Node, Tree};
use geonode_protocol::Code;
use serde_json::Value;

use crate::finding::{Lint, Question};
use crate::structure::used;
use crate::wording::node_name;

const NAMED_ATTRIBUTE: &str = "GeometryNodeInputNamedAttribute";

/// Attributes that Blender knows by name although they are stored only where they differ from their default.
const BUILT_IN: &[&str] = &[
    "position",
    "id",
    "radius",
    "tilt",
    "resolution",
    "cyclic",
    "curve_type",
    "nurbs_order",
    "nurbs_weight",
    "knots_mode",
    "normal_mode",
    "custom_normal",
    "handle_left",
    "handle_right",
    "handle_type_left",
    "handle_type_right",
    "material_index",
    "sharp_face",
    "sharp_edge",
    "shade_smooth",
    "crease",
    "crease_edge",
    "crease_vert",
    "bevel_weight_edge",
    "bevel_weight_vert",
    "instance_transform",
    "velocity",
    "rest_position",
    "surface_uv_coordinate",
    "opacity",
    "vertex_color",
    "fill_color",
    "fill_opacity",
    "softness",
    "hardness",
];

pub(crate) fn check(document: &Document, catalogue: &Catalogue, question: &Question<'_>) -> Vec<Lint> {
    let Some(known) = question.attributes else {
        return Vec::new();
    };
    // Files and computed names add attributes that cannot be listed.
    let trees = || document.trees.values();
    if trees().any(|tree| tree.nodes.iter().any(|node| opens(tree, node))) {
        return Vec::new();
    }
    let made: BTreeSet<&str> = trees()
        .flat_map(|tree| &tree.nodes)
        .filter(|node| node.kind != NAMED_ATTRIBUTE)
        .flat_map(texts)
        .chain(document.objects.values().flat_map(|object| {
            let inputs = object.modifiers.iter().flat_map(|modifier| modifier.inputs.values());
            inputs.filter_map(Value::as_str)
        }))
        .collect();
    let mut found = Vec::new();
    for name in question.trees {
        let Some(tree) = document.trees.get(*name) else {
            continue;
        };
        let used = used(tree, catalogue);
        let exists: HashSet<&str> = tree
            .links
            .iter()
            .filter(|link| link.from.1 == "Exists")
            .map(|link| link.from.0.as_str())
            .collect();
        let reads = tree.nodes.iter().filter(|node| {
            node.kind == NAMED_ATTRIBUTE && used.contains(node.id.as_str()) && !exists.contains(node.id.as_str())
        });
        for node in reads {
            let Some(attribute) = constant_name(tree, node) else {
                continue;
            };
            if known.contains(attribute) || made.contains(attribute) || BUILT_IN.contains(&attribute) {
                continue;
            }
            found.push(unknown(name, node, attribute, known, catalogue));
        }
    }
    found
}

fn unknown(tree: &str, node: &Node, attribute: &str, known: &BTreeSet<String>, catalogue: &Catalogue) -> Lint {
    let name = node_name(node, catalogue);
    let visible: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|name| !name.starts_with('.'))
        .collect();
    let near = geonode_graph::nearest(attribute, visible.iter().copied());
    let cause = if attribute.is_empty() {
        format!("{name} reads an attribute without a name.")
    } else {
        format!("{name} reads the attribute “{attribute}”, which nothing stores: it is 0 everywhere.")
    };
    let fix = match near {
        Some(near) => {
            format!(
                "Did you mean “{near}”? Otherwise store “{attribute}” before it with Store Named Attribute. It is right if it comes later."
            )
        }
        None => "Store it before with Store Named Attribute, or use the name of an attribute that the object has. It is right if it comes later."
            .to_owned(),
    };
    Lint {
        tree: tree.to_owned(),
        node: node.id.clone(),
        socket: Some("Name".to_owned()),
        code: Code::MissingAttribute,
        effectless: true,
        cause,
        fix,
    }
}

/// Whether the node adds attributes whose names are not in the tree.
fn opens(tree: &Tree, node: &Node) -> bool {
    let import = node.kind.starts_with("GeometryNodeImport");
    let stores = node.kind != NAMED_ATTRIBUTE && node.kind.contains("Attribute");
    import
        || stores
            && tree
                .links
                .iter()
                .any(|link| link.to.0 == node.id && link.to.1 == "Name")
}

/// The name that a node reads, unless a link decides it.
fn constant_name<'t>(tree: &Tree, node: &'t Node) -> Option<&'t str> {
    if tree
        .links
        .iter()
        .any(|link| link.to.0 == node.id && link.to.1 == "Name")
    {
        return None;
    }
    let value = node.inputs.get("Name").and_then(|state| state.get("value"));
    Some(value.and_then(Value::as_str).unwrap_or_default())
}

/// Every text in a node: any of them may be the name of an attribute that it stores.
fn texts(node: &Node) -> impl Iterator<Item = &str> {
    let inputs = node.inputs.values().filter_map(|state| state.get("value"));
    let items = node.items.values().flatten().flat_map(|item| item.values());
    inputs.chain(node.props.values()).chain(items).filter_map(Value::as_str)
}
