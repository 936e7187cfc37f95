//! The files of the repository.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that implement the specification, in the order of the coverage table.
pub(crate) const CRATES: [&str; 4] = [
    "profile-sdk",
    "mock-server",
    "webhook-verify",
    "profile-cli",
];

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Returns a command that starts cargo at the root, without the variables that describe the package of this test:
/// build scripts read them, so dependencies would be built again.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root());
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_MANIFEST_", "CARGO_PKG_"]
            .iter()
            .any(|start| text.starts_with(start))
        {
            cargo.env_remove(&name);
        }
    }
    cargo
}

#[track_caller]
pub(crate) fn read(path: &str) -> String {
    let text = fs::read_to_string(root().join(path));
    text.unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compares a page with its expected text. `UPDATE_EXPECT=1` replaces the file as a whole, since other tests read it
/// at the same time.
#[track_caller]
pub(crate) fn assert_page(path: &str, expected: &str) {
    let found = read(path);
    if env::var_os("UPDATE_EXPECT").is_some() && found != expected {
        let new = root().join(format!("{path}.new"));
        fs::write(&new, expected).unwrap();
        fs::rename(new, root().join(path)).unwrap();
        return;
    }
    let mut lines = found.lines().zip(expected.lines());
    let first = lines.find(|(found, expected)| found != expected);
    assert!(
        found == expected,
        "{path} is outdated; run this test with UPDATE_EXPECT=1: {first:?}"
    );
}

/// Returns the paths of all files with this suffix, relative to the root. Skips `target` and hidden
/// folders.
pub(crate) fn files_with_suffix(suffix: &str) -> Vec<String> {
    let mut folders = vec![root()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(suffix) {
                let path = path.strip_prefix(root()).unwrap();
                found.push(path.to_str().unwrap().replace('\\', "/"));
            }
        }
    }
    found.sort();
    found
}

/// Returns the text of all Rust files below a folder.
pub(crate) fn sources(folder: &str) -> String {
    contents(&format!("{folder}/"), ".rs")
}

/// Returns the transcripts in the tests of a folder, whose sections are tests.
pub(crate) fn transcripts(folder: &str) -> String {
    contents(&format!("{folder}/tests/it/transcripts/"), ".txt")
}

fn contents(prefix: &str, suffix: &str) -> String {
    let files = files_with_suffix(suffix).into_iter();
    let files = files.filter(|path| path.starts_with(prefix));
    files.map(|path| read(&path)).collect()
}
