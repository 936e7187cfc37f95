//! Verification of bodies in chunks.

use webhook_verify::{EventKind, Headers, StreamVerifier, Verifier, VerifyError, sign};

use crate::{BODY, SECRET, SIGNATURE, secret};

fn headers() -> Headers<'static> {
    crate::headers([SIGNATURE.as_bytes()], [&b"post.liked"[..]])
}

#[track_caller]
fn start(limit: usize) -> StreamVerifier {
    let verifier = Verifier::new(secret(SECRET)).body_limit(limit);
    verifier.start(headers(), None).unwrap()
}

#[test]
fn verifies_all_ways_to_split_the_body() {
    for cut in 0..=BODY.len() {
        let mut stream = start(BODY.len());
        stream.update(&BODY[..cut]).unwrap();
        stream.update(&BODY[cut..]).unwrap();
        let verified = stream.finish().unwrap();
        assert_eq!(verified.event_kind(), Ok(EventKind::PostLiked));
        assert_eq!((verified.body_length(), verified.secret_index()), (13, 0));
    }
}

#[test]
fn rejects_forged_and_truncated_bodies() {
    for body in [&b"Hello, World?"[..], b"Hello, World", b""] {
        let mut stream = start(100);
        stream.update(body).unwrap();
        let (body_length, secrets) = (body.len(), 1);
        let expected = VerifyError::Mismatch {
            body_length,
            secrets,
        };
        assert_eq!(stream.finish().unwrap_err(), expected);
    }
}

#[test]
fn validates_headers_before_the_content_length() {
    let verifier = Verifier::new(secret(SECRET));
    let none = crate::headers(None, None);
    let error = verifier.start(none, Some(u64::MAX)).unwrap_err();
    assert_eq!(error, VerifyError::SignatureMissing);
    let sha1 = crate::headers([&b"sha1=00"[..]], None);
    assert_eq!(verifier.start(sha1, None).unwrap_err(), VerifyError::Sha1);
}

#[test]
fn rejects_a_large_content_length() {
    let verifier = Verifier::new(secret(SECRET)).body_limit(12);
    assert!(verifier.start(headers(), Some(12)).is_ok());
    let error = verifier.start(headers(), Some(13)).unwrap_err();
    let (length, limit) = (13, 12);
    assert_eq!(error, VerifyError::TooLarge { length, limit });
    assert_eq!(
        error.to_string(),
        "the body is too large: at least 13 bytes, maximum 12; \
         if the service sends such bodies, raise Verifier::body_limit"
    );
}

#[test]
fn enforces_the_limit_whatever_the_content_length() {
    let verifier = Verifier::new(secret(SECRET)).body_limit(12);
    let mut stream = verifier.start(headers(), Some(1)).unwrap();
    stream.update(&BODY[..12]).unwrap();
    let error = stream.update(&BODY[12..]).unwrap_err();
    let (length, limit) = (13, 12);
    assert_eq!(error, VerifyError::TooLarge { length, limit });
    assert_eq!(stream.update(b"").unwrap_err(), error);
    assert_eq!(stream.finish().unwrap_err(), error);
}

#[test]
fn default_limit_is_1_mib() {
    let verifier = Verifier::new(secret(SECRET));
    let body = vec![0; 1024 * 1024 + 1];
    let signature = sign(&secret(SECRET), &body[1..]);
    let headers = crate::headers([signature.as_bytes()], None);

    let mut stream = verifier.start(headers, Some(1024 * 1024)).unwrap();
    stream.update(&body[1..]).unwrap();
    assert!(stream.finish().is_ok());
    let mut stream = verifier.start(headers, None).unwrap();
    let error = stream.update(&body).unwrap_err();
    assert!(matches!(error, VerifyError::TooLarge { .. }));
}

#[test]
fn tries_all_secrets() {
    let verifier = Verifier::new(secret("new"))
        .also_accept(secret("old"))
        .also_accept(secret(SECRET));
    let mut stream = verifier.start(headers(), None).unwrap();
    BODY.iter().for_each(|byte| stream.update([*byte]).unwrap());
    assert_eq!(stream.finish().unwrap().secret_index(), 2);
}

#[test]
fn debug_prints_only_lengths() {
    let printed = format!("{:?}", start(9));
    assert_eq!(printed, "StreamVerifier { length: 0, limit: 9, .. }");
}
