//! The dependency audit that always runs: licences by SPDX expression and origins, from cargo's metadata of every
//! dependency. The policy is `.cargo/deny.toml`, which `cargo deny` reads as well; where it is installed, it runs too.

use std::collections::BTreeMap;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::layout::Layout;
use crate::process;
use crate::tally::{Counts, Printer};

/// The part of `cargo metadata` that matters here.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// The part of `.cargo/deny.toml` that matters here.
#[derive(Debug, Deserialize)]
struct Policy {
    licenses: Licences,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<ExceptionFor>,
}

/// Further licences for one package.
#[derive(Debug, Deserialize)]
struct ExceptionFor {
    #[serde(rename = "crate")]
    package: String,
    allow: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Sources {
    #[serde(rename = "allow-registry")]
    allow_registry: Vec<String>,
}

/// Checks every dependency of the workspace.
///
/// # Errors
/// When cargo or the policy file cannot be read.
pub(crate) fn run(layout: &Layout, printer: &Printer) -> Result<Counts> {
    let file = layout.root.join(".cargo").join("deny.toml");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let policy: Policy = toml::from_str(&text).with_context(|| format!("{} is not a policy", file.display()))?;
    let mut metadata = process::cargo();
    metadata
        .current_dir(&layout.root)
        .args(["metadata", "--format-version", "1", "--locked"]);
    let output = process::quiet(&mut metadata, "reading the dependencies")?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("unreadable cargo metadata")?;
    let foreign: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_some())
        .collect();
    if foreign.is_empty() {
        bail!("no dependency was examined");
    }
    let mut checks = vec![
        report(
            "licences",
            foreign.len(),
            &licences(&foreign, &policy.licenses)?,
            printer,
        ),
        report("origins", foreign.len(), &origins(&foreign, &policy.sources), printer),
    ];
    if let Some(held) = cargo_deny(layout, printer)? {
        checks.push(Counts::of(held));
    }
    Ok(checks.into_iter().sum())
}

fn report(what: &str, examined: usize, findings: &[String], printer: &Printer) -> Counts {
    for finding in findings {
        printer.line(&format!("{what}: {finding}"));
    }
    let verdict = if findings.is_empty() { "ok" } else { "FAILED" };
    printer.line(&format!("{what} of {examined} packages: {verdict}"));
    Counts::of(findings.is_empty())
}

/// Packages whose licence the policy does not allow.
fn licences(packages: &[&Package], policy: &Licences) -> Result<Vec<String>> {
    let allow = |names: &[String]| -> Result<Vec<spdx::Licensee>> {
        names
            .iter()
            .map(|name| spdx::Licensee::parse(name).with_context(|| format!("{name} in the policy")))
            .collect()
    };
    let allowed = allow(&policy.allow)?;
    let exceptions: BTreeMap<&str, Vec<spdx::Licensee>> = policy
        .exceptions
        .iter()
        .map(|one| Ok((one.package.as_str(), allow(&one.allow)?)))
        .collect::<Result<_>>()?;
    let mut findings = Vec::new();
    for package in packages {
        let Package {
            name, version, license, ..
        } = package;
        let Some(license) = license else {
            findings.push(format!("{name} {version} has no licence field"));
            continue;
        };
        let more = exceptions.get(name.as_str()).map(Vec::as_slice).unwrap_or_default();
        // Old manifests write "MIT/Apache-2.0".
        match spdx::Expression::parse_mode(license, spdx::ParseMode::LAX) {
            Ok(expression) => {
                let fits = expression.evaluate(|wanted| allowed.iter().chain(more).any(|one| one.satisfies(wanted)));
                if !fits {
                    findings.push(format!(
                        "{name} {version} is under {license}, which .cargo/deny.toml does not allow"
                    ));
                }
            }
            Err(error) => findings.push(format!(
                "{name} {version}: {license:?} is not an SPDX expression ({})",
                error.reason
            )),
        }
    }
    Ok(findings)
}

/// Packages that do not come from an allowed registry.
fn origins(packages: &[&Package], policy: &Sources) -> Vec<String> {
    packages
        .iter()
        .filter_map(|package| {
            let source = package.source.as_deref()?;
            let registry = source.strip_prefix("registry+").unwrap_or_default();
            let known = policy.allow_registry.iter().any(|allowed| allowed == registry);
            (!known).then(|| format!("{} {} comes from {source}", package.name, package.version))
        })
        .collect()
}

/// The result of `cargo deny`; `None` if it is not installed. Advisories need its database from the network and are
/// left to a manual run.
fn cargo_deny(layout: &Layout, printer: &Printer) -> Result<Option<bool>> {
    let installed = process::cargo()
        .args(["deny", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !installed.is_ok_and(|status| status.success()) {
        return Ok(None);
    }
    let mut command = process::cargo();
    command.current_dir(&layout.root).args([
        "deny",
        "--workspace",
        "check",
        "--config",
        ".cargo/deny.toml",
        "bans",
        "licenses",
        "sources",
    ]);
    let held = command
        .stdin(Stdio::null())
        .status()
        .context("cannot start cargo deny")?
        .success();
    printer.line(&format!("cargo deny: {}", if held { "ok" } else { "FAILED" }));
    Ok(Some(held))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, license: Option<&str>, source: &str) -> Package {
        Package {
            name: name.into(),
            version: "1.0.0".into(),
            license: license.map(Into::into),
            source: Some(source.into()),
        }
    }

    const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

    #[test]
    fn licence_expressions_are_evaluated() {
        let policy: Licences = toml::from_str(
            "allow = [\"MIT\", \"Apache-2.0\", \"Apache-2.0 WITH LLVM-exception\"]\n[[exceptions]]\ncrate = \"special\"\nallow = [\"MPL-2.0\"]",
        )
        .unwrap();
        for (name, license, allowed) in [
            ("a", Some("MIT"), true),
            ("a", Some("MIT OR Proprietary-X"), false),
            ("a", Some("MIT/Apache-2.0"), true),
            ("a", Some("GPL-2.0-only OR MIT"), true),
            ("a", Some("MIT AND BSD-3-Clause"), false),
            ("a", Some("(MIT OR BSD-3-Clause) AND Apache-2.0"), true),
            ("a", Some("Apache-2.0 WITH LLVM-exception"), true),
            ("a", Some("MPL-2.0"), false),
            ("special", Some("MPL-2.0"), true),
            ("a", None, false),
            ("a", Some(""), false),
        ] {
            let package = package(name, license, REGISTRY);
            let findings = licences(&[&package], &policy).unwrap();
            assert_eq!(findings.is_empty(), allowed, "{license:?}: {findings:?}");
        }
    }

    #[test]
    fn packages_from_other_registries_are_reported() {
        let policy = Sources {
            allow_registry: vec!["https://github.com/rust-lang/crates.io-index".into()],
        };
        let good = package("good", None, REGISTRY);
        let git = package("forked", None, "git+https://example.org/forked#0123");
        let other = package("other", None, "registry+https://example.org/index");
        let findings = origins(&[&good, &git, &other], &policy);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings.iter().all(|finding| !finding.starts_with("good")));
    }
}
