//! The grammar of `X-Service-Signature`: each way to break it has its own error.

use webhook_verify::{DigestEncoding, VerifyError, sign};

use crate::{BODY, SECRET, SIGNATURE, secret, verify};

const DIGITS: &str = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

const BAD_PREFIX: &str = "X-Service-Signature does not begin with sha256= in lower case; \
    expected sha256= and the digest, with nothing before, between or after";

#[track_caller]
fn check_refused(signature: impl AsRef<[u8]>, expected: VerifyError, message: &str) {
    let error = verify(signature, BODY).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), message);
}

#[track_caller]
fn check_length(after_prefix: &[u8]) {
    let length = after_prefix.len();
    check_refused(
        [b"sha256=", after_prefix].concat(),
        VerifyError::BadLength {
            length,
            encoding: DigestEncoding::Hex,
        },
        &format!(
            "X-Service-Signature has {length} bytes after sha256=; expected exactly 64 hex digits"
        ),
    );
}

#[test]
fn signing_writes_lower_case() {
    assert_eq!(sign(&secret(SECRET), BODY), SIGNATURE);
}

#[test]
fn digits_of_either_case_verify() {
    assert!(verify(format!("sha256={}", DIGITS.to_uppercase()), BODY).is_ok());
    let mixed = DIGITS.replacen('e', "E", 1);
    assert_ne!(mixed, DIGITS);
    assert!(verify(format!("sha256={mixed}"), BODY).is_ok());
}

#[test]
fn another_prefix() {
    for prefix in [
        "", "SHA256=", "Sha256=", "sha256", "sha256:", "sha512=", " sha256=", "v1=", "=", "md5=",
    ] {
        check_refused(
            format!("{prefix}{DIGITS}"),
            VerifyError::BadPrefix,
            BAD_PREFIX,
        );
    }
}

#[test]
fn an_empty_header() {
    check_refused("", VerifyError::BadPrefix, BAD_PREFIX);
    check_refused("sha256", VerifyError::BadPrefix, BAD_PREFIX);
}

#[test]
fn a_quoted_value() {
    check_refused(
        format!("\"{SIGNATURE}\""),
        VerifyError::BadPrefix,
        BAD_PREFIX,
    );
}

#[test]
fn sha_1_offered() {
    // The SHA-1 digest of the same delivery, right or not, is never accepted.
    check_refused(
        "sha1=01dc10d0c83e72ed246219cdd91669667fe2ca59",
        VerifyError::Sha1,
        "X-Service-Signature offers a SHA-1 digest (sha1=); \
         expected sha256= and the digest: refuse it, SHA-1 is never accepted",
    );
}

#[test]
fn a_wrong_length() {
    check_length(b"");
    check_length(b"00");
    check_length(&DIGITS.as_bytes()[..63]);
    check_length(&DIGITS.as_bytes()[..32]);
    check_length(format!("{DIGITS}0").as_bytes());
    check_length(DIGITS.repeat(2).as_bytes());
    check_length(&[b'0'; 100_000]);
}

#[test]
fn something_around_the_digits() {
    check_length(format!("{DIGITS}\n").as_bytes());
    check_length(format!("{DIGITS} ").as_bytes());
    check_length(format!(" {DIGITS}").as_bytes());
    check_length(format!("0x{DIGITS}").as_bytes());
    check_length(format!("{DIGITS}\0").as_bytes());
    check_length(format!("{DIGITS}, {SIGNATURE}").as_bytes());
}

#[test]
fn a_byte_that_is_no_hex_digit() {
    for (position, byte) in [(0, b'g'), (17, b' '), (62, b'/'), (63, b'\n'), (63, 0xff)] {
        let mut signature = SIGNATURE.as_bytes().to_vec();
        signature["sha256=".len() + position] = byte;
        check_refused(
            signature,
            VerifyError::NotHex { position, byte },
            &format!(
                "X-Service-Signature has byte {byte:#04x} at position {position} after sha256= \
                 (counted from 0); expected only 0-9, a-f and A-F"
            ),
        );
    }
}

#[test]
fn digits_beyond_ascii() {
    // A full-width digit is three bytes of UTF-8, so 20 of them and four more fit.
    let signature = format!("sha256={}0000", "\u{ff11}".repeat(20));
    assert_eq!(
        verify(signature, BODY).unwrap_err(),
        VerifyError::NotHex {
            position: 0,
            byte: 0xef
        }
    );
}

#[test]
fn a_digest_in_base64() {
    check_refused(
        "sha256=dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc=",
        VerifyError::LooksLikeBase64,
        "X-Service-Signature holds a digest in base64 (44 characters); expected 64 hex digits: \
         if the service signs so, ask for it with Verifier::encoding(DigestEncoding::Base64)",
    );
}

#[test]
fn what_only_resembles_base64() {
    check_length(b"dXEH6g6yUJ/CESIczphLijdXC211hsIsRvQ3nIsEPhc");
    check_length(b"dXEH6g6yUJ_CESIczphLijdXC211hsIsRvQ3nIsEPhc=");
    check_length(&[b'='; 44]);
}

#[test]
fn a_well_formed_digest_that_is_another() {
    check_refused(
        format!("sha256={}", "0".repeat(64)),
        VerifyError::Mismatch {
            body_length: 13,
            secrets: 1,
        },
        "X-Service-Signature is not that of this body (13 bytes) \
         under any of the receiver's secrets (1); check that the secret is the sender's \
         and that the body is verified as it came, before anything decodes or parses it",
    );
}
