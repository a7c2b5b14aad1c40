//! How a program is run inside an unpacked system, so that nothing of it is left behind.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::process;

/// No check here takes longer.
const LIMIT: Duration = Duration::from_secs(30);

/// What this machine lets us do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entrance {
    /// Mounts and process numbers of its own: the system takes both away when the first process ends.
    Namespaces {
        /// Through a user namespace, since this process is not root.
        mapped: bool,
    },
    /// Only another root folder, as in a container without rights to mount: devices are made in it, and whatever the
    /// tests start ends with them.
    Root,
}

/// Mounts what programs expect, in a mount namespace that nobody else sees, then changes the root.
const MOUNT_AND_ENTER: &str = r#"mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@""#;

impl Entrance {
    /// The best one that works here.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn find(root: &Path) -> Result<Self> {
        for entrance in [
            Self::Namespaces { mapped: false },
            Self::Namespaces { mapped: true },
            Self::Root,
        ] {
            let Ok(mut command) = entrance.command(root) else {
                continue;
            };
            let output = process::bounded(command.args(["ls", "/dev/null"]), LIMIT);
            if output.is_ok_and(|output| output.is_some_and(|output| output.status.success())) {
                return Ok(entrance);
            }
        }
        bail!(
            "the tests in a window need to change the root folder: run them as root, or where user namespaces are \
             allowed (sysctl kernel.unprivileged_userns_clone=1)."
        )
    }

    /// A command that runs inside: `env -i`, to which variables and a program are to be added. It ends when this
    /// process does.
    ///
    /// # Errors
    /// When devices cannot be made.
    pub(super) fn command(self, root: &Path) -> Result<Command> {
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
                    .arg(root);
            }
            Self::Root => {
                devices(root)?;
                command.arg("chroot").arg(root);
            }
        }
        command.args(["/usr/bin/env", "-i"]);
        Ok(command)
    }
}

/// Makes the devices that programs need in a root folder of their own.
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
