//! The block `<nodes>`: which node types a prompt surely needs, and how each is called.

use std::collections::HashMap;
use std::fmt::Write as _;

use geonode_graph::Catalogue;
use geonode_graph::catalogue::NodeType;
use geonode_graph::ir::{Bundle, Map as Props};
use geonode_graph::sockets::{FRAME, GROUP, GROUP_INPUT_TYPE, GROUP_OUTPUT_TYPE, REROUTE};
use geonode_planner::DataError;
use geonode_text::Names;
use serde::Deserialize;
use serde_json::Value;

use crate::docs::{brief, elsewhere, items, shown, side};
use crate::{examples, search};

/// What signatures do not say: `label: note`, in the words of a page.
const NOTES: &str = include_str!("../notes.txt");

/// Node types that are written as terms, or otherwise than by a call, as the instructions teach.
const TERMS: [&str; 12] = [
    FRAME,
    GROUP,
    GROUP_INPUT_TYPE,
    GROUP_OUTPUT_TYPE,
    REROUTE,
    "FunctionNodeBooleanMath",
    "FunctionNodeCompare",
    "FunctionNodeIntegerMath",
    "ShaderNodeCombineXYZ",
    "ShaderNodeMath",
    "ShaderNodeSeparateXYZ",
    "ShaderNodeVectorMath",
];

/// How much what the nearest presets use counts beside what the prompt says.
const OF_PRESETS: f64 = 0.6;

/// What most new trees need, and how much that counts: only room that is left goes to it.
const USUAL: [&str; 6] = [
    "GeometryNodeJoinGeometry",
    "GeometryNodeSetPosition",
    "GeometryNodeTransform",
    "GeometryNodeInstanceOnPoints",
    "GeometryNodeSetMaterial",
    "GeometryNodeMeshCube",
];
const OFTEN: f64 = 0.35;

/// How much less a type has to be told that the tree in the context shows.
const SHOWN: f64 = 0.5;

/// The share of the room in which types are told in full; in the rest of it only the words of their sockets.
const IN_FULL: f64 = 0.7;

/// The types that a prompt surely needs, one line each, in about `limit` bytes; empty when it names none. The most needed ones with all
/// that there is to know, further ones after `# also, only the words:`.
///
/// # Errors
/// `preset_invalid` when the embedded presets are damaged.
pub(crate) fn needed(prompt: &str, context: &Value, catalogue: &Catalogue, limit: usize) -> Result<String, DataError> {
    let names = Names::new(catalogue);
    let tree = context.get("tree").and_then(|tree| Bundle::deserialize(tree).ok());
    let prompt = tree
        .as_ref()
        .map_or_else(|| prompt.to_owned(), |tree| without_names(prompt, tree));
    let is_shown = |kind: &str| {
        let mut trees = tree.iter().flat_map(|tree| tree.trees.values());
        trees.any(|tree| tree.nodes.iter().any(|node| node.kind == kind))
    };
    // Its own words say what is certain, the nearest presets what belongs to it; a change has less to do with these.
    let mut scores: HashMap<&str, f64> = HashMap::new();
    for (score, kind) in search::needed(&prompt, catalogue) {
        scores.insert(kind, score);
    }
    for (place, kind) in examples::used(&prompt, tree.is_some(), &names)?.iter().enumerate() {
        if let Some((kind, _)) = catalogue.nodes.get_key_value(kind) {
            *scores.entry(kind).or_default() += OF_PRESETS * search::place_counts(place);
        }
    }
    if tree.is_none() {
        for kind in USUAL {
            *scores.entry(kind).or_default() += OFTEN;
        }
    }
    // Neither the ends of zones nor what terms become are written as calls.
    let is_call = |name: &str, node: &NodeType| !node.is("zone") && !TERMS.contains(&name);
    let mut order: Vec<(f64, &str, &NodeType)> = catalogue
        .nodes
        .iter()
        .filter(|(name, node)| is_call(name, node))
        .filter_map(|(name, node)| Some((*scores.get(name.as_str())?, name.as_str(), node)))
        .map(|(score, name, node)| (if is_shown(name) { score * SHOWN } else { score }, name, node))
        .collect();
    order.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    // A change needs few types besides those that are there.
    let limit = if tree.is_some() { limit / 3 * 2 } else { limit };
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a few thousand bytes"
    )]
    let in_full = (limit as f64 * IN_FULL) as usize;
    let (mut text, mut also) = (String::new(), String::new());
    for (_, name, node) in order {
        let whole = line(name, node, &names);
        if !is_shown(name) && text.len() + whole.len() <= in_full {
            text.push_str(&whole);
            continue;
        }
        let words = words_of(name, node, &names);
        if text.len() + ALSO.len() + also.len() + words.len() <= limit {
            also.push_str(&words);
        }
    }
    if !also.is_empty() {
        text.push_str(ALSO);
        text.push_str(&also);
    }
    Ok(text)
}

/// What stands before the types of which only the words are told.
const ALSO: &str = "# also, without types and values:\n";

/// The prompt without the names of inputs, labels and groups of a tree: they say which part is meant, and nothing about nodes to make. A
/// name of one word is one only as it is written there, since it may be an ordinary word.
fn without_names(prompt: &str, tree: &Bundle) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, tree) in &tree.trees {
        names.push(name);
        names.extend(tree.interface.iter().map(|item| item.name.as_str()));
        names.extend(tree.nodes.iter().filter_map(|node| node.label.as_deref()));
    }
    names.retain(|name| name.chars().any(char::is_uppercase) && name.len() > 2);
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names
        .into_iter()
        .fold(prompt.to_owned(), |text, name| text.replace(name, "…"))
}

/// What a signature does not say about a type.
fn note(label: &str) -> Option<&'static str> {
    let mut notes = NOTES.lines().filter_map(|line| line.split_once(": "));
    notes.find(|(of, _)| *of == label).map(|(_, note)| note)
}

/// One type in a line with nothing but the words of its sockets and properties.
fn words_of(name: &str, node: &NodeType, names: &Names<'_>) -> String {
    let state = node.state(&Props::default());
    let words = |sockets: Vec<String>| -> Vec<String> {
        let word = |socket: &String| {
            let (word, rest) = socket.split_once(": ").unwrap_or((socket, ""));
            let kind: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
            let single = rest.strip_prefix(&kind).is_some_and(|rest| rest.starts_with('!'));
            format!("{word}{}", if single { "!" } else { "" })
        };
        sockets.iter().map(word).collect()
    };
    let mut arguments = words(side(&state.inputs, true));
    let plain = |property: &&str| !names.is_shadowed(name, property);
    arguments.extend(
        shown(node)
            .map(|(property, _)| property)
            .filter(plain)
            .map(str::to_owned),
    );
    let lists = node.collections.keys();
    arguments.extend(
        lists
            .filter_map(|list| names.items_keyword(name, list))
            .map(str::to_owned),
    );
    let outputs = words(side(&state.outputs, false)).join(", ");
    format!("{}({}) -> {outputs}\n", names.call(name), arguments.join(", "))
}

/// One type in a line, as the head of a function: inputs, properties, lists of items, outputs. What has no type is geometry.
fn line(name: &str, node: &NodeType, names: &Names<'_>) -> String {
    let state = node.state(&Props::default());
    let mut arguments = side(&state.inputs, true);
    let seldom = |name: &str| name.starts_with("mapping.") && name != "mapping.extend";
    arguments.extend(shown(node).filter(|(name, _)| !seldom(name)).map(|(property, found)| {
        let brief = brief(found);
        if names.is_shadowed(name, property) {
            return format!("props={{\"{property}\": {brief}}}");
        }
        let sign = if found.items.is_empty() { ": " } else { "=" };
        format!("{property}{sign}{brief}")
    }));
    // The further curves of colours and vectors are written as the first.
    let later = |list: &str| list.starts_with("mapping.curves.") && !list.starts_with("mapping.curves.0");
    arguments.extend(
        node.collections
            .keys()
            .filter(|list| !later(list))
            .map(|list| items(name, list, names)),
    );
    // Several that are no keywords stand in one dict, behind those that are.
    arguments.sort_by_key(|argument| argument.starts_with("props={"));
    let mut text = format!(
        "{}({}) -> {}",
        names.call(name),
        arguments.join(", ").replace("}, props={", ", "),
        side(&state.outputs, false).join(", ")
    );
    let hidden = elsewhere(node, state);
    if !hidden.is_empty() {
        let _ = write!(text, " | in other modes: {}", hidden.join(", "));
    }
    if let Some(note) = note(&node.label) {
        let _ = write!(text, " # {note}");
    }
    text.push('\n');
    text.replace(": Geometry", "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::tests::catalogue;
    use serde_json::json;

    #[test]
    fn a_prompt_is_given_the_lines_that_it_needs_within_a_limit() {
        let catalogue = catalogue("5.2");
        let needed = |prompt: &str, limit: usize| super::needed(prompt, &Value::Null, &catalogue, limit).unwrap();
        let text = needed("scatter 200 rocks", 2_000);
        assert!(text.len() <= 2_000);
        let first = text.lines().next().unwrap();
        assert!(first.starts_with(
            "distribute_points_on_faces(mesh, selection: Bool, density: Float=10 0…, seed: Int!=0, distribute_method=RANDOM|POISSON"
        ));
        assert!(first.contains(") -> points, normal: Vector"), "{first}");
        assert!(text.contains("\ninstance_on_points(points, selection: Bool"));
        for (prompt, calls) in [
            ("a brick wall 4 m long", ["cube(", "points("]),
            ("letters along a curve", ["sample_curve(", "fill_curve("]),
            (
                "trees where the slope is low",
                ["normal(", "distribute_points_on_faces("],
            ),
        ] {
            let text = needed(prompt, 1_900);
            let lines: Vec<&str> = text.lines().collect();
            let all = calls.iter().all(|call| lines.iter().any(|line| line.starts_with(call)));
            assert!(all && !text.contains("\nmath("), "{prompt}: {text}");
        }
        let loops = needed("repeat each branch in a loop", 2_000);
        assert!(
            loops.contains('(') && !loops.contains("repeat_input") && !loops.contains("for_each"),
            "{loops}"
        );
        assert_eq!(needed("scatter", 10), "");
    }

    /// Each prompt finds the calls that its words mean; what is only the name of an input says nothing.
    #[test]
    fn words_of_a_prompt_find_their_nodes() {
        let catalogue = catalogue("5.2");
        let item = |name: &str| json!({"kind": "socket", "identifier": name, "name": name, "in_out": "INPUT", "socket_type": "NodeSocketFloat"});
        let tree = json!({"ir": 1, "blender": [5, 2, 3], "root": "Hut", "trees": {"Hut": {
            "interface": [item("Roof Ring"), item("Star")],
            "nodes": [{"id": "noise", "type": "ShaderNodeTexNoise"}, {"id": "out", "type": "NodeGroupOutput"}],
            "links": [],
        }}});
        let context = json!({"tree": tree});
        let none = Value::Null;
        for (prompt, context, has, lacks) in [
            (
                "a gizmo for the height",
                &none,
                ["linear_gizmo(", "dial_gizmo("],
                "voronoi",
            ),
            (
                "turn the lamps on and off with a checkbox",
                &none,
                ["switch(", "enable_output("],
                "cone(",
            ),
            (
                "combine two SDF grids",
                &none,
                ["mesh_to_sdf_grid(", "sdf_grid_boolean("],
                "cone(",
            ),
            (
                "pick one of three bushes for each point",
                &none,
                ["geometry_to_instance(", "index_switch("],
                "cone(",
            ),
            (
                "make the Roof Ring wider, and add a disc",
                &context,
                ["mesh_circle(", "cylinder("],
                "rotate_instances(",
            ),
            (
                "more noise at the Star",
                &context,
                ["random_value(", "noise_texture("],
                "star(",
            ),
        ] {
            let text = super::needed(prompt, context, &catalogue, 1_900).unwrap();
            let lines: Vec<&str> = text.lines().collect();
            for call in has {
                assert!(
                    lines.iter().any(|line| line.starts_with(call)),
                    "{prompt}, {call}: {text}"
                );
            }
            assert!(!lines.iter().any(|line| line.starts_with(lacks)), "{prompt}: {text}");
        }
        // What the tree shows is told in words only.
        let text = super::needed("noise", &context, &catalogue, 1_900).unwrap();
        assert!(text.contains("\nnoise_texture(vector, scale,"), "{text}");
    }

    #[test]
    fn notes_are_about_nodes_and_lists_are_told_as_they_are_written() {
        let catalogue = catalogue("5.2");
        let names = Names::new(&catalogue);
        let mut examined = 0;
        for line in NOTES.lines().filter(|line| !line.starts_with('#')) {
            let (label, note) = line.split_once(": ").unwrap();
            assert!(
                catalogue.nodes.values().any(|node| node.label == label) && note.len() > 10,
                "{line}"
            );
            examined += 1;
        }
        assert!(examined > 3);
        let of = |kind: &str| line(kind, &catalogue.nodes[kind], &names);
        let curve = of("ShaderNodeFloatCurve");
        let points = r#", "mapping.curves.0.points": [{"location": (0,0)}, {"location": (1,1)}]}"#;
        assert!(curve.contains(points), "{curve}");
        let axes = of("FunctionNodeAxesToRotation");
        assert!(
            axes.contains(r#", props={"primary_axis": Z|X|Y, "secondary_axis": X|Y|Z})"#),
            "{axes}"
        );
        assert!(of("GeometryNodeSampleCurve").contains(" # "));
    }
}
