//! `profile version`.

use crate::program::run;

#[test]
fn prints_version_and_features() {
    let home = tempfile::tempdir().unwrap();
    let version = run(home.path(), &[], &["version", "--json"]).json();
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
    let features: Vec<_> = version["features"].as_array().unwrap().iter().collect();
    for (feature, is_built_in) in [
        ("jq", cfg!(feature = "jq")),
        ("keyring", cfg!(feature = "keyring")),
        ("sandbox", cfg!(feature = "sandbox")),
    ] {
        assert_eq!(
            features.iter().any(|name| **name == feature),
            is_built_in,
            "{feature}"
        );
    }
    let shown = run(home.path(), &[], &["version"]);
    let first = format!("profile {}\n", env!("CARGO_PKG_VERSION"));
    assert!(shown.stdout().starts_with(&first), "{shown}");
}
