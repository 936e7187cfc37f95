//! `profile completion`: a script for each shell.

use std::fs;

use expect_test::expect;

use crate::program::run;

#[test]
fn every_script_completes_the_commands() {
    let home = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = run(home.path(), &[], &["completion", shell]);
        for word in ["analytics", "base-url", "status"] {
            assert!(script.stdout().contains(word), "{shell}: {word}");
        }
    }
    // The generator omits positional arguments for the other shells.
    for shell in ["bash", "zsh"] {
        let script = run(home.path(), &[], &["completion", shell]);
        // Option values, setting names and event kinds.
        for value in ["never", "ndjson", "no_input"] {
            assert!(script.stdout().contains(value), "{shell}: {value}");
        }
        let knows_kinds = script.stdout().contains("message.received");
        assert_eq!(knows_kinds, cfg!(feature = "webhook"), "{shell}");
    }
    let script = run(home.path(), &[], &["completion", "bash", "--json"]).json();
    assert!(script["script"].as_str().unwrap().starts_with("_profile()"));
}

#[test]
fn writes_all_scripts_into_a_directory() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("new/dist");
    let path = directory.to_str().unwrap();
    let written = run(home.path(), &[], &["completion", "--dir", path, "--json"]).json();
    let names = ["profile.bash", "_profile", "profile.fish", "_profile.ps1"];
    assert_eq!(written["scripts"], serde_json::json!(names));
    for name in names {
        let script = fs::read_to_string(directory.join(name)).unwrap();
        assert!(script.contains("analytics"), "{name}");
    }

    let one = home.path().join("one");
    run(
        home.path(),
        &[],
        &["completion", "zsh", "--dir", one.to_str().unwrap()],
    );
    assert_eq!(fs::read_dir(one).unwrap().count(), 1);

    let file = home.path().join("file");
    fs::write(&file, "").unwrap();
    let arguments = ["completion", "--dir", file.to_str().unwrap()];
    let rejected = run(home.path(), &[], &arguments);
    assert_eq!(rejected.code(), 1);
    assert!(
        rejected.stderr().contains("cannot be written to"),
        "{rejected}"
    );
}

#[test]
fn rejects_an_unknown_shell() {
    let home = tempfile::tempdir().unwrap();
    run(home.path(), &[], &["completion", "tcsh"]).check(&expect![[r#"
        exit 2
        --- stdout
        --- stderr
        error: invalid value 'tcsh' for '[SHELL]'
          [possible values: bash, zsh, fish, powershell]

          tip: a similar value exists: 'zsh'

        For more information, try '--help'.
    "#]]);
}
