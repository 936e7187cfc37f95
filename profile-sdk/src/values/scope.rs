//! The scopes of a key.

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::values::open_enum;

open_enum! {
    /// A permission of a key.
    ///
    /// The list in the specification is incomplete; unknown scopes are kept by name. (Specification:
    /// Authentication.)
    ///
    /// ```
    /// use profile_sdk::Scope;
    ///
    /// assert_eq!(Scope::from("links:write"), Scope::LinksWrite);
    /// assert_eq!(Scope::from("badges:write").as_str(), "badges:write");
    /// assert_eq!("links:write".parse(), Ok(Scope::LinksWrite));
    /// ```
    Scope {
        ProfileWrite = "profile:write",
        AnalyticsRead = "analytics:read",
        LinksWrite = "links:write",
        SocialWrite = "social:write",
    }
}

/// The scopes of a key, decoded from an array of names or from one string.
///
/// The specification does not define the shape. The names in one string can be separated by spaces
/// or commas. Any other shape is decoded as no scopes; [`raw`](Self::raw) returns it.
///
/// ```
/// use profile_sdk::{Scope, Scopes};
///
/// let scopes: Scopes = serde_json::from_str(r#""links:write, social:write""#)?;
/// assert!(scopes.contains(&Scope::LinksWrite));
/// assert!(!scopes.contains(&Scope::ProfileWrite));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Value")]
pub struct Scopes {
    raw: Value,
    scopes: Vec<Scope>,
}

impl Scopes {
    /// Returns `true` if the key has a scope.
    #[must_use]
    pub fn contains(&self, scope: &Scope) -> bool {
        self.scopes.contains(scope)
    }

    /// Returns `true` if the key certainly does not have a scope. It may have it if the shape is not
    /// one of those above, or if another scope is not one of the specification and so may include it,
    /// such as `*`.
    #[must_use]
    pub fn lacks(&self, scope: &Scope) -> bool {
        let is_readable = match &self.raw {
            Value::Array(names) => names.len() == self.scopes.len(),
            raw => raw.is_string(),
        };
        let is_known = |scope| Scope::KNOWN.contains(scope);
        is_readable && self.iter().all(is_known) && !self.contains(scope)
    }

    /// Returns the scopes in the order in which the service sent them.
    pub fn iter(&self) -> std::slice::Iter<'_, Scope> {
        self.scopes.iter()
    }

    /// Returns the JSON value that the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

impl<'a> IntoIterator for &'a Scopes {
    type Item = &'a Scope;
    type IntoIter = std::slice::Iter<'a, Scope>;

    fn into_iter(self) -> Self::IntoIter {
        self.scopes.iter()
    }
}

impl From<Value> for Scopes {
    fn from(raw: Value) -> Self {
        let names: Vec<_> = match &raw {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            Value::String(names) => names.split([' ', ',']).collect(),
            _ => Vec::new(),
        };
        let names = names.into_iter().filter(|name| !name.is_empty());
        let scopes = names.map(Scope::from).collect();
        Self { raw, scopes }
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

    use crate::values::scope::{Scope, Scopes};

    #[test]
    fn decodes_every_shape() {
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
    fn keeps_unexpected_shapes_without_scopes() {
        for raw in [json!(null), json!(7), json!({"profile:write": true})] {
            let scopes = Scopes::from(raw.clone());
            assert_eq!(scopes.iter().count(), 0);
            assert_eq!(serde_json::to_value(&scopes).unwrap(), raw);
        }
    }
}
