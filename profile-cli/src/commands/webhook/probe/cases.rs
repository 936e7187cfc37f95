//! The deliveries to send, each with the response that a correct receiver returns.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{EagerHash, Hmac, KeyInit as _, Mac as _};
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue, TRANSFER_ENCODING};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};
use webhook_verify::{DigestEncoding, EventKind};

use crate::commands::webhook::delivery::{Delivery, EVENT, LARGE_BYTES, SIGNATURE};
use Expected::{Accepted, Either, Rejected};

/// Returns all deliveries. The first and the last are genuine.
pub(super) fn all(signer: &Signer<'_>) -> Vec<Case> {
    let mut cases = genuine(signer);
    let last = cases.pop();
    // The exempt ones are next, because a receiver may keep the result of the delivery before.
    let groups = [
        exempt,
        forged_bodies,
        forged_digests,
        forged_headers,
        informational,
    ];
    cases.extend(groups.iter().flat_map(|group| group(signer)));
    cases.extend(last);
    cases
}

fn genuine(signer: &Signer<'_>) -> Vec<Case> {
    let accepted = |name, body: &str| Case::new(Accepted, name, &[&signer.sign(body)], body);
    let line = format!("{BODY}\r\n");
    let large = of_length(65 << 10);
    vec![
        accepted("genuine", BODY).because("the service sends it"),
        accepted("unusual_spaces", UNUSUAL).because(NOT_PARSED),
        accepted("text_outside_ascii", NOT_ASCII)
            .because("the body must not be decoded before it is verified"),
        accepted("newline_at_the_end", &line).because("the body must not be trimmed"),
        accepted("1_mb", &of_length(LARGE_BYTES)).because("the specification states no maximum"),
        accepted("65_kib_outside_ascii", &large.replace("xxx", "界"))
            .because("the parts of a body may end inside a character"),
        accepted("no_content_type", &of_length(70))
            .because("the specification does not require the header")
            .header(CONTENT_TYPE, None),
        accepted("form", &of_length(75))
            .because("a framework that reads forms must leave the raw body")
            .header(CONTENT_TYPE, Some(FORM)),
        accepted("invalid_content_type", &of_length(85))
            .because("a framework may respond with 415 before it calls the receiver")
            .header(CONTENT_TYPE, Some("json")),
        accepted("genuine_at_the_end", &of_length(80))
            .because("a receiver that rejects everything after a forgery proves nothing"),
    ]
}

fn forged_bodies(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, signed: &str, sent: &dyn AsRef<[u8]>| {
        Case::new(Rejected, name, &[&signer.sign(signed)], sent)
    };
    let large = of_length(65 << 10);
    let cut = &BODY[..BODY.len() - 1];
    let not_utf8 = [BODY.as_bytes(), b"\xff"].concat();
    let replaced = format!("{BODY}\u{fffd}");
    let altered = |body: &str| body.replace("liked", "likee");
    vec![
        forged("other_body", BODY, &OTHER).because("the signature is of another delivery"),
        forged("altered_body", BODY, &altered(BODY)).because("one letter differs"),
        forged("byte_added", BODY, &format!("{BODY}\n")).because("a newline was added"),
        forged("byte_removed", BODY, &cut).because("the last byte is missing"),
        forged("body_removed", BODY, &"").because("an empty body must be verified too"),
        forged("json_reformatted", BODY, &UNUSUAL).because(NOT_PARSED),
        forged("json_reformatted_with_spaces", SPACED, &UNUSUAL).because(NOT_PARSED),
        forged("digest_of_an_empty_body", "", &BODY)
            .because("a body that was read before looks empty"),
        forged("large_body", BODY, &of_length(1 << 20))
            .because("1 MiB with the signature of another body"),
        forged("after_64_kib", &large, &altered(&large)).because("the whole body must be verified"),
        forged("after_nul", BODY, &format!("{BODY}\0{OTHER}")).because("NUL does not end the body"),
        forged("invalid_utf8_removed", BODY, &not_utf8)
            .because("the byte 0xFF was added, which some decoders ignore"),
        forged("invalid_utf8_replaced", &replaced, &not_utf8)
            .because("some decoders replace the byte 0xFF with U+FFFD, which was signed"),
    ]
}

/// Deliveries that anyone can send, for which a receiver may skip the verification.
fn exempt(signer: &Signer<'_>) -> Vec<Case> {
    let json = Some("application/json");
    let others = [
        ("forged_no_content_type", Some(KIND), None),
        ("forged_form", Some(KIND), Some(FORM)),
        ("forged_text", Some(KIND), Some("text/plain")),
        ("forged_no_kind", None, json),
        ("forged_unknown_kind", Some("ping"), json),
        ("forged_challenge", Some("url_verification"), json),
    ];
    let kinds = EventKind::KNOWN.iter().map(EventKind::as_str);
    let kinds = kinds.map(|kind| (kind, Some(kind), json));
    let forged = others.into_iter().chain(kinds);
    let forged = forged.map(|(name, kind, content_type)| {
        let in_body = kind.unwrap_or(KIND);
        let body = format!(r#"{{"challenge":"a","probe":true,"type":"{in_body}"}}"#);
        let signature = signer.with_secret(b"another secret").sign(&body);
        Case::new(Rejected, name, &[&signature], body)
            .because("each delivery must be verified, whatever its kind and content type are")
            .header(EVENT, kind)
            .header(CONTENT_TYPE, content_type)
    });
    forged.collect()
}

fn forged_digests(signer: &Signer<'_>) -> Vec<Case> {
    let forged =
        |name, digest: &[u8]| Case::new(Rejected, name, &[&signer.signature(digest)], BODY);
    let with_secret = |secret: &[u8]| signer.with_secret(secret).digest(BODY);
    let unset = |name, secret| {
        forged(name, &with_secret(secret)).because("an unset secret may be read as a word")
    };
    let flipped = |position: usize| {
        let mut digest = signer.digest(BODY);
        digest[position] ^= 1;
        digest
    };
    let sha1 = hmac::<Sha1>(signer.secret, BODY);
    let named_sha1 = format!("sha1={}", signer.encode(&sha1));
    vec![
        forged("other_secret", &with_secret(b"another secret"))
            .because("anyone can sign with another secret"),
        forged("empty_secret", &with_secret(b""))
            .because("anyone can sign if the receiver has no secret"),
        unset("secret_none", b"None"),
        unset("secret_null", b"null"),
        unset("secret_undefined", b"undefined"),
        forged("no_secret", &Sha256::digest(BODY))
            .because("anyone can compute SHA-256 of the body"),
        forged("first_byte_altered", &flipped(0)).because("the whole digest must be compared"),
        forged("last_byte_altered", &flipped(31)).because("the whole digest must be compared"),
        forged("zeros", &[0; 32]).because("the digest must be compared"),
        Case::new(Rejected, "sha1", &[&named_sha1], BODY)
            .because("the sender must not choose the algorithm"),
        forged("sha1_as_sha256", &sha1).because("the digest has 20 bytes"),
    ]
}

fn forged_headers(signer: &Signer<'_>) -> Vec<Case> {
    let forged = |name, signature: &str| Case::new(Rejected, name, &[signature], BODY);
    let (valid, digest) = (signer.sign(BODY), signer.encode(&signer.digest(BODY)));
    let other = signer.with_secret(b"another secret").sign(BODY);
    let cut = |length: usize| &valid[.."sha256=".len() + length];
    let not_a_digit = format!("{}!", &valid[..valid.len() - 1]);
    // Either signature may be read: the body is correctly signed.
    let unclear = |name, signatures: [&str; 2]| {
        Case::new(Either, name, &signatures, BODY)
            .because("two signatures are ambiguous; rejecting both is safer")
    };
    vec![
        forged("no_prefix", &digest).because("the algorithm must be named"),
        forged("prefix_only", "sha256=").because("an empty digest is a prefix of any digest"),
        forged("empty_signature", "").because("an empty value is a prefix of any signature"),
        forged("truncated_to_8", cut(8)).because("the digest is cut to 8 characters"),
        forged("truncated_by_1", cut(digest.len() - 1)).because("the last character is missing"),
        forged("character_added", &format!("{valid}0")).because("one character too many"),
        forged("not_a_digit", &not_a_digit).because("the digest cannot be decoded"),
        forged("concatenated", &format!("{valid},{other}")).because("two signatures are ambiguous"),
        Case::new(Rejected, "no_signature", &[], BODY).because("the signature is required"),
        unclear("repeated_first_valid", [&valid, &other]),
        unclear("repeated_last_valid", [&other, &valid]),
    ]
}

fn informational(signer: &Signer<'_>) -> Vec<Case> {
    let encoding = match signer.encoding {
        DigestEncoding::Base64 => DigestEncoding::Hex,
        _ => DigestEncoding::Base64,
    };
    let other_encoding = Signer {
        encoding,
        ..*signer
    }
    .sign(BODY);
    let noted = |name, signature: &str| Case::new(Either, name, &[signature], BODY);
    let (valid, digest) = (signer.sign(BODY), signer.encode(&signer.digest(BODY)));
    vec![
        noted("replay", &valid)
            .because("the signature contains no time, so handlers must be idempotent"),
        noted("other_kind", &valid)
            .because("the signature does not cover the header; use the kind in the payload")
            .header(EVENT, Some("message.received")),
        noted("unknown_kind", &valid)
            .because("the service may add kinds; respond with 2xx")
            .header(EVENT, Some("probe.sent")),
        noted("no_kind", &valid)
            .because("the signature does not cover the header")
            .header(EVENT, None),
        Case::new(Either, "in_chunks", &[&valid], BODY)
            .because("a proxy may send it in chunks, which some servers reject")
            .header(TRANSFER_ENCODING, Some("chunked")),
        Case::new(Either, "not_json", &[&signer.sign(NOT_JSON)], NOT_JSON)
            .because("the specification does not define payloads; respond with 2xx"),
        noted("other_encoding", &other_encoding)
            .because("the specification does not state the encoding of the digest"),
        noted("upper_case", &format!("sha256={}", digest.to_uppercase()))
            .because("the specification does not state the case of hex digits"),
        noted("upper_case_prefix", &format!("SHA256={digest}")).because("the prefix is sha256="),
    ]
}

/// A delivery to send.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) expected: Expected,
    /// The reason why the case matters.
    pub(super) reason: &'static str,
    pub(super) delivery: Delivery,
}

/// The response of a correct receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    Accepted,
    Rejected,
    /// The specification permits both.
    Either,
}

impl Case {
    /// Creates a case with a signature for each value.
    fn new(
        expected: Expected,
        name: &'static str,
        signatures: &[&str],
        body: impl AsRef<[u8]>,
    ) -> Self {
        let kind = HeaderValue::from_static(KIND);
        let mut delivery = Delivery::new(kind, body.as_ref().to_vec());
        for signature in signatures {
            let value = HeaderValue::from_str(signature).expect("a signature is visible ASCII");
            delivery.headers.append(SIGNATURE, value);
        }
        Self {
            name,
            expected,
            reason: "",
            delivery,
        }
    }

    /// Sets the reason why the case matters.
    fn because(mut self, reason: &'static str) -> Self {
        self.reason = reason;
        self
    }

    pub(super) fn is_json(&self) -> bool {
        let content_type = self.delivery.headers.get(CONTENT_TYPE);
        content_type.is_some_and(|value| value == "application/json")
    }

    /// Replaces the value of a header, or removes it.
    fn header(mut self, name: HeaderName, value: Option<&'static str>) -> Self {
        let headers = &mut self.delivery.headers;
        match value {
            Some(value) => headers.insert(name, HeaderValue::from_static(value)),
            None => headers.remove(name),
        };
        self
    }
}

const NOT_PARSED: &str = "the signature covers the bytes, not the parsed JSON";

const KIND: &str = "post.liked";

const FORM: &str = "application/x-www-form-urlencoded";

/// A payload as the service may send it. Its fields are sorted, so that serializing it again in any
/// language does not change their order.
const BODY: &str = r#"{"data":{},"probe":true,"type":"post.liked"}"#;

/// Another payload.
const OTHER: &str = r#"{"data":{"by":"mallory"},"probe":true,"type":"post.liked"}"#;

/// [`BODY`], as Python's `json` formats it.
const SPACED: &str = r#"{"data": {}, "probe": true, "type": "post.liked"}"#;

/// [`BODY`], as no usual library formats it.
const UNUSUAL: &str = r#"{ "data" : {}, "probe" : true, "type" : "post.liked" }"#;

const NOT_ASCII: &str = r#"{"by":"Grüße, 世界","probe":true,"type":"post.liked"}"#;

const NOT_JSON: &str = "probe: true";

/// Returns a payload of exactly this length in bytes.
fn of_length(length: usize) -> String {
    let empty = r#"{"data":"","probe":true,"type":"post.liked"}"#;
    let filling = "x".repeat(length.saturating_sub(empty.len()));
    empty.replacen(r#""""#, &format!("\"{filling}\""), 1)
}

/// Creates signatures with the webhook secret.
#[derive(Clone, Copy)]
pub(super) struct Signer<'s> {
    pub(super) secret: &'s [u8],
    pub(super) encoding: DigestEncoding,
}

impl Signer<'_> {
    /// Returns a signer with another secret.
    fn with_secret(self, secret: &[u8]) -> Signer<'_> {
        let encoding = self.encoding;
        Signer { secret, encoding }
    }

    /// Signs a body as the service does.
    fn sign(&self, body: &str) -> String {
        self.signature(&self.digest(body))
    }

    /// Returns the value of the header for a digest.
    fn signature(&self, digest: &[u8]) -> String {
        format!("sha256={}", self.encode(digest))
    }

    fn digest(&self, body: &str) -> Vec<u8> {
        hmac::<Sha256>(self.secret, body)
    }

    fn encode(&self, digest: &[u8]) -> String {
        match self.encoding {
            DigestEncoding::Base64 => BASE64_STANDARD.encode(digest),
            _ => digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        }
    }
}

fn hmac<D: EagerHash>(secret: &[u8], body: &str) -> Vec<u8> {
    let hmac = Hmac::<D>::new_from_slice(secret).expect("HMAC takes keys of any length");
    hmac.chain_update(body).finalize().into_bytes().to_vec()
}
