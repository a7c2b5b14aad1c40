//! The chain for requests of a run.

use geonode_protocol::{Code, Finding};
use geonode_provider::Provider;
use geonode_store::conversation::is_id;

use super::{Chain, Feature, Link, Mode, Stage, Verdict};
use crate::error::EngineError;
use crate::request::{OFFLINE, RunRequest};
use crate::settings::Settings;
use crate::tariff::Tariff;

struct Subject<'a> {
    request: &'a RunRequest,
    settings: Settings,
}

/// Whether a run may start, and with which settings.
pub(crate) fn request(request: &RunRequest) -> (Verdict, Settings) {
    let settings = request.settings.clone().unwrap_or_default();
    let mode = Mode::strict(settings.strict_requests);
    let mut subject = Subject { request, settings };
    let verdict = chain().run(&mut subject, mode);
    (verdict, subject.settings)
}

fn chain<'a>() -> Chain<Subject<'a>> {
    Chain::new(
        Feature::Requests,
        [
            Link {
                stage: Stage::Structure,
                fatal: true,
                check: settings,
            },
            Link {
                stage: Stage::Structure,
                fatal: true,
                check: says_something,
            },
            Link {
                stage: Stage::Structure,
                fatal: false,
                check: length,
            },
            Link {
                stage: Stage::Structure,
                fatal: true,
                check: conversation,
            },
            Link {
                stage: Stage::Schema,
                fatal: true,
                check: provider,
            },
            Link {
                stage: Stage::Domain,
                fatal: false,
                check: limits_of_time,
            },
            Link {
                stage: Stage::Domain,
                fatal: true,
                check: prices,
            },
        ],
    )
}

fn refuse(findings: &mut Vec<Finding>, path: &str, error: &EngineError) {
    findings.push(Finding::error(error.code(), path, error.to_string()));
}

fn settings(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    if let Err(error) = &subject.request.settings {
        refuse(findings, "/settings", error);
    }
}

fn says_something(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    if subject.request.plan.is_none() && subject.request.prompt.trim().is_empty() {
        refuse(findings, "/prompt", &EngineError::PromptEmpty);
    }
}

fn length(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    let (request, limit) = (subject.request, subject.settings.max_prompt_chars);
    let length = request.prompt.chars().count();
    if request.plan.is_none() && u64::try_from(length).unwrap_or(u64::MAX) > limit {
        refuse(findings, "/prompt", &EngineError::PromptTooLong { length, limit });
    }
}

fn provider(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    let request = subject.request;
    if request.provider == OFFLINE && !request.pictures.is_empty() {
        let text = "The offline planner does not look at pictures; it follows the words alone.";
        findings.push(Finding::warning(Code::PicturesUnused, "/pictures", text));
    }
    if request.plan.is_some() || request.replies.is_some() || request.provider == OFFLINE {
        return;
    }
    if request.provider.trim().is_empty() {
        let text = "No provider is chosen. Name one, or “offline” to plan without a model.";
        findings.push(Finding::error(Code::ProviderMissing, "/provider", text));
    } else if let Err(error) = Provider::from_name(&request.provider) {
        findings.push(Finding::error(error.code(), "/provider", error.to_string()));
    }
}

fn conversation(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    let named = subject.request.conversation.as_deref();
    if named.is_some_and(|id| !is_id(id)) {
        let text = "Use the name that an earlier report gives as `conversation`.";
        findings.push(Finding::error(Code::BodyInvalid, "/conversation", text));
    }
}

fn prices(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    let settings = &subject.settings;
    let unpriced = || Tariff::new(subject.request, settings).prices(0).is_none();
    if settings.max_run_cost.is_some() && unpriced() {
        let text = "A cost limit needs prices, and those of this model are not known: set `input_price` and `output_price`, each \
                    per million tokens.";
        findings.push(Finding::error(Code::SettingInvalid, "/settings/max_run_cost", text));
    }
}

fn limits_of_time(subject: &mut Subject<'_>, findings: &mut Vec<Finding>) {
    let settings = &subject.settings;
    if settings.total_timeout_s < settings.timeout_s {
        let text = format!(
            "The time limit of a request with all its attempts ({} s) is shorter than that of one attempt ({} s); the shorter one applies.",
            settings.total_timeout_s, settings.timeout_s
        );
        findings.push(Finding::warning(
            Code::SettingInvalid,
            "/settings/total_timeout_s",
            text,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geonode_protocol::Severity;

    fn found(json: &str) -> Vec<(Code, String, Severity)> {
        let given = RunRequest::from_json(json).unwrap();
        let (verdict, _) = request(&given);
        verdict
            .findings
            .into_iter()
            .map(|f| (f.code, f.path, f.severity))
            .collect()
    }

    #[test]
    fn each_request_check_reports_its_error() {
        for (json, code, path) in [
            (
                r#"{"catalogue":"","prompt":"x","settings":{"retrys":1}}"#,
                Code::SettingInvalid,
                "/settings",
            ),
            (r#"{"catalogue":"","prompt":" "}"#, Code::PromptEmpty, "/prompt"),
            (
                r#"{"catalogue":"","prompt":"four","settings":{"max_prompt_chars":3}}"#,
                Code::PromptTooLong,
                "/prompt",
            ),
            (
                r#"{"catalogue":"","prompt":"x","provider":" "}"#,
                Code::ProviderMissing,
                "/provider",
            ),
            (
                r#"{"catalogue":"","prompt":"x","conversation":"../x"}"#,
                Code::BodyInvalid,
                "/conversation",
            ),
            (
                r#"{"catalogue":"","prompt":"x","provider":"x"}"#,
                Code::UnknownProvider,
                "/provider",
            ),
        ] {
            assert_eq!(found(json), [(code, path.to_owned(), Severity::Error)], "{json}");
        }
        assert_eq!(found(r#"{"catalogue":"","prompt":"x"}"#), []);
        assert_eq!(found(r#"{"catalogue":"","plan":{}}"#), []);
    }

    #[test]
    fn only_the_length_can_be_waived() {
        let waived = r#"{"catalogue":"","prompt":"four","settings":{"max_prompt_chars":3,"strict_requests":false}}"#;
        assert_eq!(
            found(waived),
            [(Code::PromptTooLong, "/prompt".into(), Severity::Warning)]
        );
        let empty = r#"{"catalogue":"","prompt":"","settings":{"strict_requests":false}}"#;
        assert_eq!(found(empty), [(Code::PromptEmpty, "/prompt".into(), Severity::Error)]);
    }

    #[test]
    fn limits_of_time_that_contradict_each_other_are_a_warning() {
        let json = r#"{"catalogue":"","prompt":"x","settings":{"timeout_s":100,"total_timeout_s":10}}"#;
        let path = "/settings/total_timeout_s".to_owned();
        assert_eq!(found(json), [(Code::SettingInvalid, path, Severity::Warning)]);
    }
}
