//! The client against the reference service over real sockets, a module per resource and per promise.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod analytics;
mod badges;
#[cfg(feature = "blocking")]
mod blocking;
mod bodies;
mod builder;
mod cases;
mod clock;
mod configuration;
mod dialects;
mod errors;
mod every_call;
mod faults;
mod limits;
mod links;
mod me;
mod network;
mod paths;
mod posts;
mod profile;
#[cfg(any(feature = "rustls", feature = "native-tls"))]
mod proxy;
mod rate_limit;
mod raw_call;
mod retries;
mod secrets;
mod shapes;
mod site_stats;
#[cfg(any(feature = "rustls", feature = "native-tls"))]
mod tls;
#[cfg(feature = "tracing")]
mod tracing;
mod unspecified;
mod user_stats;
mod writes;

use mock_server::MockServer;
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, ResponseTemplate};
use profile_sdk::{ApiKey, Client, ClientBuilder};

use crate::clock::SkippingClock;

/// A client of the service that has this key.
#[track_caller]
fn connect(service: &MockServer, key: &str) -> Client {
    describe(service)
        .api_key(ApiKey::new(key).unwrap())
        .build()
        .unwrap()
}

/// A client of the service that may do everything.
#[track_caller]
fn connect_as_owner(service: &MockServer) -> Client {
    connect(service, service.key())
}

/// A client of the service, still without a key, that never really waits between two attempts.
fn describe(service: &MockServer) -> ClientBuilder {
    describe_at(service.uri())
}

/// The same at any address.
fn describe_at(uri: &str) -> ClientBuilder {
    Client::builder()
        .base_url(uri)
        .clock(SkippingClock::default())
}

/// How many requests the service has seen.
fn requests(service: &MockServer) -> usize {
    service.journal().requests().len()
}

/// Has the service answer every request with this from now on.
async fn answer_all(service: &MockServer, answer: ResponseTemplate) {
    Mock::given(any())
        .respond_with(answer)
        .mount(service.wiremock())
        .await;
}
