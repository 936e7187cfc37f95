//! Failures: messages, hints and exit codes.

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;

use crate::program::Fixture;
#[cfg(feature = "sandbox")]
use crate::program::run;

#[tokio::test]
async fn reports_a_wrong_key() {
    let fixture = Fixture::new().await;
    fixture.run_with_key("wrong", &["show"]).check(&expect![[r#"
        exit 4
        --- stdout
        --- stderr
        error: the service rejected the API key (401: unknown API key)
        hint: `profile auth status` shows where the key comes from; log in again with `profile auth login`
    "#]]);
    fixture
        .run_with_key("wrong", &["show", "--json"])
        .check(&expect![[r#"
            exit 4
            --- stdout
            --- stderr
            {"error":{"code":"unauthorized","exit_code":4,"hint":"`profile auth status` shows where the key comes from; log in again with `profile auth login`","message":"the service rejected the API key (401: unknown API key)","retryable":false,"status":401}}
        "#]]);
}

#[tokio::test]
async fn reports_a_missing_scope() {
    let fixture = Fixture::new().await;
    let none = &fixture.service.keys().none;
    fixture
        .run_with_key(none, &["analytics"])
        .check(&expect![[r#"
        exit 5
        --- stdout
        --- stderr
        error: the key lacks the scope analytics:read (403)
        hint: use a key with this scope; `profile auth status` lists the scopes of the current key
    "#]]);
    fixture
        .run_with_key(none, &["post", "create", "p", "--json"])
        .check(&expect![[r#"
            exit 5
            --- stdout
            --- stderr
            {"error":{"code":"forbidden","exit_code":5,"hint":"use a key with this scope; `profile auth status` lists the scopes of the current key","message":"the key lacks the scope social:write (403)","retryable":false,"status":403}}
        "#]]);
}

#[cfg(feature = "sandbox")]
#[test]
fn reports_missing_configuration() {
    let home = tempfile::tempdir().unwrap();
    let here = ("PROFILE_BASE_URL", "http://127.0.0.1:1");
    let rejected = [
        &[][..],
        // It may be the key.
        &[("PROFILE_BASE_URL", "key_123")],
        &[here, ("PROFILE_API_KEY", "two words")],
    ]
    .map(|environment| run(home.path(), environment, &["show"]).usage_error());
    expect![[r#"
        error: no base URL is set
        hint: log in with `profile auth login`, pass --base-url, or set PROFILE_BASE_URL; --sandbox needs no account
        error: base URL does not contain ://; expected a URL such as https://host
        hint: check the base URL from PROFILE_BASE_URL
        error: API key has whitespace or a control character at position 4; expected visible ASCII only
        hint: check the key from PROFILE_API_KEY
    "#]].assert_eq(&rejected.concat());
    run(home.path(), &[here], &["show"]).check(&expect![[r#"
        exit 4
        --- stdout
        --- stderr
        error: this command requires an API key, and none is set
        hint: log in with `profile auth login`, or set PROFILE_API_KEY to your key; --sandbox needs no account
    "#]]);
    // The rest of the line is from the operating system.
    let rejected = run(home.path(), &[here], &["badge", "list"]).to_string();
    let start = "exit 8\n--- stdout\n--- stderr\nerror: GET /api/v1/badges: \
                 could not connect, so nothing was sent: ";
    let end = "\nhint: check the network, the base URL and the proxy; `profile config list` shows where they come from\n";
    assert!(
        rejected.starts_with(start) && rejected.ends_with(end),
        "{rejected}"
    );
}

#[tokio::test]
async fn a_busy_service_reports_when_to_retry() {
    for (status, error) in [
        (429, "rate limit exceeded (429)"),
        (503, "the service failed (503)"),
    ] {
        let answer = ResponseTemplate::new(status).insert_header("retry-after", "3600");
        let fixture = Fixture::responding(answer).await;
        let run = fixture.run(&["site"]);
        let expected = format!("error: {error}\nhint: try again in 1h\n");
        assert_eq!(run.stderr(), expected);
    }
}

#[tokio::test]
async fn a_missing_path_suggests_to_check_the_base_url() {
    let fixture = Fixture::new().await;
    let base_url = format!("{}/elsewhere", fixture.service.uri());
    let show = fixture.run(&["show", "--base-url", &base_url]);
    let hint = "hint: check the base URL; `profile config list` shows where it comes from\n";
    assert!(show.stderr().ends_with(hint), "{show}");
    assert_eq!(show.code(), 3);
    let delete = fixture.run(&["link", "delete", "nope", "--yes"]);
    let hint = "hint: `profile link list` shows the IDs\n";
    assert!(delete.stderr().ends_with(hint), "{delete}");
}

#[tokio::test]
async fn only_safe_repetitions_are_retryable() {
    for status in [503, 408] {
        let fixture = Fixture::responding(ResponseTemplate::new(status)).await;
        for (command, retryable) in [
            (&["show"][..], true),
            (&["set", "--bio", "b"], true),
            (&["link", "delete", "link_1", "--yes"], true),
            (&["post", "create", "p"], false),
            (&["link", "add", "--title", "t", "--url", "x:y"], false),
        ] {
            let command = [command, &["--json", "--retries", "0"]].concat();
            let failed = fixture.run(&command).error();
            assert_eq!(failed["retryable"], retryable, "{status}: {command:?}");
            // Nothing listens on this port, so the request cannot have been applied.
            let unreachable = [&command[..], &["--base-url", "http://[::1]:1"]].concat();
            let failed = fixture.run(&unreachable).error();
            let failure = (&failed["retryable"], &failed["exit_code"]);
            assert_eq!(failure, (&true.into(), &8.into()), "{command:?}");
        }
    }
}

#[tokio::test]
async fn reports_several_failures_separately() {
    let fixture = Fixture::new().await;
    let delete = [
        "link", "delete", "nope", "link_1", "neither", "nope", "--yes", "--json",
    ];
    let failed = fixture.run(&delete).error();
    let failures = failed["failures"].as_array().unwrap();
    let ids: Vec<_> = failures.iter().map(|failure| &failure["id"]).collect();
    assert_eq!(ids, ["nope", "neither"]);
    assert!(failures.iter().all(|failure| failure["status"] == 404));
}

#[tokio::test]
async fn explains_a_version_in_the_base_url() {
    let fixture = Fixture::new().await;
    let base_url = format!("{}/api/v1", fixture.service.uri());
    fixture
        .run(&["site", "--base-url", &base_url])
        .check(&expect![[r#"
            exit 2
            --- stdout
            --- stderr
            error: base URL ends with /api/v1, which the client adds; remove it
            hint: check the base URL from --base-url
        "#]]);
}

#[tokio::test]
async fn a_very_long_wait_is_not_reported() {
    let wait = "9".repeat(20);
    let busy = ResponseTemplate::new(429).insert_header("retry-after", wait.as_str());
    let fixture = Fixture::responding(busy).await;
    let run = fixture.run(&["show"]);
    let hint = "hint: try again later\n";
    assert!(run.stderr().contains(hint), "{run}");
}
