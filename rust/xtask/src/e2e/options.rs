//! What `cargo xtask e2e` is asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::jobs::Shard;
use super::runner::Limits;

/// Megabytes: more than a machine has, and few enough to be counted in bytes.
const MOST_MEMORY: u64 = 1_000_000_000;

/// The options of `e2e`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct E2e {
    /// Manifests, or folders of them; with --merge, reports or their folders [default: manifests/]
    #[arg(value_name = "MANIFEST")]
    pub(super) manifests: Vec<PathBuf>,
    /// 4.2, 4.5, 5.0, 5.2, a Blender executable, or a Python with bpy [default: the newest whose Python is found]
    #[arg(long, value_name = "VERSION|PATH")]
    pub(super) blender: Option<String>,
    /// Who plans, instead of the manifests' own provider; those with recorded replies keep to these
    #[arg(long, value_name = "NAME")]
    pub(super) provider: Option<String>,
    /// Name of the model
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Address of the server with its version segment: …/v1
    #[arg(long, value_name = "URL")]
    pub(super) base_url: Option<String>,
    /// Name of the environment variable that holds the API key
    #[arg(long, value_name = "NAME")]
    pub(super) key_variable: Option<String>,
    /// How many Blenders run at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
    /// One part of the manifests, for one of several machines: 1/3, 2/3, 3/3
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// How often each is run
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) repeat: u32,
    /// Only those with this in their path; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub(super) filter: Vec<String>,
    /// Seconds that a manifest may take, measuring and picture included [default: its own for each prompt, and 120]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<f64>,
    /// Megabytes that a Blender may have in memory (Linux)
    #[arg(long, value_name = "MB", default_value_t = 8000, value_parser = clap::value_parser!(u64).range(100..=MOST_MEMORY))]
    pub(super) memory: u64,
    /// How many manifests run one after the other in the same Blender: faster, but one may depend on those before it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) reuse: u16,
    /// No pictures of the results
    #[arg(long)]
    pub(super) no_pictures: bool,
    /// Write the pictures that manifests compare with and that are not there yet
    #[arg(long)]
    pub(super) keep_pictures: bool,
    /// Folder of the reports: report.html, junit.xml, report.json [default: target/e2e]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Join the reports of the parts of one run
    #[arg(long, conflicts_with_all = ["blender", "provider", "shard", "filter", "timeout"])]
    pub(super) merge: bool,
    /// The tasks of manifests/benchmark instead of manifests: what the planner makes of them, or whether their answers hold; writes benchmark.json
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "planner", conflicts_with_all = ["manifests", "merge", "repeat", "jobs", "reuse", "memory"])]
    pub(super) benchmark: Option<Arm>,
    /// No further task of the benchmark is begun once all together cost this much
    #[arg(long, value_name = "AMOUNT", requires = "benchmark")]
    pub(super) max_cost: Option<f64>,
    /// What the model draws its random numbers from, where its server takes one
    #[arg(long, value_name = "NUMBER", requires = "benchmark")]
    pub(super) seed: Option<u32>,
    /// With the core as tests have it, which is built faster
    #[arg(long, hide = true)]
    pub(super) checked: bool,
}

impl E2e {
    /// What a manifest may use.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            seconds: self.timeout,
            bytes: Some(self.memory.saturating_mul(1_000_000)),
        }
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "give a number of seconds".to_owned())?;
    if value > 0.0 && value < 1e6 {
        Ok(value)
    } else {
        Err("give a number of seconds between 0 and a million".into())
    }
}

/// What is put to the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Arm {
    /// The built-in planner, or the model of `--provider`
    Planner,
    /// The reference plans, which must pass, and the wrong ones, which must not
    Answers,
    /// The model of `--base-url`, which writes plain `bpy`; its scripts run in the sandbox only
    Raw,
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

    #[test]
    fn numbers_have_bounds_with_which_everything_can_be_counted() {
        let parsed = |option: &str, value: &str| Line::try_parse_from(["e2e", option, value]);
        let most = parsed("--memory", "1000000000").unwrap().options.limits();
        assert_eq!(most.bytes, Some(1_000_000_000_000_000));
        let least = parsed("--timeout", "1e-300").unwrap().options.limits();
        assert!(least.seconds.is_some_and(|seconds| seconds > 0.0));
        for (option, values) in [
            ("--memory", ["99", "1000000001", "18446744073709551615", "-1", "x"]),
            ("--timeout", ["0", "1e6", "inf", "nan", "-1"]),
            ("--jobs", ["0", "257", "65536", "-1", "x"]),
            ("--repeat", ["0", "1001", "4294967296", "-1", "x"]),
            ("--reuse", ["0", "65536", "1.0", "-1", "x"]),
            ("--shard", ["0/1", "2/1", "1/0", "1/18446744073709551616", "x"]),
        ] {
            for value in values {
                assert!(parsed(option, value).is_err(), "{option} {value}");
            }
        }
    }
}
