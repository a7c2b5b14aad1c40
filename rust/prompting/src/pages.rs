//! Plans as pages: what operations make of an empty file, written as tree text.

use std::fmt::Write as _;

use geonode_graph::ir::{Bundle, IR_VERSION, Side, Tree};
use geonode_graph::{Catalogue, Document, compile};
use geonode_protocol::{Action, Plan};
use geonode_text::{Extent, Names, SocketNames, write};
use serde_json::Value;

/// The page of a plan that makes trees in this file, with where it applies them and what it expects; `None` if it does not fit the file,
/// or a page cannot say it.
pub(crate) fn page_of(plan: &Plan, document: &Document, catalogue: &Catalogue) -> Option<String> {
    let mut page = format!("{}\n\n", quoted(&plan.final_message));
    let mut texts = plan.steps.iter().filter_map(|step| match &step.action {
        Action::TreeText(tree) => Some(tree.text.trim()),
        _ => None,
    });
    if let Some(text) = texts.next() {
        // A page has what it applies; several are not one.
        if texts.next().is_some() || plan.steps.len() > 1 {
            return None;
        }
        page.push_str(text);
        page.push('\n');
    } else {
        let compiled = compile(plan, document, catalogue);
        if compiled.findings.iter().any(geonode_protocol::Finding::is_error) {
            return None;
        }
        let mut applied = String::new();
        let mut root = None;
        for (object, made) in &compiled.after.objects {
            for modifier in &made.modifiers {
                let name = modifier.node_group.as_deref()?;
                let tree = compiled.after.trees.get(name)?;
                root.get_or_insert_with(|| name.to_owned());
                let _ = write!(applied, "apply({}, object={}", quoted(name), quoted(object));
                if modifier.name != name {
                    let _ = write!(applied, ", modifier={}", quoted(&modifier.name));
                }
                let inputs: Vec<String> = modifier
                    .inputs
                    .iter()
                    .filter_map(|(socket, value)| {
                        Some(format!("{}: {}", quoted(&parameter(tree, socket)?), literal(value)))
                    })
                    .collect();
                if !inputs.is_empty() {
                    let _ = write!(applied, ", inputs={{{}}}", inputs.join(", "));
                }
                applied.push_str(")\n");
            }
        }
        let bundle = Bundle {
            ir: IR_VERSION,
            blender: [0; 3],
            root: Some(root?),
            trees: compiled.after.trees,
        };
        let written = write(&bundle, &Names::new(catalogue), Extent::Structure);
        if !written.losses.is_empty() {
            return None;
        }
        let _ = write!(page, "{}\n{applied}", written.text);
    }
    for expected in &plan.meta.expects {
        let component = serde_json::to_value(expected.component).ok()?;
        let count = match (expected.count, expected.min, expected.max) {
            (Some(count), ..) => count.to_string(),
            (None, least, most) => {
                let [least, most] = [least, most].map(|one| one.map_or("None".to_owned(), |one| one.to_string()));
                format!("({least}, {most})")
            }
        };
        let _ = writeln!(
            page,
            "expect({}, {}={count})",
            quoted(&expected.object_name),
            component.as_str()?
        );
    }
    Some(page)
}

/// The parameter of the input with this identifier.
fn parameter(tree: &Tree, socket: &str) -> Option<String> {
    let inputs: Vec<_> = tree
        .interface
        .iter()
        .filter(|item| item.is_socket(Side::Input))
        .collect();
    let words = SocketNames::new(
        inputs
            .iter()
            .map(|item| (item.name.as_str(), item.identifier.as_str(), true)),
    );
    words.word(socket).map(str::to_owned)
}

fn quoted(text: &str) -> String {
    // JSON's escapes are Python's.
    Value::from(text).to_string()
}

/// A value of an input as a page writes it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(parts) => format!("({})", parts.iter().map(literal).collect::<Vec<_>>().join(", ")),
        Value::Object(block) => match block.iter().next() {
            Some((kind, Value::String(name))) => format!("data.{kind}({})", quoted(name)),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}
