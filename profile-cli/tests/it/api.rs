//! `profile api`.

use expect_test::expect;
use mock_server::journal::RequestPattern;
use mock_server::wiremock::matchers::path;
use mock_server::wiremock::{Mock, Request, ResponseTemplate};
use mock_server::{Fault, FaultRule};
use serde_json::json;

use crate::program::Fixture;

#[tokio::test]
async fn prints_the_response_unchanged() {
    let fixture = Fixture::new().await;
    let site = fixture.run(&["api", "stats"]);
    site.check(&expect![[r#"
        exit 0
        --- stdout
        {"data":{"users":2,"views":86234,"links":3}}--- stderr
    "#]]);
    for path in ["/stats", "api/v1/stats", "/api/v1/stats"] {
        assert_eq!(
            fixture.run(&["api", path]).stdout(),
            site.stdout(),
            "{path}"
        );
    }
}

#[cfg(feature = "jq")]
#[tokio::test]
async fn jq_filters_the_whole_response() {
    let fixture = Fixture::new().await;
    let users = fixture.run(&["api", "stats", "--jq", ".data.users"]);
    assert_eq!(users.stdout(), "2\n");
}

#[tokio::test]
async fn sends_the_query_as_typed() {
    let fixture = Fixture::new().await;
    fixture
        .run(&["api", "users/demo/stats?days=7&a=b%20c"])
        .stdout();
    let fields = ["-f", "days=8", "-f", "a=b c&d"];
    let get = [&["api", "users/demo/stats", "-X", "get"][..], &fields].concat();
    fixture.run(&get).stdout();
    let requests = fixture.service.journal().requests();
    let queries = requests.iter().map(|request| request.query.as_deref());
    let expected = ["days=7&a=b%20c", "days=8&a=b%20c%26d"].map(Some);
    assert_eq!(queries.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn fields_form_a_json_body() {
    let fixture = Fixture::new().await;
    let patch = [
        "api",
        "me/profile",
        "-X",
        "PATCH",
        "-f",
        "bio=a=b",
        "--field=location=",
    ];
    let edited = fixture.run(&patch).json();
    assert_eq!(edited["data"]["bio"], "a=b");
    let expected =
        RequestPattern::new("PATCH", "/me/profile").body(json!({"bio": "a=b", "location": ""}));
    fixture.service.expect_matching(expected).once();

    fixture.run(&["api", "me/posts", "-f", "body=p"]).stdout();
    fixture.service.expect("POST", "/me/posts").once();
    let rejected = [&["body=p", "-f", "body=q"][..], &["body"]]
        .map(|fields| fixture.run(&[&["api", "me/posts", "-f"], fields].concat()));
    expect![[r#"
        error: --field body was given twice; expected each name once
        error: invalid value 'body' for '--field <NAME=VALUE>': expected NAME=VALUE

        For more information, try '--help'.
    "#]]
    .assert_eq(&rejected.map(|run| run.usage_error()).concat());
}

#[tokio::test]
async fn sends_the_input_byte_for_byte() {
    let fixture = Fixture::new().await;
    let body = "{ \"body\":\t\"Hell\\u006f\" }\n";
    let post = ["api", "me/posts", "--input", "-"];
    fixture.program(&post).stdin(body).run().stdout();
    let file = fixture.home.path().join("post.json");
    std::fs::write(&file, body).unwrap();
    let file = file.to_str().unwrap();
    fixture.run(&["api", "me/posts", "--input", file]).stdout();
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
async fn include_prints_status_and_headers_first() {
    let fixture = Fixture::new().await;
    let answer = fixture.run(&["api", "stats", "-i"]).to_string();
    assert!(
        answer.starts_with("exit 0\n--- stdout\nHTTP 200\n"),
        "{answer}"
    );
    assert!(
        answer.contains("\ncontent-type: application/json\n"),
        "{answer}"
    );
    assert!(answer.contains("\n\n{\"data\":{\"users\":2,"), "{answer}");

    let rejected = fixture.run(&["api", "stats", "-i", "--json"]);
    let message = "--include: the status code and headers are not printed as JSON";
    assert!(rejected.usage_error().contains(message), "{rejected}");
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
async fn an_empty_response_is_null_in_json() {
    let fixture = Fixture::new().await;
    let delete = ["api", "me/links/link_1", "-X", "DELETE"];
    assert_eq!(fixture.run(&delete).stdout(), "");
    let delete = ["api", "me/links/link_2", "-X", "DELETE", "--json"];
    assert_eq!(fixture.run(&delete).stdout(), "null\n");
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
        for dry in [&[][..], &["--dry-run"], &["--curl"]] {
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
async fn errors_are_those_of_other_commands() {
    let fixture = Fixture::new().await;
    fixture.run(&["api", "nope"]).check(&expect![[r#"
        exit 3
        --- stdout
        {"error":{"code":"unknown_path","message":"no endpoint has the path /api/v1/nope"}}--- stderr
        error: /api/v1/nope was not found (404: no endpoint has the path /api/v1/nope)
    "#]]);
    let field = ["api", "me/profile", "-X", "PATCH", "-f", "nickname=x"];
    fixture.run(&field).check(&expect![[r#"
        exit 6
        --- stdout
        {"error":{"code":"unknown_field","message":"unknown field nickname; expected one of display_name, bio, location, accent_color, text_color, background_color","field":"nickname"}}--- stderr
        error: the service rejected the request (422: unknown field nickname; expected one of display_name, bio, location, accent_color, text_color, background_color)
    "#]]);
}

#[tokio::test]
async fn prints_the_body_of_an_error_response_in_the_selected_format() {
    let answer = br#"{"errors": [{"field": "nickname", "reasons": ["unknown"]}]}"#;
    let rejected = ResponseTemplate::new(422).set_body_raw(&answer[..], "application/json");
    let fixture = Fixture::responding(rejected).await;
    let refusal = |flags: &[&str]| {
        let run = fixture.run(&[&["api", "me"], flags].concat());
        assert_eq!(run.code(), 6, "{run}");
        run
    };
    assert_eq!(refusal(&[]).stdout_bytes(), answer);
    let with_status = [&b"HTTP 422\n\n"[..], answer].concat();
    assert_eq!(refusal(&["-i"]).stdout_bytes(), with_status);
    let filtered = if cfg!(feature = "jq") {
        &["--jq", ".errors"][..]
    } else {
        &["--json"]
    };
    for flags in [&["--json"][..], &["-o", "json"], filtered] {
        let run = refusal(flags);
        assert_eq!(run.stdout_bytes(), b"");
        assert_eq!(run.error()["status"], 422);
        assert_eq!(run.error()["body"]["errors"][0]["field"], "nickname");
    }
}

#[tokio::test]
async fn prints_an_error_body_that_is_not_json() {
    let html = ResponseTemplate::new(403).set_body_raw(&b"<p>Go away</p>"[..], "text/html");
    let fixture = Fixture::responding(html).await;
    let rejected = fixture.run(&["api", "me"]);
    assert_eq!(rejected.stdout_bytes(), b"<p>Go away</p>");
    let rejected = fixture.run(&["api", "me", "--json"]);
    assert_eq!(rejected.stdout_bytes(), b"");
    assert_eq!(rejected.error()["exit_code"], 5);
    assert_eq!(rejected.error()["body"], "<p>Go away</p>");
}

#[tokio::test]
async fn a_dry_run_sends_nothing() {
    let fixture = Fixture::new().await;
    let delete = ["api", "me/links/link_1", "-X", "DELETE", "--dry-run"];
    fixture.run(&delete).check(&expect![[r#"
        exit 0
        --- stdout
        DELETE /api/v1/me/links/link_1
        No change was sent.
        --- stderr
    "#]]);
    let post = ["api", "me/posts", "-f", "body=it's"];
    fixture
        .run(&[&post[..], &["--dry-run"]].concat())
        .check(&expect![[r#"
            exit 0
            --- stdout
            POST /api/v1/me/posts
            {"body":"it's"}
            No change was sent.
            --- stderr
        "#]]);
    fixture.run(&["api", "me", "--dry-run"]).check(&expect![[r#"
        exit 0
        --- stdout
        GET /api/v1/me
        No change was sent.
        --- stderr
    "#]]);
    let base_url = ["--base-url", "https://profiles.example", "--curl"];
    fixture
        .run(&[&post[..], &base_url].concat())
        .check(&expect![[r#"
            exit 0
            --- stdout
            printf 'Authorization: Bearer %s\n' "$PROFILE_API_KEY" |
              curl --path-as-is --globoff --noproxy '*' -X POST 'https://profiles.example/api/v1/me/posts' -H @- \
              -H 'Content-Type: application/json' \
              --data-raw '{"body":"it'\''s"}'
            --- stderr
        "#]]);
    assert_eq!(fixture.service.journal().requests().len(), 0);
}

#[tokio::test]
async fn does_not_retry_a_post_after_a_lost_response() {
    let fixture = Fixture::new().await;
    let lost = FaultRule::new(Fault::Wire(mock_server::WireFault::Reset { after: None }));
    fixture.service.add_fault(lost.after_write()).unwrap();
    let post = ["api", "me/posts", "-f", "body=p"];
    let printed = fixture.run(&post).to_string();
    assert!(printed.starts_with("exit 8\n"), "{printed}");
    assert!(
        printed.contains("its outcome is unknown; check with `profile show`"),
        "{printed}"
    );
    fixture.service.expect("POST", "/me/posts").once();
    let failed = fixture
        .run(&["api", "me/posts", "-f", "body=p", "--json"])
        .error();
    assert_eq!(failed["retryable"], false);
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
    for (options, count) in [
        (&["-i"][..], 4),
        (&["--json"], 3),
        (&["--output", "json"], 3),
    ] {
        let arguments = [&["api", "echo", "-vvv"], options].concat();
        let printed = fixture.run_with_key("canary", &arguments).to_string();
        assert!(printed.starts_with("exit 0\n"), "{printed}");
        assert!(!printed.contains("canary"), "{printed}");
        assert_eq!(
            printed.matches("Bearer [redacted]").count(),
            count,
            "{printed}"
        );
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
    assert!(
        run.stderr()
            .contains("warning: the body was truncated to 64 KiB\n"),
        "{run}"
    );
    let error = fixture.run(&["api", "bytes", "--json"]).error();
    assert_eq!(error["body"], "/wA=");
    assert_eq!(error["body_encoding"], "base64");
    assert_eq!(error["body_truncated"], serde_json::Value::Null);
}
