//! Tests of violations and coverage.

use std::num::NonZeroU32;

use serde_json::{Value, json};

use super::{Report, Violation};
use crate::engine::access::{RateLimit, Scope};
use crate::engine::dialect::Dialect;
use crate::engine::endpoints::Endpoint;
use crate::engine::handle::process;
use crate::engine::problems::ProblemKind;
use crate::engine::processed::Processed;
use crate::engine::request::Request;
use crate::engine::resources::{FieldLimit, ProfileField};
use crate::engine::webhook::EventKind;
use crate::engine::world::World;

fn handle(world: &mut World, request: &Request) -> Processed {
    let now = world.clock().timestamp();
    process(world, request, now)
}

/// Creates a request with the key that has all scopes.
fn request(world: &World, line: &str) -> Request {
    bare(line).header("Authorization", format!("Bearer {}", world.keys().all))
}

/// Creates a request without a key.
fn bare(line: &str) -> Request {
    let (method, path) = line.split_once(' ').unwrap();
    Request::new(method, &format!("/api/v1{path}"))
}

fn with_json(request: Request, body: &str) -> Request {
    request
        .header("Content-Type", "application/json")
        .body(body)
}

#[track_caller]
fn assert_breaks(request: &Request, expected: &[(ProblemKind, &str)]) {
    let dialects = Dialect::alternatives().map(|(_, _, dialect)| dialect);
    for dialect in dialects.chain([Dialect::default(), Dialect::minimal(), Dialect::maximal()]) {
        let mut world = World::default();
        world.set_dialect(dialect.clone());
        let violations = handle(&mut world, request).violations;
        let found: Vec<_> = violations
            .iter()
            .map(|one| (one.rule, &*one.found))
            .collect();
        assert_eq!(found, expected, "{dialect:?}");
    }
}

#[test]
fn reports_violations_in_bodies_under_every_dialect() {
    let world = World::default();
    let profile = || request(&world, "PATCH /me/profile");
    let bio = ProfileField::ALL.iter().find(|field| field.name() == "bio");
    let FieldLimit::Text { max_characters, .. } = bio.unwrap().limit() else {
        panic!("the bio is a text");
    };
    let length = max_characters + 1;
    let lines = "\n".repeat(length);
    let long = format!("bio has {length} characters; at most {max_characters} are allowed");
    let high = format!("bio has {} lines; at most 10 are allowed", length + 1);
    let names = ProfileField::NAMES.join(", ");
    let unknown_field = format!("unknown field nickname; expected one of {names}");
    let long_bio = json!({"bio": lines, "nickname": "x", "location": null}).to_string();
    for (request, expected) in [
        (
            with_json(profile(), &long_bio),
            &[
                (ProblemKind::TooManyCharacters, &*long),
                (ProblemKind::TooManyLines, &high),
                (
                    ProblemKind::WrongType,
                    "location is null; expected a string",
                ),
                (ProblemKind::UnknownField, &unknown_field),
            ][..],
        ),
        (
            profile().body(r#"{"text_color": "red"}"#),
            &[
                (
                    ProblemKind::WrongContentType,
                    "the content type is missing; expected application/json",
                ),
                (
                    ProblemKind::NotAColor,
                    "text_color is not a color of the form #rrggbb, such as #ff8800",
                ),
            ],
        ),
        (
            with_json(bare("POST /me/posts"), "[]"),
            &[
                (
                    ProblemKind::KeyMissing,
                    "no API key; send the header `Authorization: Bearer <API_KEY>`",
                ),
                (
                    ProblemKind::NotAJsonObject,
                    "the body is not a JSON object: found an array",
                ),
            ],
        ),
    ] {
        assert_breaks(&request, expected);
    }
}

#[test]
fn reports_violations_of_keys_and_days_under_every_dialect() {
    let world = World::default();
    let none = format!("Bearer {}", world.keys().none);
    for (request, expected) in [
        (
            bare("GET /badges").header("Authorization", world.keys().all),
            &[(
                ProblemKind::MalformedAuthorization,
                "the Authorization header does not have the form `Bearer <API_KEY>`",
            )],
        ),
        (
            bare("GET /me/analytics").header("Authorization", none),
            &[(
                ProblemKind::ScopeMissing,
                "the key lacks the scope analytics:read",
            )],
        ),
        (
            request(&world, "GET /users/grace/stats?days=31"),
            &[(
                ProblemKind::OutOfRange,
                "days is 31; expected 1 to 30 for this profile",
            )],
        ),
        (
            request(&world, "GET /users/demo/stats?days=soon"),
            &[(
                ProblemKind::NotAnInteger,
                "days is `soon`; expected an integer",
            )],
        ),
        (
            request(&world, "GET /me").body("{}"),
            &[(
                ProblemKind::UnexpectedBody,
                "the request has a body of 2 bytes; expected no body",
            )],
        ),
    ] {
        assert_breaks(&request, expected);
    }
}

#[test]
fn reports_violations_in_paths_under_every_dialect() {
    for (request, expected) in [
        (
            bare("GET /users/demo"),
            &[(
                ProblemKind::UnknownPath,
                "no endpoint has the path /api/v1/users/demo",
            )],
        ),
        (
            bare("PUT /me"),
            &[(
                ProblemKind::MethodNotAllowed,
                "method PUT is not allowed; expected GET",
            )],
        ),
        (
            Request::new("GET", "/api/v10/me"),
            &[(
                ProblemKind::PathOutsideApi,
                "no endpoint has the path /api/v10/me; every path starts with /api/v1",
            )],
        ),
        (
            Request::new("GET", "/me"),
            &[(
                ProblemKind::PathOutsideApi,
                "no endpoint has the path /me; every path starts with /api/v1",
            )],
        ),
    ] {
        assert_breaks(&request, expected);
    }
}

#[test]
fn choices_of_the_service_are_not_violations() {
    let world = World::default();
    let link = r#"{"title": "x", "icon": "y"}"#;
    let twice = r#"{"bio": "x", "bio": "x"}"#;
    for request in [
        with_json(request(&world, "POST /me/links"), link),
        with_json(
            request(&world, "POST /me/links"),
            r#"{"title": "x", "url": "x"}"#,
        ),
        with_json(request(&world, "PATCH /me/links/link_1"), "{}"),
        with_json(request(&world, "POST /me/posts"), r#"{"title": "x"}"#),
        with_json(request(&world, "PATCH /me/profile"), twice),
        request(&world, "GET /users/demo/stats?days=7&days=7"),
        request(&world, "GET /users/nobody/stats"),
        request(&world, "DELETE /me/links/none"),
        bare("GET /me").header("Authorization", "Bearer wrong"),
        bare("GET /badges"),
    ] {
        assert_breaks(&request, &[]);
    }
}

#[test]
fn a_violation_names_the_endpoint_without_the_key() {
    let mut world = World::default();
    let request = with_json(request(&world, "PATCH /me/links/link_1"), r#"{"title": 5}"#)
        .header("Authorization", world.keys().all);
    let processed = handle(&mut world, &request);
    let shown = serde_json::to_value(&processed.violations).unwrap();
    assert_eq!(
        shown[1],
        json!({
            "rule": "wrong_type",
            "section": "General",
            "requirement": "The body of a request is an object, and its fields are strings.",
            "found": "title is a number; expected a string",
            "field": "title",
            "method": "PATCH",
            "path": "/api/v1/me/links/{id}",
        })
    );
    assert!(!shown.to_string().contains(&world.keys().all));
}

#[test]
fn a_report_has_a_bounded_size() {
    let mut world = World::default();
    let mut report = Report::default();
    let fields: serde_json::Map<String, Value> = (0..1000)
        .map(|number| (format!("{number}{}", "x".repeat(500)), Value::Null))
        .collect();
    let body = Value::Object(fields).to_string();
    let request = with_json(request(&world, "PATCH /me/profile"), &body);
    for _ in 0..3 {
        report.record(&handle(&mut world, &request), true);
    }
    let broken = &report.violations[&ProblemKind::UnknownField];
    assert_eq!(broken.count, 3 * Violation::MAX_PER_REQUEST as u64);
    assert_eq!(broken.violations.len(), Report::MAX_PER_RULE);
    for violation in report.violations() {
        let length = violation.found.chars().count();
        assert_eq!(length, Violation::MAX_TEXT_LENGTH);
    }
    let shown = serde_json::to_value(&report).unwrap();
    assert_eq!(shown["violations"][0]["rule"], "unknown_field");
    assert_eq!(shown["violations"][0]["count"], broken.count);
}

/// Sends requests that cause every rejection of every endpoint.
fn cause_every_rejection(world: &mut World, report: &mut Report) {
    let spent = world.create_key("demo", Scope::ALL);
    let window_seconds = NonZeroU32::MIN;
    let limit = RateLimit {
        limit: 0,
        window_seconds,
    };
    world.set_rate_limit(&spent, limit).unwrap();
    let none = world.keys().none;
    for &endpoint in Endpoint::ALL {
        let path = endpoint.path().replace("{handle}", "demo");
        let new = |path: &str| Request::new(endpoint.method(), path);
        let with_key = |path: &str, key: &str| {
            let request = new(path).header("Authorization", format!("Bearer {key}"));
            request.header("Content-Type", "application/json")
        };
        let all = |path: &str| with_key(path, &World::default().keys().all);
        let mut requests = vec![
            new(&path),
            with_key(&path, &none),
            with_key(&path, "wrong"),
            new(&path).header("Authorization", "Basic eDp5"),
            with_key(&path, &spent),
            all(&path).body(vec![b' '; 1024 * 1024 + 1]),
            all(&path).header("Content-Type", "text/plain"),
        ];
        for body in [
            "",
            "{}",
            r#"{"x": "x"}"#,
            r#"{"bio": 5}"#,
            r#"{"title": 5}"#,
            r#"{"body": 5}"#,
            r#"{"body": "x", "body": "x"}"#,
            r#"{"url": "x"}"#,
            r#"{"title": "x"}"#,
            r##"{"accent_color": "#"}"##,
            r#"{"bio": "\n\n\n\n\n\n\n\n\n\n"}"#,
            r#"{"location": "1234567890123456789012345678901234567890x"}"#,
        ] {
            requests.push(all(&path).body(body));
        }
        for query in ["days=x", "days=0", "days=1&days=1"] {
            requests.push(all(&format!("{path}?{query}")));
        }
        requests.push(all(&format!("{path}?page=2")));
        requests.push(all(&path.replace("demo", "nobody")));
        for request in requests {
            report.record(&handle(world, &request), true);
        }
    }
    for (method, path) in [("PUT", "/api/v1/me"), ("GET", "/"), ("GET", "/api/v1")] {
        report.record(&handle(world, &Request::new(method, path)), true);
    }
}

#[test]
fn automatic_requests_of_browsers_and_monitors_are_no_violations() {
    let preflight = || bare("OPTIONS /me").header("Access-Control-Request-Method", "PATCH");
    assert_breaks(&preflight(), &[]);
    assert_breaks(&bare("HEAD /me/posts"), &[]);
    assert_breaks(
        &bare("OPTIONS /me"),
        &[(
            ProblemKind::MethodNotAllowed,
            "method OPTIONS is not allowed; expected GET",
        )],
    );
}

#[test]
fn reports_parameters_of_endpoints_without_parameters() {
    for (line, found) in [
        ("GET /badges?page=2&size=3", "page"),
        ("GET /stats?x", "x"),
        ("GET /stats?=", ""),
    ] {
        let mut world = World::default();
        assert_eq!(handle(&mut world, &bare(line)).reply.status, 200);
        let found = format!("the request has the query parameter {found}; expected no parameters");
        assert_breaks(
            &request(&world, line),
            &[(ProblemKind::UnexpectedParameter, &found)],
        );
    }
    assert_breaks(&request(&World::default(), "GET /badges?"), &[]);
    assert_breaks(&request(&World::default(), "GET /me?x=1"), &[]);
}

#[test]
fn coverage_lists_exactly_the_possible_rejections() {
    let (mut world, mut report) = (World::default(), Report::default());
    cause_every_rejection(&mut world, &mut report);
    let uncovered = report.coverage.uncovered();
    assert_eq!(uncovered.rejections, [].into());
    assert!(uncovered.unrouted.is_empty());
    for &endpoint in Endpoint::ALL {
        let found: Vec<_> = report
            .coverage
            .endpoint(endpoint)
            .rejections
            .keys()
            .copied()
            .collect();
        let mut declared: Vec<_> = endpoint.rejections().collect();
        declared.sort_unstable();
        assert_eq!(found, declared, "{endpoint}");
    }
    let broken: Vec<_> = report.rules().map(|broken| broken.rule).collect();
    let rules = ProblemKind::ALL.iter().copied();
    let rules: Vec<_> = rules.filter(|kind| kind.section().is_some()).collect();
    assert_eq!(broken, rules);
}

#[test]
fn coverage_counts_calls_and_lists_uncovered_endpoints() {
    let mut world = World::default();
    let mut report = Report::default();
    let rejected = with_json(request(&world, "POST /me/posts"), r#"{"text": "x"}"#);
    report.record(&handle(&mut world, &rejected), true);
    let request = request(&world, "GET /me");
    report.record(&handle(&mut world, &request), true);
    report.coverage.record_event(&EventKind::POST_REPLIED);

    let coverage = &report.coverage;
    let posts = coverage.endpoint(Endpoint::CreatePost);
    assert_eq!((posts.calls, posts.successes), (1, 0));
    assert_eq!(posts.rejections["unknown_field"], 1);
    let uncovered = coverage.uncovered();
    assert!(uncovered.endpoints.contains(&Endpoint::CreatePost));
    assert!(!uncovered.endpoints.contains(&Endpoint::ReadMe));

    let shown = serde_json::to_value(coverage).unwrap();
    assert_eq!(
        shown["endpoints"].as_array().unwrap().len(),
        Endpoint::ALL.len()
    );
    assert_eq!(shown["endpoints"][0]["endpoint"], "GET /api/v1/me");
    assert_eq!(shown["events"]["post.replied"], 1);
    assert_eq!(
        shown["uncovered"]["unrouted"],
        json!(["method_not_allowed", "path_outside_api", "unknown_path"])
    );
    assert_eq!(
        shown["uncovered"]["rejections"]["GET /api/v1/badges"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[test]
#[should_panic(
    expected = "the client violated the specification:\n- PUT /api/v1/me: method PUT is not allowed; \
                expected GET (section Endpoints)"
)]
fn assert_no_violations_lists_the_violations() {
    let mut report = Report::default();
    report.record(&handle(&mut World::default(), &bare("PUT /me")), true);
    report.assert_no_violations();
}
