//! Verification does not allocate.

use webhook_verify::{DigestEncoding, Headers, Verifier};

use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

#[test]
fn verifying_an_authentic_delivery_does_not_allocate() {
    let verifier = Verifier::new(secret("another")).also_accept(secret(SECRET));
    let pairs = [
        ("X-Service-Signature", SIGNATURE),
        ("X-Service-Event", "post.shared"),
    ];
    let counted = allocation_counter::measure(|| {
        let verified = verifier.verify(Headers::new(pairs), BODY).unwrap();
        assert_eq!(verified.event_kind().unwrap().as_str(), "post.shared");
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn rejecting_a_forged_delivery_does_not_allocate() {
    let verifier = Verifier::new(secret(SECRET));
    let counted = allocation_counter::measure(|| {
        let headers = Headers::new([("X-Service-Signature", SIGNATURE)]);
        assert!(verifier.verify(headers, b"forged").is_err());
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn verifying_base64_does_not_allocate() {
    let verifier = Verifier::new(secret(SECRET)).encoding(DigestEncoding::Base64);
    let counted = allocation_counter::measure(|| {
        let headers = Headers::new([("X-Service-Signature", BASE64_SIGNATURE)]);
        assert!(verifier.verify(headers, BODY).is_ok());
    });
    assert_eq!(counted.count_total, 0);
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
