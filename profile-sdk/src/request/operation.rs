//! The table of endpoints.

use std::borrow::Cow;
use std::fmt;

use crate::Scope;

/// The method of an HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `GET`, which reads.
    Get,
    /// `POST`, which creates.
    Post,
    /// `PUT`, which replaces.
    Put,
    /// `PATCH`, which edits.
    Patch,
    /// `DELETE`, which deletes.
    Delete,
}

impl Method {
    /// Returns the name of the method, for example `PATCH`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns `true` for all methods except `GET`.
    #[must_use]
    pub fn is_write(self) -> bool {
        self != Self::Get
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An endpoint: its method, its path and what it requires of a key.
///
/// ```
/// use profile_sdk::{Operation, Scope};
///
/// let edit = Operation::UPDATE_PROFILE;
/// assert!(Operation::ALL.contains(&edit));
/// assert_eq!(edit.to_string(), "PATCH /api/v1/me/profile");
/// assert_eq!(edit.name(), "update_profile");
/// assert_eq!(edit.scope(), Some(&Scope::ProfileWrite));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operation {
    name: &'static str,
    method: Method,
    path_template: Cow<'static, str>,
    scope: Option<Scope>,
    requires_key: bool,
    idempotent: bool,
}

impl Operation {
    /// `GET /me`
    pub const ME: Self = Self::keyed("me", Method::Get, "/api/v1/me");
    /// `PATCH /me/profile`
    pub const UPDATE_PROFILE: Self = Self::scoped(
        "update_profile",
        Method::Patch,
        "/api/v1/me/profile",
        Scope::ProfileWrite,
    );
    /// `GET /me/analytics`
    pub const ANALYTICS: Self = Self::scoped(
        "analytics",
        Method::Get,
        "/api/v1/me/analytics",
        Scope::AnalyticsRead,
    );
    /// `POST /me/links`
    pub const CREATE_LINK: Self = Self::scoped(
        "create_link",
        Method::Post,
        "/api/v1/me/links",
        Scope::LinksWrite,
    )
    .creating();
    /// `PATCH /me/links/{id}`
    pub const UPDATE_LINK: Self = Self::scoped(
        "update_link",
        Method::Patch,
        "/api/v1/me/links/{id}",
        Scope::LinksWrite,
    );
    /// `DELETE /me/links/{id}`
    pub const DELETE_LINK: Self = Self::scoped(
        "delete_link",
        Method::Delete,
        "/api/v1/me/links/{id}",
        Scope::LinksWrite,
    );
    /// `POST /me/posts`
    pub const CREATE_POST: Self = Self::scoped(
        "create_post",
        Method::Post,
        "/api/v1/me/posts",
        Scope::SocialWrite,
    )
    .creating();
    /// `DELETE /me/posts/{id}`
    pub const DELETE_POST: Self = Self::scoped(
        "delete_post",
        Method::Delete,
        "/api/v1/me/posts/{id}",
        Scope::SocialWrite,
    );
    /// `GET /users/{handle}/stats`
    pub const USER_STATS: Self =
        Self::keyed("user_stats", Method::Get, "/api/v1/users/{handle}/stats");
    /// `GET /badges`
    pub const BADGES: Self = Self::open("badges", Method::Get, "/api/v1/badges");
    /// `GET /stats`
    pub const SITE_STATS: Self = Self::open("site_stats", Method::Get, "/api/v1/stats");

    /// All endpoints, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::ME,
        Self::UPDATE_PROFILE,
        Self::ANALYTICS,
        Self::CREATE_LINK,
        Self::UPDATE_LINK,
        Self::DELETE_LINK,
        Self::CREATE_POST,
        Self::DELETE_POST,
        Self::USER_STATS,
        Self::BADGES,
        Self::SITE_STATS,
    ];

    /// Returns a short name that does not change, for example for a metric label: the name of the
    /// method of [`Client`](crate::Client), such as `update_profile`. All
    /// [raw calls](crate::Client::raw_call) have the name `raw_call`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns the path with named parameters, for example `/api/v1/me/links/{id}`.
    #[must_use]
    pub fn path_template(&self) -> &str {
        &self.path_template
    }

    /// Returns the scope that the key must have, if the specification names one.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// Returns `true` if the endpoint requires a key.
    #[must_use]
    pub fn requires_key(&self) -> bool {
        self.requires_key
    }

    /// Returns `true` if sending the request twice has the same result as sending it once, so that
    /// it is retried if its response is lost. This is the case for reading, deleting and editing.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// Creates an endpoint that is not in the specification.
    pub(crate) fn unspecified(method: Method, path: String) -> Self {
        Self {
            name: "raw_call",
            method,
            path_template: Cow::Owned(path),
            scope: None,
            requires_key: false,
            idempotent: matches!(method, Method::Get | Method::Put | Method::Delete),
        }
    }

    /// Marks the endpoint as idempotent.
    pub(crate) fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    const fn open(name: &'static str, method: Method, path_template: &'static str) -> Self {
        Self {
            name,
            method,
            path_template: Cow::Borrowed(path_template),
            scope: None,
            requires_key: false,
            idempotent: true,
        }
    }

    const fn keyed(name: &'static str, method: Method, path_template: &'static str) -> Self {
        let mut operation = Self::open(name, method, path_template);
        operation.requires_key = true;
        operation
    }

    const fn scoped(
        name: &'static str,
        method: Method,
        path_template: &'static str,
        scope: Scope,
    ) -> Self {
        Self {
            name,
            method,
            path_template: Cow::Borrowed(path_template),
            scope: Some(scope),
            requires_key: true,
            idempotent: true,
        }
    }

    /// Marks the endpoint as not idempotent: sending the request twice creates two resources.
    const fn creating(mut self) -> Self {
        self.idempotent = false;
        self
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path_template)
    }
}
