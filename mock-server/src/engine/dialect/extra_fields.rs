//! Fields of responses that the specification does not list.

use std::collections::BTreeMap;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::engine::resources::ProfileField;

/// Fields of responses that the specification does not list, with constant values.
///
/// As JSON it is an object with an object of fields for each of these, all optional: `me` (only
/// `GET /me`), `profile` (`GET /me` and edits of the profile), `key`, `link`, `post`, `badge`,
/// `statistics`, `analytics` and `site`. A field that the mock itself returns keeps its value.
///
/// ```
/// use mock_server::Dialect;
///
/// Dialect::from_json(r#"{"extra_fields": {"link": {"clicks": 12}}}"#)?;
/// assert_eq!(
///     Dialect::from_json(r#"{"extra_fields": {"link": {"url": ""}}}"#).unwrap_err().to_string(),
///     "extra_fields: `url` of `link` is in the specification; expected other fields",
/// );
/// # Ok::<(), mock_server::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraFields(#[serde(deserialize_with = "unspecified")] BTreeMap<Place, Fields>);

type Fields = Map<String, Value>;

/// A kind of object in responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::engine) enum Place {
    Me,
    Profile,
    Key,
    Link,
    Post,
    Badge,
    Statistics,
    Analytics,
    Site,
}

impl ExtraFields {
    pub(in crate::engine) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the fields of a place to an object. An empty object is the response to a write.
    pub(in crate::engine) fn add(&self, place: Place, object: &mut Value) {
        let (Some(fields), Value::Object(object)) = (self.0.get(&place), object) else {
            return;
        };
        if object.is_empty() {
            return;
        }
        for (name, value) in fields {
            object.entry(name).or_insert_with(|| value.clone());
        }
    }
}

impl Place {
    /// Returns the name and the fields in the specification.
    fn specified(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Self::Me => ("me", &["email", "api_visible", "key"]),
            Self::Profile => ("profile", ProfileField::NAMES),
            Self::Key => ("key", &["scopes", "rate_limit"]),
            Self::Link => ("link", &["id", "title", "url"]),
            Self::Post => ("post", &["id", "body"]),
            Self::Badge => ("badge", &["id", "name", "description", "color", "kind"]),
            Self::Statistics => (
                "statistics",
                &["total_views", "period", "daily", "devices", "countries"],
            ),
            Self::Analytics => ("analytics", &["views", "likes"]),
            Self::Site => ("site", &["users", "views", "links"]),
        }
    }
}

fn unspecified<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Place, Fields>, D::Error> {
    let places: BTreeMap<Place, Fields> = BTreeMap::deserialize(deserializer)?;
    for (place, fields) in &places {
        let (place, specified) = place.specified();
        if let Some(name) = specified.iter().find(|name| fields.contains_key(**name)) {
            return Err(D::Error::custom(format!(
                "`{name}` of `{place}` is in the specification; expected other fields"
            )));
        }
    }
    Ok(places)
}
