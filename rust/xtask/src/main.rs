//! `cargo xtask`: set-up, run, test, window, schemas, bundle and benchmarks, each with all the preparation that it needs.

mod bench;
mod blender;
mod bundle;
mod clippy;
mod cross;
mod debian;
mod e2e;
mod env;
mod layout;
mod lock;
mod native;
mod process;
mod python;
mod run;
mod schemas;
mod session;
mod stamp;
mod system;
mod tally;
mod test;
mod wheels;
mod window;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use layout::Layout;

#[derive(Debug, Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about,
    disable_help_subcommand = true
)]
struct Cli {
    #[command(subcommand)]
    command: Cmd,
}

#[derive(Debug, Subcommand)]
enum Cmd {
    /// Turn a sentence into a Geometry Nodes tree, headless: result.blend, result.png, report.json
    Run(Box<run::Run>),
    /// Every test: lints, Rust, dependency audit, Python, each supported Blender, manifests, a real window
    Test(test::Test),
    /// End-to-end manifests in real Blender
    E2e(Box<e2e::E2e>),
    /// Tests in a real Blender with a window, driven by simulated mouse and keyboard
    Window(window::Window),
    /// The installable extension, one zip with the native wheel
    Bundle(bundle::Bundle),
    /// Measure what the product promises; writes target/bench.json
    Bench(bench::Bench),
    /// Write the files that are generated from the Rust types
    Schemas,
    /// Run a command inside the environment of a Blender version
    Env(run::InEnv),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let layout = Layout::find();
    match dispatch(&layout, cli.command) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(layout: &Layout, command: Cmd) -> Result<u8> {
    match command {
        Cmd::Run(run) => run::run(layout, &run),
        Cmd::Test(test) => test::run(layout, &test),
        Cmd::E2e(e2e) => e2e::e2e(layout, &e2e),
        Cmd::Window(window) => window::window(layout, &window),
        Cmd::Bundle(bundle) => bundle::bundle(layout, &bundle),
        Cmd::Bench(bench) => bench::bench(layout, &bench),
        Cmd::Schemas => schemas::schemas(layout),
        Cmd::Env(env) => run::in_env(layout, &env),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_the_public_workflows_exists() {
        let folder = Layout::find().root.join(".github/workflows");
        let mut commands = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for (_, rest) in text.lines().filter_map(|line| line.split_once("cargo xtask ")) {
                // Values come from the matrix, and files from elsewhere.
                let words = rest
                    .replace("\"${PLATFORM}\"", "windows-x64")
                    .replace("\"${wheels[@]}\"", "--wheel a.whl");
                let parsed = Cli::try_parse_from(std::iter::once("xtask").chain(words.split_whitespace()));
                assert!(parsed.is_ok(), "{rest}: {}", parsed.unwrap_err());
                commands += 1;
            }
        }
        assert!(commands > 2);
    }
}
