//! What a reply is held to where a grammar holds it: pages that certainly can be carried out in this scene.

use geonode_graph::Focus;
use geonode_graph::ir::Bundle;
use geonode_planner::DataError;
use geonode_text::grammar::{Scope, grammar as grammar_of};
use geonode_text::names::{title, word};
use geonode_text::{Names, write_brief};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use crate::asked::Prompt;
use crate::form::Form;
use crate::{examples, search};

/// Node types that simple prompts need, besides those that their words name.
const USUAL: [&str; 22] = [
    "GeometryNodeDistributePointsOnFaces",
    "GeometryNodeExtrudeMesh",
    "GeometryNodeFlipFaces",
    "GeometryNodeInstanceOnPoints",
    "GeometryNodeJoinGeometry",
    "GeometryNodeMeshCircle",
    "GeometryNodeMeshCone",
    "GeometryNodeMeshCube",
    "GeometryNodeMeshCylinder",
    "GeometryNodeMeshGrid",
    "GeometryNodeMeshIcoSphere",
    "GeometryNodeMeshLine",
    "GeometryNodeMeshUVSphere",
    "GeometryNodeScaleElements",
    "GeometryNodeSetMaterial",
    "GeometryNodeSetPosition",
    "GeometryNodeSetShadeSmooth",
    "GeometryNodeSubdivideMesh",
    "GeometryNodeSubdivisionSurface",
    "GeometryNodeTransform",
    "GeometryNodeTriangulate",
    "FunctionNodeRandomValue",
];

/// Words of a prompt that name a new group.
const WORDS: usize = 4;

/// Bytes of the page from which the inputs of the group that is there are read: its first line.
const HEAD: usize = 2_000;

/// The grammar of the pages that a prompt may be answered with.
///
/// # Errors
/// `preset_invalid` when the embedded presets are damaged.
pub(crate) fn grammar(prompt: &Prompt<'_>, form: Form) -> Result<String, DataError> {
    let names = Names::new(prompt.catalogue);
    let ready = examples::ready(prompt.text, prompt.context, prompt.catalogue, form.ready())?;
    let needed = search::needed(prompt.text, prompt.catalogue);
    let mut nodes: Vec<&str> = needed.into_iter().map(|(_, kind)| kind).collect();
    for usual in USUAL {
        if !nodes.contains(&usual) {
            nodes.push(usual);
        }
    }
    let objects = named_in(prompt.text, prompt.context);
    let there = there(prompt, &names);
    let group = group_of(prompt.text);
    let scope = Scope {
        group: &group,
        nodes,
        data: data(prompt.context, &objects),
        objects,
        ready: ready.iter().map(|(_, page)| page.as_str()).collect(),
        there: there
            .as_ref()
            .map(|(name, inputs)| (name.as_str(), inputs.iter().map(String::as_str).collect())),
    };
    Ok(grammar_of(&scope, &names).to_string())
}

/// The object that the page names, as far as it is certain.
pub(crate) fn object_of(prompt: &Prompt<'_>) -> Option<String> {
    named_in(prompt.text, prompt.context).into_iter().next()
}

/// The page of one term that answers a prompt.
pub(crate) fn page(prompt: &str, term: &str, object: Option<&str>) -> String {
    let group = group_of(prompt);
    let object = object.map_or_else(String::new, |name| format!(", object={}", Value::from(name)));
    format!(
        "def {group}(geometry: Geometry) -> Geometry:\n    return {term}\n\napply({}{object})",
        Value::from(title(&group))
    )
}

/// The word of a new group: the first words of the prompt.
fn group_of(prompt: &str) -> String {
    let words: Vec<&str> = prompt.split_whitespace().take(WORDS).collect();
    word(&words.join(" ")).unwrap_or_else(|| "result".to_owned())
}

fn texts<'c>(context: &'c Value, list: &str) -> impl Iterator<Item = &'c str> {
    let entries = context.get(list).and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| entry.as_str().or_else(|| entry.get("name")?.as_str()))
}

/// The objects that the prompt names, else the one that the run is about; none: the target stays open.
fn named_in(prompt: &str, context: &Value) -> Vec<String> {
    let prompt = format!(" {} ", spaced(prompt));
    let named = |name: &&str| prompt.contains(&format!(" {} ", spaced(name)));
    let named: Vec<String> = texts(context, "objects").filter(named).map(str::to_owned).collect();
    let own = ["target_object", "active_object"]
        .iter()
        .find_map(|key| context.get(*key)?.as_str());
    let own = own.map(str::to_owned);
    match own {
        // Where the prompt speaks of “the cube”, and that is the active one among several, nothing else is meant.
        Some(own) if named.is_empty() || named.contains(&own) => vec![own],
        _ => named,
    }
}

/// The text in lower case, with a space wherever there is no letter or digit.
fn spaced(text: &str) -> String {
    let lower = text.to_lowercase();
    lower
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { ' ' })
        .collect()
}

/// Names of data that values may be. Objects that get the group are none: a tree cannot read what it makes.
fn data(context: &Value, objects: &[String]) -> IndexMap<String, Vec<String>> {
    [
        ("object", "objects"),
        ("collection", "collections"),
        ("material", "materials"),
    ]
    .into_iter()
    .map(|(kind, list)| {
        let names = texts(context, list).filter(|name| kind != "object" || !objects.iter().any(|own| own == name));
        (kind.to_owned(), names.map(str::to_owned).collect())
    })
    .collect()
}

/// The group that is there, and its inputs as a page has them.
fn there(prompt: &Prompt<'_>, names: &Names<'_>) -> Option<(String, Vec<String>)> {
    let bundle = Bundle::deserialize(prompt.context.get("tree")?).ok()?;
    let page = write_brief(&bundle, names, Focus::default(), HEAD).text;
    let head = page.lines().find(|line| line.starts_with("def "))?;
    let (_, inside) = head.split_once('(')?;
    let (inside, _) = inside.rsplit_once(')')?;
    let inputs: Vec<String> = inside.split(", ").map(str::to_owned).collect();
    Some((bundle.root?, inputs))
}

#[cfg(test)]
mod tests {
    use geonode_graph::documents::Object;
    use geonode_graph::{Document, compile_exactly};
    use geonode_protocol::{Extensions, Finding};
    use geonode_text::{expand, page_plan};
    use serde_json::json;

    use super::*;
    use crate::docs::tests::catalogue;

    const VERSIONS: [&str; 4] = ["4.2", "4.5", "5.0", "5.2"];

    fn scene() -> Value {
        json!({"active_object": "Plane", "materials": ["Snow"], "objects": [
            {"name": "Plane", "type": "MESH", "dimensions": [10, 10, 0], "counts": {"vertices": 4, "edges": 4, "faces": 1}},
            {"name": "Rock", "type": "MESH", "dimensions": [0.4, 0.4, 0.3], "counts": {"vertices": 42, "edges": 120, "faces": 80}},
        ]})
    }

    fn with<T>(text: &str, context: &Value, version: &str, ask: impl Fn(&Prompt<'_>) -> T) -> T {
        ask(&Prompt {
            text,
            pictures: &[],
            context,
            catalogue: &catalogue(version),
            extensions: &Extensions::default(),
            scripts: true,
            context_tokens: 8_000,
            max_steps: 25,
        })
    }

    #[test]
    fn every_term_that_is_shown_compiles() {
        let mut file = Document::default();
        let mesh = Object {
            kind: "MESH".to_owned(),
            ..Object::default()
        };
        file.objects.insert("Plane".to_owned(), mesh);
        file.names
            .entry("object".to_owned())
            .or_default()
            .insert("Plane".to_owned());
        for version in VERSIONS {
            let catalogue = catalogue(version);
            let all: Vec<(&str, &str)> = examples::TERMS
                .lines()
                .filter_map(|line| line.split_once(": "))
                .collect();
            assert!(all.len() > 10, "{}", all.len());
            for (words, term) in all {
                let page = page(words, term, Some("Plane"));
                let expanded = expand(&page_plan(&page), &file, &catalogue, Some("Plane"), 1_000).unwrap();
                let compiled = compile_exactly(&expanded.plan, &file, &catalogue, &expanded.exact);
                let found = expanded.findings.iter().chain(&compiled.findings);
                let errors: Vec<&Finding> = found.filter(|finding| finding.is_error()).collect();
                assert!(errors.is_empty(), "{version}: {page}\n{errors:#?}");
            }
        }
    }

    #[test]
    fn the_object_is_the_one_that_is_named_or_meant() {
        let context = scene();
        let named = |text: &str| with(text, &context, "5.2", object_of);
        assert_eq!(named("subdivide it"), Some("Plane".to_owned()));
        assert_eq!(named("subdivide the rock"), Some("Rock".to_owned()));
        assert_eq!(
            named("rocket"),
            Some("Plane".to_owned()),
            "a part of a word names nothing"
        );
        assert_eq!(with("bend it", &json!({}), "5.2", object_of), None);
        for (prompt, group) in [
            ("Ein Würfel für Ölfässer oben", "ein_würfel_für_ölfässer"),
            ("🦀", "result"),
        ] {
            assert_eq!(group_of(prompt), group);
        }
    }

    #[test]
    fn the_values_of_the_group_that_is_there_are_open() {
        let mut context = scene();
        context["tree"] = json!({"ir": 1, "blender": [5, 2, 3], "root": "Rocks", "trees": {"Rocks": {"interface": [
            {"kind": "socket", "identifier": "Socket_1", "name": "Count", "in_out": "INPUT", "socket_type": "NodeSocketInt",
             "props": {"default_value": 7}}], "nodes": [], "links": []}}});
        let grammar = with("make it 12", &context, "5.2", |prompt| {
            grammar(prompt, Form::Tiny).unwrap()
        });
        assert!(grammar.contains(r#"apply(\"Rocks\""#), "{grammar}");
        assert!(grammar.contains(r#"\"count\": "#), "{grammar}");
    }
}
