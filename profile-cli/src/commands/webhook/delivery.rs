//! A delivery to send: headers and body.

use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use webhook_verify::{DigestEncoding, EVENT_HEADER, SIGNATURE_HEADER, Secret, sign_as};

const SIGNATURE: HeaderName = HeaderName::from_static(SIGNATURE_HEADER);
const EVENT: HeaderName = HeaderName::from_static(EVENT_HEADER);

/// Headers of a connection, and headers that the HTTP client sets.
const CONNECTION_HEADERS: [HeaderName; 10] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// A delivery without the headers of the connection.
#[derive(Debug, Clone)]
pub(super) struct Delivery {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Delivery {
    /// Creates a delivery as the service sends it.
    pub(super) fn new(kind: HeaderValue, body: impl Into<Bytes>) -> Self {
        let json = HeaderValue::from_static("application/json");
        Self {
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, json), (EVENT, kind)]),
            body: body.into(),
        }
    }

    /// Creates a delivery from a received one.
    pub(super) fn forwarded(headers: &HeaderMap, body: Bytes) -> Self {
        let mut headers = headers.clone();
        for name in &CONNECTION_HEADERS {
            headers.remove(name);
        }
        Self { headers, body }
    }

    /// Replaces the signature.
    pub(super) fn signed(mut self, secret: &Secret, encoding: DigestEncoding) -> Self {
        let signature = sign_as(encoding, secret, &self.body);
        let value = HeaderValue::try_from(signature).expect("a signature is visible ASCII");
        self.headers.insert(SIGNATURE, value);
        self
    }

    /// Adds a signature to those that the delivery has.
    pub(super) fn add_signature(&mut self, signature: &str) {
        let value = HeaderValue::from_str(signature).expect("a signature is visible ASCII");
        self.headers.append(SIGNATURE, value);
    }

    /// Replaces the kind in the header, or removes it.
    pub(super) fn set_kind(&mut self, kind: Option<HeaderValue>) {
        match kind {
            Some(kind) => self.headers.insert(EVENT, kind),
            None => self.headers.remove(EVENT),
        };
    }

    /// Returns the kind in the header.
    pub(super) fn kind(&self) -> String {
        let kind = self.headers.get(EVENT).map(HeaderValue::as_bytes);
        String::from_utf8_lossy(kind.unwrap_or_default()).into_owned()
    }
}
