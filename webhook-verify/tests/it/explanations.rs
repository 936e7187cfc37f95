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
    check_secret(&format!("{SECRET}\n"), Fix::SecretTrimmed);
    check_secret(&format!(" {SECRET}\r\n"), Fix::SecretTrimmed);
    let spaces = "\u{a0}|\u{200b}|\u{feff}|\u{2060}|\u{3000}|\u{200d}\n";
    for space in spaces.split('|') {
        check_secret(&format!("{SECRET}{space}"), Fix::SecretTrimmed);
    }
    for name in ["PROFILE_WEBHOOK_SECRET=", "export A=", "secret = "] {
        let named = explain_with(SIGNATURE, BODY, &[&format!("{name}{SECRET}")]);
        let first = named.diagnoses()[0].fixes()[0];
        assert_eq!(first, Fix::SecretWithoutName, "{name}");
    }
    check_secret(&format!("\u{feff}{SECRET}"), Fix::SecretWithoutMark);
    check_secret(&format!("\"{SECRET}\""), Fix::SecretUnquoted);
    check_secret(&format!("'{SECRET}'"), Fix::SecretUnquoted);
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    check_secret(&hex, Fix::SecretFromHex);
    let base64 = "SXQncyBhIFNlY3JldCB0byBFdmVyeWJvZHk";
    for base64 in [format!("{base64}="), format!("whsec_{base64}")] {
        check_secret(&base64, Fix::SecretFromBase64);
    }
    let several = format!("\u{feff}'{SECRET}'\n");
    let fixes = [
        Fix::SecretWithoutMark,
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
        // No hint about the body follows, as it would for another body that starts like this one.
        let signature = sign(&secret(secrets[index]), "{");
        let text = explain_with(&signature, b"{\n", &secrets).to_string();
        let number = index + 1;
        let expected = format!(
            "the delivery would verify with secret {number} if the body did not end with a newline"
        );
        assert_eq!(text, expected);
    }
}

#[test]
fn undoes_each_change_once() {
    let signature = sign(&secret(SECRET), "text");
    for body in ["text\n\n", "ZEdWNGRBPT0="] {
        check_nothing(&signature, body.as_bytes(), SECRET);
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
fn finds_indented_json() {
    let compact = r#"{"a":[1,{"b":{}}],"c":[]}"#;
    let indented = "{\n  \"a\": [\n    1,\n    {\n      \"b\": {}\n    }\n  ],\n  \"c\": []\n}";
    check_body(indented, compact, &[Fix::JsonIndented]);
    for unit in ["    ", "\t"] {
        check_body(&indented.replace("  ", unit), compact, &[Fix::JsonIndented]);
    }
    let crlf = indented.replace('\n', "\r\n");
    check_body(&crlf, compact, &[Fix::JsonIndented, Fix::BodyWithCrlf]);
    check_body(&crlf, indented, &[Fix::BodyWithCrlf]);
    check_body(indented, &crlf, &[Fix::BodyWithLf]);
    let ended = format!("{compact}\r\n");
    check_body(&ended, compact, &[Fix::BodyWithNewline, Fix::BodyWithCrlf]);
}

#[test]
fn finds_written_and_removed_escapes() {
    let plain = r#"{"a":"é/😀 & <b>\n\u0001\\u00e9"}"#;
    let ascii = r#"{"a":"\u00e9/\ud83d\ude00 & <b>\n\u0001\\u00e9"}"#;
    check_body(ascii, plain, &[Fix::NonAsciiEscaped]);
    check_body(plain, ascii, &[Fix::EscapesDecoded]);
    let html = plain
        .replace('&', r"\u0026")
        .replace('<', r"\u003c")
        .replace('>', r"\u003e");
    check_body(&html, plain, &[Fix::HtmlEscaped]);
    check_body(plain, &html, &[Fix::EscapesDecoded]);
    let upper_case = html
        .replace(r"\u003c", r"\u003C")
        .replace(r"\u003e", r"\u003E");
    check_body(plain, &upper_case, &[Fix::EscapesDecoded]);
    let go = "{\"a\":\"é\u{2028}<\"}";
    check_body(r#"{"a":"é\u2028\u003c"}"#, go, &[Fix::HtmlEscaped]);
    // As .NET writes it.
    let net = r#"{"a":"\u00E9/\uD83D\uDE00 \u0026 \u003Cb\u003E\n\u0001\\u00e9"}"#;
    check_body(net, plain, &[Fix::NonAsciiEscaped, Fix::HtmlEscaped]);
    let slashes = plain.replace('/', r"\/");
    check_body(&slashes, plain, &[Fix::SlashesEscaped]);
    check_body(plain, &slashes, &[Fix::SlashesDecoded]);
    // As PHP writes it, and as JavaScript writes it again.
    let php = ascii.replace('/', r"\/");
    check_body(&php, plain, &[Fix::NonAsciiEscaped, Fix::SlashesEscaped]);
    let both = [Fix::EscapesDecoded, Fix::SlashesDecoded];
    check_body(plain, &php, &both);
    let text = explain_with(&sign(&secret(SECRET), plain), php.as_bytes(), &[SECRET]).to_string();
    let expected = "the delivery would verify with secret 1 if the body's \\u escapes were the characters \
                    themselves, and the body's slashes had no backslash before them";
    assert_eq!(text, expected);
}

#[test]
fn finds_encodings_of_the_body() {
    let body = r#"{"a":"é +&%"}"#;
    check_body(body, "eyJhIjoiw6kgKyYlIn0=\n", &[Fix::BodyFromBase64]);
    check_body(body, "eyJhIjoi\r\nw6kgKyYlIn0\r\n", &[Fix::BodyFromBase64]);
    let url_safe = "eyJhIjoiwrvCu8K_wr8ifQ";
    check_body(r#"{"a":"»»¿¿"}"#, url_safe, &[Fix::BodyFromBase64]);
    check_body(body, r#"{"a":"Ã© +&%"}"#, &[Fix::BodyToLatin1]);
    check_body(body, &format!("\u{feff}{body}"), &[Fix::BodyWithoutMark]);
    let form = "kind=a&payload=%7B%22a%22%3A%22%C3%a9+%2B%26%25%22%7D&b";
    check_body(body, form, &[Fix::BodyFromForm]);
    let recording = format!("POST /hooks HTTP/1.1\r\nhost: x\r\n\r\n{body}");
    check_body(body, &recording, &[Fix::BodyOfRecording]);
    let latin1 = [&br#"{"a":""#[..], b"\xe9 +&%\"}"].concat();
    let utf16 = |to_bytes: fn(u16) -> [u8; 2]| {
        let text = format!("\u{feff}{body}");
        text.encode_utf16().flat_map(to_bytes).collect::<Vec<_>>()
    };
    for (received, fix) in [
        (latin1, Fix::BodyFromLatin1),
        (utf16(u16::to_le_bytes), Fix::BodyFromUtf16),
        (utf16(u16::to_be_bytes), Fix::BodyFromUtf16),
    ] {
        let explanation = explain_with(&sign(&secret(SECRET), body), &received, &[SECRET]);
        check(&explanation, &[fix]);
    }
    let invalid = r"payload=% payload=%4 payload=%zz payload=%é payload \ \u \u1é";
    for invalid in invalid.split(' ') {
        check_nothing(SIGNATURE, invalid.as_bytes(), SECRET);
    }
}

#[test]
fn finds_changes_to_the_signature() {
    let digits = &SIGNATURE["sha256=".len()..];
    check_signature(&format!("sha256={}", digits.to_uppercase()), &[]);
    check_signature(&format!(" {SIGNATURE}\n"), &[Fix::SignatureTrimmed]);
    check_signature(&format!("sha256= {digits}"), &[Fix::SignatureTrimmed]);
    check_signature(&format!(" sha256= {digits}"), &[Fix::SignatureTrimmed]);
    check_signature(&format!("\"{SIGNATURE}\" "), &[Fix::SignatureTrimmed]);
    check_signature(&format!("sha256='{digits}'"), &[Fix::SignatureTrimmed]);
    for prefix in ["", "SHA256=", "v1: ", "HMAC-SHA2-256(body.json)= "] {
        check_signature(&format!("{prefix}{digits}"), &[Fix::Prefix]);
    }
    check_signature(&format!("X-Service-Signature: {SIGNATURE}"), &[Fix::Prefix]);
    let (start, end) = SIGNATURE.split_at(40);
    check_signature(&format!("{start}\r\n  {end}"), &[Fix::SignatureJoined]);

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
    check_signature(&format!("sha1={digits}"), &[Fix::Sha1]);
    check_signature(&format!("sha256={digits}"), &[Fix::Sha1]);
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
fn prints_hints_if_nothing_matches() {
    let nothing = "no common problem explains the mismatch: the secret is wrong, \
                   or the body is not the one that was signed";
    let check = |body: &[u8], text: &str| {
        let explanation = explain_with(SIGNATURE, body, &[SECRET]);
        assert!(explanation.diagnoses().is_empty());
        assert_eq!(explanation.to_string(), text);
    };
    check(b"forged", nothing);
    check(br#"{"a":"}"},"#, nothing);
    for (body, hint) in [
        (
            &b""[..],
            "is empty: it may have been read before verification",
        ),
        (
            b"\x1f\x8b\x08",
            "is gzip: the service may have signed the uncompressed body",
        ),
        (
            br#"{"a":{"type":"post.li"}"#,
            "starts like a JSON object and has no end: it may have been cut",
        ),
    ] {
        check(body, &format!("{nothing}\nthe body {hint}"));
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
    for (body, factor) in [(list, 20), ("[".repeat(20_000), 40)] {
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
