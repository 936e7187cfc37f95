//! The test vectors for receivers in other languages, in `vectors.json`. `UPDATE_EXPECT=1` writes the
//! file.

mod accepted;
mod rejected;

use std::collections::HashSet;
use std::{env, fs};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Serialize};
use webhook_verify::{Headers, Secret, Verifier, VerifyError, sign};

use crate::SECRET;

/// A delivery in the file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Vector {
    name: String,
    /// In base64.
    secret: String,
    headers: Vec<(String, String)>,
    /// In base64.
    body: String,
    valid: bool,
    /// The reason for the rejection.
    reason: Option<String>,
}

/// A JSON payload that changes when it is parsed and serialized again.
const EVENT: &str =
    r#"{"type": "post.liked", "n": 1.0, "by": "Gr\u0061ce", "n": 10000000000000000000001}"#;

fn delivery(name: &str, signature: &str, body: impl AsRef<[u8]>) -> Vector {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Vector {
        name: name.to_owned(),
        secret: BASE64_STANDARD.encode(SECRET),
        headers: vec![
            header("Content-Type", "application/json"),
            header("X-Service-Event", "post.liked"),
            header("X-Service-Signature", signature),
        ],
        body: BASE64_STANDARD.encode(body),
        valid: true,
        reason: None,
    }
}

fn signature(secret: impl AsRef<[u8]>, body: impl AsRef<[u8]>) -> String {
    let secret = Secret::with_surrounding_whitespace(secret.as_ref()).unwrap();
    sign(&secret, body)
}

fn genuine(name: &str, body: impl AsRef<[u8]>) -> Vector {
    delivery(name, &signature(SECRET, &body), body)
}

impl Vector {
    fn secret(self, secret: impl AsRef<[u8]>) -> Self {
        let secret = BASE64_STANDARD.encode(secret);
        Self { secret, ..self }
    }

    /// Signs the body again, with the vector's secret.
    fn signed(mut self) -> Self {
        let [secret, body] = [&self.secret, &self.body].map(|text| decode(text));
        self.headers.last_mut().unwrap().1 = signature(secret, body);
        self
    }

    /// Replaces all headers.
    fn headers(mut self, headers: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        self.headers = headers.iter().map(owned).collect();
        self
    }

    fn rejected(mut self, reason: &str) -> Self {
        (self.valid, self.reason) = (false, Some(reason.to_owned()));
        self
    }
}

fn decode(text: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(text).unwrap()
}

fn reason(error: VerifyError) -> &'static str {
    match error {
        VerifyError::SignatureMissing => "signature missing",
        VerifyError::SignatureDuplicate { .. } => "signature repeated",
        VerifyError::BadPrefix => "prefix is not sha256=",
        VerifyError::Sha1 => "SHA-1",
        VerifyError::BadLength { .. } => "length of the digest",
        VerifyError::NotHex { .. } => "not hex",
        VerifyError::LooksLikeBase64 => "base64 instead of hex",
        VerifyError::Mismatch { .. } => "digest does not match",
        error => panic!("{error:?}"),
    }
}

fn all() -> Vec<Vector> {
    let mut vectors = accepted::vectors();
    vectors.extend(rejected::vectors());
    vectors
}

/// Returns the content of `vectors.json`.
fn file() -> String {
    let json = |vector| serde_json::to_string(&vector).unwrap();
    let lines: Vec<String> = all().into_iter().map(json).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[test]
fn the_file_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors.json");
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, file()).unwrap();
    }
    assert!(
        fs::read_to_string(path).unwrap().replace('\r', "") == file(),
        "vectors.json is outdated; run this test with UPDATE_EXPECT=1"
    );
}

#[test]
fn the_verifier_agrees_with_every_vector() {
    let vectors: Vec<Vector> = serde_json::from_str(&file()).unwrap();
    let names: HashSet<&str> = vectors.iter().map(|vector| vector.name.as_str()).collect();
    assert_eq!(names.len(), vectors.len(), "names are unique");
    let accepted = vectors.iter().filter(|vector| vector.valid).count();
    assert!(accepted >= 20, "{accepted}");
    assert!(vectors.len() - accepted >= 30, "{accepted}");
    for vector in vectors {
        let secret = Secret::with_surrounding_whitespace(decode(&vector.secret)).unwrap();
        let headers = Headers::new(vector.headers.iter().map(|(name, value)| (name, value)));
        let result = Verifier::new(secret).verify(headers, decode(&vector.body));
        let reason = result.err().map(reason);
        assert_eq!(reason, vector.reason.as_deref(), "{}", vector.name);
        assert_eq!(reason.is_none(), vector.valid, "{}", vector.name);
    }
}
