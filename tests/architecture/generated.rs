//! `.gitattributes` marks every document and module that says of itself that it is generated, and nothing that is not there.

use std::path::Path;

use super::root;

/// The folders of the add-on that hold its modules.
fn wings() -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(root().join("addon/geonode_assistant")).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect()
}

/// The patterns that are marked as generated: paths, or the files of one ending in a folder.
fn marked() -> Vec<String> {
    let attributes = std::fs::read_to_string(root().join(".gitattributes")).unwrap();
    let patterns: Vec<String> = attributes
        .lines()
        .filter(|line| line.contains(" linguist-generated"))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    assert!(patterns.len() > 8, "only {patterns:?}");
    patterns
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    paths
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/"))
        .collect()
}

#[test]
fn what_is_marked_as_generated_is_there() {
    for pattern in marked() {
        match pattern.split_once("/*.") {
            Some((folder, end)) => {
                let found = files(&root().join(folder));
                assert!(found.iter().any(|file| file.ends_with(end)), "no file is {pattern}");
            }
            None => assert!(root().join(&pattern).is_file(), "{pattern} is not there"),
        }
    }
}

#[test]
fn files_that_say_they_are_generated_are_marked() {
    let marked = marked();
    let crates = std::fs::read_dir(root().join("rust")).unwrap();
    let mut folders: Vec<_> = crates
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.push(root().join("addon/docs"));
    folders.extend(wings());
    let mut generated = 0;
    for file in folders.iter().flat_map(|folder| files(folder)).filter(|file| {
        std::path::Path::new(file)
            .extension()
            .is_some_and(|end| end == "md" || end == "py")
    }) {
        let text = std::fs::read_to_string(root().join(&file)).unwrap();
        let says_so = text.lines().take(8).any(|line| {
            ["Generated from", "Generated: `", "Made by"]
                .iter()
                .any(|word| line.contains(word))
        });
        assert_eq!(
            says_so,
            marked.contains(&file),
            "{file}: says that it is generated, or is marked so"
        );
        generated += usize::from(says_so);
    }
    assert!(generated >= 11, "only {generated} generated files were found");
}
