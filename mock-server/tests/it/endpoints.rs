//! The endpoints, each with an example request that succeeds.

use std::sync::LazyLock;

use mock_server::{Endpoint, Scope};
use serde_json::Value;

/// An endpoint of the specification.
pub(crate) struct Listed {
    /// The method and path, as in the specification.
    pub(crate) line: String,
    pub(crate) access: Access,
    body: Option<&'static str>,
}

/// The access that an endpoint requires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Access {
    Everybody,
    AnyKey,
    KeyWith(Scope),
}

/// All endpoints. `openapi.yaml` states their paths and their access independently.
pub(crate) static ENDPOINTS: LazyLock<Vec<Listed>> =
    LazyLock::new(|| Endpoint::ALL.iter().copied().map(Listed::new).collect());

/// Valid bodies of the endpoints that take one.
const BODIES: &[(Endpoint, &str)] = &[
    (Endpoint::EditProfile, r#"{"bio": "x"}"#),
    (
        Endpoint::CreateLink,
        r#"{"title": "x", "url": "https://example.com"}"#,
    ),
    (Endpoint::EditLink, r#"{"title": "x"}"#),
    (Endpoint::CreatePost, r#"{"body": "x"}"#),
];

impl Listed {
    fn new(endpoint: Endpoint) -> Self {
        let body = BODIES.iter().find(|(of, _)| *of == endpoint);
        Self {
            line: endpoint.to_string().replacen("/api/v1", "", 1),
            access: match endpoint.scope() {
                Some(scope) => Access::KeyWith(scope),
                None if endpoint.requires_key() => Access::AnyKey,
                None => Access::Everybody,
            },
            body: body.map(|(_, body)| *body),
        }
    }

    pub(crate) fn method(&self) -> &str {
        self.line.split(' ').next().unwrap()
    }

    pub(crate) fn path(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }

    /// Returns the method and the path, with parameters that exist in a new world.
    pub(crate) fn known(&self) -> String {
        self.line
            .replace("/links/{id}", "/links/link_1")
            .replace("/posts/{id}", "/posts/post_3")
            .replace("{handle}", "demo")
    }

    /// Returns `true` for the method and path of a request to this endpoint.
    pub(crate) fn matches(&self, line: &str) -> bool {
        let line = line.split('?').next().unwrap();
        let (expected, found) = (self.line.split('/'), line.split('/'));
        expected.clone().count() == found.clone().count()
            && expected
                .zip(found)
                .all(|(expected, found)| expected == found || expected.starts_with('{'))
    }

    /// Returns a valid body, if the endpoint takes one.
    pub(crate) fn body(&self) -> Option<Value> {
        self.body.map(|text| serde_json::from_str(text).unwrap())
    }
}

/// Returns the endpoints that require a scope, with the scope.
pub(crate) fn endpoints_with_scope() -> impl Iterator<Item = (&'static Listed, Scope)> {
    ENDPOINTS.iter().filter_map(|listed| match listed.access {
        Access::KeyWith(scope) => Some((listed, scope)),
        Access::Everybody | Access::AnyKey => None,
    })
}
