//! Rate limits, by the clock of the world.

use std::num::NonZeroU32;
use std::time::Duration;

use mock_server::dialect::RateLimitRejection;
use mock_server::{Clock, Dialect, MockServer, RateLimit, World, handle};
use serde_json::json;

use crate::request::{Answer, engine_request, request};

const NOON: &str = "2026-03-01T12:00:00Z";

fn limit(limit: u32) -> RateLimit {
    let window_seconds = NonZeroU32::new(10).unwrap();
    RateLimit {
        limit,
        window_seconds,
    }
}

/// Creates a world at noon whose key with all scopes has a limit of two requests in ten seconds.
fn world() -> World {
    let mut world = World::default();
    world.set_clock(Clock::fixed(NOON).unwrap());
    let key = world.keys().all;
    world.set_rate_limit(&key, limit(2)).unwrap();
    world
}

fn send(world: &mut World, key: Option<&str>, line: &str) -> Answer {
    handle(world, &engine_request(line, key, None)).into()
}

/// Returns the values of the rate limit headers: limit, remaining, reset.
fn rate_limit_headers(answer: &Answer) -> [&str; 3] {
    ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
        .map(|name| answer.header(name).unwrap_or_default())
}

#[test]
fn rejects_requests_until_a_full_window_ends() {
    let mut world = world();
    let key = world.keys().all;
    for (seconds, line, status, headers) in [
        (0, "GET /me", 200, ["2", "1", "10"]),
        (9, "DELETE /me/links/none", 404, ["2", "0", "1"]),
        (0, "DELETE /me/links/link_1", 429, ["2", "0", "1"]),
        (1, "DELETE /me/links/link_1", 204, ["2", "1", "10"]),
    ] {
        world.advance(Duration::from_secs(seconds));
        let before = serde_json::to_value(&world).unwrap();
        let answer = send(&mut world, Some(&key), line);
        assert_eq!(answer.status, status, "{line}");
        assert_eq!(rate_limit_headers(&answer), headers, "{line}");
        if status == 429 {
            assert_eq!(answer.header("retry-after"), Some("1"));
            let message = "the rate limit of 2 requests per 10 s is exceeded; retry after 1 s";
            let body = json!({"error": {"code": "rate_limited", "message": message}});
            assert_eq!(answer.body, body.to_string());
            assert_eq!(serde_json::to_value(&world).unwrap(), before);
        }
    }
}

#[test]
fn each_key_has_its_own_limit() {
    let mut world = world();
    let keys = world.keys();
    for _ in 0..3 {
        send(&mut world, Some(&keys.all), "GET /me");
    }
    let answer = send(&mut world, Some(&keys.none), "GET /me");
    assert_eq!(rate_limit_headers(&answer), ["1000000", "999999", "60"]);
    let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    let shown = &body["data"]["key"]["rate_limit"];
    assert_eq!(shown, &json!({"limit": 1_000_000, "window_seconds": 60}));
}

#[test]
fn requests_without_a_valid_key_do_not_count() {
    let mut world = world();
    let key = world.keys().all;
    for (key, line) in [
        (None, "GET /me"),
        (Some("wrong"), "GET /me"),
        (None, "GET /badges"),
        (Some(&*key), "GET /nothing"),
        (Some(&*key), "PUT /me"),
    ] {
        let headers = rate_limit_headers(&send(&mut world, key, line)).map(str::to_owned);
        assert_eq!(headers, [""; 3], "{line}");
    }
    let answer = send(&mut world, Some(&key), "GET /badges");
    assert_eq!(rate_limit_headers(&answer), ["2", "1", "10"]);
}

#[test]
fn a_limit_of_0_rejects_all_requests() {
    let mut world = world();
    let key = world.keys().all;
    assert_eq!(world.set_rate_limit(&key, limit(0)), Ok(limit(2)));
    let unknown = "no account has the handle \"dmeo\"; create it with `add_account`";
    for (rejected, message) in [
        (
            world.set_rate_limit("wrong", limit(0)).map(drop),
            "the world does not have this key; expected one of `keys` or `create_key`",
        ),
        (world.add_link("dmeo", "Blog", "x:y").map(drop), unknown),
        (world.add_post("dmeo", "x").map(drop), unknown),
    ] {
        assert_eq!(rejected.unwrap_err().to_string(), message);
    }
    assert_eq!(send(&mut world, Some(&key), "GET /stats").status, 429);
}

#[test]
fn dialects_can_omit_the_headers_or_respond_with_503() {
    for (setting, status, retry_after) in [
        (RateLimitRejection::WithoutHeaders, 429, None),
        (RateLimitRejection::ServiceUnavailable, 503, Some("10")),
    ] {
        let mut world = world();
        let mut dialect = Dialect::default();
        dialect.rate_limit_rejection = setting;
        world.set_dialect(dialect);
        let key = world.keys().all;
        for expected in [200, 200, status] {
            let answer = send(&mut world, Some(&key), "GET /me");
            let reset = answer.header("ratelimit-reset");
            assert_eq!((answer.status, reset), (expected, retry_after));
            let retry_after = retry_after.filter(|_| expected == status);
            assert_eq!(answer.header("retry-after"), retry_after);
        }
    }
}

#[test]
fn dialects_can_rename_the_headers_and_send_instants() {
    let mut world = world();
    let dialect = r#"{
        "rate_limit_headers": "x_rate_limit", "rate_limit_reset": "unix_time", "retry_after": "date"
    }"#;
    world.set_dialect(Dialect::from_json(dialect).unwrap());
    let key = world.keys().all;
    for (status, remaining, retry_after) in [
        (200, "1", None),
        (200, "0", None),
        (429, "0", Some("Sun, 01 Mar 2026 12:00:10 GMT")),
    ] {
        let answer = send(&mut world, Some(&key), "GET /me");
        assert_eq!(answer.status, status);
        assert_eq!(rate_limit_headers(&answer), [""; 3]);
        for (name, value) in [
            ("x-ratelimit-limit", "2"),
            ("x-ratelimit-remaining", remaining),
            // Ten seconds after noon.
            ("x-ratelimit-reset", "1772366410"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        assert_eq!(answer.header("retry-after"), retry_after);
    }
}

#[tokio::test]
async fn a_limit_is_kept_in_the_state_file() {
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    for left in ["1", "0"] {
        let builder = MockServer::builder().world(world()).state_file(&path);
        let server = builder.start().await.unwrap();
        let answer = request(&server, "GET /badges").send();
        assert_eq!(answer.header("ratelimit-remaining"), Some(left));
    }
}

#[test]
fn responses_are_reproducible() {
    let replies = || {
        let mut world = World::new(7);
        world.set_clock(Clock::fixed(NOON).unwrap());
        let key = world.create_key("ada", mock_server::Scope::ALL);
        let mut replies = Vec::new();
        let link = r#"{"title": "x", "url": "https://example.com"}"#;
        for (line, body) in [
            ("POST /me/links", Some(link)),
            ("POST /me/posts", Some(r#"{"body": "x"}"#)),
            ("PATCH /me/profile", Some(r#"{"bio": 5}"#)),
            ("GET /me", None),
            ("GET /me/analytics", None),
            ("GET /users/ada/stats", None),
            ("GET /stats", None),
        ] {
            let request = engine_request(line, Some(&key), body);
            replies.push(handle(&mut world, &request));
            world.advance(Duration::from_secs(40_000));
        }
        (replies, serde_json::to_string(&world).unwrap())
    };
    assert_eq!(replies(), replies());
}
