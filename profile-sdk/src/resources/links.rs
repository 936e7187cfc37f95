//! The key owner's links: `POST /me/links`, `PATCH` and `DELETE /me/links/{id}`.

use serde_json::{Map, Value};

use super::calls::calls;
use crate::call::Call;
use crate::decode::{Resource, ResponseData};
use crate::error::Error;
use crate::request::{Operation, Request};
use crate::resources::{Extra, objects, responses};
use crate::values::{LinkId, LinkUrl};

responses! {
    /// A link on a profile. (Specification: Resources, Link.)
    pub struct Link {
        /// The identifier, required to edit and delete the link.
        pub id: Option<LinkId>,
        /// The title.
        pub title: Option<String>,
        /// The URL.
        pub url: Option<String>,
        /// All other fields, as the service sent them. In a profile and in the response to a write,
        /// also fields with an unexpected type.
        #[serde(flatten)]
        pub extra: Extra,
    }
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

objects! {
    /// A link to create. The specification does not limit its fields. `Deserialize` rejects unknown
    /// fields.
    #[derive(Debug, Clone, PartialEq, Eq)]
    #[non_exhaustive]
    #[must_use]
    pub struct NewLink {
        /// The title.
        pub title: String,
        /// The URL.
        pub url: LinkUrl,
    }
}

impl NewLink {
    /// Creates a link with a title and a URL.
    pub fn new(title: impl Into<String>, url: LinkUrl) -> Self {
        Self {
            title: title.into(),
            url,
        }
    }
}

objects! {
    /// Changes to a link. A field that is `None` is not changed. At least one field must be set.
    /// `Deserialize` rejects unknown fields.
    ///
    /// Set the fields directly, for example to an option, or with the methods:
    ///
    /// ```
    /// let mut update = profile_sdk::LinkUpdate::new().title("My site");
    /// update.url = Some("https://example.org".parse()?);
    /// # Ok::<(), profile_sdk::InvalidValue>(())
    /// ```
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    #[non_exhaustive]
    #[must_use]
    pub struct LinkUpdate {
        /// The new title.
        pub title: Option<String>,
        /// The new URL.
        pub url: Option<LinkUrl>,
    }
}

impl LinkUpdate {
    /// Creates an update without changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes the title.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Changes the URL.
    pub fn url(mut self, url: LinkUrl) -> Self {
        self.url = Some(url);
        self
    }

    /// Returns `true` if no field is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

calls! {
    /// `POST /me/links`: creates a link. Returns the link, or `None` if the response does not
    /// contain it.
    ///
    /// Requires the scope `links:write`. (Specification: Endpoints, `POST /me/links`.)
    ///
    /// # Errors
    ///
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope, and
    /// [`Rejected`](crate::ErrorKind::Rejected) if the service rejects a value; for others, see
    /// [`ErrorKind`](crate::ErrorKind). If [`may_have_been_applied`](crate::Error::may_have_been_applied)
    /// returns `true`, check whether the link exists before you send it again.
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
    ///     println!("created {}", created.id.expect("this service returns it"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_link(&self, link: &NewLink) -> Call<Option<Link>> {
        Call::write(self, Request::new(Operation::CREATE_LINK).json(link))
    }

    /// `PATCH /me/links/{id}`: edits a link. Returns the link, or `None` if the response does not
    /// contain it.
    ///
    /// Requires the scope `links:write`. (Specification: Endpoints, `PATCH /me/links/{id}`.)
    ///
    /// # Errors
    ///
    /// [`Invalid`](crate::ErrorKind::Invalid) if the update is empty; nothing is sent.
    /// [`NotFound`](crate::ErrorKind::NotFound) if the link does not exist, and
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope; for others, see
    /// [`ErrorKind`](crate::ErrorKind).
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
            Error::invalid("the link update is empty; set the title, the URL or both")
        });
        Call::write(self, request.json(update)).or_error(error)
    }

    /// `DELETE /me/links/{id}`: deletes a link.
    ///
    /// Requires the scope `links:write`. (Specification: Endpoints, `DELETE /me/links/{id}`.)
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) if the link does not exist, and
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope; for others, see
    /// [`ErrorKind`](crate::ErrorKind).
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
