//! The kinds of events, as `X-Service-Event` names them.

use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::EventName;

/// The kind of an event (section Events of the specification).
///
/// Made from the header's value with `TryFrom<&[u8]>` or `FromStr`, and
/// written back by [`EventKind::as_str`] and `Display`. Names match exactly,
/// in lower case.
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
    /// `follow.created`
    FollowCreated,
    /// `comment.created`
    CommentCreated,
    /// `profile.liked`
    ProfileLiked,
    /// `post.liked`
    PostLiked,
    /// `post.replied`
    PostReplied,
    /// `post.mentioned`
    PostMentioned,
    /// `message.received`
    MessageReceived,
    /// A kind that the specification does not list, kept by its name.
    Other(EventName),
}

/// Why a request's `X-Service-Event` names no kind.
///
/// It does not make a delivery less authentic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKindError {
    /// The request has no `X-Service-Event` header.
    Missing,
    /// The request has more than one `X-Service-Event` header.
    Duplicate {
        /// How many there are, at least 2.
        count: usize,
    },
    /// The value is empty.
    Empty,
    /// The value is longer than [`EventName::MAX_LENGTH`].
    TooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// A byte of the value is a space, a control character or not ASCII.
    InvalidByte {
        /// Where it stands in the value, counted from 0.
        position: usize,
        /// The byte itself.
        byte: u8,
    },
}

impl EventKind {
    /// The seven kinds that the specification lists, in its order.
    pub const KNOWN: &[Self] = &[
        Self::FollowCreated,
        Self::CommentCreated,
        Self::ProfileLiked,
        Self::PostLiked,
        Self::PostReplied,
        Self::PostMentioned,
        Self::MessageReceived,
    ];

    /// The kind as the header names it.
    ///
    /// # Examples
    ///
    /// ```
    /// use webhook_verify::EventKind;
    ///
    /// assert_eq!(EventKind::FollowCreated.as_str(), "follow.created");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::FollowCreated => "follow.created",
            Self::CommentCreated => "comment.created",
            Self::ProfileLiked => "profile.liked",
            Self::PostLiked => "post.liked",
            Self::PostReplied => "post.replied",
            Self::PostMentioned => "post.mentioned",
            Self::MessageReceived => "message.received",
            Self::Other(name) => name.as_str(),
        }
    }
}

impl TryFrom<&[u8]> for EventKind {
    type Error = EventKindError;

    fn try_from(value: &[u8]) -> Result<Self, EventKindError> {
        match Self::KNOWN
            .iter()
            .find(|kind| kind.as_str().as_bytes() == value)
        {
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

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for EventKindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Missing => {
                f.write_str("the request has no X-Service-Event header; expected exactly one")
            }
            Self::Duplicate { count } => write!(
                f,
                "the request has {count} X-Service-Event headers; expected exactly one"
            ),
            Self::Empty => f.write_str("the event kind is empty; expected a name like post.liked"),
            Self::TooLong { length } => write!(
                f,
                "the event kind has {length} bytes; at most {} are kept",
                EventName::MAX_LENGTH
            ),
            Self::InvalidByte { position, byte } => write!(
                f,
                "the event kind has byte {byte:#04x} at position {position} (counted from 0); \
                 expected only visible ASCII, as in post.liked"
            ),
        }
    }
}

impl Error for EventKindError {}
