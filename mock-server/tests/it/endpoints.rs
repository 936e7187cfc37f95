//! The endpoints of the specification, each with an example request that succeeds.

use mock_server::{Endpoint, Scope};
use serde_json::Value;

/// An endpoint of the specification.
pub(crate) struct Listed {
    /// The method and path, as in the specification.
    pub(crate) line: &'static str,
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

pub(crate) static ENDPOINTS: &[Listed] = &[
    reads("GET /me", Access::AnyKey),
    writes("PATCH /me/profile", Scope::ProfileWrite, r#"{"bio": "x"}"#),
    reads("GET /me/analytics", Access::KeyWith(Scope::AnalyticsRead)),
    writes(
        "POST /me/links",
        Scope::LinksWrite,
        r#"{"title": "x", "url": "https://example.com"}"#,
    ),
    writes(
        "PATCH /me/links/{id}",
        Scope::LinksWrite,
        r#"{"title": "x"}"#,
    ),
    deletes("DELETE /me/links/{id}", Scope::LinksWrite),
    writes("POST /me/posts", Scope::SocialWrite, r#"{"body": "x"}"#),
    deletes("DELETE /me/posts/{id}", Scope::SocialWrite),
    reads("GET /users/{handle}/stats", Access::AnyKey),
    reads("GET /badges", Access::Everybody),
    reads("GET /stats", Access::Everybody),
];

const fn reads(line: &'static str, access: Access) -> Listed {
    let body = None;
    Listed { line, access, body }
}

const fn writes(line: &'static str, scope: Scope, body: &'static str) -> Listed {
    Listed {
        line,
        access: Access::KeyWith(scope),
        body: Some(body),
    }
}

const fn deletes(line: &'static str, scope: Scope) -> Listed {
    reads(line, Access::KeyWith(scope))
}

impl Listed {
    pub(crate) fn method(&self) -> &'static str {
        self.line.split(' ').next().unwrap()
    }

    pub(crate) fn path(&self) -> &'static str {
        self.line.split(' ').nth(1).unwrap()
    }

    /// Returns the method and the path, with parameters that exist in a new world.
    pub(crate) fn known(&self) -> String {
        self.line
            .replace("/links/{id}", "/links/link_1")
            .replace("/posts/{id}", "/posts/post_3")
            .replace("{handle}", "demo")
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

#[test]
fn all_endpoints_are_listed() {
    let there_are = Endpoint::ALL.iter().map(|endpoint| {
        let access = match endpoint.scope() {
            Some(scope) => Access::KeyWith(scope),
            None if endpoint.requires_key() => Access::AnyKey,
            None => Access::Everybody,
        };
        (endpoint.to_string().replacen("/api/v1", "", 1), access)
    });
    let listed = ENDPOINTS.iter();
    let listed = listed.map(|listed| (listed.line.to_owned(), listed.access));
    assert_eq!(there_are.collect::<Vec<_>>(), listed.collect::<Vec<_>>());
}
