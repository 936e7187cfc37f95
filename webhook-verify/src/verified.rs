//! The witness that a delivery is authentic.

use core::fmt;

use crate::{EventKind, EventKindError};

/// A delivery whose body is authentic: whoever sent it knew a secret of the verifier.
///
/// Only [`Verifier::verify`](crate::Verifier::verify) makes one, so a function
/// that takes a `Verified` cannot be handed a body that nobody checked. `B` is
/// whatever the body was passed as: `&[u8]`, `Vec<u8>`, `bytes::Bytes`.
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
}

impl<B> Verified<B> {
    pub(crate) fn new(
        body: B,
        event_kind: Result<EventKind, EventKindError>,
        secret_index: usize,
    ) -> Self {
        Self {
            body,
            event_kind,
            secret_index,
        }
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

    /// Which secret signed the body: 0 for the one given to
    /// [`Verifier::new`](crate::Verifier::new), then 1 for the first
    /// [`Verifier::or`](crate::Verifier::or), and so on.
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

/// Shows the length of the body, not the body: messages are private and logs are not.
impl<B: AsRef<[u8]>> fmt::Debug for Verified<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Verified")
            .field("body_length", &self.body().len())
            .field("event_kind", &self.event_kind)
            .field("secret_index", &self.secret_index)
            .finish()
    }
}
