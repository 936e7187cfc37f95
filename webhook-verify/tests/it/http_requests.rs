//! Creation and verification of requests of the crate `http`.

use webhook_verify::{
    DigestEncoding, EVENT_HEADER, EventKind, SIGNATURE_HEADER, SignedRequest, Verifier,
};

use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

#[test]
fn a_signed_request_has_the_headers_of_a_delivery() {
    let request = SignedRequest::post("http://127.0.0.1:8080/hooks?a=b", BODY)
        .event_kind(EventKind::PostReplied)
        .sign(&secret(SECRET))
        .unwrap();
    assert_eq!(request.method(), "POST");
    assert_eq!(request.uri(), "http://127.0.0.1:8080/hooks?a=b");
    assert_eq!(request.headers()[SIGNATURE_HEADER], SIGNATURE);
    assert_eq!(request.headers()[EVENT_HEADER], "post.replied");
    assert_eq!(request.headers()["content-type"], "application/json");
    assert_eq!(*request.body(), BODY);
}

#[test]
fn signs_in_base64() {
    let request = SignedRequest::post("/", BODY)
        .encoding(DigestEncoding::Base64)
        .sign(&secret(SECRET))
        .unwrap();
    assert_eq!(request.headers()[SIGNATURE_HEADER], BASE64_SIGNATURE);
    assert!(!request.headers().contains_key(EVENT_HEADER));
}

#[test]
fn reports_an_invalid_uri() {
    assert!(
        SignedRequest::post("not a URI", BODY)
            .sign(&secret(SECRET))
            .is_err()
    );
}

#[test]
fn verifying_a_request_keeps_uri_and_headers() {
    let request = SignedRequest::post("/hooks", BODY)
        .event_kind(EventKind::FollowCreated)
        .sign(&secret(SECRET))
        .unwrap();
    let verified = Verifier::new(secret(SECRET))
        .verify_request(request)
        .unwrap();
    assert_eq!(verified.uri(), "/hooks");
    assert_eq!(verified.headers()[EVENT_HEADER], "follow.created");
    assert_eq!(verified.body().event_kind(), Ok(EventKind::FollowCreated));
}
