//! Which request means which endpoint, and which function answers it.

use std::borrow::Cow;

use super::endpoint::Endpoint;
use super::json_body::Judge;
use super::keys::Key;
use super::refusal::Refusal;
use super::reply::Reply;
use super::request::Request;
use super::world::World;
use super::{analytics, badges, links, me, posts, profile, site, statistics};
use crate::path_template::match_path;

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
}

/// The endpoint that a request means, and its path parameter, decoded.
pub(super) fn route(request: &Request) -> Result<(Endpoint, Cow<'_, str>), Refusal> {
    let mut allowed = Vec::new();
    for endpoint in Endpoint::ALL {
        let Some(parameter) = match_path(endpoint.path(), &request.path) else {
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

#[cfg(test)]
mod tests {
    use super::*;

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
            assert!(route(&Request::new("GET", path)).is_err(), "{path}");
        }
    }
}
