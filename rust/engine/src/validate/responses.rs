//! The chain for the reply of a planner.

use geonode_protocol::{
    Code, Extensions, Finding, Hint, Limits, Origins, Parsed, Plan, parse_plan_value_with, parse_plan_with,
};
use geonode_provider::FinishReason;
use geonode_text::{page_in, page_plan};

use super::scripts::Rules;
use super::{Chain, Feature, Link, Mode, Stage, Verdict};
use crate::request::PlanInput;

/// A reply, and the plan that was read from it.
pub(crate) struct Response<'a> {
    pub(crate) reply: &'a PlanInput,
    /// Why the model ended; `None` for a plan that no model wrote.
    pub(crate) finish: Option<&'a FinishReason>,
    pub(crate) limits: Limits,
    pub(crate) extensions: &'a Extensions,
    /// Which scripts may run.
    pub(crate) scripts: Rules,
    pub(crate) plan: Option<Plan>,
    pub(crate) origins: Origins,
}

impl<'a> Response<'a> {
    /// A reply that has not been read yet.
    pub(crate) fn new(
        reply: &'a PlanInput,
        finish: Option<&'a FinishReason>,
        limits: Limits,
        extensions: &'a Extensions,
        scripts: Rules,
    ) -> Self {
        Self {
            reply,
            finish,
            limits,
            extensions,
            scripts,
            plan: None,
            origins: Origins::default(),
        }
    }
}

/// Reads a reply. It has a plan unless the verdict refuses.
pub(crate) fn response(response: &mut Response<'_>, mode: Mode) -> Verdict {
    let verdict = chain().run(response, mode);
    if verdict.error().is_some() {
        response.plan = None;
    }
    verdict
}

fn chain<'a>() -> Chain<Response<'a>> {
    Chain::new(
        Feature::Responses,
        [
            Link {
                stage: Stage::Structure,
                fatal: true,
                check: willing,
            },
            Link {
                stage: Stage::Structure,
                fatal: true,
                check: says_something,
            },
            Link {
                stage: Stage::Schema,
                fatal: true,
                check: form,
            },
            Link {
                stage: Stage::Domain,
                fatal: true,
                check: scripts,
            },
            Link {
                stage: Stage::Domain,
                fatal: false,
                check: complete,
            },
        ],
    )
}

fn willing(response: &mut Response<'_>, findings: &mut Vec<Finding>) {
    if response.finish == Some(&FinishReason::Refused) {
        // Only the model's own words are shown to the artist; nothing else of the reply is repeated.
        let words = match response.reply {
            PlanInput::Text(text) if !text.trim().is_empty() => text.trim(),
            _ => "It gave no reason.",
        };
        let text = format!("The model declined: {words}");
        findings.push(Finding::error(Code::ContentRefused, "", text));
    }
}

fn says_something(response: &mut Response<'_>, findings: &mut Vec<Finding>) {
    if response.finish == Some(&FinishReason::Truncated) {
        let text = "The reply was cut off at a token limit.";
        let hint = "Raise `max_tokens`, or ask for less at once.";
        findings.push(Finding::warning(Code::CutOff, "", text).hint(Hint::explain(hint)));
    }
    // A plan that no model wrote is only checked for its form.
    let silent = matches!(response.reply, PlanInput::Text(text) if text.trim().is_empty());
    if silent && response.finish.is_some() {
        let hint = "Answer with one JSON object of the plan's schema.";
        findings.push(Finding::error(Code::ReturnInvalid, "", "The reply is empty.").hint(Hint::explain(hint)));
    }
}

fn form(response: &mut Response<'_>, findings: &mut Vec<Finding>) {
    let (limits, extensions) = (&response.limits, response.extensions);
    if let PlanInput::Text(text) = response.reply
        && let Some(page) = page_in(text)
    {
        if response.finish == Some(&FinishReason::Truncated) {
            let text = "The page is not whole because the reply was cut off at a token limit.";
            let hint = "Raise `max_tokens`, or change the tree in several steps.";
            findings.push(Finding::error(Code::CutOff, "", text).hint(Hint::explain(hint)));
        }
        let around = text.trim();
        if around.contains("```") && !(around.starts_with("```") && around.ends_with("```")) {
            let text = "The text around the page was ignored.";
            findings.push(Finding::warning(Code::RecoveredProse, "", text));
        }
        response.plan = Some(page_plan(page));
        return;
    }
    let parsed = match response.reply {
        PlanInput::Text(text) => parse_plan_with(text, limits, extensions),
        PlanInput::Json(value) => parse_plan_value_with(value, limits, extensions),
    };
    let Parsed {
        plan,
        findings: found,
        origins,
    } = parsed;
    response.plan = plan;
    response.origins = origins;
    findings.extend(found);
}

/// No setting waives an error in a script.
fn scripts(response: &mut Response<'_>, findings: &mut Vec<Finding>) {
    if let Some(plan) = &mut response.plan {
        findings.extend(response.scripts.judge(plan));
    }
}

/// A plan whose end was repaired may be incomplete if the provider says that it cut the reply off.
fn complete(response: &mut Response<'_>, findings: &mut Vec<Finding>) {
    let mended = findings.iter().any(|finding| finding.code == Code::RecoveredCutOff);
    if mended && response.finish == Some(&FinishReason::Truncated) {
        let text = "The end of the plan is missing because the reply was cut off at a token limit.";
        let hint = "Raise `max_tokens`, or make a shorter plan.";
        findings.push(Finding::error(Code::CutOff, "", text).hint(Hint::explain(hint)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: &str = r#"{"version":"1.1","steps":[],"done":true,"final_message":"x"}"#;

    fn found(text: &str, finish: &FinishReason, mode: Mode) -> (Vec<Code>, bool) {
        let (reply, extensions) = (PlanInput::Text(text.to_owned()), Extensions::default());
        let mut given = Response::new(&reply, Some(finish), Limits::default(), &extensions, Rules::default());
        let verdict = response(&mut given, mode);
        assert_eq!(given.plan.is_some(), verdict.error().is_none());
        (verdict.findings.iter().map(|f| f.code).collect(), given.plan.is_some())
    }

    #[test]
    fn a_refusal_and_an_empty_reply_are_distinguished_from_bad_form() {
        let strict = Mode::Strict;
        assert_eq!(
            found(DONE, &FinishReason::Refused, strict),
            (vec![Code::ContentRefused], false)
        );
        assert_eq!(
            found(" \n", &FinishReason::Done, strict),
            (vec![Code::ReturnInvalid], false)
        );
        assert_eq!(found("{]", &FinishReason::Done, strict).0, [Code::InvalidJson]);
        assert_eq!(found(DONE, &FinishReason::Done, strict), (vec![], true));
    }

    #[test]
    fn a_reply_may_be_a_page_in_a_fence() {
        let page = "\"Made.\"\n\ndef box() -> Geometry:\n    return cube().mesh\n\napply(\"Box\", object=\"Cube\")\n";
        let fenced = format!("```python\n{page}```");
        for (reply, is_page) in [
            (fenced.clone(), true),
            (page.to_owned(), true),
            (format!("Here it is:\n{fenced}\nEnjoy!"), true),
            (format!("{fenced}\n{fenced}"), false),
            (format!("{{\"a\": \"{fenced}\"}}"), false),
            ("Write ```python\nprint(1)\n``` yourself.".to_owned(), false),
            (DONE.to_owned(), false),
        ] {
            assert_eq!(page_in(&reply).is_some(), is_page, "{reply}");
        }
        assert_eq!(found(&fenced, &FinishReason::Done, Mode::Strict), (vec![], true));
        let told = found(&format!("Here it is:\n{fenced}"), &FinishReason::Done, Mode::Strict);
        assert_eq!(told, (vec![Code::RecoveredProse], true));
        let cut = found(&fenced, &FinishReason::Truncated, Mode::Strict);
        assert_eq!(cut, (vec![Code::CutOff, Code::CutOff], false));
    }

    #[test]
    fn an_empty_plan_that_was_given_directly_is_not_json() {
        let (reply, extensions) = (PlanInput::Text(String::new()), Extensions::default());
        let mut given = Response::new(&reply, None, Limits::default(), &extensions, Rules::default());
        let codes: Vec<Code> = response(&mut given, Mode::Strict)
            .findings
            .iter()
            .map(|f| f.code)
            .collect();
        assert_eq!(codes, [Code::InvalidJson]);
    }

    #[test]
    fn a_plan_that_the_provider_cut_off_is_used_only_in_warn_mode() {
        let cut = DONE.trim_end_matches('}');
        assert_eq!(
            found(cut, &FinishReason::Done, Mode::Strict),
            (vec![Code::RecoveredCutOff], true)
        );
        let codes = vec![Code::CutOff, Code::RecoveredCutOff, Code::CutOff];
        assert_eq!(
            found(cut, &FinishReason::Truncated, Mode::Strict),
            (codes.clone(), false)
        );
        assert_eq!(found(cut, &FinishReason::Truncated, Mode::Warn), (codes, true));
    }

    #[test]
    fn no_setting_waives_the_rule_about_scripts() {
        let step = r#"{"id":"s","type":"PYTHON","description":"d","payload":{"code":"import socket"}}"#;
        let text = format!(r#"{{"version":"1.1","steps":[{step}],"done":true,"final_message":""}}"#);
        for mode in [Mode::Strict, Mode::Warn] {
            let (codes, plan) = found(&text, &FinishReason::Done, mode);
            assert!(codes.contains(&Code::ScriptImport) && !plan, "{codes:?}");
        }
    }
}
