//! Names are unique, reversible and words of Python.

use std::collections::HashSet;

use geonode_graph::ir::{Item, ItemKind, Map, Node, Side, Tree};
use geonode_text::Names;
use geonode_text::names::{
    FORM_CALLS, SocketNames, Variables, is_word, path, read_item_type, read_type, title, word, write_item_type,
    write_type,
};
use proptest::prelude::*;
use rustpython_parser::{Parse, ast};

use crate::catalogue;

const VERSIONS: [&str; 4] = ["4.2", "4.5", "5.0", "5.2"];

#[test]
fn every_node_type_has_its_own_call() {
    let mut types = 0;
    for version in VERSIONS {
        let catalogue = catalogue(version);
        let names = Names::new(&catalogue);
        let mut calls: HashSet<String> = HashSet::new();
        for kind in catalogue.nodes.keys() {
            let call = names.call(kind);
            assert!(is_word(&call) && !FORM_CALLS.contains(&call.as_str()), "{kind}: {call}");
            assert_eq!(names.node_type(&call), Some(kind.as_str()));
            assert_eq!(names.node_type(kind), Some(kind.as_str()));
            assert!(calls.insert(call));
            types += 1;
        }
        for (kind, call) in [
            ("GeometryNodeSetPosition", "set_position"),
            ("GeometryNodeGroup", "group"),
            ("NodeGroupInput", "group_input"),
            ("NodeReroute", "reroute"),
            ("ShaderNodeMath", "math"),
        ] {
            assert_eq!(names.call(kind), call, "{version}");
        }
        assert_eq!(names.near_calls("set_positon").first(), Some(&"set_position"));
        // Other words in another order, and nothing where only words like “set” are shared.
        assert!(names.near_calls("mesh_sphere").contains(&"uv_sphere"));
        assert!(names.near_calls("set_zzz").is_empty());
        assert_eq!(
            (names.call("Strange").as_str(), names.node_type("strange")),
            ("Strange", None)
        );
    }
    assert!(types > 1_000, "{types}");
}

#[test]
fn every_socket_of_every_mode_has_its_own_word() {
    let mut sockets = 0;
    for version in VERSIONS {
        for (kind, node) in &catalogue(version).nodes {
            for list in node.states.iter().flat_map(|state| [&state.inputs, &state.outputs]) {
                let words = SocketNames::of(list);
                assert_eq!(words.words().collect::<HashSet<_>>().len(), list.len(), "{kind}");
                for at in 0..list.len() {
                    let own = words.word_at(at).unwrap();
                    assert!(is_word(own), "{kind}: {own}");
                    assert_eq!(words.place(own), Some(at), "{kind}: {own}");
                    sockets += 1;
                }
            }
        }
    }
    assert!(sockets > 10_000, "{sockets}");
}

#[test]
fn repeated_names_are_numbered_as_identifiers_are() {
    let math = SocketNames::new([
        ("Value", "Value", true),
        ("Value", "Value_001", false),
        ("Value", "Value_002", true),
    ]);
    assert_eq!(math.words().collect::<Vec<_>>(), ["value", "value_001", "value_002"]);
    assert_eq!(math.identifier("value_002"), Some("Value_002"));
    let items = SocketNames::new([
        ("Size", "Socket_7", true),
        ("Size 001", "Socket_8", true),
        ("Size", "Socket_9", true),
    ]);
    assert_eq!(items.words().collect::<Vec<_>>(), ["size", "size_001", "size_002"]);
    let read = [
        items.identifier("size_002"),
        items.identifier("Socket_8"),
        items.identifier("Size 001"),
        items.identifier("Size"),
    ];
    assert_eq!(read, [Some("Socket_9"), Some("Socket_8"), Some("Socket_8"), None]);
    assert_eq!(items.near("siz").as_deref(), Some("size"));
}

#[test]
fn properties_that_share_a_word_with_an_input_are_known() {
    let catalogue = catalogue("5.2");
    let names = Names::new(&catalogue);
    assert!(names.is_shadowed("FunctionNodeAxesToRotation", "primary_axis"));
    assert!(names.is_shadowed("ShaderNodeFloatCurve", "mapping.clip_max_y"));
    assert!(!names.is_shadowed("ShaderNodeMath", "operation"));
    assert_eq!(
        names.items_keyword("GeometryNodeMenuSwitch", "enum_items"),
        Some("items")
    );
    assert_eq!(
        names.items_keyword("NodeEvaluateClosure", "input_items"),
        Some("input_items")
    );
    assert_eq!(names.items_keyword("ShaderNodeValToRGB", "color_ramp.elements"), None);
    assert_eq!(names.collection("GeometryNodeMenuSwitch", "items"), Some("enum_items"));
    assert_eq!(names.collection("NodeEvaluateClosure", "items"), None);
}

#[test]
fn types_of_sockets_and_items_are_read_back() {
    let mut types = 0;
    for version in VERSIONS {
        let catalogue = catalogue(version);
        for (kind, socket) in &catalogue.sockets {
            let subtypes = socket.subtypes.iter().filter(|subtype| *subtype != "NONE").map(Some);
            for subtype in std::iter::once(None).chain(subtypes) {
                let text = write_type(kind, subtype.map(String::as_str)).unwrap();
                assert_eq!(
                    read_type(&text, &catalogue),
                    Some((kind.clone(), subtype.cloned())),
                    "{text}"
                );
                types += 1;
            }
        }
        for (kind, node) in &catalogue.nodes {
            for (collection, described) in &node.collections {
                let fields = ["socket_type", "data_type"].map(|field| described.fields.get(field));
                let allowed = fields.into_iter().flatten().find_map(|field| field["items"].as_array());
                for short in allowed.into_iter().flatten().map(|short| short.as_str().unwrap()) {
                    let text = write_item_type(short, &catalogue).unwrap_or_else(|| short.to_owned());
                    assert_eq!(
                        read_item_type(&text, &catalogue, kind, collection).as_deref(),
                        Some(short),
                        "{kind}"
                    );
                    types += 1;
                }
            }
        }
        let distance = Some(("NodeSocketFloat".to_owned(), Some("DISTANCE".to_owned())));
        for text in ["Distance", "FloatDistance", "NodeSocketFloatDistance"] {
            let known = catalogue.sockets["NodeSocketFloat"]
                .subtypes
                .iter()
                .any(|subtype| subtype == "DISTANCE");
            assert_eq!(
                read_type(text, &catalogue),
                distance.clone().filter(|_| known),
                "{version}"
            );
        }
    }
    assert!(types > 400, "{types}");
}

#[test]
fn words_and_titles() {
    for (name, plain) in [
        ("Set Position.001", "set_position_001"),
        ("From", "from_"),
        ("True", "true"),
        ("0", "_0"),
        ("  UV  Map! ", "uv_map"),
        ("Größe", "größe"),
        ("a/b", "a_b"),
    ] {
        assert_eq!(word(name).as_deref(), Some(plain), "{name}");
    }
    assert_eq!((word("🙂"), word(""), word("\"_\"")), (None, None, None));
    for name in ["Surface UV Map", "Count", "Moment of Inertia", "Scale Along Curve"] {
        let shown = title(&word(name).unwrap());
        assert!(shown.eq_ignore_ascii_case(name), "{shown}");
    }
    for (word, name) in [
        ("surface_uv_map", "Surface UV Map"),
        ("points_per_row", "Points per Row"),
        ("row_of", "Row Of"),
        ("in_out", "In Out"),
        ("on", "On"),
    ] {
        assert_eq!(title(word), name);
    }
    assert_eq!(
        (path("a", "b", 0), path("a", "b", 2)),
        ("a/b".to_owned(), "a/b.2".to_owned())
    );
}

#[test]
fn variables_know_zones_closures_and_the_ends_of_the_tree() {
    let catalogue = catalogue("5.2");
    let node = |id: &str, kind: &str| Node {
        id: id.to_owned(),
        kind: kind.to_owned(),
        ..Node::default()
    };
    let pair = |id: &str, kind: &str, output: &str| Node {
        pair: Some(output.to_owned()),
        ..node(id, kind)
    };
    let mut inactive = node("Group Output", "NodeGroupOutput");
    inactive.props.insert("is_active_output".to_owned(), false.into());
    let count = Item {
        kind: ItemKind::Socket,
        identifier: "Socket_1".to_owned(),
        name: "Count".to_owned(),
        in_out: Some(Side::Input),
        socket_type: "NodeSocketInt".to_owned(),
        parent: None,
        props: Map::new(),
    };
    let tree = Tree {
        interface: vec![count],
        nodes: vec![
            node("points/density", "ShaderNodeMath"),
            node("Points Density", "ShaderNodeMath"),
            inactive,
            node("Group Output.001", "NodeGroupOutput"),
            node("Group Input.004", "NodeGroupInput"),
            node("Group Input", "NodeGroupInput"),
            node("Count", "ShaderNodeMath"),
            node("Math 1", "ShaderNodeMath"),
            node("math_1", "ShaderNodeMath"),
            pair("Repeat Input.001", "GeometryNodeRepeatInput", "Repeat Output.001"),
            node("Repeat Output.001", "GeometryNodeRepeatOutput"),
            pair("grow.in", "NodeClosureInput", "grow.out"),
            node("grow.out", "NodeClosureOutput"),
        ],
        ..Tree::default()
    };
    let variables = Variables::new(&tree, &catalogue);
    let found: Vec<&str> = tree
        .nodes
        .iter()
        .map(|node| variables.variable(&node.id).unwrap())
        .collect();
    assert_eq!(
        found,
        [
            "points_density_001",
            "points_density",
            "group_output_001",
            "group_output",
            "group_input",
            "group_input_001",
            "count_001",
            "math_1_001",
            "math_1",
            "repeat_001_in",
            "repeat_001_out",
            "grow_in",
            "grow_out",
        ]
    );
    assert!(
        tree.nodes
            .iter()
            .zip(found)
            .all(|(node, name)| variables.id(name) == Some(node.id.as_str()))
    );
    assert_eq!(variables.closure("grow.out"), Some("grow"));
    assert_eq!(variables.closure_output("grow"), Some("grow.out"));
    assert_eq!(variables.closure("Repeat Output.001"), None);
    assert!(variables.is_taken("grow") && variables.is_taken("count") && !variables.is_taken("repeat_001"));
}

proptest! {
    #[test]
    fn any_names_are_reversible(names in prop::collection::vec(("\\PC{0,12}", any::<bool>()), 0..12)) {
        let identifiers: Vec<String> = (0..names.len()).map(|at| format!("Socket_{at}")).collect();
        let sockets = || names.iter().zip(&identifiers).map(|((name, shown), id)| (name.as_str(), id.as_str(), *shown));
        let words = SocketNames::new(sockets());
        for (_, identifier, _) in sockets() {
            let own = words.word(identifier).unwrap();
            prop_assert_eq!(words.identifier(own), Some(identifier));
            prop_assert!(is_word(own), "{}", own);
            // What we take for a name is one for the parser.
            let page = format!("{own} = f({own}={own}.{own})");
            prop_assert!(ast::Suite::parse(&page, "page").is_ok(), "{}", page);
        }
    }

    #[test]
    fn any_ids_have_their_own_variables(ids in prop::collection::hash_set("\\PC{0,8}", 0..10)) {
        let catalogue = geonode_graph::Catalogue::default();
        let nodes = ids.into_iter().map(|id| Node { id, kind: "ShaderNodeMath".to_owned(), ..Node::default() }).collect();
        let tree = Tree { nodes, ..Tree::default() };
        let variables = Variables::new(&tree, &catalogue);
        for node in &tree.nodes {
            let own = variables.variable(&node.id).unwrap();
            prop_assert_eq!(variables.id(own), Some(node.id.as_str()));
            prop_assert!(is_word(own));
        }
        // A tree whose IDs are the variables has the same variables.
        let again = Tree {
            nodes: tree.nodes.iter().map(|node| Node {
                id: variables.variable(&node.id).unwrap().to_owned(),
                ..node.clone()
            }).collect(),
            ..Tree::default()
        };
        let names = Variables::new(&again, &catalogue);
        prop_assert!(again.nodes.iter().all(|node| names.variable(&node.id) == Some(node.id.as_str())));
    }
}
