//! Which files a sealed process reaches: Landlock, set between fork and exec, so that nothing of the program runs without it.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use crate::{Order, SealError};

/// Files may be moved and cut only with rights of their own since this version (Linux 6.2). Without it, a file that can only be read could
/// be emptied.
const NEEDED: ABI = ABI::V3;
/// What newer kernels restrict as well: devices, TCP, signals and sockets without a name in the file system.
const KNOWN: ABI = ABI::V7;

/// What programs of this kind read of the system: libraries, fonts, locales, time zones, and how many processors there are.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib32",
    "/lib64",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/share/fontconfig",
    "/usr/share/fonts",
    "/usr/share/locale",
    "/usr/share/X11",
    "/usr/share/zoneinfo",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/dev/random",
    "/dev/urandom",
    "/dev/zero",
];
/// What a process may read about itself, opened by its own name for it.
const OWN: &[&str] = &[
    "/proc/self/maps",
    "/proc/self/stat",
    "/proc/self/statm",
    "/proc/self/status",
];
const NOWHERE: &str = "/dev/null";

/// Whether the kernel restricts all that is needed.
pub(super) fn available() -> Result<(), SealError> {
    handled()
        .map(drop)
        .map_err(|error| SealError::Unavailable(format!("Landlock (Linux 6.2 or later) is not available ({error})")))
}

/// The rules of an order. Made before the fork: it opens every path.
pub(super) fn rules(order: &Order) -> Result<RulesetCreated, SealError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let own = AccessFs::from_all(KNOWN) & !(special() | AccessFs::Execute);
    let rules = || -> Result<RulesetCreated, RulesetError> {
        handled()?
            .set_compatibility(CompatLevel::BestEffort)
            .add_rules(path_beneath_rules(SYSTEM, read))?
            .add_rules(path_beneath_rules(mapped(), read))?
            .add_rules(path_beneath_rules(&order.readable, read))?
            .add_rules(path_beneath_rules([NOWHERE], AccessFs::ReadFile | AccessFs::WriteFile))?
            .add_rules(path_beneath_rules([&order.folder], own))?
            .add_rules(path_beneath_rules(
                loaders().chain([order.program.clone()]),
                AccessFs::ReadFile | AccessFs::Execute,
            ))
    };
    rules().map_err(|error| SealError::of("the rules for files", error))
}

/// Confines this process; called between fork and exec. False: the kernel did not take all of it.
pub(super) fn confine(rules: RulesetCreated) -> Result<bool, RulesetError> {
    let read = BitFlags::from(AccessFs::ReadFile);
    let RestrictionStatus {
        ruleset, no_new_privs, ..
    } = rules.add_rules(path_beneath_rules(OWN, read))?.restrict_self()?;
    Ok(no_new_privs && ruleset != RulesetStatus::NotEnforced)
}

/// A set of rules that denies everything that the kernel can deny; it fails where that is less than needed.
fn handled() -> Result<RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()
}

/// Entries of a folder that would wait for somebody, or lead elsewhere: whoever reads the folder later opens what it finds.
fn special() -> BitFlags<AccessFs> {
    AccessFs::MakeChar
        | AccessFs::MakeBlock
        | AccessFs::MakeFifo
        | AccessFs::MakeSock
        | AccessFs::MakeSym
        | AccessFs::IoctlDev
}

/// Libraries that this process has loaded, wherever this system keeps them: another of the same program loads them too.
fn mapped() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut paths: Vec<PathBuf> = maps.lines().filter_map(library).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The file of a line of `maps` that can be executed.
fn library(line: &str) -> Option<PathBuf> {
    let (head, path) = line.split_once('/')?;
    let executable = head.split_ascii_whitespace().nth(1)?.contains('x');
    executable.then(|| Path::new("/").join(path))
}

/// The dynamic loader, which the kernel starts together with a program.
fn loaders() -> impl Iterator<Item = PathBuf> {
    mapped().into_iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("ld-") || name.starts_with("ld.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_executable_file_mappings_count_as_libraries() {
        assert_eq!(
            library("7f00-7f01 r-xp 00000000 08:01 42   /opt/a b/libz.so.1"),
            Some(PathBuf::from("/opt/a b/libz.so.1"))
        );
        for line in [
            "7f00-7f01 rw-p 00000000 08:01 42   /home/me/notes",
            "7f00-7f01 r-xp 00000000 00:00 0 [vdso]",
            "",
            "/",
        ] {
            assert_eq!(library(line), None, "{line}");
        }
        assert!(loaders().next().is_some());
    }
}
