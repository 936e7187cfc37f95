//! Property tests with generated deliveries.

use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_assume, proptest};
use proptest::sample::Index;
use webhook_verify::{DigestEncoding, Secret, Verifier, VerifyError, explain, sign_as};

fn encoding(is_base64: bool) -> DigestEncoding {
    match is_base64 {
        true => DigestEncoding::Base64,
        false => DigestEncoding::Hex,
    }
}

fn verify_in_chunks(
    verifier: &Verifier,
    signature: &str,
    body: &[u8],
    cuts: &[Index],
) -> Result<usize, VerifyError> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
    cuts.extend([0, body.len()]);
    cuts.sort_unstable();
    let mut stream = verifier.start(crate::headers([signature.as_bytes()], None), None)?;
    for ends in cuts.windows(2) {
        stream.update(&body[ends[0]..ends[1]])?;
    }
    Ok(stream.finish()?.body_length())
}

proptest! {
    #[test]
    fn signed_bodies_verify_in_any_chunks(
        key in vec(any::<u8>(), 1..200),
        body in vec(any::<u8>(), 0..2000),
        cuts in vec(any::<Index>(), 0..20),
        is_base64: bool,
    ) {
        prop_assume!(Secret::with_surrounding_whitespace(&key[..]).is_ok());
        let secret = Secret::with_surrounding_whitespace(key).unwrap();
        let signature = sign_as(encoding(is_base64), &secret, &body);
        let verifier = Verifier::new(secret).encoding(encoding(is_base64));

        let headers = crate::headers([signature.as_bytes()], None);
        let verified = verifier.verify(headers, &body).unwrap();
        prop_assert_eq!(verified.body(), &body[..]);
        prop_assert_eq!(verify_in_chunks(&verifier, &signature, &body, &cuts), Ok(body.len()));
    }

    #[test]
    fn rejects_any_changed_bit(
        key in "[!-~]{1,100}",
        body in vec(any::<u8>(), 1..500),
        at: Index,
        cuts in vec(any::<Index>(), 0..5),
    ) {
        let secret = Secret::new(&key[..]).unwrap();
        let signature = sign_as(DigestEncoding::Hex, &secret, &body);
        let mut changed = body.clone();
        let bit = at.index(body.len() * 8);
        changed[bit / 8] ^= 1 << (bit % 8);
        let verifier = Verifier::new(secret);
        let mismatch = Err(VerifyError::Mismatch { body_length: body.len(), secrets: 1 });
        prop_assert_eq!(verify_in_chunks(&verifier, &signature, &changed, &cuts), mismatch);

        let mut key = key.into_bytes();
        let position = at.index(key.len());
        key[position] ^= 0x80;
        let verifier = Verifier::new(Secret::new(key).unwrap());
        prop_assert_eq!(verify_in_chunks(&verifier, &signature, &body, &cuts), mismatch);
    }

    #[test]
    fn rejects_arbitrary_headers_without_panic(
        signatures in vec(vec(any::<u8>(), 0..80), 0..3),
        digits in "(sha256=|sha1=|)[0-9a-fA-F+/=]{0,70}",
        events in vec(vec(any::<u8>(), 0..80), 0..3),
        body in vec(any::<u8>(), 0..100),
        is_base64: bool,
    ) {
        let verifier = Verifier::new(Secret::new("s").unwrap()).encoding(encoding(is_base64));
        let signatures = signatures.iter().map(Vec::as_slice);
        for signatures in [signatures.collect::<Vec<_>>(), vec![digits.as_bytes()]] {
            let headers = crate::headers(signatures, events.iter().map(Vec::as_slice));
            prop_assert!(verifier.verify(headers, &body).is_err());
            prop_assert!(verifier.start(headers, None).map_or(true, |stream| stream.finish().is_err()));
            prop_assert!(explain(encoding(is_base64), headers, &body, ["s", "t"]).diagnoses().is_empty());
        }
    }
}
