//! `profile webhook probe`, against a correct receiver and receivers with mistakes.

use hmac::{Hmac, KeyInit as _, Mac as _};
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, MockServer as LocalReceiver, Request, ResponseTemplate};
use sha1::Sha1;
use webhook_verify::{Headers, Secret, Verifier, sign};

use super::{SECRET, home, webhook};
use crate::program::Run;

type Answer = fn(&Request) -> u16;

/// Probes a receiver that responds with the status code that `answer` returns.
async fn probe(answer: Answer, further: &[&str]) -> Run {
    let receiver = LocalReceiver::start().await;
    let respond = move |request: &Request| ResponseTemplate::new(answer(request));
    Mock::given(any())
        .respond_with(respond)
        .mount(&receiver)
        .await;
    let url = receiver.uri();
    let arguments = [&["probe", &url, "--yes"], further].concat();
    webhook(home().path(), &arguments).run()
}

/// Probes a receiver with mistakes, and checks its failed deliveries.
async fn check_mistakes(answer: Answer, message: &str) {
    let run = probe(answer, &["--json"]).await;
    assert_eq!(run.code(), 1, "{run}");
    let lines = run.stderr();
    let error: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(error["error"]["message"], message, "{run}");
    let printed: serde_json::Value = serde_json::from_slice(run.stdout_bytes()).unwrap();
    let results = printed.as_array().unwrap();
    assert_eq!(results.len(), 44);
    let failed = results.iter().filter(|result| result["result"] == "failed");
    for name in failed.map(|result| result["delivery"].as_str().unwrap()) {
        assert!(message.contains(name), "{name}");
    }
}

fn secret() -> Secret {
    Secret::new(SECRET).unwrap()
}

fn status(is_authentic: bool) -> u16 {
    if is_authentic { 204 } else { 401 }
}

/// The first signature, or an empty text.
fn signature(request: &Request) -> &str {
    let value = request.headers.get("x-service-signature");
    value.map_or("", |value| value.to_str().unwrap())
}

/// A correct receiver.
pub(crate) fn verifying(request: &Request) -> u16 {
    let headers = Headers::from(&request.headers);
    let verified = Verifier::new(secret()).verify(headers, &request.body);
    status(verified.is_ok())
}

#[tokio::test]
async fn a_correct_receiver_passes() {
    let run = probe(verifying, &["--json"]).await;
    assert_eq!(run.stderr(), "");
    let printed = run.json();
    let results = printed.as_array().unwrap();
    let count = |result| results.iter().filter(|row| row["result"] == result).count();
    assert_eq!(count("passed"), 33);
    assert_eq!(count("informational"), 11);
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
    let run = probe(base64, &["--encoding", "base64"]).await;
    assert_eq!(run.code(), 0, "{run}");
}

#[tokio::test]
async fn finds_a_receiver_that_accepts_everything() {
    check_mistakes(
        |_| 200,
        "the receiver accepts forged deliveries (other_body, altered_body, byte_added, \
         byte_removed, body_removed, json_reformatted, json_reformatted_with_spaces, \
         digest_of_an_empty_body, large_body, other_secret, empty_secret, no_secret, \
         first_byte_altered, last_byte_altered, zeros, sha1, sha1_as_sha256, sha512, no_algorithm, \
         no_prefix, prefix_only, empty_signature, truncated_to_8, truncated_by_1, character_added, \
         not_a_digit, concatenated, concatenated_last, no_signature)",
    )
    .await;
}

#[tokio::test]
async fn finds_a_receiver_that_accepts_any_signature() {
    check_mistakes(
        |request| status(request.headers.contains_key("x-service-signature")),
        "the receiver accepts forged deliveries (other_body, altered_body, byte_added, \
         byte_removed, body_removed, json_reformatted, json_reformatted_with_spaces, \
         digest_of_an_empty_body, large_body, other_secret, empty_secret, no_secret, \
         first_byte_altered, last_byte_altered, zeros, sha1, sha1_as_sha256, sha512, no_algorithm, \
         no_prefix, prefix_only, empty_signature, truncated_to_8, truncated_by_1, character_added, \
         not_a_digit, concatenated, concatenated_last)",
    )
    .await;
}

#[tokio::test]
async fn finds_a_receiver_that_compares_the_start_of_the_signature() {
    check_mistakes(
        |request| status(sign(&secret(), &request.body).starts_with(signature(request))),
        "the receiver accepts forged deliveries (prefix_only, empty_signature, truncated_to_8, \
         truncated_by_1, no_signature)",
    )
    .await;
    check_mistakes(
        |request| status(signature(request).starts_with(&sign(&secret(), &request.body)[..15])),
        "the receiver accepts forged deliveries (last_byte_altered, truncated_to_8, \
         truncated_by_1, character_added, not_a_digit, concatenated)",
    )
    .await;
}

#[tokio::test]
async fn finds_a_receiver_that_accepts_sha1() {
    fn sha1(request: &Request) -> u16 {
        let hmac = Hmac::<Sha1>::new_from_slice(SECRET.as_bytes()).unwrap();
        let digest = hmac.chain_update(&request.body).finalize().into_bytes();
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        match signature(request) == format!("sha1={digest}") {
            true => 200,
            false => verifying(request),
        }
    }
    check_mistakes(sha1, "the receiver accepts forged deliveries (sha1)").await;
}

#[tokio::test]
async fn finds_a_receiver_that_ignores_empty_bodies() {
    check_mistakes(
        |request| match request.body.is_empty() {
            true => 200,
            false => verifying(request),
        },
        "the receiver accepts forged deliveries (body_removed)",
    )
    .await;
}

#[tokio::test]
async fn finds_a_receiver_that_verifies_serialized_json() {
    fn serialized(request: &Request) -> u16 {
        let Ok(json) = serde_json::from_slice::<serde_json::Value>(&request.body) else {
            return 400;
        };
        status(signature(request) == sign(&secret(), json.to_string()))
    }
    check_mistakes(
        serialized,
        "the receiver accepts forged deliveries (byte_added, json_reformatted) \
         and rejects genuine deliveries (unusual_spaces, newline_at_the_end)",
    )
    .await;
}

#[tokio::test]
async fn finds_a_receiver_that_rejects_everything() {
    check_mistakes(
        |_| 401,
        "the receiver rejects genuine deliveries (genuine, unusual_spaces, text_outside_ascii, \
         newline_at_the_end)",
    )
    .await;
}

#[tokio::test]
async fn other_status_codes_are_inconclusive() {
    let run = probe(|request| verifying(request).clamp(204, 302), &[]).await;
    assert_eq!(run.code(), 1, "{run}");
    let error = "error: the receiver rejects no forged delivery with 4xx\n";
    assert!(run.stderr().ends_with(error), "{run}");
    assert!(
        run.stderr()
            .starts_with("warning: neither 2xx nor 4xx, so inconclusive: other_body, ")
    );

    let run = probe(|_| 500, &[]).await;
    assert_eq!(run.code(), 1, "{run}");
    let error = "error: the receiver rejects genuine deliveries (genuine, ";
    assert!(run.stderr().contains(error), "{run}");
}

#[tokio::test]
async fn every_payload_is_marked() {
    let receiver = LocalReceiver::start().await;
    let respond = |request: &Request| ResponseTemplate::new(verifying(request));
    Mock::given(any())
        .respond_with(respond)
        .mount(&receiver)
        .await;
    let run = webhook(home().path(), &["probe", &receiver.uri(), "--yes"]).run();
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
