//! Diagnosis of rejected deliveries.

use webhook_verify::{DigestEncoding, Explanation, Fix, VerifyError, explain, sign, sign_as};

use crate::{BODY, SECRET, SIGNATURE, secret};

#[track_caller]
fn explain_with(signature: &str, body: &[u8], secrets: &[&str]) -> Explanation {
    let headers = crate::headers([signature.as_bytes()], None);
    explain(DigestEncoding::Hex, headers, body, secrets)
}

#[track_caller]
fn check(explanation: &Explanation, expected: &[Fix]) {
    let diagnoses = explanation.diagnoses().iter();
    let fixes: Vec<_> = diagnoses.map(|diagnosis| diagnosis.fixes()).collect();
    assert_eq!(fixes, [expected], "{explanation}");
}

/// Checks the fixes for a delivery with the body `signed` that was received as `received`.
#[track_caller]
fn check_body(signed: &str, received: &str, expected: &[Fix]) {
    let signature = sign(&secret(SECRET), signed);
    let explanation = explain_with(&signature, received.as_bytes(), &[SECRET]);
    check(&explanation, expected);
}

/// Checks that no fix is found.
#[track_caller]
fn check_nothing(signature: &str, body: &[u8], given: &str) {
    let explanation = explain_with(signature, body, &[given]);
    assert!(explanation.diagnoses().is_empty(), "{explanation}");
}

#[track_caller]
fn check_secret(given: &str, expected: Fix) {
    check(&explain_with(SIGNATURE, BODY, &[given]), &[expected]);
}

#[track_caller]
fn check_signature(signature: &str, expected: &[Fix]) {
    check(&explain_with(signature, BODY, &[SECRET]), expected);
}

#[test]
fn an_authentic_delivery_needs_no_fixes() {
    let explanation = explain_with(SIGNATURE, BODY, &["another", SECRET]);
    check(&explanation, &[]);
    assert_eq!(explanation.diagnoses()[0].secret_index(), 1);
    let expected = "the delivery verifies with secret 2, without changes";
    assert_eq!(explanation.to_string(), expected);
}

#[test]
fn finds_changes_to_the_secret() {
    for space in ["\n", "\r\n", "\u{a0}", "\u{3000}\n"] {
        check_secret(&format!(" {SECRET}{space}"), Fix::SecretTrimmed);
    }
    for name in ["PROFILE_WEBHOOK_SECRET=", "export A=", "secret = "] {
        let named = explain_with(SIGNATURE, BODY, &[&format!("{name}{SECRET}")]);
        let first = named.diagnoses()[0].fixes()[0];
        assert_eq!(first, Fix::SecretWithoutName, "{name}");
    }
    check_secret(&format!("\"{SECRET}\""), Fix::SecretUnquoted);
    check_secret(&format!("'{SECRET}'"), Fix::SecretUnquoted);
    let base64 = "SXQncyBhIFNlY3JldCB0byBFdmVyeWJvZHk";
    for base64 in [format!("{base64}="), format!("whsec_{base64}")] {
        check_secret(&base64, Fix::SecretFromBase64);
    }
    let several = format!("A='{SECRET}'\n");
    let fixes = [
        Fix::SecretWithoutName,
        Fix::SecretTrimmed,
        Fix::SecretUnquoted,
    ];
    check(&explain_with(SIGNATURE, BODY, &[&several]), &fixes);
    for others in [
        format!("\"{SECRET}'"),
        "\"".to_owned(),
        format!("{SECRET}\""),
    ] {
        check_nothing(SIGNATURE, BODY, &others);
    }
}

#[test]
fn names_the_secret_that_signed() {
    let secrets = ["a", "b", SECRET, "c"];
    for index in 0..4 {
        let signature = sign(&secret(secrets[index]), "{}");
        let explanation = explain_with(&signature, b"{}\n", &secrets);
        assert_eq!(explanation.diagnoses()[0].secret_index(), index);
        let number = index + 1;
        let expected = format!(
            "the delivery would verify with secret {number} if the body did not end with a newline"
        );
        assert_eq!(explanation.to_string(), expected);
    }
}

#[test]
fn finds_added_and_removed_newlines() {
    check_body("{}", "{}\n", &[Fix::BodyWithoutNewline]);
    check_body("{}", "{}\r\n", &[Fix::BodyWithoutNewline]);
    check_body("{}\n", "{}", &[Fix::BodyWithNewline]);
}

#[test]
fn finds_reformatted_json() {
    let compact = r#"{"type":"post.liked","n":[1,2.50]}"#;
    let spaced = r#"{"type": "post.liked", "n": [1, 2.50]}"#;
    let two = "{\n  \"type\": \"post.liked\",\n  \"n\": [\n    1,\n    2.50\n  ]\n}";
    check_body(compact, spaced, &[Fix::JsonCompact]);
    check_body(spaced, compact, &[Fix::JsonSpaced]);
    check_body(compact, two, &[Fix::JsonCompact]);
    check_body("{}", "{} ", &[Fix::JsonCompact]);
    let fixes = [Fix::JsonSpaced, Fix::BodyWithNewline];
    check_body(&format!("{spaced}\n"), two, &fixes);
}

#[test]
fn finds_written_and_removed_escapes() {
    let plain = r#"{"a":"é/😀 & <b> \"c\"\n\u0001\\u00e9\\"}"#;
    let ascii = r#"{"a":"\u00e9/\ud83d\ude00 & <b> \"c\"\n\u0001\\u00e9\\"}"#;
    check_body(ascii, plain, &[Fix::NonAsciiEscaped]);
    let html = plain
        .replace('&', r"\u0026")
        .replace('<', r"\u003c")
        .replace('>', r"\u003e");
    check_body(&html, plain, &[Fix::HtmlEscaped]);
    let go = "{\"a\":\"é\u{2028}<\"}";
    check_body(r#"{"a":"é\u2028\u003c"}"#, go, &[Fix::HtmlEscaped]);
    let net = r#"{"a":"\u00E9/\uD83D\uDE00 \u0026 \u003Cb\u003E \u0022c\u0022\n\u0001\\u00e9\\"}"#;
    check_body(net, plain, &[Fix::NonAsciiEscaped, Fix::HtmlEscaped]);
    let slashes = plain.replace('/', r"\/");
    check_body(&slashes, plain, &[Fix::SlashesEscaped]);
    let php = ascii.replace('/', r"\/");
    check_body(&php, plain, &[Fix::NonAsciiEscaped, Fix::SlashesEscaped]);
    for escaped in [ascii, &html, net, &slashes, &php] {
        check_body(plain, escaped, &[Fix::EscapesDecoded]);
    }
    let text = explain_with(&sign(&secret(SECRET), plain), php.as_bytes(), &[SECRET]).to_string();
    let expected = "the delivery would verify with secret 1 if the body's escapes were the characters themselves";
    assert_eq!(text, expected);
    for invalid in [r"\", r"\u", r"\u1é"] {
        check_nothing(SIGNATURE, invalid.as_bytes(), SECRET);
    }
}

#[test]
fn finds_a_body_that_was_decoded_as_windows_1252() {
    let (signed, received) = (r#"{"a":"é €"}"#, r#"{"a":"Ã© â‚¬"}"#);
    check_body(signed, received, &[Fix::BodyToWindows1252]);
    check_body(
        r#"{"a":"Á"}"#,
        "{\"a\":\"Ã\u{81}\"}",
        &[Fix::BodyToWindows1252],
    );
    let fixes = [Fix::BodyToWindows1252, Fix::BodyWithoutNewline];
    check_body(signed, &format!("{received}\n"), &fixes);
}

#[test]
fn finds_changes_to_the_signature() {
    let digits = &SIGNATURE["sha256=".len()..];
    check_signature(&format!("sha256={}", digits.to_uppercase()), &[]);
    let (start, end) = SIGNATURE.split_at(40);
    for spaced in [
        format!(" {SIGNATURE}\n"),
        format!("sha256= {digits}"),
        format!("{start}\r\n  {end}"),
    ] {
        check_signature(&spaced, &[Fix::SignatureJoined]);
    }
    check_signature(digits, &[Fix::Prefix]);
    check_signature(&format!("sha1={digits}"), &[Fix::Prefix]);

    let base64 = sign_as(DigestEncoding::Base64, &secret(SECRET), BODY);
    check_signature(&base64, &[Fix::Base64]);
}

#[test]
fn a_receiver_of_base64_needs_base64() {
    let explain_with = |signature: &str, body| {
        let headers = crate::headers([signature.as_bytes()], None);
        explain(DigestEncoding::Base64, headers, body, [SECRET])
    };
    let base64 = sign_as(DigestEncoding::Base64, &secret(SECRET), BODY);
    check(&explain_with(&base64, BODY), &[]);
    let with_newline = [BODY, b"\n"].concat();
    let explanation = explain_with(&base64, &with_newline);
    check(&explanation, &[Fix::BodyWithoutNewline]);
    check(&explain_with(SIGNATURE, BODY), &[Fix::Hex]);
    let strict = VerifyError::BadLength {
        length: 2,
        encoding: DigestEncoding::Base64,
    };
    let explained = explain_with("sha256=00", BODY).to_string();
    assert_eq!(explained, strict.to_string());
}

#[test]
fn finds_sha_1() {
    // Computed with `openssl dgst -sha1 -hmac`.
    let digits = "01dc10d0c83e72ed246219cdd91669667fe2ca59";
    for prefix in ["sha1=", "sha256=", ""] {
        check_signature(&format!("{prefix}{digits}"), &[Fix::Sha1]);
    }
}

#[test]
fn describes_several_fixes_in_one_sentence() {
    let signature = sign(&secret("s3cret"), "{\"a\":1}\n");
    let explanation = explain_with(&signature, b"{\"a\": 1}", &["other", "s3cret\n"]);
    assert_eq!(
        explanation.to_string(),
        "the delivery would verify with secret 2 if the secret had no leading or trailing whitespace, \
         and the body's JSON had no whitespace between tokens, \
         and the body ended with a newline"
    );
}

#[test]
fn prints_a_hint_for_an_empty_body() {
    let nothing = "no common problem explains the mismatch: the secret is wrong, \
                   or the body is not the one that was signed";
    let empty = "\nthe body is empty: it may have been read before verification";
    for (body, hint) in [("forged", ""), ("", empty)] {
        let explanation = explain_with(SIGNATURE, body.as_bytes(), &[SECRET]);
        assert!(explanation.diagnoses().is_empty());
        assert_eq!(explanation.to_string(), format!("{nothing}{hint}"));
    }
}

#[test]
fn reports_the_strict_error_if_the_header_has_no_digest() {
    let headers = crate::headers(None, None);
    let explanation = explain(DigestEncoding::Hex, headers, BODY, [SECRET]);
    let missing = VerifyError::SignatureMissing;
    assert_eq!(explanation.to_string(), missing.to_string());
    let strict = VerifyError::BadLength {
        length: 2,
        encoding: DigestEncoding::Hex,
    };
    let explained = explain_with("sha256=00", BODY, &[SECRET]).to_string();
    assert_eq!(explained, strict.to_string());
}

#[test]
fn never_suggests_an_empty_secret() {
    // The HMAC-SHA256 of an empty body with an empty key.
    let empty_signature = "sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
    for given in ["", " ", "\n"] {
        check_nothing(empty_signature, b"", given);
    }
}

#[test]
fn memory_is_bounded_for_large_bodies() {
    let member = r#"{"type": "post.liked", "n": [1, 2.50], "u": "a/b \u00e9"}, "#;
    let list = format!("[{}1]", member.repeat(500));
    for (body, factor) in [(list, 20), ("[".repeat(20_000), 20)] {
        let counted = allocation_counter::measure(|| {
            let explanation = explain_with(SIGNATURE, body.as_bytes(), &[SECRET]);
            assert!(explanation.diagnoses().is_empty());
        });
        let limit = factor * body.len() as u64;
        assert!(counted.bytes_max < limit, "{counted:?}");
    }
}

#[test]
fn does_not_print_secrets() {
    let explanation = explain_with(SIGNATURE, BODY, &[SECRET, "canary-4f1d"]);
    let printed = format!("{explanation} {explanation:?}");
    assert!(!printed.contains(SECRET), "{printed}");
    assert!(!printed.contains("canary"), "{printed}");
}
