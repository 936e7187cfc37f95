//! The scopes of keys.

use serde::{Deserialize, Serialize};

use crate::engine::named_enum::named_enum;

named_enum! {
    /// A scope of a key (section Authentication of the specification). `Display` prints its name.
    ///
    /// ```
    /// use mock_server::Scope;
    ///
    /// assert_eq!(Scope::LinksWrite.to_string(), "links:write");
    /// assert!(Scope::ALL.contains(&Scope::LinksWrite));
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Scope {
        /// To edit the profile.
        ProfileWrite = "profile:write",
        /// To read the analytics.
        AnalyticsRead = "analytics:read",
        /// To create, edit and delete links.
        LinksWrite = "links:write",
        /// To create and delete posts.
        SocialWrite = "social:write",
    }
}
