//! The seven kinds of events.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of event (section Events of the specification).
///
/// ```
/// use mock_server::EventKind;
///
/// assert_eq!(EventKind::PostLiked.to_string(), "post.liked");
/// assert_eq!(EventKind::ALL.len(), 7);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventKind {
    /// `follow.created`.
    #[serde(rename = "follow.created")]
    FollowCreated,
    /// `comment.created`.
    #[serde(rename = "comment.created")]
    CommentCreated,
    /// `profile.liked`.
    #[serde(rename = "profile.liked")]
    ProfileLiked,
    /// `post.liked`.
    #[serde(rename = "post.liked")]
    PostLiked,
    /// `post.replied`.
    #[serde(rename = "post.replied")]
    PostReplied,
    /// `post.mentioned`.
    #[serde(rename = "post.mentioned")]
    PostMentioned,
    /// `message.received`.
    #[serde(rename = "message.received")]
    MessageReceived,
}

impl EventKind {
    /// Every kind, in the order of the specification.
    pub const ALL: [Self; 7] = [
        Self::FollowCreated,
        Self::CommentCreated,
        Self::ProfileLiked,
        Self::PostLiked,
        Self::PostReplied,
        Self::PostMentioned,
        Self::MessageReceived,
    ];

    /// The name that travels in `X-Service-Event`.
    ///
    /// ```
    /// assert_eq!(mock_server::EventKind::MessageReceived.as_str(), "message.received");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FollowCreated => "follow.created",
            Self::CommentCreated => "comment.created",
            Self::ProfileLiked => "profile.liked",
            Self::PostLiked => "post.liked",
            Self::PostReplied => "post.replied",
            Self::PostMentioned => "post.mentioned",
            Self::MessageReceived => "message.received",
        }
    }

    /// The kind of a name; `None` for a name that is none of the seven.
    ///
    /// ```
    /// use mock_server::EventKind;
    ///
    /// assert_eq!(EventKind::of("post.liked"), Some(EventKind::PostLiked));
    /// assert_eq!(EventKind::of("post.shared"), None);
    /// ```
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
