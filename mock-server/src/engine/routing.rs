//! The eleven endpoints: which request is which of them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::keys::Key;
use super::refusal::Refusal;
use super::reply::Reply;
use super::request::Request;
use super::scope::Scope;
use super::world::World;
use super::{analytics, badges, links, me, posts, profile, site, statistics};

/// One row of section Endpoints of the specification.
#[derive(Debug)]
pub(super) struct Endpoint {
    method: &'static str,
    /// A segment in braces stands for any one segment that is not empty.
    path: &'static str,
    pub(super) scope: Option<Scope>,
    pub(super) action: Action,
}

/// How an endpoint answers. The types keep a read from changing the world.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// A read that needs no key.
    Open(fn(&World) -> Reply),
    /// A read that needs a key.
    Read(fn(&World, &Call) -> Result<Reply, Refusal>),
    /// A write, which needs a key.
    Write(fn(&mut World, &Call) -> Result<Reply, Refusal>),
}

/// A request that may be carried out, together with whose it is.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) request: &'a Request,
    /// The path parameter, decoded; empty where the path has none.
    pub(super) parameter: String,
    pub(super) caller: Key,
}

static ENDPOINTS: [Endpoint; 11] = [
    Endpoint {
        method: "GET",
        path: "/api/v1/me",
        scope: None,
        action: Action::Read(me::show),
    },
    Endpoint {
        method: "PATCH",
        path: "/api/v1/me/profile",
        scope: Some(Scope::ProfileWrite),
        action: Action::Write(profile::edit),
    },
    Endpoint {
        method: "GET",
        path: "/api/v1/me/analytics",
        scope: Some(Scope::AnalyticsRead),
        action: Action::Read(analytics::show),
    },
    Endpoint {
        method: "POST",
        path: "/api/v1/me/links",
        scope: Some(Scope::LinksWrite),
        action: Action::Write(links::create),
    },
    Endpoint {
        method: "PATCH",
        path: "/api/v1/me/links/{id}",
        scope: Some(Scope::LinksWrite),
        action: Action::Write(links::edit),
    },
    Endpoint {
        method: "DELETE",
        path: "/api/v1/me/links/{id}",
        scope: Some(Scope::LinksWrite),
        action: Action::Write(links::delete),
    },
    Endpoint {
        method: "POST",
        path: "/api/v1/me/posts",
        scope: Some(Scope::SocialWrite),
        action: Action::Write(posts::create),
    },
    Endpoint {
        method: "DELETE",
        path: "/api/v1/me/posts/{id}",
        scope: Some(Scope::SocialWrite),
        action: Action::Write(posts::delete),
    },
    Endpoint {
        method: "GET",
        path: "/api/v1/users/{handle}/stats",
        scope: None,
        action: Action::Read(statistics::show),
    },
    Endpoint {
        method: "GET",
        path: "/api/v1/badges",
        scope: None,
        action: Action::Open(badges::list),
    },
    Endpoint {
        method: "GET",
        path: "/api/v1/stats",
        scope: None,
        action: Action::Open(site::show),
    },
];

/// The endpoint that a request means, and its path parameter, decoded.
pub(super) fn route(request: &Request) -> Result<(&'static Endpoint, String), Refusal> {
    let mut allowed = Vec::new();
    for endpoint in &ENDPOINTS {
        let Some(parameter) = endpoint.parameter_in(&request.path) else {
            continue;
        };
        if endpoint.method == request.method {
            return Ok((endpoint, parameter));
        }
        allowed.push(endpoint.method);
    }
    if allowed.is_empty() {
        let path = request.path.clone();
        return Err(Refusal::UnknownPath { path });
    }
    let method = request.method.clone();
    Err(Refusal::MethodNotAllowed { method, allowed })
}

/// The path of the endpoint that a request means, with its parameter in braces.
pub(crate) fn path_template(request: &Request) -> Option<&'static str> {
    route(request).ok().map(|(endpoint, _)| endpoint.path)
}

impl Endpoint {
    /// The decoded path parameter when the path is one of this endpoint's.
    fn parameter_in(&self, path: &str) -> Option<String> {
        let mut parameter = String::new();
        let mut given = path.split('/');
        for expected in self.path.split('/') {
            let segment = decode(given.next()?)?;
            if expected.starts_with('{') && !segment.is_empty() {
                parameter = segment.into_owned();
            } else if segment != expected {
                return None;
            }
        }
        given.next().is_none().then_some(parameter)
    }
}

/// Decodes after the path was split: an encoded slash stays inside its segment.
fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(path: &str) -> Option<String> {
        let (_, parameter) = route(&Request::new("GET", path)).ok()?;
        Some(parameter)
    }

    #[test]
    fn a_parameter_is_one_decoded_segment() {
        for (segment, expected) in [
            ("grace", "grace"),
            ("a%2Fb", "a/b"),
            ("%C3%A9", "é"),
            ("%2e%2e", ".."),
            ("100%", "100%"),
            ("a+b", "a+b"),
        ] {
            let path = format!("/api/v1/users/{segment}/stats");
            assert_eq!(parameter(&path).as_deref(), Some(expected), "{segment}");
        }
    }

    #[test]
    fn other_paths_are_unknown() {
        for path in [
            "",
            "/",
            "/api/v1",
            "/api/v2/me",
            "/me",
            "/api/v1/me/",
            "//api/v1/me",
            "/api/v1/ME",
            "/api/v1/users//stats",
            "/api/v1/users/a/b/stats",
            "/api/v1/users/%ff/stats",
        ] {
            assert_eq!(parameter(path), None, "{path}");
        }
    }
}
