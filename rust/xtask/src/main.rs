//! `cargo xtask`: set-up, run, test, schemas, bundle, benchmarks. Does all the preparation each of them needs.

mod blender;
mod env;
mod layout;
mod lock;
mod native;
mod process;
mod python;
mod run;
mod session;
mod stamp;
mod system;

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
    Run(run::Run),
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
        Cmd::Env(env) => run::in_env(layout, &env),
    }
}
