//! Bodies of any bytes.

use webhook_verify::{Headers, Verifier, sign};

use crate::{BODY, SECRET, SIGNATURE, secret, verify};

// The digests were computed with `openssl dgst -sha256 -hmac`.
const EMPTY_SIGNATURE: &str =
    "sha256=66a0c074deaa0f489ead6537e0d32f9a344b90bbeda705b6ed45ecd3b413fb40";
const BINARY_SIGNATURE: &str =
    "sha256=978e0da10b8e4f494b32b34dc453778240febea8b9c9c604aebfd07ca2b65820";

#[test]
fn verifies_an_empty_body() {
    assert_eq!(verify(EMPTY_SIGNATURE, b"").unwrap().body(), b"");
}

#[test]
fn verifies_a_body_that_is_not_utf_8() {
    assert_eq!(
        verify(BINARY_SIGNATURE, b"\xff\x00\xfe").unwrap().body(),
        b"\xff\x00\xfe"
    );
}

#[test]
fn does_not_trim_the_body() {
    assert!(verify(SIGNATURE, b"Hello, World!\n").is_err());
    assert!(verify(SIGNATURE, b" Hello, World!").is_err());
}

#[test]
fn verifies_bodies_of_all_lengths_around_block_sizes() {
    for length in 0..=260 {
        let body: Vec<u8> = (0..=255).cycle().take(length).collect();
        let signature = sign(&secret(SECRET), &body);
        assert_eq!(verify(signature, &body).unwrap().body(), body);
    }
}

#[test]
fn verified_holds_an_owned_body() {
    let headers = Headers::new([("x-service-signature", SIGNATURE)]);
    let verified = Verifier::new(secret(SECRET))
        .verify(headers, BODY.to_vec())
        .unwrap();
    assert_eq!(verified.into_body(), BODY.to_vec());
}

#[test]
fn debug_prints_the_length_instead_of_the_body() {
    assert_eq!(
        format!("{:?}", verify(SIGNATURE, BODY).unwrap()),
        "Verified { body_length: 13, event_kind: Err(Missing), secret_index: 0 }"
    );
}
