//! Runs a program inside an unpacked system, so that no process or mount remains.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process;

/// No check here takes longer.
const LIMIT: Duration = Duration::from_secs(30);

/// The kind of isolation that this machine permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entrance {
    /// Mount and process namespaces: the system removes both when the first process ends.
    Namespaces {
        /// Through a user namespace, since this process is not root.
        mapped: bool,
    },
    /// Only another root folder, as in a container that may not mount: devices are created in it, and processes that the
    /// tests start end with them.
    Root,
}

/// Mounts the file systems that programs expect, in a private mount namespace, and the folders before `--` at their own
/// paths, then changes the root.
const MOUNT_AND_ENTER: &str = r#"mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" || exit
while [ "$1" != -- ]; do mkdir -p "$0$1" && mount --rbind "$1" "$0$1" || exit; shift; done; shift
exec chroot "$0" "$@""#;

impl Entrance {
    /// The best kind that works here.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn find(root: &Path) -> Result<Self> {
        for entrance in [
            Self::Namespaces { mapped: false },
            Self::Namespaces { mapped: true },
            Self::Root,
        ] {
            let Ok(mut command) = entrance.command(root, &[]) else {
                continue;
            };
            let output = process::bounded(command.args(["ls", "/dev/null"]), LIMIT);
            if output.is_ok_and(|output| output.is_some_and(|output| output.status.success())) {
                return Ok(entrance);
            }
        }
        bail!(
            "programs of another Debian need to change the root folder: run this as root, or where user namespaces are \
             allowed (sysctl kernel.unprivileged_userns_clone=1)."
        )
    }

    /// A command that runs inside: `env -i`, to which the caller adds variables and a program. It ends when this
    /// process does. `shared` folders of this machine are there too, at the same paths.
    ///
    /// # Errors
    /// When devices cannot be created, or folders cannot be shared.
    pub(crate) fn command(self, root: &Path, shared: &[&Path]) -> Result<Command> {
        let mut command = process::command("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]);
        match self {
            Self::Namespaces { mapped } => {
                command.arg("unshare");
                if mapped {
                    command.arg("--map-root-user");
                }
                command
                    .args([
                        "--mount",
                        "--pid",
                        "--fork",
                        "--kill-child",
                        "sh",
                        "-c",
                        MOUNT_AND_ENTER,
                    ])
                    .arg(root)
                    .args(shared)
                    .arg("--");
            }
            Self::Root => {
                if !shared.is_empty() {
                    bail!("this needs to mount folders: run it as root, outside of a container that may not mount.");
                }
                devices(root)?;
                command.arg("chroot").arg(root);
            }
        }
        command.args(["/usr/bin/env", "-i"]);
        Ok(command)
    }
}

/// Creates the devices that programs need in another root folder.
fn devices(root: &Path) -> Result<()> {
    for (name, minor) in [("null", "3"), ("zero", "5"), ("random", "8"), ("urandom", "9")] {
        let path = root.join("dev").join(name);
        if !path.exists() {
            let mut command = process::command("mknod");
            command.args(["-m", "666"]).arg(&path).args(["c", "1", minor]);
            process::quiet(&mut command, "making a device").with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
