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
    let accepted =
        |name, body: &str| Case::new(Expected::Accepted, name, [signer.sign(body)], body);
    let line = format!("{BODY}\n");
    vec![
        accepted("genuine", BODY).because("the service sends it"),
        accepted("unusual_spaces", UNUSUAL)
            .because("the signature covers the bytes, not the parsed JSON"),
        accepted("text_outside_ascii", NOT_ASCII)
            .because("the body must not be decoded before it is verified"),
        accepted("newline_at_the_end", &line).because("the body must not be trimmed"),
    ]
}

fn forged_bodies(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, signed: &str, sent: &str| {
        Case::new(Expected::Rejected, name, [signer.sign(signed)], sent)
    };
    let large = of_length(1 << 20);
    let altered = BODY.replace("liked", "likee");
    let cut = &BODY[..BODY.len() - 1];
    vec![
        forged("other_body", BODY, OTHER).because("the signature is of another delivery"),
        forged("altered_body", BODY, &altered).because("one letter differs"),
        forged("byte_added", BODY, &format!("{BODY}\n")).because("a newline was added"),
        forged("byte_removed", BODY, cut).because("the last byte is missing"),
        forged("body_removed", BODY, "").because("an empty body must be verified too"),
        forged("json_reformatted", BODY, UNUSUAL)
            .because("the signature covers the bytes, not the parsed JSON"),
        forged("json_reformatted_with_spaces", SPACED, UNUSUAL)
            .because("the signature covers the bytes, not the parsed JSON"),
        forged("digest_of_an_empty_body", "", BODY)
            .because("a body that was read before looks empty"),
        forged("large_body", BODY, &large).because("1 MiB with the signature of another body"),
    ]
}

fn forged_digests(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, digest: &[u8]| {
        let signature = signer.signature(digest);
        Case::new(Expected::Rejected, name, [signature], BODY)
    };
    let with_secret = |secret: &[u8]| signer.with_secret(secret).digest(BODY);
    let flipped = |position: usize| {
        let mut digest = signer.digest(BODY);
        digest[position] ^= 1;
        digest
    };
    vec![
        forged("other_secret", &with_secret(b"another secret"))
            .because("anyone can sign with another secret"),
        forged("empty_secret", &with_secret(b""))
            .because("anyone can sign if the receiver has no secret"),
        forged("no_secret", &sha256(BODY)).because("anyone can compute SHA-256 of the body"),
        forged("first_byte_altered", &flipped(0)).because("the whole digest must be compared"),
        forged("last_byte_altered", &flipped(31)).because("the whole digest must be compared"),
        forged("zeros", &[0; 32]).because("the digest must be compared"),
    ]
}

fn other_algorithms(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, prefix: &str, digest: &[u8]| {
        let signature = format!("{prefix}={}", signer.encode(digest));
        Case::new(Expected::Rejected, name, [signature], BODY)
    };
    let (sha1, sha512) = (signer.sha1(BODY), signer.sha512(BODY));
    vec![
        forged("sha1", "sha1", &sha1).because("the sender must not choose the algorithm"),
        forged("sha1_as_sha256", "sha256", &sha1).because("the digest has 20 bytes"),
        forged("sha512", "sha512", &sha512).because("the sender must not choose the algorithm"),
        forged("no_algorithm", "none", &[]).because("the sender must not choose the algorithm"),
    ]
}

fn malformed(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, signature: &str| Case::new(Expected::Rejected, name, [signature], BODY);
    let (valid, digest) = (signer.sign(BODY), signer.encode(&signer.digest(BODY)));
    let other = signer.with_secret(b"another secret").sign(BODY);
    let cut = |length: usize| &valid[.."sha256=".len() + length];
    let not_a_digit = format!("{}!", &valid[..valid.len() - 1]);
    vec![
        forged("no_prefix", &digest).because("the algorithm must be named"),
        forged("prefix_only", "sha256=").because("an empty digest is a prefix of any digest"),
        forged("empty_signature", "").because("an empty value is a prefix of any signature"),
        forged("truncated_to_8", cut(8)).because("the digest is cut to 8 characters"),
        forged("truncated_by_1", cut(digest.len() - 1)).because("the last character is missing"),
        forged("character_added", &format!("{valid}0")).because("one character too many"),
        forged("not_a_digit", &not_a_digit).because("the digest cannot be decoded"),
        forged("concatenated", &format!("{valid},{other}")).because("two signatures are ambiguous"),
        forged("concatenated_last", &format!("{other}, {valid}"))
            .because("two signatures are ambiguous"),
    ]
}

fn missing_and_repeated(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, signatures: &[&str]| Case::new(Expected::Rejected, name, signatures, BODY);
    let valid = signer.sign(BODY);
    let other = signer.with_secret(b"another secret").sign(BODY);
    // Either signature may be read: the body is correctly signed.
    let unclear = |name, signatures: [&str; 2]| {
        Case::new(Expected::Either, name, signatures, BODY)
            .because("two signatures are ambiguous; rejecting both is safer")
    };
    vec![
        forged("no_signature", &[]).because("the signature is required"),
        unclear("repeated_first_valid", [&valid, &other]),
        unclear("repeated_last_valid", [&other, &valid]),
    ]
}

fn informational(signer: &Signer<'_>) -> Vec<Case> {
    let noted =
        |name, signature: String, body: &str| Case::new(Expected::Either, name, [signature], body);
    let signed = |name, body: &str| noted(name, signer.sign(body), body);
    let other_kind = "the signature does not cover the header; use the kind in the payload";
    let digest = signer.encode(&signer.digest(BODY));
    vec![
        signed("replay", BODY)
            .because("the signature contains no time, so handlers must be idempotent"),
        signed("other_kind", BODY)
            .because(other_kind)
            .event_kind(Some("message.received")),
        signed("unknown_kind", BODY)
            .because("the service may add kinds; respond with 2xx")
            .event_kind(Some("probe.sent")),
        signed("no_kind", BODY)
            .because("the signature does not cover the header")
            .event_kind(None),
        signed("not_json", NOT_JSON)
            .because("the specification does not define payloads; respond with 2xx"),
        signed("64_kib", &of_length(64 << 10)).because("the specification states no maximum"),
        noted(
            "other_encoding",
            signer.with_other_encoding().sign(BODY),
            BODY,
        )
        .because("the specification does not state the encoding of the digest"),
        noted(
            "upper_case",
            format!("sha256={}", digest.to_uppercase()),
            BODY,
        )
        .because("the specification does not state the case of hex digits"),
        noted("upper_case_prefix", format!("SHA256={digest}"), BODY)
            .because("the prefix is sha256="),
    ]
}
