//! The table of endpoints.

use std::borrow::Cow;
use std::fmt;

use crate::values::{Scope, display_text};

/// The method of an HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// `GET`, which reads.
    Get,
    /// `POST`, which creates.
    Post,
    /// `PUT`, which replaces.
    Put,
    /// `PATCH`, which edits.
    Patch,
    /// `DELETE`, which deletes.
    Delete,
}

impl Method {
    /// Returns the name of the method, for example `PATCH`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns `true` for all methods except `GET`.
    #[must_use]
    pub fn is_write(self) -> bool {
        self != Self::Get
    }
}

display_text!(Method);

/// An endpoint: its method, its path and what it requires of a key.
///
/// ```
/// use profile_sdk::{Operation, Scope};
///
/// let edit = Operation::UPDATE_PROFILE;
/// assert!(Operation::ALL.contains(&edit));
/// assert_eq!(edit.to_string(), "PATCH /api/v1/me/profile");
/// assert_eq!(edit.name(), "update_profile");
/// assert_eq!(edit.scope(), Some(&Scope::ProfileWrite));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operation {
    name: &'static str,
    method: Method,
    path_template: Cow<'static, str>,
    scope: Option<Scope>,
    requires_key: bool,
    pub(super) idempotent: bool,
}

/// Declares the start of all paths, and the endpoints: a constant, the name of the method of `Client`,
/// the method and the path, and the access: `key`, `key` with a scope, or `open`, which requires no key.
macro_rules! operations {
    ($root:literal; $($constant:ident $name:ident $method:ident $path:literal $access:ident $($scope:ident)?;)*) => {
        /// The start of the path of every endpoint.
        pub(crate) const API_ROOT: &str = $root;

        impl Operation {
            $(
                #[doc = concat!("[`", stringify!($name), "`](crate::Client::", stringify!($name), ")")]
                pub const $constant: Self = Self {
                    name: stringify!($name),
                    method: Method::$method,
                    path_template: Cow::Borrowed(concat!($root, $path)),
                    scope: operations!(@scope $($scope)?),
                    requires_key: operations!(@requires $access),
                    // Creating twice creates two resources.
                    idempotent: !matches!(Method::$method, Method::Post),
                };
            )*

            /// All endpoints, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$constant),*];
        }
    };
    (@scope) => { None };
    (@scope $scope:ident) => { Some(Scope::$scope) };
    (@requires key) => { true };
    (@requires open) => { false };
}

operations! {
    "/api/v1";
    ME me Get "/me" key;
    UPDATE_PROFILE update_profile Patch "/me/profile" key ProfileWrite;
    ANALYTICS analytics Get "/me/analytics" key AnalyticsRead;
    CREATE_LINK create_link Post "/me/links" key LinksWrite;
    UPDATE_LINK update_link Patch "/me/links/{id}" key LinksWrite;
    DELETE_LINK delete_link Delete "/me/links/{id}" key LinksWrite;
    CREATE_POST create_post Post "/me/posts" key SocialWrite;
    DELETE_POST delete_post Delete "/me/posts/{id}" key SocialWrite;
    USER_STATS user_stats Get "/users/{handle}/stats" key;
    BADGES badges Get "/badges" open;
    SITE_STATS site_stats Get "/stats" open;
}

impl Operation {
    /// Returns a short name that does not change, for example for a metric label: the name of the
    /// method of [`Client`](crate::Client), such as `update_profile`. All
    /// [raw calls](crate::Client::raw_call) have the name `raw_call`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> Method {
        self.method
    }

    /// Returns the path with named parameters, for example `/api/v1/me/links/{id}`.
    #[must_use]
    pub fn path_template(&self) -> &str {
        &self.path_template
    }

    /// Returns the scope that the key must have, if the specification names one.
    #[must_use]
    pub fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }

    /// Returns `true` if the endpoint requires a key.
    #[must_use]
    pub fn requires_key(&self) -> bool {
        self.requires_key
    }

    /// Returns `true` if sending the request twice has the same result as sending it once, so that
    /// it is retried if its response is lost. This is the case for reading, deleting and editing.
    #[must_use]
    pub fn is_idempotent(&self) -> bool {
        self.idempotent
    }

    /// Creates an endpoint that is not in the specification.
    pub(crate) fn unspecified(method: Method, path: String) -> Self {
        Self {
            name: "raw_call",
            method,
            path_template: Cow::Owned(path),
            scope: None,
            requires_key: false,
            idempotent: matches!(method, Method::Get | Method::Put | Method::Delete),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{} {}", self.method, self.path_template))
    }
}
