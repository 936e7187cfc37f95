//! The client against the mock service over real sockets, a module per resource and per promise.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod analytics;
mod badges;
mod bodies;
mod cases;
mod dialects;
mod errors;
mod limits;
mod links;
mod me;
mod network;
mod paths;
mod posts;
mod profile;
mod secrets;
mod shapes;
mod silences;
mod site_stats;
mod user_stats;
mod writes;

use mock_server::MockServer;
use mock_server::wiremock::matchers::any;
use mock_server::wiremock::{Mock, ResponseTemplate};
use profile_sdk::{ApiKey, Client, ClientBuilder};

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

/// A client of the service, still without a key.
fn describe(service: &MockServer) -> ClientBuilder {
    Client::builder().base_url(service.uri())
}

/// Has the service answer every request with this from now on.
async fn answer_all(service: &MockServer, answer: ResponseTemplate) {
    Mock::given(any())
        .respond_with(answer)
        .mount(service.wiremock())
        .await;
}
