//! Routing of requests to endpoints.

use std::borrow::Cow;

use super::endpoint::{BASE_PATH, Endpoint};
use crate::engine::path_template::match_path;
use crate::engine::problems::Problem;
use crate::engine::request::Request;

/// Returns the endpoint of a request and its decoded path parameter. HEAD is routed like GET; the HTTP
/// layer omits the body.
pub(crate) fn route(request: &Request) -> Result<(Endpoint, Cow<'_, str>), Problem> {
    let mut allowed = Vec::new();
    let method = match request.method.as_str() {
        "HEAD" => "GET",
        other => other,
    };
    for &endpoint in Endpoint::ALL {
        let Some(parameter) = match_path(endpoint.path(), &request.path) else {
            continue;
        };
        if endpoint.method() == method {
            return Ok((endpoint, parameter));
        }
        allowed.push(endpoint.method());
    }
    if allowed.is_empty() {
        let path = request.path.clone();
        return Err(match is_in_api(&path) {
            true => Problem::UnknownPath { path },
            false => Problem::PathOutsideApi { path },
        });
    }
    let method = request.method.clone();
    Err(Problem::MethodNotAllowed { method, allowed })
}

fn is_in_api(path: &str) -> bool {
    let rest = path.strip_prefix(BASE_PATH);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_unknown_paths() {
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
