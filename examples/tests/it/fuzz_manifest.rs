//! Checks the dependencies of the program's fuzz target, which compiles the sources of the program.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::repository::{cargo, root};

/// Returns the features of the dependencies that are not optional, by target and name.
fn dependencies(folder: &str, package: &str) -> BTreeMap<String, Value> {
    let metadata = cargo()
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(root().join(folder))
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|one| one["name"] == package).unwrap();
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    let required = dependencies.filter(|one| one["kind"].is_null() && one["optional"] == false);
    let row = |one: &Value| {
        let mut features: Vec<_> = one["features"].as_array().unwrap().iter().collect();
        features.sort_by_key(|feature| feature.as_str());
        let name = format!("{} {}", one["target"], one["name"]);
        (name, json!([one["uses_default_features"], features]))
    };
    required.map(row).collect()
}

#[test]
fn the_fuzz_target_has_the_dependencies_of_the_program() {
    let mut fuzzed = dependencies("profile-cli/fuzz", "profile-cli-fuzz");
    let mut program = dependencies("profile-cli", "profile-cli");
    assert!(fuzzed.remove("null \"libfuzzer-sys\"").is_some());
    // The target sends nothing, so it leaves out TLS.
    for all in [&mut fuzzed, &mut program] {
        assert!(all.remove("null \"profile-sdk\"").is_some());
    }
    assert_eq!(fuzzed, program);
}
