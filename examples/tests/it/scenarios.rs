//! Runs the scenarios of the mutation tests against an unchanged mock and one mutant.

use std::env;
use std::ffi::OsString;

use crate::child;
use crate::repository::{cargo, root};

#[test]
fn scenarios_pass_against_the_unchanged_mock() {
    let test = env::current_exe().unwrap();
    let programs = test.ancestors().nth(2).unwrap();
    // The same selection as that of `cargo test` at the root, after which this only links.
    let build = cargo()
        .args(["build", "--quiet", "--locked", "--bins", "--examples"])
        .arg("--target-dir")
        .arg(concat!(env!("CARGO_TARGET_TMPDIR"), "/.."))
        .status();
    assert!(build.unwrap().success(), "the programs do not compile");

    let mut path = OsString::from(programs);
    path.push(":");
    path.push(env::var_os("PATH").unwrap_or_default());
    let mut scenarios = vec![programs.join("examples/scenario")];
    if ["bash", "curl"]
        .into_iter()
        .all(|name| child::require_installed(name).is_some())
    {
        scenarios.push(root().join("examples/scenarios/cli.sh"));
    }
    for scenario in scenarios {
        // The first run is against the unchanged mock.
        let output = child::command(programs.join("mock-server"))
            .args(["mutants", "--only", "me_without_email", "--show-output"])
            .arg("--")
            .arg(&scenario)
            .env("PATH", &path)
            .output()
            .unwrap();
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{}: {messages}",
            scenario.display()
        );
    }
}
