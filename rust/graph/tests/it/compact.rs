//! The compact form is lossless for structure: `read_compact(compact(tree))` is the tree without what it says it leaves out.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use geonode_graph::ir::{Bundle, Item, ItemKind, Link, Map, Node, Side, Tree};
use geonode_graph::{Catalogue, CompactError, Document, Focus, brief, compact, compile, read_compact};
use geonode_protocol::{Limits, parse_plan};
use indexmap::IndexMap;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::catalogue;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A tree without places, frames, names and hidden states; links by target, order in a multi-input counted from 0.
fn structure(tree: &Tree) -> Tree {
    let linked = |node: &str, socket: &str| {
        tree.links
            .iter()
            .any(|link| link.to.0 == node && link.to.1 == socket && !link.muted)
    };
    let values = |node: &str, sockets: &IndexMap<String, Map>, inputs: bool| -> IndexMap<String, Map> {
        let shown = sockets.iter().filter(|(socket, _)| !(inputs && linked(node, socket)));
        let value = |(socket, state): (&String, &Map)| {
            Some((
                socket.clone(),
                Map::from_iter([("value".to_owned(), state.get("value")?.clone())]),
            ))
        };
        shown.filter_map(value).collect()
    };
    let nodes = tree.nodes.iter().filter(|node| node.kind != "NodeFrame");
    let order: HashMap<&str, usize> = tree
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| (node.id.as_str(), at))
        .collect();
    let mut links: Vec<Link> = tree.links.clone();
    links.sort_by_key(|link| (order[link.to.0.as_str()], link.to.1.clone(), link.sort));
    let mut ranks: HashMap<(String, String), i64> = HashMap::new();
    for link in &mut links {
        let rank = ranks.entry(link.to.clone()).or_default();
        link.sort = link.sort.map(|_| *rank);
        *rank += 1;
    }
    Tree {
        settings: tree.settings.clone(),
        interface: tree.interface.clone(),
        nodes: nodes
            .map(|node| Node {
                id: node.id.clone(),
                kind: node.kind.clone(),
                label: node.label.clone(),
                pair: node.pair.clone(),
                props: node.props.clone(),
                items: node.items.clone(),
                inputs: values(&node.id, &node.inputs, true),
                outputs: values(&node.id, &node.outputs, false),
                ..Node::default()
            })
            .collect(),
        links,
        ..Tree::default()
    }
}

fn check(bundle: &Bundle, catalogue: &Catalogue) -> String {
    let text = compact(bundle, catalogue);
    let read = read_compact(&text, catalogue).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.len(), bundle.trees.len(), "{text}");
    for (name, tree) in &bundle.trees {
        assert_eq!(structure(&read[name]), structure(tree), "{name}:\n{text}");
    }
    text
}

fn bundle(trees: IndexMap<String, Tree>) -> Bundle {
    Bundle {
        ir: 1,
        blender: [5, 2, 3],
        root: trees.keys().next().cloned(),
        trees,
    }
}

#[test]
fn trees_of_the_plan_fixtures_survive_a_round_trip() {
    let mut trees = 0;
    let mut catalogues: HashMap<String, Catalogue> = HashMap::new();
    for folder in fs::read_dir(here().join("tests/plans"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        let case: Value = serde_json::from_str(&fs::read_to_string(folder.join("case.json")).unwrap()).unwrap();
        let document: Document = serde_json::from_value(case["document"].clone()).unwrap();
        let plan = parse_plan(
            &fs::read_to_string(folder.join("plan.json")).unwrap(),
            &Limits::default(),
        )
        .plan
        .unwrap();
        for version in case["blender"].as_array().unwrap() {
            let version = version.as_str().unwrap();
            let catalogue = catalogues
                .entry(version.to_owned())
                .or_insert_with(|| catalogue(version));
            let after = compile(&plan, &document, catalogue).after;
            trees += document.trees.len() + after.trees.len();
            check(&bundle(document.trees.clone()), catalogue);
            check(&bundle(after.trees), catalogue);
        }
    }
    assert!(trees > 50, "only {trees} trees");
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[A-Za-z][a-z]{0,5}",
        2 => "[ -~]{0,8}",
        1 => "[.#@|;=<>{}\"…\\\\ ]{1,4}",
        1 => Just("Geometry".to_owned()),
        1 => Just("Value".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("1.5\n".to_owned()),
        1 => Just("Grün ✓".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        word().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f32>()
            .prop_filter("JSON has no other numbers", |f| f.is_finite())
            .prop_map(|f| json!(f64::from(f))),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        proptest::collection::vec(word().prop_map(Value::from), 0..3).prop_map(Value::from),
        (word(), word()).prop_map(|(kind, name)| json!({kind: name})),
        (word(), any::<u32>()).prop_map(|(kind, number)| json!({kind: number})),
    ]
}

fn props() -> impl Strategy<Value = Map> {
    proptest::collection::vec((word(), value()), 0..3).prop_map(|list| list.into_iter().collect())
}

fn interface() -> impl Strategy<Value = Vec<Item>> {
    let entry = (0..4_u8, word(), 0..9_u32, props(), any::<bool>(), 0..3_usize);
    proptest::collection::vec(entry, 0..6).prop_map(|entries| {
        let mut items: Vec<Item> = Vec::new();
        for (at, (kind, name, number, props, odd, up)) in entries.into_iter().enumerate() {
            let panels: Vec<String> = items
                .iter()
                .filter(|item| item.kind == ItemKind::Panel)
                .map(|item| item.identifier.clone())
                .collect();
            let panel = kind == 0;
            let prefix = if panel { "panel:" } else { "Socket_" };
            items.push(Item {
                kind: if panel { ItemKind::Panel } else { ItemKind::Socket },
                identifier: if odd {
                    format!("@{number}_{at}")
                } else {
                    format!("{prefix}{}", u32::try_from(at).unwrap() * 10 + number)
                },
                name,
                in_out: (!panel).then_some(if kind == 1 { Side::Output } else { Side::Input }),
                socket_type: if panel {
                    String::new()
                } else {
                    ["NodeSocketFloat", "NodeSocketGeometry", "Custom"][up % 3].to_owned()
                },
                parent: up
                    .checked_sub(1)
                    .and_then(|back| panels.get(panels.len().wrapping_sub(back + 1)).cloned()),
                props,
            });
        }
        items
    })
}

const TYPES: [&str; 10] = [
    "ShaderNodeMath",
    "GeometryNodeJoinGeometry",
    "GeometryNodeRepeatOutput",
    "GeometryNodeGroup",
    "NodeGroupInput",
    "NodeGroupOutput",
    "NodeFrame",
    "FunctionNodeRandomValue",
    "ShaderNodeValue",
    "SomethingElse",
];

fn tree() -> impl Strategy<Value = Tree> {
    let item = (
        proptest::option::of(0..5_u64),
        word(),
        prop_oneof![Just("FLOAT"), Just("GEOMETRY")],
        props(),
    );
    let items = proptest::collection::vec(item, 0..3);
    let sockets = || proptest::collection::vec((prop_oneof![word(), Just("Value_001".to_owned())], value()), 0..3);
    let node = (
        word(),
        0..TYPES.len(),
        proptest::option::of(word()),
        props(),
        proptest::option::of(items),
        sockets(),
        sockets(),
    );
    let link = (
        0..9_usize,
        0..9_usize,
        prop_oneof![word(), Just("Value".into()), Just("Socket_1".into())],
        prop_oneof![word(), Just("Geometry".into())],
        any::<bool>(),
    );
    let links = proptest::collection::vec(link, 0..8);
    (props(), interface(), proptest::collection::vec(node, 1..7), links).prop_map(
        |(settings, interface, nodes, links)| {
            let nodes: Vec<Node> = nodes
                .into_iter()
                .enumerate()
                .map(|(at, (id, kind, label, mut props, items, inputs, outputs))| {
                    let kind = TYPES[kind];
                    if kind == "GeometryNodeGroup" {
                        props.insert("node_tree".into(), json!({"node_group": "Inner"}));
                    }
                    let collection = if kind == "GeometryNodeRepeatOutput" {
                        "repeat_items"
                    } else {
                        "color_ramp.elements"
                    };
                    let item = |(number, name, kind, mut rest): (Option<u64>, String, &str, Map)| {
                        rest.extend(number.map(|number| ("identifier".to_owned(), Value::from(number))));
                        rest.insert("name".into(), Value::from(name));
                        rest.insert("socket_type".into(), Value::from(kind));
                        rest
                    };
                    let states = |list: Vec<(String, Value)>| {
                        list.into_iter()
                            .map(|(socket, value)| (socket, Map::from_iter([("value".to_owned(), value)])))
                            .collect()
                    };
                    Node {
                        id: format!("{id}{at}"),
                        kind: kind.to_owned(),
                        label,
                        props,
                        items: items
                            .into_iter()
                            .map(|items| (collection.to_owned(), items.into_iter().map(item).collect()))
                            .collect(),
                        inputs: states(inputs),
                        outputs: states(outputs),
                        ..Node::default()
                    }
                })
                .collect();
            let ends: Vec<&Node> = nodes.iter().filter(|node| node.kind != "NodeFrame").collect();
            let link = |(from, to, output, input, muted): (usize, usize, String, String, bool)| {
                let (from, to) = (ends.get(from)?, ends.get(to)?);
                let multi = to.kind == "GeometryNodeJoinGeometry" && input == "Geometry";
                Some(Link {
                    from: (from.id.clone(), output),
                    to: (to.id.clone(), input),
                    muted,
                    sort: multi.then_some(0),
                })
            };
            let mut links: Vec<Link> = links.into_iter().filter_map(link).collect();
            for (at, link) in links.iter_mut().enumerate() {
                link.sort = link.sort.map(|_| i64::try_from(at).unwrap());
            }
            Tree {
                settings,
                interface,
                nodes,
                links,
                ..Tree::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_tree_survives_a_round_trip(outer in tree(), inner in tree(), name in word()) {
        thread_local!(static CATALOGUE: Catalogue = catalogue("5.2"));
        let name = format!("{name}1");
        let trees = IndexMap::from([(name, outer), ("Inner".to_owned(), inner)]);
        CATALOGUE.with(|catalogue| check(&bundle(trees), catalogue));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n]{0,60}", tail in "[0-9;<>.{}=#,|\"]{0,12}") {
        thread_local!(static CATALOGUE: Catalogue = catalogue("5.2"));
        CATALOGUE.with(|catalogue| {
            let _ = read_compact(&text, catalogue);
            let _ = read_compact(&format!("tree T\n>0 A:Float\n1 Math;Value{tail}"), catalogue);
        });
    }
}

/// A chain of `count` nodes between the group's ends.
fn chain(count: usize) -> Bundle {
    let node = |id: String, kind: &str| Node {
        id,
        kind: kind.to_owned(),
        ..Node::default()
    };
    let mut nodes: Vec<Node> = (0..count)
        .map(|i| node(format!("n{i}"), "GeometryNodeSetPosition"))
        .collect();
    nodes.push(node("out".into(), "NodeGroupOutput"));
    let links = nodes.windows(2).map(|pair| Link {
        from: (pair[0].id.clone(), "Geometry".into()),
        to: (
            pair[1].id.clone(),
            if pair[1].id == "out" { "Socket_1" } else { "Geometry" }.into(),
        ),
        muted: false,
        sort: None,
    });
    let links = links.collect();
    bundle(IndexMap::from([
        (
            "Long".to_owned(),
            Tree {
                nodes,
                links,
                ..Tree::default()
            },
        ),
        ("Other".to_owned(), Tree::default()),
    ]))
}

#[test]
fn a_brief_keeps_relevant_nodes_and_says_what_it_left_out() {
    let catalogue = catalogue("5.2");
    let long = chain(500);
    let selected = ["n7".to_owned()];
    let touched = ["n250".to_owned()];
    let focus = Focus {
        selected: &selected,
        touched: &touched,
    };
    let whole = brief(&long, &catalogue, focus, 1 << 20);
    assert_eq!(
        (whole.text.as_str(), whole.left_out),
        (compact(&long, &catalogue).as_str(), 0)
    );
    let cut = brief(&long, &catalogue, focus, 4000);
    assert!(cut.text.len() <= 4000 && cut.text.len() > 2500, "{}", cut.text.len());
    for kept in ["501 out", "500 n499", "251 n250", "250 n249", "8 n7", "7 n6"] {
        assert!(cut.text.contains(kept), "{kept} is missing\n{}", cut.text);
    }
    assert!(!cut.text.contains("\n300 "), "far from everything");
    let note = format!(
        "… {} of 501 nodes left out: {} GeometryNodeSetPosition.",
        cut.left_out, cut.left_out
    );
    assert!(cut.text.contains(&note), "{}", cut.text);
    assert!(matches!(read_compact(&cut.text, &catalogue), Err(CompactError::Cut(_))));
    for limit in [0, 10, 300, 450, 900] {
        assert!(brief(&long, &catalogue, focus, limit).text.len() <= limit);
    }
}

#[test]
fn errors_name_their_line() {
    let catalogue = catalogue("5.2");
    let wrong = |text: &str| read_compact(text, &catalogue).unwrap_err().to_string();
    assert!(wrong("1 Math").starts_with("Line 1"));
    assert!(wrong("tree T\n1 Math;Value<2").contains("line 2") || wrong("tree T\n1 Math;#Value<2").contains("node 2"));
    assert!(wrong("tree T\n1 Nonsense").contains("type of the node"));
    assert!(wrong("tree T\n]").contains("open panel"));
    assert!(wrong("tree T\n1 Math\n1 Math.001").contains("number of its own"));
    assert!(
        wrong("tree T\n1 Math;Value=3").contains("one available socket"),
        "Math has three inputs of this name"
    );
}
