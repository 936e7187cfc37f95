//! Rejected requests: a table, and bodies at all endpoints.

use mock_server::{Endpoint, MockServer, ProblemKind, RateLimit, Scope};
use serde_json::{Value, json};

use crate::endpoints::ENDPOINTS;
use crate::request::{line_and_body, request, request_exactly, with_errors};
use crate::schema::SERVICE;

const WRITES: [&str; 4] = [
    "PATCH /me/profile",
    "POST /me/links",
    "PATCH /me/links/link_1",
    "POST /me/posts",
];

/// Returns the requests of the table, each with its body and the line of its response, which a new one lacks.
pub(crate) fn rejected_requests() -> Vec<(&'static str, &'static str, &'static str)> {
    let lines = include_str!("rejections.txt").lines().chain([""]);
    let lines: Vec<_> = lines.collect();
    let is_request = |line: &str| line.starts_with(|first: char| first.is_ascii_uppercase());
    let requests = lines.windows(2).filter(|pair| is_request(pair[0]));
    let split = |pair: &[&'static str]| {
        let (line, body) = line_and_body(pair[0]);
        (line, body, pair[1])
    };
    requests.map(split).collect()
}

/// Sends requests that cause every rejection of every endpoint. The queries and bodies are those of the table.
fn cause_every_rejection(server: &MockServer) {
    let spent = server.create_key("demo", Scope::ALL).unwrap();
    let none = RateLimit {
        limit: 0,
        ..RateLimit::default()
    };
    let limited = server.update(|world| world.set_rate_limit(&spent, none));
    limited.unwrap().unwrap();
    for listed in ENDPOINTS.iter() {
        let known = listed.known();
        let new = || request(server, &known);
        new().without_key().send();
        new().key(&server.keys().none).send();
        new().key("wrong").send();
        let basic = new().without_key().header("Authorization", "Basic eDp5");
        basic.send();
        new().key(&spent).send();
        new().body(vec![b' '; 1024 * 1024 + 1]).send();
        new().header("Content-Type", "text/plain").send();
        let json = new().header("Content-Type", "application/json");
        json.header("Content-Encoding", "gzip").send();
        request(server, &format!("{known}?page=2")).send();
        for (line, body, _) in rejected_requests() {
            let query = line.find('?').map_or("", |start| &line[start..]);
            request(server, &format!("{known}{query}"))
                .text(body)
                .send();
        }
    }
    for (line, body, _) in rejected_requests() {
        request(server, line).text(body).send();
    }
    request(server, "PUT /me").send();
    for line in ["GET /", "GET /api/v1"] {
        request_exactly(server.address(), line).send();
    }
}

#[tokio::test]
async fn coverage_lists_exactly_the_possible_rejections() {
    let server = MockServer::start().await;
    cause_every_rejection(&server);
    let report = server.report();
    let uncovered = report.coverage.uncovered();
    let advice = "add requests with these rejections to rejections.txt";
    assert_eq!(uncovered.rejections, [].into(), "{advice}");
    assert!(uncovered.unrouted.is_empty());
    for &endpoint in Endpoint::ALL {
        let found = report.coverage.endpoint(endpoint).rejections.keys();
        let mut declared: Vec<_> = endpoint.rejections().collect();
        declared.sort_unstable();
        assert!(found.copied().eq(declared), "{endpoint}");
    }
    let broken: Vec<_> = report.rules().map(|broken| broken.rule).collect();
    let rules = ProblemKind::ALL.iter().copied();
    let rules: Vec<_> = rules.filter(|kind| kind.section().is_some()).collect();
    assert_eq!(broken, rules);
}

#[tokio::test]
async fn rejects_the_requests_of_the_table_without_changes() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    let found = with_errors(include_str!("rejections.txt"), |line, body| {
        let answer = match body {
            "" => request(&server, line).send(),
            body => request(&server, line).text(body).send(),
        };
        let line = line.replacen(' ', " /api/v1", 1);
        SERVICE.check(&line, &Value::Null, &answer, &[]);
        answer
    });
    expect_test::expect_file!["rejections.txt"].assert_eq(&found);
    assert_eq!(server.world().unwrap(), before);
}

fn post_with_length(length: usize) -> String {
    let frame = json!({"body": ""}).to_string();
    let text = "x".repeat(length - frame.len());
    json!({ "body": text }).to_string()
}

#[tokio::test]
async fn accepts_bodies_up_to_1_mib() {
    const MIB: usize = 1024 * 1024;
    let server = MockServer::start().await;
    let post = |length| request(&server, "POST /me/posts").text(&post_with_length(length));
    post(MIB).data(201);
    let message = "the body has 1048577 bytes; at most 1048576 are allowed";
    post(MIB + 1).assert_rejected(413, "body_too_large", message);
    server.assert_no_violations();
}

#[tokio::test]
async fn requires_a_json_content_type() {
    let server = MockServer::start().await;
    for line in WRITES {
        for found in [
            None,
            Some("text/plain"),
            Some("application/json5"),
            Some("application/merge-patch+json"),
            Some(""),
        ] {
            let message = format!(
                "the content type is {}; expected application/json",
                found.unwrap_or("missing")
            );
            let request = request(&server, line).body("{}");
            let request = match found {
                Some(found) => request.header("Content-Type", found),
                None => request,
            };
            request.assert_rejected(415, "wrong_content_type", &message);
        }
    }
    let twice = request(&server, WRITES[0]).header("Content-Type", "application/json");
    let message = "the content type is application/json and application/json; \
                   expected application/json";
    twice
        .text("{}")
        .assert_rejected(415, "wrong_content_type", message);
}

#[tokio::test]
async fn rejects_other_encodings_without_a_violation() {
    let server = MockServer::start().await;
    for line in WRITES {
        for (coding, parameters, found) in [
            ("gzip", "", "gzip"),
            ("gzip, BR", "", "gzip, BR"),
            ("identity", "; charset=utf-16", "utf-16"),
            ("", "; a=b; Charset=\"UTF-16LE\"", "UTF-16LE"),
            ("", ";charset=iso-8859-1", "iso-8859-1"),
            ("zstd", "; charset=utf-32", "zstd, utf-32"),
        ] {
            let content_type = &format!("application/json{parameters}");
            let message = format!("the encoding of the body is {found}; send plain UTF-8");
            request(&server, line)
                .header("Content-Type", content_type)
                .header("Content-Encoding", coding)
                .body(b"\x1f\x8b\x08\x00")
                .assert_rejected(415, "unsupported_encoding", &message);
        }
    }
    for (coding, content_type) in [
        ("identity", "Application/JSON"),
        ("", "application/json; charset=\"UTF-8\""),
        ("Identity", "application/json;charset=utf8"),
        ("", "application/json; charset=us-ascii"),
    ] {
        request(&server, "PATCH /me/profile")
            .header("content-type", content_type)
            .header("Content-Encoding", coding)
            .body("{}")
            .data(200);
    }
    server.assert_no_violations();
}

/// Returns the error for a text that is not valid JSON.
fn json_error(text: impl AsRef<[u8]>) -> String {
    let error = serde_json::from_slice::<Value>(text.as_ref()).unwrap_err();
    error.to_string()
}

#[tokio::test]
async fn rejects_bodies_that_are_not_json_objects() {
    let server = MockServer::start().await;
    let before = server.world().unwrap();
    let deep = "[".repeat(100_000);
    for line in WRITES {
        let invalid: [&[u8]; 5] = [b"", b"bio=x", b"{", b"{}{}", b"{\"body\":\"\xff\"}"];
        let invalid = invalid.map(|body| (body, json_error(body)));
        let mark = "it begins with a byte order mark; send UTF-8 without one";
        let others: [(&[u8], _); 9] = [
            (b"\xef\xbb\xbf{}", mark),
            (b"\xff\xfe{\0}\0", mark),
            (b"\xfe\xff\0{\0}", mark),
            (b"[]", "found an array"),
            (b" null", "found null"),
            (b"true", "found a boolean"),
            (b"-1", "found a number"),
            (b"\"x\"", "found a string"),
            (deep.as_bytes(), "found an array"),
        ];
        let others = others.map(|(body, reason)| (body, reason.to_owned()));
        for (body, reason) in invalid.into_iter().chain(others) {
            let message = format!("the body is not a JSON object: {reason}");
            let request = request(&server, line).header("Content-Type", "application/json");
            request
                .body(body)
                .assert_rejected(400, "not_a_json_object", &message);
        }
    }
    assert_eq!(server.world().unwrap(), before);
}
