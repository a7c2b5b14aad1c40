//! Tests of files on every system.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn a_file_is_whole_private_and_replaced_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made").join("file");
    make_folder(path.parent().unwrap()).unwrap();
    replace(&path, b"old").unwrap();
    replace(&path, b"new").unwrap();
    let read = open(&path, File::options().read(true)).unwrap();
    assert_eq!(exposed_to_others(&read).unwrap(), None);
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(
        fs::read_dir(path.parent().unwrap()).unwrap().count(),
        1,
        "nothing half written stays"
    );
    assert_eq!(make(&path).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert!(replace(&folder.path().join("missing/file"), b"").is_err());
    drop(read);
    remove(&path).unwrap();
    remove(&path).unwrap();
    assert!(
        open(&path, File::options().read(true)).is_err(),
        "only reading makes nothing"
    );
    let log = || open_or_make(&path, File::options().read(true).append(true)).unwrap();
    log().write_all(b"1").unwrap();
    log().write_all(b"2").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"12");
    assert_eq!(exposed_to_others(&log()).unwrap(), None);
}

#[test]
fn a_folder_is_no_private_file() {
    let folder = tempfile::tempdir().unwrap();
    let opened = open(folder.path(), File::options().read(true));
    // Windows opens no folder in this way.
    assert!(opened.is_err() || exposed_to_others(&opened.unwrap()).unwrap().is_some());
}

#[test]
fn readers_and_writers_of_one_file_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let text = |number: u8| vec![number; 10_000];
    replace(&path, &text(0)).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) {
                let mut bytes = Vec::new();
                std::io::Read::read_to_end(&mut open(&path, File::options().read(true)).unwrap(), &mut bytes).unwrap();
                assert_eq!(bytes, text(bytes[0]), "whole");
                seen += 1;
                // Wine moves nothing over a file that is open.
                std::thread::sleep(std::time::Duration::from_millis(3));
            }
            seen
        });
        let written = (1..50).try_for_each(|number| replace(&path, &text(number)));
        done.store(true, Ordering::Relaxed);
        written.unwrap();
        assert!(reader.join().unwrap() > 0);
    });
}

#[test]
fn names_that_windows_reads_otherwise_lead_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("x".repeat(150)).join("y".repeat(150));
    make_folder(&long).unwrap();
    let path = long.join("file.json");
    replace(&path, b"1\n2\r\n").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"1\n2\r\n", "line ends stay as they are");
    let aside = long.join("file.damaged");
    rename(&path, &aside).unwrap();
    assert!(aside.exists() && !path.exists());
}

#[cfg(windows)]
#[test]
fn a_file_that_another_program_holds_for_a_moment_is_waited_for() {
    use std::os::windows::fs::OpenOptionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for work in [
        (|path| replace(path, b"new")) as fn(&Path) -> Result<()>,
        |path| open(path, File::options().read(true)).map(drop),
        |path| rename(path, &path.with_extension("moved")),
        |path| remove(path),
    ] {
        replace(&path, b"old").unwrap();
        // As virus scanners do: nobody else may do anything with it.
        let hold = || File::options().read(true).share_mode(0).open(&path).unwrap();
        let held = hold();
        assert!(work(&path).is_err(), "not for ever");
        drop(held);
        let held = hold();
        let letting_go = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(held);
        });
        work(&path).unwrap();
        letting_go.join().unwrap();
        remove(&path).unwrap();
    }
}

#[test]
fn links_are_neither_read_nor_written() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "mine").unwrap();
    open(&file, File::options().read(true)).unwrap();
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(&file, &link);
    #[cfg(windows)]
    let made = std::os::windows::fs::symlink_file(&file, &link);
    // Windows lets not everybody make links, and Wine does not tell that something is one.
    if cfg!(windows) && (made.is_err() || !is_link(&link)) {
        return;
    }
    made.unwrap();
    for options in [File::options().read(true), File::options().append(true)] {
        assert!(open(&link, options).is_err());
        assert!(open_or_make(&link, options).is_err());
    }
    assert!(make(&link).is_err());
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    replace(&link, b"new").unwrap();
    assert!(!is_link(&link), "the link itself was replaced");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}
