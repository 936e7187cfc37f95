//! What is known of an endpoint before it is called.

use std::borrow::Cow;
use std::fmt;

use crate::Scope;

/// The method of an HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `GET`: reads, changes nothing.
    Get,
    /// `POST`: creates.
    Post,
    /// `PUT`: replaces.
    Put,
    /// `PATCH`: edits.
    Patch,
    /// `DELETE`: removes.
    Delete,
}

impl Method {
    /// The method's name, for example `PATCH`.
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

    /// Whether a request with this method may change something.
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

/// One of the service's endpoints: its method, its path, and what a key must carry to call it.
///
/// ```
/// use profile_sdk::{Operation, Scope};
///
/// let edit = Operation::UPDATE_PROFILE;
/// assert!(Operation::ALL.contains(&edit));
/// assert_eq!(edit.to_string(), "PATCH /api/v1/me/profile");
/// assert_eq!(edit.scope(), Some(&Scope::ProfileWrite));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    method: Method,
    path_template: Cow<'static, str>,
    scope: Option<Scope>,
    requires_key: bool,
    idempotent: bool,
}

impl Operation {
    /// `GET /me`
    pub const ME: Self = Self::keyed(Method::Get, "/api/v1/me");
    /// `PATCH /me/profile`
    pub const UPDATE_PROFILE: Self =
        Self::scoped(Method::Patch, "/api/v1/me/profile", Scope::ProfileWrite);
    /// `GET /me/analytics`
    pub const ANALYTICS: Self =
        Self::scoped(Method::Get, "/api/v1/me/analytics", Scope::AnalyticsRead);
    /// `POST /me/links`
    pub const CREATE_LINK: Self =
        Self::scoped(Method::Post, "/api/v1/me/links", Scope::LinksWrite).creating();
    /// `PATCH /me/links/{id}`
    pub const UPDATE_LINK: Self =
        Self::scoped(Method::Patch, "/api/v1/me/links/{id}", Scope::LinksWrite);
    /// `DELETE /me/links/{id}`
    pub const DELETE_LINK: Self =
        Self::scoped(Method::Delete, "/api/v1/me/links/{id}", Scope::LinksWrite);
    /// `POST /me/posts`
    pub const CREATE_POST: Self =
        Self::scoped(Method::Post, "/api/v1/me/posts", Scope::SocialWrite).creating();
    /// `DELETE /me/posts/{id}`
    pub const DELETE_POST: Self =
        Self::scoped(Method::Delete, "/api/v1/me/posts/{id}", Scope::SocialWrite);
    /// `GET /users/{handle}/stats`
    pub const USER_STATS: Self = Self::keyed(Method::Get, "/api/v1/users/{handle}/stats");
    /// `GET /badges`
    pub const BADGES: Self = Self::open(Method::Get, "/api/v1/badges");
    /// `GET /stats`
    pub const SITE_STATS: Self = Self::open(Method::Get, "/api/v1/stats");

    /// Every endpoint, in the specification's order.
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

    /// The method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// The path with its parameters by name, for example `/api/v1/me/links/{id}`.
    #[must_use]
    pub fn path_template(&self) -> &str {
        &self.path_template
    }

    /// The scope that the key must carry, where the specification names one.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// Whether a key must be sent; the two open endpoints are called without one as well.
    #[must_use]
    pub fn requires_key(&self) -> bool {
        self.requires_key
    }

    /// Whether doing it twice leaves the same behind as doing it once, so that it is repeated when
    /// its response is lost: reading, deleting, and the edits, which set fields to what is given.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// An endpoint beyond the specification, of which nothing but this is known.
    pub(crate) fn unspecified(method: Method, path: String) -> Self {
        Self {
            method,
            path_template: Cow::Owned(path),
            scope: None,
            requires_key: false,
            idempotent: matches!(method, Method::Get | Method::Put | Method::Delete),
        }
    }

    /// The same endpoint, known to be idempotent.
    pub(crate) fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    const fn open(method: Method, path_template: &'static str) -> Self {
        Self {
            method,
            path_template: Cow::Borrowed(path_template),
            scope: None,
            requires_key: false,
            idempotent: true,
        }
    }

    const fn keyed(method: Method, path_template: &'static str) -> Self {
        Self {
            method,
            path_template: Cow::Borrowed(path_template),
            scope: None,
            requires_key: true,
            idempotent: true,
        }
    }

    const fn scoped(method: Method, path_template: &'static str, scope: Scope) -> Self {
        Self {
            method,
            path_template: Cow::Borrowed(path_template),
            scope: Some(scope),
            requires_key: true,
            idempotent: true,
        }
    }

    /// The same endpoint, where doing it twice makes two things.
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
