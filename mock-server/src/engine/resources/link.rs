//! Links and the check of their URL.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::engine::rejections::Rejection;

/// A link on a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Link {
    /// What paths call it, such as `link_1`; under integer ids that is the number at its end.
    pub id: String,
    /// Any text.
    pub title: String,
    /// An absolute URL, byte for byte as it was given.
    pub url: String,
    /// When it was made: RFC 3339, in UTC and whole seconds.
    pub created_at: String,
}

/// Rejects a URL that is not absolute.
pub(crate) fn check_url(url: &str) -> Result<(), Rejection> {
    match Url::parse(url) {
        Ok(_) => Ok(()),
        Err(reason) => Err(Rejection::NotAUrl { reason }),
    }
}
