//! Accounts.

use serde::{Deserialize, Serialize};

use super::link::Link;
use super::post::Post;
use super::profile::Profile;

/// An account with its profile, links, posts and badges.
///
/// The fields are public so that a test can set any state, even one that exceeds the limits of the
/// service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Account {
    /// The email address, which is visible only to the owner.
    pub email: String,
    /// The visibility setting for the API, which is visible only to the owner.
    pub api_visible: bool,
    /// The editable fields.
    pub profile: Profile,
    /// The links, oldest first.
    pub links: Vec<Link>,
    /// The posts, oldest first.
    pub posts: Vec<Post>,
    /// The ids of the badges of the account.
    pub badges: Vec<String>,
}

impl Account {
    /// Creates an account with an empty profile and without links, posts and badges.
    pub(crate) fn new(handle: &str) -> Self {
        Self {
            email: format!("{handle}@example.com"),
            api_visible: true,
            profile: Profile::default(),
            links: Vec::new(),
            posts: Vec::new(),
            badges: Vec::new(),
        }
    }
}
