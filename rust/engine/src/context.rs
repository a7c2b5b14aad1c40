//! Slices of context that a model asked for, cut from what the run holds.

use geonode_graph::ir::{Bundle, IR_VERSION, Node, Tree};
use geonode_graph::{Catalogue, Document, Focus, brief};
use geonode_protocol::{ContextRequest, ContextSlice};
use indexmap::IndexMap;
use serde_json::{Value, json};

/// Most node types in one answer about documentation.
const MAX_DOCS: usize = 8;

/// Most bytes of one tree.
const MAX_TREE: usize = 40_000;

/// One answer per request, in order; what is not there says so.
pub(crate) fn slices(
    requests: &[ContextRequest],
    context: &Value,
    document: &Document,
    catalogue: &Catalogue,
) -> Value {
    let answers = requests.iter().map(|request| {
        let object = request.object_name.as_deref().or_else(|| context.get("target_object")?.as_str());
        let tree = request.node_group_name.as_deref().or_else(|| context.get("target_node_group")?.as_str());
        let data = match request.slice {
            ContextSlice::SceneSummary => context.get("objects").cloned(),
            ContextSlice::ModifierStack => object
                .and_then(|name| document.objects.get(name))
                .map(|object| json!(object.modifiers))
                .or_else(|| of_object(context, object?)?.get("modifiers").cloned()),
            ContextSlice::GeometryStats => object.and_then(|name| of_object(context, name)).map(|object| {
                json!({"counts": object.get("counts"), "bounds": object.get("bounds"), "dimensions": object.get("dimensions")})
            }),
            ContextSlice::NodeTreeIr => tree.and_then(|name| tree_text(name, context, document, catalogue)),
            ContextSlice::NodeTreeSummary => tree.and_then(|name| document.trees.get(name)).map(|tree| {
                let nodes: Vec<Value> =
                    tree.nodes.iter().map(|n| json!({"id": n.id, "type": n.kind, "label": n.label})).collect();
                json!({"interface": tree.interface, "nodes": nodes, "links": tree.links})
            }),
            ContextSlice::NodeDocs => Some(node_docs(request.query.as_deref().unwrap_or_default(), catalogue)),
        };
        json!({
            "slice": request.slice,
            "object_name": object,
            "node_group_name": tree,
            "data": data.unwrap_or_else(|| json!("There is nothing of this name.")),
        })
    });
    Value::Array(answers.collect())
}

/// A tree with its nested groups in the compact form.
fn tree_text(name: &str, context: &Value, document: &Document, catalogue: &Catalogue) -> Option<Value> {
    document.trees.get(name)?;
    let ids = |key: &str| -> Vec<String> {
        let list = context.pointer(&format!("/tree_focus/{key}")).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let target = context.get("target_node_group").and_then(Value::as_str) == Some(name);
    let (selected, touched) = if target {
        (ids("selected"), ids("touched"))
    } else {
        Default::default()
    };
    let mut nested: IndexMap<String, Tree> = IndexMap::new();
    let mut open = vec![name];
    while let Some(name) = open.pop() {
        if let Some((name, tree)) = document
            .trees
            .get_key_value(name)
            .filter(|(name, _)| !nested.contains_key(*name))
        {
            nested.insert(name.clone(), tree.clone());
            open.extend(tree.nodes.iter().filter_map(Node::group));
        }
    }
    let bundle = Bundle {
        ir: IR_VERSION,
        blender: [0; 3],
        root: Some(name.to_owned()),
        trees: nested,
    };
    let focus = Focus {
        selected: &selected,
        touched: &touched,
    };
    Some(Value::from(brief(&bundle, catalogue, focus, MAX_TREE).text))
}

fn of_object<'a>(context: &'a Value, name: &str) -> Option<&'a Value> {
    let objects = context.get("objects")?.as_array()?;
    objects
        .iter()
        .find(|object| object.get("name").and_then(Value::as_str) == Some(name))
}

/// Node types whose name or label holds most of the words, with their sockets and properties.
fn node_docs(query: &str, catalogue: &Catalogue) -> Value {
    let words: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let mut found: Vec<(usize, &String)> = catalogue
        .nodes
        .iter()
        .map(|(name, node)| {
            let text = format!("{name} {}", node.label).to_lowercase();
            (words.iter().filter(|word| text.contains(*word)).count(), name)
        })
        .filter(|(score, _)| *score > 0)
        .collect();
    found.sort_by_key(|(score, name)| (std::cmp::Reverse(*score), name.len()));
    let docs = found.into_iter().take(MAX_DOCS).filter_map(|(_, name)| {
        let node = catalogue.nodes.get(name)?;
        let state = node.states.first()?;
        Some(json!({
            "bl_idname": name,
            "label": node.label,
            "properties": node.properties,
            "inputs": state.inputs,
            "outputs": state.outputs,
        }))
    });
    Value::Array(docs.collect())
}
