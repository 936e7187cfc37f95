//! The profile of the key's owner.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::Call;
use crate::decode::{self, List, Resource, ResponseData};
use crate::error::Error;
use crate::json::{count_of, readable_json};
use crate::request::{Operation, Request};
use crate::resources::{
    Badge, Extra, Link, Post, Profile, ProfileField, ProfileUpdate, calls, responses,
};
use crate::text::one_line;
use crate::values::Scopes;

calls! {
    /// `GET /me`: returns the key owner's profile, including email, visibility and the calling key.
    ///
    /// Requires a key; the specification names no scope. (Specification: Endpoints, `GET /me`.)
    ///
    /// # Errors
    ///
    /// [`KeyMissing`](crate::ErrorKind::KeyMissing) if the client has no key, and
    /// [`Unauthorized`](crate::ErrorKind::Unauthorized) if the service rejects it; for others, see
    /// [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Examples
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let me = client.me().await?;
    /// println!("Hello, {}", me.display_name.as_deref().unwrap_or_default());
    /// for link in me.links() {
    ///     println!("{}", link.url.as_deref().unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn me(&self) -> Call<Profile> {
        Call::read(self, Request::new(Operation::ME))
    }

    /// `PATCH /me/profile`: edits the profile. Returns the profile, or `None` if the response does
    /// not contain it.
    ///
    /// Requires the scope `profile:write`. For the limits, see [`ProfileField`]. (Specification:
    /// Endpoints, `PATCH /me/profile`.)
    ///
    /// # Errors
    ///
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope, and
    /// [`Rejected`](crate::ErrorKind::Rejected) if the service rejects a value; for others, see
    /// [`ErrorKind`](crate::ErrorKind).
    ///
    /// # Examples
    ///
    /// ```
    /// # use profile_sdk::{Bio, ProfileUpdate};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let update = ProfileUpdate::new().bio(Bio::new("First line\nSecond line")?);
    /// match client.update_profile(&update).await? {
    ///     Some(profile) => println!("the bio is now {:?}", profile.bio),
    ///     None => println!("changed"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_profile(&self, update: &ProfileUpdate) -> Call<Option<Profile>> {
        Call::write(self, Request::new(Operation::UPDATE_PROFILE).json(update))
    }
}

impl Profile {
    /// Decodes a profile from the text that [`Response::raw_data`](crate::Response::raw_data) returns, for
    /// example from a cache. Also decodes a serialized profile.
    ///
    /// As lenient as [`Client::me`](crate::Client::me), while `Deserialize` fails if a field has an
    /// unexpected type.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) if the text is not valid JSON, or a field that
    /// can be edited is not a string.
    ///
    /// # Examples
    ///
    /// ```
    /// let json = r#"{"bio": "I write.", "links": [{"id": 1, "title": 7}]}"#;
    /// let profile = profile_sdk::Profile::from_json(json)?;
    /// assert_eq!(profile.links()[0].extra["title"], 7);
    /// # Ok::<(), profile_sdk::Error>(())
    /// ```
    pub fn from_json(json: &str) -> Result<Self, Error> {
        decode::read_value(&readable_json(json.as_bytes()))
            .map_err(|reason| Error::invalid(one_line(&reason)))
    }

    /// Returns the links, or an empty slice if the response does not list them.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        self.links.as_deref().unwrap_or_default()
    }

    /// Returns the posts, or an empty slice if the response does not list them.
    #[must_use]
    pub fn posts(&self) -> &[Post] {
        self.posts.as_deref().unwrap_or_default()
    }

    /// Returns the badges, or an empty slice if the response does not list them.
    #[must_use]
    pub fn badges(&self) -> &[Badge] {
        self.badges.as_deref().unwrap_or_default()
    }
}

impl ResponseData for Profile {
    const LENIENT_FIELDS: &'static [&'static str] =
        &["handle", "links", "posts", "badges", "email", "key"];

    const LISTS: &'static [List<Self>] = &[
        List::of::<Link>("links", |profile, index| {
            Some(&mut profile.links.as_mut()?.get_mut(index)?.extra)
        }),
        List::of::<Post>("posts", |profile, index| {
            Some(&mut profile.posts.as_mut()?.get_mut(index)?.extra)
        }),
        List::of::<Badge>("badges", |profile, index| {
            Some(&mut profile.badges.as_mut()?.get_mut(index)?.extra)
        }),
    ];

    fn add_extra(&mut self, fields: Map<String, Value>) {
        self.extra.extend(fields);
    }
}

impl Resource for Profile {
    fn is_recognized(&self) -> bool {
        let mut fields = ProfileField::ALL.iter();
        self.handle.is_some() || fields.any(|field| self.get(*field).is_some())
    }
}

/// The visibility setting for the API. The specification calls it "boolean-style" and does not
/// define its type.
///
/// ```
/// use profile_sdk::ApiVisible;
///
/// let visible: ApiVisible = serde_json::from_str("1")?;
/// assert_eq!(visible.as_bool(), Some(true));
/// let unknown: ApiVisible = serde_json::from_str(r#""friends""#)?;
/// assert_eq!(unknown.as_bool(), None);
/// assert_eq!(unknown.raw(), "friends");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ApiVisible(Value);

impl ApiVisible {
    /// Returns the setting for `true`, `1`, `"true"`, `"1"` and their opposites, and `None` for any
    /// other value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.0.to_string().trim_matches('"') {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        }
    }

    /// Returns the JSON value that the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }
}

responses! {
    /// The calling key: its scopes and its rate limit.
    pub struct KeyInfo {
        /// The scopes of the key.
        pub scopes: Option<Scopes>,
        /// The rate limit of the key.
        pub rate_limit: Option<RateLimit>,
        /// All other fields, as the service sent them.
        #[serde(flatten)]
        pub extra: Extra,
    }
}

/// The rate limit of a key. The specification does not define its shape or unit.
///
/// ```
/// use profile_sdk::RateLimit;
///
/// let limit: RateLimit = serde_json::from_str(r#"{"limit": 100, "window_seconds": 60}"#)?;
/// assert_eq!((limit.limit(), limit.window_seconds()), (Some(100), Some(60)));
/// let bare: RateLimit = serde_json::from_str("100")?;
/// assert_eq!((bare.limit(), bare.window_seconds()), (Some(100), None));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RateLimit(Value);

impl RateLimit {
    /// Returns the number of requests per window, if it is known: a number, a string such as
    /// `60/minute`, or the field `limit`, `requests` or `max` of an object.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.field(&["limit", "requests", "max"], &['/', ' '])
            .or_else(|| number_before(&['/', ' '], &self.0))
    }

    /// Returns the length of the window in seconds, if it is known: the field `window_seconds`,
    /// `window`, `period` or `per_seconds` of an object.
    #[must_use]
    pub fn window_seconds(&self) -> Option<u64> {
        let names = ["window_seconds", "window", "period", "per_seconds"];
        self.field(&names, &['s'])
    }

    /// Returns the JSON value that the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }

    fn field(&self, names: &[&str], ends: &[char]) -> Option<u64> {
        let mut values = names.iter().filter_map(|name| self.0.get(name));
        values.find_map(|value| number_before(ends, value))
    }
}

/// Returns a number, also of a text up to the first of these characters.
fn number_before(ends: &[char], value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.split(ends).next()?.trim().parse().ok(),
        _ => count_of(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::decode::read_data;
    use crate::json::Body;
    use crate::resources::profile::{ApiVisible, Profile, RateLimit};

    #[test]
    fn keeps_unknown_fields() {
        let data = json!({
            "handle": "demo",
            "links": [{"id": 7, "title": "t", "url": "u", "clicks": 3}],
            "posts": [{"id": 2, "body": "b", "likes": 0}],
            "badges": [{"id": "b", "name": "B", "since": "2026"}],
            "key": {"scopes": "links:write", "rate_limit": 5, "name": "laptop"},
            "api_visible": "1",
            "pronouns": {"subject": "she"},
        });
        let body = json!({"data": data}).to_string();
        let profile: Profile = read_data(&Body::new(body)).unwrap();
        assert_eq!(profile.extra["pronouns"], json!({"subject": "she"}));
        assert_eq!(serde_json::to_value(&profile).unwrap(), data);
    }

    #[test]
    fn accepts_any_shape_of_unspecified_fields() {
        for odd in [
            json!(1),
            json!("x"),
            json!({"a": 1}),
            json!([1, "x"]),
            json!(null),
            json!(""),
        ] {
            for field in [
                "handle",
                "links",
                "posts",
                "badges",
                "email",
                "key",
                "api_visible",
            ] {
                let body = json!({"data": {"bio": "b", field: odd}}).to_string();
                let profile: Profile = read_data(&Body::new(body)).unwrap();
                assert_eq!(profile.bio.as_deref(), Some("b"));
                let kept = serde_json::to_value(&profile).unwrap();
                let kept = kept.get(field).unwrap_or(&Value::Null);
                assert_eq!(kept, &odd, "{field}");
            }
        }
    }

    #[test]
    fn rejects_a_bio_of_another_type() {
        let error = read_data::<Profile>(&Body::new(r#"{"data":{"bio":5}}"#)).unwrap_err();
        assert!(error.starts_with("data.bio: invalid type"), "{error}");
    }

    #[test]
    fn decodes_every_boolean_style() {
        for (raw, visible) in [
            (json!(true), Some(true)),
            (json!(false), Some(false)),
            (json!(1), Some(true)),
            (json!(0), Some(false)),
            (json!("true"), Some(true)),
            (json!("false"), Some(false)),
            (json!("1"), Some(true)),
            (json!("0"), Some(false)),
            (json!(2), None),
            (json!("yes"), None),
            (json!([]), None),
        ] {
            assert_eq!(ApiVisible(raw.clone()).as_bool(), visible, "{raw}");
        }
    }

    #[test]
    fn reads_rate_limits() {
        for (raw, limit, window) in [
            (json!(60), Some(60), None),
            (json!("60/minute"), Some(60), None),
            (json!({"limit": 60, "window": "60s"}), Some(60), Some(60)),
            (json!({"requests": 60}), Some(60), None),
            (json!({"limit": null, "max": 60.0}), Some(60), None),
            (
                json!({"limit": "60 per hour", "period": "3600 seconds"}),
                Some(60),
                Some(3600),
            ),
            (json!({"limit": "1.5k", "window": "1m"}), None, None),
            (
                json!({"limit": "1,000/hour", "window": "500ms"}),
                None,
                None,
            ),
            (
                json!({"limit": "10k per hour", "window": "1 minute"}),
                None,
                None,
            ),
            (json!("plenty"), None, None),
            (json!([1, 2]), None, None),
            (json!(null), None, None),
        ] {
            let read = RateLimit(raw.clone());
            assert_eq!(
                (read.limit(), read.window_seconds()),
                (limit, window),
                "{raw}"
            );
        }
    }
}
