//! Expectations in Rust tests, and their panic messages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use mock_server::MockServer;
use mock_server::journal::{Expect, RequestPattern};
use serde_json::json;

use crate::request::{request, write};

/// Returns the panic message of a check.
#[track_caller]
fn panic_of(check: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(check)).unwrap_err();
    *panic.downcast::<String>().unwrap()
}

fn renaming<'a>(server: &'a MockServer, name: &str) -> Expect<'a> {
    let edit = json!({ "display_name": name });
    server.expect_matching(RequestPattern::new("PATCH", "/me/profile").body_contains(edit))
}

#[tokio::test]
async fn accepts_all_kinds_of_expectations() {
    let server = MockServer::start().await;
    let edit = json!({"display_name": "Ada", "bio": "x"});
    write(&server, "PATCH /me/profile", edit, 200);
    renaming(&server, "Ada").once();
    renaming(&server, "Ada").at_least(1);
    renaming(&server, "Ada").at_most(1);
    renaming(&server, "Grace").never();
    let edit = RequestPattern::new("PATCH", "/me/{part}")
        .header("content-type", "application/json")
        .body(json!({"bio": "x", "display_name": "Ada"}))
        .key("all")
        .status(200);
    server.expect_matching(edit).times(1);
    let dry = RequestPattern::new("PATCH", "/me/profile").query("dry", "1");
    server.expect_matching(dry).never();
}

#[tokio::test]
async fn too_few_requests_panic_with_near_misses() {
    let server = MockServer::start().await;
    let expected = "expected PATCH /me/profile with a body containing {\"display_name\":\"Ada\"} exactly once; \
                    not received";
    let panic = panic_of(|| renaming(&server, "Ada").once());
    assert_eq!(
        panic,
        format!("{expected}\nno near misses; other requests: 0")
    );
    for _ in 0..2 {
        let edit = request(&server, "PATCH /me/profile");
        edit.json(json!({"nickname": "Ada"})).send();
    }
    let near_miss = "near miss: received PATCH /me/profile, but without the field `display_name: \"Ada\"` \
                     and with the field `nickname: \"Ada\"` (2 times)";
    let panic = panic_of(|| renaming(&server, "Ada").once());
    assert_eq!(panic, format!("{expected}\n{near_miss}"));
    let without_scopes = RequestPattern::new("GET", "/me").key("none");
    let panic = panic_of(|| server.expect_matching(without_scopes).at_least(2));
    let expected = "expected GET /me with the key `none` at least 2 times; not received\n\
                    no near misses; other requests: 2";
    assert_eq!(panic, expected);
}

#[tokio::test]
async fn an_unmatchable_pattern_panics() {
    let server = MockServer::start().await;
    let panic = panic_of(|| server.expect("GET", "/me/link").never());
    let expected =
        "no request can match GET /me/link: no endpoint has the path `/me/link`; expected";
    assert!(panic.starts_with(expected), "{panic}");
    let panic = panic_of(|| drop(server.expect("GET", "/me/link").arrives(1, Duration::MAX)));
    assert!(panic.starts_with(expected), "{panic}");
    server.expect("GET", "/me/link*").never();
}

#[tokio::test]
async fn too_many_requests_panic_with_their_numbers() {
    let server = MockServer::start().await;
    for _ in 0..11 {
        request(&server, "GET /badges").data(200);
    }
    request(&server, "GET /stats").data(200);
    let panic = panic_of(|| server.expect("GET", "/badges").never());
    let numbers = "requests 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10";
    let expected = format!("expected GET /badges never; received 11 times, first as {numbers}");
    assert_eq!(panic, expected);
    let panic = panic_of(|| server.expect("GET", "/stats").at_most(0));
    let expected = "expected GET /stats never; received once, as request 12";
    assert_eq!(panic, expected);
}

#[tokio::test]
async fn arriving_waits_and_returns_the_requests() {
    let server = MockServer::start().await;
    let arriving = server.expect("GET", "/badges");
    let arriving = arriving.arrives(1, Duration::from_secs(60));
    let asking = tokio::task::spawn_blocking({
        let badges = request(&server, "GET /badges");
        move || badges.data(200)
    });
    assert_eq!(arriving.await[0].status, Some(200));
    asking.await.unwrap();
}

#[test]
fn arriving_panics_at_the_caller_after_the_timeout() {
    let mut line = 0;
    let panic = panic_of(|| {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().build().unwrap().block_on(async {
            let server = MockServer::start().await;
            let expect = server.expect("GET", "/me");
            line = line!() + 1;
            expect.arrives(1, Duration::from_millis(1)).await;
        });
    });
    let place = format!("{}:{line}:20", file!());
    let expected = "within 1ms, expected GET /me at least once; not received\n\
                    no near misses; other requests: 0";
    assert_eq!(panic, format!("{place}: {expected}"));
}
