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
    pub const ME: Self = Self::keyed("me", Method::Get, "/api/v1/me", None);
    /// `PATCH /me/profile`
    pub const UPDATE_PROFILE: Self = Self::keyed(
        "update_profile",
        Method::Patch,
        "/api/v1/me/profile",
        Some(Scope::ProfileWrite),
    );
    /// `GET /me/analytics`
    pub const ANALYTICS: Self = Self::keyed(
        "analytics",
        Method::Get,
        "/api/v1/me/analytics",
        Some(Scope::AnalyticsRead),
    );
    /// `POST /me/links`
    pub const CREATE_LINK: Self = Self::keyed(
        "create_link",
        Method::Post,
        "/api/v1/me/links",
        Some(Scope::LinksWrite),
    );
    /// `PATCH /me/links/{id}`
    pub const UPDATE_LINK: Self = Self::keyed(
        "update_link",
        Method::Patch,
        "/api/v1/me/links/{id}",
        Some(Scope::LinksWrite),
    );
    /// `DELETE /me/links/{id}`
    pub const DELETE_LINK: Self = Self::keyed(
        "delete_link",
        Method::Delete,
        "/api/v1/me/links/{id}",
        Some(Scope::LinksWrite),
    );
    /// `POST /me/posts`
    pub const CREATE_POST: Self = Self::keyed(
        "create_post",
        Method::Post,
        "/api/v1/me/posts",
        Some(Scope::SocialWrite),
    );
    /// `DELETE /me/posts/{id}`
    pub const DELETE_POST: Self = Self::keyed(
        "delete_post",
        Method::Delete,
        "/api/v1/me/posts/{id}",
        Some(Scope::SocialWrite),
    );
    /// `GET /users/{handle}/stats`
    pub const USER_STATS: Self = Self::keyed(
        "user_stats",
        Method::Get,
        "/api/v1/users/{handle}/stats",
        None,
    );
    /// `GET /badges`
    pub const BADGES: Self = Self::open("badges", "/api/v1/badges");
    /// `GET /stats`
    pub const SITE_STATS: Self = Self::open("site_stats", "/api/v1/stats");

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

    const fn keyed(
        name: &'static str,
        method: Method,
        path_template: &'static str,
        scope: Option<Scope>,
    ) -> Self {
        Self {
            name,
            method,
            path_template: Cow::Borrowed(path_template),
            scope,
            requires_key: true,
            // Creating twice creates two resources.
            idempotent: !matches!(method, Method::Post),
        }
    }

    /// Creates an endpoint that does not require a key.
    const fn open(name: &'static str, path_template: &'static str) -> Self {
        let mut operation = Self::keyed(name, Method::Get, path_template, None);
        operation.requires_key = false;
        operation
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path_template)
    }
}
