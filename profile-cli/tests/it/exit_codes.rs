//! Exit codes for faults of the service.

use mock_server::{Dialect, FaultRule, MockServer};

use crate::program::{Fixture, run};

/// A command, a fault of the service, the exit code, and the number of requests.
struct Case {
    /// The status of each response, or the fault in JSON.
    fault: &'static str,
    command: &'static str,
    exit_code: i64,
    requests: usize,
}

const fn case(fault: &'static str, command: &'static str, exit: i64, requests: usize) -> Case {
    Case {
        fault,
        command,
        exit_code: exit,
        requests,
    }
}

const CASES: &[Case] = &[
    case("500", "show --retries 0", 1, 1),
    case("503", "show --retries 2", 1, 3),
    case(
        r#"{"status": {"status": 502, "body": "<h1>Bad</h1>", "headers": {"content-type": "text/html"}}}"#,
        "site --retries 1",
        1,
        2,
    ),
    case("503", "set --bio b --retries 1", 1, 2),
    case("503", "post create p --retries 2", 1, 1),
    case("400", "set --bio b", 6, 1),
    case("409", "link add --title t --url x:y", 6, 1),
    case(
        r#"{"status": {"status": 422, "body": ""}}"#,
        "post create p",
        6,
        1,
    ),
    case(
        r#"{"status": {"status": 401, "body": "<p>No</p>"}}"#,
        "show",
        4,
        1,
    ),
    case(
        r#"{"status": {"status": 403, "body": "no"}}"#,
        "analytics",
        5,
        1,
    ),
    case("404", "stats ada", 3, 1),
    case(
        r#"{"rate_limited": {"retry_after": "0"}}"#,
        "show --retries 0",
        7,
        1,
    ),
    case(
        r#"{"rate_limited": {"retry_after": "0"}}"#,
        "post create p --retries 0",
        7,
        1,
    ),
    case(r#"{"rate_limited": {"retry_after": "3600"}}"#, "show", 7, 1),
    case(
        r#"{"redirect": {"status": 302, "location": "https://evil.example/"}}"#,
        "show",
        1,
        1,
    ),
    case(
        r#"{"redirect": {"status": 307, "location": "https://evil.example/"}}"#,
        "set --bio b",
        1,
        1,
    ),
    case(r#""malformed_json""#, "show", 1, 1),
    case(r#""empty_body""#, "show", 1, 1),
    case(r#"{"huge_body": {"bytes": 67108864}}"#, "show", 1, 1),
    case(r#"{"gzip_bomb": {"bytes": 1073741824}}"#, "show", 1, 1),
    case(r#"{"wire": "reset"}"#, "show --retries 1", 8, 2),
    case(r#"{"wire": "close"}"#, "show --retries 1", 8, 2),
    case(
        r#"{"wire": {"cut": {"after": 10}}}"#,
        "show --retries 0",
        8,
        1,
    ),
    case(r#"{"wire": "bad_chunk"}"#, "show --retries 0", 8, 1),
    case(
        r#"{"wire": {"stall": {"after": 5}}}"#,
        "show --retries 1 --timeout 0.2",
        8,
        2,
    ),
    case(r#"{"wire": "close"}"#, "set --bio b --retries 1", 8, 2),
    case(r#"{"wire": "close"}"#, "post create p", 8, 1),
];

#[tokio::test]
async fn each_fault_has_its_exit_code() {
    for case in CASES {
        let fixture = Fixture::new().await;
        let fault = match case.fault.parse::<u16>() {
            Ok(status) => format!(r#"{{"status": {{"status": {status}}}}}"#),
            Err(_) => case.fault.to_owned(),
        };
        for rule in FaultRule::from_json(&format!(r#"{{"fault": {fault}}}"#)).unwrap() {
            fixture.service.add_fault(rule).unwrap();
        }
        let arguments: Vec<_> = case.command.split(' ').chain(["--json"]).collect();
        let run = fixture.run(&arguments);
        let error = run.error();
        let context = format!("{} with {}: {error}", case.command, case.fault);
        assert_eq!(error["exit_code"], case.exit_code, "{context}");
        assert_eq!(run.code(), case.exit_code, "{context}");
        let fields: Vec<_> = error.as_object().unwrap().keys().collect();
        let expected = [
            "code",
            "exit_code",
            "hint",
            "message",
            "retryable",
            "status",
        ];
        assert_eq!(fields, expected, "{context}");
        assert_eq!(run.stdout_bytes(), b"", "{context}");
        let requests = fixture.service.journal().requests();
        assert_eq!(requests.len(), case.requests, "{context}");
    }
}

#[tokio::test]
async fn prints_responses_that_a_fault_leaves_intact() {
    let fixture = Fixture::new().await;
    for fault in [
        r#"{"wrong_content_type": {"content_type": "text/html"}}"#,
        r#"{"wire": {"dribble": {"bytes": 64, "milliseconds": 1}}}"#,
        r#"{"delay": {"milliseconds": 50}}"#,
    ] {
        fixture.service.clear_faults();
        for rule in FaultRule::from_json(&format!("{{\"fault\": {fault}}}")).unwrap() {
            fixture.service.add_fault(rule).unwrap();
        }
        let shown = fixture.run(&["show", "--json"]).json();
        assert_eq!(shown["handle"], "demo", "{fault}");
    }
}

#[tokio::test]
async fn a_lost_response_to_a_creation_has_a_hint() {
    for (command, path, look_with) in [
        ("post create p", "/me/posts", "profile post list"),
        (
            "link add --title t --url x:y",
            "/me/links",
            "profile link list",
        ),
    ] {
        for (fault, exit) in [
            (r#"{"wire": "reset"}"#, 8),
            (r#"{"wire": "close"}"#, 8),
            (r#"{"status": {"status": 502}}"#, 1),
        ] {
            let fixture = Fixture::new().await;
            let rule = format!(r#"{{"phase": "after", "fault": {fault}}}"#);
            for rule in FaultRule::from_json(&rule).unwrap() {
                fixture.service.add_fault(rule).unwrap();
            }
            let arguments: Vec<_> = command.split(' ').collect();
            let printed = fixture.run(&arguments).to_string();
            let start = format!("exit {exit}\n--- stdout\n--- stderr\nerror: ");
            assert!(printed.starts_with(&start), "{printed}");
            let hint = format!(
                "hint: the request was sent once and its outcome is unknown; \
                 check with `{look_with}` before you try again\n"
            );
            assert!(printed.ends_with(&hint), "{printed}");
            fixture.service.expect("POST", path).once();
        }
    }
}

#[tokio::test]
async fn exit_codes_are_the_same_under_every_dialect() {
    for (setting, alternative, dialect) in Dialect::alternatives() {
        let service = MockServer::builder()
            .dialect(dialect)
            .start()
            .await
            .unwrap();
        let fixture = Fixture::of(service);
        let check = |key: &str, command: &str, expected: i64| {
            let arguments: Vec<_> = command.split(' ').chain(["--json"]).collect();
            let run = fixture.run_with_key(key, &arguments);
            assert_eq!(run.code(), expected, "{setting} {alternative}: {run}");
        };
        let keys = fixture.service.keys();
        let scope_rejection = match alternative {
            "unauthorized" => 4,
            _ => 5,
        };
        check(&keys.all, "show", 0);
        check("wrong", "show", 4);
        check(&keys.none, "analytics", scope_rejection);
        check(&keys.all, "stats nobody", 3);
        check(&keys.all, "api me/profile -X PATCH -f accent_color=red", 6);
    }
}

#[test]
fn the_readme_has_all_exit_codes() {
    let home = tempfile::tempdir().unwrap();
    let readme = include_str!("../../README.md");
    let help = run(home.path(), &[], &["help", "exit-codes"]);
    let lines = help.stdout().lines();
    let rows = lines.filter_map(|line| line.strip_prefix("  ")?.split_once("  "));
    for (code, _) in rows.filter(|(code, _)| !code.is_empty()) {
        assert!(readme.contains(&format!("| {code} |")), "{code}");
    }
}
