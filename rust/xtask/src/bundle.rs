//! `cargo xtask bundle`: the extension that an artist installs, one zip with the native wheel inside.
//!
//! Blender's own builder packs and validates it; mistakes that the builder does not detect are checked here.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use toml::{Table, Value};

use crate::blender::{Blender, SUPPORTED};
use crate::env::{self, Environment, Wanted};
use crate::layout::Layout;
use crate::native::Build;
use crate::process;
use crate::wheels::{self, Made, Platform, Wheel, exact};

/// The options of `bundle`.
#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// Build wheels to be shipped, for these platforms [default: one for this machine alone]
    #[arg(long = "platform", value_name = "PLATFORM", value_enum)]
    platforms: Vec<Platform>,
    /// The same as --platform linux-x64
    #[arg(long)]
    portable: bool,
    /// Wheels that were built elsewhere, to put beside those made here
    #[arg(long = "wheel", value_name = "FILE")]
    wheels: Vec<PathBuf>,
}

/// Builds the extension and prints its path.
///
/// # Errors
/// As for `make`.
pub(crate) fn bundle(layout: &Layout, options: &Bundle) -> Result<u8> {
    let mut platforms = options.platforms.clone();
    platforms.extend(options.portable.then_some(Platform::LinuxX64));
    platforms.sort_unstable();
    platforms.dedup();
    let own: Vec<Wheel> = if platforms.is_empty() {
        vec![Wheel::Here(Build::Release)]
    } else {
        platforms.into_iter().map(Wheel::For).collect()
    };
    let zip = make(layout, &own, &options.wheels)?;
    println!(
        "{} ({} bytes), with {} wheel(s)",
        zip.display(),
        fs::metadata(&zip)?.len(),
        own.len() + options.wheels.len()
    );
    println!("Install it in Blender: Edit > Preferences > Get Extensions > Install from Disk…");
    Ok(0)
}

/// Builds target/bundle/<id>-<version>.zip, and beside it what tells what is in it.
///
/// # Errors
/// When something is missing, or the builder or a check refuses the extension.
pub(crate) fn make(layout: &Layout, own: &[Wheel], others: &[PathBuf]) -> Result<PathBuf> {
    let builder = builder(layout)?;
    let mut folder = layout.target().join("bundle");
    if own.contains(&Wheel::Here(Build::Checked)) {
        // Not where somebody looks for what is shipped.
        folder.push("checked");
    }
    let stage = folder.join("stage");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    copy(&layout.addon().join("geonode_assistant"), &stage)?;
    fs::copy(layout.root.join("LICENSE"), stage.join("LICENSE")).context("cannot copy LICENSE")?;
    fs::create_dir_all(stage.join("wheels"))?;

    let made: Vec<Made> = own
        .iter()
        .map(|one| wheels::make(layout, *one))
        .collect::<Result<_>>()?;
    let mut names = Vec::new();
    for wheel in made.iter().map(|one| &one.wheel).chain(others) {
        let name = wheel
            .file_name()
            .context("a wheel without a name")?
            .to_string_lossy()
            .into_owned();
        fs::copy(wheel, stage.join("wheels").join(&name))
            .with_context(|| format!("cannot copy {}", wheel.display()))?;
        names.push(name);
    }
    let file = stage.join("blender_manifest.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let manifest = complete(
        text.parse::<Table>().context("blender_manifest.toml is not TOML")?,
        &names,
    )?;
    fs::write(&file, toml::to_string(&manifest)?)?;

    let id = string(&manifest, "id")?;
    let zip = folder.join(format!("{id}-{}.zip", string(&manifest, "version")?));
    let run = |what: &str, arguments: &[&OsStr]| {
        let mut command = builder.0.command();
        process::quiet(command.arg(&builder.1).args(arguments), what)
    };
    let build: [&OsStr; 5] = [
        "build".as_ref(),
        "--source-dir".as_ref(),
        stage.as_ref(),
        "--output-filepath".as_ref(),
        zip.as_ref(),
    ];
    run("building the extension", &build)?;
    let mut pack = exact::script(&builder.0);
    process::quiet(
        pack.arg("zip").arg(&zip).arg(exact::TIME),
        "packing the extension without times",
    )?;
    run("validating the extension", &["validate".as_ref(), zip.as_ref()])?;
    let elsewhere = others.iter().map(|wheel| Made {
        wheel: wheel.clone(),
        compiler: None,
    });
    accompany(&zip, &made.into_iter().chain(elsewhere).collect::<Vec<_>>())?;
    Ok(zip)
}

/// Puts beside the zip what tells what is in it: the components of each wheel, the compilers that came from Debian, and the hash (SHA-256) of
/// each file. What is left of an earlier zip goes.
fn accompany(zip: &Path, made: &[Made]) -> Result<()> {
    let (folder, name) = (zip.parent().context("no folder")?, stem(zip));
    for entry in fs::read_dir(folder)?.flatten() {
        let other = entry.file_name().to_string_lossy().into_owned();
        if entry.path() != zip && other.starts_with(&format!("{name}.")) {
            fs::remove_file(entry.path())?;
        }
    }
    let mut files = vec![zip.to_path_buf()];
    for one in made {
        let sources = [
            (Some(wheels::components(&one.wheel)), "cdx.json"),
            (one.compiler.clone(), "compilers.txt"),
        ];
        for (source, ending) in sources {
            let Some(source) = source.filter(|source| source.is_file()) else {
                continue;
            };
            let tag = platform(&format!("{}.whl", stem(&one.wheel)))?;
            let to = folder.join(format!("{name}.{tag}.{ending}"));
            fs::copy(&source, &to).with_context(|| format!("cannot copy {}", source.display()))?;
            files.push(to);
        }
    }
    let sums = folder.join(format!("{name}.sha256"));
    env::replace(&sums, &crate::debian::listed(&files)?)
}

/// The name of a file without its last ending.
fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The newest Blender's extension builder, and an environment that runs it.
fn builder(layout: &Layout) -> Result<(Environment, PathBuf)> {
    let mut error = None;
    for blender in SUPPORTED {
        match builder_of(layout, blender) {
            Ok(builder) => return Ok(builder),
            Err(other) => error = error.or(Some(other)),
        }
    }
    Err(error.unwrap_or_else(|| anyhow::anyhow!("there is no Blender")))
}

fn builder_of(layout: &Layout, blender: Blender) -> Result<(Environment, PathBuf)> {
    let environment = env::prepare(layout, &Wanted::blender(blender))?;
    let scripts = environment
        .packages()?
        .join("bpy")
        .join(blender.version)
        .join("scripts");
    let script = scripts.join("addons_core/bl_pkg/cli/blender_ext.py");
    if !script.is_file() {
        bail!(
            "Blender {} has no extension builder at {}",
            blender.version,
            script.display()
        );
    }
    Ok((environment, script))
}

/// The keys of an extension manifest.
const KNOWN: [&str; 17] = [
    "schema_version",
    "id",
    "version",
    "name",
    "tagline",
    "maintainer",
    "type",
    "website",
    "tags",
    "blender_version_min",
    "blender_version_max",
    "license",
    "copyright",
    "permissions",
    "platforms",
    "wheels",
    "build",
];

/// Adds the wheels and their platforms to the manifest, and checks what Blender's builder does not.
fn complete(mut manifest: Table, wheels: &[String]) -> Result<Table> {
    let mut platforms: Vec<&str> = wheels.iter().map(|wheel| platform(wheel)).collect::<Result<_>>()?;
    platforms.sort_unstable();
    platforms.dedup();
    let list = |items: Vec<String>| Value::Array(items.into_iter().map(Value::String).collect());
    manifest.insert(
        "wheels".into(),
        list(wheels.iter().map(|wheel| format!("./wheels/{wheel}")).collect()),
    );
    manifest.insert(
        "platforms".into(),
        list(platforms.into_iter().map(str::to_owned).collect()),
    );

    if string(&manifest, "schema_version")? != "1.0.0" {
        bail!("blender_manifest.toml: schema_version must be 1.0.0");
    }
    let licences = manifest
        .get("license")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    for licence in &licences {
        let name = licence.as_str().and_then(|text| text.strip_prefix("SPDX:"));
        if name.and_then(spdx::license_id).is_none() {
            bail!("blender_manifest.toml: license {licence} must be \"SPDX:\" and a known identifier");
        }
    }
    if let Some(unknown) = manifest.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        bail!("blender_manifest.toml: unknown key {unknown:?}");
    }
    Ok(manifest)
}

/// Blender's name for the platform of a wheel.
fn platform(wheel: &str) -> Result<&'static str> {
    let tag = wheel.trim_end_matches(".whl").rsplit('-').next().unwrap_or_default();
    let systems = [("linux", "linux"), ("macosx", "macos"), ("win", "windows")];
    let system = systems
        .iter()
        .find(|(part, _)| tag.contains(part))
        .map(|(_, name)| *name);
    let arm = ["aarch64", "arm64"].iter().any(|part| tag.ends_with(part));
    let intel = ["x86_64", "amd64"].iter().any(|part| tag.ends_with(part));
    Ok(match (system, arm, intel) {
        (Some("linux"), false, true) => "linux-x64",
        (Some("linux"), true, false) => "linux-arm64",
        (Some("macos"), false, true) => "macos-x64",
        (Some("macos"), true, false) => "macos-arm64",
        (Some("windows"), false, true) => "windows-x64",
        (Some("windows"), true, false) => "windows-arm64",
        _ => bail!("{wheel}: Blender does not know its platform {tag:?}"),
    })
}

fn string<'a>(manifest: &'a Table, key: &str) -> Result<&'a str> {
    manifest
        .get(key)
        .and_then(Value::as_str)
        .with_context(|| format!("blender_manifest.toml: {key} is missing"))
}

/// Copies a folder without the caches of Python and editors.
///
/// # Errors
/// When a file cannot be read or written.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        if name == "__pycache__" || name.to_string_lossy().starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &to.join(name))?;
        } else {
            fs::copy(entry.path(), to.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHEEL: &str = "geonode_core-0.1.0-cp311-abi3-manylinux_2_28_x86_64.whl";

    fn manifest(text: &str) -> Result<Table> {
        complete(text.parse().unwrap(), &[WHEEL.to_owned()])
    }

    #[test]
    fn a_manifest_lists_its_wheels_and_platforms() {
        let done = manifest("schema_version = '1.0.0'\nid = 'x'\nlicense = ['SPDX:GPL-3.0-or-later']").unwrap();
        assert_eq!(done.get("platforms").unwrap().to_string(), "[\"linux-x64\"]");
        assert_eq!(
            done.get("wheels").unwrap().to_string(),
            format!("[\"./wheels/{WHEEL}\"]")
        );
    }

    #[test]
    fn manifests_that_blender_would_accept_wrongly_are_refused() {
        for (text, sentence) in [
            ("schema_version = '2.0.0'", "schema_version"),
            ("schema_version = '1.0.0'\nlicense = ['GPL-3.0-or-later']", "SPDX:"),
            ("schema_version = '1.0.0'\nlicense = ['SPDX:GPL-Unknown']", "SPDX:"),
            ("schema_version = '1.0.0'\nextra = 1", "unknown key \"extra\""),
        ] {
            let message = manifest(text).unwrap_err().to_string();
            assert!(message.contains(sentence), "{message}");
        }
    }

    #[test]
    fn beside_the_zip_stands_what_is_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let zip = folder.path().join("x-0.1.0.zip");
        let wheel = folder.path().join("wheels").join(WHEEL);
        fs::create_dir(wheel.parent().unwrap()).unwrap();
        for (file, text) in [(&zip, "zip"), (&wheel, "wheel"), (&wheels::components(&wheel), "{}")] {
            fs::write(file, text).unwrap();
        }
        fs::write(
            folder.path().join("x-0.1.0.windows-x64.compilers.txt"),
            "of an earlier one",
        )
        .unwrap();
        accompany(&zip, &[Made { wheel, compiler: None }]).unwrap();
        let sums = fs::read_to_string(folder.path().join("x-0.1.0.sha256")).unwrap();
        let names: Vec<&str> = sums
            .lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(_, name)| name)
            .collect();
        assert_eq!(names, ["x-0.1.0.zip", "x-0.1.0.linux-x64.cdx.json"]);
        assert!(!folder.path().join("x-0.1.0.windows-x64.compilers.txt").exists());
    }

    #[test]
    fn wheel_tags_give_their_platforms() {
        for (tag, wanted) in [
            ("macosx_11_0_arm64", Some("macos-arm64")),
            ("win_amd64", Some("windows-x64")),
            ("win32", None),
            ("linux_aarch64", Some("linux-arm64")),
            ("any", None),
        ] {
            assert_eq!(platform(&format!("a-1-cp311-abi3-{tag}.whl")).ok(), wanted, "{tag}");
        }
    }
}
