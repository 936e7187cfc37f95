//! `--jq`: results that an expression cannot handle.

use expect_test::expect;
use mock_server::wiremock::ResponseTemplate;

use crate::program::Fixture;
#[cfg(unix)]
use crate::pseudo_terminal::Terminal;

#[tokio::test]
async fn rejects_deeply_nested_json() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let answer = ResponseTemplate::new(200).set_body_string(deep);
    let fixture = Fixture::responding(answer).await;
    fixture
        .run(&["api", "me", "--jq", ".data.handle"])
        .check(&expect![[r#"
            exit 1
            --- stdout
            --- stderr
            {"error":{"code":"failed","exit_code":1,"hint":null,"message":"--jq: the result is nested more than 128 levels deep","retryable":false,"status":null}}
        "#]]);
    assert!(fixture.run(&["api", "me", "--json"]).succeeded());
}

#[tokio::test]
async fn reports_a_change_if_the_expression_fails() {
    let fixture = Fixture::new().await;
    let filter = ["--jq", ".nope | .[]"];
    let add = ["link", "add", "--title", "JQ", "--url", "https://jq.x"];
    fixture.run(&[&add[..], &filter].concat()).check(&expect![[r#"
        exit 1
        --- stdout
        {"id":"link_6","title":"JQ","url":"https://jq.x","created_at":"2026-01-15T12:00:00Z"}
        --- stderr
        {"error":{"code":"failed","exit_code":1,"hint":null,"message":"--jq: a value has another type than the expression requires; the change was made, and the result was printed unfiltered","retryable":false,"status":null}}
    "#]]);
    let post = ["api", "me/posts", "-f", "body=b"];
    let run = fixture.run(&[&post[..], &filter].concat());
    assert_eq!(run.code(), 1, "{run}");
    assert_eq!(run.json_lines()[0]["data"]["body"], "b");
    let delete = ["link", "delete", "link_1", "--yes"];
    let run = fixture.run(&[&delete[..], &filter].concat());
    assert_eq!(run.code(), 1, "{run}");
    assert_eq!(run.json_lines()[0]["id"], "link_1");
    // Reads can be repeated with a corrected expression, so the result is not printed.
    let run = fixture.run(&[&["show"], &filter[..]].concat());
    assert_eq!((run.code(), run.stdout_bytes()), (2, &b""[..]), "{run}");
}

#[tokio::test]
async fn jq_needs_json() {
    let fixture = Fixture::new().await;
    let run = fixture.run(&["site", "-o", "csv", "--jq", ".users"]);
    assert_eq!(run.code(), 2, "{run}");
    fixture
        .run(&["site", "-o", "json", "--jq", ".users"])
        .stdout();
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn errors_on_a_terminal_are_text() {
    let fixture = Fixture::new().await;
    for (arguments, start) in [
        (
            &["show", "--jq", ".handle | .[]"][..],
            "error: --jq: a value ",
        ),
        (&["show", "--jq", ".["], "error: --jq: invalid "),
        (
            &["set", "--bio=b", "--jq", ".id | .[]"],
            "error: --jq: a value ",
        ),
        (
            &["show", "--json", "--jq", ".["],
            "{\"error\":{\"code\":\"usage\",",
        ),
    ] {
        let program = fixture.program(arguments).env("NO_COLOR", "1");
        let (_, seen) = Terminal::start(program).ends();
        let last = seen.lines().last().unwrap();
        assert!(last.starts_with(start), "{seen}");
    }
}
