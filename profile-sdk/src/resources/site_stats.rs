//! `GET /stats`.

use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::client::Client;
use crate::decode::response_data::ResponseData;
use crate::request::{Operation, Request};
use crate::resources::extra::Extra;

/// Site-wide counters. (Specification: Resources, Site statistics.)
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SiteStats {
    /// The number of users.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub users: u64,
    /// The number of profile views.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub views: u64,
    /// The number of links.
    #[serde(deserialize_with = "crate::decode::count::read")]
    pub links: u64,
    /// All other fields, as the service sent them.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ResponseData for SiteStats {}

impl Client {
    /// `GET /stats`: returns site-wide counters.
    ///
    /// Does not require a key. The key is sent if the client has one. (Specification: Endpoints,
    /// `GET /stats`.)
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
    /// let site = client.site_stats().await?;
    /// println!("{} users, {} views, {} links", site.users, site.views, site.links);
    /// # Ok(())
    /// # }
    /// ```
    pub fn site_stats(&self) -> Call<SiteStats> {
        Call::read(self, Request::new(Operation::SITE_STATS))
    }
}
