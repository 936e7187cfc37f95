//! Bodies in chunks: judged before they come, limited while they come, verified at their end.

use webhook_verify::{EventKind, Headers, StreamVerifier, Verifier, VerifyError, sign};

use crate::{BODY, SECRET, SIGNATURE, secret};

fn headers() -> Headers<'static> {
    Headers::from_values([SIGNATURE.as_bytes()], [&b"post.liked"[..]])
}

#[track_caller]
fn start(limit: usize) -> StreamVerifier {
    let verifier = Verifier::new(secret(SECRET)).body_limit(limit);
    verifier.start(headers(), None).unwrap()
}

#[test]
fn every_chunking_in_two_verifies() {
    for cut in 0..=BODY.len() {
        let mut streaming = start(BODY.len());
        streaming.update(&BODY[..cut]).unwrap();
        streaming.update(&BODY[cut..]).unwrap();
        let verified = streaming.finish().unwrap();
        assert_eq!(verified.event_kind(), Ok(EventKind::PostLiked));
        assert_eq!((verified.body_length(), verified.secret_index()), (13, 0));
    }
}

#[test]
fn a_body_that_is_forged_or_cut_is_refused_at_its_end() {
    for body in [&b"Hello, World?"[..], b"Hello, World", b""] {
        let mut streaming = start(100);
        streaming.update(body).unwrap();
        assert_eq!(
            streaming.finish().unwrap_err(),
            VerifyError::Mismatch {
                body_length: body.len(),
                secrets: 1
            }
        );
    }
}

#[test]
fn the_headers_are_judged_before_the_announced_length() {
    let verifier = Verifier::new(secret(SECRET));
    let none = Headers::from_values(None, None);
    assert_eq!(
        verifier.start(none, Some(u64::MAX)).unwrap_err(),
        VerifyError::SignatureMissing
    );
    let sha1 = Headers::from_values([&b"sha1=00"[..]], None);
    assert_eq!(verifier.start(sha1, None).unwrap_err(), VerifyError::Sha1);
}

#[test]
fn the_announced_length_is_judged_before_the_body() {
    let verifier = Verifier::new(secret(SECRET)).body_limit(12);
    assert!(verifier.start(headers(), Some(12)).is_ok());
    let error = verifier.start(headers(), Some(13)).unwrap_err();
    assert_eq!(
        error,
        VerifyError::TooLarge {
            length: 13,
            limit: 12
        }
    );
    assert_eq!(
        error.to_string(),
        "the body has 13 bytes or more; at most 12 are taken: refuse it, \
         or raise Verifier::body_limit if the service sends such bodies"
    );
}

#[test]
fn the_limit_holds_whatever_was_announced_and_for_good() {
    let verifier = Verifier::new(secret(SECRET)).body_limit(12);
    let mut streaming = verifier.start(headers(), Some(1)).unwrap();
    streaming.update(&BODY[..12]).unwrap();
    let error = streaming.update(&BODY[12..]).unwrap_err();
    assert_eq!(
        error,
        VerifyError::TooLarge {
            length: 13,
            limit: 12
        }
    );
    assert_eq!(streaming.update(b"").unwrap_err(), error);
    assert_eq!(streaming.finish().unwrap_err(), error);
}

#[test]
fn the_limit_is_a_mebibyte_unless_set() {
    let verifier = Verifier::new(secret(SECRET));
    let body = vec![0; 1024 * 1024 + 1];
    let signature = sign(&secret(SECRET), &body[1..]);
    let headers = Headers::from_values([signature.as_bytes()], None);

    let mut streaming = verifier.start(headers, Some(1024 * 1024)).unwrap();
    streaming.update(&body[1..]).unwrap();
    assert!(streaming.finish().is_ok());
    let mut streaming = verifier.start(headers, None).unwrap();
    assert!(matches!(
        streaming.update(&body),
        Err(VerifyError::TooLarge { .. })
    ));
}

#[test]
fn every_secret_is_tried() {
    let verifier = Verifier::new(secret("new"))
        .also_accept(secret("old"))
        .also_accept(secret(SECRET));
    let mut streaming = verifier.start(headers(), None).unwrap();
    BODY.iter()
        .for_each(|byte| streaming.update([*byte]).unwrap());
    assert_eq!(streaming.finish().unwrap().secret_index(), 2);
}

#[test]
fn debug_shows_lengths_alone() {
    assert_eq!(
        format!("{:?}", start(9)),
        "StreamVerifier { length: 0, limit: 9, .. }"
    );
}
