//! Verifying allocates nothing, whatever its outcome.

use webhook_verify::{DigestEncoding, Headers, Verifier};

use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

#[test]
fn an_authentic_delivery() {
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
fn a_forged_delivery() {
    let verifier = Verifier::new(secret(SECRET));
    let counted = allocation_counter::measure(|| {
        let headers = Headers::new([("X-Service-Signature", SIGNATURE)]);
        assert!(verifier.verify(headers, b"forged").is_err());
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_delivery_in_base64() {
    let verifier = Verifier::new(secret(SECRET)).encoding(DigestEncoding::Base64);
    let counted = allocation_counter::measure(|| {
        let headers = Headers::new([("X-Service-Signature", BASE64_SIGNATURE)]);
        assert!(verifier.verify(headers, BODY).is_ok());
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_delivery_in_chunks() {
    let verifier = Verifier::new(secret(SECRET));
    let counted = allocation_counter::measure(|| {
        let headers = Headers::new([("X-Service-Signature", SIGNATURE)]);
        let mut streaming = verifier.start(headers, Some(13)).unwrap();
        for byte in BODY {
            streaming.update([*byte]).unwrap();
        }
        assert!(streaming.finish().is_ok());
    });
    assert_eq!(counted.count_total, 0);
}

#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(BODY.to_vec()));
    assert_eq!(counted.count_total, 1);
}
