//! Parsing of `X-Service-Signature`.

use webhook_verify::{DigestEncoding, VerifyError};

use crate::{BASE64_SIGNATURE, BODY, SIGNATURE, verify};

const DIGITS: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

#[track_caller]
fn check_error(signature: impl AsRef<[u8]>, expected: VerifyError, message: &str) {
    let error = verify(signature, BODY).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), message);
}

#[test]
fn rejections_name_the_reason() {
    let (prefix, sha1, base64, mismatch) = (
        "X-Service-Signature does not start with sha256= in lower case; \
         expected sha256= followed by the digest and nothing else",
        "X-Service-Signature has a SHA-1 digest (sha1=), which is never accepted; \
         expected sha256= followed by the digest",
        "X-Service-Signature has a digest in base64; expected 64 hex digits; \
         if the service uses base64, set Verifier::encoding(DigestEncoding::Base64)",
        "X-Service-Signature does not match the body (length in bytes: 13, secrets tried: 1); \
         check the secret, and that the body is verified before anything decodes or parses it",
    );
    for start in ["", "SHA256=", "sha256", "sha512=", " sha256=", "="] {
        let signature = format!("{start}{DIGITS}");
        check_error(signature, VerifyError::BadPrefix, prefix);
    }
    // The correct SHA-1 digest of the delivery.
    let of_sha1 = "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59";
    check_error(of_sha1, VerifyError::Sha1, sha1);
    check_error(BASE64_SIGNATURE, VerifyError::LooksLikeBase64, base64);
    let (body_length, secrets) = (13, 1);
    let expected = VerifyError::Mismatch {
        body_length,
        secrets,
    };
    check_error(format!("sha256={}", "0".repeat(64)), expected, mismatch);
}

#[test]
fn rejects_wrong_lengths() {
    for text in [
        "",
        &DIGITS[..63],
        &"0".repeat(100_000),
        &format!("{DIGITS}\n"),
        // Invalid base64.
        "dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc",
        "dXEH6g6yUJ_CESIczphLijdXC211hsIsRvQ3nIsEPhc=",
        &"=".repeat(44),
    ] {
        let length = text.len();
        let encoding = DigestEncoding::Hex;
        let expected = VerifyError::BadLength { length, encoding };
        let message =
            format!("X-Service-Signature has a digest of length {length}; expected 64 hex digits");
        check_error(format!("sha256={text}"), expected, &message);
    }
}

#[test]
fn rejects_bytes_that_are_not_hex_digits() {
    for (position, byte) in [(0, b'g'), (17, b' '), (62, b'/'), (63, b'\n'), (63, 0xff)] {
        let mut signature = SIGNATURE.as_bytes().to_vec();
        signature["sha256=".len() + position] = byte;
        check_error(
            signature,
            VerifyError::NotHex { position, byte },
            &format!(
                "X-Service-Signature has a digest with byte {byte:#04x} at position {position} \
                 (counted from 0); expected a hex digit"
            ),
        );
    }
}
