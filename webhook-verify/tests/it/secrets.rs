//! Secrets are checked when they are made, and never shown.

use webhook_verify::{Headers, Secret, SecretError, Verifier, sign};

use crate::{BODY, SECRET, SIGNATURE, secret};

#[track_caller]
fn check_refused(bytes: &[u8], expected: SecretError, message: &str) {
    let error = Secret::new(bytes).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), message);
}

#[test]
fn an_empty_one_is_refused() {
    let message = "the webhook secret is empty, so anyone could sign with it; \
                   pass the secret that the service signs with";
    check_refused(b"", SecretError::Empty, message);
    assert_eq!(
        Secret::with_surrounding_whitespace("").unwrap_err(),
        SecretError::Empty
    );
}

#[test]
fn one_of_nul_bytes_is_refused_since_it_signs_like_an_empty_one() {
    let message = "the webhook secret is nothing but NUL bytes, so anyone could sign with it; \
                   pass the secret that the service signs with";
    for length in [1, 32, 64, 65] {
        check_refused(&vec![0; length], SecretError::OnlyNul, message);
    }
}

#[test]
fn one_of_white_space_is_refused() {
    let message = "the webhook secret is nothing but white space; \
                   pass the secret that the service signs with";
    for bytes in [" ", "\n", "\r\n", "\t \n"] {
        check_refused(bytes.as_bytes(), SecretError::OnlyWhitespace, message);
        assert_eq!(
            Secret::with_surrounding_whitespace(bytes).unwrap_err(),
            SecretError::OnlyWhitespace
        );
    }
}

#[test]
fn one_with_white_space_at_an_end_is_refused() {
    let message = "the webhook secret begins or ends with white space, most often a file's newline; \
                   trim it, or use Secret::with_surrounding_whitespace if it belongs to the secret";
    for bytes in [" s", "\ts", "s\n", "s\r\n", " s ", "\u{fffd}\n"] {
        check_refused(
            bytes.as_bytes(),
            SecretError::SurroundingWhitespace,
            message,
        );
    }
}

#[test]
fn white_space_can_be_insisted_on_and_then_belongs_to_the_secret() {
    let with_newline = Secret::with_surrounding_whitespace("s\n").unwrap();
    assert_ne!(sign(&with_newline, BODY), sign(&secret("s"), BODY));
    let without = Secret::with_surrounding_whitespace("s").unwrap();
    assert_eq!(sign(&without, BODY), sign(&secret("s"), BODY));
}

#[test]
fn white_space_inside_is_fine() {
    assert_eq!(sign(&secret(SECRET), BODY), SIGNATURE);
}

#[test]
fn debug_never_shows_one() {
    const CANARY: &str = "canary-4f1d";
    let canary = secret(CANARY);
    let verifier = Verifier::new(canary.clone());
    let headers = Headers::from_values([SIGNATURE.as_bytes()], None);
    let mismatch = verifier.verify(headers, BODY).unwrap_err();
    let refused = Secret::new(format!("{CANARY}\n")).unwrap_err();

    assert_eq!(format!("{canary:?}"), "Secret(redacted)");
    for shown in [
        format!("{canary:#?}"),
        format!("{verifier:?} {verifier:#?}"),
        format!("{mismatch:?} {mismatch}"),
        format!("{refused:?} {refused}"),
    ] {
        assert!(!shown.contains(CANARY), "{shown}");
        assert!(!shown.contains(&hex(CANARY)), "{shown}");
        assert!(
            !shown.contains(&format!("{:?}", CANARY.as_bytes())),
            "{shown}"
        );
    }
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}
