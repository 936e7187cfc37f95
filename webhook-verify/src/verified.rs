//! The witness that a delivery is authentic.

use core::fmt;

#[cfg(feature = "json")]
use crate::payload::{self, PayloadError};
use crate::{EventKind, EventKindError, KindError};

/// A delivery whose body is authentic: whoever sent it knew a secret of the verifier.
///
/// Only a [`Verifier`](crate::Verifier) makes one, so a function that takes a
/// `Verified` cannot be handed a body that nobody checked. `B` is whatever the
/// body was passed as (`&[u8]`, `Vec<u8>`, `bytes::Bytes`), and `()` after
/// streaming, where the caller has the body.
///
/// What is authentic is the body alone. The signature adds no time and no
/// number to it, so anyone who saw it can send it again; and the event kind
/// comes from a header that the signature does not cover.
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
///         Ok(_) | Err(_) => "nothing that concerns us",
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Verified<B> {
    body: B,
    body_length: usize,
    event_kind: Result<EventKind, EventKindError>,
    secret_index: usize,
}

impl<B: AsRef<[u8]>> Verified<B> {
    /// The body, byte for byte as it was signed.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Verified;
    ///
    /// fn text(delivery: &Verified<Vec<u8>>) -> Result<&str, std::str::Utf8Error> {
    ///     std::str::from_utf8(delivery.body())
    /// }
    /// ```
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.body.as_ref()
    }

    /// The body as JSON of the caller's type. The specification does not show
    /// the shape of payloads (section Events).
    ///
    /// # Errors
    ///
    /// [`PayloadError`] when the body is no JSON or does not fit `T`. The
    /// delivery is authentic all the same: answer 2xx.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{PayloadError, Verified};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Payload {
    ///     created_at: String,
    /// }
    ///
    /// fn created_at(delivery: &Verified<Vec<u8>>) -> Result<String, PayloadError> {
    ///     Ok(delivery.json::<Payload>()?.created_at)
    /// }
    /// ```
    #[cfg(feature = "json")]
    pub fn json<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, PayloadError> {
        serde_json::from_slice(self.body()).map_err(PayloadError::new)
    }

    /// The header's kind, if the payload is a JSON object whose `field` names the same one.
    ///
    /// The header is not covered by the signature and the payload is, so this
    /// is how to act on a kind safely. Give the field that the service writes
    /// the kind into; the specification does not show its name.
    ///
    /// # Errors
    ///
    /// [`KindError`] when the header names no kind or another one than the
    /// field, and when the field is missing, repeated or no string. Do not act
    /// on the header then, and answer 2xx.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, Headers, Secret, Verifier, sign};
    ///
    /// let secret = Secret::new("It's a Secret to Everybody")?;
    /// let body = r#"{"type": "post.liked"}"#;
    /// let signature = sign(&secret, body);
    /// let headers = Headers::from_values([signature.as_bytes()], [&b"post.liked"[..]]);
    ///
    /// let verified = Verifier::new(secret).verify(headers, body)?;
    /// assert_eq!(verified.confirm_kind_in("type"), Ok(EventKind::PostLiked));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "json")]
    pub fn confirm_kind_in(&self, field: &str) -> Result<EventKind, KindError> {
        let named =
            payload::text_of_field(self.body(), field).map_err(|_| KindError::InvalidField)?;
        self.confirm_kind(&named)
    }
}

impl<B> Verified<B> {
    pub(crate) fn new(
        body: B,
        body_length: usize,
        event_kind: Result<EventKind, EventKindError>,
        secret_index: usize,
    ) -> Self {
        Self {
            body,
            body_length,
            event_kind,
            secret_index,
        }
    }

    /// Puts the body, as it was verified, in place of the one that is held.
    #[cfg(feature = "receiver")]
    pub(crate) fn with_body<C>(self, body: C) -> Verified<C> {
        Verified::new(body, self.body_length, self.event_kind, self.secret_index)
    }

    /// The length of the body in bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Verified;
    ///
    /// fn is_complete(delivery: &Verified<()>, written: usize) -> bool {
    ///     delivery.body_length() == written
    /// }
    /// ```
    #[must_use]
    pub fn body_length(&self) -> usize {
        self.body_length
    }

    /// The body as it was handed to the verifier.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Verified;
    ///
    /// fn keep(delivery: Verified<Vec<u8>>, queue: &mut Vec<Vec<u8>>) {
    ///     queue.push(delivery.into_body());
    /// }
    /// ```
    #[must_use]
    pub fn into_body(self) -> B {
        self.body
    }

    /// The kind that the `X-Service-Event` header claims: a hint, not a fact.
    ///
    /// The signature does not cover that header, so whoever holds one signed
    /// delivery can send it again under another kind. Where the payload
    /// names its kind too, trust the payload.
    ///
    /// # Errors
    ///
    /// [`EventKindError`] when the header is missing, came more than once or
    /// holds no name. The delivery is authentic all the same: answer 2xx, since
    /// ten failed deliveries in a row turn the webhook off.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, Verified};
    ///
    /// fn is_like(delivery: &Verified<&[u8]>) -> bool {
    ///     matches!(delivery.event_kind(), Ok(EventKind::PostLiked | EventKind::ProfileLiked))
    /// }
    /// ```
    pub fn event_kind(&self) -> Result<EventKind, EventKindError> {
        self.event_kind
    }

    /// The header's kind, if the signed payload names the same one.
    ///
    /// `named` is the kind that the caller has read out of this body. With the
    /// feature `json`, `confirm_kind_in` reads it by the name of its field.
    ///
    /// # Errors
    ///
    /// [`KindError`] when the header names no kind or another one. Someone may
    /// have sent an old delivery again under another kind: do not act on the
    /// header. The body is authentic all the same: answer 2xx.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::{EventKind, KindError, Verified};
    ///
    /// fn kind(delivery: &Verified<&[u8]>, own_kind: &str) -> Result<EventKind, KindError> {
    ///     delivery.confirm_kind(own_kind)
    /// }
    /// ```
    pub fn confirm_kind(&self, named: &str) -> Result<EventKind, KindError> {
        let header = self.event_kind.map_err(KindError::Header)?;
        let payload = named.parse().map_err(KindError::Payload)?;
        match header == payload {
            true => Ok(header),
            false => Err(KindError::Mismatch { payload }),
        }
    }

    /// Which secret signed the body: 0 for the one given to
    /// [`Verifier::new`](crate::Verifier::new), then 1 for the first
    /// [`Verifier::also_accept`](crate::Verifier::also_accept), and so on.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::Verified;
    ///
    /// fn still_uses_the_old_secret(delivery: &Verified<&[u8]>) -> bool {
    ///     delivery.secret_index() > 0
    /// }
    /// ```
    #[must_use]
    pub fn secret_index(&self) -> usize {
        self.secret_index
    }
}

#[cfg(feature = "tower")]
impl Verified<bytes::Bytes> {
    /// The body, shared and not copied.
    pub(crate) fn bytes(&self) -> bytes::Bytes {
        self.body.clone()
    }
}

/// Shows the length of the body, not the body: messages are private and logs are not.
impl<B> fmt::Debug for Verified<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("body_length", &self.body_length)
            .field("event_kind", &self.event_kind)
            .field("secret_index", &self.secret_index)
            .finish()
    }
}
