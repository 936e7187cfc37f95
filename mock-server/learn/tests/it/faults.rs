//! A service with faults.

use std::env;
use std::time::Duration;

use mock_server::dialect::MeFields;
use mock_server::journal::{RecordedRequest, RequestPattern};
use mock_server::{Dialect, Fault, FaultRule, MockServer, WireFault};

use crate::dialects::learn;
use crate::for_each;
use crate::request::request;

const OPTIONS: [&str; 4] = ["--handle=grace", "--allow-writes", "--yes", "--timeout=1"];

/// Returns a fault of each kind, and those that can follow a write also after the write.
fn faults() -> Vec<FaultRule> {
    let html = "text/html".to_owned();
    let before = [
        Fault::status(500),
        Fault::status(503),
        Fault::rate_limited("0"),
        Fault::delay(Duration::from_millis(1_500)),
        Fault::MalformedJson,
        Fault::WrongContentType { content_type: html },
        Fault::EmptyBody,
        Fault::HugeBody { bytes: 3 << 20 },
        Fault::GzipBomb { bytes: 3 << 20 },
        Fault::redirect("http://127.0.0.1:9/"),
        Fault::Wire(WireFault::Reset { after: None }),
        Fault::Wire(WireFault::Close),
        Fault::Wire(WireFault::Cut { after: 5 }),
        Fault::Wire(WireFault::Stall { after: 5 }),
        Fault::Wire(WireFault::BadChunk),
    ];
    let after = before
        .clone()
        .map(|fault| FaultRule::new(fault).after_write());
    before
        .map(FaultRule::new)
        .into_iter()
        .chain(after)
        .collect()
}

/// Learns while one request meets a fault, which must leave nothing behind. A service that does not list
/// links and posts may keep one that the report names.
fn learn_with_fault(number: u64, rule: FaultRule, lists_resources: bool) {
    let mut dialect = Dialect::default();
    if !lists_resources {
        dialect.me_fields = MeFields::Minimal;
    }
    let server = MockServer::builder().dialect(dialect);
    let server = server.start_blocking().unwrap();
    let before = server.world().unwrap();
    let case = format!("request {number}, {rule:?}, {lists_resources}");
    server.add_fault(rule.skip(number).times(1)).unwrap();
    let learned = learn(server.uri(), server.key(), &OPTIONS);
    assert!(
        matches!(learned.code, Some(0 | 1 | 3)),
        "{case}: {}",
        learned.stderr
    );
    learned.does_not_say("panicked");
    assert!(server.journal().requests().len() <= 80, "{case}");
    let is_named = learned.stderr.contains("not deleted");
    if is_named && lists_resources {
        // A success that the service did not apply.
        let mut left = learned.stderr.lines();
        let line = left.find(|line| line.contains("not deleted")).unwrap();
        assert!(line.contains(": possibly not deleted: "), "{case}: {line}");
    }
    learned.does_not_say("the profile has changed");
    if !is_named {
        let after = server.world().unwrap();
        let [after, before] = [&after, &before].map(|world| world.account("demo"));
        assert_eq!(after, before, "{case}: {}", learned.stderr);
    }
}

/// With `LEARN_FAULTS=all`, each request meets each fault; otherwise, a sample of them.
#[test]
fn a_fault_at_any_request_leaves_nothing_behind() {
    const REQUESTS: u64 = 56;
    let is_all = env::var("LEARN_FAULTS").is_ok_and(|which| which == "all");
    let every = if is_all { 1 } else { 23 };
    let numbers = (0..REQUESTS).flat_map(|number| {
        (0..)
            .zip(faults())
            .map(move |(kind, fault)| (number, kind, fault))
    });
    let cases: Vec<_> = numbers
        .filter(|(number, kind, _)| (number + kind) % every == 0)
        .collect();
    for_each(&cases, |(number, kind, fault)| {
        for lists_resources in [true, false] {
            if every == 1 || lists_resources == kind.is_multiple_of(2) {
                learn_with_fault(*number, fault.clone(), lists_resources);
            }
        }
    });
}

#[test]
fn names_the_target_of_a_redirect() {
    for (location, target) in [
        ("/login?key=canary", "/login"),
        (
            "https://user:canary@sso.example/a#b",
            "https://***@sso.example/a",
        ),
    ] {
        let server = MockServer::start_blocking();
        let rule = FaultRule::new(Fault::redirect(location));
        server.add_fault(rule).unwrap();
        let learned = learn(server.uri(), server.key(), &[]);
        let message = format!("GET /me returns 302 to {target}; check the base URL\n");
        assert!(learned.stderr.ends_with(&message), "{}", learned.stderr);
    }
}

#[test]
fn names_what_it_could_not_delete() {
    let cases = [
        ("/me/links/{id}", Fault::status(500), "/me/links/link_6"),
        ("/me/links/{id}", Fault::status(404), "/me/links/link_6"),
        ("/me/posts/{id}", Fault::status(500), "/me/posts/post_7"),
        (
            "/me/links/{id}",
            Fault::Wire(WireFault::Close),
            "/me/links/link_6",
        ),
    ];
    for_each(&cases, |(path, fault, left)| {
        let server = MockServer::start_blocking();
        let deletions = RequestPattern::any().path(*path).method("DELETE");
        let rule = FaultRule::new(fault.clone()).matching(deletions);
        server.add_fault(rule).unwrap();
        let learned = learn(server.uri(), server.key(), &OPTIONS);
        learned.ends(1);
        let expected = format!("mock-server-learn: not deleted: DELETE {left} deletes it\n");
        learned.says(&expected);
        assert_eq!(learned.stderr.matches("not deleted").count(), 1);
    });
}

#[test]
fn names_the_color_that_it_could_not_restore() {
    let server = MockServer::start_blocking();
    learn(server.uri(), server.key(), &OPTIONS);
    // The number of reads before it depends on the time.
    let requests = server.journal().requests();
    let mut edits = requests.iter().filter(|request| request.method == "PATCH");
    let position = edits.position(|request| request.status == Some(200));
    let edited = u64::try_from(position.unwrap()).unwrap() + 1;
    let lost = Fault::Wire(WireFault::Close);
    let faults = [Fault::rate_limited("3600"), lost, Fault::status(500)];
    for_each(&faults, |fault| {
        let server = MockServer::start_blocking();
        let color = || request(&server, "GET /me").data(200)["accent_color"].to_string();
        let old = color();
        let edits = RequestPattern::any().method("PATCH");
        let rule = FaultRule::new(fault.clone()).matching(edits).skip(edited);
        server.add_fault(rule).unwrap();
        let learned = learn(server.uri(), server.key(), &OPTIONS);
        assert_ne!(color(), old);
        let expected = format!(
            "mock-server-learn: possibly not restored: accent_color was {old}; PATCH /me/profile with {{"
        );
        learned.says(&expected);
        let request = format!("\"accent_color\":{old}");
        learned.says(&request);
        assert_ne!(learned.code, Some(0));
    });
}

#[tokio::test]
async fn sends_nothing_after_a_long_retry_after() {
    let server = MockServer::start().await;
    let rule = FaultRule::new(Fault::rate_limited("3600")).skip(10);
    server.add_fault(rule).unwrap();
    let learned = learn(server.uri(), server.key(), &["--handle", "grace"]);
    learned.ends(3);
    let expected =
        "mock-server-learn: the rate limit of the service requires waiting more than 300 s\n";
    assert_eq!(learned.stderr, expected);
    assert_eq!(server.journal().requests().len(), 11);
}

#[tokio::test]
async fn does_not_repeat_a_wrong_key() {
    let has_wrong_key = |request: &RecordedRequest| request.key.as_deref() == Some("unknown");
    let server = MockServer::start().await;
    learn(server.uri(), server.key(), &[]);
    let position = server.journal().requests().iter().position(has_wrong_key);
    let before = position.unwrap().try_into().unwrap();
    let server = MockServer::start().await;
    let rule = FaultRule::new(Fault::rate_limited("0"))
        .skip(before)
        .times(1);
    server.add_fault(rule).unwrap();
    let learned = learn(server.uri(), server.key(), &[]);
    learned.ends(0);
    assert_eq!(learned.settings().get("rejections"), None);
    let requests = server.journal().requests();
    let wrong_keys = requests.iter().filter(|request| has_wrong_key(request));
    let statuses: Vec<_> = wrong_keys.map(|request| request.status).collect();
    assert_eq!(statuses, [Some(429)]);
}

#[tokio::test]
async fn gives_up_after_four_requests_without_a_response() {
    let server = MockServer::start().await;
    let rule = FaultRule::new(Fault::delay(Duration::from_millis(5_000))).skip(10);
    server.add_fault(rule).unwrap();
    let learned = learn(server.uri(), server.key(), &OPTIONS);
    learned.ends(3);
    learned.says("mock-server-learn: 4 requests in a row had no response; ");
    assert!(server.journal().requests().len() <= 14);
}

#[tokio::test]
async fn writes_nothing_if_the_profile_cannot_be_read() {
    let server = MockServer::start().await;
    let requests = RequestPattern::any().path("/me").key("all");
    let rule = FaultRule::new(Fault::status(500))
        .matching(requests)
        .skip(1);
    server.add_fault(rule).unwrap();
    let learned = learn(server.uri(), server.key(), &OPTIONS);
    learned.ends(3);
    let expected = "mock-server-learn: GET /me returns 500; nothing was written\n";
    assert_eq!(learned.stderr, expected);
}
