//! The core's client: alone, and beside the vendors' own clients in one Python, against one server on this machine.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::figures::{Figure, example_figures, lines};
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::native::{self, Build};
use crate::process;

const BESIDE: &str = include_str!("clients.py");

/// The example that measures, and serves.
fn example(layout: &Layout) -> Command {
    let mut cargo = process::cargo();
    cargo.current_dir(&layout.root);
    cargo.args([
        "run",
        "--quiet",
        "--release",
        "-p",
        "geonode-provider",
        "--example",
        "client_speed",
        "--",
    ]);
    cargo
}

/// Runs all measurements.
///
/// # Errors
/// When something cannot be set up or measured.
pub(super) fn measure(layout: &Layout) -> Result<Vec<Figure>> {
    let output = process::quiet(&mut example(layout), "measuring the client")?;
    let mut figures = example_figures(&output.stdout)?;
    figures.extend(beside(layout)?);
    Ok(figures)
}

/// A server that ends when this is dropped.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(layout: &Layout) -> Result<Self> {
        let mut command = example(layout);
        command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("the benchmark's server does not start")?;
        let mut address = String::new();
        let output = process.stdout.take().context("the server prints nothing")?;
        let mut server = Self {
            process,
            address: String::new(),
        };
        BufReader::new(output).read_line(&mut address)?;
        address.trim().clone_into(&mut server.address);
        anyhow::ensure!(
            server.address.starts_with("http://"),
            "the benchmark's server printed no address"
        );
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its input.
        drop(self.process.stdin.take());
        let _ = self.process.wait();
    }
}

fn beside(layout: &Layout) -> Result<Vec<Figure>> {
    let core = native::prepare(layout, Build::Release)?;
    let environment = env::prepare(layout, &Wanted::clients())?;
    environment.link(&[core.site()])?;
    let server = Server::start(layout)?;
    let mut python = environment.command();
    python.args(["-c", BESIDE, &server.address]);
    let output = process::quiet(&mut python, "measuring beside the vendors' clients")?;
    lines(&output.stdout, "")
}
