//! `mock-server matrix`, as a child process.

use std::fs::File;
use std::io::Read;

use serde_json::Value;
use tempfile::TempDir;

use crate::child;
use crate::run::output;
use crate::serving::file;

/// Fails unless the first ID in `GET /me` is a string, after a request that violates a rule.
const SCRIPT: &str = r#"
    me=$(curl --silent --fail "$PROFILE_BASE_URL/api/v1/me?x=1" \
        --header "Authorization: Bearer $PROFILE_API_KEY") || exit 9
    curl --silent --output /dev/null "$PROFILE_BASE_URL/api/v1/links"
    echo "read $me"
    case $me in *'"id":1'*) exit 3 ;; esac
"#;

#[track_caller]
fn matrix(options: &[&str], script: &str) -> (Option<i32>, String, String) {
    output(&[&["matrix"], options, &["--", "sh", "-c", script]].concat())
}

#[test]
fn runs_the_command_under_each_alternative() {
    or_skip!(child::require_installed("curl"));
    let (code, stdout, stderr) = matrix(&["--jobs", "4"], SCRIPT);
    assert_eq!(code, Some(1));
    let lines: Vec<_> = stdout.lines().collect();
    let alternatives: Vec<_> = mock_server::Dialect::alternatives().collect();
    assert_eq!(lines.len(), alternatives.len() + 2, "{stdout}");
    let violation = "unknown_path: no endpoint has the path /api/v1/links";
    let row = |name: &str, result: &str| format!("{name:<50}{result:<24}{violation}");
    assert_eq!(lines[0], row("default", "passed"));
    for (line, (setting, alternative, _)) in lines[1..].iter().zip(alternatives) {
        let result = match alternative {
            "integer" if setting == "ids" => "failed (exit code 3)",
            _ => "passed",
        };
        assert_eq!(*line, row(&format!("{setting} = {alternative}"), result));
    }
    assert!(lines.last().unwrap().starts_with("1 failed, "));
    let title = "\n--- output of the command: ids = integer, failed (exit code 3) ---\nread {";
    assert!(stderr.starts_with(title), "{stderr}");
    assert_eq!(stderr.matches("---\n").count(), 1, "{stderr}");
}

#[test]
fn the_standard_faults_affect_new_worlds() {
    or_skip!(child::require_installed("curl"));
    let script = r#"
        url=$(curl --silent --request POST "$MOCK_SERVER_CONTROL/worlds" | sed 's/.*"url":"//; s/".*//')
        curl --silent --fail --output /dev/null "$url/api/v1/badges"
    "#;
    let (code, stdout, _) = matrix(&["--only", "fault"], script);
    assert_eq!(code, Some(1));
    let result = |fault| stdout.lines().find(|line| line.contains(fault)).unwrap();
    let line = result("503_once");
    assert!(line.contains("failed (exit code 22)"), "{stdout}");
    assert!(result("slow_body").ends_with("passed"), "{stdout}");
}

#[test]
fn runs_the_command_under_the_standard_faults() {
    or_skip!(child::require_installed("curl"));
    let options = ["--only", "fault", "--json", "--jobs", "4"];
    let (code, stdout, _) = matrix(&options, &SCRIPT.replace("read $me", ""));
    assert_eq!(code, Some(1));
    let results: Value = serde_json::from_str(&stdout).unwrap();
    let runs = results["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 11);
    let page = include_str!("../../../docs/test-suites.md");
    assert_eq!(
        [&runs[0]["name"], &runs[0]["result"]],
        ["default", "passed"]
    );
    let failing = "503_once 429_retry_after_1 reset_before_write reset_after_write cut_body";
    for run in &runs[1..] {
        let name = run["name"].as_str().unwrap();
        let name = name.strip_prefix("fault = ").unwrap();
        let code = if failing.contains(name) { 9 } else { 0 };
        assert_eq!(run["exit_code"], code, "{name}");
        let is_there = page.contains(&format!("\n| `{name}` | "));
        assert!(is_there, "{name} is not in test-suites.md");
    }
    assert_eq!(results["counts"]["passed"], 6);
    assert_eq!(runs[0]["violations"][0]["rule"], "unknown_path");
}

#[test]
fn the_default_has_to_pass() {
    let (code, stdout, stderr) = matrix(&[], "echo broken; exit 4");
    assert_eq!(code, Some(1));
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert_eq!(
        stderr,
        "mock-server: no request reached an endpoint; the URL is in PROFILE_BASE_URL\n\
         \n--- output of the command: default, failed (exit code 4) ---\nbroken\n\
         mock-server: the first run failed: default; it has to pass\n"
    );
    assert_eq!(output(&["matrix", "--", "no-such-program"]).0, Some(127));
    let (code, _, stderr) = matrix(&["--only", "idz"], "true");
    assert_eq!(code, Some(125));
    assert!(stderr.starts_with("mock-server: unknown name \"idz\"; expected one of api_visible, "));
}

#[test]
fn varies_a_dialect_from_a_file() {
    or_skip!(child::require_installed("curl"));
    let directory = TempDir::new().unwrap();
    let settings = r#"{"settings": {"ids": "uuid", "error_body": "flat"}}"#;
    let dialect = format!("--dialect={}", file(&directory, "dialect.json", settings));
    let script = r#"curl --silent "$PROFILE_BASE_URL/api/v1/me" | grep --quiet '^{"code":"[a-z_]*","message"'"#;
    let options = [&dialect, "--only", "ids,error_body", "--json"];
    let (code, stdout, stderr) = matrix(&options, script);
    assert_eq!(code, Some(1), "{stderr}");
    let results: Value = serde_json::from_str(&stdout).unwrap();
    let runs = results["runs"].as_array().unwrap().iter();
    let passed = runs.filter(|run| run["result"] == "passed");
    let passed: Vec<_> = passed.map(|run| &run["name"]).collect();
    assert_eq!(passed, ["given", "ids = integer"]);
    assert_eq!(results["counts"]["failed"], 5);
}

#[test]
fn a_run_that_sends_nothing_is_a_result_of_its_own() {
    // Like a build tool that does not run the tests again.
    let directory = TempDir::new().unwrap();
    let done = directory.path().join("done");
    let script = format!(
        "get() {{ curl --silent --output /dev/null $PROFILE_BASE_URL$1; }}; get /other; [ -e '{0}' ] && exit
         get /api/v1/badges; touch '{0}'",
        done.display()
    );
    for (command, only) in [("matrix", "ids"), ("mutants", "me_without_email")] {
        let _ = std::fs::remove_file(&done);
        let options = [command, "--json", "--only", only, "--", "sh", "-c", &script];
        let (code, stdout, stderr) = output(&options);
        assert_eq!(code, Some(1), "{stdout}");
        let results: Value = serde_json::from_str(&stdout).unwrap();
        let runs = results["runs"].as_array().unwrap();
        assert_eq!(runs[0]["result"], "passed");
        let mut others = runs[1..].iter();
        assert!(others.all(|run| run["result"] == "no_requests"), "{stdout}");
        assert!(stderr.contains("-count=1 (Go)"), "{stderr}");
    }
}

#[test]
fn results_that_cannot_be_printed_are_an_error() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let mut matrix = child::command(env!("CARGO_BIN_EXE_mock-server"));
    matrix.args(["matrix", "--only", "ids", "--", "true"]);
    assert_eq!(matrix.stdout(full).status().unwrap().code(), Some(125));
}

#[test]
fn output_is_shown_on_request() {
    let (code, _, stderr) = matrix(&["--only", "ids", "--show-output"], "echo one; cat");
    assert_eq!(code, Some(0));
    assert_eq!(
        stderr,
        "mock-server: no request reached an endpoint; the URL is in PROFILE_BASE_URL\n\
         \n--- output of the command: default, passed ---\none\n\
         \n--- output of the command: ids = integer, passed ---\none\n\
         \n--- output of the command: ids = uuid, passed ---\none\n"
    );
}

#[test]
fn a_run_ends_with_all_of_its_processes() {
    for (timeout, signal, expected, row) in [
        ("1", "", 1, "timeout"),
        ("60", "kill -HUP $PPID;", 129, ""),
        ("60", "kill -INT $PPID;", 130, ""),
        ("60", "kill -QUIT $PPID;", 131, ""),
        ("60", "kill -TERM $PPID;", 143, ""),
    ] {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("pipe");
        let made = child::command("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        // With a writer, opening the reader does not wait for the script, which may not get that far.
        let writer = File::options().read(true).write(true).open(&path).unwrap();
        let mut reader = File::open(&path).unwrap();
        let script = format!(
            "trap '' TERM; (sleep 20; echo survived) > '{}' & echo started; {signal} wait; sleep 20",
            path.display()
        );
        let (code, stdout, stderr) = matrix(&["--timeout", timeout], &script);
        assert_eq!(code, Some(expected));
        let first = stdout.lines().next().unwrap_or_default();
        assert!(first.ends_with(row), "{stdout}");
        let title = "default, timeout ---\n";
        assert_eq!(stderr.contains(title), signal.is_empty(), "{stderr}");
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "", "{signal}");
    }
}
