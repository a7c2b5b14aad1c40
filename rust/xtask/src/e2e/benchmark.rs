//! `cargo xtask e2e --benchmark`: the tasks of `manifests/benchmark`, by the driver that lies beside them.

use std::path::Path;

use anyhow::{Context, Result, bail};

use super::options::{Arm, E2e};
use crate::blender::Choice;
use crate::layout::Layout;
use crate::native::Build;
use crate::session::Session;

/// Runs the driver in Blender's Python; its status is passed on.
///
/// # Errors
/// When something cannot be set up or started.
pub(super) fn run(layout: &Layout, options: &E2e, arm: Arm, folder: &Path) -> Result<u8> {
    let asks_a_model = arm == Arm::Raw || name(options, arm) == "endpoint";
    if options.timeout.is_some() && !asks_a_model {
        bail!("`--timeout` is for models: neither the built-in planner nor the answers are stopped.");
    }
    let build = if options.checked {
        Build::Checked
    } else {
        Build::Release
    };
    let session = Session::open(layout, &Choice::read(options.blender.as_deref())?, build)?;
    eprintln!("· {}", session.title);
    let environment = session
        .environment()
        .context("the benchmark runs in the environments of this project: use `--blender 5.2`.")?;
    std::fs::create_dir_all(folder)?;
    let result = folder.join("benchmark.json");
    let written = || std::fs::metadata(&result).and_then(|file| file.modified()).ok();
    let before = written();
    let mut command = environment.command();
    command.arg(layout.root.join("manifests/benchmark/drive.py"));
    command.args(arguments(options, arm)).arg("--out").arg(&result);
    let status = command.status().context("the benchmark's driver does not start")?;
    // A run that found no task leaves the results of the one before.
    if written() != before {
        println!("{}", result.display());
    }
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The provider of a model, if one was named.
fn provider(options: &E2e) -> Option<&str> {
    options.provider.as_deref().filter(|name| *name != "offline")
}

/// The driver's name of what is put to the tasks.
fn name(options: &E2e, arm: Arm) -> &'static str {
    match (arm, provider(options), &options.base_url) {
        (Arm::Answers, ..) => "answers",
        (Arm::Raw, ..) => "raw",
        (Arm::Planner, None, None) => "offline",
        (Arm::Planner, ..) => "endpoint",
    }
}

/// The driver's arguments.
fn arguments(options: &E2e, arm: Arm) -> Vec<String> {
    let given = [
        ("--arm", Some(name(options, arm).to_owned())),
        ("--provider", provider(options).map(str::to_owned)),
        ("--model", options.model.clone()),
        ("--base-url", options.base_url.clone()),
        ("--key-variable", options.key_variable.clone()),
        ("--timeout", options.timeout.map(|seconds| seconds.to_string())),
        ("--max-cost", options.max_cost.map(|amount| amount.to_string())),
        ("--seed", options.seed.map(|number| number.to_string())),
        (
            "--shard",
            options.shard.map(|shard| format!("{}/{}", shard.index, shard.count)),
        ),
    ];
    let only = options.filter.iter().map(|word| format!("--only={word}"));
    given
        .into_iter()
        .filter_map(|(option, value)| Some(format!("{option}={}", value?)))
        .chain(only)
        .collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        options: E2e,
    }

    fn passed(line: &str) -> Result<String, String> {
        let parsed = Line::try_parse_from(["e2e"].into_iter().chain(line.split_whitespace()));
        let options = parsed.map_err(|error| error.to_string())?.options;
        Ok(arguments(&options, options.benchmark.ok_or("no benchmark")?).join(" "))
    }

    #[test]
    fn the_driver_gets_what_was_asked() {
        assert_eq!(passed("--benchmark").unwrap(), "--arm=offline");
        assert_eq!(
            passed("--benchmark=answers --shard 2/3").unwrap(),
            "--arm=answers --shard=2/3"
        );
        assert_eq!(
            passed("--benchmark=raw --base-url http://127.0.0.1:1/v1").unwrap(),
            "--arm=raw --base-url=http://127.0.0.1:1/v1"
        );
        assert_eq!(
            passed("--benchmark --base-url http://127.0.0.1:1/v1 --model m --max-cost 2.5 --seed 7 --filter wall")
                .unwrap(),
            "--arm=endpoint --model=m --base-url=http://127.0.0.1:1/v1 --max-cost=2.5 --seed=7 --only=wall"
        );
        for wrong in [
            "--benchmark=x",
            "--benchmark a.json",
            "--seed 3",
            "--benchmark --repeat 2",
        ] {
            assert!(passed(wrong).is_err(), "{wrong}");
        }
    }
}
