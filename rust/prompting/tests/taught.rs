//! What exists is taught: the operations, step types and slices of the protocol and the tools, compared with the words of the instructions.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may fail by panicking, in its helpers too"
)]

use std::collections::BTreeSet;

use geonode_prompting::prompt;
use geonode_protocol::schema;
use serde_json::Value;

/// What exists and is not taught yet. Nothing is added here.
const GAPS: &[&str] = &[];

/// Operations of `GN_OPS` that models are taught: the others say what `NODE_TREE` says, and are read for ever.
const TAUGHT_GN_OPS: [&str; 2] = ["set_modifier_input", "add_frame"];

/// Fields that are named like operations.
const FIELDS: [&str; 2] = ["add_items", "remove_items"];

/// The instructions with everything that a run can add to them.
fn instructions() -> String {
    ["system", "operations", "rules", "python", "requests", "tools"]
        .map(|name| prompt(name).unwrap())
        .concat()
}

/// The section below a heading, to the next one.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("\n# {heading}\n"))?;
    Some(rest.split_once("\n# ").map_or(rest, |(section, _)| section))
}

/// Every name in backticks.
fn names(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted
        .flat_map(|code| code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
        .filter(|name| !name.is_empty())
        .collect()
}

/// The constants of one field over the choices of a definition, such as the names of operations.
fn choices(definition: &str, field: &str) -> Vec<String> {
    let plan = schema("plan").unwrap();
    let choices = plan["$defs"][definition]["oneOf"].as_array().unwrap();
    let name = |choice: &Value| match field {
        "" => choice["const"].as_str().map(str::to_owned),
        field => choice["properties"][field]["const"].as_str().map(str::to_owned),
    };
    let found: Vec<String> = choices.iter().map(|choice| name(choice).unwrap()).collect();
    assert!(found.len() > 2, "{definition}: {found:?}");
    found
}

/// Tools that ship, by their reference.
fn tools() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../addon/docs/tools.md");
    let page = std::fs::read_to_string(path).unwrap();
    let headings = page
        .lines()
        .filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    let found: Vec<String> = headings.map(str::to_owned).collect();
    assert!(found.len() > 5, "{found:?}");
    found
}

#[test]
fn everything_that_exists_is_in_the_instructions() {
    let text = instructions();
    let mut missing = Vec::new();
    let mut examined = 0;
    let mut compare = |what: &str, exist: Vec<String>, taught: &BTreeSet<&str>| {
        examined += exist.len();
        missing.extend(
            exist
                .iter()
                .filter(|name| !taught.contains(name.as_str()))
                .map(|name| format!("{what} {name}")),
        );
    };
    let taught = names(section(&text, "NODE_TREE").unwrap_or_default());
    compare("NODE_TREE", choices("NodeTreeOp", "op"), &taught);
    let (own, both): (Vec<String>, Vec<String>) = choices("GnOp", "op")
        .into_iter()
        .partition(|name| TAUGHT_GN_OPS.contains(&name.as_str()));
    assert!(own.len() == TAUGHT_GN_OPS.len() && both.len() > 10);
    compare("GN_OPS", own, &names(section(&text, "GN_OPS").unwrap()));
    let plan = names(section(&text, "The plan").unwrap());
    compare(
        "slice",
        choices("ContextSlice", ""),
        &names(section(&text, "More context").unwrap()),
    );
    compare("component", choices("Component", ""), &plan);
    compare("extent", choices("Extent", ""), &plan);
    let steps: BTreeSet<&str> = text.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    compare("step type", choices("Step", "type"), &steps);
    compare("tool", tools(), &names(section(&text, "Tools").unwrap()));
    assert!(examined > 40, "only {examined} names were examined");

    let (missing, gaps): (BTreeSet<&str>, BTreeSet<&str>) = (
        missing.iter().map(String::as_str).collect(),
        GAPS.iter().copied().collect(),
    );
    let untaught: Vec<&&str> = missing.difference(&gaps).collect();
    assert!(
        untaught.is_empty(),
        "exists and is not taught in prompts/: {untaught:?}"
    );
    let taught: Vec<&&str> = gaps.difference(&missing).collect();
    assert!(
        taught.is_empty(),
        "taught by now or gone; take it off the list of gaps: {taught:?}"
    );
}

#[test]
fn every_name_in_the_instructions_exists() {
    let text = instructions();
    for (step, list) in [("NODE_TREE", "NodeTreeOp"), ("GN_OPS", "GnOp")] {
        let exist: BTreeSet<String> = choices(list, "op").into_iter().collect();
        let section = section(&text, step).unwrap();
        let verbs = [
            "create_", "delete_", "add_", "remove_", "set_", "edit_", "ensure_", "cleanup_",
        ];
        let operations = names(section)
            .into_iter()
            .filter(|name| verbs.iter().any(|verb| name.starts_with(verb)) && !FIELDS.contains(name));
        let operations: Vec<&str> = operations.collect();
        assert!(operations.len() > 1, "{step}: {operations:?}");
        for name in operations {
            assert!(exist.contains(name), "{step} teaches {name}, which does not exist");
        }
    }
}
