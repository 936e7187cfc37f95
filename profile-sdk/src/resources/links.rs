//! The key owner's links: creating, editing and deleting them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decode::response_data::{Resource, ResponseData};
use crate::{Call, Client, Error, ErrorKind, LinkId, LinkUrl, Operation, Request};

/// A link on a profile. (Specification: Resources, Link.)
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Link {
    /// The identifier by which it is edited and deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<LinkId>,
    /// The text shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it points to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Every other field, as the service sent it; in a profile and in the response to a write, whose
    /// shape the specification does not show, also a field of those above that came in another shape.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl ResponseData for Link {
    const LENIENT_FIELDS: &'static [&'static str] = &["id", "title", "url"];

    fn add_extra(&mut self, fields: Map<String, Value>) {
        self.extra.extend(fields);
    }
}

impl Resource for Link {
    fn is_recognized(&self) -> bool {
        self.id.is_some() || self.title.is_some() || self.url.is_some()
    }
}

/// A link to create: both of its fields. The specification limits neither.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[must_use]
pub struct NewLink {
    /// The text shown.
    pub title: String,
    /// The target.
    pub url: LinkUrl,
}

impl NewLink {
    /// A link with this text, pointing there.
    pub fn new(title: impl Into<String>, url: LinkUrl) -> Self {
        Self {
            title: title.into(),
            url,
        }
    }
}

/// Changes to a link: a field that is `None` stays as it is; at least one is needed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
#[must_use]
pub struct LinkUpdate {
    /// The text shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<LinkUrl>,
}

impl LinkUpdate {
    /// An update that changes nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the text shown.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Changes where the link points to.
    pub fn url(mut self, url: LinkUrl) -> Self {
        self.url = Some(url);
        self
    }

    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Client {
    /// `POST /me/links`: creates a link and gives it as the service sends it back, or `None` when
    /// it accepts the link without showing it.
    ///
    /// Needs the scope `links:write`. (Specification: Endpoints, `POST /me/links`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind). If
    /// [`may_have_been_applied`](crate::Error::may_have_been_applied) returns true, check whether
    /// the link exists before you send it again.
    ///
    /// # Examples
    ///
    /// ```
    /// # use profile_sdk::NewLink;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// let link = NewLink::new("My site", "https://example.org".parse()?);
    /// if let Some(created) = client.create_link(&link).await? {
    ///     println!("created {}", created.id.expect("this service tells it"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_link(&self, link: &NewLink) -> Call<Option<Link>> {
        Call::write(self, Request::new(Operation::CREATE_LINK).json(link))
    }

    /// `PATCH /me/links/{id}`: changes the given fields and gives the link as the service sends it
    /// back, or `None` when it accepts the change without showing the result.
    ///
    /// Needs the scope `links:write`. (Specification: Endpoints, `PATCH /me/links/{id}`.)
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Invalid`] before anything is sent when the update is empty; otherwise see
    /// [`ErrorKind`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use profile_sdk::{LinkUpdate, NewLink};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// # let link = NewLink::new("My site", "https://example.org".parse()?);
    /// # let id = client.create_link(&link).await?.and_then(|link| link.id).expect("an id");
    /// client.update_link(&id, &LinkUpdate::new().title("My new site")).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn update_link(&self, id: &LinkId, update: &LinkUpdate) -> Call<Option<Link>> {
        let request = Request::with_parameter(Operation::UPDATE_LINK, "id", id.as_str());
        let error = update.is_empty().then(|| {
            let reason = "the link update is empty; set the title, the URL or both";
            Error::new(ErrorKind::Invalid, reason)
        });
        Call::write(self, request.json(update)).or_error(error)
    }

    /// `DELETE /me/links/{id}`: removes a link.
    ///
    /// Needs the scope `links:write`. (Specification: Endpoints, `DELETE /me/links/{id}`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use profile_sdk::NewLink;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = mock_server::MockServer::start().await;
    /// # let client = profile_sdk::Client::builder()
    /// #     .base_url(service.uri())
    /// #     .api_key(profile_sdk::ApiKey::new(service.key())?)
    /// #     .build()?;
    /// # let link = NewLink::new("My site", "https://example.org".parse()?);
    /// # let id = client.create_link(&link).await?.and_then(|link| link.id).expect("an id");
    /// client.delete_link(&id).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_link(&self, id: &LinkId) -> Call<()> {
        let request = Request::with_parameter(Operation::DELETE_LINK, "id", id.as_str());
        Call::delete(self, request)
    }
}
