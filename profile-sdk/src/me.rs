//! `GET /me`: the key owner's profile, with what only its owner sees.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::{Answer, Resource};
use crate::{Badge, Call, Client, Handle, Link, Operation, Post, Request, Scopes};

/// A profile as the service shows it.
///
/// `GET /me` gives all of it. The answer to `PATCH /me/profile` may give a part: the specification
/// does not show it. Absent and null read alike, as `None`. Texts are as the service sent them; to
/// check a colour, parse it into a [`Color`](crate::Color). (Specification: Resources, Profile.)
///
/// A test can build one from JSON or from its `Default`:
///
/// ```
/// let mut profile = profile_sdk::Profile::default();
/// profile.display_name = Some("Ada".to_owned());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Profile {
    /// The name by which the profile is addressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
    /// The name shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The text in which the owner introduces themselves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bio: Option<String>,
    /// Where the owner is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The accent colour, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent_color: Option<String>,
    /// The colour of text, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<String>,
    /// The colour behind the text, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_color: Option<String>,
    /// The links; `None` where the service leaves them out, which is not the same as having none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
    /// The posts; `None` where the service leaves them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts: Option<Vec<Post>>,
    /// The badges; `None` where the service leaves them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badges: Option<Vec<Badge>>,
    /// The owner's email address; in `GET /me` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The visibility setting for the API; in `GET /me` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_visible: Option<ApiVisible>,
    /// The key that asked; in `GET /me` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyInfo>,
    /// Every other field, as the service sent it; also a field of those above whose shape the
    /// specification does not show and that came in another shape than ours.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Answer for Profile {
    const SHAPE_NOT_SHOWN: &'static [&'static str] =
        &["handle", "links", "posts", "badges", "email", "key"];

    fn keep(&mut self, set_aside: Map<String, Value>) {
        self.extra.extend(set_aside);
    }
}

impl Resource for Profile {
    fn is_recognised(&self) -> bool {
        let texts = [
            &self.display_name,
            &self.bio,
            &self.location,
            &self.accent_color,
            &self.text_color,
            &self.background_color,
        ];
        self.handle.is_some() || texts.into_iter().any(Option::is_some)
    }
}

/// The visibility setting for the API, which the specification calls "boolean-style" without
/// showing its type.
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
    /// Whether the profile is visible: from `true`, `1`, `"true"`, `"1"` and their opposites;
    /// `None` for anything else.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match &self.0 {
            Value::Bool(visible) => Some(*visible),
            Value::Number(number) if number.as_u64() == Some(1) => Some(true),
            Value::Number(number) if number.as_u64() == Some(0) => Some(false),
            Value::String(text) if matches!(text.as_str(), "true" | "1") => Some(true),
            Value::String(text) if matches!(text.as_str(), "false" | "0") => Some(false),
            _ => None,
        }
    }

    /// What the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }
}

/// The key that asked: what it may do and how often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct KeyInfo {
    /// What the key may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Scopes>,
    /// How often it may ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimit>,
    /// Every other field, as the service sent it.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// How often a key may ask, of which the specification shows neither shape nor unit.
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
    /// The number of requests in a window, as far as it can be told: a bare number, a string that
    /// starts with one, or the field `limit`, `requests` or `max` of an object.
    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.field(&["limit", "requests", "max"])
            .or_else(|| leading_number(&self.0))
    }

    /// The length of a window in seconds, as far as it can be told: the field `window_seconds`,
    /// `window`, `period` or `per_seconds` of an object.
    #[must_use]
    pub fn window_seconds(&self) -> Option<u64> {
        self.field(&["window_seconds", "window", "period", "per_seconds"])
    }

    /// What the service sent.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }

    fn field(&self, names: &[&str]) -> Option<u64> {
        names
            .iter()
            .find_map(|name| self.0.get(name))
            .and_then(leading_number)
    }
}

fn leading_number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => {
            let end = text
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len());
            text[..end].parse().ok()
        }
        _ => value.as_u64(),
    }
}

impl Client {
    /// `GET /me`: the key owner's profile with email, visibility and the key itself.
    ///
    /// Needs a key; the specification names no scope. Errors: see
    /// [`ErrorKind`](crate::ErrorKind). (Specification: Endpoints, `GET /me`.)
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
    /// println!("{} <{}>", me.display_name.unwrap_or_default(), me.email.unwrap_or_default());
    /// for link in me.links.unwrap_or_default() {
    ///     println!("{}", link.url.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn me(&self) -> Call<Profile> {
        Call::reading(self, Request::new(Operation::ME))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ApiVisible, Profile, RateLimit};
    use crate::decode::read_data;

    #[test]
    fn visibility_is_read_from_every_boolean_style() {
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
    fn a_rate_limit_is_read_as_far_as_it_goes() {
        for (raw, limit, window) in [
            (json!(60), Some(60), None),
            (json!("60/minute"), Some(60), None),
            (json!({"limit": 60, "window": "60s"}), Some(60), Some(60)),
            (json!({"requests": 60}), Some(60), None),
            (json!("plenty"), None, None),
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

    #[test]
    fn whatever_the_service_adds_survives() {
        let data = json!({
            "handle": "demo",
            "links": [{"id": 7, "title": "t", "url": "u", "clicks": 3}],
            "key": {"scopes": "links:write", "rate_limit": 5, "name": "laptop"},
            "api_visible": "1",
            "pronouns": {"subject": "she"},
        });
        let body = json!({"data": data}).to_string();
        let profile: Profile = read_data(body.as_bytes()).unwrap();
        assert_eq!(profile.extra["pronouns"], json!({"subject": "she"}));
        assert_eq!(serde_json::to_value(&profile).unwrap(), data);
    }

    #[test]
    fn unshown_shapes_are_never_an_error() {
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
                let profile: Profile = read_data(body.as_bytes()).unwrap();
                assert_eq!(profile.bio.as_deref(), Some("b"));
                let kept = serde_json::to_value(&profile).unwrap();
                let kept = kept.get(field).unwrap_or(&Value::Null);
                assert_eq!(kept, &odd, "{field}");
            }
        }
    }

    #[test]
    fn a_shown_shape_is_held_to() {
        let error = read_data::<Profile>(br#"{"data":{"bio":5}}"#).unwrap_err();
        assert!(error.starts_with("data.bio: invalid type"), "{error}");
    }
}
