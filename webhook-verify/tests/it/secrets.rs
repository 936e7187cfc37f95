//! Secrets are validated, and never printed.

use webhook_verify::{Secret, SecretError, Verifier, sign};

use crate::{BODY, SIGNATURE, secret};

#[test]
fn rejects_secrets_that_are_empty_or_copied_with_whitespace() {
    let surrounding = "starts or ends with whitespace or a byte order mark, such as the newline at the end of \
                       a file; trim it, or use Secret::with_surrounding_whitespace if it is part of the secret";
    let pass = "; pass the secret that the service signs with";
    // NUL bytes sign like an empty secret.
    for (secrets, expected, reason) in [
        (&[""][..], SecretError::Empty, "is empty"),
        (
            &["\0", &"\0".repeat(65)],
            SecretError::OnlyNul,
            "consists only of NUL bytes",
        ),
        (
            &[" ", "\n", "\t \r\n"],
            SecretError::OnlyWhitespace,
            "consists only of whitespace",
        ),
        (
            &[" s", "\ts", "s\r\n", "\u{fffd}\n", "\u{feff}s"],
            SecretError::SurroundingWhitespace,
            surrounding,
        ),
    ] {
        for secret in secrets {
            let error = Secret::new(*secret).unwrap_err();
            assert_eq!(error, expected, "{secret:?}");
            let pass = if reason == surrounding { "" } else { pass };
            assert_eq!(
                error.to_string(),
                format!("the webhook secret {reason}{pass}")
            );
            let kept = Secret::with_surrounding_whitespace(*secret).err();
            let is_rejected = expected != SecretError::SurroundingWhitespace;
            assert_eq!(kept, is_rejected.then_some(expected), "{secret:?}");
        }
    }
}

#[test]
fn surrounding_whitespace_can_be_part_of_the_secret() {
    let with_newline = Secret::with_surrounding_whitespace("s\n").unwrap();
    assert_ne!(sign(&with_newline, BODY), sign(&secret("s"), BODY));
    let without = Secret::with_surrounding_whitespace("s").unwrap();
    assert_eq!(sign(&without, BODY), sign(&secret("s"), BODY));
}

#[test]
fn debug_does_not_print_secrets() {
    const CANARY: &str = "canary-4f1d";
    let canary = secret(CANARY);
    let verifier = Verifier::new(canary.clone());
    let headers = crate::headers([SIGNATURE.as_bytes()], None);
    #[cfg(feature = "receiver")]
    {
        let receiver = webhook_verify::Receiver::new(verifier.clone());
        let printed = format!("{receiver:?}");
        assert!(printed.contains("Secret(redacted)"), "{printed}");
        assert!(!printed.contains(CANARY), "{printed}");
    }
    let mismatch = verifier.verify(headers, BODY).unwrap_err();
    let invalid = Secret::new(format!("{CANARY}\n")).unwrap_err();

    assert_eq!(format!("{canary:?}"), "Secret(redacted)");
    for printed in [
        format!("{canary:#?}"),
        format!("{verifier:?} {verifier:#?}"),
        format!("{mismatch:?} {mismatch}"),
        format!("{invalid:?} {invalid}"),
    ] {
        assert!(!printed.contains(CANARY), "{printed}");
        assert!(!printed.contains(&hex(CANARY)), "{printed}");
        let bytes = format!("{:?}", CANARY.as_bytes());
        assert!(!printed.contains(&bytes), "{printed}");
    }
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn is_deserialized_without_showing_it() {
    assert!(serde_json::from_str::<Secret>(r#""a secret""#).is_ok());
    for (json, expected) in [
        ("12345678", "is not a string; put it in quotes"),
        (r#""""#, "is empty"),
        (r#""12345678\n""#, "starts or ends with whitespace"),
    ] {
        let error = serde_json::from_str::<Secret>(json).unwrap_err();
        let error = error.to_string();
        let start = format!("the webhook secret {expected}");
        assert!(error.starts_with(&start), "{error}");
        assert!(!error.contains("1234"), "{error}");
    }
}
