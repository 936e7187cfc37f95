//! The table of endpoints, and the routing of requests to them. The handlers are in a file for each resource;
//! `call` parses what they read.

mod call;
mod links_and_posts;
mod profile;
mod statistics;

use std::borrow::Cow;
use std::fmt;

use percent_encoding::percent_decode_str;
use serde::{Serialize, Serializer};

use super::dialect::Place;
use super::{Problem, ProblemKind, Rejected, Reply, Request, Scope, World};
use crate::input::{InvalidInput, Result};

pub(crate) use call::{BODY_LIMIT, Call};
pub(crate) use links_and_posts::id_in_path;

/// Defines [`Endpoint`] from the start of all paths and a row for each endpoint. A row has the method,
/// the path, the access, groups of the rejections that depend on the endpoint, the handler, and the objects
/// of successful responses.
macro_rules! endpoints {
    ($base:literal; $(
        $name:ident: $method:literal $path:literal, $access:expr, [$($rejections:expr),*],
            $handler:expr, [$(($place:ident, $pointer:literal)),*];
    )*) => {
        /// An endpoint (section Endpoints of the specification). `Display` prints its method and path.
        ///
        /// ```
        /// use mock_server::{Endpoint, Scope};
        ///
        /// let endpoint = Endpoint::EditLink;
        /// assert_eq!(endpoint.to_string(), "PATCH /api/v1/me/links/{id}");
        /// assert_eq!((endpoint.method(), endpoint.path()), ("PATCH", "/api/v1/me/links/{id}"));
        /// assert_eq!(endpoint.scope(), Some(Scope::LinksWrite));
        /// assert!(endpoint.requires_key());
        /// assert!(endpoint.rejections().any(|code| code == "unknown_link"));
        /// assert!(Endpoint::ALL.contains(&endpoint));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Endpoint {
            $(#[doc = concat!("`", $method, " ", $base, $path, "`.")] $name,)*
        }

        /// The start of the paths of all endpoints.
        pub(crate) const BASE_PATH: &str = $base;

        impl Endpoint {
            /// All endpoints, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            pub(in crate::engine) fn row(self) -> Row {
                use Access::{AnyKey, Open, Scope as Needs};
                use Handler::{Read, Write};
                use ProblemKind::{
                    EmptyEdit, MissingField, NotAColor, NotAUrl, NotAnInteger, OutOfRange,
                    RepeatedParameter, TooManyCharacters, TooManyLines, UnknownHandle, UnknownLink,
                    UnknownPost,
                };
                use Scope::{AnalyticsRead, LinksWrite, ProfileWrite, SocialWrite};
                match self {
                    $(Self::$name => Row {
                        method: $method,
                        path: concat!($base, $path),
                        access: $access,
                        rejections: &[$($rejections),*],
                        handler: $handler,
                        objects: &[$((Place::$place, $pointer)),*],
                    }),*
                }
            }
        }
    };
}

endpoints! {
    "/api/v1";
    ReadMe: "GET" "/me", AnyKey, [], Read(profile::show),
        [(Link, "/links"), (Post, "/posts"), (Badge, "/badges"), (Profile, ""),
        (Key, "/key"), (Me, "")];
    EditProfile: "PATCH" "/me/profile", Needs(ProfileWrite),
        [BODY, &[TooManyCharacters, TooManyLines, NotAColor]], Write(profile::edit),
        [(Link, "/links"), (Post, "/posts"), (Badge, "/badges"), (Profile, "")];
    ReadAnalytics: "GET" "/me/analytics", Needs(AnalyticsRead), [],
        Read(statistics::show_analytics), [(Analytics, "")];
    CreateLink: "POST" "/me/links", Needs(LinksWrite),
        [BODY, &[MissingField, NotAUrl]], Write(links_and_posts::create_link), [(Link, "")];
    EditLink: "PATCH" "/me/links/{id}", Needs(LinksWrite),
        [BODY, &[EmptyEdit, NotAUrl, UnknownLink]], Write(links_and_posts::edit_link),
        [(Link, "")];
    DeleteLink: "DELETE" "/me/links/{id}", Needs(LinksWrite),
        [&[UnknownLink]], Write(links_and_posts::delete_link), [];
    CreatePost: "POST" "/me/posts", Needs(SocialWrite),
        [BODY, &[MissingField]], Write(links_and_posts::create_post), [(Post, "")];
    DeletePost: "DELETE" "/me/posts/{id}", Needs(SocialWrite),
        [&[UnknownPost]], Write(links_and_posts::delete_post), [];
    ReadViewStatistics: "GET" "/users/{handle}/stats", AnyKey,
        [&[UnknownHandle, NotAnInteger, OutOfRange, RepeatedParameter]],
        Read(statistics::show_views), [(Statistics, "")];
    ListBadges: "GET" "/badges", Open, [], Read(profile::list_badges), [(Badge, "")];
    ReadSiteStatistics: "GET" "/stats", Open, [], Read(statistics::show_site), [(Site, "")];
}

impl Endpoint {
    /// Returns the method, such as `PATCH`.
    pub fn method(self) -> &'static str {
        self.row().method
    }

    /// Returns the path, with a parameter in braces.
    pub fn path(self) -> &'static str {
        self.row().path
    }

    /// Returns the required scope, if any.
    pub fn scope(self) -> Option<Scope> {
        match self.row().access {
            Access::Scope(scope) => Some(scope),
            Access::Open | Access::AnyKey => None,
        }
    }

    /// Returns `true` if the endpoint requires a key under the default dialect.
    pub fn requires_key(self) -> bool {
        !matches!(self.row().access, Access::Open)
    }

    /// Returns the names of all rejections by this endpoint under the default dialect, without those
    /// of requests to no endpoint.
    pub fn rejections(self) -> impl Iterator<Item = &'static str> {
        use ProblemKind::{
            BodyTooLarge, KeyMissing, MalformedAuthorization, RateLimited, ScopeMissing, UnknownKey,
        };
        let row = self.row();
        let by_access: &[_] = match row.access {
            Access::Open => &[],
            Access::AnyKey => &[KeyMissing],
            Access::Scope(_) => &[KeyMissing, ScopeMissing],
        };
        let always = &[
            BodyTooLarge,
            MalformedAuthorization,
            UnknownKey,
            RateLimited,
        ];
        let by_endpoint = row.rejections.iter().copied().flatten();
        let others = by_access.iter().chain(by_endpoint);
        always.iter().chain(others).map(|kind| kind.as_str())
    }
}

/// A row of the table of endpoints.
pub(in crate::engine) struct Row {
    method: &'static str,
    path: &'static str,
    access: Access,
    /// Groups of the rejections that depend on the endpoint.
    rejections: &'static [&'static [ProblemKind]],
    pub(in crate::engine) handler: Handler,
    /// The objects in the data of a successful response, to which a dialect can add fields, each with a
    /// JSON Pointer to it or to an array of such objects.
    pub(in crate::engine) objects: &'static [(Place, &'static str)],
}

/// The key that an endpoint requires under the default dialect.
#[derive(Clone, Copy)]
enum Access {
    Open,
    AnyKey,
    Scope(Scope),
}

/// A function that handles a call. Reads cannot change the world.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Handler {
    Read(fn(&World, &mut Call<'_>) -> Result<Reply, Rejected>),
    Write(fn(&mut World, &mut Call<'_>) -> Result<Reply, Rejected>),
}

/// The rejections of every endpoint that reads a body.
const BODY: &[ProblemKind] = &[
    ProblemKind::WrongContentType,
    ProblemKind::UnsupportedEncoding,
    ProblemKind::NotAJsonObject,
    ProblemKind::RepeatedField,
    ProblemKind::UnknownField,
    ProblemKind::WrongType,
];

/// The rejections of requests to no endpoint.
pub(crate) const UNROUTED: [ProblemKind; 3] = [
    ProblemKind::PathOutsideApi,
    ProblemKind::UnknownPath,
    ProblemKind::MethodNotAllowed,
];

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), self.path())
    }
}

impl Serialize for Endpoint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

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

/// Returns `true` if a percent-encoded path matches a pattern of a fault rule or of the journal: an exact path
/// (`/me/profile`), a template (`/me/links/{id}`, where the braces match one segment) or a prefix (`/me/*`). It is
/// relative to `/api/v1` unless it starts with `/api/`.
pub(crate) fn is_path_of(pattern: &str, path: &str) -> bool {
    let pattern = full_path(pattern);
    match pattern.strip_suffix('*') {
        Some(beginning) => path.starts_with(beginning),
        None => match_path(&pattern, path).is_some(),
    }
}

/// Rejects a path that no endpoint has, unless it ends with `*`.
pub(crate) fn check_path(pattern: &str) -> Result<()> {
    let full = full_path(pattern);
    let is_known = |endpoint: &Endpoint| {
        match_path(endpoint.path(), &full).is_some() || match_path(&full, endpoint.path()).is_some()
    };
    if pattern.ends_with('*') || Endpoint::ALL.iter().any(is_known) {
        return Ok(());
    }
    let message = format!(
        "no endpoint has the path `{pattern}`; expected one of {}, or a prefix that ends with *",
        known_paths()
    );
    Err(InvalidInput::new("unmatchable_pattern", message))
}

fn full_path(path: &str) -> Cow<'_, str> {
    if path.starts_with("/api/") {
        return Cow::Borrowed(path);
    }
    let slash = if path.starts_with('/') { "" } else { "/" };
    Cow::Owned(format!("{BASE_PATH}{slash}{path}"))
}

/// Lists the paths of all endpoints, each once and without `/api/v1`.
fn known_paths() -> String {
    let known = |endpoint: &Endpoint| endpoint.path().trim_start_matches(BASE_PATH);
    let mut known: Vec<_> = Endpoint::ALL.iter().map(known).collect();
    known.dedup();
    known.join(", ")
}

/// Matches a percent-encoded path against a template, in which a segment in braces matches any
/// segment that is not empty. Returns the decoded segment, or an empty string for a template without
/// braces.
fn match_path<'a>(template: &str, path: &'a str) -> Option<Cow<'a, str>> {
    let mut parameter = Cow::Borrowed("");
    // Faster in short texts than `split('/')`.
    let mut given = path.split(['/']);
    for expected in template.split(['/']) {
        let given = given.next()?;
        if expected.starts_with('{') && expected.ends_with('}') && !given.is_empty() {
            parameter = decode(given)?;
        } else if given != expected && decode(given)? != decode(expected)? {
            return None;
        }
    }
    given.next().is_none().then_some(parameter)
}

/// Decodes after the path was split: an encoded slash stays inside its segment.
fn decode(segment: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(segment).decode_utf8().ok()
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

    #[test]
    fn matches_exact_paths_templates_and_prefixes() {
        for (pattern, path) in [
            ("/me", "/api/v1/me"),
            ("me", "/api/v1/me"),
            ("/api/v1/me", "/api/v1/me"),
            ("/users/grace/stats", "/api/v1/users/%67race/stats"),
            ("/me/links/{id}", "/api/v1/me/links/link_1"),
            ("/me/links/*", "/api/v1/me/links/link_1"),
            ("/me*", "/api/v1/me"),
            ("/api/*", "/api/v2/me"),
            ("/me", "/api/v1/m%65"),
            ("/m%65", "/api/v1/me"),
            ("/users/é", "/api/v1/users/%C3%A9"),
        ] {
            assert!(is_path_of(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/me", "/me"),
            ("/me", "/api/v1/me/"),
            ("/me", "/api/v1/me/links"),
            ("/me", "/api/v1/ME"),
            ("/me", "/api/v1//me"),
            ("/me/links", "/api/v1/me"),
            ("/me/links/{id}", "/api/v1/me/links/"),
            ("/me/links/{id}", "/api/v1/me/links/a/b"),
            ("/me/links/*", "/api/v1/me/links"),
            ("/users/a/b", "/api/v1/users/a%2Fb"),
            ("/users/{handle}/stats", "/api/v1/users/%ff/stats"),
        ] {
            assert!(!is_path_of(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn rejects_a_path_that_no_endpoint_has() {
        for pattern in [
            "/me",
            "me",
            "/me/links/link_1",
            "/me/links/{id}",
            "/users/{handle}/stats",
            "/{any}",
            "/nothing/*",
        ] {
            assert_eq!(check_path(pattern), Ok(()), "{pattern}");
        }
        for pattern in [
            "/me/link",
            "/me/",
            "/me/links/",
            "/api/v2/me",
            "/api/v1",
            "/me?a=b",
        ] {
            let error = check_path(pattern).unwrap_err().to_string();
            let expected = format!("no endpoint has the path `{pattern}`; expected one of /me, ");
            assert!(error.starts_with(&expected), "{error}");
        }
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
            ("{handle}", "{handle}"),
        ] {
            let path = format!("/users/{segment}/stats");
            let found = match_path("/users/{handle}/stats", &path);
            assert_eq!(found.as_deref(), Some(expected), "{segment}");
        }
    }
}
