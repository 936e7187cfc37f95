//! Failures: messages, hints and exit codes.

#[cfg(feature = "sandbox")]
use expect_test::expect;
use expect_test::expect_file;
use mock_server::{Dialect, MockServer};

use crate::program::{Fixture, Run};
#[cfg(feature = "sandbox")]
use crate::program::{home, run};

/// Starts a service with a fault: its JSON or the status of each response. Other words add none.
async fn failing(fault: &str) -> Fixture {
    let fixture = Fixture::new().await;
    let (phase, fault) = match fault.strip_prefix("after writing ") {
        Some(fault) => (r#""phase": "after", "#, fault),
        None => ("", fault),
    };
    let fault = match fault.parse::<u16>() {
        Ok(status) => format!(r#"{{"status": {{"status": {status}}}}}"#),
        Err(_) => fault.to_owned(),
    };
    if fault.starts_with(['{', '"']) {
        let rule = format!(r#"{{{phase}"fault": {fault}}}"#);
        fixture.add_faults(&rule);
    }
    fixture
}

/// Runs a command of the table. Returns also what it printed to stderr, with placeholders for the address
/// and the duration, and the number of requests.
async fn fail(fault: &str, command: &str, further: &[&str]) -> (Run, String, usize) {
    let fixture = failing(fault).await;
    let service = fixture.service.uri();
    let command = command.replace("SERVICE", service);
    let further = match fault {
        // Nothing listens on this port, so the request cannot have been applied.
        "unreachable" => [further, &["--base-url", "http://[::1]:1"]].concat(),
        _ => further.to_vec(),
    };
    let key = match fault {
        "key wrong" => "wrong",
        "key none" => &fixture.service.keys().none,
        _ => fixture.service.key(),
    };
    let arguments: Vec<_> = command.split(' ').chain(further).collect();
    let run = fixture.run_with_key(key, &arguments);
    assert_eq!(run.stdout_bytes(), b"", "{command} with {fault}: {run}");
    let stderr = run.stderr().replace(service, "SERVICE");
    let requests = fixture.service.journal().requests().len();
    (run, without_durations(&stderr), requests)
}

/// Replaces the durations in seconds.
fn without_durations(text: &str) -> String {
    let mut parts = text.split(" times in ");
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(' ').unwrap();
        replaced += &format!(" times in N{}", &part[end..]);
    }
    replaced
}

/// Each row of `failures.txt` is a fault, a command, and the result, followed by everything that is
/// printed to stderr, as text and as JSON. `UPDATE_EXPECT=1` writes the result of a new row such as
/// `503 | show | ?`.
#[tokio::test]
async fn failures_have_exit_codes_and_hints() {
    let mut printed = String::new();
    let rows = include_str!("failures.txt").lines();
    for row in rows.filter(|line| !line.starts_with(' ')) {
        let [fault, command, _] = row.splitn(3, " | ").collect::<Vec<_>>().try_into().unwrap();
        let (text, stderr, requests) = fail(fault, command, &[]).await;
        let (json, stderr_of_json, requests_of_json) = fail(fault, command, &["--json"]).await;
        let error = json.error();
        assert_eq!(error["exit_code"], json.code(), "{row}");
        let result = (text.code(), requests);
        assert_eq!(result, (json.code(), requests_of_json), "{row}: {text}");
        let code = json.code();
        printed += &format!("{fault} | {command} | exit {code}, requests {requests}\n");
        let stderr = stderr + &stderr_of_json;
        printed.extend(stderr.lines().map(|line| format!("  {line}\n")));
    }
    expect_file!["failures.txt"].assert_eq(&printed);
}

#[cfg(feature = "sandbox")]
#[test]
fn reports_missing_configuration() {
    let home = home();
    let here = ("PROFILE_BASE_URL", "http://127.0.0.1:1");
    let rejected = [
        &[][..],
        // It may be the key.
        &[("PROFILE_BASE_URL", "key_123")],
        &[("PROFILE_BASE_URL", "http://127.0.0.1:1\r")],
        &[here, ("PROFILE_API_KEY", "two words")],
    ]
    .map(|environment| run(home.path(), environment, &["show"]).usage_error());
    expect![[r#"
        error: no base URL is set
        hint: log in with `profile auth login`, pass --base-url, or set PROFILE_BASE_URL; --sandbox needs no account
        error: PROFILE_BASE_URL: base_url does not contain ://; expected a URL such as https://host
        error: PROFILE_BASE_URL: base_url contains '\r'; expected a URL such as https://host
        error: API key has whitespace or a control character at position 4; expected visible ASCII only
        hint: check the key from PROFILE_API_KEY
    "#]].assert_eq(&rejected.concat());
    run(home.path(), &[here], &["show"]).check(&expect![[r#"
        exit 4
        --- stdout
        --- stderr
        error: no API key is set
        hint: log in with `profile auth login`, or set PROFILE_API_KEY to your key; --sandbox needs no account
    "#]]);
    // The rest of the line is from the operating system.
    let rejected = run(home.path(), &[here], &["badges"]).to_string();
    let start = "exit 8\n--- stdout\n--- stderr\nerror: GET /api/v1/badges: \
                 could not connect to http://127.0.0.1:1, so nothing was sent: ";
    let end = "\nhint: check the network, the base URL and the proxy; `profile config list` shows where they come from\n";
    assert!(rejected.starts_with(start), "{rejected}");
    assert!(rejected.ends_with(end), "{rejected}");
}

#[tokio::test]
async fn reports_several_failures_separately() {
    let fixture = Fixture::new().await;
    let delete = "link delete nope link_1 neither nope --yes --json";
    let delete: Vec<_> = delete.split(' ').collect();
    let failed = fixture.run(&delete).error();
    let failures = failed["failures"].as_array().unwrap();
    let ids: Vec<_> = failures.iter().map(|failure| &failure["id"]).collect();
    assert_eq!(ids, ["nope", "neither"]);
    assert!(failures.iter().all(|failure| failure["status"] == 404));
}

#[tokio::test]
async fn prints_responses_that_a_fault_leaves_intact() {
    for fault in [
        r#"{"wrong_content_type": {"content_type": "text/html"}}"#,
        r#"{"wire": {"dribble": {"bytes": 64, "milliseconds": 1}}}"#,
        r#"{"delay": {"milliseconds": 50}}"#,
    ] {
        let fixture = failing(fault).await;
        let shown = fixture.run(&["show", "--json"]).json();
        assert_eq!(shown["handle"], "demo", "{fault}");
    }
}

#[tokio::test]
async fn exit_codes_are_the_same_under_every_dialect() {
    for (setting, alternative, dialect) in Dialect::alternatives() {
        let builder = MockServer::builder().dialect(dialect);
        let fixture = Fixture::of(builder.start().await.unwrap());
        let check = |key: &str, command: &str, expected: i64| {
            let arguments: Vec<_> = command.split(' ').chain(["--json"]).collect();
            let run = fixture.run_with_key(key, &arguments);
            assert_eq!(run.code(), expected, "{setting} {alternative}: {run}");
        };
        let keys = fixture.service.keys();
        let scope_rejection = if alternative == "unauthorized" { 4 } else { 5 };
        check(&keys.all, "show", 0);
        check("wrong", "show", 4);
        check(&keys.none, "analytics", scope_rejection);
        check(&keys.all, "stats nobody", 3);
        check(&keys.all, "api me/profile -X PATCH -f accent_color=red", 6);
    }
}

/// Without a read, a deletion or an edit might be about another item than the user means.
#[tokio::test]
async fn a_failed_read_is_not_an_empty_list() {
    for command in [
        "link edit Homepage --title t",
        "link delete Homepage",
        "post delete post_3",
    ] {
        let fixture = Fixture::new().await;
        fixture.add_faults(r#"{"match": {"method": "GET"}, "fault": {"status": {"status": 500}}}"#);
        let words: Vec<_> = command
            .split(' ')
            .chain(["--yes", "--json", "--retries", "0"])
            .collect();
        let run = fixture.run(&words);
        assert_eq!(run.code(), 1, "{run}");
        assert_eq!(run.error()["outcome"], "not_done");
        run.says("/ID");
        assert!(!run.stderr().contains("Homepage"), "{run}");
        assert_eq!(fixture.service.journal().requests().len(), 1);
    }
}
