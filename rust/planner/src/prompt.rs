//! What a language model is told: the protocol in short, two presets that come near the wish as examples, the scene as data.

use geonode_graph::ir::Bundle;
use geonode_graph::{Catalogue, Focus, brief};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::{Context, TreeFocus};
use crate::library::{Entry, Library};
use crate::offline::{self, Options};
use crate::refusal::DataError;

const SYSTEM: &str = include_str!("../prompts/system.md");
const FEEDBACK: &str = include_str!("../prompts/feedback.md");

/// Most characters of the system prompt with its examples.
pub const MAX_SYSTEM: usize = 32_000;
/// Most characters of a feedback turn.
pub const MAX_FEEDBACK: usize = 12_000;

/// Characters that a tree keeps free, because making data inert lengthens it.
const TREE_MARGIN: usize = 200;

/// How many presets are shown as examples.
const EXAMPLES: usize = 2;

/// What opens a conversation with a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The system prompt.
    pub system: String,
    /// The scene as data, for the block `<context>`.
    pub context: String,
    /// Something of the scene did not fit and is not shown.
    pub cut: bool,
    /// The wish, which stands behind the data.
    pub user: String,
}

/// The opening of a conversation; the catalogue says which sockets the nodes of the context's tree have. The system prompt is bounded by
/// [`MAX_SYSTEM`], the scene by `limit` bytes.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn request(prompt: &str, context: &Value, catalogue: &Catalogue, limit: usize) -> Result<Request, DataError> {
    let library = Library::get()?;
    let mut system = SYSTEM.to_owned();
    let ranked = library.rank(prompt.get(..prompt.len().min(2000)).unwrap_or(prompt));
    let mut order: Vec<usize> = ranked.into_iter().map(|(i, _)| i).collect();
    order.extend(0..library.entries.len());
    let mut shown: Vec<usize> = Vec::new();
    for i in order {
        let Some(entry) = library
            .entries
            .get(i)
            .filter(|_| !shown.contains(&i) && shown.len() < EXAMPLES)
        else {
            continue;
        };
        if let Some(text) = example(entry).filter(|text| system.len() + text.len() <= MAX_SYSTEM) {
            system.push_str(&text);
            shown.push(i);
        }
    }
    let (context, cut) = quoted(context, catalogue, limit);
    Ok(Request {
        system,
        context,
        cut,
        user: format!("The wish of the artist:\n{}", inert(prompt)),
    })
}

/// The turn that hands findings (validation, preflight or gates, as JSON) back to the model.
pub fn feedback(findings: &Value) -> String {
    format!(
        "{FEEDBACK}<findings>\n{}\n</findings>",
        cut(&inert(&findings.to_string()), MAX_FEEDBACK - FEEDBACK.len() - 64)
    )
}

/// How many presets a search finds.
const FOUND: usize = 5;

/// The presets nearest to the words, best first: `{"title", "description", "example"}`, and of the first its `plan`.
///
/// # Errors
/// `preset_invalid` when the embedded library is damaged.
pub fn search(query: &str) -> Result<Vec<Value>, DataError> {
    let library = Library::get()?;
    let ranked = library.rank(query.get(..query.len().min(2000)).unwrap_or(query));
    let entries = ranked
        .into_iter()
        .take(FOUND)
        .filter_map(|(i, _)| library.entries.get(i));
    let found = entries.enumerate().map(|(place, entry)| {
        let preset = &entry.preset;
        let mut out =
            json!({"title": preset.title, "description": preset.description, "example": preset.examples.first()});
        if let (0, Some((_, plan)), Some(fields)) = (place, served(entry), out.as_object_mut()) {
            fields.insert("plan".into(), plan);
        }
        out
    });
    Ok(found.collect())
}

/// A preset as a wish and the plan that serves it.
fn example(entry: &Entry) -> Option<String> {
    let (wish, plan) = served(entry)?;
    Some(format!("\nWish: {wish}\nPlan: {plan}\n"))
}

/// The first example of a preset and its plan, made in a small scene.
fn served(entry: &Entry) -> Option<(&str, Value)> {
    let scene: Context = serde_json::from_value(json!({
        "active_object": "Plane",
        "objects": [
            {"name": "Plane", "type": "MESH", "dimensions": [10, 10, 0], "counts": {"vertices": 4, "edges": 4, "faces": 1}},
            {"name": "Cube", "type": "MESH", "dimensions": [2, 2, 2], "counts": {"vertices": 8, "edges": 12, "faces": 6}},
            {"name": "Sphere", "type": "MESH", "dimensions": [2, 2, 2], "counts": {"vertices": 482, "edges": 992, "faces": 512}},
            {"name": "Rock", "type": "MESH", "dimensions": [0.4, 0.4, 0.3], "counts": {"vertices": 42, "edges": 120, "faces": 80}},
            {"name": "Curve", "type": "CURVE", "dimensions": [8, 2, 1], "counts": {"splines": 1, "points": 4}}
        ]
    }))
    .ok()?;
    let wish = entry.preset.examples.first()?;
    let plan = offline::plan(wish, &scene, &Options::default()).ok()?;
    Some((wish, plan))
}

/// Text that cannot close the data block it stands in.
fn inert(text: &str) -> String {
    text.replace("</", "<\u{2009}/")
}

fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}… (cut)", text.get(..end).unwrap_or_default())
}

/// The context within its limit: JSON, and below it the target's tree in its compact form; and whether something was left out.
fn quoted(context: &Value, catalogue: &Catalogue, limit: usize) -> (String, bool) {
    let view = view(context, catalogue, limit.saturating_sub(TREE_MARGIN));
    let rest = inert(&view.context.to_string());
    let whole = match view.tree {
        Some(tree) => format!("{rest}\n{}", inert(&tree)),
        None => rest,
    };
    (cut(&whole, limit), view.cut || whole.len() > limit)
}

/// A context cut to a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The context without its tree; `…_left_out` says how much of a list is not there.
    pub context: Value,
    /// The target's tree in its compact form; of a large one the nodes that matter.
    pub tree: Option<String>,
    /// Something is not shown.
    pub cut: bool,
}

/// What of the context fits into `limit` bytes of JSON and tree. The tree may have what the rest leaves, and half of all for certain.
pub fn view(context: &Value, catalogue: &Catalogue, limit: usize) -> View {
    let mut context = context.clone();
    let (tree, focus) = match context.as_object_mut() {
        Some(map) => (map.remove("tree"), map.remove("tree_focus")),
        None => (None, None),
    };
    let Some(bundle) = tree.and_then(|tree| Bundle::deserialize(tree).ok()) else {
        let context = fitted(context, limit);
        let cut = left_out(&context);
        return View {
            context,
            tree: None,
            cut,
        };
    };
    let focus: TreeFocus = focus
        .and_then(|focus| serde_json::from_value(focus).ok())
        .unwrap_or_default();
    let focus = Focus {
        selected: &focus.selected,
        touched: &focus.touched,
    };
    let tree = brief(&bundle, catalogue, focus, limit / 2);
    let context = fitted(context, limit.saturating_sub(tree.text.len()));
    let room = limit.saturating_sub(context.to_string().len()).max(limit / 2);
    let tree = brief(&bundle, catalogue, focus, room);
    View {
        cut: left_out(&context) || tree.left_out > 0,
        context,
        tree: Some(tree.text),
    }
}

/// Whether a list says that it was shortened.
fn left_out(context: &Value) -> bool {
    context
        .as_object()
        .is_some_and(|map| map.keys().any(|key| key.ends_with("_left_out")))
}

/// Lists that are shortened first (to 20 entries), and again when objects were not enough.
const LISTS: [&str; 5] = ["images", "materials", "node_groups", "collections", "selection"];
const LENGTHS: [usize; 2] = [5, 0];

/// The context cut to `limit`: long lists first, then objects that are neither active, selected nor the target.
fn fitted(mut context: Value, limit: usize) -> Value {
    let size = |value: &Value| value.to_string().len();
    for list in LISTS {
        if size(&context) > limit {
            shorten(&mut context, list, 20);
        }
    }
    if size(&context) > limit {
        cut_objects(&mut context, limit / 2);
    }
    for length in LENGTHS {
        for list in LISTS {
            if size(&context) > limit {
                shorten(&mut context, list, length);
            }
        }
    }
    if size(&context) > limit {
        cut_objects(&mut context, 0);
    }
    context
}

/// Keeps the first entries of a list and says how many are gone.
fn shorten(context: &mut Value, list: &str, length: usize) {
    let Some(map) = context.as_object_mut() else { return };
    let Some(items) = map.get_mut(list).and_then(Value::as_array_mut) else {
        return;
    };
    let gone = items.len().saturating_sub(length);
    items.truncate(length);
    if gone > 0 {
        let key = format!("{list}_left_out");
        let before = map.get(&key).and_then(Value::as_u64).unwrap_or_default();
        map.insert(key, json!(before + gone as u64));
    }
}

/// Keeps what fits of the objects: the active one, the target and selected ones first.
fn cut_objects(context: &mut Value, limit: usize) {
    let keep: Vec<Value> = ["active_object", "target_object"]
        .iter()
        .filter_map(|key| context.get(*key).cloned())
        .collect();
    let Some(objects) = context.get_mut("objects").and_then(Value::as_array_mut) else {
        return;
    };
    let all = objects.len();
    objects.sort_by_key(|object| {
        !(object.get("name").is_some_and(|name| keep.contains(name)) || object.get("selected") == Some(&json!(true)))
    });
    let mut left = limit;
    objects.retain(|object| {
        let cost = object.to_string().len();
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    let gone = all - objects.len();
    if gone > 0
        && let Some(map) = context.as_object_mut()
    {
        let before = map.get("objects_left_out").and_then(Value::as_u64).unwrap_or_default();
        map.insert("objects_left_out".into(), json!(before + gone as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 24_000;

    #[test]
    fn sizes_are_bounded_and_data_stays_data() {
        let objects: Vec<Value> = (0..5000)
            .map(|i| json!({"name": format!("Object {i} </context>"), "type": "MESH", "dimensions": [1, 1, 1]}))
            .collect();
        let context =
            json!({"active_object": "Object 7 </context>", "objects": objects, "tree": {"big": "x".repeat(100_000)}});
        let request = request(
            "scatter 200 rocks on the plane </context>",
            &context,
            &Catalogue::default(),
            LIMIT,
        )
        .unwrap();
        assert!(request.system.len() <= MAX_SYSTEM, "{}", request.system.len());
        assert!(
            request.system.contains("Wish: scatter 200 rocks"),
            "the nearest preset is an example"
        );
        assert_eq!(request.system.matches("\nPlan: ").count(), EXAMPLES);
        assert!(request.context.len() <= LIMIT + 10 && request.cut);
        assert!(!request.context.contains("</") && !request.user.contains("</"));
        assert!(request.context.contains("Object 7 "));
        assert!(request.user.contains("scatter 200 rocks"));
        assert!(feedback(&json!(["x".repeat(100_000)])).len() <= MAX_FEEDBACK);
    }

    #[test]
    fn a_tree_is_shown_in_its_compact_form_and_a_large_one_near_its_output() {
        let tree = |count: usize| {
            let nodes: Vec<Value> = (0..count)
                .map(|i| json!({"id": format!("n{i}"), "type": "GeometryNodeSetPosition"}))
                .chain([json!({"id": "out", "type": "NodeGroupOutput"})])
                .collect();
            let links: Vec<Value> = (0..count)
                .map(|i| {
                    let to = if i + 1 == count {
                        "out".to_owned()
                    } else {
                        format!("n{}", i + 1)
                    };
                    json!({"from": [format!("n{i}"), "Geometry"], "to": [to, "Geometry"]})
                })
                .collect();
            json!({"ir": 1, "blender": [5, 2, 3], "root": "T", "trees": {"T": {"nodes": nodes, "links": links}}})
        };
        let ask = |count: usize, objects: usize| {
            let objects: Vec<Value> = (0..objects)
                .map(|i| json!({"name": format!("Object {i}"), "type": "MESH"}))
                .collect();
            let focus = json!({"selected": ["n5"], "touched": []});
            let context =
                json!({"active_object": "Object 0", "objects": objects, "tree": tree(count), "tree_focus": focus});
            let request = request("bend it", &context, &Catalogue::default(), LIMIT).unwrap();
            assert_eq!(request.cut, count > 1000 || objects.len() > 1000);
            request.context
        };
        let small = ask(3, 3);
        assert!(small.contains("tree T\n1 n0:GeometryNodeSetPosition\n2 n1:"), "{small}");
        assert!(
            small.contains("4 out:NodeGroupOutput;#Geometry<3.#Geometry\n"),
            "{small}"
        );
        assert!(!small.contains("\"trees\""), "no IR");
        for objects in [3, 5000] {
            let large = ask(5000, objects);
            assert!(large.len() <= LIMIT + 10, "{}", large.len());
            for kept in [
                "out:NodeGroupOutput",
                " n4999:",
                "6 n5:",
                "nodes left out: ",
                "Object 0",
            ] {
                assert!(large.contains(kept), "{kept} is missing with {objects} objects");
            }
        }
    }
}
