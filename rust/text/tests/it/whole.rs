//! Whole trees come back: what is written of a tree, read again and made in an empty file, is that tree. The folder that `TREES` names is
//! read too, with the differences of all its trees by class.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use geonode_graph::ir::{Bundle, Item, ItemKind, Node, Tree};
use geonode_graph::{Catalogue, Document};
use geonode_protocol::Finding;
use geonode_text::names::LOOK;
use geonode_text::{Extent, Names, write};
use serde_json::Value;

use crate::catalogue;
use crate::pages::{compiled, empty_file, settled};

/// Differences by class, each with its tree.
type Differences = BTreeMap<&'static str, Vec<String>>;

/// The properties of trees that are those of a data-block in its file, or only change how it looks in the editor.
const OF_FILES: [&str; 4] = [
    "use_fake_user",
    "color_tag",
    "default_group_node_width",
    "show_modifier_manage_panel",
];

fn bundle_of(trees: indexmap::IndexMap<String, Tree>, root: &str) -> Bundle {
    Bundle {
        ir: geonode_graph::ir::IR_VERSION,
        blender: [0; 3],
        root: Some(root.to_owned()),
        trees,
    }
}

/// A file with the objects and materials that a tree uses.
fn file_for(bundle: &Bundle) -> Document {
    let mut file = empty_file();
    let mut open = vec![serde_json::to_value(bundle).unwrap()];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                for kind in ["object", "material"] {
                    if let (1, Some(Value::String(name))) = (fields.len(), fields.get(kind)) {
                        file.names.get_mut(kind).unwrap().insert(name.clone());
                    }
                }
                open.extend(fields.into_iter().map(|(_, value)| value));
            }
            Value::Array(parts) => open.extend(parts),
            _ => {}
        }
    }
    file
}

fn interface(tree: &Tree) -> Vec<String> {
    let place = |item: &Item| {
        let parent = tree
            .interface
            .iter()
            .find(|other| Some(&other.identifier) == item.parent.as_ref());
        let mut props = item.props.clone();
        props.shift_remove("bl_socket_idname");
        // As a new socket has it.
        let new = ["0", "0.0", "false", "\"\"", "[0.0,0.0,0.0]"];
        if props
            .get("default_value")
            .is_some_and(|value| new.contains(&value.to_string().as_str()))
        {
            props.shift_remove("default_value");
        }
        props.sort_keys();
        let side = item.in_out.map_or_else(String::new, |side| format!("{side:?} "));
        let parent = parent.map_or_else(String::new, |panel| format!(" in {}", panel.name));
        let kind = if item.kind == ItemKind::Panel {
            "panel"
        } else {
            item.socket_type.as_str()
        };
        format!("{side}{} {kind}{parent} {props:?}", item.name)
    };
    tree.interface.iter().map(place).collect()
}

fn nodes(tree: &Tree) -> Vec<String> {
    let place = |node: &Node| {
        let props: BTreeMap<&String, &Value> = node
            .props
            .iter()
            .filter(|(name, _)| !LOOK.contains(&name.as_str()) && *name != "socket_idname")
            .collect();
        let group = |id: &String| {
            tree.nodes
                .iter()
                .find(|other| other.id == *id)
                .map(|other| other.label.clone())
        };
        format!(
            "{} {:?} {props:?} in {:?}",
            node.kind,
            node.label,
            node.parent.as_ref().map(group)
        )
    };
    let mut all: Vec<String> = tree.nodes.iter().map(place).collect();
    all.sort();
    all
}

fn links(tree: &Tree) -> Vec<String> {
    let kind = |id: &str| {
        tree.nodes
            .iter()
            .find(|node| node.id == id)
            .map_or("", |node| node.kind.as_str())
    };
    let place = |link: &geonode_graph::ir::Link| {
        format!(
            "{} → {} muted {} {:?}",
            kind(&link.from.0),
            kind(&link.to.0),
            link.muted,
            link.sort
        )
    };
    let mut all: Vec<String> = tree.links.iter().map(place).collect();
    all.sort();
    all
}

fn settings(tree: &Tree) -> Vec<String> {
    let mut all: Vec<String> = tree
        .settings
        .iter()
        .filter(|(name, _)| !OF_FILES.contains(&name.as_str()))
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    all.sort();
    all
}

fn missing(one: &[String], other: &[String]) -> Vec<String> {
    let mut left: Vec<&String> = other.iter().collect();
    let mut gone = Vec::new();
    for line in one {
        match left.iter().position(|known| *known == line) {
            Some(at) => drop(left.swap_remove(at)),
            None => gone.push(line.clone()),
        }
    }
    gone
}

/// What differs once a tree was written, read and made again.
fn differences(bundle: &Bundle, catalogue: &Catalogue) -> Differences {
    let mut found = Differences::new();
    let names = Names::new(catalogue);
    let root = bundle.root.clone().unwrap();
    let page = write(bundle, &names, Extent::Structure);
    for loss in &page.losses {
        found.entry("loss").or_default().push(loss.clone());
    }
    let text = format!(
        "{}\n\napply({}, object=\"Plane\")\n",
        page.text,
        Value::from(root.as_str())
    );
    let (after, findings, _) = compiled(&text, &file_for(bundle), catalogue);
    for finding in findings.iter().filter(|finding| finding.is_error()) {
        found
            .entry("error")
            .or_default()
            .push(format!("{:?} {}", finding.code, finding.message));
    }
    for finding in findings.iter().filter(|finding| !finding.is_error()) {
        let class = if finding.code == geonode_protocol::Code::LeftUnchanged {
            "unsaid"
        } else {
            "note"
        };
        found
            .entry(class)
            .or_default()
            .push(format!("{:?} {}", finding.code, finding.message));
    }
    if findings.iter().any(Finding::is_error) {
        return found;
    }
    let after = settled(after);
    let again = write(&bundle_of(after.trees.clone(), &root), &names, Extent::Structure);
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    // Groups follow in the order of the file.
    let (mut first, mut second) = (lines(&page.text), lines(&again.text));
    first.sort();
    second.sort();
    for line in missing(&first, &second) {
        found.entry("page-").or_default().push(line);
    }
    for line in missing(&second, &first) {
        found.entry("page+").or_default().push(line);
    }
    for (name, before) in &bundle.trees {
        let Some(now) = after.trees.get(name) else {
            found.entry("no tree").or_default().push(name.clone());
            continue;
        };
        let mut compare = |class: &'static str, one: Vec<String>, other: Vec<String>| {
            if one != other {
                let mut text = name.clone();
                for line in missing(&one, &other) {
                    let _ = write!(text, "\n      - {line}");
                }
                for line in missing(&other, &one) {
                    let _ = write!(text, "\n      + {line}");
                }
                found.entry(class).or_default().push(text);
            }
        };
        compare("interface", interface(before), interface(now));
        compare("nodes", nodes(before), nodes(now));
        compare("links", links(before), links(now));
        compare("settings", settings(before), settings(now));
    }
    found
}

/// The trees of a folder by their file names, with the Blender that exported each.
fn folder(path: &Path) -> Vec<(String, Bundle)> {
    let mut files: Vec<_> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let json = files
        .into_iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "json"));
    json.map(|file| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let bundle = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        (name, bundle)
    })
    .collect()
}

#[test]
fn trees_of_a_folder_are_compared() {
    let Some(path) = std::env::var_os("TREES") else { return };
    let mut catalogues: BTreeMap<String, Catalogue> = BTreeMap::new();
    let (mut all, mut same) = (BTreeMap::<&str, Vec<String>>::new(), 0);
    let trees = folder(Path::new(&path));
    for (name, bundle) in &trees {
        let version = format!("{}.{}", bundle.blender[0], bundle.blender[1]);
        let known = catalogues.entry(version.clone()).or_insert_with(|| catalogue(&version));
        let found = differences(bundle, known);
        same += usize::from(found.keys().all(|class| *class == "note"));
        for (class, lines) in found {
            all.entry(class)
                .or_default()
                .extend(lines.into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    for (class, lines) in &all {
        println!("== {class}: {}", lines.len());
        for line in lines.iter().take(400) {
            println!("   {line}");
        }
    }
    println!("{same} of {} come back whole", trees.len());
}
