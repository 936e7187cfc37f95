//! Tests of the client with the reference service over real sockets.

#![allow(
    clippy::unwrap_used,
    reason = "a test may stop at the first unexpected value"
)]

mod accounts;
mod analytics;
mod badges;
#[cfg(feature = "blocking")]
mod blocking;
mod bodies;
mod builder;
#[cfg(feature = "tower")]
mod canned_client;
mod cases;
mod clock;
mod compression;
mod configuration;
mod crowd;
mod dialects;
mod errors;
mod every_call;
mod faults;
#[cfg(all(feature = "http2", any(feature = "__rustls", feature = "native-tls")))]
mod http2;
#[cfg(feature = "tower")]
mod layers;
mod limits;
mod links;
mod me;
mod network;
mod paths;
mod posts;
mod profile;
#[cfg(feature = "tower")]
mod properties;
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
mod proxy;
mod rate_limit;
mod raw_call;
mod retries;
mod secrets;
mod shapes;
mod site_stats;
#[cfg(feature = "testing")]
mod testing;
#[cfg(any(feature = "__rustls", feature = "native-tls"))]
mod tls;
#[cfg(feature = "tracing")]
mod tracing;
mod user_stats;
mod writes;

use mock_server::MockServer;
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, ResponseTemplate};
use profile_sdk::{ApiKey, Client, ClientBuilder};

use crate::clock::SkippingClock;

/// Creates a client with a key.
#[track_caller]
fn connect(service: &MockServer, key: &str) -> Client {
    client_builder(service)
        .api_key(ApiKey::new(key).unwrap())
        .build()
        .unwrap()
}

/// Creates a client with all scopes.
#[track_caller]
fn connect_as_owner(service: &MockServer) -> Client {
    connect(service, service.key())
}

/// Returns a builder for a client without a key, whose waits end at once.
fn client_builder(service: &MockServer) -> ClientBuilder {
    client_builder_for(service.uri())
}

/// Returns the same builder for any base URL.
fn client_builder_for(uri: &str) -> ClientBuilder {
    Client::builder()
        .base_url(uri)
        .clock(SkippingClock::default())
}

/// Returns the number of requests that the service has received.
fn requests(service: &MockServer) -> usize {
    service.journal().requests().len()
}

/// Makes the service respond to every request with a template.
async fn respond_to_all(service: &MockServer, response: ResponseTemplate) {
    Mock::given(any())
        .respond_with(response)
        .mount(service.wiremock())
        .await;
}
