//! The endpoints of the service.

use std::fmt;

use serde::{Serialize, Serializer};

use super::scope::Scope;

/// One endpoint (section Endpoints of the specification). It prints as its method and path.
///
/// ```
/// use mock_server::Endpoint;
///
/// assert_eq!(Endpoint::EditLink.to_string(), "PATCH /api/v1/me/links/{id}");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Endpoint {
    /// `GET /me`.
    ReadMe,
    /// `PATCH /me/profile`.
    EditProfile,
    /// `GET /me/analytics`.
    ReadAnalytics,
    /// `POST /me/links`.
    CreateLink,
    /// `PATCH /me/links/{id}`.
    EditLink,
    /// `DELETE /me/links/{id}`.
    DeleteLink,
    /// `POST /me/posts`.
    CreatePost,
    /// `DELETE /me/posts/{id}`.
    DeletePost,
    /// `GET /users/{handle}/stats`.
    ReadViewStatistics,
    /// `GET /badges`.
    ListBadges,
    /// `GET /stats`.
    ReadSiteStatistics,
}

impl Endpoint {
    /// All of them, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::ReadMe,
        Self::EditProfile,
        Self::ReadAnalytics,
        Self::CreateLink,
        Self::EditLink,
        Self::DeleteLink,
        Self::CreatePost,
        Self::DeletePost,
        Self::ReadViewStatistics,
        Self::ListBadges,
        Self::ReadSiteStatistics,
    ];

    /// The method, such as `PATCH`.
    ///
    /// ```
    /// assert_eq!(mock_server::Endpoint::CreatePost.method(), "POST");
    /// ```
    pub fn method(self) -> &'static str {
        match self {
            Self::EditProfile | Self::EditLink => "PATCH",
            Self::CreateLink | Self::CreatePost => "POST",
            Self::DeleteLink | Self::DeletePost => "DELETE",
            _ => "GET",
        }
    }

    /// The path, with a parameter in braces.
    ///
    /// ```
    /// use mock_server::Endpoint;
    /// assert_eq!(Endpoint::ReadViewStatistics.path(), "/api/v1/users/{handle}/stats");
    /// ```
    pub fn path(self) -> &'static str {
        match self {
            Self::ReadMe => "/api/v1/me",
            Self::EditProfile => "/api/v1/me/profile",
            Self::ReadAnalytics => "/api/v1/me/analytics",
            Self::CreateLink => "/api/v1/me/links",
            Self::EditLink | Self::DeleteLink => "/api/v1/me/links/{id}",
            Self::CreatePost => "/api/v1/me/posts",
            Self::DeletePost => "/api/v1/me/posts/{id}",
            Self::ReadViewStatistics => "/api/v1/users/{handle}/stats",
            Self::ListBadges => "/api/v1/badges",
            Self::ReadSiteStatistics => "/api/v1/stats",
        }
    }

    /// The scope that the key needs.
    ///
    /// ```
    /// use mock_server::{Endpoint, Scope};
    ///
    /// assert_eq!(Endpoint::DeletePost.scope(), Some(Scope::SocialWrite));
    /// assert_eq!(Endpoint::ReadMe.scope(), None);
    /// ```
    pub fn scope(self) -> Option<Scope> {
        match self {
            Self::EditProfile => Some(Scope::ProfileWrite),
            Self::ReadAnalytics => Some(Scope::AnalyticsRead),
            Self::CreateLink | Self::EditLink | Self::DeleteLink => Some(Scope::LinksWrite),
            Self::CreatePost | Self::DeletePost => Some(Scope::SocialWrite),
            Self::ReadMe
            | Self::ReadViewStatistics
            | Self::ListBadges
            | Self::ReadSiteStatistics => None,
        }
    }

    /// Whether a key is needed under the default dialect.
    ///
    /// ```
    /// use mock_server::Endpoint;
    ///
    /// assert!(Endpoint::ReadMe.needs_key());
    /// assert!(!Endpoint::ListBadges.needs_key());
    /// ```
    pub fn needs_key(self) -> bool {
        !matches!(self, Self::ListBadges | Self::ReadSiteStatistics)
    }

    /// The codes of everything that this endpoint refuses under the default dialect. What no
    /// endpoint is meant by, `unknown_path` and `method_not_allowed`, belongs to none.
    ///
    /// ```
    /// use mock_server::Endpoint;
    ///
    /// let codes: Vec<_> = Endpoint::DeleteLink.refusals().collect();
    /// assert_eq!(
    ///     codes,
    ///     ["body_too_large", "key_invalid", "rate_limited", "key_missing", "scope_missing", "unknown_link"],
    /// );
    /// ```
    pub fn refusals(self) -> impl Iterator<Item = &'static str> {
        let key: &[_] = if self.needs_key() {
            &["key_missing"]
        } else {
            &[]
        };
        let scope: &[_] = match self.scope() {
            Some(_) => &["scope_missing"],
            None => &[],
        };
        let always = ["body_too_large", "key_invalid", "rate_limited"];
        let rest = [
            key,
            scope,
            self.refusals_of_bodies(),
            self.refusals_of_its_own(),
        ];
        always
            .into_iter()
            .chain(rest.into_iter().flatten().copied())
    }

    fn refusals_of_bodies(self) -> &'static [&'static str] {
        match self {
            Self::EditProfile | Self::CreateLink | Self::EditLink | Self::CreatePost => &[
                "wrong_content_type",
                "not_a_json_object",
                "repeated_field",
                "unknown_field",
                "wrong_type",
            ],
            _ => &[],
        }
    }

    fn refusals_of_its_own(self) -> &'static [&'static str] {
        match self {
            Self::EditProfile => &["too_many_characters", "too_many_lines", "not_a_color"],
            Self::CreateLink => &["missing_field", "not_a_url"],
            Self::EditLink => &["empty_edit", "not_a_url", "unknown_link"],
            Self::DeleteLink => &["unknown_link"],
            Self::CreatePost => &["missing_field"],
            Self::DeletePost => &["unknown_post"],
            Self::ReadViewStatistics => &[
                "unknown_handle",
                "not_an_integer",
                "out_of_range",
                "repeated_parameter",
            ],
            Self::ReadMe | Self::ReadAnalytics | Self::ListBadges | Self::ReadSiteStatistics => &[],
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method(), self.path())
    }
}

impl Serialize for Endpoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_its_place_in_the_list() {
        for (place, endpoint) in Endpoint::ALL.into_iter().enumerate() {
            assert_eq!(endpoint as usize, place);
        }
    }
}
