//! Plans as pages: the tree text of a plan, with what it says and expects.

use std::fmt::Write as _;

use geonode_protocol::{Action, Plan};
use serde_json::Value;

/// The page of a plan of one step in tree text; `None` for other plans.
pub(crate) fn page_of(plan: &Plan) -> Option<String> {
    let [step] = plan.steps.as_slice() else { return None };
    let Action::TreeText(tree) = &step.action else {
        return None;
    };
    let mut page = format!("{}\n\n{}\n", quoted(&plan.final_message), tree.text.trim());
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

fn quoted(text: &str) -> String {
    // JSON's escapes are Python's.
    Value::from(text).to_string()
}
