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
    pub(super) body: Option<String>,
    pub(super) content_type: &'static str,
}

impl Call {
    pub(super) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            access: Access::Key,
            body: None,
            content_type: "application/json",
        }
    }

    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(super) fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Sets a body, which is sent as JSON.
    pub(super) fn body(mut self, body: impl fmt::Display) -> Self {
        self.body = Some(body.to_string());
        self
    }

    pub(super) fn content_type(mut self, content_type: &'static str) -> Self {
        self.content_type = content_type;
        self
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
