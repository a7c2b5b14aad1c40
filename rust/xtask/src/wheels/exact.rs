//! What makes two builds from the same sources the same bytes: no time, and no folder of the machine that builds.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::cross;
use crate::env::Environment;
use crate::layout::Layout;
use crate::process;

/// The time that files in what is shipped carry: 1 January 2026. It says nothing; the version does.
pub(crate) const TIME: &str = "1767225600";

/// What cargo puts between the compiler's options.
const SEPARATOR: &str = "\u{1f}";

/// Variables for a build, with options for the linker. `crates` is cargo's folder.
pub(super) fn variables(layout: &Layout, crates: &Path, linker: &[&str]) -> [(&'static str, String); 2] {
    let mut options = vec![hidden(&layout.root, "geonode")];
    let sources = crates.join("registry").join("src");
    // One folder for each registry, by a hash of its address.
    for registry in std::fs::read_dir(sources).into_iter().flatten().flatten() {
        options.push(hidden(&registry.path(), "crates"));
    }
    options.extend(linker.iter().map(|option| format!("-Clink-arg={option}")));
    [
        ("SOURCE_DATE_EPOCH", TIME.to_owned()),
        ("CARGO_ENCODED_RUSTFLAGS", options.join(SEPARATOR)),
    ]
}

/// Builds a wheel whose bytes say nothing of the machine.
///
/// # Errors
/// When cargo's folder is not found, or the build fails.
pub(super) fn build(layout: &Layout, command: &mut Command, linker: &[&str]) -> Result<()> {
    command.envs(variables(layout, &cross::crates_folder()?, linker));
    process::visible(command, "building the native core")
}

/// The script that checks wheels and packs archives.
pub(crate) fn script(tools: &Environment) -> Command {
    let mut command = tools.command();
    command.args(["-c", include_str!("shipped.py")]);
    command
}

/// Messages of panics name a file of the sources; here below another folder.
fn hidden(folder: &Path, name: &str) -> String {
    format!("--remap-path-prefix={}={name}", folder.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_this_machine_are_renamed_and_the_linker_hears_its_options() {
        let folder = tempfile::tempdir().unwrap();
        let layout = Layout {
            root: folder.path().join("a checkout"),
        };
        let crates = folder.path().join("cargo");
        std::fs::create_dir_all(crates.join("registry/src/index-1")).unwrap();
        let [time, options] = variables(&layout, &crates, &["-Wl,--no-insert-timestamp"]);
        assert_eq!(time, ("SOURCE_DATE_EPOCH", TIME.to_owned()));
        let here = folder.path().display();
        assert_eq!(
            options.1.split(SEPARATOR).collect::<Vec<_>>(),
            [
                format!("--remap-path-prefix={here}/a checkout=geonode"),
                format!("--remap-path-prefix={here}/cargo/registry/src/index-1=crates"),
                "-Clink-arg=-Wl,--no-insert-timestamp".to_owned(),
            ]
        );
    }
}
