//! Deliveries that a receiver must reject.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{EVENT, Vector, delivery, genuine, signature};
use crate::SECRET;

const MISMATCH: &str = "digest does not match";
const PREFIX: &str = "prefix is not sha256=";
const LENGTH: &str = "length of the digest";

pub(super) fn vectors() -> Vec<Vector> {
    let mut vectors = bodies();
    vectors.extend(digests());
    vectors.extend(algorithms());
    vectors.extend(formats());
    vectors.extend(headers());
    vectors
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns the digest of [`EVENT`].
fn digest() -> String {
    signature(SECRET, EVENT).split_off("sha256=".len())
}

/// Returns a delivery of `body` with the signature of `signed`.
fn altered(name: &str, signed: &str, body: &str) -> Vector {
    delivery(name, &signature(SECRET, signed), body).rejected(MISMATCH)
}

fn bodies() -> Vec<Vector> {
    let reserialized = r#"{"type":"post.liked","n":1e22,"by":"Grace"}"#;
    vec![
        altered(
            "one letter changed",
            EVENT,
            &EVENT.replace("liked", "likee"),
        ),
        altered("one bit changed", EVENT, &EVENT.replace("Gr", "Fr")),
        altered("newline added", EVENT, &format!("{EVENT}\n")),
        altered("space added at the start", EVENT, &format!(" {EVENT}")),
        altered("NUL byte added", EVENT, &format!("{EVENT}\0")),
        altered("last byte missing", EVENT, &EVENT[..EVENT.len() - 1]),
        altered("second body appended", "{}", "{}{}"),
        altered("body removed", EVENT, ""),
        altered("body added to the signature of an empty one", "", EVENT),
        altered("JSON parsed and serialized again", EVENT, reserialized),
        altered("spaces removed from JSON", EVENT, &EVENT.replace(' ', "")),
        altered("CRLF changed to LF", "{\r\n}\r\n", "{\n}\n"),
        altered("byte order mark removed", "\u{feff}{}", "{}"),
    ]
}

fn digests() -> Vec<Vector> {
    let with_key =
        |name, key: &str| delivery(name, &signature(key, EVENT), EVENT).rejected(MISMATCH);
    let with_digest =
        |name, digest: &str| delivery(name, &format!("sha256={digest}"), EVENT).rejected(MISMATCH);
    let digest = digest();
    let empty_key = Hmac::<Sha256>::new_from_slice(b"")
        .unwrap()
        .chain_update(EVENT);
    let replace = |position: usize| {
        let other = if &digest[position..=position] == "0" {
            "1"
        } else {
            "0"
        };
        format!("{}{other}{}", &digest[..position], &digest[position + 1..])
    };
    vec![
        with_key("another secret", "another secret"),
        with_key("secret with a newline", &format!("{SECRET}\n")),
        with_key("secret in lower case", &SECRET.to_lowercase()),
        delivery(
            "secret and body exchanged",
            &signature(EVENT, SECRET),
            EVENT,
        )
        .rejected(MISMATCH),
        with_digest("empty secret", &hex(empty_key.finalize().into_bytes())),
        with_digest("first digit changed", &replace(0)),
        with_digest("last digit changed", &replace(63)),
        with_digest("digest reversed", &digest.chars().rev().collect::<String>()),
        with_digest("digest of zeros", &"0".repeat(64)),
        with_digest("digest of an empty body", &hex(hmac_sha256(b""))),
        with_digest("SHA-256 without a secret", &hex(Sha256::digest(EVENT))),
        with_digest(
            "SHA-256 of secret and body",
            &hex(Sha256::digest([SECRET, EVENT].concat())),
        ),
    ]
}

fn hmac_sha256(body: &[u8]) -> [u8; 32] {
    let hmac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    hmac.chain_update(body).finalize().into_bytes().into()
}

fn algorithms() -> Vec<Vector> {
    let sha1 = Hmac::<Sha1>::new_from_slice(SECRET.as_bytes())
        .unwrap()
        .chain_update(EVENT);
    let sha1 = hex(sha1.finalize().into_bytes());
    let sha512 = Hmac::<Sha512>::new_from_slice(SECRET.as_bytes())
        .unwrap()
        .chain_update(EVENT);
    let sha512 = hex(sha512.finalize().into_bytes());
    let digest = digest();
    let rejected =
        |name, signature: String, reason| delivery(name, &signature, EVENT).rejected(reason);
    vec![
        rejected("SHA-1", format!("sha1={sha1}"), "SHA-1"),
        rejected("SHA-1 labeled as SHA-256", format!("sha256={sha1}"), LENGTH),
        rejected(
            "SHA-256 labeled as SHA-1",
            format!("sha1={digest}"),
            "SHA-1",
        ),
        rejected("SHA-512", format!("sha512={sha512}"), PREFIX),
        rejected(
            "SHA-512 labeled as SHA-256",
            format!("sha256={sha512}"),
            LENGTH,
        ),
        rejected("no algorithm", "none=".to_owned(), PREFIX),
    ]
}

fn formats() -> Vec<Vector> {
    let digest = digest();
    let rejected =
        |name: &str, signature: &str, reason| delivery(name, signature, EVENT).rejected(reason);
    let base64 = BASE64_STANDARD.encode(hmac_sha256(EVENT.as_bytes()));
    let other = signature("another secret", EVENT);
    let mut vectors = vec![
        rejected("empty signature", "", PREFIX),
        rejected("prefix only", "sha256=", LENGTH),
        rejected("digest without prefix", &digest, PREFIX),
        rejected("prefix in upper case", &format!("SHA256={digest}"), PREFIX),
        rejected("prefix with a hyphen", &format!("sha-256={digest}"), PREFIX),
        rejected("prefix with a colon", &format!("sha256:{digest}"), PREFIX),
        rejected("prefix twice", &format!("sha256=sha256={digest}"), LENGTH),
        rejected(
            "space before the digest",
            &format!("sha256= {digest}"),
            LENGTH,
        ),
        rejected("quoted signature", &format!("\"sha256={digest}\""), PREFIX),
        rejected("semicolon at the end", &format!("sha256={digest};"), LENGTH),
        rejected("digest with 0x", &format!("sha256=0x{digest}"), LENGTH),
        rejected("digest twice", &format!("sha256={digest}{digest}"), LENGTH),
        rejected("one digit too many", &format!("sha256={digest}0"), LENGTH),
        rejected(
            "not a hex digit",
            &format!("sha256={}g", &digest[..63]),
            "not hex",
        ),
        rejected(
            "percent sign in the digest",
            &format!("sha256={}%", &digest[..63]),
            "not hex",
        ),
        rejected(
            "digest in base64",
            &format!("sha256={base64}"),
            "base64 instead of hex",
        ),
        rejected(
            "another signature after a valid one",
            &format!("sha256={digest}, {other}"),
            LENGTH,
        ),
        rejected(
            "another signature before a valid one",
            &format!("{other},sha256={digest}"),
            LENGTH,
        ),
    ];
    for length in [1, 2, 32, 62, 63] {
        let name = format!("digest cut to {length} digits");
        vectors.push(rejected(
            &name,
            &format!("sha256={}", &digest[..length]),
            LENGTH,
        ));
    }
    vectors
}

fn headers() -> Vec<Vector> {
    let valid = format!("sha256={}", digest());
    let rejected = |name, headers: &[(&str, &str)], reason| {
        genuine(name, EVENT).headers(headers).rejected(reason)
    };
    let name = "X-Service-Signature";
    vec![
        rejected("no headers", &[], "signature missing"),
        rejected(
            "no signature",
            &[("X-Service-Event", "post.liked")],
            "signature missing",
        ),
        rejected(
            "another header",
            &[("X-Signature", &valid)],
            "signature missing",
        ),
        rejected(
            "repeated signature",
            &[(name, &valid), (name, &valid)],
            "signature repeated",
        ),
        rejected(
            "repeated signature, one invalid",
            &[(name, "sha256=00"), (&name.to_lowercase(), &valid)],
            "signature repeated",
        ),
    ]
}
