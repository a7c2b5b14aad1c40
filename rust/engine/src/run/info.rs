//! A plan as the machine sees it.

use geonode_graph::targets;
use geonode_protocol::{Action, Plan};
use geonode_run::{PlanInfo, StepInfo};
use geonode_text::needs;

/// What the machine needs to know of a plan.
pub(crate) fn info(plan: &Plan) -> PlanInfo {
    let mut targets = targets(plan);
    for step in &plan.steps {
        if let Action::TreeText(page) = &step.action {
            let needs = needs(&page.text);
            targets.objects.extend(needs.objects);
            targets.trees.extend(needs.trees);
        }
    }
    let asked = |name: fn(&geonode_protocol::ContextRequest) -> Option<&String>| {
        plan.context_requests
            .iter()
            .filter_map(name)
            .cloned()
            .collect::<Vec<_>>()
    };
    PlanInfo {
        steps: plan
            .steps
            .iter()
            .map(|step| StepInfo {
                step_id: step.id.clone(),
                action_type: step.action.type_name().to_owned(),
            })
            .collect(),
        done: plan.done,
        final_message: plan.final_message.clone(),
        objects: targets
            .objects
            .into_iter()
            .chain(asked(|r| r.object_name.as_ref()))
            .collect(),
        trees: targets
            .trees
            .into_iter()
            .chain(asked(|r| r.node_group_name.as_ref()))
            .collect(),
        wants_context: !plan.context_requests.is_empty(),
    }
}
