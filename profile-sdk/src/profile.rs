//! `PATCH /me/profile`: editing the key owner's profile.

use serde::Serialize;

use crate::{Bio, Call, Client, Color, DisplayName, Location, Operation, Profile, Request};

/// What to change in a profile: a field that is not given stays as it is, an empty text clears it.
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
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[must_use]
pub struct ProfileUpdate {
    #[serde(skip_serializing_if = "Option::is_none")]
    display_name: Option<DisplayName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bio: Option<Bio>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accent_color: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_color: Option<Color>,
    #[serde(skip_serializing_if = "Option::is_none")]
    background_color: Option<Color>,
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

    /// Changes the accent colour.
    pub fn accent_color(mut self, color: Color) -> Self {
        self.accent_color = Some(color);
        self
    }

    /// Changes the colour of text.
    pub fn text_color(mut self, color: Color) -> Self {
        self.text_color = Some(color);
        self
    }

    /// Changes the colour behind the text.
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
    /// [`Color`]. Errors: see [`ErrorKind`](crate::ErrorKind). (Specification: Endpoints,
    /// `PATCH /me/profile`.)
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
        Call::writing(self, Request::new(Operation::UPDATE_PROFILE).json(update))
    }
}
