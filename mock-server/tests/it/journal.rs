//! The journal: records, redaction, patterns and waiting.

use std::time::Duration;

use mock_server::journal::{Expectation, JournalLimits, RequestPattern};
use mock_server::{Clock, Fault, FaultRule, MockServer, Scope, World};
use serde_json::{Value, json};

use crate::request::{request, write};

async fn start() -> MockServer {
    let clock = Clock::fixed("2026-03-01T12:00:00.25Z").unwrap();
    MockServer::builder().clock(clock).start().await.unwrap()
}

/// Starts a server whose journal has these limits instead of the default ones.
async fn start_with(change: impl FnOnce(&mut JournalLimits)) -> MockServer {
    let mut limits = JournalLimits::default();
    change(&mut limits);
    let builder = MockServer::builder().journal_limits(limits);
    builder.start().await.unwrap()
}

/// Returns the messages of the near misses of a pattern in JSON.
#[track_caller]
fn near_misses(server: &MockServer, pattern: Value) -> Vec<String> {
    let pattern = serde_json::from_value(pattern).unwrap();
    let report = server.journal().verify(&Expectation::at_least(pattern, 1));
    assert_eq!(report.found, 0);
    let near_misses = report.near_misses.into_iter();
    near_misses.map(|near_miss| near_miss.sentence).collect()
}

#[track_caller]
fn count(server: &MockServer, pattern: Value) -> usize {
    let pattern = serde_json::from_value(pattern).unwrap();
    server.journal().matching(&pattern).len()
}

#[tokio::test]
async fn an_entry_has_the_request_and_the_response() {
    let server = start().await;
    request(&server, "PATCH /me/links/a%20b?x=1")
        .header("X-Trace", "7")
        .json(json!({"title": "é"}))
        .send();
    let entry = format!("{:#}\n", json!(server.journal().requests()[0]));
    let entry = entry.replace(&server.address().to_string(), "{address}");
    expect_test::expect_file!["entry.json"].assert_eq(&entry);
}

#[tokio::test]
async fn records_only_the_name_of_a_key() {
    let server = start().await;
    let made = server.create_key("ada", &[Scope::LinksWrite]).unwrap();
    let keys = [
        server.key(),
        &server.keys().none,
        &made,
        "mock_canary_0123456789abcdef",
    ];
    for key in keys {
        request(&server, "GET /me").key(key).send();
    }
    let without_key = || request(&server, "GET /me").without_key();
    without_key().header("AUTHORIZATION", "Basic canary").send();
    let other = without_key().header("Proxy-Authorization", "Bearer canary");
    other.header("X-Api-Key", "canary").send();

    let requests = server.journal().requests();
    let names: Vec<_> = requests.iter().map(|request| &request.key).collect();
    let expected = json!(["all", "none", "key6", "unknown", "unknown", null]);
    assert_eq!(json!(names), expected);
    let pattern = RequestPattern::new("GET", "/me").key("nobody");
    let pattern = pattern.header("authorization", "x");
    let report = server.journal().verify(&Expectation::times(pattern, 1));
    let journal = server.journal();
    let written = json!(requests);
    let printed = format!("{requests:?} {written} {journal:?} {report:?} {report}");
    for key in keys.into_iter().chain(["canary"]) {
        assert!(!printed.contains(key), "{printed}");
    }
}

#[tokio::test]
async fn truncates_long_bodies_and_records_their_length() {
    let server = start().await;
    let body = json!({"body": "x".repeat(5_000)});
    write(&server, "POST /me/posts", body.clone(), 201);
    let recorded = &server.journal().requests()[0];
    assert_eq!((recorded.body.len(), recorded.body_length), (4_096, 5_011));
    let pattern = json!({"method": "POST", "path": "/me/posts", "body": body});
    let expected =
        "received POST /me/posts, but with a body of 5011 bytes, of which only 4096 are recorded";
    assert_eq!(near_misses(&server, pattern), [expected]);

    let server = start_with(|limits| limits.body_bytes = 20).await;
    let whole = request(&server, "GET /badges").send().body;
    let recorded = &server.journal().requests()[0];
    assert_eq!(recorded.response_body, &whole.as_bytes()[..20]);
    assert_eq!(recorded.response_body_length, whole.len() as u64);
}

fn percent_encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| format!("%{byte:02X}"));
    bytes.collect()
}

#[tokio::test]
async fn a_key_that_the_limit_cuts_is_removed_in_every_encoding() {
    const REAL: &str = "sk_real_key_of_the_service";
    for body_bytes in 10..90 {
        let server = start_with(|limits| limits.body_bytes = body_bytes).await;
        // The generated key is in no header.
        for (header, key, public) in [(REAL, REAL, ""), ("unknown", server.key(), "mock_all_")] {
            for text in [key.to_owned(), percent_encoded(key), key.to_uppercase()] {
                let body = format!(r#"{{"body":"{text}"}}"#);
                let post = request(&server, "POST /me/posts").key(header);
                post.body(body).send();
                let requests = server.journal().requests();
                let recorded = String::from_utf8(requests.last().unwrap().body.clone()).unwrap();
                let recorded = recorded.to_ascii_lowercase();
                // Fewer than four characters are not recognized.
                let beginning = format!("{public}{}", &key[public.len()..][..4]);
                for start in [&beginning, key] {
                    assert!(!recorded.contains(start), "{recorded} {body_bytes}");
                    let encoded = percent_encoded(start).to_ascii_lowercase();
                    assert!(!recorded.contains(&encoded), "{recorded} {body_bytes}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_key_in_any_credential_header_is_removed_everywhere_else() {
    const KEY: &str = "sk_live_Ab+Cd/9~x-y.z";
    let server = start().await;
    let equal_parts = "part567 ".repeat(5_000);
    let other_parts = (10_000..15_000).map(|n| format!("a{n}bcd "));
    let other_parts = other_parts.collect::<String>();
    for (name, value) in [
        ("Authorization", format!("Token token={KEY}")),
        ("Authorization", format!("Token token=\"{KEY}\", user=ada")),
        ("Authorization", format!("Bearer\t{KEY}")),
        ("Authorization", format!("Bearer {KEY}, x=1")),
        ("Authorization", format!("Bearer {KEY};x=1")),
        ("Authorization", format!("bearer  '{KEY}'")),
        ("Authorization", format!("Basic {KEY}==")),
        ("Authorization", KEY.to_owned()),
        ("proxy-authorization", format!("ApiKey key={KEY},a=b")),
        ("X-API-Key", format!("key={KEY}")),
        ("Authorization", format!("Bearer:{KEY}")),
        ("Authorization", format!("Bearer ({KEY})")),
        ("Authorization", format!("Bearer <{KEY}>")),
        ("Authorization", format!("Bearer {{{KEY}}}")),
        ("Authorization", format!("Bearer [{KEY}]")),
        ("Authorization", format!("user|{KEY}|x")),
        (
            "Authorization",
            format!("Digest response=\"{KEY}\", uri=\"/x\""),
        ),
        ("X-Api-Key", format!("live:{KEY}:x")),
        ("Authorization", format!("x {KEY} {equal_parts}")),
        ("Authorization", format!("x {other_parts} {KEY}")),
    ] {
        let (encoded, upper) = (percent_encoded(KEY), KEY.to_uppercase());
        let body = json!({"copy": KEY, "encoded": encoded, "shouted": upper});
        let line = format!("PATCH /me/links/{encoded}?token={encoded}&{upper}");
        let request = request(&server, &line).without_key().header(name, &value);
        request.header("X-Copy", KEY).json(body).send();
        let printed = json!([server.journal().requests(), server.report()]).to_string();
        let printed = printed.to_ascii_lowercase();
        for secret in [KEY, &encoded] {
            let secret = secret.to_ascii_lowercase();
            assert!(!printed.contains(&secret), "{value}: {secret} in {printed}");
        }
        server.journal().clear();
    }
}

#[tokio::test]
async fn names_of_parameters_and_the_path_are_no_secrets() {
    for (value, secrets, public) in [
        (
            r#"Digest username="ada-lovelace", uri="/api/v1/me/links/link_1?x=1", response=0123abcd"#,
            &["ada-lovelace", "0123abcd"][..],
            &["username", "response", "/api/v1/me/links/link_1"][..],
        ),
        (
            r#"Custom credential-id=abcdefgh, x="y""#,
            &["abcdefgh"],
            &["credential-id"],
        ),
        // Base64 with and without padding, and what is not surely a name.
        ("Basic abcdefghij==", &["abcdefghij"], &[]),
        ("Basic abcdefghij=", &["abcdefghij"], &[]),
        ("Basic abcdef/ghij", &["abcdef/ghij"], &["abcdef"]),
        ("Bearer abcdefghij==, x=1, y=2", &["abcdefghij"], &[]),
        ("Bearer abcdefghij=; x=1; y=2", &["abcdefghij"], &[]),
        (r#"Bearer abcdefghij="", x=1, y=2"#, &["abcdefghij"], &[]),
        ("Bearer abcdefghij=1", &["abcdefghij"], &[]),
        ("Token abcdefghij=1, key=abcdefghij", &["abcdefghij"], &[]),
        ("Token abc1efghij=1, key=x", &["abc1efghij"], &[]),
    ] {
        let server = start().await;
        let texts = [secrets, public].concat();
        let body = json!({"title": texts.join("\n")});
        let edit = request(&server, "PATCH /me/links/link_1?x=1").without_key();
        edit.header("Authorization", value).json(body).send();
        let recorded = &server.journal().requests()[0];
        let body = String::from_utf8_lossy(&recorded.body);
        let shown = texts.iter().filter(|text| body.contains(**text));
        assert_eq!(shown.copied().collect::<Vec<_>>(), public, "{value}");
        assert_eq!(recorded.path, "/api/v1/me/links/link_1", "{value}");
    }
}

#[tokio::test]
async fn drops_and_counts_the_oldest_requests() {
    let server = start_with(|limits| limits.entries = 3).await;
    for days in 1..=5 {
        request(&server, &format!("GET /users/demo/stats?days={days}")).data(200);
    }
    let requests = server.journal().requests();
    let numbers: Vec<_> = requests.iter().map(|request| request.number).collect();
    assert_eq!(numbers, [3, 4, 5]);
    let expectation = Expectation::times(RequestPattern::any(), 5);
    let report = server.journal().verify(&expectation);
    let expected = "expected any request exactly 5 times; received 3 times, as requests 3, 4 and 5\n\
                    no near misses; other requests: 0\n\
                    the journal dropped 2 older requests; raise its limits, or clear it before";
    assert_eq!(report.message, expected);
    // The dropped requests may have matched.
    let edits = || RequestPattern::new("PATCH", "/me/profile");
    for expectation in [
        Expectation::times(edits(), 0),
        Expectation::at_most(edits(), 1),
    ] {
        assert!(!server.journal().verify(&expectation).satisfied);
    }
    let reads = Expectation::at_least(RequestPattern::any(), 3);
    assert!(server.journal().verify(&reads).satisfied);
    server.journal().clear();
    assert!(server.journal().requests().is_empty());
    assert_eq!(server.journal().dropped(), 0);
}

#[tokio::test]
async fn a_pattern_can_match_any_part_of_a_request() {
    let server = start().await;
    let read = request(&server, "GET /users/grace/stats?days=7&tag=a+b%26");
    read.header("X-A", "1").data(200);
    write(
        &server,
        "PATCH /me/links/link_1",
        json!({"title": "T"}),
        200,
    );
    for (pattern, expected) in [
        (json!({}), 2),
        (json!({"method": "GET"}), 1),
        (json!({"method": "get"}), 0),
        (json!({"path": "/users/{handle}/stats"}), 1),
        (json!({"path": "/api/v1/users/*"}), 1),
        (json!({"query": {"days": "7", "tag": "a b&"}}), 1),
        (json!({"query": {"days": "8"}}), 0),
        (json!({"query": {"days": null}}), 1),
        (json!({"headers": {"x-A": "1"}}), 1),
        (json!({"headers": {"x-a": null}}), 1),
        (json!({"body_contains": {"title": "T"}}), 1),
        (json!({"body_contains": {}}), 1),
        (json!({"body": {}}), 0),
        (json!({"key": "all"}), 2),
        (json!({"status": 200}), 2),
        (json!({"status": 201}), 0),
    ] {
        assert_eq!(count(&server, pattern.clone()), expected, "{pattern}");
    }
}

#[test]
fn rejects_misspelled_patterns_and_expectations() {
    let pattern = serde_json::from_value::<RequestPattern>(json!({"verb": "GET"}));
    let message = pattern.unwrap_err().to_string();
    let expected = "unknown field `verb`, expected one of `method`";
    assert!(message.starts_with(expected), "{message}");
    for (written, message) in [
        (
            json!({"request": {}, "times": 1, "at_most": 2}),
            "`times` cannot be combined with `at_least` or `at_most`; remove one of them",
        ),
        (
            json!({"request": {}, "at_least": 3, "at_most": 2}),
            "at_least is 3 and at_most is 2; expected at_least to be at most at_most",
        ),
    ] {
        let rejected = serde_json::from_value::<Expectation>(written).unwrap_err();
        assert_eq!(rejected.to_string(), message);
    }
    let read: Expectation = serde_json::from_value(json!({"request": {}})).unwrap();
    assert_eq!(read.to_string(), "any request at least once");
}

/// The patterns of the table, each with the messages of its near misses.
#[tokio::test]
async fn near_misses_are_those_of_the_table() {
    let server = start().await;
    let edit = request(&server, "PATCH /me/profile");
    edit.json(json!({"nickname": "Ada"})).send();
    let edit = json!({"display_name": "Bob", "bio": "x"});
    write(&server, "PATCH /me/profile", edit, 200);
    let read = request(&server, "GET /users/grace/stats?days=7");
    read.header("X-A", "1").data(200);
    request(&server, "POST /me/posts").text("{").send();
    let delete = request(&server, "DELETE /me/posts/post_9");
    delete.without_key().send();
    let mut found = String::new();
    let table = include_str!("near_misses.txt").lines();
    for line in table.filter(|line| line.starts_with('{')) {
        let messages = near_misses(&server, serde_json::from_str(line).unwrap());
        found += &format!("{line}\n{}\n", messages.join("\n"));
    }
    expect_test::expect_file!["near_misses.txt"].assert_eq(&found);
}

#[tokio::test]
async fn waiting_ends_after_enough_requests() {
    let server = start().await;
    request(&server, "GET /badges").data(200);
    let pattern = RequestPattern::new("GET", "/badges");
    let waiting = server.journal().wait(&pattern, 3, Duration::MAX);
    let mut waiting = std::pin::pin!(waiting);
    // After the first poll, it waits for new requests.
    let polled = tokio::time::timeout(Duration::ZERO, waiting.as_mut());
    assert!(polled.await.is_err());
    request(&server, "GET /badges").data(200);
    request(&server, "GET /stats").data(200);
    request(&server, "GET /badges").data(200);
    let requests = waiting.await.unwrap();
    let numbers: Vec<_> = requests.iter().map(|request| request.number).collect();
    assert_eq!(numbers, [1, 2, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_does_not_end_a_wait() {
    let server = start().await;
    let sent = request(&server, "GET /badges");
    let sending = std::thread::spawn(move || sent.data(200));
    let pattern = RequestPattern::new("GET", "/badges");
    let journal = server.journal();
    let waited = journal.wait(&pattern, 1, Duration::from_secs(60));
    assert_eq!(waited.await.unwrap().len(), 1);
    sending.join().unwrap();
}

#[tokio::test]
async fn removes_keys_and_credentials_from_everything_recorded() {
    const STATE_KEY: &str = "sk_state_key_1";
    let server = start().await;
    let mut world = serde_json::to_value(server.world().unwrap()).unwrap();
    world["keys"][STATE_KEY] = world["keys"][server.key()].clone();
    let world: World = serde_json::from_value(world).unwrap();
    server.update(|now| *now = world).unwrap();

    let secrets = [
        server.key(),
        STATE_KEY,
        "sk_real_unknown9",
        "Basic-like:secret",
    ];
    for secret in secrets {
        // The secret occurs in every part of the request and in the message of the response.
        let request = request(&server, &format!("GET /me/{secret}?token={secret}")).without_key();
        let request = request.header("Authorization", &format!("Bearer {secret}"));
        let request = request.header("X-Copy", secret);
        request.json(json!({"copy": secret})).send();
    }
    // A key in the name of a header of a response.
    let fault = Fault::status(500).with_header(format!("x-{STATE_KEY}"), "v");
    server.add_fault(FaultRule::new(fault).times(1)).unwrap();
    request(&server, "GET /badges").send();
    // A key of the world without an Authorization header.
    let request = request(&server, &format!("GET /{STATE_KEY}?a={STATE_KEY}"));
    request.without_key().send();
    let printed = json!([server.journal().requests(), server.report()]).to_string();
    for secret in secrets {
        assert!(!printed.contains(secret), "{secret} in {printed}");
    }
    let recorded = &server.journal().requests()[2];
    assert_eq!(recorded.path, "/api/v1/me/…");
    assert_eq!(recorded.body, r#"{"copy":"…"}"#.as_bytes());
    assert!(String::from_utf8_lossy(&recorded.response_body).contains("/api/v1/me/…"));
}
