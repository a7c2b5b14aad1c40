//! A plan as the machine sees it.

use geonode_protocol::Plan;
use geonode_run::{PlanInfo, StepInfo};

use crate::needed::needed;

/// What the machine needs to know of a plan.
pub(crate) fn info(plan: &Plan) -> PlanInfo {
    let targets = needed(plan);
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
