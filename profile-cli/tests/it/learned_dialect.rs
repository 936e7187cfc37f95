//! Errors of a service whose dialect was learned with `mock-server-learn`, in the SDK and the program.

use mock_server::dialect::DialectFile;
use mock_server::{MockServer, World};
use profile_sdk::{ApiKey, Client, ErrorKind, Method, RetryPolicy};
use serde_json::{Value, json};

use crate::program::Fixture;

/// A file of `mock-server-learn`, for a service with problem details of its own.
const LEARNED: &str = r#"{
    "settings": {
        "error_template": {
            "body": {
                "detail": "{message}", "error_code": "{code}", "status": "{status}", "title": "Error",
                "invalid_params": [{"name": "{field}", "reason": "{message}"}]
            },
            "content_type": "application/problem+json"
        },
        "rate_limit_header_names": {"limit": "x-rate-limit-limit", "remaining": "x-rate-limit-remaining"},
        "rejections": {
            "unknown_key": {"code": "BAD_CREDENTIALS", "status": 403},
            "scope_missing": {"code": "NO_SCOPE", "status": 401},
            "unknown_handle": {"code": "NOT_FOUND"},
            "out_of_range": {"code": "BAD_PARAMETER", "status": 416},
            "unknown_field": {"code": "UNKNOWN_FIELD", "status": 409},
            "not_a_color": {"code": "BAD_COLOR"},
            "unknown_post": {"code": "GONE", "status": 410},
            "rate_limited": {"code": "TOO_FAST"}
        },
        "write_statuses": {"created": 202, "edited": 202, "deleted": 202}
    },
    "learned": {
        "at": "2026-01-15T12:00:00Z",
        "host": "api.example.com",
        "evidence": {"rejections": {"result": "learned", "sample": {"request": "GET /me", "status": 403}}}
    }
}"#;

/// A request that is rejected, and the same with the program.
struct Case {
    key: &'static str,
    request: (Method, &'static str, Value),
    /// The status, kind and code of the error.
    error: (u16, ErrorKind, &'static str),
    command: &'static str,
    exit_code: i64,
}

fn cases() -> [Case; 7] {
    use Method::{Delete, Get, Patch};
    let case = |key, request, error, command, exit_code| Case {
        key,
        request,
        error,
        command,
        exit_code,
    };
    let edit = |body| (Patch, "me/profile", body);
    [
        case(
            "wrong",
            (Get, "me", Value::Null),
            (403, ErrorKind::Forbidden, "BAD_CREDENTIALS"),
            "show",
            5,
        ),
        case(
            "none",
            (Get, "me/analytics", Value::Null),
            (401, ErrorKind::Unauthorized, "NO_SCOPE"),
            "analytics",
            4,
        ),
        case(
            "all",
            (Get, "users/nobody/stats", Value::Null),
            (404, ErrorKind::NotFound, "NOT_FOUND"),
            "stats nobody",
            3,
        ),
        case(
            "all",
            (Get, "users/grace/stats?days=31", Value::Null),
            (416, ErrorKind::Rejected, "BAD_PARAMETER"),
            "stats grace --days 31",
            6,
        ),
        case(
            "all",
            edit(json!({"nickname": "x"})),
            (409, ErrorKind::Rejected, "UNKNOWN_FIELD"),
            "api me/profile -X PATCH -f nickname=x",
            6,
        ),
        case(
            "all",
            edit(json!({"accent_color": "red"})),
            (422, ErrorKind::Rejected, "BAD_COLOR"),
            "api me/profile -X PATCH -f accent_color=red",
            6,
        ),
        case(
            "all",
            (Delete, "me/posts/none", Value::Null),
            (410, ErrorKind::Rejected, "GONE"),
            "api me/posts/none -X DELETE",
            6,
        ),
    ]
}

async fn start(mut world: World) -> Fixture {
    let file = DialectFile::from_json(LEARNED).unwrap();
    world.set_dialect(file.settings);
    Fixture::of(MockServer::builder().world(world).start().await.unwrap())
}

fn client(fixture: &Fixture, key: &str) -> Client {
    let client = Client::builder().base_url(fixture.service.uri());
    client.api_key(ApiKey::new(key).unwrap()).build().unwrap()
}

#[tokio::test]
async fn errors_are_classified_by_their_status() {
    let fixture = start(World::default()).await;
    let keys = fixture.service.keys();
    for case in cases() {
        let key = match case.key {
            "all" => &keys.all,
            "none" => &keys.none,
            other => other,
        };
        let (method, path, body) = case.request;
        let client = client(&fixture, key);
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut call = client.raw_call(method, format!("/api/v1/{path}"));
        if let Some((name, value)) = query.split_once('=') {
            call = call.query(name, value);
        }
        if !body.is_null() {
            call = call.json(&body);
        }
        let error = call.read_bytes().await.unwrap_err();
        let (status, kind, code) = case.error;
        assert_eq!(
            (error.status(), error.kind(), error.code()),
            (Some(status), kind, Some(code)),
            "{error}"
        );
        let sent: Value = serde_json::from_slice(error.body()).unwrap();
        assert_eq!(error.message(), sent["detail"].as_str());

        let arguments: Vec<_> = case.command.split(' ').chain(["--json"]).collect();
        let run = fixture.run_with_key(key, &arguments);
        assert_eq!(run.code(), case.exit_code, "{}: {run}", case.command);
        let printed = run.error();
        assert_eq!(printed["status"], status);
        let text = printed["message"].as_str().unwrap();
        assert!(text.contains(error.message().unwrap()), "{text}");
    }
}

#[tokio::test]
async fn other_names_of_headers_do_not_hide_the_rate_limit() {
    let mut world = World::default();
    let key = world.keys().all.clone();
    let limit = json!({"limit": 1, "window_seconds": 3600});
    let limit = serde_json::from_value(limit).unwrap();
    world.set_rate_limit(&key, limit).unwrap();
    let fixture = start(world).await;
    let client = client(&fixture, &key);
    client.me().await.unwrap();
    let error = client.me().retry(RetryPolicy::none()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::RateLimited, Some("TOO_FAST"))
    );
    assert!(error.header("x-rate-limit-remaining").is_some());
    assert_eq!(fixture.run(&["show", "--retries", "0"]).code(), 7);
}

#[tokio::test]
async fn accepted_writes_succeed() {
    let fixture = start(World::default()).await;
    for command in [
        "set --location Rome",
        "post create hello",
        "link add --title t --url https://example.com",
    ] {
        let arguments: Vec<_> = command.split(' ').collect();
        let run = fixture.run(&arguments);
        assert_eq!(run.code(), 0, "{run}");
    }
    let shown = fixture.run(&["show", "--json"]).json();
    assert_eq!(shown["location"], "Rome");
}
