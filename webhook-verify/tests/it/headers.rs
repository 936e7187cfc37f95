//! Finding the two headers in all headers of a request.

use http::{HeaderMap, HeaderValue};
use webhook_verify::{
    EVENT_HEADER, EventKind, Headers, SIGNATURE_HEADER, Verified, Verifier, VerifyError,
};

use crate::{BODY, SECRET, SIGNATURE, secret};

fn verify_with(headers: Headers<'_>) -> Result<Verified<&'static [u8]>, VerifyError> {
    Verifier::new(secret(SECRET)).verify(headers, BODY)
}

#[test]
fn names_are_case_insensitive() {
    let pairs = [
        ("Host", "127.0.0.1"),
        ("X-SERVICE-SIGNATURE", SIGNATURE),
        ("X-Service-Signature-Extra", "sha256=00"),
        ("x-service-event", "profile.liked"),
        ("X_Service_Event", "post.liked"),
    ];
    let verified = verify_with(Headers::new(pairs)).unwrap();
    assert_eq!(verified.event_kind(), Ok(EventKind::ProfileLiked));
}

#[test]
fn accepts_an_http_header_map() {
    let mut map = HeaderMap::new();
    map.insert(SIGNATURE_HEADER, HeaderValue::from_static(SIGNATURE));
    map.insert(EVENT_HEADER, HeaderValue::from_static("post.replied"));
    let verified = verify_with(Headers::new(&map)).unwrap();
    assert_eq!(verified.event_kind(), Ok(EventKind::PostReplied));

    map.append(SIGNATURE_HEADER, HeaderValue::from_static(SIGNATURE));
    assert_eq!(
        verify_with(Headers::from(&map)).unwrap_err(),
        VerifyError::SignatureDuplicate { count: 2 }
    );
}

#[test]
fn rejects_a_missing_signature() {
    let error = verify_with(Headers::new([("X-Service-Event", "post.liked")])).unwrap_err();
    assert_eq!(error, VerifyError::SignatureMissing);
    assert_eq!(
        error.to_string(),
        "the request has no X-Service-Signature header; \
         if the service sent it, check that no proxy removes the header"
    );
}

#[test]
fn rejects_a_second_signature_even_if_both_are_correct() {
    let pairs = [
        ("X-Service-Signature", SIGNATURE),
        ("x-service-signature", SIGNATURE),
    ];
    let error = verify_with(Headers::new(pairs)).unwrap_err();
    assert_eq!(error, VerifyError::SignatureDuplicate { count: 2 });
    assert_eq!(
        error.to_string(),
        "the request has 2 X-Service-Signature headers; expected exactly one"
    );
}
