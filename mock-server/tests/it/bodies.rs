//! Rejected requests: a table, and bodies at all endpoints.

use mock_server::MockServer;
use serde_json::{Value, json};

use crate::request::{request, with_errors};
use crate::schema::SERVICE;

const WRITES: [&str; 4] = [
    "PATCH /me/profile",
    "POST /me/links",
    "PATCH /me/links/link_1",
    "POST /me/posts",
];

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
    request(&server, "POST /me/posts")
        .text(&post_with_length(MIB))
        .data(201);
    request(&server, "POST /me/posts")
        .text(&post_with_length(MIB + 1))
        .assert_rejected(
            413,
            "body_too_large",
            "the body has 1048577 bytes; at most 1048576 are allowed",
        );
}

#[tokio::test]
async fn requires_a_json_content_type() {
    let server = MockServer::start().await;
    for line in WRITES {
        request(&server, line).body("{}").assert_rejected(
            415,
            "wrong_content_type",
            "the content type is missing; expected application/json",
        );
        for found in [
            "text/plain",
            "application/json5",
            "application/merge-patch+json",
            "",
        ] {
            let message = format!("the content type is {found}; expected application/json");
            request(&server, line)
                .header("Content-Type", found)
                .body("{}")
                .assert_rejected(415, "wrong_content_type", &message);
        }
    }
}

#[tokio::test]
async fn accepts_content_type_parameters_in_any_case() {
    let server = MockServer::start().await;
    for found in [
        "application/json; charset=utf-8",
        "application/json;charset=utf-8",
        "Application/JSON",
    ] {
        request(&server, "PATCH /me/profile")
            .header("content-type", found)
            .body("{}")
            .data(200);
    }
}

#[tokio::test]
async fn rejects_other_encodings_without_a_violation() {
    let server = MockServer::start().await;
    let json = "application/json";
    for line in WRITES {
        for (coding, content_type, found) in [
            ("gzip", json, "gzip"),
            ("gzip, BR", json, "gzip, BR"),
            ("identity", "application/json; charset=utf-16", "utf-16"),
            (
                "",
                "application/json; a=b; Charset=\"UTF-16LE\"",
                "UTF-16LE",
            ),
            ("", "application/json;charset=iso-8859-1", "iso-8859-1"),
            ("zstd", "application/json; charset=utf-32", "zstd, utf-32"),
        ] {
            let message = format!("the encoding of the body is {found}; send plain UTF-8");
            request(&server, line)
                .header("Content-Type", content_type)
                .header("Content-Encoding", coding)
                .body(b"\x1f\x8b\x08\x00")
                .assert_rejected(415, "unsupported_encoding", &message);
        }
    }
    for (coding, parameters) in [
        ("identity", ""),
        ("", "; charset=\"UTF-8\""),
        ("Identity", ";charset=utf8"),
        ("", "; charset=us-ascii"),
    ] {
        request(&server, "PATCH /me/profile")
            .header("Content-Type", &format!("{json}{parameters}"))
            .header("Content-Encoding", coding)
            .body("{}")
            .data(200);
    }
    server.assert_no_violations();
}

#[tokio::test]
async fn names_a_byte_order_mark() {
    let server = MockServer::start().await;
    for body in [&b"\xef\xbb\xbf{}"[..], b"\xff\xfe{\0}\0", b"\xfe\xff\0{\0}"] {
        request(&server, "PATCH /me/profile")
            .header("Content-Type", "application/json")
            .body(body)
            .assert_rejected(
                400,
                "not_a_json_object",
                "the body is not a JSON object: it begins with a byte order mark; send UTF-8 without one",
            );
    }
}

#[tokio::test]
async fn rejects_two_content_types() {
    let server = MockServer::start().await;
    request(&server, "PATCH /me/profile")
        .header("Content-Type", "application/json")
        .text("{}")
        .assert_rejected(
            415,
            "wrong_content_type",
            "the content type is application/json and application/json; \
             expected application/json",
        );
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
        let invalid = ["", "bio=x", "{", "{}{}"].map(|body| (body, json_error(body)));
        let others = [
            ("[]", "found an array"),
            (" null", "found null"),
            ("true", "found a boolean"),
            ("-1", "found a number"),
            ("\"x\"", "found a string"),
            (deep.as_str(), "found an array"),
        ]
        .map(|(body, reason)| (body, reason.to_owned()));
        for (body, reason) in invalid.into_iter().chain(others) {
            let message = format!("the body is not a JSON object: {reason}");
            request(&server, line)
                .text(body)
                .assert_rejected(400, "not_a_json_object", &message);
        }
    }
    assert_eq!(server.world().unwrap(), before);
}

#[tokio::test]
async fn rejects_invalid_utf_8() {
    let server = MockServer::start().await;
    let body = b"{\"body\":\"\xff\"}";
    let message = format!("the body is not a JSON object: {}", json_error(body));
    request(&server, "POST /me/posts")
        .header("Content-Type", "application/json")
        .body(body)
        .assert_rejected(400, "not_a_json_object", &message);
}
