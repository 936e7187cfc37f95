//! The table of endpoints.

use std::fmt;

use serde::{Serialize, Serializer};

use super::call::Call;
use super::{analytics, badges, links, me, posts, profile, site, statistics};
use crate::engine::access::Scope;
use crate::engine::rejections::Rejected;
use crate::engine::reply::Reply;
use crate::engine::world::World;

/// An endpoint (section Endpoints of the specification). `Display` prints its method and path.
///
/// ```
/// use mock_server::Endpoint;
///
/// assert_eq!(Endpoint::EditLink.to_string(), "PATCH /api/v1/me/links/{id}");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// All endpoints, in the order of the specification.
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

    /// Returns the method, such as `PATCH`.
    ///
    /// ```
    /// assert_eq!(mock_server::Endpoint::CreatePost.method(), "POST");
    /// ```
    pub fn method(self) -> &'static str {
        self.row().method
    }

    /// Returns the path, with a parameter in braces.
    ///
    /// ```
    /// use mock_server::Endpoint;
    /// assert_eq!(Endpoint::ReadViewStatistics.path(), "/api/v1/users/{handle}/stats");
    /// ```
    pub fn path(self) -> &'static str {
        self.row().path
    }

    /// Returns the required scope, if any.
    ///
    /// ```
    /// use mock_server::{Endpoint, Scope};
    ///
    /// assert_eq!(Endpoint::DeletePost.scope(), Some(Scope::SocialWrite));
    /// assert_eq!(Endpoint::ReadMe.scope(), None);
    /// ```
    pub fn scope(self) -> Option<Scope> {
        match self.row().access {
            Access::Scope(scope) => Some(scope),
            Access::Open | Access::AnyKey => None,
        }
    }

    /// Returns `true` if the endpoint requires a key under the default dialect.
    ///
    /// ```
    /// use mock_server::Endpoint;
    ///
    /// assert!(Endpoint::ReadMe.requires_key());
    /// assert!(!Endpoint::ListBadges.requires_key());
    /// ```
    pub fn requires_key(self) -> bool {
        !matches!(self.row().access, Access::Open)
    }

    /// Returns the codes of all rejections by this endpoint under the default dialect, without
    /// `unknown_path` and `method_not_allowed`.
    ///
    /// ```
    /// use mock_server::Endpoint;
    ///
    /// let codes: Vec<_> = Endpoint::DeleteLink.rejections().collect();
    /// assert_eq!(
    ///     codes,
    ///     ["body_too_large", "key_invalid", "rate_limited", "key_missing", "scope_missing", "unknown_link"],
    /// );
    /// ```
    pub fn rejections(self) -> impl Iterator<Item = &'static str> {
        let Row {
            access, rejections, ..
        } = self.row();
        let by_access: &[_] = match access {
            Access::Open => &[],
            Access::AnyKey => &["key_missing"],
            Access::Scope(_) => &["key_missing", "scope_missing"],
        };
        let always = ["body_too_large", "key_invalid", "rate_limited"];
        let others = by_access.iter().chain(rejections.iter().copied().flatten());
        always.into_iter().chain(others.copied())
    }

    pub(crate) fn handler(self) -> Handler {
        self.row().handler
    }

    #[rustfmt::skip]
    fn row(self) -> Row {
        use Access::{AnyKey, Open, Scope as Needs};
        use Handler::{Read, Write};
        use Scope::{AnalyticsRead, LinksWrite, ProfileWrite, SocialWrite};
        let row = |method, path, access, rejections, handler| {
            Row { method, path, access, rejections, handler }
        };
        match self {
            Self::ReadMe =>
                row("GET", "/api/v1/me", AnyKey, &[], Read(me::show)),
            Self::EditProfile =>
                row("PATCH", "/api/v1/me/profile", Needs(ProfileWrite),
                    &[BODY, &["too_many_characters", "too_many_lines", "not_a_color"]],
                    Write(profile::edit)),
            Self::ReadAnalytics =>
                row("GET", "/api/v1/me/analytics", Needs(AnalyticsRead), &[],
                    Read(analytics::show)),
            Self::CreateLink =>
                row("POST", "/api/v1/me/links", Needs(LinksWrite),
                    &[BODY, &["missing_field", "not_a_url"]], Write(links::create)),
            Self::EditLink =>
                row("PATCH", "/api/v1/me/links/{id}", Needs(LinksWrite),
                    &[BODY, &["empty_edit", "not_a_url", "unknown_link"]], Write(links::edit)),
            Self::DeleteLink =>
                row("DELETE", "/api/v1/me/links/{id}", Needs(LinksWrite),
                    &[&["unknown_link"]], Write(links::delete)),
            Self::CreatePost =>
                row("POST", "/api/v1/me/posts", Needs(SocialWrite),
                    &[BODY, &["missing_field"]], Write(posts::create)),
            Self::DeletePost =>
                row("DELETE", "/api/v1/me/posts/{id}", Needs(SocialWrite),
                    &[&["unknown_post"]], Write(posts::delete)),
            Self::ReadViewStatistics =>
                row("GET", "/api/v1/users/{handle}/stats", AnyKey,
                    &[&["unknown_handle", "not_an_integer", "out_of_range", "repeated_parameter"]],
                    Read(statistics::show)),
            Self::ListBadges =>
                row("GET", "/api/v1/badges", Open, &[], Read(badges::list)),
            Self::ReadSiteStatistics =>
                row("GET", "/api/v1/stats", Open, &[], Read(site::show)),
        }
    }
}

/// A row of the table of endpoints.
struct Row {
    method: &'static str,
    path: &'static str,
    access: Access,
    /// Groups of codes of the rejections that depend on the endpoint.
    rejections: &'static [&'static [&'static str]],
    handler: Handler,
}

/// The key that an endpoint requires under the default dialect.
#[derive(Clone, Copy)]
enum Access {
    Open,
    AnyKey,
    Scope(Scope),
}

/// A function that handles a call. Reads cannot change the world.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Handler {
    Read(fn(&World, &mut Call<'_>) -> Result<Reply, Rejected>),
    Write(fn(&mut World, &mut Call<'_>) -> Result<Reply, Rejected>),
}

/// The rejections of every endpoint that reads a body.
const BODY: &[&str] = &[
    "wrong_content_type",
    "not_a_json_object",
    "repeated_field",
    "unknown_field",
    "wrong_type",
];

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), self.path())
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
    fn all_lists_the_endpoints_in_the_order_of_the_variants() {
        for (place, endpoint) in Endpoint::ALL.into_iter().enumerate() {
            assert_eq!(endpoint as usize, place);
        }
    }
}
