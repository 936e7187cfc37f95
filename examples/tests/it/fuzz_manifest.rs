//! The fuzz target of the program compiles the program, so it needs what the program needs.

use std::collections::BTreeSet;

use crate::repository::read;

/// The dependencies that are always there.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let text = read(manifest);
    let (_, after) = text.split_once("\n[dependencies]\n").unwrap();
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
    let mut program = dependencies("profile-cli/Cargo.toml");
    assert!(program.contains("profile-sdk"), "{program:?}");
    program.insert("libfuzzer-sys".to_owned());
    assert_eq!(dependencies("profile-cli/fuzz/Cargo.toml"), program);
}
