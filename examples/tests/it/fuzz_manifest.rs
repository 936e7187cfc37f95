//! Checks the dependencies of the program's fuzz target, which compiles the sources of the program.

use std::collections::BTreeSet;

use crate::repository::read;

/// Returns the non-optional dependencies in a table of a manifest.
fn dependencies(manifest: &str, table: &str) -> BTreeSet<String> {
    let text = read(manifest);
    let (_, after) = text.split_once(&format!("\n[{table}]\n")).unwrap();
    let lines = after.lines().take_while(|line| !line.starts_with('['));
    let required = lines.filter(|line| line.contains('=') && !line.contains("optional = true"));
    let name = |line: &str| {
        let (name, _) = line.split_once(['.', ' ', '='])?;
        (!name.starts_with('#')).then(|| name.to_owned())
    };
    required.filter_map(name).collect()
}

#[test]
fn the_fuzz_target_has_the_dependencies_of_the_program() {
    for (table, extra) in [
        ("dependencies", Some("libfuzzer-sys")),
        ("target.'cfg(unix)'.dependencies", None),
    ] {
        let mut program = dependencies("profile-cli/Cargo.toml", table);
        assert!(!program.is_empty());
        program.extend(extra.map(str::to_owned));
        assert_eq!(dependencies("profile-cli/fuzz/Cargo.toml", table), program);
    }
}
