//! `cargo xtask run` and `cargo xtask env`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::blender::Choice;
use crate::layout::Layout;
use crate::native::Build;
use crate::process;
use crate::session::Session;

/// The options of `run`. Paths are relative to the folder in which the command is given.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The prompt: "scatter 200 rocks on the plane"
    #[arg(required = true)]
    prompt: Vec<String>,
    /// Start from this file (it is never written)
    #[arg(long, value_name = "FILE")]
    blend: Option<PathBuf>,
    /// The object to work on, instead of the active one
    #[arg(long, value_name = "NAME")]
    object: Option<String>,
    /// offline (default), openai-compatible, replay, …
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,
    /// The model's name at the provider
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[arg(
        long,
        value_name = "URL",
        help = "The provider's address with its version segment, such as http://127.0.0.1:11434/v1"
    )]
    base_url: Option<String>,
    /// The environment variable that holds the API key
    #[arg(long, value_name = "NAME")]
    key_variable: Option<String>,
    /// 4.2, 4.5, 5.0, 5.2, a Blender executable, or a Python with bpy [default: the newest whose Python is found]
    #[arg(long, value_name = "VERSION|PATH")]
    blender: Option<String>,
    /// Where the results go [default: target/run]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Append Blender's output and tracebacks to this file
    #[arg(long, value_name = "FILE")]
    debug: Option<PathBuf>,
    /// Approve everything that needs approval
    #[arg(long)]
    yes: bool,
    /// A setting of this run, as addon/docs/settings.md lists them; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
}

impl Run {
    /// The same options for the add-on's command line.
    fn arguments(&self, layout: &Layout) -> Vec<std::ffi::OsString> {
        let out = self.out.clone().unwrap_or_else(|| layout.target().join("run"));
        let mut arguments: Vec<std::ffi::OsString> = vec!["run".into(), "--out".into(), out.into()];
        let timeout = self.timeout.map(|seconds| seconds.to_string());
        for (option, value) in [
            ("--blend", self.blend.as_ref().map(|path| path.as_os_str().to_owned())),
            ("--object", self.object.as_ref().map(Into::into)),
            ("--provider", self.provider.as_ref().map(Into::into)),
            ("--model", self.model.as_ref().map(Into::into)),
            ("--base-url", self.base_url.as_ref().map(Into::into)),
            ("--key-variable", self.key_variable.as_ref().map(Into::into)),
            ("--debug", self.debug.as_ref().map(|path| path.as_os_str().to_owned())),
            ("--timeout", timeout.as_ref().map(Into::into)),
        ] {
            if let Some(value) = value {
                // One argument each, so that a value that begins with a dash stays a value.
                let mut argument = std::ffi::OsString::from(format!("{option}="));
                argument.push(value);
                arguments.push(argument);
            }
        }
        arguments.extend(self.settings.iter().map(|setting| format!("--set={setting}").into()));
        if self.yes {
            arguments.push("--yes".into());
        }
        arguments.push("--".into());
        arguments.extend(self.prompt.iter().map(Into::into));
        arguments
    }
}

/// Prepares everything, then becomes the add-on's `run`; its exit status is the result.
///
/// # Errors
/// One sentence with the fix when something is missing.
pub(crate) fn run(layout: &Layout, options: &Run) -> Result<u8> {
    let session = Session::open(layout, &Choice::read(options.blender.as_deref())?, Build::Release)?;
    eprintln!("· {}", session.title);
    let mut command = session.assistant()?;
    command.args(options.arguments(layout));
    process::hand_over(command)
}

/// `cargo xtask env VERSION -- COMMAND…`
#[derive(Debug, Args)]
pub(crate) struct InEnv {
    /// 4.2, 4.5, 5.0 or 5.2
    #[arg(value_name = "VERSION")]
    blender: String,
    /// Use the unoptimised core of the tests, which is compiled in a fraction of the time
    #[arg(long)]
    checked: bool,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<std::ffi::OsString>,
}

/// Prepares the environment, then becomes the command.
///
/// # Errors
/// One sentence with the fix when something is missing, or the command cannot be started.
pub(crate) fn in_env(layout: &Layout, options: &InEnv) -> Result<u8> {
    let choice = Choice::read(Some(&options.blender))?;
    let build = if options.checked {
        Build::Checked
    } else {
        Build::Release
    };
    let session = Session::open(layout, &choice, build)?;
    let Some((program, arguments)) = options.command.split_first() else {
        anyhow::bail!("no command was given.")
    };
    let Some(environment) = session.environment() else {
        anyhow::bail!("`env` works in the environments of this project; give a version, not a path.");
    };
    // The environment's own programs first: a lookup in the PATH of this process would miss them.
    let own = environment.programs().join(program);
    let program = if own.is_file() {
        own.as_os_str()
    } else {
        program.as_os_str()
    };
    let mut command = process::python(std::path::Path::new(program));
    environment.activate(&mut command);
    command.args(arguments);
    process::hand_over(command)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        run: Run,
    }

    fn arguments(line: &[&str]) -> Vec<String> {
        let line = Line::try_parse_from(std::iter::once("run").chain(line.iter().copied())).unwrap();
        let layout = Layout {
            root: PathBuf::from("/checkout"),
        };
        line.run
            .arguments(&layout)
            .into_iter()
            .map(|argument| argument.into_string().unwrap())
            .collect()
    }

    #[test]
    fn run_options_are_passed_to_the_add_on() {
        assert_eq!(
            arguments(&["a prompt"]),
            ["run", "--out", "/checkout/target/run", "--", "a prompt"]
        );
        let all = "--blend a.blend --object Rock --provider openai-compatible --model m --base-url http://127.0.0.1:1/v1 \
                   --debug log --out o --timeout 2.5 --yes";
        let line: Vec<&str> = std::iter::once("prompt").chain(all.split_whitespace()).collect();
        assert_eq!(
            arguments(&line),
            [
                "run",
                "--out",
                "o",
                "--blend=a.blend",
                "--object=Rock",
                "--provider=openai-compatible",
                "--model=m",
                "--base-url=http://127.0.0.1:1/v1",
                "--debug=log",
                "--timeout=2.5",
                "--yes",
                "--",
                "prompt"
            ]
        );
    }

    #[test]
    fn a_prompt_may_begin_with_a_dash() {
        assert_eq!(arguments(&["--", "-5 rocks"]).last().unwrap(), "-5 rocks");
        assert!(arguments(&["--object=-odd", "x"]).contains(&"--object=-odd".to_owned()));
    }
}
