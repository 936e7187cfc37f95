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
    /// The difference from other requests with this method and path, such as ` without a key`.
    about: &'static str,
}

impl Call {
    pub(super) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            access: Access::Key,
            body: String::new(),
            content_type: "application/json",
            about: "",
        }
    }

    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(super) fn access(self, access: Access) -> Self {
        let about = match access {
            Access::Key => "",
            Access::WrongKey => " with a wrong key",
            Access::NoKey => " without a key",
        };
        Self {
            access,
            about,
            ..self
        }
    }

    pub(super) fn content_type(self, content_type: &'static str) -> Self {
        Self {
            content_type,
            ..self
        }
    }

    /// Sets a body, and what distinguishes it from the bodies of other requests.
    pub(super) fn body(self, about: &'static str, body: impl fmt::Display) -> Self {
        let body = body.to_string();
        Self {
            body,
            about,
            ..self
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}{}", self.method, self.path, self.about)
    }
}
