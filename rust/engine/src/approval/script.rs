//! The description of a script that the artist is shown.

use geonode_protocol::{Action, Plan, PythonMode, PythonScript};
use geonode_run::AskedScript;

use crate::settings::Trials;

/// Most characters of a line that is quoted.
const LINE_CHARS: usize = 120;
/// Most places that are named to the artist; the whole script is shown next to them.
const MAX_PLACES: usize = 20;

/// From so many lines on nobody is sure to have read a script.
const LONG_LINES: usize = 40;

/// A script as described in a request.
pub(crate) struct Description {
    /// Why it needs approval.
    pub(crate) reason: String,
    /// Whether it removes data.
    pub(crate) destructive: bool,
    /// The whole script, and the lines that remove data.
    pub(crate) shown: AskedScript,
}

/// Whether a script of the plan has to be tried before anybody approves it. In doubt: it removes data, is long, or nobody reads it.
pub(crate) fn tried_first(plan: &Plan, trials: Trials, unattended: bool, blender: &str) -> bool {
    let mut scripts = plan.steps.iter().filter_map(|step| match &step.action {
        Action::Python(script) if script.mode == PythonMode::Safe => Some(script),
        _ => None,
    });
    let removes = |script: &PythonScript| !geonode_script::check(&script.code, blender).asks.is_empty();
    match trials {
        Trials::Always => scripts.next().is_some(),
        Trials::InDoubt => {
            scripts.any(|script| unattended || script.code.lines().count() >= LONG_LINES || removes(script))
        }
        Trials::Never => false,
    }
}

/// Describes a script for the artist, as judged for this version of Blender.
pub(crate) fn describe(script: &PythonScript, blender: &str) -> Description {
    let lines = script.code.lines().count();
    let verdict = geonode_script::check(&script.code, blender);
    let mut places: Vec<u32> = verdict.asks.iter().map(|ask| ask.line).collect();
    places.dedup();
    let removes: Vec<String> = places
        .iter()
        .take(MAX_PLACES)
        .map(|line| format!("line {line}: {}", quoted(&script.code, *line)))
        .collect();
    let mut reason = match script.mode {
        PythonMode::Safe => format!("It runs a script of {}.", counted(lines)),
        PythonMode::Trusted => format!(
            "It runs a trusted script of {}: nothing limits what it does, in this file and outside of it. Read all of it before you approve it.",
            counted(lines)
        ),
    };
    if !removes.is_empty() {
        reason.push_str(" It removes data in ");
        reason.push_str(&removes.join("; "));
        if places.len() > removes.len() {
            reason.push_str("; and more");
        }
        reason.push('.');
    }
    Description {
        reason,
        destructive: !removes.is_empty(),
        shown: AskedScript {
            mode: script.mode,
            code: script.code.clone(),
            lines,
            timeout_ms: script.timeout_ms,
            removes,
            marks: places,
        },
    }
}

fn counted(lines: usize) -> String {
    if lines == 1 {
        "1 line".to_owned()
    } else {
        format!("{lines} lines")
    }
}

/// A line, from 1, without its indentation.
fn quoted(code: &str, line: u32) -> String {
    let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let line = code.lines().nth(index).unwrap_or_default().trim();
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_removes_data_names_its_lines() {
        let code = "import bpy\nfor one in list(bpy.data.objects):\n    bpy.data.objects.remove(one)\nbpy.ops.object.delete()\n";
        for mode in [PythonMode::Safe, PythonMode::Trusted] {
            let script = PythonScript {
                mode,
                code: code.into(),
                timeout_ms: 1,
            };
            let description = describe(&script, "5.2");
            assert!(description.destructive);
            assert_eq!(
                description.shown.removes,
                [
                    "line 3: bpy.data.objects.remove(one)",
                    "line 4: bpy.ops.object.delete()"
                ]
            );
            assert_eq!(description.shown.code, code);
            assert!(
                description.reason.contains("4 lines") && description.reason.contains("line 3"),
                "{}",
                description.reason
            );
            assert_eq!(description.reason.contains("trusted"), mode == PythonMode::Trusted);
        }
        assert!(
            !describe(
                &PythonScript {
                    mode: PythonMode::Safe,
                    code: "import bpy\nbpy.data.objects['Cube'].location.x = 1\n".into(),
                    timeout_ms: 1
                },
                "5.2"
            )
            .destructive
        );
    }
}
