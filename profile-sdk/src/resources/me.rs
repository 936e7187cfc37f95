//! `GET /me`.

use crate::call::Call;
use crate::client::Client;
use crate::request::{Operation, Request};
use crate::resources::Profile;

impl Client {
    /// `GET /me`: returns the key owner's profile, including email, visibility and the calling key.
    ///
    /// Requires a key; the specification names no scope. (Specification: Endpoints, `GET /me`.)
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind).
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
    /// println!("{} <{}>", me.display_name.unwrap_or_default(), me.email.unwrap_or_default());
    /// for link in me.links.unwrap_or_default() {
    ///     println!("{}", link.url.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn me(&self) -> Call<Profile> {
        Call::read(self, Request::new(Operation::ME))
    }
}
