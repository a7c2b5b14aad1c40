//! What the artist is told about a script.

use geonode_protocol::{PythonMode, PythonScript};
use geonode_run::AskedScript;

/// Most characters of a line that is quoted.
const LINE_CHARS: usize = 120;
/// Most places that are named to the artist; the whole script stands beside them.
const MAX_PLACES: usize = 20;

/// What a question tells about a script.
pub(crate) struct Told {
    /// Why it is asked about.
    pub(crate) reason: String,
    /// It removes data.
    pub(crate) destructive: bool,
    /// All of it, and the lines that remove data.
    pub(crate) shown: AskedScript,
}

/// What the artist is told about a script in this version of Blender.
pub(crate) fn told(script: &PythonScript, blender: &str) -> Told {
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
            "It runs a trusted script of {}: nothing limits what it does, in this file and outside of it. Read all of it first.",
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
    Told {
        reason,
        destructive: !removes.is_empty(),
        shown: AskedScript {
            mode: script.mode,
            code: script.code.clone(),
            lines,
            timeout_ms: script.timeout_ms,
            removes,
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
    fn the_artist_is_told_what_goes() {
        let code = "import bpy\nfor one in list(bpy.data.objects):\n    bpy.data.objects.remove(one)\nbpy.ops.object.delete()\n";
        for mode in [PythonMode::Safe, PythonMode::Trusted] {
            let script = PythonScript {
                mode,
                code: code.into(),
                timeout_ms: 1,
            };
            let told = told(&script, "5.2");
            assert!(told.destructive);
            assert_eq!(
                told.shown.removes,
                [
                    "line 3: bpy.data.objects.remove(one)",
                    "line 4: bpy.ops.object.delete()"
                ]
            );
            assert_eq!(told.shown.code, code);
            assert!(
                told.reason.contains("4 lines") && told.reason.contains("line 3"),
                "{}",
                told.reason
            );
            assert_eq!(told.reason.contains("trusted"), mode == PythonMode::Trusted);
        }
        assert!(
            !told(
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
