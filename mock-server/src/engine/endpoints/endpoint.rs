//! The table of endpoints.

use std::fmt;

use serde::{Serialize, Serializer};

use super::call::Call;
use super::{links_and_posts, profile, statistics};
use crate::engine::dialect::Place;
use crate::engine::{ProblemKind, Rejected, Reply, Scope, World};

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
