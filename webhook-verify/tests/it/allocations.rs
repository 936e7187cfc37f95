//! Verification does not allocate.

use webhook_verify::{DigestEncoding, Headers, Verifier};

use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

#[test]
fn verifying_a_delivery_does_not_allocate() {
    let verifier = Verifier::new(secret("another")).also_accept(secret(SECRET));
    let base64 = verifier.clone().encoding(DigestEncoding::Base64);
    for (verifier, signature, body, accepted) in [
        (&verifier, SIGNATURE, BODY, true),
        (&verifier, SIGNATURE, b"forged", false),
        (&base64, BASE64_SIGNATURE, BODY, true),
    ] {
        let pairs = [
            ("X-Service-Signature", signature),
            ("X-Service-Event", "post.shared"),
        ];
        let counted = allocation_counter::measure(|| {
            let verified = verifier.verify(Headers::new(pairs), body);
            let kind = verified.map(|verified| verified.event_kind().unwrap());
            assert_eq!(
                kind.is_ok_and(|kind| kind.as_str() == "post.shared"),
                accepted
            );
        });
        assert_eq!(counted.count_total, 0);
    }
}

#[test]
fn verifying_chunks_does_not_allocate() {
    let verifier = Verifier::new(secret(SECRET));
    let counted = allocation_counter::measure(|| {
        let headers = Headers::new([("X-Service-Signature", SIGNATURE)]);
        let mut stream = verifier.start(headers, Some(13)).unwrap();
        for byte in BODY {
            stream.update([*byte]).unwrap();
        }
        assert!(stream.finish().is_ok());
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn allocation_counter_works() {
    let counted = allocation_counter::measure(|| drop(BODY.to_vec()));
    assert_eq!(counted.count_total, 1);
}
