//! `profile webhook probe`, against a correct receiver and receivers with mistakes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hmac::{Hmac, KeyInit as _, Mac as _};
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, MockServer as LocalReceiver, Request, ResponseTemplate};
use sha1::Sha1;
use tokio::task::{JoinSet, spawn_blocking};
use webhook_verify::{Headers, Secret, Verifier, sign};

use super::{SECRET, home, webhook};
use crate::program::Run;

type Answer = fn(&Request) -> u16;

/// Starts a receiver that responds with the status code that `answer` returns.
async fn receiver(answer: Answer) -> LocalReceiver {
    let receiver = LocalReceiver::start().await;
    let respond = move |request: &Request| ResponseTemplate::new(answer(request));
    Mock::given(any())
        .respond_with(respond)
        .mount(&receiver)
        .await;
    receiver
}

async fn probe(receiver: &LocalReceiver, further: &[&str]) -> Run {
    let url = receiver.uri();
    let arguments = [&["probe", &url, "--yes"], further].concat();
    let program = webhook(home().path(), &arguments);
    spawn_blocking(|| program.run()).await.unwrap()
}

fn secret() -> Secret {
    Secret::new(SECRET).unwrap()
}

fn status(is_authentic: bool) -> u16 {
    if is_authentic { 204 } else { 401 }
}

/// Returns the first value of a header, or an empty text.
fn header<'r>(request: &'r Request, name: &str) -> &'r str {
    let value = request.headers.get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

fn signature(request: &Request) -> &str {
    header(request, "x-service-signature")
}

/// A correct receiver.
pub(crate) fn verifying(request: &Request) -> u16 {
    let headers = Headers::from(&request.headers);
    let verified = Verifier::new(secret()).verify(headers, &request.body);
    status(verified.is_ok())
}

/// A receiver that verifies each delivery, unless the condition is true.
macro_rules! unless {
    ($condition:expr) => {
        |request| {
            let is_exempt: fn(&Request) -> bool = $condition;
            match is_exempt(request) {
                true => 204,
                false => verifying(request),
            }
        }
    };
}

/// A receiver that verifies another body than the one that it received.
macro_rules! verifies {
    ($body:expr) => {
        |request| {
            let body: fn(&Request) -> Vec<u8> = $body;
            status(signature(request) == sign(&secret(), body(request)))
        }
    };
}

#[tokio::test]
async fn a_correct_receiver_passes() {
    let run = probe(&receiver(verifying).await, &["--json"]).await;
    assert_eq!(run.stderr(), "");
    let printed = run.json();
    let results = printed.as_array().unwrap();
    assert_eq!(
        results[0],
        serde_json::json!({
            "delivery": "genuine",
            "expected": "accepted",
            "result": "passed",
            "status": 204,
            "error": null,
            "reason": "the service sends it",
        })
    );
    for row in results {
        let expected = match row["expected"] == "either" {
            true => "informational",
            false => "passed",
        };
        assert_eq!(row["result"], expected, "{row}");
    }
    let of = |name| results.iter().find(|row| row["delivery"] == name).unwrap();
    assert_eq!(of("replay")["status"], 204);
    assert_eq!(of("other_encoding")["status"], 401);
    assert_eq!(of("upper_case")["status"], 204);
}

#[tokio::test]
async fn accepts_a_receiver_for_base64() {
    fn base64(request: &Request) -> u16 {
        let verifier = Verifier::new(secret()).encoding(webhook_verify::DigestEncoding::Base64);
        let verified = verifier.verify(Headers::from(&request.headers), &request.body);
        status(verified.is_ok())
    }
    let run = probe(&receiver(base64).await, &["--encoding", "base64"]).await;
    assert_eq!(run.code(), 0, "{run}");
}

#[tokio::test]
async fn finds_mistakes() {
    let mut checks = JoinSet::new();
    for (answer, message) in MISTAKES {
        checks.spawn(check_mistakes(receiver(answer).await, message));
    }
    checks.join_all().await;
}

/// Probes a receiver with mistakes, and checks its failed deliveries.
async fn check_mistakes(receiver: LocalReceiver, message: &str) {
    let run = probe(&receiver, &["--json"]).await;
    assert_eq!(run.code(), 1, "expected: {message}\n{run}");
    let lines = run.stderr();
    let error: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(error["error"]["message"], message, "{run}");
}

/// Receivers with mistakes, each with what is found.
const MISTAKES: [(Answer, &str); 30] = [
    // The signature.
    (
        |request| status(sign(&secret(), &request.body).starts_with(signature(request))),
        "the receiver accepts forged deliveries (prefix_only, empty_signature, truncated_to_8, \
         truncated_by_1, no_signature)",
    ),
    (
        |request| status(signature(request).starts_with(&sign(&secret(), &request.body)[..15])),
        "the receiver accepts forged deliveries (last_byte_altered, truncated_to_8, \
         truncated_by_1, character_added, not_a_digit, concatenated)",
    ),
    (
        unless!(|request| {
            let hmac = Hmac::<Sha1>::new_from_slice(SECRET.as_bytes()).unwrap();
            let digest = hmac.chain_update(&request.body).finalize().into_bytes();
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            signature(request) == format!("sha1={digest}")
        }),
        "the receiver accepts forged deliveries (sha1)",
    ),
    (
        unless!(|request| {
            let unset = Secret::new("undefined").unwrap();
            signature(request) == sign(&unset, &request.body)
        }),
        "the receiver accepts forged deliveries (secret_undefined)",
    ),
    // The body.
    (
        unless!(|request| request.body.is_empty()),
        "the receiver accepts forged deliveries (body_removed)",
    ),
    (
        verifies!(|request| parsed_again(request).into()),
        "the receiver accepts forged deliveries (byte_added, json_reformatted) \
         and rejects genuine deliveries (unusual_spaces, newline_at_the_end)",
    ),
    (
        verifies!(|request| request
            .body
            .iter()
            .copied()
            .take_while(|byte| *byte != 0)
            .collect()),
        "the receiver accepts forged deliveries (after_nul)",
    ),
    (
        verifies!(|request| String::from_utf8_lossy(&request.body)
            .into_owned()
            .into_bytes()),
        "the receiver accepts forged deliveries (invalid_utf8_replaced)",
    ),
    (
        verifies!(|request| {
            let valid = request.body.utf8_chunks().map(|chunk| chunk.valid());
            valid.collect::<String>().into_bytes()
        }),
        "the receiver accepts forged deliveries (invalid_utf8_removed)",
    ),
    (
        verifies!(|request| {
            let parts = request.body.chunks(1000).map(String::from_utf8_lossy);
            parts.collect::<String>().into_bytes()
        }),
        "the receiver accepts forged deliveries (invalid_utf8_replaced) \
         and rejects genuine deliveries (65_kib_outside_ascii)",
    ),
    (
        |request| match request.body.len() > 64 << 10 {
            true => 413,
            false => verifying(request),
        },
        "the receiver rejects genuine deliveries (65_kib, 65_kib_outside_ascii)",
    ),
    // Exemptions.
    (
        unless!(|request| request.body.len() > 64 << 10),
        "the receiver accepts forged deliveries (large_body, after_64_kib)",
    ),
    (
        unless!(|request| !request.headers.contains_key("x-service-event")),
        "the receiver accepts forged deliveries (forged_no_kind)",
    ),
    (
        unless!(|request| {
            let kind = header(request, "x-service-event");
            !kind.is_empty() && !kind.contains('.')
        }),
        "the receiver accepts forged deliveries (forged_unknown_kind, forged_challenge)",
    ),
    (
        unless!(|request| header(request, "x-service-event").starts_with("follow")),
        "the receiver accepts forged deliveries (follow.created)",
    ),
    (
        unless!(|request| !request.headers.contains_key("content-type")),
        "the receiver accepts forged deliveries (forged_no_content_type)",
    ),
    (
        unless!(|request| header(request, "content-type").contains("form")),
        "the receiver accepts forged deliveries (forged_form)",
    ),
    (
        unless!(|request| header(request, "content-type").starts_with("text/")),
        "the receiver accepts forged deliveries (forged_text)",
    ),
    (
        unless!(|request| request.body.ends_with(br#""type":"ping"}"#)),
        "the receiver accepts forged deliveries (forged_unknown_kind)",
    ),
    (
        unless!(|request| request.body.ends_with(br#""type":"url_verification"}"#)),
        "the receiver accepts forged deliveries (forged_challenge)",
    ),
    (
        |request| {
            static IS_VALID: AtomicBool = AtomicBool::new(false);
            if header(request, "content-type") == "application/json" {
                IS_VALID.store(verifying(request) == 204, Ordering::Relaxed);
            }
            status(IS_VALID.load(Ordering::Relaxed))
        },
        "the receiver accepts forged deliveries (forged_no_content_type, forged_form, forged_text)",
    ),
    // Genuine deliveries.
    (
        |request| match header(request, "content-type") {
            "application/json" => verifying(request),
            _ => 415,
        },
        "the receiver rejects genuine deliveries (no_content_type, form, invalid_content_type)",
    ),
    (
        |request| match header(request, "content-type") {
            "application/x-www-form-urlencoded" => 401,
            _ => verifying(request),
        },
        "the receiver rejects genuine deliveries (form)",
    ),
    (
        |request| match header(request, "content-type") {
            "json" => 415,
            _ => verifying(request),
        },
        "the receiver rejects genuine deliveries (invalid_content_type)",
    ),
    (
        |request| match request.body.is_ascii() {
            true => verifying(request),
            false => 302,
        },
        "the receiver rejects genuine deliveries (text_outside_ascii, 65_kib_outside_ascii)",
    ),
    (
        |_| 401,
        "the receiver rejects genuine deliveries (genuine, unusual_spaces, text_outside_ascii, \
         newline_at_the_end, 65_kib, 65_kib_outside_ascii, no_content_type, form, \
         invalid_content_type, genuine_at_the_end) and does not accept the last delivery, so its \
         rejections prove nothing",
    ),
    (
        |request| verifying(request).clamp(204, 302),
        "the receiver rejects no forged delivery with 4xx",
    ),
    // Rejections that prove nothing.
    (
        |request| {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            match COUNT.fetch_add(1, Ordering::Relaxed) < 5 {
                true => verifying(request),
                false => 429,
            }
        },
        "the receiver does not accept the last delivery, so its rejections prove nothing and \
         rejects no forged delivery with 4xx",
    ),
    (
        |request| {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            match COUNT.fetch_add(1, Ordering::Relaxed) < 15 {
                true => verifying(request),
                false => 403,
            }
        },
        "the receiver rejects genuine deliveries (genuine_at_the_end) and does not accept the \
         last delivery, so its rejections prove nothing",
    ),
    (
        |request| match verifying(request) {
            204 => 204,
            _ => 408,
        },
        "the receiver rejects no forged delivery with 4xx",
    ),
];

#[tokio::test]
async fn finds_a_receiver_that_accepts_everything() {
    let run = probe(&receiver(|_| 200).await, &["--json"]).await;
    assert_eq!(run.code(), 1, "{run}");
    let printed: serde_json::Value = serde_json::from_slice(run.stdout_bytes()).unwrap();
    for row in printed.as_array().unwrap() {
        let expected = match row["expected"].as_str().unwrap() {
            "accepted" => "passed",
            "rejected" => "failed",
            _ => "informational",
        };
        assert_eq!(row["result"], expected, "{row}");
    }
}

#[tokio::test]
async fn the_hint_depends_on_what_is_accepted() {
    let parsed = "the receiver verifies JSON that was parsed and serialized again; it must verify the raw \
                  bytes, as those in docs/receivers of the repository do";
    let secret = "the receiver must use the same secret and encoding";
    let before =
        "JSON is parsed before the handler, which must get the raw bytes; exclude the path from it";
    let receivers: [(Answer, Option<&str>); 7] = [
        (
            verifies!(|request| parsed_again(request).into()),
            Some(parsed),
        ),
        // As Python's `json` formats it: all genuine deliveries are rejected.
        (
            verifies!(|request| {
                let json = parsed_again(request).replace(',', ", ");
                json.replace("\":", "\": ").into()
            }),
            Some(parsed),
        ),
        (|_| 401, Some(secret)),
        (
            |request| {
                status(signature(request) == sign(&Secret::new("None").unwrap(), &request.body))
            },
            Some(secret),
        ),
        (
            |request| status(signature(request).is_empty()),
            Some(secret),
        ),
        (|_| 204, None),
        (
            |request| match header(request, "content-type") {
                "application/json" => 401,
                _ => verifying(request),
            },
            Some(before),
        ),
    ];
    for (answer, hint) in receivers {
        let run = probe(&receiver(answer).await, &["--json"]).await;
        let line = run.stderr().lines().last().unwrap().to_owned();
        let error: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(error["error"]["hint"].as_str(), hint, "{run}");
    }
}

#[tokio::test]
async fn a_login_in_front_of_the_receiver_is_named() {
    let login =
        "; or authentication in front of the receiver answered, which must exclude the path";
    for (header, is_named) in [("www-authenticate", true), ("x-other", false)] {
        let receiver = LocalReceiver::start().await;
        let response = ResponseTemplate::new(401).insert_header(header, "Basic");
        Mock::given(any())
            .respond_with(response)
            .mount(&receiver)
            .await;
        let to = receiver.uri();
        let sent = webhook(home().path(), &["send", "post.liked", "--to", &to]);
        let sent = spawn_blocking(|| sent.run()).await.unwrap();
        for run in [probe(&receiver, &[]).await, sent] {
            let hint = run
                .stderr()
                .split_once("hint: ")
                .unwrap()
                .1
                .replace('\n', " ");
            assert!(hint.contains("secret"), "{run}");
            assert_eq!(hint.contains(login), is_named, "{run}");
        }
    }
}

/// Some servers, such as Django's under gunicorn, do not read them.
#[tokio::test]
async fn a_rejected_delivery_in_chunks_is_informational() {
    let receiver = receiver(|request| match header(request, "transfer-encoding") {
        "chunked" => 411,
        _ => verifying(request),
    });
    let run = probe(&receiver.await, &["--json"]).await;
    let rows = run.json();
    let row = rows
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["delivery"] == "in_chunks");
    let row = row.unwrap();
    assert_eq!(
        (&row["status"], &row["result"]),
        (&411.into(), &"informational".into())
    );
}

/// Returns the body as JSON that was parsed and serialized again, or an empty text.
fn parsed_again(request: &Request) -> String {
    let parsed = serde_json::from_slice::<serde_json::Value>(&request.body);
    parsed.map_or_else(|_| String::new(), |json| json.to_string())
}

#[tokio::test]
async fn finds_a_genuine_delivery_without_a_response() {
    let receiver = receiver(verifying).await;
    Mock::given(|request: &Request| !request.body.is_ascii())
        .respond_with_err(|_: &Request| std::io::Error::other("closed"))
        .with_priority(1)
        .mount(&receiver)
        .await;
    let message =
        "the receiver rejects genuine deliveries (text_outside_ascii, 65_kib_outside_ascii)";
    check_mistakes(receiver, message).await;
}

#[tokio::test]
async fn warns_of_inconclusive_results() {
    fn answer(request: &Request) -> u16 {
        match request.body.is_empty() {
            true => 429,
            false => verifying(request),
        }
    }
    let run = probe(&receiver(answer).await, &[]).await;
    assert_eq!(run.code(), 0, "{run}");
    assert_eq!(run.stderr(), "warning: inconclusive: body_removed\n");
}

#[tokio::test]
async fn every_payload_is_marked() {
    let receiver = receiver(verifying).await;
    let run = probe(&receiver, &[]).await;
    assert_eq!(run.code(), 0, "{run}");
    let requests = receiver.received_requests().await.unwrap();
    for request in requests.iter().filter(|request| verifying(request) == 204) {
        let body = String::from_utf8(request.body.clone()).unwrap();
        let body = body.replace([' ', '"'], "");
        assert!(body.contains("probe:true"), "{body}");
    }
}

#[tokio::test]
async fn asks_before_it_sends() {
    let receiver = LocalReceiver::start().await;
    let run = webhook(home().path(), &["probe", &receiver.uri()]).run();
    run.check_needs_consent();
    assert_eq!(receiver.received_requests().await.unwrap().len(), 0);
}

#[test]
fn other_machines_need_permission() {
    let home = home();
    for url in [
        "http://192.0.2.1/hooks",
        "https://example.com",
        "http://localhost.example.com",
    ] {
        let run = webhook(home.path(), &["probe", url, "--yes"]).run();
        assert_eq!(run.code(), 2, "{run}");
        assert!(
            run.stderr()
                .contains(" is not on this machine\nhint: add --allow-remote")
        );
    }
}

#[test]
fn fails_without_a_receiver() {
    for url in [
        "http://127.0.0.1:1/hooks",
        "http://[::1]:1/hooks",
        "http://localhost:1/hooks",
    ] {
        let run = webhook(home().path(), &["probe", url, "--yes"]).run();
        assert_eq!(run.code(), 8, "{run}");
        let error = "error: the receiver did not respond: cannot connect: ";
        assert!(run.stderr().starts_with(error), "{run}");
    }
}

#[tokio::test]
#[cfg_attr(windows, ignore = "counts the responses of a receiver on Unix")]
async fn wraps_reasons_and_ends_with_a_summary() {
    let receiver = receiver(verifying).await;
    let url = receiver.uri();
    let program = webhook(home().path(), &["probe", &url, "--yes", "-o", "table"]);
    let run = program.env("COLUMNS", "80").run();
    assert!(run.stdout().lines().all(|line| line.len() <= 80), "{run}");
    let words = run
        .stdout()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let reason = "204 the signature covers the bytes, not the parsed JSON passed";
    assert!(words.contains(reason), "{run}");
    let total = run
        .stdout()
        .lines()
        .filter(|line| !line.starts_with([' ', 'r']))
        .count();
    let summary = format!(
        "note: {total} deliveries: 56 passed, 0 failed, 0 inconclusive, 11 informational\n"
    );
    assert_eq!(run.stderr(), summary);
}
