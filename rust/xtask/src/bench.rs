//! `cargo xtask bench`: the figures that the product promises, measured on this machine.

mod clients;
mod figures;
mod tokens;

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::Args;

use self::figures::{Figure, example_figures, lines};
use crate::blender::{Choice, SUPPORTED};
use crate::env::{self, Wanted};
use crate::layout::Layout;
use crate::native::{self, Build};
use crate::process;
use crate::session::Session;

/// The options of `bench`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Bench {
    /// Only these versions [default: every one that is set up, at least the newest]
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    blender: Vec<String>,
    /// Only requests to models: the core's client, alone and beside those of the vendors
    #[arg(long)]
    clients: bool,
    /// Only what requests to models take in tokens, by dialect; writes the table of the guide
    #[arg(long)]
    tokens: bool,
    /// Only what calls of other programs take, with the tests' core, which is not optimised
    #[arg(long)]
    agents: bool,
    /// Only what a small real model plans of twenty simple prompts, with the tests' core; takes about ten minutes
    #[arg(long)]
    small_model: bool,
    /// Only the estimates of time and memory, against trees that Blender evaluates; writes target/evaluation.md
    #[arg(long)]
    evaluation: bool,
}

const IN_BLENDER: &str = include_str!("bench.py");

/// Measures, prints a table, writes target/bench.json.
///
/// # Errors
/// When something cannot be set up or measured. A figure above its limit is marked, not an error.
pub(crate) fn bench(layout: &Layout, options: &Bench) -> Result<u8> {
    if options.evaluation {
        return evaluation(layout, options);
    }
    let figures = if options.clients {
        clients::measure(layout)?
    } else if options.tokens {
        tokens::measure(layout)?
    } else if options.agents {
        with_checked_core(layout, "agents", "measuring calls of other programs")?
    } else if options.small_model {
        with_checked_core(layout, "small_model", "asking a small model")?
    } else {
        everything(layout, options)?
    };
    show(layout, &figures)
}

fn everything(layout: &Layout, options: &Bench) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    #[allow(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
    let megabytes = native::prepare(layout, Build::Release)?.wheel()?.1 as f64 / 1e6;
    figures.push(Figure {
        what: "wheel".into(),
        blender: String::new(),
        value: megabytes,
        unit: "MB".into(),
        limit: Some(15.0),
    });
    figures.extend(clients::measure(layout)?);
    figures.extend(without_blender(layout, "geonode-graph", "compile_speed")?);
    figures.extend(without_blender(layout, "geonode-text", "text_speed")?);
    figures.extend(without_blender(layout, "geonode-script", "verdict_speed")?);
    for blender in SUPPORTED {
        let asked = options.blender.iter().any(|version| version == blender.version);
        let set_up = env::ready(layout, &Wanted::blender(blender))?.is_some() || SUPPORTED.first() == Some(&blender);
        if !(asked || options.blender.is_empty() && set_up) {
            continue;
        }
        let session = Session::open(layout, &Choice::Release(blender), Build::Release)?;
        figures.push(Figure {
            what: "second start, added by xtask".into(),
            blender: blender.version.into(),
            value: median(5, || {
                let start = Instant::now();
                Session::open(layout, &Choice::Release(blender), Build::Release)?;
                Ok(start.elapsed().as_secs_f64() * 1e3)
            })?,
            unit: "ms".into(),
            limit: Some(500.0),
        });
        let scripts = layout.root.join("rust/script/corpus/scripts");
        figures.extend(inside(&session, blender.version, &scripts)?);
    }
    Ok(figures)
}

/// What a script of the folder prints, in Blender with the tests' core. An optimised one is faster: what holds here holds there.
fn with_checked_core(layout: &Layout, script: &str, doing: &str) -> Result<Vec<Figure>> {
    let session = Session::open(layout, &Choice::Newest, Build::Checked)?;
    let environment = session
        .environment()
        .context("benchmarks run in the environments of this project")?;
    let script = layout.root.join(format!("rust/xtask/src/bench/{script}.py"));
    let mut command = environment.command();
    // The other files of that folder are no modules of anything.
    command.arg("-P").arg(&script).arg(&script);
    let output = process::quiet(&mut command, doing)?;
    lines(&output.stdout, "")
}

/// Compares the core's estimates with Blender's figures, for each requested version, by default for the newest.
fn evaluation(layout: &Layout, options: &Bench) -> Result<u8> {
    let script = layout.root.join("rust/xtask/src/bench/evaluation/trees.py");
    let newest = SUPPORTED.first().map(|blender| blender.version.to_owned());
    let wanted: Vec<String> = options
        .blender
        .iter()
        .cloned()
        .chain(newest.filter(|_| options.blender.is_empty()))
        .collect();
    let mut files = Vec::new();
    for blender in SUPPORTED
        .iter()
        .filter(|blender| wanted.iter().any(|version| version == blender.version))
    {
        let session = Session::open(layout, &Choice::Release(*blender), Build::Release)?;
        let run = |arguments: &[std::path::PathBuf]| {
            let environment = session
                .environment()
                .context("benchmarks run in the environments of this project")?;
            let mut command = environment.command();
            command.arg(&script).args(arguments);
            process::quiet(&mut command, "measuring in Blender")
        };
        let measured = run(&[])?;
        let file = layout.target().join(format!("evaluation-{}.txt", blender.version));
        env::replace(&file, &String::from_utf8_lossy(&measured.stdout))?;
        files.push(file);
        let page = run(&files)?;
        env::replace(
            &layout.target().join("evaluation.md"),
            &String::from_utf8_lossy(&page.stdout),
        )?;
    }
    println!("{}", layout.target().join("evaluation.md").display());
    Ok(0)
}

/// A table, and the file.
fn show(layout: &Layout, figures: &[Figure]) -> Result<u8> {
    for figure in figures {
        let Figure {
            what,
            blender,
            value,
            unit,
            limit,
        } = figure;
        let verdict = match limit {
            Some(limit) if value > limit => format!("  above the limit of {limit}"),
            Some(limit) => format!("  (limit {limit})"),
            None => String::new(),
        };
        println!("{what:<50} {blender:>4} {value:>10.3} {unit}{verdict}");
    }
    let file = layout.target().join("bench.json");
    env::replace(&file, &serde_json::to_string_pretty(figures)?)?;
    println!("{}", file.display());
    Ok(0)
}

/// The core without Blender, optimised as in the wheel: an example of a crate prints a JSON array of figures.
fn without_blender(layout: &Layout, package: &str, example: &str) -> Result<Vec<Figure>> {
    let mut cargo = process::cargo();
    cargo.current_dir(&layout.root);
    cargo.args(["run", "--quiet", "--release", "-p", package, "--example", example]);
    let output = process::quiet(&mut cargo, "measuring the core")?;
    example_figures(&output.stdout)
}

/// What is measured in Blender: `bench.py` prints a JSON line for each figure.
fn inside(session: &Session, version: &str, scripts: &Path) -> Result<Vec<Figure>> {
    let environment = session
        .environment()
        .context("benchmarks run in the environments of this project")?;
    let mut command = environment.command();
    command.args(["-c", IN_BLENDER]).env("BENCH_SCRIPTS", scripts);
    let output = process::quiet(&mut command, "measuring in Blender")?;
    lines(&output.stdout, version)
}

fn median(tries: usize, mut measure: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut values = (0..tries).map(|_| measure()).collect::<Result<Vec<f64>>>()?;
    values.sort_by(f64::total_cmp);
    values.get(tries / 2).copied().context("nothing was measured")
}
