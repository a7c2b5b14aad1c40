//! Programs of a release of Debian, unpacked into a folder by apt with its own state, without installing anything.
//!
//! The folder is `incomplete` from the first change until its stamp is written; if found in that state, it is discarded.

mod enter;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::env;
use crate::process;
use crate::stamp::Stamp;
pub(crate) use enter::Entrance;

/// The folder of Debian's libraries on the only architecture on which Blender's packages and our wheel are tested.
pub(crate) const LIBRARIES: &str = "/usr/lib/x86_64-linux-gnu";

/// The keyring that signs all of Debian's releases; updates add newer keys to the keyrings of older systems.
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Packages of a release of Debian with all that they depend on, in a folder.
#[derive(Debug, Clone)]
pub(crate) struct System {
    /// Where it is unpacked.
    pub(crate) folder: PathBuf,
    /// The release.
    pub(crate) suite: &'static str,
    /// What it is for, as the subject of a sentence in the plural.
    pub(crate) title: &'static str,
    /// How much is downloaded.
    pub(crate) size: &'static str,
    /// The packages, sorted.
    pub(crate) packages: &'static [&'static str],
}

impl System {
    /// The unpacked system.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    /// The list of the unpacked packages, a line each: the hash (SHA-256) and the name with its version.
    pub(crate) fn list(&self) -> PathBuf {
        self.folder.join("packages.txt")
    }

    /// Unpacks the packages; starts nothing if they are already there.
    ///
    /// # Errors
    /// When this machine does not run Debian, the mirror cannot be reached, or the disk is full.
    pub(crate) fn prepare(&self) -> Result<()> {
        let (stamp, incomplete) = (self.folder.join("stamp"), self.folder.join("incomplete"));
        let wanted = self.wanted();
        if !incomplete.exists() && fs::read_to_string(&stamp).is_ok_and(|present| present == wanted) {
            return Ok(());
        }
        eprintln!(
            "· {} from Debian's {}: unpacking into {} (about a minute, {} to download)",
            self.title,
            self.suite,
            self.folder.display(),
            self.size
        );
        let mirror = mirror(self.title)?;
        env::remove(&self.folder)?;
        fs::create_dir_all(&self.folder).with_context(|| format!("cannot make {}", self.folder.display()))?;
        fs::write(&incomplete, "").context("cannot mark the folder")?;
        let apt = Apt::new(&self.folder.join("apt"), &mirror, self.suite)?;
        apt.download(self.packages)?;
        env::replace(&self.list(), &listed(&packages(&apt.archives())?)?)?;
        unpack(&apt.archives(), &self.root())?;
        env::remove(&self.folder.join("apt"))?;
        env::replace(&stamp, &wanted)?;
        fs::remove_file(&incomplete).context("cannot finish the folder")
    }

    fn wanted(&self) -> String {
        let mut stamp = Stamp::new("debian 1");
        stamp.text(self.suite);
        for package in self.packages {
            stamp.text(package);
        }
        stamp.finish()
    }
}

/// The hash (SHA-256) and the name of each file, a line each.
///
/// # Errors
/// When one cannot be read.
pub(crate) fn listed(files: &[PathBuf]) -> Result<String> {
    let mut list = String::new();
    for file in files {
        let bytes = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        for byte in Sha256::digest(&bytes) {
            write!(list, "{byte:02x}")?;
        }
        writeln!(list, "  {name}")?;
    }
    Ok(list)
}

/// The mirror of this Debian, from its own list of sources.
fn mirror(title: &str) -> Result<String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = os_field(&release, "VERSION_CODENAME").filter(|_| os_field(&release, "ID") == Some("debian"));
    let (Some(codename), true) = (codename, Path::new(KEYRING).exists()) else {
        bail!("{title} come from Debian's packages, and this is not a Debian with {KEYRING}.");
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

    fn download(&self, packages: &[&str]) -> Result<()> {
        process::quiet(self.command().args(["update", "-q"]), "reading Debian's package lists")?;
        let mut install = self.command();
        install.args(["install", "-q", "-y", "--download-only"]).args(packages);
        process::quiet(&mut install, "downloading Debian's packages").map(drop)
    }
}

/// The downloaded packages, sorted by name.
fn packages(archives: &Path) -> Result<Vec<PathBuf>> {
    let mut packages: Vec<PathBuf> = fs::read_dir(archives)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "deb"))
        .collect();
    packages.sort();
    if packages.is_empty() {
        bail!("apt-get downloaded nothing into {}", archives.display());
    }
    Ok(packages)
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
    for package in &packages(archives)? {
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
    bail!("Debian's packages need Linux")
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
        let system = System {
            folder: folder.path().to_path_buf(),
            suite: "trixie",
            title: "Programs",
            size: "1 MB",
            packages: &["bash"],
        };
        fs::write(folder.path().join("stamp"), system.wanted()).unwrap();
        let keepsake = folder.path().join("keepsake");
        fs::write(&keepsake, "").unwrap();
        system.prepare().unwrap();
        assert!(keepsake.exists());
        let suite = "sid";
        assert_ne!(
            system.wanted(),
            System {
                suite,
                ..system.clone()
            }
            .wanted()
        );
        let packages: &[&str] = &["bash", "dash"];
        assert_ne!(
            system.wanted(),
            System {
                packages,
                ..system.clone()
            }
            .wanted()
        );
    }

    #[test]
    fn a_list_names_every_package_with_its_hash() {
        let folder = tempfile::tempdir().unwrap();
        assert!(packages(folder.path()).is_err());
        fs::write(folder.path().join("b_2_amd64.deb"), "").unwrap();
        fs::write(folder.path().join("a_1_amd64.deb"), "a").unwrap();
        fs::write(folder.path().join("lock"), "").unwrap();
        let list = listed(&packages(folder.path()).unwrap()).unwrap();
        assert!(list.starts_with("ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a_1_amd64.deb\n"));
        assert_eq!(list.lines().count(), 2);
    }
}
