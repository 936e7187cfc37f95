//! `profile api`.

use expect_test::expect;
use mock_server::wiremock::matchers::path;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use mock_server::{Fault, FaultRule};
use serde_json::json;

use crate::program::Fixture;

#[tokio::test]
async fn sends_the_query_as_typed() {
    let fixture = Fixture::new().await;
    let typed = ["api", "users/demo/stats?days=7&a=b%20c"];
    fixture.run(&typed).stdout();
    let fields = ["-X", "get", "-f", "days=8", "-f", "a=b c&d"];
    let get = [&["api", "users/demo/stats"][..], &fields].concat();
    fixture.run(&get).stdout();
    let requests = fixture.service.journal().requests();
    let queries = requests.iter().map(|request| request.query.as_deref());
    let expected = ["days=7&a=b%20c", "days=8&a=b%20c%26d"].map(Some);
    assert_eq!(queries.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn sends_the_input_byte_for_byte() {
    let fixture = Fixture::new().await;
    let body = "{ \"body\":\t\"Hell\\u006f\" }\n";
    let post = ["api", "me/posts", "--input", "-"];
    fixture.program(&post).stdin(body).run().stdout();
    let file = fixture.file("post.json", body);
    fixture.run(&["api", "me/posts", "--input", &file]).stdout();
    let requests = fixture.service.journal().requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(request.body, body.as_bytes(), "{request:?}");
    }
}

#[tokio::test]
async fn rejects_unusable_input() {
    let fixture = Fixture::new().await;
    let rejected = [
        &["me/posts", "--input", "-"][..],
        &["me", "-X", "GET", "--input", "-"],
        &["me/posts", "--input", "/nowhere"],
    ]
    .map(|arguments| {
        let program = fixture.program(&[&["api"], arguments].concat());
        program.stdin("{").run().usage_error()
    });
    expect![[r#"
        error: POST /api/v1/me/posts: the body is not valid JSON: EOF while parsing an object at line 1 column 1
        error: --input: a GET request has no body; choose another method with -X
        error: /nowhere cannot be read: No such file or directory (os error 2)
    "#]]
    .assert_eq(&rejected.concat());
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[tokio::test]
async fn json_rejects_a_response_that_is_not_json() {
    let html = ResponseTemplate::new(200).set_body_raw(&b"<p>\xff\x1b</p>"[..], "text/html");
    let fixture = Fixture::responding(html).await;
    let printed = fixture.run(&["api", "stats"]);
    assert_eq!(printed.stdout_bytes(), b"<p>\xff\x1b</p>");
    fixture.run(&["api", "stats", "--json"]).check(&expect![[r#"
        exit 1
        --- stdout
        --- stderr
        {"error":{"code":"failed","exit_code":1,"hint":"omit --json and --jq to print the response as it is","message":"the response with status 200 is not valid JSON: expected value at line 1 column 1","retryable":false,"status":200}}
    "#]]);
}

#[tokio::test]
async fn rejects_paths_outside_the_service() {
    let fixture = Fixture::new().await;
    for path in [
        "https://evil.example/me",
        "//evil.example/me",
        "../../me",
        "/api/v1/../me",
        "me/%2e%2E/x",
        "me/./x",
        "me x",
        "me#x",
        "me?a b",
        "mé",
        "me%zz",
        "me\\x",
    ] {
        for dry in [&[][..], &["--dry-run"]] {
            let arguments = [&["api", path, "--json"], dry].concat();
            let rejected = fixture.run(&arguments).error();
            assert_eq!(rejected["exit_code"], 2, "{path}: {rejected}");
        }
    }
    assert_eq!(fixture.service.journal().requests().len(), 0);
    let rejected = ["https://evil.example/me", "../../me"]
        .map(|path| fixture.run(&["api", path]).usage_error());
    expect![[r#"
        error: "https://evil.example/me" is a URL; expected a path, such as me/profile
        hint: set the URL of the service with --base-url
        error: path "/api/v1/../../me" contains the segment . or ..; remove it
    "#]]
    .assert_eq(&rejected.concat());
}

#[tokio::test]
async fn does_not_retry_a_post_after_a_lost_response() {
    let fixture = Fixture::new().await;
    let lost = FaultRule::new(Fault::Wire(mock_server::WireFault::Reset { after: None }));
    fixture.service.add_fault(lost.after_write()).unwrap();
    let post = ["api", "me/posts", "-f", "body=p"];
    let run = fixture.run(&post);
    run.fails(
        8,
        "the change may have been applied\nhint: check with `profile show` before",
    );
    fixture.service.expect("POST", "/me/posts").once();
    let failed = fixture.run(&[&post[..], &["--json"]].concat()).error();
    assert_eq!(failed["retryable"], false);
}

#[tokio::test]
async fn a_hint_does_not_propose_the_same_request() {
    let encoded = |_: &Request| {
        ResponseTemplate::new(200)
            .insert_header("content-encoding", "gzip")
            .set_body_string("<p>plain</p>")
    };
    let fixture = Fixture::responding(encoded).await;
    let run = fixture.run(&["api", "me"]);
    assert_eq!(run.code(), 1, "{run}");
    assert!(!run.stderr().contains("hint"), "{run}");
    let page = |_: &Request| ResponseTemplate::new(200).set_body_string("<p>plain</p>");
    let fixture = Fixture::responding(page).await;
    let read = fixture.run(&["api", "me", "--json"]).error();
    assert!(read["hint"].as_str().unwrap().starts_with("omit --json"));
    let written = fixture.run(&["api", "me/posts", "-f", "body=p", "--json"]);
    let hint = &written.error()["hint"];
    assert_eq!(hint, "check with `profile show` before you try again");
}

#[tokio::test]
async fn redacts_the_key_in_responses() {
    let echo = |request: &Request| {
        let key = request.headers["authorization"].to_str().unwrap();
        ResponseTemplate::new(200)
            .insert_header("x-echo", key)
            .set_body_json(json!({ "authorization": key }))
    };
    let fixture = Fixture::responding(echo).await;
    for options in [&[][..], &["--json"], &["--output", "json"]] {
        let arguments = [&["api", "echo", "-vvv"], options].concat();
        let printed = fixture.run_with_key("canary", &arguments).to_string();
        assert!(printed.starts_with("exit 0\n"), "{printed}");
        assert!(!printed.contains("canary"), "{printed}");
        let count = printed.matches("Bearer [redacted]").count();
        assert_eq!(count, 3, "{printed}");
    }
}

#[tokio::test]
async fn reports_truncated_and_binary_error_bodies() {
    let fixture = Fixture::new().await;
    let bodies = [
        ("long", "é".repeat(40_000).into_bytes()),
        ("bytes", vec![0xff, 0]),
    ];
    for (name, body) in bodies {
        let refusal = Mock::given(path(format!("/api/v1/{name}")));
        let refusal = refusal.respond_with(ResponseTemplate::new(400).set_body_bytes(body));
        refusal.mount(fixture.service.mocks().await).await;
    }
    let error = fixture.run(&["api", "long", "--json"]).error();
    assert_eq!(error["body_truncated"], true);
    assert_eq!(error["body_encoding"], serde_json::Value::Null);
    assert!(error["body"].as_str().unwrap().starts_with("éé"));
    let run = fixture.run(&["api", "long"]);
    run.says("warning: the body was truncated to 64 KiB\n");
    let error = fixture.run(&["api", "bytes", "--json"]).error();
    assert_eq!(error["body"], "/wA=");
    assert_eq!(error["body_encoding"], "base64");
    assert_eq!(error["body_truncated"], serde_json::Value::Null);
}
