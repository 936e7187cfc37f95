//! The event in an authentic delivery: its kind, and the errors of its payload.

use core::fmt;
use core::str::FromStr;

use thiserror::Error;

/// Defines [`EventKind`]: a row for each kind that the specification lists, in its order, with the name.
macro_rules! kinds {
    ($($kind:ident => $name:literal,)*) => {
        /// The kind of an event. (Specification: Events.)
        ///
        /// Parse a header value with `TryFrom<&[u8]>` or `FromStr`; [`EventKind::as_str`] and `Display`
        /// return it unchanged. Names are case-sensitive. With the feature `json`, it implements
        /// `Serialize` and `Deserialize` as the name, for payloads that contain the kind.
        ///
        /// # Examples
        ///
        /// ```
        /// use webhook_verify::EventKind;
        ///
        /// assert_eq!("post.liked".parse(), Ok(EventKind::PostLiked));
        /// assert_eq!("post.shared".parse::<EventKind>()?.as_str(), "post.shared");
        /// # Ok::<(), webhook_verify::EventKindError>(())
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum EventKind {
            $(#[doc = concat!("`", $name, "`")] $kind,)*
            /// A kind that the specification does not list.
            Other(EventName),
        }

        impl EventKind {
            /// The kinds that the specification lists, in the same order.
            pub const KNOWN: &[Self] = &[$(Self::$kind),*];

            /// Returns the name of the kind, as in the header.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$kind => $name,)*
                    Self::Other(name) => name.as_str(),
                }
            }
        }
    };
}

kinds! {
    FollowCreated => "follow.created",
    CommentCreated => "comment.created",
    ProfileLiked => "profile.liked",
    PostLiked => "post.liked",
    PostReplied => "post.replied",
    PostMentioned => "post.mentioned",
    MessageReceived => "message.received",
}

/// An error in the event kind of a request.
///
/// A delivery can be authentic even if its event kind is missing or invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EventKindError {
    /// The request has no `X-Service-Event` header.
    #[error("the request has no X-Service-Event header")]
    Missing,
    /// The request has more than one `X-Service-Event` header.
    #[error("the request has {count} X-Service-Event headers; expected exactly one")]
    Duplicate {
        /// The number of headers, at least 2.
        count: usize,
    },
    /// The value is empty.
    #[error("the event kind is empty; expected a name such as post.liked")]
    Empty,
    /// The value is longer than [`EventName::MAX_LENGTH`].
    #[error("the event kind has {length} bytes; the maximum is {max}", max = EventName::MAX_LENGTH)]
    TooLong {
        /// The length in bytes.
        length: usize,
    },
    /// A byte of the value is a space, a control character or not ASCII.
    #[error(
        "the event kind has byte {byte:#04x} at position {position} (counted from 0); \
         expected visible ASCII characters, as in post.liked"
    )]
    InvalidByte {
        /// The position of the byte in the value, counted from 0.
        position: usize,
        /// The byte.
        byte: u8,
    },
}

impl TryFrom<&[u8]> for EventKind {
    type Error = EventKindError;

    fn try_from(value: &[u8]) -> Result<Self, EventKindError> {
        let is_value = |kind: &&Self| kind.as_str().as_bytes() == value;
        match Self::KNOWN.iter().find(is_value) {
            Some(kind) => Ok(*kind),
            None => EventName::new(value).map(Self::Other),
        }
    }
}

impl FromStr for EventKind {
    type Err = EventKindError;

    fn from_str(value: &str) -> Result<Self, EventKindError> {
        Self::try_from(value.as_bytes())
    }
}

#[cfg(feature = "json")]
impl serde::Serialize for EventKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "json")]
impl<'de> serde::Deserialize<'de> for EventKind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = alloc::borrow::Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The name of an event kind that the specification does not list: 1 to 64 bytes of visible ASCII,
/// which is safe to log.
///
/// Stored inline, without allocation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventName {
    length: u8,
    // Bytes past the length are zero, so that the derived `PartialEq` and `Hash` are correct.
    bytes: [u8; Self::MAX_LENGTH],
}

impl EventName {
    /// The maximum length in bytes.
    pub const MAX_LENGTH: usize = 64;

    pub(crate) fn new(name: &[u8]) -> Result<Self, EventKindError> {
        if name.is_empty() {
            return Err(EventKindError::Empty);
        }
        let length = name.len();
        if length > Self::MAX_LENGTH {
            return Err(EventKindError::TooLong { length });
        }
        // Only visible ASCII, so that a name cannot forge log lines.
        if let Some(position) = name.iter().position(|byte| !byte.is_ascii_graphic()) {
            let byte = name[position];
            return Err(EventKindError::InvalidByte { position, byte });
        }
        let mut bytes = [0; Self::MAX_LENGTH];
        bytes[..length].copy_from_slice(name);
        let length = length as u8;
        Ok(Self { length, bytes })
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let name = &self.bytes[..usize::from(self.length)];
        core::str::from_utf8(name).expect("a name is visible ASCII")
    }
}

impl fmt::Debug for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The reason why the payload does not confirm the event kind in the header; see
/// [`Verified::confirm_kind`](crate::Verified::confirm_kind).
///
/// The body is authentic nevertheless. Respond with 2xx, and ignore the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KindError {
    /// The header is missing or invalid.
    #[error("{0}")]
    Header(EventKindError),
    /// The payload's event kind is invalid.
    #[error("the payload has an invalid event kind: {0}")]
    Payload(EventKindError),
    /// The payload is not a JSON object that has the field with a string value.
    #[error(
        "the payload has no event kind, or is not valid JSON; \
         expected a JSON object that has the field with a string value"
    )]
    InvalidField,
    /// The kinds in the payload and in the header differ.
    #[error(
        "X-Service-Event does not match the event kind in the signed payload, {payload}; \
         trust the payload: an old delivery may have been resent as another kind"
    )]
    Mismatch {
        /// The kind in the signed payload.
        payload: EventKind,
    },
}

/// An error for an authentic payload that is not valid JSON or does not match the receiver's type.
///
/// Respond with 2xx nevertheless, because ten failed deliveries in a row turn the webhook off.
///
/// The message does not quote the payload, but its source, the error of `serde_json`, may.
#[cfg(feature = "json")]
#[derive(Debug, Error)]
#[error(
    "the delivery is authentic, but its payload {problem}, at line {} column {}; respond with 2xx",
    source.line(),
    source.column(),
    problem = problem(source)
)]
pub struct PayloadError {
    pub(crate) source: alloc::boxed::Box<serde_json::Error>,
}

#[cfg(feature = "json")]
fn problem(error: &serde_json::Error) -> &'static str {
    match error.is_data() {
        true => "does not match the receiver's type",
        false => "is not valid JSON",
    }
}
