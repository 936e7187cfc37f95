//! The kinds of events, which are sent in the header `X-Service-Event`.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::input::InvalidInput;

/// The kind of an event: one of the kinds of the specification, or any other name that is
/// valid in a header.
///
/// ```
/// use mock_server::webhook::EventKind;
///
/// assert_eq!(EventKind::FOLLOW_CREATED.as_str(), "follow.created");
/// assert_eq!(EventKind::new("badge.awarded")?.to_string(), "badge.awarded");
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventKind(Cow<'static, str>);

impl EventKind {
    /// `follow.created`
    pub const FOLLOW_CREATED: Self = Self(Cow::Borrowed("follow.created"));
    /// `comment.created`
    pub const COMMENT_CREATED: Self = Self(Cow::Borrowed("comment.created"));
    /// `profile.liked`
    pub const PROFILE_LIKED: Self = Self(Cow::Borrowed("profile.liked"));
    /// `post.liked`
    pub const POST_LIKED: Self = Self(Cow::Borrowed("post.liked"));
    /// `post.replied`
    pub const POST_REPLIED: Self = Self(Cow::Borrowed("post.replied"));
    /// `post.mentioned`
    pub const POST_MENTIONED: Self = Self(Cow::Borrowed("post.mentioned"));
    /// `message.received`
    pub const MESSAGE_RECEIVED: Self = Self(Cow::Borrowed("message.received"));

    /// The kinds of the specification, in its order.
    pub const ALL: &'static [Self] = &[
        Self::FOLLOW_CREATED,
        Self::COMMENT_CREATED,
        Self::PROFILE_LIKED,
        Self::POST_LIKED,
        Self::POST_REPLIED,
        Self::POST_MENTIONED,
        Self::MESSAGE_RECEIVED,
    ];

    /// Creates a kind with any name.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidInput`] if the name is not valid in a header: it is empty, starts or ends
    /// with whitespace, or contains a control character.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidInput> {
        let name = name.into();
        let fits = !name.is_empty() && name.trim() == name && !name.contains(char::is_control);
        if fits {
            Ok(Self(Cow::Owned(name)))
        } else {
            let message = format!(
                "the event kind {name:?} cannot be sent in a header; expected a name such as \
                 `follow.created`, without control characters or surrounding spaces"
            );
            Err(InvalidInput::new("invalid_kind", message))
        }
    }

    /// Returns the name, such as `post.liked`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for EventKind {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl TryFrom<String> for EventKind {
    type Error = InvalidInput;

    fn try_from(name: String) -> Result<Self, InvalidInput> {
        Self::new(name)
    }
}

impl From<EventKind> for String {
    fn from(kind: EventKind) -> Self {
        kind.0.into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_name_that_is_invalid_in_a_header() {
        for name in ["", " ", "a ", "\ta", "a\r\nX-Evil: 1", "a\0b"] {
            assert!(EventKind::new(name).is_err(), "{name:?}");
        }
        assert_eq!(
            EventKind::new("a\n").unwrap_err().to_string(),
            "the event kind \"a\\n\" cannot be sent in a header; expected a name such as \
             `follow.created`, without control characters or surrounding spaces"
        );
    }
}
