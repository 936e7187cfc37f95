//! Digests in base64.

use webhook_verify::{DigestEncoding, Verified, Verifier, VerifyError, sign_as};

use crate::{BASE64_SIGNATURE, BODY, SECRET, SIGNATURE, secret};

fn verify(signature: impl AsRef<[u8]>) -> Result<Verified<&'static [u8]>, VerifyError> {
    let verifier = Verifier::new(secret(SECRET)).encoding(DigestEncoding::Base64);
    verifier.verify(crate::headers([signature.as_ref()], None), BODY)
}

#[track_caller]
fn check_error(signature: impl AsRef<[u8]>, expected: VerifyError, message: &str) {
    let error = verify(signature).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), message);
}

#[test]
fn verifies_a_base64_signature() {
    let signature = sign_as(DigestEncoding::Base64, &secret(SECRET), BODY);
    assert_eq!(signature, BASE64_SIGNATURE);
    assert_eq!(verify(signature).unwrap().body(), BODY);
}

#[test]
fn signs_and_verifies_in_both_encodings() {
    for length in 0..261 {
        let body = vec![b'a'; length];
        for encoding in [DigestEncoding::Hex, DigestEncoding::Base64] {
            let signature = sign_as(encoding, &secret(SECRET), &body);
            let headers = crate::headers([signature.as_bytes()], None);
            let verifier = Verifier::new(secret(SECRET)).encoding(encoding);
            assert!(verifier.verify(headers, &body).is_ok());
        }
    }
}

#[test]
fn rejects_wrong_lengths() {
    let digits = &BASE64_SIGNATURE["sha256=".len()..];
    for text in [
        "",
        "=",
        &digits[..43],
        &format!("{digits}="),
        &format!("{digits}\n"),
        &"g".repeat(64),
    ] {
        let length = text.len();
        let encoding = DigestEncoding::Base64;
        let expected = VerifyError::BadLength { length, encoding };
        let message = format!(
            "X-Service-Signature has a digest of length {length}; expected 44 characters of base64"
        );
        check_error(format!("sha256={text}"), expected, &message);
    }
}

#[test]
fn rejects_invalid_base64() {
    let hex = "X-Service-Signature has a digest in hex; expected 44 characters of base64; \
               if the service uses hex, set Verifier::encoding(DigestEncoding::Hex)";
    check_error(SIGNATURE, VerifyError::LooksLikeHex, hex);
    for (position, byte) in [
        (0, b'='),
        (11, b'_'),
        (11, b'-'),
        (42, b'='),
        (43, b'A'),
        (43, b'\n'),
        (5, 0xff),
    ] {
        let mut signature = BASE64_SIGNATURE.as_bytes().to_vec();
        signature["sha256=".len() + position] = byte;
        let message = "X-Service-Signature has a digest that is not valid base64; \
                       expected A-Z, a-z, 0-9, + and /, and one = at the end";
        check_error(signature, VerifyError::NotBase64, message);
    }
}

#[test]
fn rejects_every_changed_byte() {
    for position in 0..BASE64_SIGNATURE.len() {
        for byte in 0..=255 {
            let mut signature = BASE64_SIGNATURE.as_bytes().to_vec();
            signature[position] = byte;
            let is_unchanged = signature == BASE64_SIGNATURE.as_bytes();
            assert_eq!(verify(&signature).is_ok(), is_unchanged);
        }
    }
}
