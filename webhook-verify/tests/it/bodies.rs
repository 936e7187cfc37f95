//! Bodies are bytes: any of them verify, and the witness gives them back as they were.

use webhook_verify::{Headers, Verifier, sign};

use crate::{BODY, SECRET, SIGNATURE, secret, verify};

// The digests were computed with `openssl dgst -sha256 -hmac`.
const OF_EMPTY: &str = "sha256=66a0c074deaa0f489ead6537e0d32f9a344b90bbeda705b6ed45ecd3b413fb40";
const OF_BINARY: &str = "sha256=978e0da10b8e4f494b32b34dc453778240febea8b9c9c604aebfd07ca2b65820";

#[test]
fn an_empty_body_verifies() {
    assert_eq!(verify(OF_EMPTY, b"").unwrap().body(), b"");
}

#[test]
fn a_body_that_is_not_utf_8_verifies() {
    assert_eq!(
        verify(OF_BINARY, b"\xff\x00\xfe").unwrap().body(),
        b"\xff\x00\xfe"
    );
}

#[test]
fn a_body_is_not_trimmed() {
    assert!(verify(SIGNATURE, b"Hello, World!\n").is_err());
    assert!(verify(SIGNATURE, b" Hello, World!").is_err());
}

#[test]
fn whatever_is_signed_verifies_at_every_length_around_the_blocks() {
    for length in 0..=260 {
        let body: Vec<u8> = (0..=255).cycle().take(length).collect();
        let signature = sign(&secret(SECRET), &body);
        assert_eq!(verify(signature, &body).unwrap().body(), body);
    }
}

#[test]
fn the_witness_keeps_an_owned_body() {
    let headers = Headers::new([("x-service-signature", SIGNATURE)]);
    let verified = Verifier::new(secret(SECRET))
        .verify(headers, BODY.to_vec())
        .unwrap();
    assert_eq!(verified.into_body(), BODY.to_vec());
}

#[test]
fn debug_shows_the_length_and_not_the_body() {
    assert_eq!(
        format!("{:?}", verify(SIGNATURE, BODY).unwrap()),
        "Verified { body_length: 13, event_kind: Err(Missing), secret_index: 0 }"
    );
}
