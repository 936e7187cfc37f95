//! Verification of whole bodies, or in chunks, authentic deliveries, and the digests of their bodies.

#[cfg(feature = "json")]
use alloc::{boxed::Box, collections::BTreeMap, string::String};
use alloc::{vec, vec::Vec};
use core::{fmt, iter};

use hmac::Mac;
use sha2::{Digest, Sha256};

#[cfg(feature = "json")]
use crate::event::PayloadError;
use crate::event::{EventKind, EventKindError, KindError};
use crate::secret::{KeyedState, Secret};
use crate::signature::{self, DigestEncoding, Headers, VerifyError};

/// A verifier of deliveries, with one or several secrets.
///
/// Create it once and share it. Verification does not allocate.
///
/// # Examples
///
/// ```
/// use webhook_verify::{Secret, Verifier};
///
/// let verifier = Verifier::new(Secret::new("new secret")?).also_accept(Secret::new("old secret")?);
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Verifier {
    /// At least one.
    secrets: Vec<Secret>,
    encoding: DigestEncoding,
    body_limit: usize,
}

impl Verifier {
    /// The default of [`Verifier::body_limit`]: 1 MiB.
    pub const DEFAULT_BODY_LIMIT: usize = 1 << 20;

    /// Creates a verifier that accepts deliveries signed with `secret`, which has index 0.
    #[must_use]
    pub fn new(secret: Secret) -> Self {
        Self {
            secrets: vec![secret],
            encoding: DigestEncoding::Hex,
            body_limit: Self::DEFAULT_BODY_LIMIT,
        }
    }

    /// Also accepts deliveries signed with `secret`, which gets the next index. Use it while you
    /// rotate the secret.
    ///
    /// Secrets are tried in the order of their indexes, and each reads the whole body, so pass the
    /// most frequently used one first.
    #[must_use]
    pub fn also_accept(mut self, secret: Secret) -> Self {
        self.secrets.push(secret);
        self
    }

    /// Sets the encoding of digests; no other one is accepted. The default is hex.
    #[must_use]
    pub fn encoding(mut self, encoding: DigestEncoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Sets the maximum length of a body in bytes. The default is
    /// [1 MiB](Self::DEFAULT_BODY_LIMIT).
    ///
    /// The limit applies to [`Verifier::start`] and the adapters. [`Verifier::verify`] ignores it,
    /// because the body is already in memory.
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Verifies a delivery. (Specification: Events.)
    ///
    /// `body` is the raw request body, before any decoding or parsing. It may be empty, and it need
    /// not be UTF-8. Pass it by value to move it into the returned value, or by reference to keep
    /// it. Digests are compared in constant time.
    ///
    /// A missing or invalid event kind is not an error; see [`Verified::event_kind`].
    ///
    /// # Errors
    ///
    /// Returns a [`VerifyError`] if the delivery is not authentic. Respond with 401 whatever the
    /// reason.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Headers, Secret, Verifier, VerifyError, sign};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let signature = sign(&secret, "Hello, World!");
    /// let headers = Headers::new([("X-Service-Signature", signature.as_str())]);
    ///
    /// let verifier = Verifier::new(secret);
    /// assert_eq!(verifier.verify(headers, "Hello, World!")?.body(), b"Hello, World!");
    /// assert!(matches!(
    ///     verifier.verify(headers, "Hello, World?"),
    ///     Err(VerifyError::Mismatch { .. })
    /// ));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn verify<B: AsRef<[u8]>>(
        &self,
        headers: Headers<'_>,
        body: B,
    ) -> Result<Verified<B>, VerifyError> {
        let digest = self.parse_digest(headers)?;
        let body_length = body.as_ref().len();
        let mismatch = VerifyError::Mismatch {
            body_length,
            secrets: self.secrets.len(),
        };
        let mut macs = self.secrets.iter().map(|secret| secret.mac(body.as_ref()));
        let secret_index = macs.position(|mac| mac.verify_slice(&digest).is_ok());
        let secret_index = secret_index.ok_or(mismatch)?;
        // Parse the event kind last: it is not signed, so it must not affect the verification.
        Ok(Verified {
            body,
            body_length,
            event_kind: headers.event_kind(),
            secret_index,
        })
    }

    /// Verifies a request whose whole body is in memory, and replaces the body with the
    /// [`Verified`] body.
    ///
    /// To keep the request, call `verifier.verify(request.headers().into(), request.body())`
    /// instead.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Verifier::verify`].
    #[cfg(feature = "http")]
    pub fn verify_request<B: AsRef<[u8]>>(
        &self,
        request: http::Request<B>,
    ) -> Result<http::Request<Verified<B>>, VerifyError> {
        let (parts, body) = request.into_parts();
        let verified = self.verify(Headers::from(&parts.headers), body)?;
        Ok(http::Request::from_parts(parts, verified))
    }

    /// Starts to verify a delivery whose body arrives in chunks, which need not be kept in memory.
    ///
    /// Validates the headers, and `content_length` in bytes if the request has one, before the
    /// body is read.
    ///
    /// # Errors
    ///
    /// Returns a [`VerifyError`] if the signature is missing or malformed, or
    /// [`VerifyError::TooLarge`] if `content_length` exceeds [`Verifier::body_limit`]. Do not read
    /// the body then.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Headers, Secret, Verifier, sign};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let signature = sign(&secret, "Hello, World!");
    /// let headers = Headers::new([("X-Service-Signature", &signature)]);
    ///
    /// let mut stream = Verifier::new(secret).start(headers, Some(13))?;
    /// for chunk in ["Hello, ", "World!"] {
    ///     stream.update(chunk)?; // Also write the chunk to a file, for example.
    /// }
    /// let verified = stream.finish()?; // Only now can the file be trusted.
    /// assert_eq!(verified.body_length(), 13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(
        &self,
        headers: Headers<'_>,
        content_length: Option<u64>,
    ) -> Result<StreamVerifier, VerifyError> {
        let digest = self.parse_digest(headers)?;
        check_length(content_length.unwrap_or_default(), self.body_limit)?;
        let mut macs = self.secrets.iter().map(|secret| secret.mac(b""));
        Ok(StreamVerifier {
            first: macs.next().expect("a verifier has at least one secret"),
            others: macs.collect(),
            digest,
            event_kind: headers.event_kind(),
            length: 0,
            limit: self.body_limit,
        })
    }

    fn parse_digest(&self, headers: Headers<'_>) -> Result<[u8; 32], VerifyError> {
        signature::parse(headers.signature()?, self.encoding)
    }
}

/// A verifier of one delivery whose body arrives in chunks, created with
/// [`Verifier::start`](crate::Verifier::start).
///
/// Chunks are not authentic until [`finish`](Self::finish) returns `Ok`; do not use them in a way
/// that cannot be undone. With a single secret, it does not allocate.
pub struct StreamVerifier {
    first: KeyedState,
    others: Vec<KeyedState>,
    digest: [u8; 32],
    event_kind: Result<EventKind, EventKindError>,
    length: usize,
    limit: usize,
}

impl StreamVerifier {
    /// Adds the next chunk of the body, of any length.
    ///
    /// # Errors
    ///
    /// Returns [`VerifyError::TooLarge`] if the body exceeds
    /// [`Verifier::body_limit`](crate::Verifier::body_limit). Stop reading then: all further calls,
    /// including `finish`, return this error.
    pub fn update(&mut self, chunk: impl AsRef<[u8]>) -> Result<(), VerifyError> {
        let chunk = chunk.as_ref();
        self.length = self.length.saturating_add(chunk.len());
        check_length(self.length as u64, self.limit)?;
        for mac in iter::once(&mut self.first).chain(&mut self.others) {
            mac.update(chunk);
        }
        Ok(())
    }

    /// Ends the body and compares the digests, in constant time.
    ///
    /// # Errors
    ///
    /// Returns [`VerifyError::Mismatch`] if the body is not authentic, or
    /// [`VerifyError::TooLarge`] if an `update` failed.
    pub fn finish(self) -> Result<Verified<()>, VerifyError> {
        check_length(self.length as u64, self.limit)?;
        let mismatch = VerifyError::Mismatch {
            body_length: self.length,
            secrets: 1 + self.others.len(),
        };
        // Clone the states: moving them out of the list would leave copies in freed memory.
        let mut macs = iter::once(&self.first).chain(&self.others);
        let secret_index = macs.position(|mac| mac.clone().verify_slice(&self.digest).is_ok());
        let secret_index = secret_index.ok_or(mismatch)?;
        Ok(Verified {
            body: (),
            body_length: self.length,
            event_kind: self.event_kind,
            secret_index,
        })
    }
}

fn check_length(length: u64, limit: usize) -> Result<(), VerifyError> {
    match length > limit as u64 {
        true => Err(VerifyError::TooLarge { length, limit }),
        false => Ok(()),
    }
}

impl fmt::Debug for StreamVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamVerifier")
            .field("length", &self.length)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

/// A delivery with an authentic body: it was signed with one of the verifier's secrets.
///
/// Only a [`Verifier`](crate::Verifier) creates values of this type, so a function that takes a
/// `Verified` cannot be called with an unverified body. `B` is the type of the body (`&[u8]`,
/// `Vec<u8>`, `bytes::Bytes`), or `()` after streaming, where the caller holds the body.
///
/// Only the body is authentic. The signature contains no time and no number, and does not cover the
/// header with the event kind. So anyone who has seen a delivery can resend it, also as another kind.
///
/// # Examples
///
/// ```
/// use webhook_verify::{EventKind, Verified};
///
/// fn handle(delivery: &Verified<Vec<u8>>) -> &'static str {
///     match delivery.event_kind() {
///         Ok(EventKind::FollowCreated) => "a follower",
///         Ok(EventKind::MessageReceived) => "a message",
///         Ok(_) | Err(_) => "ignored",
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Verified<B> {
    pub(crate) body: B,
    body_length: usize,
    event_kind: Result<EventKind, EventKindError>,
    secret_index: usize,
}

impl<B: AsRef<[u8]>> Verified<B> {
    /// Returns the body, unchanged.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.body.as_ref()
    }

    /// Computes the SHA-256 digest of the body, which identifies a repeated delivery.
    #[must_use]
    pub fn body_digest(&self) -> BodyDigest {
        BodyDigest::new(self.body())
    }

    /// Parses the body as JSON. The specification does not define the shape of payloads.
    /// (Specification: Open questions.)
    ///
    /// Like the SDK, it skips a byte order mark, and reads bytes that are not UTF-8 and lone surrogates, such
    /// as halves of an emoji, as U+FFFD. `T` cannot borrow from such a body. Unlike the SDK, it rejects `NaN`,
    /// infinity, and numbers and nesting that are beyond `serde_json`.
    ///
    /// # Errors
    ///
    /// Returns a [`PayloadError`] if the body is not valid JSON or does not match `T`. The delivery
    /// is authentic nevertheless: respond with 2xx.
    #[cfg(feature = "json")]
    pub fn json<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, PayloadError> {
        let read = serde_json::from_slice(self.body());
        let read = read.or_else(|error| match readable_json(self.body()) {
            text if text == self.body() => Err(error),
            text => {
                let mut reader = serde_json::Deserializer::from_reader(text.as_slice());
                let payload = T::deserialize(&mut reader)?;
                reader.end().map(|()| payload)
            }
        });
        read.map_err(|error| {
            let source = Box::new(error);
            PayloadError { source }
        })
    }

    /// Returns the event kind if the header and the string `field` of the JSON payload agree.
    ///
    /// The signature covers the payload but not the header, so use this method to act on a kind
    /// safely. The specification does not define the name of the field. If the payload contains the
    /// field twice, the last one counts, as in most parsers.
    ///
    /// # Errors
    ///
    /// Returns a [`KindError`] if the header is missing or invalid, if `serde_json` cannot read the
    /// payload, if the field is missing or not a string, or if the two differ. Ignore the header then,
    /// and respond with 2xx.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, Headers, Secret, Verifier, sign};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let body = r#"{"type": "post.liked"}"#;
    /// let signature = sign(&secret, body);
    /// let headers = Headers::new([
    ///     ("X-Service-Signature", signature.as_str()),
    ///     ("X-Service-Event", "post.liked"),
    /// ]);
    ///
    /// let verified = Verifier::new(secret).verify(headers, body)?;
    /// assert_eq!(verified.confirm_kind_in("type"), Ok(EventKind::PostLiked));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "json")]
    pub fn confirm_kind_in(&self, field: &str) -> Result<EventKind, KindError> {
        // A value that cannot be read must not hide the kind.
        type Fields = BTreeMap<String, Box<serde_json::value::RawValue>>;
        let fields = self.json::<Fields>().ok();
        let kind = fields.as_ref().and_then(|fields| fields.get(field));
        let kind = kind.map(|kind| readable_json(kind.get().as_bytes()));
        let kind = kind.and_then(|kind| serde_json::from_slice::<String>(&kind).ok());
        self.confirm_kind(&kind.ok_or(KindError::InvalidField)?)
    }
}

impl<B> Verified<B> {
    /// Replaces the body. The caller must pass the body that was verified.
    #[cfg(feature = "receiver")]
    pub(crate) fn with_body<C>(self, body: C) -> Verified<C> {
        Verified {
            body,
            body_length: self.body_length,
            event_kind: self.event_kind,
            secret_index: self.secret_index,
        }
    }

    /// Returns the length of the body in bytes.
    #[must_use]
    pub fn body_length(&self) -> usize {
        self.body_length
    }

    /// Returns the body as it was passed to the verifier.
    #[must_use]
    pub fn into_body(self) -> B {
        self.body
    }

    /// Returns the event kind in the `X-Service-Event` header, which is [not authenticated](Self). If the
    /// payload also contains the kind, trust the payload.
    ///
    /// # Errors
    ///
    /// Returns an [`EventKindError`] if the header is missing, repeated or invalid. The delivery is
    /// authentic nevertheless: respond with 2xx, because ten failed deliveries in a row turn the
    /// webhook off.
    pub fn event_kind(&self) -> Result<EventKind, EventKindError> {
        self.event_kind
    }

    /// Returns the event kind if the header agrees with `payload_kind`, which the caller has read
    /// from the body.
    ///
    /// With the feature `json`, `confirm_kind_in` reads it from a field.
    ///
    /// # Errors
    ///
    /// Returns a [`KindError`] if either kind is invalid or the two differ. Someone may have resent
    /// an old delivery as another kind, so ignore the header. The body is authentic nevertheless:
    /// respond with 2xx.
    pub fn confirm_kind(&self, payload_kind: &str) -> Result<EventKind, KindError> {
        let header = self.event_kind.map_err(KindError::Header)?;
        let payload = payload_kind.parse().map_err(KindError::Payload)?;
        match header == payload {
            true => Ok(header),
            false => Err(KindError::Mismatch { payload }),
        }
    }

    /// Returns the index of the secret that signed the body: 0 for the one passed to
    /// [`Verifier::new`](crate::Verifier::new), 1 for the first one passed to
    /// [`Verifier::also_accept`](crate::Verifier::also_accept), and so on.
    #[must_use]
    pub fn secret_index(&self) -> usize {
        self.secret_index
    }
}

/// Removes a byte order mark, and replaces halves of surrogate pairs and bytes that are not UTF-8.
#[cfg(feature = "json")]
fn readable_json(body: &[u8]) -> Vec<u8> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut text = String::from_utf8_lossy(body).into_owned().into_bytes();
    let mut position = 0;
    while let Some(escape) = text.get(position..)
        && let Some(found) = escape.iter().position(|byte| *byte == b'\\')
    {
        let unit = |start: usize| {
            let digits = escape.get(start..start + 6)?.strip_prefix(b"\\u")?;
            u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
        };
        let (length, is_half) = match (unit(found), unit(found + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (12, false),
            (Some(0xd800..=0xdfff), _) => (6, true),
            (Some(_), _) => (6, false),
            (None, _) => (2, false),
        };
        position += found;
        if is_half {
            text[position..position + 6].copy_from_slice(br"\ufffd");
        }
        position += length;
    }
    text
}

/// Prints the length of the body instead of the body, which may be private.
impl<B> fmt::Debug for Verified<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("body_length", &self.body_length)
            .field("event_kind", &self.event_kind)
            .field("secret_index", &self.secret_index)
            .finish()
    }
}

/// The SHA-256 digest of an authentic body, from
/// [`Verified::body_digest`](crate::Verified::body_digest).
///
/// Deliveries have no ID, so this is the only key that the specification offers for recognizing a
/// repeated one. It does not depend on the secret. `Display` prints 64 lower-case hex digits.
///
/// # Examples
///
/// ```
/// use webhook_verify::Verified;
///
/// fn row_key(delivery: &Verified<Vec<u8>>) -> String {
///     delivery.body_digest().to_string()
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyDigest([u8; 32]);

impl BodyDigest {
    pub(crate) fn new(body: &[u8]) -> Self {
        Self(Sha256::digest(body).into())
    }

    /// Returns the 32 bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BodyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
