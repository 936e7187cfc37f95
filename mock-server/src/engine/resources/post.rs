//! Posts.

use serde::{Deserialize, Serialize};

/// A post on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Post {
    /// What paths call it, such as `post_3`; under integer ids that is the number at its end.
    pub id: String,
    /// Any text.
    pub body: String,
    /// When it was made: RFC 3339, in UTC and whole seconds.
    pub created_at: String,
}
