//! Verification of whole bodies, or in chunks.

use alloc::vec::Vec;
use core::{fmt, iter};

use hmac::Mac;

use crate::event::{EventKind, EventKindError};
use crate::headers::Headers;
use crate::secret::{KeyedState, Secret};
use crate::signature::{self, DigestEncoding, VerifyError};
use crate::verified::Verified;

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
    first: Secret,
    others: Vec<Secret>,
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
            first: secret,
            others: Vec::new(),
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
        self.others.push(secret);
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
        let secret_index = iter::once(&self.first)
            .chain(&self.others)
            .position(|secret| secret.authenticates(body.as_ref(), &digest))
            .ok_or(VerifyError::Mismatch {
                body_length,
                secrets: 1 + self.others.len(),
            })?;
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
        Ok(StreamVerifier {
            first: self.first.keyed(),
            others: self.others.iter().map(Secret::keyed).collect(),
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
        let secret_index = iter::once(&self.first)
            .chain(&self.others)
            .position(|mac| mac.clone().verify_slice(&self.digest).is_ok())
            .ok_or(mismatch)?;
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
