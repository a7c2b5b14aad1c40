//! The scripts of a plan: whether they may run here.
//!
//! A plan can only ask for less than the settings allow. In safe mode `geonode-script` decides; a trusted script is only checked for
//! characters that would make it look different from what it does, and only the artist can approve it.

use geonode_protocol::{
    Action, Change, Code, Finding, Hint, LISTED_FINDINGS, Plan, PythonMode, PythonScript, SCRIPT_MS,
};
use geonode_run::Approve;
use geonode_script::Verdict;
use geonode_store::audit;

use crate::settings::Scripts;

/// The conditions for the scripts of a plan.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    pub(crate) allowed: Scripts,
    pub(crate) approve: Approve,
    /// Version of Blender; `None`: everything that any supported version allows passes.
    pub(crate) blender: Option<String>,
    /// Longest time that a script may take.
    pub(crate) longest_ms: u64,
    /// Whether earlier turns of the run have already written.
    pub(crate) later: bool,
}

impl Rules {
    /// Whether the settings are decided later, when the plan is applied; then only errors that no setting waives are reported.
    pub(crate) fn of_form(blender: Option<String>) -> Self {
        Self {
            allowed: Scripts::Trusted,
            approve: Approve::Ask,
            blender,
            longest_ms: u64::MAX,
            later: false,
        }
    }

    /// Whether a model may use scripts here.
    pub(crate) fn any(&self) -> bool {
        self.allowed != Scripts::Off && self.approve != Approve::None
    }

    /// Judges every script of a plan, and puts the judged text into each one that may run.
    pub(crate) fn judge(&self, plan: &mut Plan) -> Vec<Finding> {
        let mut findings = Vec::new();
        let done = plan.done;
        for (index, step) in plan.steps.iter_mut().enumerate() {
            let Action::Python(script) = &mut step.action else {
                continue;
            };
            let at = format!("/steps/{index}");
            self.place(script, done, &at, &mut findings);
            self.time(script, &at, &mut findings);
            if self.allowed != Scripts::Off {
                self.text(script, &at, &mut findings);
            }
        }
        if findings.len() > LISTED_FINDINGS {
            let more = findings.len().saturating_sub(LISTED_FINDINGS - 1);
            findings.truncate(LISTED_FINDINGS - 1);
            let text = format!("{more} more places are refused.");
            findings.push(
                Finding::error(Code::MoreFindings, "/steps", text).hint(Hint::explain("Correct the others first.")),
            );
        }
        findings
    }

    /// Whether scripts are allowed at all.
    fn place(&self, script: &PythonScript, done: bool, at: &str, findings: &mut Vec<Finding>) {
        let trusted = script.mode == PythonMode::Trusted;
        match self.allowed {
            Scripts::Off => {
                let text = "Scripts are switched off.";
                let hint = Hint::explain("A step without a script is of the type NODE_TREE or GN_OPS.");
                let finding = Finding::error(Code::PythonNotAllowed, format!("{at}/type"), text).hint(hint);
                findings.push(finding.by_hand("Scripts can be allowed in the add-on's preferences."));
                return;
            }
            Scripts::Safe if trusted => {
                let text = "Trusted scripts are switched off.";
                let finding = Finding::error(Code::PythonNotAllowed, format!("{at}/payload/mode"), text).hint(safe(at));
                findings.push(finding.by_hand("Trusted scripts can be allowed in the add-on's preferences."));
            }
            Scripts::Trusted if trusted && self.approve != Approve::Ask => {
                let text = "A trusted script runs only after the artist has read and approved it, and nobody is there to do so.";
                let finding = Finding::error(Code::ApprovalRequired, format!("{at}/payload/mode"), text).hint(safe(at));
                findings.push(finding.by_hand("Run the plan where somebody can approve it."));
            }
            Scripts::Safe | Scripts::Trusted if self.approve == Approve::None => {
                let text = "A script runs only after somebody has approved it, and nobody is there to do so.";
                let hint = Hint::explain("A step without a script is of the type NODE_TREE or GN_OPS.");
                let finding = Finding::error(Code::ApprovalRequired, format!("{at}/type"), text).hint(hint);
                findings.push(finding.by_hand("Run the plan where somebody can approve it."));
            }
            Scripts::Safe | Scripts::Trusted => {}
        }
        if !done || self.later {
            // Between turns the artist may continue to work; the changes of a script could then not be distinguished and undone.
            let text = "A plan with a script must be the only one of its run that changes the file.";
            let hint = Hint::explain("A plan with a script holds all steps of the run and is `done: true`.");
            findings.push(Finding::error(Code::PythonOutOfTurn, format!("{at}/type"), text).hint(hint));
        }
    }

    /// Limits the time that a script may take. A longer requested time is a finding; the default is shortened silently.
    fn time(&self, script: &mut PythonScript, at: &str, findings: &mut Vec<Finding>) {
        let longest = u32::try_from(self.longest_ms).unwrap_or(u32::MAX);
        if script.timeout_ms > longest.max(SCRIPT_MS) {
            let text = format!("A script may take at most {longest} ms, not {}.", script.timeout_ms);
            let path = format!("{at}/payload/timeout_ms");
            let hint = Hint::change(
                "Leave `timeout_ms` out, or do less in one step.",
                Change::remove(&*path),
            );
            findings.push(Finding::error(Code::OutOfRange, path, text).hint(hint));
        }
        script.timeout_ms = script.timeout_ms.min(longest);
    }

    /// Judges the script's text.
    fn text(&self, script: &mut PythonScript, at: &str, findings: &mut Vec<Finding>) {
        let Verdict {
            findings: found,
            rewritten,
            ..
        } = self.verdict(&script.code);
        let trusted = script.mode == PythonMode::Trusted;
        let found = found
            .into_iter()
            .filter(|one| !trusted || one.code == Code::ScriptCharacter);
        findings.extend(found.map(|one| {
            let text = format!("Line {}, column {} ({}): {}", one.line, one.column, one.rule, one.text);
            Finding::error(one.code, format!("{at}/payload/code"), text).hint(Hint::explain(one.hint))
        }));
        if let Some(rewritten) = rewritten {
            script.code = rewritten;
        }
    }

    fn verdict(&self, source: &str) -> Verdict {
        if let Some(blender) = &self.blender {
            return geonode_script::check(source, blender);
        }
        let [older @ .., newest] = geonode_script::VERSIONS;
        let verdict = geonode_script::check(source, newest);
        if verdict.ok {
            return verdict;
        }
        let mut others = older.iter().rev().map(|version| geonode_script::check(source, version));
        others.find(|other| other.ok).unwrap_or(verdict)
    }
}

/// Records that a script begins to run. For a trusted one, the audit log stores the hash, which identifies its text later; refusals reach it through the
/// findings.
pub(crate) fn starts(script: &PythonScript) {
    if script.mode == PythonMode::Trusted {
        audit::trusted_script(&script.code);
    }
}

/// Whether the plan has a step that only the artist's own approval lets run.
pub(crate) fn confirmed_only(plan: &Plan) -> bool {
    let mut actions = plan.steps.iter().map(|step| &step.action);
    actions.any(|action| matches!(action, Action::Python(script) if script.mode == PythonMode::Trusted))
}

/// Proposes that the script of a step runs in safe mode.
fn safe(at: &str) -> Hint {
    let change = Change::replace(format!("{at}/payload/mode"), "safe");
    Hint::change("Use `\"mode\": \"safe\"`.", change)
}

#[cfg(test)]
mod tests {
    use geonode_protocol::{Limits, parse_plan_value};
    use serde_json::{Value, json};

    use super::*;

    fn plan(code: &str, payload: &Value, done: bool) -> Plan {
        let mut all = json!({"code": code});
        all.as_object_mut()
            .unwrap()
            .extend(payload.as_object().unwrap().clone());
        let step = json!({"id": "s", "type": "PYTHON", "description": "", "payload": all});
        let plan = json!({"version": "1.1", "steps": [step], "done": done, "final_message": ""});
        parse_plan_value(&plan, &Limits::default()).plan.unwrap()
    }

    fn rules(allowed: Scripts, approve: Approve) -> Rules {
        Rules {
            allowed,
            approve,
            blender: Some("5.2".into()),
            longest_ms: 10_000,
            later: false,
        }
    }

    fn found(rules: &Rules, plan: &mut Plan) -> Vec<(Code, String)> {
        rules.judge(plan).into_iter().map(|f| (f.code, f.path)).collect()
    }

    const GOOD: &str = "import bpy\nbpy.data.objects['Cube'].location.x = 1\n";

    #[test]
    fn settings_and_approval_decide_whether_a_script_may_run() {
        use Approve::{All, Ask, None};
        use Scripts::{Off, Safe, Trusted};
        let table = [
            (Off, All, "safe", Some((Code::PythonNotAllowed, "/steps/0/type"))),
            (Safe, All, "safe", Option::None),
            (Safe, Ask, "safe", Option::None),
            (Safe, None, "safe", Some((Code::ApprovalRequired, "/steps/0/type"))),
            (
                Safe,
                Ask,
                "trusted",
                Some((Code::PythonNotAllowed, "/steps/0/payload/mode")),
            ),
            (
                Safe,
                All,
                "trusted",
                Some((Code::PythonNotAllowed, "/steps/0/payload/mode")),
            ),
            (Trusted, Ask, "trusted", Option::None),
            (
                Trusted,
                All,
                "trusted",
                Some((Code::ApprovalRequired, "/steps/0/payload/mode")),
            ),
            (
                Trusted,
                None,
                "trusted",
                Some((Code::ApprovalRequired, "/steps/0/payload/mode")),
            ),
            (Trusted, All, "safe", Option::None),
        ];
        for (allowed, approve, mode, expected) in table {
            let found = found(&rules(allowed, approve), &mut plan(GOOD, &json!({"mode": mode}), true));
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(code, path)| (code, path.to_owned()))
                .collect();
            assert_eq!(found, expected, "{allowed:?} {approve:?} {mode}");
        }
    }

    #[test]
    fn refusals_of_safe_mode_name_their_place_and_no_setting_waives_them() {
        let mut bad = plan("import bpy\nx = 1\nimport socket\n", &json!({}), true);
        for allowed in [Scripts::Safe, Scripts::Trusted] {
            let findings = rules(allowed, Approve::All).judge(&mut bad);
            let [finding] = findings.as_slice() else {
                panic!("{findings:?}")
            };
            assert_eq!(
                (finding.code, finding.path.as_str()),
                (Code::ScriptImport, "/steps/0/payload/code")
            );
            assert!(
                finding.message.starts_with("Line 3, column 8 (imports): "),
                "{}",
                finding.message
            );
            assert!(finding.hint.as_ref().is_some_and(|hint| !hint.as_str().is_empty()));
        }
    }

    #[test]
    fn a_trusted_script_is_unrestricted_but_may_not_hide_characters() {
        let trusted = json!({"mode": "trusted"});
        let rules = rules(Scripts::Trusted, Approve::Ask);
        assert_eq!(found(&rules, &mut plan("import os\nos.getcwd()\n", &trusted, true)), []);
        let hidden = "x = 1  # \u{202e}gnihton\n";
        assert_eq!(
            found(&rules, &mut plan(hidden, &trusted, true))[0].0,
            Code::ScriptCharacter
        );
    }

    #[test]
    fn a_script_needs_the_only_plan_that_writes_and_keeps_its_time_limit() {
        let safe = rules(Scripts::Safe, Approve::All);
        assert_eq!(
            found(&safe, &mut plan(GOOD, &json!({}), false))[0].0,
            Code::PythonOutOfTurn
        );
        let later = Rules {
            later: true,
            ..safe.clone()
        };
        assert_eq!(
            found(&later, &mut plan(GOOD, &json!({}), true))[0].0,
            Code::PythonOutOfTurn
        );
        for (ms, good) in [(10_000, true), (10_001, false)] {
            let found = found(&safe, &mut plan(GOOD, &json!({"timeout_ms": ms}), true));
            assert_eq!(found.is_empty(), good, "{ms} {found:?}");
        }
        let strict = Rules {
            longest_ms: 500,
            ..safe
        };
        let mut usual = plan(GOOD, &json!({}), true);
        assert_eq!(found(&strict, &mut usual), []);
        let Action::Python(script) = &usual.steps[0].action else {
            panic!()
        };
        assert_eq!(script.timeout_ms, 500);
    }

    #[test]
    fn the_judged_text_is_the_one_that_runs() {
        let mut same_quote = plan("name = 'x'\nprint(f'{'a'}')\n", &json!({}), true);
        assert_eq!(found(&rules(Scripts::Safe, Approve::All), &mut same_quote), []);
        let Action::Python(script) = &same_quote.steps[0].action else {
            panic!()
        };
        assert!(script.code.contains("\"a\""), "{}", script.code);
    }

    #[test]
    fn without_a_version_anything_that_some_blender_allows_passes() {
        let only_old = "import bpy\nbpy.ops.gpencil.layer_add()\n";
        let versions = geonode_script::VERSIONS.map(|version| geonode_script::check(only_old, version).ok);
        assert_eq!((versions[0], versions[3]), (true, false), "the example is out of date");
        assert_eq!(found(&Rules::of_form(None), &mut plan(only_old, &json!({}), true)), []);
        assert_ne!(
            found(
                &Rules::of_form(Some("5.2".into())),
                &mut plan(only_old, &json!({}), true)
            ),
            []
        );
    }

    #[test]
    fn the_findings_of_a_plan_are_bounded() {
        let mut bad = plan(&"import socket\n".repeat(45), &json!({}), true);
        let again = bad.steps[0].clone();
        bad.steps.push(again);
        let findings = rules(Scripts::Safe, Approve::All).judge(&mut bad);
        assert_eq!(findings.len(), LISTED_FINDINGS);
        assert_eq!(findings.last().map(|f| f.code), Some(Code::MoreFindings));
    }

    #[test]
    fn removing_data_needs_approval_and_is_not_refused() {
        let code = "import bpy\nfor one in list(bpy.data.objects):\n    bpy.data.objects.remove(one)\nbpy.ops.object.delete()\n";
        let mut destructive = plan(code, &json!({}), true);
        assert_eq!(found(&rules(Scripts::Safe, Approve::All), &mut destructive), []);
    }
}
