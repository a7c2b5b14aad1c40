//! What the grammar lets through is a page that compiles.

use geonode_graph::documents::Object;
use geonode_graph::{Document, compile_exactly};
use geonode_protocol::Finding;
use geonode_text::grammar::{Grammar, Part, Scope, grammar};
use geonode_text::{Names, expand, page_in, page_plan};
use indexmap::IndexMap;

use crate::catalogue;

/// Pages that each scope is tried with.
const PAGES: usize = 150;

/// A sequence of numbers that look random, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }
}

/// A text that the part lets through.
fn said(part: &Part, grammar: &Grammar, dice: &mut Dice, out: &mut String) {
    match part {
        Part::Text(text) => out.push_str(text),
        Part::Digit(low, high) => {
            let digit = usize::from(*low) + dice.below(usize::from(high - low) + 1);
            out.push_str(&digit.to_string());
        }
        Part::All(parts) => {
            for part in parts {
                said(part, grammar, dice, out);
            }
        }
        Part::Any(parts) => said(&parts[dice.below(parts.len())], grammar, dice, out),
        Part::Times(part, least, most) => {
            for _ in 0..least + dice.below(most - least + 1) {
                said(part, grammar, dice, out);
            }
        }
        Part::Rule(name) => said(&grammar.rules[name.as_str()], grammar, dice, out),
    }
}

fn file() -> Document {
    let mut document = Document::default();
    for name in ["Plane", "Rock \"1\""] {
        let object = Object {
            kind: "MESH".to_owned(),
            ..Object::default()
        };
        document.objects.insert(name.to_owned(), object);
        document
            .names
            .entry("object".to_owned())
            .or_default()
            .insert(name.to_owned());
    }
    document
        .names
        .entry("material".to_owned())
        .or_default()
        .insert("Snow".to_owned());
    document
}

const READY: &str = r#""The text for the artist."

def row(geometry: Geometry, count: Int = 8, size: Distance = 0.25, turn: Angle = 0.0, smooth: Bool = True, rock: Object = None) -> Geometry:
    limits(count, size, min=1, max=50)
    places = mesh_line(count=count, offset=(1.0, 0.0, 0.0))
    stone = object_info(object=rock, as_instance=True)
    stones = instance_on_points(places, instance=stone.geometry, rotation=(0.0, 0.0, turn), scale=size)
    return join_geometry(geometry, stones)

apply("Row", object="Cube", inputs={"rock": data.object("Rock"), "count": 12})
expect("Cube", instances=12)
"#;

/// What was found in a page, as text, if it cannot be carried out.
fn faults(reply: &str, names: &Names<'_>) -> Vec<String> {
    let page = page_in(reply).unwrap_or_else(|| panic!("no page: {reply}"));
    let (file, catalogue) = (file(), names.catalogue());
    let expanded = expand(&page_plan(page), &file, catalogue, Some("Plane"), 1_000).unwrap();
    let compiled = compile_exactly(&expanded.plan, &file, catalogue, &expanded.exact);
    let found = expanded.findings.iter().chain(&compiled.findings);
    found
        .filter(|finding: &&Finding| finding.is_error())
        .map(|finding| format!("{finding:?}"))
        .collect()
}

#[test]
fn what_the_grammar_lets_through_compiles() {
    for version in ["4.2", "4.5", "5.0", "5.2"] {
        let catalogue = catalogue(version);
        let names = Names::new(&catalogue);
        let data = IndexMap::from([
            ("object".to_owned(), vec!["Rock \"1\"".to_owned()]),
            ("material".to_owned(), vec!["Snow".to_owned()]),
        ]);
        let scope = Scope {
            group: "scatter_the_rocks",
            nodes: catalogue.nodes.keys().map(String::as_str).collect(),
            objects: vec!["Plane".to_owned()],
            data,
            ready: vec![READY],
            there: None,
        };
        let whole = grammar(&scope, &names);
        let mut dice = Dice(7);
        let mut refused = Vec::new();
        let mut calls = std::collections::HashSet::new();
        for _ in 0..PAGES {
            let mut reply = String::new();
            said(&Part::Rule("root".to_owned()), &whole, &mut dice, &mut reply);
            let faults = faults(&reply, &names);
            if !faults.is_empty() {
                refused.push(format!("{reply}\n{faults:#?}"));
            }
            calls.extend(
                reply
                    .split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .map(str::to_owned),
            );
        }
        assert!(
            refused.is_empty(),
            "{version}: {} of {PAGES}\n{}",
            refused.len(),
            refused.join("\n")
        );
        assert!(calls.len() > 100, "{}", calls.len());
        assert!(calls.contains("places"), "the ready page was among them");
    }
}
