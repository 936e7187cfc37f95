//! `mock-server matrix`, as a child process.

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{Call, command};
use crate::run::{Output, get, output, output_of, prints, request};
use crate::serving::file;

/// Fails unless the first ID in `GET /me` is a string, after a request that violates a rule.
fn read_me(call: &mut Call) -> i32 {
    let Some(me) = get(request(call, "GET /api/v1/me?x=1")) else {
        return 9;
    };
    request(call, "GET /api/v1/links").send();
    call.stdout = format!("read {me}\n");
    if me.contains(r#""id":1"#) { 3 } else { 0 }
}

#[track_caller]
fn matrix(options: &[&str], command: &[String]) -> Output {
    output_of("matrix", options, command)
}

#[test]
fn runs_the_command_under_each_alternative() {
    let (code, stdout, stderr) = matrix(&["--jobs", "4"], &command(read_me));
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
    let read_badges = command(|call| {
        request(call, "POST /_mock/v1/worlds").send();
        let badges = request(call, "GET /worlds/w1/api/v1/badges").without_key();
        if get(badges).is_some() { 0 } else { 22 }
    });
    let (code, stdout, _) = matrix(&["--only", "fault"], &read_badges);
    assert_eq!(code, Some(1));
    let result = |fault| stdout.lines().find(|line| line.contains(fault)).unwrap();
    let line = result("503_once");
    assert!(line.contains("failed (exit code 22)"), "{stdout}");
    assert!(result("slow_body").ends_with("passed"), "{stdout}");
}

#[test]
fn runs_the_command_under_the_standard_faults() {
    let options = ["--only", "fault", "--json", "--jobs", "4"];
    let (code, stdout, _) = matrix(&options, &command(read_me));
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
    let (code, stdout, stderr) = matrix(&[], &prints("broken\n", 4));
    assert_eq!(code, Some(1));
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert_eq!(
        stderr,
        "mock-server: no request reached an endpoint; the URL is in PROFILE_BASE_URL\n\
         \n--- output of the command: default, failed (exit code 4) ---\nbroken\n\
         mock-server: the first run failed: default; it has to pass\n"
    );
    assert_eq!(output(&["matrix", "--", "no-such-program"]).0, Some(127));
    let (code, _, stderr) = matrix(&["--only", "idz"], &prints("", 0));
    assert_eq!(code, Some(125));
    assert!(stderr.starts_with("mock-server: unknown name \"idz\"; expected one of api_visible, "));
}

#[test]
fn varies_a_dialect_from_a_file() {
    let directory = TempDir::new().unwrap();
    let settings = r#"{"settings": {"ids": "uuid", "error_body": "flat"}}"#;
    let dialect = format!("--dialect={}", file(&directory, "dialect.json", settings));
    let expects_flat_error = command(|call| {
        let answer = request(call, "GET /api/v1/me").without_key().send();
        let code = answer.body.strip_prefix(r#"{"code":""#);
        let rest = code.and_then(|code| code.split_once('"'));
        let is_flat = rest.is_some_and(|(_, rest)| rest.starts_with(r#","message""#));
        i32::from(!is_flat)
    });
    let options = [&dialect, "--only", "ids,error_body", "--json"];
    let (code, stdout, stderr) = matrix(&options, &expects_flat_error);
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
    let file = done.clone();
    let run_once = command(move |call| {
        request(call, "GET /other").send();
        if !file.exists() {
            request(call, "GET /api/v1/badges").send();
            std::fs::write(&file, "").unwrap();
        }
        0
    });
    for (subcommand, only) in [("matrix", "ids"), ("mutants", "me_without_email")] {
        let _ = std::fs::remove_file(&done);
        let options = ["--json", "--only", only];
        let (code, stdout, stderr) = output_of(subcommand, &options, &run_once);
        assert_eq!(code, Some(1), "{stdout}");
        let results: Value = serde_json::from_str(&stdout).unwrap();
        let runs = results["runs"].as_array().unwrap();
        assert_eq!(runs[0]["result"], "passed");
        let mut others = runs[1..].iter();
        assert!(others.all(|run| run["result"] == "no_requests"), "{stdout}");
        assert!(stderr.contains("-count=1 (Go)"), "{stderr}");
    }
}

#[cfg(unix)]
#[test]
fn results_that_cannot_be_printed_are_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let full = full.unwrap();
    let mut matrix = crate::serving::program(&["matrix", "--only", "ids", "--", "true"]);
    assert_eq!(matrix.stdout(full).status().unwrap().code(), Some(125));
}

#[test]
fn output_is_shown_on_request() {
    let options = ["--only", "ids", "--show-output"];
    let (code, _, stderr) = matrix(&options, &prints("one\n", 0));
    assert_eq!(code, Some(0));
    assert_eq!(
        stderr,
        "mock-server: no request reached an endpoint; the URL is in PROFILE_BASE_URL\n\
         \n--- output of the command: default, passed ---\none\n\
         \n--- output of the command: ids = integer, passed ---\none\n\
         \n--- output of the command: ids = uuid, passed ---\none\n"
    );
}

#[cfg(unix)]
#[test]
fn a_run_ends_with_all_of_its_processes() {
    use std::fs::File;
    use std::io::Read as _;

    for (timeout, signal, expected, row) in [
        ("1", "", 1, "timeout"),
        ("60", "kill -HUP $PPID;", 129, ""),
        ("60", "kill -INT $PPID;", 130, ""),
        ("60", "kill -QUIT $PPID;", 131, ""),
        ("60", "kill -TERM $PPID;", 143, ""),
    ] {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("pipe");
        let made = crate::child::command("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        // With a writer, opening the reader does not wait for the script, which may not get that far.
        let writer = File::options().read(true).write(true).open(&path).unwrap();
        let mut reader = File::open(&path).unwrap();
        let script = format!(
            "trap '' TERM; (sleep 20; echo survived) > '{}' & echo started; {signal} wait; sleep 20",
            path.display()
        );
        let command = ["sh", "-c", &script].map(str::to_owned);
        let (code, stdout, stderr) = matrix(&["--timeout", timeout], &command);
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
