//! The measured calls, with the SDK and written by hand.

use profile_sdk::{ApiKey, Client, Days, Handle};

use crate::hand_written::HandWritten;

/// A client to measure.
#[derive(Clone)]
pub(crate) enum Caller {
    Sdk(Client),
    Hand(HandWritten),
}

/// A call to measure.
#[derive(Clone, Copy)]
pub(crate) enum Called {
    /// `GET /me`, with 20 links.
    Me,
    /// `GET /users/{handle}/stats` over 365 days.
    Statistics,
}

impl Caller {
    /// Creates an SDK client with default settings.
    pub(crate) fn sdk(base_url: &str) -> Self {
        let key = ApiKey::new("the-key").expect("a key");
        let builder = Client::builder().base_url(base_url).api_key(key);
        Self::Sdk(builder.build().expect("a client"))
    }

    pub(crate) fn hand(base_url: &str) -> Self {
        Self::Hand(HandWritten::new(base_url, "the-key"))
    }

    /// Creates a client for another account, with the connections of this one.
    pub(crate) fn another_account(&self) -> Self {
        match self {
            Self::Sdk(client) => {
                let key = ApiKey::new("another-key").expect("a key");
                Self::Sdk(client.with_api_key(key))
            }
            Self::Hand(client) => Self::Hand(client.with_key("another-key")),
        }
    }

    pub(crate) async fn call(&self, called: Called) {
        let count = match (self, called) {
            (Self::Sdk(client), Called::Me) => {
                let me = client.me().await.expect("a profile");
                me.links.map_or(0, |links| links.len())
            }
            (Self::Hand(client), Called::Me) => client.me().await.expect("a profile").links.len(),
            (Self::Sdk(client), Called::Statistics) => {
                let handle = Handle::new("ada").expect("a handle");
                let days = Days::new(365).expect("a year");
                let stats = client.user_stats(&handle, days).await.expect("statistics");
                stats.daily.map_or(0, |daily| daily.len())
            }
            (Self::Hand(client), Called::Statistics) => {
                let stats = client.user_stats("ada", 365).await.expect("statistics");
                stats.daily.len()
            }
        };
        assert!(count >= 20, "the response was not decoded");
    }
}
