//! Slices of context that a model requested, taken from the data of the run.

use std::hash::{DefaultHasher, Hash, Hasher};

use geonode_graph::ir::{Bundle, IR_VERSION, Node, Tree};
use geonode_graph::{Catalogue, Document, Focus};
use geonode_protocol::{ContextRequest, ContextSlice, bytes_of};
use geonode_text::{Names, write_brief};
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::cut::beginning;
use crate::docs;
use crate::scene::view;
use crate::search::Index;

/// Most bytes of one tree.
const MAX_TREE: usize = 40_000;

/// Bytes of the field `hash`.
const HASH: usize = 30;

/// How often a context that is too long is built again with less room.
const MAX_TRIES: usize = 8;

/// The part of a context that a model would see within a budget of tokens, with slices: the context's keys, `tree` as a page, `slices` in the
/// order of the requests, and the `hash` of all of these.
pub fn shown_context(
    context: &Value,
    document: &Document,
    catalogue: &Catalogue,
    budget_tokens: u64,
    requests: &[ContextRequest],
) -> Value {
    let budget = bytes_of(budget_tokens);
    // The slices share one half equally; the context gets the rest.
    let share = budget / 2 / requests.len().max(1);
    let answers = slices_within(requests, context, document, catalogue, share.min(MAX_TREE));
    let mut room = budget;
    let mut out = within_room(context, catalogue, requests, &answers, room);
    for _ in 0..MAX_TRIES {
        let excess = (out.to_string().len() + HASH).saturating_sub(budget);
        if excess == 0 {
            break;
        }
        // As a JSON string the tree is longer, by an amount that is only known now.
        room = room.saturating_sub(excess);
        out = within_room(context, catalogue, requests, &answers, room);
    }
    if out.to_string().len() + HASH > budget
        && let Some(map) = out.as_object_mut()
        && map.remove("tree").is_some()
    {
        map.insert("tree_left_out".into(), true.into());
    }
    let mut hasher = DefaultHasher::new();
    out.to_string().hash(&mut hasher);
    if let Some(map) = out.as_object_mut() {
        map.insert("hash".into(), format!("{:016x}", hasher.finish()).into());
    }
    out
}

/// Context, tree and answers in about `room` bytes.
fn within_room(
    context: &Value,
    catalogue: &Catalogue,
    requests: &[ContextRequest],
    answers: &Value,
    room: usize,
) -> Value {
    let used = if requests.is_empty() {
        0
    } else {
        answers.to_string().len()
    };
    let view = view(context.clone(), catalogue, room.saturating_sub(used));
    let mut out = view.context;
    if let Some(map) = out.as_object_mut() {
        if let Some(tree) = view.tree {
            map.insert("tree".into(), tree.into());
        }
        if !requests.is_empty() {
            map.insert("slices".into(), answers.clone());
        }
    }
    out
}

/// One answer per request, in order; an answer about something that does not exist says so.
pub fn slices(requests: &[ContextRequest], context: &Value, document: &Document, catalogue: &Catalogue) -> Value {
    slices_within(requests, context, document, catalogue, MAX_TREE)
}

/// The same, each answer in at most `limit` bytes of data.
fn slices_within(
    requests: &[ContextRequest],
    context: &Value,
    document: &Document,
    catalogue: &Catalogue,
    limit: usize,
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
            ContextSlice::NodeTreeIr => tree.and_then(|name| tree_text(name, context, document, catalogue, limit)),
            ContextSlice::NodeTreeSummary => tree.and_then(|name| document.trees.get(name)).map(|tree| {
                let nodes: Vec<Value> =
                    tree.nodes.iter().map(|n| json!({"id": n.id, "type": n.kind, "label": n.label})).collect();
                json!({"interface": tree.interface, "nodes": nodes, "links": tree.links})
            }),
            ContextSlice::NodeDocs => Some(docs::document_found(request.query.as_deref().unwrap_or_default(), &Index::new(catalogue), catalogue).into()),
        };
        json!({
            "slice": request.slice,
            "object_name": object,
            "node_group_name": tree,
            "data": within(data.unwrap_or_else(|| json!("There is nothing with this name.")), limit),
        })
    });
    Value::Array(answers.collect())
}

/// Data that is too long is shortened: a list keeps the first entries that fit, anything else becomes its text, and both say that they were cut.
fn within(data: Value, limit: usize) -> Value {
    let length = data.to_string().len();
    if length <= limit {
        return data;
    }
    let fits = |item: &Value| item.to_string().len() < limit;
    if let Value::Array(items) = &data
        && items.first().is_some_and(fits)
    {
        let all = items.len();
        let mut left = limit;
        let mut kept: Vec<Value> = items
            .iter()
            .take_while(|item| {
                let cost = item.to_string().len() + 1;
                let fits = cost <= left;
                left = left.saturating_sub(cost);
                fits
            })
            .cloned()
            .collect();
        let gone = all - kept.len();
        kept.push(json!(format!("… {gone} more were left out")));
        return Value::Array(kept);
    }
    let text = data.to_string();
    json!(format!("{}… (cut, {length} bytes in all)", beginning(&text, limit)))
}

/// The page of a tree with its nested groups.
pub fn tree_text(
    name: &str,
    context: &Value,
    document: &Document,
    catalogue: &Catalogue,
    limit: usize,
) -> Option<Value> {
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
    Some(Value::from(
        write_brief(&bundle, &Names::new(catalogue), focus, limit).text,
    ))
}

fn of_object<'a>(context: &'a Value, name: &str) -> Option<&'a Value> {
    let objects = context.get("objects")?.as_array()?;
    objects
        .iter()
        .find(|object| object.get("name").and_then(Value::as_str) == Some(name))
}
