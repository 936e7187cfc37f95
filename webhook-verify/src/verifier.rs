//! The verifier: the secrets a receiver accepts, and the one way to a [`Verified`] delivery.

use alloc::vec;
use alloc::vec::Vec;

use crate::{Headers, Secret, Verified, VerifyError, signature};

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
/// let verifier = Verifier::new(Secret::new("the new secret")?).or(Secret::new("the old secret")?);
/// # Ok::<(), webhook_verify::SecretError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Verifier {
    secrets: Vec<Secret>,
}

impl Verifier {
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
            secrets: vec![secret],
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
    ///     Ok::<_, SecretError>(verifier.or(Secret::new(secret)?))
    /// })?;
    /// # Ok::<(), SecretError>(())
    /// ```
    #[must_use]
    pub fn or(mut self, secret: Secret) -> Self {
        self.secrets.push(secret);
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
        let digest = signature::parse(headers.signature()?)?;
        let secret_index = self.matching_secret(body.as_ref(), &digest)?;
        // The event kind comes last: an unsigned header must not decide anything
        // about a delivery that may be forged.
        Ok(Verified::new(body, headers.event_kind(), secret_index))
    }

    fn matching_secret(&self, body: &[u8], digest: &[u8; 32]) -> Result<usize, VerifyError> {
        self.secrets
            .iter()
            .position(|secret| secret.authenticates(body, digest))
            .ok_or(VerifyError::Mismatch {
                body_length: body.len(),
                secrets: self.secrets.len(),
            })
    }
}
