//! The log of `-v` and PROFILE_LOG.

use expect_test::expect;
use mock_server::{Fault, FaultRule};

use crate::program::{Fixture, Run};

/// Returns stderr, with random delays replaced.
fn log(run: &Run) -> String {
    let text = run.to_string();
    let (_, stderr) = text.split_once("--- stderr\n").unwrap();
    let line = |line: &str| match line.split_once("waiting ") {
        Some((start, rest)) => {
            let (_, end) = rest.split_once(' ').unwrap();
            format!("{start}waiting N {end}\n")
        }
        None => format!("{line}\n"),
    };
    stderr.lines().map(line).collect()
}

async fn failing_once() -> Fixture {
    let fixture = Fixture::new().await;
    let echo = Fault::status(503).with_body(format!("Bearer {}", fixture.service.key()));
    let once = FaultRule::new(echo).times(1);
    fixture.service.add_fault(once).unwrap();
    fixture
}

#[tokio::test]
async fn logs_two_lines_per_call() {
    let fixture = failing_once().await;
    let run = fixture.run(&["show", "-v"]);
    run.stdout();
    expect![[r#"
        > GET SERVICE/api/v1/me
        < 200, N bytes
    "#]]
    .assert_eq(&without_length(&run, &fixture));
}

/// Returns the log without the address of the service and the length of the body.
fn without_length(run: &Run, fixture: &Fixture) -> String {
    let log = log(run).replace(fixture.service.uri(), "SERVICE");
    let (before, _) = log.split_once(" bytes\n").unwrap();
    let (_, length) = before.rsplit_once(", ").unwrap();
    log.replace(length, "N")
}

#[tokio::test]
async fn logs_attempts_and_delays_without_the_key() {
    let fixture = failing_once().await;
    let run = fixture
        .program(&["set", "--bio", "b"])
        .env("PROFILE_LOG", "debug")
        .run();
    run.stdout();
    assert!(!run.to_string().contains(fixture.service.key()));
    expect![[r#"
        > PATCH SERVICE/api/v1/me/profile
        * attempt 1 begins
        * attempt 1 failed: PATCH /api/v1/me/profile: 503: the service failed: Bearer [redacted]; the change may have been applied
        * waiting N seconds before the next attempt
        * attempt 2 begins
        < 200, N bytes
        < content-type: application/json
        < ratelimit-limit: 1000000
        < ratelimit-remaining: 999999
        < ratelimit-reset: 60
        < date: Thu, 15 Jan 2026 12:00:00 GMT
        < content-length: N
    "#]]
    .assert_eq(&without_length(&run, &fixture));
}

#[tokio::test]
async fn logs_error_responses() {
    let fixture = failing_once().await;
    let run = fixture.run(&["show", "-v", "--retries", "0", "--json"]);
    assert_eq!(run.error()["exit_code"], 1);
    let start = format!("> GET {}/api/v1/me\n", fixture.service.uri());
    let start = format!("{start}< 503, 1 attempt\n{{");
    assert!(log(&run).starts_with(&start), "{run}");
    let cut = fixture
        .program(&["show", "-v"])
        .env("PROFILE_BASE_URL", "http://127.0.0.1:1");
    let run = cut.env("PROFILE_LOG", "off").run();
    assert!(log(&run).contains("< no response, "), "{run}");
}

#[tokio::test]
async fn verbosity_adds_headers_and_bodies() {
    let fixture = Fixture::new().await;
    let log = |flag: &str| {
        let run = fixture.run(&["link", "add", "t", "x:y", flag]);
        run.stderr().to_owned()
    };
    let line = format!("> POST {}/api/v1/me/links\n", fixture.service.uri());
    let header = "< content-type: application/json\n";
    let sent = [
        "> {\"title\":\"t\",\"url\":\"x:y\"}\n",
        "> authorization: [redacted]\n",
        "> content-type: application/json\n",
        "> user-agent: profile-cli/",
        "< {\"data\":{",
    ];
    for (flag, has_headers, has_all) in [
        ("-v", false, false),
        ("-vv", true, false),
        ("-vvv", true, true),
    ] {
        let log = log(flag);
        assert!(log.starts_with(&line), "{log}");
        assert_eq!(log.contains(header), has_headers, "{log}");
        for line in sent {
            assert_eq!(log.contains(line), has_all, "{log}");
        }
    }
}

/// `auth login` has its own client.
#[tokio::test]
async fn the_log_of_a_login_has_the_whole_url() {
    let fixture = Fixture::new().await;
    let run = fixture.log_in(fixture.service.key(), &["-vvv"]);
    let line = format!("> GET {}/api/v1/me\n", fixture.service.uri());
    assert!(run.stderr().starts_with(&line), "{run}");
    run.says("> authorization: [redacted]\n");
}
