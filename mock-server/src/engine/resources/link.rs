//! Links and the check of their URL.

use serde::{Deserialize, Serialize};
use url::{ParseError, Url};

/// A link on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Link {
    /// The id, such as `link_1`. Dialects with integer ids use the number at its end.
    pub id: String,
    /// The title, without a limit.
    pub title: String,
    /// The absolute URL, as it was sent or as the dialect stores it.
    pub url: String,
    /// The time of creation: RFC 3339 in UTC and whole seconds.
    pub created_at: String,
}

/// Rejects a URL that is not absolute.
pub(crate) fn check_url(url: &str) -> Result<(), ParseError> {
    Url::parse(url).map(drop)
}
