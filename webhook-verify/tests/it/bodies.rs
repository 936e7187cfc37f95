//! Verified bodies.

use webhook_verify::{Headers, Verifier};

use crate::{BODY, SECRET, SIGNATURE, secret, verify};

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
