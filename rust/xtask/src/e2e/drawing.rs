//! A node tree as a drawing for the page: places of boxes, rows and links in the drawing's own units.

use serde::Serialize;
use serde_json::Value;

/// Height of a node's head and of each of its rows, in Blender's units.
const HEAD: f64 = 24.0;
const ROW: f64 = 21.0;
/// Around the drawing, and around what a frame holds.
const MARGIN: f64 = 24.0;
/// Longest word that a node shows, by its width.
const UNITS_PER_LETTER: f64 = 7.5;

/// A socket's row.
#[derive(Debug, PartialEq, Serialize)]
struct Row {
    y: f64,
    text: String,
    /// Whether it stands on the right.
    gives: bool,
}

/// A node, or a frame around some.
#[derive(Debug, PartialEq, Serialize)]
struct Node {
    kind: String,
    title: String,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    rows: Vec<Row>,
}

/// A tree.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Drawing {
    name: String,
    width: f64,
    height: f64,
    /// The largest first, so that those inside stand before it.
    frames: Vec<Node>,
    nodes: Vec<Node>,
    /// Paths as SVG has them.
    links: Vec<String>,
}

/// The drawing of a tree as the add-on describes it; none for what is no such description or has no nodes.
pub(super) fn of(tree: &Value) -> Option<Drawing> {
    let given = tree.get("nodes")?.as_array()?;
    let mut nodes: Vec<Node> = given.iter().map(node).collect::<Option<_>>()?;
    let parents: Vec<Option<usize>> = given.iter().map(|one| index(one.get("frame"))).collect();
    // What lies inside comes first: a frame is around those that it holds.
    for _ in 0..nodes.len() {
        if !around(&mut nodes, &parents) {
            break;
        }
    }
    let left = least(nodes.iter().map(|node| node.x))? - MARGIN;
    let top = least(nodes.iter().map(|node| node.y))? - MARGIN;
    for node in &mut nodes {
        node.x -= left;
        node.y -= top;
        for row in &mut node.rows {
            row.y -= top;
        }
    }
    let links = tree.get("links").and_then(Value::as_array).into_iter().flatten();
    let links = links.filter_map(|link| path(&nodes, link)).collect();
    let far = |end: fn(&Node) -> f64| nodes.iter().map(end).fold(0.0, f64::max) + MARGIN;
    let (width, height) = (far(|node| node.x + node.width), far(|node| node.y + node.height));
    let (mut frames, nodes): (Vec<Node>, Vec<Node>) = nodes.into_iter().partition(|node| node.kind == "frame");
    frames.sort_by(|a, b| (b.width * b.height).total_cmp(&(a.width * a.height)));
    Some(Drawing {
        name: tree.get("name")?.as_str()?.to_owned(),
        width,
        height,
        frames,
        nodes,
        links,
    })
}

fn node(given: &Value) -> Option<Node> {
    let kind = given.get("kind")?.as_str()?.to_owned();
    let place = given.get("place")?.as_array()?;
    let (x, up) = (place.first()?.as_f64()?, place.get(1)?.as_f64()?);
    let y = -up;
    let width = if kind == "reroute" {
        10.0
    } else {
        given.get("width")?.as_f64()?
    };
    let words = |key: &str| -> Vec<String> {
        let all = given.get(key).and_then(Value::as_array).into_iter().flatten();
        all.filter_map(|word| Some(cut(word.as_str()?, width))).collect()
    };
    let (inputs, outputs) = (words("inputs"), words("outputs"));
    let sides = std::iter::repeat_n(true, outputs.len()).chain(std::iter::repeat_n(false, inputs.len()));
    let head = if kind == "reroute" { -ROW / 2.0 } else { HEAD };
    let mut at = y + head - ROW / 2.0;
    let rows: Vec<Row> = sides
        .zip(outputs.into_iter().chain(inputs))
        .map(|(gives, text)| {
            // Both ends of a reroute are one point.
            at += if kind == "reroute" { 0.0 } else { ROW };
            let y = if kind == "reroute" { y } else { at };
            Row { y, text, gives }
        })
        .collect();
    let height = match kind.as_str() {
        "reroute" => 10.0,
        "frame" => 0.0,
        _ => at + ROW - y,
    };
    Some(Node {
        title: cut(given.get("title")?.as_str()?, width),
        kind,
        x,
        y,
        width,
        height,
        rows,
    })
}

/// Puts each frame around what it holds; whether one changed.
fn around(nodes: &mut [Node], parents: &[Option<usize>]) -> bool {
    let mut changed = false;
    for frame in 0..nodes.len() {
        let held = || nodes.iter().zip(parents).filter(|(_, parent)| **parent == Some(frame));
        let Some(left) = least(held().map(|(node, _)| node.x - MARGIN)) else {
            continue;
        };
        let Some(top) = least(held().map(|(node, _)| node.y - MARGIN - HEAD)) else {
            continue;
        };
        let right = held().map(|(node, _)| node.x + node.width).fold(left, f64::max) + MARGIN;
        let bottom = held().map(|(node, _)| node.y + node.height).fold(top, f64::max) + MARGIN;
        let Some(own) = nodes.get_mut(frame) else { continue };
        let now = (left, top, right - left, bottom - top);
        changed |= (own.x, own.y, own.width, own.height) != now;
        (own.x, own.y, own.width, own.height) = now;
    }
    changed
}

/// A curve from an output to an input.
fn path(nodes: &[Node], link: &Value) -> Option<String> {
    let end = |at: usize| index(link.get(at));
    let (from, to) = (nodes.get(end(0)?)?, nodes.get(end(2)?)?);
    let (x1, y1) = (from.x + from.width, socket(from, true, end(1)?)?);
    let (x2, y2) = (to.x, socket(to, false, end(3)?)?);
    let bend = ((x2 - x1).abs() / 2.0).clamp(12.0, 120.0);
    Some(format!(
        "M{x1:.0} {y1:.0}C{:.0} {y1:.0} {:.0} {y2:.0} {x2:.0} {y2:.0}",
        x1 + bend,
        x2 - bend
    ))
}

fn socket(node: &Node, gives: bool, number: usize) -> Option<f64> {
    let row = node.rows.iter().filter(|row| row.gives == gives).nth(number)?;
    Some(row.y)
}

fn index(value: Option<&Value>) -> Option<usize> {
    usize::try_from(value?.as_u64()?).ok()
}

fn least(all: impl Iterator<Item = f64>) -> Option<f64> {
    all.reduce(f64::min)
}

/// A text that fits into this width.
fn cut(text: &str, width: f64) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few letters")]
    let most = (width / UNITS_PER_LETTER).clamp(4.0, 60.0) as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree() -> Value {
        let node = |kind: &str, x: f64, frame: Option<u32>, inputs: &[&str], outputs: &[&str]| json!({"title": kind, "kind": kind, "place": [x, 100.0], "width": 140.0, "inputs": inputs, "outputs": outputs, "frame": frame});
        json!({"name": "T", "nodes": [
            node("end", 0.0, None, &[], &["Geometry", "A very long name of a socket"]),
            node("geometry", 200.0, Some(2), &["Geometry"], &["Geometry"]),
            node("frame", 0.0, Some(3), &[], &[]),
            node("frame", 0.0, None, &[], &[]),
            node("reroute", 400.0, None, &["Input"], &["Output"]),
        ], "links": [[0, 0, 1, 0], [1, 0, 4, 0], [1, 9, 4, 0]]})
    }

    #[test]
    fn frames_lie_around_what_they_hold_and_links_end_at_sockets() {
        let drawing = of(&tree()).unwrap();
        let [outer, inner] = drawing.frames.as_slice() else {
            panic!("{drawing:?}")
        };
        let [end, geometry, reroute] = drawing.nodes.as_slice() else {
            panic!("{drawing:?}")
        };
        let holds = |a: &Node, b: &Node| {
            a.x < b.x && a.y < b.y && a.x + a.width > b.x + b.width && a.y + a.height > b.y + b.height
        };
        assert!(holds(outer, inner) && holds(inner, geometry));
        // The link [1, 9, …] leads from a socket that is not shown.
        assert_eq!(drawing.links.len(), 2);
        assert!(drawing.links[0].starts_with(&format!("M{:.0} {:.0}C", end.x + end.width, end.rows[0].y)));
        assert!(drawing.links[1].ends_with(&format!(" {:.0} {:.0}", reroute.x, reroute.rows[0].y)));
        assert_eq!(end.rows[1].text, "A very long name …");
        let all = drawing.nodes.iter().chain(&drawing.frames);
        assert!(
            all.into_iter()
                .all(|node| node.x >= MARGIN && node.x + node.width <= drawing.width - MARGIN)
        );
    }

    #[test]
    fn what_is_no_tree_is_not_drawn() {
        for wrong in [
            json!(null),
            json!({"name": "T", "nodes": []}),
            json!({"name": "T", "nodes": [{"kind": "end"}]}),
        ] {
            assert_eq!(of(&wrong), None);
        }
    }
}
