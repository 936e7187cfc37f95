//! An account: a profile and what belongs to it.

use serde::{Deserialize, Serialize};

use super::link::Link;
use super::post::Post;
use super::profile::Profile;

/// Everything the service holds about one handle.
///
/// The fields are open, so that a test can put an account into any state, also one that the
/// service's own limits would not let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Account {
    /// The email address, which only the owner sees.
    pub email: String,
    /// The visibility setting for the API, which only the owner sees.
    pub api_visible: bool,
    /// The six fields that the owner edits.
    pub profile: Profile,
    /// The links, oldest first.
    pub links: Vec<Link>,
    /// The posts, oldest first.
    pub posts: Vec<Post>,
    /// The ids of the badges that the account wears.
    pub badges: Vec<String>,
}

impl Account {
    /// An account with texts that are empty, no links, no posts and no badges.
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
