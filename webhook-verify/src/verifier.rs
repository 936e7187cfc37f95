//! The verifier: the secrets a receiver accepts, and the one way to a [`Verified`] delivery.

use alloc::vec::Vec;
use core::iter;

use crate::{DigestEncoding, Headers, Secret, StreamVerifier, Verified, VerifyError, signature};

/// Verifies deliveries against one or several secrets.
///
/// Make it once and share it: each secret is keyed when it is made, and
/// verifying copies that state and allocates nothing.
///
/// # Examples
///
/// ```
/// use webhook_verify::{Secret, Verifier};
///
/// let verifier = Verifier::new(Secret::new("the new secret")?).also_accept(Secret::new("the old secret")?);
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
    /// The longest body that a streaming verification takes unless
    /// [`Verifier::body_limit`] says otherwise: 1 MiB.
    pub const DEFAULT_BODY_LIMIT: usize = 1 << 20;

    /// A verifier that accepts deliveries signed with `secret`, which has index 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Secret, Verifier};
    ///
    /// let verifier = Verifier::new(Secret::new("It's a Secret to Everybody")?);
    /// # Ok::<(), webhook_verify::SecretError>(())
    /// ```
    #[must_use]
    pub fn new(secret: Secret) -> Self {
        Self {
            first: secret,
            others: Vec::new(),
            encoding: DigestEncoding::Hex,
            body_limit: Self::DEFAULT_BODY_LIMIT,
        }
    }

    /// Accepts `secret` too, under the next index, as while a secret is being rotated.
    ///
    /// Secrets are tried in the order of their index, each with a pass over
    /// the body, so the one most in use comes first.
    ///
    /// # Examples
    ///
    /// A list from the settings makes a verifier by folding:
    ///
    /// ```
    /// use webhook_verify::{Secret, SecretError, Verifier};
    ///
    /// let current = Secret::new("current")?;
    /// let retired = ["retired in May", "retired in March"];
    /// let verifier = retired.into_iter().try_fold(Verifier::new(current), |verifier, secret| {
    ///     Ok::<_, SecretError>(verifier.also_accept(Secret::new(secret)?))
    /// })?;
    /// # Ok::<(), SecretError>(())
    /// ```
    #[must_use]
    pub fn also_accept(mut self, secret: Secret) -> Self {
        self.others.push(secret);
        self
    }

    /// Takes digests in this encoding instead of hex, and in no other.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{DigestEncoding, Secret, Verifier};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let verifier = Verifier::new(secret).encoding(DigestEncoding::Base64);
    /// # Ok::<(), webhook_verify::SecretError>(())
    /// ```
    #[must_use]
    pub fn encoding(mut self, encoding: DigestEncoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Takes bodies of up to `bytes` bytes instead of
    /// [1 MiB](Self::DEFAULT_BODY_LIMIT) where this crate reads them:
    /// [`Verifier::start`] and the adapters. A body handed to
    /// [`Verifier::verify`] is in memory already, and is not measured.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Secret, Verifier};
    ///
    /// let verifier = Verifier::new(Secret::new("It's a Secret to Everybody")?).body_limit(64 * 1024);
    /// # Ok::<(), webhook_verify::SecretError>(())
    /// ```
    #[must_use]
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Verifies one delivery: its headers and its body exactly as they came.
    ///
    /// `body` is the raw request body, before any decoding or parsing; it may
    /// be empty and need not be UTF-8. Pass it by value to have it inside the
    /// returned witness, or by reference to keep it. The digests are compared
    /// in constant time. Section Events of the specification.
    ///
    /// The event kind is judged last and never refuses a delivery: see
    /// [`Verified::event_kind`].
    ///
    /// # Errors
    ///
    /// One [`VerifyError`] for each reason; answer 401 to all of them alike.
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
        let digest = self.claimed_digest(headers)?;
        let body_length = body.as_ref().len();
        let secret_index = self
            .secrets()
            .position(|secret| secret.authenticates(body.as_ref(), &digest))
            .ok_or(VerifyError::Mismatch {
                body_length,
                secrets: 1 + self.others.len(),
            })?;
        // The event kind comes last: an unsigned header must not decide anything
        // about a delivery that may be forged.
        Ok(Verified::new(
            body,
            body_length,
            headers.event_kind(),
            secret_index,
        ))
    }

    /// Verifies a request whose whole body is in memory, and puts the witness
    /// in the body's place.
    ///
    /// To keep the request, call
    /// `verifier.verify(request.headers().into(), request.body())`.
    ///
    /// # Errors
    ///
    /// As [`Verifier::verify`].
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{Secret, SignedRequest, Verifier};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let request = SignedRequest::post("/hooks", "Hello, World!").sign(&secret)?;
    ///
    /// let request = Verifier::new(secret).verify_request(request)?;
    /// assert_eq!(request.body().body(), b"Hello, World!");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "http")]
    pub fn verify_request<B: AsRef<[u8]>>(
        &self,
        request: http::Request<B>,
    ) -> Result<http::Request<Verified<B>>, VerifyError> {
        let (parts, body) = request.into_parts();
        let verified = self.verify(Headers::from(&parts.headers), body)?;
        Ok(http::Request::from_parts(parts, verified))
    }

    /// Begins to verify a delivery whose body comes in chunks, so that it need
    /// not be held.
    ///
    /// Judges the headers, and `content_length` in bytes where the request
    /// announces it, before the first byte of the body is read.
    ///
    /// # Errors
    ///
    /// A [`VerifyError`] about the signature's form, or
    /// [`VerifyError::TooLarge`] when more is announced than
    /// [`Verifier::body_limit`] allows. Read nothing then.
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
    /// let mut streaming = Verifier::new(secret).start(headers, Some(13))?;
    /// for chunk in ["Hello, ", "World!"] {
    ///     streaming.update(chunk)?; // Write it to a file, say.
    /// }
    /// let verified = streaming.finish()?; // Only now is the file to be trusted.
    /// assert_eq!(verified.body_length(), 13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn start(
        &self,
        headers: Headers<'_>,
        content_length: Option<u64>,
    ) -> Result<StreamVerifier, VerifyError> {
        let digest = self.claimed_digest(headers)?;
        match content_length {
            Some(length) if length > self.body_limit as u64 => Err(VerifyError::TooLarge {
                length,
                limit: self.body_limit,
            }),
            _ => Ok(StreamVerifier::new(
                self.first.keyed(),
                self.others.iter().map(Secret::keyed).collect(),
                digest,
                headers.event_kind(),
                self.body_limit,
            )),
        }
    }

    fn claimed_digest(&self, headers: Headers<'_>) -> Result<[u8; 32], VerifyError> {
        signature::parse(headers.signature()?, self.encoding)
    }

    fn secrets(&self) -> impl Iterator<Item = &Secret> {
        iter::once(&self.first).chain(&self.others)
    }
}
