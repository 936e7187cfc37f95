//! What a key may do.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A permission that a key carries.
///
/// The specification shows four and says that the list is not complete, so a fifth is kept by its
/// name. (Specification: Authentication.)
///
/// ```
/// use profile_sdk::Scope;
///
/// assert_eq!(Scope::from("links:write"), Scope::LinksWrite);
/// assert_eq!(Scope::from("badges:write").as_str(), "badges:write");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// `profile:write`, needed by `PATCH /me/profile`.
    ProfileWrite,
    /// `analytics:read`, needed by `GET /me/analytics`.
    AnalyticsRead,
    /// `links:write`, needed to create, edit and delete links.
    LinksWrite,
    /// `social:write`, needed to create and delete posts.
    SocialWrite,
    /// A scope that the specification does not show.
    Other(String),
}

impl Scope {
    /// The scopes that the specification shows.
    pub const KNOWN: [Self; 4] = [
        Self::ProfileWrite,
        Self::AnalyticsRead,
        Self::LinksWrite,
        Self::SocialWrite,
    ];

    /// The scope's name, for example `links:write`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::ProfileWrite => "profile:write",
            Self::AnalyticsRead => "analytics:read",
            Self::LinksWrite => "links:write",
            Self::SocialWrite => "social:write",
            Self::Other(name) => name,
        }
    }
}

impl From<&str> for Scope {
    fn from(name: &str) -> Self {
        Self::KNOWN
            .into_iter()
            .find(|scope| scope.as_str() == name)
            .unwrap_or_else(|| Self::Other(name.to_owned()))
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The scopes of a key, read from an array of names or from one string of names.
///
/// The specification does not show the shape: names in one string may be separated by spaces or
/// commas, and any other shape reads as no scopes and is kept in [`raw`](Self::raw).
///
/// ```
/// use profile_sdk::{Scope, Scopes};
///
/// let scopes: Scopes = serde_json::from_str(r#""links:write, social:write""#)?;
/// assert!(scopes.contains(&Scope::LinksWrite));
/// assert!(!scopes.contains(&Scope::ProfileWrite));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scopes {
    raw: Value,
    scopes: Vec<Scope>,
}

impl Scopes {
    /// Whether the key carries this scope.
    #[must_use]
    pub fn contains(&self, scope: &Scope) -> bool {
        self.scopes.contains(scope)
    }

    /// The scopes, in the order in which the service names them.
    pub fn iter(&self) -> impl Iterator<Item = &Scope> {
        self.scopes.iter()
    }

    /// What the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

impl From<Value> for Scopes {
    fn from(raw: Value) -> Self {
        let scopes = match &raw {
            Value::Array(names) => names
                .iter()
                .filter_map(Value::as_str)
                .map(Scope::from)
                .collect(),
            Value::String(names) => names
                .split([' ', ','])
                .filter(|name| !name.is_empty())
                .map(Scope::from)
                .collect(),
            _ => Vec::new(),
        };
        Self { raw, scopes }
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Scope, Scopes};

    #[test]
    fn every_shape_is_read() {
        let expected = [Scope::ProfileWrite, Scope::Other("x:y".to_owned())];
        for raw in [
            json!(["profile:write", "x:y"]),
            json!("profile:write x:y"),
            json!("profile:write,x:y"),
            json!("profile:write, x:y "),
        ] {
            let scopes = Scopes::from(raw.clone());
            assert!(scopes.iter().eq(&expected), "{raw}");
            assert_eq!(scopes.raw(), &raw);
        }
    }

    #[test]
    fn an_odd_shape_has_no_scopes_and_is_kept() {
        for raw in [json!(null), json!(7), json!({"profile:write": true})] {
            let scopes = Scopes::from(raw.clone());
            assert_eq!(scopes.iter().count(), 0);
            assert_eq!(serde_json::to_value(&scopes).unwrap(), raw);
        }
    }
}
