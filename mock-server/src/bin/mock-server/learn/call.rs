//! A request to the service.

use std::fmt;

use reqwest::Method;

/// The key that a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Key,
    WrongKey,
    NoKey,
}

/// A request to the service.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) method: Method,
    /// The path below `/api/v1`, with the query.
    pub(super) path: String,
    pub(super) access: Access,
    /// Empty if the request has no body.
    pub(super) body: String,
    pub(super) content_type: &'static str,
}

impl Call {
    pub(super) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            access: Access::Key,
            body: String::new(),
            content_type: "application/json",
        }
    }

    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Creates an edit of the profile.
    pub(super) fn edit(body: impl fmt::Display) -> Self {
        Self::new(Method::PATCH, "/me/profile").body(body)
    }

    pub(super) fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Sets a body, which is sent as JSON.
    pub(super) fn body(self, body: impl fmt::Display) -> Self {
        let body = body.to_string();
        Self { body, ..self }
    }

    /// Returns the scope that the specification requires.
    pub(super) fn scope(&self) -> Option<&'static str> {
        const SCOPES: [(&str, &str); 4] = [
            ("/me/profile", "profile:write"),
            ("/me/analytics", "analytics:read"),
            ("/me/links", "links:write"),
            ("/me/posts", "social:write"),
        ];
        let mut scopes = SCOPES.into_iter();
        let found = scopes.find(|(path, _)| self.path.starts_with(path));
        found.map(|(_, scope)| scope)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, path, .. } = self;
        match self.access {
            Access::Key => write!(f, "{method} {path}"),
            Access::WrongKey => write!(f, "{method} {path} with a wrong key"),
            Access::NoKey => write!(f, "{method} {path} without a key"),
        }
    }
}
