//! Parsing of `X-Service-Signature`.

use webhook_verify::{DigestEncoding, VerifyError, sign};

use crate::{BODY, SECRET, SIGNATURE, secret, verify};

const DIGITS: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

const BAD_PREFIX: &str = "X-Service-Signature does not start with sha256= in lower case; \
    expected sha256= followed by the digest and nothing else";

#[track_caller]
fn check_error(signature: impl AsRef<[u8]>, expected: VerifyError, message: &str) {
    let error = verify(signature, BODY).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), message);
}

#[test]
fn signs_in_lower_case() {
    assert_eq!(sign(&secret(SECRET), BODY), SIGNATURE);
}

#[test]
fn accepts_upper_and_lower_case() {
    assert!(verify(format!("sha256={}", DIGITS.to_uppercase()), BODY).is_ok());
    let mixed = DIGITS.replacen('e', "E", 1);
    assert_ne!(mixed, DIGITS);
    assert!(verify(format!("sha256={mixed}"), BODY).is_ok());
}

#[test]
fn rejects_other_prefixes() {
    for prefix in [
        "", "SHA256=", "Sha256=", "sha256", "sha256:", "sha512=", " sha256=", "v1=", "=", "md5=",
    ] {
        let signature = format!("{prefix}{DIGITS}");
        check_error(signature, VerifyError::BadPrefix, BAD_PREFIX);
    }
}

#[test]
fn rejects_sha_1() {
    // The correct SHA-1 digest of the delivery.
    check_error(
        "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59",
        VerifyError::Sha1,
        "X-Service-Signature has a SHA-1 digest (sha1=), which is never accepted; \
         expected sha256= followed by the digest",
    );
}

#[test]
fn rejects_wrong_lengths() {
    for text in [
        "",
        "00",
        &DIGITS[..63],
        &DIGITS[..32],
        &format!("{DIGITS}0"),
        &DIGITS.repeat(2),
        &"0".repeat(100_000),
        &format!("{DIGITS}\n"),
        &format!("{DIGITS} "),
        &format!(" {DIGITS}"),
        &format!("0x{DIGITS}"),
        &format!("{DIGITS}\0"),
        &format!("{DIGITS}, {SIGNATURE}"),
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

#[test]
fn rejects_non_ascii_digits() {
    // 20 full-width digits of three bytes each, and four digits, are 64 bytes.
    let signature = format!("sha256={}0000", "\u{ff11}".repeat(20));
    let (position, byte) = (0, 0xef);
    let expected = VerifyError::NotHex { position, byte };
    assert_eq!(verify(signature, BODY).unwrap_err(), expected);
}

#[test]
fn rejects_base64() {
    check_error(
        "sha256=dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=",
        VerifyError::LooksLikeBase64,
        "X-Service-Signature has a digest in base64; expected 64 hex digits; \
         if the service uses base64, set Verifier::encoding(DigestEncoding::Base64)",
    );
}

#[test]
fn rejects_another_digest() {
    check_error(
        format!("sha256={}", "0".repeat(64)),
        VerifyError::Mismatch {
            body_length: 13,
            secrets: 1,
        },
        "X-Service-Signature does not match the body (length in bytes: 13, secrets tried: 1); \
         check the secret, and that the body is verified before anything decodes or parses it",
    );
}
