//! Profiles and `PATCH /me/profile`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::response_data::{Resource, ResponseData};

use crate::{
    ApiVisible, Badge, Bio, Call, Client, Color, DisplayName, Handle, KeyInfo, Link, Location,
    Operation, Post, Request,
};

/// A profile.
///
/// `GET /me` returns all fields; the response to `PATCH /me/profile` may contain only some. Absent
/// and null fields are `None`. Values are not validated; parse a color with [`Color`](crate::Color)
/// to check it. (Specification: Resources, Profile.)
///
/// Tests can create one from JSON or with `Default`:
///
/// ```
/// let mut profile = profile_sdk::Profile::default();
/// profile.display_name = Some("Ada".to_owned());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Profile {
    /// The handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
    /// The display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The bio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bio: Option<String>,
    /// The location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The accent color, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent_color: Option<String>,
    /// The text color, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<String>,
    /// The background color, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_color: Option<String>,
    /// The links. `None` means that the response does not list them, not that there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<Link>>,
    /// The posts. `None` means that the response does not list them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posts: Option<Vec<Post>>,
    /// The badges. `None` means that the response does not list them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub badges: Option<Vec<Badge>>,
    /// The owner's email address. Only in `GET /me`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// The visibility setting for the API. Only in `GET /me`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_visible: Option<ApiVisible>,
    /// The calling key. Only in `GET /me`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyInfo>,
    /// All other fields, as the service sent them. Also fields with an unexpected type, if the
    /// specification does not define their type; such a field of a link, post or badge is in the
    /// `extra` of that element.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl ResponseData for Profile {
    const LENIENT_FIELDS: &'static [&'static str] =
        &["handle", "links", "posts", "badges", "email", "key"];

    fn add_extra(&mut self, fields: Map<String, Value>) {
        self.extra.extend(fields);
    }

    fn is_lenient_in_element(list: &str, field: &str) -> bool {
        let fields = match list {
            "links" => Link::LENIENT_FIELDS,
            "posts" => Post::LENIENT_FIELDS,
            "badges" => Badge::OPTIONAL,
            _ => &[],
        };
        fields.contains(&field)
    }

    fn element_extra(&mut self, list: &str, index: usize) -> Option<&mut Map<String, Value>> {
        match list {
            "links" => Some(&mut self.links.as_mut()?.get_mut(index)?.extra),
            "posts" => Some(&mut self.posts.as_mut()?.get_mut(index)?.extra),
            "badges" => Some(&mut self.badges.as_mut()?.get_mut(index)?.extra),
            _ => None,
        }
    }
}

impl Resource for Profile {
    fn is_recognized(&self) -> bool {
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

/// Changes to a profile. A field that is `None` is not changed. An empty text clears the field.
///
/// `Deserialize` rejects unknown fields, as the service does. Set the fields directly, for example to
/// an option, or with the methods:
///
/// ```
/// use profile_sdk::ProfileUpdate;
///
/// let location = Some("".parse()?);
/// let mut update = ProfileUpdate::new()
///     .display_name("Ada".parse()?)
///     .accent_color("#ff8800".parse()?);
/// update.location = location;
/// assert_eq!(
///     serde_json::to_string(&update)?,
///     r##"{"display_name":"Ada","location":"","accent_color":"#ff8800"}"##,
/// );
/// assert_eq!(update.bio, None);
/// assert_eq!(update, serde_json::from_str(&serde_json::to_string(&update)?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
#[must_use]
pub struct ProfileUpdate {
    /// The new display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<DisplayName>,
    /// The new bio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bio: Option<Bio>,
    /// The new location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The new accent color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent_color: Option<Color>,
    /// The new text color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<Color>,
    /// The new background color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_color: Option<Color>,
}

impl ProfileUpdate {
    /// Creates an update without changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the display name.
    pub fn display_name(mut self, display_name: DisplayName) -> Self {
        self.display_name = Some(display_name);
        self
    }

    /// Changes the bio.
    pub fn bio(mut self, bio: Bio) -> Self {
        self.bio = Some(bio);
        self
    }

    /// Changes the location.
    pub fn location(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// Changes the accent color.
    pub fn accent_color(mut self, color: Color) -> Self {
        self.accent_color = Some(color);
        self
    }

    /// Changes the text color.
    pub fn text_color(mut self, color: Color) -> Self {
        self.text_color = Some(color);
        self
    }

    /// Changes the background color.
    pub fn background_color(mut self, color: Color) -> Self {
        self.background_color = Some(color);
        self
    }

    /// Returns `true` if no field is set. The service accepts an empty update.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Client {
    /// `PATCH /me/profile`: edits the profile. Returns the profile, or `None` if the response does
    /// not contain it.
    ///
    /// Requires the scope `profile:write`. For the limits, see [`DisplayName`], [`Bio`],
    /// [`Location`] and [`Color`]. (Specification: Endpoints, `PATCH /me/profile`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Profile;
    use crate::decode::read_data;

    #[test]
    fn keeps_unknown_fields() {
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
                let profile: Profile = read_data(body.as_bytes()).unwrap();
                assert_eq!(profile.bio.as_deref(), Some("b"));
                let kept = serde_json::to_value(&profile).unwrap();
                let kept = kept.get(field).unwrap_or(&Value::Null);
                assert_eq!(kept, &odd, "{field}");
            }
        }
    }

    #[test]
    fn rejects_a_bio_of_another_type() {
        let error = read_data::<Profile>(br#"{"data":{"bio":5}}"#).unwrap_err();
        assert!(error.starts_with("data.bio: invalid type"), "{error}");
    }
}
