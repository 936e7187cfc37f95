//! Posts.

use serde::{Deserialize, Serialize};

/// A post on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Post {
    /// The id, such as `post_3`. Dialects with integer ids use the number at its end.
    pub id: String,
    /// The body, without a limit.
    pub body: String,
    /// The time of creation: RFC 3339 in UTC and whole seconds.
    pub created_at: String,
}
