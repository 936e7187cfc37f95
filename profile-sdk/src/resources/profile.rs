//! The profile, and `PATCH /me/profile`, which edits it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::response_data::{Resource, ResponseData};

use crate::{
    ApiVisible, Badge, Bio, Call, Client, Color, DisplayName, Handle, KeyInfo, Link, Location,
    Operation, Post, Request,
};

/// A profile as the service shows it.
///
/// `GET /me` gives all of it. The response to `PATCH /me/profile` may give a part: the specification
/// does not show it. Absent and null read alike, as `None`. Texts are as the service sent them; to
/// check a color, parse it into a [`Color`](crate::Color). (Specification: Resources, Profile.)
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
    /// The accent color, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent_color: Option<String>,
    /// The color of text, `#rrggbb`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<String>,
    /// The color behind the text, `#rrggbb`.
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
    /// specification does not show and that came in another shape than ours. Where that is one field
    /// of a link, post or badge, it is in the `extra` of that one.
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

/// Changes to a profile: a field that is `None` stays as it is, an empty text clears it.
///
/// The fields can be read and set directly, or set in a chain:
///
/// ```
/// use profile_sdk::ProfileUpdate;
///
/// let update = ProfileUpdate::new()
///     .display_name("Ada".parse()?)
///     .location("".parse()?)
///     .accent_color("#ff8800".parse()?);
/// assert_eq!(
///     serde_json::to_string(&update)?,
///     r##"{"display_name":"Ada","location":"","accent_color":"#ff8800"}"##,
/// );
/// assert_eq!(update.bio, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[must_use]
pub struct ProfileUpdate {
    /// The name shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<DisplayName>,
    /// The bio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bio: Option<Bio>,
    /// The location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// The accent color.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent_color: Option<Color>,
    /// The color of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_color: Option<Color>,
    /// The color behind the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_color: Option<Color>,
}

impl ProfileUpdate {
    /// An update that changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the name shown.
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

    /// Changes the color of text.
    pub fn text_color(mut self, color: Color) -> Self {
        self.text_color = Some(color);
        self
    }

    /// Changes the color behind the text.
    pub fn background_color(mut self, color: Color) -> Self {
        self.background_color = Some(color);
        self
    }

    /// Whether it changes nothing. The service takes such an update too, since every field is
    /// optional.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Client {
    /// `PATCH /me/profile`: changes the given fields and gives the profile as the service sends it
    /// back, or `None` when it accepts the change without showing the result.
    ///
    /// Needs the scope `profile:write`. Limits: see [`DisplayName`], [`Bio`], [`Location`] and
    /// [`Color`]. (Specification: Endpoints, `PATCH /me/profile`.)
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
