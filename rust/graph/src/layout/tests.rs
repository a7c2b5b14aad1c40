//! Properties of places over random trees, and figures over the fixtures.

use super::*;
use crate::catalogue::Catalogue;
use crate::documents::Document;
use crate::ir::{Node, Tree};
use proptest::prelude::*;
use proptest::strategy::ValueTree;

fn catalogue() -> Catalogue {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../addon/geonode_assistant/data/catalogue");
    Catalogue::from_json(&std::fs::read_to_string(folder.join("5.2.json")).unwrap()).unwrap()
}

/// The tree with none of its nodes placed.
fn unplaced(name: &str, tree: &Tree) -> TreeModel {
    let bare = Tree {
        interface: tree.interface.clone(),
        ..Tree::default()
    };
    let mut model = TreeModel::new(name, bare, true);
    for node in &tree.nodes {
        let mut node = node.clone();
        node.location = [0.0, 0.0];
        model.insert(node);
    }
    for link in &tree.links {
        model.connect((&link.from.0, &link.from.1), (&link.to.0, &link.to.1), None);
    }
    model
}

/// Both ends of a drawn link, and the numbers of its nodes.
type Segment = ((f64, f64), (f64, f64), (usize, usize));

/// Pairs of links that cross, each taken as a straight line from socket to socket.
fn crossings(scene: &Scene, place: &[Option<(f64, f64)>]) -> usize {
    let ends = |line: &Line| {
        let (a, b) = (place[line.from]?, place[line.to]?);
        Some((
            (a.0 + scene.thing(line.from).size.0, a.1 + line.from_y),
            (b.0, b.1 + line.to_y),
            (line.from, line.to),
        ))
    };
    let segments: Vec<_> = scene.lines.iter().filter_map(ends).collect();
    let side = |a: (f64, f64), b: (f64, f64), c: (f64, f64)| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    // Links between the same two nodes cross wherever these stand.
    let cross = |(a, b, ends): &Segment, (c, d, others): &Segment| {
        ends != others && side(*a, *b, *c) * side(*a, *b, *d) < 0.0 && side(*c, *d, *a) * side(*c, *d, *b) < 0.0
    };
    let pairs = segments
        .iter()
        .enumerate()
        .flat_map(|(i, first)| segments[..i].iter().map(move |second| (first, second)));
    pairs.filter(|(first, second)| cross(first, second)).count()
}

/// The same columns, each filled in tree order.
fn naive(scene: &Scene) -> Vec<Option<(f64, f64)>> {
    let mut bottoms: Vec<(f64, f64)> = Vec::new();
    let place = |thing: &scene::Thing| {
        let (x, _) = thing.place?;
        let at = bottoms
            .iter()
            .position(|(column, _)| (column - x).abs() < 1.0)
            .unwrap_or(bottoms.len());
        if at == bottoms.len() {
            bottoms.push((x, 0.0));
        }
        let y = bottoms[at].1;
        bottoms[at].1 += thing.size.1 + stack::GAP_Y;
        Some((x, y))
    };
    scene.things.iter().map(place).collect()
}

/// Crossings in our drawing and in the naive one.
fn compared(model: &TreeModel, scope: Scope<'_>) -> (usize, usize) {
    let mut scene = Scene::new(model, scope);
    let free: Vec<usize> = (0..scene.things.len()).filter(|i| scene.thing(*i).free).collect();
    arrange(&mut scene, &free);
    let own: Vec<_> = scene.things.iter().map(|thing| thing.place).collect();
    (crossings(&scene, &own), crossings(&scene, &naive(&scene)))
}

#[test]
fn fixtures_have_few_crossings() {
    let catalogue = catalogue();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans");
    let (mut own, mut naive, mut trees) = (0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let case: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(folder.join("case.json")).unwrap()).unwrap();
        let document: Document = serde_json::from_value(case["document"].clone()).unwrap();
        let text = std::fs::read_to_string(folder.join("plan.json")).unwrap();
        let plan = geonode_protocol::parse_plan(&text, &geonode_protocol::Limits::default())
            .plan
            .unwrap();
        let after = crate::compile(&plan, &document, &catalogue).after;
        for (name, tree) in &after.trees {
            let scope = Scope {
                catalogue: &catalogue,
                trees: &after.trees,
            };
            let (a, b) = compared(&unplaced(name, tree), scope);
            (own, naive, trees) = (own + a, naive + b, trees + 1);
        }
    }
    assert!(trees >= 20, "only {trees} trees");
    // May only shrink.
    assert!(
        own <= naive && own <= 2,
        "{own} crossings, {naive} in tree order, {trees} trees"
    );
}

#[test]
fn random_trees_have_far_fewer_crossings_than_tree_order() {
    let catalogue = catalogue();
    let trees = indexmap::IndexMap::new();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut own, mut other) = (0, 0);
    for _ in 0..60 {
        let plan = plan(40).new_tree(&mut runner).unwrap().current();
        let model = unplaced("T", &build(&plan).into_tree());
        let (a, b) = compared(
            &model,
            Scope {
                catalogue: &catalogue,
                trees: &trees,
            },
        );
        (own, other) = (own + a, other + b);
    }
    assert!(
        other > 1000 && own * 3 < other * 2,
        "{own} crossings, {other} in tree order"
    );
}

/// A thousand nodes with a zone and frames; the bound is ten times what a slow machine needs without optimisation.
#[test]
fn a_thousand_nodes_are_laid_out_quickly() {
    let catalogue = catalogue();
    let trees = indexmap::IndexMap::new();
    let count = 1000;
    let plan = Plan {
        nodes: (0..count).map(|i| (i * 7 % KINDS.len(), false)).collect(),
        links: (1..count).flat_map(|i| [(i / 3, i), (i * 31 % i.max(1), i)]).collect(),
        zones: vec![(100, 300)],
        frames: (0..20).map(|f| ((f * 50..f * 50 + 20).collect(), 99)).collect(),
    };
    let model = build(&plan);
    let start = std::time::Instant::now();
    let places = places(
        &model,
        Scope {
            catalogue: &catalogue,
            trees: &trees,
        },
    );
    let time = start.elapsed();
    println!("{} places in {time:?}", places.len());
    assert_eq!(places.len(), count);
    assert!(time.as_secs_f64() < 5.0, "{time:?}");
}

/// What a random tree is made of.
#[derive(Debug, Clone)]
struct Plan {
    /// Kind of each node, and whether it is the artist's.
    nodes: Vec<(usize, bool)>,
    /// Pairs of nodes; a link goes from the smaller to the larger.
    links: Vec<(usize, usize)>,
    /// First and last node of each zone: what lies between is linked through it.
    zones: Vec<(usize, usize)>,
    /// Nodes of each frame, and the frame around it.
    frames: Vec<(Vec<usize>, usize)>,
}

const KINDS: [(&str, &[&str], &str); 5] = [
    ("ShaderNodeMath", &["Value", "Value_001"], "Value"),
    ("GeometryNodeSetPosition", &["Geometry", "Offset"], "Geometry"),
    ("GeometryNodeJoinGeometry", &["Geometry"], "Geometry"),
    ("NodeReroute", &["Input"], "Output"),
    ("FunctionNodeRandomValue", &["Min_001", "Max_001"], "Value_001"),
];

fn plan(most: usize) -> impl Strategy<Value = Plan> {
    (1..most).prop_flat_map(move |count| {
        let artist = prop_oneof![3 => Just(0.0), 1 => Just(0.5)];
        artist.prop_flat_map(move |artist| {
            let node = (0..KINDS.len(), proptest::bool::weighted(artist));
            let members = proptest::collection::vec(0..count, 1..6);
            (
                proptest::collection::vec(node, count),
                proptest::collection::vec((0..count, 0..count), 0..count * 2),
                proptest::collection::vec((0..count, 0..count), 0..3),
                proptest::collection::vec((members, 0..6_usize), 0..4),
            )
                .prop_map(|(nodes, links, zones, frames)| Plan {
                    nodes,
                    links,
                    zones,
                    frames,
                })
        })
    })
}

fn name(i: usize) -> String {
    format!("n{i}")
}

/// The links of a plan, those aside that leave a zone past its output; all of a zone's body is linked between its ends.
fn sound_links(plan: &Plan, pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let zone_of = |i: usize| {
        pairs
            .iter()
            .filter(|(a, b)| *a < i && i < *b)
            .map(|(a, b)| (b - a, *a))
            .min()
    };
    let mut links: Vec<(usize, usize)> = plan
        .links
        .iter()
        .map(|(a, b)| (*a.min(b), *a.max(b)))
        .filter(|(a, b)| a != b)
        .collect();
    for (a, b) in pairs {
        links.extend((a + 1..*b).flat_map(|i| [(*a, i), (i, *b)]));
    }
    // Into a zone a link may go, out of it only through the output: a zone's end counts as outside on its far side.
    let end = |i: usize, as_source: bool| {
        let opens = pairs.iter().any(|(a, _)| as_source && *a == i) || pairs.iter().any(|(_, b)| !as_source && *b == i);
        if opens {
            pairs.iter().find(|(a, b)| *a == i || *b == i).map(|(a, b)| (b - a, *a))
        } else {
            zone_of(i)
        }
    };
    links.retain(|(from, to)| {
        let source = end(*from, true);
        let mut around = pairs
            .iter()
            .filter(|(a, b)| *a < *to && *to < *b || *b == *to)
            .map(|(a, b)| (b - a, *a));
        source.is_none_or(|zone| end(*to, false) == Some(zone) || around.any(|other| other == zone))
    });
    links
}

/// The tree of a plan.
fn build(plan: &Plan) -> TreeModel {
    let count = plan.nodes.len();
    let mut kinds: Vec<(&str, &[&str], &str)> = plan.nodes.iter().map(|(kind, _)| KINDS[*kind]).collect();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (a, b) in &plan.zones {
        let (first, last) = (*a.min(b), *a.max(b));
        // Zones lie inside each other or apart, and have a body.
        let sound = pairs
            .iter()
            .all(|(c, d)| last < *c || *d < first || (*c < first && last < *d) || (first < *c && *d < last));
        if last > first + 1 && sound {
            kinds[first] = ("GeometryNodeRepeatInput", &["Item_0"], "Item_0");
            kinds[last] = ("GeometryNodeRepeatOutput", &["Item_0"], "Item_0");
            pairs.push((first, last));
        }
    }
    let mut nodes: Vec<Node> = (0..count)
        .map(|i| {
            #[allow(clippy::cast_precision_loss, reason = "small")]
            let location = [(i % 7) as f64 * 400.0, (i / 7) as f64 * -500.0];
            Node {
                id: name(i),
                name: name(i),
                kind: kinds[i].0.to_owned(),
                pair: pairs.iter().find(|(a, _)| *a == i).map(|(_, b)| name(*b)),
                location: if plan.nodes[i].1 { location } else { [0.0, 0.0] },
                ..Node::default()
            }
        })
        .collect();
    let links = sound_links(plan, &pairs);
    for (f, (members, around)) in plan.frames.iter().enumerate() {
        let id = format!("f{f}");
        let parent = (*around < f).then(|| format!("f{around}"));
        nodes.push(Node {
            id: id.clone(),
            name: id.clone(),
            kind: "NodeFrame".into(),
            parent,
            ..Node::default()
        });
        for member in members {
            nodes[*member].parent = Some(id.clone());
        }
    }
    let old = |id: &str| {
        plan.nodes
            .iter()
            .enumerate()
            .any(|(i, (_, artist))| *artist && name(i) == id)
    };
    let held = |frame: &str| {
        nodes
            .iter()
            .any(|node| node.parent.as_deref() == Some(frame) && old(&node.id))
    };
    let present: Vec<bool> = nodes
        .iter()
        .map(|node| old(&node.id) || (node.kind == "NodeFrame" && held(&node.id)))
        .collect();
    let tree = Tree {
        nodes: nodes
            .iter()
            .zip(&present)
            .filter(|(_, old)| **old)
            .map(|(node, _)| node.clone())
            .collect(),
        ..Tree::default()
    };
    let mut model = TreeModel::new("T", tree, false);
    for (node, _) in nodes.into_iter().zip(&present).filter(|(_, old)| !**old) {
        model.insert(node);
    }
    for (from, to) in links {
        let inputs = kinds[to].1;
        model.connect(
            (&name(from), kinds[from].2),
            (&name(to), inputs[from % inputs.len()]),
            None,
        );
    }
    model
}

/// A random tree with all that is needed to judge its places.
struct Case {
    scene: Scene,
    clusters: Clusters,
    ids: Vec<String>,
    mixed: bool,
}

fn placed(plan: &Plan, catalogue: &Catalogue) -> Case {
    let model = build(plan);
    let trees = indexmap::IndexMap::new();
    let scope = Scope {
        catalogue,
        trees: &trees,
    };
    let mut scene = Scene::new(&model, scope);
    let clusters = Clusters::new(&scene);
    let free: Vec<usize> = (0..scene.things.len()).filter(|i| scene.thing(*i).free).collect();
    let before = scene.things.clone();
    arrange(&mut scene, &free);
    for (old, new) in before.iter().zip(&scene.things) {
        assert!(old.free || old.place == new.place, "what is there stays");
        assert!(!old.free || new.place.is_some(), "what is new has a place");
    }
    Case {
        mixed: model.nodes().any(|node| !model.is_new(&node.id)),
        ids: model.nodes().map(|node| node.id.clone()).collect(),
        scene,
        clusters,
    }
}

impl Case {
    fn rect(&self, i: usize) -> Option<scene::Rect> {
        self.scene.thing(i).rect().filter(|_| !self.scene.thing(i).holder)
    }

    fn outline(&self, members: &[usize]) -> Option<scene::Rect> {
        members.iter().filter_map(|i| self.rect(*i)).reduce(scene::Rect::union)
    }

    /// Nodes that are in the way of a cluster without being part of it.
    fn foreign(&self, members: &[usize]) -> Vec<&str> {
        let Some(outline) = self.outline(members) else {
            return Vec::new();
        };
        let stranger = |i: &usize| !members.contains(i) && self.rect(*i).is_some_and(|rect| rect.meets(outline));
        (0..self.ids.len())
            .filter(stranger)
            .map(|i| self.ids[i].as_str())
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layouts_are_readable(plan in plan(30)) {
        thread_local!(static CATALOGUE: Catalogue = catalogue());
        CATALOGUE.with(|catalogue| {
            let case = placed(&plan, catalogue);
            no_overlaps(&case);
            boxes_hold_only_their_own(&case);
            frames_that_are_there_get_nothing_foreign(&case);
            if !case.mixed {
                links_go_right(&case);
                every_frame_and_most_zones_are_boxes(&case);
            }
            let again = placed(&plan, catalogue);
            let places = |case: &Case| -> Vec<_> { case.scene.things.iter().map(|thing| thing.place).collect() };
            assert_eq!(places(&case), places(&again), "the same tree has the same places");
        });
    }
}

fn no_overlaps(case: &Case) {
    for a in 0..case.ids.len() {
        for b in 0..a {
            let new = case.scene.thing(a).free || case.scene.thing(b).free;
            if let (true, Some(first), Some(second)) = (new, case.rect(a), case.rect(b)) {
                assert!(
                    !first.meets(second),
                    "{} and {} overlap: {first:?} {second:?}",
                    case.ids[a],
                    case.ids[b]
                );
            }
        }
    }
}

fn boxes_hold_only_their_own(case: &Case) {
    for cluster in case.clusters.boxes.iter().filter_map(|c| case.clusters.cluster(*c)) {
        let foreign = case.foreign(&cluster.members);
        assert!(foreign.is_empty(), "{foreign:?} in the box of {:?}", cluster.members);
        if let Some((input, output)) = cluster.zone {
            let (first, last) = (case.rect(input).unwrap(), case.rect(output).unwrap());
            for member in cluster.members.iter().filter(|i| **i != input && **i != output) {
                let body = case.rect(*member).unwrap();
                assert!(
                    first.right < body.left && body.right < last.left,
                    "the ends of a zone stand around its body"
                );
            }
        }
    }
}

fn frames_that_are_there_get_nothing_foreign(case: &Case) {
    for (c, outline) in &case.clusters.outlines {
        let members = &case.clusters.all[*c].members;
        for i in (0..case.ids.len()).filter(|i| case.scene.thing(*i).free && !members.contains(i)) {
            let inside = case.rect(i).is_some_and(|rect| rect.meets(*outline));
            assert!(!inside, "{} lies in a frame or zone that is not its own", case.ids[i]);
        }
    }
}

fn links_go_right(case: &Case) {
    for line in &case.scene.lines {
        let (from, to) = (case.rect(line.from).unwrap(), case.rect(line.to).unwrap());
        assert!(
            from.right < to.left,
            "{} → {} goes left",
            case.ids[line.from],
            case.ids[line.to]
        );
    }
}

/// Only a zone that a frame cuts in two is not a box.
fn every_frame_and_most_zones_are_boxes(case: &Case) {
    for (c, cluster) in case.clusters.all.iter().enumerate() {
        let inside = |other: &clusters::Cluster| other.members.iter().filter(|i| cluster.members.contains(i)).count();
        let cut = |other: &clusters::Cluster| {
            let shared = inside(other);
            other.frame.is_some() && shared > 0 && shared < other.members.len() && shared < cluster.members.len()
        };
        let excused = cluster.zone.is_some() && case.clusters.all.iter().any(cut);
        assert!(
            excused || case.clusters.boxes.contains(&c),
            "{:?} is not a box",
            cluster.members
        );
    }
}

/// What the first step made stands still in the second.
#[test]
fn a_later_step_avoids_what_an_earlier_one_made() {
    let catalogue = catalogue();
    let step = |id: &str, node: &str| {
        serde_json::json!({"id": id, "type": "NODE_TREE", "description": "", "payload": {
            "target": {"object_name": "Cube", "modifier_name": "GN", "node_group_name": "GN"},
            "operations": [
                {"op": "create_node", "node_id": node, "bl_idname": "GeometryNodeSetPosition"},
                {"op": "link", "from": {"node_id": "group_input", "socket": "Geometry"}, "to": {"node_id": node, "socket": "Geometry"}},
                {"op": "link", "from": {"node_id": node, "socket": "Geometry"}, "to": {"node_id": "group_output", "socket": "Geometry"}}]}})
    };
    let plan = serde_json::json!({"version": "1.1", "done": true, "final_message": "", "steps": [step("a", "first"), step("b", "second")]});
    let plan = geonode_protocol::parse_plan_value(&plan, &geonode_protocol::Limits::default())
        .plan
        .unwrap();
    let mut document = Document::default();
    let cube = crate::documents::Object {
        kind: "MESH".into(),
        ..Default::default()
    };
    document.objects.insert("Cube".into(), cube);
    let compiled = crate::compile(&plan, &document, &catalogue);
    assert!(compiled.ok(), "{:?}", compiled.findings);
    let places: Vec<&(String, f64, f64)> = compiled
        .steps
        .iter()
        .flat_map(|step| &step.trees)
        .flat_map(|tree| &tree.locations)
        .collect();
    assert_eq!(places.len(), 4, "{places:?}");
    for (id, x, y) in places {
        let node = compiled.after.trees["GN"]
            .nodes
            .iter()
            .find(|node| node.id == *id)
            .unwrap();
        let off = (node.location[0] - x).abs() + (node.location[1] - y).abs();
        assert!(off < 1e-9, "the tree knows where its nodes are");
    }
    // A further new node makes the scene be drawn at all.
    let mut model = TreeModel::new("GN", compiled.after.trees["GN"].clone(), false);
    model.insert(Node {
        id: "new".into(),
        kind: "NodeReroute".into(),
        ..Node::default()
    });
    let scene = Scene::new(
        &model,
        Scope {
            catalogue: &catalogue,
            trees: &compiled.after.trees,
        },
    );
    let rects: Vec<scene::Rect> = scene.things.iter().filter_map(scene::Thing::rect).collect();
    for (i, rect) in rects.iter().enumerate() {
        assert!(rects[..i].iter().all(|other| !other.meets(*rect)), "{rects:?}");
    }
}
