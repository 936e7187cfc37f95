//! The scopes of keys.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A scope of a key (section Authentication of the specification).
///
/// ```
/// use mock_server::Scope;
///
/// assert_eq!(Scope::LinksWrite.to_string(), "links:write");
/// assert_eq!(Scope::ALL.len(), 4);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Scope {
    /// `profile:write`, for `PATCH /me/profile`.
    #[serde(rename = "profile:write")]
    ProfileWrite,
    /// `analytics:read`, for `GET /me/analytics`.
    #[serde(rename = "analytics:read")]
    AnalyticsRead,
    /// `links:write`, to create, edit and delete links.
    #[serde(rename = "links:write")]
    LinksWrite,
    /// `social:write`, to create and delete posts.
    #[serde(rename = "social:write")]
    SocialWrite,
}

impl Scope {
    /// The four scopes of the specification, in its order.
    pub const ALL: [Self; 4] = [
        Self::ProfileWrite,
        Self::AnalyticsRead,
        Self::LinksWrite,
        Self::SocialWrite,
    ];

    /// Returns the name, such as `links:write`.
    ///
    /// ```
    /// assert_eq!(mock_server::Scope::SocialWrite.as_str(), "social:write");
    /// ```
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProfileWrite => "profile:write",
            Self::AnalyticsRead => "analytics:read",
            Self::LinksWrite => "links:write",
            Self::SocialWrite => "social:write",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
