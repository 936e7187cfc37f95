//! The deliveries to send.

use super::bodies::{BODY, NOT_ASCII, NOT_JSON, OTHER, SPACED, UNUSUAL, of_length};
use super::case::{Case, Expected};
use super::signer::{Signer, sha256};

/// Returns all deliveries. The first is genuine.
pub(super) fn all(signer: &Signer<'_>) -> Vec<Case> {
    let mut cases = genuine(signer);
    cases.extend(forged_bodies(signer));
    cases.extend(forged_digests(signer));
    cases.extend(other_algorithms(signer));
    cases.extend(malformed(signer));
    cases.extend(missing_and_repeated(signer));
    cases.extend(informational(signer));
    cases
}

fn genuine(signer: &Signer<'_>) -> Vec<Case> {
    let accepted = |name, reason, body: &str| {
        Case::new(Expected::Accepted, name, reason, [signer.sign(body)], body)
    };
    let line = format!("{BODY}\n");
    vec![
        accepted("genuine", "the service sends it", BODY),
        accepted(
            "unusual_spaces",
            "the signature covers the bytes, not the parsed JSON",
            UNUSUAL,
        ),
        accepted(
            "text_outside_ascii",
            "the body must not be decoded before it is verified",
            NOT_ASCII,
        ),
        accepted("newline_at_the_end", "the body must not be trimmed", &line),
    ]
}

fn forged_bodies(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, reason, signed: &str, sent: &str| {
        Case::new(
            Expected::Rejected,
            name,
            reason,
            [signer.sign(signed)],
            sent,
        )
    };
    let large = of_length(1 << 20);
    let altered = BODY.replace("liked", "likee");
    let cut = &BODY[..BODY.len() - 1];
    vec![
        forged(
            "other_body",
            "the signature is of another delivery",
            BODY,
            OTHER,
        ),
        forged("altered_body", "one letter differs", BODY, &altered),
        forged(
            "byte_added",
            "a newline was added",
            BODY,
            &format!("{BODY}\n"),
        ),
        forged("byte_removed", "the last byte is missing", BODY, cut),
        forged(
            "body_removed",
            "an empty body must be verified too",
            BODY,
            "",
        ),
        forged(
            "json_reformatted",
            "the signature covers the bytes, not the parsed JSON",
            BODY,
            UNUSUAL,
        ),
        forged(
            "json_reformatted_with_spaces",
            "the signature covers the bytes, not the parsed JSON",
            SPACED,
            UNUSUAL,
        ),
        forged(
            "digest_of_an_empty_body",
            "a body that was read before looks empty",
            "",
            BODY,
        ),
        forged(
            "large_body",
            "1 MiB with the signature of another body",
            BODY,
            &large,
        ),
    ]
}

fn forged_digests(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, reason, digest: &[u8]| {
        let signature = signer.signature(digest);
        Case::new(Expected::Rejected, name, reason, [signature], BODY)
    };
    let with_secret = |secret: &[u8]| signer.with_secret(secret).digest(BODY);
    let flipped = |position: usize| {
        let mut digest = signer.digest(BODY);
        digest[position] ^= 1;
        digest
    };
    vec![
        forged(
            "other_secret",
            "anyone can sign with another secret",
            &with_secret(b"another secret"),
        ),
        forged(
            "empty_secret",
            "anyone can sign if the receiver has no secret",
            &with_secret(b""),
        ),
        forged(
            "no_secret",
            "anyone can compute SHA-256 of the body",
            &sha256(BODY),
        ),
        forged(
            "first_byte_altered",
            "the whole digest must be compared",
            &flipped(0),
        ),
        forged(
            "last_byte_altered",
            "the whole digest must be compared",
            &flipped(31),
        ),
        forged("zeros", "the digest must be compared", &[0; 32]),
    ]
}

fn other_algorithms(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, reason, prefix: &str, digest: &[u8]| {
        let signature = format!("{prefix}={}", signer.encode(digest));
        Case::new(Expected::Rejected, name, reason, [signature], BODY)
    };
    let (sha1, sha512) = (signer.sha1(BODY), signer.sha512(BODY));
    vec![
        forged(
            "sha1",
            "the sender must not choose the algorithm",
            "sha1",
            &sha1,
        ),
        forged("sha1_as_sha256", "the digest has 20 bytes", "sha256", &sha1),
        forged(
            "sha512",
            "the sender must not choose the algorithm",
            "sha512",
            &sha512,
        ),
        forged(
            "no_algorithm",
            "the sender must not choose the algorithm",
            "none",
            &[],
        ),
    ]
}

fn malformed(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, reason, signature: &str| {
        Case::new(Expected::Rejected, name, reason, [signature], BODY)
    };
    let (valid, digest) = (signer.sign(BODY), signer.encode(&signer.digest(BODY)));
    let other = signer.with_secret(b"another secret").sign(BODY);
    let cut = |length: usize| &valid[.."sha256=".len() + length];
    let not_a_digit = format!("{}!", &valid[..valid.len() - 1]);
    vec![
        forged("no_prefix", "the algorithm must be named", &digest),
        forged(
            "prefix_only",
            "an empty digest is a prefix of any digest",
            "sha256=",
        ),
        forged(
            "empty_signature",
            "an empty value is a prefix of any signature",
            "",
        ),
        forged(
            "truncated_to_8",
            "the digest is cut to 8 characters",
            cut(8),
        ),
        forged(
            "truncated_by_1",
            "the last character is missing",
            cut(digest.len() - 1),
        ),
        forged(
            "character_added",
            "one character too many",
            &format!("{valid}0"),
        ),
        forged("not_a_digit", "the digest cannot be decoded", &not_a_digit),
        forged(
            "concatenated",
            "two signatures are ambiguous",
            &format!("{valid},{other}"),
        ),
        forged(
            "concatenated_last",
            "two signatures are ambiguous",
            &format!("{other}, {valid}"),
        ),
    ]
}

fn missing_and_repeated(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, reason, signatures: &[&str]| {
        Case::new(Expected::Rejected, name, reason, signatures, BODY)
    };
    let valid = signer.sign(BODY);
    let other = signer.with_secret(b"another secret").sign(BODY);
    let unclear = "two signatures are ambiguous";
    vec![
        forged("no_signature", "the signature is required", &[]),
        forged("repeated_first_valid", unclear, &[&valid, &other]),
        forged("repeated_last_valid", unclear, &[&other, &valid]),
    ]
}

fn informational(signer: &Signer<'_>) -> Vec<Case> {
    let noted = |name, reason, signature: String, body: &str| {
        Case::new(Expected::Either, name, reason, [signature], body)
    };
    let signed = |name, reason, body: &str| noted(name, reason, signer.sign(body), body);
    let other_kind = "the signature does not cover the header; use the kind in the payload";
    let digest = signer.encode(&signer.digest(BODY));
    vec![
        signed(
            "replay",
            "the signature contains no time, so handlers must be idempotent",
            BODY,
        ),
        signed("other_kind", other_kind, BODY).event_kind(Some("message.received")),
        signed(
            "unknown_kind",
            "the service may add kinds; respond with 2xx",
            BODY,
        )
        .event_kind(Some("probe.sent")),
        signed("no_kind", "the signature does not cover the header", BODY).event_kind(None),
        signed(
            "not_json",
            "the specification does not define payloads; respond with 2xx",
            NOT_JSON,
        ),
        signed(
            "64_kib",
            "the specification states no maximum",
            &of_length(64 << 10),
        ),
        noted(
            "other_encoding",
            "the specification does not state the encoding of the digest",
            signer.with_other_encoding().sign(BODY),
            BODY,
        ),
        noted(
            "upper_case",
            "the specification does not state the case of hex digits",
            format!("sha256={}", digest.to_uppercase()),
            BODY,
        ),
        noted(
            "upper_case_prefix",
            "the prefix is sha256=",
            format!("SHA256={digest}"),
            BODY,
        ),
    ]
}
