//! Commands on Windows, which may be `.cmd` files.

use std::fs;
use std::process::Output;

use tempfile::TempDir;

use crate::serving::program;

/// Runs a command in a directory with files of these names beside a directory `tools` that is in PATH.
fn run(files: &[(&str, &str)], command: &[&str]) -> Output {
    let home = TempDir::new().unwrap();
    let tools = home.path().join("to ols");
    fs::create_dir(&tools).unwrap();
    for (name, text) in files {
        fs::write(home.path().join(name), text).unwrap();
    }
    let path = [".".into(), tools];
    program(&[&["run", "--"], command].concat())
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("PATHEXT", ".COM;.EXE;.BAT;.CMD")
        .current_dir(home.path())
        .output()
        .unwrap()
}

/// A script for another shell, one for that of Windows, and one that must not be found.
const NPM: [(&str, &str); 3] = [
    ("to ols/npm", "#!/bin/sh\nexit 1\n"),
    ("to ols/npm.cmd", "@echo [%1] [%2]\r\n@exit /b 70000\r\n"),
    ("npm.cmd", "@echo current\r\n"),
];

#[track_caller]
fn check(files: &[(&str, &str)], command: &[&str], code: i32, stdout: &str) {
    let output = run(files, command);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    assert_eq!(printed.trim_end(), stdout, "{output:?}");
}

#[test]
fn a_command_is_found_in_path_with_its_ending_and_gets_its_arguments_unchanged() {
    check(&NPM, &["npm", "test"], 70000, "[test] []");
    check(&NPM, &["npm.cmd", "test"], 70000, "[test] []");
    check(&NPM, &[r".\npm"], 0, "current");
    check(&NPM, &["./npm"], 0, "current");
    // Neither in the current directory nor without an ending.
    check(&NPM[2..], &["npm"], 127, "");
    check(&NPM[..1], &["npm"], 127, "");
    let arguments = ["npm", "a&calc", "\""];
    check(&NPM, &arguments, 70000, r#"["a&calc"] [""""]"#);
}

#[test]
fn what_a_batch_file_started_ends_with_it() {
    let home = TempDir::new().unwrap();
    let held = home.path().join("held");
    let script = home.path().join("npm.cmd");
    fs::write(&script, "@cmd /c \"ping -n 600 127.0.0.1 > held\"\r\n").unwrap();
    let arguments = ["matrix", "--timeout", "2", "--", script.to_str().unwrap()];
    let ended = program(&arguments).current_dir(home.path()).output();
    assert_eq!(ended.unwrap().status.code(), Some(1));
    // A process that is still running would have opened it.
    fs::remove_file(held).unwrap();
}

#[test]
fn a_batch_file_gets_names_of_variables_unchanged() {
    check(&NPM, &["npm", "%PATHEXT%"], 70000, r#"["%PATHEXT%"] []"#);
}

#[test]
fn a_line_break_in_an_argument_of_a_batch_file_is_an_error() {
    let output = run(&NPM, &["npm", "a\nb"]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let message = "cannot run npm: an argument of a batch file contains a line break";
    assert!(stderr.contains(message), "{stderr}");
    assert_eq!(output.status.code(), Some(126), "{stderr}");
}
