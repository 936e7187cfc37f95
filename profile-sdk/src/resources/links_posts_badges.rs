//! The links, posts and badges of profiles, and their calls.

use serde::Serialize;

use crate::call::Call;
use crate::decode::{Resource, ResponseData, read_data};
use crate::error::Error;
use crate::json::Body;
use crate::request::{Operation, Request};
use crate::resources::{Extra, calls, objects, responses};
use crate::values::{LinkId, LinkUrl, PostId, open_enum};

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

    /// `POST /me/posts`: creates a post. Returns the post, or `None` if the response does not
    /// contain it. The specification does not limit the text.
    ///
    /// Requires the scope `social:write`. (Specification: Endpoints, `POST /me/posts`.)
    ///
    /// # Errors
    ///
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope, and
    /// [`Rejected`](crate::ErrorKind::Rejected) if the service rejects the text; for others, see
    /// [`ErrorKind`](crate::ErrorKind). If
    /// [`may_have_been_applied`](crate::Error::may_have_been_applied) returns `true`, check whether
    /// the post exists before you send it again.
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
    /// if let Some(post) = client.create_post("Hello, world").await? {
    ///     println!("created {}", post.id.expect("this service returns it"));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn create_post(&self, post: impl Into<NewPost>) -> Call<Option<Post>> {
        let request = Request::new(Operation::CREATE_POST).json(&post.into());
        Call::write(self, request)
    }

    /// `DELETE /me/posts/{id}`: deletes a post.
    ///
    /// Requires the scope `social:write`. (Specification: Endpoints, `DELETE /me/posts/{id}`.)
    ///
    /// # Errors
    ///
    /// [`NotFound`](crate::ErrorKind::NotFound) if the post does not exist, and
    /// [`Forbidden`](crate::ErrorKind::Forbidden) if the key lacks the scope; for others, see
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
    /// # let id = client.create_post("Hello").await?.and_then(|post| post.id).expect("an id");
    /// client.delete_post(&id).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn delete_post(&self, id: &PostId) -> Call<()> {
        let request = Request::with_parameter(Operation::DELETE_POST, "id", id.as_str());
        Call::delete(self, request)
    }

    /// `GET /badges`: returns all badges.
    ///
    /// Does not require a key. The key is sent if the client has one. (Specification: Endpoints,
    /// `GET /badges`.)
    ///
    /// # Errors
    ///
    /// [`Unreadable`](crate::ErrorKind::Unreadable) if a badge lacks `id` or `name`, and
    /// [`Unauthorized`](crate::ErrorKind::Unauthorized) if the service requires a key nevertheless; for
    /// others, see [`ErrorKind`](crate::ErrorKind).
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
    /// for badge in client.badges().await? {
    ///     println!("{}: {}", badge.name, badge.description.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn badges(&self) -> Call<Vec<Badge>> {
        let read = |body: &Body| {
            read_data(body).or_else(|error| match body.data() {
                // As in a profile.
                Ok("null") => Ok(Vec::new()),
                _ => Err(error),
            })
        };
        Call::new(self, Ok(Request::new(Operation::BADGES)), read)
    }
}

responses! {
    /// A link on a profile. (Specification: Resources, Link.)
    pub struct Link lenient(id, title, url) {
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

    /// A post on a profile. (Specification: Resources, Post.)
    pub struct Post lenient(id, body) {
        /// The identifier, required to delete the post.
        pub id: Option<PostId>,
        /// The text.
        pub body: Option<String>,
        /// All other fields, as the service sent them. In a profile and in the response to a write,
        /// also fields with an unexpected type.
        #[serde(flatten)]
        pub extra: Extra,
    }

    /// A badge. (Specification: Resources, Badge.)
    pub struct Badge lenient(description, color, kind) {
        /// A short identifier.
        pub id: String,
        /// The display name.
        pub name: String,
        /// The description.
        pub description: Option<String>,
        /// The color, `#rrggbb`.
        pub color: Option<String>,
        /// The kind of the badge.
        pub kind: Option<BadgeKind>,
        /// All other fields, as the service sent them. In a profile, also fields with an unexpected
        /// type, except `id` and `name`.
        #[serde(flatten)]
        pub extra: Extra,
    }
}

impl Resource for Link {
    fn is_recognized(&self) -> bool {
        self.id.is_some() || self.title.is_some() || self.url.is_some()
    }
}

impl Resource for Post {
    fn is_recognized(&self) -> bool {
        self.id.is_some() || self.body.is_some()
    }
}

impl ResponseData for Vec<Badge> {}

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

impl NewLink {
    /// Creates a link with a title and a URL.
    pub fn new(title: impl Into<String>, url: LinkUrl) -> Self {
        Self {
            title: title.into(),
            url,
        }
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

/// A post to create, from its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewPost {
    body: String,
}

impl<T: Into<String>> From<T> for NewPost {
    fn from(body: T) -> Self {
        let body = body.into();
        Self { body }
    }
}

open_enum! {
    /// The kind of a badge.
    ///
    /// The list in the specification is incomplete; unknown kinds are kept by name.
    ///
    /// ```
    /// use profile_sdk::BadgeKind;
    ///
    /// assert_eq!(BadgeKind::from("auto"), BadgeKind::Auto);
    /// assert_eq!(BadgeKind::from("granted").as_str(), "granted");
    /// ```
    BadgeKind {
        Auto = "auto",
    }
}
