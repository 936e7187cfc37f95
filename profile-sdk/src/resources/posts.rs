//! The key owner's posts: `POST /me/posts` and `DELETE /me/posts/{id}`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::calls::calls;
use crate::call::Call;
use crate::decode::{Resource, ResponseData};
use crate::request::{Operation, Request};
use crate::resources::{Extra, responses};
use crate::values::PostId;

responses! {
    /// A post on a profile. (Specification: Resources, Post.)
    pub struct Post {
        /// The identifier, required to delete the post.
        pub id: Option<PostId>,
        /// The text.
        pub body: Option<String>,
        /// All other fields, as the service sent them. In a profile and in the response to a write,
        /// also fields with an unexpected type.
        #[serde(flatten)]
        pub extra: Extra,
    }
}

impl ResponseData for Post {
    const LENIENT_FIELDS: &'static [&'static str] = &["id", "body"];

    fn add_extra(&mut self, fields: Map<String, Value>) {
        self.extra.extend(fields);
    }
}

impl Resource for Post {
    fn is_recognized(&self) -> bool {
        self.id.is_some() || self.body.is_some()
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

calls! {
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
}
