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

/// A key, a request that is rejected, and the status, kind and code of the error; the same with the program, and its
/// exit code.
const CASES: [&str; 7] = [
    "wrong | GET me | 403 Forbidden BAD_CREDENTIALS | show | 5",
    "none | GET me/analytics | 401 Unauthorized NO_SCOPE | analytics | 4",
    "all | GET users/nobody/stats | 404 NotFound NOT_FOUND | stats nobody | 3",
    "all | GET users/grace/stats?days=31 | 416 Rejected BAD_PARAMETER | stats grace --days 31 | 6",
    "all | PATCH me/profile nickname=x | 409 Rejected UNKNOWN_FIELD \
     | api me/profile -X PATCH -f nickname=x | 6",
    "all | PATCH me/profile accent_color=red | 422 Rejected BAD_COLOR \
     | api me/profile -X PATCH -f accent_color=red | 6",
    "all | DELETE me/posts/none | 410 Rejected GONE | api me/posts/none -X DELETE | 6",
];

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
    for case in CASES {
        let cells: Vec<_> = case.split(" | ").collect();
        let [key, request, expected, command, exit_code] = cells.try_into().unwrap();
        let key = match key {
            "all" => &keys.all,
            "none" => &keys.none,
            other => other,
        };
        let client = client(&fixture, key);
        let mut words = request.split([' ', '?']);
        let method = match words.next() {
            Some("GET") => Method::Get,
            Some("PATCH") => Method::Patch,
            _ => Method::Delete,
        };
        let path = words.next().unwrap();
        let mut call = client.raw_call(method, format!("/api/v1/{path}"));
        if let Some((name, value)) = words.next().and_then(|word| word.split_once('=')) {
            call = match request.contains('?') {
                true => call.query(name, value),
                false => call.json(&json!({ name: value })),
            };
        }
        let error = call.read_bytes().await.unwrap_err();
        let (status, kind) = (error.status().unwrap(), error.kind());
        let found = format!("{status} {kind:?} {}", error.code().unwrap());
        assert_eq!(found, expected, "{error}");
        let sent: Value = serde_json::from_slice(error.body()).unwrap();
        assert_eq!(error.message(), sent["detail"].as_str());

        let arguments: Vec<_> = command.split(' ').chain(["--json"]).collect();
        let run = fixture.run_with_key(key, &arguments);
        assert_eq!(run.code().to_string(), exit_code, "{command}: {run}");
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
        "link add t https://example.com",
    ] {
        let arguments: Vec<_> = command.split(' ').collect();
        let run = fixture.run(&arguments);
        assert_eq!(run.code(), 0, "{run}");
    }
    let shown = fixture.run(&["show", "--json"]).json();
    assert_eq!(shown["location"], "Rome");
}
