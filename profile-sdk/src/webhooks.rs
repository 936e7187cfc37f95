//! What the specification says of webhooks: the kinds of events, and when one is turned off.

use std::fmt;

/// The kind of an event, as the header `X-Service-Event` names it.
///
/// The specification lists seven; any other is kept by its name. A receiver of deliveries needs the
/// crate `webhook-verify`, which reads the kind and checks the signature; this one is for programs
/// that speak of events without receiving them. (Specification: Events.)
///
/// ```
/// use profile_sdk::EventKind;
///
/// assert_eq!(EventKind::from("post.liked"), EventKind::PostLiked);
/// assert_eq!(EventKind::from("post.pinned").as_str(), "post.pinned");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    /// A kind that the specification does not list.
    Other(String),
}

impl EventKind {
    /// The kinds that the specification lists.
    pub const KNOWN: [Self; 7] = [
        Self::FollowCreated,
        Self::CommentCreated,
        Self::ProfileLiked,
        Self::PostLiked,
        Self::PostReplied,
        Self::PostMentioned,
        Self::MessageReceived,
    ];

    /// The kind's name, for example `post.liked`.
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
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for EventKind {
    fn from(name: &str) -> Self {
        Self::KNOWN
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .unwrap_or_else(|| Self::Other(name.to_owned()))
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How many failed deliveries in a row turn a webhook off. (Specification: States and transitions.)
pub const WEBHOOK_FAILURES_BEFORE_TURN_OFF: u32 = 10;

#[cfg(test)]
mod tests {
    use super::EventKind;

    #[test]
    fn every_known_kind_is_found_by_its_name() {
        for kind in EventKind::KNOWN {
            assert_eq!(EventKind::from(kind.as_str()), kind);
        }
    }
}
