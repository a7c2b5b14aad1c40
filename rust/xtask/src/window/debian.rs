//! Debian's Blender, unpacked into a folder by apt with its own state, without installing anything.
//!
//! The folder is `incomplete` from the first change until its stamp is written; if found in that state, it is discarded.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::env;
use crate::process;
use crate::stamp::Stamp;

/// The folder of Debian's libraries on the only architecture on which Blender's packages and our wheel are tested.
pub(super) const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";

/// The unpacked packages, besides their dependencies: Blender, the imports of its add-ons, software rendering drivers, the X
/// server with its input simulator, and the test runner.
const PACKAGES: [&str; 22] = [
    "bash",
    "blender",
    "coreutils",
    "dash",
    "libc-bin",
    "libegl-mesa0",
    "libegl1",
    "libgl1",
    "libgl1-mesa-dri",
    "libglx-mesa0",
    "mesa-vulkan-drivers",
    "python3",
    "python3-cattr",
    "python3-numpy",
    "python3-pytest",
    "python3-requests",
    "python3-zstandard",
    "x11-xkb-utils",
    "xdotool",
    "xkb-data",
    "xserver-common",
    "xvfb",
];

/// The keyring that signs all of Debian's releases; updates add newer keys to the keyrings of older systems.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The unpacked system.
pub(super) fn root(folder: &Path) -> PathBuf {
    folder.join("root")
}

/// Unpacks the system of `suite` into `folder`; starts nothing if it is already there.
///
/// # Errors
/// When this machine does not run Debian, the mirror cannot be reached, or the disk is full.
pub(super) fn prepare(folder: &Path, suite: &str) -> Result<()> {
    let (stamp, incomplete) = (folder.join("stamp"), folder.join("incomplete"));
    let wanted = wanted(suite);
    if !incomplete.exists() && fs::read_to_string(&stamp).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    eprintln!(
        "· Debian's Blender from {suite}: unpacking into {} (about a minute, 350 MB to download)",
        folder.display()
    );
    let mirror = mirror()?;
    crate::env::remove(folder)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(&incomplete, "").context("cannot mark the folder")?;
    let apt = Apt::new(&folder.join("apt"), &mirror, suite)?;
    apt.download()?;
    unpack(&apt.archives(), &root(folder))?;
    crate::env::remove(&folder.join("apt"))?;
    env::replace(&stamp, &wanted)?;
    fs::remove_file(&incomplete).context("cannot finish the folder")
}

fn wanted(suite: &str) -> String {
    let mut stamp = Stamp::new("debian 1");
    stamp.text(suite);
    for package in PACKAGES {
        stamp.text(package);
    }
    stamp.finish()
}

/// The mirror of this Debian, from its own list of sources.
fn mirror() -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = os_field(&release, "VERSION_CODENAME").filter(|_| os_field(&release, "ID") == Some("debian"));
    let (Some(codename), true) = (codename, Path::new(KEYRING).exists()) else {
        bail!("the tests in a window take Blender from Debian's packages, and this is not a Debian with {KEYRING}.");
    };
    let mut list = process::command("apt-get");
    list.args(["indextargets", "--format", "$(RELEASE) $(REPO_URI)", "Component: main"]);
    let output = process::quiet(&mut list, "reading the apt sources")?;
    let targets = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = mirror_in(&targets, codename);
    found.with_context(|| format!("the apt sources of this machine contain no mirror of Debian {codename}."))
}

/// The value of a field of `/etc/os-release`.
fn os_field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
        .map(|value| value.trim_matches('"'))
}

/// The address of the first target of that release; other distributions use other names.
fn mirror_in(targets: &str, codename: &str) -> Option<String> {
    let aliases = [codename, "stable", "testing", "unstable", "sid"];
    targets
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(release, _)| aliases.contains(release))
        .map(|(_, address)| address.to_owned())
}

/// apt with its own lists, cache and status; proxies and similar settings are the machine's.
struct Apt {
    folder: PathBuf,
}

impl Apt {
    fn new(folder: &Path, mirror: &str, suite: &str) -> Result<Self> {
        for part in ["state/lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(part))?;
        }
        fs::write(folder.join("status"), "")?;
        fs::write(
            folder.join("sources.list"),
            format!("deb [signed-by={KEYRING}] {mirror} {suite} main\n"),
        )?;
        Ok(Self {
            folder: folder.to_path_buf(),
        })
    }

    fn archives(&self) -> PathBuf {
        self.folder.join("cache/archives")
    }

    fn command(&self) -> Command {
        let own = |name: &str| self.folder.join(name).display().to_string();
        let mut command = process::command("apt-get");
        for option in [
            format!("Dir::State={}", own("state")),
            format!("Dir::State::status={}", own("status")),
            format!("Dir::Cache={}", own("cache")),
            format!("Dir::Etc::sourcelist={}", own("sources.list")),
            "Dir::Etc::sourceparts=/dev/null".into(),
            "Dir::Etc::preferences=/dev/null".into(),
            "Dir::Etc::preferencesparts=/dev/null".into(),
            "APT::Architecture=amd64".into(),
            "APT::Architectures=amd64".into(),
            "APT::Install-Recommends=false".into(),
            // apt's download user may have no access to the checkout.
            "APT::Sandbox::User=root".into(),
            // A mirror's copy of a rolling release may be some days old.
            "Acquire::Check-Valid-Until=false".into(),
            "Acquire::Languages=none".into(),
            "Acquire::Retries=3".into(),
        ] {
            command.args(["-o", &option]);
        }
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    }

    fn download(&self) -> Result<()> {
        process::quiet(self.command().args(["update", "-q"]), "reading Debian's package lists")?;
        let mut install = self.command();
        install.args(["install", "-q", "-y", "--download-only"]).args(PACKAGES);
        process::quiet(&mut install, "downloading Debian's Blender").map(drop)
    }
}

/// Unpacks every package below `root`. No script of a package runs.
fn unpack(archives: &Path, root: &Path) -> Result<()> {
    for folder in ["bin", "sbin", "lib", "lib64"] {
        fs::create_dir_all(root.join("usr").join(folder))?;
        // Debian has these under /usr; older packages still use the short paths.
        link(&format!("usr/{folder}"), &root.join(folder))?;
    }
    for folder in ["proc", "dev/shm", "sys", "etc", "root", "tmp/.X11-unix", "var/tmp"] {
        fs::create_dir_all(root.join(folder))?;
    }
    let mut packages: Vec<PathBuf> = fs::read_dir(archives)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "deb"))
        .collect();
    packages.sort();
    if packages.is_empty() {
        bail!("apt-get downloaded nothing into {}", archives.display());
    }
    for package in &packages {
        unpack_one(package, root).with_context(|| format!("cannot unpack {}", package.display()))?;
    }
    let mut loader = process::command("/sbin/ldconfig");
    process::quiet(loader.arg("-r").arg(root), "making the loader's cache").map(drop)
}

fn unpack_one(package: &Path, root: &Path) -> Result<()> {
    let mut from = process::command("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(package)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start dpkg-deb")?;
    let content = from.stdout.take().context("no output")?;
    let mut tar = process::command("tar");
    tar.args(["-x", "--keep-directory-symlink", "--no-same-owner"])
        .args(["doc", "locale", "man"].map(|part| format!("--exclude=./usr/share/{part}")))
        .arg("-C")
        .arg(root)
        .stdin(content);
    let unpacked = tar.status().context("cannot start tar")?;
    let read = from.wait()?;
    if !unpacked.success() || !read.success() {
        bail!("dpkg-deb: {read}, tar: {unpacked}");
    }
    Ok(())
}

#[cfg(unix)]
fn link(to: &str, at: &Path) -> Result<()> {
    std::os::unix::fs::symlink(to, at).with_context(|| format!("cannot make {}", at.display()))
}

#[cfg(not(unix))]
fn link(_to: &str, _at: &Path) -> Result<()> {
    bail!("the tests in a window need Linux")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mirror_is_read_from_the_distribution() {
        let targets = "nodistro https://packages.example/node\n\
                       bookworm-updates http://mirror.example/debian\n\
                       bookworm-pgdg http://other.example/pgdg\n\
                       bookworm http://mirror.example/debian\n";
        let found = mirror_in(targets, "bookworm");
        assert_eq!(found.as_deref(), Some("http://mirror.example/debian"));
        assert_eq!(mirror_in(targets, "trixie"), None);
        assert_eq!(mirror_in("", "bookworm"), None);
    }

    #[test]
    fn the_release_name_is_read() {
        let text = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n";
        assert_eq!(os_field(text, "VERSION_CODENAME"), Some("bookworm"));
        assert_eq!(os_field(text, "ID"), Some("debian"));
        assert_eq!(os_field("ID=\"ubuntu\"\nID_LIKE=debian", "ID"), Some("ubuntu"));
        assert_eq!(os_field(text, "MISSING"), None);
    }

    #[test]
    fn existing_folders_are_reused_and_unfinished_ones_made_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("stamp"), wanted("trixie")).unwrap();
        let keepsake = folder.path().join("keepsake");
        fs::write(&keepsake, "").unwrap();
        prepare(folder.path(), "trixie").unwrap();
        assert!(keepsake.exists());
        assert_ne!(wanted("trixie"), wanted("sid"));
    }

    #[test]
    fn the_package_list_is_sorted() {
        assert!(PACKAGES.is_sorted());
    }
}
