//! The tasks of the host: their input and their answers.

use geonode_protocol::{Code, Severity};
use geonode_run::{Answer, Failure, Message, Notice, Origin, Performer, Task};
use serde_json::{Map, Value};

use crate::error::EngineError;
use crate::needed::needed;
use crate::run::choosing;
use crate::run::host::{Applied, HostEffect, Restored, read};
use crate::run::shared::Shared;
use crate::run::tool_calls;
use crate::run::work::Work;

/// The input of a host task in a plan with this many steps.
pub(crate) fn give(work: &mut Work, shared: &Shared, task: Task, steps: usize) -> Result<HostEffect, Failure> {
    Ok(match task {
        Task::ApplyStep { index, step_id } => {
            let total = steps.max(1);
            #[expect(clippy::cast_precision_loss, reason = "steps are few")]
            shared.progress(
                Some(index as f64 / total as f64),
                &format!("Step {} of {total}", index + 1),
            );
            let delta = work.delta(index)?;
            match work.planned.hosted(index) {
                Some((action_type, payload)) => HostEffect::ExecuteStep {
                    step_id,
                    action_type,
                    payload,
                },
                None => HostEffect::ApplyStep { step_id, delta },
            }
        }
        Task::Verify { mut objects, trees } => {
            shared.progress(Some(1.0), "Checking the result");
            objects.extend(work.planned.expected_of_scripts(&objects));
            HostEffect::Verify { objects, trees }
        }
        Task::CaptureContext => {
            let request = &work.request;
            HostEffect::CaptureContext {
                object: request.object.clone(),
                modifier: request.modifier.clone(),
            }
        }
        Task::Inspect { objects, trees, .. } => {
            let plan = work.planned.plan.as_deref();
            HostEffect::Inspect {
                objects,
                trees,
                materials: plan.map(|plan| needed(plan).materials).unwrap_or_default(),
            }
        }
        Task::Begin {
            objects,
            trees,
            extend,
            whole,
        } => HostEffect::Begin {
            // What the plan makes is not there yet.
            objects: work.planned.present(objects),
            trees,
            extend,
            whole,
            names: work.planned.bounds(),
        },
        Task::AskApproval { request } => HostEffect::AskApproval { request },
        Task::DryRun { without } => {
            shared.progress(None, "Dry run of the plan");
            let (plan, exact) = choosing::trial(work, &without)?;
            HostEffect::DryRun {
                plan,
                exact,
                catalogue: work.request.catalogue.clone(),
                seconds: work.settings.dry_run_s,
                megabytes: work.settings.dry_run_mb,
                sealed: work.planned.must_be_sealed(),
            }
        }
        Task::Restore => HostEffect::Restore,
        Task::Commit { message, words } => HostEffect::Commit {
            message,
            words,
            run: work.judged.run.clone(),
        },
        other => return Err(EngineError::Internal(format!("{} is the core's", other.name())).into()),
    })
}

/// The host's answer to a task; `None` for a task that the host does not answer.
pub(crate) fn answered(work: &mut Work, shared: &Shared, task: &Task, json: &str) -> Option<Result<Answer, Failure>> {
    if matches!(task, Task::CallTools { .. }) {
        return Some(tool_calls::answered(work, shared, json));
    }
    work.changed();
    if task.place() != Performer::Host {
        return None;
    }
    Some(match task {
        Task::CaptureContext => work.asked.keep_context(json),
        Task::Inspect { purpose, .. } => work.keep_document(json, *purpose),
        Task::DryRun { .. } => read::<Map<String, Value>>("result of the dry run", json).map(|mut result| {
            let blender = work.blender().unwrap_or_default();
            // Names and records are for the host alone; the artist reads the words.
            work.planned.tried(&mut result, &blender);
            Answer::DryRun {
                result: Value::Object(result),
            }
        }),
        Task::Begin { .. } => Ok(Answer::Begun),
        Task::ApplyStep { .. } => read::<Applied>("result of a step", json).map(|applied| {
            work.judged.executed(&applied.trees);
            Answer::Applied {
                message: applied.words(),
                objects: applied.objects,
                trees: applied.trees,
            }
        }),
        Task::Verify { .. } => work.judged.keep_evidence(json),
        Task::Restore => read::<Restored>("result of a restore", json).map(|restored| {
            for name in &restored.aside {
                let text = format!(
                    "What was edited by hand while the run changed it is kept as “{name}”, beside the restored tree."
                );
                let message = Message::new(Severity::Warning, Origin::Run, Code::TouchedByArtist, text);
                shared.tell(Notice::Message(message));
            }
            Answer::Restored { equal: restored.equal }
        }),
        Task::Commit { .. } => Ok(Answer::Committed),
        // The artist's answer comes as an event of its own.
        Task::AskApproval { .. } => return None,
        other => Err(EngineError::Internal(format!("the answer to {} is not read", other.name())).into()),
    })
}
