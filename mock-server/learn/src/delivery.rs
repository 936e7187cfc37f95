//! Recorded webhook deliveries, as `profile webhook listen --record` writes them.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

use super::finding::Sample;

/// A recorded delivery: an HTTP/1.1 request.
#[derive(Debug)]
pub(crate) struct Delivery {
    name: String,
    head: String,
    pub(super) body: Vec<u8>,
    /// `None` without a secret.
    pub(super) is_genuine: Option<bool>,
}

impl Delivery {
    /// Reads a file, and verifies the signature if there is a secret.
    ///
    /// # Errors
    ///
    /// Returns the reason if the file is not a recorded delivery.
    pub(crate) fn read(path: &Path, secret: Option<&[u8]>) -> Result<Self, String> {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.ok_or("the empty line after the headers is missing")?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        let mut delivery = Self {
            name: name.to_string_lossy().into_owned(),
            head: String::from_utf8_lossy(&bytes[..end]).into_owned(),
            body: bytes[end + 4..].to_vec(),
            is_genuine: None,
        };
        delivery.is_genuine = secret.map(|secret| delivery.verify(secret));
        Ok(delivery)
    }

    /// Returns the value of a header. The name is in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let fields = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut values = fields.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value.trim())
    }

    fn verify(&self, secret: &[u8]) -> bool {
        let mac = Hmac::<Sha256>::new_from_slice(secret);
        let mut mac = mac.expect("HMAC takes a key of any length");
        mac.update(&self.body);
        let digest = self.header("x-service-signature").and_then(decode);
        digest.is_some_and(|(_, digest)| mac.verify_slice(&digest).is_ok())
    }

    pub(super) fn sample(&self, found: impl Into<Value>) -> Sample {
        Sample::new(&self.name, None, found)
    }
}

/// Returns the encoding and the digest of a signature.
pub(super) fn decode(signature: &str) -> Option<(&'static str, Vec<u8>)> {
    const DIGEST_BYTES: usize = 32;
    let text = signature.strip_prefix("sha256=")?;
    let has_upper_case = text.bytes().any(|byte| byte.is_ascii_uppercase());
    let (encoding, digest) = match hex::decode(text) {
        Ok(digest) if has_upper_case => ("upper_hex", digest),
        Ok(digest) => ("hex", digest),
        Err(_) => ("base64", STANDARD.decode(text).ok()?),
    };
    (digest.len() == DIGEST_BYTES).then_some((encoding, digest))
}
