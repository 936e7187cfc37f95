//! Which request means which endpoint, and which function answers it.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::endpoint::Endpoint;
use super::json_body::Judge;
use super::keys::Key;
use super::refusal::Refusal;
use super::reply::Reply;
use super::request::Request;
use super::world::World;
use super::{analytics, badges, links, me, posts, profile, site, statistics};

/// How an endpoint answers. The types keep a read from changing the world.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// A read that needs no key, unless the dialect wants one.
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
    pub(super) parameter: Cow<'a, str>,
    pub(super) caller: Cow<'a, Key>,
}

impl Endpoint {
    pub(super) fn action(self) -> Action {
        match self {
            Self::ReadMe => Action::Read(me::show),
            Self::EditProfile => Action::Write(profile::edit),
            Self::ReadAnalytics => Action::Read(analytics::show),
            Self::CreateLink => Action::Write(links::create),
            Self::EditLink => Action::Write(links::edit),
            Self::DeleteLink => Action::Write(links::delete),
            Self::CreatePost => Action::Write(posts::create),
            Self::DeletePost => Action::Write(posts::delete),
            Self::ReadViewStatistics => Action::Read(statistics::show),
            Self::ListBadges => Action::Open(badges::list),
            Self::ReadSiteStatistics => Action::Open(site::show),
        }
    }

    /// How the fields of the body are judged; `None` where no body is read.
    pub(super) fn judge(self) -> Option<Judge> {
        match self {
            Self::EditProfile => Some(profile::judge),
            Self::CreateLink | Self::EditLink => Some(links::judge),
            Self::CreatePost => Some(posts::judge),
            _ => None,
        }
    }

    /// The decoded path parameter when the path is one of this endpoint's.
    fn parameter_in(self, path: &str) -> Option<Cow<'_, str>> {
        let mut parameter = Cow::Borrowed("");
        // Most paths are plain, and a plain one without a parameter need not be taken apart.
        if path == self.path() && !path.contains('{') {
            return Some(parameter);
        }
        let mut given = path.split('/');
        for expected in self.path().split('/') {
            let segment = decode(given.next()?)?;
            if expected.starts_with('{') && !segment.is_empty() {
                parameter = segment;
            } else if segment != expected {
                return None;
            }
        }
        given.next().is_none().then_some(parameter)
    }
}

/// The endpoint that a request means, and its path parameter, decoded.
pub(super) fn route(request: &Request) -> Result<(Endpoint, Cow<'_, str>), Refusal> {
    let mut allowed = Vec::new();
    for endpoint in Endpoint::ALL {
        let Some(parameter) = endpoint.parameter_in(&request.path) else {
            continue;
        };
        if endpoint.method() == request.method {
            return Ok((endpoint, parameter));
        }
        allowed.push(endpoint.method());
    }
    if allowed.is_empty() {
        let path = request.path.clone();
        return Err(Refusal::UnknownPath { path });
    }
    let method = request.method.clone();
    Err(Refusal::MethodNotAllowed { method, allowed })
}

/// Decodes after the path was split: an encoded slash stays inside its segment.
fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(path: &str) -> Option<String> {
        let request = Request::new("GET", path);
        let (_, parameter) = route(&request).ok()?;
        Some(parameter.into_owned())
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
