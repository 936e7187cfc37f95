//! `profile webhook probe`, against a correct receiver and receivers with mistakes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hmac::{Hmac, KeyInit as _, Mac as _};
use mock_server::wiremock::{Mock, MockServer as LocalReceiver, Request, ResponseTemplate};
use sha1::Sha1;
use tokio::task::{JoinSet, spawn_blocking};
use webhook_verify::{Headers, Secret, Verifier, sign};

use super::{SECRET, home, webhook};
use crate::program::Run;

type Answer = fn(&Request) -> u16;

/// Starts a receiver that responds with the status code that `answer` returns.
async fn receiver(answer: Answer) -> LocalReceiver {
    super::receiver(move |request: &Request| ResponseTemplate::new(answer(request))).await
}

async fn probe(receiver: &LocalReceiver, further: &[&str]) -> Run {
    let url = receiver.uri();
    let arguments = [&["probe", &url, "--yes"], further].concat();
    let program = webhook(home().path(), &arguments);
    spawn_blocking(|| program.run()).await.unwrap()
}

fn other_secret(text: &str) -> Secret {
    Secret::new(text).unwrap()
}

fn secret() -> Secret {
    other_secret(SECRET)
}

fn status(is_authentic: bool) -> u16 {
    if is_authentic { 204 } else { 401 }
}

/// Returns the first value of a header, or an empty text.
fn header<'r>(request: &'r Request, name: &str) -> &'r str {
    let value = request.headers.get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

fn kind_of_content(request: &Request) -> &str {
    header(request, "content-type")
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

/// Responds with this status if the condition is true, and otherwise as a correct receiver.
fn unless_status(condition: bool, status: u16, request: &Request) -> u16 {
    match condition {
        true => status,
        false => verifying(request),
    }
}

/// A receiver that verifies each delivery, unless the condition is true.
macro_rules! unless {
    ($condition:expr) => {
        |request| {
            let is_exempt: fn(&Request) -> bool = $condition;
            unless_status(is_exempt(request), 204, request)
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
    let genuine = serde_json::json!({
        "delivery": "genuine",
        "expected": "accepted",
        "result": "passed",
        "status": 204,
        "error": null,
        "reason": "the service sends it",
    });
    assert_eq!(results[0], genuine);
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
    let (accepts, rejects) = (
        "accepts forged deliveries (",
        "rejects genuine deliveries (",
    );
    let message = message.replace("+(", accepts).replace("-(", rejects);
    let message = message.replace(
        "-last",
        "does not accept the last delivery, so its rejections prove nothing",
    );
    let message = message.replace("-4xx", "rejects no forged delivery with 4xx");
    let error = run.error()["message"].clone();
    assert_eq!(error, format!("the receiver {message}"), "{run}");
}

/// Receivers with mistakes, each with what is found: "+(" are forged deliveries that it accepts, and "-(" genuine
/// ones that it rejects.
const MISTAKES: [(Answer, &str); 30] = [
    // The signature.
    (
        |request| status(sign(&secret(), &request.body).starts_with(signature(request))),
        "+(prefix_only, empty_signature, truncated_to_8, \
         truncated_by_1, no_signature)",
    ),
    (
        |request| status(signature(request).starts_with(&sign(&secret(), &request.body)[..15])),
        "+(last_byte_altered, truncated_to_8, \
         truncated_by_1, character_added, not_a_digit, concatenated)",
    ),
    (
        unless!(|request| {
            let hmac = Hmac::<Sha1>::new_from_slice(SECRET.as_bytes()).unwrap();
            let digest = hmac.chain_update(&request.body).finalize().into_bytes();
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            signature(request) == format!("sha1={digest}")
        }),
        "+(sha1)",
    ),
    (
        unless!(|request| {
            signature(request) == sign(&other_secret("undefined"), &request.body)
        }),
        "+(secret_undefined)",
    ),
    // The body.
    (
        unless!(|request| request.body.is_empty()),
        "+(body_removed)",
    ),
    (
        verifies!(|request| parsed_again(request).into()),
        "+(byte_added, json_reformatted) and -(unusual_spaces, newline_at_the_end)",
    ),
    (
        verifies!(|request| request.body.split(|byte| *byte == 0).next().unwrap().into()),
        "+(after_nul)",
    ),
    (
        verifies!(|request| String::from_utf8_lossy(&request.body).as_bytes().into()),
        "+(invalid_utf8_replaced)",
    ),
    (
        verifies!(|request| {
            let valid = request.body.utf8_chunks().map(|chunk| chunk.valid());
            valid.collect::<String>().into_bytes()
        }),
        "+(invalid_utf8_removed)",
    ),
    (
        verifies!(|request| {
            let parts = request.body.chunks(1000).map(String::from_utf8_lossy);
            parts.collect::<String>().into_bytes()
        }),
        "+(invalid_utf8_replaced) and -(65_kib_outside_ascii)",
    ),
    (
        |request| unless_status(request.body.len() > 64 << 10, 413, request),
        "-(1_mb, 65_kib_outside_ascii)",
    ),
    // Exemptions.
    (
        unless!(|request| request.body.len() > 64 << 10),
        "+(large_body, after_64_kib)",
    ),
    (
        unless!(|request| !request.headers.contains_key("x-service-event")),
        "+(forged_no_kind)",
    ),
    (
        unless!(|request| {
            let kind = header(request, "x-service-event");
            !kind.is_empty() && !kind.contains('.')
        }),
        "+(forged_unknown_kind, forged_challenge)",
    ),
    (
        unless!(|request| header(request, "x-service-event").starts_with("follow")),
        "+(follow.created)",
    ),
    (
        unless!(|request| !request.headers.contains_key("content-type")),
        "+(forged_no_content_type)",
    ),
    (
        unless!(|request| kind_of_content(request).contains("form")),
        "+(forged_form)",
    ),
    (
        unless!(|request| kind_of_content(request).starts_with("text/")),
        "+(forged_text)",
    ),
    (
        unless!(|request| request.body.ends_with(br#""type":"ping"}"#)),
        "+(forged_unknown_kind)",
    ),
    (
        unless!(|request| request.body.ends_with(br#""type":"url_verification"}"#)),
        "+(forged_challenge)",
    ),
    (
        |request| {
            static IS_VALID: AtomicBool = AtomicBool::new(false);
            if kind_of_content(request) == "application/json" {
                IS_VALID.store(verifying(request) == 204, Ordering::Relaxed);
            }
            status(IS_VALID.load(Ordering::Relaxed))
        },
        "+(forged_no_content_type, forged_form, forged_text)",
    ),
    // Genuine deliveries.
    (
        |request| unless_status(kind_of_content(request) != "application/json", 415, request),
        "-(no_content_type, form, invalid_content_type)",
    ),
    (
        |request| {
            unless_status(
                kind_of_content(request).ends_with("/x-www-form-urlencoded"),
                401,
                request,
            )
        },
        "-(form)",
    ),
    (
        |request| unless_status(kind_of_content(request) == "json", 415, request),
        "-(invalid_content_type)",
    ),
    (
        |request| unless_status(!request.body.is_ascii(), 302, request),
        "-(text_outside_ascii, 65_kib_outside_ascii)",
    ),
    (
        |_| 401,
        "-(genuine, unusual_spaces, text_outside_ascii, \
         newline_at_the_end, 1_mb, 65_kib_outside_ascii, no_content_type, form, \
         invalid_content_type, genuine_at_the_end) and -last",
    ),
    (|request| verifying(request).clamp(204, 302), "-4xx"),
    // Rejections that prove nothing.
    (
        |request| {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let is_first = COUNT.fetch_add(1, Ordering::Relaxed) < 5;
            unless_status(!is_first, 429, request)
        },
        "-last and -4xx",
    ),
    (
        |request| {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let is_first = COUNT.fetch_add(1, Ordering::Relaxed) < 15;
            unless_status(!is_first, 403, request)
        },
        "-(genuine_at_the_end) and -last",
    ),
    (
        |request| match verifying(request) {
            204 => 204,
            _ => 408,
        },
        "-4xx",
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
    let receivers: [(Answer, Option<&str>); 8] = [
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
            |request| status(signature(request) == sign(&other_secret("None"), &request.body)),
            Some(secret),
        ),
        (
            |request| status(signature(request).is_empty()),
            Some(secret),
        ),
        (|_| 204, None),
        (
            |_| 413,
            Some("a limit on the size of bodies answered; raise it to at least 1000000 bytes"),
        ),
        (
            |request| unless_status(kind_of_content(request) == "application/json", 401, request),
            Some(before),
        ),
    ];
    for (answer, hint) in receivers {
        let run = probe(&receiver(answer).await, &["--json"]).await;
        assert_eq!(run.error()["hint"].as_str(), hint, "{run}");
    }
}

#[tokio::test]
async fn a_login_in_front_of_the_receiver_is_named() {
    let login =
        "; or authentication in front of the receiver answered, which must exclude the path";
    for (header, is_named) in [("www-authenticate", true), ("x-other", false)] {
        let response = ResponseTemplate::new(401).insert_header(header, "Basic");
        let receiver = super::receiver(response).await;
        let to = receiver.uri();
        let sent = webhook(home().path(), &["send", "post.liked", "--to", &to]);
        let sent = spawn_blocking(|| sent.run()).await.unwrap();
        for run in [probe(&receiver, &[]).await, sent] {
            let stderr = run.stderr();
            let (_, hint) = stderr.split_once("hint: ").unwrap();
            let hint = hint.replace('\n', " ");
            assert!(hint.contains("secret"), "{run}");
            assert_eq!(hint.contains(login), is_named, "{run}");
        }
    }
}

/// Some servers, such as Django's under gunicorn, do not read them.
#[tokio::test]
async fn a_rejected_delivery_in_chunks_is_informational() {
    let receiver = receiver(|request| {
        let is_chunked = header(request, "transfer-encoding") == "chunked";
        unless_status(is_chunked, 411, request)
    });
    let rows = probe(&receiver.await, &["--json"]).await.json();
    let mut rows = rows.as_array().unwrap().iter();
    let row = rows.find(|row| row["delivery"] == "in_chunks").unwrap();
    assert_eq!(row["status"], 411);
    assert_eq!(row["result"], "informational");
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
    check_mistakes(receiver, "-(text_outside_ascii, 65_kib_outside_ascii)").await;
}

#[tokio::test]
async fn warns_of_inconclusive_results() {
    let receiver = receiver(|request| unless_status(request.body.is_empty(), 429, request));
    let run = probe(&receiver.await, &[]).await;
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
        run.fails(2, " is not on this machine\nhint: add --allow-remote");
    }
}

#[test]
fn fails_without_a_receiver() {
    let run = webhook(
        home().path(),
        &["probe", "http://127.0.0.1:1/hooks", "--yes"],
    )
    .run();
    run.fails(8, "error: the receiver did not respond: cannot connect: ");
}

#[tokio::test]
#[cfg_attr(windows, ignore = "counts the responses of a receiver on Unix")]
async fn wraps_reasons_and_ends_with_a_summary() {
    let receiver = receiver(verifying).await;
    let url = receiver.uri();
    let program = webhook(home().path(), &["probe", &url, "--yes", "-o", "table"]);
    let run = program.env("COLUMNS", "80").run();
    assert!(run.stdout().lines().all(|line| line.len() <= 80), "{run}");
    let words: Vec<_> = run.stdout().split_whitespace().collect();
    let words = words.join(" ");
    let reason = "204 the signature covers the bytes, not the parsed JSON passed";
    assert!(words.contains(reason), "{run}");
    let lines = run.stdout().lines();
    let total = lines.filter(|line| !line.starts_with([' ', 'r'])).count();
    let summary = format!(
        "note: {total} deliveries: {} passed, 0 failed, 0 inconclusive, 11 informational\n",
        total - 11
    );
    assert_eq!(run.stderr(), summary);
}
