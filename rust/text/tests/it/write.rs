//! Pages of trees: what they say, how they look, and that every tree has one.

use std::path::Path;
use std::time::{Duration, Instant};

use geonode_graph::ir::{Bundle, Item, ItemKind, Link, Map, Node, Side, Tree};
use geonode_graph::{Catalogue, Focus};
use geonode_text::{Extent, Names, write, write_brief};
use proptest::prelude::*;
use rustpython_parser::{Parse, ast};
use serde_json::{Value, json};

use crate::catalogue;

fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/pages");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn sample() -> Bundle {
    serde_json::from_str(&file("sample.json")).unwrap()
}

/// A page is Python, whatever it is about.
fn check_grammar(text: &str) {
    ast::Suite::parse(text, "page").unwrap_or_else(|error| panic!("{error}\n{text}"));
}

#[test]
fn the_sample_has_its_page() {
    let catalogue = catalogue("5.2");
    let names = Names::new(&catalogue);
    for (extent, expected) in [(Extent::Structure, "sample.txt"), (Extent::Full, "sample.full.txt")] {
        let page = write(&sample(), &names, extent);
        check_grammar(&page.text);
        assert_eq!(page.losses, Vec::<String>::new());
        if std::env::var_os("UPDATE_PAGES").is_some() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/pages");
            std::fs::write(folder.join(expected), &page.text).unwrap();
        }
        assert!(
            page.text == file(expected),
            "with UPDATE_PAGES=1 the test writes {expected} anew:\n{}",
            page.text
        );
        assert_eq!(page, write(&sample(), &Names::new(&catalogue), extent));
    }
}

#[test]
fn what_cannot_be_said_is_named() {
    let catalogue = catalogue("5.2");
    let mut bundle = sample();
    let tree = bundle.trees.get_mut("Growing things").unwrap();
    let node = |id: &str, kind: &str| Node {
        id: id.to_owned(),
        name: id.to_owned(),
        kind: kind.to_owned(),
        ..Node::default()
    };
    let link = |from: (&str, &str), to: (&str, &str)| Link {
        from: (from.0.to_owned(), from.1.to_owned()),
        to: (to.0.to_owned(), to.1.to_owned()),
        muted: false,
        sort: None,
    };
    let mut odd = node("odd", "Cube\n.Maker");
    odd.props.insert("operation".to_owned(), json!("ADD"));
    tree.nodes.extend([
        odd,
        node("alone", "GeometryNodeRepeatInput"),
        node("gone", "GeometryNodeGroup"),
    ]);
    let mut switch = node("switch", "GeometryNodeSwitch");
    switch.props.insert("nonsense".to_owned(), json!(1));
    tree.nodes.push(switch);
    tree.links.extend([
        link(("switch", "Output"), ("odd", "In")),
        link(("Value", "Value"), ("Math", "Value")),
        link(("nobody", "Value"), ("Math", "Value")),
        link(("Index", "Index"), ("Math", "Value_002")),
    ]);
    let page = write(&bundle, &Names::new(&catalogue), Extent::Structure);
    check_grammar(&page.text);
    let wanted = [
        "the node type Cube\n.Maker of “odd” is unknown here",
        "“alone” is one end of a zone without the other",
        "the group of “gone” is missing",
        "the property nonsense of “switch” is unknown here",
        "several links lead to the input “Value” of “Math”",
        "a link from “nobody” to “Math” has an end that does not exist",
        "a link uses the hidden input “Value” of “Math”",
    ];
    let told: Vec<String> = wanted.iter().map(|loss| format!("“Growing things”: {loss}")).collect();
    for loss in &told {
        assert!(page.losses.contains(loss), "{loss} is not among {:?}", page.losses);
    }
    assert_eq!(page.losses.len(), told.len(), "{:?}", page.losses);
    assert_eq!(page.text.matches("# Cannot be said here: ").count(), told.len());
    assert!(
        page.text.contains("data.node_type(\"Cube\\n.Maker\")("),
        "{}",
        page.text
    );
}

#[test]
fn a_brief_page_fits_and_says_what_it_lacks() {
    let catalogue = catalogue("5.2");
    let names = Names::new(&catalogue);
    let bundle = large(300);
    let whole = write(&bundle, &names, Extent::Structure).text;
    let all = write_brief(&bundle, &names, Focus::default(), whole.len() + 1000);
    assert_eq!((all.text.as_str(), all.left_out), (whole.as_str(), 0));
    let mut cut = 0;
    for limit in [0, 500, 2_000, 6_000, 15_000] {
        let brief = write_brief(&bundle, &names, Focus::default(), limit);
        assert!(brief.text.len() <= limit);
        assert!(brief.left_out > 0);
        assert!(brief.text.is_empty() || brief.text.contains("# … "), "{}", brief.text);
        if limit >= 2_000 {
            // What is nearest to the output stays.
            assert!(brief.text.contains("    return "), "{}", brief.text);
            cut += 1;
        }
    }
    assert_eq!(cut, 3);
    let selected = [bundle.trees["Large"].nodes[200].id.clone()];
    let focus = Focus {
        selected: &selected,
        touched: &[],
    };
    let name = geonode_text::names::word(&selected[0]).unwrap();
    let line = format!("    {name} = ");
    assert!(write_brief(&bundle, &names, focus, 4_000).text.contains(&line));
    assert!(
        !write_brief(&bundle, &names, Focus::default(), 4_000)
            .text
            .contains(&line)
    );
}

/// A chain of nodes, with labels, frames, constants and side branches.
fn large(count: usize) -> Bundle {
    let mut tree = Tree::default();
    let socket = |identifier: &str, side: Side| Item {
        kind: ItemKind::Socket,
        identifier: identifier.to_owned(),
        name: "Geometry".to_owned(),
        in_out: Some(side),
        socket_type: "NodeSocketGeometry".to_owned(),
        parent: None,
        props: Map::new(),
    };
    tree.interface = vec![socket("Socket_1", Side::Output), socket("Socket_2", Side::Input)];
    let node = |id: String, kind: &str| Node {
        name: id.clone(),
        id,
        kind: kind.to_owned(),
        ..Node::default()
    };
    let link = |from: (&str, &str), to: (&str, &str)| Link {
        from: (from.0.to_owned(), from.1.to_owned()),
        to: (to.0.to_owned(), to.1.to_owned()),
        muted: false,
        sort: None,
    };
    tree.nodes.push(node("Group Input".to_owned(), "NodeGroupInput"));
    let mut before = ("Group Input".to_owned(), "Socket_2");
    for number in 0..count / 3 {
        let (shift, switch, math) = (
            format!("Set Position.{number:03}"),
            format!("Switch.{number:03}"),
            format!("Math.{number:03}"),
        );
        let mut step = node(shift.clone(), "GeometryNodeSetPosition");
        step.inputs.insert(
            "Offset".to_owned(),
            Map::from_iter([("value".to_owned(), json!([0.0, 0.0, 0.5]))]),
        );
        step.label = (number % 7 == 0).then(|| format!("Step {number}"));
        let mut sum = node(math.clone(), "ShaderNodeMath");
        sum.props.insert("operation".to_owned(), json!("MULTIPLY"));
        sum.inputs.insert(
            "Value_001".to_owned(),
            Map::from_iter([("value".to_owned(), json!(2.0))]),
        );
        tree.nodes
            .extend([step, node(switch.clone(), "GeometryNodeSwitch"), sum]);
        tree.links.push(link((&before.0, before.1), (&shift, "Geometry")));
        tree.links.push(link((&before.0, before.1), (&switch, "False")));
        tree.links.push(link((&shift, "Geometry"), (&switch, "True")));
        tree.links.push(link((&math, "Value"), (&switch, "Switch")));
        if number > 0 {
            tree.links
                .push(link((&format!("Math.{:03}", number - 1), "Value"), (&math, "Value")));
        }
        before = (switch, "Output");
    }
    tree.nodes.push(node("Group Output".to_owned(), "NodeGroupOutput"));
    tree.links
        .push(link((&before.0, before.1), ("Group Output", "Socket_1")));
    Bundle {
        ir: 1,
        blender: [5, 2, 0],
        root: Some("Large".to_owned()),
        trees: [("Large".to_owned(), tree)].into_iter().collect(),
    }
}

#[test]
fn a_thousand_nodes_take_little_time() {
    let catalogue = catalogue("5.2");
    let names = Names::new(&catalogue);
    let bundle = large(1_000);
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let page = write(&bundle, &names, Extent::Structure);
        best = best.min(start.elapsed());
        assert!(page.text.lines().count() > 1_000);
    }
    println!("1,000 nodes are written in {best:?}");
    let limit = if cfg!(debug_assertions) { 600 } else { 10 };
    assert!(best < Duration::from_millis(limit), "{best:?}");
}

const KINDS: [&str; 12] = [
    "ShaderNodeMath",
    "ShaderNodeVectorMath",
    "FunctionNodeCompare",
    "FunctionNodeBooleanMath",
    "GeometryNodeSetPosition",
    "GeometryNodeJoinGeometry",
    "GeometryNodeRepeatInput",
    "GeometryNodeRepeatOutput",
    "NodeClosureInput",
    "NodeClosureOutput",
    "NodeReroute",
    "NodeFrame",
];

/// Any tree, sound or not: IDs of every form, links from and to whatever there is.
fn any_tree() -> impl Strategy<Value = Tree> {
    let node = (
        0..KINDS.len(),
        "\\PC{0,12}|[a-c]{1,2}(/value)?",
        proptest::option::of("\\PC{0,8}"),
        any::<u8>(),
        any::<bool>(),
    );
    let link = (
        any::<usize>(),
        any::<usize>(),
        any::<usize>(),
        any::<usize>(),
        any::<bool>(),
    );
    (
        proptest::collection::vec(node, 1..14),
        proptest::collection::vec(link, 0..24),
    )
        .prop_map(|(nodes, links)| {
            let catalogue = shared();
            let mut tree = Tree::default();
            for (number, (kind, id, label, other, flag)) in nodes.iter().enumerate() {
                let id = if tree.nodes.iter().any(|node| node.id == *id) {
                    format!("{id}.{number}")
                } else {
                    id.clone()
                };
                let mut node = Node {
                    name: id.clone(),
                    id,
                    kind: KINDS[*kind].to_owned(),
                    label: label.clone(),
                    ..Node::default()
                };
                let earlier = tree.nodes.get(usize::from(*other) % nodes.len());
                if KINDS[*kind].ends_with("Input") {
                    let mate = KINDS[*kind].replace("Input", "Output");
                    node.pair = tree
                        .nodes
                        .iter()
                        .find(|node| node.kind == mate)
                        .map(|node| node.id.clone());
                } else if *flag {
                    node.parent = earlier
                        .filter(|node| node.kind == "NodeFrame")
                        .map(|node| node.id.clone());
                    node.props.insert("mute".to_owned(), Value::from(true));
                }
                tree.nodes.push(node);
            }
            let sockets = |node: &Node, side: Side| -> Vec<String> {
                let list = catalogue.nodes[&node.kind].states[0].side(side);
                list.iter().map(|socket| socket.identifier.clone()).collect()
            };
            for (from, socket, to, input, muted) in links {
                let (from, to) = (&tree.nodes[from % tree.nodes.len()], &tree.nodes[to % tree.nodes.len()]);
                let (outputs, inputs) = (sockets(from, Side::Output), sockets(to, Side::Input));
                if outputs.is_empty() || inputs.is_empty() {
                    continue;
                }
                tree.links.push(Link {
                    from: (from.id.clone(), outputs[socket % outputs.len()].clone()),
                    to: (to.id.clone(), inputs[input % inputs.len()].clone()),
                    muted,
                    sort: None,
                });
            }
            tree
        })
}

fn shared() -> &'static Catalogue {
    static SHARED: std::sync::OnceLock<Catalogue> = std::sync::OnceLock::new();
    SHARED.get_or_init(|| catalogue("5.2"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn any_tree_has_a_page_that_is_python(tree in any_tree(), name in "\\PC{0,20}") {
        let names = Names::new(shared());
        let count = tree.nodes.len();
        let bundle = Bundle { ir: 1, blender: [5, 2, 0], root: Some(name.clone()), trees: [(name, tree)].into_iter().collect() };
        for extent in [Extent::Structure, Extent::Full] {
            let page = write(&bundle, &names, extent);
            check_grammar(&page.text);
            prop_assert_eq!(&page, &write(&bundle, &names, extent));
            prop_assert_eq!(page.losses.len(), page.text.matches("# Cannot be said here: ").count());
        }
        // Of a closure that is cut, its head may stand without its body: only whole pages are Python.
        let brief = write_brief(&bundle, &names, Focus::default(), 600);
        prop_assert!(brief.text.len() <= 600 && brief.left_out <= count);
    }
}
