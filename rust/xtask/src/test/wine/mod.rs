//! Programs of Windows, run by Wine: what of Windows can be tried without it.
//!
//! Wine is not Windows: a test that passes shows that the program's own side is right. There is no Blender for it here.

pub(super) mod programs;
pub(super) mod python;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::cross::Cross;
use crate::layout::Layout;
use crate::process;

/// A library of Windows programs that Debian's Wine needs and does not bring.
const ZLIB: &str = "usr/x86_64-w64-mingw32/lib/zlib1.dll";
/// Wine's name for what starts a program.
const RUNNER: &str = "wine64-stable";

/// The compilers and Wine, with a computer of its own.
struct Wine {
    cross: Cross,
    prefix: PathBuf,
}

impl Wine {
    /// Unpacks and sets up what is missing.
    ///
    /// # Errors
    /// When this is not Debian, or something cannot be downloaded.
    fn prepare(layout: &Layout) -> Result<Self> {
        let cross = Cross::prepare(layout, true).context("the tests for Windows cannot be set up")?;
        let prefix = layout.target().join("cross/wine");
        let system = prefix.join("drive_c/windows/system32");
        fs::create_dir_all(&system).with_context(|| format!("cannot make {}", system.display()))?;
        fs::copy(cross.root().join(ZLIB), system.join("zlib1.dll")).context("cannot give Wine its zlib")?;
        let wine = Self { cross, prefix };
        let mut boot = wine.command(layout, &[])?;
        process::quiet(boot.args([RUNNER, "wineboot", "--init"]), "setting up Wine")?;
        Ok(wine)
    }

    /// A command inside, with `more` variables, to which the caller adds a program.
    ///
    /// # Errors
    /// When the unpacked system cannot be entered.
    fn command(&self, layout: &Layout, more: &[(&'static str, String)]) -> Result<Command> {
        let own = [
            ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", RUNNER.to_owned()),
            ("WINEPREFIX", self.prefix.display().to_string()),
            // Its remarks about itself.
            ("WINEDEBUG", "-all".to_owned()),
            // Neither a browser, .NET nor a menu.
            ("WINEDLLOVERRIDES", "mscoree,mshtml,winemenubuilder.exe=".to_owned()),
            // Debug information doubles what is linked.
            ("CARGO_PROFILE_DEV_DEBUG", "0".to_owned()),
            ("CARGO_INCREMENTAL", "0".to_owned()),
        ];
        self.cross.command(layout, &[&own, more].concat())
    }
}

/// A path of this machine as programs of Windows see it.
fn seen(path: &Path) -> String {
    format!("Z:{}", path.display().to_string().replace('/', "\\"))
}
