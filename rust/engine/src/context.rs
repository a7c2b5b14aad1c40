//! Slices of context that a model asked for, cut from what the run holds.

use geonode_graph::{Catalogue, Document};
use geonode_protocol::{ContextRequest, ContextSlice};
use serde_json::{Value, json};

/// Most node types in one answer about documentation.
const MAX_DOCS: usize = 8;

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
            ContextSlice::NodeTreeIr => tree.and_then(|name| document.trees.get(name)).map(|tree| json!(tree)),
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
