//! Signed requests, for tests of receivers and for senders.

use http::header::CONTENT_TYPE;
use http::{Request, Uri};

use crate::event::EventKind;
use crate::secret::Secret;
use crate::signature::{DigestEncoding, EVENT_HEADER, SIGNATURE_HEADER, sign_as};

/// A builder for the request that the service would send: a `POST` with the body,
/// `X-Service-Signature` and optionally `X-Service-Event`. (Specification: Events.)
///
/// The content type is `application/json`. The signature does not cover it, so you can change it in
/// the signed request.
///
/// # Examples
///
/// ```
/// use webhook_verify::{EventKind, SIGNATURE_HEADER, Secret, SignedRequest};
///
/// let request = SignedRequest::post("http://127.0.0.1:8080/hooks", r#"{"type":"post.liked"}"#)
///     .event_kind(EventKind::PostLiked)
///     .sign(&Secret::new("It's a Secret to Everybody")?)?;
/// assert_eq!(request.method(), "POST");
/// assert!(request.headers().contains_key(SIGNATURE_HEADER));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SignedRequest<B> {
    request: http::request::Builder,
    body: B,
    encoding: DigestEncoding,
}

impl<B: AsRef<[u8]>> SignedRequest<B> {
    /// Creates a `POST` of `body` to `uri`. [`sign`](Self::sign) returns an error if the URI is
    /// invalid.
    #[must_use]
    pub fn post(uri: impl TryInto<Uri, Error: Into<http::Error>>, body: B) -> Self {
        Self {
            request: Request::post(uri).header(CONTENT_TYPE, "application/json"),
            body,
            encoding: DigestEncoding::Hex,
        }
    }

    /// Adds the header `X-Service-Event`. A second call adds another one, which receivers reject.
    #[must_use]
    pub fn event_kind(mut self, kind: EventKind) -> Self {
        self.request = self.request.header(EVENT_HEADER, kind.as_str());
        self
    }

    /// Sets the encoding of the digest. The default is hex.
    #[must_use]
    pub fn encoding(mut self, encoding: DigestEncoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Signs the request with `secret`.
    ///
    /// # Errors
    ///
    /// Returns an [`http::Error`] if the URI is invalid.
    pub fn sign(self, secret: &Secret) -> Result<Request<B>, http::Error> {
        let signature = sign_as(self.encoding, secret, &self.body);
        let request = self.request.header(SIGNATURE_HEADER, signature);
        request.body(self.body)
    }
}
