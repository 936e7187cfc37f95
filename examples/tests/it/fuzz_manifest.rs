//! The fuzz target of the program compiles the program, so it needs what the program needs.

use std::collections::BTreeSet;

use crate::repository::read;

/// The dependencies that are always there, in one of the manifest's tables.
fn dependencies(manifest: &str, table: &str) -> BTreeSet<String> {
    let text = read(manifest);
    let (_, after) = text.split_once(&format!("\n[{table}]\n")).unwrap();
    let lines = after.lines().take_while(|line| !line.starts_with('['));
    let always = lines.filter(|line| line.contains('=') && !line.contains("optional = true"));
    let name = |line: &str| {
        let (name, _) = line.split_once(['.', ' ', '='])?;
        (!name.starts_with('#')).then(|| name.to_owned())
    };
    always.filter_map(name).collect()
}

#[test]
fn the_fuzz_target_of_the_program_has_its_dependencies() {
    for (table, also) in [
        ("dependencies", Some("libfuzzer-sys")),
        ("target.'cfg(unix)'.dependencies", None),
    ] {
        let mut program = dependencies("profile-cli/Cargo.toml", table);
        assert!(!program.is_empty());
        program.extend(also.map(str::to_owned));
        assert_eq!(dependencies("profile-cli/fuzz/Cargo.toml", table), program);
    }
}
